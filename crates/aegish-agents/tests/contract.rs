//! The contract of every agent: recorded inputs, broken inputs, answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use aegish_agents::{
    Agent, Answer, Call, FileOperation, HookDecision, HookInput, MAX_HOOK_BYTES, answer_wrapped,
    read,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn fixture(agent: Agent, kind: &str) -> Vec<u8> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(dir.join(format!("{agent}-{kind}.json"))).expect("every agent has its fixtures")
}

fn shell_call(input: &HookInput) -> Option<&str> {
    match input.calls.as_slice() {
        [Call::Shell { text, shell: None }] => Some(text),
        _ => None,
    }
}

#[test]
fn every_agent_tells_its_command_and_directory() {
    for agent in Agent::ALL {
        let input = read(agent, &fixture(agent, "shell")).unwrap();
        assert_eq!(shell_call(&input), Some("cat /etc/shadow"), "{agent}");
        assert_eq!(input.cwd.as_deref(), Some("/home/user/project"), "{agent}");
    }
}

#[test]
fn a_sample_is_an_input_of_the_contract() {
    for agent in Agent::ALL {
        let input = read(agent, agent.sample("ls -la").as_bytes()).unwrap();
        assert_eq!(shell_call(&input), Some("ls -la"), "{agent}");
    }
    let foreign = br#"{"toolName":"github-mcp-server-list_issues","toolArgs":{}}"#;
    assert_eq!(read(Agent::Copilot, foreign).map(|input| input.calls), Ok(vec![]));
}

#[test]
fn every_agent_tells_the_file_that_a_tool_writes() {
    let path = "/home/user/.ssh/authorized_keys".to_owned();
    let content = Some("ssh-ed25519 AAAA\n".to_owned());
    for agent in Agent::ALL {
        let input = read(agent, &fixture(agent, "file")).unwrap();
        let expected = FileOperation::Write { path: path.clone(), content: content.clone() };
        assert_eq!(input.calls, [Call::File(expected)], "{agent}");
    }
    let read_file = read(Agent::Cursor, &fixture(Agent::Cursor, "read")).expect("cursor");
    let expected = FileOperation::Read { path: "/etc/shadow".to_owned() };
    assert_eq!(read_file.calls, [Call::File(expected)]);
}

/// Every prefix of a recorded input, and every input in which one byte was changed, is refused or still names the
/// same call: no damage turns a call into a harmless one.
#[test]
fn damaged_inputs_are_refused_or_keep_their_call() {
    for agent in Agent::ALL {
        for kind in ["shell", "file"] {
            let whole = fixture(agent, kind);
            let end = whole.trim_ascii_end().len();
            for length in 0..end {
                assert!(read(agent, &whole[..length]).is_err(), "{agent} {kind} {length}");
            }
            for at in 0..end {
                for byte in *b"\0\"{},:x" {
                    let mut damaged = whole.clone();
                    damaged[at] = byte;
                    if let Ok(input) = read(agent, &damaged) {
                        assert!(!input.calls.is_empty(), "{agent} {kind} {at} {byte}");
                    }
                }
            }
        }
    }
}

#[test]
fn missing_fields_and_other_types_are_refused() {
    for agent in Agent::ALL {
        let whole: Value = serde_json::from_slice(&fixture(agent, "shell")).unwrap();
        let mut required = 0;
        for name in whole.as_object().unwrap().keys() {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().remove(name);
            let mut another = whole.clone();
            another[name] = Value::from(7);
            let bytes = |value: &Value| serde_json::to_vec(value).unwrap();
            if read(agent, &bytes(&without)).is_err() {
                assert!(read(agent, &bytes(&another)).is_err(), "{agent} {name}");
                required += 1;
            }
        }
        assert!(required >= 2, "{agent}: its event, its tool or its arguments");
    }
}

