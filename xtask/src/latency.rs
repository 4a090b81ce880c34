//! `cargo xtask latency`: what a hook, the daemon and a scan cost in a release build, compared with the bars of the design.
//!
//! Costs are CPU time of the measured process where that is what is meant, so that other work on the machine does not
//! count. Latency of the daemon is wall time and needs an idle machine.

use crate::ci::cargo;
use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// CPU time of a hook, as a multiple of that of `/bin/true`.
const HOOK_BAR: f64 = 2.5;
/// Time to answer an oversized command.
const LARGE_BAR: Duration = Duration::from_millis(200);
/// Checks that one core answers in a second.
const RATE_BAR: f64 = 20_000.0;
/// The slowest but one in a hundred at a thousand checks a second.
const P99_BAR: Duration = Duration::from_millis(2);
/// A scan of a large tree.
const SCAN_BAR: Duration = Duration::from_secs(10);

/// The name of the shape that can be judged.
const ONE_WORD: &str = "1 MB in one word";
const STARTS: usize = 200;
const CHECKS: usize = 40_000;
const CONNECTIONS: usize = 4;
const PACED: usize = 3000;
const PACE: Duration = Duration::from_millis(1);

#[derive(Args)]
pub(crate) struct Options {
    /// The guard [default: a release build]
    #[arg(long, value_name = "PROGRAM")]
    aegish: Option<PathBuf>,
    /// A tree to scan, of some ten thousand files
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let aegish = match &options.aegish {
        Some(path) => path.clone(),
        None => build()?,
    };
    let dir = std::env::temp_dir().join(format!("aegish-latency-{}", std::process::id()));
    fs::create_dir_all(&dir).map_err(|error| error.to_string())?;
    let bench = Bench { aegish, dir };
    let outcome = bench.all(options);
    let _ = fs::remove_dir_all(&bench.dir);
    match outcome?.iter().filter(|holds| !**holds).count() {
        0 => Ok(()),
        count => Err(format!("{count} bars are missed")),
    }
}

fn build() -> Result<PathBuf, String> {
    let status = cargo(&["build", "--release", "--quiet", "-p", "aegish"]).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("aegish could not be built".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR");
    Ok(target.map_or_else(|| crate::root().join("target"), PathBuf::from).join("release/aegish"))
}

fn told(holds: bool, text: &str) -> bool {
    println!("{}  {text}", if holds { "holds " } else { "MISSED" });
    holds
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

struct Bench {
    aegish: PathBuf,
    dir: PathBuf,
}

impl Bench {
    fn all(&self, options: &Options) -> Result<Vec<bool>, String> {
        let mut held = vec![self.hook()?];
        held.extend(self.large()?);
        held.extend(self.daemon()?);
        if let Some(tree) = &options.tree {
            held.push(self.scan(tree)?);
        }
        Ok(held)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.aegish);
        command.env_clear().env("HOME", &self.dir).env("PATH", "/usr/bin:/bin");
        command.env("AEGISH_JUDGE", "never").current_dir(&self.dir);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// CPU time of a hook and of `/bin/true`, alternately.
    fn hook(&self) -> Result<bool, String> {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let input = self.input("hook.json", "git status && cargo test -p aegish-agents")?;
        for _ in 0..STARTS {
            let mut hook = self.command();
            hook.args(["hook", "claude"]).stdin(open(&input)?);
            own.push(cpu_time(&mut hook)?);
            let mut nothing = Command::new("/bin/true");
            other.push(cpu_time(nothing.env_clear().stdin(open(&input)?))?);
        }
        let (own, other) = (median(own), median(other));
        let ratio = own.as_secs_f64() / other.as_secs_f64();
        let text = format!(
            "hook: {} of CPU time, /bin/true {}, ratio {ratio:.2} (at most {HOOK_BAR})",
            milliseconds(own),
            milliseconds(other)
        );
        Ok(told(ratio <= HOOK_BAR, &text))
    }

    /// Commands that are too large to be judged are refused at once.
    fn large(&self) -> Result<Vec<bool>, String> {
        let shapes = [
            (ONE_WORD, format!("echo {}", "a".repeat(1_000_000))),
            ("50,000 parts", vec!["true"; 50_000].join("; ")),
            ("50,000 commands in pipes", vec!["cat"; 50_000].join(" | ")),
        ];
        let mut held = Vec::new();
        for (name, command) in shapes {
            let input = self.input("large.json", &command)?;
            let (mut times, mut spent) = (Vec::new(), Vec::new());
            let mut said = String::new();
            for _ in 0..5 {
                let mut hook = self.command();
                hook.args(["hook", "claude"]).stdin(open(&input)?).stdout(Stdio::piped());
                let (start, before) = (Instant::now(), used_by_children()?);
                let output = hook.output().map_err(|error| error.to_string())?;
                times.push(start.elapsed());
                spent.push(used_by_children()?.saturating_sub(before));
                said = String::from_utf8_lossy(&output.stdout).into_owned();
            }
            let least = |times: Vec<Duration>| times.into_iter().min().unwrap_or_default();
            let (time, spent) = (least(times), least(spent));
            let refused = said.contains("\"deny\"");
            let text = format!(
                "{name}: {} with {} of CPU time (at most {}), {} here",
                if refused { "refused" } else { "judged" },
                milliseconds(spent),
                milliseconds(LARGE_BAR),
                milliseconds(time)
            );
            // One long word can be judged; what has too many parts is refused.
            held.push(told(spent <= LARGE_BAR && (refused || name == ONE_WORD), &text));
        }
        Ok(held)
    }

    fn input(&self, name: &str, command: &str) -> Result<PathBuf, String> {
        let path = self.dir.join(name);
        let call = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command },
            "cwd": self.dir, "permission_mode": "default",
        });
        fs::write(&path, call.to_string()).map_err(|error| error.to_string())?;
        Ok(path)
    }

    fn daemon(&self) -> Result<Vec<bool>, String> {
        let daemon = Daemon::start(self)?;
        let bodies = bodies()?;
        let before = daemon.cpu()?;
        let start = Instant::now();
        thread::scope(|scope| {
            let connections = (0..CONNECTIONS).map(|at| {
                let (bodies, socket) = (&bodies, &daemon.socket);
                scope.spawn(move || {
                    let mut client = Client::new(socket)?;
                    let own = bodies.iter().skip(at).step_by(CONNECTIONS);
                    own.cycle().take(CHECKS / CONNECTIONS).try_for_each(|body| client.check(body))
                })
            });
            let connections: Vec<_> = connections.collect();
            connections.into_iter().try_for_each(|one| one.join().unwrap_or(Err("lost".to_owned())))
        })?;
        let (took, spent) = (start.elapsed(), daemon.cpu()?.saturating_sub(before));
        #[allow(clippy::cast_precision_loss)]
        let rate = |time: Duration| CHECKS as f64 / time.as_secs_f64();
        let text = format!(
            "daemon: {:.0} checks per second of CPU time (at least {RATE_BAR:.0}), {:.0} per second here",
            rate(spent),
            rate(took)
        );
        let mut held = vec![told(rate(spent) >= RATE_BAR, &text)];
        let mut client = Client::new(&daemon.socket)?;
        let mut times = Vec::new();
        let start = Instant::now();
        for (at, body) in bodies.iter().cycle().take(PACED).enumerate() {
            let due = PACE * u32::try_from(at).unwrap_or(u32::MAX);
            thread::sleep(due.saturating_sub(start.elapsed()));
            // Late requests count from the time at which they were due.
            client.check(body)?;
            times.push(start.elapsed().saturating_sub(due));
        }
        times.sort();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        let text = format!(
            "daemon at 1,000 checks per second: median {}, p99 {} (at most {})",
            milliseconds(at(50)),
            milliseconds(at(99)),
            milliseconds(P99_BAR)
        );
        held.push(told(at(99) <= P99_BAR, &text));
        Ok(held)
    }

    fn scan(&self, tree: &Path) -> Result<bool, String> {
        let mut scan = self.command();
        scan.args(["scan", "--no-ignore", "--fail-on", "never", "--format", "json"]).arg(tree);
        let start = Instant::now();
        let spent = cpu_time(scan.stdin(Stdio::null()))?;
        let took = start.elapsed();
        let files = count(tree);
        let text = format!(
            "scan of {files} files: {:.1} s, {:.1} s of CPU time (at most {} s)",
            took.as_secs_f64(),
            spent.as_secs_f64(),
            SCAN_BAR.as_secs()
        );
        Ok(told(took.min(spent) <= SCAN_BAR, &text))
    }
}

