//! Brace expansion: `a{b,c}d`, `{1..5..2}`, `{a..e}`; the first step Bash takes on a word.

use crate::{Part, Word};

/// Words with more opening braces are not expanded: finding the closing ones would take too long.
const MAX_BRACES: usize = 200;

/// Limit on the number of words. Beyond it nothing is produced, and the caller reports a limit.
const MAX_WORDS: usize = 4096;

#[derive(Clone)]
enum Atom {
    Char(char),
    Fixed(Part),
}

/// The words a word expands to; `None` if there are too many.
#[must_use]
pub fn expand_braces(word: &Word) -> Option<Vec<Word>> {
    if !word.parts.iter().any(|part| matches!(part, Part::Literal(text) if text.contains('{'))) {
        return Some(vec![word.clone()]);
    }
    let braces = |part: &Part| match part {
        Part::Literal(text) => text.matches('{').count(),
        _ => 0,
    };
    if word.parts.iter().map(braces).sum::<usize>() > MAX_BRACES {
        return None;
    }
    let mut atoms = Vec::new();
    for part in &word.parts {
        match part {
            Part::Literal(text) => atoms.extend(text.chars().map(Atom::Char)),
            other => atoms.push(Atom::Fixed(other.clone())),
        }
    }
    let mut budget = MAX_WORDS;
    let lists = expand_atoms(&atoms, &mut budget, 0)?;
    Some(lists.into_iter().map(|list| rebuild(list, word)).collect())
}

fn rebuild(atoms: Vec<Atom>, word: &Word) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Char(c) => {
                if let Some(Part::Literal(text)) = parts.last_mut() {
                    text.push(c);
                } else {
                    parts.push(Part::Literal(c.to_string()));
                }
            }
            Atom::Fixed(part) => parts.push(part),
        }
    }
    Word { parts, span: word.span }
}

fn is(atom: Option<&Atom>, c: char) -> bool {
    matches!(atom, Some(Atom::Char(found)) if *found == c)
}

fn expand_atoms(atoms: &[Atom], budget: &mut usize, depth: usize) -> Option<Vec<Vec<Atom>>> {
    if depth > 32 {
        return None;
    }
    let Some((open, close, commas)) = find_group(atoms) else {
        return Some(vec![atoms.to_vec()]);
    };
    let prefix = atoms.get(..open).unwrap_or_default();
    let inner = atoms.get(open + 1..close).unwrap_or_default();
    let mut middles: Vec<Vec<Atom>> = Vec::new();
    if commas.is_empty() {
        match sequence(inner, *budget)? {
            Some(items) => middles.extend(items),
            None => {
                // Not an expansion: the brace is text, but what follows it may still expand.
                let mut results = Vec::new();
                for rest in
                    expand_atoms(atoms.get(open + 1..).unwrap_or_default(), budget, depth + 1)?
                {
                    let mut whole = prefix.to_vec();
                    whole.push(Atom::Char('{'));
                    whole.extend(rest);
                    results.push(whole);
                }
                return Some(results);
            }
        }
    } else {
        let mut start = 0;
        for comma in commas.iter().copied().chain([inner.len()]) {
            middles.extend(expand_atoms(
                inner.get(start..comma).unwrap_or_default(),
                budget,
                depth + 1,
            )?);
            start = comma + 1;
        }
    }
    let suffixes = expand_atoms(atoms.get(close + 1..).unwrap_or_default(), budget, depth + 1)?;
    let count = middles.len().checked_mul(suffixes.len())?;
    *budget = budget.checked_sub(count)?;
    let mut results = Vec::with_capacity(count);
    for middle in &middles {
        for suffix in &suffixes {
            let mut whole = prefix.to_vec();
            whole.extend(middle.iter().cloned());
            whole.extend(suffix.iter().cloned());
            results.push(whole);
        }
    }
    Some(results)
}

/// The first `{` with a matching `}`, and the commas between them at its own level. A group without
/// comma is only given if it may be a sequence (`..`), and otherwise skipped.
fn find_group(atoms: &[Atom]) -> Option<(usize, usize, Vec<usize>)> {
    for open in 0..atoms.len() {
        if !is(atoms.get(open), '{') {
            continue;
        }
        let mut depth = 0usize;
        let mut commas = Vec::new();
        for at in open + 1..atoms.len() {
            if is(atoms.get(at), '{') {
                depth += 1;
            } else if is(atoms.get(at), '}') {
                if depth == 0 {
                    let dots =
                        (open + 1..at).any(|i| is(atoms.get(i), '.') && is(atoms.get(i + 1), '.'));
                    if !commas.is_empty() || dots {
                        return Some((open, at, commas));
                    }
                    break;
                }
                depth -= 1;
            } else if depth == 0 && is(atoms.get(at), ',') {
                commas.push(at - open - 1);
            }
        }
    }
    None
}

/// `a..b` or `a..b..step` with numbers or single letters. The outer `None` means too many.
#[allow(clippy::option_option)]
fn sequence(inner: &[Atom], budget: usize) -> Option<Option<Vec<Vec<Atom>>>> {
    let mut text = String::new();
    for atom in inner {
        match atom {
            Atom::Char(c) => text.push(*c),
            Atom::Fixed(_) => return Some(None),
        }
    }
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, 0),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) => (*from, *to, step),
            Err(_) => return Some(None),
        },
        _ => return Some(None),
    };
    let items = if let (Ok(first), Ok(last)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let zeros = |t: &str| {
            let digits = t.strip_prefix('-').unwrap_or(t);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if zeros(from) || zeros(to) { from.len().max(to.len()) } else { 0 };
        match range(first, last, step, budget) {
            Some(numbers) => numbers.into_iter().map(|number| padded(number, width)).collect(),
            None => return None,
        }
    } else {
        let letter = |t: &str| {
            let mut chars = t.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if c.is_ascii_alphabetic() => Some(c),
                _ => None,
            }
        };
        let (Some(first), Some(last)) = (letter(from), letter(to)) else {
            return Some(None);
        };
        let numbers = range(i64::from(first as u32), i64::from(last as u32), step, budget)?;
        numbers
            .into_iter()
            .filter_map(|n| u32::try_from(n).ok().and_then(char::from_u32).map(String::from))
            .collect::<Vec<String>>()
    };
    Some(Some(items.into_iter().map(|item| item.chars().map(Atom::Char).collect()).collect()))
}

fn padded(number: i64, width: usize) -> String {
    if number < 0 {
        format!("-{:0width$}", number.unsigned_abs(), width = width.saturating_sub(1))
    } else {
        format!("{number:0width$}")
    }
}

fn range(first: i64, last: i64, step: i64, budget: usize) -> Option<Vec<i64>> {
    let step = i64::try_from(step.unsigned_abs().max(1)).ok()?;
    let distance = last.checked_sub(first)?.unsigned_abs();
    let count = usize::try_from(distance / step.unsigned_abs()).ok()?.checked_add(1)?;
    if count > budget {
        return None;
    }
    let signed = if last >= first { step } else { -step };
    (0..count).map(|i| first.checked_add(signed.checked_mul(i64::try_from(i).ok()?)?)).collect()
}
