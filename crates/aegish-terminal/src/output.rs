//! Output to a terminal: colours if wanted, and no control characters in the text.

use aegish_guard::Action;
use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Standard output or error, buffered, with or without colours.
pub struct Screen {
    text: String,
    colours: bool,
    target: OutputTarget,
}

/// The stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputTarget {
    Output,
    Errors,
}

/// Highlighting of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// What matters most.
    Strong,
    /// Details.
    Faint,
    /// As an allow is shown.
    Good,
    /// As a warning is shown.
    Doubtful,
    /// As a block is shown.
    Bad,
}

impl Style {
    /// The colour of a verdict.
    pub fn of(action: Action) -> Self {
        match action {
            Action::Allow => Self::Good,
            Action::Warn => Self::Doubtful,
            Action::Block => Self::Bad,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "1;32",
            Self::Doubtful => "1;33",
            Self::Bad => "1;31",
        }
    }
}

impl Screen {
    /// Colours only on a terminal that can show them, and not against the user's wish.
    pub fn standard() -> Self {
        Self::on(OutputTarget::Output, io::stdout().is_terminal())
    }

    /// For text that must not mix with the output of commands.
    pub fn errors() -> Self {
        Self::on(OutputTarget::Errors, io::stderr().is_terminal())
    }

    fn on(target: OutputTarget, terminal: bool) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { text: String::new(), colours: !refused && terminal, target }
    }

    /// Unstyled text.
    pub fn put(&mut self, text: impl fmt::Display) -> &mut Self {
        use fmt::Write as _;
        let _ = write!(self.text, "{text}");
        self
    }

    /// Adds highlighted text.
    pub fn paint(&mut self, style: Style, text: impl fmt::Display) -> &mut Self {
        if self.colours {
            let code = style.code();
            self.put(format_args!("\u{1b}[{code}m{text}\u{1b}[0m"))
        } else {
            self.put(text)
        }
    }

    /// The end of a line.
    pub fn end(&mut self) {
        self.text.push('\n');
    }

    /// Returns the text instead of writing it.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes everything. A closed reader is not an error.
    pub fn finish(self) -> io::Result<()> {
        let text = self.text.as_bytes();
        quiet(match self.target {
            OutputTarget::Output => io::stdout().lock().write_all(text),
            OutputTarget::Errors => io::stderr().lock().write_all(text),
        })
    }
}

/// Treats a closed reader as success.
pub fn quiet(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A message on standard error.
pub fn complain(message: &str) {
    // A failure to write this message cannot be reported.
    let _ = writeln!(io::stderr(), "aegish: {}", visible(&without_error_numbers(message)));
}

/// The text without ` (os error 2)`, which Rust adds to the system's own words.
fn without_error_numbers(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.push_str(rest);
            }
            _ => text.extend([" (os error ", part]),
        }
    }
    text
}

/// Text without characters that move the cursor, hide text or change its direction. They are spelled out.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            c if acts(c) => shown.push_str(&spelled(c)),
            c => shown.push(c),
        }
    }
    shown
}

/// Characters a terminal acts on, or does not show.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The character as Bash's `$'…'` writes it.
pub fn spelled(c: char) -> String {
    let number = u32::from(c);
    if number < 0x100 { format!("\\x{number:02x}") } else { format!("\\u{number:04x}") }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_that_acts_on_a_terminal_gets_through() {
        assert_eq!(visible("a\u{1b}[2Jb\u{202e}c\nd\u{9b}"), "a\\x1b[2Jb\\u202ec\\nd\\x9b");
        assert_eq!(visible("naïve 日本"), "naïve 日本");
    }
}
