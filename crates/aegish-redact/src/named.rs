//! Secrets that are found by a name, option or header before them.

use crate::{Secret, names, shapes, word};

/// How many bytes before a name are searched for the command that it belongs to.
const NEAR: usize = 200;

/// Adds the values whose name says that they are secret.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !in_name(*byte) {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| in_name(*byte)) {
            at += 1;
        }
        let name = text.get(start..at).unwrap_or_default();
        if let Some(secret) = after_name(text, start, at, name) {
            at = at.max(secret.end);
            into.push(secret);
        }
    }
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the secret that belongs to the name at `start..end`.
fn after_name(text: &str, start: usize, end: usize, name: &str) -> Option<Secret> {
    let kind = names::kind_of(name);
    let weak = kind.is_none() && names::is_weak(name);
    let pwd_in_list = name.eq_ignore_ascii_case("pwd") && text.get(..start)?.ends_with(';');
    let bearer = matches!(name, "Bearer" | "bearer" | "Basic" | "basic" | "Bot");
    if kind.is_none() && !weak && !pwd_in_list && !bearer {
        return None;
    }
    let mut at = end;
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    let blanks = |at: usize| rest(at).bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    if bearer {
        let length = blanks(at);
        let found = word::bare(text, at + length);
        let long = found.len() >= 8 && shapes::looks_random(text.get(found.clone())?);
        return (length > 0 && long).then_some(Secret {
            start: found.start,
            end: found.end,
            kind: "authorization",
        });
    }
    // `"name":`, also inside another string (`\"name\":`).
    let quoted_name = rest(at).trim_start_matches('\\').starts_with(['"', '\'']);
    if quoted_name {
        at += rest(at).len() - rest(at).trim_start_matches('\\').len() + 1;
    }
    at += rest(at).bytes().take_while(|byte| *byte == b']').count();
    let spaces = blanks(at);
    let separator = rest(at + spaces);
    let header = separator.starts_with(':');
    // `-v /etc/passwd:/mnt` ends a path and `joe:pw:0:0` is a line of a list; neither is a name.
    if header && text.get(..start)?.ends_with(['/', ':']) {
        return None;
    }
    // `--secret id=npmrc,src=FILE` names a file.
    let description = name == "--secret" && separator.trim_start_matches('=').starts_with("id=");
    if description {
        return None;
    }
    if separator.starts_with("=>") || separator.starts_with(":=") || separator.starts_with("+=") {
        at += spaces + 2;
    } else if separator.starts_with(['=', ':'])
        && !separator.starts_with("==")
        && !separator.starts_with("://")
    {
        at += spaces + 1;
    } else if separator.starts_with(',') && is_first_argument(text, start, quoted_name) {
        // `define('DB_PASSWORD', 'x')`: the value must be a quoted text.
        let after = rest(at + spaces + 1).trim_start();
        if !after.starts_with(['"', '\'']) {
            return None;
        }
        at += spaces + 1;
    } else if (name.starts_with("--") || is_long_option(name))
        && spaces > 0
        && !separator.starts_with('-')
    {
        at += spaces;
    } else if spaces > 0 && kind.is_some() {
        return after_blank(text, start, at + spaces, name, kind?);
    } else {
        return None;
    }
    at += blanks(at);
    // A header inside quotes ends at the closing quote, a cookie at the end of the line.
    let before = text.get(..start)?.chars().next_back();
    let opener = before.filter(|c| header && !quoted_name && matches!(c, '"' | '\''));
    let cookies = header && kind == Some("cookie");
    let found = match opener {
        Some(quote) => at..at + rest(at).find([quote, '\n']).unwrap_or(rest(at).len()),
        None if cookies && before.is_none_or(|c| c == '\n' || c == ' ') => {
            at..at + rest(at).find(['\n', '\r', '"', '\'']).unwrap_or(rest(at).len())
        }
        None => scheme_skipped(text, at),
    };
    let value = text.get(found.clone())?;
    // A `$` in single quotes is not expanded.
    let literal = found.start > at && text.get(..found.start)?.ends_with('\'');
    let wanted = if weak {
        shapes::looks_random(value.strip_prefix("base64:").unwrap_or(value))
    } else {
        hides(value) || (literal && hides_literally(value))
    };
    let kind = if pwd_in_list { "password" } else { kind.unwrap_or("key") };
    wanted.then_some(Secret { start: found.start, end: found.end, kind })
}

