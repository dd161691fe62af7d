//! Patterns of member names with captures.
//!
//! A pattern describes the last components of a path; any components may precede them, as the root of a bundle is not
//! fixed. `*` matches any text within one component, `**` any number of components, and `{pod}` captures text.

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A namespace.
    Namespace,
    /// A pod.
    Pod,
    /// A container.
    Container,
    /// A node.
    Node,
    /// The time of collection.
    Time,
    /// A part that distinguishes instances of a container or pod.
    Uid,
}

impl Field {
    fn of(name: &str) -> Option<Field> {
        Some(match name {
            "namespace" => Field::Namespace,
            "pod" => Field::Pod,
            "container" => Field::Container,
            "node" => Field::Node,
            "time" => Field::Time,
            "uid" => Field::Uid,
            _ => return None,
        })
    }

    /// Returns the maximum length of this kind of name in bytes (kubernetes/apimachinery `pkg/util/validation`).
    fn most(self) -> usize {
        match self {
            Field::Namespace | Field::Container => 63,
            Field::Pod | Field::Node => 253,
            Field::Uid | Field::Time => MAX_PART,
        }
    }

    /// Returns true if a byte can occur in this kind of name.
    fn takes(self, b: u8) -> bool {
        match self {
            Field::Namespace | Field::Container => is_lower(b) || b == b'-',
            Field::Pod => is_lower(b) || matches!(b, b'-' | b'.'),
            Field::Node => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'),
            Field::Uid => b.is_ascii_hexdigit() || b == b'-',
            Field::Time => true,
        }
    }

    /// Returns where a name of this kind that starts `text` can end, shortest first. Each byte is examined once.
    fn ends(self, text: &str) -> impl Iterator<Item = usize> {
        let all = text.bytes().take(self.most());
        let run = all.take_while(|b| self.takes(*b)).count();
        let named = matches!(self, Field::Namespace | Field::Container | Field::Pod);
        let first = match self {
            Field::Time => text.bytes().position(|b| b.is_ascii_digit()),
            _ if named => text.bytes().next().filter(|b| is_lower(*b)).map(|_| 0),
            _ => Some(0),
        };
        let bytes = text.as_bytes();
        (first.map_or(run, |first| first + 1).max(1)..=run)
            .filter(move |_| first.is_some())
            .filter(move |end| text.is_char_boundary(*end))
            .filter(move |end| !named || is_lower(bytes[end - 1]))
    }

    /// Returns true if the whole text is a name of this kind.
    fn fits(self, text: &str) -> bool {
        text.len() <= self.most() && self.ends(text).last() == Some(text.len())
    }
}

fn is_lower(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

/// The maximum length of a path component that can match, in bytes. File systems allow no more (`NAME_MAX`), archives
/// do.
const MAX_PART: usize = 255;

/// The number of components at the end of a path that are examined.
const MAX_PARTS: usize = 64;

/// A pattern of member paths.
#[derive(Clone, Debug)]
pub struct Pattern {
    parts: Vec<Part>,
    /// The number of literal bytes, by which patterns are ranked.
    pub weight: usize,
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of components, including none.
    Parts,
    One(Vec<Token>),
}

#[derive(Clone, Debug)]
enum Token {
    Text(String),
    Any,
    Keep(Field),
}

/// The captures of a match, in the order of the path.
pub type Kept<'p> = Vec<(Field, &'p str)>;

impl Pattern {
    /// Parses a pattern.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let mut parts = Vec::new();
        let mut weight = 0;
        for part in text.split('/') {
            if part == "**" {
                parts.push(Part::Parts);
                continue;
            }
            let mut tokens = Vec::new();
            let mut rest = part;
            while let Some(first) = rest.chars().next() {
                let token = match first {
                    '*' => {
                        rest = &rest[1..];
                        Token::Any
                    }
                    '{' => {
                        let (name, after) = rest[1..]
                            .split_once('}')
                            .ok_or_else(|| format!("no `}}` in {text:?}"))?;
                        rest = after;
                        Token::Keep(
                            Field::of(name).ok_or_else(|| format!("{name:?} is no capture"))?,
                        )
                    }
                    _ => {
                        let end = rest.find(['*', '{']).unwrap_or(rest.len());
                        let (text, after) = rest.split_at(end);
                        rest = after;
                        weight += text.len();
                        Token::Text(text.to_owned())
                    }
                };
                tokens.push(token);
            }
            if tokens.is_empty() {
                return Err(format!("an empty part in {text:?}"));
            }
            parts.push(Part::One(tokens));
        }
        Ok(Pattern { parts, weight })
    }

    /// Matches a path and returns the captures. The cost is bounded for any path.
    pub fn fit<'p>(&self, path: &[&'p str]) -> Option<Kept<'p>> {
        let path = &path[path.len().saturating_sub(MAX_PARTS)..];
        let mut kept = Vec::new();
        fit_parts(&self.parts, path, &mut kept).then(|| {
            kept.reverse();
            kept
        })
    }
}

