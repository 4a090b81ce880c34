//! Origins of files: scripts that run, archives that are unpacked, repositories that are checked out.

use super::files::MAX_LISTED;
use super::simple::base_name;
use super::{FileContent, Interp};
use aegish_analysis::{EffectKind, Stream};
use aegish_analysis::{ScriptFile, ScriptLanguage, ScriptText};
use aegish_expansion::{Field, arguments};
use aegish_options::CommandLine;
use aegish_profiles::{ArgumentRole, Lang, script_language};
use aegish_shell_state::FileView;
use aegish_shell_state::Unpacked;
use aegish_syntax::Span;
use aegish_values::{Source, Taint, Value, join_values, origin};

/// Limit on the files that are recorded as run.
const MAX_SCRIPTS: usize = 256;
/// Limit on the part of a long script that is stored, for display.
const MAX_BEGINNING: usize = 128 * 1024;

impl Interp<'_> {
    /// Remembers that a file runs as code in this language, unless its `#!` line names another, with the text that is
    /// followed.
    pub(crate) fn note_script(&mut self, path: &Value, content: &Value, lang: Lang) {
        let text = content.to_string();
        let first = text.lines().next().unwrap_or_default();
        let own = !first.starts_with("#!") || script_language(first) == Some(Lang::Shell);
        let language = match lang {
            Lang::Shell if own => ScriptLanguage::Shell,
            _ => ScriptLanguage::Other,
        };
        self.note_script_text(path, ScriptText::Whole(text), language);
    }

    /// Remembers that a file runs as code that is not followed.
    pub(crate) fn note_hidden_script(&mut self, path: &Value) {
        let place = path.as_known().map(|known| self.absolute(known));
        let seen =
            match place.filter(|place| place.starts_with('/') && !self.frame.conditions.remote) {
                Some(place) => self.machine.read(&place, MAX_BEGINNING),
                None => FileView::Unknown,
            };
        let text = match seen {
            FileView::Long(text) => ScriptText::Beginning(text),
            _ => ScriptText::Unread,
        };
        self.note_script_text(path, text, ScriptLanguage::Other);
    }

    fn note_script_text(&mut self, path: &Value, text: ScriptText, language: ScriptLanguage) {
        let path = match path.as_known() {
            Some(known) => self.absolute(known),
            None => path.to_string(),
        };
        let scripts = &mut self.out.scripts;
        if let Some(known) = scripts.iter_mut().find(|script| script.path == path) {
            if known.language != language {
                known.language = ScriptLanguage::Other;
            }
        } else if scripts.len() < MAX_SCRIPTS {
            scripts.push(ScriptFile { path, text, language });
        }
    }

    /// Files unpacked from something downloaded are themselves downloaded.
    pub(super) fn note_unpacked(&mut self, parsed: &CommandLine, span: Span) {
        let piped = self.input_taint();
        let mut taint = piped.clone();
        let mut directory = None;
        for item in &parsed.arguments {
            match item.role {
                ArgumentRole::Read | ArgumentRole::RemoteFrom => {
                    taint.absorb(&self.origin_of_file(&item.value));
                }
                ArgumentRole::WriteDir | ArgumentRole::Dir => {
                    directory = item.value.as_known().map(str::to_owned);
                }
                _ => {}
            }
        }
        let place = self.absolute(directory.as_deref().unwrap_or("."));
        self.write_members(parsed, &place, &taint);
        self.bring_back(&place, span);
        self.unpack_own(&place, span);
        let Some(origin) = taint.network().map(str::to_owned) else { return };
        // A file that is unpacked was saved before.
        if piped.network().is_some() {
            let to = Stream::File(Value::known(place.as_str()));
            self.effect(EffectKind::Fetch { from: Value::known(origin.as_str()), to }, span);
        }
        let origin = match taint.unverified() {
            Some(_) => Source::Network(origin),
            None => Source::Verified(origin),
        };
        self.remember_unpacked(place, origin);
    }

    /// Files of an archive that are named, and so are written.
    fn write_members(&mut self, parsed: &CommandLine, place: &str, taint: &Taint) {
        for item in parsed.arguments.iter().filter(|item| item.role == ArgumentRole::Member) {
            let Some(name) = item.value.as_known() else { continue };
            let mut names = vec![name];
            // Leading directories may be left out.
            names.extend(
                name.rsplit_once('/').map(|(_, last)| last).filter(|last| !last.is_empty()),
            );
            for name in names {
                let whole = match name.starts_with('/') {
                    true => name.to_owned(),
                    false => format!("{}/{name}", place.trim_end_matches('/')),
                };
                let path = aegish_expansion::as_pattern(&whole);
                let content = Value::unknown("unpacked file").tainted(taint);
                if !path.has_glob() && self.written(&whole).is_none() {
                    self.remember_file(&whole, content.clone(), false);
                }
                self.effect(EffectKind::Write { path, content, append: true }, item.span);
            }
        }
    }

    /// `mount --bind FROM TO`: names below one directory are those below the other.
    pub(super) fn note_mount(&mut self, fields: &[Field]) {
        let words: Vec<&str> =
            arguments(fields).iter().filter_map(|field| field.value.as_known()).collect();
        let flag = |word: &&str| {
            let settings = word.strip_prefix("-o").or(word.strip_prefix("--options="));
            let listed = settings.unwrap_or(word).split(',');
            matches!(*word, "-B" | "--bind" | "-R" | "--rbind" | "-M" | "--move")
                || listed.into_iter().any(|word| matches!(word, "bind" | "rbind" | "move"))
        };
        let layer = words.iter().find_map(|word| {
            let layers = word.split(',').find_map(|part| part.strip_prefix("lowerdir="))?;
            layers.split(':').next()
        });
        let operands: Vec<&str> = match layer {
            Some(layer) => vec![layer, words.last().copied().unwrap_or_default()],
            None if !words.iter().any(flag) => return,
            None => words.iter().filter(|word| !word.starts_with('-')).copied().collect(),
        };
        if let [.., from, to] = operands.as_slice() {
            let from = Value::known(self.absolute(from));
            self.remember_link(&from, to);
        }
    }

    /// An archive or a repository may hold every file that this session wrote: all of them appear in this directory,
    /// those that were removed or replaced also where they were.
    fn bring_back(&mut self, place: &str, span: Span) {
        self.state.filled.insert(place.trim_end_matches('/').to_owned(), ());
        let own = |path: &str, content: &Value| (path.to_owned(), content.clone());
        let present = self.state.files.iter().filter(|(_, fact)| !fact.fifo);
        let present = present.map(|(path, fact)| own(path, &fact.content));
        let replaced = self.state.replaced.iter().map(|(path, content)| own(path, content));
        let replaced: Vec<(String, Value)> = replaced.chain(present).collect();
        if !self.spend(replaced.len() / 4, span) {
            return;
        }
        for (path, content) in replaced {
            let here = format!("{}/{}", place.trim_end_matches('/'), base_name(&path));
            for path in [Some(here).filter(|here| *here != path), Some(path)].into_iter().flatten()
            {
                let present = self.written(&path);
                let joined = present.as_ref().map(|present| join_values(present, &content));
                if joined.is_none() || joined != present {
                    self.remember_file(&path, joined.unwrap_or_else(|| content.clone()), false);
                }
            }
        }
    }

    /// Remembers the origin of files that appear in that directory from now on.
    pub(super) fn remember_unpacked(&mut self, place: String, origin: Source) {
        let before = match origin {
            // A checkout creates its own directory.
            Source::Checkout(_) => Vec::new(),
            _ => self.machine.list(&place, MAX_LISTED).unwrap_or_default(),
        };
        let known = |one: &Unpacked| one.place == place && one.origin == origin;
        if !self.state.unpacked.iter().any(known) {
            self.state.unpacked.push(Unpacked { place, origin, before });
        }
    }

    /// `git clone URL [DIRECTORY]`
    pub(super) fn note_checkout(&mut self, parsed: &CommandLine) {
        let word = |role: ArgumentRole| {
            let item = parsed.arguments.iter().find(|item| item.role == role);
            item.and_then(|item| item.value.as_known())
        };
        let Some(from) = word(ArgumentRole::RemoteFrom) else { return };
        let name = base_name(from.trim_end_matches(".git"));
        let name = name.rsplit(':').next().unwrap_or(name);
        let place = self.absolute(word(ArgumentRole::WriteDir).unwrap_or(name));
        let origin = Source::Checkout(from.to_owned());
        self.remember_unpacked(place, origin);
    }

    /// The origin of a file that this session unpacked.
    pub(super) fn unpacked_origin(&self, path: &str) -> Option<&Source> {
        if self.state.unpacked.is_empty() {
            return None;
        }
        let paths = self.possible_paths(path);
        let unpacked = self.state.unpacked.iter().find(|unpacked| {
            let place = unpacked.place.trim_end_matches('/');
            let inside = paths.iter().find_map(|path| path.strip_prefix(place));
            inside.and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| {
                let first = rest.split('/').next().unwrap_or(rest);
                // In a temporary directory the archive may replace what was there.
                let temporary = ["/tmp", "/var/tmp", "/dev/shm"]
                    .contains(&unpacked.place.trim_end_matches('/'));
                temporary || !unpacked.before.iter().any(|name| name == first)
            })
        });
        unpacked.map(|unpacked| &unpacked.origin)
    }

    /// Follows a script that cannot be read: this session may have unpacked it.
    pub(super) fn run_unpacked(&mut self, path: &Value, span: Span) {
        let origin = path.as_known().and_then(|known| self.unpacked_origin(known));
        if let Some(origin) = origin.cloned() {
            let content = Value::unknown(origin::FILE_CONTENT).tainted(&Taint::from(origin));
            self.run_fetched(&content, span);
        }
    }

    /// The name of a file with the origin of its content; `-` is standard input.
    pub(super) fn with_origin(&self, name: &Value) -> Value {
        let content = match name.as_known() {
            Some("-" | "/dev/stdin") => self.input_content(),
            Some(path) if self.state.files.contains_key(&self.absolute(path)) => {
                match self.file_content(name) {
                    FileContent::Written(content) => Some(content),
                    _ => None,
                }
            }
            _ => None,
        };
        match content {
            Some(content) => name.clone().tainted(content.taint()),
            None => name.clone(),
        }
    }
}
