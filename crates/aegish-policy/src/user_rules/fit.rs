//! Matches user rules against commands.

use super::pattern::TextPattern;
use super::rule::{OptionPattern, Shape, UserRule, Verb};
use crate::action::PolicyContext;
use crate::paths::glob::Match;
use crate::variables::is_system_directory;
use crate::view::{host_of, path_of};
use aegish_effects::{Analysis, CommandReport, EffectKind, GivenOption, Stream, Value, Words};
use std::cell::OnceCell;

/// The rules that match a command, certainly or possibly.
pub(super) fn rules(
    rules: &[UserRule],
    analysis: &Analysis,
    command: usize,
    setting: &PolicyContext<'_>,
) -> Vec<(usize, Match)> {
    let Some(report) = analysis.commands.get(command) else { return Vec::new() };
    if report.argv.is_empty() {
        return Vec::new();
    }
    let subject = MatchedCommand { analysis, command, report, setting, words: OnceCell::new() };
    let fits = rules.iter().map(|rule| subject.fit(rule)).enumerate();
    fits.filter(|(_, fit)| *fit != Match::No).collect()
}

/// One command with the facts that rules are matched against.
struct MatchedCommand<'a> {
    analysis: &'a Analysis,
    command: usize,
    report: &'a CommandReport,
    setting: &'a PolicyContext<'a>,
    words: OnceCell<Words>,
}

/// How many of several values have to match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    All,
    One,
}

impl MatchedCommand<'_> {
    fn fit(&self, rule: &UserRule) -> Match {
        let shape = &rule.shape;
        if !shape.roles.is_empty() && !shape.roles.contains(&self.setting.role) {
            return Match::No;
        }
        if let Some(directory) = &shape.within
            && !directory.holds(self.setting.cwd)
        {
            return Match::No;
        }
        // An allow has to match every part; other rules match any part.
        let quantity = if rule.verb == Verb::Allow { Quantity::All } else { Quantity::One };
        let parts: [&dyn Fn() -> Match; 6] = [
            &|| self.program(shape, rule.verb),
            &|| self.exactly(shape),
            &|| self.subcommand(shape),
            &|| self.options(shape, rule.verb),
            &|| self.things(shape, quantity),
            &|| self.arguments(shape, quantity),
        ];
        let mut all = Match::Must;
        for part in parts {
            all = all.min(part());
            if all == Match::No {
                break;
            }
        }
        all
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| self.report.words())
    }

    fn program(&self, shape: &Shape, verb: Verb) -> Match {
        let Some(pattern) = &shape.program else { return Match::Must };
        let Some(name) = self.report.argv.first() else { return Match::No };
        let Some(text) = name.as_known() else { return pattern.fit(name) };
        if pattern.as_str().contains('/') {
            let own =
                super::PathPattern::new(pattern.as_str(), self.setting.home, self.setting.cwd);
            return own.map_or(Match::No, |own| own.fit(name, self.setting));
        }
        let (directory, base) =
            text.rsplit_once('/').map_or((None, text), |(directory, base)| (Some(directory), base));
        // A program of the same name in another directory was not meant.
        let trusted = directory.is_none_or(is_system_directory);
        let named =
            pattern.fits(base) || self.report.program.is_some_and(|name| pattern.fits(name));
        sure(named && (trusted || verb != Verb::Allow))
    }

    fn exactly(&self, shape: &Shape) -> Match {
        let Some(words) = &shape.exactly else { return Match::Must };
        if words.len() != self.report.argv.len() {
            return Match::No;
        }
        let one = |(word, value): (&String, &Value)| match value.as_known() {
            Some(text) => sure(text == word),
            None => Match::May,
        };
        words.iter().zip(&self.report.argv).map(one).min().unwrap_or(Match::No)
    }

    /// Subcommands by any of their spellings, then the operands that follow.
    fn subcommand(&self, shape: &Shape) -> Match {
        if shape.subcommand.is_empty() {
            return Match::Must;
        }
        let words = self.words();
        let entered = words.subcommands.len();
        let one = |(at, pattern): (usize, &TextPattern)| match words.subcommands.get(at) {
            Some(spellings) => sure(spellings.iter().any(|name| pattern.fits(name))),
            None => words.operands.get(at - entered).map_or(Match::No, |word| pattern.fit(word)),
        };
        shape.subcommand.iter().enumerate().map(one).min().unwrap_or(Match::Must)
    }

    fn options(&self, shape: &Shape, verb: Verb) -> Match {
        if shape.options.is_empty() && shape.without.is_empty() && !shape.no_other_options {
            return Match::Must;
        }
        let given = &self.words().options;
        // An unknown word may be an option.
        let hidden = self
            .words()
            .operands
            .iter()
            .any(|word| word.known_prefix().is_empty() && !word.is_known());
        let at_least = if hidden { Match::May } else { Match::No };
        let mut all = Match::Must;
        for pattern in &shape.options {
            all = all.min(best(given, |one| option(pattern, one, verb)).max(at_least));
        }
        for pattern in &shape.without {
            all = all.min(match best(given, |one| option(pattern, one, verb)).max(at_least) {
                Match::No => Match::Must,
                Match::May => Match::May,
                Match::Must => Match::No,
            });
        }
        if shape.no_other_options {
            let named = |one: &GivenOption| {
                shape.options.iter().any(|pattern| option(pattern, one, verb) == Match::Must)
            };
            all = all.min(sure(given.iter().all(named)));
            if hidden {
                all = all.min(Match::May);
            }
        }
        all
    }

    /// Files and hosts, by the effects of the command.
    fn things(&self, shape: &Shape, quantity: Quantity) -> Match {
        let mut all = Match::Must;
        if !shape.paths.is_empty() {
            let fit = |path: &Value| {
                shape.paths.iter().map(|pattern| pattern.fit(path, self.setting)).max()
            };
            all = all.min(quantity.of(self.kinds().flat_map(paths_of).filter_map(fit)));
        }
        if !shape.hosts.is_empty() && all != Match::No {
            let fit = |host: &Value| shape.hosts.iter().map(|pattern| pattern.fit(host)).max();
            all = all.min(quantity.of(self.kinds().filter_map(host_of).filter_map(fit)));
        }
        all
    }

    /// The kinds of this command.
    fn kinds(&self) -> impl Iterator<Item = &EffectKind> {
        let own = |effect: &&aegish_effects::Effect| effect.command == self.command;
        self.analysis.effects.iter().filter(own).map(|effect| &effect.kind)
    }

    fn arguments(&self, shape: &Shape, quantity: Quantity) -> Match {
        if shape.arguments.is_empty() {
            return Match::Must;
        }
        let words = self.words();
        let used = shape.subcommand.len().saturating_sub(words.subcommands.len());
        let fit = |word: &Value| shape.arguments.iter().map(|pattern| pattern.fit(word)).max();
        quantity.of(words.operands.iter().skip(used).filter_map(fit))
    }
}

