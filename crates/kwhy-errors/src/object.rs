//! Objects named by a link: `pod "x"`, `image "x"`, `secret "x"`, `ConfigMap ns/x`.

use super::Fact;
use super::part::Part;
use super::split::Cuts;
use kwhy_model::{Subject, Text};

type Facts<'a> = Vec<(Fact, Text<'a>)>;

const MAX_FACTS: usize = 64;

/// Adds the names in a link that follow a word for their kind.
pub(super) fn add_named<'a>(cuts: &Cuts, own: Part<'_, 'a>, facts: &mut Facts<'a>) {
    let range = own.range();
    let mut regions = cuts.within(&range).peekable();
    while let Some(region) = regions.next() {
        let name = Part::new(own.whole(), region.inner.clone()).trim_matches(&['"', '\'']);
        let value = name.as_str();
        if value.is_empty() || value.len() > 512 || value.contains(char::is_whitespace) {
            continue;
        }
        if facts.len() >= MAX_FACTS {
            return;
        }
        let is_bracket =
            !own.whole().as_str()[region.outer.clone()].starts_with(['"', '\\', '\'', '`']);
        if is_bracket {
            continue;
        }
        // the preceding words, limited to bound the search
        let mut window = own.ending(region.outer.start);
        let mut from = window.as_str().len().saturating_sub(128);
        while !window.as_str().is_char_boundary(from) {
            from += 1;
        }
        window = window.from(from);
        // `pod "shop"/"web-0"`
        let text = own.whole().as_str();
        let pair = regions.next_if(|next| {
            next.outer.start == region.outer.end + 1
                && text.as_bytes().get(region.outer.end) == Some(&b'/')
        });
        match (pair, window.words().next_back()) {
            (Some(pair), Some(kind)) if is_kind(kind.as_str()) => {
                let second = Part::new(own.whole(), pair.inner.clone());
                add_object(kind, Some(name), second, facts);
            }
            (Some(_), _) => {}
            (None, _) => add_quoted(window, name, facts),
        }
    }
    let mut previous: Option<Part<'_, 'a>> = None;
    // only these two formats are searched for, and both contain one of these characters
    let words = own.as_str().contains(['/', '=']).then(|| own.words());
    for word in words.into_iter().flatten() {
        // `restarting failed container=web pod=web-0_shop(uid)`
        if let Some(container) = word.strip_prefix("container=") {
            add(facts, container.fact(Fact::Container));
        } else if let Some(pod) = word.strip_prefix("pod=") {
            add_pod(pod, facts);
        } else if let Some(kind) = previous
            && facts.len() < MAX_FACTS
            && let Some((namespace, name)) = word.trim_matches(&[',', ';']).split_once("/")
            && is_kind(kind.as_str())
            && is_name(namespace)
            && is_name(name)
        {
            add_object(kind, Some(namespace), name, facts);
        }
        previous = Some(word);
    }
}

fn add_quoted<'a>(before: Part<'_, 'a>, name: Part<'_, 'a>, facts: &mut Facts<'a>) {
    let mut words = before.words();
    let word = words
        .next_back()
        .map(|word| word.trim_matches(&['(', ',', ':']));
    let earlier = words.next_back().map_or("", |word| word.as_str());
    let Some(word) = word else {
        return;
    };
    let value = name.as_str();
    let hexadecimal = value.len() >= 12 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fact = match word.as_str() {
        "image" | "reference" | "ref" | "images" => Fact::Image,
        "volume" | "volumes" => Fact::Volume,
        "container" if hexadecimal || earlier == "sandbox" => Fact::ContainerId,
        "container" if !value.starts_with('/') => Fact::Container,
        "sandbox" | "task" if hexadecimal => Fact::ContainerId,
        "webhook" => Fact::Webhook,
        "path" | "file" | "directory" | "profile" if value.starts_with('/') => Fact::Path,
        "host" => Fact::Host,
        "User" | "user" => Fact::User,
        "key" => Fact::Key,
        "quota" => Fact::Quota,
        "namespace" if matches!(earlier, "in" | "the") => Fact::Namespace,
        kind if is_kind(kind) || is_group_resource(kind) => {
            match name.split_once("/") {
                Some((namespace, name)) if is_name(namespace) && is_name(name) => {
                    add_object(word, Some(namespace), name, facts);
                }
                Some(_) => {}
                None if value.contains('_') && Subject::kind_from_word(kind) == "Pod" => {
                    add_pod(name, facts);
                }
                None => add_object(word, None, name, facts),
            }
            return;
        }
        other if value.starts_with('/') && other != "name" => Fact::Path,
        _ => return,
    };
    add(facts, name.fact(fact));
}

/// Returns true if a word names a kind. kubectl's short name for nodes does not count, as it is an ordinary word.
pub(super) fn is_kind(word: &str) -> bool {
    word != "no" && Subject::is_kind_word(word)
}

/// Returns true for `meshes.example.io` and the like.
fn is_group_resource(word: &str) -> bool {
    word.split('.').count() >= 3
        && word.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        })
}

fn is_name(part: Part<'_, '_>) -> bool {
    let value = part.as_str();
    !value.is_empty()
        && value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte))
}

/// Adds an object's kind, namespace and name.
pub(super) fn add_object<'a>(
    kind: Part<'_, 'a>,
    namespace: Option<Part<'_, 'a>>,
    name: Part<'_, 'a>,
    facts: &mut Facts<'a>,
) {
    let spelling = Subject::kind_from_word(kind.as_str());
    add(facts, kind.says(Fact::Kind, &spelling));
    if let Some(namespace) = namespace {
        add(facts, namespace.fact(Fact::Namespace));
    }
    add(facts, name.fact(Fact::Name));
    if spelling == "Pod" {
        add(facts, name.fact(Fact::Pod));
    }
}

/// Adds a pod by its full name as printed by the kubelet and runtimes: `web-0_shop`, `web-0_shop(uid)`.
fn add_pod<'a>(full: Part<'_, 'a>, facts: &mut Facts<'a>) {
    let Some((name, rest)) = full.split_once("_") else {
        return;
    };
    let namespace = rest.split_once("(").map_or(rest, |(space, _)| space);
    add(facts, name.says(Fact::Kind, "Pod"));
    add(facts, namespace.fact(Fact::Namespace));
    add(facts, name.fact(Fact::Name));
    add(facts, name.fact(Fact::Pod));
}

fn add<'a>(facts: &mut Facts<'a>, fact: (Fact, Text<'a>)) {
    let known = facts
        .iter()
        .any(|(kind, text)| *kind == fact.0 && text.span() == fact.1.span());
    if !known {
        facts.push(fact);
    }
}
