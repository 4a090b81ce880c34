//! `<(…)` and `>(…)`: commands as files.

use super::descriptors::is_unwritten;
use super::{CommandResult, Interp};
use aegish_shell_state::Flow;
use aegish_syntax::ProcessSub;
use aegish_values::Value;
use std::sync::Arc;

/// Numbers up to this one are for substitutions in texts that write many files.
const LAST_NUMBER: usize = 13;

impl Interp<'_> {
    /// `<(…)` and `>(…)`: the name of a file that contains the output of a command, or is its input. The name
    /// is invented; its content is stored with the files written so far.
    pub(crate) fn run_process_substitution(&mut self, sub: &ProcessSub) -> Value {
        let span = self.span(sub.span);
        let taken = self.state.files.len() + self.deferred.sinks.len();
        let number = match 63_usize.checked_sub(taken).filter(|number| *number > LAST_NUMBER) {
            Some(number) => number,
            // Later ones share a few names, but never two in one command.
            None => {
                self.deferred.named = 4 + (self.deferred.named + 1) % (LAST_NUMBER - 4);
                self.deferred.named
            }
        };
        let path = format!("/dev/fd/{number}");
        if sub.output {
            self.deferred.sinks.push((path.clone(), Arc::new(sub.body.clone()), span));
        } else {
            let stdin = Arc::clone(&self.stdin);
            let run =
                |interp: &mut Self| CommandResult::output(interp.run_substitution(&sub.body, span));
            let content = self.run_job(|| sub.body.body.clone(), stdin, sub.span, run).stdout;
            // The name was free again: what an earlier command had there is no content of this file.
            self.state.files.remove(&path);
            self.remember_file(&path, content, false);
        }
        Value::known(path)
    }

    /// Follows those of `exec > >(…)` at the end, where something is known of their input.
    pub(crate) fn run_lasting_sinks(&mut self) {
        let mut sinks = std::mem::take(&mut self.deferred.lasting_sinks);
        sinks.retain(|(path, ..)| {
            self.state.files.get(path).is_some_and(|fact| !is_unwritten(&fact.content))
        });
        self.deferred.sinks = sinks;
        self.run_sinks();
    }

    /// Follows the commands of `>(…)` after their input is known.
    pub(crate) fn run_sinks(&mut self) {
        for (path, script, span) in std::mem::take(&mut self.deferred.sinks) {
            let content = self.written(&path).unwrap_or_else(|| Value::unknown("input"));
            let stdin = Arc::new(Flow::Text(content));
            let run = |interp: &mut Self| interp.run_script(&script);
            self.run_job(|| script.body.clone(), stdin, span, run);
        }
    }
}
