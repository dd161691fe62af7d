//! Arbitrary text: no panics, and all spans are in bounds.

use proptest::prelude::*;

use super::*;

fn table_like() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Normal",
        "Warning",
        "BackOff",
        "5m",
        "(x3 over 2h)",
        "kubelet,",
        "node-1",
        "pod/a",
        "ü ",
        "{a b}",
        "spec.containers{a}:",
        "Type  Reason  Age  From  Message",
        "LAST SEEN  TYPE REASON",
        "3",
        "MESSAGE",
        "\n",
        "\n  ",
        "  ",
        "\t",
        "pod \"a\"",
        "pod=a_b(",
        "a.0123456789",
        "Pod",
        "Events:",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text(text in prop_oneof![table_like(), "(?s).{0,200}"]) {
        let parsed = parse(&lines(&text).collect::<Vec<_>>());
        for event in &parsed.events {
            let texts = [Some(&event.message), event.component.as_ref(), event.reason.as_ref()];
            for text_of in texts.into_iter().flatten() {
                prop_assert!(text.get(text_of.span()).is_some());
            }
            prop_assert!(text.get(event.span.clone()).is_some());
        }
        for line in text.lines() {
            is_row(line);
            is_header(line);
        }
    }
}
