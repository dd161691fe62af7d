//! Writes a run with a Rust logging library: `write PLAN NUMBER OUT`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Value, json};

mod facade;
mod slogs;
mod tracings;

/// The current time of every clock in this program, in microseconds since 1970.
static MICROS: AtomicI64 = AtomicI64::new(0);

#[repr(C)]
pub struct Timespec {
    seconds: i64,
    nanos: i64,
}

/// Overrides libc's function, through which the libraries read the clock.
#[unsafe(no_mangle)]
pub extern "C" fn clock_gettime(_: i32, out: *mut Timespec) -> i32 {
    let micros = MICROS.load(Ordering::SeqCst);
    // the caller passes a pointer to one `timespec`
    unsafe {
        (*out).seconds = micros.div_euclid(1_000_000);
        (*out).nanos = micros.rem_euclid(1_000_000) * 1000;
    }
    0
}

#[derive(Clone, Deserialize)]
pub struct Record {
    pub micros: i64,
    pub level: String,
    pub logger: String,
    pub message: String,
    pub fields: BTreeMap<String, Value>,
    pub error: Option<String>,
    pub line: u32,
}

#[derive(Deserialize)]
pub struct Run {
    pub folder: String,
    pub library: String,
    pub setting: BTreeMap<String, Value>,
    pub records: Vec<Record>,
}

impl Run {
    pub fn is(&self, name: &str) -> bool {
        self.setting.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
    pub fn text(&self, name: &str) -> &str {
        self.setting.get(name).and_then(Value::as_str).unwrap_or("")
    }
}

/// The output of the libraries, kept in memory.
#[derive(Clone, Default)]
pub struct Sink(pub Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Sink {
    pub fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

/// Returns the message with the error appended, for libraries without fields.
pub fn joined(record: &Record) -> String {
    match &record.error {
        Some(error) => format!("{}: {error}", record.message),
        None => record.message.clone(),
    }
}

/// Returns a time with this many fractional digits.
pub fn stamp(micros: i64, digits: usize) -> String {
    let at = chrono::DateTime::from_timestamp_micros(micros).unwrap();
    let text = at.format("%Y-%m-%dT%H:%M:%S%.9f").to_string();
    let end = if digits == 0 { 19 } else { 20 + digits };
    format!("{}Z", &text[..end])
}

#[derive(Default)]
pub struct Truth {
    text: String,
    lines: Vec<String>,
    at: usize,
}

impl Truth {
    /// Adds the text written for a record. `shown` overrides the defaults of the truth.
    pub fn add(&mut self, mut written: String, record: &Record, shown: Value) {
        if !written.ends_with('\n') {
            written.push('\n');
        }
        let lines = written.matches('\n').count();
        let mut truth = json!({"line": self.at + 1, "lines": lines, "level": record.level, "time": null, "time_form": "none",
            "message": record.message, "logger": null, "caller": null, "fields": {}, "error": null, "stack": false});
        let map = truth.as_object_mut().unwrap();
        let mut shown = shown.as_object().unwrap().clone();
        if let Some(digits) = shown.remove("digits").and_then(|digits| digits.as_u64()) {
            map.insert("time".into(), stamp(record.micros, digits as usize).into());
        }
        map.extend(shown);
        self.lines.push(truth.to_string());
        self.at += lines;
        self.text.push_str(&written);
    }
}

pub fn set_clock(record: &Record) {
    MICROS.store(record.micros, Ordering::SeqCst);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runs: Vec<Run> = serde_json::from_slice(&std::fs::read(&arguments[1]).unwrap()).unwrap();
    let run = &runs[arguments[2].parse::<usize>().unwrap()];
    MICROS.store(run.records[0].micros, Ordering::SeqCst);
    let mut truth = Truth::default();
    match run.library.as_str() {
        "tracing-subscriber" | "tracing-logfmt" => tracings::write(run, &mut truth),
        "slog-term" | "slog-json" => slogs::write(run, &mut truth),
        _ => facade::write(run, &mut truth),
    }
    let folder = PathBuf::from(&arguments[3]).join(&run.folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("input.log"), truth.text).unwrap();
    std::fs::write(folder.join("truth.ndjson"), truth.lines.join("\n") + "\n").unwrap();
}
