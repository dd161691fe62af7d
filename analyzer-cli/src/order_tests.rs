//! The report of a bundle does not depend on the order of its members, neither in an archive nor in a folder.

use std::fs;
use std::path::Path;

use clap::Parser;
use serde_json::Value;

use crate::args::Args;
use crate::plan::{Environment, plan};
use crate::run::run;
use kwhy_bundle::testing::{tar_of, zip_of};

const UID: &str = "7d1e0f3a-2222-4b5c-9d6e-00000000000";

/// Returns the members of a `kind export logs` of three nodes. All kubelets miss the same ConfigMap, more often than
/// hits are kept for one object; each node has a pod that panics, whose log is in two places, with a line that no
/// signature matches.
fn members() -> Vec<(String, String)> {
    let mut all = vec![("lab/kind-version.txt".to_owned(), "v0.23.0\n".to_owned())];
    for (number, node) in (1..).zip(["lab-w1", "lab-w2", "lab-w3"]) {
        let pod = format!("press-{number}");
        let uid = format!("{UID}{number}");
        let kubelet: String = (0..9)
            .map(|second| {
                format!(
                    "Aug 05 09:1{number}:{second:02} {node} kubelet[212]: E0805 09:1{number}:{second:02}.000417     212 nestedpendingoperations.go:348] \"Operation failed\" err=\"MountVolume.SetUp failed for volume \\\"rolls\\\" (UniqueName: \\\"kubernetes.io/configmap/{uid}-rolls\\\") pod \\\"{pod}\\\" (UID: \\\"{uid}\\\") : configmap \\\"rolls\\\" not found\" pod=\"print/{pod}\"\n"
                )
            })
            .collect();
        all.push((format!("lab/{node}/kubelet.log"), kubelet));
        let log = format!(
            "2025-08-05T09:0{number}:01.5Z stderr F level=error msg=\"roll jammed in tray {number}\"\n\
             2025-08-05T09:0{number}:02.5Z stderr F panic: runtime error: index out of range [{number}] with length {number}\n\
             2025-08-05T09:0{number}:02.6Z stderr F \n\
             2025-08-05T09:0{number}:02.6Z stderr F goroutine 1 [running]:\n"
        );
        all.push((
            format!("lab/{node}/containers/{pod}_print_press-0a1b2c3d4e5f{number}.log"),
            log.clone(),
        ));
        all.push((
            format!("lab/{node}/pods/print_{pod}_{uid}/press/0.log"),
            log,
        ));
    }
    all
}

/// Returns the report on a path, with the names of members as in a folder.
fn report(path: &Path, folder: &Path, threads: &str) -> String {
    let path = path.to_str().unwrap();
    let args = ["kwhy", "-o", "json", "-j", threads, path];
    let world = Environment {
        stdin_is_terminal: true,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        no_color: true,
        ..Environment::default()
    };
    let plan = plan(Args::parse_from(args), &world).unwrap();
    let mut out = Vec::new();
    run(&plan, std::io::empty(), &mut out, &mut Vec::new()).unwrap();
    let report: Value = serde_json::from_slice(&out).unwrap();
    let folder = folder.to_str().unwrap();
    let above = folder.strip_suffix("lab").unwrap();
    let text = serde_json::to_string_pretty(&report).unwrap();
    text.replace(&format!("{path}!"), above)
        .replace(&format!("\"{path}\""), &format!("\"{folder}\""))
}

#[test]
fn the_order_of_members_does_not_matter() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("lab");
    let mut members = members();
    for (name, content) in &members {
        let file = root.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    let wanted = report(&folder, &folder, "1");
    for part in [
        "index out of range",
        "rolls",
        "roll jammed in tray 1",
        "\"duplicate\"",
        "\"lab-w1\"",
    ] {
        assert!(wanted.contains(part), "{part}: {wanted}");
    }
    for round in 0..members.len() {
        members.rotate_left(1);
        if round % 2 == 0 {
            members.reverse();
        }
        let all: Vec<(&str, &[u8])> = members
            .iter()
            .map(|(name, content)| (name.as_str(), content.as_bytes()))
            .collect();
        let (form, bytes) = match round % 3 {
            0 => ("b.zip", zip_of(&all, true)),
            _ => ("b.tar", tar_of(&all)),
        };
        let file = root.path().join(form);
        fs::write(&file, bytes).unwrap();
        for threads in ["1", "2"] {
            let found = report(&file, &folder, threads);
            assert!(
                found == wanted,
                "{form} {round}\n{}",
                first_difference(&found, &wanted)
            );
        }
    }
}

fn first_difference(a: &str, b: &str) -> String {
    let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    lines.map_or_else(String::new, |(a, b)| format!("{a}\n{b}"))
}
