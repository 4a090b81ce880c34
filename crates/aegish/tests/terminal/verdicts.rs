//! What a person sees of allowed, warned and blocked lines.

use crate::harness::{Home, eventually, in_production};

/// Only warned of, and harmless here.
const WARNED: &str = "history -c";
const BLOCKED: &str = "cat /etc/shadow";
const QUESTION: &str = "Run it anyway?";

#[test]
fn allowed_lines_run_without_a_message() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo one two"), "one two");
    assert_eq!(terminal.run("pwd"), home.path().to_string_lossy());
}

#[test]
fn blocked_lines_are_explained_and_have_status_one() {
    let home = Home::new();
    let terminal = home.shell().open();
    let said = terminal.run(BLOCKED);
    assert!(said.starts_with("BLOCK"), "{said}");
    assert!(said.contains("/etc/shadow") && !said.contains("root:"), "{said}");
    terminal.cursor_behind("aegish:~ [1]> ");
    assert_eq!(terminal.run("echo status $?"), "status 1");
}

#[test]
fn a_warning_is_asked_about_and_yes_runs_it() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo something to forget");
    terminal.line(WARNED);
    terminal.sees(QUESTION);
    let before = terminal.ready();
    terminal.line("y");
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo status $?"), "status 0");
    assert!(!terminal.run("history").contains("forget"));
    let log = home.read(".aegish/audit.log");
    let entry = log.lines().find(|line| line.contains(WARNED)).unwrap();
    assert!(
        entry.contains(r#""fate":"run""#) && entry.contains(r#""consent":"person""#),
        "{entry}"
    );
}

#[test]
fn no_and_enter_decline_with_the_status_two() {
    let home = Home::new();
    let terminal = home.shell().open();
    for answer in ["n", "", "maybe"] {
        terminal.line(WARNED);
        terminal.wait_for("the question at the cursor", |screen| {
            let row = screen.rows(0, 100).nth(usize::from(screen.cursor_position().0));
            row.is_some_and(|row| row.starts_with(QUESTION))
        });
        let before = terminal.ready();
        terminal.line(answer);
        terminal.ready_after(before);
        terminal.cursor_behind("aegish:~ [2]> ");
        assert_eq!(terminal.run("echo status $?"), "status 2", "{answer}");
    }
    assert!(terminal.run("history").contains("echo status"));
}

#[test]
fn explain_shows_more_and_asks_again() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line(WARNED);
    terminal.sees(QUESTION);
    let before = terminal.ready();
    terminal.line("e");
    terminal.ready_after(before);
    terminal
        .wait_for("the question twice", |screen| screen.contents().matches(QUESTION).count() == 2);
    terminal.sees("clears the command history");
    let before = terminal.ready();
    terminal.line("n");
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo status $?"), "status 2");
}

#[test]
fn interrupting_the_question_declines_with_the_status_of_an_interrupt() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line(WARNED);
    terminal.sees(QUESTION);
    let before = terminal.ready();
    terminal.control('c');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo status $?"), "status 130");
}

#[test]
fn a_blocked_part_stops_the_whole_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("touch before; cat /etc/shadow; touch after");
    assert!(!home.at("before").exists() && !home.at("after").exists());
}

#[test]
fn another_shell_is_refused_at_the_prompt() {
    let home = Home::new();
    let terminal = home.shell().open();
    for line in ["bash", "exec sh", "dash -i"] {
        let said = terminal.run(line);
        assert!(said.contains("BLOCK") && said.contains("unguarded shell"), "{line}: {said}");
    }
    assert_eq!(terminal.run("echo still here"), "still here");
}

#[test]
fn the_prompt_shows_mode_role_and_configured_text() {
    let home = Home::new();
    let terminal = home.shell().set("AEGISH_ROLE", "restricted").open();
    terminal.cursor_behind("aegish(restricted):~> ");
    if let Some(production) = in_production(&home) {
        production.open().cursor_behind("aegish[production]:~> ");
    }
    let terminal = home.shell().set("AEGISH_PROMPT", "%u %w%%%? $ ").open();
    terminal.cursor_behind("kim ~% $ ");
    terminal.run("cd /usr");
    terminal.cursor_behind("kim /usr% $ ");
    terminal.run("false");
    terminal.cursor_behind("kim /usr% [1] $ ");
}

#[test]
fn the_banner_shows_mode_and_role_and_that_nothing_is_confined() {
    let home = Home::new();
    let terminal = home.shell().set("AEGISH_BANNER", "on").open();
    terminal.sees("development, role default");
    terminal.sees("kernel limits are not on");
    terminal.sees("no model is asked");
}

#[test]
fn production_shows_in_the_banner_and_exit_ends_the_session() {
    let home = Home::new();
    let Some(shell) = in_production(&home) else { return };
    let mut terminal = shell.set("AEGISH_BANNER", "on").start();
    terminal.sees("production, role default, fail mode safe");
    terminal.at_prompt();
    // No unguarded process keeps the terminal.
    let before = terminal.ready();
    terminal.control('z');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo still here"), "still here");
    assert_eq!(terminal.run("env | grep -c ^AEGISH_"), "0");
    terminal.line("exit 5");
    assert_eq!(terminal.status(), 5);
}

#[test]
fn live_verdicts_show_while_the_line_is_typed() {
    let home = Home::new();
    let terminal = home.shell().set("AEGISH_LIVE", "1").open();
    terminal.keys(BLOCKED);
    terminal.sees("BLOCK");
    terminal.control('u');
    terminal.wait_for("no verdict", |screen| !screen.contents().contains("BLOCK"));
    terminal.keys("echo harmless");
    terminal.sees("echo harmless");
    terminal.wait_for("no verdict", |screen| !screen.contents().contains("BLOCK"));
    terminal.control('u');
    // The earlier lines count: the attack consists of all of them.
    terminal.keys("cat \\\r");
    terminal.cursor_behind("> ");
    terminal.keys("/etc/shadow");
    terminal.sees("BLOCK");
}

#[test]
fn the_audit_contains_verdicts_and_their_outcomes() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("echo recorded");
    terminal.run(BLOCKED);
    terminal.line("exit");
    assert_eq!(terminal.status(), 1);
    eventually("the audit", || home.read(".aegish/audit.log").contains("\"exit\""));
    let log = home.read(".aegish/audit.log");
    assert!(log.contains("echo recorded") && log.contains("\"fate\":\"blocked\""), "{log}");
}
