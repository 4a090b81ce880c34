//! Private keys, from the first line to the last.

use crate::Secret;

/// Adds private keys.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("-----BEGIN ")) {
        let start = from + at;
        let rest = text.get(start..).unwrap_or_default();
        from = start + "-----BEGIN ".len();
        let head = rest.get("-----BEGIN ".len()..).unwrap_or_default();
        let Some((title, _)) = head.split_once("-----") else { return };
        if title.len() > 60 || !(title.contains("PRIVATE KEY")) {
            continue;
        }
        let body = "-----BEGIN ".len() + title.len() + 5;
        let body_end = body + key_length(rest.get(body..).unwrap_or_default());
        let tail = rest.get(body_end..).unwrap_or_default();
        let close = tail.strip_prefix("-----END ").and_then(|tail| tail.find("-----"));
        let end = body_end + close.map_or(0, |close| "-----END ".len() + close + 5);
        into.push(Secret { start, end: start + end, kind: "private-key" });
        from = start + end;
    }
    putty(text, into);
}

/// `Private-Lines: N` and the lines that follow.
fn putty(text: &str, into: &mut Vec<Secret>) {
    for (at, sign) in text.match_indices("Private-Lines:") {
        let rest = text.get(at + sign.len()..).unwrap_or_default();
        let Some((number, lines)) = rest.split_once('\n') else { continue };
        if number.trim().parse::<u32>().is_err() {
            continue;
        }
        let start = at + sign.len() + number.len() + 1;
        let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        let mut end = start;
        for line in lines.split_inclusive('\n') {
            let length = line.bytes().take_while(inside).count();
            if length < 16 {
                break;
            }
            end = start + (line.as_ptr() as usize - lines.as_ptr() as usize) + length;
            if length < line.trim_end().len() {
                break;
            }
        }
        if end > start {
            into.push(Secret { start, end, kind: "private-key" });
        }
    }
}

/// Length of the body of a key. Only characters of a key belong to it (letters, digits, line breaks, spaces
/// in headers), so that no command can be hidden there.
fn key_length(text: &str) -> usize {
    let mut before = '\n';
    let mut header_to = 0;
    for (at, c) in text.char_indices() {
        if before == '\n' && at >= header_to {
            header_to = at + header_length(text.get(at..).unwrap_or_default());
        }
        if at < header_to {
            before = c;
            continue;
        }
        let fits = match c {
            'A'..='Z'
            | 'a'..='z'
            | '0'..='9'
            | '+'
            | '/'
            | '='
            | '\\'
            | '\n'
            | '\r'
            | ':'
            | ',' => true,
            ' ' | '\t' => matches!(before, ':' | ',' | '\n' | ' ' | '\t'),
            '-' => !text.get(at..).unwrap_or_default().starts_with("-----"),
            _ => false,
        };
        if !fits {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Length of a header line of PGP (`Version: GnuPG v2`), or zero. A header may not contain characters that
/// are special to a shell.
fn header_length(text: &str) -> usize {
    let named = ["Version: ", "Comment: ", "Hash: "].iter().any(|name| text.starts_with(name));
    let line = text.split('\n').next().unwrap_or_default();
    let inside = |c: char| c.is_ascii_alphanumeric() || " .:/()_-\r".contains(c);
    if named && line.len() <= 100 && line.chars().all(inside) { line.len() } else { 0 }
}
