//! aegish as a login shell of a real OpenSSH server.

use crate::run::{self, End, Seen};
use crate::ssh_server::{self, Server};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// Whether a program is installed; prints a note if not.
fn missing(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        println!("skipped: there is no {program}");
    }
    !found
}

fn ok(seen: &Seen) -> String {
    assert_eq!(seen.end, End::Status(0), "{}{}", seen.out(), seen.err());
    seen.out()
}

/// Every byte value, and more data than fits into a pipe.
fn noise() -> Vec<u8> {
    (0..300_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect()
}

#[test]
fn a_command_has_its_status_its_input_and_its_output() {
    let Some(server) = ssh_server::development() else { return };
    let seen = server.ssh("kim", &["echo out; echo err >&2; exit 7"], None);
    assert_eq!(seen.end, End::Status(7));
    assert_eq!((seen.out().as_str(), seen.err().as_str()), ("out\n", "err\n"));
    let bytes = noise();
    let seen = server.ssh("kim", &["cat"], Some(&bytes));
    assert_eq!((seen.end, seen.stdout == bytes), (End::Status(0), true));
    assert_eq!(ok(&server.ssh("kim", &["wc", "-c"], Some(&bytes))).trim(), "300000");
    let seen = server.ssh("kim", &["bash -s a"], Some(b"echo \"ran $0 $1\"\nexit 6\n"));
    assert_eq!((seen.out().as_str(), seen.end), ("ran bash a\n", End::Status(6)), "{}", seen.err());
    let seen = server.ssh("kim", &["bash"], Some(b"echo ran\ncat /etc/shadow\n"));
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)), "{}", seen.err());
    assert_eq!(ok(&server.ssh("kim", &["echo $SHELL; echo $0; pwd"], None)), {
        let (shell, home) = (server.dir.join("bin/aegish"), server.home("kim"));
        format!("{}\nbash\n{}\n", shell.display(), home.display())
    });
    let seen = server.ssh("kim", &["kill -TERM $$"], None);
    assert_eq!(seen.end, End::Status(255), "{}", seen.err());
}

#[test]
fn without_a_command_standard_input_is_the_script() {
    let Some(server) = ssh_server::development() else { return };
    let seen = server.ssh("kim", &["-T"], Some(b"echo \"from input $0\"\nexit 3\n"));
    assert_eq!(
        (seen.out().as_str(), seen.end),
        ("from input bash\n", End::Status(3)),
        "{}",
        seen.err()
    );
}

#[test]
fn blocked_commands_are_refused_with_a_reason() {
    let Some(server) = ssh_server::development() else { return };
    let seen = server.ssh("kim", &["echo ran; cat /etc/shadow"], None);
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)));
    assert!(seen.err().starts_with("BLOCK  4 critical-file-read"), "{}", seen.err());
    let seen = server.ssh("kim", &["echo ran; wget https://nowhere.invalid/a.tgz"], None);
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(2)), "{}", seen.err());
    // Requests of the client itself, not of the person.
    let seen = server.ssh("kim", &["AEGISH_ON_WARN=allow cat /etc/shadow"], None);
    assert_eq!(seen.end, End::Status(1), "{}", seen.err());
}

/// Types lines, each after its expected text was shown. Returns everything that was shown.
fn session(server: &Server, lines: &[(&str, &str)]) -> Seen {
    let mut command = server.client("ssh", "-p");
    command.args(["-tt", "kim@127.0.0.1"]).env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut typed = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let reader = {
        let shown = Arc::clone(&shown);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                shown.lock().unwrap().extend(&buffer[..count]);
            }
        })
    };
    for (awaited, line) in lines {
        let all = || String::from_utf8_lossy(&shown.lock().unwrap()).into_owned();
        run::until(&format!("{awaited:?} is shown"), || all().contains(awaited));
        typed.write_all(format!("{line}\r").as_bytes()).unwrap();
    }
    let end = run::ended(&mut child, "a session");
    reader.join().unwrap();
    let stdout = shown.lock().unwrap().clone();
    Seen { stdout, stderr: Vec::new(), end }
}

#[test]
fn a_user_logs_in_and_works() {
    let Some(server) = ssh_server::development() else { return };
    let seen = session(
        server,
        &[
            ("> ", "x=$((6*7)); echo \"typed $x\"; tty"),
            ("/dev/pts/", "cat /etc/shadow"),
            ("critical-file-read", "echo \"went on: $?\""),
            ("went on: 1", "exit 4"),
        ],
    );
    let out = seen.out();
    assert!(out.contains("typed 42") && !out.contains("root:"), "{out}");
    assert_eq!(seen.end, End::Status(4), "{out}");
    let seen = server.ssh("kim", &["-tt", "tty; stty size; exit 5"], Some(b""));
    assert!(seen.out().contains("/dev/pts/"), "{}", seen.out());
    assert_eq!(seen.end, End::Status(5));
}

