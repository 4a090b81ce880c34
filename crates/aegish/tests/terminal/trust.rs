//! Scripts that are trusted by their bytes, and start files of the system.

use crate::harness::{AEGISH, Home, Terminal, starting};
use std::fs;
use std::process::{Command, Stdio};

const OPEN: &str = "eval \"$SETTINGS\"\necho ran \"$@\"\n";

/// Trusts a file, as a person does.
fn trust(home: &Home, words: &[&str]) -> Terminal {
    home.shell().arguments(&[&["trust"], words].concat()).start()
}

fn trusted(home: &Home, file: &str) {
    let mut terminal = trust(home, &[file]);
    terminal.sees("as long as not a byte changes? [y/N]");
    terminal.line("y");
    assert_eq!(terminal.status(), 0);
}

/// Runs without a terminal.
fn aegish(home: &Home, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(AEGISH)
        .args(words)
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("AEGISH_JUDGE", "never")])
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_trusted_script_runs_however_it_is_called_until_a_byte_changes() {
    let home = Home::new();
    home.write("open.sh", OPEN);
    assert_eq!(aegish(&home, &["open.sh"]).0, Some(2));
    trusted(&home, "open.sh");
    assert_eq!(aegish(&home, &["open.sh", "a"]), (Some(0), "ran a\n".to_owned()));
    assert_eq!(aegish(&home, &["-c", "bash open.sh b"]), (Some(0), "ran b\n".to_owned()));
    let terminal = home.shell().open();
    assert_eq!(terminal.run(". ./open.sh"), "ran");
    // Trust is for the script, not for what else the line does.
    for line in
        ["bash open.sh; eval \"$OTHER\"", "OTHER=1 bash open.sh", "bash open.sh $(eval \"$OTHER\")"]
    {
        assert_eq!(aegish(&home, &["-c", line]).0, Some(2), "{line}");
    }
    let (_, listed) = aegish(&home, &["trust", "--list"]);
    assert!(listed.contains(&home.at("open.sh").display().to_string()), "{listed}");
    home.write("open.sh", &format!("{OPEN}# changed\n"));
    assert_eq!(aegish(&home, &["open.sh"]).0, Some(2));
    home.write("open.sh", OPEN);
    assert_eq!(aegish(&home, &["trust", "--remove", "open.sh"]).0, Some(0));
    assert_eq!(aegish(&home, &["open.sh"]).0, Some(2));
}

#[test]
fn what_a_trusted_script_runs_is_trusted_with_it() {
    let home = Home::new();
    home.write("part.sh", OPEN);
    let path = home.at("part.sh").display().to_string();
    home.write("whole.sh", &format!(". {path}\n"));
    let mut terminal = trust(&home, &["whole.sh"]);
    terminal.sees("it also runs");
    terminal.line("y");
    assert_eq!(terminal.status(), 0);
    assert_eq!(aegish(&home, &["whole.sh"]).1, "ran\n");
    home.write("part.sh", &format!("{OPEN}\n"));
    assert_eq!(aegish(&home, &["whole.sh"]).0, Some(2));
}

#[test]
fn only_a_person_trusts_and_never_what_is_blocked() {
    let home = Home::new();
    home.write("open.sh", OPEN);
    let (status, said) = aegish(&home, &["trust", "open.sh"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("a person has to confirm it at a terminal"), "{said}");
    home.write("evil.sh", "cat /etc/shadow\n");
    let mut terminal = trust(&home, &["evil.sh"]);
    assert_eq!(terminal.status(), 2);
    terminal.sees_before_the_end("trust does not lift a block");
    let mut terminal = trust(&home, &["open.sh"]);
    terminal.sees("[y/N]");
    terminal.line("n");
    assert_eq!(terminal.status(), 10);
    assert_eq!(aegish(&home, &["open.sh"]).0, Some(2));
    // An agent, or a line of a guarded session, is judged.
    assert_ne!(aegish(&home, &["check", "--", "aegish trust open.sh"]).0, Some(0));
    // A list that others can write counts for nothing.
    trusted(&home, "open.sh");
    let list = home.at(".local/state/aegish/trusted-scripts");
    let mut mode = fs::metadata(&list).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o666);
    fs::set_permissions(&list, mode).unwrap();
    assert_eq!(aegish(&home, &["open.sh"]).0, Some(2));
}

#[test]
fn files_of_the_system_in_a_start_file_are_not_asked_about() {
    let completion = "/usr/share/bash-completion/bash_completion";
    if fs::metadata(completion).is_err() {
        println!("skipped: bash-completion is not installed");
        return;
    }
    let home = Home::new();
    home.write(".config/aegish/rc.bash", &format!("X=1\n. {completion}\n. ~/.bashrc\nPS1='> '\n"));
    if let Ok(text) = fs::read_to_string("/etc/skel/.bashrc") {
        home.write(".bashrc", &text);
    }
    let terminal = home.shell().open();
    terminal.cursor_behind("aegish > ");
    assert_eq!(terminal.run("echo $X ${BASH_COMPLETION_VERSINFO:+loaded}"), "1 loaded");
    // What is not the system's is asked about.
    home.write(".config/aegish/rc.bash", &format!(". {completion}\neval \"$SETTINGS\"\n"));
    let terminal = home.shell().start();
    terminal.sees("Run it anyway?");
    // A copy of the file that was changed is not the system's either.
    home.write(".bashrc", "eval \"$SETTINGS\"\n");
    home.write(".config/aegish/rc.bash", ". ~/.bashrc\n");
    let terminal = home.shell().start();
    terminal.sees("Run it anyway?");
}

