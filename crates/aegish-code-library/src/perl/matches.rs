//! Patterns: matches, substitutions, `split`, `tr`.

use super::text_functions::PerlTexts;
use super::values::PerlValues;
use crate::heap::{Entries, Items};
use crate::machine::Machine;
use crate::perl::patterns::{self, Found};
use crate::perl::texts;
use crate::value::{Args, Val, join, part_of};
use aegish_values::{Piece, Value};
use std::rc::Rc;

/// Matches, substitutions, `split` and `tr`.
pub trait PerlPatterns: Machine {
    /// The text of a pattern and its flags. Code in it runs.
    fn pattern_of(&mut self, pattern: &Val, flags: &str) -> (Value, String) {
        match pattern {
            Val::Pattern(pattern) => (Value::known(&*pattern.0), format!("{flags}{}", pattern.1)),
            other => {
                let text = self.perl_text(other);
                if let Some(known) = text.as_known()
                    && (known.contains("(?{") || known.contains("(??{"))
                {
                    for code in codes(known) {
                        self.maybe(|this| this.evaluate(&Val::text(code)));
                    }
                }
                (text, flags.to_owned())
            }
        }
    }

    /// Sets the variables of a match.
    fn set_groups(&mut self, found: &Found, text: &Value) {
        let known = |part: &str| Val::Text(Value::known(part).tainted(text.taint()));
        for place in 1..10 {
            let value = match found.groups.get(place) {
                Some(Some(part)) => known(part),
                _ => Val::None,
            };
            self.bind_nearest(&format!("${place}").into(), value);
        }
        if let Some(Some(whole)) = found.groups.first() {
            // What stands before and behind it, where it stands once.
            let around = text.as_known().and_then(|text| text.split_once(whole.as_str()));
            let (before, behind) = match around {
                Some((before, behind)) if !behind.contains(whole.as_str()) => {
                    (known(before), known(behind))
                }
                _ => (Val::Text(part_of(text)), Val::Text(part_of(text))),
            };
            self.bind_nearest(&"$`".into(), before);
            self.bind_nearest(&"$'".into(), behind);
            let whole = known(whole);
            self.bind_nearest(&"$&".into(), whole);
        }
        let last = found.groups.iter().skip(1).rev().find_map(Option::as_ref);
        if let Some(last) = last {
            let last = known(last);
            self.bind_nearest(&"$+".into(), last);
        }
        if !found.names.is_empty() {
            let list =
                found.names.iter().map(|(name, part)| (Val::text(name.clone()), known(part)));
            let entries = Entries { list: list.collect(), rest: None };
            let named = self.heap().dict(entries);
            self.bind_nearest(&"%+".into(), named);
        }
    }

    /// Nothing is known of what matched but the text that it is part of.
    fn forget_groups(&mut self, text: &Value) {
        let part = Val::Text(part_of(text));
        for place in 1..10 {
            self.bind_nearest(&format!("${place}").into(), part.clone());
        }
        self.bind_nearest(&"$&".into(), part.clone());
        let entries = Entries { list: Vec::new(), rest: Some(part) };
        let named = self.heap().dict(entries);
        self.bind_nearest(&"%+".into(), named);
    }

    fn matched_value(&mut self, several: bool, args: &Args) -> Option<Val> {
        let value = args.get(0)?.clone();
        let flags = args.get(2)?.as_known()?;
        let text = self.perl_text(&value);
        let (pattern, flags) = self.pattern_of(args.get(1)?, &flags);
        let all = flags.contains('g');
        let found = match (text.as_known(), pattern.as_known()) {
            (Some(text), Some(pattern)) => {
                self.burn(text.len() / 16);
                patterns::matches(text, pattern, &flags, all)
            }
            _ => None,
        };
        let Some(found) = found else {
            self.forget_groups(&text);
            if !several {
                return Some(Val::unknown());
            }
            let rest = Some(Val::Text(part_of(&text)));
            return Some(Self::perl_list(Items { list: Vec::new(), rest }));
        };
        let Some(last) = found.last() else {
            return Some(if several { Val::Tuple(Vec::new().into()) } else { Val::Bool(false) });
        };
        // With `g`, each match of a loop is another one.
        if all && !several && found.len() > 1 {
            self.forget_groups(&text);
            return Some(Val::unknown());
        }
        if all && !several {
            self.set_groups(last, &text);
            return Some(Val::unknown());
        }
        self.set_groups(last, &text);
        if !several {
            return Some(Val::Bool(true));
        }
        let mut list = Vec::new();
        for one in &found {
            let groups: Vec<&Option<String>> = match one.groups.len() {
                1 if all => one.groups.iter().collect(),
                1 => return Some(Val::Tuple([Val::Int(1)].into())),
                _ => one.groups.iter().skip(1).collect(),
            };
            for group in groups {
                list.push(match group {
                    Some(part) => Val::Text(Value::known(part.as_str()).tainted(text.taint())),
                    None => Val::None,
                });
            }
        }
        Some(Val::Tuple(list.into()))
    }