#[test]
fn variables_of_the_client_reach_the_command() {
    let Some(server) = ssh_server::development() else { return };
    let mut command = server.client("ssh", "-p");
    command.env("GREETING", "hello from afar").args(["-o", "SendEnv=GREETING", "kim@127.0.0.1"]);
    command.arg("echo \"$GREETING\"; env | grep -c ^SSH_CONNECTION=");
    assert_eq!(ok(&run::finish(command, None)), "hello from afar\n1\n");
}

#[test]
fn a_forced_command_is_the_one_that_runs() {
    let Some(server) = ssh_server::development() else { return };
    let seen = server.ssh("forced", &["cat /etc/hostname"], None);
    assert_eq!(ok(&seen), "forced, asked for <cat /etc/hostname>\n");
}

#[test]
fn files_are_copied_with_scp_both_ways() {
    let Some(server) = ssh_server::development() else { return };
    let bytes = noise();
    for (kind, how) in [("legacy", &["-O"][..]), ("sftp", &["-s"])] {
        let (up, down) = (format!("up {kind}.bin"), server.dir.join(format!("down {kind}.bin")));
        let local = server.dir.join(&up);
        fs::write(&local, &bytes).unwrap();
        let mut command = server.client("scp", "-P");
        let remote = if kind == "legacy" { up.replace(' ', "\\ ") } else { up.clone() };
        command.args(how).arg(&local).arg(format!("kim@127.0.0.1:{remote}"));
        ok(&run::finish(command, None));
        assert!(fs::read(server.home("kim").join(&up)).unwrap() == bytes, "{kind}");
        let mut command = server.client("scp", "-P");
        command.args(how).arg(format!("kim@127.0.0.1:{remote}")).arg(&down);
        ok(&run::finish(command, None));
        assert!(fs::read(&down).unwrap() == bytes, "{kind}");
    }
    let mut command = server.client("scp", "-P");
    command.args(["-O", "kim@127.0.0.1:/etc/shadow"]).arg(server.dir.join("stolen"));
    let seen = run::finish(command, None);
    assert_ne!(seen.end, End::Status(0));
    assert!(seen.err().contains("critical-file-read"), "{}", seen.err());
}

#[test]
fn trees_are_copied_with_scp_in_the_old_way() {
    let Some(server) = ssh_server::development() else { return };
    let tree = server.dir.join("tree");
    fs::create_dir_all(tree.join("deep")).unwrap();
    fs::write(tree.join("deep/leaf"), "leaf\n").unwrap();
    let mut command = server.client("scp", "-P");
    command.args(["-O", "-r", "-p"]).arg(&tree).arg("kim@127.0.0.1:");
    ok(&run::finish(command, None));
    assert_eq!(fs::read(server.home("kim").join("tree/deep/leaf")).unwrap(), b"leaf\n");
}

#[test]
fn sftp_works_through_its_commands() {
    let Some(server) = ssh_server::development() else { return };
    fs::write(server.dir.join("sent"), "sent\n").unwrap();
    let mut command = server.client("sftp", "-P");
    command.args(["-b", "-", "kim@127.0.0.1"]);
    let batch = b"mkdir box\nput sent box/kept\nrename box/kept box/moved\nls -1 box\nget box/moved got\nrm box/moved\nrmdir box\n";
    let seen = run::finish(command, Some(batch));
    assert!(ok(&seen).contains("box/moved"), "{}", seen.out());
    assert_eq!(fs::read(server.dir.join("got")).unwrap(), b"sent\n");
    assert!(!server.home("kim").join("box").exists());
}

#[test]
fn rsync_copies_both_ways() {
    let Some(server) = ssh_server::development() else { return };
    if missing("rsync") {
        return;
    }
    let (from, back) = (server.dir.join("from"), server.dir.join("back"));
    fs::create_dir_all(from.join("sub")).unwrap();
    fs::write(from.join("sub/noise"), noise()).unwrap();
    fs::write(from.join("name with blank"), "x\n").unwrap();
    let rsync = |words: &[&str], places: [String; 2]| {
        let mut command = Command::new("rsync");
        command.arg("-e").arg(server.transport()).args(words).args(places).current_dir(&server.dir);
        run::finish(command, None)
    };
    let remote = "kim@127.0.0.1:kept/".to_owned();
    let local = |path: &Path| format!("{}/", path.display());
    ok(&rsync(&["-a"], [local(&from), remote.clone()]));
    assert!(fs::read(server.home("kim").join("kept/sub/noise")).unwrap() == noise());
    fs::remove_file(from.join("name with blank")).unwrap();
    ok(&rsync(&["-az", "--delete", "--checksum"], [local(&from), remote.clone()]));
    assert!(!server.home("kim").join("kept/name with blank").exists());
    ok(&rsync(&["-av", "--numeric-ids"], [remote, local(&back)]));
    assert!(fs::read(back.join("sub/noise")).unwrap() == noise());
    let seen = rsync(&["-a"], ["kim@127.0.0.1:/etc/shadow".to_owned(), local(&back)]);
    assert_ne!(seen.end, End::Status(0));
    assert!(seen.err().contains("critical-file-read"), "{}", seen.err());
    let seen = rsync(&["-a"], [local(&from), "kim@127.0.0.1:/etc/cron.d/".to_owned()]);
    assert!(seen.err().contains("critical-file-write"), "{}", seen.err());
}

