//! A bash that runs programs in its subshells: a fork costs a fraction of a new bash, whose loader asks a virtual
//! machine for the features of its processor again and again.
//!
//! There are two. For one of them, the programs that are recorded are no files on its search path. Bash calls a function
//! for them, which does what the recorder does. A program that needs them as files, or a bash without functions, runs in
//! the other one ([`Kind::of`]).

use crate::run::{BASH, HERE};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Where the text of a program is, and the pipe that is open as long as a process of it lives.
const PROGRAM: &str = "/r/program";
const DONE: &str = "/r/done";

/// Does what the recorder does, without a file.
const FUNCTIONS: &str = r#"
command_not_found_handle() {
  local aegish_name=$1 aegish_file aegish_data= aegish_any=
  case $aegish_name in cat|tee|rm|use) ;; *) return 127 ;; esac
  printf '%s\0' "$#" "$@" >> /r/log || :
  shift
  case $aegish_name in
  cat)
    for aegish_file; do
      case $aegish_file in -*) continue ;; esac
      aegish_any=1 aegish_data=
      { IFS= read -rd '' aegish_data < "$aegish_file"; } 2>/dev/null || :
      printf %s "$aegish_data" || :
    done
    [ "$aegish_any" ] || { IFS= read -rd '' aegish_data || :; printf %s "$aegish_data" || :; } ;;
  tee)
    IFS= read -rd '' aegish_data || :
    for aegish_file; do
      case $aegish_file in -a) aegish_any=1 ;; -*) ;; *)
        if [ "$aegish_any" ]; then printf %s "$aegish_data" >> "$aegish_file"
        else printf %s "$aegish_data" >| "$aegish_file"; fi ;;
      esac
    done
    printf %s "$aegish_data" || : ;;
  esac
  return 0
}
export -f command_not_found_handle
"#;

/// Reads a line for each program. Descriptor 9 is the end of the pipe that all its processes inherit.
const SCRIPT: &str = r#"
while read -r; do
  IFS= read -rd '' aegish_program < /r/program
  ( eval "$aegish_program" ) < /dev/null > /dev/null 2>&1 9> /r/done
done
"#;

/// Words of programs that need the recorder as a file, or would see the function.
const NEEDS_FILES: [&str; 26] = [
    "launch",
    "-exec",
    "exec cat",
    "exec bash",
    "exec -",
    "/bin",
    "xargs",
    "find",
    "parallel",
    "env",
    "timeout",
    "nice",
    "nohup",
    "hash",
    "PATH",
    "BASH_CMDS",
    "-p",
    "PS4",
    "set -x",
    "not_found",
    "chmod",
    "BASH_ENV",
    "rcfile",
    "/proc",
    "install",
    "compgen",
];

/// How the programs of a server are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By a function.
    Functions,
    /// By files on the search path.
    Files,
}

impl Kind {
    /// What this program needs.
    pub(crate) fn of(text: &str) -> Self {
        let files = NEEDS_FILES.iter().any(|word| text.contains(word));
        if files { Self::Files } else { Self::Functions }
    }

    fn script(self) -> String {
        match self {
            Self::Functions => format!("{FUNCTIONS}{SCRIPT}"),
            Self::Files => SCRIPT.to_owned(),
        }
    }

    fn search_path(self) -> &'static str {
        match self {
            Self::Functions => "/programs",
            Self::Files => "/bin",
        }
    }
}

/// The running bash.
pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
}

impl Server {
    pub(crate) fn start(kind: Kind) -> io::Result<Self> {
        if !fs::exists(DONE)? {
            let made = rustix::fs::mkfifoat(rustix::fs::CWD, DONE, 0o600.into());
            made.map_err(io::Error::from)?;
        }
        let mut child = Command::new(BASH)
            .args(["-c", &kind.script()])
            .current_dir(HERE)
            .env_clear()
            .env("PATH", kind.search_path())
            .env("HOME", "/root")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, stdin })
    }

    /// The process group of the server and its programs.
    pub(crate) fn group(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Runs a program until its last process has ended.
    pub(crate) fn run(&mut self, text: &str) -> io::Result<()> {
        fs::write(PROGRAM, text)?;
        self.stdin.write_all(b"\n")?;
        // Opening waits for the first writer, reading for the end of the last one.
        let mut rest = Vec::new();
        File::open(DONE)?.read_to_end(&mut rest)?;
        Ok(())
    }

    /// Ends the server after a program that took too long.
    pub(crate) fn end(mut self) -> io::Result<()> {
        if let Some(group) = self.group() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.child.wait()?;
        // Its programs end a little later.
        thread::sleep(Duration::from_millis(200));
        Ok(())
    }
}
