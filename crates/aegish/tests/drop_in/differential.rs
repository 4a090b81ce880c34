//! The same scripts under bash and under aegish: output, errors, status or signal, files.

use crate::run::{self, Seen, Shell, TestDir};
use crate::scripts::{self, Script, Way};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// All that is compared.
#[derive(PartialEq, Eq)]
struct Trace {
    seen: Seen,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

fn trace(shell: Shell, script: &Script, way: Way, folder: &TestDir) -> Trace {
    folder.clear();
    let mut command = shell.command(folder);
    command.envs(script.variables.iter().map(|(name, value)| (name, value)));
    match way {
        Way::Text => {
            command.arg("-c").arg(String::from_utf8(script.text.clone()).unwrap());
            if !script.arguments.is_empty() {
                command.arg("name");
            }
        }
        Way::File => {
            folder.file("script.sh", &script.text);
            command.arg("script.sh");
        }
        Way::Input => {
            command.arg("-s");
            if !script.arguments.is_empty() {
                command.arg("--");
            }
        }
    }
    command.args(&script.arguments);
    let input = if way == Way::Input { Some(&script.text) } else { script.input.as_ref() };
    let mut seen = run::finish(command, input.map(Vec::as_slice));
    seen.stderr = plain(&seen.stderr);
    Trace { seen, files: folder.files() }
}

/// Numbers of processes differ from run to run.
fn plain(stderr: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.split('\n').map(|line| {
        let Some(at) = line.find(": line ") else { return line.to_owned() };
        let Some((head, rest)) = line[at + 7..].split_once(": ") else { return line.to_owned() };
        let digits = rest.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return line.to_owned();
        }
        let rest = &rest.trim_start()[digits..];
        format!("{}: line {head}: PID{rest}", &line[..at])
    });
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn told(trace: &Trace) -> String {
    let mut text = String::new();
    let short = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.chars().take(2000).collect::<String>()
    };
    let _ = writeln!(text, "{:?}", trace.seen.end);
    let _ = writeln!(text, "stdout: {}", short(&trace.seen.stdout));
    let _ = writeln!(text, "stderr: {}", short(&trace.seen.stderr));
    for (path, content) in &trace.files {
        let _ = writeln!(text, "{}: {}", path.display(), short(content));
    }
    text
}

#[test]
fn every_script_has_the_same_outcome_as_under_bash() {
    let all = scripts::all();
    assert!(all.len() >= 200, "only {} scripts", all.len());
    let only = std::env::var("ONLY").unwrap_or_default();
    let all: Vec<Script> = all.into_iter().filter(|one| one.name.contains(&only)).collect();
    let runs: Vec<(&Script, Way)> =
        all.iter().flat_map(|script| script.ways.iter().map(move |way| (script, *way))).collect();
    let (next, differing) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(2, |count| count.get() * 2);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let folder = TestDir::new();
                while let Some((script, way)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let bash = trace(Shell::Bash, script, *way, &folder);
                    let aegish = trace(Shell::Aegish, script, *way, &folder);
                    if bash != aegish {
                        differing.lock().unwrap().push(format!(
                            "{} ({way:?})\n--- bash: {}--- aegish: {}",
                            script.name,
                            told(&bash),
                            told(&aegish)
                        ));
                    }
                }
            });
        }
    });
    let mut differing = differing.into_inner().unwrap();
    differing.sort();
    println!("{} scripts, {} runs", all.len(), runs.len());
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
}

/// These scripts are ordinary, so none may be asked about except with a stated reason.
#[test]
fn the_guard_allows_them_except_for_stated_reasons() {
    let all = scripts::all();
    let folder = TestDir::new();
    let mut command = Shell::Aegish.command(&folder);
    command.args(["check", "--jsonl"]);
    let lines: Vec<String> = all
        .iter()
        .map(|script| {
            let text = String::from_utf8_lossy(&script.text);
            serde_json::json!({ "id": script.name, "command": text }).to_string()
        })
        .collect();
    let seen = run::finish(command, Some(lines.join("\n").as_bytes()));
    let answers = seen.out();
    let mut unexpected = Vec::new();
    for (script, line) in all.iter().zip(answers.lines()) {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        let allowed = answer["action"] == "allow";
        if allowed == script.warned.is_some() {
            unexpected.push(format!("{}: {} {}", script.name, answer["action"], answer["reason"]));
        }
    }
    assert_eq!(answers.lines().count(), all.len(), "{}", seen.err());
    assert!(unexpected.is_empty(), "{}:\n{}", unexpected.len(), unexpected.join("\n"));
}
