//! Programs without a profile.

use super::program::is_shell;
use super::simple::base_name;
use super::{CommandResult, Interp};
use crate::effect::Invocation;
use crate::expand::Field;
use aegish_syntax::Span;

impl Interp<'_> {
    /// A program without a profile may run its operands: `gosu root sh -c CODE`, `tini -- COMMAND`.
    pub(super) fn run_operands(&mut self, fields: &[Field], span: Span) -> CommandResult {
        let known = |at: usize| fields.get(at).and_then(|field| field.value.as_known());
        let profile = |at: usize| known(at).and_then(|name| aegish_profiles::find(base_name(name)));
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
