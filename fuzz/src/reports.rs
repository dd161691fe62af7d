//! Reports are well-formed, and no text of the input becomes markup, an escape sequence or code in them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kwhy_core::{Analyzer, Report};
use kwhy_render::escape::is_hostile;
use kwhy_render::{
    Detail, Html, Human, Json, Junit, Layout, Markdown, Ndjson, Render, Sarif, View,
};
use serde_json::Value;

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_timeline());

/// Lines that yield findings. `@` stands for the text of the input.
const LINES: &[&str] = &[
    "panic: @\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:7 +0x1\n",
    "E0304 05:06:07.123456       1 sync.go:88] \"Failed\" err=\"@\"\n",
    "2m   Warning   FailedMount   pod/@   MountVolume.SetUp failed for volume \"@\" : configmap \"@\" not found\n",
    "LAST SEEN   TYPE      REASON    OBJECT      MESSAGE\n5m   Warning   BackOff   pod/quay-0   @\n",
    "Name:         @\nNamespace:    @\nStatus:       Pending\nEvents:\n  Type     Reason  Age  From     Message\n  ----     ------  ---- ----     -------\n  Warning  Failed  5s   kubelet  Failed to pull image \"@\": not found\n",
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: @\nstatus:\n  containerStatuses:\n  - name: @\n    state:\n      waiting:\n        reason: CrashLoopBackOff\n        message: '@'\n",
    "{\"level\":\"error\",\"ts\":1709528767.5,\"msg\":\"dial tcp: lookup @ on 10.0.0.10:53: no such host\"}\n",
    "NAME   READY   STATUS             RESTARTS   AGE\n@   0/1   CrashLoopBackOff   7          3m\n",
];

/// Tests the input in a place that the first byte chooses.
pub fn reports(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else {
        return;
    };
    let place = LINES[usize::from(*choice) % LINES.len()];
    let text = place.replace('@', &String::from_utf8_lossy(rest));
    let mut report = ANALYZER.analyze_text("input", text.as_str());
    report.add_lines_around("input", text.as_bytes(), 2);
    check(&report);
}

/// Renders a report in all output formats.
pub fn drawn(report: &Report) -> Vec<(&'static str, String)> {
    let human = |detail| Human {
        layout: Layout {
            width: 80,
            color: false,
        },
        detail,
    };
    let forms: [(&str, Box<dyn Render>); 8] = [
        ("json", Box::new(Json { pretty: false })),
        ("ndjson", Box::new(Ndjson::default())),
        ("sarif", Box::new(Sarif)),
        ("junit", Box::new(Junit)),
        ("html", Box::new(Html)),
        ("markdown", Box::new(Markdown)),
        ("human", Box::new(human(Detail::Usual))),
        ("all", Box::new(human(Detail::All))),
    ];
    let view = View {
        report,
        left_out: 0,
    };
    let draw = |(form, render): (&'static str, Box<dyn Render>)| {
        let mut out = Vec::new();
        let written = render.render(&view, &mut out);
        assert!(written.is_ok(), "{form}");
        let out = String::from_utf8(out);
        assert!(out.is_ok(), "{form}");
        (form, out.unwrap_or_default())
    };
    forms.into_iter().map(draw).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn check(report: &Report) {
    for (form, text) in drawn(report) {
        if !matches!(form, "json" | "ndjson") {
            let hostile = text.chars().find(|c| *c != '\n' && is_hostile(*c));
            assert_eq!(hostile, None, "{form}: {text:?}");
        }
        match form {
            "json" => drop(json(&text)),
            "ndjson" => {
                let lines = text.lines().map(json).count();
                assert_eq!(lines, report.findings.len() + 1, "{text}");
            }
            "sarif" => sarif(&json(&text)),
            "junit" => {
                let xml = roxmltree::Document::parse(&text);
                assert!(xml.is_ok(), "{xml:?}: {text}");
            }
            "html" => html(&text),
            _ => {}
        }
    }
}

/// Checks what SARIF 2.1.0 requires of the members that are written. The tests of kwhy-render validate against the
/// schema itself.
fn sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = &run["tool"]["driver"]["rules"];
    for result in run["results"].as_array().into_iter().flatten() {
        let rule = result["ruleIndex"]
            .as_u64()
            .and_then(|at| rules.get(usize::try_from(at).ok()?));
        assert_eq!(
            rule.map(|rule| &rule["id"]),
            Some(&result["ruleId"]),
            "{result}"
        );
        assert!(result["message"]["text"].is_string(), "{result}");
        for place in result["locations"].as_array().into_iter().flatten() {
            let line = &place["physicalLocation"]["region"]["startLine"];
            assert!(
                line.is_null() || line.as_u64().is_some_and(|line| line > 0),
                "{place}"
            );
        }
    }
}

