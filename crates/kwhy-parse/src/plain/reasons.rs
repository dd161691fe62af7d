//! The reasons of several containers on one line, as a JSONPath prints them: `ImagePullBackOff CrashLoopBackOff`.

use crate::describe::is_reason_of_container;
use crate::input::Line;
use crate::table::columns::words;
use kwhy_model::Text;

/// Returns true if a line consists of at least two reasons of containers.
pub(super) fn is_list(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    words.all(is_reason_of_container) && text.trim().contains(' ')
}

/// Returns the words of a line.
pub(super) fn read<'a>(line: Line<'a>) -> Vec<Text<'a>> {
    words(line.text)
        .map(|(span, _)| Text::borrowed(&line.text[span.clone()], line.start + span.start))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::input::lines;
    use kwhy_model::Format;

    #[test]
    fn each_reason_is_a_text() {
        let read = |text| -> Vec<String> {
            let all: Vec<_> = lines(text).collect();
            let events = parse(Format::Plain, &all).events;
            let said = events.iter().map(|event| {
                assert_eq!(&text[event.message.span()], event.message.as_str());
                event.message.as_str().to_owned()
            });
            said.collect()
        };
        let both = "  ErrImagePull  CrashLoopBackOff\n";
        assert_eq!(read(both), ["ErrImagePull", "CrashLoopBackOff"]);
        for text in ["ErrImagePull", "ErrImagePull of crane"] {
            assert_eq!(read(text), [text]);
        }
    }
}