#[test]
fn unknown_tools_and_events_are_refused() {
    for agent in Agent::ALL {
        let text = String::from_utf8(fixture(agent, "file")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let fields = ["tool_name", "toolName", "tool"];
        let field = fields.iter().find(|field| value.get(**field).is_some()).unwrap();
        for name in ["", "bash ", "BASH", "mcp__files__write", "Nothing"] {
            let mut other = value.clone();
            other[*field] = Value::from(name);
            let error = read(agent, &serde_json::to_vec(&other).unwrap()).expect_err(name);
            assert!(error.to_string().contains("is not known"), "{agent} {name}");
        }
        for field in ["hook_event_name", "event"] {
            if value.get(field).is_some() {
                let mut other = value.clone();
                other[field] = Value::from("PostToolUse");
                assert!(read(agent, &serde_json::to_vec(&other).unwrap()).is_err(), "{agent}");
            }
        }
    }
}

#[test]
fn all_that_could_be_meant_is_judged() {
    let twice = br#"{"tool":"write","args":{"path":"a","filePath":"b"}}"#;
    assert_eq!(read(Agent::Generic, twice).map(|input| input.calls.len()), Ok(2));
    let words = br#"{"tool":"shell","args":{"command":["bash","-lc","it's"]}}"#;
    let input = read(Agent::Generic, words).unwrap();
    assert_eq!(shell_call(&input), Some(r"'bash' '-lc' 'it'\''s'"));
    let other = br#"{"tool":"shell","args":{"cmd":"ls","shell":"/usr/bin/python3","workdir":"x"},"cwd":"/srv"}"#;
    let input = read(Agent::Generic, other).unwrap();
    let shell = Some("/usr/bin/python3".to_owned());
    assert_eq!(input.calls, [Call::Shell { text: "ls".to_owned(), shell }]);
    assert_eq!(input.cwd.as_deref(), Some("/srv/x"));
    let doubtful = br#"{"tool":"shell","args":{"cmd":"ls","workdir":"a","directory":"b"}}"#;
    assert!(read(Agent::Generic, doubtful).is_err());
    let edits =
        br#"{"tool":"edit","args":{"path":"a","edits":[{"new_string":"x"},{"new_string":"y"}]}}"#;
    let added = Some("x\ny".to_owned());
    let edit = Call::File(FileOperation::Edit { path: "a".to_owned(), added });
    assert_eq!(read(Agent::Generic, edits).map(|input| input.calls), Ok(vec![edit]));
}

#[test]
fn huge_and_deep_inputs_are_refused() {
    let long = vec![b' '; MAX_HOOK_BYTES + 1];
    let deep = "[".repeat(100_000);
    let inner = format!(r#"{{"tool":"shell","args":{deep}"#);
    for agent in Agent::ALL {
        for input in [&long[..], deep.as_bytes(), inner.as_bytes(), b"", b"null", b"[]", b"\xff"] {
            assert!(read(agent, input).is_err(), "{agent}");
        }
    }
}

/// What each agent honours, from the grid in `docs/reference/agents.md`.
#[test]
fn a_refusal_is_said_in_the_way_that_the_agent_honours() {
    for agent in Agent::ALL {
        let input = read(agent, &fixture(agent, "shell")).unwrap();
        for reason in ["reads\n/etc/shadow", "", "\0"] {
            let Answer { stdout, stderr, status } =
                agent.answer(&HookDecision::Deny(reason.to_owned()), Some(&input));
            let value: Value =
                serde_json::from_str(&stdout).expect("the only bytes are the object");
            assert!(stdout.starts_with('{') && stdout.contains("deny"), "{agent}");
            let fields = value.get("hookSpecificOutput").unwrap_or(&value).as_object().unwrap();
            let known = [
                "hookEventName",
                "permissionDecision",
                "permissionDecisionReason",
                "decision",
                "reason",
                "permission",
                "user_message",
                "agent_message",
            ];
            assert!(fields.keys().all(|name| known.contains(&name.as_str())), "{agent}");
            let said: Vec<&str> = fields.values().filter_map(Value::as_str).collect();
            assert!(said.iter().all(|text| !text.trim().is_empty()), "{agent}: no empty reason");
            match agent {
                Agent::Claude | Agent::Copilot | Agent::Droid => assert_eq!(status, 0, "{agent}"),
                _ => assert!(status == 2 && !stderr.trim().is_empty(), "{agent}"),
            }
            assert_eq!(stderr.lines().count(), usize::from(status == 2), "{agent}: one line");
        }
    }
}

#[test]
fn a_question_is_a_refusal_where_nobody_would_be_asked() {
    let question = HookDecision::Ask("removes work".to_owned());
    for agent in Agent::ALL {
        let mut whole: Value = serde_json::from_slice(&fixture(agent, "shell")).unwrap();
        let asked = |value: &Value| {
            let input = read(agent, &serde_json::to_vec(value).unwrap()).unwrap();
            agent.answer(&question, Some(&input)).stdout.contains("\"ask\"")
        };
        let asks = matches!(agent, Agent::Claude | Agent::Copilot | Agent::Qwen | Agent::Droid);
        assert_eq!(asked(&whole), asks, "{agent}");
        assert!(agent.answer(&question, None).stdout.contains("\"deny\""), "{agent}");
        if matches!(agent, Agent::Claude | Agent::Droid) {
            for mode in ["bypassPermissions", "dontAsk", "auto", "new"] {
                whole["permission_mode"] = Value::from(mode);
                assert!(!asked(&whole), "{agent} {mode}");
            }
            whole.as_object_mut().unwrap().remove("permission_mode");
            assert!(!asked(&whole), "{agent}");
        }
    }
}

#[test]
fn no_objection_is_no_bare_allow_where_that_fails() {
    for agent in Agent::ALL {
        let answer = agent.answer(&HookDecision::Pass, None);
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""), "{agent}");
        match agent {
            Agent::Claude | Agent::Codex | Agent::Qwen | Agent::Droid | Agent::Copilot => {
                assert_eq!(answer.stdout, "", "{agent}");
            }
            _ => assert!(serde_json::from_str::<Value>(&answer.stdout).is_ok(), "{agent}"),
        }
    }
}

#[test]
fn the_installed_command_hears_one_word_or_a_status() {
    for agent in Agent::ALL {
        let input = read(agent, &fixture(agent, "shell")).unwrap();
        let pass = answer_wrapped(agent, &HookDecision::Pass, Some(&input));
        assert_eq!((pass.stdout.as_str(), pass.status), ("pass", 0), "{agent}");
        let deny = answer_wrapped(agent, &HookDecision::Deny("x".to_owned()), Some(&input));
        match agent {
            Agent::Claude | Agent::Copilot | Agent::Droid => {
                assert!(deny.status == 0 && deny.stdout.contains("\"deny\""), "{agent}");
            }
            _ => assert_eq!(
                (deny.stdout.as_str(), deny.stderr.as_str(), deny.status),
                ("", "x\n", 2)
            ),
        }
    }
}