#[test]
fn git_clones_and_pushes() {
    let Some(server) = ssh_server::development() else { return };
    if missing("git") {
        return;
    }
    ok(&server.ssh("kim", &["git init -q --bare -b main project.git"], None));
    let git = |dir: &Path, words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=k", "-c", "user.email=k@example.org", "-C"]).arg(dir);
        command.args(words).env("GIT_SSH_COMMAND", server.transport()).env("HOME", &server.dir);
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        ok(&run::finish(command, None))
    };
    let url = "kim@127.0.0.1:project.git";
    git(&server.dir, &["clone", "-q", url, "work"]);
    let work = server.dir.join("work");
    fs::write(work.join("file"), noise()).unwrap();
    git(&work, &["checkout", "-q", "-B", "main"]);
    git(&work, &["add", "file"]);
    git(&work, &["commit", "-q", "-m", "first"]);
    git(&work, &["push", "-q", "origin", "main"]);
    git(
        &server.dir,
        &[
            "clone",
            "-q",
            &format!("ssh://kim@127.0.0.1{}/project.git", server.home("kim").display()),
            "again",
        ],
    );
    assert!(fs::read(server.dir.join("again/file")).unwrap() == noise());
    git(&work, &["fetch", "-q", "origin"]);
    let listed = git(&work, &["ls-remote", "origin"]);
    assert!(listed.contains("refs/heads/main"), "{listed}");
}

/// Starts a client and waits for the number that its command prints.
fn started(server: &Server, words: &[&str], lines: &[u8]) -> (std::process::Child, u32) {
    let mut command = server.client("ssh", "-p");
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(lines).unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let number = loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "no number came");
        let digits = line.split("is:").nth(1).map(str::trim);
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            break number;
        }
    };
    (child, number)
}

fn gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}/status")).exists()
}

/// The process that started it.
fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn when_the_client_hangs_up_everything_ends() {
    let Some(server) = ssh_server::development() else { return };
    let cases: [(&[&str], &[u8]); 3] = [
        (&["kim@127.0.0.1", "echo is:$$; cat; true"], b""),
        (&["-tt", "kim@127.0.0.1", "echo is:$$; sleep 300; true"], b""),
        (&["-tt", "kim@127.0.0.1"], b"echo is:$$; sleep 300\n"),
    ];
    for (words, lines) in cases {
        let (mut child, bash) = started(server, words, lines);
        let aegish = parent(bash);
        child.kill().unwrap();
        child.wait().unwrap();
        run::until("bash is gone", || gone(bash));
        run::until("aegish is gone", || gone(aegish));
    }
}

#[test]
fn production_works_the_same_and_cannot_be_reconfigured() {
    let Some(server) = ssh_server::production() else { return };
    assert_eq!(ok(&server.ssh("kim", &["echo works; exit 0"], None)), "works\n");
    let bytes = noise();
    assert!(server.ssh("kim", &["cat"], Some(&bytes)).stdout == bytes);
    let seen = server.ssh("kim", &["cat /etc/shadow"], None);
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)));
    assert!(seen.err().contains("critical-file-read"), "{}", seen.err());
    assert!(!ok(&server.ssh("kim", &["env"], None)).contains("AEGISH_"));
    assert_eq!(ok(&server.ssh("forced", &["id"], None)), "forced, asked for <id>\n");
    let local = server.dir.join("up");
    fs::write(&local, &bytes).unwrap();
    for how in ["-O", "-s"] {
        let mut command = server.client("scp", "-P");
        command.arg(how).arg(&local).arg("kim@127.0.0.1:kept");
        ok(&run::finish(command, None));
        assert!(fs::read(server.home("kim").join("kept")).unwrap() == bytes, "{how}");
    }
    let seen = session(server, &[("> ", "echo \"typed $((6*7))\""), ("typed 42", "exit 4")]);
    assert!(seen.out().contains("typed 42") && seen.end == End::Status(4), "{}", seen.out());
    let log = fs::read_to_string(server.dir.join("log/kim.log")).unwrap();
    assert!(log.contains("cat /etc/shadow") && log.contains("\"production\""), "{log}");
}
