//! The prompt.

use super::settings::ShellSettings;
use aegish_config::Mode;
use aegish_guard::Role;

/// The prompt's text, and the same with colours.
pub(crate) fn prompt(
    settings: &ShellSettings,
    cwd: &str,
    home: &str,
    status: u8,
) -> (String, String) {
    let template = settings.prompt.as_str();
    let of = |colours| expand(template, settings, cwd, home, status, colours);
    (of(false), of(true))
}

/// A prompt of the session with the guard's mark in front of its first line that is not empty: its text, and the same
/// with colours.
pub(crate) fn marked(settings: &ShellSettings, expanded: &str) -> (String, String) {
    let shown = expanded.trim_start_matches('\n');
    let empty = "\n".repeat(expanded.len() - shown.len());
    let mark = |colours| empty.clone() + &expand("aegish%m%r ", settings, "", "", 0, colours);
    (mark(false) + &without_escapes(shown), mark(true) + shown)
}

/// The text without sequences that a terminal acts on and shows nothing for.
pub(super) fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\n' => shown.push(c),
            c if c.is_control() => {}
            c => shown.push(c),
        }
    }
    shown
}

/// The rest of an escape sequence: colours (`ESC [ … m`), titles (`ESC ] … BEL`), or one character.
fn skip_escape(chars: &mut std::str::Chars<'_>) {
    match chars.next() {
        Some('[') => {
            chars.find(|c| ('@'..='~').contains(c));
        }
        // Ended by BEL, or by ESC and a backslash.
        Some(']' | 'P' | '_' | '^') => {
            let end = chars.find(|c| matches!(c, '\u{7}' | '\u{1b}'));
            let _backslash = end.filter(|end| *end == '\u{1b}').and_then(|_| chars.next());
        }
        // Character sets: one more letter.
        Some('(' | ')') => {
            chars.next();
        }
        _ => {}
    }
}

fn expand(
    template: &str,
    settings: &ShellSettings,
    cwd: &str,
    home: &str,
    status: u8,
    colours: bool,
) -> String {
    let paint = |code: &str, text: &str| {
        if colours && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    };
    let mut out = String::new();
    let mut chars = template.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('r') => out.push_str(&paint("35", role(settings.role))),
            Some('m') => out.push_str(&paint("31", mode(settings.mode()))),
            Some('w') => out.push_str(&paint("1;34", &short(cwd, home))),
            Some('u') => out.push_str(&std::env::var("USER").unwrap_or_default()),
            Some('h') => out.push_str(&host()),
            Some('?') if status != 0 => out.push_str(&paint("31", &format!(" [{status}]"))),
            Some('?') | None => {}
            Some('%') => out.push('%'),
            Some(other) => {
                out.push('%');
                out.push(other);
            }
        }
    }
    out
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Development => "",
        Mode::Production => "[production]",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Default => "",
        Role::Sysadmin => "(sysadmin)",
        Role::Restricted => "(restricted)",
    }
}

/// The home directory as `~`; control characters in names must not act on the terminal.
fn short(cwd: &str, home: &str) -> String {
    let text = match cwd.strip_prefix(home) {
        Some("") if !home.is_empty() => "~".to_owned(),
        Some(rest) if !home.is_empty() && rest.starts_with('/') => format!("~{rest}"),
        _ => cwd.to_owned(),
    };
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().split('.').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{short, without_escapes};

    #[test]
    fn the_width_of_a_prompt_is_that_of_its_letters() {
        let title = "\u{1b}]0;kim@host: ~\u{7}";
        assert_eq!(without_escapes(&format!("{title}\u{1b}[01;32mkim\u{1b}[0m:~$ ")), "kim:~$ ");
        assert_eq!(without_escapes("\u{1b}]2;x\u{1b}\\a\nb\u{1b}(Bc"), "a\nbc");
    }

    #[test]
    fn the_home_directory_is_short_and_names_cannot_act() {
        assert_eq!(short("/home/u", "/home/u"), "~");
        assert_eq!(short("/home/u/x", "/home/u"), "~/x");
        assert_eq!(short("/home/user", "/home/u"), "/home/user");
        assert_eq!(short("/a\u{1b}[2J", ""), "/a?[2J");
    }
}
