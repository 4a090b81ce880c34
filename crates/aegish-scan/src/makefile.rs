//! Makefiles: the lines of recipes, and the commands of `$(shell …)`.
//!
//! Make expands its own variables before the shell reads a line. Those that the file sets to plain text are put in;
//! the others become variables of the shell, which the reader of the command takes as ordinary unknown values.

use crate::embedded::{Builder, CommandForm, Embedded, Line, lines};
use std::cell::Cell;
use std::collections::HashMap;

/// How deep variables may refer to each other.
const MAX_DEPTH: usize = 8;

/// Longest text that a variable expands to.
const MAX_EXPANDED: usize = 64 * 1024;

/// References that are looked up in a file; the others are not known.
const MAX_REFERENCES: usize = 100_000;

pub(crate) fn commands(text: &str) -> Vec<Embedded> {
    let mut reader = Reader {
        source: text,
        variables: HashMap::new(),
        found: Vec::new(),
        left: Cell::new(MAX_REFERENCES),
    };
    let lines: Vec<Line<'_>> = lines(text).collect();
    reader.assignments(&lines);
    let mut target = String::new();
    let mut rest = lines.iter().copied();
    let mut define = false;
    while let Some(line) = rest.next() {
        let mut logical = vec![line];
        while logical.last().is_some_and(|line| line.text.ends_with('\\')) {
            let Some(next) = rest.next() else { break };
            logical.push(next);
        }
        let trimmed = line.text.trim_start();
        if define {
            define = !trimmed.starts_with("endef");
        } else if trimmed.starts_with("define ") {
            define = true;
        } else if line.text.starts_with('\t') && !target.is_empty() {
            reader.recipe(&logical, &target);
        } else {
            reader.shell_calls(&logical);
            if let Some(name) = rule_target(line.text) {
                target = name.to_owned();
                // `target: prerequisites ; command`
                if let Some(index) = line.text.find(';') {
                    let start = line.start + index + 1;
                    let text = line.text.get(index + 1..).unwrap_or_default();
                    let mut own = vec![Line { start, text }];
                    own.extend(logical.iter().skip(1));
                    reader.recipe(&own, name);
                }
            } else if !trimmed.is_empty() && !trimmed.starts_with('#') {
                target.clear();
            }
        }
    }
    reader.found.sort_by_key(|one| one.file_offset(0));
    reader.found
}

/// The name before the colon of a rule; none for assignments and directives.
fn rule_target(line: &str) -> Option<&str> {
    if line.starts_with(['\t', '#']) {
        return None;
    }
    let colon = line.find(':')?;
    let before = line.get(..colon)?;
    let behind = line.get(colon + 1..)?;
    let assigned = before.contains('=') || behind.trim_start_matches(':').starts_with('=');
    (!assigned && !before.trim().is_empty()).then(|| before.trim())
}

struct Reader<'a> {
    source: &'a str,
    /// Variables and their values as written.
    variables: HashMap<String, String>,
    found: Vec<Embedded>,
    /// References that may still be looked up.
    left: Cell<usize>,
}

