use std::collections::BTreeMap;

use super::*;
use kwhy_catalogue::Catalogue;

/// A signature without lints.
const ONE: &str = r#"
id: bin-full
cause: storage/configmap-missing
severity: error
title: bin {bin} is full
match:
  event: {reason: FailedStore, message: 'the bin "{bin}" takes no more'}
why: it holds all that it can
check:
  - run: kubectl -n delete get bins {bin}
    confirms: '100 %'
fix:
  - text: make room in it
    run: kubectl edit bin {bin}
examples:
  match:
    - text: 'Warning  FailedStore  5s  storer  the bin "b-1" takes no more'
      captures: {bin: b-1}
    - text: 'Warning  FailedStore  9s (x3 over 1m)  storer  keep: the bin "b-2" takes no more'
  no_match:
    - text: 'Warning  FailedStore  5s  storer  the bin "b-1" takes more'
    - text: 'Normal  Stored  5s  storer  in the bin "b-1"'
"#;

fn analyzer(files: &[&str]) -> Analyzer {
    let mut catalogue = Catalogue::empty();
    for (number, yaml) in files.iter().enumerate() {
        catalogue.add_str(&format!("{number}.yaml"), yaml).unwrap();
    }
    Analyzer::with_catalogue(catalogue)
}

/// The codes of all lints with their locations.
fn codes(files: &[&str], healthy: &[(String, Vec<u8>)]) -> Vec<String> {
    let analyzer = analyzer(files);
    let lints = analyzer.proof().lints(|_| true, healthy);
    lints
        .iter()
        .map(|lint| format!("{}:{} {} {}", lint.file, lint.line, lint.field, lint.code))
        .collect()
}

#[test]
fn nothing_is_said_of_a_good_one() {
    assert!(codes(&[ONE], &[]).is_empty());
    let outcomes = analyzer(&[ONE]).test_signatures();
    assert_eq!(outcomes.len(), 4);
    assert!(outcomes.iter().all(|outcome| outcome.failure.is_none()));
    assert_eq!(outcomes[0].line, 17);
}

#[test]
fn what_the_mechanism_implies_is_not_repeated() {
    let timeout = ONE
        .replace("id: bin-full", "id: bin-timeout\nrole: symptom")
        .replace("storage/configmap-missing", "storage/mount-timeout")
        .replace("takes no more", "answers too late")
        .replace("takes more", "answers");
    let with = |explains: &str| {
        let one = ONE.replace("why: it", &format!("explains: [{explains}]\nwhy: it"));
        codes(&[&one, &timeout], &[])
    };
    assert_eq!(with("storage/mount-timeout"), ["0.yaml:8 explains implied"]);
    assert_eq!(with("bin-timeout"), ["0.yaml:8 explains implied"]);
    // the mechanism reaches the owner at most
    assert!(with("{cause: storage/mount-timeout, on: input}").is_empty());
}

#[test]
fn a_file_of_the_catalogue_has_one_place() {
    let lints = |file: &str| {
        let mut catalogue = Catalogue::empty();
        catalogue.add_str(file, ONE).unwrap();
        let analyzer = Analyzer::with_catalogue(catalogue);
        let lints = analyzer.proof().lints(|_| true, &[]);
        lints.iter().map(|lint| lint.code).collect::<Vec<_>>()
    };
    let catalogue = "crates/kwhy-catalogue/signatures";
    assert!(lints(&format!("{catalogue}/storage/bin-full.yaml")).is_empty());
    assert!(lints(&format!("{catalogue}/products/bins/bin-full.yaml")).is_empty());
    assert!(lints("storage/full.yaml").is_empty());
    for file in ["storage/full.yaml", "api/bin-full.yaml", "bin-full.yaml"] {
        assert_eq!(
            lints(&format!("{catalogue}/{file}")),
            ["misplaced"],
            "{file}"
        );
    }
}

