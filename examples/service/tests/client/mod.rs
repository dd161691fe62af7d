//! The service as a process, and a client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The maximum time of a step, longer than the slowest on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const PANIC: &[u8] =
    b"2024-03-04T05:06:07Z listening\npanic: runtime error: index out of range [3] with length 3\n";

/// A running service.
pub struct Service {
    process: Child,
    pub address: String,
}

impl Service {
    pub fn start(options: &[&str]) -> Service {
        let mut process = Command::new(env!("CARGO_BIN_EXE_service"))
            .args(["--listen", "127.0.0.1:0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        Service { process, address }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Posts a body of known length.
    pub fn post(&self, path: &str, accept: Option<&str>, body: &[u8]) -> Answer {
        let mut request = agent().post(self.url(path));
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        Answer::of(request.send(body).unwrap())
    }

    /// Posts a body as a stream, in chunks.
    pub fn post_stream(&self, path: &str, mut body: impl Read) -> Result<Answer, ureq::Error> {
        let body = ureq::SendBody::from_reader(&mut body);
        Ok(Answer::of(agent().post(self.url(path)).send(body)?))
    }

    pub fn health(&self) -> Answer {
        Answer::of(agent().get(self.url("/healthz")).call().unwrap())
    }

    /// Waits until no analysis is running.
    pub fn wait_until_idle(&self) {
        let until = Instant::now() + PATIENCE;
        while self.health().json()["running"] != 0 {
            assert!(
                Instant::now() < until,
                "an analysis goes on without a client"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Opens a connection, and sends the head of a request with a body of this length.
    pub fn begin(&self, length: usize) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "POST /reports?name=raw HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    pub fn terminate(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits until the process ends.
    pub fn wait(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a client that accepts responses of any status.
fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(PATIENCE))
        .build()
        .new_agent()
}

/// A response.
pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub retry_after: bool,
    pub body: String,
}

impl Answer {
    fn of(mut response: ureq::http::Response<ureq::Body>) -> Answer {
        let headers = response.headers();
        let kind = headers
            .get("content-type")
            .map(|value| value.to_str().unwrap().to_owned());
        let retry_after = headers.contains_key("retry-after");
        Answer {
            status: response.status().as_u16(),
            kind: kind.unwrap_or_default(),
            retry_after,
            body: response.body_mut().read_to_string().unwrap(),
        }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the causes in the report.
    pub fn causes(&self) -> Vec<String> {
        let report = self.json();
        let findings = report["findings"].as_array().unwrap();
        findings
            .iter()
            .map(|finding| finding["cause"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns the limits that were met according to the report.
    pub fn limits(&self) -> Vec<String> {
        let report = self.json();
        let limits = report["limits"].as_array().unwrap();
        limits
            .iter()
            .map(|met| met["limit"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Reads a raw response to its end and returns its status.
pub fn status_of(stream: &mut TcpStream) -> u16 {
    let mut response = Vec::new();
    // the service may close with a part of the body unread, which resets the connection
    let _ = stream.read_to_end(&mut response);
    let text = String::from_utf8_lossy(&response);
    let status = text
        .split(' ')
        .nth(1)
        .unwrap_or_else(|| panic!("no response: {text:?}"));
    status.parse().unwrap()
}

/// Closes the sending side of a connection.
pub fn end_of_sending(stream: &TcpStream) {
    stream.shutdown(Shutdown::Write).unwrap();
}

/// Returns a compressed tar archive of files.
pub fn bundle(members: &[(&str, &[u8])]) -> Vec<u8> {
    gzip(&kwhy_bundle::testing::tar_of(members))
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
