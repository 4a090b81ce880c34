//! `aegish mcp` with a real client: the official Python package.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::home::Home;
use std::process::{Command, Stdio};

/// The Python that has the packages of the tests.
fn python() -> String {
    std::env::var("AEGISH_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn has_client() -> bool {
    let mut python = Command::new(python());
    python
        .args(["-c", "from mcp.client.streamable_http import streamable_http_client"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

#[test]
fn the_official_client_checks_explains_and_runs() {
    if !has_client() {
        println!("skipped: the Python package mcp (2 or later) is not installed");
        return;
    }
    let home = Home::new("mcp");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_client.py");
    let mut python = Command::new(python());
    python.arg(script).arg(env!("CARGO_BIN_EXE_aegish")).env("HOME", &home.dir);
    python.env("AEGISH_AUDIT", "off").env("AEGISH_JUDGE", "never").stdin(Stdio::null());
    let output = python.output().expect("python3 starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{wrong}");
    assert_eq!(said, "stdio: ok\nhttp: ok\n");
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let home = Home::new("mcp-token");
    let file = home.dir.join("token");
    std::fs::write(&file, "0123456789abcdef0123456789abcdef").unwrap();
    let file = file.to_str().unwrap();
    let run = home.run(&["mcp", "--http", "127.0.0.1:0", "--token-file", file]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(run.stderr.contains("others can read it"), "{}", run.stderr);
    let run = home.run(&["mcp", "--http", "192.0.2.1:0"]);
    assert!(run.stderr.contains("not on loopback"), "{}", run.stderr);
}
