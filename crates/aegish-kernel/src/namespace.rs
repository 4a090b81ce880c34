//! A mount namespace in which overlays cover directories: what is changed there lands in other directories.
//!
//! A helper process makes the namespace, mounts the overlays and ends. The namespace lives as long as this process
//! holds its descriptors or a process is in it. A child enters it between fork and exec.

use std::ffi::CString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, fchdir, getegid, geteuid, pipe};

/// The first number that the helper gives to its descriptors of layers.
const FIRST_LAYER: RawFd = 200;
/// The most directories that are covered.
const MOST_OVERLAYS: usize = 32;

/// A directory, and where changes below it go. All three are paths from the root.
#[derive(Debug, Clone, Copy)]
pub struct Overlay<'a> {
    /// The directory that is covered. It stays as it is.
    pub lower: &'a Path,
    /// Where what is changed goes.
    pub upper: &'a Path,
    /// An empty directory beside it for the kernel.
    pub work: &'a Path,
}

/// What the kernel refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A mount namespace, with a user namespace for who has no rights to mount.
    Namespace,
    /// The own number in the user namespace.
    Mapping,
    /// Keeping mounts apart from those outside.
    Propagation,
    /// Opening a layer.
    Layer,
    /// Mounting an overlay.
    Mount,
    /// Anything around it: a process, a pipe.
    Helper,
}

/// Why there is no such namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoNamespace {
    /// Where it failed.
    pub step: Step,
    /// The error of the kernel.
    pub error: Errno,
}

impl fmt::Display for NoNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.step {
            Step::Namespace => "no mount namespace can be made",
            Step::Mapping => "the user namespace gets no user",
            Step::Propagation => "mounts cannot be kept apart",
            Step::Layer => "a directory of the overlay cannot be opened",
            Step::Mount => "no overlay can be mounted",
            Step::Helper => "the process that mounts overlays failed",
        };
        write!(f, "{what} ({})", self.error.desc())
    }
}

impl std::error::Error for NoNamespace {}

/// The namespaces, and the root directory in them.
#[derive(Debug)]
pub struct MountNamespace {
    user: Option<OwnedFd>,
    mounts: OwnedFd,
    root: OwnedFd,
}

/// Everything that the helper needs, made before the fork.
struct Work {
    layers: Vec<CString>,
    mounts: Vec<(CString, CString)>,
    user_map: Vec<u8>,
    group_map: Vec<u8>,
}

impl Work {
    fn new(overlays: &[Overlay<'_>]) -> Result<Self, Errno> {
        if overlays.len() > MOST_OVERLAYS {
            return Err(Errno::E2BIG);
        }
        let text =
            |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL);
        let (mut layers, mut mounts) = (Vec::new(), Vec::new());
        for overlay in overlays {
            let first = FIRST_LAYER + layers.len() as RawFd;
            let (second, third) = (first + 1, first + 2);
            // Names of descriptors have no character that the options of a mount treat as special.
            let options = format!(
                "userxattr,lowerdir=/proc/self/fd/{first},upperdir=/proc/self/fd/{second},\
                 workdir=/proc/self/fd/{third}"
            );
            mounts.push((text(overlay.lower)?, CString::new(options).map_err(|_| Errno::EINVAL)?));
            for path in [overlay.lower, overlay.upper, overlay.work] {
                layers.push(text(path)?);
            }
        }
        let (user, group) = (geteuid(), getegid());
        Ok(Self {
            layers,
            mounts,
            user_map: format!("{user} {user} 1").into_bytes(),
            group_map: format!("{group} {group} 1").into_bytes(),
        })
    }

