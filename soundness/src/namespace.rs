//! A root directory for programs: a temporary file system with bash, a few programs and the recorder, in
//! namespaces for mounts, processes and the network. The machine is not reachable from there.

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that are copied unchanged.
const REAL: [&str; 35] = [
    "bash", "find", "xargs", "seq", "tr", "base64", "chmod", "umount", "chroot", "head", "tail",
    "sort", "uniq", "sed", "awk", "dd", "cut", "grep", "paste", "fold", "od", "rev", "cp", "mv",
    "ln", "install", "tar", "split", "mkdir", "env", "timeout", "nice", "nohup", "echo", "printf",
];

/// Names of the recorder.
const RECORDED: [&str; 6] = ["cat", "tee", "rm", "use", "parallel", "launch"];

/// Files of the new `/etc`. Bash itself opens `passwd` to find the home directory.
pub(crate) const MARKED: [(&str, &str); 4] = [
    ("shadow", "root:x\n"),
    ("passwd", "root:x:0:0:::\n"),
    ("hosts", "localhost\n"),
    ("motd", "hi\n"),
];

/// Starts this program again in new namespaces; `arguments` are for the worker.
pub(crate) fn command(arguments: &[String]) -> io::Result<Command> {
    let own = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--net", "--ipc", "--pid", "--fork"]);
    command.args(["--kill-child", "--"]).arg(own).arg("enter").args(arguments);
    Ok(command)
}

/// Builds the root and becomes the worker in it. Runs in the new namespaces.
pub(crate) fn enter(arguments: &[String]) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let place = own.with_file_name("soundness-root");
    let root = place.as_path();
    fs::create_dir_all(root).map_err(|error| format!("{}: {error}", root.display()))?;
    // Mounts are visible only to this process and its children.
    run(Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(root))?;
    build(root, &own).map_err(|error| format!("building the root: {error}"))?;
    for directory in ["bin", "programs", "usr"].map(|name| root.join(name)) {
        run(Command::new("mount").arg("--bind").args([&directory, &directory]))?;
        run(Command::new("mount").args(["-o", "remount,bind,ro"]).arg(&directory))?;
    }
    run(Command::new("mount").args(["-t", "proc", "proc"]).arg(root.join("proc")))?;
    run(Command::new("mount").args(["--bind", "/dev/null"]).arg(root.join("dev/null")))?;
    let script = "cd \"$0\" && pivot_root . old && cd / && umount -l /old && exec /bin/soundness work \"$@\"";
    let worker = Command::new("bash")
        .args(["-c", script])
        .arg(root)
        .args(arguments)
        .env_clear()
        .env("PATH", "/bin:/usr/bin:/usr/sbin:/sbin")
        .spawn()
        .map_err(|error| error.to_string())?;
    // As the first process of its namespace it inherits what programs leave behind.
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().unsigned_abs() == worker.id() => {
                let ended = status.exit_status();
                return match ended {
                    Some(0) => Ok(()),
                    _ => Err(format!("the worker ended with {ended:?}")),
                };
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(format!("waiting for the worker: {error}")),
        }
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

fn build(root: &Path, own: &Path) -> io::Result<()> {
    for directory in
        ["bin", "programs", "usr", "etc", "w", "root", "r", "proc", "dev", "tmp", "old"]
    {
        fs::create_dir_all(root.join(directory))?;
    }
    symlink("/bin", root.join("usr/bin"))?;
    symlink("/proc/self/fd", root.join("dev/fd"))?;
    for (number, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        symlink(format!("/proc/self/fd/{number}"), root.join("dev").join(name))?;
    }
    symlink("bash", root.join("bin/sh"))?;
    fs::write(root.join("dev/null"), "")?;
    fs::write(root.join("r/log"), "")?;
    let mut programs: Vec<PathBuf> = REAL.iter().filter_map(|name| located(name)).collect();
    let recorder = own.with_file_name("recorder");
    programs.extend([own.to_path_buf(), recorder]);
    let mut libraries = BTreeSet::new();
    for program in &programs {
        if let Some(name) = program.file_name() {
            fs::copy(program, root.join("bin").join(name))?;
        }
        libraries.extend(libraries_of(program)?);
    }
    for library in libraries {
        let target = root.join(library.strip_prefix("/").unwrap_or(&library));
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&library, target)?;
    }
    // The same programs without those that are recorded.
    for name in REAL.iter().chain(&["sh"]) {
        symlink(format!("/bin/{name}"), root.join("programs").join(name))?;
    }
    for name in RECORDED {
        fs::hard_link(root.join("bin/recorder"), root.join("bin").join(name))?;
    }
    Ok(())
}

fn located(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .map(|directory| Path::new(directory).join(name))
        .find(|path| path.is_file())
}

/// The files that the dynamic loader would open.
fn libraries_of(program: &Path) -> io::Result<Vec<PathBuf>> {
    let output = Command::new("ldd").arg(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = |word: &str| word.starts_with('/').then(|| PathBuf::from(word));
    Ok(text.lines().filter_map(|line| line.split_whitespace().find_map(path)).collect())
}
