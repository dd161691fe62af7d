//! The types of an error chain.

use super::Fact;
use kwhy_model::Text;

/// The kind of a link of an error chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinkKind {
    /// `(combined from similar events): `, a prefix added by the event recorder.
    SimilarEvents,
    /// A gRPC status: `rpc error: code = X desc = `.
    Grpc,
    /// The operation that failed: `failed to pull image "x"`, `MountVolume.SetUp failed for volume "x"`.
    Operation,
    /// The container runtime that answers: `Error response from daemon`, `containerd`.
    Runtime,
    /// A stage of an OCI runtime: `container_linux.go:348: starting container process`.
    OciStage,
    /// A CNI plugin: `plugin type="flannel" failed (add)`.
    Cni,
    /// A failed system call: `open /x: permission denied`.
    Syscall,
    /// An HTTP request or status.
    Http,
    /// A certificate that was rejected.
    X509,
    /// A name that could not be resolved.
    Dns,
    /// A network operation: `dial tcp 10.0.0.1:443: connect: connection refused`.
    Network,
    /// An exceeded deadline or a cancelled request.
    Timeout,
    /// A process ended by a signal or with an exit status.
    Exit,
    /// An answer of the API server about an object: not found, forbidden, conflict, exceeded quota.
    Api,
    /// Anything else.
    Other,
}

/// One link of an error chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Link<'a> {
    /// Its kind.
    pub kind: LinkKind,
    /// Its own text, unquoted, without the links inside it.
    pub text: Text<'a>,
    /// Its facts, in the order in which they were found.
    pub facts: Vec<(Fact, Text<'a>)>,
}

/// A parsed wrapped error.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ErrorChain<'a> {
    /// The links, outermost first.
    pub links: Vec<Link<'a>>,
}
