//! The structure and the safety of the page.

use kwhy_core::Report;
use sha2::{Digest, Sha256};

use super::*;
use crate::escape::is_hostile;
use crate::samples;

fn drawn(report: &Report) -> String {
    let view = View {
        report,
        left_out: 0,
    };
    let mut out = Vec::new();
    Html.render(&view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the hash of a text in Base64, as the policy contains it.
fn hash(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(text.as_bytes());
    let mut out = String::new();
    for three in digest.chunks(3) {
        let bits = three
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for digit in 0..4 {
            match digit <= three.len() {
                true => out.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63])),
                false => out.push('='),
            }
        }
    }
    out
}

#[test]
fn the_policy_names_the_style_and_the_script() {
    assert_eq!(
        format!("sha256-{}", hash(STYLE)),
        STYLE_HASH,
        "of style.css"
    );
    assert_eq!(
        format!("sha256-{}", hash(SCRIPT)),
        SCRIPT_HASH,
        "of script.js"
    );
    let page = drawn(&samples::one_cause());
    assert!(page.contains(STYLE) && page.contains(SCRIPT));
    // the policy forbids both
    assert!(!page.contains(" style=\"") && !page.contains(" onclick="));
}

#[test]
fn nothing_is_loaded() {
    let page = drawn(&samples::with_symptoms()).to_ascii_lowercase();
    for loading in [
        " src=", "<link", "<img", "<iframe", "<object", "url(http", "@import", "fetch(",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
}

/// Returns the names of the tags of a page, without its style and script.
fn tags(page: &str) -> Vec<String> {
    let page = page.replace(STYLE, "").replace(SCRIPT, "");
    let mut names = Vec::new();
    for tag in page.split('<').skip(1) {
        let name: String = tag
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "/!".contains(*c))
            .collect();
        names.push(name);
    }
    names
}

#[test]
fn hostile_text_is_text() {
    let harmless = "words and words";
    let bads = [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "--><!-- ' autofocus onfocus=alert(1) x='",
        "</style></title></pre></svg><b>",
        "javascript:alert(1)",
        "\x1b[2J\u{202e}\u{0}\u{2028}",
    ];
    let with = |text: &str| {
        let mut report = samples::hostile();
        let finding = &mut report.findings[0];
        for field in [&mut finding.title, &mut finding.why, &mut finding.signature] {
            *field = text.to_owned();
        }
        finding.cause = text.into();
        finding.references = vec![text.to_owned()];
        finding.fix[0].text = text.to_owned();
        finding.check[0].why = text.to_owned();
        finding.evidence = vec![samples::evidence(3, &format!("a {text} b"), text, Some(text)); 3];
        finding.evidence[0].source = text.to_owned();
        finding.evidence[0].around = vec![(2, text.to_owned()), (4, text.to_owned())];
        finding.subject.name = Some(text.to_owned());
        finding.subject.namespace = Some(text.to_owned());
        finding.subject.node = Some(text.to_owned());
        finding.others = vec![finding.subject.clone()];
        let mut second = finding.clone();
        second.rank = 2;
        second.subject.kind = Some(text.to_owned());
        report.findings.push(second);
        report.inputs[0].source = text.to_owned();
        report.limits[0].message = text.to_owned();
        report.unexplained[0].reason = text.to_owned();
        drawn(&report)
    };
    let expected = tags(&with(harmless));
    for bad in bads {
        let page = with(bad);
        assert_eq!(tags(&page), expected, "{bad}");
        assert!(!page.contains("href=\"javascript"), "{bad}");
        assert!(!page.chars().any(|c| c != '\n' && is_hostile(c)), "{bad:?}");
    }
}

#[test]
fn lines_around_the_proof() {
    let mut report = samples::one_cause();
    report.findings[0].evidence[0].around = vec![(24, "before".into()), (26, "after".into())];
    let page = drawn(&report);
    let at = |text: &str| page.find(text).unwrap();
    assert!(at("   24 before") < at("<mark>") && at("</mark>") < at("   26 after"));
}

#[test]
fn times_and_objects_are_drawn() {
    let mut report = samples::with_symptoms();
    report.findings[1].subject = kwhy_core::Subject::new("Deployment", Some("shop"), "cart");
    let page = drawn(&report);
    assert!(page.contains("Findings and events over time") && page.contains("18m before"));
    assert!(
        page.contains("Objects and what makes them fail") && page.contains("Deployment in shop")
    );
    // without times and with a single object there are no pictures
    let page = drawn(&samples::nothing_found());
    assert!(!page.contains("<svg"));
}
