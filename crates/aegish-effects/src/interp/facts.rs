//! Files of the session: those it wrote, their content and its origin, and the targets of links.

use super::descriptors::is_unwritten;
use super::{Interp, MAX_SCRIPT};
use aegish_analysis::EffectKind;
use aegish_shell_state::LookedAt;
use aegish_shell_state::{FileView, Flow};
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, join_all, join_values, origin};

/// How many links are followed, as the kernel does.
const MAX_LINKS: usize = 40;

/// What looking at a file of the machine costs, in bytes of text.
const READING: usize = 1024;

/// `$dir/name`, where the directory is not known, or absolute in one case and not known in others: it may be anywhere,
/// and is not looked for below the working directory.
fn is_below_unknown_directory(path: &Value) -> bool {
    match path.pieces() {
        [Piece::OneOf(cases), Piece::Unknown(_), Piece::Text(rest), ..] => {
            rest.starts_with('/') && cases.iter().any(|case| case.starts_with('/'))
        }
        [Piece::Unknown(_), Piece::Text(rest), ..] => rest.starts_with('/'),
        _ => false,
    }
}

impl Interp<'_> {
    /// Makes relative paths absolute after a `cd`, as far as the directory is known. Readers of the
    /// effects resolve relative paths against the directory in which the script started.
    pub(crate) fn anchor(&self, kind: &mut EffectKind) {
        // Who deletes or overwrites every file below a directory does it to what a star would match there.
        if let EffectKind::Delete { path, .. } | EffectKind::Write { path, append: false, .. } =
            kind
            && let [directory @ .., Piece::Unknown(origin::EVERY_FILE)] = path.pieces()
        {
            let mut all = Value::empty().tainted(path.taint());
            directory.iter().chain([&Piece::AnyString]).for_each(|piece| all.push(piece.clone()));
            *path = all;
        }
        if self.state.cwd == self.first_cwd
            && self.state.links.is_empty()
            && self.state.descriptors.is_empty()
        {
            return;
        }
        // Removing or replacing a link does not change its target.
        let removes = matches!(kind, EffectKind::Delete { .. } | EffectKind::Link { .. });
        let Some(path) = kind.path_mut() else { return };
        let anchored = |one: &Value| self.anchored(one, removes);
        *path = match path.each().is_empty() {
            true => anchored(path),
            false => path.mapped(anchored),
        };
    }

    /// A path with the directory that it starts from, and the links on its way followed.
    fn anchored(&self, path: &Value, removes: bool) -> Value {
        // With a slash at its end, the name of a link is that of its target.
        let removes = removes && !path.known_suffix().ends_with('/');
        let placed = self.placed(path, removes);
        if self.state.links.is_empty() {
            return placed;
        }
        let Some(ways) = placed.variants(MAX_ALTERNATIVES) else { return placed };
        let mut followed = Vec::new();
        for way in &ways {
            // A link that may lead to several places leads to each of them.
            let others = if removes { Vec::new() } else { self.behind_others(way) };
            followed.push(self.behind_links(way, removes).unwrap_or_else(|| way.clone()));
            followed.extend(others);
        }
        if followed == ways {
            return placed;
        }
        join_all(followed.iter()).unwrap_or_default().tainted(path.taint())
    }

    /// A path with the directory that it starts from.
    fn placed(&self, path: &Value, removes: bool) -> Value {
        if let Some(whole) = self.behind_process(path) {
            return whole;
        }
        if !self.state.links.is_empty()
            && let Some(target) = self.behind_links(path, removes)
        {
            return target;
        }
        let settled = path.known_prefix().starts_with(['/', '~'])
            || path.pieces().is_empty()
            || is_below_unknown_directory(path);
        if settled || self.state.cwd == self.first_cwd {
            return path.clone();
        }
        if let Some(settled) = self.anchored_cases(path) {
            return settled;
        }
        let mut whole = self.state.cwd.clone();
        whole.push_str("/");
        match path.known_prefix().starts_with("./") {
            true => whole.append(&path.tail(2)),
            false => whole.append(path),
        }
        match whole.as_known() {
            Some(text) => Value::known(self.absolute(text)).tainted(whole.taint()),
            None => whole,
        }
    }

    /// A path that leads through the working directory of a process (`/proc/$$/cwd`), or through a directory that this
    /// shell has opened (`/dev/fd/9`).
    fn behind_process(&self, path: &Value) -> Option<Value> {
        let ends = |rest: &&str| rest.is_empty() || rest.starts_with('/');
        let start = path.known_prefix();
        // The number of a process is not known: it is one of the shell's own.
        if let [Piece::Text(first), Piece::Unknown(_), Piece::Text(second), rest @ ..] =
            path.pieces()
            && first == "/proc/"
            && let Some(below) = second.strip_prefix("/cwd").filter(ends)
        {
            let mut whole = self.state.cwd.clone();
            whole.push_str(below);
            rest.iter().for_each(|piece| whole.push(piece.clone()));
            return Some(whole.tainted(path.taint()));
        }
        let own = ["/proc/self/cwd", "/proc/thread-self/cwd"];
        let below = own.iter().find_map(|own| start.strip_prefix(own).filter(ends));
        let (directory, below) = match below {
            Some(below) => (self.state.cwd.clone(), below),
            None => {
                let places = ["/dev/fd/", "/proc/self/fd/"];
                let rest = places.iter().find_map(|place| start.strip_prefix(place))?;
                let (number, _) = rest.split_once('/')?;
                let Flow::File(opened) = self.state.descriptors.get(&number.parse().ok()?)? else {
                    return None;
                };
                (opened.clone(), rest.get(number.len()..)?)
            }
        };
        let mut whole = directory;
        whole.append(&path.tail(start.len() - below.len()));
        Some(whole.tainted(path.taint()))
    }

    /// A path that begins with one of several texts of which some are absolute: the others are below the working
    /// directory.
    fn anchored_cases(&self, path: &Value) -> Option<Value> {
        let (Piece::OneOf(cases), rest) = path.pieces().split_first()? else { return None };
        let absolute = |case: &String| case.starts_with(['/', '~']);
        let settled = |case: &&String| absolute(case) || case.is_empty();
        let (settled, below): (Vec<&String>, Vec<&String>) = cases.iter().partition(settled);
        if settled.is_empty() {
            return None;
        }
        let whole = |mut start: Value, cases: Vec<&String>| {
            start.append(&Value::one_of(cases.into_iter().cloned()));
            rest.iter().for_each(|piece| start.push(piece.clone()));
            start.tainted(path.taint())
        };
        let mut cwd = self.state.cwd.clone();
        cwd.push_str("/");
        let settled = whole(Value::empty(), settled);
        Some(match below.is_empty() {
            true => settled,
            false => join_values(&settled, &whole(cwd, below)),
        })
    }

    /// The other targets that a link on the way to this path may have.
    pub(super) fn behind_others(&self, path: &Value) -> Vec<Value> {
        if self.state.links.is_empty() {
            return Vec::new();
        }
        let start = self.absolute(path.known_prefix());
        let Some((name, link)) = self.state.links.nearest(&start) else { return Vec::new() };
        let below = start.strip_prefix(name).unwrap_or_default();
        let others = link.others.keys().map(|target| {
            let mut value = Value::known(format!("{}{below}", target.trim_end_matches('/')));
            value.append(&path.tail(path.known_prefix().len()));
            value.tainted(path.taint())
        });
        others.collect()
    }

    /// The target of a path that is, or begins with, a link which this session made.
    fn behind_links(&self, path: &Value, removes: bool) -> Option<Value> {
        let known = path.known_prefix();
        let (start, whole) = match path.as_known() {
            Some(known) => (known, true),
            // For a pattern, only the directories before it are known.
            None => (known.get(..=known.rfind('/')?).unwrap_or_default(), false),
        };
        let here = self.as_written(start);
        let there = match start.rsplit_once('/') {
            _ if !removes || !whole => self.resolved(start),
            Some((directory, name)) if !name.is_empty() => {
                let directory = if directory.is_empty() { "/" } else { directory };
                format!("{}/{name}", self.resolved(directory).trim_end_matches('/'))
            }
            _ => return None,
        };
        if here == there {
            return None;
        }
        let mut target = Value::known(if whole { there } else { format!("{there}/") });
        target.append(&path.tail(start.len()));
        Some(target.tainted(path.taint()))
    }

    /// A path from the root on, with the links that this session made followed.
    pub(crate) fn resolved(&self, path: &str) -> String {
        self.behind(self.absolute(path))
    }

    /// Where the links on the way of a path from the root lead.
    fn behind(&self, mut path: String) -> String {
        for _ in 0..MAX_LINKS {
            // Names are kept as they were written, so the longest one says most.
            let Some((name, link)) = self.state.links.nearest(&path) else { break };
            let rest = path.strip_prefix(name).unwrap_or_default();
            let next = format!("{}{rest}", link.target.trim_end_matches('/'));
            path = if next.is_empty() { "/".to_owned() } else { next };
        }
        path
    }

    /// Notes that a file now has this content.
    pub(crate) fn remember_file(&mut self, path: &str, content: Value, append: bool) {
        self.state.vouched.retain(|vouched| vouched != path);
        let known = self.state.files.contains_key(path);
        let before = if append && known { self.written(path) } else { None };
        let before = before.filter(|content| !is_unwritten(content));
        self.renew_readers(path, &content, append);
        if known
            && !append
            && let Some(fact) = self.state.files.get(path).cloned()
        {
            self.state.remember_replaced(path.to_owned(), fact.content);
        }
        let fact = self.state.files.get_or_insert_with(path.to_owned(), Default::default);
        fact.added_to = append && !known;
        fact.perhaps &= append;
        fact.settled = false;
        fact.content = match before {
            Some(mut whole) => {
                whole.append(&content);
                whole
            }
            None => content,
        };
    }

    /// The content of a file that this session wrote, by absolute path; `None` if it did not write the
    /// file or removed it.
    pub(crate) fn written(&self, path: &str) -> Option<Value> {
        let content = self
            .written_content(path)
            .or_else(|| self.written_here(path))
            .or_else(|| self.piece(path))?;
        // On some ways there is no such file.
        let says = content.has_text() || content.readings(MAX_ALTERNATIVES).is_some();
        let perhaps = says
            && !content.has_glob()
            && self.state.files.get(path).is_some_and(|fact| fact.perhaps);
        let content = if perhaps { join_values(&content, &Value::empty()) } else { content };
        Some(if self.state.vouched.is_empty() {
            content
        } else {
            self.with_vouching(path, content)
        })
    }

    /// The content of a file by its whole path that was written by its name alone, where the directory is one of several.
    fn written_here(&self, path: &str) -> Option<Value> {
        if self.state.cwd.is_known() {
            return None;
        }
        let places = self.state.cwd.own_texts();
        let mut names = places
            .iter()
            .filter(|place| !place.is_empty())
            .filter_map(|place| path.strip_prefix(place.as_str())?.strip_prefix('/'));
        names.find_map(|name| self.written_content(name))
    }

    /// What a file holds that a program may have cut from a larger one.
    fn piece(&self, path: &str) -> Option<Value> {
        let is_piece = |start: &str| {
            path.strip_prefix(start).is_some_and(|end| !end.is_empty() && !end.contains('/'))
        };
        let (_, content) = self.state.pieces.iter().find(|(start, _)| is_piece(start))?;
        Some(content.clone())
    }

    fn written_content(&self, path: &str) -> Option<Value> {
        self.look_at(|| LookedAt::Path(path.to_owned()));
        let fact = self.state.files.get(path)?;
        if self.frame.conditions.remote || !(fact.settled || fact.added_to) {
            return Some(fact.content.clone());
        }
        if !fact.settled {
            let mut whole = match self.machine.read(path, MAX_SCRIPT) {
                FileView::Text(text) => Value::known(text),
                _ => Value::empty(),
            };
            whole.append(&fact.content);
            return Some(whole);
        }
        match self.machine.read(path, MAX_SCRIPT) {
            FileView::Text(text) => Some(Value::known(text).tainted(fact.content.taint())),
            FileView::Missing => None,
            FileView::Unknown => Some(fact.content.clone()),
            FileView::Long(_) | FileView::Binary | FileView::Unreadable | FileView::Changing => {
                Some(Value::unknown(origin::FILE_CONTENT).tainted(fact.content.taint()))
            }
        }
    }

    /// The same for a path as typed.
    pub(crate) fn written_at(&self, path: &str) -> Option<Value> {
        if self.state.files.is_empty() {
            self.look_at(|| LookedAt::Path(self.resolved(path)));
            return None;
        }
        self.written(&self.resolved(path))
    }

    /// A path as the files of the session are keyed: absolute if that is known.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.rooted(path, false)
    }

    /// The path as seen from each directory in which the shell may be.
    pub(super) fn possible_paths(&self, path: &str) -> Vec<String> {
        let places = match path.starts_with(['/', '~']) || self.state.cwd.is_known() {
            true => Vec::new(),
            false => self.state.cwd.own_texts(),
        };
        match places.is_empty() {
            true => vec![self.resolved(path)],
            false => places.iter().map(|place| self.resolved(&format!("{place}/{path}"))).collect(),
        }
    }

    /// The same, where `..` leaves a link as it is written, as `cd` does it.
    pub(super) fn as_written(&self, path: &str) -> String {
        self.rooted(path, true)
    }

    fn rooted(&self, path: &str, as_written: bool) -> String {
        let cwd = self.state.cwd.as_known().filter(|_| !path.starts_with(['/', '~']));
        let from_root =
            cwd.map_or(path.starts_with('/'), |cwd| cwd.is_empty() || cwd.starts_with('/'));
        let mut whole = String::with_capacity(cwd.map_or(0, str::len) + path.len() + 1);
        for part in cwd.into_iter().flat_map(|cwd| cwd.split('/')).chain(path.split('/')) {
            // The directory above a link is that of its target.
            if part == ".." && !as_written && !self.state.links.is_empty() {
                whole = self.behind(whole);
            }
            let last = whole.rfind('/').map_or(0, |slash| slash + 1);
            match part {
                "" | "." => {}
                ".." if !matches!(whole.get(last..), None | Some("" | "..")) => {
                    whole.truncate(last.saturating_sub(1));
                }
                other => {
                    if from_root || !whole.is_empty() {
                        whole.push('/');
                    }
                    whole.push_str(other);
                }
            }
        }
        if from_root && whole.is_empty() {
            whole.push('/');
        }
        whole
    }

    /// A named pipe that nothing has been written to yet.
    pub(crate) fn is_open_pipe(&self, path: &str) -> bool {
        let fact = self.state.files.get(path);
        fact.is_some_and(|fact| fact.fifo && fact.content.pieces().is_empty())
    }

    /// The origin of the content of a file, or of the files below a directory: the name itself, and the
    /// origin of what this session wrote there.
    pub(crate) fn origin_of_file(&self, path: &Value) -> Taint {
        let mut origin = Taint::from(Source::File(path.to_string()));
        let Some(known) = path.as_known().filter(|_| !self.state.files.is_empty()) else {
            return origin;
        };
        let place = self.resolved(known);
        if let Some(content) = self.written(&place) {
            origin.absorb(content.taint());
            return origin;
        }
        origin.absorb(&self.state.files.origin_of(&format!("{place}/")));
        origin
    }

    /// The content of a file, as far as known: written by the script, or read through the context.
    pub(crate) fn file_content(&self, path: &Value) -> FileContent {
        self.content_for(path, false)
    }

    /// The same for a file that runs as code, also if it holds secrets.
    pub(crate) fn script_content(&self, path: &Value) -> FileContent {
        self.content_for(path, true)
    }

    /// What the session wrote under a name in some of the directories in which the shell may be. In the others there may be
    /// any file, which is an ordinary script if it is run.
    fn written_somewhere(&self, path: &str, code: bool) -> Option<Value> {
        if self.state.cwd.is_known() || self.state.files.is_empty() {
            return None;
        }
        let places = self.possible_paths(path);
        let mut found: Vec<Value> = places.iter().filter_map(|place| self.written(place)).collect();
        if !code && !found.is_empty() && found.len() < places.len() {
            found.push(Value::unknown(origin::FILE_CONTENT));
        }
        join_all(found.iter())
    }

    fn content_for(&self, path: &Value, code: bool) -> FileContent {
        let Some(path) = path.as_known() else {
            // A name under a temporary directory made by the script itself.
            return match self.state.files.get(&path.to_string()) {
                Some(fact) => FileContent::Written(fact.content.clone()),
                None => FileContent::Unknown,
            };
        };
        let absolute = self.resolved(path);
        if absolute == "/dev/null" {
            return FileContent::Written(Value::empty());
        }
        if absolute == "/proc/self/environ" && self.holds_own_text(true) {
            return FileContent::Written(Value::one_of_many_values());
        }
        let descriptor = absolute
            .strip_prefix("/dev/fd/")
            .or_else(|| absolute.strip_prefix("/proc/self/fd/"))
            .and_then(|number| number.parse::<u32>().ok());
        if let Some(flow) = descriptor.and_then(|number| self.state.descriptors.get(&number)) {
            return FileContent::Written(flow.content());
        }
        if absolute == "/dev/stdin" || descriptor == Some(0) {
            return self.input_content().map_or(FileContent::Unknown, FileContent::Written);
        }
        if self.is_open_pipe(&absolute) {
            return FileContent::Unknown;
        }
        // A link to an unreadable file is known by its target.
        let written = self.written(&absolute).or_else(|| self.written(&self.absolute(path)));
        if let Some(content) = written.or_else(|| self.written_somewhere(path, code)) {
            return FileContent::Written(content);
        }
        if self.frame.conditions.remote || !absolute.starts_with('/') {
            return FileContent::Unknown;
        }
        self.worked_on(READING);
        match self.machine.read(&absolute, MAX_SCRIPT) {
            FileView::Text(_) if !code && self.machine.holds_secrets(&absolute) => {
                FileContent::Unknown
            }
            FileView::Text(text) => {
                self.worked_on(text.len() / 4);
                let mut origin = Taint::from(Source::File(absolute));
                if let Some(source) = self.unpacked_origin(path) {
                    origin.add(source.clone());
                }
                FileContent::Written(Value::known(text).tainted(&origin))
            }
            FileView::Binary => FileContent::Binary,
            FileView::Missing => FileContent::Missing,
            FileView::Unknown => FileContent::Unseen,
            FileView::Long(_) | FileView::Unreadable | FileView::Changing => FileContent::Unknown,
        }
    }
}

/// The content of a file, as far as known.
pub(crate) enum FileContent {
    /// This content, as far as known.
    Written(Value),
    /// A compiled program.
    Binary,
    /// There is no such file.
    Missing,
    /// It was not read.
    Unseen,
    /// It cannot be read from here.
    Unknown,
}
