//! Container runtimes and the stages of OCI runtimes.
//!
//! dockerd: `Error response from daemon`. containerd: `failed to create containerd task`,
//! `failed to create shim task`. runc up to 1.0 prints its source line and the error that the stage caused
//! (`container_linux.go:348: starting container process caused "..."`), later versions only the
//! stage (`runc create failed: unable to start container process: error during container init`).

use super::operation;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

const RUNTIMES: &[&str] = &[
    "containerd",
    "cri-o",
    "crun",
    "docker",
    "kata",
    "runc",
    "youki",
];

/// Words of runc (`libcontainer/*.go`) and crun that name a stage.
const STAGES: &[&str] = &[
    "starting container process",
    "start container process",
    "container init",
    "creating new parent process",
    "running exec setns process",
    "starting setns process",
    "running prestart hook",
    "error running hook",
    "running hook",
    "applying cgroup configuration",
    "apply cgroup configuration",
    "setting cgroup config",
    "decoding init error from pipe",
    "getting the final child's pid from pipe",
    "preparing rootfs",
    "to rootfs",
    "rootfs_linux",
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    let value = first.as_str();
    if let Some(daemon) = first.find_words("Error response from daemon") {
        let at = daemon.range().start - first.range().start;
        let facts = vec![daemon.says(Fact::Runtime, "docker")];
        return Some(Found::new(LinkKind::Runtime, facts).at(at));
    }
    if is_source_line(value)
        && let Some(second) = cursor.part(1)
    {
        let facts = vec![
            first.fact(Fact::SourceLine),
            stage(second).fact(Fact::Stage),
        ];
        return Some(Found::new(LinkKind::OciStage, facts).taking(2));
    }
    if let Some(name) = RUNTIMES.iter().find(|name| **name == value) {
        let facts = vec![first.says(Fact::Runtime, name)];
        return Some(Found::new(LinkKind::Runtime, facts));
    }
    if let Some(action) = first.strip_suffix(" failed") {
        let mut words = action.words();
        let verb = words.next_back()?;
        let by = words.next_back();
        let mut facts = vec![verb.fact(Fact::Stage)];
        let by_value = by.map_or("", |by| by.as_str());
        if let (Some(by), true) = (by, RUNTIMES.contains(&by_value)) {
            facts.push(by.fact(Fact::Runtime));
            return Some(Found::new(LinkKind::OciStage, facts));
        }
        if action.find_words("OCI runtime").is_some() || action.as_str() == "container create" {
            return Some(Found::new(LinkKind::OciStage, facts));
        }
    }
    for (words, runtime) in [
        ("containerd task", "containerd"),
        ("containerd container", "containerd"),
        ("create shim", "containerd"),
        ("start shim", "containerd"),
        ("create shim task", "containerd"),
    ] {
        if let Some(place) = first.find_words(words) {
            let mut facts = operation::describe(first).1;
            facts.push(place.says(Fact::Runtime, runtime));
            return Some(Found::new(LinkKind::Runtime, facts));
        }
    }
    let known = STAGES.iter().any(|words| first.find_words(words).is_some());
    known.then(|| Found::new(LinkKind::OciStage, vec![stage(first).fact(Fact::Stage)]))
}

/// Returns true for `rootfs_linux.go:58` and the like.
pub(super) fn is_source_line(value: &str) -> bool {
    value.split_once(".go:").is_some_and(|(file, line)| {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-/".contains(&byte);
        !file.is_empty()
            && file.bytes().all(is_name)
            && !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the words of a stage, without the failure before it, and without its cause and the objects after it.
fn stage<'c, 'a>(part: Part<'c, 'a>) -> Part<'c, 'a> {
    let part = ["unable to ", "error during ", "error "]
        .iter()
        .find_map(|words| part.strip_prefix(words))
        .unwrap_or(part);
    let value = part.as_str();
    let end = value
        .find(" caused")
        .into_iter()
        .chain(value.find(['"', '\\', '(', '[']))
        .min()
        .unwrap_or(value.len());
    part.slice(0..end).trim_end()
}
