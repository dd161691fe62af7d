//! The layouts of known bundles, read from `layouts/`: one file for each tool that collects them.

use std::sync::LazyLock;

use kwhy_core::Subject;
use serde::Deserialize;

use super::pattern::{Field, Kept, Pattern};

/// The kind of content of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A container's log.
    Logs,
    /// The log of the previous instance of a restarted container.
    PreviousLogs,
    /// Events.
    Events,
    /// API objects.
    Objects,
    /// Descriptions of objects, as `kubectl describe` prints them.
    Describe,
    /// Tables, such as those of `kubectl get`.
    Table,
    /// Logs of a node: its kubelet, its runtime, its journal.
    NodeLogs,
    /// Anything else about a node or component.
    Host,
    /// A collector's own errors, which are not problems of the cluster.
    Errors,
    /// The time of collection.
    Time,
    /// A file that only repeats others, or carries no information.
    Ignore,
}

impl Content {
    /// Returns the name shown in reports.
    pub fn name(self) -> &'static str {
        match self {
            Content::Logs => "logs",
            Content::PreviousLogs => "previous logs",
            Content::Events => "events",
            Content::Objects => "objects",
            Content::Describe => "descriptions",
            Content::Table => "tables",
            Content::NodeLogs => "node logs",
            Content::Host => "host",
            Content::Errors => "collector's errors",
            Content::Time => "time",
            Content::Ignore => "ignored",
        }
    }
}

/// A layout as written in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    title: String,
    marks: Vec<Vec<String>>,
    #[serde(default)]
    holds: Vec<Content>,
    #[serde(default)]
    time: Vec<String>,
    members: Vec<WrittenMember>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMember {
    path: String,
    holds: Content,
}

/// The layout of the bundles that one tool collects.
pub struct Layout {
    /// The id, which is also the name of its file.
    pub id: String,
    /// The tool's own name for the bundle.
    pub title: String,
    /// Lists of path patterns. The layout is recognised if every pattern of any one list occurs.
    pub marks: Vec<Vec<Pattern>>,
    /// The kinds of content of a complete bundle.
    pub holds: Vec<Content>,
    /// Patterns of paths that contain the time of collection.
    pub time: Vec<Pattern>,
    /// Path patterns, each with the kind of content of the members it matches.
    pub members: Vec<(Pattern, Content)>,
}

macro_rules! layouts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../layouts/", $name, ".yaml")))),*]
    };
}

const FILES: [(&str, &str); 22] = layouts![
    "troubleshoot",
    "must-gather",
    "kind",
    "istio-bug-report",
    "eks-log-collector",
    "rancher",
    "support-bundle-kit",
    "eck-diagnostics",
    "cilium-sysdump",
    "calico-diags",
    "crashd",
    "strimzi-report",
    "sosreport",
    "cluster-info-dump",
    "aks-periscope",
    "minikube",
    "docker-desktop",
    "gke-snapshot",
    "cluster-api",
    "prow",
    "sonobuoy",
    "node",
];

/// Returns all layouts.
pub fn layouts() -> &'static [Layout] {
    static ALL: LazyLock<Vec<Layout>> = LazyLock::new(|| {
        // a test parses each of them
        FILES
            .iter()
            .filter_map(|(_, text)| read(text).ok())
            .collect()
    });
    &ALL
}

fn read(text: &str) -> Result<Layout, String> {
    let written: Written = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let patterns = |texts: &[String]| -> Result<Vec<Pattern>, String> {
        texts.iter().map(|text| Pattern::new(text)).collect()
    };
    Ok(Layout {
        id: written.id,
        title: written.title,
        marks: written
            .marks
            .iter()
            .map(|marks| patterns(marks))
            .collect::<Result<_, _>>()?,
        holds: written.holds,
        time: patterns(&written.time)?,
        members: written
            .members
            .iter()
            .map(|member| Ok((Pattern::new(&member.path)?, member.holds)))
            .collect::<Result<_, String>>()?,
    })
}

