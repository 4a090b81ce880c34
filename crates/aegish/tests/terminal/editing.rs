//! The line itself: history, completion, keys, letters of all kinds.

use crate::harness::{Home, Terminal, have};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";

/// Presses Enter and waits for the next prompt.
fn enter(terminal: &Terminal) {
    let before = terminal.ready();
    terminal.keys("\r");
    terminal.ready_after(before);
}

/// The text after the prompt.
fn typed(terminal: &Terminal, text: &str) {
    terminal.cursor_behind(&format!("aegish:~> {text}"));
}

#[test]
fn the_arrows_walk_through_earlier_lines() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo first");
    terminal.run("echo second");
    terminal.keys(UP);
    typed(&terminal, "echo second");
    terminal.keys(UP);
    typed(&terminal, "echo first");
    terminal.keys(DOWN);
    typed(&terminal, "echo second");
    enter(&terminal);
    assert_eq!(terminal.between("echo second"), "second");
}

#[test]
fn control_r_searches_earlier_lines() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo needle in the hay");
    terminal.run("echo other");
    terminal.control('r');
    terminal.sees("reverse-i-search");
    terminal.keys("needle");
    terminal.sees("echo needle in the hay");
    enter(&terminal);
    assert_eq!(terminal.rows().iter().filter(|row| *row == "needle in the hay").count(), 2);
}

#[test]
fn earlier_lines_are_there_in_the_next_session() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("echo from the first session");
    terminal.line("exit");
    terminal.status();
    let mode = fs::metadata(home.at(".aegish_history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let terminal = home.shell().open();
    terminal.keys(UP);
    terminal.keys(UP);
    typed(&terminal, "echo from the first session");
    terminal.control('c');
    terminal.at_prompt();
    assert!(terminal.run("history").contains("echo from the first session"));
}

#[test]
fn a_history_that_others_could_read_is_made_private() {
    let home = Home::new();
    home.write(".aegish_history", "#1\necho old\n");
    fs::set_permissions(home.at(".aegish_history"), fs::Permissions::from_mode(0o644)).unwrap();
    let terminal = home.shell().open();
    terminal.run("echo new");
    let mode = fs::metadata(home.at(".aegish_history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_history_that_is_a_link_is_not_followed() {
    let home = Home::new();
    home.write("target", "untouched\n");
    symlink(home.at("target"), home.at(".aegish_history")).unwrap();
    let terminal = home.shell().start();
    terminal.sees("the history was not read");
    terminal.at_prompt();
    terminal.run("echo something");
    terminal.sees("was not kept");
    assert_eq!(home.read("target"), "untouched\n");
    // Said once; and the lines of this session can still be walked through.
    assert_eq!(terminal.run("echo else"), "else");
    terminal.keys(UP);
    typed(&terminal, "echo else");
}

#[test]
fn refused_lines_are_marked_in_the_history() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("cat /etc/shadow");
    terminal.run("echo fine");
    let kept = home.read(".aegish_history");
    let lines: Vec<&str> = kept.lines().collect();
    assert!(lines[0].ends_with(" blocked") && lines[1] == "cat /etc/shadow", "{kept}");
    assert!(!lines[2].contains("blocked") && lines[3] == "echo fine", "{kept}");
}

#[test]
fn a_line_that_begins_with_a_blank_is_not_kept() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo kept");
    terminal.run(" echo hidden");
    assert!(!home.read(".aegish_history").contains("hidden"));
    assert!(!terminal.run("history").contains("hidden"));
    terminal.keys(UP);
    terminal.keys(UP);
    typed(&terminal, "echo kept");
}

#[test]
fn the_same_line_twice_is_one_step_back() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo other");
    terminal.run("echo same");
    terminal.run("echo same");
    terminal.keys(UP);
    typed(&terminal, "echo same");
    terminal.keys(UP);
    typed(&terminal, "echo other");
}

#[test]
fn the_history_keeps_a_bounded_number_of_lines() {
    let home = Home::new();
    let old: String = (0..2000).map(|number| format!("#1\necho old {number}\n")).collect();
    home.write(".aegish_history", &old);
    let terminal = home.shell().open();
    terminal.run("echo new");
    let kept = home.read(".aegish_history");
    assert_eq!(kept.lines().count(), 2 * 1001);
    assert!(kept.starts_with("#1\necho old 1000\n") && kept.ends_with("\necho new\n"));
}

