//! Files of this session that a program loads because of their place: modules in the directories that an interpreter
//! searches, programs in the directory of a compiler's tools.

use super::Interp;
use aegish_analysis::{EffectKind, Invocation, Opaque};
use aegish_expansion::{Field, arguments};
use aegish_profiles::{ArgumentRole, Lang, Profile};
use aegish_syntax::Span;
use aegish_values::Value;

/// Modules of Python that others import, in whose place a file of the same name is loaded.
const STANDARD: &[&str] = &[
    "abc",
    "argparse",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "codecs",
    "collections",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "fnmatch",
    "functools",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "mimetypes",
    "numbers",
    "opcode",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "queue",
    "quopri",
    "random",
    "re",
    "select",
    "selectors",
    "shlex",
    "shutil",
    "signal",
    "site",
    "socket",
    "ssl",
    "stat",
    "string",
    "struct",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "zipfile",
    "sitecustomize",
    "usercustomize",
];

impl Interp<'_> {
    /// Follows files that the program loads by their place.
    pub(super) fn follow_placed_files(&mut self, base: &str, fields: &[Field]) {
        let Some(span) = fields.first().map(|field| field.span) else { return };
        let program = aegish_profiles::find(base).map(|profile| profile.name);
        match program {
            Some("make") => self.build_by_own_rules(fields, span),
            Some("diff" | "sdiff" | "colordiff") => self.compare_in_directory(fields, span),
            Some("gcc") => self.run_tools_of_compiler(fields, span),
            _ if self.state.files.is_empty() => {}
            _ => self.load_placed_files(program, fields, span),
        }
    }

    fn load_placed_files(&mut self, program: Option<&str>, fields: &[Field], span: Span) {
        match program {
            Some("python") => self.load_modules_of_python(fields, span),
            Some("node") => self.load_modules_of_node(fields, span),
            Some("perl") => self.load_modules_of_perl(fields, span),
            Some("php") => self.load_included_by_php(fields, span),
            Some("vim") => {
                let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
                let sources = |word: &str| {
                    word.trim_start_matches(':').starts_with("so") && word.contains('%')
                };
                let edited: Vec<String> = match words().any(sources) {
                    true => words().map(|word| self.absolute(word)).collect(),
                    false => Vec::new(),
                };
                let loaded = |path: &str| is_vim_file(path) || edited.iter().any(|one| one == path);
                self.load_each(Lang::Vim, loaded, span);
            }
            Some("npm" | "npx" | "yarn" | "pnpm") => {
                let tools = Value::known("node_modules/.bin");
                self.run_written_programs(&tools, span);
                // Without a script of that name this is what starts.
                let server = self.absolute("server.js");
                let starts = |field: &Field| field.value.as_known() == Some("start");
                if arguments(fields).iter().any(starts) {
                    self.load_each(Lang::Node, |path| path == server, span);
                }
            }
            Some("rake") => self.load_below(
                Lang::Ruby,
                fields,
                &["-R", "--rakelibdir", "--rakelib"],
                &["rake"],
                span,
            ),
            _ => {}
        }
    }

    /// The directories in a variable, and the working directory.
    fn search_directories(&self, variable: &str) -> Vec<String> {
        let value = self.lookup_scalar(variable);
        let text = value.as_ref().and_then(Value::as_known).unwrap_or_default();
        text.split(':').filter(|part| !part.is_empty()).map(|part| self.absolute(part)).collect()
    }

    fn load_modules_of_python(&mut self, fields: &[Field], span: Span) {
        let mut directories = self.search_directories("PYTHONPATH");
        directories.push(self.absolute("."));
        let scripts = arguments(fields).iter().filter_map(|field| field.value.as_known());
        let beside = scripts
            .filter_map(|path| path.rsplit_once('/'))
            .map(|(directory, _)| self.absolute(directory));
        directories.extend(beside.collect::<Vec<String>>());
        let user = self.search_directories("PYTHONUSERBASE");
        let loaded = |path: &str| {
            let Some((directory, name)) = path.rsplit_once('/') else { return false };
            let own = user.iter().any(|base| directory.starts_with(base.as_str()));
            match name.rsplit_once('.') {
                Some((stem, "py")) => {
                    STANDARD.contains(&stem)
                        && (own || directories.iter().any(|one| one == directory))
                }
                Some((_, "pth")) => own,
                _ => false,
            }
        };
        self.load_each(Lang::Python, loaded, span);
    }

    fn load_modules_of_node(&mut self, fields: &[Field], span: Span) {
        let directories = self.search_directories("NODE_PATH");
        let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
        let tests = words().any(|word| word == "--test" || word.starts_with("--test-"));
        let packages: Vec<String> = words()
            .map(|word| self.absolute(word))
            .filter(|place| self.written(&format!("{place}/package.json")).is_some())
            .collect();
        let loaded = |path: &str| {
            let Some((directory, name)) = path.rsplit_once('/') else { return false };
            let Some((stem, "js" | "cjs" | "mjs")) = name.rsplit_once('.') else { return false };
            let below = |places: &[String]| {
                places.iter().any(|place| {
                    directory
                        .strip_prefix(place.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
            };
            path.contains("/node_modules/")
                || below(&directories)
                || below(&packages)
                || tests && (stem.contains("test") || directory.ends_with("/test"))
        };
        self.load_each(Lang::Node, loaded, span);
    }

    /// Runs each file that is loaded, once.
    fn load_each(&mut self, lang: Lang, loaded: impl Fn(&str) -> bool, span: Span) {
        let files = self.state.files.iter().map(|(path, _)| path);
        let files: Vec<String> = files.filter(|path| loaded(path)).map(str::to_owned).collect();
        for file in files {
            if self.calls.imported.contains(&file) {
                continue;
            }
            let Some(content) = self.written(&file) else { continue };
            self.calls.imported.push(file.clone());
            self.note_script(&Value::known(file), &content, lang);
            self.run_language(lang, &content, &[], span);
        }
    }

    fn load_modules_of_perl(&mut self, fields: &[Field], span: Span) {
        let found = self.search_directories("PERL5LIB");
        let mut directories = found;
        directories.extend(self.directories_in_options(fields, &["-I"]));
        let loaded = |path: &str| {
            path.ends_with(".pm")
                && directories.iter().any(|one| path.starts_with(&format!("{one}/")))
        };
        self.load_each(Lang::Perl, loaded, span);
    }

    /// Directories that options name: the rest of the word, or the next word.
    fn directories_in_options(&self, fields: &[Field], names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let Some(text) = field.value.as_known() else { continue };
            for name in names {
                let place = match text.strip_prefix(*name) {
                    Some("") => fields.get(at + 1).and_then(|next| next.value.as_known()),
                    Some(rest) => Some(rest.trim_start_matches('=')),
                    None => None,
                };
                let place = place.map(|place| self.absolute(place));
                found.extend(place.map(|place| place.trim_end_matches("/.").to_owned()));
            }
        }
        found
    }

    fn load_below(
        &mut self,
        lang: Lang,
        fields: &[Field],
        names: &[&str],
        endings: &[&str],
        span: Span,
    ) {
        let directories = self.directories_in_options(fields, names);
        let loaded = |path: &str| {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            endings.contains(&ending)
                && directories.iter().any(|one| path.starts_with(&format!("{one}/")))
        };
        self.load_each(lang, loaded, span);
    }

    fn load_included_by_php(&mut self, fields: &[Field], span: Span) {
        let directories =
            self.directories_in_options(fields, &["include_path=", "-dinclude_path="]);
        let loaded =
            |path: &str| directories.iter().any(|one| path.starts_with(&format!("{one}/")));
        self.load_each(Lang::Php, loaded, span);
    }

    /// Goals that make builds by rules which it knows without a makefile.
    fn build_by_own_rules(&mut self, fields: &[Field], span: Span) {
        for variable in ["MAKEFLAGS", "GNUMAKEFLAGS"] {
            let value = self.lookup_scalar(variable);
            // make expands references in them.
            if let Some(text) =
                value.as_ref().and_then(Value::as_known).filter(|text| text.contains("$("))
            {
                let code = Value::known(format!("flags := {text}"));
                self.run_language(Lang::Make, &code, &[], span);
            }
        }
        let goals: Vec<String> = arguments(fields)
            .iter()
            .filter_map(|field| Some(field.value.as_known()?.to_owned()))
            .collect();
        for goal in goals.iter().filter(|goal| !goal.starts_with('-') && !goal.contains('=')) {
            let stem = goal.strip_suffix(".o").unwrap_or(goal);
            let sources = ["c", "cc", "cpp", "sh"].map(|ending| format!("{stem}.{ending}"));
            let Some(source) = sources.iter().find(|source| self.written_at(source).is_some())
            else {
                continue;
            };
            let words: &[&str] = if source.ends_with(".sh") {
                &["cp", source, goal]
            } else if stem.len() < goal.len() {
                &["gcc", "-c", "-o", goal, source]
            } else {
                &["gcc", "-o", goal, source]
            };
            let field = |word: &&str| Field { value: Value::known(*word), span };
            let words: Vec<Field> = words.iter().map(field).collect();
            self.run_argv_through(Invocation::Launched, &words, span);
        }
    }

    /// `diff FILE DIRECTORY` compares with the file of that name in the directory.
    fn compare_in_directory(&mut self, fields: &[Field], span: Span) {
        let plain = |field: &&Field| !field.value.known_prefix().starts_with('-');
        let words: Vec<&Field> = arguments(fields).iter().filter(plain).collect();
        let [first, second] = words.as_slice() else { return };
        for (file, directory) in [(first, second), (second, first)] {
            let Some(name) = file.value.as_known() else { continue };
            let mut path = directory.value.clone();
            path.push_str("/");
            path.push_str(name.rsplit('/').next().unwrap_or(name));
            self.effect(EffectKind::Read { path, tree: false }, span);
        }
    }

    /// `gcc -B DIRECTORY` looks there for the programs that it runs.
    fn run_tools_of_compiler(&mut self, fields: &[Field], span: Span) {
        let places = self.directories_in_options(fields, &["-I", "-iquote", "-isystem"]);
        let included = fields.iter().zip(arguments(fields)).filter_map(|(name, file)| {
            let named = matches!(name.value.as_known(), Some("-include" | "-imacros"));
            file.value.as_known().filter(|_| named)
        });
        let included: Vec<String> = included.map(str::to_owned).collect();
        for (place, file) in
            places.iter().flat_map(|place| included.iter().map(move |file| (place, file)))
        {
            let path = Value::known(format!("{place}/{file}"));
            self.effect(EffectKind::Read { path, tree: false }, span);
        }
        for (at, field) in fields.iter().enumerate() {
            let Some(rest) = field.value.as_known().and_then(|text| text.strip_prefix("-B")) else {
                continue;
            };
            let next = fields.get(at + 1).and_then(|next| next.value.as_known());
            let directory = if rest.is_empty() { next.unwrap_or_default() } else { rest };
            let directory = Value::known(directory.trim_end_matches('/'));
            self.run_written_programs(&directory, span);
        }
    }

    /// `include NAME` of a makefile: a pattern, or a name that is looked for in other directories.
    pub(super) fn run_own_makefiles(&mut self, path: &Value, span: Span) -> bool {
        let Some(name) = path.as_known().filter(|_| !self.state.files.is_empty()) else {
            return false;
        };
        if self.written_at(name).is_some() {
            return false;
        }
        let (place, ending) = (self.absolute(name), format!("/{name}"));
        let wanted = |path: &str| super::settings::fits(&place, path) || path.ends_with(&ending);
        let files = self.state.files.iter().map(|(path, _)| path);
        let files: Vec<String> = files.filter(|path| wanted(path)).map(str::to_owned).collect();
        for file in &files {
            let Some(content) = self.written(file) else { continue };
            self.run_language(Lang::Make, &content, &[], span);
        }
        !files.is_empty()
    }

    /// Text that the script computes and the analysis lost stands where an option may stand: it may be one that runs
    /// something or names a file.
    pub(super) fn hide_lost_option(&mut self, profile: &'static Profile, word: &Field) {
        let grammar = &profile.grammar;
        let below = grammar.subs.iter().flat_map(|sub| sub.grammar.options);
        let acts = |role: ArgumentRole| {
            super::roles::executes(role)
                || matches!(
                    role,
                    ArgumentRole::Library
                        | ArgumentRole::Config
                        | ArgumentRole::IndirectShell
                        | ArgumentRole::IndirectProgram
                        | ArgumentRole::IndirectArgv
                        | ArgumentRole::OptionFile
                        | ArgumentRole::Write
                        | ArgumentRole::Append
                        | ArgumentRole::Log
                        | ArgumentRole::WriteDir
                )
        };
        if grammar.options.iter().chain(below).any(|opt| opt.value.is_some_and(acts)) {
            let (what, taint) = (word.value.clone(), word.value.taint().clone());
            self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, word.span);
        }
    }
}

/// Whether vim may read a file by itself because of its name: settings, sessions, scripts.
fn is_vim_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, ".exrc" | ".vimrc" | "Session.vim") || name.ends_with(".vim")
}
