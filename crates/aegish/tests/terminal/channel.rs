//! Bash reads commands only from the guard, whatever a line does to its options, descriptors, limits, traps
//! or builtins. Each attack is followed by a marker, which must be judged or never run.

use crate::harness::{Home, Terminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const ATTACKS: &str = include_str!("channel.txt");
const FLOODS: &str = include_str!("floods.txt");
/// Sends bash a signal, without a pause, as long as it lives. The line ends while it goes on.
const FLOOD: &str = "(while kill -USR1 $$; do :; done) 2>/dev/null & sleep 0.1";
/// In a trap: the moment between the gate and the read behind it. The wait of the guard's code has ended and no
/// function runs, for the second time: the first time is before the gate.
const LATE: &str =
    "[[ ${#FUNCNAME[@]} == 0 && $BASH_COMMAND == *__aegish_released* ]] && (( ++n % 2 == 0 ))";
/// How long a session may take to come back or to end.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The line that is typed after an attack.
const MARKER: &str = "echo reached > marker";

/// What became of a session.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The marker ran, and the audit log has it.
    Judged,
    /// The session is over, the marker never ran.
    Over,
    /// The marker ran without being judged.
    Unjudged,
    /// The session is not over, but no line is read any more.
    Hangs,
}

/// Types the lines and then the marker, without waiting long for anything.
fn attack(home: &Home, lines: &[&str]) -> End {
    let mut terminal = home.shell().open();
    for (at, line) in lines.iter().enumerate() {
        let before = terminal.ready();
        let line = unread(home, at, line);
        if !type_line(&mut terminal, &line) {
            break;
        }
        settle(&mut terminal, before, "y");
    }
    let started = Instant::now();
    let mut interrupted = false;
    loop {
        let over = terminal.has_ended();
        // A program may have taken the first letters of the marker; then what is left makes an empty file.
        if std::fs::read_to_string(home.at("marker")).is_ok_and(|text| text == "reached\n") {
            let judged = home.read(".aegish/audit.log").contains(MARKER);
            return if judged { End::Judged } else { End::Unjudged };
        }
        if over {
            return End::Over;
        }
        if started.elapsed() > TIMEOUT {
            return End::Hangs;
        }
        // `wait` and `fg` last as long as what they wait for, until somebody interrupts them.
        if started.elapsed() > TIMEOUT / 3 && !interrupted {
            interrupted = true;
            let _ = terminal.try_keys("\x03");
            thread::sleep(Duration::from_millis(200));
        }
        // Repeatedly, because another program may read the terminal later.
        let before = terminal.ready();
        if type_line(&mut terminal, MARKER) {
            settle(&mut terminal, before, "y");
        }
    }
}

/// A line that starts with `unread: ` reaches bash although the rules would refuse it: a person confirms it.
fn unread(home: &Home, at: usize, line: &str) -> String {
    let Some(code) = line.strip_prefix("unread: ") else { return line.to_owned() };
    std::fs::write(home.at(&format!("line-{at}")), code).unwrap();
    format!("eval \"$(shuf line-{at})\"")
}

/// Types a line; `false` if no program reads the terminal.
pub(crate) fn type_line(terminal: &mut Terminal, line: &str) -> bool {
    !terminal.has_ended() && terminal.try_keys(&format!("{line}\r"))
}

/// Waits until the next prompt, answers a question, gives up soon.
pub(crate) fn settle(terminal: &mut Terminal, before: usize, answer: &str) {
    let started = Instant::now();
    let mut answered = false;
    while started.elapsed() < Duration::from_millis(1500) {
        if terminal.has_ended() {
            return;
        }
        let asks = terminal
            .rows()
            .iter()
            .rev()
            .find(|row| !row.is_empty())
            .is_some_and(|row| row.contains("[y"));
        if asks && !answered {
            answered = true;
            let _ = terminal.try_keys(&format!("{answer}\r"));
        } else if terminal.ready() > before + usize::from(answered) {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs all of them and gives those that did not end well.
fn failures(attacks: &[Vec<&str>]) -> Vec<String> {
    tried(attacks, |home, lines| {
        let end = attack(home, lines);
        matches!(end, End::Unjudged | End::Hangs).then(|| format!("{end:?}"))
    })
}

/// Tries all of them, a few at a time, and gives those that went wrong.
pub(crate) fn tried(
    attacks: &[Vec<&str>],
    wrong: impl Fn(&Home, &[&str]) -> Option<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut bad = Vec::new();
        while let Some(lines) = attacks.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(what) = wrong(&Home::new(), lines) {
                bad.push(format!("{what}: {}", lines.join(" ⏎ ")));
            }
        }
        bad
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

pub(crate) fn listed(attacks: &str) -> Vec<Vec<&str>> {
    let lines = attacks.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(" ⏎ ").collect()).collect()
}

#[test]
fn bash_reads_commands_from_nowhere_else() {
    let attacks = listed(ATTACKS);
    assert!(attacks.len() >= 120, "{} attacks", attacks.len());
    let bad = failures(&attacks);
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), attacks.len(), bad.join("\n"));
}

/// `AEGISH_FLOOD_TRIES=200` tries each of them as often.
#[test]
fn no_flood_of_signals_makes_it_read_from_elsewhere() {
    let mut floods = FLOODS.to_owned();
    for signal in ["WINCH", "INT"] {
        floods = floods.replace(&format!("FLOOD {signal}"), &FLOOD.replace("USR1", signal));
    }
    let floods = floods.replace("FLOOD", FLOOD).replace("LATE", LATE);
    let tries = usize::try_from(setting("AEGISH_FLOOD_TRIES", 1)).unwrap();
    let attacks: Vec<Vec<&str>> = std::iter::repeat_n(listed(&floods), tries).flatten().collect();
    let bad = failures(&attacks);
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), attacks.len(), bad.join("\n"));
}

/// Numbers from a seed, always the same ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// A variable's number, or the default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Random sequences of the same lines. `AEGISH_CHANNEL_SECONDS=600` sets the duration, and
/// `AEGISH_CHANNEL_SEED` the start.
#[test]
fn no_sequence_of_such_lines_makes_bash_read_another_input() {
    let until = Instant::now() + Duration::from_secs(setting("AEGISH_CHANNEL_SECONDS", 10));
    let mut numbers = Numbers(setting("AEGISH_CHANNEL_SEED", 20_261_115));
    let lines: Vec<&str> = listed(ATTACKS).into_iter().flatten().collect();
    let (mut tried, mut bad) = (0, Vec::new());
    while Instant::now() < until {
        let mut sequence = || -> Vec<&str> {
            (0..2 + numbers.below(4)).map(|_| lines[numbers.below(lines.len())]).collect()
        };
        let round: Vec<Vec<&str>> = (0..16).map(|_| sequence()).collect();
        tried += round.len();
        bad.extend(failures(&round));
    }
    println!("{tried} sequences");
    assert!(bad.is_empty(), "{} of {tried}:\n{}", bad.len(), bad.join("\n"));
}
