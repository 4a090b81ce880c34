//! Coding agents of this user: whether they call aegish, and whether the called program exists.
//!
//! Agents run a command even if their hook cannot be started, so a hook that points nowhere is worse than
//! none: it looks like protection.

use super::CheckResult;
use aegish_config::Config;
use aegish_private_files::read_regular;
use nix::unistd::{AccessFlags, access};
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};

/// A longer file is not read.
const MAX_BYTES: u64 = 1 << 20;

const AREA: &str = "hooks";

/// Agents, and the file below the home directory that holds their hooks.
const AGENTS: [(&str, &str); 4] = [
    ("Claude Code", ".claude/settings.json"),
    ("Codex", ".codex/hooks.json"),
    ("Gemini CLI", ".gemini/settings.json"),
    ("Cursor", ".cursor/hooks.json"),
];

/// Deepest nesting that is read.
const DEEPEST: usize = 12;

pub(super) fn of_agents(config: &Config) -> Vec<CheckResult> {
    let Some(home) = config.home() else { return Vec::new() };
    let found: Vec<CheckResult> = AGENTS
        .iter()
        .flat_map(|(agent, file)| of_agent(agent, &home.join(file), &search_path()))
        .collect();
    if found.is_empty() {
        return vec![CheckResult::ok(AREA, "no coding agent with hooks is set up for this user")];
    }
    found
}

fn search_path() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
}

fn of_agent(agent: &str, file: &Path, path: &[PathBuf]) -> Vec<CheckResult> {
    let place = file.display();
    let text = match read_regular(file, None, MAX_BYTES) {
        Ok(Some(text)) => text,
        Ok(None) => return Vec::new(),
        Err(error) => {
            let what = format!("{agent}: {place} cannot be read: {}", error.problem());
            return vec![CheckResult::problem(AREA, what, "make it readable for this user")];
        }
    };
    let settings: Value = match serde_json::from_slice(&text) {
        Ok(settings) => settings,
        Err(error) => {
            let what = format!("{agent}: {place} is not JSON: {error}");
            return vec![CheckResult::problem(AREA, what, "mend the line that is named")];
        }
    };
    let mut commands = Vec::new();
    collect(&settings, DEEPEST, &mut commands);
    if commands.is_empty() {
        let what = format!("{agent}: {place} does not call aegish");
        let remedy =
            "start the agent with SHELL set to aegish, or give it `aegish -c` as its shell";
        return vec![CheckResult::note(AREA, what, remedy)];
    }
    commands.iter().map(|command| hook(agent, file, command, path)).collect()
}

/// Commands anywhere in the settings whose program is aegish.
fn collect(value: &Value, deepest: usize, commands: &mut Vec<String>) {
    match value {
        Value::String(text) if program(text).is_some() => commands.push(text.clone()),
        Value::Array(items) if deepest > 0 => {
            items.iter().for_each(|item| collect(item, deepest - 1, commands));
        }
        Value::Object(fields) if deepest > 0 => {
            fields.values().for_each(|field| collect(field, deepest - 1, commands));
        }
        _ => {}
    }
}

/// The program of a command, if it is aegish.
fn program(command: &str) -> Option<String> {
    let word = command.split_whitespace().next()?.trim_matches(['"', '\'']);
    (word.rsplit('/').next() == Some("aegish")).then(|| word.to_owned())
}

fn hook(agent: &str, file: &Path, command: &str, path: &[PathBuf]) -> CheckResult {
    let name = program(command).unwrap_or_default();
    let place = file.display();
    let runs = |path: &Path| path.is_file() && access(path, AccessFlags::X_OK).is_ok();
    let found = if name.contains('/') {
        Some(PathBuf::from(&name)).filter(|path| runs(path))
    } else {
        path.iter().map(|dir| dir.join(&name)).find(|path| runs(path))
    };
    match found {
        Some(found) => CheckResult::ok(AREA, format!("{agent}: {place} calls {}", found.display())),
        None => CheckResult::problem(
            AREA,
            format!(
                "{agent}: {place} calls {name}, which cannot be run; the agent goes on without it"
            ),
            "write the full path of aegish there, and make sure that it is executable",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Health;
    use std::fs;

    fn looked_at(name: &str, settings: &str) -> Vec<CheckResult> {
        let dir = env::temp_dir().join(format!("aegish-hooks-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let file = dir.join("settings.json");
        fs::write(&file, settings).expect("a file");
        let findings = of_agent("Agent", &file, &[]);
        let _ = fs::remove_dir_all(&dir);
        findings
    }

    #[test]
    fn a_hook_that_points_nowhere_is_a_problem() {
        let settings = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
            {"type":"command","command":"/nonexistent/aegish hook"},
            {"type":"command","command":"echo aegish"}]}]}}"#;
        let findings = looked_at("nowhere", settings);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].state, Health::Problem);
        assert!(findings[0].what.contains("/nonexistent/aegish"));
    }

    #[test]
    fn an_agent_that_does_not_ask_is_noted() {
        let states: Vec<Health> =
            looked_at("none", "{\"hooks\":{}}").iter().map(|finding| finding.state).collect();
        assert_eq!(states, [Health::Note]);
        assert_eq!(looked_at("broken", "{").first().map(|one| one.state), Some(Health::Problem));
        assert!(of_agent("Agent", Path::new("/nonexistent/settings.json"), &[]).is_empty());
    }

    #[test]
    fn a_hook_that_runs_is_right() {
        let own = env::current_exe().expect("a path");
        let dir = env::temp_dir().join(format!("aegish-hooks-{}-right", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let _ = std::os::unix::fs::symlink(own, dir.join("aegish"));
        let settings = format!(r#"[{{"command":"{}/aegish hook"}}]"#, dir.display());
        let findings = looked_at("runs", &settings);
        let _ = fs::remove_dir_all(&dir);
        assert_eq!(findings[0].state, Health::Ok, "{findings:?}");
    }
}
