//! Calls as other programs make them: bash's options, names of scripts, what is in the environment.

use crate::run::{self, End, Seen, Shell, TestDir};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn call(shell: Shell, folder: &TestDir, words: &[&str], input: Option<&[u8]>) -> Seen {
    let mut command = shell.command(folder);
    command.args(words);
    run::finish(command, input)
}

/// Process group numbers differ from run to run.
fn plain(seen: &Seen) -> (String, String, End) {
    let err: String = seen.err().chars().filter(|c| !c.is_ascii_digit()).collect();
    (seen.out(), err, seen.end)
}

#[test]
fn options_have_the_same_meaning_as_in_bash() {
    let folder = TestDir::new();
    folder.file("script.sh", "echo \"$0 $# $*\"; false; echo after; echo $x\n");
    folder.file("a.txt", "");
    let calls: &[&[&str]] = &[
        &["-lc", "echo $0 $-"],
        &["-ec", "false; echo no"],
        &["-euo", "pipefail", "-c", "false | true; echo no"],
        &["-o", "pipefail", "-c", "false | true; echo $?"],
        &["-o", "pipefail", "-eu", "-c", "echo $-; echo $none"],
        &["-ceuo", "pipefail", "echo $-", "name"],
        &["--norc", "-c", "echo a"],
        &["--noprofile", "--norc", "-c", "echo a"],
        &["--login", "-c", "echo $-"],
        &["-x", "-c", "echo a"],
        &["-xc", "echo \"a b\""],
        &["-vc", "echo a"],
        &["--verbose", "-c", "echo a"],
        &["+e", "-c", "false; echo on"],
        &["-e", "+e", "-c", "false; echo on"],
        &["-nc", "echo never"],
        &["-c", "-e", "false; echo no"],
        &["-c", "--", "echo a"],
        &["-c", "-", "echo a"],
        &["-c", "echo $0 $*", "zero", "-e", "--"],
        &["-c", ""],
        &["-uc", "echo $nosuch"],
        &["-fc", "echo *"],
        &["+B", "-c", "echo {a,b}"],
        &["-Cc", "echo > a.txt; echo $?"],
        &["-ac", "v=1; bash -c 'echo $v'"],
        &["-O", "extglob", "-c", "echo !(*.sh)"],
        &["+O", "extglob", "-O", "nullglob", "-c", "echo no*; shopt extglob"],
        &["-O", "expand_aliases", "-c", "alias hi='echo hi'\nhi"],
        &["--posix", "-c", "shopt -o posix"],
        &["-o", "posix", "-c", "echo $POSIXLY_CORRECT"],
        &["-r", "-c", "cd /; echo $?"],
        &["--restricted", "-c", "cd /; echo $?"],
        &["-p", "-c", "echo $-"],
        &["-m", "-c", "true & wait; echo $-"],
        &["-hbT", "+E", "-c", "echo $-"],
        &["-tc", "echo a"],
        &["-D", "-c", "echo $\"text\""],
        &["--rcfile", "nosuch", "-c", "echo a"],
        &["--init-file", "nosuch", "-c", "echo a"],
        &["--noediting", "-c", "echo a"],
        &["-ic", "echo $-; alias hi='echo hi'\nhi"],
        &["-i", "-l", "-c", "env | grep -c ^HOME="],
        &["script.sh", "a", "-x"],
        &["./script.sh"],
        &["-e", "script.sh", "b"],
        &["-eu", "--", "script.sh", "c"],
        &["-", "script.sh", "d"],
        &["-u", "script.sh"],
        &["-o", "errexit", "script.sh"],
    ];
    for words in calls {
        let [bash, aegish] =
            [Shell::Bash, Shell::Aegish].map(|shell| plain(&call(shell, &folder, words, None)));
        assert_eq!(bash, aegish, "{words:?}");
    }
    let input = b"echo \"$- $0 $# $*\"; false; echo after; read x; echo \"<$x>\"\nthis line\n";
    let calls: &[&[&str]] = &[
        &[],
        &["-s"],
        &["-s", "a", "b"],
        &["-es"],
        &["-se", "--", "-x"],
        &["-e"],
        &["-l"],
        &["-"],
    ];
    for words in calls {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish]
            .map(|shell| plain(&call(shell, &folder, words, Some(input))));
        assert_eq!(bash, aegish, "{words:?}");
    }
}

