//! History expansion: `!!`, `!$`, `!n`, `!-n`, `!text`, `!?text?`, `!^`, `!*`, `!#`, `^old^new`, as bash has it.
//!
//! Nothing is expanded in single quotes, in here-documents, behind a backslash, or where `!` is followed by a blank,
//! `=`, `(`, or a closing double quote.

use crate::Span;

/// A reference to a line that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub struct NotFound(
    /// As it is written.
    pub String,
);

/// The lines that can be referred to.
pub struct Recallable<'a> {
    /// Earlier lines, the oldest first.
    pub typed: &'a [&'a str],
    /// The lines that `history` lists, from number 1.
    pub numbered: &'a [String],
}

/// The expanded line, with the bodies of its here-documents as they are; `None` if it contains no reference.
///
/// # Errors
///
/// Names the first reference for which there is no line.
pub fn expand(
    line: &str,
    here_docs: &[Span],
    lines: &Recallable<'_>,
) -> Result<Option<String>, NotFound> {
    if let Some(rest) = line.strip_prefix('^') {
        return substitute(rest, lines).map(Some).ok_or_else(|| NotFound(line.to_owned()));
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let (mut single, mut double, mut recalled) = (false, false, false);
    while let Some(c) = rest.chars().next() {
        let at = line.len() - rest.len();
        if let Some(body) = here_docs.iter().find(|body| body.range().contains(&at)) {
            out.push_str(rest.get(..body.range().end - at).unwrap_or(rest));
            rest = line.get(body.range().end..).unwrap_or_default();
            continue;
        }
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' if !single => {
                let next = behind.chars().next().map_or(0, char::len_utf8);
                out.push_str(rest.get(..1 + next).unwrap_or_default());
                rest = behind.get(next..).unwrap_or_default();
                continue;
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '!' if !single && starts(behind, double) && !belongs_to(&out) => {
                let (text, used) = event(behind, lines, &out)
                    .ok_or_else(|| NotFound(format!("!{}", word(behind, double))))?;
                out.push_str(&text);
                rest = behind.get(used..).unwrap_or_default();
                recalled = true;
                continue;
            }
            _ => {}
        }
        out.push(c);
        rest = behind;
    }
    Ok(recalled.then_some(out))
}

/// Whether a `!` belongs to the text before it: `$!`, `${!x}`, `[!a]`.
fn belongs_to(before: &str) -> bool {
    before.ends_with(['$', '[']) || before.ends_with("${")
}

/// Whether the text after a `!` makes it a reference.
fn starts(behind: &str, double: bool) -> bool {
    match behind.chars().next() {
        None => false,
        Some('"') => !double,
        Some(c) => {
            !c.is_whitespace() && !matches!(c, '=' | '(' | ';' | '&' | '|' | '<' | '>' | ')')
        }
    }
}

/// The text of a reference, and the number of bytes after `!` that belong to it.
fn event(behind: &str, lines: &Recallable<'_>, before: &str) -> Option<(String, usize)> {
    let (text, used) = chosen(behind, lines, before)?;
    Some(modified(text, behind, used))
}

/// The words that a reference chooses, before modifiers; `before` is the line up to here.
fn chosen(behind: &str, lines: &Recallable<'_>, before: &str) -> Option<(String, usize)> {
    let last = lines.typed.last().copied();
    match behind.chars().next()? {
        '!' => {
            let (text, used) = words_of(last?, behind.get(1..)?);
            Some((text, 1 + used))
        }
        '#' => {
            let (text, used) = words_of(before, behind.get(1..)?);
            Some((text, 1 + used))
        }
        '$' | '^' | '*' => words_of_last(last?, behind),
        ':' => {
            let (text, used) = words_of(last?, behind);
            (used > 0).then_some((text, used))
        }
        '?' => {
            let inner = behind.get(1..)?;
            let end = inner.find('?').unwrap_or(inner.len());
            let wanted = inner.get(..end).filter(|wanted| !wanted.is_empty())?;
            let line = lines.typed.iter().rev().find(|line| line.contains(wanted))?;
            Some(((*line).to_owned(), (1 + end + 1).min(behind.len())))
        }
        '-' | '0'..='9' => {
            let digits = behind.trim_start_matches('-');
            let sign = behind.len() - digits.len();
            let count = digits.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = digits.get(..count)?.parse().ok().filter(|number| *number > 0)?;
            let line = match sign {
                0 => lines.numbered.get(number - 1).map(String::as_str)?,
                1 => lines.typed.iter().rev().nth(number - 1).copied()?,
                _ => return None,
            };
            let (text, used) = words_of(line, behind.get(sign + count..)?);
            Some((text, sign + count + used))
        }
        _ => {
            let wanted = word(behind, true);
            let line = lines.typed.iter().rev().find(|line| line.starts_with(wanted))?;
            let (text, used) = words_of(line, behind.get(wanted.len()..)?);
            Some((text, wanted.len() + used))
        }
    }
}

