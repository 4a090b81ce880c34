//! Variables of functions and of single commands, the outer ones that they hide, and arrays given as text.

use crate::interp::Interp;
use aegish_shell_state::{Variable, VariableContent};
use aegish_syntax::{Assignment, AssignmentValue, Span};
use aegish_values::{Value, join_values};

impl Interp<'_> {
    /// `declare -a x='(a b)'`: the text is read as the elements of an array.
    pub(super) fn declare_elements(
        &mut self,
        name: &str,
        value: &Value,
        flags: &str,
        exported: bool,
        append: bool,
        span: Span,
    ) -> bool {
        let is_array = flags.contains(['a', 'A'])
            || self.state.variables.get(name).is_some_and(|known| !known.is_scalar());
        let Some(text) = value.as_known().filter(|text| is_array && text.starts_with('(')) else {
            return false;
        };
        let script = aegish_syntax::parse(&format!("x={text}"));
        let elements = match script.simple_commands().first().map(|one| one.assignments.as_slice())
        {
            Some([Assignment { value: AssignmentValue::Array(elements), .. }]) => elements.clone(),
            _ => return false,
        };
        self.declare_one(name, None, flags, exported, span);
        self.assign_literal_array(name, &elements, append);
        if flags.contains('r')
            && let Some(variable) = self.state.variables.get_mut(name)
        {
            variable.readonly = true;
        }
        true
    }

    /// Inside a function, `local` and `declare` create a variable that ends with the function.
    pub(crate) fn keep_outer(&mut self, name: &str, inherits: bool) {
        let outer = self.state.variables.get(name).cloned();
        let (readonly, exported) =
            outer.as_ref().map_or((false, false), |outer| (outer.readonly, outer.exported));
        if let Some(locals) = self.calls.locals.last_mut()
            && !locals.iter().any(|(known, _)| known == name)
        {
            locals.push((name.to_owned(), outer));
            if inherits {
                if let Some(variable) = self.state.variables.get_mut(name) {
                    variable.perhaps_unset = true;
                }
            } else if !readonly {
                // It has neither the value nor the attributes of the outer one, except that it is exported too.
                let content = VariableContent::Unset;
                let variable = Variable { content, exported, ..Variable::default() };
                self.state.variables.insert(name.to_owned(), variable);
            }
        }
    }

    /// `declare -g` beside a local variable of that name: the outermost one is meant.
    pub(super) fn declare_global(
        &mut self,
        name: &str,
        value: Option<&Value>,
        exported: bool,
    ) -> bool {
        let mut saved = self.calls.locals.iter_mut().flatten();
        let Some((_, outer)) = saved.find(|(known, _)| known == name) else { return false };
        if let Some(value) = value {
            // It may be a branch that does not run.
            let before = outer.as_ref().and_then(|outer| outer.content.scalar());
            let perhaps_unset = before.is_none();
            let value = before.map_or_else(|| value.clone(), |before| join_values(&before, value));
            let content = VariableContent::Scalar(value);
            *outer = Some(Variable { content, exported, perhaps_unset, ..Variable::default() });
        }
        true
    }

    /// `unset` of a local variable of a caller: the one that it hid is seen again.
    pub(super) fn reveal_outer(&mut self, name: &str) -> bool {
        let mut temporary = self.calls.temporary.iter().rev();
        if let Some((_, outer)) = temporary.find(|(known, _)| known == name) {
            match outer.clone() {
                Some(outer) => self.state.variables.insert(name.to_owned(), outer),
                None => self.state.variables.remove(name),
            };
            return true;
        }
        let Some((_, callers)) = self.calls.locals.split_last() else { return false };
        let mut saved = callers.iter().rev().flatten();
        let Some((_, outer)) = saved.find(|(known, _)| known == name) else { return false };
        match outer.clone() {
            Some(outer) => self.state.variables.insert(name.to_owned(), outer),
            None => self.state.variables.remove(name),
        };
        true
    }
}
