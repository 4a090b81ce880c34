//! `cargo bench -p aegish-sandbox --bench kernel`: what the kernel's limits cost, compared with the bars of the design.
//!
//! The same work is done alternately with and without a limit, by the release binary of the shell.
//! `AEGISH_BENCH_BINARY` names another binary.
#![allow(clippy::print_stdout, clippy::expect_used)] // a program for the terminal

use aegish_sandbox::{FileProfile, Reach, Scope, rules};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// Most time that supervision adds to an execution.
const EXECUTION_BAR: Duration = Duration::from_micros(150);
/// Most time of `make`, as a multiple.
const MAKE_BAR: f64 = 1.15;
/// Most time to make the rules for files.
const RULES_BAR: Duration = Duration::from_millis(3);
/// Executions and connections that are measured in each run.
const CALLS: usize = 200;
const RUNS: usize = 7;
/// Files of the small project.
const FILES: usize = 30;

fn main() {
    let home = env::temp_dir().join(format!("aegish-bench-kernel-{}", process::id()));
    fs::create_dir_all(&home).expect("a scratch directory");
    rule_set(&home);
    match binary() {
        Some(binary) => {
            // On one processor it is the work that counts, not where the scheduler puts two processes.
            let all = on_one_processor();
            calls(&binary, &home, "execution of /bin/true", "/bin/true", Some(EXECUTION_BAR));
            if all.is_some_and(|all| sched_setaffinity(Pid::from_raw(0), &all).is_ok()) {
                calls(&binary, &home, "on all processors", "/bin/true", None);
            }
            connections(&binary, &home);
            make(&binary, &home);
        }
        None => println!("The release binary could not be built: only the rules were measured."),
    }
    let _ = fs::remove_dir_all(&home);
}

/// Keeps this process and its children on one processor. Returns where they could run before.
fn on_one_processor() -> Option<CpuSet> {
    let this = Pid::from_raw(0);
    let all = sched_getaffinity(this).ok()?;
    let first = (0..CpuSet::count()).find(|number| all.is_set(*number) == Ok(true))?;
    let mut one = CpuSet::new();
    one.set(first).ok()?;
    sched_setaffinity(this, &one).ok()?;
    Some(all)
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "MISSED" }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Rules for a project, by Landlock.
fn rule_set(home: &Path) {
    let scope = Scope { home: Some(home), cwd: home, readable: &[], guards_own: &[] };
    for (name, profile) in [("open", FileProfile::Open), ("project", FileProfile::Project)] {
        let time = || {
            let start = Instant::now();
            let made = rules(profile, &scope, &Reach::Everywhere, None);
            (made.is_ok(), start.elapsed())
        };
        let tried: Vec<(bool, Duration)> = (0..50).map(|_| time()).collect();
        if tried.iter().any(|(made, _)| !made) {
            println!("rules for files: Landlock cannot be had here");
            return;
        }
        let time = median(tried.into_iter().map(|(_, time)| time).collect());
        let holds = verdict(time <= RULES_BAR);
        println!("rules for files, {name:8} {time:>10.1?}   at most {RULES_BAR:?}: {holds}");
    }
}

/// Something that bash does again and again, timed by bash. Without a bar, it is only shown.
fn calls(binary: &Path, home: &Path, name: &str, text: &str, bar: Option<Duration>) {
    let text = format!(
        "for i in {{1..{CALLS}}}; do s=$EPOCHREALTIME; {text}; e=$EPOCHREALTIME; \
         echo $(( ${{e/./}} - ${{s/./}} )); done"
    );
    let (mut free, mut held) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (setting, times) in [("off", &mut free), ("on", &mut held)] {
            let output = shell(binary, home, setting, &text).output().expect("the shell starts");
            let lines = String::from_utf8_lossy(&output.stdout).into_owned();
            times.extend(
                lines.lines().filter_map(|line| line.parse().ok()).map(Duration::from_micros),
            );
        }
    }
    let (free, held) = (median(free), median(held));
    let added = held.saturating_sub(free);
    let against =
        bar.map_or(String::new(), |bar| format!("   at most {bar:?}: {}", verdict(added <= bar)));
    println!("{name:24} {free:>10.1?} free {held:>10.1?} supervised, {added:?} added{against}");
}

fn connections(binary: &Path, home: &Path) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let text = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; exec 3>&-");
    // The text alone would be a suspicious one.
    let script = home.join("connect.sh");
    fs::write(&script, text).expect("a script");
    calls(binary, home, "connection to loopback", ". ./connect.sh", None);
}

/// A small project in C.
fn make(binary: &Path, home: &Path) {
    if Command::new("cc").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("make: no C compiler");
        return;
    }
    let mut objects = String::new();
    for number in 0..FILES {
        let code = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             int f{number}(int n) {{ char b[64]; snprintf(b, sizeof b, \"%d\", n); return atoi(b) + {number}; }}\n"
        );
        fs::write(home.join(format!("f{number}.c")), code).expect("a source");
        objects.push_str(&format!(" f{number}.o"));
    }
    fs::write(home.join("main.c"), "int main(void) { return 0; }\n").expect("a source");
    let makefile =
        format!("prog: main.o{objects}\n\tcc -o $@ $^\n%.o: %.c\n\tcc -O1 -c -o $@ $<\n");
    fs::write(home.join("Makefile"), makefile).expect("a makefile");
    let (mut free, mut held) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (setting, times) in [("off", &mut free), ("on", &mut held)] {
            let start = Instant::now();
            let output = shell(binary, home, setting, "make -s -B").output().expect("it starts");
            times.push(start.elapsed());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let (free, held) = (median(free), median(held));
    let ratio = held.as_secs_f64() / free.as_secs_f64();
    let holds = verdict(ratio <= MAKE_BAR);
    println!(
        "make of {FILES} files         {free:>10.1?} free {held:>10.1?} supervised, {ratio:.3} ×   at most {MAKE_BAR}: {holds}"
    );
}

fn shell(binary: &Path, home: &Path, supervise: &str, text: &str) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
    command.env("AEGISH_JUDGE", "never").env("AEGISH_AUDIT", "off").env("AEGISH_ON_WARN", "allow");
    command.env("AEGISH_SUPERVISE", supervise).current_dir(home).args(["-c", text]);
    command.stdin(Stdio::null());
    command
}

/// The release binary, built if needed.
fn binary() -> Option<PathBuf> {
    if let Some(named) = env::var_os("AEGISH_BENCH_BINARY") {
        return Some(PathBuf::from(named));
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap_or(here);
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "aegish"])
        .current_dir(root)
        .status()
        .is_ok_and(|status| status.success());
    // …/release/deps/kernel-HASH → …/release/aegish
    let here = env::current_exe().ok()?;
    let path = here.ancestors().nth(2)?.join("aegish");
    (built && path.is_file()).then_some(path)
}
