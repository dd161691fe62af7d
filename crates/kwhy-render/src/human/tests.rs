//! Snapshots of whole reports.

use kwhy_core::Report;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::escape::is_hostile;
use crate::samples;

fn drawn(report: &Report, width: usize, verbose: bool) -> String {
    let view = View {
        report,
        left_out: 0,
    };
    let layout = Layout {
        width,
        color: false,
    };
    let mut out = Vec::new();
    let detail = if verbose { Detail::All } else { Detail::Usual };
    Human { layout, detail }.render(&view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn one_cause() {
    insta::assert_snapshot!(drawn(&samples::one_cause(), 150, false));
}

#[test]
fn cause_with_symptoms() {
    insta::assert_snapshot!(drawn(&samples::with_symptoms(), 100, false));
}

#[test]
fn cause_with_symptoms_verbose() {
    insta::assert_snapshot!(drawn(&samples::with_symptoms(), 100, true));
}

#[test]
fn nothing_found() {
    insta::assert_snapshot!(drawn(&samples::nothing_found(), 100, false));
}

#[test]
fn hostile_text() {
    let drawn = drawn(&samples::hostile(), 100, true);
    assert!(!drawn.chars().any(|c| c != '\n' && is_hostile(c)));
    insta::assert_snapshot!(drawn);
}

#[test]
fn long_line() {
    insta::assert_snapshot!(drawn(&samples::long_line(), 100, false));
}

#[test]
fn wide_text() {
    insta::assert_snapshot!(drawn(&samples::wide_text(), 80, false));
}

#[test]
fn narrow() {
    insta::assert_snapshot!(drawn(&samples::with_symptoms(), 48, false));
}

#[test]
fn colour() {
    let report = samples::one_cause();
    let view = View {
        report: &report,
        left_out: 0,
    };
    let layout = Layout {
        width: 100,
        color: true,
    };
    let mut out = Vec::new();
    let detail = Detail::Usual;
    Human { layout, detail }.render(&view, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap().replace('\x1b', "␛"));
}

#[test]
fn titles() {
    let titles = |report: &Report, width| {
        let view = View {
            report,
            left_out: 0,
        };
        let layout = Layout {
            width,
            color: false,
        };
        let detail = Detail::Titles;
        let mut out = Vec::new();
        Human { layout, detail }.render(&view, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        titles(&samples::with_symptoms(), 200),
        "error  ConfigMap \"cart-settings\" does not exist, so Pod shop/cart-0 cannot start \
         (storage/configmap-missing)\n\
         warning  Deployment shop/cart has no ready replica (workload/unavailable)\n"
    );
    let narrow = titles(&samples::with_symptoms(), 80);
    assert!(narrow.lines().all(|line| line.width() <= 80), "{narrow}");
    assert_eq!(titles(&samples::nothing_found(), 80), "unknown\n");
    assert!(
        !titles(&samples::hostile(), 80)
            .chars()
            .any(|c| c != '\n' && is_hostile(c))
    );
}

#[test]
fn an_empty_input() {
    let mut report = samples::report(Vec::new());
    report.stats.bytes = 0;
    report.inputs[0].lines = 0;
    report.inputs[0].formats.clear();
    assert_eq!(
        drawn(&report, 100, false),
        "The input is empty.\n\nNothing found in 0 lines.\n"
    );
}

/// Only commands may be wider than the page: they are never broken.
#[test]
fn nothing_is_wider_than_the_page() {
    for report in [
        samples::with_symptoms(),
        samples::nothing_found(),
        samples::long_line(),
        samples::wide_text(),
    ] {
        for width in 40..130 {
            let drawn = drawn(&report, width, true);
            for line in drawn
                .lines()
                .filter(|line| !line.contains("kubectl") && !line.contains("https:"))
            {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }
}