/// Whether the name is the first argument of a call: `f("name", …`
fn is_first_argument(text: &str, start: usize, quoted: bool) -> bool {
    let before = text.get(..start).unwrap_or_default();
    quoted && before.strip_suffix(['"', '\'']).is_some_and(|before| before.ends_with('('))
}

/// Returns the value, without the scheme in front of it: `authorization: Bearer x`.
fn scheme_skipped(text: &str, at: usize) -> std::ops::Range<usize> {
    let word = word::value(text, at);
    let scheme = text.get(word.clone()).unwrap_or_default();
    if matches!(scheme, "Bearer" | "bearer" | "Basic" | "basic" | "Token" | "token" | "Bot") {
        return word::bare(text, at);
    }
    word
}

/// `aws configure set aws_secret_access_key X`, `login joe password X`: a name, a blank, a value.
fn after_blank(
    text: &str,
    start: usize,
    at: usize,
    name: &str,
    kind: &'static str,
) -> Option<Secret> {
    let mut near = start.saturating_sub(NEAR);
    while !text.is_char_boundary(near) {
        near += 1;
    }
    let earlier = text.get(near..start)?;
    let line = earlier.rsplit('\n').next()?;
    let found = word::value(text, at);
    let value = text.get(found.clone())?;
    let secret = Secret { start: found.start, end: found.end, kind };
    // The words of `.netrc` come in this order, on one line or on several.
    let netrc = matches!(name, "password" | "passwd") && {
        let tail = earlier.split_whitespace().rev().take(2).collect::<Vec<_>>();
        matches!(tail.as_slice(), [_, "login" | "user" | "account"])
    };
    if netrc && hides(value) {
        return Some(secret);
    }
    let says = |words: &[&str]| line.split_whitespace().any(|word| words.contains(&word));
    let sets = says(&["config", "configure", "setx"]) && hides(value);
    let may_set = says(&["set", "secret", "secrets", "put"]) && shapes::looks_random(value);
    (sets || may_set).then_some(secret)
}

/// Whether a name is a long option with one dash: `-passin`, `-storepass`.
fn is_long_option(name: &str) -> bool {
    name.starts_with('-') && name.len() > 4
}

/// Whether a value can be a secret. Expansions, empty values and placeholders cannot.
pub(crate) fn hides(value: &str) -> bool {
    let value = value.trim();
    let schemes = ["Bearer ", "bearer ", "Basic ", "Token ", "token ", "Bot "];
    let value = schemes.iter().find_map(|scheme| value.strip_prefix(scheme)).unwrap_or(value);
    let plain = !value.contains("$(") && !value.contains('`') && !value.contains("${");
    // A `$` alone is the remainder of `$(…)`.
    let variable = value
        .strip_prefix('$')
        .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    plain && !variable && hides_literally(value)
}

/// Like [`hides`], for a value in which nothing is expanded.
pub(crate) fn hides_literally(value: &str) -> bool {
    const NOTHING: &[&str] = &[
        "true",
        "false",
        "null",
        "none",
        "nil",
        "yes",
        "no",
        "undefined",
        "all",
        "string",
        "str",
        "{",
        "[",
    ];
    let value = value.trim();
    !value.is_empty()
        && !value.contains("$(")
        && !value.contains('`')
        && !NOTHING.contains(&value.to_ascii_lowercase().as_str())
        && !value.starts_with("‹redacted")
        && !value.chars().all(|c| matches!(c, '*' | 'x' | '.' | '-' | '\\'))
}
