//! HTTP requests (errors of `net/url`: `Get "https://...": ...`, without quotes before Go 1.14)
//! and statuses, as worded by containerd, docker, containers/image, client-go and probes.

use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    status(cursor, first).or_else(|| request(first))
}

/// Recognises `Get "https://registry/v2/"`.
fn request<'a>(first: Part<'_, 'a>) -> Option<Found<'a>> {
    let mut words = first.words().peekable();
    while let Some(word) = words.next() {
        let Some(method) = method(word) else { continue };
        let Some(next) = words.peek() else { break };
        let url = next.trim_matches(&['"', '\\', ',']);
        if url.as_str().contains("://")
            || (url.as_str().starts_with('/') && next.as_str() != url.as_str())
        {
            let facts = vec![word.says(Fact::HttpMethod, method), url.fact(Fact::Url)];
            let at = word.range().start - first.range().start;
            return Some(Found::new(LinkKind::Http, facts).at(at));
        }
    }
    None
}

fn method(word: Part<'_, '_>) -> Option<&'static str> {
    let value = word.as_str();
    let capital = value.starts_with(|first: char| first.is_ascii_uppercase());
    METHODS
        .iter()
        .find(|method| capital && method.eq_ignore_ascii_case(value))
        .copied()
}

/// Recognises `unexpected status code [manifests v1]: 401 Unauthorized` and `status code 404`.
fn status<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    if let Some(code) = code(first, true) {
        let facts = vec![code.fact(Fact::HttpStatus)];
        return Some(Found::new(LinkKind::Http, facts));
    }
    let place = STATUS_WORDS
        .iter()
        .find_map(|words| first.find_words(words))?;
    if first.find_words("exit status").is_some() {
        return None;
    }
    let after = first.from(place.range().end - first.range().start);
    // `expected status code 200, got 503`
    let after = after.split_once(", got ").map_or(after, |(_, got)| got);
    let inside = code(after.trim_matches(&[' ', '=', ':', '"']), false);
    let (code, take) = match (inside, cursor.part(1)) {
        (Some(code), _) => (code, 1),
        (None, Some(second)) => (code(second, false)?, 2),
        (None, None) => return None,
    };
    let mut facts = Vec::new();
    if let Some(request) = request_words(first) {
        facts.extend(request);
    } else if let Some(url) = first.words().find(|word| word.as_str().contains("://")) {
        facts.push(url.trim_matches(&['"', ',']).fact(Fact::Url));
    }
    if let Some(host) = first.between("from host ", " ") {
        facts.push(host.fact(Fact::Host));
    }
    facts.push(code.fact(Fact::HttpStatus));
    Some(Found::new(LinkKind::Http, facts).taking(take))
}

const STATUS_WORDS: &[&str] = &[
    "status code",
    "statuscode",
    "response code",
    "HTTP status",
    "http code",
    "status",
    "HTTP response",
];

/// Recognises `unexpected status from GET request to https://...`.
fn request_words<'a>(first: Part<'_, 'a>) -> Option<Vec<(Fact, kwhy_model::Text<'a>)>> {
    let (before, after) = first.split_once(" request to ")?;
    let word = before.words().next_back()?;
    let method = method(word)?;
    let url = after.words().next()?;
    Some(vec![
        word.says(Fact::HttpMethod, method),
        url.fact(Fact::Url),
    ])
}

/// Returns the status at the start of a part; if `bare`, only an error status with its phrase.
fn code<'c, 'a>(part: Part<'c, 'a>, bare: bool) -> Option<Part<'c, 'a>> {
    let code = part.slice(0..3);
    let number: u16 = code.as_str().parse().ok()?;
    let rest = part.from(3).as_str();
    let ends = !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '/');
    let phrase = rest
        .strip_prefix(' ')
        .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_uppercase()));
    let known = if bare {
        phrase && (400..600).contains(&number)
    } else {
        ends && (100..600).contains(&number)
    };
    known.then_some(code)
}
