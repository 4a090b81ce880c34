//! Failures around a session: killed processes, full disks, missing homes, closed terminals.

use crate::harness::{AEGISH, Home, Start, Terminal, eventually, gone, starting};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn kill(signal: &str, process: &str) {
    let killed = Command::new("kill").args([signal, process]).status().expect("kill starts");
    assert!(killed.success());
}

/// A program without a terminal, in this home.
fn run(home: &Home, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().current_dir(home.path());
    command.env("HOME", home.path()).env("PATH", "/usr/bin:/bin").env("AEGISH_JUDGE", "never");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = {
        let _alone = starting();
        command.spawn().expect("it starts")
    };
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The audit is whole, and another session has the lines of this one.
fn all_is_well_afterwards(home: &Home, line: &str) {
    let verified = run(home, AEGISH, &["audit", "verify"]);
    assert!(verified.status.success(), "{}{}", text(&verified.stdout), text(&verified.stderr));
    let terminal = home.shell().open();
    assert!(terminal.run("history").contains(line));
    assert_eq!(terminal.run("echo works"), "works");
}

#[test]
fn a_panic_while_judging_blocks_the_line_and_the_session_continues() {
    let home = Home::new();
    let terminal = home.shell().set("AEGISH_LIVE", "on").open();
    terminal.run("x=kept");
    let said = terminal.run("echo the guard panics here");
    assert!(said.contains("BLOCK  internal-error  internal error: deliberate panic"), "{said}");
    assert_eq!(terminal.run("echo $x $?"), "kept 1");
    let log = home.read(".aegish/audit.log");
    let entry = log.lines().find(|line| line.contains("panics here")).expect("an entry");
    assert!(entry.contains("internal-error") && entry.contains("\"fate\":\"blocked\""), "{entry}");
    drop(terminal);
    all_is_well_afterwards(&home, "echo $x");
}

#[test]
fn killed_at_the_prompt_it_takes_bash_and_stopped_jobs_along() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let bash = terminal.run("echo $$");
    terminal.run("sleep 1000 & background=$!");
    let before = terminal.ready();
    terminal.line("sh -c 'echo $$ > stopped; echo begun; exec sleep 1000'");
    terminal.sees_row("begun");
    terminal.control('z');
    terminal.ready_after(before);
    let background = terminal.run("echo $background");
    kill("-KILL", &terminal.id().to_string());
    assert_eq!(terminal.status(), 137);
    for process in [bash.as_str(), home.read("stopped").trim()] {
        eventually(&format!("the end of {process}"), || gone(process));
    }
    // Background jobs may continue, as if bash itself were killed.
    let _ = Command::new("kill").arg(&background).stderr(Stdio::null()).status();
    all_is_well_afterwards(&home, "sleep 1000 &");
}

#[test]
fn killed_while_a_program_runs_it_takes_that_along() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let bash = terminal.run("echo $$");
    terminal.line("sh -c 'echo $$ > running; echo begun; exec sleep 1000'");
    terminal.sees_row("begun");
    kill("-KILL", &terminal.id().to_string());
    assert_eq!(terminal.status(), 137);
    for process in [bash.as_str(), home.read("running").trim()] {
        eventually(&format!("the end of {process}"), || gone(process));
    }
    all_is_well_afterwards(&home, "echo $$");
}

#[test]
fn a_bash_that_is_killed_ends_the_session_with_a_word() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.line("kill -KILL $$");
    assert_eq!(terminal.status(), 137);
    terminal.sees_before_the_end("bash was killed: by somebody, or because a command took its input away from the guard; the session is over");
    all_is_well_afterwards(&home, "kill -KILL");
}

#[test]
fn a_bash_that_is_killed_from_outside_is_noticed_with_the_next_line() {
    for line in ["", "echo never"] {
        let home = Home::new();
        let mut terminal = home.shell().open();
        let bash = terminal.run("echo $$");
        kill("-KILL", &bash);
        eventually("the end of bash", || gone(&bash));
        terminal.line(line);
        assert_eq!(terminal.status(), 137);
        terminal.sees_before_the_end("bash was killed: by somebody, or because a command took its input away from the guard; the session is over");
    }
}

#[test]
fn a_polite_end_is_ignored_as_bash_ignores_it() {
    let home = Home::new();
    let terminal = home.shell().open();
    kill("-TERM", &terminal.id().to_string());
    assert_eq!(terminal.run("echo still here"), "still here");
}

#[test]
fn a_window_that_is_closed_ends_the_session_and_its_jobs() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let bash = terminal.run("echo $$");
    terminal.run("trap 'echo bye > left' EXIT");
    terminal.run("sleep 1000 &");
    let job = terminal.run("echo $!");
    terminal.close();
    assert_eq!(terminal.status(), 129);
    for process in [&bash, &job] {
        eventually(&format!("the end of {process}"), || gone(process));
    }
    assert_eq!(home.read("left"), "bye\n");
    all_is_well_afterwards(&home, "sleep 1000 &");
}

