//! Joined facts agree with `matcher::evaluate`, which compares every pair of the same objects.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::{Facts, matches};
use crate::Catalogue;
use crate::engine::Listed;
use crate::matcher::{Compiled, Hit, Match, Memo, Tester, evaluate};
use kwhy_model::Subject;
use kwhy_parse::input::{Chunk, Document};
use kwhy_signature::leaves;

const CONDITIONS: [&str; 4] = [
    // a selector and an entry of `none`
    "
  all:
    - object: {kind: Service, name: '{service}', where: {selector: '{selector}'}}
    - object: {kind: Pod, name: '{pod}', where: {labels: {flat: labels, present: true}}}
  where: ['{selector} does not select {labels}']
  none:
    - object: {kind: Pod, where: {labels: {flat: others, present: true}}}
      where: ['{selector} selects {others}']
  per: namespace
",
    // `any` of a selection, a port of a list, a container without output
    "
  any:
    - all:
        - object: {kind: Service, name: '{service}', where: {selector: '{selector}'}, each: ports, item: {target_port: '{target}'}}
        - object: {kind: Pod, name: '{pod}', where: {labels: {flat: labels, present: true}, 'all(containers.ports)': {flat: offered, present: true}}}
      where: ['{selector} selects {labels}', '{offered} does not list {target}']
      none:
        - object: {kind: Pod, name: '{pod}', each: containers, item: {ports: {absent: true}}}
      per: namespace
    - object: {kind: Pod, name: '{pod}', where: {priority: '{priority:int}'}}
      where: ['{priority} > 2']
",
    // `complete`, and values shared by name
    "
  object: {kind: Pod, name: '{pod}', each: containers.env, item: {value: '{host}:{port:int}'}}
  none:
    - object: {kind: Service, name: '{host}', complete: true}
  per: namespace
",
    // `also`, over the whole input
    "
  all:
    - object: {kind: Pod, name: '{pod}', where: {labels: {flat: labels, present: true}}}
    - object: {kind: Service, name: '{pod}'}
  also:
    - object: {kind: Service, name: '{pod}', each: ports, item: {target_port: '{target}'}}
  per: input
",
];

/// An object. With several documents each object names its namespace, as objects without one are compared only within
/// their document.
fn object(has_namespace: bool) -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["crane", "ferry", "gauge"]);
    let namespaces: &[&str] = if has_namespace {
        &["quay", "pier"]
    } else {
        &["quay", "pier", ""]
    };
    let namespace = prop::sample::select(namespaces);
    let label = prop::sample::select(vec![
        "app: crane",
        "app: ferry",
        "{app: crane, deck: upper}",
    ]);
    let port = prop::sample::select(vec![80, 8080, 9090]);
    (any::<bool>(), name, namespace, label, port, 0..5u8).prop_map(
        |(is_pod, name, namespace, label, port, number)| {
            let namespace = match namespace {
                "" => String::new(),
                known => format!(", namespace: {known}"),
            };
            let label = label.trim_matches(['{', '}']);
            if !is_pod {
                return format!(
                    "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}{namespace}}}\nspec:\n  selector: {{{label}}}\n  ports:\n  - {{port: 80, targetPort: {port}}}\n"
                );
            }
            let ports = match number {
                0 => String::new(),
                _ => format!(", ports: [{{containerPort: {port}}}]"),
            };
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}{namespace}, labels: {{{label}}}}}\nspec:\n  priority: {number}\n  containers:\n  - {{name: a{ports}, env: [{{name: ADDR, value: 'ferry:{port}'}}]}}\n  - {{name: b, ports: [{{containerPort: 9090}}]}}\n"
            )
        },
    )
}

/// A match in short: the places of its hits, and its captures.
type Summary = (Vec<(usize, usize)>, Vec<(String, String)>);

fn summaries(found: Vec<Match>) -> Vec<Summary> {
    let each = found.into_iter().map(|found| {
        let places = found.hits.iter().map(Hit::position).collect();
        let mut captures = found.captures;
        captures.sort();
        (places, captures)
    });
    let mut all: Vec<Summary> = each.collect();
    all.sort();
    all
}

