//! Rows of events whose title and header were lost in pasting: they follow the last remaining field
//! and are not part of its value.

use super::recognise::is_field;
use crate::events;
use crate::input::Line;
use std::ops::Range;

/// Returns the range of the lines that are rows of events and their continuation lines, up to a field of the object.
pub(super) fn rows(lines: &[Line<'_>]) -> Option<Range<usize>> {
    let is_row = |line: &Line<'_>| has_type(line.text) && events::is_row(line.text);
    let from = lines.iter().position(is_row)?;
    let after = lines.get(from..).unwrap_or(&[]);
    let ends = |line: &Line<'_>| is_field(line.text) && !is_row(line);
    let length = after.iter().position(ends).unwrap_or(after.len());
    Some(from..from + length)
}

/// Returns true if a line contains an event's type; most lines do not.
fn has_type(text: &str) -> bool {
    ["Warning", "Normal"]
        .iter()
        .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::input::lines;

    const ROWS: &[&str] = &[
        "  Warning  FailedMount  3m  kubelet  the papers of the load are missing",
        "    Warning   FailedMount   3m (x7 over 25m)   kubelet, quay-1   the papers of the load are missing",
        "Warning FailedMount 3m kubelet the papers of the load are missing",
        "  Warning  FailedMount  the papers of the load are missing",
        "  25m   3m   7   kubelet, quay-1   spec.containers{lift}   Warning   FailedMount   the papers of the load are missing",
        "  25m   3m   7   {kubelet quay-1}      Warning   FailedMount   the papers of the load are missing",
    ];

    const HEADS: &[&str] = &[
        "Labels:       app=crane\n              tier=quay\n",
        "Name:         crane-0\nNamespace:    harbour\nAnnotations:  berth: north\n              tide: high\n",
        "Name:         crane-0\nNamespace:    harbour\nAnnotations:\n",
        "Name:         crane-0\nNamespace:    harbour\nEvents:       Type   Reason   Age   From   Message\n",
        "Name:  crane\nKind:  Lift\nAPI Version:  quay.example.com/v1\nSpec:\n  Load:  7\nStatus:\n  Note:  all is well\n",
        "Tolerations:  node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\n              node.kubernetes.io/unreachable:NoExecute op=Exists for 300s\n",
    ];

    #[test]
    fn rows_after_a_field_are_events() {
        for head in HEADS {
            for row in ROWS {
                for after in ["", "  and so is the crane\n"] {
                    let text = format!("{head}{row}\n{after}");
                    let all: Vec<_> = lines(&text).collect();
                    let parsed = parse(&all);
                    let [event] = parsed.events.as_slice() else {
                        panic!("{text}: {:?}", parsed.events);
                    };
                    let said = event.message.as_str();
                    assert!(said.starts_with("the papers of the load"), "{text}{said}");
                    assert_eq!(said.ends_with("the crane"), !after.is_empty(), "{text}");
                    assert_eq!(event.reason.as_ref().unwrap().as_str(), "FailedMount");
                    let kept = format!("{:?}", parsed.objects);
                    assert!(!kept.contains("papers"), "{text}{kept}");
                }
            }
        }
    }

    #[test]
    fn fields_after_rows_are_the_objects() {
        let text = "Name:  crane-0\nNamespace:  harbour\nLabels:  app=crane\n  Warning  FailedMount  3m  kubelet  no papers\nQoS Class:  Burstable\nNode:  quay-1/192.0.2.7\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(&all);
        assert_eq!(parsed.events.len(), 1);
        assert_eq!(parsed.events[0].message.as_str(), "no papers");
        assert_eq!(parsed.events[0].subject.to_string(), "Pod harbour/crane-0");
        let fields = &parsed.objects[0].fields;
        assert_eq!(fields.text("qos_class").unwrap(), "Burstable");
        assert_eq!(fields.text("node").unwrap(), "quay-1");
    }

    #[test]
    fn words_of_values_are_no_rows() {
        for value in [
            "Annotations:  note: Warning  FailedMount  3m  kubelet  no papers\n",
            "Annotations:  note:\n                Warning: the lift is old\n",
            "Annotations:  note:\n                Normal operation is resumed after 3m\n",
            "Annotations:  note:\n                Warning lights are red\n",
            "Labels:       level=Warning\n",
            "Conditions:\n  Type     Status\n  Warning  True\n",
        ] {
            let text = format!("Name:  crane-0\nNamespace:  harbour\n{value}");
            let all: Vec<_> = lines(&text).collect();
            assert_eq!(parse(&all).events.len(), 0, "{text}");
        }
    }
}
