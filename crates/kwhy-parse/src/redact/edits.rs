//! Replaces the names and addresses in a text by tokens.

use std::borrow::Cow;

use super::Identities;
use super::shape_of_identity::{self as shape, Shape};
use kwhy_model::{Span, Subject};

impl Identities {
    /// Returns a text with tokens.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let edits = self.edits(text);
        if edits.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut kept = 0;
        for (span, token) in &edits {
            out.push_str(text.get(kept..span.start).unwrap_or(""));
            out.push_str(token);
            kept = span.end;
        }
        out.push_str(text.get(kept..).unwrap_or(""));
        Cow::Owned(out)
    }

    /// Returns a text with tokens in which table columns keep their positions, if there are enough spaces.
    pub(super) fn redact_aligned(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut kept = 0;
        // the number of characters by which the line has moved to the right
        let mut moved = 0_isize;
        for (span, token) in self.edits(text) {
            align(
                &mut out,
                text.get(kept..span.start).unwrap_or(""),
                &mut moved,
            );
            moved += token.len() as isize - span.len() as isize;
            out.push_str(&token);
            kept = span.end;
        }
        align(&mut out, text.get(kept..).unwrap_or(""), &mut moved);
        out
    }

    /// Returns a text with tokens, and the new position of a range in it.
    pub fn redact_marked(&mut self, text: &str, mark: &Span) -> (String, Span) {
        let edits = self.edits(text);
        let mut moved = mark.clone();
        let mut out = String::with_capacity(text.len());
        let mut kept = 0;
        for (span, token) in &edits {
            out.push_str(text.get(kept..span.start).unwrap_or(""));
            let start = out.len();
            out.push_str(token);
            kept = span.end;
            // a range that starts or ends within a token is extended to include it
            for (at, is_end) in [(mark.start, false), (mark.end, true)] {
                let to = match at {
                    at if at >= span.end => out.len() + (at - span.end),
                    at if at > span.start && is_end => out.len(),
                    at if at > span.start => start,
                    _ => continue,
                };
                *(if is_end {
                    &mut moved.end
                } else {
                    &mut moved.start
                }) = to;
            }
        }
        out.push_str(text.get(kept..).unwrap_or(""));
        (out, moved)
    }

    /// Learns the names in a text, so that texts before it get the same tokens.
    pub fn learn(&mut self, text: &str) {
        self.found(text);
    }

    /// Returns the ranges of a text to replace, in order, with their tokens; each is counted.
    fn edits(&mut self, text: &str) -> Vec<(Span, String)> {
        let edits = self.found(text);
        for (span, _) in &edits {
            let token = text
                .get(span.clone())
                .and_then(|value| self.tokens.get(value));
            if let Some(token) = token
                && let Some((_, times)) = self.counts.get_mut(&token.kind)
            {
                *times += 1;
            }
        }
        edits
    }

    fn found(&mut self, text: &str) -> Vec<(Span, String)> {
        let mut edits = Vec::new();
        let mut kind: Option<(usize, &str)> = None;
        for word in shape::words(text) {
            let value = text.get(word.clone()).unwrap_or("");
            // punctuation only
            if value.is_empty() {
                continue;
            }
            // `configmap "web-conf"`, `pod=web-0`
            let named = kind
                .take()
                .filter(|(end, _)| shape::names(text.get(*end..word.start).unwrap_or("")))
                .map(|(_, kind)| kind);
            self.word(value, word.start, named, &mut edits);
            let is_kind = Subject::is_kind_word(value) || shape::PEOPLE.contains(&value);
            if is_kind || value.eq_ignore_ascii_case("namespace") {
                kind = Some((word.end, value));
            }
        }
        edits
    }

    /// Collects the pieces of a word to replace. `named` is the preceding kind word, if the word names an object of
    /// that kind.
    fn word(
        &mut self,
        word: &str,
        at: usize,
        named: Option<&str>,
        edits: &mut Vec<(Span, String)>,
    ) {
        match shape::whole(word) {
            Some(Shape::Kept) => {}
            Some(shape) => {
                let mut token = self.token(shape.kind(), word);
                // the registry is a host that may occur in other lines
                let registry = word.split(['/', ':']).next().unwrap_or("");
                if shape == Shape::Image && shape::is_host(registry) && !shape::is_public(registry)
                {
                    token = format!("{}/{token}", self.token("host", registry));
                }
                edits.push((at..at + word.len(), token));
            }
            None => self.pieces(word, at, named, edits),
        }
    }

    fn pieces(
        &mut self,
        word: &str,
        at: usize,
        named: Option<&str>,
        edits: &mut Vec<(Span, String)>,
    ) {
        let pieces: Vec<Span> = shape::pieces(word).collect();
        for (index, piece) in pieces.iter().enumerate() {
            let value = &word[piece.clone()];
            // `ReplicaSet/web-6d5f9c7b8`, `/api/v1/namespaces/shop/pods`
            let before = index
                .checked_sub(1)
                .map(|before| &word[pieces[before].clone()]);
            let is_path = word[..piece.start].ends_with('/');
            let before = before.filter(|_| is_path && !shape::is_file(value));
            let before = before.and_then(|kind| kind.split('.').next());
            // `pod="shop/web-0"`
            let named = match (named, pieces.len() - index) {
                (Some(kind), 1) => Some(kind),
                (Some(_), 2) => Some("namespace"),
                _ => before.filter(|kind| Subject::is_kind_word(kind) || *kind == "namespaces"),
            };
            for (span, token) in self.piece(value, named) {
                edits.push((
                    at + piece.start + span.start..at + piece.start + span.end,
                    token,
                ));
            }
        }
    }

    fn piece(&mut self, piece: &str, named: Option<&str>) -> Vec<(Span, String)> {
        let whole = 0..piece.len();
        if self.is_public(piece) {
            return Vec::new();
        }
        if let Some(token) = self.tokens.get(piece) {
            return vec![(whole, token.text.clone())];
        }
        match shape::piece(piece) {
            Some(Shape::Kept) => return Vec::new(),
            Some(shape) => return vec![(whole, self.token(shape.kind(), piece))],
            None => {}
        }
        // the labels of a hostname: `web.shop.svc.cluster.local`
        if piece.contains('.') {
            if let Some((service, namespace)) = shape::service(piece) {
                self.add("service", service);
                self.add("namespace", namespace);
            }
            let mut edits = Vec::new();
            for part in shape::labels(piece) {
                if let Some(token) = self.tokens.get(&piece[part.clone()]) {
                    edits.push((part, token.text.clone()));
                }
            }
            if !edits.is_empty() || shape::is_host(piece) {
                if edits.is_empty() {
                    edits.push((whole, self.token("host", piece)));
                }
                return edits;
            }
        }
        match named {
            Some(kind) if shape::is_name(piece) => {
                let kind = match Subject::known_kind(kind) {
                    Some(kind) => kind.to_owned(),
                    None if shape::PEOPLE.contains(&kind) => "user".to_owned(),
                    None => kind.to_owned(),
                };
                vec![(whole, self.token(&kind, piece))]
            }
            // a replica or a part of a known object
            _ if shape::bases(piece).any(|base| self.tokens.contains_key(base)) => {
                vec![(whole, self.token("object", piece))]
            }
            _ => Vec::new(),
        }
    }
}