/// Elements that load or run something, or submit a form. The page's only script is its own.
const ACTIVE: &[&str] = &[
    "applet",
    "audio",
    "base",
    "embed",
    "form",
    "frame",
    "iframe",
    "image",
    "img",
    "input",
    "link",
    "math",
    "object",
    "picture",
    "portal",
    "source",
    "template",
    "textarea",
    "track",
    "use",
    "video",
    "foreignobject",
    "animate",
    "set",
];

/// Attributes that load something. Those that run something start with `on`.
const LOADING: &[&str] = &[
    "action",
    "background",
    "data",
    "formaction",
    "ping",
    "poster",
    "src",
    "srcdoc",
    "srcset",
    "style",
    "xlink:href",
];

/// The page's own form, present if there are several root causes. It submits nothing.
const FILTER: &str = "<form id=\"filter\" hidden><label for=\"text\">Text<input id=\"text\" type=\"search\" autocomplete=\"off\"></label>";

fn html(page: &str) {
    let (tags, attributes, links) = markup(&page.replacen(FILTER, "", 1));
    let active = tags.iter().filter(|tag| ACTIVE.contains(&tag.as_str()));
    let loading = attributes
        .iter()
        .filter(|name| LOADING.contains(&name.as_str()) || name.starts_with("on"));
    let odd: Vec<&String> = active.chain(loading).collect();
    assert!(odd.is_empty(), "{odd:?}: {page}");
    let lower = page.to_ascii_lowercase();
    assert_eq!(lower.matches("<script").count(), 1, "{page}");
    assert_eq!(lower.matches("<style").count(), 1, "{page}");
    for link in links {
        assert!(
            link.starts_with("https://") || link.starts_with('#'),
            "{link}: {page}"
        );
    }
}

/// Returns the names of tags, the names of their attributes, and the targets of links, without the page's own style and
/// script.
fn markup(page: &str) -> (BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
    let mut tags = BTreeSet::new();
    let mut attributes = BTreeSet::new();
    let mut links = BTreeSet::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or(rest.len());
        let (tag, after) = rest.split_at(end);
        let name: String = tag
            .chars()
            .take_while(|c| !c.is_whitespace())
            .flat_map(char::to_lowercase)
            .collect();
        rest = after;
        if matches!(&*name, "script" | "style") {
            let close = rest.find(&format!("</{name}>")).unwrap_or(rest.len());
            rest = &rest[close..];
        }
        // quoted values contain no quotes
        let parts: Vec<&str> = tag.split('"').collect();
        for pair in parts.chunks(2) {
            let part = pair[0];
            let is_link = part.to_ascii_lowercase().trim_end().ends_with("href=");
            links.extend(pair.get(1).filter(|_| is_link).map(ToString::to_string));
            let names = part
                .split_whitespace()
                .filter(|part| *part != name && *part != "/");
            attributes.extend(names.map(|name| name.trim_end_matches('=').to_lowercase()));
        }
        tags.insert(name);
    }
    (tags, attributes, links)
}