#[test]
fn a_command_over_several_lines_comes_back_as_one() {
    let home = Home::new();
    let terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("for i in 1 2; do");
    terminal.ready_after(before);
    terminal.line("echo round $i");
    terminal.ready_after(before + 1);
    terminal.line("done");
    terminal.ready_after(before + 2);
    terminal.run("clear");
    terminal.keys(UP);
    terminal.keys(UP);
    terminal.sees("echo round $i");
    enter(&terminal);
    terminal.sees_row("round 2");
    assert!(home.read(".aegish_history").contains("for i in 1 2; do\\necho round $i\\ndone\n"));
}

#[test]
fn history_lists_the_lines_of_the_session() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo one");
    terminal.run("echo it\\'s two");
    let listed = terminal.run("history");
    let lines: Vec<&str> = listed.lines().map(str::trim).collect();
    assert_eq!(lines, ["1  echo one", "2  echo it\\'s two", "3  history"]);
    assert!(terminal.run("history | grep -c echo").ends_with('3'));
}

#[test]
fn an_exclamation_mark_that_recalls_nothing_is_a_letter() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo first");
    assert_eq!(terminal.run("echo 'wow!!' \\!\\! \"really!\" hm!"), "wow!! !! really! hm!");
}

#[test]
fn commands_are_completed() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("frobnicate_all() { echo frobbed; }");
    terminal.keys("frobni\t");
    typed(&terminal, "frobnicate_all ");
    enter(&terminal);
    terminal.sees_row("frobbed");
    // Also after a word that a command follows.
    terminal.keys("if frobni\t");
    typed(&terminal, "if frobnicate_all ");
}

#[test]
fn paths_are_completed_with_their_blanks() {
    let home = Home::new();
    home.write("my notes/the first.txt", "read me\n");
    let terminal = home.shell().open();
    terminal.keys("cat my\t");
    typed(&terminal, "cat my\\ notes/");
    terminal.keys("\t");
    typed(&terminal, "cat my\\ notes/the\\ first.txt ");
    enter(&terminal);
    terminal.sees_row("read me");
    terminal.keys("cat \"my notes/t\t");
    typed(&terminal, "cat \"my notes/the first.txt\" ");
}

#[test]
fn several_completions_are_listed() {
    let home = Home::new();
    for name in ["alpha-1", "alpha-2", "beta"] {
        home.write(name, "");
    }
    let terminal = home.shell().open();
    terminal.keys("ls al\t");
    typed(&terminal, "ls alpha-");
    terminal.keys("\t\t");
    terminal.wait_for("both names", |screen| {
        let text = screen.contents();
        text.contains("alpha-1") && text.contains("alpha-2") && !text.contains("beta")
    });
}

#[test]
fn variables_are_completed() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("my_long_variable=found");
    terminal.keys("echo $my_lo\t");
    typed(&terminal, "echo $my_long_variable ");
    enter(&terminal);
    terminal.sees_row("found");
}

#[test]
fn branches_of_git_are_completed_where_bash_knows_how() {
    let known = "/usr/share/bash-completion/bash_completion";
    if !have("git") {
        return;
    }
    if fs::metadata(known).is_err() {
        println!("skipped: bash-completion is not installed");
        return;
    }
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("git init -q -b trunk . && git config user.email k@example.org");
    terminal.run("git config user.name kim; git commit -q --allow-empty -m first");
    terminal.run("git branch feature-with-a-long-name");
    terminal.keys("git checkout fea\t");
    typed(&terminal, "git checkout feature-with-a-long-name ");
    terminal.control('u');
    terminal.keys("git comm\t");
    typed(&terminal, "git commit ");
    terminal.control('u');
    terminal.keys("git commit --ame\t");
    typed(&terminal, "git commit --amend ");
}

#[test]
fn completions_of_the_user_that_nobody_judged_are_not_loaded() {
    if fs::metadata("/usr/share/bash-completion/bash_completion").is_err() {
        println!("skipped: bash-completion is not installed");
        return;
    }
    let home = Home::new();
    let files = [
        ".bash_completion",
        ".local/share/bash-completion/completions/ls",
        "data/bash-completion/completions/ls",
        "other.bash",
    ];
    for file in files {
        home.write(file, &format!("echo x > {}\n", home.at("loaded").display()));
    }
    home.write(".config/aegish/rc.bash", ". /usr/share/bash-completion/bash_completion\n");
    let settings = [
        ("XDG_DATA_HOME", "data"),
        ("BASH_COMPLETION_USER_DIR", "data/bash-completion"),
        ("BASH_COMPLETION_USER_FILE", "other.bash"),
    ];
    for (name, value) in settings {
        let value = home.at(value).display().to_string();
        let terminal = home.shell().set(name, &value).open();
        terminal.run(&format!("readonly {name}={value}; complete -r"));
        terminal.keys("ls --al\t");
        typed(&terminal, "ls --al");
        terminal.control('u');
        terminal.run("true");
        assert_eq!(home.read("loaded"), "", "{name}");
    }
}

