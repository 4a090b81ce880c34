//! State that one line leaves for the next: everything that bash keeps.

use crate::harness::{Home, have};
use rustix::process::{Resource, getrlimit};

#[test]
fn variables_arrays_and_the_last_word_persist() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("x=5; list=(a 'b c' d)");
    assert_eq!(terminal.run("echo $((x + 1)) \"${list[1]}\" ${#list[@]}"), "6 b c 3");
    assert_eq!(terminal.run("echo one two"), "one two");
    assert_eq!(terminal.run("echo $_"), "two");
    terminal.run("word=three; echo $word");
    assert_eq!(terminal.run("echo $_"), "three");
    terminal.run("export SHOWN=yes");
    assert_eq!(terminal.run("env | grep ^SHOWN"), "SHOWN=yes");
}

#[test]
fn functions_and_aliases_persist() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("greet() { echo \"hello $1\"; }");
    assert_eq!(terminal.run("greet kim"), "hello kim");
    terminal.run("alias say='echo said'");
    assert_eq!(terminal.run("say it"), "said it");
    terminal.run("unalias say");
    assert!(terminal.run("say it").contains("command not found"));
}

#[test]
fn options_persist_and_work() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("set -o pipefail");
    terminal.run("false | true");
    assert_eq!(terminal.run("echo $?"), "1");
    terminal.run("shopt -s nullglob");
    assert_eq!(terminal.run("echo [ nothing-like-*-this ]"), "[ ]");
    terminal.run("set -u");
    assert!(terminal.run("echo $not_set").contains("unbound variable"));
    assert_eq!(terminal.run("echo on"), "on");
}

#[test]
fn tracing_shows_the_line_and_nothing_of_the_driver() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("set -x");
    let said = terminal.run("echo traced");
    assert!(said.contains("+ echo traced\ntraced"), "{said}");
    assert!(!said.contains("__aegish"), "{said}");
    terminal.run("set +x");
    assert_eq!(terminal.run("echo quiet"), "quiet");
}

#[test]
fn errexit_at_the_prompt_ends_the_session_as_in_bash() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("set -e");
    assert_eq!(terminal.run("true; echo fine"), "fine");
    // A status that bash does not count as a failure is not one here.
    terminal.run("false && true");
    assert_eq!(terminal.run("echo $?"), "1");
    terminal.line("false");
    assert_eq!(terminal.status(), 1);
}

#[test]
fn traps_persist_and_the_exit_trap_runs_at_the_end() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("trap 'echo got usr1' USR1");
    assert_eq!(terminal.run("kill -USR1 $$"), "got usr1");
    terminal.run("trap 'echo an error' ERR");
    assert_eq!(terminal.run("false"), "an error");
    assert_eq!(terminal.run("true"), "");
    assert_eq!(terminal.run("false && true"), "");
    terminal.run("trap 'echo bye > left' EXIT");
    terminal.line("exit");
    terminal.status();
    assert_eq!(home.read("left"), "bye\n");
}

#[test]
fn the_directory_and_its_stack_persist() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("mkdir -p a/b && cd a");
    terminal.cursor_behind("aegish:~/a> ");
    terminal.run("pushd b");
    terminal.cursor_behind("aegish:~/a/b> ");
    assert_eq!(terminal.run("dirs"), "~/a/b ~/a");
    terminal.run("popd");
    terminal.run("cd -");
    terminal.cursor_behind("aegish:~/a/b> ");
    terminal.run("cd");
    terminal.cursor_behind("aegish:~> ");
}

#[test]
fn the_mask_for_new_files_persists() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("umask 077");
    terminal.run("touch private");
    assert_eq!(terminal.run("stat -c %a private"), "600");
}

#[test]
fn the_status_of_a_line_is_there_in_the_next() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("(exit 7)");
    terminal.cursor_behind("aegish:~ [7]> ");
    assert_eq!(terminal.run("echo $?"), "7");
    terminal.run("false | true | (exit 3)");
    assert_eq!(terminal.run("echo $?"), "3");
    assert!(terminal.run("no-such-program").contains("command not found"));
    assert_eq!(terminal.run("echo $?"), "127");
    // Enter alone changes nothing.
    terminal.run("(exit 9)");
    terminal.run("");
    assert_eq!(terminal.run("echo $?"), "9");
}

#[test]
fn the_statuses_of_a_pipe_are_there_in_the_next_line() {
    let home = Home::new();
    let terminal = home.shell().open();
    for (pipe, statuses) in [
        ("false | true", "1 0"),
        ("true | (exit 3) | (exit 4)", "0 3 4"),
        ("! false | true", "1 0"),
        ("! true | false", "0 1"),
        ("set -o pipefail; false | true", "1 0"),
        ("! false | true", "1 0"),
    ] {
        terminal.run(pipe);
        assert_eq!(terminal.run("echo ${PIPESTATUS[@]}"), statuses, "{pipe}");
    }
}

#[test]
fn redirections_by_exec_persist() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("exec 3>notes");
    terminal.run("echo first >&3");
    terminal.run("echo second >&3; exec 3>&-");
    assert_eq!(home.read("notes"), "first\nsecond\n");
}

#[test]
fn a_prompt_of_bash_is_shown_by_the_guard_alone() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("PS1='(venv)> '"), "");
    assert_eq!(terminal.run("echo done"), "done");
    let rows = terminal.rows().join("\n").replace("PS1='(venv)", "");
    assert_eq!(
        rows.matches("(venv)").count(),
        rows.matches("aegish (venv)> ").count() + 1,
        "{rows}"
    );
}

