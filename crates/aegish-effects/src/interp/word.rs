//! Words of a command line whose meaning does not depend on the other words.

use super::frame::Frame;
use super::simple::base_name;
use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::Field;
use aegish_options::Argument;
use aegish_profiles::{ArgumentRole, DestroyEffect, Detail, PackageEffect, SystemEffect};
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::{Source, Taint, Value, origin};

/// Directories that are remembered.
const MAX_MADE: usize = 256;

impl Interp<'_> {
    /// Whether standard input is neither a person nor a connection.
    pub(super) fn reads_data(&self) -> bool {
        matches!(**self.stdin, Flow::Text(_) | Flow::File(_))
    }

    /// Effects of a word whose meaning does not depend on the others.
    pub(crate) fn apply_argument(&mut self, item: &Argument, span: Span) -> Option<CommandResult> {
        // A command that a program runs indirectly is not run by the language that started the program.
        let indirect = matches!(
            item.role,
            ArgumentRole::IndirectShell
                | ArgumentRole::IndirectProgram
                | ArgumentRole::IndirectArgvString
        );
        let enter = |frame: &mut Frame| frame.caller.in_language &= !indirect;
        self.in_frame(enter, |interp| interp.apply_word(item, span))
    }

    fn apply_word(&mut self, item: &Argument, span: Span) -> Option<CommandResult> {
        let value = item.value.clone();
        let at = item.span;
        match item.role {
            ArgumentRole::Text => {
                // Cloud tools accept a file wherever they accept a value.
                let text = value.known_prefix();
                if let Some(scheme) = ["file://", "fileb://"].iter().find(|s| text.starts_with(**s))
                {
                    let path = value.tail(scheme.len());
                    self.effect(EffectKind::Mention { path }, at);
                }
                None
            }
            ArgumentRole::Path | ArgumentRole::IncludeDir => {
                self.mention_path(&value, at);
                None
            }
            ArgumentRole::ReadAt => {
                // `@file`, `name=@file`
                let text = value.known_prefix();
                let sign =
                    if text.starts_with('@') { Some(0) } else { text.find("=@").map(|at| at + 1) };
                if let Some(sign) = sign {
                    let path = value.tail(sign + 1);
                    self.effect(EffectKind::Read { path, tree: false }, at);
                }
                None
            }
            ArgumentRole::ReadList => {
                self.read_listed(&value, at);
                None
            }
            ArgumentRole::Replace => {
                self.effect(EffectKind::Replace { path: value }, at);
                None
            }
            ArgumentRole::Checklist => {
                if value.as_known() != Some("-") {
                    self.effect(EffectKind::Read { path: value, tree: false }, at);
                }
                None
            }
            ArgumentRole::Config => {
                self.effect(EffectKind::Read { path: value.clone(), tree: false }, at);
                self.check_config(&value, at);
                None
            }
            ArgumentRole::Append => {
                let content = self.stdin_content();
                self.write_file(&value, content, true, at);
                None
            }
            ArgumentRole::Edit => {
                self.effect(EffectKind::Read { path: value.clone(), tree: false }, at);
                let content = Value::unknown(origin::EDITED_CONTENT);
                self.effect(EffectKind::Write { path: value.clone(), content, append: true }, at);
                self.edit_written(&value, None);
                // `patch FILE < CHANGES`: the piped content goes into the file.
                let piped = self.input_taint();
                if piped.network().is_some()
                    && let Some(key) = value.as_known().map(|known| self.resolved(known))
                {
                    let content = Value::unknown(origin::EDITED_CONTENT).tainted(&piped);
                    self.remember_file(&key, content, false);
                }
                None
            }
            ArgumentRole::WriteDir => {
                let mut content = Value::unknown("files").tainted(&self.input_taint());
                if let Some(origin) = &self.frame.conditions.incoming {
                    content = content.tainted(&Taint::from(Source::Network(origin.to_string())));
                }
                self.effect(EffectKind::Write { path: value, content, append: true }, at);
                None
            }
            ArgumentRole::MakeDir => {
                if let Some(known) = value.as_known().filter(|_| self.state.made.len() < MAX_MADE) {
                    let place = self.absolute(known);
                    self.state.made.insert(place, ());
                }
                let content = Value::empty();
                self.effect(EffectKind::Write { path: value, content, append: true }, at);
                None
            }
            ArgumentRole::Log => {
                if !matches!(value.as_known(), Some("-" | "/dev/null")) {
                    self.write_file(&value, Value::unknown("log"), false, at);
                }
                None
            }
            ArgumentRole::Library => {
                let program = self
                    .frame
                    .caller
                    .parent
                    .and_then(|parent| self.out.commands.get(parent)?.program);
                if let Some(lang) = program.and_then(aegish_profiles::language_of) {
                    self.run_own_library(lang, &value, at);
                }
                // A bare name is a module that the language finds itself.
                let text = value.to_string();
                let bare = value.is_known() && is_module_name(&text);
                if !bare {
                    self.effect(EffectKind::Load { library: value }, at);
                }
                None
            }
            ArgumentRole::PackageSource
                if value.is_known() && !value.known_prefix().contains("://") =>
            {
                None
            }
            ArgumentRole::PackageSource => {
                let what = SystemEffect::Package(PackageEffect::OtherSource);
                let detail = Detail::new("takes packages from another source");
                self.effect(EffectKind::System { what, detail, object: value }, at);
                None
            }
            ArgumentRole::Destroy => {
                let what = SystemEffect::Destroy(DestroyEffect::Device);
                let detail = Detail::new("overwrites a device or file system");
                self.effect(EffectKind::System { what, detail, object: value }, at);
                None
            }
            ArgumentRole::Mount => {
                self.mount(&value, at);
                None
            }
            ArgumentRole::Assign => {
                if let Some((name, _)) = value.known_prefix().split_once('=') {
                    let (name, length) = (name.to_owned(), name.len());
                    let value = value.tail(length + 1);
                    self.effect_setenv(&name, &value, at, false);
                }
                None
            }
            ArgumentRole::Unset => {
                self.effect(EffectKind::Unset { name: value.to_string() }, at);
                None
            }
            ArgumentRole::Shell => Some(self.run_code_through(Invocation::Launched, &value, at)),
            ArgumentRole::IndirectShell => {
                Some(self.run_code_through(Invocation::Indirect, &value, at))
            }
            ArgumentRole::RemoteShell => {
                Some(self.run_remote(|interp| interp.run_code_value(&value, at)))
            }
            // The program splits the string at blanks outside quotes and runs it without a shell.
            // As shell code it has the same words, and operators in it can only make the verdict
            // stricter.
            ArgumentRole::ArgvString => {
                Some(self.run_code_through(Invocation::Launched, &value, at))
            }
            ArgumentRole::IndirectArgvString => {
                Some(self.run_code_through(Invocation::Indirect, &value, at))
            }
            ArgumentRole::Program | ArgumentRole::IndirectProgram => {
                let invocation = if item.role == ArgumentRole::Program {
                    Invocation::Launched
                } else {
                    Invocation::Indirect
                };
                Some(self.run_argv_through(invocation, &words_of_program(value, at), at))
            }
            ArgumentRole::Code(lang) => Some(self.run_language(lang, &value, &[], at)),
            ArgumentRole::Script(lang) => Some(self.run_script_path(lang, &value, &[], at)),
            _ => {
                let _ = span;
                None
            }
        }
    }
}

