//! Several concurrent processes of one user, killed processes, and a full disk.
//!
//! The other processes are this test program again; the environment tells it what to do.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::fake::{Fake, FakeAnswer};
use crate::kept::entries;
use crate::support::{Home, ask, judge, says, settings, user_message, verdict};
use aegish_judge::{Judge, JudgeSettings, Note, OpinionSource};
use aegish_policy::Action;
use aegish_wire::EndpointSettings;

/// The task of a child, in words separated by spaces.
const ORDER: &str = "AEGISH_TEST_ORDER";

/// The cost of one call, in US dollars.
const CALL: f64 = 253e-6;

/// The task of a child.
struct Order {
    cache: PathBuf,
    state: PathBuf,
    server: SocketAddr,
    /// The range of commands, and how often it is repeated.
    commands: (u32, u32),
    times: u32,
    budget: Option<f64>,
    per_minute: u32,
}

impl Order {
    fn new(home: &Home, server: &Fake) -> Self {
        Self {
            cache: home.cache(),
            state: home.state(),
            server: server.address,
            commands: (0, 1),
            times: 1,
            budget: None,
            per_minute: 100_000,
        }
    }

    fn settings(&self) -> JudgeSettings {
        let mut settings = settings(self.cache.clone(), self.state.clone());
        let endpoint = EndpointSettings {
            base_url: Some(format!("http://{}/v1", self.server)),
            ..EndpointSettings::default()
        };
        settings.models = vec!["openai/gpt-5.1".to_owned()];
        settings.endpoints.insert("openai".to_owned(), endpoint);
        settings.budget_per_day = self.budget;
        settings.queries_per_minute = self.per_minute;
        settings.timeout = Duration::from_secs(3);
        settings
    }

    fn to_words(&self) -> String {
        let Self { cache, state, server, commands, times, budget, per_minute } = self;
        let budget = budget.unwrap_or(-1.0);
        let (from, to) = commands;
        let (cache, state) = (cache.display(), state.display());
        format!("{cache} {state} {server} {from} {to} {times} {budget} {per_minute}")
    }

    fn from_words(words: &str) -> Option<Self> {
        let mut words = words.split(' ');
        let mut next = || words.next();
        Some(Self {
            cache: next()?.into(),
            state: next()?.into(),
            server: next()?.parse().ok()?,
            commands: (next()?.parse().ok()?, next()?.parse().ok()?),
            times: next()?.parse().ok()?,
            budget: next()?.parse().ok().filter(|budget| *budget >= 0.0),
            per_minute: next()?.parse().ok()?,
        })
    }

