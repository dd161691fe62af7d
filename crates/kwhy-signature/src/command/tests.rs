use proptest::prelude::*;

use super::*;

const FORMS: &[ValueType] = &[
    ValueType::Label,
    ValueType::Name,
    ValueType::Segment,
    ValueType::Kind,
    ValueType::Image,
    ValueType::Host,
    ValueType::Number,
    ValueType::Path,
    ValueType::Device,
    ValueType::Uid,
    ValueType::Unit,
    ValueType::ContainerId,
    ValueType::Url,
    ValueType::Key,
    ValueType::Selector,
    ValueType::Word,
];

fn filled(source: &str, known: &[(&str, &str)]) -> Option<String> {
    let command = CommandTemplate::parse(source).unwrap();
    let argv = command.fill(|slot, _| {
        let found = known.iter().find(|(name, _)| *name == slot);
        found.map(|(_, value)| (*value).to_owned())
    })?;
    Some(shlex::try_join(argv.iter().map(String::as_str)).unwrap())
}

#[test]
fn every_value_is_known_and_has_its_form() {
    let get = "kubectl -n {namespace} get pod {pod} -o jsonpath='{{.items[?(@.x==\"{pod}\")]}}'";
    assert_eq!(
        filled(get, &[("namespace", "shop"), ("pod", "web-0")]).as_deref(),
        Some("kubectl -n shop get pod web-0 -o 'jsonpath={.items[?(@.x==\"web-0\")]}'")
    );
    assert_eq!(filled(get, &[("namespace", "shop")]), None);
    assert_eq!(
        filled(get, &[("namespace", "shop"), ("pod", "--all")]),
        None
    );
    assert_eq!(filled(get, &[("namespace", "a/b"), ("pod", "web-0")]), None);
}

#[test]
fn words_stand_for_an_unknown_value_only() {
    let unit = "systemctl status {unit|kubelet}";
    assert_eq!(
        filled(unit, &[]).as_deref(),
        Some("systemctl status kubelet")
    );
    let known = |unit_name| filled(unit, &[("unit", unit_name)]);
    assert_eq!(
        known("crio.service").as_deref(),
        Some("systemctl status crio.service")
    );
    assert_eq!(known("-k"), None);
}

