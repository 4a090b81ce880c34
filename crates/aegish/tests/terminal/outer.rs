//! `aegish -c` as a job of another shell: it stops, continues and ends as bash would.

use crate::harness::{AEGISH, Home, Terminal, eventually};

/// Bash with jobs, in which aegish is a program like others.
fn outer(home: &Home) -> Terminal {
    let bash = home.shell().program("/bin/bash").arguments(&["--norc", "--noprofile", "-i"]);
    let terminal = bash.set("PS1", "outer> ").set("SH", AEGISH).start();
    terminal.sees("outer> ");
    terminal
}

const SAYS: &str = "echo beg''un; until [ -e go ]; do sleep 0.02; done; echo fin''ished; exit 7";

#[test]
fn it_stops_and_continues_together_with_its_command() {
    let home = Home::new();
    let terminal = outer(&home);
    terminal.line(&format!("$SH -c \"{SAYS}\""));
    terminal.sees("begun");
    terminal.control('z');
    terminal.sees("Stopped");
    home.write("go", "");
    terminal.line("jobs -s | grep -c Stopped; echo there: $?");
    terminal.sees_row("there: 0");
    terminal.line("fg; echo status: $?");
    terminal.sees_row("finished");
    terminal.sees_row("status: 7");
}

#[test]
fn it_is_interrupted_as_bash_is() {
    let home = Home::new();
    let terminal = outer(&home);
    terminal.line(&format!("$SH -c \"{SAYS}\""));
    terminal.sees("begun");
    terminal.control('c');
    terminal.line("echo status: $?");
    terminal.sees_row("status: 130");
    terminal.line(
        "$SH -c \"trap 'echo ca''ught; exit 5' INT; echo rea''dy; while :; do sleep 0.02; done\"",
    );
    terminal.sees("ready");
    terminal.control('c');
    terminal.sees("caught");
    terminal.line("echo then: $?");
    terminal.sees_row("then: 5");
}

#[test]
fn in_the_background_it_stops_when_it_wants_to_read() {
    let home = Home::new();
    let terminal = outer(&home);
    terminal.line("$SH -c 'read x; echo got:$x > got' &");
    eventually("it is stopped", || {
        terminal.line("jobs");
        terminal.raw().contains("Stopped")
    });
    terminal.line("fg");
    // The line is typed before the program reads it, so it ends with a newline instead of a carriage return.
    terminal.keys("typed\n");
    eventually("it read the line", || home.at("got").exists() && home.read("got") == "got:typed\n");
}
