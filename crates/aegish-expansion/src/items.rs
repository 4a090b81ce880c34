//! Text as items: what `xargs` makes of its input, the paths in a text, the paths that an expression of `find` fits.

use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};

/// Most words of the text of which an output that is not known may be one; more are a limit of the analysis.
pub const MAX_OWN_WORDS: usize = 256;

/// The character that `-d` names: itself, or an escape.
pub fn delimiter(text: &str) -> char {
    let escape = text.strip_prefix('\\').unwrap_or("");
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
    let code = match escape.as_bytes() {
        [] => None,
        [b'x', ..] => number(escape.get(1..).unwrap_or_default(), 16),
        [b'0'..=b'7', ..] => number(escape, 8),
        [b'a'] => Some(7),
        [b'b'] => Some(8),
        [b'f'] => Some(12),
        [b'n'] => Some(10),
        [b'r'] => Some(13),
        [b't'] => Some(9),
        [b'v'] => Some(11),
        _ => escape.chars().next().map(u32::from),
    };
    code.and_then(char::from_u32).or_else(|| text.chars().next()).unwrap_or('\0')
}

/// Items separated by blanks (or by newlines alone), with quotes and backslashes, line by line. Reading ends behind
/// `most` lines, so that the caller sees that there are more.
pub fn quoted_items(text: &str, by_line: bool, most: usize) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = vec![Vec::new()];
    let mut item: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => item.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                item.get_or_insert_default();
            }
            ('\\', None) => item.get_or_insert_default().extend(chars.next()),
            ('\n', None) => {
                let line: Vec<String> =
                    lines.pop().into_iter().flatten().chain(item.take()).collect();
                let next = if line.is_empty() { None } else { Some(Vec::new()) };
                lines.push(line);
                lines.extend(next);
            }
            (' ' | '\t', None) if item.is_none() => {}
            (' ' | '\t', None) if !by_line => {
                if let Some(line) = lines.last_mut() {
                    line.extend(item.take());
                }
            }
            (c, None) => item.get_or_insert_default().push(c),
        }
        if lines.len() > most {
            break;
        }
    }
    if let Some(line) = lines.last_mut() {
        line.extend(item);
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// The output of something that is not followed, or one of the paths in the texts that it is given; the output alone as
/// an error if there are more paths than [`MAX_OWN_WORDS`].
pub fn or_paths_of<'a>(
    texts: impl Iterator<Item = &'a str>,
    output: Value,
) -> Result<Value, Value> {
    let mut paths: Vec<String> = Vec::new();
    let outside = |c: char| c.is_whitespace() || "'\"`$();|&<>{}*?,:#=!@%".contains(c);
    for word in texts.flat_map(|text| text.split(outside)) {
        if word.len() > 1
            && word.starts_with(['/', '~'])
            && !paths.iter().any(|known| known == word)
        {
            if paths.len() >= MAX_OWN_WORDS {
                return Err(output);
            }
            paths.push(word.to_owned());
        }
    }
    if paths.is_empty() || output.taint().network().is_some() {
        return Ok(output);
    }
    let said = output.own_texts();
    paths.retain(|path| !said.iter().any(|text| text.split(outside).any(|word| word == path)));
    if paths.is_empty() {
        return Ok(output);
    }
    let unknown = matches!(output.pieces(), [Piece::Unknown(_)]) && output.each().is_empty();
    if unknown {
        paths.push(String::new());
        let mut value = Value::one_of(paths);
        value.append(&output);
        return Ok(value);
    }
    let mut paths = Value::one_of(paths);
    paths.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
    Ok(join_values(&output, &paths))
}

