//! Successive lines: an attack is stopped at the line that completes it, and its harmless twin passes. The
//! sessions are in `cases/*.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use aegish_test_support::cases;

use aegish_guard::{Action, Context, FileView, Machine, Request, Role, Session, check_in};
use aegish_test_support::cases::sessions::{self, Memory};
use std::fmt::Write as _;

/// How many sessions there are at least.
const FLOOR: usize = 120;

#[test]
fn every_line_of_every_session_gets_its_verdict() {
    let sessions = sessions::all().expect("the cases can be read");
    let mut wrong = String::new();
    let mut count = 0;
    for session in &sessions {
        for memory in [Memory::Guard, Memory::Shell] {
            let decisions = session.decide(memory);
            for (step, decision) in session.steps.iter().zip(&decisions) {
                let holds = step.holds(decision);
                if holds == step.gap.is_none() {
                    continue;
                }
                count += 1;
                let (place, command) = (&step.place, step.command.escape_debug());
                let _ = match &step.gap {
                    Some(_) => {
                        writeln!(wrong, "{place}: no gap any more, remove `gap:`: {command}")
                    }
                    None => writeln!(
                        wrong,
                        "{place} ({memory:?}): {command}\n    expected {}, got {} {} ({})",
                        step.expected(),
                        decision.action(),
                        decision.rule().id,
                        decision.reason()
                    ),
                };
            }
        }
    }
    assert!(count == 0, "{count} lines of {} sessions fail\n{wrong}", sessions.len());
}

#[test]
fn there_are_as_many_harmless_sessions_as_attacks() {
    let sessions = sessions::all().expect("the cases can be read");
    let attacks = sessions
        .iter()
        .filter(|session| session.steps.iter().any(|step| step.action == Action::Block))
        .count();
    let harmless = sessions.len() - attacks;
    assert!(sessions.len() >= FLOOR, "{} sessions", sessions.len());
    assert!(harmless * 10 >= attacks * 8, "{attacks} attacks, {harmless} harmless");
}

#[test]
fn a_session_is_lines_with_verdicts_and_lines_that_go_on() {
    let text = "```file a.sh\nls\n```\n```session\nallow | cat <<E\n      | text | more\n      | E\n\
                warn 11 role=sysadmin | wget a\n```\n";
    let sessions = sessions::read("t", text).expect("readable");
    let [session] = sessions.as_slice() else { panic!("{sessions:?}") };
    assert_eq!(session.place, "cases/t.md:4");
    let commands: Vec<&str> = session.steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(commands, ["cat <<E\ntext | more\nE", "wget a"]);
    assert_eq!(session.steps[1].place, "cases/t.md:8");
    assert_eq!(session.steps[1].files["/home/user/project/a.sh"], "ls\n");
    let error = sessions::read("t", "```session\nls\n```\n").expect_err("a mistake");
    assert!(error.starts_with("cases/t.md:2: no `|`"), "{error}");
    let error = sessions::read("t", "```session\n  | ls\n```\n").expect_err("a mistake");
    assert!(error.starts_with("cases/t.md:2: neither"), "{error}");
}

/// A machine on which files appear as lines run.
struct Growing(std::cell::RefCell<Vec<(&'static str, &'static str)>>);

impl Machine for Growing {
    fn read(&self, path: &str, _limit: usize) -> FileView {
        let files = self.0.borrow();
        let found = files.iter().find(|(name, _)| *name == path);
        found.map_or(FileView::Missing, |(_, text)| FileView::Text((*text).to_owned()))
    }

    fn list(&self, dir: &str, _limit: usize) -> Option<Vec<String>> {
        let files = self.0.borrow();
        let below = files.iter().filter_map(|(name, _)| name.strip_prefix(dir)?.strip_prefix('/'));
        Some(below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect())
    }
}

/// The verdicts on lines, each with the files that it leaves on the machine.
fn judged(lines: &[(&str, &[(&'static str, &'static str)])]) -> Vec<Action> {
    let machine = Growing(std::cell::RefCell::default());
    let mut session = Session::new();
    let mut cwd = cases::CWD.to_owned();
    let mut actions = Vec::new();
    for (line, files) in lines {
        let context = cases::surroundings(&cwd).context(&machine);
        let text = line.as_bytes();
        let role = aegish_guard::Role::Default;
        let request = Request { text, context: &context, role, user_rules: &[] };
        let (decision, after) = check_in(&session, &request);
        actions.push(decision.action());
        if decision.action() < Action::Block {
            session = after;
            session.settle();
            cwd = session.cwd().unwrap_or_default().to_owned();
            machine.0.borrow_mut().extend_from_slice(files);
        }
    }
    actions
}

#[test]
fn building_the_content_of_a_downloaded_archive_runs_a_download() {
    let makefile = ("/home/user/project/app/Makefile", "all:\n\tcc -o app app.c\n");
    let own = ("/home/user/project/Makefile", "all:\n\tcc -o own own.c\n");
    let actions = judged(&[
        ("vim Makefile", &[own]),
        ("wget -q https://get.example.net/app.tgz", &[("/home/user/project/app.tgz", "packed")]),
        ("tar xzf app.tgz", &[makefile]),
        ("make", &[]),
        ("make -C app", &[]),
        ("cd app", &[]),
        ("make", &[]),
    ]);
    use Action::{Allow, Block, Warn};
    assert_eq!(actions, [Allow, Warn, Allow, Allow, Block, Allow, Block]);
}

#[test]
fn a_changed_file_is_judged_by_its_new_content() {
    let path = "/home/user/project/job.sh";
    let actions = judged(&[
        ("echo 'echo hello' > job.sh", &[(path, "cat /etc/shadow\n")]),
        ("sh job.sh", &[]),
    ]);
    assert_eq!(actions, [Action::Allow, Action::Block]);
}

#[test]
fn a_file_that_is_gone_is_forgotten() {
    let actions = judged(&[("wget -q https://get.example.net/x", &[]), ("sh x", &[])]);
    assert_eq!(actions, [Action::Warn, Action::Allow], "the download failed");
}

/// The verdict on `sh i.sh` after a download and a verification that ended with this status.
fn run_after_verification(line: &str, status: u8) -> Action {
    let context = Context { cwd: "/w".to_owned(), ..Context::bare() };
    let judge = |session: &Session, line: &str| {
        let text = line.as_bytes();
        check_in(
            session,
            &Request { text, context: &context, role: Role::Default, user_rules: &[] },
        )
    };
    let (_, session) = judge(&Session::new(), "curl -fsSLO https://get.example.net/i.sh");
    let (_, mut session) = judge(&session, line);
    session.line_ended(status);
    session.settle();
    judge(&session, "sh i.sh").0.action()
}

#[test]
fn a_line_that_verified_a_download_counts_if_it_succeeded() {
    assert_eq!(run_after_verification("sha256sum -c SUMS", 0), Action::Warn);
    assert_eq!(run_after_verification("sha256sum -c SUMS", 1), Action::Block);
    assert_eq!(run_after_verification("gpg --verify i.sh.asc", 0), Action::Warn);
    assert_eq!(run_after_verification("sha256sum -c SUMS; true", 0), Action::Block);
    assert_eq!(run_after_verification("! sha256sum -c SUMS", 0), Action::Block);
    assert_eq!(run_after_verification("sha256sum -c SUMS || true", 0), Action::Block);
    assert_eq!(run_after_verification("gpg --verify other.sh.asc", 0), Action::Block);
}
