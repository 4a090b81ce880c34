//! File names of Tramp: `/method:user@host:name`, with a bar between several hops.

use crate::effect::CodeEffect;
use aegish_code_interpreter::Interpreter;
use aegish_values::Value;
use easy_ext::ext;

/// How another user of this machine is reached.
const USERS: &[&str] = &["doas", "ksu", "su", "sudo", "sudoedit"];

/// How another machine is reached.
const HOSTS: &[&str] = &[
    "dav", "davs", "ftp", "ftps", "nc", "plink", "pscp", "psftp", "rclone", "rcp", "rsh", "rsync",
    "scp", "scpx", "sftp", "smb", "ssh", "sshx", "sshfs", "telnet",
];

#[ext(LispRemote)]
pub(super) impl Interpreter<'_> {
    /// The file that a name of another user stands for. One of another machine keeps its name.
    fn lisp_remote(&mut self, path: Value) -> Value {
        let prefix = path.known_prefix();
        let Some((hops, length)) = hops(prefix) else { return path };
        let mut effects = Vec::new();
        let mut elsewhere = false;
        for (method, user, host) in hops {
            if HOSTS.contains(&method) {
                let (host, port) = host.split_once('#').unwrap_or((host, ""));
                let (host, port) = (Value::known(host), Value::known(port));
                effects.push(CodeEffect::Connect { host, port });
                elsewhere = true;
            } else {
                let user = if user.is_empty() { "root" } else { user };
                effects.push(CodeEffect::SetUser(Value::known(user)));
            }
        }
        for effect in effects {
            if !self.effects.contains(&effect) {
                self.record(effect);
            }
        }
        if elsewhere { path } else { path.tail(length) }
    }
}

/// A method, a user and a host.
type Hop<'a> = (&'a str, &'a str, &'a str);

/// The hops of a name, and their length.
fn hops(name: &str) -> Option<(Vec<Hop<'_>>, usize)> {
    let mut hops = Vec::new();
    let mut rest = name.strip_prefix('/')?;
    loop {
        let (method, behind) = rest.split_once(':')?;
        if !USERS.contains(&method) && !HOSTS.contains(&method) {
            return None;
        }
        let end = behind.find([':', '|', '/'])?;
        let (at, behind) = behind.split_at_checked(end)?;
        let (user, host) = at.split_once('@').unwrap_or(("", at));
        hops.push((method, user, host));
        match behind.strip_prefix(':') {
            Some(file) => return Some((hops, name.len() - file.len())),
            None => rest = behind.strip_prefix('|')?,
        }
    }
}
