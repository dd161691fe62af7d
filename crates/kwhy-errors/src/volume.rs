//! Volume operations of the kubelet and the attach/detach controller (`pkg/volume/util`,
//! `pkg/kubelet/volumemanager`): `MountVolume.SetUp failed for volume "x" : ...`, and pods
//! that wait for them.

use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};
use kwhy_model::Text;

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some((before, _)) = first.split_once(" failed for volume ") {
        let operation = before.words().next_back()?;
        let at = operation.range().start - first.range().start;
        return Some(Found::new(LinkKind::Operation, vec![operation.fact(Fact::Operation)]).at(at));
    }
    if let Some(words) = first.find_words("attach or mount volumes") {
        let mut facts = vec![words.fact(Fact::Operation)];
        let lists = cursor
            .part(1)
            .filter(|part| part.as_str().starts_with("unmounted volumes"));
        facts.extend(lists.into_iter().flat_map(unmounted));
        let take = 1 + usize::from(lists.is_some());
        return Some(Found::new(LinkKind::Operation, facts).taking(take).opaque());
    }
    // up to 1.17, everything in one segment
    if let Some(words) = first.find_words("timeout expired waiting for volumes") {
        let mut facts = vec![words.says(Fact::Timeout, "condition")];
        facts.extend(unmounted(first));
        return Some(Found::new(LinkKind::Timeout, facts).opaque());
    }
    if first.as_str() == "hostPath type check failed" {
        let second = cursor.part(1)?;
        let (path, _) = second.split_once(" is not ")?;
        let facts = vec![first.fact(Fact::Operation), path.fact(Fact::Path)];
        return Some(Found::new(LinkKind::Operation, facts).taking(2));
    }
    None
}

const MAX_VOLUMES: usize = 64;

/// Returns the names in `unmounted volumes=[a b]`.
fn unmounted<'a>(part: Part<'_, 'a>) -> Vec<(Fact, Text<'a>)> {
    let names = part.between("unmounted volumes=[", "]");
    names.map_or_else(Vec::new, |names| {
        names
            .words()
            .take(MAX_VOLUMES)
            .map(|volume| volume.trim_matches(&[',']).fact(Fact::Volume))
            .collect()
    })
}
