//! slog-term and slog-json.

use serde_json::json;
use slog::{Drain, FnValue, Level, Logger, o};

use crate::{Record, Run, Sink, Truth, set_clock, stamp};

fn log(logger: &Logger, record: &Record) {
    macro_rules! with_level {
        ($level:expr) => {{
            let message = &record.message;
            let text = |name: &str| record.fields[name].as_str().unwrap_or_default().to_owned();
            if let Some(error) = &record.error {
                slog::log!(logger, $level, "", "{message}"; "error" => error);
            } else if record.fields.contains_key("attempt") {
                slog::log!(logger, $level, "", "{message}"; "attempt" => record.fields["attempt"].as_i64(), "elapsed_ms" => record.fields["elapsed_ms"].as_f64());
            } else if record.fields.contains_key("path") {
                slog::log!(logger, $level, "", "{message}"; "path" => text("path"), "user" => text("user"));
            } else if record.fields.contains_key("id") {
                slog::log!(logger, $level, "", "{message}"; "id" => text("id"), "ok" => record.fields["ok"].as_bool());
            } else {
                slog::log!(logger, $level, "", "{message}");
            }
        }};
    }
    match record.level.as_str() {
        "trace" => with_level!(Level::Trace),
        "debug" => with_level!(Level::Debug),
        "info" => with_level!(Level::Info),
        "warning" => with_level!(Level::Warning),
        _ => with_level!(Level::Error),
    }
}

pub fn write(run: &Run, truth: &mut Truth) {
    let sink = Sink::default();
    let drain: Box<dyn slog::SendSyncRefUnwindSafeDrain<Ok = (), Err = slog::Never> + std::panic::UnwindSafe> = if run.library == "slog-json" {
        let made = slog_json::Json::new(sink.clone());
        let time = FnValue(|_: &slog::Record| stamp(crate::MICROS.load(std::sync::atomic::Ordering::SeqCst), 6));
        let made = match run.text("keys") {
            "short" => made.add_key_value(o!("t" => time, "lvl" => FnValue(|r: &slog::Record| r.level().as_short_str()), "m" => slog::PushFnValue(|r: &slog::Record, s| s.emit(r.msg())))),
            "bunyan" => made.add_key_value(o!("time" => time, "severity" => FnValue(|r: &slog::Record| r.level().as_str()), "message" => slog::PushFnValue(|r: &slog::Record, s| s.emit(r.msg())))),
            _ => made.add_default_keys(),
        };
        Box::new(std::sync::Mutex::new(made.build()).fuse())
    } else {
        let decorator = slog_term::PlainSyncDecorator::new(sink.clone());
        if run.text("form") == "full" {
            let mut made = slog_term::FullFormat::new(decorator);
            if run.text("time") == "utc" {
                made = made.use_utc_timestamp();
            }
            if run.is("order") {
                made = made.use_original_order();
            }
            if run.is("file") {
                made = made.use_file_location();
            }
            Box::new(made.build().fuse())
        } else {
            let mut made = slog_term::CompactFormat::new(decorator);
            if run.text("time") == "utc" {
                made = made.use_utc_timestamp();
            }
            Box::new(std::sync::Mutex::new(made.build()).fuse())
        }
    };
    let logger = Logger::root(drain, o!());
    for record in &run.records {
        let mut record = record.clone();
        record.message = record.message.replace('\n', " ");
        set_clock(&record);
        log(&logger, &record);
        let written = sink.take();
        let digits = if run.library == "slog-json" { if run.text("keys") == "default" { 9 } else { 6 } } else { 3 };
        let form = if run.library == "slog-json" { "zone-stated" } else { "year-missing" };
        let mut shown = json!({"digits": digits, "time_form": form, "message": record.message, "fields": record.fields, "error": record.error});
        if run.library == "slog-term" && run.text("form") == "full" && run.is("file") {
            let at = written.find("src/slogs.rs:").map(|at| &written[at..]);
            let end = at.and_then(|at| at.find(['(', ' ', ']', ','])).unwrap_or(0);
            let place: Vec<&str> = at.map(|at| at[..end].split(':').collect()).unwrap_or_default();
            shown["caller"] = json!(place.get(..2).map(|parts| parts.join(":")));
            shown["caller_ok"] = json!([place.join(":")]);
        }
        truth.add(written, &record, shown);
    }
}
