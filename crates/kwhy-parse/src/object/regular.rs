//! A fast path for texts that consist of pretty-printed JSON objects, without classifying each line.

use super::recognise::{Ahead, begins};
use super::source::Source;
use super::spread::spread;
use crate::input::{Line, ReadLimits, lines};
use crate::log;
use kwhy_model::{Format, Parsed};

/// The number of lines after an opening bracket that are examined to decide whether an object starts.
const AHEAD: usize = 8;

/// The contents of such a text.
#[derive(Debug)]
pub struct Regular<'a> {
    pub parsed: Parsed<'a>,
    /// The number of lines of the text.
    pub lines: u64,
}

/// Parses a text that is one segment of pretty-printed objects: values whose brackets are on lines of their
/// own, possibly truncated at the end, followed by the closing brackets of what contains them. `None` for any other
/// text, which must be segmented; segmentation would yield the same for this one.
pub fn regular<'a>(text: &'a str, limits: &ReadLimits) -> Option<Regular<'a>> {
    let mut at = 0;
    let mut lines = 0;
    while let Some(spread) = text.as_bytes().get(at..).and_then(spread) {
        if !is_object(text, at) {
            return None;
        }
        at += spread.length;
        lines += spread.lines as u64;
        if spread.open > 0 {
            // the value continues in another layout
            if at < text.len() {
                return None;
            }
            break;
        }
    }
    if at == 0 {
        return None;
    }
    for line in text.get(at..)?.lines() {
        if !matches!(line.trim(), "," | "]" | "}" | "],") {
            return None;
        }
        lines += 1;
    }
    let mut parsed = Parsed::default();
    super::json(&Source::whole(text), None, limits, &mut parsed);
    // anything not understood may be prose, so the text is segmented
    parsed
        .not_understood
        .is_empty()
        .then_some(Regular { parsed, lines })
}

/// Returns true if an object, and not a log record, starts on the line at this offset.
fn is_object(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or("");
    let ahead: Vec<Line<'_>> = lines(rest).take(1 + AHEAD).collect();
    let Some((line, following)) = ahead.split_first() else {
        return false;
    };
    let is_record = || {
        at == 0
            && (log::detect(line.text).is_some()
                || (line.text == "{" && log::spread_lines(rest).is_some()))
    };
    let ahead = Ahead {
        lines: following,
        strip: |line| line,
    };
    line.text.trim_start() == "{"
        && begins(line, &ahead) == Some(Format::ObjectJson)
        && !is_record()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as parse;
    use crate::input::segments;

    const POD: &str = r#"    {
      "kind": "Pod",
      "metadata": {
        "name": "tide-0",
        "namespace": "harbour",
        "labels": {}
      },
      "spec": {
        "containers": [
          {
            "name": "gauge",
            "args": [
              "--every=5s",
              "a \"b\" \u00e9"
            ]
          }
        ]
      },
      "status": {
        "phase": "Failed",
        "message": "gone with the \"tide\"",
        "ratio": 1.5
      }
    }"#;

    /// Returns the contents of a text by segmentation, if all segments are objects.
    fn by_lines(text: &str) -> Option<(Parsed<'_>, u64)> {
        let all = segments(text);
        let [only] = all.as_slice() else { return None };
        (only.format == Format::ObjectJson).then(|| {
            (
                parse::segment(only, &ReadLimits::default()),
                only.lines.len() as u64,
            )
        })
    }

    #[test]
    fn lists_and_their_parts() {
        for text in [
            format!("{POD}\n"),
            POD.to_owned(),
            format!("{POD},\n{POD},\n{POD}\n"),
            format!("{{\n  \"kind\": \"List\",\n  \"items\": [\n{POD},\n{POD}\n  ]\n}}\n"),
            // cut after an item, as block boundaries are
            format!("{{\n  \"kind\": \"PodList\",\n  \"items\": [\n{POD},\n"),
            format!("{POD},\n{POD}\n  ]\n}}\n"),
            format!("{POD}\n  ],\n}}\n"),
        ] {
            let read = regular(&text, &ReadLimits::default()).unwrap();
            let wanted = by_lines(&text).unwrap();
            assert!(!wanted.0.objects.is_empty() && !wanted.0.events.is_empty());
            assert_eq!((read.parsed, read.lines), wanted, "{text}");
        }
    }

    #[test]
    fn deeper_than_is_read() {
        let deep = "  \"a\": {\n".repeat(300);
        let text = format!("{{\n\"apiVersion\": \"v1\",\n\"kind\": \"Pod\",\n{deep}");
        let text = text.replace("\n\"", "\n  \"");
        assert!(regular(&text, &ReadLimits::default()).is_none());
        assert!(!by_lines(&text).unwrap().0.not_understood.is_empty());
    }

    #[test]
    fn other_texts_are_cut_into_segments() {
        for text in [
            "".to_owned(),
            "]\n}\n".to_owned(),
            format!("{POD}\n\n{POD}\n"),
            format!("{POD}\nand so on\n"),
            format!("{POD},\n  ]\n{POD}\n"),
            format!("$ kubectl get pods -o json\n{POD}\n"),
            POD.replace("      \"status\"", "x    \"status\""),
            // a log record
            "{\n  \"level\": \"error\",\n  \"msg\": \"no\",\n  \"time\": \"2024-03-04T05:06:07Z\"\n}\n".to_owned(),
        ] {
            assert!(regular(&text, &ReadLimits::default()).is_none(), "{text}");
        }
    }
}
