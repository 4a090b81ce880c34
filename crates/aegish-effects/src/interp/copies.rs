//! Programs that copy: what they write is what the session wrote before.

use super::files::MAX_LISTED;
use super::program::SYSTEM_DIRECTORIES;
use super::roles::Together;
use super::simple::base_name;
use super::{FileContent, Interp};
use aegish_analysis::{EffectKind, FileKind};
use aegish_emulate::raw::{bytes_of, text_of};
use aegish_expansion::Field;
use aegish_shell_state::LookedAt;
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Source, Taint, Value, join_values, origin};

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
                [(source, _, _)] => self.landing_place(path, source, false),
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
        let Some(content) = content else { return };
        if let Some(pieces) = split_exactly(fields, &content) {
            for (name, text) in pieces {
                let path = self.absolute(&name);
                self.remember_file(&path, Value::known(text).tainted(content.taint()), false);
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
