//! Draws a report as a terminal shows it, as an SVG for the README.
//!
//! The text is the output of `--color always` at 100 columns; the SVG defines the colours.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::Analyzer;
use kwhy_render::{Detail, Human, Layout, Render, View};

/// The input of the report.
const INPUT: &str = "fixtures/cases/01-configmap-missing/input.txt";
/// The path of the picture.
const PICTURE: &str = "docs/report.svg";
/// The width of the terminal in columns.
const COLUMNS: usize = 100;
/// The width and height of a character cell, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
/// The margin around the text, in pixels.
const EDGE: f64 = 16.0;

/// Writes the picture, or with `--check` compares it with the existing one.
pub fn main(arguments: &[String]) -> Result<(), String> {
    let path = root().join(PICTURE);
    let picture = picture()?;
    match arguments {
        [] => fs::write(&path, picture).map_err(|error| format!("{PICTURE}: {error}")),
        [check] if check == "--check" => {
            let kept = fs::read_to_string(&path).unwrap_or_default();
            match kept == picture {
                true => Ok(()),
                false => Err(format!(
                    "{PICTURE} is not what kwhy prints: `cargo xtask picture` writes it"
                )),
            }
        }
        _ => Err("usage: cargo xtask picture [--check]".to_owned()),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn picture() -> Result<String, String> {
    let input = fs::read(root().join(INPUT)).map_err(|error| format!("{INPUT}: {error}"))?;
    let report = Analyzer::new().analyze_text("describe.txt", input);
    let human = Human {
        layout: Layout {
            width: COLUMNS,
            color: true,
        },
        detail: Detail::Usual,
    };
    let view = View {
        report: &report,
        left_out: 0,
    };
    let mut text = Vec::new();
    let drawn = human.render(&view, &mut text);
    drawn.map_err(|error| error.to_string())?;
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    Ok(svg(&format!(
        "$ kubectl -n shop describe pod web-6d5f9c7b8-kq2xz | kwhy\n\n{text}"
    )))
}

/// The style of a character.
#[derive(Clone, Copy, Default, PartialEq)]
struct Style {
    color: Option<u8>,
    bold: bool,
    faint: bool,
}

impl Style {
    /// Applies an SGR sequence, `ESC [ ... m`.
    fn apply(&mut self, codes: &str) {
        for code in codes.split(';') {
            match code.parse().unwrap_or(0) {
                0_u8 => *self = Style::default(),
                1 => self.bold = true,
                2 => self.faint = true,
                22 => (self.bold, self.faint) = (false, false),
                39 => self.color = None,
                code @ 30..=37 => self.color = Some(code - 30),
                code @ 90..=97 => self.color = Some(code - 90),
                _ => {}
            }
        }
    }

    fn class(self) -> String {
        let mut classes = Vec::new();
        if let Some(color) = self.color {
            classes.push(format!("c{color}"));
        }
        if self.bold {
            classes.push("b".to_owned());
        }
        if self.faint {
            classes.push("f".to_owned());
        }
        classes.join(" ")
    }
}

/// Draws a text that contains SGR sequences.
fn svg(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let width = COLUMNS as f64 * WIDTH + 2.0 * EDGE;
    let height = lines.len() as f64 * HEIGHT + 2.0 * EDGE;
    let mut out = String::new();
    // writing to a String cannot fail
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" aria-label=\"What kwhy prints\">\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6d9de;white-space:pre}}\
         .b{{font-weight:bold}}.f{{opacity:.65}}.c1{{fill:#ff7b72}}.c2{{fill:#7ee787}}.c3{{fill:#e3b341}}.c4{{fill:#79c0ff}}.c5{{fill:#d2a8ff}}.c6{{fill:#76e3ea}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#15181d\"/>\n"
    );
    let mut style = Style::default();
    for (number, line) in lines.iter().enumerate() {
        let y = EDGE + (number as f64 + 0.75) * HEIGHT;
        let mut column = 0;
        let mut rest = *line;
        while !rest.is_empty() {
            if let Some((codes, after)) = sequence(rest) {
                style.apply(codes);
                rest = after;
                continue;
            }
            let end = rest
                .find('\u{1b}')
                .filter(|at| *at > 0)
                .unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            run_of(&mut out, run, column, y, style);
            column += run.chars().count();
            rest = after;
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Draws a run of text in one style. Each word is placed at its column, so the font's metrics do not shift it.
fn run_of(out: &mut String, run: &str, column: usize, y: f64, style: Style) {
    let mut at = column;
    for word in run.split_inclusive(' ') {
        let shown = word.trim_end_matches(' ');
        let count = shown.chars().count();
        if count > 0 {
            let x = EDGE + at as f64 * WIDTH;
            let length = count as f64 * WIDTH;
            let class = match style.class() {
                class if class.is_empty() => String::new(),
                class => format!(" class=\"{class}\""),
            };
            let text = shown
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"{class}>{text}</text>"
            );
        }
        at += word.chars().count();
    }
}

/// Returns the codes of the SGR sequence at the start of a text, and the rest of the text. `None` if there is none.
fn sequence(text: &str) -> Option<(&str, &str)> {
    let codes = text.strip_prefix("\u{1b}[")?;
    codes.split_once('m').filter(|(codes, _)| {
        codes
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b';')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_current() {
        main(&["--check".to_owned()]).unwrap();
    }

    #[test]
    fn colours_become_classes() {
        let drawn = svg("a\u{1b}[1;31m<b\u{1b}[0m  c");
        assert!(drawn.contains(">a</text>"), "{drawn}");
        assert!(drawn.contains("class=\"c1 b\">&lt;b</text>"), "{drawn}");
        let c = format!("x=\"{:.1}\"", EDGE + 5.0 * WIDTH);
        assert!(drawn.contains(&c), "{drawn}");
        assert!(!drawn.contains('\u{1b}'));
    }
}
