//! DaemonSets.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Below, Block, field};
use super::template::POD_TEMPLATE;
use super::values::{counts, integer, labels};
use super::{Kind, controller};

static DAEMON_SET: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        SELECTOR,
        field("Node-Selector", "node_selector", Below::Lines, labels),
        LABELS,
        ANNOTATIONS,
        field(
            "Desired Number of Nodes Scheduled",
            "desired_scheduled",
            Below::Value,
            integer,
        ),
        field(
            "Current Number of Nodes Scheduled",
            "current_scheduled",
            Below::Value,
            integer,
        ),
        field(
            "Number of Nodes Scheduled with Up-to-date Pods",
            "up_to_date",
            Below::Value,
            integer,
        ),
        field(
            "Number of Nodes Scheduled with Available Pods",
            "available",
            Below::Value,
            integer,
        ),
        field(
            "Number of Nodes Misscheduled",
            "misscheduled",
            Below::Value,
            integer,
        ),
        field("Pods Status", "pods_status", Below::Value, counts),
        POD_TEMPLATE,
    ],
};

/// DaemonSets.
pub(super) static KIND: Kind = controller("DaemonSet", &DAEMON_SET);
