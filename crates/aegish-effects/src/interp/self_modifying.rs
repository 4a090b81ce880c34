//! Scripts that write to themselves or start themselves. Bash reads a script piece by piece while it runs, so
//! appended text runs too.

use super::compound::MAX_RECURSION;
use super::{CommandResult, Interp};
use aegish_profiles::Lang;
use aegish_syntax::Span;
use aegish_values::Value;

impl Interp<'_> {
    /// Follows a script file under its name, then the text that it appended to itself.
    pub(super) fn run_script_file(
        &mut self,
        path: &Value,
        content: &Value,
        lang: Option<Lang>,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        // With the directory, so that the search path does not matter.
        let known = path.as_known().map(|known| self.absolute(known));
        let name = known.unwrap_or_else(|| path.to_string());
        if self.calls.names.iter().filter(|call| **call == name).count() >= MAX_RECURSION {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("a script that starts itself again and again", &name, span);
            }
            return CommandResult::output(Value::unknown("output of a script that starts itself"));
        }
        let before = self.rewritten(path);
        let zero = self.state.zero.replace(match path.as_known() {
            Some(_) => Value::known(name.as_str()),
            None => path.clone(),
        });
        self.calls.names.push(name);
        let result = self.run_script_value(content, lang, arguments, span);
        self.calls.names.pop();
        self.run_rewritten(path, before.as_ref(), span);
        self.state.zero = zero;
        result
    }

    /// Follows the text that a script added to its own file. `before` is the content so far.
    pub(super) fn run_rewritten(&mut self, path: &Value, before: Option<&Value>, span: Span) {
        let Some(after) = self.rewritten(path) else { return };
        if before != Some(&after) {
            self.isolated(|interp| {
                interp.run_code_value(&after, span);
            });
        }
    }

    /// The content written to this file so far, if any.
    fn rewritten(&self, path: &Value) -> Option<Value> {
        let path = path.as_known()?;
        self.written(&self.resolved(path)).or_else(|| self.written(&self.absolute(path)))
    }
}
