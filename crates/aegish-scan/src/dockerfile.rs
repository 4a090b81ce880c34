//! Dockerfiles: what `RUN`, `CMD`, `ENTRYPOINT` and `HEALTHCHECK` run.

use crate::embedded::{Builder, CommandForm, Embedded, Line, lines};
use crate::kind::{interpreter, is_shell};
use crate::quote::{joined, quoted};

/// An instruction with its continuation lines and here-documents.
struct Instruction<'a> {
    /// In capitals.
    keyword: String,
    /// The arguments: pieces of lines, without lines that are only comments.
    pieces: Vec<Line<'a>>,
    /// Here-documents of the instruction, with the lines between their marks.
    documents: Vec<Document<'a>>,
}

struct Document<'a> {
    body: Vec<Line<'a>>,
    end: Line<'a>,
}

/// The shell that runs commands that are not in exec form.
enum Shell {
    /// One whose language is that of bash.
    Bash,
    /// Another one, with its options: `powershell -Command`.
    Other(Vec<String>),
}

pub(crate) fn commands(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut shell = Shell::Bash;
    let mut cwd = "/".to_owned();
    let mut entrypoint: Option<Vec<String>> = None;
    for instruction in instructions(text) {
        let keyword = instruction.keyword.as_str();
        match keyword {
            "FROM" => {
                shell = Shell::Bash;
                "/".clone_into(&mut cwd);
                entrypoint = None;
            }
            "WORKDIR" => {
                let place = instruction.argument();
                cwd = if place.starts_with('/') { place } else { format!("{cwd}/{place}") };
            }
            "SHELL" => {
                let words = instruction.exec_form().unwrap_or_default();
                let base = words.first().and_then(|name| name.rsplit('/').next());
                shell = if base.is_some_and(is_shell) { Shell::Bash } else { Shell::Other(words) };
            }
            "RUN" | "CMD" | "ENTRYPOINT" | "HEALTHCHECK" => {
                let words = instruction.exec_form();
                let command = match words {
                    // The arguments of the entry point, not a command of their own.
                    Some(words) if keyword == "CMD" && entrypoint.is_some() => {
                        let all: Vec<&String> = entrypoint.iter().flatten().chain(&words).collect();
                        instruction.inserted(text, &joined(all.into_iter().map(String::as_str)))
                    }
                    Some(words) => {
                        let line = joined(words.iter().map(String::as_str));
                        let command = instruction.inserted(text, &line);
                        if keyword == "ENTRYPOINT" {
                            entrypoint = Some(words);
                        }
                        command
                    }
                    None => instruction.shell_form(text, &shell),
                };
                found.extend(command.map(|command| command.in_directory(&cwd)));
            }
            _ => {}
        }
    }
    found
}

/// The instructions of a file.
fn instructions(text: &str) -> Vec<Instruction<'_>> {
    let escape = escape_character(text);
    let mut found = Vec::new();
    let mut rest = lines(text);
    while let Some(line) = rest.next() {
        let trimmed = line.text.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let (keyword, arguments) = trimmed.split_at_checked(length).unwrap_or((trimmed, ""));
        let skipped = line.text.len() - arguments.len();
        let mut pieces = vec![Line { start: line.start + skipped, text: arguments }];
        while pieces.last().is_some_and(|piece| piece.text.trim_end().ends_with(escape)) {
            let Some(next) = rest.next() else { break };
            if next.text.trim_start().starts_with('#') {
                // A comment between continued lines is left out, and the line before still continues.
                continue;
            }
            pieces.push(next);
        }
        let mut instruction =
            Instruction { keyword: keyword.to_ascii_uppercase(), pieces, documents: Vec::new() };
        if instruction.keyword == "ONBUILD" {
            instruction.unwrap_first_word();
        }
        instruction.skip_options();
        if matches!(instruction.keyword.as_str(), "RUN" | "COPY" | "ADD") {
            for mark in instruction.marks() {
                let mut body = Vec::new();
                let mut end = Line { start: text.len(), text: "" };
                for line in rest.by_ref() {
                    let plain =
                        if mark.tabs { line.text.trim_start_matches('\t') } else { line.text };
                    if plain == mark.word {
                        end = line;
                        break;
                    }
                    body.push(line);
                }
                instruction.documents.push(Document { body, end });
            }
        }
        found.push(instruction);
    }
    found
}

