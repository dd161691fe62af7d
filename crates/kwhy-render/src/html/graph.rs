//! The objects of a report and what makes them fail, as SVG.

use std::collections::HashMap;

use kwhy_core::{Level, Subject};
use maud::{Markup, html};

use crate::escape::visible;
use crate::outline::Outline;
use crate::words;

/// The maximum number of objects, and of characters in a name.
const NODES: usize = 24;
const NAME: usize = 28;
/// The size of a box and of the gaps between boxes, in pixels.
const BOX: (f64, f64) = (200.0, 38.0);
const GAP: (f64, f64) = (48.0, 14.0);

/// An object.
struct Node {
    subject: Subject,
    level: Option<Level>,
    /// Its column, to the right of all that makes it fail.
    column: usize,
    row: usize,
}

/// The relation of two objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// The first makes the second fail.
    Explains,
    /// The second runs on the first.
    RunsOn,
}

/// Returns the picture; nothing unless at least two objects are known.
pub fn graph(outline: &Outline<'_>) -> Markup {
    let mut nodes: Vec<Node> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut edges: Vec<(usize, usize, Edge)> = Vec::new();
    let mut omitted = 0;
    let mut node = |nodes: &mut Vec<Node>, subject: &Subject, level: Option<Level>| {
        let name = subject.to_string();
        if name.is_empty() {
            return None;
        }
        if let Some(&at) = known.get(&name) {
            nodes[at].level = nodes[at].level.max(level);
            return Some(at);
        }
        if nodes.len() == NODES {
            omitted += 1;
            return None;
        }
        known.insert(name, nodes.len());
        nodes.push(Node {
            subject: subject.clone(),
            level,
            column: 0,
            row: 0,
        });
        Some(nodes.len() - 1)
    };
    let add = |edges: &mut Vec<(usize, usize, Edge)>, from, to, edge| {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
            && !edges.contains(&(from, to, edge))
        {
            edges.push((from, to, edge));
        }
    };
    for &root in &outline.roots {
        let from = node(&mut nodes, &root.subject, Some(root.severity));
        if let Some(name) = root.subject.node.as_deref()
            && root.subject.kind.as_deref() != Some("Node")
        {
            let on = node(&mut nodes, &Subject::new("Node", None::<&str>, name), None);
            add(&mut edges, from, on, Edge::RunsOn);
        }
        let mut above = vec![from];
        for below in outline.below(root) {
            let finding = below.finding;
            let to = node(&mut nodes, &finding.subject, Some(finding.severity));
            above.truncate(below.depth + 1);
            add(
                &mut edges,
                above.last().copied().flatten(),
                to,
                Edge::Explains,
            );
            above.push(to);
        }
    }
    if nodes.len() < 2 {
        return html! {};
    }
    layout(&mut nodes, &edges);
    drawn(&nodes, &edges, omitted)
}

/// Puts each object into a column to the right of those that make it fail. The number of rounds is limited, as causes
/// may form a cycle.
fn layout(nodes: &mut [Node], edges: &[(usize, usize, Edge)]) {
    let most = nodes.len().min(6);
    for _ in 0..most {
        for &(from, to, edge) in edges {
            if edge == Edge::Explains && nodes[to].column <= nodes[from].column {
                nodes[to].column = (nodes[from].column + 1).min(most);
            }
        }
    }
    for &(from, to, edge) in edges {
        if edge == Edge::RunsOn && nodes[to].level.is_none() {
            nodes[to].column = nodes[from].column + 1;
        }
    }
    let mut rows: HashMap<usize, usize> = HashMap::new();
    for node in nodes {
        let row = rows.entry(node.column).or_default();
        node.row = *row;
        *row += 1;
    }
}

fn corner(node: &Node) -> (f64, f64) {
    let x = 2.0 + node.column as f64 * (BOX.0 + GAP.0);
    let y = 2.0 + node.row as f64 * (BOX.1 + GAP.1);
    (x, y)
}

fn drawn(nodes: &[Node], edges: &[(usize, usize, Edge)], omitted: usize) -> Markup {
    let columns = nodes.iter().map(|node| node.column).max().unwrap_or(0) as f64;
    let rows = nodes.iter().map(|node| node.row).max().unwrap_or(0) as f64;
    let width = 4.0 + (columns + 1.0) * BOX.0 + columns * GAP.0;
    let height = 4.0 + (rows + 1.0) * BOX.1 + rows * GAP.1;
    html! {
        section class="panel" {
            h2 { "Objects" }
            div class="scroll" tabindex="0" role="group" aria-label="Objects" {
                svg width=(width) height=(height)
                    viewBox=(format!("0 0 {width} {height}")) role="img" aria-label="Objects and what makes them fail" {
                    defs {
                        marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" {
                            path class="tip" d="M0 0L8 4L0 8z" {}
                        }
                    }
                    @for (from, to, edge) in edges { (arrow(&nodes[*from], &nodes[*to], *edge)) }
                    @for node in nodes { (boxed(node)) }
                }
            }
            p class="key" {
                @if edges.iter().any(|it| it.2 == Edge::Explains) { span { "→ makes fail" } }
                @if edges.iter().any(|it| it.2 == Edge::RunsOn) { span { "┄ runs on" } }
                @if omitted > 0 { span { "more objects than are drawn" } }
            }
        }
    }
}

fn arrow(from: &Node, to: &Node, edge: Edge) -> Markup {
    let ((x1, y1), (x2, y2)) = (corner(from), corner(to));
    let (y1, y2) = (y1 + BOX.1 / 2.0, y2 + BOX.1 / 2.0);
    let (x1, x2) = match to.column > from.column {
        true => (x1 + BOX.0, x2),
        false => (x1 + BOX.0 / 2.0, x2 + BOX.0 / 2.0),
    };
    let middle = (x1 + x2) / 2.0;
    let path = format!("M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}");
    html! {
        @match edge {
            Edge::Explains => path class="edge" d=(path) marker-end="url(#tip)" {},
            Edge::RunsOn => path class="edge runs" d=(path) {},
        }
    }
}

fn boxed(node: &Node) -> Markup {
    let (x, y) = corner(node);
    let class = match node.level {
        Some(Level::Error) => "node ne",
        Some(Level::Warning) => "node nw",
        _ => "node",
    };
    let subject = &node.subject;
    let head = match (&subject.kind, &subject.namespace) {
        (Some(kind), Some(namespace)) => format!("{kind} in {namespace}"),
        (Some(kind), None) => kind.clone(),
        (None, Some(namespace)) => format!("in {namespace}"),
        (None, None) => "object".to_owned(),
    };
    let name = subject.name.as_deref().or(subject.namespace.as_deref());
    let short = |text: &str| visible(&words::middle(text, NAME)).into_owned();
    html! {
        rect class=(class) x=(x) y=(y) width=(BOX.0) height=(BOX.1) rx="5" { title { (visible(&subject.to_string())) } }
        text class="dim" x=(x + 8.0) y=(y + 14.0) { (short(&head)) }
        text x=(x + 8.0) y=(y + 29.0) { (short(name.unwrap_or(""))) }
    }
}
