//! Programs that copy: what they write is what the session wrote before.

use super::files::MAX_LISTED;
use super::program::SYSTEM_DIRECTORIES;
use super::roles::Together;
use super::simple::base_name;
use super::{FileContent, Interp};
use aegish_analysis::{EffectKind, FileKind};
use aegish_emulate::raw::{bytes_of, text_of};
use aegish_expansion::{Field, nodes};
use aegish_shell_state::{LookedAt, Switch};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, join_values, origin, pattern};

impl Interp<'_> {
    /// Modes and owners.
    pub(super) fn apply_rights(&mut self, together: &Together, tree: bool) {
        for (path, at) in &together.mode_paths {
            let mode = together.mode.clone().unwrap_or_default();
            let kind = self.kind_of(path, tree);
            self.state.modes_changed = true;
            self.effect(EffectKind::Mode { path: path.clone(), mode, tree, kind }, *at);
        }
        // `install -m 4755 tool /place`: mode and owner are those of the copy.
        if let Some((path, at)) = &together.destination {
            let path = match together.sources.as_slice() {
                [(source, _, _)] => self.landing_place(path, source, false, together.exact),
                _ => path.clone(),
            };
            if let (Some(mode), true) = (&together.mode, together.mode_paths.is_empty()) {
                let (path, mode) = (path.clone(), mode.clone());
                let kind = FileKind::Any;
                self.effect(EffectKind::Mode { path, mode, tree: false, kind }, *at);
            }
            if let (Some(owner), true) = (&together.owner, together.owner_paths.is_empty()) {
                let (owner, kind) = (owner.clone(), FileKind::Any);
                self.effect(EffectKind::Owner { path, owner, tree: false, kind }, *at);
            }
        }
        // `tar --mode=u+s -cf a.tar tool`, `rsync --chmod=u+s tool /place`: what is written has the mode.
        if let (Some(mode), true, None) =
            (&together.mode, together.mode_paths.is_empty(), &together.destination)
        {
            for (path, at) in together.remote_to.iter().chain(&together.writes) {
                let (path, mode) = (path.clone(), mode.clone());
                let kind = FileKind::Any;
                self.effect(EffectKind::Mode { path, mode, tree: false, kind }, *at);
            }
        }
        for (path, at) in &together.owner_paths {
            let owner = together.owner.clone().unwrap_or_default();
            let kind = self.kind_of(path, tree);
            self.effect(EffectKind::Owner { path: path.clone(), owner, tree, kind }, *at);
        }
    }

    /// What `dd` writes: the file of this session that it reads, or a part of it that is not followed.
    pub(super) fn raw_copy(&self, together: &Together) -> Option<Value> {
        let report = self.out.commands.get(self.frame.caller.parent?)?;
        let [(read, _)] = together.reads.as_slice() else { return None };
        let FileContent::Written(content) = self.file_content(read) else { return None };
        let changes = |word: &Value| {
            let text = word.known_prefix();
            ["skip=", "seek=", "iseek=", "oseek=", "count=", "conv="]
                .iter()
                .any(|key| text.starts_with(key))
        };
        (report.program == Some("dd")).then(|| match report.argv.iter().any(changes) {
            true if content.is_known() => Value::lost().tainted(content.taint()),
            _ => content,
        })
    }

    /// The files of a program that cuts its input into pieces. Each of them may hold all of it, or any part.
    pub(super) fn write_pieces(
        &mut self,
        together: &Together,
        fields: &[Field],
        usual_start: &str,
    ) {
        let content = match together.reads.first() {
            Some((path, _)) if path.as_known() != Some("-") => match self.file_content(path) {
                FileContent::Written(content) => Some(content),
                _ => None,
            },
            _ => self.input_content(),
        };
        let span = fields.first().map(|field| field.span).unwrap_or_default();
        let ending = fields.iter().find_map(|field| {
            Some(field.value.as_known()?.strip_prefix("--additional-suffix=")?.to_owned())
        });
        if let (Some(ending), Some((prefix, _))) = (ending, together.writes.first()) {
            let mut path = prefix.clone();
            path.push(Piece::AnyString);
            path.push_str(&ending);
            let content = Value::unknown(origin::FILE_CONTENT);
            self.effect(EffectKind::Write { path, content, append: false }, span);
        }
        let Some(content) = content else { return };
        if let Some(pieces) = split_exactly(fields, &content) {
            for (name, text) in pieces {
                let content = Value::known(text).tainted(content.taint());
                self.write_file(&Value::known(name), content, false, span);
            }
            return;
        }
        let prefix = match together.writes.first() {
            Some((prefix, _)) => prefix.as_known().map(str::to_owned),
            None => Some(usual_start.to_owned()),
        };
        let Some(prefix) = prefix else { return };
        let content = match content.readings(MAX_ALTERNATIVES) {
            Some(_) => join_values(&content, &Value::lost()),
            None => content,
        };
        // The names of the first pieces are found by patterns. Which others there are depends on the content.
        for suffix in ["aa", "ab", "00", "01"] {
            let path = self.absolute(&format!("{prefix}{suffix}"));
            self.remember_file(&path, content.clone(), false);
        }
        let place = match prefix.is_empty() || prefix.ends_with('/') {
            true => format!("{}/", self.absolute(&prefix).trim_end_matches('/')),
            false => self.absolute(&prefix),
        };
        self.state.remember_pieces(place, content);
    }

    /// `cp -r . ~`: hidden files of a directory, start files among them, come to the home directory.
    fn carry_start_files(&mut self, from: &str, to: &str, span: Span) {
        if self.home().as_known().map(|home| home.trim_end_matches('/')) != Some(to) {
            return;
        }
        let names = self.machine.list(&format!("{from}/"), MAX_LISTED).unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with('.')) {
            let content = Value::unknown(origin::FILE_CONTENT)
                .tainted(&Taint::from(Source::File(format!("{from}/{name}"))));
            let path = Value::known(format!("{to}/{name}"));
            self.effect(EffectKind::Write { path, content, append: false }, span);
        }
    }

    /// Moves or copies the files that this session wrote below a directory.
    pub(super) fn copy_below(&mut self, from: &Value, to: &Value, span: Span) {
        let (Some(from), Some(to)) = (from.as_known(), to.as_known()) else { return };
        let (from, to) = (self.resolved(from), self.resolved(to));
        self.carry_start_files(&from, &to, span);
        // Names below an unknown working directory are relative.
        let start = if from.is_empty() { from } else { format!("{from}/") };
        self.look_at(|| LookedAt::Start(start.clone()));
        let files = self.state.files.starting_with(&start);
        let moved: Vec<(String, Value)> = files
            .filter_map(|(name, _)| {
                let rest = name.strip_prefix(&start).filter(|rest| !rest.starts_with('/'))?;
                Some((format!("{to}/{rest}"), self.written(name)?))
            })
            .collect();
        for (name, content) in moved {
            self.write_file(&Value::known(name), content, false, span);
        }
    }

    /// The path of a file that is copied to a name: below the name if that is a directory.
    pub(super) fn landing_place(
        &self,
        target: &Value,
        source: &Value,
        several: bool,
        exact: bool,
    ) -> Value {
        let text = target.known_suffix();
        if !(several || text.ends_with('/') || self.is_directory(target)) || exact {
            return target.clone();
        }
        let mut place = target.clone();
        if !text.ends_with('/') {
            place.push_str("/");
        }
        place.push_str(base_name(&source.to_string()));
        place
    }

    /// The copy of a file that a program keeps before it changes the file: the name with an ending, or as `*` in the ending
    /// says.
    pub(super) fn keep_backup(&mut self, path: &Value, ending: Option<&Value>, span: Span) {
        let Some(ending) = ending else { return };
        let mut name = path.clone();
        match ending.as_known() {
            Some("") => return,
            Some(text) if text.contains('*') => {
                let path = path.to_string();
                let base = base_name(&path);
                let text = text.replace('*', base);
                let directory = path.strip_suffix(base).unwrap_or_default();
                name = match text.contains('/') {
                    true => Value::known(text),
                    false => Value::known(format!("{directory}{text}")),
                };
            }
            _ => name.append(ending),
        }
        let content = match self.file_content(path) {
            FileContent::Written(content) => content,
            _ => Value::unknown(origin::FILE_CONTENT),
        };
        self.write_file(&name, content, false, span);
    }

    /// Files and directories of the session that a pattern for one directory matches.
    pub(super) fn own_matches(&self, source: &Value) -> Vec<String> {
        if !source.has_glob() || self.state.files.is_empty() {
            return Vec::new();
        }
        let before = source.known_prefix();
        let (directory, name) = match before.rfind('/') {
            Some(slash) => (before.get(..=slash).unwrap_or_default(), source.tail(slash + 1)),
            None => ("", source.clone()),
        };
        let Some(nodes) = nodes(&name).filter(|_| !name.to_string().contains('/')) else {
            return Vec::new();
        };
        let hidden = name.known_prefix().starts_with('.') || self.is_on(Switch::DotGlob);
        let place = self.resolved(if directory.is_empty() { "." } else { directory });
        let start = format!("{}/", place.trim_end_matches('/'));
        let mut found: Vec<String> = Vec::new();
        let files = self.state.files.starting_with(&start).map(|(path, _)| path);
        for path in files {
            let rest = path.get(start.len()..).unwrap_or_default();
            let first = rest.split('/').next().unwrap_or_default();
            let letters: Vec<char> = first.chars().collect();
            let fits = (hidden || !first.starts_with('.'))
                && !first.contains('\u{1}')
                && pattern::matches(&nodes, &letters).unwrap_or(true);
            let whole = format!("{directory}{first}");
            if fits && found.len() < MAX_ALTERNATIVES && !found.contains(&whole) {
                found.push(whole);
            }
        }
        found
    }

    /// `cp` and `mv`: content goes from one name to another.
    pub(super) fn apply_copies(&mut self, together: &Together) {
        let mut sources = together.sources.clone();
        let mut destination = together.destination.clone();
        if destination.is_none() && sources.len() > 1 {
            destination = sources.pop().map(|(value, span, _)| (value, span));
        }
        let matched: Vec<_> = sources
            .iter()
            .flat_map(|(source, at, moved)| {
                let own = self.own_matches(source).into_iter();
                own.map(|path| (Value::known(path), *at, *moved))
            })
            .collect();
        sources.extend(matched);
        for (source, at, moved) in &sources {
            self.effect(EffectKind::Read { path: source.clone(), tree: together.tree }, *at);
            let content = match self.file_content(source) {
                FileContent::Written(value) => value,
                _ => Value::unknown(origin::FILE_CONTENT)
                    .tainted(&Taint::from(Source::File(source.to_string()))),
            };
            if let Some((target, to)) = &destination {
                let several = sources.len() > 1 || together.into_directory;
                let place = self.landing_place(target, source, several, together.exact);
                self.keep_backup(&place, together.backup.as_ref(), *to);
                self.copy_below(source, &place, *to);
                // Nothing is copied onto itself; where the place is no link, it is a file of its own.
                let links = self.state.links.clone();
                if let (Some(from), Some(name)) = (source.as_known(), place.as_known())
                    && self.resolved(from) == self.resolved(name)
                {
                    self.state.links.remove(&self.absolute(name));
                }
                self.write_file(&place, content.clone(), false, *to);
                self.state.links = links;
            }
            if *moved {
                self.effect(EffectKind::Delete { path: source.clone(), tree: false }, *at);
                if let Some(known) = source.as_known() {
                    self.forget_file(known, true);
                }
            }
        }
    }
}

/// The files into which `split` cuts a known text.
fn split_exactly(fields: &[Field], content: &Value) -> Option<Vec<(String, String)>> {
    let (program, words) = fields.split_first()?;
    if base_name(program.value.as_known()?) != "split" {
        return None;
    }
    let args: Vec<&str> = words.iter().map(|word| word.value.as_known()).collect::<Option<_>>()?;
    let pieces = aegish_emulate::split(&args, &bytes_of(content.as_known()?))?;
    Some(pieces.into_iter().map(|(name, bytes)| (name, text_of(bytes))).collect())
}

/// The system program that this content was copied from.
pub(super) fn copied_program(content: &Value) -> Option<String> {
    if content.is_known() {
        return None;
    }
    // These programs print what they read.
    let copies = |source: &&Source| !matches!(source, Source::Program(name) if matches!(name.as_str(), "cat" | "dd" | "tee"));
    let mut sources = content.taint().sources().filter(copies);
    match (sources.next(), sources.next()) {
        (Some(Source::File(path)), None) => {
            let (directory, _) = path.rsplit_once('/')?;
            SYSTEM_DIRECTORIES.contains(&directory).then(|| path.clone())
        }
        _ => None,
    }
}
