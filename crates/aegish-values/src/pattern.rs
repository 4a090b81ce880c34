//! Shell patterns (`*`, `?`, `[…]`, extended globs) matched against known text.
//!
//! Work is bounded: a match that takes too many steps counts as unknown (`None`).

/// A pattern in compiled form.
#[derive(Debug, Clone)]
pub enum Node {
    /// This character.
    Char(char),
    /// `?`
    Any,
    /// `*`
    Star,
    /// `[…]`
    Class {
        /// `[!…]`
        negated: bool,
        /// Inclusive ranges.
        ranges: Vec<(char, char)>,
    },
    /// `@(a|b)` and the other extended globs.
    Group(char, Vec<Vec<Node>>),
}

/// Converts a pattern to lower case, for matching without regard to case.
#[must_use]
pub fn small(pattern: &[Node]) -> Vec<Node> {
    let small_letter = |c: &char| c.to_lowercase().next().unwrap_or(*c);
    pattern
        .iter()
        .map(|node| match node {
            Node::Char(c) => Node::Char(small_letter(c)),
            Node::Class { negated, ranges } => {
                let ranges = ranges.iter().map(|(a, b)| (small_letter(a), small_letter(b)));
                Node::Class { negated: *negated, ranges: ranges.collect() }
            }
            Node::Group(kind, options) => {
                Node::Group(*kind, options.iter().map(|option| small(option)).collect())
            }
            other => other.clone(),
        })
        .collect()
}

/// Maximum number of steps of a match.
const MAX_STEPS: usize = 20_000;
/// Comparisons before a pattern without groups is given up.
const MAX_WORK: usize = 200_000;

/// Whether the whole text matches.
#[must_use]
pub fn matches(pattern: &[Node], text: &[char]) -> Option<bool> {
    if pattern.iter().any(|node| matches!(node, Node::Group(..))) {
        let mut steps = 0;
        return walk(pattern, text, &mut steps, &mut |rest| rest.is_empty());
    }
    // Only the last star has to be tried again: what an earlier one could take, the last one can take as well.
    let (mut at, mut next, mut star) = (0, 0, None);
    let mut steps = 0;
    while let Some(c) = text.get(at) {
        steps += 1;
        if steps > MAX_WORK {
            return None;
        }
        match (pattern.get(next), star) {
            (Some(Node::Star), _) => {
                star = Some((next + 1, at));
                next += 1;
            }
            (Some(node), _) if matches_char(node, *c) => {
                at += 1;
                next += 1;
            }
            (_, Some((behind, taken))) => {
                star = Some((behind, taken + 1));
                at = taken + 1;
                next = behind;
            }
            (_, None) => return Some(false),
        }
    }
    let rest = pattern.get(next..).unwrap_or_default();
    Some(rest.iter().all(|node| matches!(node, Node::Star)))
}

/// The lengths of the beginnings of a text that a pattern matches, ascending; `None` if that takes too much work.
/// `work` counts the comparisons of several calls.
#[must_use]
pub fn prefixes(pattern: &[Node], text: &[char], work: &mut usize) -> Option<Vec<usize>> {
    if pattern.iter().any(|node| matches!(node, Node::Group(..))) {
        let mut lengths = Vec::new();
        for length in 0..=text.len() {
            *work += length + 1;
            if *work > MAX_WORK {
                return None;
            }
            if matches(pattern, text.get(..length)?)? {
                lengths.push(length);
            }
        }
        return Some(lengths);
    }
    // Places in the pattern that are reached after the characters so far, ascending.
    let mut places = reached(pattern, [0]);
    let mut lengths = Vec::new();
    for length in 0..=text.len() {
        if places.last() == Some(&pattern.len()) {
            lengths.push(length);
        }
        *work += places.len() + 1;
        if *work > MAX_WORK {
            return None;
        }
        let Some(c) = text.get(length) else { break };
        let next = places.iter().filter_map(|place| match pattern.get(*place)? {
            Node::Star => Some(*place),
            node => matches_char(node, *c).then_some(place + 1),
        });
        places = reached(pattern, next);
        if places.is_empty() {
            break;
        }
    }
    Some(lengths)
}

