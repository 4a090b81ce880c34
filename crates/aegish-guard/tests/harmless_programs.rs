//! Harmless programs of inner languages, of the kind that coding agents write, pass without a question.

use aegish_guard::{Action, Context, Request, Role, check};

/// Share of the programs that may be asked about, in percent.
const MOST_ASKED: usize = 2;

/// The programs of a file: each starts behind a line `### name`.
fn programs(text: &str) -> Vec<(&str, &str)> {
    text.split("### ").skip(1).filter_map(|part| part.split_once('\n')).collect()
}

fn judge(interpreter: &str, text: &str) {
    let programs = programs(text);
    let commands: Vec<(&str, String)> = programs
        .iter()
        .map(|(name, code)| (*name, format!("{interpreter} <<'END'\n{code}END\n")))
        .collect();
    judge_commands(&commands);
}

fn judge_commands(programs: &[(&str, String)]) {
    assert!(programs.len() >= 25, "only {} programs", programs.len());
    let (mut asked, mut blocked) = (Vec::new(), Vec::new());
    for (name, text) in programs {
        let context = Context::bare();
        let request = Request {
            text: text.as_bytes(),
            context: &context,
            role: Role::Default,
            user_rules: &[],
        };
        let decision = check(&request);
        let line = format!("{name}: {}", decision.reason());
        match decision.action() {
            Action::Allow => {}
            Action::Warn => asked.push(line),
            Action::Block => blocked.push(line),
        }
    }
    assert!(blocked.is_empty(), "{blocked:#?}");
    assert!(asked.len() * 100 <= programs.len() * MOST_ASKED, "{asked:#?}");
}

#[test]
fn python() {
    judge("python3 -", include_str!("../../../bench/friction/programs/python.txt"));
}

#[test]
fn javascript() {
    judge("node -", include_str!("../../../bench/friction/programs/javascript.txt"));
}

#[test]
fn ruby() {
    judge("ruby -", include_str!("../../../bench/friction/programs/ruby.txt"));
}

#[test]
fn lua() {
    judge("lua -", include_str!("../../../bench/friction/programs/lua.txt"));
}

#[test]
fn php() {
    judge("php", include_str!("../../../bench/friction/programs/php.txt"));
}

#[test]
fn perl() {
    let mut commands: Vec<(&str, String)> =
        programs(include_str!("../../../bench/friction/programs/perl.txt"))
            .into_iter()
            .map(|(name, code)| (name, format!("perl - <<'END'\n{code}END\n")))
            .collect();
    let lines = include_str!("../../../bench/friction/programs/perl-lines.txt");
    commands.extend(lines.lines().map(|line| (line, line.to_owned())));
    assert!(commands.len() >= 60, "only {} programs", commands.len());
    judge_commands(&commands);
}
