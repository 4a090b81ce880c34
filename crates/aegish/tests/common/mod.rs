//! Runs the binary.
#![allow(dead_code)] // not every test needs all of it

pub(crate) mod home;
pub(crate) mod machine;
pub(crate) mod schema;

use aegish_test_support::signals;
use std::io::Write;
use std::process::{Command, Stdio};

pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn command() -> Command {
    signals::default_in_children();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aegish"));
    // The environment may contain keys of the person who runs the tests. They must not be used.
    command.env("NO_COLOR", "1").env("HOME", "/home/user").env("AEGISH_JUDGE", "never");
    // The audit log has its own tests.
    command.env("AEGISH_AUDIT", "off");
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn aegish(arguments: &[&str], input: &[u8]) -> Run {
    let mut command = command();
    command.args(arguments);
    finish(command, input)
}

/// Runs a command with this input to its end.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // Large inputs and outputs would wait for each other otherwise.
    let feeder = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the binary ends");
    feeder.join().expect("the input is written");
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}
