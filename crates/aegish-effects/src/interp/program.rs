//! Programs: from a name and words to a profile, and from the profile's roles to effects.

use super::copies::copied_program;
use super::simple::base_name;
use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation, Opaque, Stream};
use aegish_expansion::{Field, arguments, joined};
use aegish_profiles::{ArgumentRole, Behaviour, Lang, Profile, Special, script_language};
use aegish_shell_state::TextForm;
use aegish_syntax::Span;
use aegish_values::{Piece, Source, Taint, Value};

/// Directories of the system: their programs have the profiles of their names.
pub(super) const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/games",
    "/snap/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
    "/usr/libexec",
    "/lib64",
    "/lib",
];

/// Whether a file is a program of the system, which only some users can write.
fn is_system_file(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(directory, _)| SYSTEM_DIRECTORIES.contains(&directory))
}

/// Directories of the scripts that `service` runs.
const INIT_SCRIPTS: &[&str] = &["/etc/init.d", "/etc/rc.d", "/etc/rc.d/init.d"];

/// What joining the files before and after a program costs, in bytes of text.
const JOINING: usize = 512;

impl Interp<'_> {
    /// Follows the program `name` (as typed, maybe with a directory) with all its words. It may fail before it changes a
    /// file.
    pub(crate) fn run_program(
        &mut self,
        name: &str,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let (files, links) = (self.state.files.clone(), self.state.links.clone());
        let result = self.follow_program(name, fields, span);
        if !files.is_same(&self.state.files) {
            self.worked_on(JOINING);
            self.state.join_files(&files);
        }
        if !links.is_same(&self.state.links) {
            self.worked_on(JOINING);
            self.state.join_links(&links);
        }
        result
    }

    fn follow_program(&mut self, name: &str, fields: &[Field], span: Span) -> CommandResult {
        // `npx https://…`: the program is fetched first.
        if name.contains("://") {
            let from = Value::known(name);
            self.report(fields, None, span);
            self.effect(EffectKind::Fetch { from, to: Stream::Standard }, span);
            self.effect(EffectKind::RunFetched { origin: name.to_owned() }, span);
            return CommandResult::default();
        }
        let base = base_name(name);
        // Files below /usr/share are scripts of packages, even if a program has the same name.
        let packaged = name.starts_with("/usr/share/") && !self.frame.conditions.remote;
        let profile = aegish_profiles::find(base).filter(|_| !packaged);
        let elevates = |profile: &'static Profile| {
            profile.grammar.does.iter().any(|effect| effect.is(Behaviour::Elevate))
        };
        if profile.is_some_and(elevates) && !self.frame.conditions.remote {
            self.check_elevation(name, span);
        }
        if name.contains('/') && !self.frame.conditions.remote {
            let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
            // `/etc/init.d/auditd stop` is `service auditd stop`.
            if INIT_SCRIPTS.contains(&directory)
                && self.written(name).is_none()
                && let [script, arguments @ ..] = fields
            {
                let word = |text: &str| Field { value: Value::known(text), ..script.clone() };
                let words = [&[word("service"), word(base)], arguments].concat();
                return self.run_program("service", &words, span);
            }
            if SYSTEM_DIRECTORIES.contains(&directory) {
                // It may not have been possible to replace it.
                if self.written_at(name).is_some()
                    && let Some(result) = self.run_file(name, fields, span)
                    && profile.is_none()
                {
                    return result;
                }
            } else {
                if self.frame.caller.invocation == Invocation::Indirect {
                    self.check_indirect_run(None, fields, span);
                }
                if let Some(result) = self.run_file(name, fields, span) {
                    return result;
                }
            }
        }
        if !name.contains('/')
            && let Some(path) = self.written_program(name)
            && let Some(result) = self.run_file(&path, fields, span)
            // It is unknown whose search path is used, or whether the system's program could be
            // replaced: it may run as it was.
            && !(profile.is_some() && (self.frame.conditions.elevated || is_system_file(&path)))
        {
            return result;
        }
        if !name.contains('/')
            && !self.frame.conditions.remote
            && let Some(path) = self.added_program(name)
            && let Some(result) = self.run_file(&path, fields, span)
            // A wrapper of the same name has its own effects and those of the program that it
            // wraps.
            && profile.is_none()
        {
            return result;
        }
        let command = self.report(fields, profile.map(|profile| profile.name), span);
        let first_effect = self.out.effects.len();
        let result = self.as_part_of(command, |interp| {
            if interp.frame.caller.invocation == Invocation::Indirect {
                interp.check_indirect_run(profile, fields, span);
            }
            let result = match profile {
                Some(profile) => interp.run_profile(profile, fields, span),
                None => {
                    interp.note_program_read(command, name, span);
                    interp.run_operands(command, fields, span)
                }
            };
            interp.follow_own_input(base, fields, first_effect);
            result
        });
        if !self.output.capture {
            if let Some(profile) = profile.filter(|_| self.is_watched()) {
                self.note_shown(command, profile, fields, first_effect, span);
            }
            return result;
        }
        self.output(base, fields, result, first_effect)
    }

    /// A program that runs with other rights has to be the system's own: not another one of that name
    /// earlier on the search path or in another directory.
    fn check_elevation(&mut self, name: &str, span: Span) {
        if !self.out.elevations.iter().any(|known| known == name) {
            self.out.elevations.push(name.to_owned());
        }
        let other = match name.rsplit_once('/') {
            Some((directory, _)) if SYSTEM_DIRECTORIES.contains(&directory) => None,
            Some(_) => Some(name.to_owned()),
            None => self.program_before_the_system(name),
        };
        if let Some(other) = other {
            let name = base_name(name).to_owned();
            self.effect_shadow(&name, Value::known(other), span);
        }
    }

    /// `git x` runs `git-x` from the search path if git has no subcommand `x`.
    pub(super) fn run_external(
        &mut self,
        profile: &'static Profile,
        words: &[Field],
        span: Span,
    ) -> Option<CommandResult> {
        let word = words.first()?.value.as_known().filter(|_| profile.external)?;
        let name = format!("{}-{word}", profile.name);
        self.written_program(&name)?;
        let mut argv = vec![Field { value: Value::known(name), span }];
        argv.extend(words.get(1..).unwrap_or_default().iter().cloned());
        Some(self.run_argv_through(Invocation::Launched, &argv, span))
    }

    /// Reports a program that is run indirectly, unless it is an ordinary helper.
    fn check_indirect_run(
        &mut self,
        profile: Option<&'static Profile>,
        fields: &[Field],
        span: Span,
    ) {
        let ordinary = match profile {
            Some(profile) => profile.helper || self.frame.caller.in_language || is_shell(profile),
            // Scripts of the project and tools on the search path are ordinary, and so is the script itself.
            None => fields.first().is_some_and(|name| {
                self.frame.caller.in_language && self.is_near(&name.value)
                    || self.ctx.form == TextForm::ScriptFile && name.value == self.shell_name()
            }),
        };
        // An empty script runs nothing.
        let written = || {
            let path = fields.first()?.value.as_known()?;
            self.written_at(path)
        };
        if ordinary
            || profile.is_none()
                && written()
                    .is_some_and(|text| text.as_known().is_some_and(|text| text.trim().is_empty()))
        {
            return;
        }
        let command = joined(fields);
        self.effect(EffectKind::IndirectRun { command }, span);
    }

    /// Whether a program is named without a path, or is in the project.
    pub(super) fn is_near(&self, name: &Value) -> bool {
        let text = name.known_prefix();
        let below = |directory: &str| {
            directory.len() > 1
                && text.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
        };
        // Programs in home directories were built or installed by their users.
        !text.starts_with(['/', '~'])
            || text.starts_with("/home/")
            || text.starts_with("/Users/")
            || self.state.cwd.as_known().is_some_and(below)
    }

    /// A program given by a path outside the system's directories: if its text is known it is judged
    /// as a script. `None` means that it is treated by its name.
    fn run_file(&mut self, name: &str, fields: &[Field], span: Span) -> Option<CommandResult> {
        let path = Value::known(name);
        match self.script_content(&path) {
            // A copy of (or a link to) a program of the system is that program.
            FileContent::Written(value) if copied_program(&value).is_some() => {
                let original = copied_program(&value)?;
                Some(self.run_program(&original, fields, span))
            }
            // Created by a program of this script (for example a compiler), and not from the network.
            FileContent::Written(value)
                if !value.is_known()
                    && value.taint().network().is_none()
                    && matches!(value.pieces(), [Piece::Unknown(_)])
                    && value.each().is_empty() =>
            {
                None
            }
            FileContent::Written(value) => {
                self.note_script(&path, &value, Lang::Shell);
                let command = self.report(fields, None, span);
                let arguments: Vec<Value> =
                    fields.iter().skip(1).map(|field| field.value.clone()).collect();
                Some(self.as_part_of(command, |interp| {
                    interp.run_script_file(&path, &value, None, arguments, span)
                }))
            }
            FileContent::Unknown if !self.absolute(name).starts_with('/') => None,
            FileContent::Unknown => {
                // Without access to the machine, a known name means its profile.
                if aegish_profiles::find(base_name(name)).is_some() {
                    return None;
                }
                self.note_hidden_script(&path);
                let command = self.report(fields, None, span);
                let taint = Taint::from(Source::File(name.to_owned()));
                self.effect_of(
                    command,
                    EffectKind::Hidden { why: Opaque::Script, what: path, taint },
                    span,
                );
                self.note_program_read(command, name, span);
                // The arguments are still reported.
                self.mention_arguments(command, arguments(fields));
                Some(CommandResult::default())
            }
            // A program that was not read is treated by its name.
            FileContent::Unseen | FileContent::Binary | FileContent::Missing => {
                self.run_unpacked(&path, span);
                None
            }
        }
    }

    /// Whoever runs a file reads it, and says what is in it where it makes no sense.
    fn note_program_read(&mut self, command: usize, name: &str, span: Span) {
        let directory = name.rsplit_once('/').map(|(directory, _)| directory);
        if directory.is_some_and(|directory| !SYSTEM_DIRECTORIES.contains(&directory)) {
            self.effect_of(
                command,
                EffectKind::Read { path: Value::known(name), tree: false },
                span,
            );
        }
    }

    /// Follows the content of a script file: by its `#!` line, else as `lang`, else as shell code.
    pub(crate) fn run_script_value(
        &mut self,
        content: &Value,
        lang: Option<Lang>,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        self.run_fetched(content, span);
        let lang = match content.known_prefix().strip_prefix("#!") {
            Some(rest) if lang.is_none() => {
                let line = rest.lines().next().unwrap_or("");
                script_language(line)
            }
            _ => lang.or(Some(Lang::Shell)),
        };
        match lang {
            Some(Lang::Shell) => {
                let positional = self.state.positional.replace(std::sync::Arc::new(arguments));
                let result = self.invoked(Invocation::Direct, |interp| {
                    interp.in_child_shell(span, |interp| {
                        match content.known_prefix().lines().next() {
                            Some(line) if line.starts_with("#!") && !line.contains("bash") => {
                                interp.may_be_plain_shell();
                            }
                            _ => {}
                        }
                        interp.run_code_value(content, span)
                    })
                });
                self.state.positional = positional;
                result
            }
            Some(lang) => self.run_language(lang, content, &arguments, span),
            None => CommandResult::default(),
        }
    }

    fn run_profile(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        self.apply_environment(profile, span);
        let given = self.with_words_from_elsewhere(profile, fields);
        let fields = given.as_deref().unwrap_or(fields);
        self.apply_inputs(profile, fields, span);
        self.obey_settings(profile, fields, span);
        match profile.special {
            Some(Special::Shell) => self.run_shell(profile, fields, span),
            Some(Special::Find) => self.run_find(profile, fields, span),
            Some(Special::Fd) => self.run_fd(profile, fields, span),
            Some(Special::Xargs) => self.run_xargs(profile, fields, span),
            Some(Special::Parallel) => self.run_parallel(profile, fields, span),
            Some(Special::Test) => {
                for (operator, operand) in fields.iter().zip(arguments(fields)) {
                    if matches!(operator.value.as_known(), Some("-v" | "-R")) {
                        self.evaluate_subscript(&operand.value);
                    }
                }
                if let [_, left, operator, right, ..] = fields
                    && let Some(operator) = operator.value.as_known()
                    && fields.len() <= 5
                {
                    self.note_comparison(&left.value, operator, &right.value);
                }
                CommandResult {
                    stdout: Value::empty(),
                    status: super::conditions::test_status(fields)
                        .filter(|_| !self.deferred.unset.get()),
                }
            }
            None => {
                let parsed = aegish_options::parse(&profile.grammar, arguments(fields));
                if let Some(fields) = self.with_split_string(profile, &parsed, fields) {
                    return self.run_profile(profile, &fields, span);
                }
                self.apply_roles(profile, &parsed, fields, span)
            }
        }
    }

    /// Variables that this program runs or loads.
    fn apply_environment(&mut self, profile: &'static Profile, span: Span) {
        for (name, role) in profile.env {
            let exported = self.state.variables.get(name).is_some_and(|variable| variable.exported);
            if !exported {
                continue;
            }
            if let Some(value) = self.lookup_scalar(name) {
                let item =
                    aegish_options::Argument { role: *role, value, span, word: None, option: true };
                match role {
                    // Together with the words of the command.
                    ArgumentRole::Options => {}
                    ArgumentRole::Read => {
                        self.effect(EffectKind::Read { path: item.value, tree: false }, span);
                    }
                    ArgumentRole::Write => {
                        self.write_file(&item.value, Value::unknown("output"), false, span);
                    }
                    // A host stands before a colon.
                    ArgumentRole::RemoteTo if !item.value.known_prefix().contains(':') => {
                        self.write_file(&item.value, Value::unknown("output"), false, span);
                    }
                    ArgumentRole::OptionFile => self.apply_file_of_options(profile, &item),
                    _ => {
                        self.apply_argument(&item, span);
                    }
                }
            }
        }
    }
}

/// Whether a profile is that of a shell.
pub(crate) fn is_shell(profile: &Profile) -> bool {
    profile.special == Some(Special::Shell)
}