fn compiled(condition: &str) -> Compiled {
    let mut catalogue = Catalogue::empty();
    let signature = format!(
        "id: joined\ncause: network/no-endpoints\nseverity: error\ntitle: t\nwhy: w\nmatch:{condition}"
    );
    catalogue.add_str("joined.yaml", &signature).unwrap();
    Compiled::new(catalogue)
}

/// Compares both evaluations; `is_turned` reads the documents in reverse order.
fn assert_agreement(condition: &str, documents: &[String], is_turned: bool) {
    let compiled = compiled(condition);
    let condition = &compiled.catalogue.at(0).condition;
    let mut conditions = Vec::new();
    leaves(condition, &mut conditions);
    let tables = compiled.tables();
    let mut of_leaves: Vec<Vec<Hit>> = vec![Vec::new(); conditions.len()];
    let mut facts = Facts::default();
    let mut listed = Listed::default();
    let place = |number: usize| match is_turned {
        true => documents.len() - 1 - number,
        false => number,
    };
    for (number, text) in documents.iter().enumerate() {
        let chunk = Chunk {
            document: number,
            first_byte: 0,
            lines_before: 0,
            text: Document::new("", text.as_bytes()),
            gaps: Vec::new(),
            ends: Vec::new(),
            secrets: OnceLock::new(),
        };
        let parsed = kwhy_parse::document(&chunk.text);
        let mut hits = Vec::new();
        for object in &parsed.objects {
            Tester::naive(&compiled).object(&chunk, object, &mut Memo::default(), &mut hits);
        }
        for (leaf, hit) in hits {
            of_leaves[usize::from(leaf.1)].push(Hit {
                document: place(number),
                ..(*hit).clone()
            });
            let table = tables.of_leaf(leaf).unwrap();
            if !tables.is_shared(leaf) && tables.holds(table, &hit) {
                facts.add(table, hit, tables.only_refutes(table));
            }
        }
        if number % 2 == 0 {
            listed.add_object(&Subject::new("Service", Some("quay"), "crane"));
        }
    }
    let leaves = of_leaves.iter_mut();
    leaves.for_each(|hits| hits.sort_by_key(|hit| hit.document));
    facts.settle(place);
    let joined = matches(condition, tables.of_signature(0).unwrap(), &facts, &listed);
    let slow = evaluate(condition, &mut of_leaves.iter(), &listed);
    assert_eq!(summaries(joined), summaries(slow), "{documents:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn joins_agree_with_the_slow_way(
        documents in prop_oneof![
            prop::collection::vec(prop::collection::vec(object(true), 1..8), 1..4),
            prop::collection::vec(prop::collection::vec(object(false), 1..12), 1),
        ],
        condition in prop::sample::select(CONDITIONS.to_vec()),
        is_turned in any::<bool>(),
    ) {
        let documents: Vec<String> = documents.iter().map(|objects| objects.join("---\n")).collect();
        assert_agreement(condition, &documents, is_turned);
    }
}

#[test]
fn what_says_the_same_is_kept_once_where_it_refutes() {
    let mut facts = Facts::default();
    let text = object_text("quay");
    let compiled = compiled(CONDITIONS[0]);
    let chunk = Chunk {
        document: 0,
        first_byte: 0,
        lines_before: 0,
        text: Document::new("", text.as_bytes()),
        gaps: Vec::new(),
        ends: Vec::new(),
        secrets: OnceLock::new(),
    };
    let parsed = kwhy_parse::document(&chunk.text);
    let mut hits = Vec::new();
    Tester::naive(&compiled).object(&chunk, &parsed.objects[0], &mut Memo::default(), &mut hits);
    let tables = compiled.tables();
    for _ in 0..3 {
        for (leaf, hit) in &hits {
            let table = tables.of_leaf(*leaf).unwrap();
            facts.add(table, hit.clone(), tables.only_refutes(table));
        }
    }
    let mut counts: Vec<usize> = tables
        .of_signature(0)
        .unwrap()
        .iter()
        .map(|table| facts.count(*table))
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, [0, 1, 3]);
}

fn object_text(namespace: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: crane, namespace: {namespace}, labels: {{app: crane}}}}\nspec:\n  containers:\n  - {{name: a}}\n"
    )
}