/// The information in a member's path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The kind of content, if the path shows it.
    pub content: Option<Content>,
    /// The object that the member is about.
    pub about: Subject,
    /// The namespace that the member belongs to, if the path shows it.
    pub namespace: Option<String>,
}

/// Classifies a member by its path. The pattern with the most literal text wins, regardless of the bundle's other
/// members, so the result does not depend on their order.
pub fn place(path: &[&str]) -> Place {
    let mut best: Option<(usize, Content, Kept<'_>)> = None;
    for layout in layouts() {
        for (pattern, content) in &layout.members {
            if best
                .as_ref()
                .is_some_and(|(weight, ..)| *weight >= pattern.weight)
            {
                continue;
            }
            if let Some(kept) = pattern.fit(path) {
                best = Some((pattern.weight, *content, kept));
            }
        }
    }
    let Some((_, content, kept)) = best else {
        return Place::default();
    };
    let of = |field| {
        let all = kept.iter().find(|(known, _)| *known == field);
        all.map(|(_, text)| (*text).to_owned())
    };
    let namespace = of(Field::Namespace);
    let mut about = Subject {
        namespace: namespace.clone(),
        node: of(Field::Node),
        ..Subject::default()
    };
    match content {
        Content::Logs | Content::PreviousLogs => {
            about.name = of(Field::Pod);
            about.kind = about.name.as_ref().map(|_| "Pod".to_owned());
            about.container = of(Field::Container);
        }
        Content::NodeLogs | Content::Host => {
            about.name.clone_from(&about.node);
            about.kind = about.name.as_ref().map(|_| "Node".to_owned());
        }
        Content::Table | Content::Events | Content::Describe => about.node = None,
        // objects identify themselves
        _ => about = Subject::default(),
    }
    Place {
        content: Some(content),
        about,
        namespace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_is_well_formed() {
        for (name, text) in FILES {
            let layout = read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(layout.id, name);
            assert!(
                !layout.title.is_empty() && !layout.members.is_empty(),
                "{name}"
            );
            assert!(layout.marks.iter().all(|marks| !marks.is_empty()), "{name}");
        }
        assert_eq!(layouts().len(), FILES.len());
    }

    fn placed(path: &str) -> String {
        let path: Vec<&str> = path.split('/').collect();
        let place = place(&path);
        let content = place.content.map_or("-", Content::name);
        let container = place.about.container.as_deref().unwrap_or("");
        let node = place.about.node.as_deref().unwrap_or("");
        format!("{content}|{}|{container}|{node}", place.about)
    }

    #[test]
    fn names_tell_what_a_member_is_about() {
        for (path, expected) in [
            (
                "support-bundle-2024-03-04T05_06_07/cluster-resources/pods/logs/shop/web-0/app.log",
                "logs|Pod shop/web-0|app|",
            ),
            (
                "x/cluster-resources/pods/logs/shop/web-0/app-previous.log",
                "previous logs|Pod shop/web-0|app|",
            ),
            (
                "x/cluster-resources/events/shop.json",
                "events|in namespace shop||",
            ),
            (
                "must-gather.local.1/img/namespaces/shop/pods/web-0/app/app/logs/previous.log",
                "previous logs|Pod shop/web-0|app|",
            ),
            (
                "kind-worker/pods/shop_web-0_0a1b2c3d-0000-1111-2222-333344445555/app/0.log",
                "logs|Pod shop/web-0|app|kind-worker",
            ),
            (
                "kube-system/coredns-7d-x2/logs.txt",
                "logs|Pod kube-system/coredns-7d-x2||",
            ),
            (
                "proxies/shop/web-0/istio-proxy.log",
                "logs|Pod shop/web-0|istio-proxy|",
            ),
            (
                "logs/longhorn-system/manager-x/manager.log.1",
                "previous logs|Pod longhorn-system/manager-x|manager|",
            ),
            (
                "x/host_service_logs/masters/kubelet_service.log",
                "node logs|||",
            ),
            (
                "shop/pod/web-0/previous-logs.txt",
                "previous logs|Pod shop/web-0||",
            ),
            ("notes/readme.md", "-|||"),
        ] {
            assert_eq!(placed(path), expected, "{path}");
        }
    }
}
