//! The head of `systemctl status UNIT` (systemd/systemd `src/systemctl/systemctl-show.c`, `print_status_info`, releases
//! 208 to 257).

use super::recognise::{from_name, is_active_state, is_head, is_load_state, is_unit};
use super::{KIND, part, split};
use crate::input::Line;
use crate::plain;
use kwhy_model::{Format, Map, Object, Parsed, Subject, Text, Value};

/// The maximum number of processes kept; each command of a unit has one.
const MAX_PROCESSES: usize = 16;

/// Keys whose values are free text of the unit, which signatures may match.
const SAYINGS: [&str; 4] = ["Status", "Error", "Condition", "Assert"];

/// Parses the lines of one head; `None` if they state nothing about a unit.
pub(super) fn parse<'a>(lines: &[Line<'a>]) -> Option<Parsed<'a>> {
    let mut head = Head::default();
    let mut parsed = Parsed::default();
    let mut filled = lines.iter().filter(|line| !line.is_blank()).peekable();
    if let Some(first) = filled.next_if(|line| is_head(line.text)) {
        head.first(first);
    }
    for line in filled {
        let Some((key, value)) = split(line.trim_start(), ":") else {
            continue;
        };
        match key.text {
            "Loaded" => head.loaded(value),
            "Active" => head.active(value),
            "Process" => head.process(value),
            "Main PID" => head.main_process(value),
            "Drop-In" | "CGroup" | "Docs" => {}
            key if SAYINGS.contains(&key) => parsed.append(plain::parse(Format::Plain, &[*line])),
            _ => {}
        }
        if key.text == "Status" {
            head.put("status_text", without_quotes(value));
        }
    }
    let object = head.finish(lines)?;
    parsed.objects.push(object);
    Some(parsed)
}

/// The facts about a unit collected so far.
#[derive(Default)]
struct Head<'a> {
    name: Option<String>,
    fields: Map<'a>,
    processes: Vec<Value<'a>>,
    /// True if a load state or an active state was found.
    has_state: bool,
}

fn text<'a>(line: Line<'a>) -> Value<'a> {
    Value::Text(Text::borrowed(line.text, line.start))
}

fn number<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let number = line.text.parse().ok()?;
    Some(Value::Integer(number, line.span()))
}

impl<'a> Head<'a> {
    fn put(&mut self, key: &'static str, value: Line<'a>) {
        if !value.text.is_empty() {
            self.fields.insert(key, text(value));
        }
    }

    /// Parses the first line: the name and the description.
    fn first(&mut self, line: &Line<'a>) {
        let line = from_name(line);
        match split(line, " - ") {
            Some((name, description)) => {
                self.name = Some(name.text.to_owned());
                self.put("description", description);
            }
            None => self.name = Some(line.text.trim_end().to_owned()),
        }
    }

    /// Parses `loaded (/lib/systemd/system/kubelet.service; enabled; preset: enabled)`.
    fn loaded(&mut self, value: Line<'a>) {
        let (state, mut rest) = split(value, " ").unwrap_or((value, part(value, 0, 0)));
        if !is_load_state(state.text) || self.fields.get("load_state").is_some() {
            return;
        }
        self.has_state = true;
        self.put("load_state", state);
        rest = match rest.text.strip_prefix('(') {
            Some(_) => rest.skip(1),
            None => return,
        };
        if rest.text.ends_with(')') {
            rest = part(rest, 0, rest.text.len() - 1);
        }
        if rest.text.starts_with("Reason: ") {
            self.put("load_reason", rest.skip("Reason: ".len()));
            return;
        }
        let (path, mut rest) = split(rest, ";").unwrap_or((rest, part(rest, 0, 0)));
        self.put("path", path);
        if self.name.is_none() {
            let file = path.text.rsplit('/').next().filter(|file| is_unit(file));
            self.name = file.map(str::to_owned);
        }
        while !rest.text.is_empty() {
            let (one, after) = split(rest, ";").unwrap_or((rest, part(rest, 0, 0)));
            match split(one, ": ") {
                Some((_, preset)) => self.put("preset", preset),
                None => self.put("enabled", one),
            }
            rest = after;
        }
    }