/// A pattern of paths that matches at least what the regular expression matches.
pub fn path_pattern(expression: &str) -> String {
    let mut pattern = String::new();
    let mut chars = expression.trim_start_matches('^').trim_end_matches('$').chars().peekable();
    while let Some(c) = chars.next() {
        let repeated = |next: Option<&char>| matches!(next, Some('*' | '+' | '?' | '{' | '\\'));
        match c {
            '\\' => match chars.next() {
                Some(c) if c.is_ascii_punctuation() && !"(){}|+?".contains(c) => {
                    pattern.push(if repeated(chars.peek()) { '*' } else { c });
                }
                _ => return "*".to_owned(),
            },
            '|' | '(' | ')' | '{' | '}' => return "*".to_owned(),
            '.' if !repeated(chars.peek()) => pattern.push('?'),
            '*' | '+' | '?' | '.' => pattern.push('*'),
            '[' => {
                // The first character may be `]` itself.
                let mut class: String = chars.next().into_iter().collect();
                class.extend(chars.by_ref().take_while(|c| *c != ']'));
                match class.strip_prefix('^') {
                    _ if repeated(chars.peek()) => pattern.push('*'),
                    Some(others) => pattern.push_str(&format!("[!{others}]")),
                    None => pattern.push_str(&format!("[{class}]")),
                }
            }
            c if repeated(chars.peek()) => {
                let _ = c;
                pattern.push('*');
            }
            c => pattern.push(c),
        }
        if pattern.ends_with("**") {
            pattern.pop();
        }
    }
    pattern
}

/// `!!:s/old/new/`, `^old^new`: an earlier line with other text in it.
#[must_use]
pub fn changes_recalled_line(word: &str) -> bool {
    let changed = |rest: &str| [":s", ":gs", ":Gs", ":&", ":g&"].iter().any(|m| rest.contains(m));
    word.strip_prefix('!').is_some_and(changed)
        || word.strip_prefix('^').is_some_and(|rest| rest.contains('^'))
}

/// Items of an input; more are a limit of the analysis.
pub const MAX_ITEMS: usize = 4096;

/// The parts of a value between separators in its known text that are not empty, on each way.
#[must_use]
pub fn lines(value: &Value, separators: &[char]) -> Vec<Value> {
    let mut lines = every_line(value, separators);
    lines.retain(|line| !line.pieces().is_empty());
    lines
}

/// As [`lines`], with empty ones; behind the last separator there is no line.
#[must_use]
pub fn every_line(value: &Value, separators: &[char]) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    let Some(ways) = ways_of(value, separators) else { return vec![Value::one_of_many_values()] };
    for one in &ways {
        lines.push(Value::empty());
        for piece in one.pieces() {
            let Piece::Text(text) = piece else {
                if let Some(last) = lines.last_mut() {
                    last.push(piece.clone());
                }
                continue;
            };
            for (index, part) in text.split(separators).enumerate() {
                if index > 0 {
                    lines.push(Value::empty());
                }
                if let Some(last) = lines.last_mut() {
                    last.push_str(part);
                }
            }
            if lines.len() > MAX_ITEMS {
                break;
            }
        }
        if lines.last().is_some_and(|line| line.pieces().is_empty()) {
            lines.pop();
        }
    }
    lines.into_iter().map(|line| line.tainted(value.taint())).collect()
}

/// The elements of a list that an input becomes: what is not known may be any number of them. Of several inputs each
/// element may be any.
#[must_use]
pub fn elements(value: &Value, separators: &[char]) -> Vec<Value> {
    let parts = every_line(value, separators).into_iter();
    if ways_of(value, separators).is_some_and(|ways| ways.len() == 1) {
        let unclear = |line: &Value| line.has_unknown() || line.has_glob();
        let marked = parts.map(|one| {
            let several = unclear(&one);
            one.with_several(several)
        });
        return marked.collect();
    }
    let any = parts.reduce(|all, one| join_values(&all, &one));
    any.map(|any| any.with_several(true)).into_iter().collect()
}

/// The values that a value may be, as far as that makes a difference for the parts between separators; none if they are
/// too many.
fn ways_of(value: &Value, separators: &[char]) -> Option<Vec<Value>> {
    let splits = |piece: &Piece| matches!(piece, Piece::OneOf(texts) if texts.iter().any(|text| text.contains(separators)));
    match value.possible() {
        ways if ways.iter().any(|one| one.pieces().iter().any(splits)) => {
            value.variants(MAX_ALTERNATIVES)
        }
        ways => Some(ways.to_vec()),
    }
}
