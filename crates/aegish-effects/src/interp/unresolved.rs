//! Commands whose name is not fully known.

use super::simple::run_of_fetched;
use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Opaque};
use aegish_expansion::{Field, arguments};
use aegish_syntax::Span;
use aegish_values::{Piece, Source, Value, origin};

impl Interp<'_> {
    /// A script that will run and cannot be read.
    pub(crate) fn hidden_script(&mut self, path: &Value, span: Span) {
        // A script on another machine or in a container cannot be read here. A pattern without a
        // match in the project names no file.
        let pattern = path.has_glob() && !path.has_unknown();
        // `tests/‹found file›`: one of the project's own scripts.
        let own =
            names_own_files(path) || pattern && !path.known_prefix().starts_with(['/', '~', '.']);
        // `$DIR/env.sh`: what comes from outside chooses the file.
        let (start, end) = (path.pieces().first(), path.known_suffix());
        let outside = matches!(start, Some(Piece::Unknown(_)))
            && end.starts_with('/')
            && !path.is_one_of_many_values()
            && path.taint().network().is_none();
        if self.frame.conditions.remote || own || outside {
            return;
        }
        self.note_hidden_script(path);
        let mut taint = path.taint().clone();
        taint.add(Source::File(path.to_string()));
        self.effect(EffectKind::Hidden { why: Opaque::Script, what: path.clone(), taint }, span);
    }

    /// The command's name is not fully known.
    pub(super) fn dispatch_unknown(&mut self, fields: &[Field], span: Span) -> CommandResult {
        let [name, ..] = fields else { return CommandResult::default() };
        let (value, name_span) = (name.value.clone(), name.span);
        let renamed = |value: Value| {
            let mut words = fields.to_vec();
            words.iter_mut().take(1).for_each(|name| name.value = value.clone());
            words
        };
        // A pattern such as `/???/c?t` is every program that it can match.
        if value.has_glob() && !value.has_unknown() {
            let candidates = self.glob_programs(&value);
            if !candidates.is_empty() {
                let mut result = CommandResult::default();
                for name in candidates {
                    let words = renamed(Value::known(name.as_str()).tainted(value.taint()));
                    result = self.run_program(&name, &words, span);
                }
                return result;
            }
        }
        // `$dir/tool`: the directory is unknown, the program is not.
        let suffix = value.known_suffix();
        if let Some((_, name)) = suffix.rsplit_once('/')
            && !name.is_empty()
            && value.taint().network().is_none()
        {
            let name = name.to_owned();
            return self.run_program(&name, fields, span);
        }
        // `$PYTHON -m pytest`: by custom the variable is named after the program.
        if let Some(name) = customary_program(&value) {
            return self.run_program(name, fields, span);
        }
        // `$RUNNER build`: the text does not choose the program. If the variable is unset, the command
        // starts at the next word. `$RUNNER -c CODE` may be any interpreter.
        let code =
            |field: &Field| matches!(field.value.as_known(), Some("-c" | "-e" | "--eval" | "-r"));
        let arguments_of_script =
            matches!(value.pieces(), [Piece::Unknown(origin::ARGUMENTS | origin::ARGUMENT)]);
        if arguments_of_script || value.environment_variable().is_some() {
            let ordinary = !self.frame.conditions.elevated && !fields.iter().any(code);
            let why = if ordinary { Opaque::ProgramFromEnvironment } else { Opaque::CommandName };
            let rest = arguments(fields).to_vec();
            // `find . -exec $RUNNER {} \;`: a found file is an operand, not a program.
            let starts_command = rest.first().is_some_and(|first| {
                first.value.is_known() || first.value.environment_variable().is_some()
            });
            let readings = if starts_command { vec![None, Some(rest)] } else { vec![None] };
            return self.run_alternatives(readings, |interp, reading| match reading {
                Some(rest) => interp.dispatch(&rest, span),
                None => interp.run_program_from_environment(fields, why, span),
            });
        }
        // `./build/app-$ARCH`, `python$V`, `c${x}at`: what comes from outside may be empty.
        if let Some(text) = named_without_outside(&value) {
            let words = renamed(Value::known(text.as_str()));
            return self.run_program(&text, &words, span);
        }
        // `for hook in hooks.d/*; do "$hook"; done`: programs of the project, if there are any.
        if value.has_glob() && names_own_files(&value) {
            let command = self.report(fields, None, span);
            self.mention_arguments(command, arguments(fields));
            return CommandResult::output(Value::unknown("output of an unknown command"));
        }
        let command = self.report(fields, None, span);
        let taint = value.taint().clone();
        if let Some(kind) = run_of_fetched(&taint) {
            self.effect_of(command, kind, name_span);
        }
        self.effect_of(
            command,
            EffectKind::Hidden { why: Opaque::CommandName, what: value, taint },
            name_span,
        );
        // The arguments are still reported: files they name, shells they call.
        self.mention_arguments(command, arguments(fields));
        CommandResult::output(Value::unknown("output of an unknown command"))
    }

    /// The program that a variable of the environment names: it may use and run its operands, like
    /// any program without a profile.
    fn run_program_from_environment(
        &mut self,
        fields: &[Field],
        why: Opaque,
        span: Span,
    ) -> CommandResult {
        let Some(name) = fields.first() else { return CommandResult::default() };
        let command = self.report(fields, None, span);
        let (what, taint) = (name.value.clone(), name.value.taint().clone());
        let kind = EffectKind::Hidden { why, what, taint };
        self.effect_of(command, kind, name.span);
        self.as_part_of(command, |interp| interp.run_operands(command, fields, span));
        CommandResult::output(Value::unknown("output of an unknown command"))
    }

    /// Known programs whose path can match a pattern.
    fn glob_programs(&self, value: &Value) -> Vec<String> {
        use aegish_values::pattern;
        let text = value.to_string();
        let (directory, base) = text.rsplit_once('/').unwrap_or(("", &text));
        if !directory.is_empty() {
            let nodes = pattern::compile(directory);
            let places = ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "."];
            let fits = places.iter().any(|place| {
                let chars: Vec<char> = place.chars().collect();
                pattern::matches(&nodes, &chars) == Some(true)
            });
            if !fits {
                return Vec::new();
            }
        } else if text.starts_with('*') {
            return Vec::new();
        }
        let nodes = pattern::compile(base);
        let mut names = Vec::new();
        for own in aegish_profiles::names() {
            for name in own {
                let chars: Vec<char> = name.chars().collect();
                if pattern::matches(&nodes, &chars) == Some(true) {
                    names.push(name.to_owned());
                }
            }
            if names.len() > 12 {
                break;
            }
        }
        names
    }
}