    fn substituted(&mut self, args: &Args) -> Option<Val> {
        let value = args.get(0)?.clone();
        let function = args.get(2)?.clone();
        let flags = args.get(3)?.as_known()?;
        let text = self.perl_text(&value);
        let evals = flags.matches('e').count();
        let (pattern, flags) = self.pattern_of(args.get(1)?, &flags);
        let all = flags.contains('g');
        let found = match (text.readings(8), pattern.as_known()) {
            (Some(readings), Some(pattern)) => readings
                .into_iter()
                .map(|text| {
                    let found = patterns::matches(&text, pattern, &flags, all)?;
                    Some((text, found))
                })
                .collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let replacement = |this: &mut Self| {
            let made = this.call(&function, Args::default());
            let mut made = this.perl_scalar(made);
            for _ in 1..evals {
                made = this.evaluate(&made);
                made = this.perl_scalar(made);
            }
            made
        };
        let Some(found) = found else {
            let mut made = None;
            self.forget_groups(&text);
            self.repeated(&mut |this| {
                this.forget_groups(&text);
                made = Some(replacement(this));
            });
            let made = made.unwrap_or(Val::None);
            let made = self.perl_text(&made);
            // A text from outside stays one; a known text with a change that is not known is lost.
            let changed = if text.has_unknown() || text.has_glob() {
                let mut changed = Value::empty().tainted(text.taint()).tainted(made.taint());
                changed.push(Piece::Unknown("text that a pattern changed"));
                if made.has_text() && !made.has_unknown() {
                    changed = aegish_values::join_values(&changed, &made);
                }
                Val::Text(changed)
            } else {
                Val::Text(
                    Value::unknown(crate::value::LOST).tainted(text.taint()).tainted(made.taint()),
                )
            };
            return Some(changed);
        };
        let mut result: Option<Val> = None;
        for (known, found) in found {
            let mut made = Value::empty().tainted(text.taint());
            let mut end = 0;
            for one in &found {
                if !self.burn(1) {
                    return Some(Self::lost(&text));
                }
                self.set_groups(one, &text);
                made.push_str(known.get(end..one.start)?);
                let part = replacement(self);
                let part = self.perl_text(&part);
                made.append(&part);
                end = one.end;
            }
            made.push_str(known.get(end..)?);
            let one = Val::Text(made);
            result = Some(result.map_or(one.clone(), |result| join(&result, &one)));
        }
        result
    }

    fn perl_pattern_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        Some(match path {
            "<match>" => self.matched_value(false, args).unwrap_or_else(Val::unknown),
            "<match-list>" => self.matched_value(true, args).unwrap_or_else(Val::unknown),
            "<substitute>" => self.substituted(args).unwrap_or_else(Val::unknown),
            "<qr>" => {
                let flags = args.get(1)?.as_known()?;
                let (pattern, flags) = self.pattern_of(args.get(0)?, &flags);
                match pattern.as_known() {
                    Some(pattern) => Val::Pattern(Rc::new((pattern.into(), flags.into()))),
                    None => Val::Text(pattern),
                }
            }
            "<pattern-code>" => {
                for code in args.list.iter().skip(1).cloned().collect::<Vec<_>>() {
                    self.maybe(|this| this.call(&code, Args::default()));
                }
                // What it matches depends on the code.
                Val::Text(Value::unknown("a pattern with code"))
            }
            "<translate>" => {
                let (from, to) = (args.get(1)?.as_known()?, args.get(2)?.as_known()?);
                let flags = args.get(3)?.as_known()?;
                let value = args.get(0)?.clone();
                // Without a change it only counts.
                if to.is_empty() && !flags.contains(['d', 's']) && !flags.contains('r') {
                    return Some(value);
                }
                self.each_text(&value, &mut |_, text| {
                    texts::translated(text, &from, &to, &flags).map(Val::text)
                })
            }
            "split" => {
                let value = args.get(1)?.clone();
                let limit = match args.list.get(2) {
                    Some(limit) => crate::perl::number(limit),
                    None => Some(0),
                };
                let text = self.perl_text(&value);
                let (pattern, flags) = match args.get(0)? {
                    Val::Text(blank) if blank.as_known() == Some(" ") => {
                        (Value::known(" "), "words".to_owned())
                    }
                    other => self.pattern_of(&other.clone(), ""),
                };
                let parts = match (text.as_known(), pattern.as_known(), limit) {
                    (Some(text), Some(pattern), Some(limit)) => {
                        patterns::split(text, pattern, &flags, limit)
                    }
                    _ => None,
                };
                match parts {
                    Some(parts) => Val::Tuple(
                        parts
                            .into_iter()
                            .map(|part| Val::Text(Value::known(part).tainted(text.taint())))
                            .collect(),
                    ),
                    None => {
                        let rest = Some(Val::Text(part_of(&text)));
                        Self::perl_list(Items { list: Vec::new(), rest })
                    }
                }
            }
            _ => return None,
        })
    }
}

impl<M: Machine> PerlPatterns for M {}

/// The code in a pattern that was made while the program runs.
fn codes(pattern: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in pattern.match_indices("{") {
        let before = pattern.get(..at).unwrap_or("");
        if !(before.ends_with("(?") || before.ends_with("(??")) {
            continue;
        }
        let mut depth = 0_u32;
        for (end, c) in pattern.get(at..).unwrap_or("").char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                out.extend(pattern.get(at + 1..at + end).map(str::to_owned));
                break;
            }
        }
    }
    out
}
