//! `cargo bench --bench growth`: time and memory of a verdict as the text grows, for shapes that make an analysis
//! expensive. Ends with an error if a bar of the design is missed.
//!
//! Each text is judged in a process of its own, so that its peak of memory is its own.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used)] // a program for the terminal

use aegish_guard::{Request, Role, check};
use aegish_test_support::cases;
use aegish_test_support::clock::cpu_time;
use std::process::{Command, ExitCode};
use std::time::Duration;
use std::{env, fs};

/// A shape: its name, its beginning, what is repeated (`#` is the number of the repetition), its end.
type Shape = (&'static str, &'static str, &'static str, &'static str);

const SHAPES: [Shape; 47] = [
    ("aliases", "", "alias a#='echo #'; ", "a1"),
    ("array appended to", "a=(); ", "a+=(e#); ", "echo \"${a[@]}\""),
    ("array doubled", "a=(1); ", "a+=(\"${a[@]}\"); ", ":"),
    ("array elements", "a=(); ", "a+=($x e#); echo ${a[#]} ${a[-2]} ${#a[@]}; ", ":"),
    ("array elements anywhere", "a=(); ", "a[$x]=e#; ", "echo ${a[3]}"),
    ("array literal", "a=(", "e# ", "); echo \"${a[@]}\""),
    ("assignments", "", "v#=a#; ", ":"),
    ("braces", "echo ", "{a,b}# ", ""),
    ("cases", "case $x in ", "a#) y=#;; ", "esac; echo $y"),
    ("chain of and", ":", " && cmd#", ""),
    ("chain of assignments", ":", " && v#=$(cmd)", ""),
    ("chain of or", ":", " || cmd#", ""),
    ("commands", "", "ls -l /tmp/f#\n", ""),
    ("computed lists", "", "seq 1 10000 | head -#; ", ":"),
    ("directories", "", "cd d#; ", "ls"),
    ("directories on a stack", "", "for i in a $x; do pushd d#/`cmd`; done; ", ":"),
    ("downloads", "", "curl -o f# http://h/#\n", ""),
    ("elifs", "if a; then b; ", "elif c#; then v#=1; ", "fi"),
    (
        "files without known names",
        "",
        "for i in a $x; do t=$(mktemp); echo a > $t; mv $t f#; done; ",
        ":",
    ),
    ("functions", "", "f#() { v#=1; }; f#; ", ""),
    ("functions that double", "f() { :; }; ", "f#() { f; f; }; ", "f1"),
    ("here-documents", "", "cat <<E\na#\nE\n", ""),
    ("ifs", "", "if cmd#; then v#=1; else v#=2; fi; ", ":"),
    ("ifs of one variable", "x=; ", "if cmd#; then x=${x}#; fi; ", "ls $x"),
    ("inner shells", "", "sh -c 'echo #'; ", ""),
    (
        "inputs of a process substitution",
        "",
        "v#=$(comm <(echo $a | sort) <(echo $b | sort)); ",
        ":",
    ),
    (
        "links without known targets",
        "",
        "for i in a $x; do t=$(mktemp); ln -s $t l; cat l; done; ",
        ":",
    ),
    ("loops", "", "for i in $x; do v#=$i; done; ", ":"),
    ("loops that read", "", "while read l#; do v#=$l#; done; ", ":"),
    ("operands", "", "cat {1..200} f#; ", ":"),
    ("patterns", "", "for i in a $x; do cat /etc/*.conf /usr/*#; done; ", ":"),
    ("pipeline", "cat", " | cat", ""),
    ("pipelines", "", "echo a# | grep a#; ", ""),
    ("positional parameters doubled", "set -- a; ", "set -- \"$@\" \"$@\"; ", ":"),
    ("process substitutions", "", "x# <(cat f#); ", ""),
    ("programs with input below", "", "sudo debugfs\n! cmd#\n", ""),
    ("redirections", "", "echo a# > f#; ", "cat f1"),
    ("string appended to", "x=a; ", "x=${x}#; ", "ls $x"),
    ("string doubled", "x=a; ", "x=$x$x; ", "ls $x"),
    ("subshells", "", "(v#=1); ", ":"),
    ("substitutions", "", "v#=$(echo #); ", ":"),
    ("substitutions nested", "echo $(", "echo $(echo #) ", ")"),
    ("traps in branches", "", "if x#; then trap ': $x#' DEBUG; fi; ", ":"),
    ("unknown text appended", "", "x=\"$x $(cmd)\"; ", "ls $x"),
    ("words", "echo ", "word# ", ""),
    ("words behind unknown ones", "set -- ", "$x e# ", "; shift; echo $3 \"$@\""),
    ("writers in parallel", "", "echo a# | tee >(cat > f#) > g#; ", ":"),
];

