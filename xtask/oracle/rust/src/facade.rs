//! The libraries that implement the `log` facade.

use log::kv::ToValue;
use log::{Level, LevelFilter, Log};
use serde_json::{Value, json};

use crate::{Record, Run, Sink, Truth, joined, set_clock};

fn level(record: &Record) -> Level {
    match record.level.as_str() {
        "trace" => Level::Trace,
        "debug" => Level::Debug,
        "info" => Level::Info,
        "warning" => Level::Warn,
        _ => Level::Error,
    }
}

fn emit(logger: &dyn Log, record: &Record, text: &str, with_fields: bool) {
    let fields: Vec<(&str, log::kv::Value<'_>)> = record.fields.iter().map(|(key, value)| (key.as_str(), match value {
        Value::String(text) => text.to_value(),
        Value::Bool(flag) => flag.to_value(),
        Value::Number(number) if number.is_f64() => log::kv::Value::from(number.as_f64().unwrap_or_default()),
        Value::Number(number) => log::kv::Value::from(number.as_i64().unwrap_or_default()),
        _ => log::kv::Value::null(),
    })).collect();
    let none: [(&str, log::kv::Value<'_>); 0] = [];
    let some: &dyn log::kv::Source = if with_fields { &fields } else { &none };
    logger.log(&log::Record::builder().level(level(record)).target(&record.logger).module_path(Some(&record.logger)).file(Some("src/worker.rs")).line(Some(record.line)).key_values(some).args(format_args!("{text}")).build());
}

/// Builds a record's header from its parts, as a program's own formatting closure does for fern.
fn head(run: &Run, record: &log::Record<'_>) -> String {
    let level = record.level();
    let micros = crate::MICROS.load(std::sync::atomic::Ordering::SeqCst);
    let at = chrono::DateTime::from_timestamp_micros(micros).unwrap();
    let time = at.format(date(run.text("time"))).to_string();
    let word = match run.text("level") {
        "lower" => level.as_str().to_lowercase(),
        "padded" => format!("{level:<5}"),
        "letter" => level.as_str()[..1].to_owned(),
        _ => level.to_string(),
    };
    let order: Vec<&str> = run.setting["order"].as_array().unwrap().iter().map(|each| each.as_str().unwrap()).collect();
    let around: Vec<&str> = run.setting["around"].as_array().unwrap().iter().map(|each| each.as_str().unwrap()).collect();
    let texts: Vec<String> = order.iter().zip(around).map(|(name, around)| {
        let text = match *name {
            "time" => time.clone(),
            "level" => word.clone(),
            "logger" => record.target().to_owned(),
            "thread" => "main".to_owned(),
            "pid" => "7".to_owned(),
            _ => format!("{}:{}", record.file().unwrap(), record.line().unwrap()),
        };
        if around.is_empty() { text } else { format!("{}{text}{}", &around[..1], &around[1..]) }
    }).collect();
    texts.join(run.text("between")) + run.text("end")
}

fn date(form: &str) -> &'static str {
    match form {
        "iso-comma" => "%Y-%m-%d %H:%M:%S,%3f",
        "iso-dot" => "%Y-%m-%d %H:%M:%S%.3f",
        "iso-T" => "%Y-%m-%dT%H:%M:%S%.6f",
        "iso-T-zone" => "%Y-%m-%dT%H:%M:%S%.3f+0000",
        "slashes" => "%Y/%m/%d %H:%M:%S",
        "day-first" => "%d-%b-%Y %H:%M:%S%.3f",
        "us" => "%m/%d/%Y %H:%M:%S",
        "clock" => "%H:%M:%S%.3f",
        "syslog" => "%b %d %H:%M:%S",
        _ => "%Y-%m-%d %H:%M:%S",
    }
}

fn parts_shown(run: &Run, record: &Record) -> Value {
    let mut shown = json!({"level": null});
    for part in run.setting["order"].as_array().unwrap() {
        match part.as_str().unwrap() {
            "time" => {
                let (form, digits) = match run.text("time") {
                    "iso-T" => ("zone-missing", 6),
                    "iso-T-zone" => ("zone-stated", 3),
                    "iso-second" | "slashes" | "us" => ("zone-missing", 0),
                    "clock" => ("date-missing", 3),
                    "syslog" => ("year-missing", 0),
                    _ => ("zone-missing", 3),
                };
                shown["digits"] = digits.into();
                shown["time_form"] = form.into();
            }
            "level" => shown["level"] = record.level.clone().into(),
            "logger" => shown["logger"] = record.logger.clone().into(),
            "caller" => shown["caller"] = format!("src/worker.rs:{}", record.line).into(),
            _ => {}
        }
    }
    shown
}

