//! Functions: their definitions and calls.

use super::frame::CurrentText;
use super::{CommandResult, Interp};
use aegish_expansion::endless;
use aegish_options::Field;
use aegish_shell_state::{Definition, Function};
use aegish_syntax::{Command, Span};
use aegish_values::{Value, origin};
use std::sync::Arc;

/// How often a function is followed into itself.
pub(super) const MAX_RECURSION: usize = 4;

impl Interp<'_> {
    pub(super) fn define_function(
        &mut self,
        name: &str,
        body: &Command,
        span: Span,
    ) -> CommandResult {
        if endless::calls_itself_in_parallel(name, body) {
            self.exhaust("a function that starts itself again and again", name, span);
        }
        self.effect_function(name, body, span);
        let mut function = Function::new(Definition {
            body: Arc::new(body.clone()),
            text: self.source_text(body.span).into(),
            source: Arc::clone(&self.frame.text.source),
        });
        if let Some(known) = self.state.functions.get(name).filter(|known| known.readonly) {
            function.join(known);
        }
        self.state.functions.insert(name.into(), function);
        if self.state.allexport {
            self.state.exported_functions.push(name.to_owned());
        }
        // Bash calls this function for the next unknown command.
        if name == "command_not_found_handle"
            || self.state.called_by_shell.iter().any(|known| known == name)
        {
            self.follow_call_by_shell(name, span);
        }
        CommandResult::status(true)
    }

    /// Follows a call of a function, and what else its name means if it may not be defined.
    pub(super) fn run_function(
        &mut self,
        name: &str,
        function: &Function,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let arguments = || fields.iter().skip(1).map(|field| field.value.clone()).collect();
        let last = self.state.last_word.clone();
        let result = match function.optional {
            false => self.call_each(name, function, arguments(), span),
            true => self.run_alternatives(vec![true, false], |interp, defined| match defined {
                true => interp.call_each(name, function, arguments(), span),
                false => interp.dispatch_beyond_functions(name, fields, span),
            }),
        };
        self.state.last_word = last;
        result
    }

    /// Calls each definition that a function may have.
    pub(super) fn call_each(
        &mut self,
        name: &str,
        function: &Function,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        if function.cut {
            self.hidden_limit(span, "possible functions");
        }
        match function.definitions() {
            [definition] => self.call_function(name, definition, arguments, span),
            definitions => {
                self.run_alternatives(definitions.iter().collect(), |interp, definition| {
                    interp.call_function(name, definition, arguments.clone(), span)
                })
            }
        }
    }

    /// Calls a function with the given arguments.
    ///
    /// Which call ends a recursion depends on conditions that are not trusted, so a function is
    /// followed into itself a few times only. One that starts itself in the background or on both
    /// sides of a pipe never ends.
    fn call_function(
        &mut self,
        name: &str,
        definition: &Definition,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        let active = self.calls.names.iter().filter(|call| *call == name).count();
        // The same words, or words from outside, give the same effects again.
        let outside = !arguments.iter().all(Value::is_known);
        // A recursion that counts down is followed for any number before the depth limit.
        let counts = active > 0 && self.frame.nesting.depth >= super::MAX_DEPTH / 2;
        let arguments = Arc::new(if counts { any_numbers(arguments) } else { arguments });
        let call = (name.to_owned(), Arc::clone(&arguments));
        let again = active >= MAX_RECURSION && (outside || self.calls.words.contains(&call));
        if again || active > 0 && self.frame.conditions.unreached {
            // A function that calls itself is reported at its definition.
            let other = self.calls.names.last().is_some_and(|caller| caller != name);
            if self.frame.nesting.parallel > 1 && other {
                self.exhaust("functions that start each other again and again", name, span);
            }
            return CommandResult::output(Value::unknown("output of a recursive function"));
        }
        if self.frame.nesting.depth >= super::MAX_DEPTH || !self.step(span) {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("functions that start each other again and again", name, span);
            }
            self.hidden_limit(span, "recursion");
            return CommandResult::default();
        }
        self.calls.words.push(call);
        self.calls.names.push(name.to_owned());
        let positional = self.state.positional.replace(arguments);
        self.calls.locals.push(Vec::new());
        let text = CurrentText {
            origin: match Arc::ptr_eq(&definition.source, &self.frame.text.source) {
                true => self.frame.text.origin,
                // Its body is not in the present text.
                false => Some(self.span(span)),
            },
            source: Arc::clone(&definition.source),
            ..self.frame.text.clone()
        };
        let result = self.in_frame(
            |frame| frame.text = text,
            |interp| {
                interp.deeper(|interp| {
                    let result = interp.until_return(|interp| interp.run_command(&definition.body));
                    // At its end its local variables are still there.
                    interp.follow_traps(definition.body.span);
                    result
                })
            },
        );
        for (name, before) in self.calls.locals.pop().unwrap_or_default().into_iter().rev() {
            match before {
                Some(before) => self.state.variables.insert(name, before),
                None => self.state.variables.remove(&name),
            };
        }
        self.state.positional = positional;
        self.calls.names.pop();
        self.calls.words.pop();
        result
    }
}

/// Words in which every number is replaced by any number.
fn any_numbers(words: Vec<Value>) -> Vec<Value> {
    let is_number = |word: &Value| word.as_known().is_some_and(|text| text.parse::<i64>().is_ok());
    let any = |word| if is_number(&word) { Value::unknown(origin::COUNTER) } else { word };
    words.into_iter().map(any).collect()
}
