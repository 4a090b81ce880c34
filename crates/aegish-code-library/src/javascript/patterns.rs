//! Regular expressions on known texts.
//!
//! Only texts of ASCII are matched: the classes of characters mean the same there. A pattern that the engine does not
//! know (backreferences, lookaround) gives an unknown text.

use crate::decode;
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{Args, Val};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::rc::Rc;

/// Longest text that is matched.
const LONGEST: usize = 64 * 1024;

fn compiled(pattern: &str, flags: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(1 << 20)
        .build()
        .ok()
}

fn owned(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Regular expressions on known texts.
pub trait ScriptPatterns: Machine {
    /// A method of a text whose first argument is a pattern; none if it is not.
    fn pattern_method(&mut self, text: &str, name: &str, args: &Args) -> Option<Option<Val>> {
        let Some(Val::Pattern(pattern)) = args.get(0) else { return None };
        let pattern = Rc::clone(pattern);
        Some(self.matched(text, name, &pattern, args))
    }

    fn matched(
        &mut self,
        text: &str,
        name: &str,
        pattern: &(Rc<str>, Rc<str>),
        args: &Args,
    ) -> Option<Val> {
        if matches!(name, "replace" | "replaceAll")
            && let Some(function @ (Val::Function(_) | Val::Bound(_) | Val::Library(_))) =
                args.get(1)
        {
            return self.replaced_by(text, pattern, &function.clone());
        }
        if !text.is_ascii() || text.len() > LONGEST {
            return None;
        }
        self.burn(text.len() / 16);
        let regex = compiled(&pattern.0, &pattern.1)?;
        let all = pattern.1.contains('g') || name == "replaceAll";
        Some(match name {
            "replace" | "replaceAll" => {
                let to = self.text_of(&args.get(1)?.clone());
                let to = replacement(to.as_known()?);
                if text.len().saturating_mul(to.len() + 1) > decode::LIMIT {
                    return None;
                }
                let most = usize::from(!all);
                Val::text(owned(&regex.replacen(text.as_bytes(), most, to.as_bytes())))
            }
            "split" => {
                let parts: Vec<Val> =
                    regex.split(text.as_bytes()).map(|part| Val::text(owned(part))).collect();
                // An empty match splits between all characters, but not at the ends.
                let empty = regex.is_match(b"");
                if empty {
                    return None;
                }
                self.new_list(parts)
            }
            "match" | "exec" | "matchAll" if all && name != "exec" => {
                let found: Vec<Val> = regex
                    .find_iter(text.as_bytes())
                    .map(|one| Val::text(owned(one.as_bytes())))
                    .collect();
                if name == "matchAll" {
                    let rows: Vec<Vec<Val>> =
                        regex.captures_iter(text.as_bytes()).map(|one| groups(&one)).collect();
                    let list = rows.into_iter().map(|row| self.new_list(row)).collect();
                    return Some(self.new_list(list));
                }
                if found.is_empty() { Val::None } else { self.new_list(found) }
            }
            "match" | "exec" => match regex.captures(text.as_bytes()) {
                // With the flag `g`, the next call goes on behind the match.
                Some(found) if !all => {
                    let groups = groups(&found);
                    self.new_list(groups)
                }
                Some(_) => {
                    let rest = Val::Text(crate::value::part_of(&aegish_values::Value::known(text)));
                    self.heap().list(Items { list: Vec::new(), rest: Some(rest) })
                }
                None => Val::None,
            },
            "test" => Val::Bool(regex.is_match(text.as_bytes())),
            "search" => {
                let at =
                    regex.find(text.as_bytes()).and_then(|one| i64::try_from(one.start()).ok());
                Val::Int(at.unwrap_or(-1))
            }
            _ => return None,
        })
    }

    /// Every match is replaced by what a function makes of it.
    fn replaced_by(
        &mut self,
        text: &str,
        pattern: &(Rc<str>, Rc<str>),
        function: &Val,
    ) -> Option<Val> {
        let regex =
            compiled(&pattern.0, &pattern.1).filter(|_| text.is_ascii() && text.len() <= LONGEST);
        let Some(regex) = regex else {
            let args = Args { rest: Some(Val::unknown()), ..Args::default() };
            self.maybe(|this| this.call(function, args));
            return None;
        };
        let mut made = aegish_values::Value::empty();
        let mut end = 0;
        let found: Vec<Captures<'_>> = if pattern.1.contains('g') {
            regex.captures_iter(text.as_bytes()).collect()
        } else {
            regex.captures(text.as_bytes()).into_iter().collect()
        };
        for one in found {
            if !self.burn(1) {
                return None;
            }
            let place = one.get(0)?;
            made.push_str(text.get(end..place.start())?);
            end = place.end();
            let mut list = groups(&one);
            list.extend(i64::try_from(place.start()).ok().map(Val::Int));
            list.push(Val::text(text));
            let value = self.call(function, Args::of(list));
            made.append(&self.text_of(&value));
        }
        made.push_str(text.get(end..)?);
        Some(Val::Text(made))
    }

    /// A method of a regular expression.
    fn regular_expression_method(
        &mut self,
        pattern: &Rc<(Rc<str>, Rc<str>)>,
        name: &str,
        args: &Args,
    ) -> Val {
        match name {
            "exec" | "test" => {
                let subject = self.text_of(&args.get(0).cloned().unwrap_or(Val::None));
                let found = subject
                    .as_known()
                    .map(str::to_owned)
                    .and_then(|text| self.matched(&text, name, pattern, args));
                match (found, name) {
                    (Some(value), _) => value,
                    (None, "test") => Val::unknown(),
                    (None, _) => {
                        let part = Val::Text(crate::value::part_of(&subject));
                        let list = self.heap().list(Items { list: Vec::new(), rest: Some(part) });
                        crate::value::join(&list, &Val::None)
                    }
                }
            }
            "toString" => Val::text(format!("/{}/{}", pattern.0, pattern.1)),
            "Symbol.replace" | "Symbol.split" | "Symbol.match" => {
                Val::Text(aegish_values::Value::unknown(crate::value::LOST))
            }
            _ => Val::unknown(),
        }
    }
}

impl<M: Machine> ScriptPatterns for M {}

fn groups(found: &Captures<'_>) -> Vec<Val> {
    found
        .iter()
        .map(|group| group.map_or(Val::None, |group| Val::text(owned(group.as_bytes()))))
        .collect()
}

/// `$1` and `$&` in the spelling of the engine.
fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '$' {
            out.push(c);
            continue;
        }
        match chars.peek().copied() {
            Some('$') => {
                chars.next();
                out.push_str("$$");
            }
            Some('&') => {
                chars.next();
                out.push_str("${0}");
            }
            Some(digit) if digit.is_ascii_digit() => {
                chars.next();
                out.push_str("${");
                out.push(digit);
                out.push('}');
            }
            Some('<') => {
                chars.next();
                out.push_str("${");
                for c in chars.by_ref() {
                    if c == '>' {
                        break;
                    }
                    out.push(c);
                }
                out.push('}');
            }
            _ => out.push_str("$$"),
        }
    }
    out
}
