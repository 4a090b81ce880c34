//! `cargo bench -p aegish-judge`: the cost of a cached opinion, compared with the bar of the design.
//!
//! Plain timing instead of a framework, because microseconds are compared with a millisecond. The server of
//! the chain counts its requests: none after the first question.
#![allow(clippy::print_stdout, clippy::expect_used, clippy::needless_pass_by_value)] // for the terminal

#[path = "../tests/suite/support.rs"]
#[allow(dead_code)] // its other half serves the tests
mod support;

use aegish_test_support::fake;
use std::hint::black_box;
use std::time::{Duration, Instant};

use aegish_judge::{Evidence, JudgeSettings, OpinionSource, ScriptEvidence};
use aegish_policy::Role;
use aegish_wire::Protocol;
use support::{Home, judge, server, verdict};

/// Maximum added time of a cached opinion.
const BAR: Duration = Duration::from_millis(1);
const ROUNDS: usize = 2000;

fn main() {
    let home = Home::new();
    let primary = server(&verdict("warn", "It looks at the whole disk, which is rarely meant."));
    let settings = home.settings(Protocol::OpenAiChat, &primary, None);
    let script = "#!/bin/sh\nset -eu\nfor file in *.log; do\n  gzip -9 \"$file\"\ndone\n";
    let long = script.repeat(1000);
    let effects: Vec<String> = (0..12).map(|n| format!("reads: /var/log/part-{n}.log")).collect();
    let (short, long) = (
        [ScriptEvidence { path: "pack.sh", contents: Some(script) }],
        [ScriptEvidence { path: "pack.sh", contents: Some(&long) }],
    );
    let bare = Evidence { command: "find / -name '*.log' -size +1M", ..Evidence::default() };
    let usual = Evidence { effects: &effects, scripts: &short, ..bare };
    let most = Evidence { scripts: &long, ..usual };
    println!("{:<44} {:>10} {:>10} {:>10}", "a kept opinion", "median", "p99", "longest");
    for (name, evidence) in [
        ("a command alone", bare),
        ("with effects and a script", usual),
        ("with a script of 70 KB", most),
    ] {
        let first = judge(settings.clone()).ask(&evidence, Role::Default);
        assert_eq!(first.source, OpinionSource::Model);
        let calls = primary.seen().len();
        let warm = judge(settings.clone());
        let told = time(|| {
            let ruling = warm.ask(black_box(&evidence), Role::Default);
            assert_eq!(ruling.source, OpinionSource::Cache);
        });
        row(&format!("{name}, same process"), &told);
        let told = time(|| one_shot(&settings, &evidence));
        row(&format!("{name}, judge made anew"), &told);
        assert_eq!(primary.seen().len(), calls, "nothing was sent");
    }
}

/// The work of a process that asks once.
fn one_shot(settings: &JudgeSettings, evidence: &Evidence<'_>) {
    let settings = JudgeSettings { prompt: JudgeSettings::default().prompt, ..settings.clone() };
    let ruling = judge(settings).ask(black_box(evidence), Role::Default);
    assert_eq!(ruling.source, OpinionSource::Cache);
}

fn time(mut work: impl FnMut()) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

fn row(name: &str, times: &[Duration]) {
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let holds = if at(0.5) <= BAR { "holds" } else { "MISSED" };
    println!(
        "{name:<44} {:>10.1?} {:>10.1?} {:>10.1?}  bar {BAR:?}: {holds}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
