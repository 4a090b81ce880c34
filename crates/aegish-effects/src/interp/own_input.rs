//! What a program does because of what this session gave it: lines that awk reads, sources that a compiler includes,
//! lists of files, names that a repository or a directory keeps.

use super::code::Reading;
use super::{FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_emulate::raw::{bytes_of, text_of};
use aegish_expansion::{Field, arguments};
use aegish_languages::AwkRun;
use aegish_profiles::{Lang, Stdin};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Value};

/// Names of awk, whose program is followed for what it prints.
const AWK: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk"];

impl Interp<'_> {
    /// Follows what a program does with input that this session made.
    pub(super) fn follow_own_input(&mut self, base: &str, fields: &[Field], first_effect: usize) {
        self.follow_placed_files(base, fields);
        if AWK.contains(&base) {
            self.run_awk_on_input(fields);
        } else if matches!(base, "sed" | "gsed") {
            self.note_written_lines(base, fields, first_effect);
        } else if base == "git" {
            self.keep_git_texts(fields);
            self.obey_git_words(fields);
        } else if base == "sqlite3" {
            self.keep_rows(fields);
        } else if base == "rename.ul" {
            self.rename_by_text(fields);
        } else if base == "rsync" {
            self.read_files_from(fields);
            self.copy_into_directory(fields);
        } else if base == "curl" {
            self.obey_curlrc(fields);
            self.read_url_lists(fields);
        } else {
            self.run_piped_names(base, fields);
            self.read_documents(base, fields, first_effect);
        }
    }

    /// `curl` reads options from a file before its words; `-q` says that it does not.
    fn obey_curlrc(&mut self, fields: &[Field]) {
        let quiet = |word: &Field| matches!(word.value.as_known(), Some("-q" | "--disable"));
        let Some(program) = fields.first().filter(|_| !arguments(fields).iter().any(quiet)) else {
            return;
        };
        let place = |name: &str| self.lookup_scalar(name)?.as_known().map(str::to_owned);
        let places = ["CURL_HOME", "XDG_CONFIG_HOME", "HOME"].iter().filter_map(|name| place(name));
        let home = self.home().to_string();
        let files: Vec<String> =
            places.chain([home]).map(|place| format!("{place}/.curlrc")).collect();
        let Some(content) = files.iter().find_map(|file| self.written_at(file)) else {
            return;
        };
        let word = |text: &str| Field {
            value: Value::known(text).tainted(content.taint()),
            span: program.span,
        };
        if content.is_one_of_many_values() {
            self.hidden_code(&content, program.span);
        }
        for text in content.own_texts() {
            let mut words = vec![program.clone(), word("-q")];
            for line in text.lines().map(str::trim) {
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let separates = |c: char| c.is_whitespace() || c == '=' || c == ':';
                let (name, value) = line.split_once(separates).unwrap_or((line, ""));
                let value = value.trim_start_matches(separates).trim_matches('"');
                let dashes = if name.starts_with('-') { "" } else { "--" };
                words.push(word(&format!("{dashes}{name}")));
                words.extend((!value.is_empty()).then(|| word(value)));
            }
            self.run_argv_through(Invocation::Launched, &words, program.span);
        }
    }

    /// A run of awk, if that is the program.
    #[allow(clippy::option_option)]
    pub(super) fn awk_run(
        &self,
        argv: &[&str],
        stdin: Option<&str>,
        read: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Option<Option<AwkRun>> {
        let (name, words) = argv.split_first()?;
        if !AWK.contains(name) {
            return None;
        }
        let env = |name: &str| {
            self.lookup_scalar(name).and_then(|value| value.as_known().map(str::to_owned))
        };
        let file = |path: &str| read(path).map(text_of);
        Some(aegish_languages::awk_run(words, stdin, &env, &file))
    }

    /// What awk does on the input that it has, beyond what its program does on any.
    fn run_awk_on_input(&mut self, fields: &[Field]) {
        let words: Option<Vec<&str>> =
            arguments(fields).iter().map(|field| field.value.as_known()).collect();
        let Some(words) = words else { return };
        let known = |value: &Value| value.as_known().map(str::to_owned);
        let stdin = known(&self.stdin_content());
        let read = |path: &str| match self.file_content(&Value::known(path)) {
            FileContent::Written(value) => known(&value).map(|text| bytes_of(&text)),
            _ => None,
        };
        let run = self.awk_run(&[&["awk"], words.as_slice()].concat(), stdin.as_deref(), &read);
        let span = fields.first().map(|field| field.span).unwrap_or_default();
        if let Some(run) = run.flatten().filter(|run| !run.more.is_empty()) {
            self.apply_code_effects(run.more, Reading::Parsed, span);
        }
    }

    /// Files that a compiler or formatter reads are documents like its standard input: they include others.
    fn read_documents(&mut self, base: &str, fields: &[Field], first_effect: usize) {
        let Some(profile) = aegish_profiles::find(base) else { return };
        let Stdin::Code(lang @ (Lang::C | Lang::Java | Lang::Roff)) = profile.grammar.stdin else {
            return;
        };
        let directory = |word: &Field| word.value.as_known()?.strip_prefix("-I").map(Value::known);
        let directories: Vec<Value> = arguments(fields)
            .iter()
            .filter_map(directory)
            .filter(|directory| directory.as_known() != Some(""))
            .collect();
        let span = fields.first().map(|field| field.span).unwrap_or_default();
        let input = self.stdin_content();
        if !directories.is_empty() && input.is_known() {
            self.run_language(lang, &input, &directories, span);
        }
        if self.state.files.is_empty() {
            return;
        }
        let read = |effect: &aegish_analysis::Effect| match &effect.kind {
            EffectKind::Read { path, .. } => Some((path.clone(), effect.span)),
            _ => None,
        };
        let files: Vec<_> = self.effects_since(first_effect).iter().filter_map(read).collect();
        for (path, span) in files {
            if !self.step(span) {
                return;
            }
            if let FileContent::Written(content) = self.file_content(&path)
                && content.is_known()
            {
                self.run_language(lang, &content, &directories, span);
            }
        }
    }

    /// `rsync --files-from=LIST FROM TO`: the files are below the source.
    fn read_files_from(&mut self, fields: &[Field]) {
        let words = arguments(fields);
        let list = words.iter().enumerate().find_map(|(at, word)| {
            let text = word.value.as_known()?;
            match text.strip_prefix("--files-from") {
                Some("") => words.get(at + 1)?.value.as_known(),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            }
        });
        let Some(list) = list else { return };
        let content = match list {
            "-" => self.stdin_content(),
            path => match self.file_content(&Value::known(path)) {
                FileContent::Written(content) => content,
                _ => return,
            },
        };
        let operands: Vec<&Field> = words
            .iter()
            .filter(|word| !word.value.known_prefix().starts_with('-'))
            .filter(|word| word.value.as_known() != Some(list))
            .collect();
        let [source, target] = operands.as_slice() else { return };
        let (Some(from), Some(to)) = (source.value.as_known(), target.value.as_known()) else {
            return;
        };
        let (from, to, span) = (from.trim_end_matches('/'), to.to_owned(), source.span);
        let names = content.readings(MAX_ALTERNATIVES).unwrap_or_default();
        let names: Vec<String> =
            names.iter().flat_map(|text| text.split(['\n', '\0'])).map(str::to_owned).collect();
        for name in names.iter().map(|name| name.trim_start_matches('/')) {
            if name.is_empty() || !self.step(span) {
                continue;
            }
            let path = Value::known(format!("{from}/{name}"));
            self.effect(EffectKind::Read { path: path.clone(), tree: false }, span);
            if let FileContent::Written(content) = self.file_content(&path) {
                let copy = self.absolute(&format!("{to}/{name}"));
                self.remember_file(&copy, content, false);
            }
        }
    }

    /// `ed '!command'`, `strace -o '|command'`: in place of a file a program starts a command.
    fn run_piped_names(&mut self, base: &str, fields: &[Field]) {
        let edits = matches!(base, "ed" | "red");
        if !edits && !matches!(base, "strace" | "ltrace") {
            return;
        }
        let mut named = edits;
        let mut commands = Vec::new();
        for word in arguments(fields) {
            let text = word.value.as_known().unwrap_or_default();
            let attached = text.strip_prefix("-o").filter(|file| !file.is_empty() && !edits);
            let file = attached.unwrap_or(text);
            if (named || attached.is_some())
                && let Some(command) = file.strip_prefix(['!', '|'])
            {
                commands.push((Value::known(command), word.span));
            }
            named = edits || matches!(text, "-o" | "--output");
        }
        for (command, span) in commands {
            self.run_code_through(Invocation::Launched, &command, span);
        }
    }

    /// `sed 's/a/b/w FILE'`: lines of what the session wrote.
    fn note_written_lines(&mut self, base: &str, fields: &[Field], first_effect: usize) {
        let written = |effect: &aegish_analysis::Effect| match &effect.kind {
            EffectKind::Write { path, .. } => path.as_known().map(str::to_owned),
            _ => None,
        };
        // What changes in place is followed elsewhere.
        let in_place = |word: &Field| {
            let text = word.value.known_prefix();
            text.starts_with("--in") || text.starts_with('-') && text.contains('i')
        };
        if arguments(fields).iter().any(in_place) {
            return;
        }
        let files: Vec<String> =
            self.effects_since(first_effect).iter().filter_map(written).collect();
        if !files.is_empty() && self.prints_own_text(base, fields, first_effect) {
            for file in files {
                let place = self.resolved(&file);
                self.remember_file(&place, Value::lost(), false);
            }
        }
    }

    /// `rename.ul OLD NEW FILES`: the first place of the text in each name.
    fn rename_by_text(&mut self, fields: &[Field]) {
        let words: Vec<&Field> = arguments(fields)
            .iter()
            .filter(|word| !word.value.known_prefix().starts_with('-'))
            .collect();
        let only_shows =
            |word: &Field| matches!(word.value.as_known(), Some("-n" | "--no-act" | "-nv" | "-vn"));
        if arguments(fields).iter().any(only_shows) {
            return;
        }
        let [old, new, files @ ..] = words.as_slice() else { return };
        let (Some(old), Some(new)) = (old.value.as_known(), new.value.as_known()) else { return };
        let (old, new) = (old.to_owned(), new.to_owned());
        for file in files {
            let Some(path) = file.value.as_known().filter(|path| path.contains(&old)) else {
                continue;
            };
            if !self.step(file.span) {
                return;
            }
            let content = match self.file_content(&file.value) {
                FileContent::Written(content) => content,
                _ => Value::unknown(aegish_values::origin::FILE_CONTENT),
            };
            let whole = path.replacen(&old, &new, 1);
            let (place, name) = path.rsplit_once('/').unwrap_or(("", path));
            let by_name = format!("{place}/{}", name.replacen(&old, &new, 1));
            let by_name = if place.is_empty() { whole.clone() } else { by_name };
            let mut names = vec![whole, by_name];
            names.dedup();
            for name in names.iter().filter(|name| *name != path) {
                self.write_file(&Value::known(name.as_str()), content.clone(), false, file.span);
            }
            self.forget_file(path, false);
            self.effect(EffectKind::Delete { path: file.value.clone(), tree: false }, file.span);
        }
    }

    /// `rsync FILE DIRECTORY/`: the file is there under its name.
    fn copy_into_directory(&mut self, fields: &[Field]) {
        let words: Vec<&Field> = arguments(fields)
            .iter()
            .filter(|word| !word.value.known_prefix().starts_with('-'))
            .collect();
        let Some((target, sources)) = words.split_last() else { return };
        let Some(to) = target.value.as_known().filter(|to| !to.contains(':')) else { return };
        let home = self.home().to_string();
        if !to.ends_with('/') && self.absolute(to) != home {
            return;
        }
        for source in sources {
            if !self.step(source.span) {
                return;
            }
            let Some(from) = source.value.as_known().filter(|from| !from.ends_with('/')) else {
                continue;
            };
            let name = from.rsplit('/').next().unwrap_or(from);
            // Files whose names begin with a dot are those that programs look for.
            let content = match self.file_content(&source.value) {
                FileContent::Written(content)
                    if name.starts_with('.') || self.written_at(from).is_some() =>
                {
                    content
                }
                _ => continue,
            };
            let path = Value::known(format!("{}/{name}", to.trim_end_matches('/')));
            self.write_file(&path, content, false, source.span);
        }
    }

    /// `curl 'file:///a/{b,c}'`: addresses that stand for several.
    fn read_url_lists(&mut self, fields: &[Field]) {
        let several = |word: &Field| {
            let text = word.value.as_known()?;
            let path = text.strip_prefix("file://")?.trim_start_matches("localhost");
            path.contains(['{', '[']).then(|| (path.to_owned(), word.span))
        };
        let words: Vec<(String, Span)> = arguments(fields).iter().filter_map(several).collect();
        for (pattern, span) in words {
            for path in aegish_expansion::url_list::url_list(&pattern) {
                self.effect(EffectKind::Read { path: Value::known(path), tree: false }, span);
            }
        }
    }
}
