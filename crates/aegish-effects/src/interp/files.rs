//! Effects of the file words of one command line: read, write, copy, delete, link.

use super::roles::Together;
use super::simple::base_name;
use super::{FileContent, Interp};
use aegish_analysis::{EffectKind, FileKind, ShellEntry};
use aegish_expansion::Field;
use aegish_expansion::printed::{may_say_more, or_text};
use aegish_options::CommandLine;
use aegish_profiles::{ArgumentRole, Detail, SystemEffect};
use aegish_shell_state::{FileView, Flow, Link};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, join_values, origin};

/// Limit on the names read in a directory into which an archive is unpacked.
pub(super) const MAX_LISTED: usize = 4096;

/// Names that are directories by convention.
const DIRECTORIES: [&str; 14] = [
    ".aws",
    ".config",
    ".docker",
    ".gnupg",
    ".kube",
    ".local",
    ".ssh",
    "autostart",
    "bin",
    "etc",
    "hooks",
    "sbin",
    "tmp",
    "var",
];

impl Interp<'_> {
    /// The content of standard input, if it is piped.
    pub(super) fn input_content(&self) -> Option<Value> {
        match **self.stdin {
            Flow::Terminal | Flow::Nothing => None,
            _ => Some(self.stdin_content()),
        }
    }

    /// The origin of piped input.
    pub(super) fn input_taint(&self) -> Taint {
        self.input_content().map_or_else(Taint::none, |content| content.taint().clone())
    }

    /// Words of a program without a profile: paths and shells in them are still reported.
    pub(crate) fn mention_arguments(&mut self, command: usize, fields: &[Field]) {
        for field in fields {
            let text = field.value.known_prefix();
            match text.find('=') {
                Some(equals) if text.starts_with('-') => {
                    self.mention(command, &field.value.tail(equals + 1), field.span);
                }
                // `-f/path`
                None if text.starts_with('-')
                    && text.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic())
                    && text.chars().nth(2) == Some('/') =>
                {
                    self.mention(command, &field.value.tail(2), field.span);
                }
                _ => self.mention(command, &field.value, field.span),
            }
        }
    }

    /// A name that the session made for a file or directory.
    pub(super) fn remember_link(&mut self, target: &Value, name: &str) {
        let key = self.absolute(name);
        let content = match self.file_content(target) {
            FileContent::Written(value) => value,
            _ => Value::unknown(origin::FILE_CONTENT)
                .tainted(&Taint::from(Source::File(target.to_string()))),
        };
        self.state.links.remove(&key);
        if let Some(target) = target.own_text().as_deref() {
            // A relative target is resolved against the directory of the link.
            let place = key.rsplit_once('/').map_or("", |(place, _)| place);
            let target = match target.starts_with(['/', '~']) {
                true => self.absolute(target),
                false => self.absolute(&format!("{place}/{target}")),
            };
            // In a directory that is one of several, the link is in any of them.
            let places = match self.state.cwd.is_known() || name.starts_with(['/', '~']) {
                true => Vec::new(),
                false => self.state.cwd.own_texts(),
            };
            let places = places.iter().filter(|place| !place.is_empty());
            let keys: Vec<String> =
                places.map(|place| self.absolute(&format!("{place}/{name}"))).collect();
            for key in keys {
                self.state.links.insert(key, Link { target: target.clone(), ..Link::default() });
            }
            if target != key {
                self.state.links.insert(key.clone(), Link { target, ..Link::default() });
            }
        }
        self.remember_file(&key, content, false);
    }

    /// Whether the script has changed to another directory.
    pub(super) fn has_moved(&self) -> bool {
        self.state.cwd != self.first_cwd
    }

    pub(super) fn mention(&mut self, command: usize, value: &Value, span: Span) {
        let text = value.known_prefix();
        // The protocol in which miners get their work.
        if text.starts_with("stratum+") || text.starts_with("stratum2+") {
            let what = SystemEffect::Exhaust;
            let (detail, object) = (Detail::new("mines coins"), value.clone());
            self.effect_of(command, EffectKind::System { what, detail, object }, span);
        }
        let pathlike = text.starts_with('/') || text.starts_with('~') || text.contains("/.");
        let suffix = value.known_suffix();
        // After a `cd` a bare name may be a file of that directory.
        let elsewhere = self.has_moved()
            && value.is_known()
            && !text.is_empty()
            && !text.starts_with(['-', '@'])
            && !text.contains(|c: char| c.is_whitespace() || c == ':');
        if pathlike || elsewhere || (value.has_unknown() && suffix.contains('/')) {
            self.effect_of(command, EffectKind::Mention { path: value.clone() }, span);
        } else if let Some(rest) = text.strip_prefix('@') {
            if rest.starts_with('/') {
                let path = value.tail(1);
                self.effect_of(command, EffectKind::Mention { path }, span);
            }
        } else if let Some(rest) = text.strip_prefix("file:")
            && rest.starts_with('/')
        {
            let slashes = rest.len() - rest.trim_start_matches('/').len();
            let path = value.tail("file:".len() + slashes - 1);
            self.effect_of(command, EffectKind::Mention { path }, span);
        }
    }

    pub(super) fn mention_path(&mut self, value: &Value, span: Span) {
        self.effect(EffectKind::List { path: value.clone() }, span);
    }

    pub(super) fn apply_files(&mut self, together: &Together, span: Span) {
        let tree = together.tree;
        for (path, at) in &together.reads {
            if path.as_known() == Some("-") {
                continue;
            }
            self.effect(EffectKind::Read { path: path.clone(), tree }, *at);
            // Many programs take further arguments from `@file`.
            if path.known_prefix().starts_with("@/") || path.known_prefix().starts_with("@~") {
                self.effect(EffectKind::Read { path: path.tail(1), tree: false }, *at);
            }
            if together.in_place {
                self.keep_backup(path, together.backup.as_ref(), *at);
                let content = Value::unknown(origin::EDITED_CONTENT);
                self.effect(EffectKind::Write { path: path.clone(), content, append: true }, *at);
                self.edit_written(path, together.editing.as_deref());
            }
        }
        self.delete_everything(together, tree);
        for (path, at, whole) in &together.deletes {
            let whole = tree || *whole;
            self.effect(EffectKind::Delete { path: path.clone(), tree: whole }, *at);
            if let Some(known) = path.as_known() {
                self.forget_file(known, whole);
            }
        }
        self.apply_copies(together);
        self.apply_rights(together, tree);
        for (target, at) in &together.link_targets {
            let several = together.link_targets.len() > 1;
            let name = together.link_name.as_ref().map_or_else(
                || Value::known(base_name(&target.to_string())),
                |(name, _)| self.landing_place(name, target, several, together.exact),
            );
            if let Some(known) = name.as_known() {
                let key = self.absolute(known);
                let is_new =
                    !self.state.links.contains_key(&key) && !self.state.files.contains_key(&key);
                self.remember_link(target, known);
                if is_new && !several {
                    self.state.outcome.links(key);
                }
            }
            self.effect(EffectKind::Link { target: target.clone(), name }, *at);
        }
        let network = !together.urls.is_empty() || !together.hosts.is_empty();
        for (path, at) in &together.writes {
            if path.as_known() == Some("-") || path.as_known() == Some("/dev/null") {
                continue;
            }
            let content = if together.pipe {
                Value::empty()
            } else if network {
                let origin = together.urls.first().or(together.hosts.first());
                let origin = origin.map_or_else(String::new, |(url, _)| url.to_string());
                Value::unknown("network data").tainted(&Taint::from(Source::Network(origin)))
            } else if let Some(content) = &together.output {
                content.clone()
            } else if let Some(content) =
                self.written_from_input(together.copies).filter(|_| together.reads.is_empty())
            {
                content
            } else if let Some(content) = self.raw_copy(together) {
                content
            } else {
                let mut taint = Taint::none();
                for (read, _) in &together.reads {
                    taint.absorb(&self.origin_of_file(read));
                }
                taint.absorb(&self.input_taint());
                let before = path.as_known().and_then(|path| self.written_at(path));
                match before.filter(|before| together.reads.is_empty() && before.has_text()) {
                    // A program that reads nothing else changes what was there.
                    Some(before) => Value::one_of_many_values().tainted(before.taint()),
                    None => Value::unknown("output").tainted(&taint),
                }
            };
            self.write_file(path, content, false, *at);
            let key = path.as_known().map(|known| self.resolved(known)).unwrap_or_default();
            if let Some(fact) = self.state.files.get_mut(&key).filter(|_| together.pipe) {
                fact.fifo = true;
            }
        }
        let _ = span;
    }

    /// Records that a file is written and remembers its content.
    pub(crate) fn write_file(&mut self, path: &Value, content: Value, append: bool, span: Span) {
        let content = self.with_origins(content);
        if let Some(number) = path.as_known().and_then(Self::named_descriptor)
            && (1..=2).contains(&number)
        {
            return self.write_to(number, content, span);
        }
        self.effect(
            EffectKind::Write { path: path.clone(), content: content.clone(), append },
            span,
        );
        self.check_web_script(path, &content, span);
        let key = match path.as_known() {
            Some(known) => self.resolved(known),
            None => path.to_string(),
        };
        self.follow_written_settings(&key, &content, span);
        // A shell reads its commands from this pipe: the sender controls the shell.
        let obeyed = self.state.files.get(&key).is_some_and(|fact| fact.obeyed);
        if obeyed && content.taint().network().is_some() {
            self.effect(
                EffectKind::Shell {
                    entry: ShellEntry::Networked,
                    invocation: self.frame.caller.invocation,
                },
                span,
            );
        }
        let texts = path.readings(MAX_ALTERNATIVES).filter(|texts| texts.len() > 1);
        // Each of several files may be the one that is written.
        for text in texts.into_iter().flatten() {
            let place = self.resolved(&text);
            let before = self.written(&place);
            let content = match before {
                Some(before) => join_values(&before, &content),
                None => content.clone(),
            };
            self.remember_file(&place, content, append);
        }
        self.remember_file(&key, content, append);
    }

    /// Adds the origins of the files of this session that the content was made from.
    fn with_origins(&self, content: Value) -> Value {
        if self.state.files.is_empty() {
            return content;
        }
        let mut origin = Taint::none();
        for source in content.taint().sources() {
            if let Source::File(path) = source {
                origin.absorb(&self.origin_of_file(&Value::known(path.as_str())));
            }
        }
        content.tainted(&origin)
    }

    /// Changes a file of this session in place. The new content is known if `filter` is a program that
    /// can be followed; the origin stays. A file unpacked in place loses its suffix.
    pub(super) fn edit_written(&mut self, path: &Value, filter: Option<&[String]>) {
        let Some(key) = path.as_known().map(|known| self.resolved(known)) else { return };
        let Some(before) = self.written(&key) else { return };
        let filtered = filter.and_then(|filter| {
            let argv: Vec<&str> = filter.iter().map(String::as_str).collect();
            let texts = before.own_readings(MAX_ALTERNATIVES)?;
            let edited = texts.iter().map(|text| {
                let bytes = aegish_emulate::run(&argv, Some(text.as_bytes()), &|_| None)?;
                String::from_utf8(bytes).ok()
            });
            Some(Value::one_of(edited.collect::<Option<Vec<String>>>()?))
        });
        let content = match filtered {
            Some(texts) if before.has_unknown() || may_say_more(&before) => {
                or_text(&texts, Value::unknown(origin::EDITED_CONTENT))
            }
            Some(texts) => texts,
            // A pattern of paths may come out as it went in.
            None if before.has_glob() && !before.has_unknown() => before.clone(),
            None if !before.has_unknown() => Value::lost(),
            None => Value::unknown(origin::EDITED_CONTENT),
        };
        let content = content.tainted(before.taint());
        let ending = [".gz", ".xz", ".bz2", ".zst", ".Z", ".lz", ".lzma", ".lzo"];
        if let Some(name) = ending.iter().find_map(|ending| key.strip_suffix(ending)) {
            let name = name.to_owned();
            self.remember_file(&name, content.clone(), false);
        }
        self.remember_file(&key, content, false);
    }

    /// Output that is compiled or unpacked from a file of this session has the origin of that file.
    pub(super) fn note_made(&mut self, parsed: &CommandLine, pattern: &str) {
        for item in parsed
            .arguments
            .iter()
            .filter(|item| matches!(item.role, ArgumentRole::Read | ArgumentRole::Edit))
        {
            let Some(known) = item.value.as_known() else { continue };
            let Some(content) = self.written(&self.resolved(known)) else { continue };
            let name = base_name(known);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let made = match known.rsplit_once('/') {
                Some((place, _)) if pattern.contains('*') => {
                    format!("{place}/{}", pattern.replace('*', stem))
                }
                _ => pattern.replace('*', stem),
            };
            let made = self.absolute(&made);
            if !content.taint().is_none() && !self.state.files.contains_key(&made) {
                let content = Value::unknown("output").tainted(content.taint());
                self.remember_file(&made, content, false);
            }
        }
    }

    /// Forgets a file, or everything below a directory.
    pub(super) fn forget_file(&mut self, path: &str, tree: bool) {
        let key = self.absolute(path);
        self.state.made.remove_at(&key, tree);
        for (name, fact) in self.state.files.remove_at(&key, tree) {
            self.state.remember_replaced(name, fact.content);
        }
        self.state.links.remove_at(&key, tree);
    }

    /// Whether a mode or an owner is set for a directory and nothing else: one of the machine, or one that
    /// this script makes where there is nothing.
    pub(super) fn kind_of(&self, path: &Value, tree: bool) -> FileKind {
        let Some(text) = path.as_known().filter(|_| !tree && !self.frame.conditions.remote) else {
            return FileKind::Any;
        };
        let place = self.resolved(text);
        let made = || {
            self.state.made.contains_key(&place)
                && self.ctx.machine.read(&place, 1) == FileView::Missing
        };
        let replaced = self.state.files.contains_key(&place);
        match !replaced && (self.ctx.machine.is_directory(&place) || made()) {
            true => FileKind::Directory,
            false => FileKind::Any,
        }
    }

    /// `rm -rf *` with known names: the names come from one pattern and are all the entries of the
    /// directory.
    fn delete_everything(&mut self, together: &Together, tree: bool) {
        let mut seen: Vec<Span> = Vec::new();
        for (path, at, whole) in &together.deletes {
            if seen.contains(at) {
                continue;
            }
            seen.push(*at);
            let of_word = together.deletes.iter().filter(|(_, span, _)| span == at);
            let names: Option<Vec<String>> = of_word
                .map(|(path, _, _)| Some(self.absolute(path.as_known()?.trim_end_matches('/'))))
                .collect();
            let Some(names) = names.filter(|names| names.len() > 1) else { continue };
            let parent = |name: &str| name.rsplit_once('/').map(|(parent, _)| parent.to_owned());
            let Some(directory) = names.first().and_then(|name| parent(name)) else { continue };
            let listed = self.machine.list(&format!("{directory}/"), MAX_LISTED);
            let is_all = listed.is_some_and(|listed| {
                let visible: Vec<&String> =
                    listed.iter().filter(|name| !name.starts_with('.')).collect();
                let gone = |name: &&String| names.contains(&format!("{directory}/{name}"));
                !visible.is_empty() && visible.iter().all(gone)
            });
            if is_all {
                let written = path.as_known().and_then(|path| path.rsplit_once('/'));
                let mut all =
                    Value::known(written.map_or(String::new(), |(dir, _)| format!("{dir}/")));
                all.push(Piece::AnyString);
                self.effect(EffectKind::Delete { path: all, tree: tree || *whole }, *at);
            }
        }
    }

    /// Whether a path is known to be a directory: by its syntax, by its name, or because it exists as one.
    pub(super) fn is_directory(&self, path: &Value) -> bool {
        let Some(text) = path.as_known().filter(|_| !self.frame.conditions.remote) else {
            return false;
        };
        let place = self.absolute(text);
        if self.state.files.contains_key(&place) {
            return false;
        }
        let name = base_name(&place);
        matches!(text, "." | "..")
            || self.state.made.contains_key(&place)
            || self.home().as_known() == Some(&place)
            || DIRECTORIES.contains(&name)
            || self.machine.is_directory(&place)
    }
}
