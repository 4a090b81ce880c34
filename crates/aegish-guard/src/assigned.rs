//! Which variables of the shell a line can change, told from its syntax alone.
//!
//! Beside a real shell the shell is asked for its variables after each line. Most lines run programs, which cannot
//! change any, or assign a few by name; then only these are asked for. Everything that is not known to be so simple
//! counts as able to change all.

use aegish_effects::{BUILTINS, Session};
use aegish_syntax::{
    AndOr, Assignment, AssignmentValue, Command, CommandKind, Fd, List, Param, ParamOp, Part,
    Redirect, Script, SimpleCommand, Word,
};
use std::borrow::Cow;

/// The variables that a line can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assigned {
    /// These and no others.
    Names(Vec<String>),
    /// Any of them, or aliases.
    Any,
}

/// Builtins that change no variable and no alias, independent of their arguments.
const INERT: [&str; 15] = [
    ":", "bg", "disown", "echo", "exit", "false", "fg", "help", "jobs", "kill", "logout", "pwd",
    "times", "true", "umask",
];

/// Variables that change other variables or options of the shell when they are set, or whose value is
/// evaluated.
const FAR_REACHING: [&str; 13] = [
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "HISTCMD",
    "IGNOREEOF",
    "LINENO",
    "MAILCHECK",
    "OPTIND",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "ignoreeof",
];

/// The variables that a line of this session can change.
pub(crate) fn assigned(script: &Script, session: &Session) -> Assigned {
    let mut walk = AssignmentWalk { session, names: Vec::new() };
    let simple = script.error.is_none() && !session.calls_back() && walk.script(script).is_some();
    if simple { Assigned::Names(walk.names) } else { Assigned::Any }
}

/// Collects names. `None` means that anything can change.
struct AssignmentWalk<'a> {
    session: &'a Session,
    names: Vec<String>,
}

impl AssignmentWalk<'_> {
    fn script(&mut self, script: &Script) -> Option<()> {
        self.list(&script.body)
    }

    fn list(&mut self, list: &List) -> Option<()> {
        list.items.iter().try_for_each(|item| self.and_or(item))
    }

    fn and_or(&mut self, item: &AndOr) -> Option<()> {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
        pipelines
            .flat_map(|pipeline| &pipeline.commands)
            .try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        command.redirects.iter().try_for_each(|redirect| self.redirect(redirect))?;
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple),
            CommandKind::Group(list) => self.list(list),
            // Changes in a subshell do not affect this shell.
            CommandKind::Subshell(_) => Some(()),
            CommandKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition)?;
                    self.list(body)?;
                }
                otherwise.iter().try_for_each(|list| self.list(list))
            }
            CommandKind::While { condition, body, .. } => {
                self.list(condition)?;
                self.list(body)
            }
            CommandKind::For { name, words, body } => {
                self.name(name)?;
                words.iter().flatten().try_for_each(|word| self.word(word))?;
                self.list(body)
            }
            CommandKind::Case { word, arms } => {
                self.word(word)?;
                for arm in arms {
                    arm.patterns.iter().try_for_each(|pattern| self.word(pattern))?;
                    self.list(&arm.body)?;
                }
                Some(())
            }
            CommandKind::ForArith { .. }
            | CommandKind::Select { .. }
            | CommandKind::Function { .. }
            | CommandKind::Cond(_)
            | CommandKind::Arith(_)
            | CommandKind::Coproc { .. } => None,
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Option<()> {
        simple.assignments.iter().try_for_each(|assignment| self.assignment(assignment))?;
        simple.words.iter().try_for_each(|word| self.word(word))?;
        let Some((first, arguments)) = simple.words.split_first() else { return Some(()) };
        let name = plain(first)?;
        let defined = self.session.functions().any(|(known, _)| known == name)
            || self.session.aliases().any(|(known, _)| known == name);
        match name.as_ref() {
            _ if defined => None,
            "cd" => {
                self.names.extend(["PWD", "OLDPWD"].map(str::to_owned));
                Some(())
            }
            // `-v` would assign.
            "printf"
                if arguments
                    .first()
                    .and_then(plain)
                    .is_some_and(|format| !format.starts_with('-')) =>
            {
                Some(())
            }
            "export" | "unset" => arguments.iter().try_for_each(|word| {
                let text = leading(word)?;
                let end = text.find('=').unwrap_or(text.len());
                let whole = end < text.len() || plain(word).is_some();
                let name = text.get(..end).filter(|name| is_name(name) && whole)?;
                self.name(name)
            }),
            inert if INERT.binary_search(&inert).is_ok() => Some(()),
            // A reserved word that parses as the name of a command, and builtins that can change any variable.
            "[[" => None,
            other if BUILTINS.binary_search(&other).is_ok() => None,
            // A program.
            _ => Some(()),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<()> {
        match (&assignment.index, &assignment.value) {
            (None, AssignmentValue::Scalar(word)) => {
                self.name(&assignment.name)?;
                self.word(word)
            }
            _ => None,
        }
    }

    fn name(&mut self, name: &str) -> Option<()> {
        if FAR_REACHING.contains(&name) || name.starts_with("BASH") || name.starts_with("COMP_") {
            return None;
        }
        self.names.push(name.to_owned());
        Some(())
    }

    fn redirect(&mut self, redirect: &Redirect) -> Option<()> {
        if matches!(redirect.fd, Some(Fd::Variable(_))) {
            return None;
        }
        self.word(&redirect.target)?;
        redirect.here_doc.iter().try_for_each(|text| self.word(text))
    }

    fn word(&mut self, word: &Word) -> Option<()> {
        self.parts(&word.parts)
    }

    fn parts(&mut self, parts: &[Part]) -> Option<()> {
        parts.iter().try_for_each(|part| match part {
            Part::Literal(_) | Part::Escaped(_) | Part::SingleQuoted(_) | Part::AnsiC(_) => {
                Some(())
            }
            // They run in a subshell.
            Part::Command(_) | Part::Process(_) => Some(()),
            Part::DoubleQuoted(parts) => self.parts(parts),
            Part::Param(param) => self.param(param),
            Part::ExtGlob(_, words) => words.iter().try_for_each(|word| self.word(word)),
            Part::Arith(_) | Part::Array(_) => None,
        })
    }

    fn param(&mut self, param: &Param) -> Option<()> {
        if param.index.is_some() || param.indirect {
            return None;
        }
        match &param.op {
            ParamOp::Plain | ParamOp::Length => Some(()),
            ParamOp::Default { word, .. }
            | ParamOp::Alternative { word, .. }
            | ParamOp::RemovePrefix { pattern: word, .. }
            | ParamOp::RemoveSuffix { pattern: word, .. } => self.word(word),
            _ => None,
        }
    }
}

/// The text of a word that no expansion changes.
fn plain(word: &Word) -> Option<Cow<'_, str>> {
    let unchanged =
        |text: &str| !text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'~'));
    if let [Part::Literal(literal)] = word.parts.as_slice() {
        return unchanged(literal).then_some(Cow::Borrowed(literal));
    }
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal(literal) if unchanged(literal) => text.push_str(literal),
            Part::SingleQuoted(quoted) => text.push_str(quoted),
            Part::Escaped(c) => text.push(*c),
            _ => return None,
        }
    }
    Some(Cow::Owned(text))
}