/// Sizes of texts: each is twice the one before, except the first.
const SIZES: [usize; 4] = [4 << 10, 16 << 10, 32 << 10, 64 << 10];
/// How much longer twice the text may take.
const RATIO_BAR: f64 = 2.3;
/// Times below this are too short to be compared.
const COMPARED: Duration = Duration::from_millis(4);
/// Time and memory of a text of the smallest size.
const SMALL_BARS: (Duration, u64) = (Duration::from_millis(20), 32 << 10);
/// Time of a text of the largest size.
const LARGE_BAR: Duration = Duration::from_millis(100);
/// Measurements of one text, of which the shortest counts: others use the same processors.
const RUNS: usize = 11;
/// In the environment of a process that judges one text: number of the shape and size of the text.
const TASK: &str = "AEGISH_GROWTH";

/// A text of this shape with about this many bytes, not more.
fn text(shape: Shape, size: usize) -> String {
    let (_, start, repeated, end) = shape;
    let mut text = start.to_owned();
    for number in 1.. {
        let next = repeated.replace('#', &number.to_string());
        if text.len() + next.len() + end.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text + end
}

/// Peak of memory of this process in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// Judges one text; prints the shortest of several times in nanoseconds, and the memory in KiB.
fn judge_one(task: &str) {
    let (shape, size) = task.split_once(' ').expect("two numbers");
    let shape: usize = shape.parse().expect("a number");
    let text = text(SHAPES[shape], size.parse().expect("a number"));
    let context = cases::surroundings("/nonexistent").context(&cases::REAL);
    let judge = |text: &str| {
        let text = text.as_bytes();
        let start = cpu_time();
        drop(check(&Request { text, context: &context, role: Role::Default, user_rules: &[] }));
        cpu_time() - start
    };
    judge("ls -la");
    let before = peak();
    let shortest = (0..RUNS).map(|_| judge(&text)).min().unwrap_or_default();
    println!("{} {}", shortest.as_nanos(), peak() - before);
}

/// The time and memory that a process of its own needs.
fn measured(shape: usize, size: usize) -> (Duration, u64) {
    let own = env::current_exe().expect("the path of this program");
    let output = Command::new(own).env(TASK, format!("{shape} {size}")).output();
    let output = String::from_utf8(output.expect("a process").stdout).expect("text");
    let (time, memory) = output.trim().split_once(' ').expect("two numbers");
    (Duration::from_nanos(time.parse().expect("a number")), memory.parse().expect("a number"))
}

fn main() -> ExitCode {
    if let Ok(task) = env::var(TASK) {
        judge_one(&task);
        return ExitCode::SUCCESS;
    }
    println!("{:<30} {:>9} {:>9} {:>9} {:>9} {:>9}", "ms", "4 KiB", "16", "32", "64", "MiB");
    let mut missed = Vec::new();
    for (number, (name, ..)) in SHAPES.iter().enumerate() {
        let all = SIZES.map(|size| measured(number, size));
        let times = all.map(|(time, _)| time);
        let [small, one, two, four] = times.map(|time| time.as_secs_f64() * 1e3);
        #[allow(clippy::cast_precision_loss)] // for the eye
        let memory = all.map(|(_, memory)| memory as f64 / 1024.0);
        println!("{name:<30} {small:>9.2} {one:>9.2} {two:>9.2} {four:>9.2} {:>9.1}", memory[3]);
        let [_, first, second, third] = times;
        for (time, twice) in [(first, second), (second, third)] {
            let ratio = twice.as_secs_f64() / time.as_secs_f64();
            if twice > COMPARED && ratio > RATIO_BAR {
                missed.push(format!("{name}: {ratio:.1} times as long for twice the text"));
            }
        }
        if times[0] > SMALL_BARS.0 || all[0].1 > SMALL_BARS.1 {
            missed.push(format!("{name}: {small:.1} ms and {:.1} MiB for 4 KiB", memory[0]));
        }
        if times[3] > LARGE_BAR {
            missed.push(format!("{name}: {four:.1} ms for 64 KiB"));
        }
    }
    println!(
        "bars: at most {RATIO_BAR} times as long for twice the text; {SMALL_BARS:?} (KiB) for 4 KiB of text, \
         {LARGE_BAR:?} for 64 KiB: {}",
        if missed.is_empty() { "hold" } else { "MISSED" }
    );
    missed.iter().for_each(|line| println!("  {line}"));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
