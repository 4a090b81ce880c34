//! A tree of files, a store, and what the tree looks like as a whole.

use aegish_undo::{Conflicts, Run, Scope, Store, Subject};
use std::collections::BTreeMap;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How a run is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Overlay,
    Copies,
}

pub(crate) const BOTH: [How; 2] = [How::Overlay, How::Copies];

pub(crate) struct Ground {
    pub(crate) dir: PathBuf,
    pub(crate) tree: PathBuf,
    pub(crate) store: Store,
}

/// Everything about a path that has to come back.
pub(crate) type Picture = BTreeMap<PathBuf, String>;

/// Fails with the first paths that differ.
pub(crate) fn same<K: Ord + std::fmt::Debug>(
    now: &BTreeMap<K, String>,
    expected: &BTreeMap<K, String>,
    what: &str,
) {
    let shown = |picture: &BTreeMap<K, String>, path: &K| {
        picture.get(path).map(|text| text.chars().take(120).collect::<String>())
    };
    let paths = now.keys().chain(expected.keys());
    let differing: Vec<_> = paths
        .filter(|path| now.get(path) != expected.get(path))
        .map(|path| (path, shown(now, path), shown(expected, path)))
        .take(6)
        .collect();
    assert!(differing.is_empty(), "{what}: {differing:#?}");
}

impl Ground {
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-undo-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        Self::at(dir)
    }

    pub(crate) fn at(dir: PathBuf) -> Self {
        let tree = dir.join("tree");
        fs::create_dir_all(&tree).unwrap();
        let kept_for = Duration::from_secs(3600);
        let store = Store { places: vec![dir.join("store")], kept_for, most: 1 << 30 };
        Self { dir, tree, store }
    }

    /// Runs a script in the real tree.
    pub(crate) fn prepare(&self, script: &str) -> &Self {
        bash(&self.tree, script);
        self
    }

    /// Runs a script so that it can be undone. None, said aloud, where overlays cannot be had.
    pub(crate) fn run(&self, how: How, script: &str) -> Option<Run> {
        let mut run = self.begin(how)?;
        self.inside(&run, script);
        run.ended().unwrap();
        Some(run)
    }

    pub(crate) fn begin(&self, how: How) -> Option<Run> {
        let subject = Subject { command: "test".to_owned(), cwd: self.tree.clone() };
        let begun = match how {
            How::Overlay => self.store.begin_overlay(subject, std::slice::from_ref(&self.tree)),
            How::Copies => self.store.begin_copies(subject, &[(self.tree.clone(), Scope::Tree)]),
        };
        match (begun, how) {
            (Ok(run), _) => Some(run),
            (Err(error), How::Overlay) if !overlays_must_work() => {
                println!("skipped: {error}");
                None
            }
            (Err(error), _) => panic!("{error}"),
        }
    }

    pub(crate) fn inside(&self, run: &Run, script: &str) {
        let Some(namespace) = run.namespace() else { return bash(&self.tree, script) };
        let name = |number: i32| format!("/proc/{}/fd/{number}", std::process::id());
        let mut command = Command::new("nsenter");
        command.arg(format!("--mount={}", name(namespace.mounts().as_raw_fd())));
        if let Some(user) = namespace.user() {
            command.arg(format!("--user={}", name(user.as_raw_fd()))).arg("--preserve-credentials");
        }
        command.args(["bash", "-ec", &format!("cd \"$1\"; {script}"), "bash"]).arg(&self.tree);
        finish(command, script);
    }

    pub(crate) fn undo(&self, id: u32) {
        self.store.undo(id, Conflicts::Refuse).unwrap();
    }

    /// The tree as it is.
    pub(crate) fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        let mut names = BTreeMap::new();
        look(&self.tree, &mut picture, &mut names);
        picture
    }

    /// Runs a script, keeps its changes, and undoes them; the tree is as a direct run leaves it, and then as before.
    pub(crate) fn comes_back(name: &str, prepare: &str, script: &str) {
        for how in BOTH {
            let direct = Self::new(&format!("{name}-{how:?}-direct"));
            direct.prepare(prepare).prepare(script);
            let ground = Self::new(&format!("{name}-{how:?}"));
            ground.prepare(prepare);
            let before = ground.picture();
            let Some(run) = ground.run(how, script) else { continue };
            if how == How::Overlay {
                same(&ground.picture(), &before, &format!("{name}: the real files are left alone"));
            }
            let id = run.keep(u64::MAX).unwrap();
            let (kept, expected) = (without_times(&ground), without_times(&direct));
            same(&kept, &expected, &format!("{name} {how:?}: kept"));
            ground.undo(id);
            same(&ground.picture(), &before, &format!("{name} {how:?}: undone"));
            let run = ground.run(how, script).unwrap();
            run.discard().unwrap();
            same(&ground.picture(), &before, &format!("{name} {how:?}: thrown away"));
            assert!(ground.store.list().is_empty());
        }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(&self.dir).output();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Whether a failure is no reason to skip: where the machine is known.
fn overlays_must_work() -> bool {
    std::env::var_os("AEGISH_TEST_OVERLAYS").is_some()
}

pub(crate) fn bash(dir: &Path, script: &str) {
    let mut command = Command::new("bash");
    command.args(["-ec", script]).current_dir(dir);
    finish(command, script);
}

fn finish(mut command: Command, script: &str) {
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
}

fn look(path: &Path, picture: &mut Picture, names: &mut BTreeMap<u64, PathBuf>) {
    let meta = fs::symlink_metadata(path).unwrap();
    let content = if meta.is_file() {
        format!("{:?}", fs::read(path).unwrap_or_default())
    } else if meta.is_symlink() {
        format!("-> {:?}", fs::read_link(path).unwrap())
    } else {
        String::new()
    };
    let first = match meta.nlink() > 1 && !meta.is_dir() {
        true => names.entry(meta.ino()).or_insert_with(|| path.to_owned()).clone(),
        false => PathBuf::new(),
    };
    // The store may hold another name.
    let first = if first == path { PathBuf::new() } else { first };
    let attribute = {
        let mut value = vec![0; 64];
        let length = rustix::fs::lgetxattr(path, "user.test", value.as_mut_slice()).unwrap_or(0);
        value.truncate(length);
        value
    };
    picture.insert(
        path.to_owned(),
        format!(
            "{:o} {}:{} {}.{:09} {first:?} {attribute:?} {content}",
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.mtime(),
            meta.mtime_nsec()
        ),
    );
    if meta.is_dir() {
        let Ok(entries) = fs::read_dir(path) else { return };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            look(&path, picture, names);
        }
    }
}

/// Two runs at different times have different times.
fn without_times(ground: &Ground) -> BTreeMap<Vec<u8>, String> {
    let picture = ground.picture();
    let place = ground.tree.display().to_string();
    let timeless = |(path, text): (PathBuf, String)| {
        let inner = path.strip_prefix(&ground.tree).unwrap().as_os_str().as_bytes().to_vec();
        let words: Vec<&str> = text.splitn(4, ' ').collect();
        (inner, format!("{} {} {}", words[0], words[1], words[3].replace(&place, "")))
    };
    picture.into_iter().map(timeless).collect()
}
