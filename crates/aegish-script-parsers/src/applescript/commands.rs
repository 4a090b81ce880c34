//! Commands of the language and of its additions.

use super::{AppleScript, Parsed};
use crate::ir::{Argument, Expr};
use crate::lowering::Lowering;

/// Commands that may stand where a value does; longer ones come first.
pub(super) const COMMANDS: &[&str] = &[
    "do shell script",
    "do javascript",
    "do script",
    "run script",
    "load script",
    "store script",
    "open for access",
    "close access",
    "open location",
    "system attribute",
    "system info",
    "path to resource",
    "path to",
    "get eof",
    "set eof",
    "display dialog",
    "display alert",
    "display notification",
    "choose application",
    "choose color",
    "choose file name",
    "choose file",
    "choose folder",
    "choose from list",
    "choose remote application",
    "choose url",
    "get volume settings",
    "set volume",
    "list disks",
    "list folder",
    "info for",
    "mount volume",
    "clipboard info",
    "ascii character",
    "ascii number",
    "random number",
    "time to gmt",
    "localized string",
    "key code",
    "key down",
    "key up",
    "current date",
    "offset of",
    "empty trash",
    "keystroke",
    "summarize",
    "duplicate",
    "activate",
    "restart",
    "shut down",
    "launch",
    "reveal",
    "delete",
    "round",
    "count",
    "write",
    "delay",
    "beep",
    "read",
    "move",
    "make",
    "open",
    "quit",
    "exists",
    "click",
    "select",
    "save",
    "print",
    "close",
    "say",
    "log",
    "run",
    "get",
];

/// Words that introduce a parameter of a command.
const LABELS: &[&str] = &[
    "with",
    "without",
    "in",
    "to",
    "from",
    "at",
    "for",
    "using",
    "given",
    "by",
    "into",
    "on",
    "as",
    "of",
    "until",
    "before",
    "after",
    "against",
    "over",
    "user",
    "name",
    "password",
    "administrator",
    "altering",
    "starting",
    "buttons",
    "default",
    "button",
    "answer",
    "giving",
    "title",
    "subtitle",
    "sound",
    "icon",
    "hidden",
    "cancel",
    "properties",
    "permission",
    "prompt",
    "multiple",
    "selections",
    "invisibles",
    "type",
    "message",
    "new",
    "window",
    "tab",
    "replacing",
    "saving",
    "rounding",
    "displaying",
    "voice",
    "waiting",
    "volume",
    "output",
    "input",
    "alert",
    "muted",
    "routing",
    "suppressed",
    "target",
    "parameters",
    "server",
];

/// Labels of several words.
pub(super) const LONG_LABELS: &[&str] = &[
    "multiple selections allowed",
    "empty selection allowed",
    "administrator privileges",
    "default answer",
    "default button",
    "default items",
    "default color",
    "default name",
    "default location",
    "cancel button",
    "hidden answer",
    "user name",
    "sound name",
    "starting at",
    "giving up after",
    "output volume",
    "input volume",
    "alert volume",
    "output muted",
];

/// Words that end the names of switches behind `with`.
pub(super) const STARTERS: &[&str] = &[
    "with", "without", "in", "to", "from", "at", "for", "using", "given", "by", "into", "as",
    "then",
];

pub(super) fn is_label(word: &str) -> bool {
    LABELS.contains(&word)
}

/// Whether the class names files by a text.
pub(super) fn is_file_class(words: &str) -> bool {
    matches!(words, "file" | "folder" | "alias" | "document file" | "disk item" | "disk")
}

/// Commands and classes whose operand may be in brackets, so that the brackets are no arguments of a handler.
pub(super) fn takes_group(word: &str) -> bool {
    COMMANDS.contains(&word)
        || matches!(
            word,
            "file"
                | "folder"
                | "alias"
                | "item"
                | "items"
                | "character"
                | "characters"
                | "word"
                | "words"
                | "paragraph"
                | "text"
                | "id"
                | "window"
                | "tab"
                | "process"
                | "application"
                | "app"
                | "button"
                | "not"
                | "and"
                | "or"
                | "script"
                | "set"
                | "as"
                | "is"
                | "return"
                | "if"
                | "while"
                | "until"
                | "repeat"
                | "error"
                | "to"
                | "of"
                | "in"
        )
}

/// The command with this code.
pub(super) fn of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "event sysoexec" => "do shell script",
        "event coredosc" => "do script",
        "event sysodsct" => "run script",
        "event sysoload" => "load script",
        "event syso load" => "load script",
        "event gurlgurl" => "open location",
        "event rdwrread" => "read",
        "event rdwrwrit" => "write",
        "event rdwropen" => "open for access",
        "event sysodlog" => "display dialog",
        "event sysonotf" => "display notification",
        _ => return None,
    })
}

impl AppleScript<'_> {
    /// The parameters of a command.
    pub(super) fn command(&mut self, name: &str) -> Parsed<Expr> {
        let mut arguments = Vec::new();
        let starts_label = self.starts_label();
        // `make new document` and `open file "x"` have words that are labels elsewhere.
        let direct = !self.at_line_end() && !self.closes() && !starts_label;
        if direct {
            arguments.push(Argument::One(self.expression()?));
        }
        self.labels(&mut arguments)?;
        if name == "make" {
            // The words of the class that is made.
            while !self.at_line_end() && !self.closes() {
                arguments.push(Argument::One(self.expression()?));
                self.labels(&mut arguments)?;
            }
        }
        Ok(self.call_with(Expr::Name(Lowering::name(name)), arguments))
    }
}
