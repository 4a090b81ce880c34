//! Programs that start shells work with aegish as they do with bash.

use crate::run::{self, End, Seen, Shell, TestDir};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const AEGISH: &str = env!("CARGO_BIN_EXE_aegish");

/// Whether a program is installed; prints a note if not.
fn missing(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: there is no {program}");
    }
    !found
}

/// A program in the environment of the other tests; `SHELL` in its words is replaced by the path of the
/// shell.
fn under(folder: &TestDir, shell: Shell, program: &str, words: &[&str]) -> Seen {
    let started = shell.command(folder);
    let path = started.get_program().to_string_lossy().into_owned();
    let mut command = Command::new(program);
    command.env_clear().envs(started.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(&folder.0).env("SHELL", &path);
    command.args(words.iter().map(|word| word.replace("SHELL_PATH", &path)));
    run::finish(command, None)
}

/// The result is the same under both shells.
fn alike(folder: &TestDir, program: &str, words: &[&str]) -> Seen {
    let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
        let seen = under(folder, shell, program, words);
        let plain = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            text.replace(AEGISH, "bash").replace("/bin/bash", "bash").into_bytes()
        };
        Seen { stdout: plain(&seen.stdout), stderr: plain(&seen.stderr), end: seen.end }
    });
    assert_eq!(bash, aegish, "{program} {words:?}\n{}\n{}", bash.err(), aegish.err());
    aegish
}

#[test]
fn make_runs_its_recipes() {
    if missing("make") {
        return;
    }
    let folder = TestDir::new();
    folder.file(
        "Makefile",
        "all: one two\none:\n\t@echo $@; x=1; echo $$x\n\t@for i in a b; do \\\n\t  echo $$i; \\\n\tdone\n\
         \ttrue && echo shown\ntwo:\n\techo made > out.txt\n\t@cat out.txt\n\
         fails:\n\t@echo before\n\t@exit 3\n\t@echo never\nignored:\n\t-@false\n\t@echo on\n\
         value:\n\t@echo '$(shell echo sub; pwd | wc -l)'\nkilled:\n\t@kill -TERM $$$$\n\
         missing:\n\t@nosuchcommand\nquotes:\n\t@echo \"it's\" '\"$$HOME\"' \\\\\n",
    );
    folder.file(
        "one.mk",
        ".ONESHELL:\nall:\n\t@x=kept\n\techo $$x\n\tif true; then\n\t  echo inside\n\tfi\n\tfalse\n\techo after\n\texit 5\n",
    );
    folder.file(
        "strict.mk",
        ".SHELLFLAGS := -euo pipefail -c\nall:\n\t@echo $$-; false | true; echo never\n",
    );
    for target in ["all", "fails", "ignored", "value", "missing", "quotes", "killed"] {
        alike(&folder, "make", &["SHELL=SHELL_PATH", target]);
    }
    let seen = alike(&folder, "make", &["SHELL=SHELL_PATH", "-f", "one.mk"]);
    assert!(seen.out().starts_with("kept\ninside\nafter\n"), "{}", seen.out());
    alike(&folder, "make", &["SHELL=SHELL_PATH", "-f", "strict.mk"]);
    folder.file("bad.mk", "all:\n\t@echo first\n\t@cat /etc/shadow\n\t@echo never\n");
    let seen = under(&folder, Shell::Aegish, "make", &["SHELL=SHELL_PATH", "-f", "bad.mk"]);
    assert_eq!((seen.out().as_str(), seen.end), ("first\n", End::Status(2)));
    assert!(seen.err().contains("critical-file-read"), "{}", seen.err());
}

#[test]
fn cron_passes_a_line_and_its_input() {
    let folder = TestDir::new();
    // As cron does: a short environment, the home directory, `SHELL -c LINE`, and the text after `%` as
    // input.
    for line in ["echo \"$HOME\" | wc -l; date +%Y | wc -c", "cat", "cd /nosuch || exit 4", ""] {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
            let program = shell.command(&folder).get_program().to_owned();
            let mut command = Command::new(&program);
            command.env_clear().envs([("HOME", folder.0.as_os_str()), ("SHELL", &program)]);
            command.envs([("LOGNAME", "root"), ("PATH", "/usr/bin:/bin")]);
            command.current_dir(&folder.0).args(["-c", line]);
            let seen = run::finish(command, Some(b"from the table\n"));
            (seen.out(), seen.end)
        });
        assert_eq!(bash, aegish, "{line}");
    }
}

#[test]
fn an_empty_environment_is_enough() {
    let folder = TestDir::new();
    for words in [
        &[
            "-i",
            "SHELL_PATH",
            "-c",
            "echo \"$PATH\"; env | sort; pwd | wc -l; cd 2>&1; ls / | wc -l",
        ][..],
        &["-i", "A=1", "SHELL_PATH", "-c", "echo $A; exit 3"],
        &["-i", "SHELL_PATH", "-c", "echo ~ | wc -l; type -t ls"],
    ] {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
            let seen = under(&folder, shell, "env", words);
            (seen.out().replace("/bin/bash", "bash"), seen.end, seen.err())
        });
        assert_eq!((&bash.0, bash.1), (&aegish.0, aegish.1), "{words:?}: {}", aegish.2);
    }
}