#[test]
fn the_rest_of_an_earlier_line_is_hinted_and_taken() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo a rather long line");
    terminal.keys("echo a r");
    terminal.sees("echo a rather long line");
    typed(&terminal, "echo a r");
    terminal.keys("\x1b[C");
    typed(&terminal, "echo a rather long line");
}

#[test]
fn keys_of_emacs_move_and_kill() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.keys("one two");
    terminal.control('a');
    terminal.keys("echo ");
    terminal.control('e');
    terminal.keys(" three");
    terminal.control('w');
    terminal.keys("3");
    typed(&terminal, "echo one two 3");
    enter(&terminal);
    terminal.sees_row("one two 3");
}

#[test]
fn keys_of_vi_move_and_change() {
    let home = Home::new();
    let terminal = home.shell().set("AEGISH_EDIT_MODE", "vi").open();
    terminal.keys("echo one two");
    typed(&terminal, "echo one two");
    terminal.keys("\x1b");
    terminal.keys("bcwthree");
    typed(&terminal, "echo one three");
    enter(&terminal);
    terminal.sees_row("one three");
}

#[test]
fn letters_of_all_kinds_are_typed_shown_and_run() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo naïve 日本語 🙂 ñandú"), "naïve 日本語 🙂 ñandú");
    terminal.keys("echo 日本x");
    terminal.keys("\x7f\x7f");
    typed(&terminal, "echo 日");
    enter(&terminal);
    terminal.sees_row("日");
    terminal.run("mkdir größe && cd größe");
    terminal.cursor_behind("aegish:~/größe> ");
}

#[test]
fn a_line_longer_than_the_window_wraps_and_runs() {
    let home = Home::new();
    let terminal = home.shell().size(30, 40).open();
    let long = "abcdefghij".repeat(20);
    terminal.keys(&format!("echo {long}"));
    terminal.wait_for("the whole line", |screen| {
        screen.contents().replace('\n', "").contains(&format!("aegish:~> echo {long}"))
    });
    terminal.control('a');
    terminal.control('e');
    enter(&terminal);
    terminal.wait_for("line and output", |screen| {
        screen.contents().replace('\n', "").matches(&long).count() == 2
    });
}

#[test]
fn a_very_long_line_runs_whole() {
    let home = Home::new();
    let terminal = home.shell().open();
    let long = "x".repeat(3000);
    terminal.paste(&format!("printf %s {long} > f"));
    enter(&terminal);
    assert_eq!(home.read("f").len(), 3000);
}

#[test]
fn unknown_commands_are_red_and_known_ones_green() {
    let home = Home::new();
    let terminal = home.shell().open();
    let colour = |letter: &str| {
        let wanted = letter.to_owned();
        terminal.cursor_behind(&wanted);
        let seen = terminal.colour_before_the_cursor();
        terminal.control('u');
        seen
    };
    terminal.keys("nosuchprogram");
    assert_eq!(colour("nosuchprogram"), vt100::Color::Idx(1));
    terminal.keys("ls");
    assert_eq!(colour("ls"), vt100::Color::Idx(2));
}

#[test]
fn earlier_lines_are_recalled_shown_judged_and_run() {
    let home = Home::new();
    home.write("notes", "one\n");
    let terminal = home.shell().open();
    terminal.run("cat notes");
    assert_eq!(terminal.run("!!"), "cat notes\none");
    assert_eq!(terminal.run("wc -l < !$"), "wc -l < notes\n1");
    assert_eq!(terminal.run("^-l^-c"), "wc -c < notes\n4");
    assert_eq!(terminal.run("!cat"), "cat notes\none");
    let history = terminal.run("history | grep -n 'wc -l'");
    let number = history.split(':').nth(1).and_then(|rest| rest.split_whitespace().next());
    let number = number.expect("a number");
    assert_eq!(terminal.run(&format!("!{number}")), "wc -l < notes\n1");
    assert_eq!(terminal.run("echo '!!' \"bye!\""), "!! bye!");
    assert_eq!(terminal.run("!nothing"), "aegish: !nothing: event not found");
    // A recalled line is judged like a typed one.
    terminal.run("echo /etc/shadow");
    let said = terminal.run("cat !$");
    assert!(said.starts_with("cat /etc/shadow\nBLOCK  4"), "{said}");
}