#[test]
fn a_session_has_the_options_of_its_call() {
    let folder = TestDir::new();
    let lines = b"shopt -po pipefail errexit\nshopt -p extglob\nfalse\necho never\n";
    let words = ["-i", "-eo", "pipefail", "-O", "extglob"];
    let seen = call(Shell::Aegish, &folder, &words, Some(lines));
    assert!(seen.out().contains("set -o pipefail\nset -o errexit\n"), "{}", seen.out());
    assert!(seen.out().contains("shopt -s extglob\n"), "{}", seen.out());
    assert_eq!((seen.out().contains("never"), seen.end), (false, End::Status(1)), "{}", seen.err());
    let seen = call(Shell::Aegish, &folder, &["-ir"], Some(b"echo ran\n"));
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(2)), "{}", seen.err());
}

#[test]
fn a_text_that_only_starts_bash_has_its_input_judged() {
    let folder = TestDir::new();
    let input = b"echo \"$- $0 $# $*\"; false; read x; echo \"<$x>\"\nthis line\nexit 7\n";
    for text in ["bash", "bash -s", "bash -s a b", "/bin/bash -es", "bash -l", " bash -s -- -x "] {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
            let mut command = shell.command(&folder);
            command.env_remove("AEGISH_ON_WARN").args(["-c", text]);
            let seen = run::finish(command, Some(input));
            (seen.out().replace("/bin/bash", "bash"), seen.err(), seen.end)
        });
        assert_eq!(bash, aegish, "{text}");
    }
    let seen = call(Shell::Aegish, &folder, &["-c", "bash"], Some(b"echo ran\ncat /etc/shadow\n"));
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)));
}

#[test]
fn an_unknown_option_runs_nothing() {
    let folder = TestDir::new();
    let calls: &[&[&str]] = &[
        &["-z", "-c", "echo ran"],
        &["--no-such", "-c", "echo ran"],
        &["-o", "nosuch", "-c", "echo ran"],
        &["-O", "nosuch", "-c", "echo ran"],
        &["-c"],
    ];
    for words in calls {
        for shell in [Shell::Bash, Shell::Aegish] {
            let seen = call(shell, &folder, words, None);
            assert_eq!(
                (seen.out().as_str(), seen.end),
                ("", End::Status(2)),
                "{shell:?} {words:?}"
            );
            assert!(!seen.stderr.is_empty());
        }
    }
    // Judged as if the text began by setting it.
    let text = "echo /etc/shadow | read f; cat $f";
    let seen = call(Shell::Aegish, &folder, &["-O", "lastpipe", "-c", text], None);
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)), "{}", seen.err());
    assert!(seen.err().contains("with the options of the call it is judged worse"));
    let mut command = Shell::Aegish.command(&folder);
    command.env("BASHOPTS", "lastpipe").args(["-c", "echo set | read f; echo \"<$f>\""]);
    assert_eq!(run::finish(command, None).out(), "<>\n");
    // Options of bash that would change the meaning of the judged words.
    for words in [
        &["-k", "-c", "echo ran"][..],
        &["-H", "-c", "echo ran"],
        &["-o", "history", "-c", "echo ran"],
        &["-O", "extdebug", "-c", "echo ran"],
        &["--debugger", "-c", "echo ran"],
    ] {
        let seen = call(Shell::Aegish, &folder, words, None);
        assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(2)), "{words:?}");
        assert!(seen.err().contains("nothing was run"), "{}", seen.err());
    }
}

