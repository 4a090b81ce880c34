//! Settings that make a program run something later: made by a command (`git config`), or written into a file
//! that the program reads at every start (`~/.vimrc`).
//!
//! The command in such a setting is followed as if it was typed now, because running commands is the purpose
//! of the setting. The setting itself is another effect.

use super::{CommandResult, Interp};
use aegish_analysis::{Effect, EffectKind, Invocation};
use aegish_expansion::{Field, joined};
use aegish_profiles::{ArgumentRole, Detail, Lang, Profile, SystemEffect};
use aegish_shell_state::{LookedAt, StoredSetting};
use aegish_syntax::Span;
use aegish_values::pattern;
use aegish_values::{Piece, Source, Value};

/// Settings that are remembered.
const MAX_SETTINGS: usize = 64;

impl Interp<'_> {
    /// `NAME VALUE…` or `NAME=VALUE`.
    pub(super) fn apply_setting(&mut self, lang: Lang, words: &[Field], span: Span) {
        let [name, rest @ ..] = words else { return };
        let mut setting = name.value.clone();
        if !rest.is_empty() {
            // A command, not a name and a value.
            setting.push_str(if lang == Lang::Tmux { " " } else { "=" });
            setting.append(&joined(rest));
        }
        let first = self.out.effects.len();
        let value = setting.clone();
        self.run_later(span, |interp| {
            interp.run_language(lang, &setting, &[], span);
            setting
        });
        let seen = self.effects_since(first).iter().map(|effect| effect.kind.to_string()).collect();
        let program =
            self.frame.caller.parent.and_then(|parent| self.out.commands.get(parent)?.program);
        if let Some(program) = program.filter(|_| self.state.settings.len() < MAX_SETTINGS) {
            self.state.settings.push(StoredSetting { program, lang, value, seen });
        }
    }

    /// Follows settings of earlier lines when their program runs. They were judged when they were made,
    /// but a file that they name may have changed since.
    pub(super) fn obey_settings(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) {
        if self.frame.caller.later
            || self.state.settings.iter().all(|one| one.program != profile.name)
        {
            return;
        }
        let names_a_setting = |field: &Field| field.value.as_known() == Some("config");
        if fields.iter().any(names_a_setting) {
            return;
        }
        let settings = self.state.settings.clone();
        for setting in settings.iter().filter(|one| one.program == profile.name) {
            // An alias runs if it is called.
            let name = setting.value.known_prefix().strip_prefix("alias.");
            let name = name.and_then(|rest| rest.split('=').next());
            let called =
                |name: &str| fields.iter().any(|field| field.value.as_known() == Some(name));
            if !name.is_none_or(called) {
                continue;
            }
            let first = self.out.effects.len();
            self.run_later(span, |interp| {
                interp.run_language(setting.lang, &setting.value, &[], span);
                setting.value.clone()
            });
            let new = self.out.effects.split_off(first);
            let unseen = |effect: &Effect| !setting.seen.contains(&effect.kind.to_string());
            self.out.effects.extend(new.into_iter().filter(unseen));
        }
    }

    /// Follows the content that is written to a file which some program reads at every start.
    pub(super) fn follow_written_settings(&mut self, path: &str, content: &Value, span: Span) {
        let home = self.home();
        let below = home.as_known().and_then(|home| path.strip_prefix(home));
        // Homes of other users have the same layout.
        let below = below.or_else(|| below_some_home(path));
        if self.frame.caller.later || content.pieces().is_empty() {
            return;
        }
        for input in aegish_profiles::personal_inputs() {
            let place = input.path;
            let there = match place.strip_prefix("**") {
                Some(anywhere) => path.contains("/.") && fits(&format!("*{anywhere}"), path),
                None => below.is_some_and(|below| fits(place.trim_start_matches('~'), below)),
            };
            // Startup files of shells contain ordinary commands, which the policy reads line by line.
            if !there || input.profile().is_none_or(super::program::is_shell) {
                continue;
            }
            let content = content.clone();
            self.run_later(span, |interp| {
                interp.follow_settings(input.role, &content, span);
                content
            });
            return;
        }
    }

    /// Follows the content of a file that makes a program run commands.
    pub(super) fn follow_settings(&mut self, role: ArgumentRole, content: &Value, span: Span) {
        // If a program is expected, a copied program is run, not read.
        if !content.is_known()
            && matches!(role, ArgumentRole::Code(Lang::Shell | Lang::ProgramDir))
            && let Some(program) = copied_from(content)
        {
            let field = Field { value: Value::known(program), span };
            self.run_argv_through(self.invocation_of_code(), &[field], span);
            return;
        }
        match role {
            ArgumentRole::Code(lang) => {
                self.run_language(lang, content, &[], span);
            }
            _ => {
                if let Some(text) = content.as_known() {
                    let text = text.to_owned();
                    self.scan_config(&text, span);
                }
            }
        }
    }

    /// How a program starts that code of another language names by its path.
    pub(super) fn invocation_of_code(&self) -> Invocation {
        if self.frame.caller.later { Invocation::Launched } else { Invocation::Indirect }
    }

    /// Follows what a setting runs, and reports it if there is anything.
    fn run_later(&mut self, span: Span, run: impl FnOnce(&mut Self) -> Value) {
        let command = match self.frame.caller.parent {
            Some(command) => command,
            None if self.out.commands.is_empty() => self.report_shell_command(span),
            None => self.out.commands.len() - 1,
        };
        self.as_part_of(command, |interp| {
            let first = interp.out.commands.len();
            let object = interp.in_frame(|frame| frame.caller.later = true, run);
            if interp.out.commands.len() > first {
                let what = SystemEffect::Setting;
                let detail = Detail::new("runs at the next start of the program");
                interp.effect(EffectKind::System { what, detail, object }, span);
            }
        });
    }

    /// Runs the programs of a directory: those that this script wrote, else unknown ones.
    pub(super) fn run_directory(&mut self, directory: &Value, span: Span) {
        if self.run_written_programs(directory, span).is_some() {
            return;
        }
        let mut any = directory.clone();
        any.push_str("/");
        any.push(Piece::AnyString);
        let field = Field { value: any.clone(), span };
        self.report(&[field], None, span);
        // A directory of the project is ordinary.
        if !self.frame.caller.later && !self.is_near(directory) {
            self.effect(EffectKind::IndirectRun { command: any }, span);
        }
    }

    /// Runs every program of a directory that this script put there; `None` if it put none there.
    pub(super) fn run_written_programs(
        &mut self,
        directory: &Value,
        span: Span,
    ) -> Option<CommandResult> {
        let place = self.absolute(directory.as_known()?);
        let start = format!("{place}/");
        self.look_at(|| LookedAt::Start(start.clone()));
        let below = self.state.files.starting_with(&start).map(|(name, _)| name);
        let inside =
            |name: &&str| name.strip_prefix(&start).is_some_and(|rest| !rest.contains('/'));
        let programs: Vec<String> = below.filter(inside).map(str::to_owned).collect();
        if programs.is_empty() {
            return None;
        }
        for program in programs {
            let field = Field { value: Value::known(program), span };
            self.run_argv_through(Invocation::Launched, &[field], span);
        }
        Some(CommandResult::default())
    }
}

/// `/home/ann/.vimrc` → `/.vimrc`
fn below_some_home(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("/root") {
        return rest.starts_with('/').then_some(rest);
    }
    let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
    rest.find('/').map(|slash| rest.get(slash..).unwrap_or_default())
}

/// Whether a path below the home directory matches a path of a profile, in which `*` is any part of a name.
pub(super) fn fits(place: &str, path: &str) -> bool {
    let Some(star) = place.find('*') else { return place == path };
    if !path.starts_with(place.get(..star).unwrap_or_default()) {
        return false;
    }
    let nodes = pattern::compile(place);
    let text: Vec<char> = path.chars().collect();
    pattern::matches(&nodes, &text) == Some(true)
}

/// The file that this content was copied from, if nothing else is known about it.
fn copied_from(content: &Value) -> Option<&str> {
    let mut sources = content.taint().sources();
    match (sources.next(), sources.next()) {
        (Some(Source::File(path)), None) => Some(path.as_str()),
        _ => None,
    }
}
