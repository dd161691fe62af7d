//! A browser controlled by the WebDriver protocol.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The key under which the protocol passes elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";

/// The maximum time of a step, longer than the slowest on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A window of Chromium.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Opens a window; `None` if Chromium or its driver is missing.
    pub fn open(profile: &Path) -> Option<Browser> {
        let browser = ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find(|program| Command::new(program).arg("--version").output().is_ok())?;
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(driver.stdout.take()?).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let port = line.split("successfully on port ").nth(1)?;
            port.trim_end_matches('.').parse().ok()
        })?;
        // a full pipe would block the driver
        thread::spawn(move || lines.for_each(drop));
        let mut opened = Browser {
            driver,
            port,
            session: String::new(),
        };
        let which = Command::new("which").arg(browser).output().ok()?;
        let binary = String::from_utf8(which.stdout).ok()?;
        let options = json!({
            "binary": binary.trim(),
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,1000",
                     format!("--user-data-dir={}", profile.display())],
        });
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let session = opened.call("POST", "/session", &wanted).unwrap();
        opened.session = session["sessionId"].as_str().unwrap().to_owned();
        opened.post("/timeouts", &json!({ "script": 300_000 }));
        Some(opened)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut body: Value = serde_json::from_slice(&body_of(stream)).unwrap();
        match body["value"]["error"].as_str() {
            Some(_) => Err(body["value"].to_string()),
            None => Ok(body["value"].take()),
        }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let answered = self.call("POST", &path, body);
        answered.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn get(&self, path: &str) -> Value {
        let path = format!("/session/{}{path}", self.session);
        self.call("GET", &path, &Value::Null).unwrap()
    }

    pub fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Runs a function body in the page, and returns its value.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs a function body in the page, and returns the value that it passes to its last argument.
    pub fn run_async(&self, script: &str) -> Value {
        self.post("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true, and returns how long that took.
    pub fn wait(&self, expression: &str) -> Duration {
        let start = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != true {
            let state = "return [document.getElementById('error')?.textContent, document.getElementById('status')?.textContent]";
            assert!(
                start.elapsed() < PATIENCE,
                "{expression}: {}",
                self.run(state)
            );
            thread::sleep(Duration::from_millis(30));
        }
        start.elapsed()
    }

    fn element(&self, css: &str) -> String {
        let found = self.post(
            "/element",
            &json!({ "using": "css selector", "value": css }),
        );
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Types into an element, or sets the path of a file input.
    pub fn type_into(&self, css: &str, text: &str) {
        let element = self.element(css);
        self.post(
            &format!("/element/{element}/value"),
            &json!({ "text": text }),
        );
    }

    pub fn click(&self, css: &str) {
        let element = self.element(css);
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    /// Presses keys one after another in the focused element.
    pub fn press(&self, keys: &[&str]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// Switches to a frame, or to the page itself for `None`.
    pub fn frame(&self, css: Option<&str>) {
        let id = match css {
            Some(css) => json!({ ELEMENT: self.element(css) }),
            None => Value::Null,
        };
        self.post("/frame", &json!({ "id": id }));
    }

    /// Sends a command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("/goog/cdp/execute", &body);
    }

    /// Returns the errors on the console.
    pub fn errors(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().unwrap().iter();
        let severe = entries.filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].to_string()).collect()
    }

    /// Writes a screenshot of the window as PNG.
    pub fn picture(&self, path: &Path) {
        let text = self.get("/screenshot");
        fs::write(path, from_base64(text.as_str().unwrap())).unwrap();
    }
}

/// Reads the body of a response by its length, as the driver keeps the connection open.
fn body_of(stream: TcpStream) -> Vec<u8> {
    let mut response = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        response.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    response.read_exact(&mut body).unwrap();
    body
}

impl Drop for Browser {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let _ = self.call("DELETE", &path, &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(value)
        .collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let bits = group
            .iter()
            .fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
