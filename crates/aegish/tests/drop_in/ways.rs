//! Attacks of a user who logs in to production over OpenSSH: attempts to get an unguarded shell, and lines
//! that attack the channel between the guard and bash.

use crate::ssh_server::{self, Server};
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const WAYS: &str = include_str!("ways.txt");
const ATTACKS: &str = include_str!("../terminal/channel.txt");
/// How long a session may take to run the marker.
const TIMEOUT: Duration = Duration::from_secs(8);

/// A session over ssh, typed at without looking.
struct Typist {
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Typist {
    fn new(server: &Server, user: &str, command: Option<&str>) -> Self {
        let mut client = server.client("ssh", "-p");
        client.args(["-tt", &format!("{user}@127.0.0.1")]).args(command).env("TERM", "xterm");
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = client.spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&shown);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                seen.lock().unwrap().extend(&buffer[..count]);
            }
        });
        Self { child, shown }
    }

    fn length(&self) -> usize {
        self.shown.lock().unwrap().len()
    }

    /// Waits until something was shown and nothing more comes. Answers a question with yes.
    fn settle(&mut self, from: usize) {
        let (began, mut quiet_since, mut length) = (Instant::now(), Instant::now(), from);
        while began.elapsed() < Duration::from_secs(4) && !self.is_over() {
            if self.length() != length {
                (length, quiet_since) = (self.length(), Instant::now());
            } else if length > from && quiet_since.elapsed() > Duration::from_millis(300) {
                let asked = {
                    let shown = self.shown.lock().unwrap();
                    String::from_utf8_lossy(&shown[from..]).contains("[y/N")
                };
                if asked {
                    let after = self.length();
                    self.type_line("y");
                    self.settle(after);
                }
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn type_line(&mut self, line: &str) {
        let _ = self.child.stdin.as_mut().unwrap().write_all(format!("{line}\r").as_bytes());
    }

    fn say(&mut self, line: &str) {
        let from = self.length();
        self.type_line(line);
        self.settle(from);
    }

    fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Typist {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of the marker's file, if it was written: `inner` if the shell that wrote it is not the one that was
/// logged in to.
fn walk(server: &Server, user: &str, steps: &[&str], number: usize) -> Option<String> {
    let path = server.home(user).join(marker(number));
    let _ = fs::remove_file(&path);
    let command = steps.first().and_then(|step| step.strip_prefix("command: "));
    let mut typist = Typist::new(server, user, command);
    typist.settle(0);
    if command.is_none() {
        typist.say("way=outer");
        for step in steps {
            typist.say(step);
        }
    }
    let began = Instant::now();
    while began.elapsed() < TIMEOUT && !path.exists() && !typist.is_over() {
        typist.say(&format!("echo \"${{way-inner}}\" > {}", marker(number)));
    }
    // Its writer may not have finished yet.
    thread::sleep(Duration::from_millis(50));
    fs::read_to_string(path).ok()
}

fn marker(number: usize) -> String {
    format!("marker-{number:03}")
}

fn is_there(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Calls a function for each item, a few at a time, and collects the results.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut said = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return said };
            said.push(work(at, item));
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..6).map(|_| scope.spawn(run)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

fn audit(server: &Server) -> String {
    fs::read_to_string(server.dir.join("log/kim.log")).unwrap()
}

#[test]
fn no_way_out_of_production_works_and_each_is_recorded() {
    let Some(server) = ssh_server::production() else { return };
    let ways: Vec<(&str, &str)> = lines(WAYS).map(|line| line.split_once(" | ").unwrap()).collect();
    assert!(ways.len() >= 60, "{} ways", ways.len());
    let tried = each(&ways, |at, (program, way)| {
        if !is_there(program) {
            println!("skipped: there is no {program}: {way}");
            return None;
        }
        let steps: Vec<&str> = way.split(" ⏎ ").collect();
        let guarded = walk(server, "kim", &steps, at);
        let plain = walk(server, "plain", &steps, at);
        Some((at, *way, guarded, plain))
    });
    let tried: Vec<_> = tried.into_iter().flatten().collect();
    let log = audit(server);
    let mut bad = Vec::new();
    for (at, way, guarded, plain) in &tried {
        if plain.as_deref() != Some("inner\n") {
            bad.push(format!("does not work under plain bash: {way}: {plain:?}"));
        }
        if guarded.as_deref() == Some("inner\n") && !log.contains(&marker(*at)) {
            bad.push(format!("works: {way}"));
        }
        let first = way.split(" ⏎ ").next().unwrap_or(way);
        let first = first.strip_prefix("command: ").unwrap_or(first);
        let recorded = serde_json::to_string(first).unwrap();
        if !log.contains(recorded.trim_matches('"')) {
            bad.push(format!("is not in the audit log: {way}"));
        }
    }
    println!("{} ways", tried.len());
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), tried.len(), bad.join("\n"));
}

/// `AEGISH_CHANNEL_SSH=all` tries every line, otherwise a part of them.
#[test]
fn bash_reads_commands_from_nowhere_else_over_ssh() {
    let Some(server) = ssh_server::production() else { return };
    let all = std::env::var("AEGISH_CHANNEL_SSH").is_ok_and(|value| value == "all");
    let attacks: Vec<&str> = lines(ATTACKS)
        .filter(|line| !line.contains("unread: "))
        .enumerate()
        .filter_map(|(at, line)| (all || at % 12 == 0).then_some(line))
        .collect();
    let seen = each(&attacks, |at, attack| {
        let steps: Vec<&str> = attack.split(" ⏎ ").collect();
        let number = 500 + at;
        walk(server, "kim", &steps, number).map(|_| (number, *attack))
    });
    let log = audit(server);
    let ran: Vec<_> = seen.into_iter().flatten().collect();
    let bad: Vec<&str> = ran
        .iter()
        .filter(|(at, _)| !log.contains(&marker(*at)))
        .map(|(_, attack)| *attack)
        .collect();
    println!("{} attacks, {} sessions went on", attacks.len(), ran.len());
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), attacks.len(), bad.join("\n"));
}

