//! Modules that an interpreter runs by name (`python -m NAME args…`), and directories handed to
//! containers.

use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::Field;
use aegish_profiles::Lang;
use aegish_shell_state::LookedAt;
use aegish_syntax::Span;
use aegish_values::{Source, Value};

impl Interp<'_> {
    /// `python -m name words…`
    pub(crate) fn run_module(
        &mut self,
        name: &Value,
        words: &[Field],
        span: Span,
    ) -> CommandResult {
        let Some(known) = name.as_known() else {
            self.mention_words(words);
            return CommandResult::default();
        };
        if let Some(result) = self.run_own_module(known, words, span) {
            return result;
        }
        let plain = |word: &&Field| !word.value.known_prefix().starts_with('-');
        match known {
            "http.server" | "SimpleHTTPServer" | "pyftpdlib" | "uploadserver" | "twisted" => {
                let host = option_value(words, &["-b", "--bind", "-i"]).unwrap_or_default();
                let root = option_value(words, &["-d", "--directory"])
                    .unwrap_or_else(|| Value::known("."));
                self.effect(EffectKind::Serve { host, root }, span);
            }
            "timeit" => {
                let setup = |word: &Field| {
                    let glued = ["--setup=", "-s"].iter().find(|name| {
                        word.value
                            .known_prefix()
                            .strip_prefix(**name)
                            .is_some_and(|code| !code.is_empty())
                    })?;
                    Some(Field { value: word.value.tail(glued.len()), span: word.span })
                };
                let codes =
                    words.iter().filter(plain).cloned().chain(words.iter().filter_map(setup));
                for word in codes {
                    let code = word.value.clone();
                    self.run_language(Lang::Python, &code, &[], word.span);
                }
            }
            "code" | "asyncio" if words.is_empty() => {
                if let Some(code) = self.input_content() {
                    return self.run_language(Lang::Python, &code, &[], span);
                }
            }
            "unittest" | "doctest" | "pytest" => self.run_tests(known, words, span),
            // They load what they show.
            "inspect" | "pyclbr" | "pydoc" => {
                for word in words.iter().filter(plain) {
                    let name = word.value.to_string();
                    self.import_own_module(name.trim_end_matches(".py"), span);
                }
            }
            "zipapp" => self.make_application(words, span),
            "pdb" | "trace" | "cProfile" | "profile" | "runpy" | "bdb" | "coverage" => {
                if let Some(at) = words.iter().position(|word| word.value.as_known() == Some("-m"))
                    && let Some(module) = words.get(at + 1)
                {
                    let rest = words.get(at + 2..).unwrap_or_default();
                    return self.run_module(&module.value, rest, module.span);
                }
                if matches!(known, "pdb" | "bdb") {
                    self.run_debugger(words, span);
                }
                // Commands of the debugger and names of files for results are no scripts.
                let values = ["-c", "--command", "-o", "--outfile", "-s", "--sort"];
                let is_value = |at: usize| {
                    let before = at.checked_sub(1).and_then(|at| words.get(at));
                    before
                        .and_then(|word| word.value.as_known())
                        .is_some_and(|w| values.contains(&w))
                };
                let script =
                    words.iter().enumerate().find(|(at, word)| plain(word) && !is_value(*at));
                if let Some((_, script)) = script {
                    let item = aegish_options::Argument {
                        role: aegish_profiles::ArgumentRole::Script(Lang::Python),
                        value: script.value.clone(),
                        span: script.span,
                        word: None,
                        option: false,
                    };
                    self.apply_argument(&item, span);
                }
            }
            "zipfile" | "tarfile" if words.iter().any(extracts) => {
                let mut named = words.iter().filter(plain).map(|word| word.value.clone());
                let archive = named.next().unwrap_or_default();
                let place = named.next().unwrap_or_else(|| Value::known("."));
                self.effect(EffectKind::Read { path: archive.clone(), tree: false }, span);
                let origin = self.origin_of_file(&archive).network().map(str::to_owned);
                if let (Some(origin), Some(place)) = (origin, place.as_known()) {
                    let place = self.absolute(place);
                    self.remember_unpacked(place, Source::Network(origin));
                }
                let content = Value::unknown("files");
                self.effect(EffectKind::Write { path: place, content, append: true }, span);
            }
            "fileinput" | "json.tool" | "zipfile" | "tarfile" | "gzip" | "base64" | "tokenize"
            | "ast" | "dis" => {
                for word in words.iter().filter(plain) {
                    let path = word.value.clone();
                    self.effect(EffectKind::Read { path, tree: false }, word.span);
                }
            }
            other => {
                // Many modules are programs under the same name (`python -m pip install …`).
                let name = other.split('.').next().unwrap_or(other).to_owned();
                if aegish_profiles::find(&name).is_some() {
                    let mut argv = vec![Field { value: Value::known(name), span }];
                    argv.extend(words.iter().cloned());
                    return self.run_argv_through(Invocation::Launched, &argv, span);
                }
                self.mention_words(words);
            }
        }
        CommandResult::default()
    }

    /// Follows a module that this session wrote: Python searches the working directory before its
    /// library.
    fn run_own_module(&mut self, name: &str, words: &[Field], span: Span) -> Option<CommandResult> {
        let path = name.replace('.', "/");
        // `json.tool` is not found in another `json`, which runs when it is looked for.
        let package = path.split('/').next().unwrap_or(&path);
        let mut places = vec![
            format!("{package}/__init__.py"),
            format!("{path}.py"),
            format!("{path}/__main__.py"),
        ];
        if package.len() < path.len() {
            places.push(format!("{package}.py"));
        }
        let place = places.iter().map(|place| self.resolved(place));
        let mut found: Vec<Value> = place.filter_map(|place| self.written(&place)).collect();
        let content = found.pop()?;
        for earlier in found {
            self.run_language(Lang::Python, &earlier, &[], span);
        }
        let arguments: Vec<Value> = words.iter().map(|word| word.value.clone()).collect();
        Some(self.run_language(Lang::Python, &content, &arguments, span))
    }

    /// Commands for the debugger of Python: options, its input, files that it reads at the start.
    fn run_debugger(&mut self, words: &[Field], span: Span) {
        let mut texts: Vec<Value> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let text = word.value.known_prefix();
            if matches!(word.value.as_known(), Some("-c" | "--command")) {
                texts.extend(words.get(at + 1).map(|next| next.value.clone()));
            } else if let Some(name) =
                ["--command=", "-c"].iter().find(|name| text.starts_with(**name))
            {
                texts.push(word.value.tail(name.len()));
            }
        }
        let home = self.home();
        let files = [".pdbrc".to_owned(), format!("{home}/.pdbrc")];
        texts.extend(files.iter().filter_map(|file| self.written_at(file)));
        texts.extend(self.input_content().filter(|_| self.reads_data()));
        for text in texts {
            let Some(lines) = text.as_known() else {
                self.hidden_code(&text, span);
                continue;
            };
            // A statement may stand behind the name of a command.
            const PRINTING: [&str; 5] = ["p ", "pp ", "display ", "interact ", "debug "];
            let statement = |line: &str| {
                let line = line.trim().trim_start_matches('!');
                let name = PRINTING.iter().find(|name| line.starts_with(**name));
                format!("{}\n", name.map_or(line, |name| line.strip_prefix(*name).unwrap_or(line)))
            };
            let code: String =
                lines.split(['\n']).flat_map(|line| line.split(";;")).map(statement).collect();
            self.run_language(Lang::Python, &Value::known(code), &[], span);
        }
    }

    /// `ruby -r ./x` runs a file of this session; its suffix may be omitted. `python3 dir` runs the main file
    /// of the directory.
    pub(super) fn run_own_library(&mut self, lang: Lang, path: &Value, span: Span) {
        let Some(text) = path.as_known() else { return };
        self.look_at(|| LookedAt::Start(self.resolved(text)));
        if self.state.files.is_empty() {
            return;
        }
        let endings = [
            "",
            ".rb",
            ".js",
            ".mjs",
            ".lua",
            ".pl",
            ".pm",
            ".py",
            ".php",
            "/__main__.py",
            "/index.js",
        ];
        let places = endings.map(|ending| self.resolved(&format!("{text}{ending}")));
        if let Some(content) = places.iter().find_map(|place| self.written(place)) {
            self.run_language(lang, &content, &[], span);
        }
    }

    /// `import name`: follows the module if this session wrote it, in any directory of the search path.
    pub(crate) fn import_own_module(&mut self, name: &str, span: Span) {
        let path = name.trim_start_matches('.').replace('.', "/");
        self.look_at(|| LookedAt::End(format!("/{path}.py")));
        if path.is_empty() || self.state.files.is_empty() {
            return;
        }
        let endings = [format!("/{path}.py"), format!("/{path}/__init__.py")];
        let own = |ending: &String| Some(self.state.files.ending_with(ending).next()?.to_owned());
        let Some(file) = endings.iter().find_map(own) else { return };
        // A module runs once, even if it is imported several times.
        if self.calls.imported.contains(&file) {
            return;
        }
        self.calls.imported.push(file.clone());
        if let Some(content) = self.written(&file) {
            self.note_script(&Value::known(file), &content, Lang::Python);
            self.run_language(Lang::Python, &content, &[], span);
        }
    }

    /// Tests in files that the session wrote: those that are named, or all whose name says so.
    fn run_tests(&mut self, runner: &str, words: &[Field], span: Span) {
        let named: Vec<String> = words
            .iter()
            .filter_map(|word| word.value.as_known())
            .filter(|word| !word.starts_with('-') && *word != "discover")
            .map(|word| word.split("::").next().unwrap_or(word).to_owned())
            .collect();
        let mut files: Vec<String> = Vec::new();
        for name in &named {
            let module = format!("{}.py", name.split('.').next().unwrap_or(name));
            for place in [name.clone(), module] {
                let place = self.resolved(&place);
                files.extend(self.written(&place).map(|_| place));
            }
        }
        if files.is_empty() {
            let is_test = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path);
                name.ends_with(".py") && name.contains("test")
            };
            let known = self.state.files.iter().map(|(path, _)| path.to_owned());
            files.extend(known.filter(|path| is_test(path)));
        }
        for file in files {
            let Some(content) = self.written(&file) else { continue };
            let path = Value::known(file);
            self.effect(EffectKind::Read { path: path.clone(), tree: false }, span);
            self.note_script(&path, &content, Lang::Python);
            match (runner, content.as_known()) {
                ("doctest", Some(text)) => {
                    let mut code = format!("{}\n", examples_in(text));
                    if path.known_suffix().ends_with(".py") {
                        code = format!("{text}\n{code}");
                    }
                    self.run_language(Lang::Python, &Value::known(code), &[], span);
                }
                _ => {
                    self.run_language(Lang::Python, &content, &[], span);
                }
            }
        }
    }

    /// `zipapp DIRECTORY -o FILE`: the file runs what the directory would.
    fn make_application(&mut self, words: &[Field], span: Span) {
        let Some(directory) = words.first().and_then(|word| word.value.as_known()) else { return };
        let directory = directory.trim_end_matches('/').to_owned();
        let place = self.resolved(&format!("{directory}/__main__.py"));
        let target = option_value(words, &["-o", "--output"]);
        let target = target.unwrap_or_else(|| Value::known(format!("{directory}.pyz")));
        if let Some(content) = self.written(&place) {
            self.write_file(&target, content, false, span);
        }
    }

    fn mention_words(&mut self, words: &[Field]) {
        if let Some(command) = self.frame.caller.parent {
            self.mention_arguments(command, words);
        }
    }

    /// `-v SOURCE:TARGET`, `--mount type=bind,source=…`: a container sees a directory of this machine.
    pub(crate) fn mount(&mut self, value: &Value, span: Span) {
        let text = value.known_prefix();
        let source = if text.contains('=') && text.contains(',') {
            text.split(',')
                .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
                .unwrap_or("")
        } else {
            text.split(':').next().unwrap_or("")
        };
        if source.starts_with('/') || source.starts_with('~') || source.starts_with('.') {
            if let Some(target) = mount_target(text) {
                self.calls.mounts.push((target.to_owned(), source.to_owned()));
            }
            let source = Value::known(source);
            self.effect(EffectKind::Mount { source }, span);
        }
    }

    /// Whether an effect in a container is about files of this machine, which it sees in another place.
    pub(crate) fn is_mounted(&self, kind: &mut EffectKind) -> bool {
        let Some(mounts) = self.frame.conditions.mounts.clone() else { return false };
        let Some(path) = kind.path_mut() else { return false };
        let known = path.known_prefix();
        let below = mounts.iter().find_map(|(target, source)| {
            let rest = known.strip_prefix(target.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/')).then_some((source, rest.len()))
        });
        let Some((source, rest)) = below else { return false };
        let mut here = Value::known(source.trim_end_matches('/'));
        here.append(&path.tail(known.len() - rest));
        *path = match here.as_known() {
            Some("") => Value::known("/"),
            _ => here,
        };
        true
    }
}