/// The part of a text up to a blank or another character that ends a reference.
fn word(text: &str, double: bool) -> &str {
    let ends = |c: char| c.is_whitespace() || ":;&|()<>'".contains(c) || (double && c == '"');
    text.split(ends).next().unwrap_or(text)
}

/// The word designator after a reference: `:$`, `:^`, `:*`, `:n`; without one, the whole line.
fn words_of(line: &str, behind: &str) -> (String, usize) {
    let whole = || (line.to_owned(), 0);
    let Some(designator) = behind.strip_prefix(':') else { return whole() };
    let digits = designator.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(number) = designator.get(..digits).and_then(|digits| digits.parse::<usize>().ok()) {
        let words = split(line);
        let (end, used) = range_end(designator.get(digits..).unwrap_or_default(), words.len());
        return match words.get(number..end.unwrap_or(number + 1).min(words.len())) {
            Some(words) if !words.is_empty() => (words.join(" "), 1 + digits + used),
            _ => whole(),
        };
    }
    words_of_last(line, designator).map_or_else(whole, |(text, used)| (text, 1 + used))
}

/// The end of a range of words, `-$`, `-3`, `-` or `*`, behind its first number.
fn range_end(text: &str, words: usize) -> (Option<usize>, usize) {
    if text.starts_with('*') {
        return (Some(words), 1);
    }
    let Some(rest) = text.strip_prefix('-') else { return (None, 0) };
    if rest.starts_with('$') {
        return (Some(words), 2);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest.get(..digits).and_then(|number| number.parse::<usize>().ok()) {
        Some(last) => (Some(last.saturating_add(1)), 1 + digits),
        // Without the last word.
        None => (Some(words.saturating_sub(1)), 1),
    }
}

/// Applies the modifiers behind the first `used` bytes: `:h`, `:t`, `:r`, `:e`, `:s/old/new/`, `:gs/old/new/`.
fn modified(mut text: String, behind: &str, mut used: usize) -> (String, usize) {
    while let Some(rest) = behind.get(used..).and_then(|rest| rest.strip_prefix(':')) {
        let everywhere = rest.starts_with(['g', 'a', 'G']);
        let modifier = rest.get(usize::from(everywhere)..).unwrap_or_default();
        let slash = |text: &str| text.rfind('/');
        let (changed, length) = match modifier.chars().next() {
            Some('h') => (slash(&text).and_then(|at| text.get(..at)).map(str::to_owned), 1),
            Some('t') => (slash(&text).and_then(|at| text.get(at + 1..)).map(str::to_owned), 1),
            Some('r') => (text.rfind('.').and_then(|at| text.get(..at)).map(str::to_owned), 1),
            Some('e') => (text.rfind('.').and_then(|at| text.get(at..)).map(str::to_owned), 1),
            Some('p' | 'q' | 'x') => (None, 1),
            Some('s') => match substituted(&text, modifier, everywhere) {
                Some((changed, length)) => (Some(changed), length),
                None => break,
            },
            _ => break,
        };
        text = changed.unwrap_or(text);
        used += 1 + usize::from(everywhere) + length;
    }
    (text, used)
}

/// `s/old/new/`, and its length.
fn substituted(text: &str, modifier: &str, everywhere: bool) -> Option<(String, usize)> {
    let delimiter = modifier.chars().nth(1)?;
    let start = 1 + delimiter.len_utf8();
    let (old, rest) = modifier.get(start..)?.split_once(delimiter)?;
    let new = rest.split(delimiter).next()?;
    let end = start + old.len() + delimiter.len_utf8() + new.len();
    let closed = modifier.get(end..).is_some_and(|rest| rest.starts_with(delimiter));
    let length = end + if closed { delimiter.len_utf8() } else { 0 };
    let new = new.replace('&', old);
    let changed = match everywhere {
        true => text.replace(old, &new),
        false => text.replacen(old, &new, 1),
    };
    (!old.is_empty()).then_some((changed, length))
}

/// `$`, `^` or `*`: the last word, the first argument, all arguments.
fn words_of_last(line: &str, designator: &str) -> Option<(String, usize)> {
    let words = split(line);
    let text = match designator.chars().next()? {
        '$' => (*words.last()?).to_owned(),
        '^' => (*words.get(1)?).to_owned(),
        '*' => words.get(1..)?.join(" "),
        _ => return None,
    };
    Some((text, 1))
}

/// `^old^new^`: the last line with the first `old` replaced.
fn substitute(rest: &str, lines: &Recallable<'_>) -> Option<String> {
    let last = lines.typed.last()?;
    let (old, rest) = rest.split_once('^')?;
    let (new, behind) = rest.split_once('^').unwrap_or((rest, ""));
    (!old.is_empty() && last.contains(old)).then(|| last.replacen(old, new, 1) + behind)
}

/// The words of a line, quotes kept.
#[must_use]
pub fn split(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote, mut escaped) = (None, None, false);
    for (at, c) in line.char_indices() {
        let inside = quote.is_some() || escaped || !c.is_whitespace();
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.extend(line.get(from..at));
                start = None;
            }
            _ => {}
        }
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    words.extend(start.and_then(|from| line.get(from..)));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> Result<Option<String>, NotFound> {
        let typed = ["cat /etc/hosts", "git commit -m 'two words'", "ls -la /tmp"];
        let numbered = ["first".to_owned(), "second line".to_owned()];
        expand(line, &[], &Recallable { typed: &typed, numbered: &numbered })
    }

    #[test]
    fn a_reference_expands_to_an_earlier_line_or_a_part_of_it() {
        for (line, expected) in [
            ("sudo !!", "sudo ls -la /tmp"),
            ("cd !$", "cd /tmp"),
            ("echo !^ !*", "echo -la -la /tmp"),
            ("!2", "second line"),
            ("!-2", "git commit -m 'two words'"),
            ("!cat", "cat /etc/hosts"),
            ("!?commit? --amend", "git commit -m 'two words' --amend"),
            ("echo !git:$", "echo 'two words'"),
            ("echo !!:2", "echo /tmp"),
            ("^-la^-l", "ls -l /tmp"),
            ("^tmp^srv^ | wc", "ls -la /srv | wc"),
            ("echo \"!$\"", "echo \"/tmp\""),
            ("x=!$; ls", "x=/tmp; ls"),
            ("echo !cat:1-$", "echo /etc/hosts"),
            ("echo !cat:$:h", "echo /etc"),
            ("echo !cat:1:t:s/ost/and/", "echo hands"),
            ("!cat:gs/t/T/", "caT /eTc/hosTs"),
            ("echo one !#:1", "echo one one"),
        ] {
            assert_eq!(expanded(line), Ok(Some(expected.to_owned())), "{line}");
        }
    }

    #[test]
    fn text_that_bash_does_not_expand_stays_unchanged() {
        for line in [
            "ls",
            "echo '!!'",
            "echo \\!!x",
            "! ls",
            "[ a != b ]",
            "echo \"hello!\"",
            "echo hi!",
            "ls !(a|b)",
            "if ! grep x f; then :; fi",
            "echo $!; ls",
            "echo ${!x} $!x",
            "ls [!a]*",
        ] {
            let expected =
                if line == "echo \\!!x" { Err(NotFound("!x".to_owned())) } else { Ok(None) };
            assert_eq!(expanded(line), expected, "{line}");
        }
    }

    #[test]
    fn bodies_of_here_documents_stay_as_they_are() {
        let typed = ["ls /tmp"];
        let lines = Recallable { typed: &typed, numbered: &[] };
        for (text, expected) in [
            ("perl <<E\n!$x 'y\nE\n", None),
            ("cat <<E !$\n!$x 'y\nE\necho !$", Some("cat <<E /tmp\n!$x 'y\nE\necho /tmp")),
        ] {
            let here_docs = crate::parse(text).here_docs;
            assert_eq!(expand(text, &here_docs, &lines), Ok(expected.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn a_reference_to_a_missing_line_is_an_error() {
        for (line, named) in
            [("!nothing", "!nothing"), ("!99", "!99"), ("echo !-9", "!-9"), ("^x y^z", "^x y^z")]
        {
            assert_eq!(expanded(line), Err(NotFound(named.to_owned())), "{line}");
        }
        let none = Recallable { typed: &[], numbered: &[] };
        assert_eq!(expand("!!", &[], &none), Err(NotFound("!!".to_owned())));
    }
}
