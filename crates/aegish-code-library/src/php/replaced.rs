//! Parts of texts, and texts with parts replaced.

use super::PhpValues;
use super::formats::integer;
use crate::decode;
use crate::heap::{Entries, insert};
use crate::machine::Machine;
use crate::value::{Args, Val, part_of};
use aegish_values::Value;

/// Parts of texts.
pub trait PhpReplaced: Machine {
    fn substring(&mut self, args: &Args) -> Option<Val> {
        let text = match args.list.first()? {
            Val::Int(number) => number.to_string().into_bytes(),
            other => self.known_bytes(other)?,
        };
        let start = integer(args.list.get(1)?)?;
        let length = args.list.get(2).filter(|value| **value != Val::None).map(integer);
        let (start, end) = range(text.len(), start, length)?;
        Some(Val::bytes(text.get(start..end.max(start))?.to_vec()))
    }

    /// `str_replace`, with arrays too.
    fn replaced_texts(&mut self, name: &str, args: &Args) -> Option<Val> {
        let texts = |this: &mut Self, value: &Val| -> Option<Vec<String>> {
            match value {
                Val::Dict(_) | Val::List(_) => {
                    let entries = this.php_entries(value);
                    if entries.rest.is_some() {
                        return None;
                    }
                    entries.list.iter().map(|(_, item)| item.as_known()).collect()
                }
                other => Some(vec![other.as_known()?]),
            }
        };
        let (from, to) = (texts(self, args.list.first()?)?, args.list.get(1)?.clone());
        let several = matches!(to, Val::Dict(_) | Val::List(_));
        let to = texts(self, &to)?;
        let Some(Val::Text(subject)) = args.list.get(2) else { return None };
        let mut text = subject.as_known()?.to_owned();
        for (place, part) in from.iter().enumerate() {
            let by = if several { to.get(place).map_or("", String::as_str) } else { to.first()? };
            if part.is_empty() || text.len().saturating_mul(by.len() + 1) > decode::LIMIT {
                return None;
            }
            text = match name {
                "str_ireplace" if part.chars().any(char::is_alphabetic) => {
                    replaced_in_any_case(&text, part, by)?
                }
                _ => text.replace(part, by),
            };
        }
        Some(Val::text(text))
    }

    /// `strtr` with two texts or with a map.
    fn translated_text(&mut self, args: &Args) -> Option<Val> {
        let text = args.list.first()?.as_known()?;
        match args.list.get(1)? {
            map @ (Val::Dict(_) | Val::List(_)) => {
                let entries = self.php_entries(map);
                if entries.rest.is_some() {
                    return None;
                }
                let mut pairs = Vec::new();
                for (from, to) in &entries.list {
                    pairs.push((from.as_known()?, to.as_known()?));
                }
                pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
                let (mut out, mut rest) = (String::new(), text.as_str());
                'text: while let Some(c) = rest.chars().next() {
                    for (from, to) in pairs.iter().filter(|(from, _)| !from.is_empty()) {
                        if let Some(behind) = rest.strip_prefix(from.as_str()) {
                            out.push_str(to);
                            rest = behind;
                            continue 'text;
                        }
                    }
                    out.push(c);
                    rest = rest.get(c.len_utf8()..)?;
                }
                Some(Val::text(out))
            }
            from => {
                let from: Vec<char> = from.as_known()?.chars().collect();
                let to: Vec<char> = args.list.get(2)?.as_known()?.chars().collect();
                let one = |c: char| {
                    let at = from.iter().rposition(|known| *known == c);
                    at.and_then(|at| to.get(at)).copied().unwrap_or(c)
                };
                Some(Val::text(text.chars().map(one).collect::<String>()))
            }
        }
    }

    /// The variables of a query: `a=b&c=d`.
    fn php_query(&mut self, text: &Value) -> Val {
        let Some(known) = text.as_known() else {
            return self.php_list(Vec::new(), Some(Val::Text(part_of(text))));
        };
        let mut entries = Entries::default();
        for pair in known.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |part: &str| {
                decode::percent(part, true).map_or_else(|| Val::text(part), Val::bytes)
            };
            match name.split_once('[') {
                Some((outer, _)) => {
                    let inner = self.php_list(Vec::new(), Some(decoded(value)));
                    insert(&mut entries, decoded(outer), inner);
                }
                None => insert(&mut entries, super::key(&decoded(name)), decoded(value)),
            }
        }
        self.php_array(entries)
    }
}

impl<M: Machine> PhpReplaced for M {}

/// Start and end of a part, as `substr` counts them.
pub(super) fn range(
    length: usize,
    start: i64,
    count: Option<Option<i64>>,
) -> Option<(usize, usize)> {
    let all = i64::try_from(length).ok()?;
    let start = if start < 0 { (all + start).max(0) } else { start.min(all) };
    let end = match count {
        None => all,
        Some(count) => match count? {
            count if count < 0 => (all + count).max(start),
            count => start.saturating_add(count).min(all),
        },
    };
    Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?))
}

/// A text in which each place of a part is replaced, whatever its case; none for letters that have no simple case.
fn replaced_in_any_case(text: &str, part: &str, by: &str) -> Option<String> {
    if !text.is_ascii() || !part.is_ascii() {
        return None;
    }
    let (small, part) = (text.to_ascii_lowercase(), part.to_ascii_lowercase());
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = small.get(from..)?.find(&part) {
        out.push_str(text.get(from..from + at)?);
        out.push_str(by);
        from += at + part.len();
    }
    out.push_str(text.get(from..)?);
    Some(out)
}