/// The lengths of the ends of a text that a pattern matches, as [`prefixes`].
#[must_use]
pub fn suffixes(pattern: &[Node], text: &[char], work: &mut usize) -> Option<Vec<usize>> {
    if pattern.iter().any(|node| matches!(node, Node::Group(..))) {
        let mut lengths = Vec::new();
        for length in 0..=text.len() {
            *work += length + 1;
            if *work > MAX_WORK {
                return None;
            }
            if matches(pattern, text.get(text.len() - length..)?)? {
                lengths.push(length);
            }
        }
        return Some(lengths);
    }
    let pattern: Vec<Node> = pattern.iter().rev().cloned().collect();
    let text: Vec<char> = text.iter().rev().copied().collect();
    prefixes(&pattern, &text, work)
}

/// These places in a pattern, and those behind stars that take nothing; ascending and without repetitions.
fn reached(pattern: &[Node], places: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    for mut place in places {
        loop {
            if all.last().is_none_or(|last| *last < place) {
                all.push(place);
            }
            if !matches!(pattern.get(place), Some(Node::Star)) {
                break;
            }
            place += 1;
        }
    }
    all
}

fn walk(
    pattern: &[Node],
    text: &[char],
    steps: &mut usize,
    done: &mut dyn FnMut(&[char]) -> bool,
) -> Option<bool> {
    *steps += 1;
    if *steps > MAX_STEPS {
        return None;
    }
    let Some((node, rest)) = pattern.split_first() else {
        return Some(done(text));
    };
    match node {
        Node::Star => {
            for cut in 0..=text.len() {
                if walk(rest, text.get(cut..).unwrap_or_default(), steps, done)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        Node::Group(kind, alternatives) => group(*kind, alternatives, rest, text, steps, done),
        single => match text.split_first() {
            Some((c, tail)) if matches_char(single, *c) => walk(rest, tail, steps, done),
            _ => Some(false),
        },
    }
}

fn group(
    kind: char,
    alternatives: &[Vec<Node>],
    rest: &[Node],
    text: &[char],
    steps: &mut usize,
    done: &mut dyn FnMut(&[char]) -> bool,
) -> Option<bool> {
    if matches!(kind, '?' | '*') && walk(rest, text, steps, done)? {
        return Some(true);
    }
    for cut in 0..=text.len() {
        let (head, tail) = text.split_at(cut);
        let mut hit = false;
        for alternative in alternatives {
            if walk(alternative, head, steps, &mut |left| left.is_empty())? {
                hit = true;
                break;
            }
        }
        let taken = if kind == '!' { !hit } else { hit };
        if !taken {
            continue;
        }
        let again = matches!(kind, '*' | '+') && cut > 0;
        if walk(rest, tail, steps, done)? {
            return Some(true);
        }
        if again && group('*', alternatives, rest, tail, steps, done)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a single-character node accepts `c`.
#[must_use]
pub fn matches_char(node: &Node, c: char) -> bool {
    match node {
        Node::Char(expected) => *expected == c,
        Node::Any => true,
        Node::Class { negated, ranges } => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
        }
        Node::Star | Node::Group(..) => false,
    }
}

/// Compiles text in which every character is active (no quoting), e.g. the value of `$pattern`.
#[must_use]
pub fn compile(text: &str) -> Vec<Node> {
    let chars: Vec<char> = text.chars().collect();
    let mut nodes = Vec::with_capacity(chars.len());
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match c {
            '*' => nodes.push(Node::Star),
            '?' => nodes.push(Node::Any),
            '\\' => {
                let escaped = chars.get(at + 1);
                at += usize::from(escaped.is_some());
                nodes.push(Node::Char(*escaped.unwrap_or(c)));
            }
            '[' => {
                if let Some((node, after)) = class(&chars, at) {
                    nodes.push(node);
                    at = after;
                    continue;
                }
                nodes.push(Node::Char('['));
            }
            c => nodes.push(Node::Char(*c)),
        }
        at += 1;
    }
    nodes
}

/// As [`compile`], but `@(a|b)` and the other extended globs count. `None` if one is not closed.
#[must_use]
pub fn compile_extended(text: &str) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        if matches!(c, '@' | '+' | '?' | '*' | '!') && behind.starts_with('(') {
            nodes.extend(compile(&std::mem::take(&mut plain)));
            let (options, after) = alternatives(behind)?;
            let options = options.into_iter().map(compile_extended).collect::<Option<Vec<_>>>()?;
            nodes.push(Node::Group(c, options));
            rest = after;
            continue;
        }
        plain.push(c);
        rest = behind;
    }
    nodes.extend(compile(&plain));
    Some(nodes)
}

