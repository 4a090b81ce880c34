//! Arguments that look like plain names but become a path or code inside the program: the name of an init
//! script, a kernel parameter, a variable or a directory; script arguments of nmap.

use super::known;
use crate::CodeEffect;
use aegish_values::Value;

/// `service NAME` runs `/etc/init.d/NAME`; a name with slashes leaves that directory.
pub(super) fn init_script(code: &str, effects: &mut Vec<CodeEffect>) {
    if code.contains('/') {
        effects.push(CodeEffect::Argv(vec![known(below("/etc/init.d", code))]));
    }
}

/// `sysctl NAME[=VALUE]` opens `/proc/sys/NAME`; `..` leaves that directory.
pub(super) fn sysctl_name(code: &str, effects: &mut Vec<CodeEffect>) {
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
            effects.push(CodeEffect::Write { path, content: known(value.trim()), append: false });
        }
        None => effects.push(CodeEffect::Read(path)),
    }
}

/// A word that a shell script inserts into `${…}` and evaluates: the text after a closing brace is code.
pub(super) fn variable_name(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some((_, rest)) = code.split_once('}') {
        let rest = rest.trim_start_matches([';', '&', '|', ' ', '\n']);
        if !rest.is_empty() {
            effects.push(CodeEffect::Shell(known(rest)));
        }
    }
}

/// nmap's `--script-args`: `script.key=value` pairs, some of which name files.
pub(super) fn nmap_args(code: &str, effects: &mut Vec<CodeEffect>) {
    for pair in code.split(',') {
        let Some((key, value)) = pair.split_once('=') else { continue };
        let (key, value) = (key.trim(), super::quoted_words::unquoted(value));
        if value.is_empty() {
            continue;
        }
        match key.rsplit('.').next().unwrap_or("") {
            "file" if key.starts_with("http-put") => {
                effects.push(CodeEffect::Read(known(value)));
                let to = Value::unknown("scanned host");
                effects.push(CodeEffect::Send { to, file: Some(known(value)) });
            }
            "file" | "userdb" | "passdb" | "userlist" | "hostlist" => {
                effects.push(CodeEffect::Read(known(value)));
            }
            _ => {}
        }
    }
}

/// Joins two paths and resolves `.` and `..`.
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

/// A directory whose programs are all run. The system's directories contain the shells.
pub(super) fn program_dir(code: &str, effects: &mut Vec<CodeEffect>) {
    let path = below("/", code);
    if code.starts_with('/')
        && matches!(path.as_str(), "/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin")
    {
        effects.push(CodeEffect::Argv(vec![known(format!("{path}/sh"))]));
    }
}
