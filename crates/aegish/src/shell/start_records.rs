//! Verdicts on start files that are kept from one session to the next, so that a start file is judged once.
//!
//! A record counts as long as nothing has changed that the verdict depends on: this program, the settings, the variables
//! of the session and all files that were read. Records are in a file of the state directory that only this user can
//! write. They are not used in production, where what a user can write decides nothing.

use super::failed;
use super::interactive::{InteractiveSession, PromptStep, ended};
use super::start_files;
use crate::user_rules::may_loosen;
use aegish_exec::{Ended, ToldState};
use aegish_guard::{
    Decision, MAX_INPUT_BYTES, Permit, Record, RecordKey, Session, StaticCheck, recall_trusted,
};
use aegish_private_files::{Missing, Owner, read_trusted, replace_file};
use aegish_terminal::Failure;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Instant;

const FILE: &str = "judged-start-files";
/// The longest file that is read.
const MAX_BYTES: u64 = 1 << 20;
/// The newest records are kept.
const MAX_RECORDS: usize = 32;
/// Variables that differ in each session. No verdict on a start file depends on their values.
const PER_SESSION: [&str; 33] = [
    "BASHPID",
    "BASH_MONOSECONDS",
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "GPG_TTY",
    "HISTCMD",
    "INVOCATION_ID",
    "ITERM_SESSION_ID",
    "JOURNAL_STREAM",
    "LINENO",
    "LINES",
    "OLDPWD",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "STY",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "WAYLAND_DISPLAY",
    "WINDOWID",
    "XDG_SESSION_ID",
    "XDG_VTNR",
    "_",
];

impl InteractiveSession {
    /// Runs a line of a start file that an earlier session judged, if nothing has changed. Otherwise prepares to keep
    /// the verdict on it.
    pub(super) fn recall_start_line(&mut self, line: &str) -> Result<Option<PromptStep>, Failure> {
        // Executions are judged by what the text does, which only the analysis tells.
        let unused = !may_loosen(&self.settings.config) || self.programs.is_on();
        if unused || !start_files::reads_file(line) {
            return Ok(None);
        }
        let (key, permit) = {
            let mut line_context = self.line_context.borrow_mut();
            line_context.machine.clear();
            line_context.session.forget_values(&PER_SESSION);
            let context = line_context.context(&line_context.machine);
            let request = line_context.request(line, &context);
            let key = RecordKey::of(&line_context.session, &request, &self.engine());
            let records = self.start_records();
            let home = &line_context.surroundings.home;
            let permit =
                recall_trusted(&records, &key, line.as_bytes(), &*line_context.machine, home);
            (key, permit)
        };
        match permit {
            Some(permit) => self.run_recalled(line, &permit),
            None => {
                self.start_key = Some(key);
                Ok(None)
            }
        }
    }

    fn run_recalled(&mut self, line: &str, permit: &Permit) -> Result<Option<PromptStep>, Failure> {
        let cwd = self.line_context.borrow().surroundings.cwd.clone();
        // What cannot be recorded is handled where lines are judged.
        let Ok(entry) = self.record.recalled(line.as_bytes(), &cwd) else { return Ok(None) };
        let began = Instant::now();
        let prompts = self.prompt_values();
        let ran = self.shell.borrow_mut().run(permit).map(|report| report.status);
        match ran {
            Ok(status) => {
                self.status = status;
                let told = self.shell.borrow_mut().told_state().map_err(failed)?;
                let after = self.session_after(line, told);
                self.adopt(permit, after, status);
                self.follow_prompts(&prompts, aegish_guard::Consent::NotAsked);
                self.record.end(entry, status, began.elapsed());
                Ok(Some(PromptStep::Next))
            }
            Err(Ended::Gone(outcome)) => {
                let step = ended(outcome);
                self.record.end(entry, outcome.status(), began.elapsed());
                Ok(Some(step))
            }
            Err(Ended::Changed(what)) => {
                self.record.not_run(entry, &what.to_string());
                Ok(None)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// The session after a start file that was not followed: bash tells it. If it does not, the file is followed after
    /// all.
    fn session_after(&self, line: &str, told: Option<ToldState>) -> Session {
        let line_context = self.line_context.borrow();
        let context = line_context.context(&line_context.machine);
        let follow = |text: &str| {
            let request = line_context.request(text, &context);
            StaticCheck::new(&line_context.session, &request).finish().1
        };
        match told.filter(|told| told.code.len() < MAX_INPUT_BYTES) {
            Some(ToldState { code, completions }) => {
                let mut session = follow(&code);
                session.observe_called_by_shell(completions.into_iter());
                session
            }
            None => follow(line),
        }
    }

    /// The record of a line of a start file that is about to run.
    pub(super) fn start_record(&mut self, decision: &Decision, after: &Session) -> Option<Record> {
        let key = self.start_key.take()?;
        after.is_told_by_shell().then(|| decision.record(&key)).flatten()
    }

    /// Keeps a record. If that fails, the file is judged again next time.
    pub(super) fn keep_start_record(&self, record: Option<Record>) {
        let (Some(record), Some(path)) = (record, self.start_records_path()) else { return };
        let kept = self.start_records();
        let kept = kept.split_inclusive("\n\n").filter(|older| !record.replaces(older));
        let kept: Vec<&str> = kept.collect();
        let older = kept.get(kept.len().saturating_sub(MAX_RECORDS - 1)..).unwrap_or_default();
        let text = older.concat() + record.text();
        let _ = replace_file(&path, text.as_bytes(), 0o600, Missing::CreateAll);
    }

    /// The records, one after the other; none if the file is not this user's alone.
    fn start_records(&self) -> String {
        let own = Owner::user();
        let read = |path: PathBuf| read_trusted(&path, own, Some(own), MAX_BYTES).ok().flatten();
        let bytes = self.start_records_path().and_then(read).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    fn start_records_path(&self) -> Option<PathBuf> {
        Some(self.settings.config.state_dir()?.join(FILE))
    }

    /// This program, by its file, and the setting that changes its verdicts.
    fn engine(&self) -> String {
        let file = std::env::current_exe().and_then(std::fs::metadata);
        let file = file.map(|found| {
            (found.dev(), found.ino(), found.size(), found.mtime(), found.mtime_nsec())
        });
        let fail_mode = self.settings.fail_mode;
        format!("{} {:?} {fail_mode:?}", env!("CARGO_PKG_VERSION"), file.ok())
    }
}