    /// Parses `failed (Result: exit-code) since Mon 2024-03-04 05:06:07 UTC; 3s ago`.
    fn active(&mut self, value: Line<'a>) {
        let (state, mut rest) = split(value, " ").unwrap_or((value, part(value, 0, 0)));
        if !is_active_state(state.text) || self.fields.get("active").is_some() {
            return;
        }
        self.has_state = true;
        let mut active = Map::new();
        active.insert("state", text(state));
        while rest.text.starts_with('(') {
            let (inside, after) =
                split(rest.skip(1), ")").unwrap_or((rest.skip(1), part(rest, 0, 0)));
            match split(inside, "Result: ") {
                Some((_, result)) => active.insert("result", text(result)),
                None => active.insert("sub_state", text(inside)),
            }
            rest = after;
        }
        // a failed unit has no separate sub-state; tables repeat `failed`
        if state.text == "failed" && active.get("sub_state").is_none() {
            active.insert("sub_state", text(state));
        }
        if rest.text.starts_with("since ") {
            let (since, ago) = split(rest.skip("since ".len()), ";").unwrap_or((
                part(rest, "since ".len(), rest.text.len()),
                part(rest, 0, 0),
            ));
            active.insert("since", text(since));
            let length = ago.text.strip_suffix(" ago").and_then(seconds);
            if let Some(length) = length {
                active.insert("for_s", Value::Integer(length, ago.span()));
            }
        }
        self.fields.insert("active", Value::Map(active));
    }

    /// Parses `179332 ExecStart=/usr/bin/crane --port=1 (code=exited, status=1/FAILURE)`.
    fn process(&mut self, value: Line<'a>) {
        let Some((pid, rest)) = split(value, " ") else {
            return;
        };
        let Some((command, _)) = split(rest, "=") else {
            return;
        };
        let mut process = Map::new();
        if let Some(pid) = number(pid) {
            process.insert("pid", pid);
        }
        process.insert("command", text(command));
        ended(rest, &mut process);
        if self.processes.len() < MAX_PROCESSES {
            self.processes.push(Value::Map(process));
        }
    }

    /// Parses `2568 (kubelet)` or `179332 (code=killed, signal=TERM)`.
    fn main_process(&mut self, value: Line<'a>) {
        let (pid, rest) = split(value, " ").unwrap_or((value, part(value, 0, 0)));
        let mut process = Map::new();
        if let Some(pid) = number(pid) {
            process.insert("pid", pid);
        }
        ended(rest, &mut process);
        if process.get("code").is_none()
            && let Some((_, program)) = split(rest, "(")
        {
            let (program, _) = split(program, ")").unwrap_or((program, program));
            process.insert("program", text(program));
        }
        self.fields.insert("main_process", Value::Map(process));
    }

    fn finish(mut self, lines: &[Line<'a>]) -> Option<Object<'a>> {
        let name = self.name.filter(|_| self.has_state)?;
        if !self.processes.is_empty() {
            self.fields.insert("processes", Value::List(self.processes));
        }
        let mut filled = lines.iter().filter(|line| !line.is_blank());
        let first = filled.next()?;
        let last = filled.next_back().unwrap_or(first);
        Some(Object {
            format: Format::UnitStatus,
            span: first.start..last.span().end,
            subject: Subject::new(KIND, None, &name),
            fields: self.fields,
            listed: false,
        })
    }
}

/// Adds the exit of a process: `(code=exited, status=1/FAILURE)`, `(code=killed, signal=TERM)`, `(code=dumped, ...)`.
fn ended<'a>(line: Line<'a>, process: &mut Map<'a>) {
    let Some((_, after)) = split(line, "(code=") else {
        return;
    };
    let (inside, _) = split(after, ")").unwrap_or((after, after));
    let (code, how) = split(inside, ",").unwrap_or((inside, part(inside, 0, 0)));
    process.insert("code", text(code));
    if how.text.starts_with("status=") {
        let status = how.skip("status=".len());
        process.insert("status", text(status));
        let (exit_code, _) = split(status, "/").unwrap_or((status, status));
        if let Some(exit_code) = number(exit_code) {
            process.insert("exit_code", exit_code);
        }
    } else if how.text.starts_with("signal=") {
        process.insert("signal", text(how.skip("signal=".len())));
    }
}

fn without_quotes(line: Line<'_>) -> Line<'_> {
    let is_quoted = line.text.len() > 1 && line.text.starts_with('"') && line.text.ends_with('"');
    if is_quoted {
        part(line, 1, line.text.len() - 1)
    } else {
        line
    }
}

/// Parses a duration: `4min 11s`, `1 month 2 days`, `6h` (`src/basic/time-util.c`, `format_timestamp_relative`).
fn seconds(text: &str) -> Option<i64> {
    let mut all: i64 = 0;
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = word.split_at_checked(digits)?;
        let unit = if unit.is_empty() { words.next()? } else { unit };
        let length = match unit {
            "us" | "ms" => 0,
            "s" => 1,
            "min" => 60,
            "h" => 3600,
            "day" | "days" | "d" => 86_400,
            "week" | "weeks" | "w" => 7 * 86_400,
            "month" | "months" => 30 * 86_400,
            "year" | "years" | "y" => 365 * 86_400,
            _ => return None,
        };
        let count: i64 = count.parse().ok()?;
        all = all.checked_add(count.checked_mul(length)?)?;
    }
    (!text.trim().is_empty()).then_some(all)
}
