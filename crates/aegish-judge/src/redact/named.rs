//! Values that follow a telling name, option or header.

use super::{Secret, names, shapes};

/// Programs with short options for a secret, and whether it is attached (`mysql -pX`).
const SHORT: &[(&str, &str, bool)] = &[
    ("mysql", "-p", true),
    ("mysqldump", "-p", true),
    ("mysqladmin", "-p", true),
    ("mariadb", "-p", true),
    ("sshpass", "-p", false),
    ("sshpass", "-p", true),
    ("docker", "-p", false),
    ("podman", "-p", false),
    ("helm", "-p", false),
    ("redis-cli", "-a", false),
    ("ldapsearch", "-w", false),
    ("ldapadd", "-w", false),
    ("ldapmodify", "-w", false),
    ("7z", "-p", true),
    ("7za", "-p", true),
    ("zip", "-P", false),
    ("unzip", "-P", false),
    ("mongosh", "-p", false),
    ("mongo", "-p", false),
    ("mongodump", "-p", false),
    ("xfreerdp", "/p:", true),
    ("ipmitool", "-P", false),
    ("az", "-p", false),
    ("sqlcmd", "-P", false),
    ("snmpwalk", "-c", false),
    ("snmpwalk", "-A", false),
    ("vncviewer", "-p", false),
];

/// Options whose value is `user:password` or `user%password`.
const USER: &[&str] = &["-u", "--user", "--proxy-user", "-U", "--login"];

/// Adds the secrets that a name announces.
pub(super) fn find(text: &str, into: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !in_name(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && in_name(bytes[at]) {
            at += 1;
        }
        let name = text.get(start..at).unwrap_or_default();
        if let Some(secret) = after_name(text, start, at, name) {
            // What is hidden need not be read again.
            at = at.max(secret.end);
            into.push(secret);
        }
    }
    for line in text.split_inclusive(['\n', ';', '|', '&']) {
        let offset = line.as_ptr() as usize - text.as_ptr() as usize;
        short_options(line, offset, into);
    }
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The value that belongs to the name at `start..end`.
fn after_name(text: &str, start: usize, end: usize, name: &str) -> Option<Secret> {
    let kind = names::kind_of(name);
    let weak = kind.is_none() && names::is_weak(name);
    let pwd_in_list = name.eq_ignore_ascii_case("pwd") && text.get(..start)?.ends_with(';');
    let bearer = matches!(name, "Bearer" | "bearer" | "Basic" | "basic");
    if kind.is_none() && !weak && !pwd_in_list && !bearer {
        return None;
    }
    let mut at = end;
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    if bearer {
        let length = rest(at).bytes().take_while(|byte| *byte == b' ').count();
        let (from, to) = bare(text, at + length);
        let long = to - from >= 8
            && (name.starts_with(['B', 'b']) && shapes::looks_random(text.get(from..to)?));
        return (length > 0 && long).then_some(Secret {
            start: from,
            end: to,
            kind: "authorization",
        });
    }
    // `"name":`, also as a string within a string.
    let quoted_name = rest(at).trim_start_matches('\\').starts_with(['"', '\'']);
    if quoted_name {
        at += rest(at).len() - rest(at).trim_start_matches('\\').len() + 1;
    }
    at += rest(at).bytes().take_while(|byte| *byte == b']').count();
    let spaces = rest(at).bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let separator = rest(at + spaces);
    let header = separator.starts_with(':');
    // `-v /etc/passwd:/mnt`: the end of a path, not a name.
    if header && text.get(..start)?.ends_with('/') {
        return None;
    }
    if separator.starts_with("=>") || separator.starts_with(":=") || separator.starts_with("+=") {
        at += spaces + 2;
    } else if separator.starts_with(['=', ':'])
        && !separator.starts_with("==")
        && !separator.starts_with("://")
    {
        at += spaces + 1;
    } else if (name.starts_with("--") || is_long_option(name))
        && spaces > 0
        && !separator.starts_with('-')
    {
        at += spaces;
    } else {
        return None;
    }
    at += rest(at).bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    // A header inside quotes goes on to the closing one, whatever it holds.
    let before = text.get(..start)?.chars().next_back();
    let opener = before.filter(|c| header && !quoted_name && matches!(c, '"' | '\''));
    let (from, to) = match opener {
        Some(quote) => {
            let length = rest(at).find([quote, '\n']).unwrap_or(rest(at).len());
            (at, at + length)
        }
        None => value(text, at),
    };
    let value = text.get(from..to)?;
    let wanted = if weak { shapes::looks_random(value) } else { hides(value) };
    let kind = if pwd_in_list { "password" } else { kind.unwrap_or("key") };
    wanted.then_some(Secret { start: from, end: to, kind })
}

/// `-passin`, `-storepass`: long options of the old kind.
fn is_long_option(name: &str) -> bool {
    name.starts_with('-') && name.len() > 4
}

/// The extent of a value that may be quoted.
fn value(text: &str, at: usize) -> (usize, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let slashes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest.get(slashes..).and_then(|rest| rest.chars().next());
    if let Some(quote @ ('"' | '\'')) = quote {
        let from = at + slashes + 1;
        let inner = text.get(from..).unwrap_or_default();
        let end = inner.find([quote, '\n']).unwrap_or(inner.len());
        let inner = inner.get(..end).unwrap_or_default();
        let kept = if slashes > 0 { inner.trim_end_matches('\\') } else { inner };
        return (from, from + kept.len());
    }
    bare(text, at)
}

fn bare(text: &str, at: usize) -> (usize, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '"' | '\'' | ',' | '}' | '`')
    };
    let end = rest.find(ends).unwrap_or(rest.len());
    // `Bearer x`, `Basic x`: the secret is the second word.
    let word = rest.get(..end).unwrap_or_default();
    if matches!(word, "Bearer" | "bearer" | "Basic" | "basic" | "Token" | "token")
        && rest.get(end..).is_some_and(|more| more.starts_with(' '))
    {
        let more = rest.get(end + 1..).unwrap_or_default();
        let length = more.find(ends).unwrap_or(more.len());
        return (at + end + 1, at + end + 1 + length);
    }
    (at, at + end)
}