    /// Makes the namespaces and mounts. Makes system calls only.
    fn act(&self) -> Result<(), NoNamespace> {
        let at = |step| move |error| NoNamespace { step, error };
        // Who has the right to mount keeps it.
        if unshare(CloneFlags::CLONE_NEWNS).is_err() {
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)
                .map_err(at(Step::Namespace))?;
            put(c"/proc/self/setgroups", b"deny").map_err(at(Step::Mapping))?;
            put(c"/proc/self/uid_map", &self.user_map).map_err(at(Step::Mapping))?;
            put(c"/proc/self/gid_map", &self.group_map).map_err(at(Step::Mapping))?;
        }
        let private = libc::MS_REC | libc::MS_PRIVATE;
        mount(None, c"/", private, None).map_err(at(Step::Propagation))?;
        for (number, path) in self.layers.iter().enumerate() {
            open_as(path, FIRST_LAYER + number as RawFd).map_err(at(Step::Layer))?;
        }
        for (target, options) in &self.mounts {
            mount(Some(c"overlay"), target, 0, Some(options)).map_err(at(Step::Mount))?;
        }
        Ok(())
    }
}

fn put(file: &std::ffi::CStr, bytes: &[u8]) -> Result<(), Errno> {
    // SAFETY: the path ends with NUL, and the bytes live until the calls return.
    unsafe {
        let file = Errno::result(libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC))?;
        let written = Errno::result(libc::write(file, bytes.as_ptr().cast(), bytes.len()));
        libc::close(file);
        written.map(drop)
    }
}

/// Opens a directory under a given number.
fn open_as(path: &std::ffi::CStr, number: RawFd) -> Result<(), Errno> {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: the path ends with NUL. The numbers are of the helper's own table of descriptors, in which no value
    // of this process owns one.
    unsafe {
        let opened = Errno::result(libc::open(path.as_ptr(), flags))?;
        if opened != number {
            Errno::result(libc::dup3(opened, number, libc::O_CLOEXEC))?;
            libc::close(opened);
        }
    }
    Ok(())
}

fn mount(
    kind: Option<&std::ffi::CStr>,
    target: &std::ffi::CStr,
    flags: libc::c_ulong,
    options: Option<&std::ffi::CStr>,
) -> Result<(), Errno> {
    let pointer =
        |text: Option<&std::ffi::CStr>| text.map_or(std::ptr::null(), |text| text.as_ptr());
    // SAFETY: the strings end with NUL and live until the call returns; null pointers are allowed for the rest.
    let done = unsafe {
        let (kind, options) = (pointer(kind), pointer(options));
        libc::mount(kind, target.as_ptr(), kind, flags, options.cast())
    };
    Errno::result(done).map(drop)
}

impl MountNamespace {
    /// Makes a namespace in which these directories are covered.
    ///
    /// # Errors
    ///
    /// If the kernel refuses a step.
    pub fn with_overlays(overlays: &[Overlay<'_>]) -> Result<Self, NoNamespace> {
        let failed = |error| NoNamespace { step: Step::Helper, error };
        let work = Work::new(overlays).map_err(failed)?;
        let (told, tell) = pipe().map_err(failed)?;
        let (held, hold) = pipe().map_err(failed)?;
        // SAFETY: the child has one thread, makes system calls only, and ends by `_exit`.
        let helper = match Errno::result(unsafe { libc::fork() }).map_err(failed)? {
            0 => {
                let words = match work.act() {
                    Ok(()) => [0, 0],
                    Err(NoNamespace { step, error }) => [error as i32 as u8, step as u8],
                };
                let mut byte = 0_u8;
                // SAFETY: the bytes live until the calls return. The write end of `hold` is closed, so that the
                // read ends when the parent closes its own, or ends.
                unsafe {
                    libc::close(hold.as_raw_fd());
                    libc::write(tell.as_raw_fd(), words.as_ptr().cast(), words.len());
                    libc::read(held.as_raw_fd(), (&raw mut byte).cast(), 1);
                    libc::_exit(0)
                }
            }
            helper => Pid::from_raw(helper),
        };
        drop((tell, held));
        let mut words = [u8::MAX; 2];
        let answered = File::from(told).read_exact(&mut words);
        let made = match (answered, words) {
            (Ok(()), [0, _]) => Self::of(helper).map_err(|error| failed(errno(&error))),
            (Ok(()), [error, step]) => {
                let all = [Step::Namespace, Step::Mapping, Step::Propagation, Step::Layer];
                let step = all.into_iter().find(|one| *one as u8 == step).unwrap_or(Step::Mount);
                Err(NoNamespace { step, error: Errno::from_raw(i32::from(error)) })
            }
            (Err(error), _) => Err(failed(errno(&error))),
        };
        drop(hold);
        let _ = kill(helper, Signal::SIGKILL);
        let _ = waitpid(helper, None);
        made
    }

    fn of(process: Pid) -> io::Result<Self> {
        let open = |name: &str| File::open(format!("/proc/{process}/{name}")).map(OwnedFd::from);
        let link = |whose: &str| std::fs::read_link(format!("/proc/{whose}/ns/user"));
        let other = link(&process.to_string())? != link("self")?;
        let user = other.then(|| open("ns/user")).transpose()?;
        Ok(Self { user, mounts: open("ns/mnt")?, root: open("root")? })
    }

    /// The root directory, with the overlays below it.
    #[must_use]
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The user namespace, if it is not the one of this process.
    #[must_use]
    pub fn user(&self) -> Option<BorrowedFd<'_>> {
        self.user.as_ref().map(AsFd::as_fd)
    }

