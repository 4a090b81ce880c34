//! `cargo bench --bench shell`: the cost of the shell at the prompt, compared with the bars of the design.
//!
//! A line is typed alternately in an interactive bash and in the shell, each in its own terminal. The time is
//! measured from Enter to the output of the line. Memory is the peak of the shell's process after all these
//! lines.
#![allow(clippy::print_stdout, clippy::expect_used)] // a program for the terminal

use pty_process::blocking::{Command, Pty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// Maximum added time for a line that the static side decides.
const LINE_BAR: Duration = Duration::from_millis(2);
/// Whole process, as a multiple of `bash --norc --noprofile -c true`.
const START_BAR: f64 = 2.5;
/// Peak memory of a session, in kilobytes.
const MEMORY_BAR: u64 = 30 * 1024;
/// Maximum ratio between a long session and a new one, for time and memory.
const GROWTH_BAR: f64 = 1.1;
/// Lines of a long session.
const LONG: usize = 2000;
/// Lines that are measured in each of the two.
const MEASURED: usize = 120;
/// Measured lines per shell.
const LINES: usize = 200;
/// Measured starts per program.
const STARTS: usize = 300;

/// Lines as people type them. Each prints `effect`, written so that the typed line does not contain it.
const KINDS: [(&str, &str); 4] = [
    ("a builtin", "echo eff''ect"),
    ("a program", "/bin/echo eff''ect"),
    ("a pipe", "echo effects | sed s/s//"),
    ("a loop", "for i in 1 2 3; do x=$i; done; echo eff''ect"),
];

fn main() {
    let home = env::temp_dir().join(format!("aegish-bench-shell-{}", process::id()));
    fs::create_dir_all(&home).expect("a scratch directory");
    match binary() {
        Some(binary) => {
            lines(&binary, &home);
            growth(&binary, &home);
            start(&binary, &home);
        }
        None => println!("The release binary could not be built: nothing was measured."),
    }
    let _ = fs::remove_dir_all(&home);
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "MISSED" }
}

/// A shell in a terminal.
struct Session {
    pty: Pty,
    child: Child,
    seen: Vec<u8>,
}

impl Session {
    fn start(program: &Path, arguments: &[&str], home: &Path) -> Self {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(pty_process::Size::new(40, 100)).expect("a size");
        let child = Command::new(program)
            .args(arguments)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm-256color")
            .env("AEGISH_JUDGE", "never")
            .env("AEGISH_BANNER", "off")
            .current_dir(home)
            .spawn(pts)
            .expect("the shell starts");
        let mut session = Self { pty, child, seen: Vec::new() };
        session.until(b"\x1b[?2004h");
        session
    }

    /// Reads until this text appears.
    fn until(&mut self, text: &[u8]) {
        let mut buffer = [0; 4096];
        let mut searched = 0;
        loop {
            let found = self.seen[searched..].windows(text.len()).position(|part| part == text);
            if let Some(at) = found {
                self.seen.drain(..searched + at + text.len());
                return;
            }
            searched = self.seen.len().saturating_sub(text.len());
            let read = self.pty.read(&mut buffer).expect("the shell goes on");
            self.seen.extend_from_slice(&buffer[..read]);
        }
    }

