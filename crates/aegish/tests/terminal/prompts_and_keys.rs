//! What people set up for themselves: prompts, keys, an editor for the line, recall off.

use crate::harness::{Home, Terminal, have};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const UP: &str = "\x1b[A";
const ALT_DOT: &str = "\x1b.";

/// Presses Enter and waits for the next prompt.
fn enter(terminal: &Terminal) {
    let before = terminal.ready();
    terminal.keys("\r");
    terminal.ready_after(before);
}

/// A program that edits a line without a person.
fn editor(home: &Home, code: &str) -> String {
    let path = home.write("editor", &format!("#!/bin/sh\n{code}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn alt_dot_inserts_the_last_word_of_earlier_lines() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo first 'two words'");
    terminal.run("echo last");
    terminal.keys(&format!("echo {ALT_DOT}"));
    terminal.cursor_behind("> echo last");
    terminal.keys(ALT_DOT);
    terminal.cursor_behind("> echo 'two words'");
    terminal.keys(" end");
    terminal.cursor_behind("> echo 'two words' end");
    // After another key it begins anew, in the middle of a line too.
    terminal.keys(&format!("\x1b[D\x1b[D\x1b[D{ALT_DOT}"));
    terminal.cursor_behind("> echo 'two words' last");
    terminal.keys(ALT_DOT);
    terminal.cursor_behind("> echo 'two words' 'two words'");
    // There is no line before the first one.
    terminal.keys(ALT_DOT);
    enter(&terminal);
    terminal.sees_row("two words two wordsend");
}

#[test]
fn control_x_control_e_edits_the_line_and_what_comes_out_is_judged() {
    let home = Home::new();
    let path = editor(&home, "sed -i s/world/moon/ \"$1\"; echo 'echo second line' >> \"$1\"");
    let terminal = home.shell().set("EDITOR", &path).open();
    let before = terminal.ready();
    terminal.keys("echo world\x18\x05");
    terminal.ready_after(before);
    let rows = terminal.rows();
    let typed = rows.iter().rposition(|row| row.ends_with("> echo world")).expect("the line");
    assert_eq!(
        rows[typed + 1..typed + 5],
        ["echo moon", "echo second line", "moon", "second line"]
    );
    // It comes back as one line.
    terminal.keys(UP);
    terminal.sees("echo second line");
    terminal.control('c');
    terminal.at_prompt();
    // Another run that was killed may have left a file in the shared directory.
    let temporary = home.at("temporary");
    fs::create_dir(&temporary).unwrap();
    let evil = editor(&home, "echo 'cat /etc/shadow' > \"$1\"");
    let terminal = home
        .shell()
        .set("EDITOR", &path)
        .set("VISUAL", &evil)
        .set("TMPDIR", &temporary.display().to_string())
        .open();
    let before = terminal.ready();
    terminal.keys("\x18\x05");
    terminal.ready_after(before);
    terminal.sees("BLOCK  4");
    let left = fs::read_dir(temporary).unwrap().flatten();
    let own = "aegish-edit-";
    assert!(
        !left.map(|file| file.file_name()).any(|name| name.to_string_lossy().starts_with(own)),
        "the file is removed"
    );
}

#[test]
fn an_editor_that_fails_or_is_refused_runs_nothing() {
    let home = Home::new();
    let path = editor(&home, "exit 1");
    let terminal = home.shell().set("EDITOR", &path).open();
    let before = terminal.ready();
    terminal.keys("touch made\x18\x05");
    terminal.ready_after(before);
    terminal.sees("the editor did not succeed");
    let terminal = home.shell().set("VISUAL", "cat /etc/shadow; true").open();
    let before = terminal.ready();
    terminal.keys("touch made\x18\x05");
    terminal.ready_after(before);
    terminal.sees("BLOCK  4");
    assert!(!home.at("made").exists());
}

#[test]
fn control_x_control_e_opens_vim() {
    if !have("vim") {
        return;
    }
    let home = Home::new();
    let terminal = home.shell().set("VISUAL", "vim -u NONE").open();
    let before = terminal.ready();
    terminal.keys("echo one\x18\x05");
    terminal.wait_for("vim", |screen| screen.alternate_screen());
    terminal.keys("A two\x1b:wq\r");
    terminal.ready_after(before);
    terminal.sees_row("one two");
}

#[test]
fn ps1_is_shown_behind_the_mark_of_the_guard() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("PS1='\\[\\e[32m\\]kim\\[\\e[0m\\] \\w [$?] $(echo here)> '");
    terminal.cursor_behind("aegish kim ~ [0] here> ");
    terminal.run("false");
    terminal.cursor_behind("aegish kim ~ [1] here> ");
    terminal.run("mkdir -p deep && cd deep");
    terminal.cursor_behind("aegish kim ~/deep [0] here> ");
    // Lines see it and can build on it.
    terminal.run("PS1=\"(env) $PS1\"");
    terminal.cursor_behind("aegish (env) kim ~/deep [0] here> ");
    assert!(terminal.run("echo \"$PS1\"").starts_with("(env) \\[\\e[32m\\]"));
    terminal.run("PS1=");
    terminal.cursor_behind("aegish:~/deep> ");
}

