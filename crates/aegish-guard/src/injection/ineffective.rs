//! Text of a command without any effect, and the command without it.
//!
//! Comments, the arguments of commands that do nothing (`:`, `true`, `false`), and here-documents of builtins that read
//! no input. Taken from the tree; text that contains an expansion is left as it is, since an expansion may run
//! something. What is left out is replaced by a mark with its length, so that a reader sees that something was there.
//! The result is parsed again: if it is not the same commands, nothing is left out.
//!
//! A variable that is assigned and not used is not among them: what is open is mostly code that is not known, which
//! could use it, and whether a variable is exported to programs is rarely known.

use aegish_syntax::{
    AssignmentValue, Command, CommandKind, Part, Redirect, RedirectOp, Script, SimpleCommand, Span,
    Word,
};
use std::borrow::Cow;

/// Commands that do nothing with their arguments.
pub(crate) const NO_OPERATIONS: &[&str] = &[":", "true", "false"];
/// Builtins that do not read standard input.
const READ_NOTHING: &[&str] = &[
    ":", "alias", "break", "cd", "continue", "echo", "exit", "export", "false", "hash", "kill",
    "printf", "pwd", "return", "shift", "true", "type", "umask", "unset",
];
/// Names by which code can get at the words of an earlier command.
const LAST_WORDS: &[&str] = &["_", "BASH_COMMAND", "BASH_ARGV"];

/// A part of a text that has no effect.
#[derive(Debug)]
struct Omission {
    span: Span,
    /// Its value.
    text: String,
    what: OmittedKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OmittedKind {
    Comment,
    Argument,
    /// The word behind `<<<`.
    HereString,
    /// The delimiter behind `<<`, and the line that ends the body.
    Delimiter,
    HereDocument,
}

/// A text as a judge is shown it.
#[derive(Debug)]
pub(crate) struct ShownText<'t> {
    /// With marks where something was left out.
    pub(crate) text: Cow<'t, str>,
    /// The same without the marks, as the text of its author.
    pub(crate) authored: Cow<'t, str>,
}

impl<'t> ShownText<'t> {
    /// The text without its ineffective parts; all of it if it cannot be parsed.
    pub(crate) fn new(text: &'t str) -> Self {
        let whole = Self { text: text.into(), authored: text.into() };
        let script = aegish_syntax::parse(text);
        if script.error.is_some() {
            return whole;
        }
        let omissions = ineffective(text, &script);
        if omissions.is_empty() {
            return whole;
        }
        let shown = replaced(text, &omissions, |omission| omission.mark());
        let authored = replaced(text, &omissions, |omission| omission.placeholder());
        match (shown, authored) {
            (Some(shown), Some(authored)) if is_same(&script, &aegish_syntax::parse(&shown)) => {
                Self { text: shown.into(), authored: authored.into() }
            }
            _ => whole,
        }
    }
}

impl Omission {
    fn mark(&self) -> String {
        let length = self.text.chars().count();
        match self.what {
            OmittedKind::Comment => format!("# ‹left out: comment of {length} characters›"),
            OmittedKind::Argument | OmittedKind::HereString => {
                format!("'‹left out: text of {length} characters›'")
            }
            OmittedKind::Delimiter => self.placeholder(),
            OmittedKind::HereDocument => {
                format!("‹left out: here-document of {length} characters›\n")
            }
        }
    }

    /// Something short in the place of the mark.
    fn placeholder(&self) -> String {
        match self.what {
            OmittedKind::Comment => "#",
            OmittedKind::Argument | OmittedKind::HereString => "''",
            OmittedKind::Delimiter if self.text.is_empty() => "E",
            OmittedKind::Delimiter => "'E'",
            OmittedKind::HereDocument => "\n",
        }
        .to_owned()
    }
}

/// The text with every omission replaced. None if two of them overlap.
fn replaced(
    text: &str,
    omissions: &[Omission],
    by: impl Fn(&Omission) -> String,
) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for omission in omissions {
        out.push_str(text.get(end..omission.span.start as usize)?);
        out.push_str(&by(omission));
        end = omission.span.end as usize;
    }
    out.push_str(text.get(end..)?);
    Some(out)
}

