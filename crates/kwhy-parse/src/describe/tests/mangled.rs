//! Arbitrary, damaged and large texts: no panics, all spans in bounds, linear time.

use proptest::prelude::*;

use super::*;

fn check_spans(value: &Value<'_>, text: &str) {
    let span = value.span();
    assert!(span.end <= text.len() && text.get(span).is_some());
    match value {
        Value::Map(map) => map.iter().for_each(|(_, value)| check_spans(value, text)),
        Value::List(items) => items.iter().for_each(|value| check_spans(value, text)),
        _ => {}
    }
}

fn check_parsed(text: &str) {
    let parsed = read(text);
    for object in &parsed.objects {
        assert!(text.get(object.span.clone()).is_some());
        for (_, value) in object.fields.iter() {
            check_spans(value, text);
        }
    }
}

proptest! {
    #[test]
    fn any_text(text in "(\\PC{0,30}\n?){0,12}") {
        check_parsed(&text);
        text.lines().for_each(|line| {
            is_start(line);
            is_field(line);
        });
    }

    #[test]
    fn damaged_pods(cuts in proptest::collection::vec((0usize..60, 0usize..80, "[ \t]{0,4}|é|: |<none>"), 0..20)) {
        let mut text: Vec<String> = POD.lines().map(str::to_owned).collect();
        for (line, column, put) in cuts {
            if let Some(line) = text.get_mut(line) {
                let at = (0..=column.min(line.len())).rev().find(|at| line.is_char_boundary(*at));
                line.insert_str(at.unwrap_or(0), &put);
            }
        }
        check_parsed(&text.join("\n"));
    }

    #[test]
    fn shuffled_lines(order in proptest::collection::vec(0usize..60, 0..40)) {
        let all: Vec<&str> = POD.lines().collect();
        let text: Vec<&str> = order.iter().filter_map(|index| all.get(*index).copied()).collect();
        check_parsed(&text.join("\n"));
    }
}

#[test]
fn hostile_sizes_stay_linear() {
    let many = 20_000;
    for line in [
        "Name: a\n",
        "Labels: a=b\n",
        "  x:\n",
        "Containers:\n",
        "Events:\n",
        "Foo Bar: 1\n",
        "State: x\n",
    ] {
        check_parsed(&line.repeat(many));
        check_parsed(&format!("{POD}{}", line.repeat(many)));
    }
    // long lists in other kinds
    for (head, line) in [
        ("Name: x\n\nData\n====\n", "key:\n----\nvalue\n\n"),
        ("Name: x\nType: Opaque\n\nData\n====\n", "key:  5 bytes\n"),
        ("Name: x\nResource  Used  Hard\n", "pods  1  2\n"),
        (
            "Name: x\nTaints: <none>\nConditions:\n",
            "  a  True  b  c\n",
        ),
        (
            "Name: x\nAddressType: IPv4\nEndpoints:\n",
            "  - Addresses: a\n",
        ),
        (
            "Name: x\nCreated on: y\nSpec:\n  Allowing ingress traffic:\n",
            "    From:\n",
        ),
        ("Name: x\nMin replicas: 1\nMetrics:\n", "  a b:  1 / 2\n"),
        ("Name: x\nSession Affinity: None\n", "Port: 80/TCP\n"),
        (
            "Name: x\nDefault backend: a\nRules:\n",
            "  host\n      /  a:80 (b)\n",
        ),
        (
            "Name: x\nAPI Version: v1\nKind: X\nSpec:\n",
            "  A:  1\n  a b: c\n",
        ),
    ] {
        check_parsed(&(head.to_owned() + &line.repeat(many / 4)));
    }
    check_parsed(&format!(
        "Name: x\nTaints: a\nConditions:\n {}",
        "a  ".repeat(many)
    ));
    let deep: String = (0..2000).map(|n| " ".repeat(n) + "Kind: x\n").collect();
    check_parsed(&format!("Name: x\nAPI Version: v1\nKind: X\n{deep}"));
    check_parsed(&format!("Name: x\nLabels: {}", "a=b: ".repeat(many)));
}
