//! The names used by JSON writers for the parts of a record, and the members that identify each
//! writer.

use super::super::json_members::ValueKind;

/// The names of a record's own parts in one writer's output.
pub(super) struct Names {
    pub(super) time: &'static [&'static str],
    pub(super) level: &'static [&'static str],
    pub(super) message: &'static [&'static str],
    pub(super) logger: &'static [&'static str],
    pub(super) caller: &'static [&'static str],
    pub(super) stack: &'static [&'static str],
    /// True if the logger and the caller precede the message, so that later members of these names
    /// are the user's.
    pub(super) in_front: bool,
}

pub(super) static ZAP: Names = Names {
    time: &["ts"],
    level: &["level"],
    message: &["msg"],
    logger: &["logger"],
    caller: &["caller"],
    stack: &["stacktrace"],
    in_front: true,
};
const ZAP_DEVELOPMENT: Names = Names {
    time: &["T"],
    level: &["L"],
    message: &["M"],
    logger: &["N"],
    caller: &["C"],
    stack: &["S"],
    in_front: true,
};
const LOGRUS: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["component"],
    caller: &["file"],
    stack: &[],
    in_front: false,
};
const SLOG: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["logger", "component"],
    caller: &["source"],
    stack: &[],
    in_front: false,
};
pub(super) static ZEROLOG: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["message"],
    logger: &["component", "logger"],
    caller: &["caller"],
    stack: &["stack"],
    in_front: false,
};
const HCLOG: Names = Names {
    time: &["@timestamp"],
    level: &["@level"],
    message: &["@message"],
    logger: &["@module"],
    caller: &["@caller"],
    stack: &["stacktrace"],
    in_front: false,
};
const BUNYAN: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["name"],
    caller: &[],
    stack: &[],
    in_front: false,
};
const WINSTON: Names = Names {
    time: &["timestamp"],
    level: &["level"],
    message: &["message"],
    logger: &["logger", "service", "component"],
    caller: &["caller"],
    stack: &["stack"],
    in_front: false,
};
/// pino with its message named `message`.
const PINO: Names = Names {
    message: &["message"],
    ..BUNYAN
};
/// MongoDB since 4.4: `{"t":{"$date":".."},"s":"I","c":"NETWORK","id":1,"ctx":"..","msg":"..","attr":{..}}`.
pub(super) static MONGODB: Names = Names {
    time: &["t"],
    level: &["s"],
    message: &["msg"],
    logger: &["c"],
    caller: &[],
    stack: &[],
    in_front: false,
};
static ANY: Names = Names {
    time: &["ts", "time", "timestamp", "@timestamp", "T", "asctime", "t"],
    level: &[
        "level",
        "severity",
        "lvl",
        "L",
        "levelname",
        "log.level",
        "@level",
    ],
    message: &["msg", "message", "M", "MESSAGE", "@message"],
    logger: &["logger", "scope", "N", "module", "component", "logger_name"],
    caller: &["caller", "C", "source"],
    stack: &["stacktrace", "stack", "stack_trace", "S"],
    in_front: false,
};

/// The keys that identify the writer, collected in one pass.
#[derive(Default)]
pub(super) struct Keys<'t> {
    count: usize,
    first: &'t str,
    second: &'t str,
    last: &'t str,
    unsorted: bool,
    has_at_level: bool,
    has_at_message: bool,
    has_hostname: bool,
    has_pid: bool,
    has_time: bool,
    pub(super) has_level: bool,
    has_message: bool,
    pub(super) has_timestamp: bool,
    has_winston: bool,
    /// True if a name was seen that is only sometimes a message or a level ([`Role::WeakMessage`]).
    weak_message: bool,
    weak_level: bool,
    /// True if an object was seen that may contain the record's own parts.
    pub(super) has_inside: bool,
    /// True if a string was seen under `log` or `line`, which may be what a collector read, or a collector's member.
    log_read: bool,
    line_read: bool,
    collector: bool,
    /// True if a member was seen that only collectors write, whatever the line's key is.
    is_enveloped: bool,
    /// True if a message was seen that may itself be an object.
    pub(super) is_folded: bool,
    /// True if the first member is a time that is an object, as in MongoDB's records.
    has_nested_time: bool,
    /// True if a member with this role was seen.
    time: bool,
    level: bool,
    message: bool,
}

