//! `cargo xtask ci`: everything that must hold before a change goes in. `.ci/run` calls this.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A step: its name, and the arguments for cargo, with spaces between. `xtask …` runs this program.
type Step = (&'static str, &'static str);

/// Set for the steps that run this program: what they need is built already, beside it.
const BUILT: &str = "AEGISH_XTASK_BUILT";

const QUICK: [Step; 4] = [
    ("formatting", "fmt --all --check"),
    ("clippy", "clippy --workspace --all-targets --quiet -- -D warnings"),
    // Everything that the other steps run, built once: a package built alone has other features.
    ("build", "build --quiet --workspace --bins --tests"),
    ("generated files", "xtask gen --check"),
];

const FULL: [Step; 10] = [
    ("tests", "test --workspace --no-fail-fast"),
    // The step before tries the same code at length: here it counts that the smaller build works.
    (
        "the guard alone",
        "test -p aegish --no-default-features --bins --test without_bench --test cli --test sessions \
         --test hook --test guard_settings",
    ),
    ("accuracy", "xtask accuracy --floor"),
    ("soundness", "xtask soundness --seed 1 --programs 6000"),
    ("soundness of Python", "xtask soundness --language python --seed 2 --programs 2000"),
    ("soundness of JavaScript", "xtask soundness --language javascript --seed 2 --programs 2000"),
    ("soundness of Ruby", "xtask soundness --language ruby --seed 2 --programs 2000"),
    ("soundness of Lua", "xtask soundness --language lua --seed 2 --programs 2000"),
    ("soundness of PHP", "xtask soundness --language php --seed 2 --programs 2000"),
    ("soundness of Perl", "xtask soundness --language perl --seed 2 --programs 2000"),
];

/// Checks of cargo-deny that need no network.
const DENY: Step = ("dependencies", "deny --offline check licenses bans sources");

/// Checks that need the advisory database, which is fetched first.
const ADVISORIES: Step = ("advisories", "deny --offline check advisories");

/// Runs all steps, even after a failure, and names the failed ones.
pub(crate) fn run(quick: bool) -> Result<(), String> {
    // The step "build" may put another file in the place of this program.
    let own_path = own_path()?;
    let mut steps: Vec<Step> = QUICK.to_vec();
    if !quick {
        steps.extend(FULL);
        if !succeeds(&["deny", "--version"]) {
            println!(
                "cargo-deny is not installed (`cargo install --locked cargo-deny`): licences, sources and \
                 advisories of dependencies are NOT checked\n"
            );
        } else if succeeds(&["deny", "fetch", "db"]) {
            steps.extend([DENY, ADVISORIES]);
        } else {
            println!("the advisory database cannot be reached: advisories are NOT checked\n");
            steps.push(DENY);
        }
    }
    let mut failed = Vec::new();
    let mut reasons = String::new();
    for (name, arguments) in steps {
        println!("== {name}: cargo {arguments}");
        let start = Instant::now();
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = match words.as_slice() {
            ["xtask", words @ ..] => own(&own_path, words),
            words => cargo(words),
        };
        let (ok, failures) = shown(&mut command);
        let word = if ok { "ok" } else { "FAILED" };
        println!("== {name}: {word} after {:.0} s\n", start.elapsed().as_secs_f64());
        if !ok {
            failed.push(name);
        }
        reasons.push_str(&failures);
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("failed: {}\n{reasons}", failed.join(", "))),
    }
}

/// Runs a command and prints its output as it comes. Gives whether it succeeded, and what failed tests said: what stands
/// in the middle of a long output is not found again.
fn shown(command: &mut Command) -> (bool, String) {
    let Ok(mut child) = command.stdout(Stdio::piped()).spawn() else {
        return (false, String::new());
    };
    let (sender, failures) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let mut within = false;
        let lines = output.into_iter().flat_map(|out| BufReader::new(out).split(b'\n'));
        for line in lines.map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            println!("{line}");
            // As libtest prints it: a block for each failed test, then the list of their names.
            within = match line.as_str() {
                line if line.starts_with("---- ") && line.ends_with(" ----") => true,
                "failures:" => false,
                _ => within,
            };
            if within && sender.send(line + "\n").is_err() {
                break;
            }
        }
    });
    let ok = child.wait().is_ok_and(|status| status.success());
    // Something that a test left behind may hold the output open: the end of the command counts.
    let late = || failures.recv_timeout(Duration::from_secs(1)).ok();
    let failures: String = std::iter::from_fn(late).collect();
    (ok, failures)
}

fn own_path() -> Result<PathBuf, String> {
    env::current_exe().map_err(|error| format!("the path of this program: {error}"))
}

/// This program again, as the step "build" left it.
fn own(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    command.args(arguments).env(BUILT, "1").current_dir(crate::root());
    command
}

/// The path of a program of the workspace, which is built first if this is not a step of `ci`.
pub(crate) fn program(package: &str, name: &str) -> Result<PathBuf, String> {
    if env::var_os(BUILT).is_none() {
        let status = cargo(&["build", "--quiet", "--package", package]).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("{package} could not be built"));
        }
    }
    Ok(own_path()?.with_file_name(name))
}

/// Whether a cargo command succeeds; its output is not shown.
fn succeeds(arguments: &[&str]) -> bool {
    let mut probe = cargo(arguments);
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// A cargo command in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(crate::root());
    command
}
