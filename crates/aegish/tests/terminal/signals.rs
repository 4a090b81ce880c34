//! `^C` and similar keys in every situation.

use crate::harness::{Home, Terminal, eventually};
use std::process::Command;
use std::thread;
use std::time::Duration;

/// A program that reports when it has the terminal. Earlier keys may reach bash instead.
const SLEEPS: &str = "sh -c 'echo begun; exec sleep 100'";

/// Runs a line and waits until it reports that it has started.
fn begin(terminal: &Terminal, line: &str) -> usize {
    let before = terminal.ready();
    terminal.line(line);
    terminal.sees_row("begun");
    before
}

#[test]
fn an_interrupt_at_an_empty_prompt_gives_a_new_one() {
    let home = Home::new();
    let terminal = home.shell().open();
    for _ in 0..2 {
        let before = terminal.ready();
        terminal.control('c');
        terminal.ready_after(before);
        terminal.cursor_behind("aegish:~ [130]> ");
    }
    assert_eq!(terminal.run("echo $?"), "130");
}

#[test]
fn an_interrupt_drops_a_half_typed_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.keys("touch never");
    terminal.cursor_behind("touch never");
    terminal.control('c');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo next"), "next");
    assert!(!home.at("never").exists());
}

#[test]
fn an_interrupt_drops_a_command_on_its_second_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line("for i in 1 2; do");
    terminal.wait_for("the continuation prompt", |screen| {
        screen.contents().trim_end().ends_with("\n>")
    });
    terminal.keys("touch never");
    let before = terminal.ready();
    terminal.control('c');
    terminal.ready_after(before);
    terminal.cursor_behind("aegish:~ [130]> ");
    assert_eq!(terminal.run("echo next"), "next");
    assert!(!home.at("never").exists());
}

#[test]
fn an_interrupt_ends_a_program_and_the_rest_of_its_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = begin(&terminal, &format!("{SLEEPS}; echo never"));
    terminal.control('c');
    terminal.ready_after(before);
    terminal.cursor_behind("aegish:~ [130]> ");
    assert_eq!(terminal.run("echo $?"), "130");
    assert!(!terminal.rows().iter().any(|row| row == "never"));
}

#[test]
fn an_interrupt_ends_a_loop_of_builtins() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = begin(&terminal, "echo begun; while :; do :; done");
    terminal.control('c');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo $?"), "130");
}

#[test]
fn an_interrupt_ends_a_pipeline() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = begin(&terminal, "yes | grep never | sh -c 'echo begun; exec cat'");
    terminal.control('c');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo $?"), "130");
    assert_eq!(terminal.run("jobs"), "");
}

#[test]
fn an_interrupt_ends_a_loop_of_programs() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = begin(&terminal, &format!("for i in 1 2 3; do {SLEEPS}; done"));
    terminal.control('c');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo $?"), "130");
}

#[test]
fn a_trap_for_interrupts_runs() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("trap 'echo trapped; stop=1' INT");
    let before = begin(&terminal, "echo begun; until [ \"$stop\" ]; do :; done; echo afterwards");
    terminal.control('c');
    terminal.ready_after(before);
    terminal.sees("^Ctrapped");
    terminal.sees_row("afterwards");
    assert_eq!(terminal.run("trap - INT; echo next"), "next");
}

#[test]
fn quit_ends_a_program_and_not_the_shell() {
    let home = Home::new();
    let terminal = home.shell().open();
    // At the prompt it does nothing.
    terminal.control('\\');
    terminal.run("ulimit -c 0");
    let before = begin(&terminal, SLEEPS);
    terminal.control('\\');
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo $?"), "131");
}

#[test]
fn lines_typed_while_a_command_runs_are_read_afterwards() {
    let home = Home::new();
    let terminal = home.shell().open();
    begin(&terminal, "echo begun; until [ -e go ]; do sleep 0.05; done");
    terminal.line("echo typed ahead");
    terminal.line("echo and more");
    home.write("go", "");
    terminal.sees_row("typed ahead");
    terminal.sees_row("and more");
}

#[test]
fn lines_that_arrive_in_one_piece_run_one_after_the_other() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.keys("echo 1 >> f\recho 2 >> f\recho 3 >> f; echo all\r");
    terminal.sees_row("all");
    assert_eq!(home.read("f"), "1\n2\n3\n");
}

#[test]
fn a_program_that_is_killed_leaves_no_dead_keyboard() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("(stty -echo raw; kill -9 $BASHPID)");
    let before = begin(&terminal, "sh -c 'echo begun; exec cat'");
    // Echoed by the terminal, then by cat: lines and echo are back.
    terminal.keys("hello\r");
    terminal.wait_for("hello twice", |screen| screen.contents().matches("hello").count() == 2);
    terminal.control('d');
    terminal.ready_after(before);
}

#[test]
fn stty_at_the_prompt_takes_effect() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("stty -ixon");
    assert!(terminal.run("stty -a | grep -o -- -ixon").contains("-ixon"));
    let before = begin(&terminal, SLEEPS);
    terminal.control('c');
    terminal.ready_after(before);
    assert!(terminal.run("stty -a | grep -o -- -ixon").contains("-ixon"));
}

#[test]
fn an_impatient_finger_on_the_interrupt_key_breaks_nothing() {
    let home = Home::new();
    let terminal = home.shell().open();
    let looped = format!("for i in 1 2; do {SLEEPS}; done");
    for line in [SLEEPS, "echo begun; while :; do :; done", &looped] {
        begin(&terminal, line);
        for _ in 0..20 {
            terminal.control('c');
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        terminal.at_prompt();
        let before = terminal.ready();
        terminal.control('c');
        terminal.ready_after(before);
        terminal.run("clear");
        assert_eq!(terminal.run("echo alive"), "alive", "{line}");
    }
}

#[test]
fn a_session_does_not_signal_its_guard() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("guard=$PPID");
    let number = terminal.id();
    for line in [
        "kill -STOP $PPID".to_owned(),
        "kill -9 $guard".to_owned(),
        "echo $guard | xargs kill".to_owned(),
        format!("kill -TERM {number}"),
        format!("kill -9 -- -{number}"),
        "pkill -STOP aegish".to_owned(),
        "skill -STOP aegish".to_owned(),
    ] {
        assert!(terminal.run(&line).contains("BLOCK"), "{line}");
    }
    assert_eq!(terminal.run("echo on"), "on");
}

#[test]
fn a_stopped_guard_leaves_no_bash_that_takes_commands() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo on"), "on");
    let signal = |name: &str| {
        let number = terminal.id().to_string();
        assert!(Command::new("kill").args([name, &number]).status().unwrap().success());
    };
    signal("-STOP");
    terminal.keys("touch taken\r");
    thread::sleep(Duration::from_millis(700));
    assert!(!home.at("taken").exists());
    signal("-CONT");
    eventually("the line is run", || home.at("taken").exists());
    assert!(home.read(".aegish/audit.log").contains("touch taken"));
}
