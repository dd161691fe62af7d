//! Decides where the file of a built-in signature belongs.

use super::schema::Signature;

/// Returns the path at which the file of a signature belongs, below the folder of the built-in signatures. Only files
/// that are in `products/<product>/` at `path` may stay there, as nothing in a signature names its product.
///
/// ```
/// use kwhy_signature::{Causes, check, placement};
/// let yaml = "{id: x, cause: node/not-ready, severity: error, title: x, why: x, match: {event: {reason: X}}}";
/// let mut causes = Causes::default();
/// causes.add("node/not-ready", "the kubelet does not answer");
/// let document = check::documents(yaml)[0];
/// let signature = check::read_document("a.yaml", yaml, &document, &causes).unwrap();
/// assert_eq!(placement::expected(&signature, "a.yaml"), "node/x.yaml");
/// assert_eq!(placement::expected(&signature, "products/etcd/a.yaml"), "products/etcd/x.yaml");
/// ```
pub fn expected(signature: &Signature, path: &str) -> String {
    let id = &signature.id;
    let parts: Vec<&str> = path.split('/').collect();
    let folder = match (parts.as_slice(), signature.family()) {
        (["products", product, _], _) => return format!("products/{product}/{id}.yaml"),
        _ if !signature.ends.is_empty() => "recovery",
        _ if !signature.collect.is_empty() => "collect",
        (_, "none") => "benign",
        (_, family) => family,
    };
    format!("{folder}/{id}.yaml")
}
