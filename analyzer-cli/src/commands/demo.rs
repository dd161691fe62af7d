//! `kwhy demo`: built-in examples, which show a report without any input.

use std::io::{self, Write};

use clap::ValueEnum;
use kwhy_core::Analyzer;
use kwhy_render::style::Style;
use kwhy_render::{Detail, Human, Layout, Render, View};

/// A built-in example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Demo {
    /// A pod that does not start: its describe
    #[default]
    Configmap,
    /// A container that is killed: its pod as YAML
    Oom,
    /// Images that cannot be pulled, and why: events and a log
    Registry,
}

impl Demo {
    fn text(self) -> &'static str {
        match self {
            Demo::Configmap => include_str!("../demo/configmap.txt"),
            Demo::Oom => include_str!("../demo/oom.txt"),
            Demo::Registry => include_str!("../demo/registry.txt"),
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// Writes the report of an example, or the text of its input.
///
/// # Errors
/// The output cannot be written.
pub fn demo(
    demo: Demo,
    is_input: bool,
    (layout, program): (&Layout, &str),
    out: &mut dyn Write,
) -> io::Result<()> {
    if is_input {
        return out.write_all(demo.text().as_bytes());
    }
    let file = format!("{}.txt", demo.name());
    let call = format!("$ {program} {file}");
    writeln!(out, "{}\n", layout.styled(Style::Faint, &call))?;
    let report = Analyzer::new().analyze_text(&file, demo.text());
    let human = Human {
        layout: *layout,
        detail: Detail::Usual,
    };
    let view = View {
        report: &report,
        left_out: 0,
    };
    human.render(&view, out)?;
    let others = Demo::value_variants()
        .iter()
        .filter(|other| **other != demo);
    let others: Vec<String> = others
        .map(|other| format!("{program} demo {}", other.name()))
        .collect();
    let end = format!(
        "`{program} demo {} --input` prints what was read. More: {}",
        demo.name(),
        others.join(", ")
    );
    writeln!(out)?;
    layout.hang(out, Style::Faint, &end, 0, 0)
}
