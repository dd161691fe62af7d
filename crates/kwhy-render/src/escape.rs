//! Text from the input is data: characters that would control a terminal or hide in a line are made visible.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Returns the text with control characters, terminal escapes, direction overrides and invisible characters written
/// out. ASCII controls become their Unicode pictures (`␛`), others their code point (`\u{202e}`), a tab one space.
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(|c| !matches!(form(c), Form::Itself)) else {
        return Cow::Borrowed(text);
    };
    let (clean, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(clean);
    for c in rest.chars() {
        push_visible(&mut out, c);
    }
    Cow::Owned(out)
}

/// Appends a character as [`visible`] shows it.
pub fn push_visible(out: &mut String, c: char) {
    match form(c) {
        Form::Itself => out.push(c),
        Form::Picture(picture) => out.push(picture),
        Form::CodePoint => out.extend(c.escape_unicode()),
    }
}

/// Returns the number of columns that a character takes as [`visible`] shows it.
pub fn columns(c: char) -> usize {
    match form(c) {
        Form::Itself => c.width().unwrap_or(0),
        Form::Picture(_) => 1,
        Form::CodePoint => c.escape_unicode().len(),
    }
}

/// Returns true if a character would control a terminal or hide; the C0 controls and DEL count, except for the tab.
pub fn is_hostile(c: char) -> bool {
    c != '\t' && !matches!(form(c), Form::Itself)
}

enum Form {
    Itself,
    Picture(char),
    CodePoint,
}

fn form(c: char) -> Form {
    match c {
        ' '..='~' => Form::Itself,
        '\t' => Form::Picture(' '),
        '\0'..='\u{1f}' => {
            Form::Picture(char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        '\u{7f}' => Form::Picture('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Form::CodePoint,
        _ => Form::Itself,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_shown() {
        for (text, shown) in [
            ("plain – 日本語 é", "plain – 日本語 é"),
            ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
            ("a\tb\r\nc", "a b␍␊c"),
            ("\u{9b}31m \u{7f}", "\\u{9b}31m ␡"),
            ("user\u{202e}gpj.exe", "user\\u{202e}gpj.exe"),
            ("zero\u{200b}width\0", "zero\\u{200b}width␀"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert!(matches!(visible("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn columns_agree_with_what_is_shown() {
        use unicode_width::UnicodeWidthStr;
        for c in "a\t\x1b\u{7f}日é\u{202e}\u{301}\u{1f600}".chars() {
            let mut shown = String::new();
            push_visible(&mut shown, c);
            assert_eq!(columns(c), shown.width(), "{c:?}");
        }
    }

    #[test]
    fn no_control_character_survives() {
        for c in (0..0x3_0000).filter_map(char::from_u32) {
            let mut shown = String::new();
            push_visible(&mut shown, c);
            assert!(!shown.chars().any(is_hostile), "{c:?}");
            assert!(!shown.chars().any(char::is_control), "{c:?}");
        }
    }
}
