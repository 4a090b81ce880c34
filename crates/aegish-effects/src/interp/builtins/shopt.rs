//! `shopt`: the switches that change the meaning of words. Once a switch was set it may be on or off, so both
//! readings are followed.

use crate::interp::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Opaque};
use aegish_expansion::Field;
use aegish_profiles::DisarmEffect;
use aegish_shell_state::Switch;
use aegish_syntax::Span;
use aegish_values::{Taint, Value};

const SWITCHES: [(&str, Switch); 17] = [
    ("nounset", Switch::StopsAtUnset),
    ("xpg_echo", Switch::EchoEscapes),
    ("functrace", Switch::InheritsTraps),
    ("errtrace", Switch::InheritsTraps),
    ("localvar_inherit", Switch::LocalInherits),
    ("extglob", Switch::ExtGlob),
    ("cdable_vars", Switch::CdableVars),
    ("lastpipe", Switch::LastPipe),
    ("nocasematch", Switch::NoCaseMatch),
    ("nocaseglob", Switch::NoCaseGlob),
    ("dotglob", Switch::DotGlob),
    ("extdebug", Switch::ExtDebug),
    ("posix", Switch::Posix),
    ("keyword", Switch::Keyword),
    ("noclobber", Switch::NoClobber),
    ("physical", Switch::Physical),
    ("xtrace", Switch::Trace),
];

impl Interp<'_> {
    pub(super) fn builtin_shopt(&mut self, words: &[Field], span: Span) -> CommandResult {
        let sets = |word: &Field| match word.value.as_known() {
            Some(text) => text.starts_with('-') && text.contains('s'),
            None => true,
        };
        if words.iter().any(sets) {
            for word in words {
                self.switch_on(&word.value);
            }
            // With `extdebug` a trap decides which commands of the session run, including those
            // of the guard.
            let debug = words.iter().find(|word| word.value.as_known() == Some("extdebug"));
            if let Some(word) = debug.filter(|_| self.ctx.interactive) {
                self.check_debugging(span);
                let (what, taint) = (word.value.clone(), Taint::none());
                self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
            }
        }
        let unsets = |word: &Field| match word.value.as_known() {
            Some(text) => text.starts_with('-') && text.contains('u'),
            None => true,
        };
        if words.iter().any(unsets) {
            words.iter().for_each(|word| self.switch_off(&word.value));
        }
        CommandResult::default()
    }

    /// An option is switched off that is on at first. Only a typed line can contain a comment that runs.
    pub(crate) fn switch_off(&mut self, name: &Value) {
        let replaces = name.as_known().is_none_or(|name| name == "patsub_replacement");
        if replaces && !self.is_on(Switch::PlainReplacement) {
            self.state.switches.push(Switch::PlainReplacement);
        }
        let comments = |name: &str| matches!(name, "interactive_comments" | "interactive-comments");
        let meant = name.as_known().is_none_or(comments);
        if meant && self.ctx.interactive && !self.is_on(Switch::NoComments) {
            self.state.switches.push(Switch::NoComments);
        }
    }

    /// With `extdebug` a `DEBUG` trap can skip commands, even those that the guard uses to check the shell.
    pub(super) fn check_debugging(&mut self, span: Span) {
        let trapped = self.state.traps.iter().any(|trap| trap.runs_on("DEBUG"));
        if self.ctx.interactive && trapped && self.is_on(Switch::ExtDebug) {
            self.disarm(DisarmEffect::Input, "lets a trap skip commands of the guard", span);
        }
    }

    /// Sets the switches that letters name, of `set` or of a shell.
    pub(crate) fn switch_letters(&mut self, option: &str) {
        let letters = [
            ('k', "keyword"),
            ('C', "noclobber"),
            ('P', "physical"),
            ('x', "xtrace"),
            ('u', "nounset"),
            ('T', "functrace"),
            ('E', "errtrace"),
        ];
        for (letter, name) in letters {
            if option.starts_with('-') && option.contains(letter) {
                self.switch_on(&Value::known(name));
            }
        }
    }

    /// Sets the named switch; all of them if the name is unknown.
    pub(crate) fn switch_on(&mut self, name: &Value) {
        for (known, switch) in SWITCHES {
            let meant = name.as_known().is_none_or(|name| name == known);
            if meant && !self.is_on(switch) {
                self.state.switches.push(switch);
            }
        }
    }

    pub(crate) fn is_on(&self, switch: Switch) -> bool {
        self.state.switches.contains(&switch)
    }
}