#[test]
fn errors_of_one_signature() {
    for (from, to, code) in [
        ("title: bin {bin} is full", "title: a bin is full", ""),
        (
            "message: 'the bin \"{bin}\" takes",
            "message: '{who} the bin \"{bin}\" takes",
            "0.yaml:7 match unused-capture",
        ),
        (
            "message: 'the bin \"{bin}\" takes no more'",
            "message: ['the bin \"{bin}\" takes no more', 'no bin at all is there']",
            "0.yaml:5 title maybe-missing",
        ),
        (
            "title: bin {bin} is full",
            "title: bin {bin} is full\nlabel: on {node}",
            "0.yaml:18 examples.match unfilled",
        ),
        (
            "title: bin {bin} is full",
            "title: bin {bin} is full \"{node|}\"",
            "0.yaml:5 title hole",
        ),
        (
            "title: bin {bin} is full",
            "title: the bin{bin} is full",
            "0.yaml:17 examples.match glued",
        ),
        (
            "title: bin {bin} is full",
            "title: bin {bin} of {node} is full",
            "0.yaml:5 title maybe-missing",
        ),
        (
            "get bins {bin}",
            "get bins {bin} -n NAMESPACE",
            "0.yaml:10 check stand-in",
        ),
        (
            "kubectl edit",
            "kubectl delete",
            "0.yaml:13 fix destructive",
        ),
        (
            "why: it holds all that it can",
            "why: ' '",
            "0.yaml:8 why no-why",
        ),
        (
            "get bins {bin}",
            "patch bins {bin}",
            "0.yaml:10 check changing-check",
        ),
        ("get bins {bin}", "patch --dry-run=client bins {bin}", ""),
        (
            "    - text: 'Normal  Stored  5s  storer  in the bin \"b-1\"'\n",
            "",
            "0.yaml:20 examples.no_match missing-examples",
        ),
        (
            "takes more'",
            "takes no more'",
            "0.yaml:21 examples.no_match example-fails",
        ),
        (
            "captures: {bin: b-1}",
            "captures: {bin: b-2}",
            "0.yaml:17 examples.match example-fails",
        ),
        (
            "captures: {bin: b-1}",
            "also: [image/not-found]",
            "0.yaml:17 examples.match example-fails",
        ),
        (
            "severity: error",
            "severity: error\nrefines: [no-such]",
            "0.yaml:5 refines unknown-id",
        ),
        (
            "reason: FailedStore, message: 'the bin \"{bin}\" takes no more'",
            "message: 'bin \"{bin}\" takes'",
            "0.yaml:7 match broad-pattern",
        ),
    ] {
        let changed = ONE.replacen(from, to, 1);
        assert_ne!(changed, ONE, "{from}");
        let found = codes(&[&changed], &[]);
        let wanted: Vec<&str> = Some(code)
            .filter(|code| !code.is_empty())
            .into_iter()
            .collect();
        let missing = wanted.iter().any(|code| !found.iter().any(|f| f == code));
        assert!(
            !missing && (found.is_empty() == wanted.is_empty()),
            "{to}: {found:?}"
        );
    }
}

/// A signature with the same cause whose other wording also occurs in the first one's examples.
fn other(id: &str) -> String {
    ONE.replace("id: bin-full", &format!("id: {id}"))
}

#[test]
fn one_that_says_the_same() {
    let found = codes(&[ONE, &other("can-full")], &[]);
    // of two equal signatures the first id wins, and the other is never reported
    assert!(
        found.contains(&"0.yaml:6 match same-as".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"1.yaml:6 match shadowed".to_owned()),
        "{found:?}"
    );
    let refined = other("can-full").replace("severity:", "refines: [bin-full]\nseverity:");
    let found = codes(&[ONE, &refined], &[]);
    assert!(
        !found.iter().any(|lint| lint.ends_with("same-as")),
        "{found:?}"
    );
    assert!(
        found.contains(&"0.yaml:6 match shadowed".to_owned()),
        "{found:?}"
    );
}

#[test]
fn one_that_takes_the_examples_of_another() {
    let greedy = other("greedy")
        .replace("storage/configmap-missing", "image/not-found")
        .replace(
            "'the bin \"{bin}\" takes no more'",
            "'bin \"{bin}\" takes no more'",
        );
    let longer = greedy
        .replace("'bin \"{bin}\"", "'the bin \"{bin}\"")
        .replace("severity:", "refines: [bin-full]\nseverity:");
    let found = codes(&[ONE, &longer], &[]);
    // its finding is superseded entirely
    assert!(
        found
            .iter()
            .any(|lint| lint.starts_with("0.yaml:17") && lint.ends_with("example-fails")),
        "{found:?}"
    );
    let overlaps = analyzer(&[ONE, &greedy]);
    let overlaps = overlaps.proof().overlaps();
    let outcome: BTreeMap<_, _> = overlaps
        .iter()
        .map(|o| ((o.signature.as_str(), o.other.as_str()), o.outcome))
        .collect();
    assert_eq!(outcome[&("bin-full", "greedy")], OverlapOutcome::GivesWay);
    assert_eq!(outcome[&("greedy", "bin-full")], OverlapOutcome::FirstCause);
}