#[test]
fn a_trap_that_learns_the_driver_s_words_does_not_hang_the_session() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("shopt -s extdebug");
    terminal.run("trap 'seen+=\" $BASH_COMMAND\"' DEBUG");
    terminal.run("echo a");
    terminal.run("trap - DEBUG");
    assert_eq!(terminal.run("echo still here"), "still here");
}

#[test]
fn a_file_for_every_session_is_read() {
    let home = Home::new();
    home.write(".config/aegish/rc.bash", "alias hi='echo from rc'\nexport FROM_RC=1\n");
    let terminal = home.shell().open();
    assert_eq!(terminal.run("hi $FROM_RC"), "from rc 1");
}

#[test]
fn git_in_a_repository_works_as_ever() {
    if !have("git") {
        return;
    }
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("git init -q -b trunk . && git config user.email k@example.org");
    terminal.run("git config user.name kim; echo x > f; git add f");
    terminal.run("git commit -qm first");
    assert_eq!(terminal.run("git log --oneline | cut -d' ' -f2"), "first");
}

#[test]
fn the_mode_of_the_keys_is_that_of_the_guards_editor() {
    let home = Home::new();
    home.write(".config/aegish/rc.bash", "set -o vi\n");
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo after the start file"), "after the start file");
    for line in ["set -o emacs", "set -o vi", "set +o vi", " set  -o  emacs "] {
        terminal.run(line);
        assert_eq!(terminal.run("echo $?"), "0", "{line}");
    }
    terminal.run("f() { set -o vi; }");
    let lines =
        ["set -o vi; echo on", "f && echo on", "if true; then eval 'set -o vi'; fi; echo on"];
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(terminal.run("set +o vi; echo off | cat"), "off");
        assert_eq!(terminal.run(line), "on", "{line}");
        // In the mode of vi, escape goes back to the last letter, and `x` removes it.
        terminal.keys(&format!("echo vi{at}!"));
        terminal.cursor_behind(&format!("echo vi{at}!"));
        terminal.keys("\x1b");
        terminal.cursor_behind(&format!("echo vi{at}"));
        let before = terminal.ready();
        terminal.line("x");
        terminal.ready_after(before);
        terminal.sees_row(&format!("vi{at}"));
    }
    assert!(home.read(".aegish/audit.log").contains("set -o vi"));
}

#[test]
fn a_prompt_command_is_judged_and_run_before_each_prompt() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("n=0; count() { echo \"prompt $((++n)) after $?\"; }");
    assert_eq!(terminal.run("PROMPT_COMMAND=count"), "prompt 1 after 0");
    assert_eq!(terminal.run("(exit 3)"), "prompt 2 after 3");
    // It does not change what the next line sees of the last one.
    assert_eq!(terminal.run("(exit 4) | true; (exit 5)").lines().last(), Some("prompt 3 after 5"));
    assert_eq!(terminal.run("echo $? $n").lines().next(), Some("5 3"));
    // It can be extended, as start files do.
    let told = terminal.run("PROMPT_COMMAND=\"${PROMPT_COMMAND:+$PROMPT_COMMAND; }echo more\"");
    assert_eq!(told, "prompt 5 after 0\nmore");
    assert_eq!(terminal.run("unset PROMPT_COMMAND"), "");
    assert_eq!(terminal.run("echo $n"), "5");
    let listed = terminal.run("history");
    assert!(listed.contains("  unset PROMPT_COMMAND"), "{listed}");
    assert!(listed.lines().all(|line| !line.ends_with("  count")), "{listed}");
    assert_eq!(terminal.run("PROMPT_COMMAND=('echo one' 'echo two')"), "one\ntwo");
    // It may set the prompt.
    terminal.run("PROMPT_COMMAND='PS1=\"[$?]> \"'");
    terminal.cursor_behind("aegish [0]> ");
    terminal.run("false");
    terminal.cursor_behind("aegish [1]> ");
}

#[test]
fn a_prompt_command_that_is_not_allowed_is_not_run() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("PROMPT_COMMAND='cat /etc/shadow'");
    terminal.sees("BLOCK  4");
    terminal.run("f() { echo fine; }; echo defined");
    assert_eq!(terminal.run("PROMPT_COMMAND=f"), "fine");
    // What it runs has changed since it was set.
    let told = terminal.run("f() { cat /etc/shadow; }");
    assert!(told.contains("PROMPT_COMMAND is no longer run: it reads /etc/shadow"), "{told}");
    assert_eq!(terminal.run("echo next"), "next");
    // Bash would stop in the middle of a line that sets it.
    let told = terminal.run("cd /; PROMPT_COMMAND='history -a'; cd -").replace('\n', "");
    assert!(told.contains("nothing was run: the guard checks bash by PROMPT_COMMAND"), "{told}");
    assert_eq!(terminal.run("pwd | grep -c home; echo $?").lines().last(), Some("1"));
    assert_eq!(terminal.run("(exit 3); echo still here"), "still here");
}

#[test]
fn a_start_file_may_set_prompt_command() {
    let home = Home::new();
    let text = "A=1\nPROMPT_COMMAND='echo before'\nB=2 # end\n";
    home.write(".config/aegish/rc.bash", text);
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo $A $B"), "1 2\nbefore");
}

#[test]
fn descriptors_that_a_line_opens_stay_open() {
    let home = Home::new();
    let terminal = home.shell().open();
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // Bash needs some numbers for itself.
    for number in
        [3, 9, 10, 11, 12, 13, 99, 200, 201, 500].into_iter().filter(|number| number + 50 < limit)
    {
        terminal.run(&format!("exec {number}>lock-{number}"));
        terminal.run(&format!("echo held >&{number}"));
        terminal
            .wait_for(&format!("a text in lock-{number} (at most {limit} descriptors)"), |_| {
                home.read(&format!("lock-{number}")) == "held\n"
            });
    }
}