/// The program that an environment variable usually names (`$CC`, `$PYTHON_BIN`).
fn customary_program(value: &Value) -> Option<&'static str> {
    let name = value.environment_variable()?;
    let name = name.strip_suffix("_BIN").or(name.strip_suffix("_CMD")).unwrap_or(name);
    let program = match name {
        "CC" => "cc",
        "CXX" => "c++",
        _ if name.len() > 2
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) =>
        {
            return aegish_profiles::find(&name.to_ascii_lowercase())
                .filter(|profile| !super::program::is_shell(profile))
                .map(|profile| profile.name);
        }
        _ => return None,
    };
    aegish_profiles::find(program).map(|profile| profile.name)
}

/// The name of a program if what comes from outside is empty. Text that was lost may be any other name.
pub(crate) fn named_without_outside(value: &Value) -> Option<String> {
    let told = |source: &Source| matches!(source, Source::Network(_) | Source::Terminal);
    let outside = !value.is_one_of_many_values() && !value.taint().sources().any(told);
    value.own_text().filter(|text| outside && text.contains(char::is_alphanumeric))
}

/// Whether this is a pattern or a path below the working directory, in a directory that is named.
pub(crate) fn names_own_files(value: &Value) -> bool {
    let place = value.known_prefix();
    let place = place.strip_prefix("./").unwrap_or(place);
    place.contains('/')
        && !place.starts_with(['/', '~'])
        && !place.starts_with("..")
        && value.taint().network().is_none()
}
