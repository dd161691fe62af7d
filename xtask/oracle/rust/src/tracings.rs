//! tracing-subscriber and tracing-logfmt.

use serde_json::{Value, json};
use tracing_subscriber::fmt::time::{ChronoLocal, uptime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::{Record, Run, Sink, Truth, set_clock};

macro_rules! with_fields {
    ($level:expr, $target:expr, $record:expr) => {{
        let record: &Record = $record;
        let text = |name: &str| record.fields[name].as_str().unwrap_or_default().to_owned();
        let message = record.message.as_str();
        if let Some(error) = &record.error {
            tracing::event!(target: $target, $level, error = %error, "{message}");
        } else if record.fields.contains_key("attempt") {
            tracing::event!(target: $target, $level, attempt = record.fields["attempt"].as_i64(), elapsed_ms = record.fields["elapsed_ms"].as_f64(), "{message}");
        } else if record.fields.contains_key("path") {
            tracing::event!(target: $target, $level, path = text("path"), user = text("user"), "{message}");
        } else if record.fields.contains_key("id") {
            tracing::event!(target: $target, $level, id = text("id"), ok = record.fields["ok"].as_bool(), "{message}");
        } else {
            tracing::event!(target: $target, $level, "{message}");
        }
    }};
}

macro_rules! with_level {
    ($target:expr, $record:expr) => {
        match $record.level.as_str() {
            "trace" => with_fields!(tracing::Level::TRACE, $target, $record),
            "debug" => with_fields!(tracing::Level::DEBUG, $target, $record),
            "info" => with_fields!(tracing::Level::INFO, $target, $record),
            "warning" => with_fields!(tracing::Level::WARN, $target, $record),
            _ => with_fields!(tracing::Level::ERROR, $target, $record),
        }
    };
}

fn event(record: &Record) {
    match record.logger.as_str() {
        "app" => with_level!("app", record),
        "shop::db" => with_level!("shop::db", record),
        "web::api" => with_level!("web::api", record),
        _ => with_level!("billing::queue::worker", record),
    }
}

fn layer(run: &Run, sink: Sink) -> Box<dyn Layer<Registry> + Send + Sync> {
    if run.library == "tracing-logfmt" {
        let location = run.is("location");
        return Box::new(tracing_logfmt::builder().with_target(run.is("target")).with_timestamp(run.is("timestamp")).with_location(location).with_module_path(false).layer().with_writer(move || sink.clone()));
    }
    let made = fmt::layer().with_writer(move || sink.clone()).with_ansi(run.is("ansi")).with_target(run.is("target")).with_level(run.is("level")).with_file(run.is("file")).with_line_number(run.is("file")).with_thread_names(run.is("thread"));
    macro_rules! timed {
        ($made:expr) => {
            match run.text("time") {
                "none" => Box::new($made.without_time()),
                "uptime" => Box::new($made.with_timer(uptime())),
                "chrono-local" => Box::new($made.with_timer(ChronoLocal::new("%Y-%m-%d %H:%M:%S%.3f".into()))),
                _ => Box::new($made),
            }
        };
    }
    match run.text("form") {
        "compact" => timed!(made.compact()),
        "pretty" => timed!(made.pretty()),
        "json" => timed!(made.json().flatten_event(run.is("flatten")).with_ansi(false)),
        _ => timed!(made),
    }
}

pub fn write(run: &Run, truth: &mut Truth) {
    let sink = Sink::default();
    let subscriber = tracing_subscriber::registry().with(layer(run, sink.clone()));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let is_span = run.is("span");
    for record in &run.records {
        let mut record = record.clone();
        let is_json = run.text("form") == "json";
        if run.library == "tracing-logfmt" || !is_json && record.message.contains('\n') {
            record.message = record.message.replace('\n', " ");
        }
        set_clock(&record);
        let span = is_span.then(|| tracing::info_span!("request", request_id = 7));
        let entered = span.as_ref().map(|span| span.enter());
        event(&record);
        drop(entered);
        let is_logfmt = run.library == "tracing-logfmt";
        let digits = match run.text("time") {
            _ if is_logfmt => run.is("timestamp").then_some(9),
            "none" | "uptime" => None,
            "chrono-local" => Some(3),
            _ => Some(6),
        };
        let form = if run.text("time") == "chrono-local" { "zone-missing" } else { "zone-stated" };
        let target = run.is("target").then(|| record.logger.clone());
        // the pretty format always shows the source location
        let at_line = if is_logfmt { run.is("location") } else { run.is("file") || run.text("form") == "pretty" };
        let mut fields = json!(record.fields);
        let mut more = json!({});
        let mut optional: Vec<String> = ["span", "spans", "request_id", "request", "threadName", "filename", "line_number", "span_path", "span_name", "location", "target", "module_path"].map(String::from).to_vec();
        if is_json && !run.is("flatten") {
            let mut inner = record.fields.clone();
            if let Some(error) = &record.error {
                inner.insert("error".into(), error.clone().into());
            }
            optional.push("fields".into());
            optional.push("fields.message".into());
            optional.push("message".into());
            fields = json!(record.fields);
            more = json!({"alias": record.fields.keys().map(|key| (key.clone(), Value::from(format!("fields.{key}")))).collect::<serde_json::Map<_, _>>()});
        }
        if is_span && !run.is("target") && run.text("form") == "compact" {
            // the name of a span looks like a target
            more["logger_ok"] = json!(["request"]);
        }
        if at_line {
            // the line number in this file is not known here
            more["ambiguous_caller"] = true.into();
        }
        let mut shown = json!({"digits": digits, "time_form": form, "message": record.message, "logger": target, "fields": fields, "error": record.error, "optional_fields": optional});
        if at_line {
            let line = caller(&sink);
            shown["caller"] = json!(line);
        }
        shown.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        truth.add(sink.take(), &record, shown);
    }
}

/// Returns the source location of the macro, which is only known from the output.
fn caller(sink: &Sink) -> Option<String> {
    let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    let text = text.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    let at = text.find("src/tracings.rs")?;
    let digits: String = text[at + 15..].chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    // in JSON the line number is a member of its own, which may precede the file
    let digits = match text.find("\"line_number\":") {
        Some(at) => text[at + 14..].chars().take_while(char::is_ascii_digit).collect(),
        None => digits,
    };
    Some(format!("src/tracings.rs:{digits}"))
}
