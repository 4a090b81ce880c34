//! Signals from outside: starting, stopping and ending a shell works as with bash.

use crate::run::{self, End, Shell, TestDir};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A shell that runs a text in its own process group, and has reported that it is ready.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    /// The number that it printed.
    bash: i32,
    _folder: TestDir,
}

impl Running {
    fn start(shell: Shell, text: &str) -> Self {
        let folder = TestDir::new();
        let mut command = shell.command(&folder);
        command.arg("-c").arg(text).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let bash = line.trim().parse().expect("a number");
        Self { child, output, bash, _folder: folder }
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Its remaining output, and its exit status.
    fn finish(mut self) -> (String, End) {
        let end = run::ended(&mut self.child, "a shell that was told to end");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, end)
    }
}

fn kill(signal: &str, target: &str) {
    let done = Command::new("kill").args(["-s", signal, "--", target]).status().unwrap();
    assert!(done.success(), "kill -s {signal} {target}");
}

fn alive(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

#[test]
fn a_signal_to_the_shell_reaches_bash() {
    for signal in ["TERM", "HUP", "INT", "USR1", "USR2", "ALRM", "QUIT"] {
        let text =
            format!("trap 'echo caught; exit 9' {signal}; echo $$; while :; do sleep 0.01; done");
        for shell in [Shell::Bash, Shell::Aegish] {
            let running = Running::start(shell, &text);
            kill(signal, &running.pid().to_string());
            assert_eq!(running.finish(), ("caught\n".to_owned(), End::Status(9)), "{signal}");
        }
    }
}

#[test]
fn a_signal_without_a_trap_ends_it_by_that_signal() {
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("USR1", 10), ("ALRM", 14), ("KILL", 9)] {
        for shell in [Shell::Bash, Shell::Aegish] {
            let running = Running::start(shell, "echo $$; while :; do :; done");
            let bash = running.bash;
            kill(signal, &running.pid().to_string());
            assert_eq!(running.finish().1, End::Signal(number), "{shell:?} {signal}");
            run::until("bash is gone", || !alive(bash));
        }
    }
}

#[test]
fn a_signal_to_the_whole_group_ends_all_of_it() {
    for shell in [Shell::Bash, Shell::Aegish] {
        let running = Running::start(shell, "echo $$; sleep 300; echo never");
        kill("TERM", &format!("-{}", running.pid()));
        assert_eq!(running.finish(), (String::new(), End::Signal(15)), "{shell:?}");
    }
}

#[test]
fn a_script_that_signals_its_own_group_hears_it_once() {
    let text = "n=0; trap 'n=$((n+1))' TERM; echo $$; kill -TERM 0; for i in {1..50}; do sleep 0.01; done; echo $n";
    for shell in [Shell::Bash, Shell::Aegish] {
        let running = Running::start(shell, text);
        assert_eq!(running.finish(), ("1\n".to_owned(), End::Status(0)), "{shell:?}");
    }
    // The usual way to end a whole group. Until it becomes `sleep`, the other process has the trap too.
    let text = "trap 'trap \"\" TERM; kill 0; echo cleaned' EXIT; sleep 300 & \
                until [ \"$(cat /proc/$!/comm)\" = sleep ]; do :; done; echo $$; exit 3";
    for shell in [Shell::Bash, Shell::Aegish] {
        let running = Running::start(shell, text);
        assert_eq!(running.finish(), ("cleaned\n".to_owned(), End::Status(3)), "{shell:?}");
    }
}

#[test]
fn time_limits_are_kept() {
    let folder = TestDir::new();
    // `timeout` signals the process and then its group, so bash receives the signal twice. Both are one if bash has
    // not run its trap in between, which on a busy machine it may have. So the trap ignores a second signal.
    let text = "trap 'trap \"\" TERM; echo term; exit 7' TERM; while :; do sleep 0.01; done";
    // Long enough for both shells to have set the trap, on a busy machine too.
    for words in [&["2"][..], &["-s", "KILL", "1"], &["--foreground", "2"], &["-k", "9", "2"]] {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
            let started = shell.command(&folder);
            let mut command = Command::new("timeout");
            command.args(words).arg(started.get_program());
            command.args(["-c", text]);
            command.envs(started.get_envs().filter_map(|(name, value)| Some((name, value?))));
            let seen = run::finish(command, None);
            (seen.out(), seen.end)
        });
        assert_eq!(bash, aegish, "{words:?}");
    }
}

#[test]
fn ignored_signals_stay_ignored() {
    let folder = TestDir::new();
    let text = "kill -HUP $$; kill -INT $$; kill -PIPE $$; echo lives; trap; \
                yes 2>/dev/null | head -1; echo ${PIPESTATUS[@]}; grep SigIgn /proc/self/status";
    let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
        let program = shell.command(&folder).get_program().to_owned();
        let mut command = Shell::Bash.command(&folder);
        command.args(["-c", "trap '' HUP INT PIPE; \"$0\" -c \"$1\""]).arg(program).arg(text);
        run::finish(command, None).out()
    });
    assert_eq!(bash, aegish);
    assert!(bash.starts_with("lives\n"), "{bash}");
}

#[test]
fn a_killed_command_leaves_one_core_at_most() {
    let folder = TestDir::new();
    let mut command = Shell::Aegish.command(&folder);
    command.args(["-c", "ulimit -c unlimited; kill -SEGV $$"]);
    assert_eq!(run::finish(command, None).end, End::Signal(11));
    let cores = fs::read_dir(&folder.0).unwrap();
    let cores = cores
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("core"));
    assert!(cores.count() <= 1);
}

#[test]
fn open_files_are_handed_on_and_none_is_added() {
    let folder = TestDir::new();
    let kept = folder.file("kept", "through three\n");
    let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
        let program = shell.command(&folder).get_program().to_owned();
        let mut command = Shell::Bash.command(&folder);
        command.args(["-c", "\"$0\" -c 'cat <&3; ls /proc/$$/fd' 3< \"$1\""]);
        command.arg(program).arg(&kept);
        run::finish(command, None).out()
    });
    assert!(bash.starts_with("through three\n"), "{bash}");
    assert_eq!(bash, aegish);
}

#[test]
fn there_is_nothing_between_the_shell_and_bash() {
    let running = Running::start(Shell::Aegish, "echo $$; while :; do sleep 0.01; done");
    let children = format!("/proc/{0}/task/{0}/children", running.pid());
    if Path::new(&children).exists() {
        let children = fs::read_to_string(children).unwrap();
        assert_eq!(children.trim(), running.bash.to_string());
    }
    kill("TERM", &running.pid().to_string());
    assert_eq!(running.finish().1, End::Signal(15));
}
