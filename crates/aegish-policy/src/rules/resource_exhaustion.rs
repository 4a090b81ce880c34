//! Resource exhaustion.
//!
//! # What
//!
//! Processes that start copies of themselves without end, files that grow without end, and other
//! ways to use up the machine.
//!
//! # Why
//!
//! The machine stops answering, to its owner as well.
//!
//! # Example
//!
//! ```text
//! :(){ :|:& };:
//! yes > /var/tmp/fill
//! ```
//!
//! # Instead
//!
//! Bound the work: a count, `timeout`, `ulimit -u`.
//!
//! # Answers
//!
//! ```toml
//! [exhausted]
//! all = "block"
//! confidence = 0.98
//! instead = "Bound the work: a count, `timeout`, `ulimit -u`."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::Match;
use crate::table::kinds::resource_exhaustion as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Source, Taint, Value};
use aegish_profiles::SystemEffect;

pub(crate) const RULE: Rule = Rule {
    id: "resource-exhaustion",
    name: "resource-exhaustion",
    title: "Resource exhaustion",
    summary: "Uses up the machine: fork bombs, endless writers.",
    action: Action::Block,
    manual: manuals::RESOURCE_EXHAUSTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::Write { path, content, .. }) = view.effect()
        && !view.place.is_some_and(|place| place.write_class().is_some_and(never_fills))
        && !view.runs_under("timeout")
        && never_ends(view, content)
    {
        out.add(&RULE, &kind::EXHAUSTED, Match::Must, || {
            format!("fills the disk: writes to {} without end", show(path))
        });
    }
    if let Some(EffectKind::Read { path, .. }) = view.effect()
        && matches!(view.program(), Some("tail" | "tac" | "sort"))
        && path.as_known().is_some_and(is_endless_file)
        && !view.runs_under("timeout")
    {
        out.add(&RULE, &kind::EXHAUSTED, Match::Must, || {
            format!("fills the memory: waits for the end of {}", show(path))
        });
    }
    if let Some(EffectKind::System { what: SystemEffect::Exhaust, detail, object }) = view.effect()
    {
        out.add(&RULE, &kind::EXHAUSTED, Match::Must, || {
            Reason::new("uses up the machine: ").detail(*detail).object(object)
        });
    }
}

/// Devices are bounded or discard everything, and have their own rules.
fn never_fills(class: WriteClass) -> bool {
    matches!(class, WriteClass::Harmless | WriteClass::Device | WriteClass::LoopDevice)
}

fn is_endless_file(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full")
}

/// Content from an endless source, without a program that cuts it off.
fn is_endless(taint: &Taint) -> bool {
    const HANDING_ON: [&str; 10] =
        ["yes", "cat", "tee", "tr", "base64", "xxd", "od", "pv", "rev", "gzip"];
    let endless = taint.sources().any(|source| match source {
        Source::File(path) => is_endless_file(path),
        Source::Program(name) => name == "yes",
        _ => false,
    });
    endless
        && taint.sources().all(|source| match source {
            Source::File(path) => is_endless_file(path),
            Source::Program(name) => HANDING_ON.contains(&name.as_str()),
            _ => false,
        })
}

/// `dd` without a count, `cp` of a device that never ends, or a stream of such content.
fn never_ends(view: &View<'_>, content: &Value) -> bool {
    match view.program() {
        Some("dd") => {
            view.arguments().any(|word| word.strip_prefix("if=").is_some_and(is_endless_file))
                && !view.words().iter().any(|word| word.known_prefix().starts_with("count="))
        }
        // Unlike a file with holes, what it makes is there.
        Some("fallocate") => view
            .arguments()
            .any(|word| is_huge(word.trim_start_matches("--length=").trim_start_matches("-l"))),
        Some("head") => {
            view.arguments().any(is_endless_file)
                && view.arguments().any(|word| is_huge(word.trim_start_matches("-c")))
        }
        Some("seq") => {
            view.arguments().any(|word| matches!(word, "inf" | "infinity" | "Inf" | "INF"))
        }
        Some("cp") => view.arguments().any(is_endless_file),
        _ => is_endless(content.taint()),
    }
}

/// Half a terabyte and more.
fn is_huge(size: &str) -> bool {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let Ok(number) = digits.parse::<f64>() else { return false };
    let unit = match size.get(digits.len()..).and_then(|unit| unit.chars().next()) {
        Some('T' | 't') => 1e12,
        Some('P' | 'E' | 'Z' | 'Y') => 1e15,
        Some('G' | 'g') => 1e9,
        Some('M' | 'm') => 1e6,
        Some('K' | 'k') => 1e3,
        _ => 1.0,
    };
    number * unit >= 5e11
}
