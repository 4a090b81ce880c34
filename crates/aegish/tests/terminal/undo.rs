//! The answer `u`: a line that is run so that it can be undone.

use crate::harness::{Home, Terminal};

const QUESTION: &str = "/u(ndoable)] ";
const DECISION: &str = "Keep the changes? [Y/n/d(iff)] ";
/// Asked about, as it throws work away.
const LINE: &str = "git clean -fdq";

fn repository(home: &Home) -> Terminal {
    let terminal = home.shell().open();
    terminal.run("git init -q repository; cd repository; mkdir new; echo work >new/file; echo more >other; x=5");
    terminal
}

/// Runs the line undoably, and answers the decision with this.
fn undoably(terminal: &Terminal, decision: &str) {
    terminal.line(LINE);
    terminal.cursor_behind(QUESTION);
    terminal.line("u");
    terminal.sees("deleted");
    terminal.cursor_behind(DECISION);
    let before = terminal.ready();
    terminal.line(decision);
    terminal.ready_after(before);
}

#[test]
fn changes_are_shown_and_thrown_away() {
    let home = Home::new();
    let terminal = repository(&home);
    undoably(&terminal, "n");
    assert_eq!(terminal.run("cat new/file other; echo $x"), "work\nmore\n5");
    assert_eq!(home.read("repository/new/file"), "work\n");
}

#[test]
fn changes_are_kept_and_undone_later() {
    let home = Home::new();
    let terminal = repository(&home);
    undoably(&terminal, "y");
    assert_eq!(terminal.run("ls"), "");
    let undone = terminal.run(&format!("{} undo", env!("CARGO_BIN_EXE_aegish")));
    assert_eq!(undone, "run 1 is undone");
    assert_eq!(terminal.run("cat new/file other"), "work\nmore");
}