    /// Reads until no more output comes, so that the editor has shown everything that was typed.
    fn settle(&mut self) {
        let mut buffer = [0; 4096];
        let pause = Timespec { tv_sec: 0, tv_nsec: 15_000_000 };
        while poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&pause)) != Ok(0) {
            let read = self.pty.read(&mut buffer).expect("the shell goes on");
            self.seen.extend_from_slice(&buffer[..read]);
        }
        self.seen.clear();
    }

    /// Types a line; returns the time from Enter to its effect.
    fn line(&mut self, line: &str) -> Duration {
        self.pty.write_all(line.as_bytes()).expect("the keys are taken");
        self.settle();
        let start = Instant::now();
        self.pty.write_all(b"\r").expect("the key is taken");
        self.until(b"effect\r\n");
        let time = start.elapsed();
        self.until(b"\x1b[?2004h");
        time
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lines that change the session: variables, files, directories.
fn line_of_session(number: usize) -> String {
    let group = number / 5;
    match number % 5 {
        0 => format!("v{group}=x{group}; echo eff''ect"),
        1 => format!("echo {group} > f{group}.txt; echo eff''ect"),
        2 => format!("export E{group}=\"$v{group}\"; echo eff''ect"),
        3 => format!("mkdir -p d{group}; cd d{group}; cd ..; echo eff''ect"),
        _ => format!("cat f{group}.txt > /dev/null; echo eff''ect"),
    }
}

/// The cost of a line at the start and at the end of a long session.
fn growth(binary: &Path, home: &Path) {
    let mut long = Session::start(binary, &[], home);
    for number in 0..LONG {
        long.line(&line_of_session(number));
    }
    let mut new = Session::start(binary, &[], home);
    for number in 0..10 {
        new.line(&line_of_session(number));
    }
    let (mut early, mut late) = (Vec::new(), Vec::new());
    // Alternately, so that other load affects both.
    for number in 10..10 + MEASURED {
        early.push(new.line(&line_of_session(number)));
        late.push(long.line(&line_of_session(LONG + number)));
    }
    let memory = (status_of(&new, "VmRSS:"), status_of(&long, "VmRSS:"));
    let (early, late) = (first_quartile(early), first_quartile(late));
    let slower = late.as_secs_f64() / early.as_secs_f64();
    #[allow(clippy::cast_precision_loss)] // kilobytes
    let larger = memory.1 as f64 / memory.0.max(1) as f64;
    println!("a line after 10 others {}, after {LONG} {}", millis(early), millis(late));
    println!("memory then {} kB, {} kB", memory.0, memory.1);
    println!("bar: ≤ {GROWTH_BAR} × time: {slower:.2} ×: {}", verdict(slower <= GROWTH_BAR));
    println!("bar: ≤ {GROWTH_BAR} × memory: {larger:.2} ×: {}\n", verdict(larger <= GROWTH_BAR));
}

/// The typical time of an undisturbed run: other load makes it longer, never shorter.
fn first_quartile(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 4).copied().unwrap_or_default()
}

/// A memory figure of a shell's process, in kilobytes.
fn status_of(session: &Session, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", session.child.id()));
    let status = status.unwrap_or_default();
    let value = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    value.trim().trim_end_matches(" kB").parse().unwrap_or(u64::MAX)
}

fn lines(binary: &Path, home: &Path) {
    let mut bash = Session::start(Path::new("bash"), &["--norc", "--noprofile", "-i"], home);
    let mut own = Session::start(binary, &[], home);
    println!(
        "{:<14} {:>6} {:>10} {:>10} {:>10} {:>10}",
        "Enter → effect", "n", "bash", "aegish", "added", "p99 added"
    );
    let mut added = Vec::new();
    for (name, line) in KINDS {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        // Alternately, so that other load affects both.
        for _ in 0..LINES / KINDS.len() {
            theirs.push(bash.line(line));
            ours.push(own.line(line));
        }
        theirs.sort();
        ours.sort();
        let at = |times: &[Duration], share: usize| {
            times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default()
        };
        let more = at(&ours, 50).saturating_sub(at(&theirs, 50));
        println!(
            "{name:<14} {:>6} {:>10} {:>10} {:>10} {:>10}",
            ours.len(),
            millis(at(&theirs, 50)),
            millis(at(&ours, 50)),
            millis(more),
            millis(at(&ours, 99).saturating_sub(at(&theirs, 99)))
        );
        added.push(more);
    }
    let worst = added.iter().max().copied().unwrap_or_default();
    println!("bar: ≤ {LINE_BAR:?} added in the median: {}\n", verdict(worst <= LINE_BAR));
    let peak = status_of(&own, "VmHWM:");
    println!("peak memory of a session of {LINES} lines: {peak} kB");
    println!("bar: ≤ {MEMORY_BAR} kB: {}\n", verdict(peak <= MEMORY_BAR));
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn start(binary: &Path, home: &Path) {
    let time = |program: &Path, arguments: &[&str]| {
        let mut command = process::Command::new(program);
        command.args(arguments).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
        let start = Instant::now();
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        status.is_ok().then(|| start.elapsed())
    };
    let (mut bash, mut own) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        bash.extend(time(Path::new("bash"), &["--norc", "--noprofile", "-c", "true"]));
        own.extend(time(binary, &["-c", "true"]));
    }
    let (bash, own) = (first_quartile(bash), first_quartile(own));
    let ratio = own.as_secs_f64() / bash.as_secs_f64();
    println!("aegish -c true {}, bash --norc --noprofile -c true {}", millis(own), millis(bash));
    println!("bar: ≤ {START_BAR} × bash: {ratio:.2} ×: {}", verdict(ratio <= START_BAR));
}

/// Builds the binary with the release profile.
fn binary() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap_or(here);
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = process::Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "aegish"])
        .current_dir(root)
        .status()
        .is_ok_and(|status| status.success());
    // …/release/deps/shell-HASH → …/release/aegish
    let here = env::current_exe().ok()?;
    let path = here.ancestors().nth(2)?.join("aegish");
    (built && path.is_file()).then_some(path)
}
