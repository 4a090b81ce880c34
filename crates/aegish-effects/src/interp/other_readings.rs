//! Other readings of the text than Bash's own.
//!
//! Lines after an interactive program may be meant for that program (`less notes` then `!sh`), and text
//! that Bash rejects for a missing quote may be meant as if it had one. Both readings can only add
//! effects to those of Bash's reading.

use super::Interp;
use super::code::Reading;
use aegish_analysis::{EffectKind, Invocation};
use aegish_languages::CodeContext;
use aegish_languages::keys::scan_keys;
use aegish_syntax::{Script, Span, SyntaxErrorKind};
use aegish_values::Value;

/// Ends that a text with an unclosed quote may be missing.
const MISSING_ENDS: &[&str] = &["'", "\"", "\"'", "'\"", "`", ")", "\")"];

/// Number of lines that are searched for a missing quote.
const MAX_LINES: usize = 16;

/// Longer text is not read again.
const MAX_REPAIRED: usize = 64 * 1024;

impl Interp<'_> {
    /// Follows lines that only make sense as input to the program before them.
    pub(crate) fn run_keystrokes(&mut self, source: &str) {
        let programs: Vec<(&'static str, Span, usize)> = self
            .out
            .effects
            .iter()
            .filter_map(|effect| match effect.kind {
                EffectKind::Interactive { keys } => Some((keys, effect.span, effect.command)),
                _ => None,
            })
            .collect();
        // A program of the same kind that was started further up reads the same lines, and those before them.
        let mut read: Vec<(&'static str, Vec<Value>, usize)> = Vec::new();
        for (keys, span, command) in programs {
            let Some(rest) = source.get(span.end as usize..) else { continue };
            let Some((_, typed)) = rest.split_once('\n') else { continue };
            // The files that the program shows or edits.
            let shown: Vec<Value> =
                self.out.commands.get(command).map_or_else(Vec::new, |report| {
                    let words = report.argv.iter().skip(1);
                    words.filter(|word| !word.known_prefix().starts_with('-')).cloned().collect()
                });
            let start = span.end as usize;
            let reads = |(kind, files, from): &(&str, Vec<Value>, usize)| {
                *kind == keys && *from <= start && *files == shown
            };
            if read.iter().any(reads) {
                continue;
            }
            read.push((keys, shown.clone(), start));
            self.worked_on(2 * typed.len() + 16 * read.len());
            if !self.step(span) {
                return;
            }
            // Comments belong to the script, even if the program would read them as commands.
            let typed: String = typed
                .lines()
                .filter(|line| !line.trim_start().starts_with('#'))
                .collect::<Vec<_>>()
                .join("\n");
            let effects = {
                let env = |name: &str| {
                    self.lookup_scalar(name).and_then(|value| value.as_known().map(str::to_owned))
                };
                scan_keys(keys, &typed, &CodeContext::alone(&env, &shown))
            };
            if effects.is_empty() {
                continue;
            }
            let end = source.len();
            let span = Span::new(end - typed.len().min(end), end);
            self.as_part_of(command, |interp| {
                interp.invoked(Invocation::Indirect, |interp| {
                    interp.apply_code_effects(effects, Reading::Scanned, span)
                })
            });
        }
    }

    /// Follows the text with the missing quote added. If it is still unreadable, the files that it names
    /// are reported, as for a program without a profile.
    pub(crate) fn run_repaired(&mut self, source: &str, script: &Script) {
        let Some(error) = &script.error else { return };
        if error.kind == SyntaxErrorKind::Limit || source.len() > MAX_REPAIRED {
            return;
        }
        if error.kind == SyntaxErrorKind::Incomplete {
            let read = script.body.items.len();
            let at_the_end = MISSING_ENDS.iter().find_map(|end| {
                let repaired = aegish_syntax::parse(&format!("{source}{end}"));
                repaired.error.is_none().then_some(repaired)
            });
            for repaired in at_the_end.into_iter().chain(closed_before_redirection(source, read)) {
                for item in repaired.body.items.iter().skip(read) {
                    self.run_and_or(item);
                }
            }
        }
        let read = script.body.items.last().map_or(0, |item| item.span.end as usize);
        let span = self.span(error.span);
        let command = self.report_shell_command(span);
        let rest = source.get(read..).unwrap_or("");
        let outside_names = |c: char| c.is_whitespace() || "'\"()<>;|&=,".contains(c);
        for word in rest.split(outside_names).filter(|word| word.starts_with('/')) {
            let path = Value::known(word);
            self.effect_of(command, EffectKind::Mention { path }, span);
        }
    }
}

/// The text with the quote it lacks put before the last redirection of a line: `echo 'text >file`.
fn closed_before_redirection(source: &str, read: usize) -> Option<Script> {
    let mut start = 0;
    // Bounded: text with an error is open anyway.
    for line in source.split_inclusive('\n').take(MAX_LINES) {
        if let Some(at) = line.rfind(" >") {
            for quote in ["'", "\""] {
                let (before, after) = source.split_at(start + at);
                let repaired = aegish_syntax::parse(&format!("{before}{quote}{after}"));
                if repaired.error.is_none() && repaired.body.items.len() > read {
                    return Some(repaired);
                }
            }
        }
        start += line.len();
    }
    None
}
