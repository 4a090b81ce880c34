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
            // What comes from the network is fed to a shell at the end.
            let shell =
                profile(*at).is_some_and(is_shell) && (code || fed && at + 1 == fields.len());
            shell || known(at - 1) == Some("--") && *at > 1 && profile(*at).is_some()
        });
        for field in fields.iter().skip(1) {
            if self.may_be_code(field) {
                self.run_code_through(Invocation::Launched, &field.value, field.span);
            }
        }
        match command {
            Some(at) => {
                let words = fields.get(at..).unwrap_or_default().to_vec();
                self.run_argv_through(Invocation::Launched, words, span)
            }
            None => CommandResult::default(),
        }
    }

    /// Whether a word is a command line (`mispipe "cat /etc/passwd" wc`): it begins with a known program, and what
    /// follows are options or paths. Sentences do not look like that.
    fn may_be_code(&self, field: &Field) -> bool {
        let Some(text) = field.value.as_known() else { return false };
        let mut words = text.split_whitespace();
        let program = words.next().and_then(|name| aegish_profiles::find(base_name(name)));
        let moved = self.has_moved();
        program.is_some()
            && words.clone().next().is_some()
            && words.all(|word| {
                let path = word.contains(['/', '~', '.']) && !word.ends_with(['.', ',', '!', '?']);
                path || moved || word.starts_with('-')
            })
    }
}