impl Reader<'_> {
    /// Collects `NAME = value`. A name that is assigned several times, or extended, is not known.
    fn assignments(&mut self, lines: &[Line<'_>]) {
        let mut several = Vec::new();
        for line in lines.iter().filter(|line| !line.text.starts_with(['\t', '#'])) {
            let Some((name, value)) = line.text.split_once('=') else { continue };
            let plain = name.trim_end_matches([':', '?', '+', '!', ' ', '\t']);
            let name = plain.trim().trim_start_matches("export ").trim_start_matches("override ");
            let sure = !line
                .text
                .split_once('=')
                .is_some_and(|(before, _)| before.ends_with(['+', '!', '?']));
            if name.is_empty() || name.contains([' ', ':', '$', '(']) {
                continue;
            }
            let value = value.split(" #").next().unwrap_or_default().trim();
            let before = self.variables.insert(name.to_owned(), value.to_owned());
            if before.is_some() || !sure || value.ends_with('\\') {
                several.push(name.to_owned());
            }
        }
        several.iter().for_each(|name| {
            self.variables.remove(name);
        });
    }

    /// One logical line of a recipe is one call of the shell.
    fn recipe(&mut self, logical: &[Line<'_>], target: &str) {
        let mut builder = Builder::new(self.source);
        for (index, line) in logical.iter().enumerate() {
            let mut text = line.text;
            if index == 0 {
                text = text.trim_start_matches(['\t', ' ', '@', '-', '+']);
            } else {
                builder.insert("\n", line.start.saturating_sub(1));
                text = text.strip_prefix('\t').unwrap_or(text);
            }
            self.expand(text, line.end() - text.len(), &mut builder);
        }
        self.shell_calls(logical);
        let first = logical.first().map_or("", |line| line.text.trim());
        if !builder.is_blank() && !first.starts_with('#') {
            self.found.push(builder.finish(CommandForm::Line, target.to_owned()));
        }
    }

    /// The commands of `$(shell …)`.
    fn shell_calls(&mut self, logical: &[Line<'_>]) {
        for line in logical.iter().filter(|line| !line.text.trim_start().starts_with('#')) {
            for (index, mark) in line.text.match_indices("$(shell ") {
                let start = index + mark.len();
                let Some(inside) =
                    line.text.get(start..).and_then(|rest| rest.get(..closing(rest, ')')?))
                else {
                    continue;
                };
                let mut builder = Builder::new(self.source);
                self.expand(inside, line.start + start, &mut builder);
                if !builder.is_blank() {
                    self.found.push(builder.finish(CommandForm::Line, "$(shell)".to_owned()));
                }
            }
        }
    }

    /// Appends text as the shell gets it.
    fn expand(&self, text: &str, start: usize, builder: &mut Builder<'_>) {
        let mut from = 0;
        while let Some(index) =
            text.get(from..).and_then(|rest| rest.find('$')).map(|index| from + index)
        {
            builder.copy(start + from, start + index);
            let (value, length) = self.reference(text.get(index..).unwrap_or_default(), 0);
            builder.insert(&value, start + index);
            from = index + length;
        }
        builder.copy(start + from, start + text.len());
    }

    /// The value of the reference at the beginning of a text, and its length.
    fn reference(&self, text: &str, depth: usize) -> (String, usize) {
        let mut chars = text.chars().skip(1);
        let close = match chars.next() {
            Some('$') => return ("$".to_owned(), 2),
            Some('(') => ')',
            Some('{') => '}',
            // `$@`, `$<`, `$x`
            Some(c) => return (self.value(&c.to_string(), depth), 1 + c.len_utf8()),
            None => return (String::new(), 1),
        };
        let inside = text.get(2..).unwrap_or_default();
        let Some(end) = closing(inside, close) else {
            return (String::new(), text.len());
        };
        (self.value(inside.get(..end).unwrap_or_default(), depth), end + 3)
    }

    /// What a variable stands for: its text if that is known, else a variable of the shell.
    fn value(&self, name: &str, depth: usize) -> String {
        let unknown = || {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let named = plain && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            format!("${{{}}}", if named { name } else { "make_value" })
        };
        self.left.set(self.left.get().saturating_sub(1));
        let known = depth < MAX_DEPTH && self.left.get() > 0;
        let Some(written) = self.variables.get(name).filter(|_| known) else { return unknown() };
        let mut out = String::new();
        let mut rest = written.as_str();
        while let Some(index) = rest.find('$') {
            out.push_str(rest.get(..index).unwrap_or_default());
            let tail = rest.get(index..).unwrap_or_default();
            let (value, length) = self.reference(tail, depth + 1);
            out.push_str(&value);
            rest = tail.get(length..).unwrap_or_default();
            if out.len() > MAX_EXPANDED {
                return unknown();
            }
        }
        out.push_str(rest);
        out
    }
}

/// The place of the bracket that closes the one before the text.
fn closing(text: &str, close: char) -> Option<usize> {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Some(index),
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::commands;

    fn texts(file: &str) -> Vec<String> {
        commands(file).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn recipes_are_what_the_shell_gets() {
        let file = "OUT := build\nCFLAGS = -O2 -g\nall: x.c\n\t@mkdir -p $(OUT)/bin\n\t-cc $(CFLAGS) -o $@ x.c; echo $$HOME\n";
        assert_eq!(
            texts(file),
            ["mkdir -p build/bin", "cc -O2 -g -o ${make_value} x.c; echo $HOME"]
        );
        let found = commands(file);
        let offset = found[1].text.find("x.c").unwrap();
        assert!(file.get(found[1].file_offset(offset)..).unwrap().starts_with("x.c"));
    }

    #[test]
    fn continued_lines_are_one_call() {
        assert_eq!(
            texts("a:\n\tif true; then \\\n\t  date; \\\n\tfi\n"),
            ["if true; then \\\n  date; \\\nfi"]
        );
    }

    #[test]
    fn what_is_assigned_twice_or_in_the_environment_is_not_known() {
        assert_eq!(texts("D = a\nD = b\nE ?= c\nx:\n\trm -r $(D) $(E)\n"), ["rm -r ${D} ${E}"]);
    }

    #[test]
    fn calls_of_the_shell_are_commands() {
        assert_eq!(texts("V := $(shell git describe $(X))\n"), ["git describe ${X}"]);
    }

    #[test]
    fn variables_that_refer_to_themselves_end() {
        assert_eq!(texts("A = $(A) x\nt:\n\techo $(A)\n").len(), 1);
        let mut file = String::from("a0 = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
        for n in 1..12 {
            let before = n - 1;
            file += &format!(
                "a{n} = $(a{before})$(a{before})$(a{before})$(a{before})$(a{before})$(a{before})$(a{before})$(a{before})\n"
            );
        }
        file += "t:\n\techo $(a11)\n";
        assert_eq!(texts(&file).len(), 1);
    }

    #[test]
    fn rules_with_a_command_behind_a_semicolon_and_assignments_are_told_apart() {
        assert_eq!(texts("t: a ; date\nX ::= a:b\n"), ["date"]);
    }
}
