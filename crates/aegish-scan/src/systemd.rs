//! Units of systemd: the commands of their `Exec…=` lines.
//!
//! Systemd starts programs without a shell. Its words are quoted here, so that what means something to bash only
//! (`|`, `>`, `*`) stays text; variables and separate `;` are the same in both.

use crate::embedded::{Builder, CommandForm, Embedded, lines};
use crate::quote::quoted;

/// Settings whose value is a command.
const COMMANDS: [&str; 7] = [
    "ExecStart",
    "ExecStartPre",
    "ExecStartPost",
    "ExecCondition",
    "ExecReload",
    "ExecStop",
    "ExecStopPost",
];

pub(crate) fn commands(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut rest = lines(text);
    while let Some(line) = rest.next() {
        let Some((name, value)) = line.text.split_once('=') else { continue };
        if !COMMANDS.contains(&name.trim()) {
            continue;
        }
        let start = line.end() - value.trim_start().len();
        let mut value = value.trim().to_owned();
        while let Some(continued) = value.strip_suffix('\\') {
            let next = rest.find(|line| !line.text.trim_start().starts_with(['#', ';']));
            value = format!("{continued} {}", next.map_or("", |line| line.text.trim()));
        }
        let mut builder = Builder::new(text);
        builder.insert(&words(value.trim_start_matches(['@', '-', ':', '+', '!', '|'])), start);
        if !builder.is_blank() {
            found.push(builder.finish(CommandForm::Line, name.trim().to_owned()));
        }
    }
    found
}

/// The words of a command line, as bash reads them back.
fn words(value: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => {
                let next = chars.next();
                word.get_or_insert_default().extend(match next {
                    Some('n') => Some('\n'),
                    Some('t') => Some('\t'),
                    Some('s') => Some(' '),
                    other => other,
                });
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => out.extend(word.take().map(|word| shown(&word))),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word.map(|word| shown(&word)));
    out.join(" ")
}

/// A word for bash: a lone `;` separates commands, `${NAME}` and `$NAME` are variables, `$$` and `%%` are one character.
fn shown(word: &str) -> String {
    if word == ";" {
        return word.to_owned();
    }
    let plain = word.replace("%%", "%");
    let Some((before, behind)) = plain.split_once('$') else { return quoted(&plain) };
    if let Some(rest) = behind.strip_prefix('$') {
        return quoted(&format!("{before}${rest}"));
    }
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (variable, rest) = match behind.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        Some(parts) => parts,
        None => behind.split_at(behind.find(|c| !name(c)).unwrap_or(behind.len())),
    };
    if variable.is_empty() || !variable.chars().all(name) {
        return quoted(&plain);
    }
    let before = if before.is_empty() { String::new() } else { quoted(before) };
    let rest = if rest.is_empty() { String::new() } else { shown(rest) };
    // `$NAME` alone is split into words, as in bash; `${NAME}` is not.
    if behind.starts_with('{') || !before.is_empty() || !rest.is_empty() {
        format!("{before}\"${{{variable}}}\"{rest}")
    } else {
        format!("${variable}")
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    fn texts(unit: &str) -> Vec<String> {
        commands(unit).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn operators_of_bash_stay_text() {
        let unit =
            "[Service]\nType=simple\nExecStart=-/bin/echo a > b | c\nExecStop=/bin/kill $MAINPID\n";
        assert_eq!(texts(unit), ["/bin/echo a '>' b '|' c", "/bin/kill $MAINPID"]);
    }

    #[test]
    fn quotes_and_continued_lines_are_read() {
        let unit = "ExecStart=/bin/sh -c \"rm -rf ${STATE}/x\" \\\n  second\n";
        assert_eq!(texts(unit), ["/bin/sh -c 'rm -rf '\"${STATE}\"/x second"]);
        assert_eq!(texts("ExecStart=/bin/echo $$HOME 100%%\n"), ["/bin/echo '$HOME' 100%"]);
    }
}