impl Names {
    /// Returns true if the names do not identify a writer.
    pub(super) fn is_any(&self) -> bool {
        std::ptr::eq(self, &ANY)
    }
}

impl<'t> Keys<'t> {
    pub(super) fn see(&mut self, key: &'t str, role: Option<Role>, kind: ValueKind) {
        match self.count {
            0 => self.first = key,
            1 => self.second = key,
            _ => {}
        }
        self.unsorted = self.unsorted || (self.count > 0 && self.last > key);
        self.last = key;
        self.count += 1;
        let plain = kind != ValueKind::Nested;
        match role {
            Some(Role::Time) => {
                self.time |= plain;
                self.has_nested_time |= self.count == 1 && key == "t" && !plain;
                // logrus writes its time as text
                self.has_time |= key == "time" && kind == ValueKind::String;
                self.has_timestamp |= key == "timestamp";
            }
            Some(Role::Level) => {
                self.level |= plain;
                self.has_level |= key == "level";
                self.has_at_level |= key == "@level";
            }
            Some(Role::WeakMessage) => self.weak_message |= plain,
            Some(Role::WeakLevel) => self.weak_level |= plain,
            Some(Role::Inside) => {
                self.has_inside |= !plain;
                self.log_read |= kind == ValueKind::String && key == "log";
            }
            Some(Role::Line) => self.line_read |= kind == ValueKind::String,
            Some(Role::Collector) => {
                self.collector = true;
                self.is_enveloped |= key != "labels";
            }
            Some(Role::Message) => {
                self.message |= kind == ValueKind::String;
                self.has_message |= key == "msg";
                self.has_winston |= key == "message";
                self.has_at_message |= key == "@message";
            }
            None => {
                self.has_hostname |= key == "hostname";
                self.has_pid |= key == "pid";
                self.level |= self.is_mongodb() && key == "s" && plain;
            }
        }
    }

    /// Returns true if parts of the record may have names known only to [`super::roles`].
    pub(super) fn is_unusual(&self) -> bool {
        self.has_inside || self.weak_message || self.weak_level || !(self.time && self.level)
    }

    /// Returns true if no log record starts like this object.
    pub(super) fn is_other(&self) -> bool {
        matches!(self.first, "apiVersion" | "kind")
    }

    /// Returns true if the members of a nested object may make the object a log record.
    pub(super) fn may_be_record(&self) -> bool {
        self.has_inside && (self.time || self.level || self.message || self.weak_message)
    }

    /// Returns true if the members are a collector's, around a line that it read.
    pub(super) fn are_collected(&self) -> bool {
        let is_read = self.line_read && self.collector
            || self.log_read && (self.collector || self.time || self.level);
        is_read && !(self.message || self.weak_message)
    }

    /// Returns true if the message is a line read by a collector. A record with a level is the program's own, and its
    /// message is the program's text even if that is an object.
    pub(super) fn is_message_read(&self) -> bool {
        self.is_enveloped || !self.level && !self.weak_level && !std::ptr::eq(self.names(), &ZAP)
    }

    /// Returns true if the members seen make the object a log record.
    pub(super) fn are_record(&self) -> bool {
        let message = self.message || self.weak_message;
        (message && (self.time || self.level))
            || (self.time && self.level)
            || (message && self.weak_level)
            || self.are_collected()
    }

    fn is_mongodb(&self) -> bool {
        self.has_nested_time && self.second == "s"
    }

