//! Words that form one unit from some index on: a command that runs here or remotely, a setting.

use super::frame::Frame;
use super::roles::Together;
use super::{CommandResult, Interp};
use aegish_analysis::Invocation;
use aegish_expansion::{Field, arguments, joined};
use aegish_options::{Argument, CommandLine, CommandPart};
use aegish_profiles::{ArgumentRole, OperandSlot, Profile};
use aegish_syntax::{CommandKind, Span};
use aegish_values::{Value, origin};

impl Interp<'_> {
    /// Follows a command on another machine or in a container. Files of this machine are not read for it.
    pub(crate) fn run_remote(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let enter = |frame: &mut Frame| {
            frame.conditions.remote = true;
            frame.caller.invocation = Invocation::Direct;
        };
        self.in_frame(enter, |interp| interp.isolated(run))
    }

    /// Whether a remote command runs on this machine, because the host is this machine.
    pub(super) fn place_of_rest(&self, role: ArgumentRole, together: &Together) -> ArgumentRole {
        let here = together.hosts.iter().any(|(host, _)| is_this_machine(host));
        match role {
            ArgumentRole::RemoteWords if here => ArgumentRole::ShellWords,
            ArgumentRole::RemoteArgv if here => ArgumentRole::Argv,
            role => role,
        }
    }

    pub(super) fn apply_rest(
        &mut self,
        role: ArgumentRole,
        words: &[Field],
        span: Span,
    ) -> Option<CommandResult> {
        // `lxc exec box -- ls`: the dashes end the options of the launcher.
        let words = match words.split_first() {
            Some((first, rest)) if first.value.as_known() == Some("--") && !rest.is_empty() => rest,
            _ => words,
        };
        let span = words.first().map_or(span, |field| field.span);
        match role {
            ArgumentRole::Argv => Some(self.run_argv_through(Invocation::Launched, words, span)),
            ArgumentRole::IndirectArgv => {
                let enter = |frame: &mut Frame| frame.caller.in_language = false;
                Some(self.in_frame(enter, |interp| {
                    interp.run_argv_through(Invocation::Indirect, words, span)
                }))
            }
            ArgumentRole::EnvArgv => Some(self.run_env_argv(words, span)),
            ArgumentRole::ArgvUntil => {
                let end = words
                    .iter()
                    .position(|field| matches!(field.value.as_known(), Some(";" | "+")))
                    .unwrap_or(words.len());
                Some(self.run_argv_through(
                    Invocation::Launched,
                    words.get(..end).unwrap_or_default(),
                    span,
                ))
            }
            // tmux runs several words without a shell.
            ArgumentRole::ShellWords if words.len() > 1 && self.runs_words_itself() => {
                Some(self.run_argv_through(Invocation::Launched, words, span))
            }
            ArgumentRole::ShellWords | ArgumentRole::RemoteWords => {
                let code = joined(words);
                Some(if role == ArgumentRole::ShellWords {
                    self.run_code_through(Invocation::Launched, &code, span)
                } else {
                    self.run_remote(|interp| interp.run_code_value(&code, span))
                })
            }
            ArgumentRole::RemoteArgv => {
                let words = words.to_vec();
                let mounts = std::mem::take(&mut self.calls.mounts);
                let enter = |frame: &mut Frame| {
                    frame.conditions.contained = true;
                    frame.conditions.mounts = (!mounts.is_empty()).then(|| mounts.into());
                };
                Some(self.in_frame(enter, |interp| {
                    interp.run_remote(|interp| {
                        interp.invoked(Invocation::Launched, |interp| interp.dispatch(&words, span))
                    })
                }))
            }
            ArgumentRole::ShellArgv => {
                let mut argv = vec![Field { value: Value::known("bash"), span }];
                argv.extend(words.iter().cloned());
                Some(self.run_argv_through(Invocation::Launched, &argv, span))
            }
            ArgumentRole::Words(lang) => Some(self.run_language(lang, &joined(words), &[], span)),
            ArgumentRole::Setting(lang) => {
                self.apply_setting(lang, words, span);
                None
            }
            _ => None,
        }
    }

    fn runs_words_itself(&self) -> bool {
        let command = self.frame.caller.parent.and_then(|parent| self.out.commands.get(parent));
        command.is_some_and(|command| command.program == Some("tmux"))
    }

    /// Runs the program that an option names, with the words after it as arguments.
    pub(super) fn run_with_arguments(
        &mut self,
        program: &Argument,
        words: &[Field],
    ) -> CommandResult {
        let span = program.span;
        let Some(text) = program.value.as_known() else {
            return self.run_code_through(Invocation::Launched, &program.value, span);
        };
        let named = text.split_whitespace().map(|word| Field { value: Value::known(word), span });
        let dashes = words.first().is_some_and(|word| word.value.as_known() == Some("--"));
        let argv: Vec<Field> =
            named.chain(words.iter().skip(usize::from(dashes)).cloned()).collect();
        self.run_argv_through(Invocation::Launched, &argv, span)
    }

    /// `env -S 'cmd a' b`: the string is split, and the words after it are added.
    pub(super) fn with_split_string(
        &mut self,
        profile: &'static Profile,
        line: &CommandLine,
        fields: &[Field],
    ) -> Option<Vec<Field>> {
        let [OperandSlot { role: ArgumentRole::EnvArgv, .. }] = profile.grammar.operands else {
            return None;
        };
        let string =
            line.arguments.iter().find(|argument| argument.role == ArgumentRole::ArgvString)?;
        let parts = aegish_options::parts(&profile.grammar, arguments(fields));
        let (option, range) = parts.iter().find_map(|part| match part {
            CommandPart::Option(option, range) if option.value.as_ref() == Some(&string.value) => {
                Some((option, range))
            }
            _ => None,
        })?;
        // After an argument, words that look like assignments are arguments too.
        let text = option.known_value()?.replace("\\_", " ");
        let script = aegish_syntax::parse(&format!("env {text}"));
        let [item] = script.body.items.as_slice() else { return None };
        let [command] = item.first.commands.as_slice() else { return None };
        let CommandKind::Simple(simple) = &command.kind else { return None };
        if script.error.is_some() || !item.rest.is_empty() {
            return None;
        }
        let words = self.expand_words(simple.words.get(1..).unwrap_or_default());
        // The ranges count from the word after the program's name.
        let mut spliced = fields.get(..=range.start).unwrap_or_default().to_vec();
        spliced.extend(words.into_iter().map(|word| Field { span: string.span, ..word }));
        spliced.extend(fields.get(range.end + 1..).unwrap_or_default().iter().cloned());
        Some(spliced)
    }

    /// `env A=1 B=2 cmd args`
    fn run_env_argv(&mut self, words: &[Field], span: Span) -> CommandResult {
        // A lone `-` means `-i`.
        let mut at = words.iter().take_while(|word| word.value.as_known() == Some("-")).count();
        let before = self.state.variables.clone();
        while let Some(field) = words.get(at) {
            // `env $(cat .env) app`: assignments that are known only at run time.
            let settings = field.value.pieces().first().is_some_and(|piece| {
                matches!(
                    piece,
                    aegish_values::Piece::Unknown(origin::PROGRAM_OUTPUT | origin::FILE_CONTENT)
                )
            });
            if settings && field.value.taint().network().is_none() && at + 1 < words.len() {
                at += 1;
                continue;
            }
            let prefix = field.value.known_prefix();
            let Some(equals) = prefix.find('=') else {
                break;
            };
            let name = prefix.get(..equals).unwrap_or_default().to_owned();
            if name.is_empty() || name.contains('/') {
                break;
            }
            let value = field.value.tail(equals + 1);
            self.effect_setenv(&name, &value, field.span, false);
            self.assign(&name, value);
            if let Some(variable) = self.state.variables.get_mut(&name) {
                variable.exported = true;
            }
            at += 1;
        }
        let result = if at < words.len() {
            self.run_argv_through(Invocation::Launched, words.get(at..).unwrap_or_default(), span)
        } else {
            CommandResult::default()
        };
        self.state.variables = before;
        result
    }
}

/// A name or address by which a machine calls itself.
fn is_this_machine(host: &Value) -> bool {
    let Some(text) = host.as_known() else { return false };
    let text = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let text = text.trim_start_matches('[').trim_end_matches(']');
    matches!(text, "localhost" | "localhost.localdomain" | "ip6-localhost" | "::1" | "0.0.0.0")
        || text.starts_with("127.") && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}
