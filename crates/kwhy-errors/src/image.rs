//! Image pulls, as worded by the kubelet and containerd.

use super::operation;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some(second) = cursor.part(1)
        && second.as_str() == "not found"
        && is_reference(first)
    {
        return Some(Found::new(LinkKind::Other, vec![first.fact(Fact::Image)]).taking(2));
    }
    if let Some(words) = first.find_words("Back-off pulling image") {
        let operation = words.from("Back-off ".len()).slice(0.."pulling".len());
        return Some(Found::new(
            LinkKind::Operation,
            vec![operation.fact(Fact::Operation)],
        ));
    }
    for (before, after) in [
        ("manifest for ", " not found"),
        ("pull access denied for ", ","),
    ] {
        if let Some(image) = first.between(before, after)
            && !image.as_str().contains(' ')
        {
            return Some(Found::new(LinkKind::Other, vec![image.fact(Fact::Image)]));
        }
    }
    let pulls = ["pull image ", "resolve reference ", "unpack image "]
        .iter()
        .any(|words| first.find_words(words.trim_end()).is_some());
    if !pulls {
        return None;
    }
    let (_, facts) = operation::describe(first);
    Some(Found::new(LinkKind::Operation, facts))
}

/// Returns true if a segment consists of an image reference with a path.
fn is_reference(part: Part<'_, '_>) -> bool {
    let value = part.as_str();
    !value.starts_with('/')
        && !value.contains("://")
        && value.contains('/')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"./:@_-".contains(&byte))
}
