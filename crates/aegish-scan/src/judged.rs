//! The verdicts on the commands of one file.

use crate::project::ProjectFile;
use crate::{CommandForm, Embedded, FileKind, comment};
use aegish_guard::{
    Action, Context, Decision, Finding, MAX_INPUT_BYTES, OsMachine, Request, Role, Span,
    StandardInput, Surroundings, TextForm, UserRule, check,
};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

static MACHINE: OsMachine = OsMachine;

/// Bytes of a fingerprint.
const FINGERPRINT: usize = 16;

/// What commands are judged with.
#[derive(Debug)]
pub struct FileJudge<'a> {
    /// Whose work it is.
    pub role: Role,
    /// Rules that people added.
    pub user_rules: &'a [UserRule],
}

/// A file and what was found in it.
#[derive(Debug)]
pub struct JudgedFile {
    /// Its path as it was found.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
    /// Its content.
    pub text: String,
    /// Number of commands.
    pub commands: usize,
    /// In the order of their places.
    pub findings: Vec<ScanFinding>,
    /// Why the file was not judged.
    pub error: Option<String>,
}

/// Something that a rule objects to, at a place of a file.
#[derive(Debug)]
pub struct ScanFinding {
    /// The answer of the rule.
    pub action: Action,
    /// Which rule.
    pub rule: &'static aegish_guard::Rule,
    /// One sentence that names the thing.
    pub reason: String,
    /// A harmless alternative.
    pub instead: Option<&'static str>,
    /// The place in the structure of the file, such as a step of a workflow.
    pub label: String,
    /// Bytes of the file.
    pub span: Span,
    /// Lines and columns, counted in characters from 1.
    pub start: Position,
    /// The same for the end.
    pub end: Position,
    /// The same for the same finding after unrelated changes.
    pub fingerprint: String,
    /// Why it does not count, if it does not.
    pub suppression: Option<Suppression>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// Why a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suppression {
    /// A comment in the file, with its reason.
    Comment(String),
    /// It is in the baseline.
    Baseline,
}

impl FileJudge<'_> {
    /// Judges the commands of a file.
    #[must_use]
    pub fn file(&self, found: &ProjectFile) -> JudgedFile {
        let path = found.path.to_string_lossy().into_owned();
        let mut file = JudgedFile {
            path,
            kind: found.kind,
            text: String::new(),
            commands: 0,
            findings: Vec::new(),
            error: None,
        };
        match read(&found.path) {
            Ok(text) => file.text = text,
            Err(error) => {
                file.error = Some(error.to_string());
                return file;
            }
        }
        let commands = match crate::commands(found.kind, &file.text) {
            Ok(commands) => commands,
            Err(unreadable) => {
                let line = unreadable.line.map_or(String::new(), |line| format!("line {line}: "));
                file.error = Some(format!("{line}{}", unreadable.why));
                return file;
            }
        };
        file.commands = commands.len();
        let positions = Positions::new(&file.text);
        let mut findings = Vec::new();
        for command in &commands {
            self.command(command, found, &file, &positions, &mut findings);
        }
        findings.sort_by_key(|one| (one.span.start, one.rule.id));
        comment::mark(&file.text, &mut findings);
        file.findings = findings;
        file
    }

    fn command(
        &self,
        command: &Embedded,
        found: &ProjectFile,
        file: &JudgedFile,
        positions: &Positions<'_>,
        findings: &mut Vec<ScanFinding>,
    ) {
        let context = context(command, found);
        let decision = check(&Request {
            text: command.text.as_bytes(),
            context: &context,
            role: self.role,
            user_rules: self.user_rules,
        });
        for finding in decision.findings().iter().filter(|one| one.action != Action::Allow) {
            let span = span_in_text(&decision, finding, command.text.len());
            let start = command.file_offset(span.start as usize).min(file.text.len());
            let last = (span.end as usize).saturating_sub(1).max(span.start as usize);
            let end = (command.file_offset(last) + 1).clamp(start, file.text.len());
            let about = command.text.get(finding.span.start as usize..finding.span.end as usize);
            let same =
                findings.iter().filter(|one: &&ScanFinding| one.rule.id == finding.rule.id).count();
            let fingerprint =
                fingerprint(&file.path, finding.rule.id, &command.label, about.unwrap_or_default());
            // Two equal findings at one place say nothing new.
            let known = |one: &ScanFinding| {
                one.fingerprint == fingerprint && one.span.start as usize == start
            };
            if same > 0 && findings.iter().any(known) {
                continue;
            }
            findings.push(ScanFinding {
                action: finding.action,
                rule: finding.rule,
                reason: finding.reason.clone(),
                instead: finding.instead,
                label: command.label.clone(),
                span: Span::new(start, end),
                start: positions.of(start),
                end: positions.of(end),
                fingerprint,
                suppression: None,
            });
        }
    }
}

/// Where a command of a file runs: those of images, units and crontabs not among the files of the project.
fn context(command: &Embedded, found: &ProjectFile) -> Context<'static> {
    let mut context = match found.kind {
        FileKind::Dockerfile | FileKind::SystemdUnit | FileKind::Crontab(_) => Context {
            cwd: command.cwd.clone().unwrap_or_else(|| "/".to_owned()),
            home: "/root".to_owned(),
            ..Context::bare()
        },
        _ => Surroundings::of_process(Some(&found.root)).context(&MACHINE),
    };
    // The parameters of a script are not known.
    if command.form == CommandForm::Script {
        context.positional = None;
    }
    context.form = TextForm::ScriptFile;
    context.stdin = StandardInput::Other;
    context.interactive = false;
    context
}

/// The text of a file; an error if the guard could not judge it.
fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(io::Error::other(format!("it is longer than {MAX_INPUT_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

/// Path, rule, place in the structure and the words; not the line, which changes with every edit above.
fn fingerprint(path: &str, rule: &str, label: &str, about: &str) -> String {
    let words: Vec<&str> = about.split_whitespace().collect();
    let mut hash = Sha256::new();
    for part in [path, rule, label, &words.join(" ")] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    HEXLOWER.encode(digest.get(..FINGERPRINT).unwrap_or(&digest))
}

/// The lines of a text.
struct Positions<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    fn new(text: &'a str) -> Self {
        let behind = text.match_indices('\n').map(|(index, _)| index + 1);
        Self { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    fn of(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count()) + 1;
        Position { line, column }
    }
}

/// The place of a finding. A finding in a file that the text reads is at the command that reads it.
fn span_in_text(decision: &Decision, finding: &Finding, length: usize) -> Span {
    if finding.span.end as usize <= length {
        return finding.span;
    }
    let commands = &decision.analysis().commands;
    let mut command = finding.command.and_then(|index| commands.get(index));
    // Parents come first, so this ends.
    while let Some(found) = command {
        if found.span.end as usize <= length {
            return found.span;
        }
        command = found.parent.and_then(|outer| commands.get(outer));
    }
    Span::new(0, 0)
}

#[cfg(test)]
mod tests {
    use super::{Position, Positions};

    #[test]
    fn places_are_counted_in_characters_from_one() {
        let positions = Positions::new("äb\ncd\n");
        assert_eq!(positions.of(0), Position { line: 1, column: 1 });
        assert_eq!(positions.of(2), Position { line: 1, column: 2 });
        assert_eq!(positions.of(5), Position { line: 2, column: 2 });
        assert_eq!(positions.of(7), Position { line: 3, column: 1 });
    }
}
