//! Words that look like plain names but become a path or code inside the program: the name of an
//! init script, of a kernel parameter, of a variable; pairs for a scanner's scripts; a rename rule.

use super::{is_stream, known, write};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::Value;

/// `service NAME` runs `/etc/init.d/NAME`; a name with slashes leaves that directory.
pub(super) fn init_script(code: &str, acts: &mut Vec<CodeEffect>) {
    if code.contains('/') {
        acts.push(CodeEffect::Argv(vec![known(below("/etc/init.d", code))]));
    }
}

/// `sysctl NAME[=VALUE]` opens `/proc/sys/NAME`; dots that climb leave that directory.
pub(super) fn sysctl_name(code: &str, acts: &mut Vec<CodeEffect>) {
    let (name, value) = match code.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (code, None),
    };
    if !name.split('/').any(|part| part == "..") {
        return;
    }
    let path = known(below("/proc/sys", name.trim()));
    match value {
        Some(value) => {
            acts.push(CodeEffect::Write { path, content: known(value.trim()), append: false });
        }
        None => acts.push(CodeEffect::Read(path)),
    }
}

/// A word that a shell script puts inside `${…}` and evaluates: what follows a brace is code.
pub(super) fn variable_name(code: &str, acts: &mut Vec<CodeEffect>) {
    if let Some((_, rest)) = code.split_once('}') {
        let rest = rest.trim_start_matches([';', '&', '|', ' ', '\n']);
        if !rest.is_empty() {
            acts.push(CodeEffect::Shell(known(rest)));
        }
    }
}

/// nmap's `--script-args`: `script.key=value` pairs, some of which name files.
pub(super) fn nmap_args(code: &str, acts: &mut Vec<CodeEffect>) {
    for pair in code.split(',') {
        let Some((key, value)) = pair.split_once('=') else { continue };
        let (key, value) = (key.trim(), super::words::unquoted(value));
        if value.is_empty() {
            continue;
        }
        match key.rsplit('.').next().unwrap_or("") {
            "file" if key.starts_with("http-put") => {
                acts.push(CodeEffect::Read(known(value)));
                let to = Value::unknown("scanned host");
                acts.push(CodeEffect::Send { to, file: Some(known(value)) });
            }
            "file" | "userdb" | "passdb" | "userlist" | "hostlist" => {
                acts.push(CodeEffect::Read(known(value)));
            }
            _ => {}
        }
    }
}

/// tar's `--transform` while unpacking: members are renamed, so an absolute name is where they land.
pub(super) fn tar_transform(code: &str, acts: &mut Vec<CodeEffect>) {
    let mut rest = code;
    while let Some(body) = rest.trim_start().strip_prefix('s') {
        let mut letters = body.chars();
        let Some(mark) = letters.next() else { return };
        let mut parts = letters.as_str().splitn(3, mark);
        let (Some(_), Some(name), tail) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        if name.starts_with('/') && !is_stream(name) {
            match name.find(['&', '\\']) {
                None => write(known(name), false, acts),
                Some(at) => {
                    let mut path = known(name.get(..at).unwrap_or(""));
                    path.append(&Value::unknown("name of the member"));
                    write(path, false, acts);
                }
            }
        }
        rest = tail.and_then(|tail| tail.split_once(';')).map_or("", |(_, rest)| rest);
    }
}

/// elvish: environment variables are `$E:NAME`, external commands may carry `e:`, and parentheses
/// capture output. The rest reads as a shell does.
pub(super) fn elvish(code: &str, acts: &mut Vec<CodeEffect>) {
    let mut out = String::with_capacity(code.len() + 16);
    let mut rest = code;
    let mut word_start = true;
    while let Some(c) = rest.chars().next() {
        let mut took = c.len_utf8();
        if c == '\'' || c == '"' {
            let body = rest.get(1..).unwrap_or("");
            took = body.find(c).map_or(rest.len(), |end| end + 2);
            out.push_str(rest.get(..took).unwrap_or(""));
            word_start = false;
        } else if let Some(name) = rest.strip_prefix("$E:").or_else(|| rest.strip_prefix("$e:")) {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let end = end.unwrap_or(name.len());
            out.push_str("${");
            out.push_str(name.get(..end).unwrap_or(""));
            out.push('}');
            took = 3 + end;
            word_start = false;
        } else if word_start && rest.starts_with("e:") {
            took = 2;
        } else if word_start && rest.starts_with("slurp") {
            out.push_str("cat");
            took = 5;
            word_start = false;
        } else if c == '(' {
            out.push_str("$(");
            word_start = true;
        } else {
            out.push(c);
            word_start = c.is_whitespace() || matches!(c, ';' | '|' | '{');
        }
        rest = rest.get(took..).unwrap_or("");
    }
    acts.push(CodeEffect::Eval(Lang::Shell, known(out)));
}

/// Joins and takes out `.` and `..`.
fn below(directory: &str, name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// A directory of which every program is run: one of the system's holds the shells.
pub(super) fn program_dir(code: &str, acts: &mut Vec<CodeEffect>) {
    let path = below("/", code);
    if code.starts_with('/')
        && matches!(path.as_str(), "/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin")
    {
        acts.push(CodeEffect::Argv(vec![known(format!("{path}/sh"))]));
    }
}
