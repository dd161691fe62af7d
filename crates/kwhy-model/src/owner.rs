//! The workload to which a generated name belongs.

use super::Subject;

/// The alphabet of generated suffixes (`k8s.io/apimachinery/pkg/util/rand`).
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

fn is_generated(part: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&part.len()) && part.bytes().all(|b| ALPHABET.contains(&b))
}

/// Returns true for a ReplicaSet's hash: in the safe alphabet, or digits only as in clusters before 1.12.
fn is_template_hash(part: &str) -> bool {
    is_generated(part, 6..=10)
        || ((8..=10).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

impl Subject {
    /// Returns the name of the workload that the object belongs to, derived from its generated name:
    /// `web` for Pod `web-7d9f8c6b5-x2x4z`, ReplicaSet `web-7d9f8c6b5` and Deployment `web`.
    ///
    /// ```
    /// use kwhy_model::Subject;
    /// assert_eq!(Subject::new("Pod", None, "web-7d9f8c6b5-x2x4z").workload(), Some("web"));
    /// assert_eq!(Subject::new("Pod", None, "db-0").workload(), Some("db"));
    /// ```
    pub fn workload(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        match self.kind.as_deref() {
            Some("ReplicaSet") => match name.rsplit_once('-') {
                Some((stem, hash)) if is_template_hash(hash) => Some(stem),
                _ => Some(name),
            },
            Some("Pod") | None => match name.rsplit_once('-') {
                Some((stem, part))
                    if part.bytes().all(|b| b.is_ascii_digit()) && part.len() <= 4 =>
                {
                    Some(stem)
                }
                Some((stem, part)) if is_generated(part, 5..=5) => match stem.rsplit_once('-') {
                    Some((stem, hash)) if is_template_hash(hash) => Some(stem),
                    _ => Some(stem),
                },
                _ => Some(name),
            },
            _ => Some(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads() {
        let of = |kind, name| Subject::new(kind, None, name).workload().map(str::to_owned);
        assert_eq!(of("ReplicaSet", "web-6d9f8c7b54").as_deref(), Some("web"));
        assert_eq!(of("Pod", "kube-proxy-rfgxq").as_deref(), Some("kube-proxy"));
        assert_eq!(of("Pod", "etcd-node-one").as_deref(), Some("etcd-node-one"));
        assert_eq!(of("Service", "web-0").as_deref(), Some("web-0"));
    }
}
