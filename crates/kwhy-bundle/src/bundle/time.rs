//! The time of collection of a bundle, from its paths and files. Times without a zone are ambiguous and ignored.

use jiff::Timestamp;

/// Parses a time in a name such as `2024-03-04T05-06-07Z`. Returns `None` without the final `Z`, which stands for UTC.
pub fn in_name(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z')?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if digits.len() != 14 {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to);
    let written = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    );
    written.parse().ok()
}

/// Returns the latest time at the start of a line, in RFC 3339 or as Go prints it
/// (`2024-03-04 05:06:07.123 +0000 UTC m=+0.05`). Only the first 100 lines are examined.
pub fn in_text(text: &str) -> Option<Timestamp> {
    text.lines().take(100).filter_map(at_start).max()
}

fn at_start(line: &str) -> Option<Timestamp> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if let Ok(time) = first.parse() {
        return Some(time);
    }
    let (time, zone) = (words.next()?, words.next()?);
    let zone = match zone {
        "UTC" => "Z".to_owned(),
        zone if zone.len() == 5 && zone.is_ascii() => format!("{}:{}", &zone[..3], &zone[3..]),
        _ => return None,
    };
    format!("{first}T{time}{zone}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let rendered = |time: Option<Timestamp>| time.map(|time| time.to_string());
        assert_eq!(
            rendered(in_name("2024-03-04T05-06-07Z")).as_deref(),
            Some("2024-03-04T05:06:07Z")
        );
        assert_eq!(in_name("2024-03-04T05-06-07"), None);
        let text = "2024-03-04 05:06:07.5 +0100 CET m=+0.1\n2024-03-04 05:09:07 +0100 CET m=+180\n";
        assert_eq!(
            rendered(in_text(text)).as_deref(),
            Some("2024-03-04T04:09:07Z")
        );
        assert_eq!(
            rendered(in_text("2024-03-04T05:06:07Z\n")).as_deref(),
            Some("2024-03-04T05:06:07Z")
        );
        assert_eq!(in_text("nothing 1 2\n\u{e9}\u{e9} a b\u{e9}\u{e9}c"), None);
    }
}
