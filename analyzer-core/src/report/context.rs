//! The lines around the evidence.

use kwhy_parse::input::floor_char;
use kwhy_parse::redact::{SecretPolicy, Secrets};

use super::Report;
use crate::Document;

/// The maximum number of bytes kept of a line around the evidence.
const LONGEST: usize = 160;

impl Report {
    /// Fills in `lines` lines before and after each piece of evidence in one document, whose whole text is `content`.
    /// Secrets are masked, unless the report shows them.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let log = "start\npanic: runtime error: index out of range [3] with length 3\nend\n";
    /// let mut report = Analyzer::new().analyze_text("app.log", log);
    /// report.add_lines_around("app.log", log.as_bytes(), 1);
    /// let around = &report.findings[0].evidence[0].around;
    /// assert_eq!(around[0], (1, "start".to_owned()));
    /// ```
    pub fn add_lines_around(&mut self, source: &str, content: &[u8], lines: u64) {
        let name = self.secrets.shown(source);
        let findings = self.findings.iter_mut();
        let evidence =
            findings.flat_map(|finding| finding.evidence.iter_mut().chain(&mut finding.recovered));
        let unexplained = self
            .unexplained
            .iter_mut()
            .flat_map(|event| &mut event.evidence);
        let mut wanted = evidence
            .chain(unexplained)
            .filter(|line| line.source == name)
            .peekable();
        if wanted.peek().is_none() {
            return;
        }
        let document = Document::new(source, content);
        let secrets = match self.secrets {
            SecretPolicy::Mask => Secrets::of(document.text()),
            SecretPolicy::Show => Secrets::default(),
        };
        let last = document.line_count();
        let one = |number: u64| {
            let mut text = document.original_line(number);
            if !secrets.is_empty() {
                secrets.hide(document.text(), &document.line_span(number), &mut text);
            }
            if text.len() > LONGEST {
                text.truncate(floor_char(&text, LONGEST));
                text.push('…');
            }
            (number, text)
        };
        for line in wanted {
            let own = line.line;
            let from = own.saturating_sub(lines).max(1);
            let to = own.saturating_add(lines).min(last);
            line.around = (from..=to)
                .filter(|number| *number != own)
                .map(one)
                .collect();
        }
    }
}
