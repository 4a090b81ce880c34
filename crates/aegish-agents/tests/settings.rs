//! Changes to the settings of agents: what is there stays, and the guard can be put in twice and taken out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use aegish_agents::{Agent, AgentShell, Change, hook_command};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "/opt/it's here/aegish";

fn installable() -> impl Iterator<Item = Agent> {
    Agent::ALL.into_iter().filter(|agent| agent.hook_place().is_some())
}

fn add(agent: Agent, text: &str) -> String {
    agent.change_hook(text, PROGRAM, Change::Add).unwrap().unwrap()
}

#[test]
fn the_guard_is_put_in_once_and_taken_out_without_a_trace() {
    for agent in installable() {
        let once = add(agent, "");
        assert!(once.contains(&format!("{agent}")) && once.contains("--wrapped"), "{agent}");
        assert_eq!(add(agent, &once), once, "{agent}: twice is once");
        let without = agent.change_hook(&once, PROGRAM, Change::Remove).unwrap();
        assert!(without.is_none_or(|text| !text.contains("aegish")), "{agent}");
    }
}

#[test]
fn comments_and_other_hooks_stay() {
    let text = "{\n  // mine\n  \"model\": \"x\", /* why */\n  \"hooks\": {\n    \"PreToolUse\": [\n      \
                { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"mine.sh\" }] }, // keep\n    ],\n    \
                \"Stop\": []\n  }\n}\n";
    let added = add(Agent::Claude, text);
    for kept in ["// mine", "/* why */", "mine.sh", "// keep", "\"Stop\": []", "\"model\": \"x\""] {
        assert!(added.contains(kept), "{kept}: {added}");
    }
    assert!(
        added.find("--wrapped").unwrap() < added.find("mine.sh").unwrap(),
        "the guard is first"
    );
    let removed = Agent::Claude.change_hook(&added, PROGRAM, Change::Remove).unwrap().unwrap();
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(plain(&removed), plain(text));
    let other = Agent::Claude.change_hook(text, PROGRAM, Change::Remove).unwrap().unwrap();
    assert_eq!(other, text, "nothing to take out");
}

#[test]
fn another_program_replaces_the_entry() {
    let first = add(Agent::Claude, "{}");
    let second =
        Agent::Claude.change_hook(&first, "/usr/bin/aegish", Change::Add).unwrap().unwrap();
    assert_eq!(second.matches("--wrapped").count(), 1, "{second}");
    assert!(second.contains("/usr/bin/aegish"), "{second}");
}

#[test]
fn files_that_are_something_else_are_left_alone() {
    for agent in installable().filter(|agent| *agent != Agent::OpenCode) {
        for text in ["[]", "{", "{\"hooks\": 7}", "nonsense"] {
            assert!(agent.change_hook(text, PROGRAM, Change::Add).is_err(), "{agent} {text}");
        }
    }
}

#[test]
fn the_shell_is_set_and_given_back() {
    let agents = Agent::ALL.into_iter();
    for agent in agents.filter(|agent| matches!(agent.shell(), AgentShell::Setting { .. })) {
        let text = "{\n  // mine\n  \"env\": { \"A\": \"b\" }\n}\n";
        let set = agent.change_shell(text, "/shims/bash", Change::Add).unwrap();
        assert!(set.contains("/shims/bash") && set.contains("// mine"), "{set}");
        assert_eq!(agent.change_shell(&set, "/shims/bash", Change::Add).unwrap(), set);
        let back = agent.change_shell(&set, "/shims/bash", Change::Remove).unwrap();
        assert!(!back.contains("/shims/bash") && back.contains("\"A\""), "{back}");
        let other = agent.change_shell(&set, "/other/bash", Change::Remove).unwrap();
        assert_eq!(other, set, "the setting of somebody else");
    }
}

/// A guard that does what a script says.
fn fault(name: &str, script: Option<&str>, mode: u32) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fault-{name}"));
    fs::create_dir_all(&dir).unwrap();
    let file = dir.join("aegish");
    match script {
        Some(script) => {
            fs::write(&file, format!("#!/bin/sh\ncat > /dev/null\n{script}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        None => drop(fs::remove_file(&file)),
    }
    file.display().to_string()
}

fn run(agent: Agent, program: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new("sh");
    child.args(["-c", &hook_command(agent, program)]);
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(b"{}");
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_installed_command_refuses_whatever_happens_to_the_guard() {
    let faults = [
        ("missing", None, 0),
        ("mode", Some("echo pass"), 0o644),
        ("one", Some("exit 1"), 0o755),
        ("one-pass", Some("echo pass; exit 1"), 0o755),
        ("silent", Some("true"), 0o755),
        ("rubbish", Some("echo '{not json}'"), 0o755),
        ("text", Some("echo all is well"), 0o755),
        ("before", Some("echo hello; echo pass"), 0o755),
        ("killed", Some("kill -KILL $$"), 0o755),
        ("status", Some("echo reason >&2; exit 2"), 0o755),
    ];
    for (name, script, mode) in faults {
        let program = fault(name, script, mode);
        for agent in installable() {
            let (status, stdout, stderr) = run(agent, &program);
            assert_eq!((status, stdout.as_str()), (Some(2), ""), "{agent} {name}");
            assert!(!stderr.trim().is_empty(), "{agent} {name}");
        }
    }
    let program = fault("pass", Some("echo pass"), 0o755);
    for agent in installable() {
        let (status, stdout, stderr) = run(agent, &program);
        assert_eq!((status, stderr.as_str()), (Some(0), ""), "{agent}");
        assert!(stdout.is_empty() || serde_json::from_str::<Value>(&stdout).is_ok(), "{agent}");
    }
}