#[test]
fn find_and_xargs_start_it() {
    let folder = TestDir::new();
    for name in ["a.txt", "b c.txt", "d'e.txt"] {
        folder.file(name, "x\n");
    }
    for (program, words) in [
        (
            "find",
            &[".", "-name", "a*", "-exec", "SHELL_PATH", "-c", "echo \"<$0>\" $#", "{}", ";"][..],
        ),
        (
            "find",
            &[
                ".",
                "-name",
                "*.txt",
                "-exec",
                "SHELL_PATH",
                "-c",
                "for f; do echo \"<$f>\"; done | sort",
                "_",
                "{}",
                "+",
            ],
        ),
        (
            "find",
            &[
                ".",
                "-name",
                "a*",
                "-execdir",
                "SHELL_PATH",
                "-c",
                "pwd | wc -l; echo $1",
                "_",
                "{}",
                ";",
            ],
        ),
        ("xargs", &["-a", "a.txt", "-n", "1", "SHELL_PATH", "-c", "echo \"$0 $1\"; exit 1"]),
        ("xargs", &["-a", "a.txt", "SHELL_PATH", "-c", "exit 255"]),
        ("nice", &["SHELL_PATH", "-c", "echo nice; exit 3"]),
        ("nohup", &["SHELL_PATH", "-c", "echo up; exit 3"]),
        ("setsid", &["-w", "SHELL_PATH", "-c", "echo own session; exit 3"]),
        ("time", &["-f", "timed", "SHELL_PATH", "-c", "echo t; exit 3"]),
        ("flock", &["lock", "SHELL_PATH", "-c", "echo locked; exit 3"]),
        ("flock", &["lock", "-c", "echo \"by $0\" | cut -c1-2; exit 3"]),
        ("stdbuf", &["-o0", "SHELL_PATH", "-c", "echo buffered"]),
        ("watch", &["--version"]),
    ] {
        if !missing(program) {
            alike(&folder, program, words);
        }
    }
}

#[test]
fn scripts_may_name_it_as_their_interpreter() {
    let folder = TestDir::new();
    for (name, flags) in [("plain", ""), ("strict", " -e"), ("more", " -eu")] {
        let [bash, aegish] =
            [("/bin/bash", Shell::Bash), (AEGISH, Shell::Aegish)].map(|(path, shell)| {
                let script = folder
                    .file(name, format!("#!{path}{flags}\necho \"$0 $# $*\"; false; echo after\n"));
                fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
                let mut command = Command::new(&script);
                command.env_clear().current_dir(&folder.0).args(["a", "b c"]);
                let variables = shell.command(&folder);
                command.envs(variables.get_envs().filter_map(|(name, value)| Some((name, value?))));
                let seen = run::finish(command, None);
                (seen.out(), seen.err(), seen.end)
            });
        assert_eq!(bash, aegish, "{name}");
    }
}

#[test]
fn languages_start_it() {
    let folder = TestDir::new();
    let python = r#"
import subprocess, sys
shell = sys.argv[1]
def show(*words, **more):
    done = subprocess.run(*words, capture_output=True, **more)
    print(done.returncode, done.stdout, len(done.stderr) > 0)
show("echo $0; echo $((1+1)); exit 3", shell=True, executable=shell)
show([shell, "-c", "cat; exit 4"], input=bytes(range(256)))
show([shell, "-lc", "printf %s \"$1\"", "_", "it's \"quoted\"\n"])
show([shell, "-euo", "pipefail", "-c", "false | true; echo no"])
show([shell], input=b"echo from input\nexit 6\n")
show([shell, "-c", "kill -9 $$"])
child = subprocess.Popen([shell, "-c", "echo up; exec sleep 300"], stdout=subprocess.PIPE)
child.stdout.readline(); child.kill(); print(child.wait(), child.stdout.read())
child = subprocess.Popen([shell, "-c", "trap 'exit 8' TERM; echo up; while :; do sleep 0.01; done"], stdout=subprocess.PIPE, start_new_session=True)
child.stdout.readline(); child.terminate(); print(child.wait())
try:
    subprocess.run([shell, "-c", "while :; do sleep 0.05; done"], timeout=0.3, capture_output=True)
except subprocess.TimeoutExpired:
    print("in time")
"#;
    folder.file("start.py", python);
    if !missing("python3") {
        alike(&folder, "python3", &["start.py", "SHELL_PATH"]);
    }
    let perl = r#"
my $shell = shift;
system($shell, "-c", "echo from perl; exit 3"); print $? >> 8, "\n";
open my $in, "-|", $shell, "-c", "printf 'a\\nb\\n'" or die; print <$in>; close $in; print $?, "\n";
open my $out, "|-", $shell, "-s", "x" or die; print $out "echo got \$1\nexit 5\n"; close $out; print $? >> 8, "\n";
system($shell, "-c", 'kill -TERM $$'); print $? & 127, "\n";
"#;
    folder.file("start.pl", format!("$| = 1;\n{perl}"));
    if !missing("perl") {
        alike(&folder, "perl", &["start.pl", "SHELL_PATH"]);
    }
}