#[test]
fn a_program_comes_first() {
    for wrong in [
        "", " ", "{unit} x", "x{unit}", "A=b c", "'' x", "-n x", "./x", "'a b'",
    ] {
        assert!(CommandTemplate::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn forms_by_names() {
    for (slot, form) in [
        ("namespace", ValueType::Label),
        ("claim_namespace", ValueType::Label),
        ("pod", ValueType::Name),
        ("node_name", ValueType::Name),
        ("holder_kind", ValueType::Kind),
        ("volume_id", ValueType::Word),
        ("source_path", ValueType::Path),
        ("colour", ValueType::Word),
    ] {
        assert_eq!(ValueType::of_slot(slot), form, "{slot}");
    }
}

#[test]
fn names_of_access_objects_are_segments() {
    let form = |kind| ValueType::Name.of_kind(kind);
    assert!(form(Some("ClusterRole")).admits("system:node"));
    assert!(form(Some("clusterrolebindings.rbac.authorization.k8s.io")).admits("a:b"));
    assert!(!form(Some("Pod")).admits("a:b"));
    assert!(!form(None).admits("a:b"));
}

#[test]
fn values_of_each_form() {
    use ValueType::*;
    let uid = "0f9b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d";
    let digest = "sha256:0f9b1c2d3e4f4a5b8c6d7e8f9a0b1c2d0f9b1c2d3e4f4a5b8c6d7e8f9a0b1c2d";
    let by_digest = format!("quay.tides.example:5000/berth/web:1.2@{digest}");
    let cases: &[(ValueType, &[&str], &[&str])] = &[
        (Label, &["shop", "a-1"], &["Shop", "a.b", "-a", "a-", "a_b"]),
        (
            Name,
            &["web-0", "quay-1.tides.example"],
            &["a..b", "a:b", "A", "a/b"],
        ),
        (
            Segment,
            &["system:node:quay-1"],
            &["a/b", "-a", "..", "a b"],
        ),
        (
            Kind,
            &[
                "Pod",
                "pods/log",
                "certificates.cert-manager.io",
                "K8sPolicy",
            ],
            &["1a", "--all", "a b", "pods/", "a/b/c", ".x"],
        ),
        (
            Image,
            &[
                "web",
                "library/web:1.2",
                "localhost/web",
                &by_digest,
                "berth:5000/a__b/c",
            ],
            &[
                "Web",
                "a//b",
                "web:",
                "web@sha256:1",
                "-web",
                "a b",
                "web:-x",
                "../web",
                "/web",
            ],
        ),
        (
            Host,
            &[
                "a.example",
                "10.0.0.1:443",
                "[fe80::1]:6443",
                "::1",
                "a.example.",
                "[::1]",
            ],
            &[
                "a b", "-a", "a:port", "a:99999", "a/b", "[x]:1", "a..b", "[::1]x",
            ],
        ),
        (Number, &["443", "0"], &["-1", "1.5", "", "+1"]),
        (
            Path,
            &["/var/lib/a_b", "/x/kubernetes.io~csi/pvc", "/"],
            &["var", "/a/../b", "/a b", "/$x", "/a*", "/.."],
        ),
        (
            Device,
            &["/dev/sdb", "sdb", "eth0"],
            &["-a", "a/../b", "$a"],
        ),
        (
            Uid,
            &[uid],
            &["0f9b1c2d", "", "0f9b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2g"],
        ),
        (Unit, &["kubelet.service", "a@b"], &["-u", "a b", "a/b"]),
        (
            ContainerId,
            &["0f9b1c2d3e4f"],
            &["0f9b", "0F9B1C2D3E4F", "xyzxyzxyz"],
        ),
        (
            Url,
            &["https://a.example/x?y=1", "http://10.0.0.1:80"],
            &[
                "file:///x",
                "https://a:b@c/",
                "https://a/$x",
                "https://a/../b",
                "a.example",
            ],
        ),
        (
            Key,
            &["a.example/b_c", "role"],
            &["/b", "a/b/c", "-a", "a b"],
        ),
        (
            Selector,
            &["app=web,tier=front", "app", "a=="],
            &["app in (a)", "-l", "a=b c", ""],
        ),
        (
            Word,
            &["system:node:x", "vol-1/a@b"],
            &["a b", "-a", "a..b/../c", "é", "a,b", ""],
        ),
    ];
    for (form, right, wrong) in cases {
        for value in *right {
            assert!(form.admits(value), "{form:?} {value}");
        }
        for value in *wrong {
            // `a..b/../c` contains a `..` component; other dots are part of a word
            assert!(!form.admits(value), "{form:?} {value}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_refused_or_one_word(text in r"\PC{0,40}|[ -~]{0,12}|[a-z0-9./:@=,-]{1,20}") {
        for form in FORMS {
            if form.admits(&text) {
                prop_assert!(!text.starts_with('-'), "{:?}", form);
                prop_assert!(text.bytes().all(|b| b.is_ascii_graphic()), "{:?}", form);
                let quoted = shlex::try_quote(&text).unwrap();
                prop_assert_eq!(shlex::split(&quoted), Some(vec![text.clone()]));
            }
        }
    }

    #[test]
    fn hostile_starts_are_refused(text in r"(-|\s|\x1b|\u{202e})[a-z0-9=./-]{0,20}") {
        for form in FORMS {
            prop_assert!(!form.admits(&text), "{:?}", form);
        }
    }

    #[test]
    fn a_filled_command_reads_back(value in r"[ -~]{0,16}|[a-z0-9.-]{1,12}") {
        let command = CommandTemplate::parse("x a'{pod}b' --c={path} {word|d e} \"'\"").unwrap();
        if let Some(argv) = command.fill(|_, _| Some(value.clone())) {
            let text = shlex::try_join(argv.iter().map(String::as_str)).unwrap();
            prop_assert_eq!(shlex::split(&text), Some(argv));
        }
    }
}