    pub(super) fn names(&self) -> &'static Names {
        match (self.first, self.second) {
            _ if self.is_mongodb() => &MONGODB,
            _ if self.has_at_level && self.has_at_message => &HCLOG,
            _ if self.has_hostname && self.has_pid && self.has_level && self.has_message => &BUNYAN,
            _ if self.has_hostname && self.has_pid && self.has_level && self.has_winston => &PINO,
            ("L", _) => &ZAP_DEVELOPMENT,
            ("level", "ts") | ("ts", _) => &ZAP,
            ("time", "level") => &SLOG,
            _ if !self.unsorted && self.has_time && self.has_level && self.has_message => &LOGRUS,
            ("level", _) if self.last == "message" => &ZEROLOG,
            _ if self.has_timestamp && self.has_winston && self.has_level => &WINSTON,
            _ => &ANY,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Level,
    Message,
    /// A message only if the object also has a level or a time.
    WeakMessage,
    /// A level only if the object also has a message.
    WeakLevel,
    /// An object that may contain the record's own parts.
    Inside,
    /// A line read by a collector, if the object also has a [`Role::Collector`].
    Line,
    /// A member that collectors add to a line.
    Collector,
}

/// Returns the role of a key for any writer: the times, levels and messages of [`ANY`] and
/// [`HCLOG`].
pub(super) fn role(key: &str) -> Option<Role> {
    let is = |names: &[&str], role| names.contains(&key).then_some(role);
    // dispatched by first byte, as most keys have no role
    match key.as_bytes().first()? {
        b't' => is(&["ts", "time", "timestamp", "t"], Role::Time)
            .or_else(|| is(&["text", "textPayload"], Role::WeakMessage)),
        b'@' => is(&["@timestamp"], Role::Time)
            .or_else(|| is(&["@level"], Role::Level))
            .or_else(|| is(&["@message"], Role::Message))
            .or_else(|| is(&["@t"], Role::Time))
            .or_else(|| is(&["@m", "@mt"], Role::WeakMessage))
            .or_else(|| is(&["@l"], Role::WeakLevel))
            .or_else(|| is(&["@fields"], Role::Inside)),
        b'a' => is(&["asctime"], Role::Time),
        b'l' => is(
            &[
                "level",
                "lvl",
                "levelname",
                "log.level",
                "log_level",
                "loglevel",
                "level_name",
            ],
            Role::Level,
        )
        .or_else(|| is(&["l"], Role::WeakLevel))
        .or_else(|| is(&["log_message"], Role::Message))
        .or_else(|| is(&["log"], Role::Inside))
        .or_else(|| is(&["line"], Role::Line))
        .or_else(|| is(&["labels", "logtag"], Role::Collector)),
        b'k' => is(&["kubernetes"], Role::Collector),
        b'd' => is(&["datetime"], Role::Time)
            .or_else(|| is(&["data"], Role::Inside))
            .or_else(|| is(&["docker"], Role::Collector)),
        b'e' => is(&["event"], Role::WeakMessage).or_else(|| is(&["extra"], Role::Inside)),
        b'f' => is(&["fields"], Role::Inside),
        b'r' => is(&["record"], Role::Inside),
        b'c' => is(&["context"], Role::Inside),
        b'j' => is(&["jsonPayload"], Role::Inside),
        b's' => is(&["severity", "severity_text", "severityText"], Role::Level)
            .or_else(|| is(&["short_message"], Role::Message))
            .or_else(|| is(&["s"], Role::WeakLevel))
            .or_else(|| is(&["stream"], Role::Collector)),
        b'm' => is(&["msg", "message"], Role::Message).or_else(|| is(&["m"], Role::WeakMessage)),
        b'b' => is(&["body"], Role::WeakMessage),
        b'T' => is(&["T"], Role::Time),
        b'L' => is(&["L"], Role::Level),
        b'M' => is(&["M", "MESSAGE"], Role::Message),
        _ => None,
    }
}
