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

pub(crate) struct Machine {
    dir: PathBuf,
    account: Account,
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
        fs::copy(env!("CARGO_BIN_EXE_aegish"), dir.join("bin/aegish")).unwrap();
        let machine = Self { dir, account };
        let tried = machine.plainly("true");
        if tried.status != 0 {
            println!("skipped: no machine of our own: {}", tried.err);
            return None;
        }
        Some(machine)
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
        let source = self.dir.join(format!("{name}.c"));
        fs::write(&source, code).unwrap();
        let program = self.home().join("project").join(name);
        let made = Command::new("cc").arg("-pthread").arg("-o").arg(program).arg(source).output();
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

    /// Runs a command by bash.
    pub(crate) fn plainly(&self, text: &str) -> Ran {
        self.run(&["bash", "--norc", "-c", text].map(str::to_owned))
    }

    fn run(&self, words: &[String]) -> Ran {
        // Everything is read-only but for temporary directories, and nothing outside can be reached.
        let ground = "set -e; mount --make-rprivate /; mount -t tmpfs tmpfs /var/tmp; \
                      mount --bind \"$1\" /mnt; mount -t proc proc /proc; \
                      mount -o remount,bind,ro /; cd /mnt/home/project; shift; exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-m", "-p", "-f", "-n", "--kill-child", "bash", "-c", ground, "machine"]);
        command.arg(&self.dir);
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