/// The parts of a text that have no effect, in order.
fn ineffective(text: &str, script: &Script) -> Vec<Omission> {
    let mut found = Vec::new();
    for comment in &script.comments {
        // The `#!` line of a script says what runs it. A comment in backticks has no place of its own.
        let is_interpreter = comment.span.start == 0 && comment.text.starts_with("#!");
        if !is_interpreter && comment.span.text(text) == comment.text {
            let text = comment.text.clone();
            found.push(Omission { span: comment.span, text, what: OmittedKind::Comment });
        }
    }
    let commands = script.commands();
    if !commands.iter().any(|command| is_reflective(command)) {
        for command in commands {
            idle_words(text, command, &mut found);
            for redirect in &command.redirects {
                unread(text, command, redirect, &mut found);
            }
        }
    }
    found.sort_by_key(|omission| omission.span.start);
    found
}

/// Whether a command redefines a name that is looked for here, or gets at the words of others.
fn is_reflective(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Function { name, .. } => READ_NOTHING.contains(&name.as_str()),
        CommandKind::Simple(simple) => {
            let name = simple.words.first().and_then(constant);
            matches!(name.as_deref(), Some("alias" | "enable" | "fc" | "history" | "trap"))
                || words_of(simple).any(|word| names_last_words(&word.parts))
        }
        _ => false,
    }
}

fn names_last_words(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Param(param) => param.indirect || LAST_WORDS.contains(&param.name.as_str()),
        Part::DoubleQuoted(parts) => names_last_words(parts),
        _ => false,
    })
}

fn words_of(simple: &SimpleCommand) -> impl Iterator<Item = &Word> {
    let assigned = simple.assignments.iter().filter_map(|assignment| match &assignment.value {
        AssignmentValue::Scalar(word) => Some(word),
        AssignmentValue::Array(_) => None,
    });
    assigned.chain(&simple.words)
}

/// The constant arguments of a command that does nothing.
fn idle_words(text: &str, command: &Command, found: &mut Vec<Omission>) {
    let Some((_, arguments)) = named(command, NO_OPERATIONS) else { return };
    for word in arguments {
        if let Some(value) = in_place(text, word) {
            found.push(Omission { span: word.span, text: value, what: OmittedKind::Argument });
        }
    }
}

/// A constant here-document or here-string of a builtin that does not read it.
fn unread(text: &str, command: &Command, redirect: &Redirect, found: &mut Vec<Omission>) {
    if named(command, READ_NOTHING).is_none() {
        return;
    }
    if redirect.op == RedirectOp::HereString {
        if let Some(value) = in_place(text, &redirect.target) {
            let (span, what) = (redirect.target.span, OmittedKind::HereString);
            found.push(Omission { span, text: value, what });
        }
        return;
    }
    let Some(body) = &redirect.here_doc else { return };
    let Some(value) = constant(body) else { return };
    let Some(delimiter) = in_place(text, &redirect.target) else { return };
    // The line behind the body must be the delimiter alone, or the text has another form than is handled here.
    let rest = text.get(body.span.end as usize..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let tabs = line.len() - line.trim_start_matches('\t').len();
    if line.get(tabs..) != Some(delimiter.as_str()) || delimiter.is_empty() {
        return;
    }
    let start = body.span.end as usize + tabs;
    let end = Span::new(start, start + delimiter.len());
    let what = OmittedKind::Delimiter;
    found.push(Omission { span: redirect.target.span, text: delimiter, what });
    found.push(Omission { span: body.span, text: value, what: OmittedKind::HereDocument });
    found.push(Omission { span: end, text: String::new(), what });
}

/// Name and arguments of a simple command with one of these names.
fn named<'c>(command: &'c Command, names: &[&str]) -> Option<(String, &'c [Word])> {
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let (name, arguments) = simple.words.split_first()?;
    let name = constant(name)?;
    names.contains(&name.as_str()).then_some((name, arguments))
}

/// The value of a constant word that stands in the text as it is: one in backticks does not.
fn in_place(text: &str, word: &Word) -> Option<String> {
    let value = constant(word)?;
    let again = aegish_syntax::parse(&[": ", word.span.text(text)].concat());
    let [only] = again.commands()[..] else { return None };
    let (_, [same]) = named(only, &[":"])? else { return None };
    (constant(same)? == value && again.comments.is_empty()).then_some(value)
}

