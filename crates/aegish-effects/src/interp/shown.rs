//! What is printed for somebody who must not see secrets unasked.
//!
//! Which programs print what they read, or the words that they are given, is in their profiles. Programs that only use
//! a secret show nothing: `curl -H "Authorization: $TOKEN"`, `docker run --env-file .env`.

use super::Interp;
use aegish_analysis::EffectKind;
use aegish_expansion::environment::{prints_names_only, selected, variables_of};
use aegish_expansion::{Field, arguments};
use aegish_profiles::{ArgumentRole, Behaviour, Profile, Stdin};
use aegish_shell_state::Flow;
use aegish_shell_state::OutputReader;
use aegish_syntax::Span;
use aegish_values::Taint;

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
