//! Configuration text without a known format: settings whose name says that the value is a command.
//!
//! `Key = value`, `key: value`, `Key {"value"}`, `key value`. The key must name something that is run
//! (`PostUp`, `Pre-Invoke`, `on_exit_command`), so that ordinary settings have no effects.

/// Parts of setting names that announce a command.
const RUNNING: &[&str] = &[
    "command", "exec", "invoke", "hook", "script", "program", "shell", "action", "cmd", "pager",
    "editor", "helper", "handler", "runner", "wrapper", "postup", "postdown", "preup", "predown",
    "up", "down", "pipe", "run", "filter", "askpass",
];

/// The commands that settings in `text` name.
#[must_use]
pub fn commands(text: &str) -> Vec<String> {
    text.lines().filter_map(setting).collect()
}

fn setting(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '[', '{', ' ']);
    if line.starts_with(['#', ';', '<']) {
        return None;
    }
    let end = line.find(['=', ' ', '\t', '{']).or_else(|| line.find(": "))?;
    let (key, value) = line.split_at(end);
    // `tasks: [shell: command]`: the innermost key counts.
    let (key, value) = match value
        .rfind("[")
        .and_then(|open| value.get(open + 1..).unwrap_or_default().split_once(": "))
    {
        Some((inner, rest)) => (inner.to_owned(), rest),
        None => (key.to_owned(), value),
    };
    let key = key.trim_end_matches(':').to_ascii_lowercase();
    let last = key.rsplit("::").find(|part| !part.is_empty()).unwrap_or(&key);
    let runs = last.split(['.', '-', '_', ':']).any(|part| {
        RUNNING.iter().any(|word| part == *word || (word.len() >= 4 && part.contains(word)))
    });
    // An alias of git that begins with an exclamation mark is a command.
    if let Some(command) = value.trim_start_matches(['=', ' ']).strip_prefix('!') {
        return value.starts_with('=').then(|| command.trim().to_owned());
    }
    if !runs {
        return None;
    }
    let value = value
        .trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, '=' | ':' | '{' | '"' | '\'' | '|')
        })
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']' | '"' | '\'' | ';'));
    let first = value.split([' ', ';', ',']).next().unwrap_or("");
    // A command starts with a program: a path, or a name that is known to be one.
    let program =
        first.starts_with(['/', '.']) || aegish_profiles::find(first).is_some() || first == "exec";
    (program && !first.is_empty()).then(|| value.replace(',', " "))
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn settings_that_name_commands_are_found_and_others_are_not() {
        let cases: &[(&str, &[&str])] = &[
            ("PostUp = /opt/tool --now", &["/opt/tool --now"]),
            ("Dpkg::Pre-Invoke {\"/opt/tool;false\"}", &["/opt/tool;false"]),
            ("APT::Update::Pre-Invoke::=/opt/tool", &["/opt/tool"]),
            ("    command: /opt/tool", &["/opt/tool"]),
            ("[{hosts: all, tasks: [shell: /opt/tool -x]}]", &["/opt/tool -x"]),
            ("Address = 10.9.0.1/24", &[]),
            ("log_format = main", &[]),
            ("# command = /opt/tool", &[]),
            ("description = runs /opt/tool", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(commands(text), *expected, "{text}");
        }
    }
}