#[test]
fn scripts_are_found_and_missed_as_bash_does() {
    let folder = TestDir::new();
    fs::create_dir(folder.0.join("bin")).unwrap();
    folder.file("bin/tool", "echo \"$0 ${BASH_SOURCE[0]} $*\"\n");
    folder.file("program", b"\x7fELF\0\0\0");
    folder.file("late", b"echo a\n");
    fs::create_dir(folder.0.join("dir")).unwrap();
    let path = format!("{}/bin:/usr/bin:/bin", folder.0.display());
    let cases = [
        ("tool", End::Status(0), ""),
        ("nosuch", End::Status(127), "nosuch: No such file or directory\n"),
        ("./nosuch", End::Status(127), "./nosuch: No such file or directory\n"),
        ("dir", End::Status(126), "dir: Is a directory\n"),
        ("program", End::Status(126), "program: cannot execute binary file\n"),
        ("late/x", End::Status(126), "late/x: Not a directory\n"),
        ("/dev/null", End::Status(0), ""),
    ];
    for (name, end, words) in cases {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish].map(|shell| {
            let mut command = shell.command(&folder);
            command.env("PATH", &path).args([name, "a"]);
            run::finish(command, None)
        });
        assert_eq!((bash.out(), bash.end), (aegish.out(), aegish.end), "{name}");
        assert_eq!(aegish.end, end, "{name}");
        assert!(aegish.err().ends_with(words) && bash.err().ends_with(words), "{name}");
    }
}

#[test]
fn a_script_out_of_a_descriptor_is_judged_and_run() {
    let folder = TestDir::new();
    let aegish = env!("CARGO_BIN_EXE_aegish");
    let outer = |shell: &str, text: &str| {
        let mut command = Shell::Bash.command(&folder);
        command.arg("-c").arg(text.replace("SHELL", shell));
        run::finish(command, Some(b"echo \"in $0 $1\"\nexit 3\n"))
    };
    for text in [
        "SHELL <(echo 'echo \"$1\"; exit 4') a",
        "SHELL /dev/stdin a",
        "SHELL /dev/fd/3 3< <(echo 'echo three')",
        "SHELL /proc/self/fd/0",
    ] {
        let (bash, aegish) = (outer("bash", text), outer(aegish, text));
        assert_eq!((bash.out(), bash.end), (aegish.out(), aegish.end), "{text}: {}", aegish.err());
    }
    // Bash reads the rest of the script as input; here the input has ended.
    let seen = outer(aegish, "SHELL /dev/stdin <<< 'read x; echo \"$? <$x>\"'");
    assert_eq!(seen.out(), "1 <>\n", "{}", seen.err());
    let blocked = outer(aegish, "SHELL <(echo 'echo ran; cat /etc/shadow')");
    assert_eq!((blocked.out().as_str(), blocked.end), ("", End::Status(1)), "{}", blocked.err());
    let named = outer(aegish, "mkfifo p; SHELL p");
    assert_eq!((named.out().as_str(), named.end), ("", End::Status(126)), "{}", named.err());
}

#[test]
fn a_script_on_standard_input_cannot_be_written_to() {
    let folder = TestDir::new();
    let text = b"echo 'echo smuggled' >> /proc/$$/fd/0; echo end\n";
    let seen = call(Shell::Aegish, &folder, &["-s"], Some(text));
    assert_eq!(seen.out(), "end\n", "{}", seen.err());
}

