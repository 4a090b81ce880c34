//! Verdicts on start files that are kept for the next session.
//!
//! The same text in the same session on the same machine has the same verdict. A record names the questions that were
//! asked about the machine while the text was judged, and holds a digest of the answers. If the same questions get the
//! same answers, the text need not be judged again. The key covers everything else that a verdict depends on.

use crate::pins::{PinningMachine, Pins};
use crate::{Action, Assigned, DecidedBy, Decision, FileView, Machine, Permit, Request, Session};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What a verdict depends on, besides the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordKey(String);

impl RecordKey {
    /// The key of a text. `engine` names the program that judges, with its version and settings.
    #[must_use]
    pub fn of(session: &Session, request: &Request<'_>, engine: &str) -> Self {
        let context = request.context;
        let mut variables: Vec<_> = context.variables.iter().collect();
        variables.sort_by_key(|(name, _)| name.as_str());
        let parts = [
            "aegish remembered verdict 1".to_owned(),
            engine.to_owned(),
            String::from_utf8_lossy(request.text).into_owned(),
            format!("{:?} {:?}", context.cwd, context.home),
            format!("{variables:?} {:?} {:?}", context.complete, context.stdin),
            format!("{:?} {:?}", request.role, request.user_rules),
            session.description(),
        ];
        Self(digest(parts.iter().map(String::as_bytes)))
    }
}

/// One judged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record(String);

impl Record {
    /// The text to keep. It ends with an empty line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether another record is about the same text, in the same session.
    #[must_use]
    pub fn replaces(&self, older: &str) -> bool {
        self.0.split_once(' ').is_some_and(|(key, _)| older.starts_with(key))
    }
}

impl Decision {
    /// A record of this verdict. `None` if it cannot be kept: a block, a model's opinion, rules that took findings away,
    /// or commands with other rights, which depend on more than the machine's files.
    #[must_use]
    pub fn record(&self, key: &RecordKey) -> Option<Record> {
        let kept = self.action != Action::Block
            && self.decided_by == DecidedBy::Static
            && self.lifted.is_empty()
            && self.analysis.elevations.is_empty();
        let plain = |path: &String| !path.contains(['\n', '\0']);
        if !kept || !self.pins.paths().all(plain) {
            return None;
        }
        let edit = if self.analysis.sets_edit_mode() { "edit-mode" } else { "plain" };
        let mut text = format!("{} {} {edit}\n", key.0, answers(&self.pins));
        for (kind, limit, path) in self.pins.questions() {
            let _ = writeln!(text, "{kind} {limit} {path}");
        }
        text.push('\n');
        Some(Record(text))
    }
}

/// The permit to run a text that was judged before, if the machine gives the same answers as then.
///
/// Trusts the records: only texts of [`Record`]s may be in them, from a place that nobody else can write.
pub fn recall_trusted(
    records: &str,
    key: &RecordKey,
    text: &[u8],
    machine: &dyn Machine,
    home: &str,
) -> Option<Permit> {
    let record = records.split("\n\n").find(|record| record.starts_with(&key.0))?;
    let mut lines = record.lines();
    let mut head = lines.next()?.split(' ').skip(1);
    let (expected, edit) = (head.next()?, head.next()?);
    let asked = PinningMachine::new(machine, home);
    for line in lines {
        let mut parts = line.splitn(3, ' ');
        let (kind, limit, path) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        match kind {
            "file" => drop(asked.read(path, limit)),
            "list" => drop(asked.list(path, limit)),
            "directory" => drop(asked.is_directory(path)),
            _ => return None,
        }
    }
    let pins = asked.into_pins();
    (answers(&pins) == expected)
        .then(|| Permit::recalled(text, pins, Assigned::Any, edit == "edit-mode"))
}

/// The digest of all answers of a machine.
fn answers(pins: &Pins) -> String {
    let texts = pins.answers().map(|answer| answer.into_bytes()).collect::<Vec<_>>();
    digest(texts.iter().map(Vec::as_slice))
}

fn digest<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    HEXLOWER.encode(&digest.finalize())
}

