//! Rendered as GitHub does it, text of the input never becomes markup.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use kwhy_core::Report;

use super::*;
use crate::samples;

fn drawn(report: &Report) -> String {
    let view = View {
        report,
        left_out: 0,
    };
    let mut out = Vec::new();
    Markdown.render(&view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.extension.math_code = true;
    options
}

/// Returns the nodes that only markup creates, except for those that the renderer writes.
fn markup(text: &str) -> Vec<String> {
    let arena = Arena::new();
    let options = options();
    let root: &AstNode<'_> = parse_document(&arena, text, &options);
    let mut found = Vec::new();
    for node in root.descendants() {
        let value = node.data.borrow().value.clone();
        let is_own = match &value {
            NodeValue::Document
            | NodeValue::Paragraph
            | NodeValue::Heading(_)
            | NodeValue::Text(_)
            | NodeValue::Code(_)
            | NodeValue::CodeBlock(_)
            | NodeValue::List(_)
            | NodeValue::Item(_)
            | NodeValue::Strong
            | NodeValue::SoftBreak => true,
            NodeValue::HtmlBlock(block) => {
                let text = block.literal.trim();
                text == "</details>"
                    || text.strip_prefix("<details><summary>").is_some_and(|rest| {
                        let inner = rest.strip_suffix("</summary>");
                        inner.is_some_and(|inner| !inner.contains('<'))
                    })
            }
            _ => false,
        };
        if !is_own {
            found.push(format!("{value:?}"));
        }
    }
    found
}

/// Texts that try to become markup.
const HOSTILE: &[&str] = &[
    "</details><script>alert(1)</script><img src=x onerror=alert(1)>",
    "```\n````\n~~~\n# head\n",
    "[link](https://evil.example) ![image](https://evil.example/x.png) <https://evil.example>",
    "https://evil.example www.evil.example mail@evil.example @everyone #1 GH-1",
    "**bold** __bold__ ~~no~~ $x$ $`x`$ [^1] [x]: y | a | b |",
    "`x` ``y`` ``` \\` \u{202e} \x1b]8;;https://evil.example\x07x\x1b]8;;\x07",
    "- item\n1. item\n> quote\n    code\n---\n===\n| a |\n|---|\n",
    "&lt;b&gt; <!-- comment <?php ]]> <![CDATA[",
];

fn hostile(bad: &str) -> Report {
    let mut report = samples::hostile();
    let finding = &mut report.findings[0];
    finding.title = bad.to_owned();
    finding.why = bad.to_owned();
    finding.cause = bad.into();
    finding.signature = bad.to_owned();
    finding.fix[0].text = bad.to_owned();
    finding.fix[0].precondition = Some(bad.to_owned());
    finding.check[0].why = bad.to_owned();
    finding.references = vec![bad.to_owned()];
    finding.evidence = vec![samples::evidence(3, bad, bad, Some(bad)); 5];
    finding.evidence[0].source = bad.to_owned();
    finding.subject.name = Some(bad.to_owned());
    finding.others = vec![finding.subject.clone()];
    report.inputs[0].source = bad.to_owned();
    report.limits[0].message = bad.to_owned();
    report.unexplained[0].reason = bad.to_owned();
    report
}

#[test]
fn hostile_text_is_no_markup() {
    for bad in HOSTILE {
        let text = drawn(&hostile(bad));
        assert_eq!(markup(&text), [""; 0], "{bad}\n{text}");
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && crate::escape::is_hostile(c))
        );
    }
    assert_eq!(markup(&drawn(&samples::hostile())), [""; 0]);
    // the check itself finds markup
    assert!(!markup("see https://evil.example").is_empty());
    assert!(!markup("a <b>c</b>").is_empty());
}

proptest::proptest! {
    #[test]
    fn no_text_becomes_markup(bad in "[-`~*_<>&\\[\\]()!#@$:/.|\\\\ a-c1\n]{0,24}") {
        let text = drawn(&hostile(&bad));
        let found = markup(&text);
        assert!(found.is_empty(), "{bad:?}: {found:?}\n{text}");
    }
}

#[test]
fn a_ticket() {
    insta::assert_snapshot!(drawn(&samples::with_symptoms()));
}

#[test]
fn nothing_found() {
    insta::assert_snapshot!(drawn(&samples::nothing_found()));
}
