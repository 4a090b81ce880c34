//! Code and options that a program takes from its command line or from files: several pieces of code in order,
//! scripts, files with options.

use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation, Stream};
use aegish_expansion::Field;
use aegish_options::Argument;
use aegish_profiles::{ArgumentRole, Detail, Lang, Profile, SystemEffect};
use aegish_syntax::Span;
use aegish_values::{Value, join_values};

/// Whether a program runs several pieces of code in this language one after the other, in one process.
pub(super) fn runs_in_order(lang: Lang) -> bool {
    matches!(
        lang,
        Lang::Gdb
            | Lang::Vim
            | Lang::Sed
            | Lang::Sqlite
            | Lang::Perl
            | Lang::Ruby
            | Lang::Lua
            | Lang::Awk
            | Lang::Make
    )
}

/// The pieces of code that run in order, one per line.
pub(super) fn code_pieces(arguments: &[Argument], fields: &[Field]) -> Option<Value> {
    let mut pieces = arguments.iter().filter(|item| is_piece(item, fields));
    let mut code = pieces.next()?.value.clone();
    for piece in pieces {
        code.push_str("\n");
        code.append(&piece.value);
    }
    Some(code)
}

/// Whether an argument is one of the pieces of code that run in order. A module to load is none.
pub(super) fn is_piece(item: &Argument, fields: &[Field]) -> bool {
    let word =
        item.word.and_then(|at| fields.get(at + 1)).map_or("", |field| field.value.known_prefix());
    match item.role {
        ArgumentRole::Code(Lang::Perl) => !word.starts_with("-M") && !word.starts_with("-m"),
        ArgumentRole::Code(lang) => runs_in_order(lang),
        _ => false,
    }
}