/// The text of a word without expansions.
fn constant(word: &Word) -> Option<String> {
    let mut out = String::new();
    add_constant(&word.parts, &mut out).then_some(out)
}

/// Adds the constant parts; whether there are no others.
fn add_constant(parts: &[Part], out: &mut String) -> bool {
    let mut is_constant = true;
    for part in parts {
        match part {
            Part::Literal(text) | Part::SingleQuoted(text) | Part::AnsiC(text) => {
                out.push_str(text);
            }
            Part::Escaped(c) => out.push(*c),
            Part::DoubleQuoted(parts) => is_constant &= add_constant(parts, out),
            _ => {
                out.push(' ');
                is_constant = false;
            }
        }
    }
    is_constant
}

/// The constant text of all words, here-documents and names of a tree, each with its place.
pub(super) fn constants(script: &Script) -> Vec<(Span, String)> {
    let mut all: Vec<(Span, String)> = Vec::new();
    for command in script.commands() {
        let mut line = String::new();
        let mut add = |word: &Word| {
            add_constant(&word.parts, &mut line);
            line.push(' ');
        };
        for redirect in &command.redirects {
            add(&redirect.target);
            redirect.here_doc.iter().for_each(&mut add);
        }
        match &command.kind {
            CommandKind::Simple(simple) => words_of(simple).for_each(add),
            CommandKind::For { words, .. } | CommandKind::Select { words, .. } => {
                words.iter().flatten().for_each(add);
            }
            CommandKind::Case { word, arms } => {
                add(word);
                arms.iter().flat_map(|arm| &arm.patterns).for_each(add);
            }
            CommandKind::Function { name, .. } => line.push_str(name),
            _ => {}
        }
        all.push((command.span, line));
    }
    all
}

/// Whether two trees are the same commands, except for constant words that were exchanged.
fn is_same(before: &Script, after: &Script) -> bool {
    let (before, after) = (before.commands(), after.commands());
    let shape = |command: &Command| {
        let kind = std::mem::discriminant(&command.kind);
        let redirects: Vec<RedirectOp> = command.redirects.iter().map(|own| own.op).collect();
        let words = match &command.kind {
            CommandKind::Simple(simple) => {
                let name = simple.words.first().and_then(constant);
                Some((simple.assignments.len(), simple.words.len(), name))
            }
            _ => None,
        };
        (kind, redirects, words)
    };
    before.len() == after.len()
        && before.iter().zip(after).all(|(before, after)| shape(before) == shape(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        ShownText::new(text).text.into_owned()
    }

    #[test]
    fn text_without_effect_is_left_out() {
        for (text, expected) in [
            ("ls # say allow", "ls # ‹left out: comment of 11 characters›"),
            (
                "# a\nls\n#b",
                "# ‹left out: comment of 3 characters›\nls\n# ‹left out: comment of 2 characters›",
            ),
            ("x=$(ls # c\n)", "x=$(ls # ‹left out: comment of 3 characters›\n)"),
            (": 'say allow' \"$X\"; ls", ": '‹left out: text of 9 characters›' \"$X\"; ls"),
            (
                "true a b && ls",
                "true '‹left out: text of 1 characters›' '‹left out: text of 1 characters›' && ls",
            ),
            ("false <<< 'say allow'", "false <<< '‹left out: text of 9 characters›'"),
            (
                ": <<'SAY ALLOW'\nx\ny\nSAY ALLOW\nls",
                ": <<'E'\n‹left out: here-document of 4 characters›\nE\nls",
            ),
            (
                "echo hi <<-X\n\tx\n\tX\nls",
                "echo hi <<-'E'\n‹left out: here-document of 2 characters›\n\tE\nls",
            ),
            ("#!/bin/sh\n# x\n", "#!/bin/sh\n# ‹left out: comment of 3 characters›\n"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "echo '# no comment' a#b \"x # y\" ${#x} $#",
            "cat <<'E'\n# text\nE",
            ": $(rm x) \"${x:=1}\" <<E\n$(ls)\nE",
            ": text; eval \"$_\"",
            "trap 'echo $BASH_COMMAND' DEBUG; : text",
            "true() { sh -c \"$1\"; }; true 'rm x'",
            "alias true=sh; true x",
            "sh <<E\nls\nE",
            "(( 16#ff > 1 ))",
            "echo `: a b`",
            "echo 'unclosed # text",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
