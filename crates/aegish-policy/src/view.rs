//! The view of a rule: one effect (or command), with its paths and hosts classified.

use crate::action::PolicyContext;
use crate::hosts::HostClass;
use crate::paths::{Classes, ClassifiedPath};
use crate::table::names::{CODING_AGENTS, WITHOUT_PROFILE};
use aegish_effects::{
    Analysis, CommandReport, Effect, EffectKind, Invocation, Stream, UNKNOWN_PART, Value,
};
use aegish_profiles::Trait;
use std::cell::OnceCell;

/// The subject of a rule.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    Effect(&'a Effect),
    Command(&'a CommandReport),
}

/// The effects of an analysis by command, so that a rule does not search through all of them for each effect.
pub(crate) struct EffectIndex<'a> {
    analysis: &'a Analysis,
    /// Numbers of commands with the numbers of their effects, ascending.
    sorted: OnceCell<Vec<(usize, usize)>>,
    starts_an_agent: OnceCell<bool>,
    only_copies: OnceCell<bool>,
}

impl<'a> EffectIndex<'a> {
    pub(crate) fn new(analysis: &'a Analysis) -> Self {
        Self {
            analysis,
            sorted: OnceCell::new(),
            starts_an_agent: OnceCell::new(),
            only_copies: OnceCell::new(),
        }
    }

    fn of(&self, command: usize) -> impl Iterator<Item = &'a EffectKind> {
        let effects = &self.analysis.effects;
        let sorted = self.sorted.get_or_init(|| {
            let mut numbers: Vec<(usize, usize)> =
                effects.iter().enumerate().map(|(at, effect)| (effect.command, at)).collect();
            numbers.sort_unstable();
            numbers
        });
        let first = sorted.partition_point(|(number, _)| *number < command);
        let own = sorted.iter().skip(first).take_while(move |(number, _)| *number == command);
        own.filter_map(|(_, at)| effects.get(*at).map(|effect| &effect.kind))
    }
}

/// Facts about the whole text, which are looked up once for all effects.
impl EffectIndex<'_> {
    /// Whether a command is a coding agent.
    fn starts_an_agent(&self) -> bool {
        let is_agent = |command: &CommandReport| {
            let name = command.argv.first().and_then(Value::as_known).unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or_default();
            CODING_AGENTS.binary_search(&name).is_ok()
        };
        *self.starts_an_agent.get_or_init(|| self.analysis.commands.iter().any(is_agent))
    }

    /// Whether files are read, and nothing comes from the network.
    fn only_copies(&self) -> bool {
        let effects = || self.analysis.effects.iter().map(|effect| &effect.kind);
        *self.only_copies.get_or_init(|| {
            effects().any(|kind| matches!(kind, EffectKind::Read { .. }))
                && !effects().any(|kind| {
                    matches!(kind, EffectKind::Fetch { .. } | EffectKind::Connect { .. })
                })
        })
    }
}