impl Quantity {
    /// An empty list never matches, because the rule names something.
    fn of(self, fits: impl Iterator<Item = Match>) -> Match {
        match self {
            Self::All => fits.min().unwrap_or(Match::No),
            Self::One => fits.max().unwrap_or(Match::No),
        }
    }
}

fn best(given: &[GivenOption], fit: impl Fn(&GivenOption) -> Match) -> Match {
    given.iter().map(fit).max().unwrap_or(Match::No)
}

fn option(pattern: &OptionPattern, given: &GivenOption, verb: Verb) -> Match {
    let named = pattern.spellings.iter().any(|name| {
        // Long options may be abbreviated, and a deny covers the abbreviations.
        let cut = verb != Verb::Allow
            && given.name.len() > 3
            && name.starts_with("--")
            && name.starts_with(&given.name);
        given.is(name) || cut
    });
    match (&pattern.value, &given.value) {
        _ if !named => Match::No,
        (None, _) => Match::Must,
        (Some(pattern), Some(value)) => pattern.fit(value),
        (Some(_), None) => Match::No,
    }
}

/// All paths of an effect.
pub(super) fn paths_of(effect: &EffectKind) -> impl Iterator<Item = &Value> {
    let second = match effect {
        EffectKind::List { path }
        | EffectKind::Serve { root: path, .. }
        | EffectKind::Link { target: path, .. } => Some(path),
        EffectKind::Fetch { to: Stream::File(path), .. } => Some(path),
        _ => None,
    };
    path_of(effect).into_iter().chain(second)
}

fn sure(fits: bool) -> Match {
    if fits { Match::Must } else { Match::No }
}
