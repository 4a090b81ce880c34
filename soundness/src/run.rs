//! Runs a program in bash and records what it did.

use crate::namespace::MARKED;
use crate::server::{Kind, Server};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The working directory of every program.
pub(crate) const HERE: &str = "/w";

/// The shell that runs the programs.
pub(crate) const BASH: &str = "/bin/bash";

/// Time limit of a run.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// What a program did.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The words of every recorded program.
    pub(crate) commands: Vec<Vec<String>>,
    /// Files below `/etc` that were opened.
    pub(crate) opened: BTreeSet<String>,
    /// Files that were changed, made or removed.
    pub(crate) written: BTreeSet<String>,
    /// Whether the time limit ended it.
    pub(crate) ended: bool,
}

/// Runs programs one after the other.
pub(crate) struct Runner {
    inotify: OwnedFd,
    etc: i32,
    /// Names in the root directory before the first run.
    root: BTreeSet<OsString>,
    /// The server for each kind of program.
    servers: [Option<Server>; 2],
    /// The running process group and its start.
    current: Arc<Mutex<Option<(Pid, Instant)>>>,
}

impl Runner {
    pub(crate) fn new() -> io::Result<Self> {
        restore()?;
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let changes = WatchFlags::MODIFY
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM;
        let etc = inotify::add_watch(&inotify, "/etc", changes | WatchFlags::OPEN)?;
        inotify::add_watch(&inotify, HERE, changes)?;
        let current: Arc<Mutex<Option<(Pid, Instant)>>> = Arc::default();
        let watched = Arc::clone(&current);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(100));
                let now = *watched.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((group, since)) = now
                    && since.elapsed() > TIME_LIMIT
                {
                    let _ = kill_process_group(group, Signal::KILL);
                }
            }
        });
        let root = names_in_root()?.collect();
        Ok(Self { inotify, etc, root, servers: [None, None], current })
    }

    fn set(&self, now: Option<(Pid, Instant)>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Runs the text in a subshell of a server, in a clean directory.
    pub(crate) fn run(&mut self, text: &str) -> io::Result<Run> {
        self.events(&mut Run::default())?;
        let mut run = Run::default();
        let start = Instant::now();
        self.run_in_server(text, start)?;
        self.set(None);
        run.ended = start.elapsed() > TIME_LIMIT;
        run.commands = take_log()?;
        self.events(&mut run)?;
        if !run.written.is_empty() {
            restore()?;
        }
        for name in names_in_root()?.filter(|name| !self.root.contains(name)) {
            remove(&Path::new("/").join(name))?;
        }
        Ok(run)
    }

    fn run_in_server(&mut self, text: &str, start: Instant) -> io::Result<()> {
        let kind = Kind::of(text);
        let mut server = match self.servers[kind as usize].take() {
            Some(server) => server,
            None => Server::start(kind)?,
        };
        self.set(server.group().map(|group| (group, start)));
        server.run(text)?;
        if start.elapsed() > TIME_LIMIT {
            return server.end();
        }
        self.servers[kind as usize] = Some(server);
        Ok(())
    }

    /// Adds the events since the last call.
    fn events(&mut self, run: &mut Run) -> io::Result<()> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let Some(name) = event.file_name().map(|name| name.to_string_lossy().into_owned())
            else {
                continue;
            };
            let directory = if event.wd() == self.etc { "/etc" } else { HERE };
            let path = format!("{directory}/{name}");
            if event.events() == ReadFlags::OPEN {
                run.opened.insert(path);
            } else if !event.events().contains(ReadFlags::OPEN) {
                run.written.insert(path);
            }
        }
    }
}

/// The words of the programs recorded since the last call.
fn take_log() -> io::Result<Vec<Vec<String>>> {
    let log = fs::read("/r/log")?;
    if log.is_empty() {
        return Ok(Vec::new());
    }
    fs::write("/r/log", "")?;
    let mut fields =
        log.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut commands = Vec::new();
    while let Some(count) = fields.next().and_then(|field| field.parse::<usize>().ok()) {
        commands.push(fields.by_ref().take(count).collect());
    }
    Ok(commands)
}

fn names_in_root() -> io::Result<impl Iterator<Item = OsString>> {
    Ok(fs::read_dir("/")?.filter_map(|entry| Some(entry.ok()?.file_name())))
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Restores the files.
fn restore() -> io::Result<()> {
    for directory in ["/etc", HERE, "/tmp"] {
        for entry in fs::read_dir(directory)? {
            remove(&entry?.path())?;
        }
    }
    for (name, content) in MARKED {
        fs::write(format!("/etc/{name}"), content)?;
    }
    fs::write(format!("{HERE}/x"), "nothing\n")?;
    Ok(())
}
