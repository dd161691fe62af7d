//! The facts that the links of an error chain state.

/// A fact of a link. The form of its value is given with each.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fact {
    /// gRPC code as printed: `Unknown`, `DeadlineExceeded`.
    Grpc,
    /// The operation's words without its object: `create sandbox`, `MountVolume.SetUp`.
    Operation,
    /// `docker`, `containerd`, `cri-o`, `runc`, `crun`, `youki`, `kata`.
    Runtime,
    /// OCI stage's words: `starting container process`.
    Stage,
    /// The source line that runc prints: `rootfs_linux.go:58`.
    SourceLine,
    /// CNI plugin: `flannel`, `calico`, `aws-cni`.
    Plugin,
    /// CNI operation: `add` or `delete`.
    PluginOperation,
    /// System call or the like: `open`, `mkdir`, `mount`, `read unix`.
    Syscall,
    /// The errno's symbol: `ENOSPC`, `EACCES`, `ECONNREFUSED`.
    Errno,
    /// HTTP status as a number: `401`.
    HttpStatus,
    /// HTTP method in capitals.
    HttpMethod,
    /// A URL.
    Url,
    /// `unknown-authority`, `expired`, `not-yet-valid`, `wrong-name`, `legacy-common-name`, `other`.
    X509,
    /// `no-such-host`, `server-misbehaving`, `timeout`.
    Dns,
    /// The host name asked for.
    Host,
    /// Network operation: `dial`, `read`, `write`, `listen`, `lookup`.
    NetworkOperation,
    /// `refused`, `timeout`, `reset`, `no-route`, `unreachable`, `eof`, `in-use`, `broken-pipe`, `closed`,
    /// `plain-http` (the server does not speak TLS).
    NetworkReason,
    /// The address called, `host:port`.
    Address,
    /// The address called from.
    From,
    /// `deadline-exceeded`, `canceled`, `condition`, `client-timeout`, `operation-timeout`.
    Timeout,
    /// A signal's name without SIG, in capitals: `KILL`.
    Signal,
    /// An exit status as a number.
    ExitStatus,
    /// A path of a file system.
    Path,
    /// An image reference.
    Image,
    /// A container's or sandbox's id.
    ContainerId,
    /// The kind of an object that the link names, in API spelling: `ConfigMap`.
    Kind,
    /// Its namespace.
    Namespace,
    /// Its name.
    Name,
    /// A volume's name.
    Volume,
    /// The pod's name.
    Pod,
    /// A container's name.
    Container,
    /// The API's answer: `not-found`, `forbidden`, `already-exists`, `conflict`, `invalid`,
    /// `exceeded-quota`, `failed-quota`, `internal`, `webhook`, `policy`, `unauthorized`,
    /// `server-error`, `not-registered` (with the kubelet's cache).
    ApiReason,
    /// A webhook's name.
    Webhook,
    /// The key of a ConfigMap or Secret.
    Key,
    /// A ResourceQuota's name.
    Quota,
    /// The amount requested beyond a quota: `requests.storage=20Gi`.
    Requested,
    /// The amount that a quota counts as used.
    Used,
    /// The amount that a quota allows.
    Limited,
    /// The limits that a quota requires: `limits.cpu,limits.memory`, or each of them alone.
    MustSpecify,
    /// The user that the API server names.
    User,
    /// The verb that the user may not use.
    Verb,
    /// The resource that the user may not use: `pods`.
    Resource,
}
