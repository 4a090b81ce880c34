//! Lines and words of an input, as `read` takes them.

use crate::items::lines;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};

/// The word of a line with this number, or the rest of the line from there on, as far as the text tells. Something
/// unknown may be several words.
#[must_use]
pub fn word_at(line: &Value, index: usize, rest: bool, ifs: &str, raw: bool) -> Value {
    let Some(variants) = line.variants(MAX_ALTERNATIVES) else { return Value::lost() };
    let words = variants.iter().map(|one| word_of(one, index, rest, ifs, raw));
    words.reduce(|all, word| join_values(&all, &word)).unwrap_or_default()
}

fn word_of(line: &Value, index: usize, rest: bool, ifs: &str, raw: bool) -> Value {
    if let Some(text) = line.as_known() {
        let count = if rest { index + 1 } else { index + 2 };
        let word = split_words(text, count, ifs, raw).into_iter().nth(index).unwrap_or_default();
        return Value::known(word).tainted(line.taint());
    }
    if line.pieces().iter().all(|piece| matches!(piece, Piece::Unknown(_))) {
        return line.clone();
    }
    let separators: Vec<char> = ifs.chars().collect();
    let words = lines(line, &separators);
    let mut value = words.get(index).cloned().unwrap_or_else(|| Value::unknown(origin::INPUT_LINE));
    for word in words.iter().skip(index + 1).take_while(|_| rest) {
        value.push_str(" ");
        value.append(word);
    }
    value
}

/// The characters of a line, and whether each of them is protected: without `-r` a backslash protects the next one.
fn characters(text: &str, raw: bool) -> Vec<(char, bool)> {
    let mut all = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' if !raw => all.extend(rest.next().filter(|c| *c != '\n').map(|c| (c, true))),
            c => all.push((c, false)),
        }
    }
    all
}

/// A line without the backslashes that protect characters.
#[must_use]
pub fn unprotected(text: &str, raw: bool) -> String {
    characters(text, raw).into_iter().map(|(c, _)| c).collect()
}

/// Takes a word from the front of a line, with the separator behind it.
fn take_word(rest: &mut &[(char, bool)], ifs: &str) -> String {
    let separates = |(c, protected): &(char, bool)| !protected && ifs.contains(*c);
    let blank = |one: &(char, bool)| separates(one) && one.0.is_whitespace();
    let end = rest.iter().position(separates).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    let mut behind = skipped(behind, blank);
    if let Some((first, after)) = behind.split_first()
        && separates(first)
    {
        behind = skipped(after, blank);
    }
    *rest = behind;
    word.iter().map(|(c, _)| *c).collect()
}

fn skipped<T>(list: &[T], skip: impl Fn(&T) -> bool) -> &[T] {
    let start = list.iter().position(|one| !skip(one)).unwrap_or(list.len());
    list.get(start..).unwrap_or_default()
}

/// All words of a line, as `read -a` takes them.
#[must_use]
pub fn all_words(text: &str, ifs: &str, raw: bool) -> Vec<String> {
    let line = characters(text, raw);
    let blank = |(c, protected): &(char, bool)| !protected && ifs.contains(*c) && c.is_whitespace();
    let mut rest = skipped(&line, blank);
    let mut words = Vec::new();
    while !rest.is_empty() {
        words.push(take_word(&mut rest, ifs));
    }
    words
}

/// Distributes a line over this many variables; the last one gets the rest.
#[must_use]
pub fn split_words(text: &str, count: usize, ifs: &str, raw: bool) -> Vec<String> {
    let line = characters(text, raw);
    let blank = |(c, protected): &(char, bool)| !protected && ifs.contains(*c) && c.is_whitespace();
    let mut rest = skipped(&line, blank);
    let mut words = Vec::with_capacity(count);
    while words.len() + 1 < count {
        words.push(take_word(&mut rest, ifs));
    }
    // A separator at the end belongs to the last word only if there is another one.
    let whole = rest;
    let last = take_word(&mut rest, ifs);
    if rest.is_empty() {
        words.push(last);
        return words;
    }
    let end = whole.iter().rposition(|one| !blank(one)).map_or(0, |at| at + 1);
    words.push(whole.get(..end).unwrap_or_default().iter().map(|(c, _)| *c).collect());
    words
}

/// Any of the lines of a text of which parts are not known, if the text says something of one of them.
#[must_use]
pub fn possible_line(content: &Value, delimiter: char) -> Option<Value> {
    let several = |line: &Value| matches!(line.pieces().first(), Some(Piece::OneOf(_)));
    let path = |line: &Value| line.known_prefix().starts_with(['/', '~']) || several(line);
    let variants = content.variants(MAX_ALTERNATIVES);
    let all = variants.as_deref().unwrap_or(content.possible()).iter();
    let mut lines: Vec<Value> = all.flat_map(|one| lines(one, &[delimiter])).collect();
    // Any name below a directory that is a line itself (`find DIR`) is a name from outside.
    let roots: Vec<String> = lines.iter().filter_map(Value::as_known).map(str::to_owned).collect();
    let below = |line: &Value| {
        let directory = line.known_prefix().trim_end_matches('/');
        matches!(line.pieces(), [Piece::Text(_), Piece::AnyString])
            && roots.iter().any(|root| root.trim_end_matches('/') == directory)
    };
    lines.retain(|line| !below(line));
    if variants.is_none() || lines.len() > MAX_ALTERNATIVES {
        return lines.iter().any(path).then(Value::lost);
    }
    if !lines.iter().any(|line| path(line) || line.has_text()) {
        return None;
    }
    lines.into_iter().reduce(|all, line| join_values(&all, &line))
}

/// The first line of a text in which nothing but patterns of names is not known, and the rest.
#[must_use]
pub fn exact_line(content: &Value, delimiter: char) -> Option<(Value, Value)> {
    let (mut line, mut rest) = (Value::empty(), Value::empty());
    let mut ended = false;
    for piece in content.pieces() {
        match piece {
            Piece::Unknown(_) | Piece::OneOf(_) => return None,
            Piece::Text(text) if !ended => {
                let (before, behind) = text.split_once(delimiter).unwrap_or((text, ""));
                ended = text.contains(delimiter);
                line.push_str(before);
                rest.push_str(behind);
            }
            Piece::Text(text) => rest.push_str(text),
            pattern if ended => rest.push(pattern.clone()),
            pattern => line.push(pattern.clone()),
        }
    }
    ended.then(|| (line.tainted(content.taint()), rest.tainted(content.taint())))
}