/// Whether this is a module name that the language resolves itself, not a file: `json`, `ts-node/register`.
fn is_module_name(text: &str) -> bool {
    let file = text.rsplit('/').next().unwrap_or(text);
    !text.starts_with(['.', '/', '~'])
        && !text.contains('\\')
        && ![".so", ".dll", ".dylib"].iter().any(|ending| text.contains(ending))
        && (file.len() == text.len() || !file.contains('.'))
}

/// The words of a program that is given as one: `'cat file'` is a program with its argument where the first word is the
/// name of one that is known.
fn words_of_program(value: Value, span: Span) -> Vec<Field> {
    // `protoc --plugin=NAME=PATH`: a name that the program is called by.
    let value = match value.as_known().and_then(|text| text.split_once('=')) {
        Some((name, path)) if !name.contains(['/', ' ']) && path.contains('/') => {
            Value::known(path).tainted(value.taint())
        }
        _ => value,
    };
    let words: Vec<String> = value
        .as_known()
        .map(|text| text.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default();
    match words.first() {
        Some(first) if words.len() > 1 && aegish_profiles::find(base_name(first)).is_some() => {
            words
                .into_iter()
                .map(|word| Field { value: Value::known(word).tainted(value.taint()), span })
                .collect()
        }
        _ => vec![Field { value, span }],
    }
}
