//! Completions for zsh and fish, loaded by these shells.

use crate::harness::{AEGISH, Home, have};
use std::process::Command;

/// The script for a shell.
fn script(shell: &str) -> String {
    let output = Command::new(AEGISH).args(["completions", shell]).output().expect("a script");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn zsh_completes_tasks_and_options() {
    if !have("zsh") {
        return;
    }
    let home = Home::new();
    home.write("functions/_aegish", &script("zsh"));
    home.write(
        ".zshrc",
        "fpath=(~/functions $fpath)\nautoload -Uz compinit\ncompinit -u -d ~/dump\nPROMPT='zsh> '\n",
    );
    let terminal = home.shell().program("zsh").arguments(&["-i"]).open();
    terminal.cursor_behind("zsh> ");
    terminal.keys("aegish che\t");
    terminal.cursor_behind("zsh> aegish check ");
    terminal.keys("--form\t");
    terminal.cursor_behind("zsh> aegish check --format=");
    terminal.keys("j\t");
    terminal.cursor_behind("zsh> aegish check --format=json ");
    terminal.control('u');
    terminal.keys("aegish policy re\t");
    terminal.cursor_behind("zsh> aegish policy remove ");
}

#[test]
fn fish_completes_tasks_and_options() {
    if !have("fish") {
        return;
    }
    let home = Home::new();
    let path = home.write("aegish.fish", &script("fish"));
    let complete = |line: &str| {
        let code = format!("source {}; complete -C '{line}'", path.display());
        let output = Command::new("fish")
            .args(["--no-config", "-c", &code])
            .env("HOME", home.path())
            .output()
            .expect("fish");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned());
        words.collect::<Vec<String>>()
    };
    assert_eq!(complete("aegish che"), ["check"]);
    assert_eq!(complete("aegish check --form"), ["--format"]);
    assert_eq!(complete("aegish check --format j"), ["json"]);
    assert_eq!(complete("aegish policy re"), ["remove"]);
}