#[test]
fn a_further_cause_is_declared() {
    let lid = r#"
id: lid-open
cause: image/not-found
severity: warning
title: the lid is open
match: {event: {reason: FailedStore, message: and the lid of it is open}}
why: it was opened
"#;
    let both = ONE.replace(
        "keep: the bin \"b-2\" takes no more'",
        "the bin \"b-2\" takes no more, and the lid of it is open'",
    );
    let found = codes(&[&both, lid], &[]);
    assert!(
        found.contains(&"0.yaml:19 examples.match second-cause".to_owned()),
        "{found:?}"
    );
    let with_further_cause = both.replace("is open'", "is open'\n      also: [lid-open]");
    let found = codes(&[&with_further_cause, lid], &[]);
    assert!(
        !found.iter().any(|lint| lint.contains("0.yaml")),
        "{found:?}"
    );
    let explained = both.replace(
        "why: it holds",
        "explains: [image/not-found]\nwhy: it holds",
    );
    let found = codes(&[&explained, lid], &[]);
    assert!(
        !found.iter().any(|lint| lint.contains("0.yaml")),
        "{found:?}"
    );
}

#[test]
fn alarms_in_healthy_inputs() {
    let text = "\nWarning  FailedStore  5s  storer  the bin \"b\" takes no more\n";
    let healthy = [("good.txt".to_owned(), text.as_bytes().to_vec())];
    assert_eq!(codes(&[ONE], &healthy), ["0.yaml:6 match healthy"]);
    let analyzer = analyzer(&[ONE]);
    let lints = analyzer.proof().lints(|_| true, &healthy);
    assert!(lints[0].message.contains("good.txt:2"), "{}", lints[0]);
    let harmless = ONE.replace("severity: error", "severity: info");
    assert!(codes(&[&harmless], &healthy).is_empty());
}

#[test]
fn what_the_proof_was_read_from() {
    let log = "    - text: 'E0304 05:06:07.123456       1 bins.go:8] \"Not stored\" err=\"the bin \\\"b-3\\\" takes no more\"'\n  no_match:";
    let any = ONE
        .replace("reason: FailedStore, ", "")
        .replace("  no_match:", log);
    let analyzer = analyzer(&[&any]);
    let coverage = analyzer.proof().coverage();
    let of = |cause: &str| coverage.iter().find(|c| c.cause == cause).unwrap();
    let proved = of("storage/configmap-missing");
    assert_eq!(proved.signatures, ["bin-full"]);
    assert_eq!(
        proved.forms,
        BTreeMap::from([(Form::Events, 2), (Form::Klog, 1)])
    );
    assert!(of("image/not-found").forms.is_empty());
}

#[test]
fn a_command_that_is_no_list_of_arguments_is_refused() {
    let piped = ONE.replace("get bins {bin}", "get bins {bin} | sort");
    let refused = Catalogue::empty().add_str("x.yaml", &piped).unwrap_err();
    assert_eq!(refused.line(), 10);
    assert!(refused.to_string().contains('|'), "{refused}");
}

#[test]
fn what_a_check_says() {
    let analyzer = analyzer(&[&ONE.replace(
        "confirms: '100 %'",
        "confirms: '100 %'\n    rules_out: less\n    why: it shows how full it is",
    )]);
    let check = &analyzer.catalogue().get("bin-full").unwrap().check[0];
    assert_eq!(
        check.meaning(|_| None),
        "it shows how full it is; 100 % confirms it; less rules it out"
    );
    let none = ONE.replace("    confirms: '100 %'\n", "");
    let refused = Catalogue::empty().add_str("x.yaml", &none).unwrap_err();
    assert!(refused.to_string().contains("confirms"), "{refused}");
}
