//! Patterns of member names with captures.
//!
//! A pattern names the last folders of a path and its file: what precedes does not matter, as the root
//! of a bundle is not fixed. `*` is any run inside of one part, `**` any number of parts, `{pod}` a run
//! that is kept.

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
    /// The time at which the bundle was made.
    Time,
    /// A part that distinguishes one run of a container, or one pod, from another.
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

    /// Returns true if a text can be such a name (kubernetes/apimachinery `pkg/util/validation`).
    fn fits(self, text: &str) -> bool {
        let lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let ends = |text: &str| {
            text.bytes().next().is_some_and(lower) && text.bytes().last().is_some_and(lower)
        };
        match self {
            Field::Namespace | Field::Container => {
                text.len() <= 63 && ends(text) && text.bytes().all(|b| lower(b) || b == b'-')
            }
            Field::Pod => {
                text.len() <= 253
                    && ends(text)
                    && text.bytes().all(|b| lower(b) || matches!(b, b'-' | b'.'))
            }
            Field::Node => {
                !text.is_empty()
                    && text.len() <= 253
                    && text
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
            }
            Field::Uid => {
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            }
            Field::Time => text.bytes().any(|b| b.is_ascii_digit()),
        }
    }
}

/// A pattern of member names.
#[derive(Clone, Debug)]
pub struct Pattern {
    parts: Vec<Part>,
    /// The number of literal bytes.
    pub weight: usize,
}

#[derive(Clone, Debug)]
enum Part {
    /// Any number of parts, also none.
    Parts,
    One(Vec<Token>),
}

#[derive(Clone, Debug)]
enum Token {
    Text(String),
    Any,
    Keep(Field),
}

/// The captures of a pattern, in the order of the path.
pub type Kept<'p> = Vec<(Field, &'p str)>;

impl Pattern {
    /// Reads a pattern.
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
                        let (name, behind) = rest[1..]
                            .split_once('}')
                            .ok_or_else(|| format!("no `}}` in {text:?}"))?;
                        rest = behind;
                        Token::Keep(
                            Field::of(name).ok_or_else(|| format!("{name:?} is no capture"))?,
                        )
                    }
                    _ => {
                        let end = rest.find(['*', '{']).unwrap_or(rest.len());
                        let (text, behind) = rest.split_at(end);
                        rest = behind;
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

    /// Matches a path and returns the captures.
    pub fn fit<'p>(&self, path: &[&'p str]) -> Option<Kept<'p>> {
        let mut kept = Vec::new();
        fit_parts(&self.parts, path, &mut kept).then(|| {
            kept.reverse();
            kept
        })
    }
}

/// From the end to the start, as paths differ at their ends.
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
            let fits = fit_tokens(tokens, name, kept);
            kept[known..].reverse();
            fits && fit_parts(before, folders, kept)
        }
    }
}

fn fit_tokens<'p>(tokens: &[Token], text: &'p str, kept: &mut Kept<'p>) -> bool {
    let Some((first, rest)) = tokens.split_first() else {
        return text.is_empty();
    };
    let ends = |text: &str| -> Vec<usize> {
        let all = text.char_indices().map(|(at, _)| at);
        all.chain([text.len()]).collect()
    };
    match first {
        Token::Text(wanted) => text
            .strip_prefix(wanted.as_str())
            .is_some_and(|text| fit_tokens(rest, text, kept)),
        Token::Any if rest.is_empty() => true,
        Token::Any => ends(text).into_iter().any(|end| {
            let known = kept.len();
            fit_tokens(rest, &text[end..], kept) || {
                kept.truncate(known);
                false
            }
        }),
        Token::Keep(field) => ends(text).into_iter().any(|end| {
            if !field.fits(&text[..end]) {
                return false;
            }
            let known = kept.len();
            kept.push((*field, &text[..end]));
            fit_tokens(rest, &text[end..], kept) || {
                kept.truncate(known);
                false
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(pattern: &str, path: &str) -> Option<String> {
        let path: Vec<&str> = path.split('/').collect();
        let kept = Pattern::new(pattern).unwrap().fit(&path)?;
        let told: Vec<&str> = kept.iter().map(|(_, text)| *text).collect();
        Some(told.join(" "))
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
    fn mistakes_are_told() {
        assert!(Pattern::new("{pods}/x").is_err());
        assert!(Pattern::new("{pod/x").is_err());
        assert!(Pattern::new("a//b").is_err());
    }
}
