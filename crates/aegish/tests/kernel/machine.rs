//! A machine of our own: the system read-only, a home directory in a temporary one, programs compiled for the test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Who runs the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Account {
    Root,
    /// Without any rights beyond its own files.
    Ordinary,
}

/// Whether programs can make user namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespaces {
    Allowed,
    Forbidden,
}

pub(crate) struct Machine {
    dir: PathBuf,
    account: Account,
    /// Run by root before the command, in the project.
    services: &'static str,
    namespaces: Namespaces,
}

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The home directory as the machine has it.
pub(crate) const HOME: &str = "/mnt/home";
/// The number of the ordinary account.
const NOBODY: u32 = 65534;

impl Machine {
    /// None, said aloud, if this machine does not let us make one.
    pub(crate) fn new(name: &str, account: Account) -> Option<Self> {
        let dir = Path::new("/tmp").join(format!("aegish-kernel-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        for part in ["", "home", "home/project", "bin"] {
            fs::create_dir_all(dir.join(part)).unwrap();
            fs::set_permissions(dir.join(part), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let (binary, place) = (env!("CARGO_BIN_EXE_aegish"), dir.join("bin/aegish"));
        fs::hard_link(binary, &place).or_else(|_| fs::copy(binary, &place).map(drop)).unwrap();
        let machine = Self { dir, account, services: "", namespaces: Namespaces::Allowed };
        let tried = machine.plainly("true");
        if tried.status != 0 {
            println!("skipped: no machine of our own: {}", tried.err);
            return None;
        }
        Some(machine)
    }

    /// The same, where these commands are run first by root and outside the session.
    pub(crate) fn with_services(mut self, services: &'static str) -> Self {
        self.services = services;
        self
    }

    /// The same, with or without user namespaces. None, said aloud, if that cannot be had.
    pub(crate) fn with_namespaces(mut self, namespaces: Namespaces) -> Option<Self> {
        self.namespaces = namespaces;
        let tried = self.plainly("unshare -U true");
        match (namespaces, tried.status) {
            (Namespaces::Allowed, 0) => Some(self),
            (Namespaces::Forbidden, status) if status != 0 => Some(self),
            _ => {
                println!("skipped: no machine with user namespaces {namespaces:?}: {}", tried.err);
                None
            }
        }
    }

    /// A link to the shell under the name of another one.
    pub(crate) fn shim(&self, name: &str) {
        let dir = self.dir.join("shims");
        fs::create_dir_all(&dir).unwrap();
        std::os::unix::fs::symlink("/mnt/bin/aegish", dir.join(name)).unwrap();
    }

    /// Runs a command by such a link.
    pub(crate) fn called_as(&self, name: &str, settings: &[(&str, &str)], text: &str) -> Ran {
        let mut words: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.extend([&format!("/mnt/shims/{name}"), "-c", text].map(str::to_owned));
        self.run(&words)
    }

    fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// A file below the home directory.
    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Compiles a program into the project. None, said aloud, without a compiler.
    pub(crate) fn program(&self, name: &str, code: &str) -> Option<()> {
        self.compile(name, code, &["-pthread"])
    }

    /// Compiles a library likewise.
    pub(crate) fn library(&self, name: &str, code: &str) -> Option<()> {
        self.compile(name, code, &["-shared", "-fPIC"])
    }

    fn compile(&self, name: &str, code: &str, options: &[&str]) -> Option<()> {
        let source = self.dir.join(format!("{name}.c"));
        fs::write(&source, code).unwrap();
        let program = self.home().join("project").join(name);
        let made = Command::new("cc").args(options).arg("-o").arg(program).arg(source).output();
        match made {
            Ok(made) if made.status.success() => Some(()),
            Ok(made) => panic!("{}", String::from_utf8_lossy(&made.stderr)),
            Err(error) => {
                println!("skipped: no C compiler: {error}");
                None
            }
        }
    }

    /// Runs a command by aegish with these settings.
    pub(crate) fn guarded(&self, settings: &[(&str, &str)], text: &str) -> Ran {
        let mut words: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.extend(["/mnt/bin/aegish", "-c", text].map(str::to_owned));
        self.run(&words)
    }

    /// The same, and then another command by bash on the same machine.
    pub(crate) fn guarded_and(&self, settings: &[(&str, &str)], text: &str, then: &str) -> Ran {
        let mut words: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let both = "/mnt/bin/aegish -c \"$1\"; eval \"$2\"";
        words.extend(["bash", "-c", both, "bash", text, then].map(str::to_owned));
        self.run(&words)
    }

    /// Runs a command by bash.
    pub(crate) fn plainly(&self, text: &str) -> Ran {
        self.run(&["bash", "--norc", "-c", text].map(str::to_owned))
    }

    fn run(&self, words: &[String]) -> Ran {
        // Everything is read-only but for temporary directories, and nothing outside can be reached.
        let ground = "set -e; mount --make-rprivate /; mount -t tmpfs tmpfs /var/tmp; \
                      mount --bind \"$1\" /mnt; mount -t proc proc /proc; \
                      mount -o remount,bind,ro /; cd /mnt/home/project; eval \"$2\"; shift 2; exec \"$@\"";
        // A namespace of its own with all users, in which the number of further ones is limited to none.
        let forbid = "unshare -U bash -c 'kill -STOP $$; exec bash -c \"echo 0 > /proc/sys/user/max_user_namespaces; \
                      exec \\\"\\$@\\\"\" forbid \"$@\"' forbid \"$@\" & pid=$!; \
                      while [[ $(</proc/$pid/stat) != *') T '* ]]; do sleep 0.01; done; \
                      echo 0 0 4294967295 > /proc/$pid/uid_map; echo 0 0 4294967295 > /proc/$pid/gid_map; \
                      kill -CONT $pid; wait $pid";
        let mut command = Command::new("bash");
        match self.namespaces {
            Namespaces::Allowed => command.args(["-c", "exec \"$@\"", "allow"]),
            Namespaces::Forbidden => command.args(["-c", forbid, "forbid"]),
        };
        command.arg("unshare").args([
            "-m",
            "-p",
            "-f",
            "-n",
            "--kill-child",
            "bash",
            "-c",
            ground,
            "machine",
        ]);
        command.arg(&self.dir).arg(self.services);
        if self.account == Account::Ordinary {
            own(&self.home(), NOBODY);
            let number = NOBODY.to_string();
            command.args(["setpriv", "--reuid", &number, "--regid", &number, "--clear-groups"]);
        }
        command.args(["env", "-i"]).arg(format!("HOME={HOME}"));
        command.args([
            "PATH=/usr/local/bin:/usr/bin:/bin",
            "AEGISH_JUDGE=never",
            "AEGISH_AUDIT=off",
        ]);
        command.args(["AEGISH_ON_WARN=allow", "NO_COLOR=1", "LANG=C.UTF-8"]);
        command.args(words).stdin(Stdio::null());
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }
}

/// How many times something is tried that depends on the moment.
pub(crate) fn races() -> u32 {
    std::env::var("AEGISH_TEST_RACES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn own(path: &Path, user: u32) {
    let _ = std::os::unix::fs::lchown(path, Some(user), Some(user));
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            own(&entry.path(), user);
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}