#[test]
fn exported_functions_are_judged_with_the_text_that_could_call_them() {
    let folder = TestDir::new();
    let with = |shell: Shell, name: &str, body: &str, text: &str| {
        let mut command = shell.command(&folder);
        command.env(format!("BASH_FUNC_{name}%%"), format!("() {{  {body}\n}}"));
        command.args(["-c", text]);
        run::finish(command, None)
    };
    for text in ["greet a", "declare -F", "bash -c 'greet b'", "unset -f greet; greet", "true"] {
        let [bash, aegish] = [Shell::Bash, Shell::Aegish]
            .map(|shell| with(shell, "greet", "echo \"hello $1\"", text));
        assert_eq!(bash, aegish, "{text}");
    }
    // A function that would change the verdict is not passed on, and the text is run without it.
    folder.file("child.sh", "#!/bin/bash\nhostname\n");
    for text in ["hostname", "bash -c hostname", "bash child.sh", "(hostname)", "eval hostname"] {
        let text = format!("{text}; echo $?");
        let seen = with(Shell::Aegish, "hostname", "cat /etc/shadow; echo ran", &text);
        assert!(
            !seen.out().contains("ran") && seen.out().ends_with("0\n"),
            "{text}: {}",
            seen.out()
        );
        assert!(seen.err().contains("functions of the environment are left out"), "{text}");
    }
    // A function that is never called is harmless.
    let seen = with(Shell::Aegish, "other", "cat /etc/shadow", "echo fine");
    assert_eq!((seen.out().as_str(), seen.err().as_str()), ("fine\n", ""));
    let mut command = Shell::Aegish.command(&folder);
    command.env("BASH_FUNC_hi%%", "() { :\n}; echo smuggled").args(["-c", "echo text"]);
    assert_eq!(run::finish(command, None).out(), "text\n");
}

#[test]
fn variables_that_are_code_do_nothing_and_the_others_pass() {
    let folder = TestDir::new();
    let evil = folder.file("evil.sh", "echo smuggled\n");
    let with = |shell: Shell, name: &str, value: &str, text: &str| {
        let mut command = shell.command(&folder);
        command.env(name, value).args(["-c", text]);
        run::finish(command, None)
    };
    let evil = evil.to_string_lossy();
    for (name, value) in [
        ("BASH_ENV", evil.as_ref()),
        ("ENV", evil.as_ref()),
        ("PROMPT_COMMAND", "echo smuggled"),
        ("PS0", "$(echo smuggled)"),
        ("PS1", "$(echo smuggled)"),
        ("PS4", "$(echo smuggled >&2)"),
        ("BASH_LOADABLES_PATH", "/tmp"),
        ("CDPATH", "/"),
    ] {
        let text = format!("set -x; echo text; echo \"<${{{name}-}}>\"; cd etc; bash -ic true");
        let seen = with(Shell::Aegish, name, value, &text);
        assert!(!(seen.out() + &seen.err()).contains("smuggled\n"), "{name}: {}", seen.out());
        assert!(seen.out().starts_with("text\n<"), "{name}");
        assert!(!seen.out().contains("/etc"), "{name}: {}", seen.out());
    }
    for (name, value) in [
        ("SHELLOPTS", "errexit:nounset"),
        ("SHELLOPTS", "xtrace"),
        ("BASHOPTS", "nullglob:extglob"),
        ("TMOUT", "7"),
        ("FUNCNEST", "3"),
        ("GLOBIGNORE", "*.sh"),
        ("HISTFILE", "/dev/null"),
        ("LC_ALL", "C"),
        ("BASH_COMPAT", "5.0"),
        ("EXECIGNORE", "/x/*"),
        ("LINES", "3"),
        ("MAIL", "/nowhere"),
    ] {
        let text = "echo no*; echo *; f() { [ $1 ] && f; }; f 1; x=$(env); sort <<< \"$x\"; false; echo \"on $x\"";
        let [bash, aegish] =
            [Shell::Bash, Shell::Aegish].map(|shell| with(shell, name, value, text));
        assert_eq!(bash, aegish, "{name}={value}");
    }
}

#[test]
fn a_script_that_cannot_be_read_is_not_run() {
    let folder = TestDir::new();
    let file = folder.file("closed.sh", "echo ran\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let [bash, aegish] =
        [Shell::Bash, Shell::Aegish].map(|shell| call(shell, &folder, &["closed.sh"], None));
    // Root reads everything.
    assert_eq!((bash.out(), bash.end), (aegish.out(), aegish.end));
}
