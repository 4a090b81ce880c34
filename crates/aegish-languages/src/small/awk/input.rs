//! awk: lines of the input, of files and of commands.

use super::super::known;
use super::network;
use super::parse::Expr;
use super::run::Awk;
use super::values::{Datum, computed};
use crate::CodeEffect;
use aegish_values::{Value, origin};

impl Awk<'_> {
    /// A command gets what was printed to it when it is closed.
    pub(super) fn close(&mut self, name: &str) {
        self.positions.remove(name);
        let Some(at) = self.fed.iter().position(|(command, _)| command == name) else { return };
        let (command, text) = self.fed.remove(at);
        const END: &str = "END_OF_WHAT_AWK_PRINTS";
        match text.as_known() {
            Some(text) if text.len() < 1 << 16 && !command.contains(['\n', '#', '<']) => {
                let line = if text.ends_with('\n') { "" } else { "\n" };
                let code = format!("{{ {command}\n}} <<'{END}'\n{text}{line}{END}\n");
                self.execute(Value::known(code));
            }
            _ => self.execute(Value::known(command)),
        }
    }

    /// Reads the next line of the input.
    pub(super) fn next_record(&mut self) -> Option<()> {
        let line = self.next_line()?;
        self.set_record(known(line));
        Some(())
    }

    fn next_line(&mut self) -> Option<String> {
        let separator = self.special("RS", "\n");
        let input = self.input.as_ref()?;
        let (line, next) = line_at(input, self.read_to, separator.as_known()?)?;
        self.read_to = next;
        self.lines += 1;
        Some(line)
    }

    pub(super) fn getline(
        &mut self,
        source: Option<&(bool, Box<Expr>)>,
        target: Option<&Expr>,
    ) -> Datum {
        let Some((command, source)) = source else {
            let line = match self.input {
                Some(_) => self.next_line().map(Value::known),
                None => Some(Value::unknown(origin::INPUT_LINE)),
            };
            return self.filled(line, self.input.is_some(), target);
        };
        let name = self.value(source).text();
        if let Some(kind) = network(&name) {
            self.push(kind);
            return self.filled(Some(Self::received()), false, target);
        }
        if *command {
            let printed = name.as_known().map(|name| self.output_of(name));
            self.execute(name.clone());
            let (line, exact) = match printed {
                Some(Some(text)) => (self.line_of(&name, &text), true),
                // Text that a command changes is any of several.
                Some(None) if says_more(&name) => (Some(Value::one_of_many_values()), false),
                _ => (Some(Value::unknown(origin::PROGRAM_OUTPUT).tainted(name.taint())), false),
            };
            return self.filled(line, exact, target);
        }
        self.push(CodeEffect::Read(name.clone()));
        let content = name.as_known().and_then(|path| {
            let written = self.written.get(path).cloned();
            written.or_else(|| self.files.and_then(|read| read(path)).map(Value::known))
        });
        let (line, exact) = match content {
            Some(text) => match text.as_known() {
                Some(text) => (self.line_of(&name, text), true),
                None => (Some(computed(&[text])), false),
            },
            None => (Some(Value::unknown(origin::FILE_CONTENT)), false),
        };
        self.filled(line, exact, target)
    }

    /// The output of a command that only prints what it is given.
    fn output_of(&self, command: &str) -> Option<String> {
        let words = command.strip_prefix("echo ")?;
        let plain = |c: char| c.is_alphanumeric() || " /._-+,:=@%".contains(c);
        (words.chars().all(plain) && !words.starts_with('-'))
            .then(|| words.split_whitespace().collect::<Vec<&str>>().join(" ") + "\n")
    }

    fn line_of(&mut self, name: &Value, text: &str) -> Option<Value> {
        let name = name.as_known()?.to_owned();
        let at = self.positions.get(&name).copied().unwrap_or(0);
        let (line, next) = line_at(text, at, "\n")?;
        self.positions.insert(name, next);
        Some(Value::known(line))
    }

    fn filled(&mut self, line: Option<Value>, exact: bool, target: Option<&Expr>) -> Datum {
        let Some(line) = line else { return Datum::Number(0.0) };
        let fill = |awk: &mut Self| match target {
            Some(target) => awk.assign(target, Datum::Input(line.clone())),
            None => awk.set_record(line.clone()),
        };
        if exact {
            fill(self);
            return Datum::Number(1.0);
        }
        self.lost = true;
        fill(self);
        Datum::Input(Value::unknown(origin::NUMBER))
    }
}

fn line_at(text: &str, at: usize, separator: &str) -> Option<(String, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    // Paragraphs, and expressions, are separators of another kind.
    let separator = if separator.is_empty() { "\n\n" } else { separator };
    Some(match rest.find(separator) {
        Some(end) => (rest.get(..end)?.to_owned(), at + end + separator.len()),
        None => (rest.strip_suffix('\n').unwrap_or(rest).to_owned(), text.len()),
    })
}

/// Whether a command says text that its output may be made of.
fn says_more(command: &Value) -> bool {
    let prints = ["echo", "printf", "tr", "sed", "rev", "base64", "cut", "awk", "xxd"];
    let words = command.as_known().unwrap_or_default();
    words.split(|c: char| !c.is_alphanumeric()).any(|word| prints.contains(&word))
}
