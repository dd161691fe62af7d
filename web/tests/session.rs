//! The results of requests, without a browser.

use kwhy_bundle::testing::tar_of;
use kwhy_bundle::{Options, read};
use kwhy_core::Analyzer;
use kwhy_web::{Request, SignatureFile, analyze};

use super::{MINE, Memory, PANIC, PASTE, file, outcome};

#[test]
fn a_request_has_the_report_that_reading_has() {
    let archive = tar_of(&[
        ("must-gather/version", b"4.15"),
        (
            "must-gather/namespaces/shop/pods/web-0/web/web/logs/current.log",
            PANIC.as_bytes(),
        ),
    ]);
    let mut incident = Analyzer::new().incident();
    let inputs = read(
        "case.tar",
        archive.as_slice(),
        &Options::default(),
        &mut incident,
    );
    let mut expected = incident.finish();
    inputs.add_to(&mut expected);
    let outcome = outcome(&[file("case.tar", None)], &[archive], &[]).unwrap();
    let json = serde_json::to_string(&expected).unwrap();
    assert_eq!(String::from_utf8(outcome.json).unwrap().trim_end(), json);
    assert!(outcome.html.starts_with(b"<!DOCTYPE html>"));
    assert!(
        String::from_utf8(outcome.markdown)
            .unwrap()
            .contains("panic")
    );
}

#[test]
fn a_folder_of_a_known_make_says_what_its_files_are() {
    let names = [
        "namespaces/shop/pods/web-0/web/web/logs/current.log",
        "event-filter.html",
    ];
    let contents = [PANIC.as_bytes().to_vec(), b"<html></html>".to_vec()];
    let of_folder = |folder: &str| {
        let files = names.map(|name| file(folder, Some(name)));
        outcome(&files, &contents, &[]).unwrap().report
    };
    let known = of_folder("must-gather.local.77");
    assert_eq!(known.findings[0].subject.name.as_deref(), Some("web-0"));
    assert_eq!(known.bundles.len(), 1);
    // in an unknown folder, a file's name has no meaning
    let files = [file("notes", Some("shop/web-0.log"))];
    let unknown = outcome(&files, &contents[..1], &[]).unwrap().report;
    assert_eq!(unknown.findings[0].subject.name, None);
    assert_eq!(unknown.inputs[0].source, "notes/shop/web-0.log");
}

#[test]
fn signatures_of_the_request_are_used_and_their_errors_have_a_place() {
    let mine = |text: &str| SignatureFile {
        name: "mine.yaml".to_owned(),
        text: text.to_owned(),
    };
    let files = [file("paste", None)];
    let contents = [b"level=error msg=\"ferry f-7 is full\"\n".to_vec()];
    let report = outcome(&files, &contents, &[mine(MINE)]).unwrap().report;
    assert_eq!(report.findings[0].title, "The ferry f-7 is full");
    let error = outcome(&files, &contents, &[mine("id: x\nseverty: error\n")]).unwrap_err();
    assert!(error.starts_with("mine.yaml:2:"), "{error}");
}

#[test]
fn the_time_of_a_request_is_held_against_the_clock_of_the_page() {
    let request = Request {
        files: vec![file("paste", None)],
        seconds: Some(1),
        ..Request::default()
    };
    let contents = [PASTE.repeat(100_000).into_bytes()];
    let report = analyze(&request, Memory(&contents)).unwrap().report;
    assert!(report.limits.iter().any(|met| met.limit.name() == "time"));
}

#[test]
fn a_file_that_cannot_be_read_is_in_the_report() {
    let files = [file("paste", None), file("gone.log", None)];
    let report = outcome(&files, &[PASTE.as_bytes().to_vec()], &[])
        .unwrap()
        .report;
    assert_eq!(report.findings.len(), 1);
    let unreadable = report
        .limits
        .iter()
        .find(|met| met.limit.name() == "unreadable");
    assert_eq!(unreadable.unwrap().source, "gone.log");
}