/// `# escape=…` at the beginning of the file.
fn escape_character(text: &str) -> char {
    let directive = |line: &str| {
        let (name, value) = line.strip_prefix('#')?.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("escape")).then(|| value.trim().chars().next())?
    };
    text.lines().take_while(|line| line.starts_with('#')).find_map(directive).unwrap_or('\\')
}

/// The mark behind `<<`.
struct Mark {
    word: String,
    tabs: bool,
}

impl<'a> Instruction<'a> {
    /// Takes the first word of the arguments as the keyword.
    fn unwrap_first_word(&mut self) {
        let Some(first) = self.pieces.first_mut() else { return };
        let trimmed = first.text.trim_start();
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        self.keyword = trimmed.get(..length).unwrap_or_default().to_ascii_uppercase();
        *first = Line {
            start: first.end() - (trimmed.len() - length),
            text: trimmed.get(length..).unwrap_or(""),
        };
    }

    /// Drops `--mount=…`, `--network=…`, `--interval=…` and the word `CMD` of a health check.
    fn skip_options(&mut self) {
        let Some(first) = self.pieces.first_mut() else { return };
        loop {
            let trimmed = first.text.trim_start();
            let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            let word = trimmed.get(..length).unwrap_or_default();
            let check = self.keyword == "HEALTHCHECK" && matches!(word, "CMD" | "NONE");
            if !word.starts_with("--") && !check {
                *first = Line { start: first.end() - trimmed.len(), text: trimmed };
                return;
            }
            *first = Line {
                start: first.end() - (trimmed.len() - length),
                text: trimmed.get(length..).unwrap_or_default(),
            };
            if check {
                *first = Line {
                    start: first.end() - first.text.trim_start().len(),
                    text: first.text.trim_start(),
                };
                return;
            }
        }
    }

    /// The arguments on one line.
    fn argument(&self) -> String {
        let parts: Vec<&str> =
            self.pieces.iter().map(|piece| piece.text.trim_end_matches(['\\', '`'])).collect();
        parts.join("").trim().to_owned()
    }

    /// The words of `["a", "b"]`.
    fn exec_form(&self) -> Option<Vec<String>> {
        let argument = self.argument();
        argument.starts_with('[').then(|| serde_json::from_str(&argument).ok())?
    }

    fn start(&self) -> usize {
        self.pieces.first().map_or(0, |piece| piece.start)
    }

    fn label(&self) -> String {
        self.keyword.clone()
    }

    /// A command that stands for the arguments.
    fn inserted(&self, source: &'a str, line: &str) -> Option<Embedded> {
        let mut builder = Builder::new(source);
        builder.insert(line, self.start());
        (!builder.is_blank()).then(|| builder.finish(CommandForm::Line, self.label()))
    }

    /// The command in shell form, with its here-documents.
    fn shell_form(&self, source: &'a str, shell: &Shell) -> Option<Embedded> {
        if let Shell::Other(words) = shell {
            let mut line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            line.push(quoted(&self.argument()));
            return self.inserted(source, &line.join(" "));
        }
        if let Some(script) = self.bare_document(source) {
            return Some(script);
        }
        let mut builder = Builder::new(source);
        for (index, piece) in self.pieces.iter().enumerate() {
            if index > 0 {
                builder.insert("\n", piece.start.saturating_sub(1));
            }
            let continued = piece.text.trim_end().strip_suffix('`');
            match continued {
                // With `# escape=` another character continues lines; bash knows only the backslash.
                Some(text) if index + 1 < self.pieces.len() => {
                    builder.copy(piece.start, piece.start + text.len());
                    builder.insert("\\", piece.start + text.len());
                }
                // Blanks behind the backslash do not matter to Docker.
                _ if index + 1 < self.pieces.len() => {
                    builder.copy(piece.start, piece.start + piece.text.trim_end().len());
                }
                _ => builder.copy(piece.start, piece.end()),
            }
        }
        for document in &self.documents {
            for line in document.body.iter().chain([&document.end]) {
                builder.insert("\n", line.start.saturating_sub(1));
                builder.copy(line.start, line.end());
            }
        }
        (!builder.is_blank()).then(|| builder.finish(CommandForm::Line, self.label()))
    }

