//! What is printed for somebody who must not see secrets unasked.
//!
//! Which programs print what they read, or the words that they are given, is in their profiles. Programs that only use
//! a secret show nothing: `curl -H "Authorization: $TOKEN"`, `docker run --env-file .env`.

use super::Interp;
use crate::effect::EffectKind;
use aegish_expansion::{Field, arguments};
use aegish_profiles::{ArgumentRole, Behaviour, Profile, Stdin};
use aegish_shell_state::Flow;
use aegish_shell_state::OutputReader;
use aegish_syntax::Span;
use aegish_values::{Source, Taint};

/// Commands that print all variables with their values.
const PRINTS_ENVIRONMENT: &[&str] = &["declare", "env", "export", "printenv", "set", "typeset"];

impl Interp<'_> {
    /// Whether what a command prints now reaches somebody who must not see secrets unasked.
    pub(super) fn is_watched(&self) -> bool {
        let (output, conditions) = (&self.output, &self.frame.conditions);
        self.ctx.reader == OutputReader::Agent
            && !(output.capture || output.discarded || output.peer.is_some())
            && !(conditions.remote || conditions.contained || conditions.unreached)
    }

    /// Reports where the output of a command comes from.
    pub(super) fn note_shown(
        &mut self,
        command: usize,
        profile: &'static Profile,
        fields: &[Field],
        first_effect: usize,
        span: Span,
    ) {
        let parsed = aegish_options::parse(&profile.grammar, arguments(fields));
        let has = |behaviour| parsed.declared.iter().any(|effect| effect.is(behaviour));
        if [Behaviour::Quiet, Behaviour::Inert, Behaviour::InPlace].into_iter().any(has)
            || prints_names_only(profile.name, fields)
        {
            return;
        }
        // Code in the words is written for this moment; a script has a purpose of its own.
        let is_code = |item: &aegish_options::Argument| matches!(item.role, ArgumentRole::Code(_));
        let typed = parsed.arguments.iter().any(is_code)
            || parsed.arguments.is_empty() && matches!(profile.grammar.stdin, Stdin::Code(_));
        let mut taint = Taint::none();
        if has(Behaviour::Repeats) {
            fields.iter().for_each(|field| taint.absorb(field.value.taint()));
        }
        if has(Behaviour::Prints) && !matches!(**self.stdin, Flow::Terminal) {
            taint.absorb(self.stdin.content().taint());
        }
        if has(Behaviour::Prints) || typed {
            for effect in self.effects_since(first_effect) {
                if let EffectKind::Read { path, .. } = &effect.kind
                    && effect.command == command
                {
                    taint.absorb(&self.origin_of_file(path));
                }
            }
        }
        if profile.name == "printenv" {
            taint.absorb(&variables_of(fields));
        }
        let taint = selected(profile.name, fields, taint);
        if !taint.is_none() {
            self.effect_of(command, EffectKind::Show { taint }, span);
        }
    }
}

/// The variables that `printenv` prints: those it names, or all of them.
pub(super) fn variables_of(fields: &[Field]) -> Taint {
    let mut taint = Taint::none();
    let operands = arguments(fields).iter().map(|field| field.value.known_prefix());
    let mut operands = operands.filter(|word| !word.starts_with('-')).peekable();
    if operands.peek().is_none() {
        taint.add(Source::Environment(String::new()));
    }
    operands.for_each(|name| taint.add(Source::Environment(name.to_owned())));
    taint
}

/// Where lines come from that a filter chose: of all variables, those with the names in its pattern.
pub(super) fn selected(base: &str, fields: &[Field], taint: Taint) -> Taint {
    let environment = |source: &Source| matches!(source, Source::Program(name) if PRINTS_ENVIRONMENT.contains(&name.as_str()));
    if PRINTS_ENVIRONMENT.contains(&base) || !taint.sources().any(environment) {
        return taint;
    }
    if prints_names_only(base, fields) {
        let mut names = Taint::none();
        taint.sources().filter(|source| !environment(source)).for_each(|source| {
            names.add(source.clone());
        });
        return names;
    }
    let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
    let inverts = |word: &str| {
        word == "--invert-match"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    };
    if !matches!(base, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "awk" | "sed" | "perl")
        || words().any(inverts)
    {
        return taint;
    }
    let mut taint = taint;
    for pattern in words().filter(|word| !word.starts_with('-')) {
        taint.add(Source::FilteredEnvironment(pattern.to_owned()));
    }
    taint
}

/// Whether a program prints of lines `NAME=value` only the names.
fn prints_names_only(base: &str, fields: &[Field]) -> bool {
    let words: Vec<&str> =
        arguments(fields).iter().filter_map(|field| field.value.as_known()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match base {
        "cut" => {
            (has(&["-d=", "--delimiter=="]) || words.windows(2).any(|pair| pair == ["-d", "="]))
                && (has(&["-f1", "--fields=1"]) || words.windows(2).any(|pair| pair == ["-f", "1"]))
        }
        "awk" | "gawk" | "mawk" => {
            (has(&["-F="]) || words.windows(2).any(|pair| pair == ["-F", "="]))
                && words.iter().any(|word| {
                    word.contains("print $1")
                        && !word.replace("print $1", "").contains(['$', '"'])
                        && word.matches("print").count() == 1
                })
        }
        "sed" => words.iter().any(|word| {
            let rest = word.strip_prefix("s/=.*/").and_then(|rest| rest.split_once('/'));
            rest.is_some_and(|(text, flags)| !text.contains(['&', '\\']) && flags.is_empty())
        }),
        "grep" | "egrep" => {
            words
                .iter()
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('o'))
                && words.iter().any(|word| word.starts_with("^[A-Z") && !word.contains(['.', '|']))
        }
        _ => false,
    }
}
