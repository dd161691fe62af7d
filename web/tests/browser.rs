//! The page in Chromium, opened from disk. `KWHY_WEB_PAGE` is its path; without it, Chromium or the driver, tests are
//! skipped.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use kwhy_bundle::testing::tar_of;
use serde_json::{Value, json};

use super::driver::{Browser, ENTER, ESCAPE, TAB};
use super::{MINE, PANIC, PASTE, file, outcome};

/// Opens a window with the page, and creates a folder for files.
fn opened(name: &str) -> Option<(Browser, PathBuf)> {
    let Some(page) = std::env::var_os("KWHY_WEB_PAGE") else {
        eprintln!("KWHY_WEB_PAGE names no page: it was not opened; web/test builds and tests it");
        return None;
    };
    let page = PathBuf::from(page);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let Some(browser) = Browser::open(&folder.join("profile")) else {
        eprintln!("Chromium or chromedriver is not here: the page was not opened");
        return None;
    };
    browser.go(&format!("file://{}", page.display()));
    Some((browser, folder))
}

fn analyze(browser: &Browser) {
    browser.click("#go");
    browser.wait("worker === null");
}

/// Returns the report of the page as JSON.
fn json_of(browser: &Browser) -> String {
    assert_eq!(
        browser.run("return document.getElementById('error').textContent"),
        ""
    );
    let json = browser.run("return forms.json");
    json.as_str().unwrap().to_owned()
}

fn limits(browser: &Browser) -> Vec<String> {
    let report: Value = serde_json::from_str(&json_of(browser)).unwrap();
    let limits = report["limits"].as_array().unwrap();
    limits
        .iter()
        .map(|met| met["limit"].as_str().unwrap().to_owned())
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// Takes screenshots of the page in its two themes.
fn pictures(browser: &Browser, folder: &Path) {
    for theme in ["light", "dark"] {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        browser.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
        browser.picture(&folder.join(theme).with_extension("png"));
    }
}

#[test]
fn a_paste_is_diagnosed_with_the_keyboard_alone() {
    let Some((browser, folder)) = opened("keyboard") else {
        return;
    };
    let focus = || browser.run("return document.activeElement.id");
    browser.press(&[TAB]);
    assert_eq!(focus(), "paste");
    let keys: Vec<String> = PASTE.trim_end().chars().map(String::from).collect();
    browser.press(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    let mut seen = Vec::new();
    while focus() != "go" {
        browser.press(&[TAB]);
        seen.push(focus());
        assert!(seen.len() < 10, "{seen:?}");
    }
    assert_eq!(seen[..2], ["files", "folder"], "{seen:?}");
    browser.press(&[ENTER]);
    browser.wait("forms.json");
    assert_eq!(focus(), "headline");
    // the native library gives the same result
    let native = outcome(
        &[file("paste", None)],
        &[PASTE.trim_end().as_bytes().to_vec()],
        &[],
    );
    assert_eq!(json_of(&browser).into_bytes(), native.unwrap().json);
    // the report is in a frame without privileges, and its own script runs
    browser.frame(Some("#report"));
    let title = browser.run("return document.title");
    assert_eq!(title, "kwhy: 1 root cause");
    assert_eq!(browser.run("return self.origin"), "null");
    browser.frame(None);
    assert_eq!(browser.errors(), Vec::<String>::new());
    pictures(&browser, &folder);
}

#[test]
fn nothing_leaves_the_page() {
    let Some((browser, _)) = opened("network") else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let loaded = "return performance.getEntriesByType('resource').map((it) => it.name).filter((name) => !name.startsWith('blob:'))";
    browser.type_into("#paste", PASTE);
    analyze(&browser);
    assert_eq!(browser.run(loaded), json!([]));
    let of_page = browser.run_async(&format!(
        "const done = arguments[0]; \
         document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective)); \
         fetch('{url}').then(() => done('connected'), () => {{}});"
    ));
    assert_eq!(of_page, "connect-src");
    let of_worker = browser.run_async(&format!(
        "const done = arguments[0]; \
         const code = 'addEventListener(\"securitypolicyviolation\", (e) => postMessage(e.effectiveDirective)); fetch(\"{url}\").then(() => postMessage(\"connected\"), () => {{}});'; \
         const other = new Worker(URL.createObjectURL(new Blob([code]))); \
         other.onmessage = ({{data}}) => done(data);"
    ));
    assert_eq!(of_worker, "connect-src");
    let of_image = browser.run_async(&format!(
        "const done = arguments[0]; const image = new Image(); \
         image.onload = () => done('loaded'); image.onerror = () => done('refused'); image.src = '{url}';"
    ));
    assert_eq!(of_image, "refused");
    assert!(listener.accept().is_err(), "something connected");
}

#[test]
fn a_large_bundle_has_the_native_report() {
    let Some((browser, folder)) = opened("large") else {
        return;
    };
    let members: Vec<(String, Vec<u8>)> = (0..10)
        .map(|number| {
            let log = benches::mixed(5 << 20, number).text.into_bytes();
            (
                format!("must-gather/namespaces/shop/pods/web-{number}/web/web/logs/current.log"),
                log,
            )
        })
        .collect();
    let of: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, log)| (name.as_str(), log.as_slice()))
        .collect();
    let archive = tar_of(&of);
    assert!(archive.len() > 50_000_000);
    let packed = gzip(&archive);
    for (name, bytes) in [("bundle.tar", archive), ("bundle.tar.gz", packed)] {
        let path = written(&folder, name, &bytes);
        let length = bytes.len();
        let start = Instant::now();
        let native = outcome(&[file(name, None)], &[bytes], &[]).unwrap();
        let took = start.elapsed();
        browser.run("chosen = []; refresh();");
        browser.type_into("#files", &path);
        browser.wait("chosen.length === 1");
        let start = Instant::now();
        analyze(&browser);
        let all = start.elapsed();
        assert_eq!(json_of(&browser).into_bytes(), native.json, "{name}");
        let shown = browser.run("return document.getElementById('took').textContent");
        eprintln!(
            "{name}: {length} bytes; the page: {shown}, with its start {all:.1?}; this test, natively: {took:.1?}"
        );
    }
}

