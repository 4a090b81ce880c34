//! Runs a command through the guard's shell, with limits on time and output.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// How long the output may stay open behind the end of the command.
const LINGER: Duration = Duration::from_millis(200);

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) seconds: u64,
    /// Of each stream.
    pub(crate) bytes: u64,
}

impl Limits {
    pub(crate) const SECONDS: u64 = 60;
    pub(crate) const MOST_SECONDS: u64 = 600;
    pub(crate) const BYTES: u64 = 64 << 10;
    pub(crate) const MOST_BYTES: u64 = 1 << 20;
}

/// How a run ended.
pub(crate) struct Ended {
    status: Option<i32>,
    stdout: Captured,
    stderr: Captured,
    timed_out: bool,
}

impl Ended {
    pub(crate) fn with_verdict(&self, verdict: &Value) -> Value {
        json!({
            "verdict": verdict,
            "ran": true,
            "status": self.status,
            "stdout": self.stdout.text(),
            "stderr": self.stderr.text(),
            "timed_out": self.timed_out,
            "truncated": self.stdout.truncated || self.stderr.truncated,
        })
    }
}

#[derive(Default)]
struct Captured {
    bytes: Vec<u8>,
    truncated: bool,
}

impl Captured {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Runs `PROGRAM -c TEXT` in a process group of its own, which is killed when the time is over.
pub(crate) async fn run(
    program: &Path,
    text: &str,
    cwd: Option<&str>,
    limits: Limits,
) -> Result<Ended, String> {
    let mut command = Command::new(program);
    command.arg("-c").arg(text).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = cwd {
        command.current_dir(cwd);
    }
    let mut child = command.spawn().map_err(|error| format!("nothing was run: {error}"))?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let stdout = child.stdout.take().map(|pipe| tokio::spawn(capture(pipe, limits.bytes)));
    let stderr = child.stderr.take().map(|pipe| tokio::spawn(capture(pipe, limits.bytes)));
    let waited = tokio::time::timeout(Duration::from_secs(limits.seconds), child.wait()).await;
    let timed_out = waited.is_err();
    if let Some(group) = group {
        // Also what the command left behind: nothing may outlive its call.
        let _ = killpg(group, Signal::SIGKILL);
    }
    let status = match waited {
        Ok(ended) => ended.map_err(|error| format!("the end was not seen: {error}"))?.code(),
        Err(_) => child.wait().await.ok().and_then(|status| status.code()),
    };
    let collect = async |task: Option<tokio::task::JoinHandle<Captured>>| match task {
        Some(task) => match tokio::time::timeout(LINGER, task).await {
            Ok(Ok(captured)) => captured,
            _ => Captured { truncated: true, ..Captured::default() },
        },
        None => Captured::default(),
    };
    Ok(Ended { status, stdout: collect(stdout).await, stderr: collect(stderr).await, timed_out })
}

/// Keeps the first bytes and reads on, so that the command does not wait.
async fn capture(mut pipe: impl AsyncRead + Unpin, most: u64) -> Captured {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut captured = Captured::default();
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read) = pipe.read(&mut buffer).await {
        if read == 0 {
            break;
        }
        let room = most.saturating_sub(captured.bytes.len());
        captured.truncated |= read > room;
        captured.bytes.extend_from_slice(buffer.get(..read.min(room)).unwrap_or_default());
    }
    captured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_with(text: &str, seconds: u64, bytes: u64) -> Value {
        let limits = Limits { seconds, bytes };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let ended =
            runtime.expect("threads").block_on(run(Path::new("/bin/sh"), text, None, limits));
        ended.expect("it runs").with_verdict(&json!({}))
    }

    #[test]
    fn output_and_status_come_back() {
        let ended = run_with("echo out; echo err >&2; exit 3", 10, 100);
        assert_eq!((&ended["stdout"], &ended["stderr"]), (&json!("out\n"), &json!("err\n")));
        assert_eq!((&ended["status"], &ended["truncated"]), (&json!(3), &json!(false)));
    }

    #[test]
    fn time_and_output_are_limited() {
        let start = std::time::Instant::now();
        let slow = run_with("sleep 30 & sleep 30", 1, 100);
        assert_eq!(slow["timed_out"], json!(true));
        assert!(start.elapsed() < Duration::from_secs(15));
        let loud = run_with("yes | head -c 100000", 10, 10);
        assert_eq!(
            (&loud["stdout"], &loud["truncated"]),
            (&json!("y\ny\ny\ny\ny\n"), &json!(true))
        );
    }
}
