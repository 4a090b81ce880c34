//! Commands over several lines, pastes, and programs that read what is typed.

use crate::harness::{Home, Terminal};

/// Types the lines of one command, each at its prompt, and waits for the prompt after it.
fn type_lines(terminal: &Terminal, lines: &[&str]) {
    for line in lines {
        let before = terminal.ready();
        terminal.line(line);
        terminal.ready_after(before);
    }
}

#[test]
fn every_unfinished_command_is_asked_to_go_on() {
    let home = Home::new();
    let terminal = home.shell().open();
    let cases: [(&str, &[&str], &str); 8] = [
        ("if true", &["then echo if", "fi"], "if"),
        ("for i in 1 2; do", &["echo for $i", "done"], "for 1\nfor 2"),
        ("echo 'two", &["lines'"], "two\nlines"),
        ("echo \"two", &["more\""], "two\nmore"),
        ("echo back\\", &["slash"], "backslash"),
        ("echo piped |", &["cat"], "piped"),
        ("true &&", &["echo and"], "and"),
        ("say() {", &["echo in a function", "}; say"], "in a function"),
    ];
    for (first, rest, output) in cases {
        let before = terminal.ready();
        terminal.line(first);
        terminal.ready_after(before);
        terminal.cursor_behind("> ");
        terminal.wait_for("the continuation prompt", |screen| screen.cursor_position().1 == 2);
        type_lines(&terminal, rest);
        assert_eq!(terminal.between(rest.last().unwrap()), output, "{first}");
    }
}

#[test]
fn a_here_document_is_typed_line_by_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    type_lines(&terminal, &["x=5; cat <<END", "value $x", "  indented", "END"]);
    assert_eq!(terminal.between("END"), "value 5\n  indented");
    type_lines(&terminal, &["cat <<'END'", "value $x", "END"]);
    assert_eq!(terminal.between("END"), "value $x");
    type_lines(&terminal, &["cat <<-END", "\tno tab", "END"]);
}

#[test]
fn the_end_of_input_in_an_unfinished_command_runs_nothing() {
    let home = Home::new();
    let terminal = home.shell().open();
    type_lines(&terminal, &["touch never; if true"]);
    let before = terminal.ready();
    terminal.control('d');
    terminal.ready_after(before);
    terminal.sees("nothing was run: the command is not complete");
    assert_eq!(terminal.run("echo $?"), "2");
    assert!(!home.at("never").exists());
}

#[test]
fn a_paste_is_one_unit_and_waits_for_enter() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.paste("echo one > f\necho two >> f\necho three >> f\n");
    terminal.sees("echo three >> f");
    assert!(!home.at("f").exists(), "it ran without Enter");
    terminal.keys("\r");
    terminal.ready_after(before);
    assert_eq!(home.read("f"), "one\ntwo\nthree\n");
    let log = home.read(".aegish/audit.log");
    let pasted = log.lines().filter(|line| line.contains("echo three")).count();
    assert_eq!(pasted, 1, "judged as a whole: {log}");
}

#[test]
fn a_paste_with_a_blocked_line_in_the_middle_runs_nothing() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.paste("touch first\ncat /etc/shadow\ntouch last\n");
    terminal.sees("touch last");
    terminal.keys("\r");
    terminal.ready_after(before);
    terminal.sees("BLOCK");
    assert!(!home.at("first").exists() && !home.at("last").exists());
}

#[test]
fn a_here_document_is_pasted() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.paste("cat > f <<'E'\n$HOME stays\nE\n");
    terminal.sees("stays");
    terminal.keys("\r");
    terminal.ready_after(before);
    assert_eq!(home.read("f"), "$HOME stays\n");
}

#[test]
fn a_paste_that_is_not_complete_is_asked_to_go_on() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.paste("for i in 1 2\ndo echo pasted $i");
    terminal.sees("do echo");
    terminal.keys("\r");
    terminal.ready_after(before);
    terminal.wait_for("the continuation prompt", |screen| screen.cursor_position().1 == 2);
    type_lines(&terminal, &["done"]);
    assert_eq!(terminal.between("done"), "pasted 1\npasted 2");
}

#[test]
fn control_characters_in_a_paste_press_no_keys() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.paste("echo a\u{3}b\u{4}c");
    terminal.sees("echo a");
    let before = terminal.ready();
    terminal.keys("\r");
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo alive"), "alive");
}

#[test]
fn a_question_of_read_is_answered_at_the_terminal() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line("read -r -p 'Your name: ' name");
    terminal.asked("Your name: ");
    let before = terminal.ready();
    terminal.line("Kim Q");
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo \"<$name>\""), "<Kim Q>");
}

#[test]
fn a_secret_that_read_asks_for_is_not_shown() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line("read -r -s -p 'Word: ' word");
    terminal.asked("Word: ");
    let before = terminal.ready();
    terminal.line("tops3cret");
    terminal.ready_after(before);
    assert!(!terminal.raw().contains("tops3cret"));
    assert_eq!(terminal.run("echo ${#word}"), "9");
    assert!(!home.read(".aegish_history").contains("tops3cret"));
}

#[test]
fn a_program_reads_what_is_typed_until_the_end_of_input() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("sh -c 'echo begun; exec cat > typed'");
    terminal.sees_row("begun");
    terminal.line("first");
    terminal.line("second");
    terminal.control('d');
    terminal.ready_after(before);
    assert_eq!(home.read("typed"), "first\nsecond\n");
    assert_eq!(terminal.run("echo $?"), "0");
}

#[test]
fn a_password_is_read_from_the_terminal_itself() {
    let home = Home::new();
    // As ssh and sudo do: the terminal is opened by its name, independent of standard input.
    let ask = "exec 3<>/dev/tty; stty -echo <&3; printf 'Password: ' >&3; read -r word <&3\n\
               stty echo <&3; echo >&3; echo \"${#word} letters\"\n";
    home.write("ask.sh", ask);
    let terminal = home.shell().open();
    terminal.line("sh ask.sh < /dev/null | cat");
    terminal.asked("Password: ");
    let before = terminal.ready();
    terminal.line("hunter22");
    terminal.ready_after(before);
    terminal.sees_row("8 letters");
    assert!(!terminal.raw().contains("hunter22"));
    // The terminal echoes again.
    assert_eq!(terminal.run("stty -a | grep -cw -- '-echo'"), "0");
}

#[test]
fn a_program_that_asks_key_by_key_gets_single_keys() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.line("read -r -n 1 -p 'Go on? ' key; echo; echo got $key");
    terminal.asked("Go on? ");
    let before = terminal.ready();
    terminal.keys("k");
    terminal.ready_after(before);
    terminal.sees_row("got k");
}

#[test]
fn select_offers_a_menu() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("select x in red green; do echo chose $x; break; done");
    terminal.asked("#? ");
    terminal.line("2");
    terminal.ready_after(before);
    terminal.sees_row("chose green");
}

#[test]
fn a_line_that_bash_could_not_read_either_is_only_run_if_wanted() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("echo )");
    terminal.ready_after(before);
    terminal.sees("is not valid Bash");
    let before = terminal.ready();
    terminal.line("y");
    terminal.ready_after(before);
    terminal.sees("syntax error near unexpected token");
    assert_eq!(terminal.run("echo next"), "next");
}

#[test]
fn a_comment_and_blanks_do_nothing() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("# only a remark"), "");
    terminal.run("   ");
    assert_eq!(terminal.run("echo next"), "next");
}