#[test]
fn an_analysis_is_cancelled_and_the_next_one_runs() {
    let Some((browser, folder)) = opened("cancel") else {
        return;
    };
    let log = benches::mixed(64 << 20, 1).text.into_bytes();
    let path = written(&folder, "large.log", &log);
    browser.type_into("#files", &path);
    for by_key in [false, true] {
        browser.wait("chosen.length === 1");
        browser.click("#go");
        browser.wait("document.getElementById('progress').value > 0.05");
        match by_key {
            true => browser.press(&[ESCAPE]),
            false => browser.click("#cancel"),
        }
        browser.wait("worker === null && document.getElementById('running').hidden");
        let error = browser.run("return document.getElementById('error').textContent");
        assert!(error.as_str().unwrap().starts_with("Cancelled"), "{error}");
        assert_eq!(browser.run("return forms.json ?? null"), Value::Null);
    }
    browser.click("#clear");
    browser.type_into("#paste", PASTE);
    analyze(&browser);
    assert!(json_of(&browser).contains("configmap-missing"));
}

#[test]
fn hostile_input_changes_nothing_of_the_page() {
    let Some((browser, folder)) = opened("hostile") else {
        return;
    };
    let bad =
        "<img src=x onerror=document.title='owned'><script>top.document.title='owned'</script>";
    let member = format!("../../{}.log", bad.replace('/', "_"));
    let text = format!("{bad}\n{PANIC}E0304 05:06:07.123456       1 x.go:1] \"Failed {bad}\"\n");
    let archive = gzip(&tar_of(&[(&member[..90], text.as_bytes())]));
    let bomb = gzip(&vec![b'x'; 96 << 20]);
    let mut broken = gzip(&tar_of(&[
        ("a.log", PANIC.as_bytes()),
        ("b.log", &[b'x'; 90_000]),
    ]));
    broken.truncate(broken.len() - 30);
    for (name, bytes, limit) in [
        ("markup.tar.gz", &archive, None),
        ("bomb.gz", &bomb, Some("ratio")),
        ("broken.tar.gz", &broken, Some("damaged")),
    ] {
        let path = written(&folder, name, bytes);
        browser.run("chosen = []; forms = {}; refresh();");
        browser.type_into("#files", &path);
        browser.wait("chosen.length === 1");
        analyze(&browser);
        let limits = limits(&browser);
        assert!(
            limit.is_none_or(|limit| limits.contains(&limit.to_owned())),
            "{name}: {limits:?}"
        );
        browser.frame(Some("#report"));
        assert_eq!(
            browser.run("return document.querySelectorAll('img').length"),
            0
        );
        assert_eq!(
            browser.run("return document.querySelectorAll('script').length"),
            1
        );
        browser.frame(None);
        assert_eq!(browser.run("return document.title"), "kwhy");
    }
    // names of files are text of the input too
    browser.run(&format!(
        "chosen = []; add([item(new File(['x'], {0}), ''), item(new File(['x'], 'b'), '')]);",
        Value::String(bad.replace('/', "_"))
    ));
    assert_eq!(
        browser.run("return document.querySelectorAll('main img').length"),
        0
    );
}

