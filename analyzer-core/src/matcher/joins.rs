//! Tests of conditions over several objects, by complete signatures.

use crate::{Analyzer, Catalogue, Report};

fn signature(condition: &str) -> String {
    format!(
        "id: joined\ncause: network/no-endpoints\nseverity: error\ntitle: t\nwhy: w\nmatch:\n{condition}"
    )
}

fn read(condition: &str) -> Result<Catalogue, String> {
    let mut catalogue = Catalogue::empty();
    catalogue
        .add_str("joined.yaml", &signature(condition))
        .map_err(|error| error.to_string())?;
    Ok(catalogue)
}

fn analyze(condition: &str, text: &str) -> Report {
    Analyzer::with_catalogue(read(condition).unwrap()).analyze_text("paste", text.as_bytes())
}

fn matches(condition: &str, text: &str) -> usize {
    analyze(condition, text).findings.len()
}

const NOT_SELECTED: &str = "
  object: {kind: Service, where: {selector: '{selector}'}}
  none:
    - object: {kind: Pod, where: {labels: {flat: labels}}}
      where: ['{selector} selects {labels}']
  per: namespace
";

fn service(namespace: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: {namespace}\nspec:\n  selector:\n    app: web\n"
    )
}

fn pod(namespace: &str, number: usize, app: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p-{number}\n  namespace: {namespace}\n  labels:\n    app: {app}\n    tier: front\nspec:\n  containers:\n  - name: a\n"
    )
}

#[test]
fn an_entry_of_none_is_compared_with_what_the_match_captured() {
    let text = |pods: &str| format!("{}{pods}", service("shop"));
    assert_eq!(matches(NOT_SELECTED, &text("")), 1);
    assert_eq!(matches(NOT_SELECTED, &text(&pod("shop", 1, "api"))), 1);
    let selected = pod("shop", 1, "api") + &pod("shop", 2, "web");
    assert_eq!(matches(NOT_SELECTED, &text(&selected)), 0);
    // in another namespace
    assert_eq!(matches(NOT_SELECTED, &text(&pod("prod", 1, "web"))), 1);
}

#[test]
fn any_number_of_objects_is_compared() {
    let mut text = service("shop");
    for number in 0..600 {
        text += &pod("shop", number, "api");
    }
    assert_eq!(matches(NOT_SELECTED, &text), 1);
    assert!(analyze(NOT_SELECTED, &text).limits.is_empty());
    text += &pod("shop", 600, "web");
    assert_eq!(matches(NOT_SELECTED, &text), 0);
}

#[test]
fn only_a_list_is_complete() {
    let condition = "
  all:
    - object: {kind: Pod, where: {service_account: '{account}'}}
    - object: {kind: ServiceAccount, listed: true}
  none:
    - object: {kind: ServiceAccount, name: '{account}'}
  per: namespace
";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  serviceAccountName: baker\n  containers:\n  - name: a\n";
    let table = |rows: &str| format!("{pod}\nNAME      SECRETS   AGE\n{rows}");
    let first = "default   0         5d\n";
    assert_eq!(matches(condition, &table(first)), 0);
    let other = format!("{first}miller    0         5d\n");
    assert_eq!(matches(condition, &table(&other)), 1);
    let own = format!("{first}baker     0         5d\n");
    assert_eq!(matches(condition, &table(&own)), 0);
    // rows were removed
    let cut = format!("{first}...\nmiller    0         5d\n");
    assert_eq!(matches(condition, &table(&cut)), 0);
}

#[test]
fn sums_and_times_are_compared() {
    let condition = "
  object:
    kind: Pod
    where: {'sum(containers.requests.cpu)': '{wanted}'}
    each: containers
    item: {last_state.started_time: '{began}', last_state.finished_time: '{ended}'}
  where: ['{wanted} > 2', '{ended} - {began} < 60']
";
    let text = |cpu: &str, end: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: a\n    resources:\n      requests:\n        cpu: 500m\n  - name: b\n    resources:\n      requests:\n        cpu: {cpu}\nstatus:\n  containerStatuses:\n  - name: a\n    lastState:\n      terminated:\n        exitCode: 1\n        startedAt: \"2026-02-03T10:00:00Z\"\n        finishedAt: \"2026-02-03T10:{end}Z\"\n"
        )
    };
    assert_eq!(matches(condition, &text("1600m", "00:41")), 1);
    assert_eq!(matches(condition, &text("1400m", "00:41")), 0);
    assert_eq!(matches(condition, &text("1600m", "05:00")), 0);
}

#[test]
fn names_that_nothing_captures_are_refused() {
    for condition in [
        "  object: {kind: Pod}\n  where: ['{a} > 1']\n",
        "  all:\n    - object: {kind: Pod, name: '{pod}'}\n    - object: {kind: Node, name: '{node}'}\n      where: ['{pod} != {node}']\n",
        "  object: {kind: Pod, name: '{pod}'}\n  none:\n    - object: {kind: Node, name: '{node}'}\n      where: ['{other} != {node}']\n",
    ] {
        let refused = read(condition).unwrap_err();
        assert!(refused.contains("nothing captures"), "{refused}");
    }
}
