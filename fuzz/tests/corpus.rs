//! Replays the inputs in `corpus/TARGET/`, which fuzzing found worth keeping, and in `regressions/TARGET/`, which once
//! failed, through the bodies of the fuzz targets: without libFuzzer, in seconds.

use std::fs;
use std::path::Path;

/// Runs a body on all files in the folders named after it.
fn replay(name: &str, body: fn(&[u8])) {
    let mut count = 0;
    for kind in ["corpus", "regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(name);
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            // if the body panics, the last name printed is that of the input
            println!("{}", path.display());
            body(&fs::read(&path).unwrap());
            count += 1;
        }
    }
    assert!(count > 0, "there is no corpus of {name}");
}

macro_rules! bodies {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name), kwhy_fuzz::$name);
            }
        )*

        #[test]
        fn each_target_is_replayed() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
            let mut targets: Vec<String> = fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
                .collect();
            let mut bodies = vec![$(stringify!($name).to_owned()),*];
            targets.sort();
            bodies.sort();
            assert_eq!(targets, bodies);
        }
    };
}

bodies!(
    analyze,
    archive,
    chain,
    commands,
    cre,
    cre_words,
    describe,
    differential,
    events,
    incident,
    log,
    log_formats,
    log_envelopes,
    made_archive,
    objects,
    redaction,
    reports,
    segments,
    signature_file,
    table,
    words,
);