impl Interp<'_> {
    /// Runs a script file in the given language.
    pub(super) fn run_script_path(
        &mut self,
        lang: Lang,
        path: &Value,
        arguments: &[Value],
        span: Span,
    ) -> CommandResult {
        if path.as_known() == Some("-") || path.as_known() == Some("/dev/stdin") {
            let content = self.stdin_content();
            return self.run_language(lang, &content, arguments, span);
        }
        // An address may hold the code itself.
        if let Some((kind, code)) =
            path.as_known().and_then(|text| text.strip_prefix("data:")?.split_once(','))
        {
            let code = Value::known(code);
            if kind.contains("base64") {
                self.hidden_code(&code, span);
                return CommandResult::default();
            }
            return self.run_language(lang, &code, arguments, span);
        }
        // gdb chooses the language by the name.
        let lang = match lang {
            Lang::Gdb if path.known_suffix().ends_with(".py") => Lang::Python,
            other => other,
        };
        if path.known_prefix().contains("://") {
            self.effect(EffectKind::Fetch { from: path.clone(), to: Stream::Standard }, span);
            self.effect(EffectKind::RunFetched { origin: path.to_string() }, span);
            return CommandResult::default();
        }
        self.effect(EffectKind::Read { path: path.clone(), tree: false }, span);
        self.run_named_script(lang, path, arguments, span);
        let content = self.script_content(path);
        if lang == Lang::Cron && !matches!(content, FileContent::Written(_)) {
            let what = SystemEffect::Persist;
            let detail = Detail::new("schedules the commands of a file");
            self.effect(EffectKind::System { what, detail, object: path.clone() }, span);
        }
        match content {
            FileContent::Written(value) => {
                self.note_script(path, &value, lang);
                self.run_fetched(&value, span);
                // Perl starts the program that the first line names, if it is another one.
                if lang == Lang::Perl
                    && let Some(rest) = value.known_prefix().strip_prefix("#!")
                    && let Some(line) = rest.lines().next().filter(|line| !line.contains("perl"))
                {
                    let mut command = Value::known(format!("{line} "));
                    command.append(path);
                    return self.run_code_through(Invocation::Launched, &command, span);
                }
                self.run_language(lang, &value, arguments, span)
            }
            FileContent::Missing => {
                self.run_unpacked(path, span);
                // What was compiled before is not read.
                if path.known_suffix().ends_with(".pyc") && !self.state.files.is_empty() {
                    self.hidden_script(path, span);
                }
                self.run_own_library(lang, path, span);
                CommandResult::default()
            }
            FileContent::Binary | FileContent::Unseen | FileContent::Unknown => {
                self.run_unpacked(path, span);
                self.run_own_library(lang, path, span);
                self.hidden_script(path, span);
                CommandResult::default()
            }
        }
    }

    /// Code that is one of several texts: each of them may run.
    pub(super) fn run_each_reading(
        &mut self,
        lang: Lang,
        texts: &[String],
        code: &Value,
        arguments: &[Value],
        span: Span,
    ) -> CommandResult {
        let mut result = CommandResult::default();
        for (at, text) in texts.iter().enumerate() {
            let text = Value::known(text.as_str()).tainted(code.taint());
            let one = self.run_language(lang, &text, arguments, span);
            let stdout = match at {
                0 => one.stdout,
                _ => join_values(&result.stdout, &one.stdout),
            };
            result = CommandResult::output(stdout);
        }
        result
    }

    /// `python manage.py flush`, `php artisan db:wipe`: a script that projects have under this name is a program.
    fn run_named_script(&mut self, lang: Lang, path: &Value, arguments: &[Value], span: Span) {
        let Some(name) = path.as_known().map(super::simple::base_name) else { return };
        if (name.contains('.') || lang == Lang::Php) && aegish_profiles::find(name).is_some() {
            let words = std::iter::once(Value::known(name)).chain(arguments.iter().cloned());
            let argv: Vec<Field> = words.map(|value| Field { value, span }).collect();
            self.run_argv_through(Invocation::Launched, &argv, span);
        }
    }

    /// Applies options that a variable holds, as the program would split them.
    pub(super) fn apply_options(&mut self, profile: &'static Profile, given: &Argument) {
        let Some(text) = given.value.as_known() else { return };
        let word = |text: String| Field {
            value: Value::known(text).tainted(given.value.taint()),
            span: given.span,
        };
        let words: Vec<Field> = split_words(text).into_iter().map(word).collect();
        for item in aegish_options::parse(&profile.grammar, &words).arguments {
            match item.role {
                ArgumentRole::Code(lang) => {
                    self.run_language(lang, &item.value, &[], item.span);
                }
                ArgumentRole::Script(lang) => {
                    self.run_script_path(lang, &item.value, &[], item.span);
                }
                _ => {
                    self.apply_argument(&item, given.span);
                }
            }
        }
    }

    /// Applies the options of a file that a variable names, one on each line.
    pub(super) fn apply_file_of_options(&mut self, profile: &'static Profile, file: &Argument) {
        self.effect(EffectKind::Read { path: file.value.clone(), tree: false }, file.span);
        let content = match self.file_content(&file.value) {
            FileContent::Written(content) => content,
            FileContent::Missing => return,
            FileContent::Binary | FileContent::Unseen | FileContent::Unknown => {
                return self.hidden_script(&file.value, file.span);
            }
        };
        for line in content.as_known().into_iter().flat_map(str::lines) {
            let line = line.trim();
            if line.starts_with('-') {
                let value = Value::known(format!("'{}'", line.replace('\'', "'\\''")));
                let option =
                    Argument { role: file.role, value, span: file.span, word: None, option: true };
                self.apply_options(profile, &option);
            }
        }
    }

    /// Follows the program with the options that a file holds: `name = "value"`, `--name value`, `-n value`.
    pub(super) fn apply_option_file(&mut self, fields: &[Field], file: &Argument, span: Span) {
        let content = match file.value.as_known() {
            Some("-") => self.stdin_content(),
            _ => {
                let path = file.value.clone();
                self.effect(EffectKind::Read { path, tree: false }, file.span);
                match self.file_content(&file.value) {
                    FileContent::Written(content) => content,
                    _ => return,
                }
            }
        };
        let (Some(text), Some(program)) = (content.as_known(), fields.first()) else { return };
        let mut words = vec![program.clone()];
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if line.starts_with('#') {
                continue;
            }
            let separates = |c: char| c.is_whitespace() || c == '=' || c == ':';
            let (name, value) = line.split_once(separates).unwrap_or((line, ""));
            let value = value.trim_start_matches(separates).trim_matches('"');
            let name = if name.starts_with('-') { name.to_owned() } else { format!("--{name}") };
            for word in [name.as_str(), value].iter().filter(|word| !word.is_empty()) {
                let value = Value::known(*word).tainted(content.taint());
                words.push(Field { value, span: file.span });
            }
        }
        // A file that names itself adds nothing.
        let named = |word: &Field| word.value == file.value;
        if words.len() > 1 && !words.iter().any(named) {
            self.run_argv_through(Invocation::Launched, &words, span);
        }
    }
}

/// Splits text at blanks; quotes and backslashes protect them.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
