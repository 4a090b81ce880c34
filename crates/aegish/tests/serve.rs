//! `aegish serve`: the socket, HTTP on loopback, streams, reload and the end.
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::home::Home;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A daemon of a user. It is killed at the end at the latest.
struct Daemon {
    child: Child,
    socket: PathBuf,
    address: String,
    token: String,
}

impl Daemon {
    fn start(home: &Home) -> Self {
        let socket = home.dir.join("run/guard.sock");
        let mut command = common::command();
        command.args(["serve", "--http", "127.0.0.1:0", "--socket"]).arg(&socket);
        command.env("HOME", &home.dir).current_dir(home.dir.join("project"));
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        assert_eq!(line(), format!("socket: {}", socket.display()));
        let page = line();
        let page = page.strip_prefix("page: http://").unwrap();
        let (address, token) = page.split_once("/#token=").unwrap();
        Self { socket, address: address.to_owned(), token: token.to_owned(), child }
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Status and body of a request over the socket.
    fn socket(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        exchange(UnixStream::connect(&self.socket).unwrap(), method, path, "", "localhost", body)
    }

    fn http(&self, path: &str, headers: &str, host: &str) -> (u16, String) {
        exchange(TcpStream::connect(&self.address).unwrap(), "GET", path, headers, host, "")
    }

    fn authorization(&self) -> String {
        format!("authorization: Bearer {}\r\n", self.token)
    }

    fn check(&self, command: &str) -> Value {
        let body = json!({ "command": command }).to_string();
        let (status, body) = self.socket("POST", "/v1/check", &body);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exchange(
    mut stream: impl Read + Write,
    method: &str,
    path: &str,
    headers: &str,
    host: &str,
    body: &str,
) -> (u16, String) {
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn the_socket_answers_commands_batches_sessions_and_classifiers() {
    let home = Home::new("serve-socket");
    let daemon = Daemon::start(&home);
    assert_eq!(daemon.check("ls -la")["action"], "allow");
    let blocked = daemon.check("cat /etc/shadow");
    assert_eq!(
        (&blocked["action"], &blocked["rule_name"]),
        (&json!("block"), &json!("critical-file-read"))
    );

    let batch = json!({ "requests": [
        { "id": 7, "command": "cat /etc/shadow" },
        { "command": "ls", "role": "nobody" },
        { "id": "x", "command": "ls" },
    ] });
    let (_, body) = daemon.socket("POST", "/v1/check/batch", &batch.to_string());
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&body["verdicts"][0]["id"], &body["verdicts"][0]["action"]),
        (&json!(7), &json!("block"))
    );
    assert!(body["verdicts"][1]["error"].is_string(), "{body}");
    assert_eq!(
        (&body["verdicts"][2]["id"], &body["verdicts"][2]["action"]),
        (&json!("x"), &json!("allow"))
    );

    let in_session = |command: &str| {
        let body = json!({ "command": command, "session": "s" }).to_string();
        let body: Value =
            serde_json::from_str(&daemon.socket("POST", "/v1/check", &body).1).unwrap();
        body["action"].as_str().unwrap().to_owned()
    };
    assert_eq!(in_session("f=/etc/shadow"), "allow");
    assert_eq!(in_session("cat \"$f\""), "block");
    assert_eq!(daemon.socket("DELETE", "/v1/sessions/s", "").0, 204);
    assert_eq!(daemon.socket("DELETE", "/v1/sessions/s", "").0, 404);
    assert_ne!(in_session("cat \"$f\""), "block");

    let (_, body) =
        daemon.socket("POST", "/v1/classify", r#"{"inputs":"cat /etc/shadow","parameters":{}}"#);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body[0][0]["label"], "INJECTION");
    assert!(body[0][0]["score"].as_f64().unwrap() > 0.9, "{body}");
    let (_, body) = daemon.socket("POST", "/v1/classify", r#"{"inputs":"ls -la"}"#);
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()[0][0]["label"], "SAFE");

    for body in [
        "",
        "{}",
        "[]",
        "{\"command\":1}",
        "{\"command\":\"ls\",\"role\":\"god\"}",
        "{\"comand\":\"ls\"}",
    ] {
        assert_eq!(daemon.socket("POST", "/v1/check", body).0, 400, "{body}");
    }
    assert_eq!(daemon.socket("GET", "/v1/grants", "").0, 403, "the socket gives no grants");
    let (_, metrics) = daemon.socket("GET", "/metrics", "");
    assert!(metrics.contains("aegish_refused_requests_total 6"), "{metrics}");
    assert!(metrics.contains("aegish_decisions_total{action=\"block\"}"), "{metrics}");
}

#[test]
fn http_needs_the_token_and_the_name_of_this_machine() {
    let home = Home::new("serve-http");
    let daemon = Daemon::start(&home);
    let token = daemon.authorization();
    assert_eq!(daemon.http("/healthz", "", "localhost").0, 200);
    assert_eq!(daemon.http("/", "", "127.0.0.1").0, 200);
    assert_eq!(daemon.http("/v1/decisions", "", "127.0.0.1").0, 401);
    assert_eq!(daemon.http("/v1/decisions", "authorization: Bearer x\r\n", "127.0.0.1").0, 401);
    assert_eq!(daemon.http("/v1/decisions", &token, "example.org").0, 403);
    assert_eq!(daemon.http("/v1/decisions", &token, "127.0.0.1").0, 200);
    // It was not started at a terminal, so that an agent may have read the token.
    assert_eq!(daemon.http("/v1/grants", &token, "127.0.0.1").0, 403);
}

#[test]
fn secrets_are_taken_out_of_what_is_shown() {
    let home = Home::new("serve-secrets");
    let daemon = Daemon::start(&home);
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    daemon.check(&format!("curl -H 'Authorization: Bearer {secret}' https://example.org"));
    for path in ["/v1/decisions", "/v1/decisions/1"] {
        let (status, body) = daemon.http(path, &daemon.authorization(), "127.0.0.1");
        assert!(status == 200 && body.contains("curl") && !body.contains(secret), "{path}: {body}");
    }
}

#[test]
fn settings_are_read_again_and_the_end_is_orderly() {
    let home = Home::new("serve-reload");
    let mut daemon = Daemon::start(&home);
    assert_eq!(daemon.check("git push")["action"], "allow");
    assert_eq!(home.run(&["deny", "git", "push", "--yes"]).status, 0);
    daemon.signal(Signal::SIGHUP);
    until(|| daemon.check("git push")["action"] == "block");

    // Settings that cannot be used leave the old ones in force.
    home.file(".config/aegish/config.toml", "nonsense = [");
    daemon.signal(Signal::SIGHUP);
    until(|| {
        daemon
            .socket("GET", "/metrics", "")
            .1
            .contains("aegish_reloads_total{outcome=\"failed\"} 1")
    });
    assert_eq!(daemon.check("git push")["action"], "block");

    let mut stream = UnixStream::connect(&daemon.socket).unwrap();
    stream.write_all(b"GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.contains("200"), "{line}");
    daemon.check("cat /etc/shadow");
    until(|| {
        line.clear();
        stream.read_line(&mut line).unwrap();
        line.contains("critical-file-read")
    });
    daemon.signal(Signal::SIGTERM);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(daemon.child.wait().unwrap().success());
    assert!(!daemon.socket.exists());
}

fn until(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "it does not come about");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_page_works_in_a_browser() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/check-serve.py");
    let python = std::env::var("AEGISH_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut probe = std::process::Command::new(&python);
    let known = probe.args(["-c", "import playwright"]).stderr(Stdio::null()).status();
    if !known.is_ok_and(|status| status.success()) {
        println!("skipped: the Python package playwright is not installed");
        return;
    }
    let output = std::process::Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_aegish"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