/// Is there anything to hide? Expansions, empty values and place holders are no secrets.
pub(super) fn hides(value: &str) -> bool {
    let value = value.trim();
    let schemes = ["Bearer ", "bearer ", "Basic ", "Token ", "token "];
    let value = schemes.iter().find_map(|scheme| value.strip_prefix(scheme)).unwrap_or(value);
    let plain = !value.contains("$(") && !value.contains('`') && !value.contains("${");
    // `$` alone is what is left of `$(…)`.
    let variable = value
        .strip_prefix('$')
        .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    let word = value.to_ascii_lowercase();
    let nothing = [
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
    plain
        && !variable
        && !value.is_empty()
        && !nothing.contains(&word.as_str())
        && !value.starts_with("‹redacted")
        && !value.chars().all(|c| matches!(c, '*' | 'x' | '.' | '-' | '\\'))
}

/// `-p 8080:80` publishes a port.
fn is_port(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-'))
}

/// Secrets behind short options, which mean something with some programs only.
fn short_options(line: &str, offset: usize, into: &mut Vec<Secret>) {
    let place = |word: &str| offset + (word.as_ptr() as usize - line.as_ptr() as usize);
    let mut programs: Vec<&str> = Vec::new();
    let mut before = "";
    for word in line.split_whitespace() {
        let base = word.rsplit('/').next().unwrap_or(word);
        if programs.len() < 8 && SHORT.iter().any(|(program, ..)| *program == base) {
            programs.push(base);
        }
        for (program, option, attached) in SHORT {
            if !programs.contains(program) {
                continue;
            }
            let value = if *attached {
                word.strip_prefix(option)
            } else {
                (before == *option).then_some(word)
            };
            let Some(value) = value.filter(|value| !value.is_empty() && !is_port(value)) else {
                continue;
            };
            let trimmed = value.trim_matches(['"', '\'']);
            if hides(trimmed) {
                into.push(Secret {
                    start: place(trimmed),
                    end: place(trimmed) + trimmed.len(),
                    kind: "password",
                });
            }
        }
        let long = USER.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('='));
        let user = if USER.contains(&before) { Some(word) } else { long };
        if let Some((_, password)) = user.and_then(|user| user.split_once([':', '%'])) {
            let password = password.trim_matches(['"', '\'']);
            if hides(password)
                && !password.starts_with('/')
                && !password.bytes().all(|byte| byte.is_ascii_digit())
            {
                into.push(Secret {
                    start: place(password),
                    end: place(password) + password.len(),
                    kind: "basic-auth",
                });
            }
        }
        if let Some(password) =
            word.trim_matches(['"', '\'']).strip_prefix("pass:").filter(|word| hides(word))
        {
            into.push(Secret {
                start: place(password),
                end: place(password) + password.len(),
                kind: "password",
            });
        }
        before = word;
    }
}