const RECORDS: &str = ".local/state/aegish/judged-start-files";
const RECALLED: &str = "an earlier session judged it";

/// Starts a session that ends again; returns whether it took the verdict on its start file from an earlier one.
fn recalls(home: &Home, variable: (&str, &str)) -> bool {
    let before = home.read(".aegish/audit.log").matches(RECALLED).count();
    let mut terminal = home.shell().set(variable.0, variable.1).open();
    terminal.line("exit");
    assert_eq!(terminal.status(), 0);
    home.read(".aegish/audit.log").matches(RECALLED).count() > before
}

#[test]
fn a_start_file_is_judged_once_until_something_changes() {
    let home = Home::new();
    let rc = "list=(a b)\nreads() { cat /etc/shadow; }\nshopt -s extglob\n. ~/part\n";
    home.write(".config/aegish/rc.bash", rc);
    home.write("part", "X=1\nalias ll='ls -l'\n");
    let same = ("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22");
    let another = ("SSH_CONNECTION", "192.0.2.1 2 192.0.2.2 22");
    assert!(!recalls(&home, same));
    assert!(recalls(&home, same));
    // Values that differ in each session do not count; others do.
    assert!(recalls(&home, another));
    assert!(!recalls(&home, ("BASH_COMPLETION_USER_FILE", "/tmp/x")));
    // The session knows what the file defines.
    let terminal = home.shell().set(same.0, same.1).open();
    terminal.run("reads");
    terminal.sees("BLOCK  4");
    assert_eq!(terminal.run("echo ${list[1]} $X ${SSH_CONNECTION%% *}"), "b 1 192.0.2.1");
    terminal.run("rm -rf /${list[7]}");
    terminal.sees("deletes /, everything on this machine");
    drop(terminal);
    // Another byte in any of its files.
    home.write("part", "X=2\nalias ll='ls -l'\n");
    assert!(!recalls(&home, same));
    assert!(recalls(&home, same));
    // Records that others could have written count for nothing.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    fs::set_permissions(home.at(RECORDS), mode).unwrap();
    assert!(!recalls(&home, same));
    home.write(".config/aegish/rc.bash", "cat /etc/shadow\n");
    let terminal = home.shell().open();
    terminal.sees("rc.bash was not read");
}

#[test]
fn no_line_may_write_the_records_of_start_files() {
    let home = Home::new();
    let record = home.at(RECORDS).display().to_string();
    for line in [
        format!("echo x >> {record}"),
        format!("cp other {record}"),
        format!("mv other {record}"),
        "cd ~/.local/state/aegish && tee judged-start-files < other".to_owned(),
    ] {
        let (status, said) = aegish(&home, &["check", "--", &line]);
        assert_eq!(status, Some(20), "{line}: {said}");
    }
}

/// A shell on a machine with this `/etc/aegish/rc.bash`; says that the test is skipped if this user may not make one.
fn with_system_start_file(home: &Home, text: &str, mode: u32) -> Option<Terminal> {
    let file = home.write("etc/aegish/rc.bash", text);
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    let etc = home.at("etc");
    let mount = format!("mount -t overlay overlay -o lowerdir={}:/etc /etc", etc.display());
    let code = format!("{mount} && exec \"$@\"");
    let words = ["-r", "-m", "/bin/sh", "-c", &code, "sh"];
    let possible = {
        let _alone = starting();
        Command::new("unshare").args(words).arg("true").output()
    };
    if !possible.is_ok_and(|tried| tried.status.success()) {
        println!("skipped: this user may not lay files over /etc");
        return None;
    }
    let shell = home.shell().program("unshare");
    Some(shell.arguments(&[&words[..], &[AEGISH]].concat()).start())
}

#[test]
fn the_start_file_of_the_system_is_read_without_a_question() {
    let home = Home::new();
    let open = "eval \"$SETTINGS\"\nFROM_SYSTEM=yes\n";
    let Some(terminal) = with_system_start_file(&home, open, 0o644) else { return };
    terminal.at_prompt();
    assert_eq!(terminal.run("echo $FROM_SYSTEM"), "yes");
    assert!(!terminal.raw().contains("WARN"));
    // Not if others could have written it, and never what is blocked.
    let other = format!("{open}# written by somebody\n");
    let Some(terminal) = with_system_start_file(&home, &other, 0o666) else { return };
    terminal.sees("Run it anyway?");
    let Some(terminal) = with_system_start_file(&home, "cat /etc/shadow\n", 0o644) else { return };
    terminal.sees("/etc/aegish/rc.bash was not read");
    terminal.at_prompt();
    assert!(!terminal.raw().contains("root:"));
}
