//! GNU `parallel`: every input becomes the arguments of a shell command.

use super::xargs::together;
use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::items::every_line;
use aegish_expansion::rows::{MAX_ROWS, add_column, all, columns, name, quoted, without_extension};
use aegish_expansion::{Field, arguments, joined};
use aegish_options::GivenOption;
use aegish_profiles::{ArgumentRole, Behaviour, Lang, Profile};
use aegish_syntax::Span;
use aegish_values::{Piece, Value, origin};

/// The text that replaces a replacement string.
#[derive(Clone)]
enum Replacement {
    /// `{}`
    Input,
    /// `{.}`
    WithoutExtension,
    /// `{/}`
    Name,
    /// `{//}`
    Directory,
    /// `{/.}`
    NameWithoutExtension,
    /// `{#}`, `{%}`
    Number,
    /// `--rpl`, `{= =}`: the result of this Perl code.
    Perl(String),
}

/// Replacement strings with a name, and the option that renames them.
const REPLACEMENTS: &[(&str, &[&str], Replacement)] = &[
    ("{}", &["-I", "--replace"], Replacement::Input),
    ("{.}", &["--er"], Replacement::WithoutExtension),
    ("{/}", &["--bnr"], Replacement::Name),
    ("{//}", &["--dnr"], Replacement::Directory),
    ("{/.}", &["--bner"], Replacement::NameWithoutExtension),
    ("{#}", &["--seqreplace"], Replacement::Number),
    ("{%}", &["--slotreplace"], Replacement::Number),
];

struct ParallelSettings {
    replacements: Vec<(String, Replacement)>,
    /// `:::`, or the value of `--arg-sep`.
    argument_separator: String,
    /// `::::`, or the value of `--arg-file-sep`.
    file_separator: String,
    separator: char,
    /// `--colsep`: an input has several columns.
    columns: Option<String>,
    /// `-n`, `-N`: inputs of one command.
    inputs: usize,
    /// `--link`: the first inputs of all sources are combined, then the second ones.
    linked: bool,
    /// `-q`: the words of the command are not shell code.
    quoted: bool,
}

impl ParallelSettings {
    fn new(options: &[GivenOption]) -> Self {
        let last = |names: &[&str]| {
            let given = |option: &&GivenOption| names.iter().any(|name| option.is(name));
            options.iter().rfind(given)
        };
        let text = |name: &str| last(&[name]).and_then(GivenOption::known_value);
        let mut replacements: Vec<(String, Replacement)> = REPLACEMENTS
            .iter()
            .map(|(usual, names, replacement)| {
                let renamed = last(names).and_then(GivenOption::known_value);
                (renamed.unwrap_or(usual).to_owned(), replacement.clone())
            })
            .collect();
        for rule in options.iter().filter(|option| option.is("--rpl")) {
            if let Some((tag, code)) = rule.known_value().and_then(|rule| rule.split_once(' ')) {
                replacements.push((tag.to_owned(), Replacement::Perl(code.to_owned())));
            }
        }
        let number = |name| text(name).and_then(|number| number.parse().ok());
        let separator = if last(&["-0"]).is_some() { '\0' } else { '\n' };
        Self {
            replacements,
            argument_separator: text("--arg-sep").unwrap_or(":::").to_owned(),
            file_separator: text("--arg-file-sep").unwrap_or("::::").to_owned(),
            separator: text("-d").map_or(separator, aegish_expansion::items::delimiter),
            columns: text("-C").map(str::to_owned),
            inputs: number("-n").or_else(|| number("-N")).unwrap_or(1).max(1),
            linked: last(&["--link", "--xapply"]).is_some(),
            quoted: last(&["-q"]).is_some(),
        }
    }
}