/// The parts of `(a|b)` at the start of a text, and the rest.
fn alternatives(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut options = Vec::new();
    let (mut depth, mut start) = (0_usize, 1);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            '|' if depth == 1 => {
                options.push(text.get(start..at)?);
                start = at + 1;
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    options.push(text.get(start..at)?);
                    return Some((options, text.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// Parses `[…]` at `start`; gives the node and the index after it.
#[must_use]
pub fn class(chars: &[char], start: usize) -> Option<(Node, usize)> {
    let mut at = start + 1;
    let negated = matches!(chars.get(at), Some('!' | '^'));
    if negated {
        at += 1;
    }
    let mut ranges = Vec::new();
    let first = at;
    loop {
        let c = *chars.get(at)?;
        if c == ']' && at > first {
            return Some((Node::Class { negated, ranges }, at + 1));
        }
        // `[.e.]` and `[=e=]` are the character itself.
        if c == '['
            && let Some(mark @ ('.' | '=')) = chars.get(at + 1)
            && let (Some(inner), Some(close), Some(']')) =
                (chars.get(at + 2), chars.get(at + 3), chars.get(at + 4))
            && close == mark
        {
            ranges.push((*inner, *inner));
            at += 5;
            continue;
        }
        if c == '[' && chars.get(at + 1) == Some(&':') {
            let close = (at + 2..chars.len().saturating_sub(1))
                .find(|i| chars.get(*i..*i + 2) == Some(&[':', ']']))?;
            let name: String = chars.get(at + 2..close).unwrap_or_default().iter().collect();
            named_class(&name, &mut ranges);
            at = close + 2;
            continue;
        }
        let c = match (c, chars.get(at + 1)) {
            ('\\', Some(escaped)) => {
                at += 1;
                *escaped
            }
            _ => c,
        };
        if chars.get(at + 1) == Some(&'-') && chars.get(at + 2).is_some_and(|end| *end != ']') {
            ranges.push((c, *chars.get(at + 2)?));
            at += 3;
        } else {
            ranges.push((c, c));
            at += 1;
        }
    }
}

fn named_class(name: &str, ranges: &mut Vec<(char, char)>) {
    let set: &[(char, char)] = match name {
        "alpha" => &[('a', 'z'), ('A', 'Z')],
        "digit" => &[('0', '9')],
        "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "upper" => &[('A', 'Z')],
        "lower" => &[('a', 'z')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
        "word" => &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
        "print" => &[(' ', '~')],
        "graph" => &[('!', '~')],
        "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        _ => &[],
    };
    ranges.extend_from_slice(set);
}

#[cfg(test)]
mod tests {
    use super::{compile, compile_extended, matches, prefixes, suffixes};

    #[test]
    fn patterns_match_like_in_the_shell() {
        let cases = [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt.bak", false),
            ("?at", "cat", true),
            ("[a-c]at", "bat", true),
            ("[!a-c]at", "bat", false),
            ("[[:digit:]]*", "7up", true),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("[", "[", true),
        ];
        for (pattern, text, expected) in cases {
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(matches(&compile(pattern), &chars), Some(expected), "{pattern} {text}");
        }
    }

    #[test]
    fn an_exponential_pattern_reaches_the_limit() {
        let text: Vec<char> = "a".repeat(200).chars().collect();
        let pattern = compile(&("*a".repeat(30) + "b"));
        assert_eq!(matches(&pattern, &text), Some(false));
        let pattern = compile_extended(&("*(a)".repeat(30) + "b")).unwrap();
        assert_ne!(matches(&pattern, &text), Some(true));
    }

    #[test]
    fn beginnings_and_ends_are_found_in_one_pass() {
        let cases: [(&str, &str, &[usize], &[usize]); 6] = [
            ("*a", "banana", &[2, 4, 6], &[1, 2, 3, 4, 5, 6]),
            ("a*", "abc", &[1, 2, 3], &[3]),
            ("?", "abc", &[1], &[1]),
            ("", "abc", &[0], &[0]),
            ("*", "ab", &[0, 1, 2], &[0, 1, 2]),
            ("@(a|ab)", "ab", &[1, 2], &[2]),
        ];
        for (pattern, text, starts, ends) in cases {
            let nodes = compile_extended(pattern).unwrap();
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(prefixes(&nodes, &chars, &mut 0).unwrap(), starts, "{pattern} {text}");
            assert_eq!(suffixes(&nodes, &chars, &mut 0).unwrap(), ends, "{pattern} {text}");
        }
    }
}
