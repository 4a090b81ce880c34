//! Checks the examples in program profiles against the analysis.

use aegish_effects::{Context, analyze};
use aegish_profiles::Example;
use std::fmt;

/// An example that does not hold.
pub struct FailedExample {
    program: &'static str,
    example: &'static Example,
    missing: Vec<&'static str>,
    unwanted: Vec<String>,
    found: Vec<String>,
}

impl FailedExample {
    /// One line that names the example.
    pub fn key(&self) -> String {
        format!("{}: {}", self.program, self.example.command.escape_debug())
    }
}

impl fmt::Display for FailedExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.key())?;
        for effect in &self.missing {
            writeln!(f, "    missing:  {effect}")?;
        }
        for effect in &self.unwanted {
            writeln!(f, "    unwanted: {effect}")?;
        }
        write!(f, "    found:    {}", self.found.join("; "))
    }
}

/// Every example that does not hold, by program.
pub fn failures() -> Vec<FailedExample> {
    let mut list = Vec::new();
    for profile in aegish_profiles::all() {
        list.extend(profile.examples.iter().filter_map(|example| check(profile.name, example)));
    }
    list
}

fn check(program: &'static str, example: &'static Example) -> Option<FailedExample> {
    let script = aegish_syntax::parse(example.command);
    let analysis = analyze(example.command, &script, &Context::bare());
    let found: Vec<String> =
        analysis.effects.iter().map(|effect| shown(&effect.kind.to_string())).collect();
    let matches = |wanted: &str, effect: &String| match wanted.strip_suffix('…') {
        Some(prefix) => effect.starts_with(prefix),
        None => effect == wanted,
    };
    let missing: Vec<&str> = example
        .effects
        .iter()
        .copied()
        .filter(|wanted| !found.iter().any(|effect| matches(wanted, effect)))
        .collect();
    let unwanted: Vec<String> = found
        .iter()
        .filter(|effect| example.never.iter().any(|prefix| effect.starts_with(prefix)))
        .cloned()
        .collect();
    let fails = !missing.is_empty() || !unwanted.is_empty();
    fails.then_some(FailedExample { program, example, missing, unwanted, found })
}

/// An effect with names relative to the directory that the examples run in, which is not known.
fn shown(effect: &str) -> String {
    effect.replace("/‹working directory›/", "")
}