#[test]
fn folders_dropped_files_and_signatures_are_read() {
    let Some((browser, folder)) = opened("files") else {
        return;
    };
    let log = "must-gather.local.7/namespaces/shop/pods/web-0/web/web/logs/current.log";
    written(&folder, log, PANIC.as_bytes());
    written(
        &folder,
        "must-gather.local.7/event-filter.html",
        b"<html></html>",
    );
    browser.type_into(
        "#folder",
        &folder.join("must-gather.local.7").display().to_string(),
    );
    browser.wait("chosen.length === 2");
    analyze(&browser);
    let report: Value = serde_json::from_str(&json_of(&browser)).unwrap();
    assert_eq!(report["findings"][0]["subject"]["name"], "web-0");
    // dropped as well, with the user's own signatures
    browser.run(
        "const transfer = new DataTransfer(); \
         transfer.items.add(new File(['level=error msg=\"ferry f-7 is full\"\\n'], 'ferry.log')); \
         document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));",
    );
    browser.wait("chosen.length === 3");
    browser.run("document.querySelector('details').open = true");
    browser.type_into(
        "#signatures",
        &written(&folder, "mine.yaml", MINE.as_bytes()),
    );
    browser.wait("signatures.length === 1");
    analyze(&browser);
    let json = json_of(&browser);
    assert!(
        json.contains("The ferry f-7 is full") && json.contains("web-0"),
        "{json}"
    );
    browser.type_into(
        "#signatures",
        &written(&folder, "wrong.yaml", b"id: x\nseverty: error\n"),
    );
    browser.wait("signatures[0].name === 'wrong.yaml'");
    analyze(&browser);
    let error = browser.run("return document.getElementById('error').textContent");
    assert!(
        error.as_str().unwrap().starts_with("wrong.yaml:2:"),
        "{error}"
    );
    browser.click("#without");
    analyze(&browser);
    assert!(!json_of(&browser).contains("The ferry"));
}

/// The report is in a frame, whose links resolve against the address of the page around it.
#[test]
fn links_of_the_report_lead_to_its_findings_and_nowhere_else() {
    let Some((browser, folder)) = opened("links") else {
        return;
    };
    // the cause of the last line has a reference
    let log = benches::mixed(1 << 20, 3).text
        + "E0614 10:11:12.131415       1 driver.go:124] \"GRPC error\" err=\"rpc error: code = ResourceExhausted desc = no array has room for 3Ti\"\n";
    browser.type_into("#files", &written(&folder, "mixed.log", log.as_bytes()));
    browser.wait("chosen.length === 1");
    analyze(&browser);
    browser.frame(Some("#report"));
    let href = "return document.querySelector('nav li:nth-child(2) a').getAttribute('href')";
    let link = browser.run(href);
    browser.click("nav li:nth-child(2) a");
    assert_eq!(browser.run("return `#${document.activeElement.id}`"), link);
    browser.run("document.querySelector('a[href^=\"https:\"]').click()");
    let title = browser.run("return document.title");
    assert!(title.as_str().unwrap().starts_with("kwhy: "), "{title}");
}

#[test]
fn a_file_that_was_chosen_before_is_named_and_not_added_again() {
    let Some((browser, folder)) = opened("again") else {
        return;
    };
    let path = written(&folder, "web.log", PANIC.as_bytes());
    browser.type_into("#files", &path);
    browser.wait("chosen.length === 1");
    // a file of another folder may have the same name
    browser.type_into("#files", &written(&folder, "other/web.log", b"listening\n"));
    browser.wait("document.getElementById('error').textContent.includes('web.log')");
    assert_eq!(browser.run("return chosen.length"), 1);
}

#[test]
fn the_page_fits_a_phone() {
    let Some((browser, folder)) = opened("phone") else {
        return;
    };
    let phone = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
    browser.devtools("Emulation.setDeviceMetricsOverride", phone);
    let is_narrow = || browser.run("return document.documentElement.scrollWidth <= 360");
    assert_eq!(is_narrow(), true);
    let log = benches::mixed(100_000, 3).text;
    let path = written(
        &folder,
        &format!("{}.log", "a-long-name".repeat(15)),
        log.as_bytes(),
    );
    browser.type_into("#files", &path);
    browser.wait("chosen.length === 1");
    browser.picture(&folder.join("form.png"));
    analyze(&browser);
    assert_eq!(is_narrow(), true);
    pictures(&browser, &folder);
}
