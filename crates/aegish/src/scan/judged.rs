//! The verdicts on the commands of one file.

use super::comment;
use super::files::Found;
use crate::source;
use aegish_guard::{
    Action, Context, MAX_INPUT_BYTES, Request, Role, Span, StandardInput, TextForm, UserRule, check,
};
use aegish_scan::{CommandForm, Embedded, FileKind};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a fingerprint.
const FINGERPRINT: usize = 16;

/// What commands are judged with.
pub(super) struct Judge<'a> {
    pub(super) role: Role,
    pub(super) user_rules: &'a [UserRule],
}

/// A file and what was found in it.
pub(super) struct JudgedFile {
    pub(super) path: String,
    pub(super) kind: FileKind,
    pub(super) text: String,
    /// Number of commands.
    pub(super) commands: usize,
    /// In the order of their places.
    pub(super) findings: Vec<ScanFinding>,
    /// Why the file was not judged.
    pub(super) error: Option<String>,
}

/// Something that a rule objects to, at a place of a file.
pub(super) struct ScanFinding {
    pub(super) action: Action,
    pub(super) rule: &'static aegish_guard::Rule,
    pub(super) reason: String,
    pub(super) instead: Option<&'static str>,
    /// The place in the structure of the file, such as a step of a workflow.
    pub(super) label: String,
    /// Bytes of the file.
    pub(super) span: Span,
    /// Lines and columns, counted in characters from 1.
    pub(super) start: Position,
    pub(super) end: Position,
    /// The same for the same finding after unrelated changes.
    pub(super) fingerprint: String,
    pub(super) suppression: Option<Suppression>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Why a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Suppression {
    /// A comment in the file, with its reason.
    Comment(String),
    /// It is in the baseline.
    Baseline,
}

impl Judge<'_> {
    pub(super) fn file(&self, found: &Found) -> JudgedFile {
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
        let commands = match aegish_scan::commands(found.kind, &file.text) {
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
        found: &Found,
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
            let start = command.file_offset(finding.span.start as usize);
            let last =
                (finding.span.end as usize).saturating_sub(1).max(finding.span.start as usize);
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
fn context(command: &Embedded, found: &Found) -> Context<'static> {
    let mut context = match found.kind {
        FileKind::Dockerfile | FileKind::SystemdUnit | FileKind::Crontab(_) => Context {
            cwd: command.cwd.clone().unwrap_or_else(|| "/".to_owned()),
            home: "/root".to_owned(),
            ..Context::bare()
        },
        _ => source::context(&source::surroundings(Some(&found.root))),
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
