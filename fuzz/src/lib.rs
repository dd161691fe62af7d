//! The bodies of the fuzz targets: one for each entry point of `kwhy-core`, for the archives of `kwhy-bundle` and the
//! output formats of `kwhy-render`, and for each promise about the whole. Each accepts arbitrary bytes and panics if a
//! promise is broken.
#![forbid(unsafe_code)]

mod commands;
mod cre;
mod differential;
mod made_archive;
mod redaction;
mod reports;
mod words;

pub use commands::commands;
pub use cre::cre;
pub use differential::differential;
pub use made_archive::made_archive;
pub use redaction::redaction;
pub use reports::{drawn, reports};
pub use words::{cre_words, words};

use std::io::Read;
use std::sync::{Arc, LazyLock};

use kwhy_bundle::archive::Member;
use kwhy_core::events::{ErrorChain, Event, Line, Parsed, Span, Text, lines, parse};
use kwhy_core::{Analyzer, Catalogue, Document};

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);
static BLOCKS: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_blocks_of(300));

/// Returns true if a text is part of a line, possibly with secrets masked as `***`.
fn shows(text: &str, line: &str) -> bool {
    let mut rest = line;
    text.split("***").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// A whole analysis: all evidence occurs in the input, and a second run gives the same report.
pub fn analyze(data: &[u8]) {
    let document = Document::new("input", data);
    let documents = [document];
    let report = ANALYZER.analyze(&documents);
    for finding in &report.findings {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        for evidence in &finding.evidence {
            // of a very long line, only the part around the evidence is kept
            let line = documents[0].original_line(evidence.line);
            assert!(shows(&evidence.text, &line), "{evidence:?}");
            assert!(
                evidence.text.get(evidence.mark.clone()).is_some(),
                "{evidence:?}"
            );
        }
    }
    let again = ANALYZER.analyze(&documents);
    assert_eq!(format!("{report:?}"), format!("{again:?}"));
}

/// The engine with blocks so small that every block boundary is exercised: no line is lost, and all evidence occurs in
/// the input.
pub fn incident(data: &[u8]) {
    let document = Document::new("input", data);
    let mut incident = BLOCKS.incident();
    let read = incident.read("input", data).map(|bytes| bytes as usize);
    assert_eq!(read.ok(), Some(data.len()));
    let report = incident.finish();
    assert_eq!(report.stats.lines, document.line_count());
    for evidence in report.findings.iter().flat_map(|finding| &finding.evidence) {
        let line = document.original_line(evidence.line);
        assert!(shows(&evidence.text, &line), "{evidence:?}");
    }
}

/// Returns the member that represents the whole input.
fn input() -> Member {
    Member {
        name: "input".to_owned(),
        root: "input".to_owned(),
        path: String::new(),
        size: None,
        modified: None,
        packed: false,
        loose: false,
    }
}

/// Archives: whatever they claim, the limits hold.
pub fn archive(data: &[u8]) {
    use kwhy_bundle::archive::limits::{Limits, Shared};
    use kwhy_bundle::archive::{MemberVisitor, Start, Walk};

    struct Count(u64);
    impl MemberVisitor for Count {
        fn document(&mut self, member: &Member, _: Start, content: &mut (dyn Read + Send)) {
            assert!(member.name.starts_with("input"));
            let mut bytes = Vec::new();
            let _ = content.take(MOST + 1).read_to_end(&mut bytes);
            assert!(bytes.len() as u64 <= MOST);
            self.0 += 1;
        }
    }
    const MOST: u64 = 1 << 20;

    let mut limits = Limits::default();
    limits.member_size = MOST;
    limits.total_size = 8 << 20;
    limits.members = 100;
    let mut count = Count(0);
    let shared = Arc::new(Shared::default());
    let read = Walk::new(&mut count, limits, Arc::clone(&shared)).read(input(), data);
    assert!(read.is_ok() && count.0 <= 100);
}

/// Segmentation: each line occurs at most once, in order, and equals the text at its span.
pub fn segments(data: &[u8]) {
    let document = Document::new("input", data);
    // `}{` is two lines with one number
    let (mut last, mut end) = (0, 0);
    for segment in kwhy_core::events::segments(document.text()) {
        for line in &segment.lines {
            assert!(line.number >= last && line.start >= end);
            (last, end) = (line.number, line.span().end);
            assert_eq!(document.text().get(line.span()), Some(line.text));
        }
    }
    assert!(last <= document.line_count());
}

/// Output of `kubectl describe`.
pub fn describe(data: &[u8]) {
    parser(data, parse::describe::parse);
    each_line(data, |line| {
        parse::describe::is_start(line);
        parse::describe::is_field(line);
    });
}

/// Tables of events.
pub fn events(data: &[u8]) {
    parser(data, parse::events::parse);
    each_line(data, |line| {
        parse::events::is_header(line);
        parse::events::is_row(line);
    });
}

/// Tables of `kubectl get`.
pub fn table(data: &[u8]) {
    parser(data, parse::table::parse);
    each_line(data, |line| {
        parse::table::is_header(line);
        parse::table::is_row_without_header(line);
        parse::table::is_row("NAME  READY  STATUS  RESTARTS  AGE", line);
    });
}

/// Kubernetes objects as YAML and JSON.
pub fn objects(data: &[u8]) {
    parser(data, parse::object::parse);
    let text = String::from_utf8_lossy(data);
    for head in [
        "apiVersion: v1\nkind: Pod\nspec:\n  ",
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n",
    ] {
        parser(format!("{head}{text}").as_bytes(), parse::object::parse);
    }
}

/// Logs in all formats.
pub fn log(data: &[u8]) {
    parser(data, parse::log::parse);
    each_line(data, |line| {
        parse::log::detect(line);
    });
}

/// The beginnings of records in all formats, up to the writer's own text.
const BEGINNINGS: &[&str] = &[
    "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",",
    "{\"level\":\"error\",\"ts\":1709528767.5,",
    "2024-03-04 05:06:07.123456 W | ",
    "2024-03-04T05:06:07.123Z [ERROR] quay: lift: ",
    "2024-03-04T05:06:07Z ERR main.go:10 > ",
    "2024-03-04 05:06:07.123  WARN 7 --- [main] ",
    "05:06:07.123 [main] ERROR ",
    "2024/03/04 05:06:07 [error] 31#31: *7 ",
    "2024/03/04 05:06:07 ERROR ",
    "[quay] 2024/03/04 05:06:07 main.go:7: ",
    "2024-03-04T05:06:07.123456Z\terror\tenvoy ",
    "10.0.0.7 - - [04/Mar/2024:05:06:07 +0000] \"",
    "[2024-03-04 05:06:07.123][15][warning][config] [",
    "[2024-03-04T05:06:07.123Z] \"GET / HTTP/1.1\" 503 ",
    "[12345.678901] Memory cgroup out of memory: Killed process ",
    "[12345.678901] oom-kill:",
    "[Mon Mar  4 05:06:07 2024] ",
    "ERROR:quay.crane:",
    "2024-03-04 05:06:07,123 - quay - ERROR - ",
    "[2024-03-04 05:06:07 +0000] [7] [ERROR] ",
    "E0304 05:06:07.123456       1 quay.go:7] ",
    "time=\"2024-03-04T05:06:07Z\" level=error ",
    "ERRO[0012] ",
    "Mar 04, 2024 5:06:07 AM io.harbour.Quay\nSEVERE: ",
    "[ERROR] plugin/errors: ",
    "warn: ",
    "[0.123s][warning][gc,heap] ",
    "[2024-03-04 05:06:07.123 +0000] \u{1b}[31mERROR\u{1b}[39m (17): ",
    "quay: \"level\"=0 \"msg\"=",
    "panic: ",
];

/// Any text after the beginning of a record in each format, twice. Detecting the format and parsing the header of a
/// line must agree.
pub fn log_formats(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else {
        return;
    };
    let beginning = BEGINNINGS[usize::from(*choice) % BEGINNINGS.len()];
    let text = [
        beginning.as_bytes(),
        rest,
        b"\n",
        beginning.as_bytes(),
        rest,
    ]
    .concat();
    parser(&text, parse::log::parse);
    each_line(&text, |line| {
        let format = parse::log::detect(line);
        let head = parse::log::header(line);
        assert_eq!(head.map(|head| head.format), format, "{line:?}");
    });
}

/// The beginnings of envelopes, up to the wrapped line.
const ENVELOPES: &[&str] = &[
    "2024-03-04T05:06:07.123456789Z stderr P ",
    "2024-03-04T05:06:07.123456789Z stdout F ",
    "2024-03-04T05:06:07.123456789Z ",
    "[pod/crane-0/arm] ",
    "{\"log\":\"",
    "{\"log\":\"a\",\"stream\":\"stderr\",\"time\":\"2024-03-04T05:06:07Z\"}",
    "crane-0 arm ",
    "dock crane-0 arm 03-04 05:06:07 ",
    "+ crane-0 › ",
    "{\"message\":\"x\",\"podName\":\"crane-0\",\"containerName\":\"",
    "{\"pod\":\"crane-0\",\"container\":\"arm\",\"message\":",
    "crane-1   | ",
    "Mar  4 05:06:07 berth-1 tide[7]: ",
    "Mon 2024-03-04 05:06:07 UTC berth-1 tide[7]: ",
    "1709528767.123456 berth-1 tide[7]: ",
    "[   12.345678] berth-1 tide[7]: ",
    "2024-03-04T05:06:07+0000 berth-1 tide[7]: ",
    "{\"__REALTIME_TIMESTAMP\":\"1709528767123456\",\"MESSAGE\":",
    "{\"__REALTIME_TIMESTAMP\":\"1709528767123456\",\"MESSAGE\":[",
    "__CURSOR=s=1\nMESSAGE=",
    "__CURSOR=s=1\nMESSAGE\n\u{7}\0\0\0\0\0\0\0",
    "Mon 2024-03-04 05:06:07.123456 UTC [s=1;i=2]\n    MESSAGE=",
    "<30>Mar  4 05:06:07 berth-1 tide[7]: ",
    "<165>1 2024-03-04T05:06:07.003Z berth-1 tide 7 - [a b=\"",
];

/// Logs in an envelope nested in another one, chosen by the first two bytes.
pub fn log_envelopes(data: &[u8]) {
    let [outer, inner, rest @ ..] = data else {
        return;
    };
    let envelope = |choice: &u8| ENVELOPES[usize::from(*choice) % ENVELOPES.len()];
    let mut text = Vec::new();
    for line in rest.split(|byte| *byte == b'\n') {
        text.extend([envelope(outer), envelope(inner)].concat().into_bytes());
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    parser(&text, parse::log::parse);
    each_line(&text, |line| {
        let format = parse::log::detect(line);
        let head = parse::log::header(line);
        assert_eq!(head.map(|head| head.format), format, "{line:?}");
    });
}

/// Wrapped errors.
pub fn chain(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let chain = ErrorChain::parse(&Text::borrowed(&text, 0));
    assert!(!chain.links.is_empty());
    for link in &chain.links {
        check_span(&text, &link.text.span());
        for (_, value) in &link.facts {
            check_span(&text, &value.span());
        }
    }
}

/// Signature files: each is either rejected with a location within the file, or usable.
pub fn signature_file(data: &[u8]) {
    let Ok(yaml) = std::str::from_utf8(data) else {
        return;
    };
    let mut catalogue = Catalogue::empty();
    match catalogue.add_str("input.yaml", yaml) {
        Ok(()) => {
            let analyzer = Analyzer::with_catalogue(catalogue);
            analyzer.lint_signatures();
            analyzer.analyze_text("input", yaml);
        }
        Err(error) => {
            assert!(catalogue.is_empty());
            assert!(error.line() >= 1 && error.column() >= 1);
            assert!(error.line() <= yaml.lines().count() + 1, "{error}");
        }
    }
}

fn each_line(data: &[u8], look: impl Fn(&str)) {
    let text = String::from_utf8_lossy(data);
    lines(&text).for_each(|line| look(line.text));
}

fn parser(data: &[u8], parse: for<'l, 'a> fn(&'l [Line<'a>]) -> Parsed<'a>) {
    let document = Document::new("input", data);
    let text = document.text();
    let all: Vec<Line<'_>> = lines(text).collect();
    let parsed = parse(&all);
    for event in &parsed.events {
        check_event(text, event);
    }
    for object in &parsed.objects {
        check_span(text, &object.span);
        for (_, value) in object.fields.iter() {
            check_span(text, &value.span());
        }
    }
    for number in &parsed.not_understood {
        assert!((1..=document.line_count()).contains(number));
    }
}

fn check_event(text: &str, event: &Event<'_>) {
    check_span(text, &event.span);
    check_span(text, &event.message.span());
    let optional = [&event.component, &event.reason, &event.caller];
    for value in optional.into_iter().flatten() {
        check_span(text, &value.span());
    }
    for field in &event.fields {
        check_span(text, &field.value.span());
    }
    if let Some(stack) = &event.stack {
        check_span(text, stack);
    }
}

fn check_span(text: &str, span: &Span) {
    assert!(text.get(span.clone()).is_some(), "{span:?} in {text:?}");
}
