//! Regular expressions and wildcards.

use super::{PowerShellValues, each_text};
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{Val, part_of};
use regex::bytes::{Captures, Regex, RegexBuilder};

/// Longest text that is matched.
const LONGEST: usize = 64 * 1024;

/// A regular expression; none if the pattern is not one that both libraries read alike.
#[must_use]
pub fn compiled(pattern: &str, cased: bool) -> Option<Regex> {
    if !pattern.is_ascii() {
        return None;
    }
    RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(!cased)
        .size_limit(1 << 20)
        .build()
        .ok()
}

/// The regular expression of a wildcard pattern.
#[must_use]
pub fn wildcard(pattern: &str) -> Option<Regex> {
    let mut source = String::from("(?s)^");
    for c in pattern.chars() {
        match c {
            '*' => source.push_str(".*"),
            '?' => source.push('.'),
            '[' | ']' | '`' => return None,
            c => source.push_str(&regex::escape(&c.to_string())),
        }
    }
    source.push('$');
    compiled(&source, false)
}

/// The text of bytes that were found in a plain text.
#[must_use]
pub fn plain(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text that a replacement stands for.
fn expanded(replacement: &str, found: &Captures<'_>) -> Option<String> {
    let mut out = String::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at + 1..)?;
        if let Some(behind) = rest.strip_prefix('$') {
            out.push('$');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('&') {
            out.push_str(&plain(found.get(0)?.as_bytes()));
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('{') {
            let end = behind.find('}')?;
            let name = behind.get(..end)?;
            let group = match name.parse::<usize>() {
                Ok(number) => found.get(number),
                Err(_) => found.name(name),
            };
            out.push_str(&group.map_or_else(String::new, |group| plain(group.as_bytes())));
            rest = behind.get(end + 1..)?;
        } else {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            match rest.get(..digits).and_then(|digits| digits.parse::<usize>().ok()) {
                Some(number) if number < found.len() => {
                    let group = found.get(number);
                    out.push_str(&group.map_or_else(String::new, |group| plain(group.as_bytes())));
                    rest = rest.get(digits..)?;
                }
                Some(_) => return None,
                None => out.push('$'),
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

/// The text with all matches replaced.
#[must_use]
pub fn replaced(text: &str, pattern: &str, replacement: &str, cased: bool) -> Option<String> {
    if text.len() > LONGEST || !text.is_ascii() {
        return None;
    }
    let pattern = compiled(pattern, cased)?;
    let mut out = String::new();
    let mut last = 0;
    for found in pattern.captures_iter(text.as_bytes()) {
        let all = found.get(0)?;
        out.push_str(text.get(last..all.start())?);
        out.push_str(&expanded(replacement, &found)?);
        last = all.end();
        if out.len() > crate::decode::LIMIT {
            return None;
        }
    }
    out.push_str(text.get(last..)?);
    Some(out)
}

/// Regular expressions and wildcards.
pub trait PowerShellPatterns: Machine {
    /// `-replace`.
    fn replaced_by(&mut self, subject: &Val, by: &Val, cased: bool) -> Val {
        if matches!(subject, Val::List(_) | Val::Tuple(_)) {
            let items = self.powershell_items(subject);
            let list: Vec<Val> =
                items.list.iter().map(|item| self.replaced_by(item, by, cased)).collect();
            let rest = items.rest.map(|item| self.replaced_by(&item, by, cased));
            return self.heap().list(Items { list, rest });
        }
        let text = self.powershell_text(subject);
        let by = self.powershell_items(by);
        let pattern = by.list.first().map(|pattern| self.powershell_text(pattern));
        let replacement = match by.list.get(1) {
            Some(Val::Function(_) | Val::Partial(_)) => {
                let function = by.list.get(1).cloned().unwrap_or(Val::None);
                self.maybe(|this| {
                    this.call(&function, crate::value::Args::of(vec![Val::Text(text.clone())]))
                });
                return Val::Text(part_of(&text));
            }
            Some(replacement) => self.powershell_text(replacement),
            None => aegish_values::Value::empty(),
        };
        let (Some(pattern), None) = (pattern, &by.rest) else {
            return Val::Text(part_of(&text));
        };
        let (Some(pattern), Some(by)) = (pattern.as_known(), replacement.as_known()) else {
            let mut all = text.clone();
            all.append(&replacement);
            return Val::Text(part_of(&all));
        };
        each_text(&text, |text| replaced(text, pattern, by, cased).map(Val::text))
    }

    /// `-split`; without a pattern, blanks are between the parts.
    fn split_by(&mut self, subject: &Val, by: Option<&Val>, cased: bool) -> Val {
        let text = self.powershell_text(subject);
        let by = by.map(|by| self.powershell_items(by));
        let list: Option<Vec<Val>> = match (text.as_known(), by) {
            (Some(known), None) => Some(known.split_whitespace().map(Val::text).collect()),
            (Some(known), Some(by)) if known.len() <= LONGEST && known.is_ascii() => {
                let most = by.list.get(1).map_or(Some(0), Val::as_int);
                match (by.list.first().and_then(Val::as_known), most) {
                    // Groups of the pattern would be parts too.
                    (Some(pattern), Some(most)) if !pattern.contains('(') => {
                        let most = usize::try_from(most).unwrap_or(0);
                        compiled(&pattern, cased).map(|pattern| {
                            let most = if most == 0 { usize::MAX } else { most };
                            let parts = pattern.splitn(known.as_bytes(), most);
                            parts.map(|part| Val::text(plain(part))).collect()
                        })
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match list {
            Some(list) if list.len() <= crate::limits::MAX_ITEMS => {
                self.heap().list(Items { list, rest: None })
            }
            _ => {
                let rest = Some(Val::Text(part_of(&text)));
                self.heap().list(Items { list: Vec::new(), rest })
            }
        }
    }

    /// `-like`.
    fn is_like(&mut self, subject: &Val, pattern: &Val) -> Option<bool> {
        let Val::Text(subject) = subject else { return None };
        let pattern = wildcard(pattern.to_text().as_known()?)?;
        let subject = subject.as_known().filter(|subject| subject.is_ascii())?;
        Some(pattern.is_match(subject.as_bytes()))
    }
}

impl<M: Machine> PowerShellPatterns for M {}
