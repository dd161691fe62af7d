//! Wrapped Go errors, parsed into typed links.
//!
//! Go programs wrap an error by writing `what was done: inner error` (`fmt.Errorf("...: %w")`).
//! Kubernetes components pass such texts on, quote them (`%q`, one more level of backslashes
//! each time) and put them after a gRPC status. A chain is parsed in three steps: `mod@split` finds
//! the boundaries between links, a recogniser per family (one file each) classifies each link,
//! and quoted or bracketed errors are parsed recursively.
//!
//! Accepted: any text, of any Kubernetes version. What no recogniser knows becomes a link of kind
//! `Other`. Nothing is rejected, but text after the first 64 KiB is ignored, quotations nested more than 16
//! levels deep stay as they are, and links after the 64th are omitted.
//!
//! ```
//! use kwhy_errors::{ErrorChain, Fact};
//! use kwhy_model::Text;
//! let text = "failed to pull image \"web:7\": rpc error: code = NotFound desc = not found";
//! let chain = ErrorChain::parse(&Text::borrowed(text, 0));
//! assert_eq!(chain.get(Fact::Grpc).unwrap().as_str(), "NotFound");
//! ```

mod api;
mod cni;
mod dns;
mod errno;
mod exit;
mod fact;
mod grpc;
mod http;
mod image;
mod network;
mod object;
mod operation;
mod part;
mod recognise;
mod runtime;
mod split;
mod syscall;
#[cfg(test)]
mod tests;
mod timeout;
mod types;
mod unquote;
mod volume;
mod x509;

pub use fact::Fact;
pub use types::{ErrorChain, Link, LinkKind};

use kwhy_model::{Event, Text};
use part::{Cursor, Part};
use recognise::recognise;
use split::{Cuts, Region, split};

/// Words after which a quoted text is certainly an error.
const ANNOUNCED: &[&str] = &[
    "caused",
    "caused:",
    "caused by",
    "reason:",
    "error=",
    "err=",
    "error:",
    "\"message\":",
    "\"error\":",
];

const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 16;
const MAX_LINKS: usize = 64;

impl<'a> ErrorChain<'a> {
    /// Returns the error of an event: from its error field if it has one, otherwise from its message.
    ///
    /// ```
    /// use kwhy_errors::{ErrorChain, Fact};
    /// use kwhy_model::{Event, Format, Text};
    /// let text = "rpc error: code = Unknown desc = open /data: permission denied";
    /// let event = Event::new(Format::Plain, 0..text.len(), Text::borrowed(text, 0));
    /// assert_eq!(ErrorChain::of(&event).get(Fact::Errno).unwrap().as_str(), "EACCES");
    /// ```
    pub fn of(event: &Event<'a>) -> ErrorChain<'a> {
        let error = event.texts().skip(1).find(|text| !text.is_empty());
        ErrorChain::parse(error.unwrap_or(&event.message))
    }

    /// Parses an error text. Text that is not a chain yields one link of kind `Other`.
    ///
    /// ```
    /// use kwhy_errors::{ErrorChain, Fact, LinkKind};
    /// use kwhy_model::Text;
    /// let text = r#"Get "https://10.96.0.1:443/api": dial tcp 10.96.0.1:443: i/o timeout"#;
    /// let chain = ErrorChain::parse(&Text::borrowed(text, 0));
    /// assert_eq!(chain.links.len(), 2);
    /// assert_eq!(chain.links[1].kind, LinkKind::Network);
    /// assert_eq!(chain.get(Fact::NetworkReason).unwrap().as_str(), "timeout");
    /// ```
    pub fn parse(text: &Text<'a>) -> ErrorChain<'a> {
        let mut parser = Parser { links: Vec::new() };
        let value = text.as_str();
        if value.len() > MAX_BYTES {
            let mut end = MAX_BYTES;
            while !value.is_char_boundary(end) {
                end -= 1;
            }
            parser.error(&text.slice(0..end), 0);
        } else {
            parser.error(text, 0);
        }
        if parser.links.is_empty() {
            parser.links.push(Link {
                kind: LinkKind::Other,
                text: text.trim(),
                facts: Vec::new(),
            });
        }
        ErrorChain {
            links: parser.links,
        }
    }

    /// Returns the innermost value of a fact.
    pub fn get(&self, fact: Fact) -> Option<&Text<'a>> {
        self.all(fact).last()
    }

    /// Returns all values of a fact, outermost first.
    pub fn all(&self, fact: Fact) -> impl Iterator<Item = &Text<'a>> {
        self.links
            .iter()
            .flat_map(|link| &link.facts)
            .filter(move |(known, _)| *known == fact)
            .map(|(_, value)| value)
    }

