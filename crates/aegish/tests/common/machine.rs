//! A machine with its own `/etc`.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout)] // not every test needs all of it

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// A machine with another `/etc`, if this one allows it: a namespace with root's rights.
pub(crate) fn elsewhere(name: &str, script: &str) -> Option<String> {
    let dir = std::env::temp_dir().join(format!("aegish-machine-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("bin")).unwrap();
    for part in [&dir, &dir.join("bin")] {
        fs::set_permissions(part, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::copy(env!("CARGO_BIN_EXE_aegish"), dir.join("bin/aegish")).unwrap();
    let ground = "set -e\nmount --make-rprivate /\ncp -a /etc \"$1/etc\"\nrm -rf \"$1/etc/aegish\"\n\
                  mount --bind \"$1/etc\" /etc\nmount --bind \"$1/bin\" /usr/local/bin\n\
                  useradd -M -d / -s /bin/sh kim\n\
                  as_kim() { setpriv --reuid kim --regid kim --init-groups env -i PATH=\"$PATH\" HOME=/ \"$@\"; }\n\
                  cd /\necho ready\nset +e\n";
    let mut command = Command::new("unshare");
    command.args(["-m", "bash", "-c"]).arg(format!("{ground}{script}")).arg("machine").arg(&dir);
    command.env("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/root");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AEGISH_") {
            command.env_remove(name);
        }
    }
    let output = command.stdin(Stdio::null()).output().ok()?;
    let _ = fs::remove_dir_all(&dir);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    match text.strip_prefix("ready\n") {
        Some(text) => Some(text.to_owned() + &errors),
        None => {
            println!("skipped: no machine of our own: {errors}");
            None
        }
    }
}