#[test]
fn a_window_that_is_closed_ends_a_program_that_runs() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let bash = terminal.run("echo $$");
    terminal.line("sh -c 'echo $$ > running; echo begun; exec sleep 1000'");
    terminal.sees_row("begun");
    terminal.close();
    terminal.status();
    for process in [bash.as_str(), home.read("running").trim()] {
        eventually(&format!("the end of {process}"), || gone(process));
    }
}

/// A home on a disk with this many kilobytes, if this user may make one.
struct SmallDisk(Home);

impl SmallDisk {
    fn new(kilobytes: u32) -> Option<Self> {
        let home = Home::new();
        let size = format!("size={kilobytes}k");
        let made = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(home.path())
            .stderr(Stdio::null())
            .status();
        if made.is_ok_and(|status| status.success()) {
            return Some(Self(home));
        }
        println!("skipped: this user may not make a small disk");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// Runs a line that is longer than the rest of the last block of a file.
fn long_line(terminal: &Terminal, line: &str) {
    let before = terminal.ready();
    terminal.paste(&format!("{line} # {}", "x".repeat(4096)));
    terminal.sees("xxxx");
    terminal.keys("\r");
    terminal.ready_after(before);
}

#[test]
fn a_full_disk_is_reported_and_work_continues() {
    let Some(disk) = SmallDisk::new(64) else { return };
    let home = &disk.0;
    let terminal = home.shell().open();
    terminal.run("echo before");
    terminal.run("head -c 200K /dev/zero > filler");
    terminal.sees("No space left on device");
    long_line(&terminal, "echo go''es on");
    terminal.sees_row("goes on");
    terminal.sees("the audit log was not written");
    terminal.sees("the line was not kept");
    // Said once; then there is room again, and nothing that was kept is lost.
    assert_eq!(terminal.run("rm filler; echo room"), "room");
    assert_eq!(terminal.run("echo again"), "again");
    let kept = home.read(".aegish_history");
    let marks = kept.lines().filter(|line| line.starts_with('#')).count();
    assert!(kept.contains("echo before") && kept.ends_with("\necho again\n"), "{kept}");
    assert_eq!(kept.lines().count(), 2 * marks, "half an entry is left: {kept}");
    // What the log did not take has come when there was room, in its order.
    let log = home.read(".aegish/audit.log");
    let decided = ["echo before", "head -c 200K", "echo go''es on", "rm filler", "echo again"];
    let places: Vec<Option<usize>> = decided.iter().map(|what| log.find(what)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{log}");
    let verified = run(home, AEGISH, &["audit", "verify"]);
    assert!(verified.status.success(), "{}{}", text(&verified.stdout), text(&verified.stderr));
}

#[test]
fn where_everything_must_be_recorded_a_full_disk_stops_commands_but_not_leaving() {
    let Some(disk) = SmallDisk::new(64) else { return };
    let home = &disk.0;
    let mut terminal = home.shell().set("AEGISH_AUDIT", "required").open();
    terminal.run("head -c 200K /dev/zero > filler");
    long_line(&terminal, "touch never");
    terminal.sees("nothing was run: the audit log was not written");
    assert!(!home.at("never").exists());
    terminal.line("exit");
    terminal.status();
}

#[test]
fn a_limit_on_files_is_reported_and_does_not_end_the_session() {
    let home = Home::new();
    let limited = "ulimit -f 0; exec \"$0\"";
    let terminal = home.shell().program("/bin/sh").arguments(&["-c", limited, AEGISH]).start();
    terminal.at_prompt();
    let said = terminal.run("echo goes on");
    assert!(said.contains("goes on"), "{said}");
    assert_eq!(terminal.run("true; echo again"), "again");
}

#[test]
fn a_full_device_for_the_history_is_reported_once() {
    let home = Home::new();
    symlink("/dev/full", home.at(".aegish_history")).unwrap();
    let terminal = home.shell().start();
    terminal.at_prompt();
    terminal.run("echo one");
    assert_eq!(terminal.run("echo two"), "two");
}

/// A session in an odd home: it starts, works and ends.
fn works(start: Start) -> Terminal {
    let mut terminal = start.start();
    terminal.sees("> ");
    terminal.line("echo wor''ks");
    terminal.sees("works");
    terminal.line("exit 3");
    assert_eq!(terminal.status(), 3);
    terminal
}

#[test]
fn a_home_that_is_missing_is_no_reason_not_to_work() {
    let home = Home::new();
    for place in ["nowhere", "a file"] {
        home.write("a file", "");
        let terminal = works(home.shell().set("HOME", &home.at(place).to_string_lossy()));
        assert!(terminal.raw().contains("not"), "nothing is said: {:?}", terminal.raw());
    }
    let terminal = works(home.shell().unset("HOME"));
    assert!(terminal.raw().contains("set HOME"), "{:?}", terminal.raw());
}

#[test]
fn settings_that_cannot_be_read_are_not_guessed() {
    let home = Home::new();
    let closed = home.at("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut shell = home.shell().set("HOME", &closed.to_string_lossy());
    // Root can read everything, so the test needs another user.
    if fs::read_dir(&closed).is_ok() {
        let somebody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", AEGISH];
        let reached = run(&home, "setpriv", &[&somebody[..], &["--version"]].concat());
        if !reached.status.success() {
            println!("skipped: nobody else can start the binary");
            return;
        }
        shell = shell.program("setpriv").arguments(&somebody);
    }
    let mut terminal = shell.start();
    assert_eq!(terminal.status(), 3);
    terminal.sees_before_the_end("nothing was done, the configuration cannot be used");
    terminal.sees_before_the_end("Permission denied");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_unknown_terminal_type_still_works() {
    let home = Home::new();
    works(home.shell().unset("TERM"));
    works(home.shell().set("TERM", "no-such-terminal"));
}

#[test]
fn lines_from_a_pipe_run_one_by_one_when_that_is_asked_for() {
    let home = Home::new();
    let script = "printf 'echo one\\ncat /etc/shadow\\necho two $?\\nexit 4\\n' | \"$0\" -i";
    let output = run(&home, "/bin/sh", &["-c", script, AEGISH]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("one\n") && out.contains("two 1\n"), "{out}{err}");
    assert!(err.contains("BLOCK"), "{err}");
    assert_eq!(output.status.code(), Some(4));
}

/// Status and output of the same words for both shells.
fn both(words: &str) -> [(Option<i32>, String); 2] {
    let home = Home::new();
    [AEGISH, "/bin/bash"].map(|shell| {
        let output = run(&home, "/bin/bash", &["--norc", "-c", words, shell]);
        (output.status.code(), text(&output.stdout))
    })
}

#[test]
fn closed_descriptors_and_pipes_behave_as_in_bash() {
    for words in [
        "\"$0\" -c 'exec 3<&0; echo reads: $?' <&-",
        "\"$0\" -c 'cat; echo $?' <&-",
        "\"$0\" -c 'echo x' >&-; echo $?",
        "\"$0\" -c 'echo x; echo y >&2' 2>&-; echo $?",
        "\"$0\" -c 'ls /nowhere' >&- 2>&-; echo $?",
        "\"$0\" -c 'yes' | head -n 1; echo ${PIPESTATUS[0]}",
        "\"$0\" -c 'seq 100000; echo $? >&2' 2>&1 | tail -n 1",
        "\"$0\" -c 'echo x' > /dev/full; echo $?",
        "echo 'echo from input; cat' | \"$0\" -s; echo $?",
    ] {
        let [ours, bash] = both(words);
        assert_eq!(ours, bash, "{words}");
    }
}

#[test]
fn a_refusal_that_cannot_be_printed_is_still_a_refusal() {
    let home = Home::new();
    let words = "\"$0\" -c 'cat /etc/shadow' 2>&- >&-";
    let output = run(&home, "/bin/sh", &["-c", words, AEGISH]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn without_bash_nothing_runs_and_that_is_reported() {
    let home = Home::new();
    // In a namespace in which bash cannot be run.
    let hide = "for bash in /bin/bash /usr/bin/bash /usr/local/bin/bash; do \
                [ -e $bash ] && mount --bind /dev/null \"$(readlink -f $bash)\"; done 2>/dev/null; \
                [ -f /bin/bash ] && exit 99; exec \"$@\"";
    let hidden = |arguments: &[&str]| {
        let before = ["-r", "-m", "/bin/sh", "-c", hide, "sh", AEGISH];
        run(&home, "unshare", &[&before[..], arguments].concat())
    };
    let output = hidden(&["-c", "echo never"]);
    if output.status.code() == Some(99) || text(&output.stderr).contains("unshare") {
        println!("skipped: bash cannot be hidden here: {}", text(&output.stderr));
        return;
    }
    assert_eq!(output.status.code(), Some(127), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("nothing was run: there is no bash in"));
    assert_eq!(text(&output.stdout), "");
    let interactive = hidden(&["-i"]);
    assert_eq!(interactive.status.code(), Some(127), "{}", text(&interactive.stderr));
    assert!(Path::new("/bin/bash").is_file(), "hidden for that process only");
}

#[test]
fn a_killed_bash_ends_the_session_even_if_a_job_continues() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("(for i in {1..40}; do sleep 0.1; done) &");
    terminal.line("kill -USR1 $$");
    terminal.sees_before_the_end("the session is over");
    assert_eq!(terminal.status(), 138);
}