/// Appends the text between two tokens, shrinking or widening gaps between columns to undo the shift of the line.
fn align(out: &mut String, text: &str, moved: &mut isize) {
    let line = text.find('\n').unwrap_or(text.len());
    let (line, rest) = text.split_at(line);
    match line.find("  ").filter(|_| *moved != 0) {
        Some(gap) => {
            let (before, after) = line.split_at(gap);
            let after_gap = after.trim_start_matches(' ');
            let width = (after.len() - after_gap.len()) as isize;
            let new = (width - *moved).max(2);
            *moved -= width - new;
            out.push_str(before);
            out.extend(std::iter::repeat_n(' ', new.unsigned_abs()));
            // later gaps absorb the rest
            match *moved {
                0 => out.push_str(after_gap),
                _ => align(out, after_gap, moved),
            }
        }
        None => out.push_str(line),
    }
    if !rest.is_empty() {
        *moved = 0;
        out.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Identities {
        let mut identities = Identities::new(None);
        for (kind, name) in [
            ("Namespace", "shop"),
            ("Pod", "web-6d5f9c7b8-kq2xz"),
            ("Deployment", "web"),
            ("Node", "worker-2"),
            ("Namespace", "kube-system"),
        ] {
            identities.add(kind, name);
        }
        identities
    }

    #[test]
    fn what_becomes_a_token() {
        for (text, redacted) in [
            (
                "Pod shop/web-6d5f9c7b8-kq2xz on worker-2",
                "Pod namespace-1/pod-1 on node-1",
            ),
            (
                "kubectl -n shop get pods",
                "kubectl -n namespace-1 get pods",
            ),
            (
                "deployment.apps/web and web-1",
                "deployment.apps/deployment-1 and object-1",
            ),
            (
                "configmap \"cart-conf\" not found",
                "configmap \"configmap-1\" not found",
            ),
            (
                "pod=\"shop/api-0\" node=edge-1",
                "pod=\"namespace-1/pod-2\" node=node-2",
            ),
            (
                "dial tcp 192.0.2.7:443: connect",
                "dial tcp address-1:443: connect",
            ),
            (
                "lookup db.acme.example on 192.0.2.1:53",
                "lookup host-1 on address-1:53",
            ),
            (
                "https://git.acme.example/team/x.git",
                "https://host-1/team/x.git",
            ),
            (
                "web.shop.svc.cluster.local",
                "deployment-1.namespace-1.svc.cluster.local",
            ),
            (
                "image \"registry.acme.example/web:2.1\"",
                "image \"host-1/image-1\"",
            ),
            (
                "pull acme/cart:stable, nginx:1.25.3",
                "pull image-1, image-2",
            ),
            (
                "https://api.quay.svc:8443/x",
                "https://service-1.namespace-2.svc:8443/x",
            ),
            ("mail ann@acme.example now", "mail email-1 now"),
            ("User \"ann\" cannot list", "User \"user-1\" cannot list"),
            (
                "{\"user\":\"carl\",\"pod\": \"x-1\"}",
                "{\"user\":\"user-1\",\"pod\": \"pod-2\"}",
            ),
            ("uid 0f8e7d6c-1a2b-4c3d-9e8f-001122334455", "uid uid-1"),
            ("2001:db8::17 is down", "address-1 is down"),
            (
                "pod web-6d5f9c7b8-kq2xz_shop(0f8e)",
                "pod pod-1_namespace-1(0f8e)",
            ),
            (
                "Controlled By:  ReplicaSet/api-6d5f9c7b8",
                "Controlled By:  ReplicaSet/replicaset-2",
            ),
            (
                "GET /api/v1/namespaces/quay/pods/x1-2/log",
                "GET /api/v1/namespaces/namespace-2/pods/pod-2/log",
            ),
            (
                "app=web, set web-6d5f9c7b8",
                "app=deployment-1, set replicaset-1",
            ),
            ("new-5f6d7c8b9d-x2x7k is gone", "pod-2 is gone"),
        ] {
            assert_eq!(known().redact(text), redacted, "{text}");
        }
    }

    #[test]
    fn what_stays() {
        for text in [
            "E0304 05:06:07.123456       1 sync.go:88] \"Failed\"",
            "2024-03-04T05:06:07.5Z kubelet MountVolume.SetUp failed for volume",
            "app.kubernetes.io/name k8s.io/client-go/tools/cache.go:12 apps/v1",
            "listen 127.0.0.1:10248 in kube-system of default",
            "pod_workers.go:1300] node_lifecycle_controller.go:7 pods/server.go:12",
            "runtime.main() main.go:7 spec.containers[0].image 1.25.3",
            "x509: certificate signed by unknown authority",
            "networking.k8s.io/v1 node.kubernetes.io/not-ready:NoSchedule",
            "pod \"\" namespace is empty; secret not found",
        ] {
            assert_eq!(known().redact(text), text);
        }
    }

    #[test]
    fn the_same_value_is_the_same_token() {
        let mut one = known();
        let first = one
            .redact("host db.acme.example, db2.acme.example")
            .into_owned();
        assert_eq!(one.redact("host db.acme.example, db2.acme.example"), first);
        let counts: Vec<_> = one.counts().collect();
        assert_eq!(counts, [("host", 2, 4)]);
        // a key yields the same token in every run, whatever was read before
        let with_key = |before: &str| {
            let mut identities = Identities::new(Some("quay"));
            identities.redact(before);
            identities.redact("lookup db.acme.example").into_owned()
        };
        assert_eq!(with_key(""), with_key("mail.acme.example"));
        let other = Identities::new(Some("crane"))
            .redact("lookup db.acme.example")
            .into_owned();
        assert_ne!(with_key(""), other);
    }

    #[test]
    fn columns_stay() {
        let table = "\
NAMESPACE     NAME                    READY   NODE       AGE
shop          web-6d5f9c7b8-kq2xz     1/1     worker-2   3d
kube-system   web                     1/1     worker-2   3d
";
        let expected = "\
NAMESPACE     NAME                    READY   NODE       AGE
namespace-1   pod-1                   1/1     node-1     3d
kube-system   deployment-1            1/1     node-1     3d
";
        assert_eq!(known().redact_aligned(table), expected);
    }

    #[test]
    fn marks_move() {
        let text = "dial tcp 192.0.2.7:443: refused";
        let at = text.find("192").unwrap();
        let (out, mark) = known().redact_marked(text, &(at..at + 13));
        assert_eq!(&out[mark], "address-1:443");
        let end = text.find("refused").unwrap();
        let (out, mark) = known().redact_marked(text, &(end..text.len()));
        assert_eq!(&out[mark], "refused");
        let (out, mark) = known().redact_marked(text, &(at + 2..at + 4));
        assert_eq!(&out[mark], "address-1");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[a-z0-9.:/@ \"=-]{0,60}", start in 0..60usize, length in 0..60usize) {
            let mut identities = known();
            let start = (0..=start.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = (start + length).min(text.len());
            let (out, mark) = identities.redact_marked(&text, &(start..end));
            proptest::prop_assert!(out.get(mark).is_some());
            let again = identities.redact(&text).into_owned();
            proptest::prop_assert_eq!(again, out);
        }
    }
}
