//! The oracle of inner languages: random programs in which names flow to a use, run by the real interpreter.
//!
//! A driver in the language itself reports every file that is opened and every command that is started. Each must be
//! covered by an effect of the analysis of the same text, or the analysis must be open.

mod generator;
mod javascript;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;

use crate::random::Random;
use aegish_code::{CodeContext, CodeEffect, Language};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What is run for the interpreter: a read-only system, and an empty directory for files.
const ENTER: &str =
    "mount -t tmpfs none /tmp && mount -o remount,bind,ro / && cd /tmp && exec \"$@\"";

/// A program, and the name that its use must show.
struct Program {
    code: String,
    canary: String,
}

/// A language with a generator of programs.
pub(crate) struct Subject {
    name: &'static str,
    /// The programs that it needs, each with its package in Debian.
    needs: &'static [(&'static str, &'static str)],
    /// The interpreter and its option for the code of the driver.
    command: &'static [&'static str],
    driver: &'static str,
    generate: fn(&mut Random, u64) -> Program,
    language: Language,
}

/// The languages that have a generator.
static SUBJECTS: &[Subject] = &[
    Subject {
        name: "python",
        needs: &[("python3", "python3")],
        command: &["python3", "-c"],
        driver: include_str!("driver.py"),
        generate: generator::program::<python::Python>,
        language: Language::Python,
    },
    Subject {
        name: "javascript",
        needs: &[("node", "nodejs")],
        command: &["node", "-e"],
        driver: include_str!("driver.js"),
        generate: generator::program::<javascript::JavaScript>,
        language: Language::JavaScript,
    },
    Subject {
        name: "ruby",
        needs: &[("ruby", "ruby")],
        command: &["ruby", "-e"],
        driver: include_str!("driver.rb"),
        generate: generator::program::<ruby::Ruby>,
        language: Language::Ruby,
    },
    Subject {
        name: "lua",
        needs: &[("lua5.4", "lua5.4")],
        command: &["lua5.4", "-e"],
        driver: include_str!("driver.lua"),
        generate: generator::program::<lua::Lua>,
        language: Language::Lua,
    },
    Subject {
        name: "php",
        needs: &[("php", "php-cli"), ("strace", "strace")],
        command: &[
            "env",
            "AEGISH_TRACE=/tmp/trace",
            "strace",
            "-f",
            "-qq",
            "-s",
            "4096",
            "-e",
            "trace=execve,open,openat,unlink,unlinkat,rename,mkdir,rmdir,chmod,symlink",
            "-o",
            "/tmp/trace",
            "php",
            "-r",
        ],
        driver: include_str!("driver.php"),
        generate: generator::program::<php::Php>,
        language: Language::Php,
    },
    Subject {
        name: "perl",
        needs: &[("perl", "perl")],
        command: &["perl", "-e"],
        driver: include_str!("driver.pl"),
        generate: perl::program,
        language: Language::Perl,
    },
];

/// Finds a language by its name.
pub(crate) fn subject(name: &str) -> Option<&'static Subject> {
    SUBJECTS.iter().find(|subject| subject.name == name)
}

struct Interpreter {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Interpreter {
    fn start(subject: &Subject) -> Result<Self, String> {
        let mut child = Command::new("unshare")
            .args(["--mount", "--map-root-user", "sh", "-c", ENTER, "sh"])
            .args(subject.command)
            .arg(subject.driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} was not started: {error}", subject.name))?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output })
    }

    /// The events of a program, and the error that ended it.
    fn run(&mut self, code: &str) -> Result<(Vec<String>, String), String> {
        write!(self.input, "{}\n{code}", code.len()).map_err(|error| error.to_string())?;
        self.input.flush().map_err(|error| error.to_string())?;
        let mut events = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err("the interpreter ended".to_owned());
            }
            let line = line.trim_end_matches('\n');
            match line.strip_prefix("END ") {
                Some(error) => return Ok((events, error.to_owned())),
                None => events.push(line.to_owned()),
            }
        }
    }
}

/// Runs programs and compares. Returns an error if something was not covered.
pub(crate) fn run(
    subject: &Subject,
    seed: u64,
    programs: u64,
    failures: usize,
) -> Result<(), String> {
    for (program, package) in subject.needs {
        if !is_installed(program) {
            return Err(format!(
                "{program} is not installed (package {package}): programs of {} are NOT compared",
                subject.name
            ));
        }
    }
    let mut random = Random::new(seed);
    let mut interpreter = Interpreter::start(subject)?;
    let (mut covered, mut open, mut uncovered, mut failed) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut unused = 0_u64;
    for number in 0..programs {
        let program = (subject.generate)(&mut random, number);
        let (events, error) = interpreter.run(&program.code)?;
        if !error.is_empty() && events.iter().all(|event| !event.contains(&program.canary)) {
            failed += 1;
            if failed <= 3 {
                println!("program {number} failed with {error}:\n{}\n", program.code);
            }
            continue;
        }
        unused += u64::from(events.iter().all(|event| !event.contains(&program.canary)));
        let around = CodeContext::alone(&|_| None, &[]);
        let effects = aegish_code::follow(subject.language, &program.code, &around);
        if effects.contains(&CodeEffect::Hidden) {
            open += 1;
        } else if events
            .iter()
            .filter(|event| event.contains(&program.canary))
            .all(|event| is_covered(event, &program.canary, &effects))
        {
            covered += 1;
        } else {
            uncovered += 1;
            if uncovered <= failures as u64 {
                println!("not covered: {events:?}\n{}\neffects: {effects:?}\n", program.code);
            }
        }
    }
    drop(interpreter.input);
    let mut rest = String::new();
    let _ = interpreter.output.read_to_string(&mut rest);
    let _ = interpreter.child.wait();
    println!(
        "{programs} programs of {}: {covered} covered ({unused} of them lost the name), {open} open, {uncovered} not covered, {failed} failed",
        subject.name
    );
    if uncovered > 0 {
        return Err(format!("{uncovered} programs did something that is not covered"));
    }
    Ok(())
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Whether an effect of the right kind may name the canary.
fn is_covered(event: &str, canary: &str, effects: &[CodeEffect]) -> bool {
    use aegish_values::{Piece, Value};
    let may_hold = |value: &Value| {
        value.pieces().iter().any(|piece| match piece {
            Piece::Text(text) => text.contains(canary),
            Piece::OneOf(texts) => texts.iter().any(|text| text.contains(canary)),
            _ => true,
        }) || value.readings(64).is_some_and(|texts| texts.iter().any(|text| text.contains(canary)))
    };
    effects.iter().any(|effect| match effect {
        // The guard asks about code that is not known.
        CodeEffect::Eval(_, code) => !code.is_known() || may_hold(code),
        CodeEffect::Shell(text) if event.starts_with("run ") => may_hold(text),
        CodeEffect::Argv(words) if event.starts_with("run ") => words.iter().any(may_hold),
        CodeEffect::Read(path)
        | CodeEffect::List(path)
        | CodeEffect::Write { path, .. }
        | CodeEffect::Delete { path, .. }
        | CodeEffect::Mode { path, .. }
        | CodeEffect::Script(_, path)
        | CodeEffect::Copy { from: path, .. }
            if event.starts_with("open ") =>
        {
            may_hold(path)
        }
        _ => false,
    })
}