#[test]
fn a_prompt_has_the_numbers_of_the_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("PS1='\\#:\\! $((n + 1))> '");
    terminal.cursor_behind("aegish 2:2 1> ");
    terminal.run(" n=4");
    terminal.cursor_behind("aegish 3:2 5> ");
    let told = terminal.run("readonly PS1").replace('\n', "");
    assert!(told.contains("PS1 and PS2 cannot be made read-only"), "{told}");
}

#[test]
fn a_prompt_of_several_lines_survives_an_interrupted_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("PS1='\\n--- \\w\\n> ' PS2='more> '");
    terminal.cursor_behind("> ");
    let before = terminal.ready();
    terminal.keys("while [ -d . ]; do sleep 60; done\r");
    terminal.sees("sleep 60");
    std::thread::sleep(std::time::Duration::from_millis(500));
    terminal.control('c');
    terminal.ready_after(before);
    let rows = terminal.rows();
    assert_eq!(rows.iter().filter(|row| row.ends_with("--- ~")).count(), 2, "{rows:?}");
    assert!(rows.iter().all(|row| !row.starts_with("---")), "{rows:?}");
    let before = terminal.ready();
    terminal.line("echo 'a");
    terminal.ready_after(before);
    terminal.cursor_behind("more> ");
    terminal.line("b'");
    terminal.ready_after(before + 1);
    terminal.sees_row("b");
}

#[test]
fn a_prompt_that_must_not_run_is_not_shown() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("f() { echo fine; }; PS1='$(f)> '");
    terminal.cursor_behind("aegish fine> ");
    let said = terminal.run("f() { cat /etc/shadow >/dev/tty; }");
    assert!(said.contains("PS1 is not shown: it reads /etc/shadow"), "{said}");
    terminal.cursor_behind("aegish:~> ");
    assert!(!terminal.raw().contains("root:"));
    // A line that breaks off leaves PS1 to bash, which shows it without running what it holds.
    terminal.run("g() { : ${nope:?}; }");
    terminal.run("g");
    terminal.run("echo after");
    assert!(!terminal.raw().contains("root:"));
    for line in ["declare -n PS1='a[$(touch hole)]'", "declare -i __aegish_ps1", "__aegish_ps1=x"] {
        assert!(terminal.run(line).contains("BLOCK"), "{line}");
    }
    assert!(!home.at("hole").exists());
}

#[test]
fn a_prompt_changes_nothing_and_does_not_hold_up_the_session() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("PS1='${x:=set}> '");
    terminal.cursor_behind("aegish set> ");
    assert_eq!(terminal.run("echo ${x-unset}"), "unset");
    let said = terminal.run("PS1='$(sleep 30)> '");
    assert!(said.contains("did not expand it in time"), "{said}");
    assert_eq!(terminal.run("echo goes on"), "goes on");
}

#[test]
fn the_prompt_of_git_works() {
    let code = "/usr/lib/git-core/git-sh-prompt";
    if !have("git") {
        return;
    }
    if fs::metadata(code).is_err() {
        println!("skipped: {code} is not there");
        return;
    }
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("git init -q -b trunk .");
    terminal.run(&format!(". {code}"));
    terminal.run("PS1='\\W$(__git_ps1 \" (%s)\")> '");
    terminal.cursor_behind("(trunk)> ");
}

#[test]
fn bind_changes_the_keys_of_the_editor() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("echo alpha");
    terminal.run("echo beta");
    assert_eq!(terminal.run("bind '\"\\e[A\": history-search-backward'"), "");
    terminal.keys(&format!("echo a{UP}"));
    terminal.sees("> echo alpha");
    enter(&terminal);
    assert_eq!(terminal.between("echo alpha"), "alpha");
    terminal.run("bind '\"\\C-g\": \"echo typed by a key\\C-m\"'");
    terminal.control('g');
    terminal.cursor_behind("> echo typed by a key");
    enter(&terminal);
    terminal.sees_row("typed by a key");
    let said = terminal.run("bind -x '\"\\C-t\": touch made'");
    assert!(said.contains("would run without being judged"), "{said}");
    terminal.control('t');
    assert_eq!(terminal.run("ls made"), "ls: cannot access 'made': No such file or directory");
    assert!(terminal.run("bind -x '\"\\C-t\": cat /etc/shadow'").contains("BLOCK"));
}

#[test]
fn keys_can_be_bound_by_start_files() {
    let home = Home::new();
    home.write(".inputrc", "\"\\C-g\": \"echo from inputrc\"\n");
    home.write(
        ".config/aegish/rc.bash",
        "bind '\"\\C-t\": \"echo from rc\"'\nset +H\nPS1='rc> '\n",
    );
    let terminal = home.shell().open();
    terminal.cursor_behind("aegish rc> ");
    terminal.control('g');
    terminal.cursor_behind("rc> echo from inputrc");
    terminal.control('u');
    terminal.control('t');
    terminal.cursor_behind("rc> echo from rc");
    terminal.control('u');
    assert_eq!(terminal.run("echo a!! b"), "a!! b");
}

#[test]
fn set_plus_h_turns_recall_off_and_set_minus_h_on() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("set +H");
    assert_eq!(terminal.run("echo one!! !$"), "one!! !$");
    terminal.run("set -H");
    assert_eq!(terminal.run("echo two !!"), "echo two set -H\ntwo set -H");
    terminal.run("set +o histexpand");
    assert_eq!(terminal.run("echo \"!!\""), "!!");
}
