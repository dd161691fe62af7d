//! Information that envelopes cannot preserve, as data.

/// The parts of a format that an envelope cannot preserve, with the reason. A `*` matches all.
const EXCEPTIONS: &[(&str, &str, Part, &str)] = &[
    (
        "*",
        "docker json-file in parts",
        Part::RawLines,
        "each line comes in parts, so nothing tells that it was written with the one before",
    ),
    ("*", "CRI in parts", Part::RawLines, "the same"),
    (
        "*",
        "CRI two streams",
        Part::RawLines,
        "the other stream's lines stand between",
    ),
    (
        "*",
        "journald export",
        Part::RawLines,
        "the journal keeps a message whole: what is an entry of its own was written alone",
    ),
    ("*", "journald export binary", Part::RawLines, "the same"),
    ("*", "journald verbose", Part::RawLines, "the same"),
    (
        "zap-console",
        "journald short",
        Part::Text,
        "tabs between elements are blanks there, from which blanks of the message cannot be told",
    ),
    (
        "controller-runtime",
        "journald short",
        Part::Text,
        "as zap-console",
    ),
    (
        "klog-text",
        "CRI in parts",
        Part::Text,
        "the runtime drops a carriage return at a part's end",
    ),
    (
        "logrus-terminal",
        "docker json-file in parts",
        Part::Text,
        "a colour sequence that is cut in two is none",
    ),
    ("logrus-terminal", "CRI in parts", Part::Text, "the same"),
    ("logrus-terminal", "CRI two streams", Part::Text, "the same"),
    ("istio", "journald short", Part::Text, "as zap-console"),
    (
        "java-util-logging",
        "docker json-file in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "java-util-logging",
        "CRI in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "log4j2",
        "docker json-file in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "log4j2",
        "CRI in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "logback",
        "docker json-file in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "logback",
        "CRI in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "spring-boot",
        "docker json-file in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "spring-boot",
        "CRI in parts",
        Part::Text,
        "an error's first line is told by the one behind it, and both come in parts here",
    ),
    (
        "java-util-logging",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "log4j2",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "logback",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "spring-boot",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "spring-boot3",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "node",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "python-asctime",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "python-basic",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
    (
        "python-bracketed",
        "CRI two streams",
        Part::Text,
        "a trace begins right behind its record, and here the other stream stands between",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Part of the text of some records.
    Text,
    /// Records with continuation lines that are not indented.
    RawLines,
}

/// Returns true if an envelope cannot preserve a part of a format.
pub fn excepted(format: &str, carrier: &str, part: Part) -> bool {
    EXCEPTIONS.iter().any(|(formats, carriers, parts, _)| {
        *parts == part
            && (*formats == "*" || *formats == format)
            && (*carriers == "*" || *carriers == carrier)
    })
}
