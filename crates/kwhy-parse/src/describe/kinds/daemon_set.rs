//! DaemonSets.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Block, Content, field};
use super::template::POD_TEMPLATE;
use super::values::{counts, integer, labels};
use super::{Kind, controller};

static DAEMON_SET: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        SELECTOR,
        field("Node-Selector", "node_selector", Content::Lines, labels),
        LABELS,
        ANNOTATIONS,
        field(
            "Desired Number of Nodes Scheduled",
            "desired_scheduled",
            Content::Value,
            integer,
        ),
        field(
            "Current Number of Nodes Scheduled",
            "current_scheduled",
            Content::Value,
            integer,
        ),
        field(
            "Number of Nodes Scheduled with Up-to-date Pods",
            "up_to_date",
            Content::Value,
            integer,
        ),
        field(
            "Number of Nodes Scheduled with Available Pods",
            "available",
            Content::Value,
            integer,
        ),
        field(
            "Number of Nodes Misscheduled",
            "misscheduled",
            Content::Value,
            integer,
        ),
        field("Pods Status", "pods_status", Content::Value, counts),
        POD_TEMPLATE,
    ],
};

/// DaemonSets.
pub(super) static KIND: Kind = controller("DaemonSet", &DAEMON_SET);
