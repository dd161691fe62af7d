//! Tables that are larger than a block: each row is parsed, whatever its kind, and the command above the table applies
//! to all rows.

use kwhy_core::events::{ExtractOptions, extract_with};
use kwhy_core::{Analyzer, Report};

/// Renders rows aligned as kubectl does.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap() + 3;
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let line: String = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Returns a table of `count` claims, of which number `lost` is lost.
fn claims(count: usize, lost: usize) -> String {
    let mut rows = vec![row(&[
        "NAME",
        "STATUS",
        "VOLUME",
        "CAPACITY",
        "ACCESS MODES",
        "STORAGECLASS",
        "AGE",
    ])];
    rows.extend((0..count).map(|number| {
        let status = if number == lost { "Lost" } else { "Bound" };
        let (name, volume) = (format!("hold-{number}"), format!("pvc-{number:08x}"));
        row(&[&name, status, &volume, "10Gi", "RWO", "fast", "16d"])
    }));
    table(&rows)
}

fn analyze(text: &str) -> Report {
    let mut incident = Analyzer::new().incident();
    incident.read("claims.txt", text.as_bytes()).unwrap();
    incident.finish()
}

#[test]
fn each_row_is_read() {
    let count = 9000;
    for lost in [0, 4321, count - 1] {
        let text = format!("$ kubectl get pvc -n quay\n{}", claims(count, lost));
        assert!(text.len() > 3 * 256 * 1024 / 2);
        let report = analyze(&text);
        let first = &report.findings[0];
        assert_eq!(first.cause, "storage/claim-lost");
        assert_eq!(
            first.subject.to_string(),
            format!("PersistentVolumeClaim quay/hold-{lost}")
        );
        assert_eq!(first.evidence[0].line, 3 + lost as u64);
        let claims = report
            .health
            .iter()
            .find(|of| of.kind == "PersistentVolumeClaim")
            .unwrap();
        assert_eq!((claims.well, claims.unwell), (count as u64 - 1, 1));
        assert_eq!(report.inputs[0].not_understood, 0);
        // the table is one segment, however many blocks it spans
        assert_eq!(report.inputs[0].segments.len(), 2);
    }
}

#[test]
fn objects_are_extracted_from_each_row() {
    let text = format!("$ kubectl get pvc -n quay\n{}", claims(7000, 1));
    let mut all = 0;
    let read = extract_with(
        "claims.txt",
        ExtractOptions::default(),
        text.as_bytes(),
        |part| {
            let objects = &part.parsed.objects;
            assert!(
                objects
                    .iter()
                    .all(|object| object.subject.namespace.as_deref() == Some("quay"))
            );
            objects.len()
        },
        |count| all += count,
    );
    assert!(read.failure.is_none());
    assert_eq!(all, 7000);
}

#[test]
fn what_follows_a_table_is_read() {
    let log = "E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume \"conf\" : configmap \"web-conf\" not found\n";
    let text = format!("{}\n{log}", claims(7000, 7001));
    let report = analyze(&text);
    assert_eq!(report.findings[0].cause, "storage/configmap-missing");
    assert_eq!(report.findings[0].evidence[0].line, 7003);
}

#[test]
fn events_of_a_large_table() {
    let mut rows = vec![row(&["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"])];
    rows.extend((0..6000).map(|number| {
        let (object, message) = (
            format!("pod/crane-{number}"),
            "Started container arm".to_owned(),
        );
        row(&["17m", "Normal", "Started", &object, &message])
    }));
    rows.push(row(&[
        "3m",
        "Warning",
        "FailedMount",
        "pod/crane-7",
        "MountVolume.SetUp failed for volume \"conf\" : configmap \"tide\" not found",
    ]));
    let report = analyze(&table(&rows));
    assert_eq!(report.findings[0].cause, "storage/configmap-missing");
    assert_eq!(report.findings[0].evidence[0].line, 6002);
    assert_eq!(report.stats.events, 6001);
}