impl Interp<'_> {
    /// `parallel [options] [command] [::: arguments | :::: files]`, or with lines of the input as
    /// arguments, or as whole commands.
    pub(crate) fn run_parallel(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let line = aegish_options::parse(&profile.grammar, arguments(fields));
        if line.declared.iter().any(|effect| effect.is(Behaviour::Inert)) {
            return CommandResult::default();
        }
        let options = aegish_options::sort(Some(&profile.grammar), arguments(fields)).options;
        let settings = ParallelSettings::new(&options);
        let mut rows: Vec<Vec<Value>> = Vec::new();
        let file = options.iter().filter(|option| option.is("-a"));
        for path in file.filter_map(|option| option.value.as_ref()) {
            let inputs = self.inputs_of_file(path, &settings, span);
            add_column(&mut rows, inputs, settings.linked);
        }
        for argument in &line.arguments {
            if matches!(
                argument.role,
                ArgumentRole::IndirectShell | ArgumentRole::IndirectArgvString
            ) {
                self.apply_argument(argument, span);
            }
        }
        let start = line.rest.map_or(fields.len(), |(_, at)| at + 1);
        let mut command: &[Field] = fields.get(start..).unwrap_or_default();
        let mut sources = command;
        if let Some(at) = command.iter().position(|word| settings.source(word).is_some()) {
            (command, sources) = command.split_at(at);
        } else {
            sources = sources.get(..0).unwrap_or_default();
        }
        while let Some((first, rest)) = sources.split_first() {
            let end = rest.iter().position(|word| settings.source(word).is_some());
            let (values, others) = rest.split_at(end.unwrap_or(rest.len()));
            sources = others;
            let Some((from_files, linked)) = settings.source(first) else { continue };
            let mut inputs: Vec<Value> = Vec::new();
            for field in values {
                if from_files {
                    inputs.extend(self.inputs_of_file(&field.value, &settings, field.span));
                } else {
                    inputs.push(field.value.clone());
                }
            }
            add_column(&mut rows, inputs, linked || settings.linked);
        }
        if rows.is_empty() && start + command.len() == fields.len() {
            let inputs = every_line(&self.stdin_content(), &[settings.separator, '\n']);
            rows = inputs.into_iter().map(|input| vec![input]).collect();
        }
        if rows.len() > MAX_ROWS {
            self.hidden_limit(span, "inputs of parallel");
        }
        let rows = together(rows.chunks(settings.inputs).map(<[_]>::concat).collect());
        let mut result = CommandResult::default();
        for mut row in rows {
            if let Some(separator) = &settings.columns {
                row = row.iter().flat_map(|input| columns(input, separator)).collect();
            }
            let code = self.parallel_command(command, &row, &settings, span);
            result = self.run_code_through(Invocation::Launched, &code, span);
        }
        result
    }

    /// The inputs that a file holds; `-` is standard input.
    fn inputs_of_file(
        &mut self,
        path: &Value,
        settings: &ParallelSettings,
        span: Span,
    ) -> Vec<Value> {
        let content = if path.as_known() == Some("-") {
            self.stdin_content()
        } else {
            self.effect(EffectKind::Read { path: path.clone(), tree: false }, span);
            match self.file_content(path) {
                FileContent::Written(value) => value,
                _ => Value::unknown(origin::FILE_CONTENT),
            }
        };
        every_line(&content, &[settings.separator, '\n'])
    }

    /// The shell command for these inputs. Without a command, the input is the command.
    fn parallel_command(
        &mut self,
        command: &[Field],
        row: &[Value],
        settings: &ParallelSettings,
        span: Span,
    ) -> Value {
        if command.is_empty() {
            return all(row, Clone::clone);
        }
        let template = if settings.quoted {
            let values: Vec<Value> = command.iter().map(|word| word.value.clone()).collect();
            all(&values, quoted)
        } else {
            joined(command)
        };
        let mut code = Value::empty().tainted(template.taint());
        let mut replaced = false;
        for piece in template.pieces() {
            let Piece::Text(mut text) = piece.clone() else {
                code.push(piece.clone());
                continue;
            };
            while let Some((at, end, column, replacement)) = settings.next(&text) {
                code.push_str(text.get(..at).unwrap_or_default());
                let inputs = match column {
                    Some(column) => row.get(column - 1..column).unwrap_or_default(),
                    None => row,
                };
                if let Replacement::Perl(perl) = &replacement {
                    self.run_language(Lang::Perl, &Value::known(perl.as_str()), &[], span);
                }
                let word = all(inputs, |input| made(input, &replacement));
                // The text itself says what the word is, and the analysis does not know it.
                if word.has_unknown() && inputs.iter().all(Value::is_known) {
                    self.hidden_code(&word, span);
                }
                code.append(&word);
                replaced = true;
                text = text.get(end..).unwrap_or_default().into();
            }
            code.push_str(&text);
        }
        if !replaced {
            code.push_str(" ");
            code.append(&all(row, quoted));
        }
        code
    }
}