pub fn write(run: &Run, truth: &mut Truth) {
    let sink = Sink::default();
    let mut with_fields = false;
    let logger: Box<dyn Log> = match run.library.as_str() {
        "env_logger" => {
            let mut builder = env_logger::Builder::new();
            builder.filter_level(LevelFilter::Trace).target(env_logger::Target::Pipe(Box::new(sink.clone()))).format_target(run.is("target")).format_module_path(run.is("path")).format_source_path(run.is("source"));
            builder.write_style(env_logger::WriteStyle::Never);
            let time = match run.text("time") {
                "seconds" => Some(env_logger::TimestampPrecision::Seconds),
                "millis" => Some(env_logger::TimestampPrecision::Millis),
                "micros" => Some(env_logger::TimestampPrecision::Micros),
                "nanos" => Some(env_logger::TimestampPrecision::Nanos),
                _ => None,
            };
            builder.format_timestamp(time);
            with_fields = true;
            Box::new(builder.build())
        }
        "fern" => {
            let run_of_head = Run { folder: String::new(), library: String::new(), setting: run.setting.clone(), records: Vec::new() };
            let (_, made) = fern::Dispatch::new().format(move |out, message, record| out.finish(format_args!("{}{message}", head(&run_of_head, record)))).chain(Box::new(sink.clone()) as Box<dyn std::io::Write + Send>).into_log();
            made
        }
        "simplelog" => {
            let mut builder = simplelog::ConfigBuilder::new();
            match run.text("time") {
                "rfc3339" => { builder.set_time_format_rfc3339(); }
                "rfc2822" => { builder.set_time_format_rfc2822(); }
                "custom" => { builder.set_time_format_custom(time::macros::format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]")); }
                _ => {}
            }
            let filter = |name: &str| match run.text(name) { "error" => LevelFilter::Error, "trace" => LevelFilter::Trace, _ => LevelFilter::Off };
            builder.set_target_level(filter("target")).set_location_level(filter("location")).set_thread_level(filter("thread"));
            builder.set_level_padding(match run.text("level_padding") { "left" => simplelog::LevelPadding::Left, "right" => simplelog::LevelPadding::Right, _ => simplelog::LevelPadding::Off });
            let made: Box<dyn Log> = simplelog::WriteLogger::new(LevelFilter::Trace, builder.build(), sink.clone());
            made
        }
        "flexi_logger" => {
            struct Plain(flexi_logger::FormatFunction, Sink);
            impl Log for Plain {
                fn enabled(&self, _: &log::Metadata<'_>) -> bool { true }
                fn log(&self, record: &log::Record<'_>) {
                    let mut now = flexi_logger::DeferredNow::new();
                    let mut out = self.1.clone();
                    (self.0)(&mut out, &mut now, record).unwrap();
                }
                fn flush(&self) {}
            }
            let format: flexi_logger::FormatFunction = match run.text("form") { "opt" => flexi_logger::opt_format, "detailed" => flexi_logger::detailed_format, "with_thread" => flexi_logger::with_thread, "json" => flexi_logger::json_format, _ => flexi_logger::default_format };
            Box::new(Plain(format, sink.clone()))
        }
        "log4rs" => {
            struct Encoded(Box<dyn log4rs::encode::Encode>, Sink);
            struct Out(Sink);
            impl std::io::Write for Out {
                fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> { self.0.write(bytes) }
                fn flush(&mut self) -> std::io::Result<()> { Ok(()) }
            }
            impl log4rs::encode::Write for Out {}
            impl Log for Encoded {
                fn enabled(&self, _: &log::Metadata<'_>) -> bool { true }
                fn log(&self, record: &log::Record<'_>) { self.0.encode(&mut Out(self.1.clone()), record).unwrap(); }
                fn flush(&self) {}
            }
            let encoder: Box<dyn log4rs::encode::Encode> = if run.text("encoder") == "json" { Box::new(log4rs::encode::json::JsonEncoder::new()) } else { Box::new(log4rs::encode::pattern::PatternEncoder::new(run.text("pattern"))) };
            Box::new(Encoded(encoder, sink.clone()))
        }
        _ => {
            // it writes to standard error only, so its format is reproduced from its source
            struct Standard(bool, bool, &'static str, Sink);
            impl Log for Standard {
                fn enabled(&self, _: &log::Metadata<'_>) -> bool { true }
                fn log(&self, record: &log::Record<'_>) {
                    use std::io::Write;
                    let micros = crate::MICROS.load(std::sync::atomic::Ordering::SeqCst);
                    let at = chrono::DateTime::from_timestamp_micros(micros).unwrap();
                    let mut out = self.3.clone();
                    write!(out, "{} - ", at.format(self.2)).unwrap();
                    if self.0 { write!(out, "{:<5} - ", record.level()).unwrap(); }
                    if self.1 { write!(out, "{}: ", record.target()).unwrap(); }
                    writeln!(out, "{}", record.args()).unwrap();
                }
                fn flush(&self) {}
            }
            let form = match run.text("time") { "second" => "%Y-%m-%dT%H:%M:%S%:z", "millis" => "%Y-%m-%dT%H:%M:%S%.3f%:z", "micros" => "%Y-%m-%dT%H:%M:%S%.6f%:z", _ => "%Y-%m-%dT%H:%M:%S%.9f%:z" };
            Box::new(Standard(run.is("level"), run.is("module"), form, sink.clone()))
        }
    };
    for record in &run.records {
        set_clock(record);
        let text = joined(record);
        emit(logger.as_ref(), record, &text, with_fields);
        let mut shown = shown(run, record);
        if shown.get("message").is_none() {
            shown["message"] = text.into();
        }
        let has_spaces = record.fields.values().any(|value| value.as_str().is_some_and(|text| text.contains([' ', '='])));
        if run.library == "env_logger" && has_spaces {
            // values are not quoted, so their ends are ambiguous
            let written = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
            // continuation lines of a message are indented
            let first = record.message.lines().next().unwrap_or("");
            let at = written.find(first).unwrap_or(0);
            shown["message_ok"] = json!([written[at..].trim_end()]);
            shown["optional_fields"] = json!(record.fields.keys().collect::<Vec<_>>());
        }
        if with_fields {
            shown["fields"] = json!(record.fields);
        }
        truth.add(sink.take(), record, shown);
    }
}

/// Returns the parts of a record that a library shows.
fn shown(run: &Run, record: &Record) -> Value {
    let place = format!("src/worker.rs:{}", record.line);
    match run.library.as_str() {
        "env_logger" => {
            let digits = match run.text("time") { "seconds" => Some(0), "millis" => Some(3), "micros" => Some(6), "nanos" => Some(9), _ => None };
            let name = (run.is("target") || run.is("path")).then_some(&record.logger);
            json!({"digits": digits, "time_form": "zone-stated", "logger": name, "caller": run.is("source").then_some(place)})
        }
        "fern" => parts_shown(run, record),
        "simplelog" => {
            let (digits, form) = match run.text("time") { "rfc3339" => (6, "zone-stated"), "rfc2822" => (0, "zone-stated"), "custom" => (3, "zone-missing"), _ => (0, "date-missing") };
            let digits = if digits == 6 && record.micros % 1_000_000 == 0 { 0 } else { digits };
            // each part is shown from its configured level on
            let from = |name: &str| match run.text(name) { "error" => true, "trace" => record.level == "trace", _ => false };
            json!({"digits": digits, "time_form": form, "logger": from("target").then_some(&record.logger), "caller": from("location").then_some(place)})
        }
        "flexi_logger" => match run.text("form") {
            "opt" => json!({"digits": 6, "time_form": "zone-stated", "caller": place}),
            "detailed" => json!({"digits": 6, "time_form": "zone-stated", "logger": record.logger, "caller": place}),
            "with_thread" => json!({"digits": 6, "time_form": "zone-stated", "logger": null, "caller": place}),
            "json" => json!({"digits": 6, "time_form": "zone-stated", "logger": record.logger, "caller": place, "optional_fields": ["kv"]}),
            _ => json!({"logger": record.logger}),
        },
        "log4rs" => match run.text("encoder") {
            "json" => json!({"digits": 6, "time_form": "zone-stated", "logger": record.logger, "caller": place, "optional_fields": ["mdc", "thread_id", "module_path"]}),
            _ => match run.text("pattern") {
                "{d} {l} {t} - {m}{n}" => json!({"digits": 6, "time_form": "zone-stated", "logger": record.logger}),
                "{d(%Y-%m-%d %H:%M:%S%.3f)} [{l}] {t}: {m}{n}" => json!({"digits": 3, "time_form": "zone-missing", "logger": record.logger}),
                "[{d(%+)(utc)}] {l:<5} {M}:{L} {m}{n}" => json!({"digits": 6, "time_form": "zone-stated", "logger_ok": [record.logger, format!("{}:{}", record.logger, record.line)], "caller": format!("{}:{}", record.logger, record.line), "caller_ok": [null]}),
                "{l} {d(%H:%M:%S)} {f}:{L} - {m}{n}" => json!({"digits": 0, "time_form": "date-missing", "caller": place}),
                _ => json!({"digits": 0, "time_form": "zone-missing", "logger": record.logger}),
            },
        },
        _ => {
            let digits = match run.text("time") { "second" => 0, "millis" => 3, "micros" => 6, _ => 9 };
            json!({"digits": digits, "time_form": "zone-stated", "level": run.is("level").then_some(&record.level), "logger": run.is("module").then_some(&record.logger)})
        }
    }
}