    /// The child as a separate command, or run by another program.
    fn command(&self, behind: &[&str]) -> Command {
        let program = env::current_exe().expect("this program");
        let mut command = match behind {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        command
            .args(["--ignored", "--exact", "processes::child", "--nocapture", "--test-threads=1"])
            .env(ORDER, self.to_words())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn start(&self) -> Child {
        self.command(&[]).spawn().expect("a child")
    }
}

/// The report of a child that was not disturbed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    opinions: usize,
    cached: usize,
    notes: Vec<String>,
}

fn report(child: Child) -> Report {
    let output = child.wait_with_output().expect("a child that ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    let mut report = Report::default();
    for line in text.lines() {
        // The test harness writes on the same line.
        match line.rsplit_once("child: ").map(|(_, said)| said) {
            Some("cached") => {
                report.opinions += 1;
                report.cached += 1;
            }
            Some("asked") => report.opinions += 1,
            Some("nothing") | None => {}
            Some(note) => report.notes.push(note.to_owned()),
        }
    }
    report
}

/// The verdict names its command, so that an answer to another command would be noticed.
fn right(number: u32) -> (Action, String) {
    let action = Action::ALL[number as usize % Action::ALL.len()];
    // Long enough that a file does not fit into one block of a small disk.
    (action, format!("{number} {}", "because ".repeat(60)).trim().to_owned())
}

fn server() -> Fake {
    Fake::start(|_, seen| match asked_about(user_message(seen)) {
        Some(number) => {
            let (action, reason) = right(number);
            says(&verdict(action.as_str(), &reason))
        }
        None => FakeAnswer::json(400, "{}"),
    })
}

fn asked_about(message: &str) -> Option<u32> {
    let line = message.lines().find(|line| line.starts_with("\"echo "))?;
    line.trim_matches('"').strip_prefix("echo ")?.parse().ok()
}

/// Asks and checks that every answer belongs to the command.
fn ask_rightly(judge: &Judge, number: u32) -> Option<(OpinionSource, Vec<Note>)> {
    let ruling = ask(judge, &format!("echo {number}"));
    let (action, reason) = right(number);
    if let Some(opinion) = &ruling.opinion {
        assert_eq!((opinion.action, &opinion.reason, opinion.confidence), (action, &reason, 0.9));
    }
    ruling.opinion.map(|_| (ruling.source, ruling.notes))
}

#[test]
#[ignore = "is started by the other tests as a process of its own"]
fn child() {
    let Ok(words) = env::var(ORDER) else {
        println!("skipped: nobody gave an order");
        return;
    };
    let order = Order::from_words(&words).expect("an order");
    let judge = judge(order.settings());
    for _ in 0..order.times {
        for number in order.commands.0..order.commands.1 {
            match ask_rightly(&judge, number) {
                Some((source, notes)) => {
                    println!(
                        "child: {}",
                        if source == OpinionSource::Cache { "cached" } else { "asked" }
                    );
                    notes.iter().for_each(|note| println!("child: {note}"));
                }
                None => println!("child: nothing"),
            }
        }
    }
}

#[test]
fn processes_share_one_rate() {
    let (home, server) = (Home::new(), server());
    let children: Vec<_> = (0..4)
        .map(|n| {
            // Twenty seconds until the next slot: no process waits that long.
            let commands = (n * 100, n * 100 + 10);
            Order { commands, per_minute: 3, ..Order::new(&home, &server) }.start()
        })
        .collect();
    let opinions: usize = children.into_iter().map(|child| report(child).opinions).sum();
    assert_eq!((opinions, server.seen().len()), (3, 3));
}

#[test]
fn processes_keep_one_budget_and_lose_no_cent() {
    let (home, server) = (Home::new(), server());
    let budget = 0.05;
    let children: Vec<_> = (0..4)
        .map(|n| {
            let commands = (n * 100, n * 100 + 60);
            Order { commands, budget: Some(budget), ..Order::new(&home, &server) }.start()
        })
        .collect();
    let opinions: usize = children.into_iter().map(|child| report(child).opinions).sum();
    let text = fs::read_to_string(home.state().join("judge.json")).expect("a file");
    let state: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let days = state["spent"].as_object().expect("days");
    let spent: f64 = days.values().filter_map(serde_json::Value::as_f64).sum();
    assert_eq!(opinions, server.seen().len());
    let calls = f64::from(u32::try_from(opinions).expect("a small number"));
    assert!((spent - calls * CALL).abs() < 1e-9, "{opinions} calls, {spent} US dollars");
    assert!(spent < budget + CALL && opinions > 20, "{opinions} calls, {spent} US dollars");
}

#[test]
fn processes_that_ask_the_same_at_once_all_get_the_right_answer() {
    let (home, server) = (Home::new(), server());
    let order = Order { commands: (0, 30), times: 10, ..Order::new(&home, &server) };
    let children: Vec<_> = (0..4).map(|_| order.start()).collect();
    let reports: Vec<_> = children.into_iter().map(report).collect();
    for report in &reports {
        assert_eq!((report.opinions, &report.notes), (300, &vec![]));
        assert!(report.cached >= 270, "{}", report.cached);
    }
    assert_eq!(entries(&home.cache()).len(), 30);
    assert!(server.seen().len() <= 120);
}

#[test]
fn a_process_killed_while_it_writes_leaves_nothing_wrong() {
    let (home, server) = (Home::new(), server());
    let order = Order { commands: (0, 400), times: 1000, ..Order::new(&home, &server) };
    // Only the cache can answer; with a budget the reader would ask.
    let reader = Order { budget: Some(0.0), ..Order::new(&home, &server) }.settings();
    let mut killed = 0;
    let mut calls = 0;
    for round in 0..60u64 {
        // A cached opinion would not be written again.
        if round % 3 == 0 {
            let _ = fs::remove_dir_all(home.cache());
        }
        let mut child = order.start();
        while server.seen().len() == calls {
            if let Ok(Some(status)) = child.try_wait() {
                panic!("round {round}: the child ended with {status}");
            }
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros(3000 + round * 997 % 20_000));
        child.kill().expect("killed");
        let status = child.wait().expect("gone");
        killed += u32::from(!status.success());
        calls = server.seen().len();

        let judged = judge(reader.clone());
        let kept = (0..400).filter(|n| ask_rightly(&judged, *n).is_some()).count();
        let finished = entries(&home.cache());
        let unfinished = finished.iter().filter(|path| name(path).starts_with(".new-")).count();
        assert_eq!(kept, finished.len() - unfinished, "every finished file is whole");
        // The file with limits and totals is valid too.
        let text = fs::read_to_string(home.state().join("judge.json")).expect("a file");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    }
    assert_eq!(killed, 60);
    // The next process continues normally.
    let next = Order { commands: (0, 50), ..Order::new(&home, &server) }.start();
    let next = report(next);
    assert_eq!((next.opinions, next.notes), (50, vec![]));
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Starts a program with a limit on the size of files; writing beyond it is an error, as on a full disk.
fn bounded(blocks: u32) -> [String; 4] {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    ["sh".to_owned(), "-c".to_owned(), script, "sh".to_owned()]
}

#[test]
fn a_full_disk_costs_the_cache_and_never_the_answer() {
    // No space at all, and one block of 512 bytes, which holds half of an opinion.
    for blocks in [0, 1] {
        let (home, server) = (Home::new(), server());
        let before = Order { commands: (0, 5), ..Order::new(&home, &server) }.start();
        assert_eq!(report(before).opinions, 5);
        let state = fs::read(home.state().join("judge.json")).expect("a file");
        let files = entries(&home.cache());

        let order = Order { commands: (0, 10), ..Order::new(&home, &server) };
        let behind = bounded(blocks);
        let behind: Vec<&str> = behind.iter().map(String::as_str).collect();
        let full = report(order.command(&behind).spawn().expect("a child"));
        assert_eq!((full.opinions, full.cached), (10, 5), "{full:?}");
        let notes = full.notes.join("\n");
        assert_eq!(notes.matches("the verdict cache was not used").count(), 5, "{notes}");
        if blocks == 0 {
            assert!(notes.contains("limits hold for this process alone"), "{notes}");
            assert_eq!(fs::read(home.state().join("judge.json")).ok(), Some(state));
        }
        assert_eq!(entries(&home.cache()), files, "nothing new, nothing half, nothing gone");

        // With a budget, models are asked only if spending can be recorded.
        if blocks == 0 {
            let order = Order { budget: Some(10.0), ..order };
            let full = report(order.command(&behind).spawn().expect("a child"));
            assert_eq!((full.opinions, full.cached), (5, 5), "{full:?}");
        }
        // With free space again, everything continues.
        let after = report(Order { commands: (0, 10), ..Order::new(&home, &server) }.start());
        assert_eq!((after.opinions, after.cached, after.notes), (10, 5, vec![]));
    }
}

#[test]
fn a_file_system_without_room_costs_the_cache_and_never_the_answer() {
    let (home, server) = (Home::new(), server());
    let (place, state) = (home.cache(), home.state());
    fs::create_dir_all(&place).expect("a directory");
    // A file system that vanishes with the process: 64 KiB hold few opinions, each in its directory.
    let mount = format!("mount -t tmpfs -o size=64k,mode=700 none {}", place.display());
    let usable = Command::new("unshare").args(["-m", "sh", "-c", &mount]).output();
    if !usable.is_ok_and(|output| output.status.success()) {
        println!("skipped: only root can mount a file system");
        return;
    }
    let script = format!("{mount} && exec \"$@\"");
    let behind = ["unshare", "-m", "sh", "-c", script.as_str(), "sh"];
    for both in [false, true] {
        let state = if both { place.join("state") } else { state.clone() };
        let order = Order { commands: (0, 60), times: 2, state, ..Order::new(&home, &server) };
        let full = report(order.command(&behind).spawn().expect("a child"));
        assert_eq!(full.opinions, 120, "{full:?}");
        assert!(full.cached > 0 && full.cached < 60, "{}", full.cached);
        let notes = full.notes.join("\n");
        assert!(notes.contains("the verdict cache was not used"), "{notes}");
        assert_eq!(notes.contains("limits hold for this process alone"), both, "{notes}");
    }
}