impl ParallelSettings {
    /// Whether a word starts a source of inputs: from files, and linked to the source before.
    fn source(&self, word: &Field) -> Option<(bool, bool)> {
        let text = word.value.as_known()?;
        let linked = text.ends_with('+');
        let plain = text.strip_suffix('+').unwrap_or(text);
        if plain == self.argument_separator {
            Some((false, linked))
        } else if plain == self.file_separator {
            Some((true, linked))
        } else {
            None
        }
    }

    /// The first replacement string: its start and end, the input that it names, and its replacement.
    fn next(&self, text: &str) -> Option<(usize, usize, Option<usize>, Replacement)> {
        text.char_indices().find_map(|(at, _)| {
            let rest = text.get(at..).unwrap_or_default();
            let named = self
                .replacements
                .iter()
                .filter(|(marker, _)| !marker.is_empty() && rest.starts_with(marker.as_str()))
                .max_by_key(|(marker, _)| marker.len());
            if let Some((marker, replacement)) = named {
                return Some((at, at + marker.len(), None, replacement.clone()));
            }
            if let Some(code) = rest.strip_prefix("{=") {
                let end = code.find("=}")?;
                let perl = code
                    .get(..end)
                    .unwrap_or_default()
                    .trim_start_matches(|c: char| c.is_ascii_digit());
                return Some((at, at + end + 4, None, Replacement::Perl(perl.to_owned())));
            }
            // `{2}`, `{2/.}`
            let inner = rest.strip_prefix('{')?.split_once('}')?.0;
            let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
            let column: usize = inner
                .get(..digits)
                .unwrap_or_default()
                .parse()
                .ok()
                .filter(|column| *column > 0)?;
            let usual = format!("{{{}}}", inner.get(digits..).unwrap_or_default());
            let (.., replacement) = REPLACEMENTS.iter().find(|(marker, ..)| *marker == usual)?;
            Some((at, at + inner.len() + 2, Some(column), replacement.clone()))
        })
    }
}

/// The word of shell code that a replacement string produces for an input.
fn made(input: &Value, replacement: &Replacement) -> Value {
    let part = |take: fn(&str) -> &str| match input.as_known() {
        Some(text) => quoted(&Value::known(take(text)).tainted(input.taint())),
        None => quoted(input),
    };
    match replacement {
        Replacement::Input => quoted(input),
        Replacement::WithoutExtension => part(without_extension),
        Replacement::Name => part(name),
        Replacement::NameWithoutExtension => part(|text| without_extension(name(text))),
        Replacement::Directory => {
            part(|text| text.rsplit_once('/').map_or(".", |(directory, _)| directory))
        }
        Replacement::Number => Value::known("1"),
        // `uq` leaves the input unquoted.
        Replacement::Perl(code) if code.trim().trim_end_matches("()") == "uq" => input.clone(),
        Replacement::Perl(code) if code.trim().is_empty() => quoted(input),
        Replacement::Perl(code) if let Some(text) = substituted(code, input) => {
            quoted(&Value::known(text).tainted(input.taint()))
        }
        Replacement::Perl(_) => Value::unknown("made by Perl code").tainted(input.taint()),
    }
}

/// The result of Perl code that only substitutes text, which is the same in `sed`.
fn substituted(code: &str, input: &Value) -> Option<String> {
    let substitutes = |part: &str| {
        let rest = part.trim().strip_prefix('s').or_else(|| part.trim().strip_prefix('y'));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
    };
    // Classes such as `\d` and groups such as `(?:…)` mean something else, or nothing, in `sed`.
    let other = ["\\d", "\\D", "(?", "*?", "+?", "$1", "$_", "{", "@"];
    if !code.split(';').filter(|part| !part.trim().is_empty()).all(substitutes)
        || other.iter().any(|mark| code.contains(mark))
    {
        return None;
    }
    let printed = aegish_emulate::run(
        &["sed", "-E", code.trim()],
        Some(input.as_known()?.as_bytes()),
        &|_| None,
    )?;
    Some(String::from_utf8(printed).ok()?.trim_end_matches('\n').to_owned())
}