#[test]
fn git_starts_it_for_aliases_and_transport() {
    if missing("git") {
        return;
    }
    let folder = TestDir::new();
    let path = folder.0.join("git-ssh");
    let wrapper = format!("#!{AEGISH}\necho \"asked for $*\" >&2\nexit 9\n");
    fs::write(&path, wrapper).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Shell::Aegish.command(&folder);
    command.args(["-c", "git -c alias.hi='!echo \"hi $1\"' hi there"]);
    let seen = run::finish(command, None);
    assert_eq!(seen.out(), "hi there there\n", "{}", seen.err());
    let started = Shell::Aegish.command(&folder);
    let mut command = Command::new("git");
    command.env_clear().envs(started.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(&folder.0).env("GIT_SSH_COMMAND", format!("{AEGISH} {}", path.display()));
    command.args(["ls-remote", "ssh://nobody@nowhere.invalid/x.git"]);
    let seen = run::finish(command, None);
    assert!(
        seen.err().contains("asked for ") && seen.err().contains("nowhere.invalid"),
        "{}",
        seen.err()
    );
}

#[test]
fn script_records_a_command_of_it() {
    if missing("script") {
        return;
    }
    let folder = TestDir::new();
    let seen = alike(
        &folder,
        "script",
        &["-qec", "tty | wc -l; test -t 0 && echo terminal; exit 6", "typescript"],
    );
    assert_eq!(seen.end, End::Status(6));
    assert!(seen.out().contains("terminal"), "{}", seen.out());
}

#[test]
fn su_starts_aegish_as_a_login_shell() {
    // Needs root, and prints a note if nobody may log in.
    let folder = TestDir::new();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    let shared = std::env::temp_dir().join(format!("aegish-su-{}", std::process::id()));
    fs::copy(AEGISH, &shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).unwrap();
    let asked = |shell: &Path, words: &[&str]| {
        let mut command = Command::new("su");
        command.arg("-s").arg(shell).args(words).stdin(Stdio::null());
        command.env("AEGISH_AUDIT", "off").env("AEGISH_JUDGE", "never");
        run::finish(command, None)
    };
    let text = "id -un; echo \"$1\"; exit 7";
    let words = ["nobody", "-c", text, "name", "argument"];
    let bash = asked(Path::new("/bin/bash"), &words);
    let aegish = asked(&shared, &words);
    let login = asked(&shared, &["-", "nobody", "-c", "echo logged in; exit 8"]);
    let _ = fs::remove_file(&shared);
    if bash.end != End::Status(7) {
        println!("skipped: su does not work here: {}", bash.err());
        return;
    }
    assert_eq!((bash.out(), bash.end), (aegish.out(), aegish.end), "{}", aegish.err());
    assert_eq!(aegish.out(), "nobody\nargument\n");
    // Without a home directory there is no file for the log, which is reported.
    assert!(login.end == End::Status(8) && login.out() == "logged in\n", "{}", login.err());
}

#[test]
fn tmux_has_it_as_its_shell() {
    if Command::new("tmux").arg("-V").output().is_err() {
        println!("skipped: there is no tmux");
        return;
    }
    let folder = TestDir::new();
    let started = Shell::Aegish.command(&folder);
    let socket = std::env::temp_dir().join(format!("aegish-tmux-{}", std::process::id()));
    let tmux = |words: &[&str]| {
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .envs(started.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").env("SHELL", AEGISH).current_dir(&folder.0);
        command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(words);
        run::finish(command, None)
    };
    assert_eq!(tmux(&["new-session", "-d", "-x", "100", "-y", "30"]).end, End::Status(0));
    run::until("a prompt", || tmux(&["capture-pane", "-p"]).out().contains('>'));
    tmux(&["send-keys", "echo \"typed $((6*7))\" | tee typed", "Enter"]);
    run::until("the line ran", || folder.0.join("typed").exists());
    tmux(&["new-window", "echo \"by $0\" > window; exit"]);
    run::until("the window's command ran", || folder.0.join("window").exists());
    // Not waited for: tmux's client hung once here. The file shows that the command ran.
    tmux(&["run-shell", "-b", "echo ran > run"]);
    run::until("the background command ran", || folder.0.join("run").exists());
    tmux(&["kill-server"]);
    let _ = fs::remove_file(&socket);
    run::until("all is written", || fs::read(folder.0.join("window")).unwrap() == b"by bash\n");
    assert_eq!(fs::read(folder.0.join("typed")).unwrap(), b"typed 42\n");
}