/// The literal text that a word begins with.
fn leading(word: &Word) -> Option<&str> {
    match word.parts.first()? {
        Part::Literal(text) => Some(text),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{Assigned, INERT, assigned};
    use aegish_effects::{Context, Session, analyze_in};

    fn names(session: &Session, line: &str) -> Option<String> {
        match assigned(&aegish_syntax::parse(line), session) {
            Assigned::Names(names) => Some(names.join(" ")),
            Assigned::Any => None,
        }
    }

    fn after(lines: &[&str]) -> Session {
        let context = Context::bare();
        lines.iter().fold(Session::new(), |session, line| {
            analyze_in(&session, line, &aegish_syntax::parse(line), &context, context.machine).1
        })
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(INERT.is_sorted());
    }

    #[test]
    fn programs_change_no_variable_and_assignments_the_named_ones() {
        let new = Session::new();
        for (line, expected) in [
            ("ls -la | grep \"$x\" > out; git status && make -j4 &", ""),
            ("a=1 b=\"$(date)\"; echo $a", "a b"),
            ("cd /tmp && ls", "PWD OLDPWD"),
            ("for i in *.txt; do wc -l \"$i\"; done", "i"),
            ("export A=x B; unset C", "A B C"),
            ("if grep -q x f; then y=${z:-1}; fi", "y"),
            ("(x=1; read y); printf '%s\\n' \"$x\"", ""),
            ("\\ls 'a'b", ""),
        ] {
            assert_eq!(names(&new, line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn everything_else_may_change_all() {
        let new = Session::new();
        for line in [
            "read x",
            "eval \"$x\"",
            ". ./x",
            "source x",
            "$cmd x",
            "declare -i n",
            "printf -v x 1",
            "printf \"$f\" x",
            "echo ${x:=1}",
            "echo $((x=1))",
            "((x++))",
            "[[ -v x ]]",
            "a[i=1]=2",
            "a=(1 2)",
            "exec {fd}>x",
            "x() { y=1; }; x",
            "command read x",
            "builtin read x",
            "set -o posix",
            "shopt -s lastpipe",
            "trap 'x=1' DEBUG",
            "coproc cat",
            "mapfile x",
            "getopts a x",
            "let x=1",
            "echo ${!x}",
            "echo ${a[x=1]}",
            "echo ${x:y=1}",
            "echo ${x@P}",
            "POSIXLY_CORRECT=1",
            "export POSIXLY_CORRECT=1",
            "export $x",
            "unset \"$x\"",
            "export -n x",
            "e{cho,val} x",
            "select x in a; do break; done",
            "[ -v 'a[x=1]' ]",
            "test -v x",
            "wait -p x",
            "echo 'unclosed",
        ] {
            assert_eq!(names(&new, line), None, "{line}");
        }
    }

    #[test]
    fn definitions_of_earlier_lines_count() {
        let session = after(&["f() { x=1; }", "alias ll='read x'"]);
        assert_eq!(names(&session, "f"), None);
        assert_eq!(names(&session, "ll"), None);
        assert_eq!(names(&session, "ls").as_deref(), Some(""));
        assert_eq!(names(&after(&["trap 'x=1' INT"]), "ls"), None);
        assert_eq!(names(&after(&["declare -n r=x"]), "r=1"), None);
        assert_eq!(names(&after(&["declare -i n"]), "n='x=1'"), None);
        assert_eq!(names(&after(&["eval \"$unknown\""]), "ls"), None, "it may have set a trap");
    }
}
