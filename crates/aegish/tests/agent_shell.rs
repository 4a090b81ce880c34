//! The shell of coding agents: links to this program under the names of shells, called as the agents call theirs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::Run;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A directory with shims and a project, first in `PATH`.
struct Shims {
    dir: PathBuf,
}

impl Shims {
    fn new(name: &str) -> Self {
        // An agent can be installed anywhere, also where anybody can write.
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-shims-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("bin")).unwrap();
        fs::create_dir_all(dir.join("home/project")).unwrap();
        for shell in ["bash", "sh", "zsh"] {
            symlink(env!("CARGO_BIN_EXE_aegish"), dir.join("bin").join(shell)).unwrap();
        }
        Self { dir }
    }

    fn path(&self) -> String {
        format!("{}:/usr/local/bin:/usr/bin:/bin", self.dir.join("bin").display())
    }

    fn call(&self, shell: &str, arguments: &[&str]) -> Run {
        let mut command = Command::new(self.dir.join("bin").join(shell));
        command.env_clear().env("PATH", self.path()).env("HOME", self.dir.join("home"));
        command.env("AEGISH_AUDIT", "off").env("AEGISH_JUDGE", "never").env("NO_COLOR", "1");
        command.current_dir(self.dir.join("home/project")).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        common::finish(command, b"")
    }
}

impl Drop for Shims {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[test]
fn shims_run_the_real_shell_and_never_themselves() {
    let shims = Shims::new("self");
    for shell in ["bash", "sh", "zsh"] {
        for arguments in [&["-c", "echo ran"][..], &["-lc", "echo ran"], &["-c", "-l", "echo ran"]]
        {
            let run = shims.call(shell, arguments);
            assert_eq!((run.status, run.stdout.as_str()), (0, "ran\n"), "{shell}: {}", run.stderr);
        }
        let run = shims.call(shell, &["-c", "cat /etc/shadow; echo ran"]);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{shell}");
        assert!(run.stderr.contains("critical-file-read"), "{shell}: the model reads the reason");
    }
    let nested =
        shims.call("bash", &["-c", "sh -c 'echo one'; bash -c 'echo two'; echo $BASH_VERSION"]);
    assert!(nested.stdout.starts_with("one\ntwo\n5"), "{} {}", nested.stdout, nested.stderr);
    let version = shims.call("bash", &["--version"]);
    assert!(version.stdout.starts_with("GNU bash"), "{}", version.stdout);
    let posix = shims.call("sh", &["-c", "[[ -o posix ]] && echo posix"]);
    assert_eq!(posix.stdout, "posix\n", "{}", posix.stderr);
}

#[test]
fn a_name_of_a_task_is_a_script_for_a_shim() {
    let shims = Shims::new("task");
    fs::write(shims.dir.join("home/project/check"), "echo a script").unwrap();
    assert_eq!(shims.call("bash", &["check"]).stdout, "a script\n");
}

/// Functions under the names of programs, aliases, options and the search path, as a snapshot holds them.
fn snapshot(shims: &Shims) -> String {
    let file = shims.dir.join("home/.claude/shell-snapshots/snapshot-bash-1-x.sh");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!(
        "# Snapshot file\nunalias -a 2>/dev/null || true\nshopt -s expand_aliases\nalias -- ll='ls -l'\n\
         unalias find 2>/dev/null || true\n\
         function find {{\n  local bin=\"${{AGENT_EXECPATH:-}}\"\n  [[ -x $bin ]] || bin={}/agent\n\
         \x20 if [[ ! -x $bin ]]; then command find ${{1+\"$@\"}}; return; fi\n\
         \x20 (exec -a bfs \"$bin\" -S dfs ${{1+\"$@\"}})\n}}\n\
         cd () {{ builtin cd \"$@\" && true; }}\n\
         export PATH={}\n",
        shims.dir.display(),
        shims.path()
    );
    fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn the_wrapper_of_claude_code_passes_and_what_is_in_it_is_judged() {
    let shims = Shims::new("claude");
    let snapshot = snapshot(&shims);
    let cwd = shims.dir.join("cwd");
    let wrapped = |command: &str| {
        let text = format!(
            "source {snapshot} 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && \
             eval '{}' < /dev/null && pwd -P >| {}",
            command.replace('\'', "'\\''"),
            cwd.display()
        );
        shims.call("bash", &["-c", &text])
    };
    for command in ["echo ran", "find . -name '*.x'; echo ran", "cd . && ll >/dev/null; echo ran"] {
        let run = wrapped(command);
        assert_eq!((run.status, run.stdout.as_str()), (0, "ran\n"), "{command}: {}", run.stderr);
        assert!(cwd.exists(), "{command}");
    }
    for command in ["cat /etc/shadow", "find / -name shadow -exec cat {} +", "find / -delete"] {
        let run = wrapped(command);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{command}: {}", run.stderr);
        assert!(run.stderr.contains("BLOCK"), "{command}: {}", run.stderr);
    }
}

#[test]
fn the_wrapper_of_gemini_cli_passes_and_what_is_in_it_is_judged() {
    let shims = Shims::new("gemini");
    let wrapped = |command: &str| {
        let text = format!(
            "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file={}/bgpids.tmp\n(\n  \
             trap 'jobs -p > \"$_bgpids_file\"' EXIT\n{command}\n)\n__code=$?\nexit $__code",
            shims.dir.display()
        );
        shims.call("bash", &["-c", &text])
    };
    let run = wrapped("echo ran; false");
    assert_eq!((run.status, run.stdout.as_str()), (1, "ran\n"), "{}", run.stderr);
    let run = wrapped("cat /etc/shadow");
    assert!(run.stdout.is_empty() && run.stderr.contains("critical-file-read"), "{}", run.stderr);
}

#[test]
fn functions_that_other_programs_get_are_asked_about() {
    let shims = Shims::new("export");
    for text in [
        "ls() { cat ~/.bashrc; }; export -f ls; make",
        "set -a; ls() { cat ~/.bashrc; }; make",
        "ls() { cat ~/.bashrc; }; set -o allexport; make",
        "ls() { cat ~/.bashrc; }; declare -fx ls; make",
    ] {
        let run = shims.call("bash", &["-c", text]);
        assert_eq!(run.status, 2, "{text}: {}", run.stderr);
        assert!(run.stderr.contains("command-shadowing"), "{text}: {}", run.stderr);
    }
    let run = shims.call("bash", &["-c", "sudo() { echo \"$@\" > ~/seen; }; sudo ls"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let run = shims.call("bash", &["-c", "export PATH=/tmp:$PATH; ls"]);
    assert!(run.status == 1 && run.stderr.contains("path-change"), "{}", run.stderr);
}