impl Pins {
    /// The questions: kind, limit and path.
    fn questions(&self) -> impl Iterator<Item = (&'static str, usize, &String)> {
        let files = self.files.keys().map(|(path, limit)| ("file", *limit, path));
        let listings = self.listings.keys().map(|(path, limit)| ("list", *limit, path));
        let directories = self.directories.keys().map(|path| ("directory", 0, path));
        files.chain(listings).chain(directories)
    }

    fn paths(&self) -> impl Iterator<Item = &String> {
        self.questions().map(|(_, _, path)| path)
    }

    /// The answers, in the order of the questions.
    fn answers(&self) -> impl Iterator<Item = String> {
        let view = |view: &FileView| match view {
            FileView::Text(text) => format!("text {text}"),
            other => format!("{other:?}"),
        };
        let files = self.files.values().map(view);
        let listings = self.listings.values().map(|names| format!("{names:?}"));
        let directories = self.directories.values().map(ToString::to_string);
        files.chain(listings).chain(directories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Consent, Context, Role, StaticCheck};
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    struct Files(RefCell<BTreeMap<&'static str, &'static str>>);

    impl Machine for Files {
        fn read(&self, path: &str, _limit: usize) -> FileView {
            let files = self.0.borrow();
            files.get(path).map_or(FileView::Missing, |text| FileView::Text((*text).to_owned()))
        }

        fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
            None
        }
    }

    const LINE: &[u8] = b". /w/rc";

    /// Judges a line; returns its key and its record.
    fn judged(files: &Files, line: &[u8], role: Role, engine: &str) -> (RecordKey, Option<Record>) {
        let context = Context { cwd: "/w".to_owned(), machine: files, ..Context::bare() };
        let request = Request { text: line, context: &context, role, user_rules: &[] };
        let session = Session::new();
        let key = RecordKey::of(&session, &request, engine);
        let (decision, _) = StaticCheck::new(&session, &request).finish();
        let record = decision.record(&key);
        (key, record)
    }

    fn machine() -> Files {
        Files(RefCell::new(BTreeMap::from([("/w/rc", ". /w/part\n"), ("/w/part", "x=1\n")])))
    }

    #[test]
    fn a_text_is_recalled_until_a_file_that_it_reads_changes() {
        let files = machine();
        let (key, record) = judged(&files, LINE, Role::Default, "1");
        let records = record.expect("kept").text().to_owned();
        let permit = recall_trusted(&records, &key, LINE, &files, "").expect("recalled");
        assert_eq!(permit.text(), LINE);
        assert_eq!(permit.first_change(&files), None);
        files.0.borrow_mut().insert("/w/part", "x=2\n");
        assert!(permit.first_change(&files).is_some());
        assert!(recall_trusted(&records, &key, LINE, &files, "").is_none());
    }

    #[test]
    fn another_line_role_or_engine_has_another_key() {
        let files = machine();
        let (key, _) = judged(&files, LINE, Role::Default, "1");
        assert_ne!(judged(&files, b". /w/part", Role::Default, "1").0, key);
        assert_ne!(judged(&files, LINE, Role::Restricted, "1").0, key);
        assert_ne!(judged(&files, LINE, Role::Default, "2").0, key);
        assert_eq!(judged(&files, LINE, Role::Default, "1").0, key);
    }

    #[test]
    fn a_block_is_never_kept() {
        let files = machine();
        files.0.borrow_mut().insert("/w/part", "cat /etc/shadow\n");
        assert_eq!(judged(&files, LINE, Role::Default, "1").1, None);
    }

    #[test]
    fn records_that_do_not_parse_recall_nothing() {
        let files = machine();
        let (key, _) = judged(&files, LINE, Role::Default, "1");
        for records in
            ["", "\n\n", &key.0, &format!("{} x", key.0), &format!("{} x plain\nfile\n", key.0)]
        {
            assert!(recall_trusted(records, &key, LINE, &files, "").is_none(), "{records:?}");
        }
        let context = Context { machine: &files, ..Context::bare() };
        let request =
            Request { text: LINE, context: &context, role: Role::Default, user_rules: &[] };
        let (decision, _) = StaticCheck::new(&Session::new(), &request).finish();
        assert!(decision.permit(Consent::NotAsked).is_some());
    }
}