fn open(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn count(dir: &Path) -> usize {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => count(&entry.path()),
        Ok(kind) => usize::from(kind.is_file()),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

/// CPU time of a child, which is the only one at the time.
fn cpu_time(command: &mut Command) -> Result<Duration, String> {
    let before = used_by_children()?;
    command.status().map_err(|error| error.to_string())?;
    Ok(used_by_children()?.saturating_sub(before))
}

fn used_by_children() -> Result<Duration, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Requests with the harmless commands of the benchmark.
fn bodies() -> Result<Vec<String>, String> {
    let path = crate::root().join("crates/aegish-bench/datasets/harmless.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let commands = rows.filter_map(|row| row.get("command").cloned());
    let bodies: Vec<String> = commands.map(|text| json!({ "command": text }).to_string()).collect();
    if bodies.is_empty() { Err("no commands".to_owned()) } else { Ok(bodies) }
}

struct Daemon {
    child: Child,
    socket: PathBuf,
}

impl Daemon {
    fn start(bench: &Bench) -> Result<Self, String> {
        let socket = bench.dir.join("guard.sock");
        let mut command = bench.command();
        command.args(["serve", "--threads", "1", "--socket"]).arg(&socket).stdin(Stdio::null());
        let mut child =
            command.stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
        let mut line = String::new();
        if let Some(output) = child.stderr.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let daemon = Self { child, socket };
        if line.starts_with("socket: ") { Ok(daemon) } else { Err("no daemon".to_owned()) }
    }

    /// The CPU time so far, from the counters of the scheduler in nanoseconds.
    fn cpu(&self) -> Result<Duration, String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let mut all = 0;
        for task in tasks.map_err(|error| error.to_string())?.flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let spent = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            all += spent.unwrap_or(0);
        }
        Ok(Duration::from_nanos(all))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that stays.
struct Client {
    stream: BufReader<UnixStream>,
}

impl Client {
    fn new(socket: &Path) -> Result<Self, String> {
        let stream = UnixStream::connect(socket).map_err(|error| error.to_string())?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    fn check(&mut self, body: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let head = format!(
            "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.stream.get_mut().write_all((head + body).as_bytes()).map_err(failed)?;
        let (mut length, mut line, mut first) = (0, String::new(), true);
        loop {
            line.clear();
            self.stream.read_line(&mut line).map_err(failed)?;
            if first && !line.contains(" 200 ") {
                return Err(line);
            }
            first = false;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap_or(0);
                }
                Some(_) => {}
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).map_err(failed)
    }
}
