//! `kwhy bundle ls`: the members of bundles, what each is and what is not read.

use std::io::{self, Read, Write};

use kwhy_core::Document as Text;
use kwhy_core::Subject;
use kwhy_core::events::{SecretPolicy, masked, segments};
use serde::Serialize;

use kwhy_bundle::archive::Member;
use kwhy_bundle::bundle::Content;
use kwhy_bundle::sources::{self, InputSet, Inputs};
use kwhy_bundle::{Disposition, Document, DocumentSink};
use kwhy_render::Layout;
use kwhy_render::escape::visible;
use kwhy_render::json;
use kwhy_render::style::Style;
use unicode_width::UnicodeWidthStr;

/// A member as it is listed.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Member"))]
pub struct Row<'r> {
    /// The bundle.
    source: &'r str,
    /// The member's path in it.
    path: &'r str,
    /// Its size, unless it is not known.
    bytes: Option<u64>,
    /// When it was last changed, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    modified: Option<String>,
    /// Its content.
    what: &'r str,
    /// The object that its place says it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'r Subject>,
    /// Why it is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'r str>,
}

/// Lists all members, as one JSON object a line or as a table whose rows are wrapped to the columns of a terminal.
///
/// # Errors
/// The output cannot be written.
pub fn list(
    reading: &InputSet,
    stdin: impl Read + Send,
    (json, columns): (bool, Option<usize>),
    out: &mut (dyn Write + Send),
) -> io::Result<Inputs> {
    let mut listing = Listing {
        out,
        json,
        columns,
        failed: None,
        open: None,
        read: 0,
        bytes: 0,
        skipped: 0,
    };
    let inputs = sources::read(reading, stdin, &mut listing);
    let Listing {
        failed,
        read,
        bytes,
        skipped,
        ..
    } = listing;
    if let Some(error) = failed {
        return Err(error);
    }
    if json {
        return Ok(inputs);
    }
    for limit in &inputs.limits {
        let text = limit.to_string();
        writeln!(out, "note  {}", visible(&masked(&text)))?;
    }
    for bundle in &inputs.bundles {
        let make = match bundle.titles.as_slice() {
            [] => "of no known make".to_owned(),
            titles => titles.join(", "),
        };
        writeln!(
            out,
            "{}: {make}",
            visible(&SecretPolicy::Mask.shown(&bundle.source))
        )?;
    }
    writeln!(out, "{read} read with {bytes} bytes, {skipped} skipped.")?;
    Ok(inputs)
}

struct Listing<'o> {
    out: &'o mut (dyn Write + Send),
    json: bool,
    columns: Option<usize>,
    failed: Option<io::Error>,
    /// The member whose content comes next.
    open: Option<(Member, Option<Content>)>,
    read: u64,
    bytes: u64,
    skipped: u64,
}

/// The number of bytes at the start of a document from which its format is recognised.
const LOOKED_AT: u64 = 16 * 1024;

impl Listing<'_> {
    fn row(&mut self, row: &Row<'_>) {
        if self.failed.is_some() {
            return;
        }
        let written = if self.json {
            let shown = |path| SecretPolicy::Mask.shown(path);
            let (source, path) = (shown(row.source), shown(row.path));
            let shown = Row {
                source: &source,
                path: &path,
                ..row.clone()
            };
            json::line(&shown, self.out)
        } else {
            let bytes = row.bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
            let path = if row.path.is_empty() {
                row.source
            } else {
                row.path
            };
            let head = format!("{bytes:>12}  {:<20}  ", row.what);
            let mut tail = String::new();
            if let Some(about) = &row.about {
                tail += &format!("  [{}]", visible(&about.to_string()));
            }
            if let Some(why) = row.skipped {
                tail += &format!("  (skipped: {why})");
            }
            let path = SecretPolicy::Mask.shown(path);
            let path = visible(&path);
            match self.columns {
                Some(columns) if head.width() + path.width() + tail.width() > columns => {
                    self.narrow(columns, &head, &path, &tail)
                }
                _ => writeln!(self.out, "{head}{path}{tail}"),
            }
        };
        self.failed = written.err();
    }
}

impl Listing<'_> {
    /// Writes a row that is too wide for the terminal, with its path and the rest wrapped.
    fn narrow(&mut self, width: usize, head: &str, path: &str, tail: &str) -> io::Result<()> {
        let layout = Layout {
            width,
            color: false,
        };
        let indent = head.width();
        write!(self.out, "{head}")?;
        layout.hang(&mut self.out, Style::Plain, path, indent, indent)?;
        match tail.trim_start() {
            "" => Ok(()),
            tail => layout.hang(&mut self.out, Style::Plain, tail, 0, indent),
        }
    }
}

/// Formats seconds since 1970 as RFC 3339; `None` if they are out of range.
fn time(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    Some(time.to_string())
}

impl DocumentSink for Listing<'_> {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Some((member, disposition)) = self.open.take() else {
            return;
        };
        let mut head = Vec::new();
        let _ = Read::take(&mut *content, LOOKED_AT).read_to_end(&mut head);
        // read errors are ignored here: whatever feeds the sink reports them
        let more = io::copy(content, &mut io::sink()).unwrap_or_default();
        let bytes = head.len() as u64 + more;
        self.read += 1;
        self.bytes += bytes;
        let what = match disposition {
            Some(content) => content.name().to_owned(),
            None if head.is_empty() => "empty".to_owned(),
            None => {
                let text = Text::new("", head);
                let found = segments(text.text());
                let most = found.iter().max_by_key(|segment| segment.lines.len());
                most.map_or("text", |segment| segment.format.name())
                    .to_owned()
            }
        };
        let about = &document.about;
        self.row(&Row {
            source: &member.root,
            path: &member.path,
            bytes: Some(bytes),
            modified: member.modified.and_then(time),
            what: &what,
            about: Some(about).filter(|about| **about != Subject::default()),
            skipped: None,
        });
    }

    fn disposed(&mut self, member: &Member, disposition: Disposition) {
        match disposition {
            Disposition::Read(content) => self.open = Some((member.clone(), content)),
            Disposition::Skipped(why) => {
                self.skipped += 1;
                self.row(&Row {
                    source: &member.root,
                    path: &member.path,
                    bytes: member.size,
                    modified: member.modified.and_then(time),
                    what: "-",
                    about: None,
                    skipped: Some(why),
                });
            }
        }
    }
}
