//! Programs without a profile.

use super::program::is_shell;
use super::simple::base_name;
use super::{CommandResult, Interp};
use crate::effect::Invocation;
use crate::state::HistoryExpansion;
use aegish_expansion::Field;
use aegish_syntax::Span;
use aegish_values::Value;

impl Interp<'_> {
    /// A program without a profile may run its operands: `gosu root sh -c CODE`, `tini -- COMMAND`.
    pub(super) fn run_operands(&mut self, fields: &[Field], span: Span) -> CommandResult {
        let known = |at: usize| fields.get(at).and_then(|field| field.value.as_known());
        let profile = |at: usize| known(at).and_then(|name| aegish_profiles::find(base_name(name)));
        let on = self.state.history_expansion == HistoryExpansion::On && self.ctx.interactive;
        if on && known(0).is_some_and(changes_recalled_line) {
            self.hidden_code(&Value::unknown("changed line of the history"), span);
        }
        let fed = self.input_taint().network().is_some();
        let command = (1..fields.len()).find(|at| {
            let code = known(at + 1).is_some_and(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
            });
            // Input from the network is passed to the shell at the end.
            let shell =
                profile(*at).is_some_and(is_shell) && (code || fed && at + 1 == fields.len());
            shell || known(at - 1) == Some("--") && *at > 1 && profile(*at).is_some()
        });
        match command {
            Some(at) => {
                let words = fields.get(at..).unwrap_or_default().to_vec();
                self.run_argv_through(Invocation::Launched, words, span)
            }
            None => CommandResult::default(),
        }
    }
}

/// `!!:s/old/new/`, `^old^new`: an earlier line with other text in it.
fn changes_recalled_line(word: &str) -> bool {
    let changed = |rest: &str| [":s", ":gs", ":Gs", ":&", ":g&"].iter().any(|m| rest.contains(m));
    word.strip_prefix('!').is_some_and(changed)
        || word.strip_prefix('^').is_some_and(|rest| rest.contains('^'))
}