#[test]
fn files_that_decide_what_runs_are_not_written_over_sftp() {
    let Some(server) = ssh_server::production() else { return };
    fs::write(server.dir.join("payload"), "echo planted\n").unwrap();
    let refused = [
        "put payload .bashrc",
        "put payload .ssh/rc",
        "put payload .ssh/authorized_keys",
        "put payload .config/aegish/rc.bash",
        "rename kept-a .bashrc",
        "ln -s /etc/shadow stolen",
        "ln kept-a .profile",
        "chmod 4755 kept-a",
        "get /etc/shadow stolen",
    ];
    let home = server.home("kim");
    let sftp = |batch: &str| {
        let mut command = server.client("sftp", "-P");
        command.args(["-b", "-", "kim@127.0.0.1"]);
        crate::run::finish(command, Some(batch.as_bytes()))
    };
    let made = sftp(
        "-mkdir .ssh\n-mkdir .config\n-mkdir .config/aegish\nput payload kept-a\nls -l kept-a\n",
    );
    assert_eq!(made.end, crate::run::End::Status(0), "{}{}", made.out(), made.err());
    for request in refused {
        let seen = sftp(&format!("{request}\n"));
        assert_ne!(seen.end, crate::run::End::Status(0), "{request}: {}{}", seen.out(), seen.err());
    }
    for name in [".ssh/rc", ".ssh/authorized_keys", ".config/aegish/rc.bash", "stolen"] {
        assert!(!home.join(name).exists(), "{name}");
    }
    let bashrc = fs::read_to_string(home.join(".bashrc")).unwrap_or_default();
    assert!(!bashrc.contains("planted"), "{bashrc}");
    let log = audit(server);
    for text in ["/.ssh/rc'", "/.config/aegish/rc.bash'", "/.bashrc'", "chmod 4755"] {
        assert!(log.contains(text), "{text}");
    }
    // Ordinary work continues.
    let seen =
        sftp("put payload notes\nget notes back\nrename notes notes2\nrm notes2\nrm kept-a\n");
    assert_eq!(seen.end, crate::run::End::Status(0), "{}{}", seen.out(), seen.err());
}