/// The place in the container: `/srv:/data:ro`, `type=bind,source=/srv,target=/data`.
fn mount_target(text: &str) -> Option<&str> {
    if text.contains('=') && text.contains(',') {
        let names = ["target=", "dst=", "destination="];
        return text
            .split(',')
            .find_map(|part| names.iter().find_map(|name| part.strip_prefix(name)));
    }
    text.split(':').nth(1).filter(|target| target.starts_with('/'))
}

/// `-e`, `--extract`
fn extracts(word: &Field) -> bool {
    matches!(word.value.as_known(), Some("-e" | "--extract"))
}

/// The value of an option among plain words: `-b x`, `--bind=x`.
fn option_value(words: &[Field], names: &[&str]) -> Option<Value> {
    for (index, word) in words.iter().enumerate() {
        let text = word.value.known_prefix();
        if names.contains(&text) {
            return words.get(index + 1).map(|next| next.value.clone());
        }
        if let Some((name, _)) = text.split_once('=')
            && names.contains(&name)
        {
            return Some(word.value.tail(name.len() + 1));
        }
    }
    None
}

/// The statements of examples as a session of Python shows them.
fn examples_in(text: &str) -> String {
    let statement = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix(">>>").or_else(|| line.strip_prefix("..."))?;
        Some(format!("{}\n", rest.strip_prefix(' ').unwrap_or(rest)))
    };
    text.lines().filter_map(statement).collect()
}
