//! Scripts that write to themselves or start themselves. Bash reads a script piece by piece while it runs, so
//! appended text runs too.

use super::functions::MAX_RECURSION;
use super::{CommandResult, Interp};
use aegish_analysis::Invocation;
use aegish_expansion::Field;
use aegish_profiles::{Lang, script_language};
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
        let known = path.as_known().map(|known| self.absolute(known));
        let name = known.unwrap_or_else(|| path.to_string());
        if self.calls.names.iter().filter(|call| **call == name).count() >= MAX_RECURSION {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("a script that starts itself again and again", &name, span);
            }
            return CommandResult::output(Value::unknown("output of a script that starts itself"));
        }
        let before = self.rewritten(path);
        let zero = self.state.zero.replace(path.clone());
        self.calls.names.push(name);
        let result = match interpreter(content).filter(|_| lang.is_none()) {
            Some(words) => {
                self.run_fetched(content, span);
                let word = |text: &str| Field { value: Value::known(text), span };
                let script = Field { value: path.clone(), span };
                let arguments = arguments.into_iter().map(|value| Field { value, span });
                let argv: Vec<Field> =
                    words.into_iter().map(word).chain([script]).chain(arguments).collect();
                self.run_argv_through(Invocation::Launched, &argv, span)
            }
            None => self.run_script_value(content, lang, arguments, span),
        };
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

/// The words of a `#!` line of which the script is only an operand: a program that reads no code, or `env -S`. The
/// kernel passes everything behind the program as one word.
fn interpreter(content: &Value) -> Option<Vec<&str>> {
    let line = content.known_prefix().strip_prefix("#!")?.lines().next()?.trim();
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let splits = || rest.trim_start().starts_with("-S") || rest.contains("--split-string");
    if program.is_empty() || script_language(line).is_some() && !splits() {
        return None;
    }
    Some([program, rest.trim()].into_iter().filter(|word| !word.is_empty()).collect())
}
