//! The ids by which a record refers to objects: the UID of a pod, the id of a container, sandbox or reconciliation.
//! Their owners are found in the objects of the input, or in other records.
//!
//! Sources: kubernetes/kubernetes `pkg/kubelet` (`podUID`, `name_namespace(uid)`, `/var/lib/kubelet/pods/UID`,
//! `kubepods-podUID.slice` with `_` for `-`), containerd, CRI-O and docker (64 hexadecimal digits, of which their
//! tables print 12 or 13), kubernetes-sigs/controller-runtime (`reconcileID`, 0.13 and later), knative.dev/pkg
//! (`knative.dev/traceid`).

use std::sync::Arc;

use memchr::memchr2_iter;

use kwhy_model::{Event, Subject};

/// The maximum number of ids that are kept per record.
const MAX_IDS: usize = 8;

/// The maximum number of bytes of a value that are searched.
const MAX_TEXT: usize = 4096;

/// The length of a UID: 32 hexadecimal digits in groups.
const UID: usize = 36;

/// The number of leading digits that identify a container's id: as many as docker prints.
pub(crate) const SHORT: usize = 12;

/// Normalised names of fields that name the pod of the record.
const OF_POD: &[&str] = &["poduid", "podsandboxid", "sandboxid"];

/// Normalised names of fields that name the container of the record.
const OF_CONTAINER: &[&str] = &["containerid"];

/// Normalised names of fields with the id of one reconciliation of one object.
const OF_ROUND: &[&str] = &["reconcileid", "reconciliationid", "knativedevtraceid"];

/// The ids by which a log record refers to objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ids {
    /// In the order of the record: UIDs in lower case with `-`, container ids as they are.
    pub named: Vec<String>,
    /// The owners of ids that the record itself names.
    pub stated: Vec<(String, Subject)>,
    /// True if the record names its object and so needs no id.
    pub is_named: bool,
}

impl Ids {
    /// Returns the ids of a log record, if it has any.
    pub fn of(event: &Event<'_>) -> Option<Arc<Ids>> {
        if !event.format.is_log() {
            return None;
        }
        let mut named = Vec::new();
        let values = event.fields.iter().map(|field| field.value.as_str());
        for text in values.chain([event.message.as_str()]) {
            find(start_of(text), |id, _| {
                if named.len() < MAX_IDS && !named.contains(&id) {
                    named.push(id);
                }
            });
        }
        if named.is_empty() {
            return None;
        }
        let subject = &event.subject;
        let is_node = subject.kind.as_deref() == Some("Node");
        // the name may come from the pod whose log it is, not from the record
        let holds = |name: &String| {
            let mut values = event.fields.iter().map(|field| field.value.as_str());
            event.message.as_str().contains(name.as_str())
                || values.any(|value| value.contains(name.as_str()))
        };
        let is_named = !is_node && subject.name.as_ref().is_some_and(holds);
        let mut ids = Ids {
            named,
            stated: Vec::new(),
            is_named,
        };
        ids.tell(event);
        Some(Arc::new(ids))
    }

    /// Adds the owners that the record states for its ids.
    fn tell(&mut self, event: &Event<'_>) {
        let subject = Subject {
            node: None,
            ..event.subject.clone()
        };
        let pod = Subject {
            container: None,
            ..subject.clone()
        };
        let is_pod = self.is_named && subject.kind.as_deref() == Some("Pod");
        for field in &event.fields {
            let key = plain(&field.key);
            let of = if is_pod && OF_POD.contains(&&*key) {
                Some(pod.clone())
            } else if is_pod && OF_CONTAINER.contains(&&*key) {
                subject.container.is_some().then(|| subject.clone())
            } else if OF_ROUND.contains(&&*key) {
                reconciled(event).or_else(|| self.is_named.then(|| pod.clone()))
            } else {
                None
            };
            let Some(of) = of else { continue };
            find(start_of(field.value.as_str()), |id, _| {
                self.stated.push((id, of.clone()));
            });
        }
        if !is_pod {
            return;
        }
        // the kubelet's `name_namespace(uid)`
        let (Some(name), Some(namespace)) = (&pod.name, &pod.namespace) else {
            return;
        };
        let printed = format!("{name}_{namespace}(");
        let values = event.fields.iter().map(|field| field.value.as_str());
        for text in values.chain([event.message.as_str()]) {
            let text = start_of(text);
            find(text, |id, at| {
                let before = text.get(..at).unwrap_or_default();
                if before.ends_with(&printed) && !self.stated.iter().any(|(known, _)| *known == id)
                {
                    self.stated.push((id, pod.clone()));
                }
            });
        }
    }