    /// The namespace of mounts.
    #[must_use]
    pub fn mounts(&self) -> BorrowedFd<'_> {
        self.mounts.as_fd()
    }

    /// Moves the calling process into the namespaces and into a directory there. It must have one thread. Makes
    /// system calls only.
    pub(crate) fn enter(&self, directory: &std::ffi::CStr) -> Result<(), Errno> {
        if let Some(user) = &self.user {
            setns(user, CloneFlags::CLONE_NEWUSER)?;
        }
        setns(&self.mounts, CloneFlags::CLONE_NEWNS)?;
        // Entering leads to the root of the namespace, and out of a `chroot`.
        fchdir(&self.root)?;
        // SAFETY: both paths end with NUL.
        unsafe {
            Errno::result(libc::chroot(c".".as_ptr()))?;
            Errno::result(libc::chdir(directory.as_ptr())).map(drop)
        }
    }
}

fn errno(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EPIPE, Errno::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_written_into_a_covered_directory_lands_elsewhere() {
        let dir = std::env::temp_dir().join(format!("aegish-namespace-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        for name in ["low,er:1", "upper", "work"] {
            assert!(fs::create_dir_all(dir.join(name)).is_ok());
        }
        assert!(fs::write(dir.join("low,er:1/old"), "old").is_ok());
        let (lower, upper, work) = (dir.join("low,er:1"), dir.join("upper"), dir.join("work"));
        let overlay = Overlay { lower: &lower, upper: &upper, work: &work };
        match MountNamespace::with_overlays(&[overlay]) {
            Ok(namespace) => {
                let root = format!("/proc/self/fd/{}", namespace.root().as_raw_fd());
                let inside = format!("{root}{}", lower.display());
                assert!(fs::write(format!("{inside}/new"), "new").is_ok());
                assert!(fs::remove_file(format!("{inside}/old")).is_ok());
                assert!(lower.join("old").exists() && !lower.join("new").exists());
                assert!(upper.join("new").exists());
            }
            Err(error) => println!("skipped: {error}"),
        }
        let missing = Overlay { lower: &dir.join("none"), ..overlay };
        let failed = MountNamespace::with_overlays(&[missing]).map(drop);
        assert!(failed.is_err_and(|none| none.step == Step::Layer || none.step == Step::Namespace));
        let _ = std::process::Command::new("chmod").args(["-R", "u+rwx"]).arg(&dir).status();
        let _ = fs::remove_dir_all(&dir);
    }
}
