//! The working directory after a change to a directory that may not be known, or not be there.

use super::Interp;
use aegish_options::{Argument, CommandLine};
use aegish_profiles::{ArgumentRole, Profile, Trait};
use aegish_shell_state::FileView;
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_all, join_values};

/// Longest path of a working directory: the system opens no longer one.
const MAX_PATH: usize = 4096;

/// Directories that every system has.
const ALWAYS_THERE: [&str; 17] = [
    "/",
    "/bin",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/local",
    "/var",
    "~",
];

/// What becomes of the rest if a directory cannot be entered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// It goes on where it was.
    Stays,
    /// Nothing of it happens.
    Ends,
}

impl Interp<'_> {
    pub(crate) fn change_directory(&mut self, target: &Value) {
        self.enter_directory(target, Failure::Stays);
    }

    pub(super) fn enter_directory(&mut self, target: &Value, failure: Failure) {
        // One of several directories.
        let places = target.readings(MAX_ALTERNATIVES).filter(|texts| texts.len() > 1);
        let settled = |text: &String| text.starts_with(['/', '~']) || self.state.cwd.is_known();
        if let Some(texts) = places.filter(|texts| texts.iter().all(settled)) {
            // Some of them may not be there.
            let here = self.state.cwd.own_texts().into_iter();
            let here = here.filter(|place| failure == Failure::Stays && !place.is_empty());
            let places = texts.iter().map(|text| self.absolute(text)).chain(here);
            let places: Vec<Value> = places.map(Value::known).collect();
            let places = join_all(places.iter()).unwrap_or_default();
            self.state.cwd = places.tainted(target.taint());
            return;
        }
        self.state.cwd = match target.as_known() {
            Some(path) if path.starts_with(['/', '~']) || self.state.cwd.is_known() => {
                let place = self.absolute(path);
                match self.stays_before(&place).filter(|_| failure == Failure::Stays) {
                    Some(here) => self.or_stay(Value::known(place), here),
                    None => Value::known(place),
                }
            }
            // A path below one of several directories, or an unknown one.
            Some(path) if !path.split('/').any(|part| part == "..") => {
                let here = self.state.cwd.clone();
                let mut there = here.clone();
                there.push_str("/");
                there.push_str(path.trim_start_matches("./"));
                let own = here.own_texts();
                let named = own.iter().any(|place| !place.is_empty());
                match named && failure == Failure::Stays {
                    true => self.or_stay(there, here),
                    false => there,
                }
            }
            _ if target.is_one_of_many_values() => {
                Value::one_of_many_values().tainted(target.taint())
            }
            _ => {
                let unknown = Value::unknown("working directory").tainted(target.taint());
                // With something before it, the text is a part of another tree.
                let begins = |one: &Value| !matches!(one.pieces().first(), Some(Piece::Unknown(_)));
                let own = target.variants(MAX_ALTERNATIVES).unwrap_or_default();
                let own = own.iter().filter(|one| begins(one)).filter_map(Value::own_text);
                let own: Vec<String> =
                    own.filter(settled).map(|text| self.absolute(&text)).collect();
                match own.is_empty() {
                    true => unknown,
                    false => join_values(&Value::one_of(own), &unknown),
                }
            }
        };
        if self.state.cwd.to_string().len() > MAX_PATH {
            self.hidden_limit(Span::default(), "length of a path");
            self.state.cwd = Value::unknown("working directory").tainted(target.taint());
        }
    }

    /// The working directory after `cd` to a directory that may not be there.
    fn or_stay(&mut self, there: Value, here: Value) -> Value {
        let either = join_values(&there, &here);
        self.state.outcome.moves(either.clone(), there, here);
        either
    }

    /// The directory in which a shell stays that cannot change to this one: there is a file of that name, or nothing.
    fn stays_before(&self, place: &str) -> Option<Value> {
        let here = &self.state.cwd;
        let places = here.own_readings(MAX_ALTERNATIVES)?;
        // A directory is below those that are named before it.
        if places.iter().all(|here| std::path::Path::new(here).starts_with(place)) {
            return None;
        }
        let view = match place.starts_with('/') {
            true => self.machine.read(place, 0),
            false => FileView::Unknown,
        };
        let may_fail = match view {
            _ if place.contains('\n') => true,
            FileView::Text(_) | FileView::Long(_) | FileView::Binary => true,
            view @ (FileView::Missing | FileView::Unknown) => {
                self.first_cwd.as_known() != Some(place)
                    && !ALWAYS_THERE.contains(&place)
                    && self.home().as_known() != Some(place)
                    && !self.state.made.contains_key(place)
                    && !self.machine.is_directory(place)
                    // Another machine than the one that runs it would miss everything.
                    && (view == FileView::Unknown
                        || places.iter().any(|here| self.machine.is_directory(here)))
            }
            FileView::Unreadable | FileView::Changing => false,
        };
        may_fail.then(|| here.clone())
    }

    /// Changes to the directories that options name. The archive itself is where the program starts; returns the command
    /// line with its whole path.
    pub(super) fn enter_directories(
        &mut self,
        profile: &'static Profile,
        parsed: &CommandLine,
    ) -> Option<CommandLine> {
        let is_dir = |item: &&Argument| item.role == ArgumentRole::Dir;
        let first = parsed.arguments.iter().find(is_dir)?;
        let archive = |item: &Argument| {
            matches!(
                item.role,
                ArgumentRole::RemoteFrom
                    | ArgumentRole::RemoteTo
                    | ArgumentRole::Edit
                    | ArgumentRole::ReadList
            )
        };
        let mut moved = None;
        if profile.has(Trait::Unpacker) && first.value.as_known().is_some() {
            let mut whole = parsed.clone();
            for item in whole.arguments.iter_mut().filter(|item| archive(item)) {
                if let Some(path) = item.value.as_known().filter(|path| is_relative_file(path)) {
                    let mut whole = Value::known(self.absolute(path));
                    if !self.state.cwd.is_known() {
                        whole = self.state.cwd.clone();
                        whole.push_str("/");
                        whole.push_str(path);
                    }
                    item.value = whole.tainted(item.value.taint());
                }
            }
            moved = Some(whole);
        }
        for item in parsed.arguments.iter().filter(is_dir) {
            self.enter_directory(&item.value, Failure::Ends);
        }
        moved
    }
}

/// Whether this names a file below the working directory, not standard input or a file of another host.
fn is_relative_file(path: &str) -> bool {
    !path.starts_with(['/', '~', '-']) && !path.contains(':')
}