    /// The approximate number of bytes of memory that they take.
    pub fn size(&self) -> usize {
        const EACH: usize = 64;
        let named = self.named.iter().map(|id| id.len() + EACH);
        let stated = self.stated.iter().map(|(id, of)| {
            let parts = [&of.kind, &of.namespace, &of.name, &of.container];
            let parts = parts
                .into_iter()
                .flatten()
                .map(|part| part.len() + EACH / 2);
            id.len() + EACH + parts.sum::<usize>()
        });
        size_of::<Ids>() + named.sum::<usize>() + stated.sum::<usize>()
    }
}

/// Returns the object that a controller of controller-runtime is reconciling.
fn reconciled(event: &Event<'_>) -> Option<Subject> {
    let value = |key: &str| event.field(key).map(|text| text.as_str());
    let kind = value("controllerKind")?;
    let name = value("name").filter(|name| !name.is_empty())?;
    let namespace = value("namespace").filter(|namespace| !namespace.is_empty());
    Some(Subject::new(kind, namespace, name))
}

/// Normalises a key to lower-case letters and digits: `podUID`, `pod_uid` and `pod.uid` become equal.
fn plain(key: &str) -> String {
    let letters = key.bytes().filter(u8::is_ascii_alphanumeric).take(64);
    letters
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect()
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Calls `found` with each id in a text, in the form in which it is looked up, and its byte offset.
pub(crate) fn find(text: &str, mut found: impl FnMut(String, usize)) {
    uids(text, &mut found);
    runs(text, &mut found);
}

/// Finds UIDs: five groups of hexadecimal digits, separated by `-` or, in names of cgroups, `_`.
fn uids(text: &str, found: &mut impl FnMut(String, usize)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for sign in memchr2_iter(b'-', b'_', bytes) {
        let Some(start) = sign.checked_sub(8).filter(|start| *start >= done) else {
            continue;
        };
        let Some(uid) = bytes.get(start..start + UID) else {
            continue;
        };
        let separator = bytes[sign];
        let fits = |(at, byte): (usize, &u8)| match at {
            8 | 13 | 18 | 23 => *byte == separator,
            _ => byte.is_ascii_hexdigit(),
        };
        let before = &bytes[..start];
        let is_begun = before.ends_with(b"pod") || !before.last().is_some_and(is_word);
        if is_begun
            && !bytes.get(start + UID).is_some_and(is_word)
            && uid.iter().enumerate().all(fits)
        {
            let uid = uid.iter().map(|byte| match byte {
                b'_' => '-',
                byte => char::from(byte.to_ascii_lowercase()),
            });
            found(uid.collect(), start);
            done = start + UID;
        }
    }
}

/// Finds ids without separators: of containers (64 digits, or the first 12 or 13 of them) and of static pods (32
/// digits).
fn runs(text: &str, found: &mut impl FnMut(String, usize)) {
    let bytes = text.as_bytes();
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    // groups of UIDs and parts of names can be as long
    let is_sign = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'_' | b'.'));
    // the earliest start of the next run
    let mut next = 0;
    // a run of sufficient length covers every such byte
    while let Some(byte) = bytes.get(next + SHORT - 1) {
        if !is_word(byte) {
            next += SHORT;
            continue;
        }
        let before = bytes[next..next + SHORT].iter().rev();
        let covered = before.take_while(|byte| is_word(byte)).count();
        let begin = next + SHORT - covered;
        let rest = bytes[next + SHORT..].iter();
        let end = next + SHORT + rest.take_while(|byte| is_word(byte)).count();
        next = end;
        let word = text.get(begin..end).unwrap_or_default();
        let id = word.strip_prefix("pod").unwrap_or(word);
        let fits = match id.len() {
            64 | 32 => true,
            SHORT | 13 => {
                let before = begin.checked_sub(1).and_then(|at| bytes.get(at));
                id.len() == word.len() && !is_sign(before) && !is_sign(bytes.get(end))
            }
            _ => false,
        };
        if fits && id.bytes().all(|byte| is_digit(&byte)) {
            found(id.to_owned(), end - id.len());
        }
    }
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_model::{Field, Format, Text};
    use proptest::prelude::*;

    /// The runs of letters and digits that are as long as an id, with their byte offsets.
    fn naive_runs(text: &str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut start = 0;
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            let rest = &text[start + word.len()..];
            let id = word.strip_prefix("pod").unwrap_or(word);
            let is_alone = !text[..start].ends_with(['-', '_', '.'])
                && !rest.starts_with(['-', '_', '.'])
                && id == word;
            let fits = matches!(id.len(), 64 | 32) || matches!(id.len(), 12 | 13) && is_alone;
            if fits
                && id
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            {
                found.push((id.to_owned(), start + word.len() - id.len()));
            }
            start += word.len() + rest.chars().next().map_or(0, char::len_utf8);
        }
        found
    }

    proptest! {
        #[test]
        fn no_run_is_missed(text in "([0-9a-f]{12,13}|[0-9a-f]{32}|[0-9a-f]{64}|pod[0-9a-f]{32}|[a-z]{1,30}|[-_. /é]{1,3}){0,12}") {
            let mut found = Vec::new();
            runs(&text, &mut |id, at| found.push((id, at)));
            prop_assert_eq!(found, naive_runs(&text));
        }
    }

    const UID: &str = "5f0c1d2e-1111-4222-8333-944455566677";
    const CONTAINER: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

    fn found(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        find(text, |id, at| {
            assert!(text.get(at..at + id.len()).is_some(), "{text}");
            all.push(id);
        });
        all
    }

    #[test]
    fn uids_in_all_forms() {
        for text in [
            format!("uid: {UID}"),
            format!("pod \"tide-0_harbour({UID})\""),
            format!("/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/x"),
            format!("/kubepods/burstable/pod{UID}/x"),
            format!("kubepods-besteffort-pod{}.slice", UID.replace('-', "_")),
            UID.to_uppercase(),
        ] {
            assert_eq!(found(&text), [UID], "{text}");
        }
        for text in [
            UID[1..].to_owned(),
            format!("{UID}0"),
            format!("a{UID}"),
            UID.replacen('-', "_", 1),
        ] {
            assert_eq!(found(&text), [""; 0], "{text}");
        }
    }

    #[test]
    fn containers_in_all_forms() {
        for text in [
            format!("containerd://{CONTAINER}"),
            format!("cri-containerd-{CONTAINER}.scope"),
            format!("task {CONTAINER} not found"),
        ] {
            assert_eq!(found(&text), [CONTAINER], "{text}");
        }
        assert_eq!(found("container 0a1b2c3d4e5f6 exited"), ["0a1b2c3d4e5f6"]);
        let hash = &CONTAINER[..32];
        assert_eq!(found(&format!("/kubepods/pod{hash}/")), [hash]);
        for text in [
            "web-0a1b2c3d4e5f",
            "0a1b2c3d4e5",
            "0A1B2C3D4E5F",
            "x0a1b2c3d4e5f",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    fn ids(subject: Subject, message: &str, fields: &[(&'static str, &str)]) -> Ids {
        let mut event = Event::new(Format::Klog, 0..0, Text::borrowed(message, 0));
        event.subject = subject;
        let field = |(key, value): &(&'static str, &'static str)| {
            Field::text(*key, Text::borrowed(value, 0))
        };
        // `Event` borrows the values, so they are leaked
        let fields: Vec<(&'static str, &'static str)> = fields
            .iter()
            .map(|(key, value)| (*key, &*Box::leak((*value).to_owned().into_boxed_str())))
            .collect();
        event.fields = fields.iter().map(field).collect();
        Arc::unwrap_or_clone(Ids::of(&event).unwrap())
    }

    #[test]
    fn what_a_record_shows_of_its_ids() {
        let pod = Subject::new("Pod", Some("harbour"), "tide-0");
        let own = ids(
            pod.clone(),
            "x",
            &[("pod", "harbour/tide-0"), ("podUID", UID)],
        );
        assert!(own.is_named);
        assert_eq!(own.stated, [(UID.to_owned(), pod.clone())]);
        let printed = format!("Error syncing pod, tide-0_harbour({UID})");
        assert_eq!(ids(pod.clone(), &printed, &[]).stated.len(), 1);
        // the pod is that of the log, not of the record
        let other = ids(pod.clone(), "x", &[("podUID", UID)]);
        assert!(!other.is_named && other.stated.is_empty());
        // another id next to the pod's name
        let volume = format!("pod harbour/tide-0: volume pvc-{UID} is gone");
        assert!(ids(pod, &volume, &[]).stated.is_empty());
        let round = [
            ("controllerKind", "Berth"),
            ("namespace", "harbour"),
            ("name", "a"),
            ("reconcileID", UID),
        ];
        let berth = Subject::new("Berth", Some("harbour"), "a");
        assert_eq!(ids(Subject::default(), "x", &round).stated[0].1, berth);
    }
}