/// Matches from the end to the start, as paths differ most at their ends.
fn fit_parts<'p>(parts: &[Part], path: &[&'p str], kept: &mut Kept<'p>) -> bool {
    let Some((last, before)) = parts.split_last() else {
        return true;
    };
    match last {
        Part::Parts => {
            let known = kept.len();
            (0..=path.len()).rev().any(|end| {
                kept.truncate(known);
                fit_parts(before, &path[..end], kept)
            })
        }
        Part::One(tokens) => {
            let Some((name, folders)) = path.split_last() else {
                return false;
            };
            let known = kept.len();
            let fits = fit_part(tokens, name, kept);
            kept[known..].reverse();
            fits && fit_parts(before, folders, kept)
        }
    }
}

/// Matches one component. The literal suffix is tested first, as most names lack it.
fn fit_part<'p>(tokens: &[Token], name: &'p str, kept: &mut Kept<'p>) -> bool {
    let (tokens, name) = match tokens {
        [Token::Any] => return true,
        _ if name.len() > MAX_PART => return false,
        [before @ .., Token::Text(end)] if !before.is_empty() => {
            match name.strip_suffix(end.as_str()) {
                Some(name) => (before, name),
                None => return false,
            }
        }
        _ => (tokens, name),
    };
    fit_tokens(tokens, name, kept)
}

