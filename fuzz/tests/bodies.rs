//! Runs the bodies of the fuzz targets on random input, for machines without cargo-fuzz: `cargo test
//! --no-default-features`.

use proptest::prelude::*;

/// Generates text that resembles the formats more than random characters do.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z0-9.-]{1,12}",
        "[ \t]{1,6}",
        "[\"'\\\\{}\\[\\]<>=:,()|/-]{1,4}",
        proptest::sample::select(vec![
            "\n",
            "\n  ",
            "Name:         ",
            "Events:\n",
            "  Type  Reason  Age  From  Message\n",
            "Warning  Failed  5s (x3 over 20s)  kubelet  ",
            "NAME  READY  STATUS  RESTARTS  AGE\n",
            "E0304 05:06:07.123456       1 sync.go:88] ",
            "time=\"2024-03-04T05:06:07Z\" level=error msg=",
            "2024-03-04T05:06:07.123Z\tERROR\t",
            "{\"level\":\"error\",\"msg\":\"",
            "2024-03-04T05:06:07.123456789Z stderr P ",
            "apiVersion: v1\nkind: Pod\nstatus:\n",
            "  containerStatuses:\n  - name: a\n    state:\n",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",",
            "\"status\": {\n",
            "rpc error: code = Unknown desc = ",
            "failed to ",
            "id: a\ncause: none/healthy\n",
            "match:\n  event:\n    message: '",
            "é",
            "日本",
            "\u{1b}[31m",
            "\r\n",
        ])
        .prop_map(str::to_owned),
        "\\PC{1,3}",
    ];
    proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

macro_rules! bodies {
    ($($name:ident),* $(,)?) => {
        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
            $(
                #[test]
                fn $name(text in text(), bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
                    kwhy_fuzz::$name(text.as_bytes());
                    kwhy_fuzz::$name(&[text.as_bytes(), &bytes].concat());
                }
            )*
        }
    };
}

bodies!(
    analyze,
    incident,
    archive,
    segments,
    describe,
    events,
    table,
    objects,
    log,
    log_formats,
    log_envelopes,
    chain,
    signature_file,
    words,
    cre,
    cre_words,
    made_archive,
    redaction,
    reports,
    commands,
    differential
);
