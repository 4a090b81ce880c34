//! Full-screen programs, pagers, and the size of the window.

use crate::harness::{Home, have};

#[test]
fn an_editor_opens_edits_and_gives_the_screen_back() {
    if !have("vi") {
        return;
    }
    let home = Home::new();
    home.write("notes", "first line\n");
    let terminal = home.shell().open();
    terminal.run("echo before the editor");
    terminal.line("vi notes");
    terminal.wait_for("the editor", |screen| {
        screen.alternate_screen() && screen.contents().contains("first line")
    });
    terminal.keys("ohello from the editor\x1b");
    terminal.sees("hello from the editor");
    terminal.keys(":wq\r");
    terminal.at_prompt();
    assert_eq!(home.read("notes"), "first line\nhello from the editor\n");
    terminal.sees("before the editor");
    assert_eq!(terminal.run("echo back"), "back");
}

#[test]
fn a_pager_turns_pages_and_leaves_no_trace() {
    if !have("less") {
        return;
    }
    let home = Home::new();
    let text: String = (1..=500).map(|number| format!("line {number}\n")).collect();
    home.write("long", &text);
    let terminal = home.shell().open();
    terminal.line("less long");
    terminal.wait_for("the first page", |screen| {
        screen.alternate_screen() && screen.contents().contains("line 1\n")
    });
    terminal.keys(" ");
    terminal.sees("line 60\n");
    terminal.keys("G");
    terminal.sees("line 500");
    terminal.keys("g/line 123\r");
    terminal.sees("line 123\n");
    terminal.keys("q");
    terminal.at_prompt();
    assert_eq!(terminal.run("echo back"), "back");
}

#[test]
fn a_pager_at_the_end_of_a_pipe_reads_its_keys_from_the_terminal() {
    if !have("less") {
        return;
    }
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line("seq 1000 | less");
    terminal.wait_for("the first page", |screen| {
        screen.alternate_screen() && screen.contents().contains("\n10\n")
    });
    terminal.keys("G");
    terminal.sees("1000");
    terminal.keys("q");
    terminal.at_prompt();
}

#[test]
fn a_new_size_arrives_in_bash_with_the_next_line() {
    let home = Home::new();
    let terminal = home.shell().size(40, 100).open();
    assert_eq!(terminal.run("echo $LINES $COLUMNS"), "40 100");
    terminal.resize(30, 90);
    assert_eq!(terminal.run("echo $LINES $COLUMNS"), "30 90");
    assert_eq!(terminal.run("stty size"), "30 90");
}

#[test]
fn a_trap_for_a_new_size_runs() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("trap 'echo resized to $(stty size < /dev/tty)' WINCH");
    terminal.resize(33, 91);
    terminal.run("true");
    terminal.sees("resized to 33 91");
}

#[test]
fn a_new_size_reaches_the_program_that_runs() {
    let home = Home::new();
    let script = "trap 'stty size; exit 0' WINCH\necho begun\nwhile :; do sleep 0.05; done\n";
    home.write("watch.sh", script);
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("sh watch.sh");
    terminal.sees_row("begun");
    terminal.resize(31, 92);
    terminal.ready_after(before);
    terminal.sees_row("31 92");
}

#[test]
fn a_new_size_reaches_a_full_screen_program() {
    if !have("vi") {
        return;
    }
    let home = Home::new();
    let terminal = home.shell().size(20, 80).open();
    terminal.line("vi");
    // Empty lines are marked down to the last but one row.
    let marked = |screen: &vt100::Screen| {
        screen.contents().lines().filter(|row| row.starts_with('~')).count()
    };
    terminal.wait_for("the editor", |screen| screen.alternate_screen() && marked(screen) > 15);
    terminal.resize(30, 80);
    terminal.wait_for("more rows", |screen| marked(screen) > 22);
    terminal.keys(":q!\r");
    terminal.at_prompt();
}

#[test]
fn clearing_the_screen_keeps_the_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo clutter");
    terminal.keys("echo half");
    terminal.cursor_behind("echo half");
    terminal.control('l');
    terminal.wait_for("a clear screen", |screen| {
        let rows: Vec<String> = screen.rows(0, 100).collect();
        rows[0].starts_with("aegish:~> echo half") && !screen.contents().contains("clutter")
    });
    let before = terminal.ready();
    terminal.keys(" a line\r");
    terminal.ready_after(before);
    terminal.sees_row("half a line");
}

#[test]
fn output_without_a_newline_is_not_overwritten() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("printf 'no newline'");
    terminal.ready_after(before);
    terminal.sees("no newline");
    assert_eq!(terminal.run("echo next"), "next");
}

#[test]
fn without_colours_nothing_is_coloured() {
    let home = Home::new();
    let terminal = home.shell().set("NO_COLOR", "1").open();
    terminal.run("cat /etc/shadow");
    terminal.run("echo plain");
    let coloured = terminal.raw().split("\x1b[").skip(1).any(|code| {
        let end = code.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
        code[end..].starts_with('m') && code[..end] != *"0" && !code[..end].is_empty()
    });
    assert!(!coloured, "{:?}", terminal.raw());
}

#[test]
fn a_dumb_terminal_gets_no_escape_codes() {
    let home = Home::new();
    let terminal = home.shell().set("TERM", "dumb").start();
    terminal.at_prompt();
    terminal.line("echo plain words");
    terminal.sees_row("plain words");
    terminal.line("cat /etc/shadow");
    terminal.sees("BLOCK");
    terminal.line("for i in 1 2");
    terminal.line("do echo number $i; done");
    terminal.sees_row("number 2");
    terminal.at_prompt();
    assert!(!terminal.raw().contains('\x1b'), "{:?}", terminal.raw());
}

#[test]
fn big_output_arrives_whole() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("seq 20000; echo all there");
    terminal.sees_row("all there");
    let raw = terminal.raw();
    assert!(raw.contains("\r\n9999\r\n10000\r\n") && raw.contains("\r\n20000\r\nall there"));
}
