//! Downloads that are vouched for before they run: a checksum or signature was verified, or the person opened
//! the file in a pager or editor.
//!
//! A verification counts if its success is a condition of the run: after `&&`, in the branch of an `if`,
//! after `|| exit`, under `set -e`. [`Outcome`](aegish_shell_state::Outcome) holds the files that the
//! success or failure of the last command verifies. Constructs that depend on a status add them to
//! [`ShellState::vouched`](aegish_shell_state::ShellState).

use super::roles::Together;
use super::{FileContent, Interp};
use aegish_shell_state::{Equality, Flow};
use aegish_syntax::{Command, CommandKind, Part, Pipeline};
use aegish_values::{Source, Taint, Value};

/// Directories that the working directory may be.
const MAX_PLACES: usize = 8;
/// Programs that print checksums.
const CHECKSUMS: [&str; 8] =
    ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "shasum"];
/// Suffixes of signature files.
const SIGNATURES: [&str; 5] = [".asc", ".sig", ".sign", ".minisig", ".gpg"];

impl Interp<'_> {
    /// Adds these files to those that are vouched for.
    pub(super) fn vouch(&mut self, paths: &[String]) {
        for path in paths {
            if !self.state.vouched.contains(path) {
                self.state.vouched.push(path.clone());
            }
        }
    }

    /// Marks the files that the last command verified if it ended in this way.
    pub(super) fn vouch_for_outcome(&mut self, success: bool) {
        if !self.state.outcome.of(success).is_empty() {
            let paths = self.state.outcome.of(success).to_vec();
            self.vouch(&paths);
        }
        self.state.settle(success);
        let equal: Vec<Equality> = self.state.outcome.equal(success).cloned().collect();
        for Equality { name, text, .. } in equal {
            self.assume(&name, Value::known(text));
        }
    }

    /// Under `set -e` the shell goes on only if the command succeeded.
    pub(super) fn vouch_under_errexit(&mut self, pipeline: &Pipeline) {
        if !self.state.errexit || self.frame.conditions.tested || pipeline.negated {
            return;
        }
        // For functions and groups, only the commands inside end the shell.
        let ends = pipeline.commands.last().is_some_and(|command| match &command.kind {
            CommandKind::Simple(_) => {
                literal_name(command).is_none_or(|name| !self.state.functions.contains_key(name))
            }
            CommandKind::Subshell(_) => true,
            _ => false,
        });
        if ends {
            self.vouch_for_outcome(true);
        }
    }

    /// Adds to the taint of a file's content that the file is vouched for.
    pub(super) fn with_vouching(&self, path: &str, content: Value) -> Value {
        if !self.state.vouched.iter().any(|vouched| vouched == path) {
            return content;
        }
        let mut taint = Taint::none();
        for source in content.taint().sources() {
            if let Source::Network(origin) = source {
                taint.add(Source::Verified(origin.clone()));
            }
        }
        content.tainted(&taint)
    }

    /// A program that compares files with checksums or signatures: its success vouches for them.
    pub(super) fn note_verification(&mut self, together: &Together) {
        if self.frame.conditions.remote || !self.any_download() {
            return;
        }
        let mut paths = Vec::new();
        for (file, _) in &together.reads {
            let name = file.to_string();
            for ending in SIGNATURES {
                paths.extend(name.strip_suffix(ending).map(|signed| self.file_key(signed)));
            }
            paths.push(self.file_key(&name));
        }
        for list in &together.checklists {
            let content = match list.as_known() {
                Some("-") => Some(self.stdin_content()),
                _ => match self.file_content(list) {
                    FileContent::Written(content) => Some(content),
                    _ => None,
                },
            };
            paths.extend(self.listed(content.as_ref()));
        }
        if together.checklists.is_empty() && together.reads.is_empty() {
            let content = self.stdin_content();
            paths.extend(self.listed(Some(&content)));
        }
        self.state.outcome.add(true, paths);
    }

    /// `[ "$(sha256sum file | cut -d' ' -f1)" = "$sum" ]`
    pub(super) fn note_comparison(&mut self, left: &Value, operator: &str, right: &Value) {
        let equal = matches!(operator, "=" | "==");
        if !equal && operator != "!=" || !self.any_download() {
            return;
        }
        let checksum = |value: &&Value| {
            let of_checksum = |source: &Source| matches!(source, Source::Program(name) if CHECKSUMS.contains(&name.as_str()));
            value.taint().sources().any(of_checksum)
        };
        // Two checksums say nothing about the source of the file.
        let one = match (checksum(&left), checksum(&right)) {
            (true, false) if right.taint().unverified().is_none() => left,
            (false, true) if left.taint().unverified().is_none() => right,
            _ => return,
        };
        let files = one.taint().sources().filter_map(|source| match source {
            Source::File(path) => Some(self.file_key(path)),
            _ => None,
        });
        let files: Vec<String> = files.collect();
        self.state.outcome.add(equal, files);
    }

    /// The person looks at files in a pager or editor.
    pub(super) fn note_reading(&mut self, files: &[Value]) {
        let at_terminal = self.ctx.interactive
            && matches!(**self.stdin, Flow::Terminal)
            && !self.output.capture
            && !self.frame.conditions.remote;
        if at_terminal && self.any_download() {
            let paths: Vec<String> =
                files.iter().map(|file| self.file_key(&file.to_string())).collect();
            self.vouch(&paths);
        }
    }

    /// The files that a list of checksums names; all downloads in the directory if it cannot be read.
    fn listed(&self, list: Option<&Value>) -> Vec<String> {
        let several = |list: &Value| list.readings(MAX_PLACES).is_some();
        let readable = list.filter(|list| list.pieces().iter().any(is_text) || several(list));
        let Some(list) = readable else {
            let places = self.state.cwd.readings(MAX_PLACES).unwrap_or_default();
            let files = self.state.files.iter();
            return files
                .filter(|(path, fact)| {
                    let is_here = |place: &String| {
                        let rest = path.strip_prefix(place.trim_end_matches('/'));
                        rest.and_then(|rest| rest.strip_prefix('/'))
                            .is_some_and(|name| !name.contains('/'))
                    };
                    (!path.contains('/') || places.iter().any(is_here))
                        && fact.content.taint().network().is_some()
                })
                .map(|(path, _)| path.to_owned())
                .collect();
        };
        // One of several lists vouches for what each of them names.
        let texts = list.readings(MAX_PLACES).unwrap_or_else(|| vec![list.to_string()]);
        let mut lists = texts.iter().map(|text| self.listed_in(text));
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |all, one| all.into_iter().filter(|file| one.contains(file)).collect())
    }

    /// The files that a text names as a list of checksums.
    fn listed_in(&self, text: &str) -> Vec<String> {
        let names = text.lines().filter_map(|line| {
            let line = line.trim_end();
            // `SHA256 (name) = sum`, or the sum, two characters, the name.
            match line.split_once('(').zip(line.rsplit_once(") = ")) {
                Some(((_, rest), _)) => rest.rsplit_once(") = ").map(|(name, _)| name),
                None => line
                    .rsplit_once("  ")
                    .or_else(|| line.rsplit_once(" *"))
                    .or_else(|| line.split_once(' '))
                    .map(|(_, name)| name),
            }
        });
        names.map(|name| self.file_key(name.trim())).collect()
    }

    /// A path as files of the session are keyed.
    fn file_key(&self, path: &str) -> String {
        if self.state.files.contains_key(path) { path.to_owned() } else { self.resolved(path) }
    }

    fn any_download(&self) -> bool {
        self.state.files.origin_of("").network().is_some()
    }
}

fn is_text(piece: &aegish_values::Piece) -> bool {
    matches!(piece, aegish_values::Piece::Text(text) if !text.trim().is_empty())
}

/// The name of a simple command, if it is plain text.
fn literal_name(command: &Command) -> Option<&str> {
    let CommandKind::Simple(simple) = &command.kind else { return None };
    match simple.words.first()?.parts.as_slice() {
        [Part::Literal(name)] => Some(name),
        _ => None,
    }
}