    /// `RUN <<EOF` alone: the document is a script, of the shell or of the interpreter in its first line.
    fn bare_document(&self, source: &'a str) -> Option<Embedded> {
        let [document] = self.documents.as_slice() else { return None };
        let argument = self.argument();
        let words = argument.split_whitespace().count();
        if words != 1 || !argument.starts_with("<<") {
            return None;
        }
        let mut builder = Builder::new(source);
        let first = document.body.first()?;
        let foreign = first
            .text
            .strip_prefix("#!")
            .filter(|line| interpreter(line).is_some_and(|name| !is_shell(&name)));
        if let Some(line) = foreign {
            builder.insert(&format!("{} <<'SCRIPT'\n", line.trim()), first.start);
        }
        for line in &document.body {
            builder.copy(line.start, (line.end() + 1).min(source.len()));
        }
        if foreign.is_some() {
            builder.insert("SCRIPT\n", document.end.start);
        }
        Some(builder.finish(CommandForm::Script, self.label()))
    }

    /// The marks of here-documents in the arguments.
    fn marks(&self) -> Vec<Mark> {
        let argument = self.argument();
        let mut marks = Vec::new();
        let mut rest = argument.as_str();
        while let Some((_, behind)) = rest.split_once("<<") {
            rest = behind;
            if behind.starts_with('<') {
                rest = behind.trim_start_matches('<');
                continue;
            }
            let (tabs, word) = match behind.strip_prefix('-') {
                Some(word) => (true, word),
                None => (false, behind),
            };
            let plain: String = word
                .trim_start_matches(['"', '\''])
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '-')
                .collect();
            if !plain.is_empty() {
                marks.push(Mark { word: plain, tabs });
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    fn texts(file: &str) -> Vec<String> {
        commands(file).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn continued_lines_are_one_command_without_the_comments_between() {
        let file = "FROM debian\nRUN apt-get update \\\n  # tools\n && apt-get install -y curl\n";
        assert_eq!(texts(file), ["apt-get update \\\n && apt-get install -y curl"]);
        let found = commands(file);
        let offset = found[0].text.find("install").unwrap();
        assert!(file.get(found[0].file_offset(offset)..).unwrap().starts_with("install"));
    }

    #[test]
    fn options_of_instructions_are_no_part_of_the_command() {
        assert_eq!(texts("RUN --mount=type=cache,target=/x --network=none make\n"), ["make"]);
        assert_eq!(
            texts("HEALTHCHECK --interval=5m CMD curl -f http://localhost/\n"),
            ["curl -f http://localhost/"]
        );
        assert_eq!(texts("ONBUILD RUN ./build\n"), ["./build"]);
    }

    #[test]
    fn exec_forms_are_quoted_words() {
        assert_eq!(texts("RUN [\"sh\", \"-c\", \"echo $HOME\"]\n"), ["sh -c 'echo $HOME'"]);
        assert_eq!(
            texts("ENTRYPOINT [\"node\"]\nCMD [\"server.js\"]\n"),
            ["node", "node server.js"]
        );
    }

    #[test]
    fn here_documents_are_scripts_or_input() {
        assert_eq!(texts("RUN <<EOF\nset -e\nmake\nEOF\nRUN date\n"), ["set -e\nmake\n", "date"]);
        assert_eq!(texts("RUN cat <<EOF > f\nx\nEOF\n"), ["cat <<EOF > f\nx\nEOF"]);
        assert_eq!(
            texts("RUN <<EOF\n#!/usr/bin/python3\nprint(1)\nEOF\n"),
            ["/usr/bin/python3 <<'SCRIPT'\n#!/usr/bin/python3\nprint(1)\nSCRIPT\n"]
        );
    }

    #[test]
    fn another_shell_gets_the_command_as_its_argument() {
        let file =
            "# escape=`\nFROM windows\nSHELL [\"powershell\", \"-Command\"]\nRUN Get-Item `\n  x\n";
        assert_eq!(texts(file), ["powershell -Command 'Get-Item   x'"]);
    }

    #[test]
    fn the_working_directory_is_known() {
        let found = commands("FROM a\nWORKDIR /srv\nWORKDIR app\nRUN make\n");
        assert_eq!(found[0].cwd.as_deref(), Some("/srv/app"));
    }
}