/// Matches tokens from left to right, trying the shortest runs and captures first.
fn fit_tokens<'p>(tokens: &[Token], text: &'p str, kept: &mut Kept<'p>) -> bool {
    #[cfg(test)]
    tests::STEPS.set(tests::STEPS.get() + 1);
    let known = kept.len();
    match tokens {
        [] => text.is_empty(),
        [Token::Text(wanted), rest @ ..] => text
            .strip_prefix(wanted.as_str())
            .is_some_and(|text| fit_tokens(rest, text, kept)),
        [Token::Any] => true,
        [Token::Any, Token::Text(wanted), rest @ ..] => {
            let mut from = 0;
            while let Some(at) = text[from..].find(wanted.as_str()) {
                let after = from + at + wanted.len();
                if fit_tokens(rest, &text[after..], kept) {
                    return true;
                }
                kept.truncate(known);
                if matches!(rest, [Token::Any, ..]) {
                    // the second `*` already covers every text up to a later occurrence, so no later one matches either
                    return false;
                }
                let next = text[from + at..].chars().next().map_or(1, char::len_utf8);
                from += at + next;
            }
            false
        }
        [Token::Any, rest @ ..] => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|end| {
                kept.truncate(known);
                fit_tokens(rest, &text[end..], kept)
            })
        }
        [Token::Keep(field)] => {
            let fits = field.fits(text);
            if fits {
                kept.push((*field, text));
            }
            fits
        }
        [Token::Keep(field), rest @ ..] => {
            for end in field.ends(text) {
                let (name, after) = text.split_at(end);
                if matches!(&rest[0], Token::Text(next) if !after.starts_with(next.as_str())) {
                    continue;
                }
                kept.push((*field, name));
                if fit_tokens(rest, after, kept) {
                    return true;
                }
                kept.truncate(known);
            }
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        /// The number of calls of `fit_tokens`.
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    fn kept(pattern: &str, path: &str) -> Option<String> {
        let path: Vec<&str> = path.split('/').collect();
        let kept = Pattern::new(pattern).unwrap().fit(&path)?;
        let texts: Vec<&str> = kept.iter().map(|(_, text)| *text).collect();
        Some(texts.join(" "))
    }

    #[test]
    fn captures() {
        let cri = "pods/{namespace}_{pod}_{uid}/{container}/*.log";
        assert_eq!(
            kept(cri, "top/node-1/pods/shop_web-0_6f1b-22/app/0.log").as_deref(),
            Some("shop web-0 6f1b-22 app")
        );
        assert_eq!(kept(cri, "pods/shop_web-0/app/0.log"), None);
        assert_eq!(kept(cri, "pods/Shop_web-0_6f/app/0.log"), None);
        assert_eq!(
            kept(
                "{pod}_{namespace}_{container}-{uid}.log",
                "web-0_shop_my-app-0a1b.log"
            )
            .as_deref(),
            Some("web-0 shop my-app 0a1b")
        );
        assert_eq!(
            kept("support-bundle-{time}/**", "support-bundle-2024/a/b").as_deref(),
            Some("2024")
        );
        assert_eq!(kept("a/**/b", "x/a/b").as_deref(), Some(""));
        assert_eq!(kept("a/**/b", "a/c/d/b").as_deref(), Some(""));
        assert_eq!(kept("a/**/b", "b"), None);
    }

    #[test]
    fn errors_are_reported() {
        assert!(Pattern::new("{pods}/x").is_err());
        assert!(Pattern::new("{pod/x").is_err());
        assert!(Pattern::new("a//b").is_err());
    }

    /// The reference implementation: tries every length of each run and capture.
    fn naive<'p>(tokens: &[Token], text: &'p str, kept: &mut Kept<'p>) -> bool {
        let Some((first, rest)) = tokens.split_first() else {
            return text.is_empty();
        };
        let known = kept.len();
        (0..=text.len())
            .filter(|end| text.is_char_boundary(*end))
            .any(|end| {
                kept.truncate(known);
                let (run, after) = text.split_at(end);
                let fits = match first {
                    Token::Text(wanted) => run == wanted,
                    Token::Any => true,
                    Token::Keep(field) => {
                        kept.push((*field, run));
                        can_be(*field, run)
                    }
                };
                fits && naive(rest, after, kept)
            })
    }

    fn can_be(field: Field, text: &str) -> bool {
        let all = |more: &str| {
            let ends = [text.bytes().next(), text.bytes().last()];
            let edges = ends.iter().all(|end| end.is_some_and(is_lower));
            edges
                && text
                    .bytes()
                    .all(|b| is_lower(b) || more.as_bytes().contains(&b))
        };
        match field {
            Field::Namespace | Field::Container => text.len() <= 63 && all("-"),
            Field::Pod => text.len() <= 253 && all("-."),
            Field::Node => {
                let fits = |b: u8| b.is_ascii_alphanumeric() || b"-.".contains(&b);
                (1..=253).contains(&text.len()) && text.bytes().all(fits)
            }
            Field::Uid => {
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            }
            Field::Time => text.bytes().any(|b| b.is_ascii_digit()),
        }
    }

    proptest! {
        #[test]
        fn as_the_naive_way(
            pattern in "([ab.-]{1,2}|\\*|\\{(namespace|pod|container|node|uid|time)\\}){1,6}",
            name in "[ab.1_é-]{0,24}|[a-]{50,80}",
        ) {
            let pattern = Pattern::new(&pattern).unwrap();
            let Some(Part::One(tokens)) = pattern.parts.first() else {
                return Ok(()); // `**` alone
            };
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            let fits = naive(tokens, &name, &mut slow);
            prop_assert_eq!(fit_part(tokens, &name, &mut fast), fits);
            if fits {
                prop_assert_eq!(fast, slow);
            }
        }
    }

    /// Returns the number of steps that all patterns together take for one path.
    fn steps(path: &[&str]) -> usize {
        STEPS.set(0);
        crate::bundle::layout::place(path);
        STEPS.get()
    }

    #[test]
    fn no_name_takes_long() {
        let uid = format!("p_n_{}{}.log", "a-".repeat(31), "a".repeat(180));
        let dots = format!("{}x", "a.".repeat(120));
        let shas = "-sha256get_-o_json".repeat(14);
        let long = [&*uid, &*dots, &*shas].map(|name| name.repeat(20));
        let deep = vec!["a"; 2000];
        let known: Vec<&str> = "nodes/pods/cluster/artifacts/plugins/logs/namespaces/var/log"
            .split('/')
            .cycle()
            .take(2000)
            .collect();
        for path in [
            &[&*uid][..],
            &["pods", &dots],
            &["logs", &shas],
            &["containers", &long[0]],
            &["x", &long[1]],
            &["x", &long[2]],
            &deep,
            &known,
        ] {
            let steps = steps(path);
            assert!((1..20_000).contains(&steps), "{steps} for {}", path[0]);
        }
    }
}