/// One effect in its surroundings.
pub(crate) struct View<'a> {
    pub(crate) analysis: &'a Analysis,
    index: &'a EffectIndex<'a>,
    pub(crate) setting: &'a PolicyContext<'a>,
    pub(crate) subject: Subject<'a>,
    /// Index of the command the subject belongs to.
    pub(crate) command: usize,
    /// The path the effect is about, if it is about one.
    pub(crate) place: Option<ClassifiedPath>,
    /// The host of the effect, if it has one.
    pub(crate) host: Option<HostClass>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        index: &'a EffectIndex<'a>,
        setting: &'a PolicyContext<'a>,
        subject: Subject<'a>,
        command: usize,
    ) -> Self {
        let (analysis, place, host) = (index.analysis, None, None);
        let mut view = Self { analysis, index, setting, subject, command, place, host };
        if let Some(effect) = view.effect() {
            view.place = path_of(effect).and_then(|path| match view.literal_tilde(path) {
                Some(literal) => ClassifiedPath::of(&literal, setting),
                None => ClassifiedPath::of(path, setting),
            });
            view.host = host_of(effect).map(HostClass::of);
        }
        view
    }

    /// A word that still begins with a tilde when the program gets it: the name of a file here, unless
    /// the home directory is unknown and the tilde could not be expanded.
    fn literal_tilde(&self, path: &Value) -> Option<Value> {
        path.as_known().filter(|text| text.starts_with('~'))?;
        let given = !self.setting.home.is_empty() && self.words().contains(path);
        given.then(|| Value::known("./~"))
    }

    pub(crate) fn effect(&self) -> Option<&'a EffectKind> {
        match self.subject {
            Subject::Effect(effect) => Some(&effect.kind),
            Subject::Command(_) => None,
        }
    }

    pub(crate) fn classes(&self) -> Classes {
        self.place.map(|place| place.classes).unwrap_or_default()
    }

    /// The effects of that command.
    pub(crate) fn own_effects(&self) -> impl Iterator<Item = &'a EffectKind> {
        self.index.of(self.command)
    }

    /// The profile name of the command the effect belongs to.
    pub(crate) fn program(&self) -> Option<&'static str> {
        self.analysis.commands.get(self.command).and_then(|command| command.program)
    }

    /// Whether the program of that command has this trait.
    pub(crate) fn program_is(&self, wanted: Trait) -> bool {
        self.program().is_some_and(|program| has_trait(program, wanted))
    }

    /// The arguments of that command, as far as known.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'a str> {
        let command = self.analysis.commands.get(self.command);
        command
            .into_iter()
            .flat_map(|command| command.argv.iter().skip(1))
            .filter_map(Value::as_known)
    }

    /// The commands that started this one, itself first.
    fn ancestors(&self) -> impl Iterator<Item = (usize, &'a CommandReport)> {
        let commands = &self.analysis.commands;
        let first = commands.get(self.command).map(|command| (self.command, command));
        let parent = move |(_, command): &(usize, &'a CommandReport)| {
            let number = command.parent?;
            commands.get(number).map(|parent| (number, parent))
        };
        // Bounded: nesting of scripts is reported as a limit before.
        std::iter::successors(first, parent).take(64)
    }

    /// Whether a command of the text is a coding agent.
    pub(crate) fn starts_an_agent(&self) -> bool {
        self.index.starts_an_agent()
    }

    /// Whether the text reads files and has nothing from the network.
    pub(crate) fn only_copies(&self) -> bool {
        self.index.only_copies()
    }

    /// Whether the command, or one that started it, was started indirectly.
    pub(crate) fn started_indirectly(&self) -> bool {
        self.ancestors().any(|(_, command)| command.invocation == Invocation::Indirect)
    }

    /// Whether the command, or one that started it, only may run.
    pub(crate) fn is_supposed(&self) -> bool {
        self.ancestors().any(|(_, command)| command.invocation == Invocation::Supposed)
    }

    /// Whether the command that runs this one has its own connection. Copying tools, which start a shell
    /// instead of `ssh`, are excluded.
    pub(crate) fn runs_on_a_connection(&self) -> bool {
        self.ancestors().skip(1).any(|(number, command)| {
            let copies = command.program.is_some_and(|name| has_trait(name, Trait::RemoteCopy));
            !copies
                && self.index.of(number).any(|effect| {
                    matches!(effect, EffectKind::Connect { .. } | EffectKind::Listen { .. })
                })
        })
    }

    /// Whether a command of this name started this one.
    pub(crate) fn runs_under(&self, name: &str) -> bool {
        self.ancestors().any(|(_, command)| command.program == Some(name))
    }

    /// Whether the command is already known to run what it downloads.
    pub(crate) fn runs_fetched(&self) -> bool {
        self.own_effects().any(|effect| {
            matches!(effect, EffectKind::RunFetched { .. } | EffectKind::RunVerified { .. })
        })
    }

    /// Whether the command asks name servers about a host, not the host itself.
    pub(crate) fn only_resolves(&self) -> bool {
        self.program_is(Trait::Resolver)
    }

    /// The last word of that command, known or not.
    pub(crate) fn last_argument(&self) -> Option<&'a Value> {
        self.words().last()
    }

    /// All words after its name, known or not.
    pub(crate) fn words(&self) -> &'a [Value] {
        let command = self.analysis.commands.get(self.command);
        command.and_then(|command| command.argv.get(1..)).unwrap_or_default()
    }

    /// Whether `inner` is the command `outer` or is run by it, directly or indirectly.
    pub(crate) fn runs(&self, outer: usize, inner: usize) -> bool {
        let mut at = Some(inner);
        // Parents come before children, so the walk ends; the bound guards against odd input.
        for _ in 0..64 {
            match at {
                Some(number) if number == outer => return true,
                Some(number) => at = self.analysis.commands.get(number).and_then(|c| c.parent),
                None => return false,
            }
        }
        false
    }
}

/// Whether the program of this name has the trait, with or without a profile.
pub(crate) fn has_trait(name: &str, wanted: Trait) -> bool {
    aegish_profiles::find(name).is_some_and(|profile| profile.has(wanted))
        || WITHOUT_PROFILE
            .iter()
            .any(|(own, names)| *own == wanted && names.binary_search(&name).is_ok())
}

/// Whether a write leaves existing files unchanged: a directory is created, or nothing is added.
pub(crate) fn adds_nothing(effect: &EffectKind) -> bool {
    match effect {
        EffectKind::Write { content, append: true, .. } => {
            content.pieces().is_empty() && content.taint().is_none()
        }
        _ => false,
    }
}

pub(crate) fn path_of(effect: &EffectKind) -> Option<&Value> {
    match effect {
        EffectKind::Read { path, .. }
        | EffectKind::Write { path, .. }
        | EffectKind::Delete { path, .. }
        | EffectKind::Mode { path, .. }
        | EffectKind::Owner { path, .. } => Some(path),
        EffectKind::Mention { path }
        | EffectKind::Replace { path }
        | EffectKind::Mount { source: path } => Some(path),
        EffectKind::Link { name, .. } => Some(name),
        EffectKind::Send { what: Stream::File(path), .. } => Some(path),
        EffectKind::Load { library } => Some(library),
        _ => None,
    }
}

pub(crate) fn host_of(effect: &EffectKind) -> Option<&Value> {
    match effect {
        EffectKind::Connect { host, .. }
        | EffectKind::Listen { host, .. }
        | EffectKind::Serve { host, .. } => Some(host),
        EffectKind::Fetch { from, .. } => Some(from),
        EffectKind::Send { to, .. } => Some(to),
        _ => None,
    }
}

/// A value for people: at most a line's worth, without control characters.
pub(crate) fn show(value: &Value) -> String {
    match value.as_known() {
        Some(text) => show_text(text),
        None => show_text(&value.to_string()),
    }
}

/// The same for text.
pub(crate) fn show_text(text: &str) -> String {
    const MOST: usize = 80;
    if text.is_empty() {
        return "something".to_owned();
    }
    if text.contains(UNKNOWN_PART) {
        let braced = format!("${{{UNKNOWN_PART}}}");
        let text =
            text.replace(&braced, "‹unknown›").replace(&format!("${UNKNOWN_PART}"), "‹unknown›");
        return show_text(&text.replace(UNKNOWN_PART, "‹unknown›"));
    }
    if text.len() <= MOST && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return text.to_owned();
    }
    // Bounded: only shown; the rule has judged all of it.
    let mut shown: String =
        text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}