    /// Returns the innermost link, which usually states the reason.
    pub fn innermost(&self) -> Option<&Link<'a>> {
        self.links.last()
    }
}

struct Parser<'a> {
    links: Vec<Link<'a>>,
}

impl<'a> Parser<'a> {
    fn error(&mut self, text: &Text<'a>, depth: usize) {
        let cuts = split(text.as_str());
        let mut rest = cuts.segments.as_slice();
        while !rest.is_empty() && self.links.len() < MAX_LINKS {
            let taken = self.link(&cuts, Cursor::new(text, rest), depth);
            rest = rest.get(taken.max(1)..).unwrap_or(&[]);
        }
    }

    /// Adds the links at the cursor; returns the number of segments they occupy.
    fn link(&mut self, cuts: &Cuts, cursor: Cursor<'_, 'a>, depth: usize) -> usize {
        let Some(first) = cursor.part(0) else {
            return 1;
        };
        // containerd's error class; `unknown` adds nothing to the links before it
        if cursor.len() == 1
            && !self.links.is_empty()
            && first.as_str().trim_end_matches(['"', '\'', '\\', '.']) == "unknown"
        {
            return 1;
        }
        if let Some(region) = cuts.covering(&first.range()) {
            let inner = region.text(first.whole());
            let value = inner.as_str().trim();
            let holds_words = value.contains(' ') || value == "EOF";
            if depth < MAX_DEPTH && holds_words && !recognise::is_lead(first) {
                self.error(&inner, depth + 1);
                return 1;
            }
        }
        let mut found = recognise(cursor);
        let mut known = None;
        if !found.opaque
            && depth < MAX_DEPTH
            && let Some(region) = cuts.ending(&first.range())
        {
            let links = quoted(region, first, depth);
            if !links.is_empty() {
                // the inner error's words must not be attributed to the outer one
                let outer = first.ending(region.outer.start).trim_end();
                found = recognise(cursor.first_ending(outer.range().end));
            }
            known = Some((region.outer.start, links));
        }
        let last = cursor.part(found.take.saturating_sub(1)).unwrap_or(first);
        let own = first.up_to(last);
        let (lead, own) = own.split_at(found.at);
        let lead = lead.trim_end();
        if !lead.is_empty() {
            let (kind, facts) = operation::describe(lead);
            self.push(cuts, lead, (kind, facts), None, depth);
        }
        let depth = if found.opaque { MAX_DEPTH } else { depth };
        self.push(cuts, own, (found.kind, found.facts), known, depth);
        found.take
    }

    /// Adds a link and the errors that it quotes. `known` has the links of one of these, by its offset.
    fn push(
        &mut self,
        cuts: &Cuts,
        own: Part<'_, 'a>,
        (kind, mut facts): (LinkKind, Vec<(Fact, Text<'a>)>),
        mut known: Option<(usize, Vec<Link<'a>>)>,
        depth: usize,
    ) {
        if self.links.len() >= MAX_LINKS {
            return;
        }
        let mut nested = Vec::new();
        let mut end = own.range().end;
        if depth < MAX_DEPTH {
            for region in cuts.within(&own.range()) {
                let links = match known.take_if(|(start, _)| *start == region.outer.start) {
                    Some((_, links)) => links,
                    None => quoted(region, own, depth),
                };
                if links.is_empty() {
                    continue;
                }
                if region.outer.end == own.range().end {
                    end = region.outer.start;
                }
                nested.extend(links);
                if nested.len() >= MAX_LINKS {
                    break;
                }
            }
        }
        let own = own.ending(end).trim_end();
        object::add_named(cuts, own, &mut facts);
        if !own.is_empty() {
            self.links.push(Link {
                kind,
                text: own.to_text(),
                facts,
            });
        }
        let room = MAX_LINKS - self.links.len();
        self.links.extend(nested.into_iter().take(room));
    }
}

/// Parses an error in quotes or brackets; empty if the text is not an error.
fn quoted<'a>(region: &Region, own: Part<'_, 'a>, depth: usize) -> Vec<Link<'a>> {
    let inner = region.text(own.whole());
    let before = own.ending(region.outer.start);
    let announced = ANNOUNCED
        .iter()
        .any(|word| before.trim_end().as_str().ends_with(word));
    if !announced && !inner.as_str().contains(' ') && inner.as_str() != "EOF" {
        return Vec::new();
    }
    let mut parser = Parser { links: Vec::new() };
    parser.error(&inner, depth + 1);
    let typed = parser
        .links
        .iter()
        .any(|link| !matches!(link.kind, LinkKind::Other | LinkKind::Operation));
    if announced || typed {
        parser.links
    } else {
        Vec::new()
    }
}
