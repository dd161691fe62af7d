//! Whole chains: texts as printed by components, and properties of arbitrary texts.

use std::fmt::Write;

use proptest::prelude::*;

use super::{ErrorChain, Fact, LinkKind, MAX_LINKS};
use kwhy_model::Text;

fn parse(text: &str) -> ErrorChain<'_> {
    ErrorChain::parse(&Text::borrowed(text, 0))
}

fn show(texts: &str) -> String {
    let mut shown = String::new();
    for text in texts.lines().filter(|line| !line.is_empty()) {
        writeln!(shown, "{text}").unwrap();
        for link in parse(text).links {
            writeln!(shown, "  {:?}: {}", link.kind, link.text).unwrap();
            for (fact, value) in &link.facts {
                writeln!(shown, "    {fact:?} = {value} @{:?}", value.span()).unwrap();
            }
        }
    }
    shown
}

#[test]
fn sandboxes_and_runtimes() {
    insta::assert_snapshot!(show(include_str!("tests/runtime.txt")));
}

#[test]
fn images_and_requests() {
    insta::assert_snapshot!(show(include_str!("tests/image.txt")));
}

#[test]
fn answers_of_the_api_server() {
    insta::assert_snapshot!(show(include_str!("tests/api.txt")));
}

#[test]
fn volumes_files_and_processes() {
    insta::assert_snapshot!(show(include_str!("tests/volume.txt")));
}

#[test]
fn connections_names_and_deadlines() {
    insta::assert_snapshot!(show(include_str!("tests/network.txt")));
}

#[test]
fn sentences_and_strangers() {
    insta::assert_snapshot!(show(include_str!("tests/other.txt")));
}

#[test]
fn spans_reach_through_three_levels_of_quotes() {
    let text = r#"a caused "b caused \"open \\\"/x y\\\": c caused \\\"no such file or directory\\\"\"": unknown"#;
    let chain = ErrorChain::parse(&Text::borrowed(text, 1000));
    let errno = chain.get(Fact::Errno).unwrap();
    assert_eq!(errno.as_str(), "ENOENT");
    let span = errno.span();
    assert_eq!(
        &text[span.start - 1000..span.end - 1000],
        "no such file or directory"
    );
    let texts: Vec<_> = chain.links.iter().map(|link| link.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "a caused",
            "b caused",
            r#"open "/x y""#,
            "c caused",
            "no such file or directory"
        ]
    );
}

#[test]
fn plain_text_is_one_link() {
    let chain = parse("  all is well  ");
    assert_eq!(chain.links.len(), 1);
    assert_eq!(chain.links[0].kind, LinkKind::Other);
    assert_eq!(chain.links[0].text.span(), 2..13);
    assert_eq!(parse("").links.len(), 1);
}

#[test]
fn bounds_hold() {
    let many = "a: ".repeat(500);
    assert_eq!(parse(&many).links.len(), MAX_LINKS);
    let mut quoted = "no space left on device".to_owned();
    for _ in 0..6 {
        quoted = format!("caused {quoted:?}");
    }
    assert_eq!(parse(&quoted).get(Fact::Errno).unwrap().as_str(), "ENOSPC");
    let bracketed = format!("{}open /x: {}", "(a ".repeat(100), ")".repeat(100));
    assert!(parse(&bracketed).links.len() <= MAX_LINKS);
}

#[test]
fn hostile_text_ends_soon() {
    for piece in [
        "\"",
        "\\\"",
        "\\",
        "\\\\\\\" ",
        "(",
        "(a ",
        "[{(",
        "'a ",
        "'a'b",
        ": ",
        "a: ",
        "caused \"x: ",
        "desc = ",
        "rpc error: code = ",
        "dial tcp ",
        "pod \"x\" ",
        "x509: ",
        "é: ",
        "``",
        "\n",
        "volumes=[",
        "exceeded quota: a, requested: ",
        "(x: EOF) ",
        "open / ",
    ] {
        let text = piece.repeat(2_000_000 / piece.len());
        assert!(parse(&text).links.len() <= MAX_LINKS, "{piece:?}");
    }
}

/// Quotes the texts of the tests like Go's `strconv.Quote`.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn chains() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("dial tcp 10.0.0.1:443: connect: connection refused".to_owned()),
        Just("configmap \"web\" not found".to_owned()),
        Just("exceeded quota: q, requested: cpu=1, used: cpu=2, limited: cpu=2".to_owned()),
        Just("open /a/b: no such file or directory".to_owned()),
        Just("lookup a on 10.0.0.9:53: no such host".to_owned()),
        Just("Get \"https://a.io/v2/\": x509: certificate signed by unknown authority".to_owned()),
        "[ -~é\n]{0,20}",
    ];
    leaf.prop_recursive(6, 24, 1, |inner| {
        (inner, 0..6_u8, "[a-z \"'(:]{0,8}").prop_map(|(inner, form, word)| match form {
            0 => format!("{word}: {inner}"),
            1 => format!("starting {word} caused {}: unknown", quote(&inner)),
            2 => format!("rpc error: code = Unknown desc = {inner}"),
            3 => format!("failed to run {word} ({inner}) for pod \"x\""),
            4 => format!("x_linux.go:1: {word}: {}", quote(&inner)),
            _ => format!("{inner} - error from a previous attempt: {word}"),
        })
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    const BASE: usize = 40;
    let chain = ErrorChain::parse(&Text::borrowed(text, BASE));
    prop_assert!(!chain.links.is_empty() && chain.links.len() <= MAX_LINKS);
    let inside = |value: &Text<'_>| {
        let span = value.span();
        BASE <= span.start && span.start <= span.end && span.end <= BASE + text.len()
    };
    let mut start = 0;
    for link in &chain.links {
        prop_assert!(inside(&link.text), "{:?}", link);
        prop_assert!(start <= link.text.span().start, "{:?}", chain);
        start = link.text.span().start;
        for (_, value) in &link.facts {
            prop_assert!(inside(value), "{:?}", link);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text_keeps_its_spans(text in ".{0,200}") {
        check(&text)?;
    }

    #[test]
    fn any_signs_keep_their_spans(text in "[a-c/:\\\\\"'`()\\[\\]{} =\n.-]{0,80}") {
        check(&text)?;
    }

    #[test]
    fn wrapped_errors_keep_their_spans(text in chains()) {
        check(&text)?;
    }
}
