//! Completion by the files of the system (bash-completion), in a bash of its own.
//!
//! These files run programs, and look into files of the working directory that decide what runs: `make`'s evaluates the
//! makefile. Nobody judges that. So they run in a process that can change nothing: the caller has to confine it.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use aegish_kernel::Confinement;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, setsid};

use crate::bash::Bash;
use crate::complete::{CompletedCommand, Completions, Names};
use crate::signals;

const CODE: &str = include_str!("system_completion.bash");
/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The search path: directories of the system.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Variables that it gets beside the search path.
const VARIABLES: [&str; 6] = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "USER"];

/// The answer of the system's completion.
#[derive(Debug, PartialEq, Eq)]
pub enum SystemCompletions {
    /// These.
    Found(Completions),
    /// Names that the session's bash has to list.
    InSession(Names),
}

/// Completes a command by the files of the system. Nothing if they do not know it, or take too long.
#[must_use]
pub fn system_completions(
    bash: &Bash,
    command: &CompletedCommand<'_>,
    cwd: &Path,
    confinement: Confinement,
) -> Option<SystemCompletions> {
    let mut child = Command::new(bash.path());
    child
        .arg0("bash")
        .args(["--norc", "--noprofile", "-c", CODE, "bash"])
        .args(command.arguments());
    child.env_clear().env("PATH", PATH).current_dir(cwd);
    child.envs(VARIABLES.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    signals::default_in(&mut child);
    // SAFETY: between fork and exec only a system call is made.
    unsafe { child.pre_exec(|| Ok(setsid().map(drop)?)) };
    signals::confine(&mut child, Arc::new(confinement));
    let mut child = child.spawn().ok()?;
    let mut output = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    let bytes = receive.recv_timeout(TIMEOUT);
    // It leads a session of its own, so this reaches what it started, unless that left the group.
    let _ = killpg(Pid::from_raw(i32::try_from(child.id()).ok()?), Signal::SIGKILL);
    let _ = child.wait();
    answer(&bytes.ok()?)
}

fn answer(bytes: &[u8]) -> Option<SystemCompletions> {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = text.split_terminator('\0').map(str::to_owned);
    let kind = fields.next()?;
    let words: Vec<String> = fields.collect();
    if kind == "session" {
        return Names::of_options(&words).map(SystemCompletions::InSession);
    }
    let found = Completions::new(words, kind == "files");
    (!found.words.is_empty()).then_some(SystemCompletions::Found(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let found = |words: &[&str], files| {
            let words = words.iter().map(|word| (*word).to_owned());
            Some(SystemCompletions::Found(Completions::new(words, files)))
        };
        assert_eq!(answer(b"names\0b\0a\0a\0"), found(&["a", "b"], false));
        assert_eq!(answer(b"files\0x y\0"), found(&["x y"], true));
        assert_eq!(answer(b"names\0\0"), None);
        assert_eq!(answer(b""), None);
    }

    #[test]
    fn only_options_that_list_names_are_handed_to_the_session() {
        let words = ["-v", "-A", "function", "-o", "nospace"].map(str::to_owned);
        let listed = ["-v", "-A", "function"].map(str::to_owned).to_vec();
        assert_eq!(Names::of_options(&words), Some(Names::Listed(listed)));
        for refused in ["-W", "-F", "-C", "x", "-A"] {
            assert_eq!(
                Names::of_options(&[refused.to_owned(), "$(x)".to_owned()]),
                None,
                "{refused}"
            );
        }
    }
}
