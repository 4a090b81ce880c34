//! `[[ … ]]`, `[` and `test`: what they run, and their result if it depends on known text alone.

use super::Interp;
use aegish_analysis::{EffectKind, Opaque};
use aegish_expansion::operands::some_part;
use aegish_expansion::{Field, arguments, arith};
use aegish_shell_state::{Switch, VariableContent, join_lists};
use aegish_syntax::{Cond, ParamOp, Part, Span, Word};
use aegish_values::{MAX_ALTERNATIVES, Source, Value, join_values, origin, pattern};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Groups that are set where it is not known what an expression matches.
const MATCHED_GROUPS: usize = 10;

impl Interp<'_> {
    /// Follows `[[ … ]]` and gives its answer where that depends on known text alone.
    pub(super) fn run_cond(&mut self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Word(word) => {
                let value = self.expand_single(word);
                value.as_known().map(|text| !text.is_empty())
            }
            Cond::Unary(op, word) => {
                let value = self.expand_single(word);
                // `-v a[$(cmd)]` evaluates the subscript.
                if op == "-v" || op == "-R" {
                    self.evaluate_subscript(&value);
                }
                let text = value.as_known()?;
                match op.as_str() {
                    "-z" => Some(text.is_empty()),
                    "-n" => Some(!text.is_empty()),
                    _ => None,
                }
            }
            Cond::Binary(left, op, right) => self.run_comparison(left, op, right),
            Cond::Not(inner) => self.run_cond(inner).map(|answer| !answer),
            Cond::And(a, b) => match (self.run_cond(a), self.run_cond(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Cond::Or(a, b) => match (self.run_cond(a), self.run_cond(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    fn run_comparison(&mut self, left: &Word, op: &str, right: &Word) -> Option<bool> {
        let subject = self.expand_single(left);
        if matches!(op, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") {
            let other = self.expand_single(right);
            let (a, b) = (self.evaluate(&subject), self.evaluate(&other));
            return compared(op, a?, b?);
        }
        if op == "=~" {
            let expression = self.expand_single(right);
            // Quoted parts are literal.
            let quoted = right.parts.iter().any(|part| {
                matches!(
                    part,
                    Part::SingleQuoted(_)
                        | Part::DoubleQuoted(_)
                        | Part::AnsiC(_)
                        | Part::Escaped(_)
                )
            });
            let expression = expression.as_known().filter(|_| !quoted);
            return self.remember_match(&subject, expression);
        }
        if matches!(op, "=" | "==" | "!=") {
            let other = self.expand_single(right);
            self.note_comparison(&subject, op, &other);
            if !self.is_on(Switch::NoCaseMatch) {
                self.note_equality(left, op, right);
            }
        }
        let nodes = self.pattern(right);
        let text: Vec<char> = subject.as_known()?.chars().collect();
        let fits = pattern::matches(&nodes?, &text).filter(|_| !self.is_on(Switch::NoCaseMatch))?;
        match op {
            "=" | "==" => Some(fits),
            "!=" => Some(!fits),
            _ => None,
        }
    }

    /// `[ "$x" = text ]`, `[[ $x == text ]]`: where that is so, the variable has the text.
    pub(super) fn note_equality(&mut self, left: &Word, operator: &str, right: &Word) {
        let on_success = match operator {
            "=" | "==" => true,
            "!=" => false,
            _ => return,
        };
        for (one, other) in [(left, right), (right, left)] {
            let (Some(name), Some(text)) = (variable_of(one), literal(other)) else { continue };
            self.state.outcome.compare(name, &text, on_success);
            return;
        }
    }

    /// The variable has one of these texts from here on, if its own was not known.
    pub(super) fn assume(&mut self, name: &str, text: Value) {
        if let Some(variable) = self.state.variables.get_mut(name) {
            variable.assume(text);
        }
    }

    /// Sets `BASH_REMATCH` as `[[ text =~ expression ]]` does.
    fn remember_match(&mut self, subject: &Value, expression: Option<&str>) -> Option<bool> {
        let folds = self.is_on(Switch::NoCaseMatch);
        let matched = |text: &String| match expression {
            Some(expression) if !folds => aegish_emulate::matched(expression, text),
            _ => None,
        };
        let texts = subject.own_texts();
        let whole = subject.readings(MAX_ALTERNATIVES).is_some();
        let says = whole || texts.iter().any(|text| !text.is_empty());
        let found: Option<Vec<Option<Vec<String>>>> = texts.iter().map(matched).collect();
        let found = found.filter(|_| says);
        let groups = |found: &Vec<Option<Vec<String>>>| {
            let known = |text: &String| Value::known(text.as_str());
            let lists = found.iter().map(|one| one.iter().flatten().map(known).collect());
            lists.reduce(|all: Vec<Value>, list| join_lists(&all, &list)).unwrap_or_default()
        };
        let other = subject.changed(origin::MATCHED_TEXT);
        let items: Vec<Value> = match &found {
            Some(found) if whole => groups(found),
            Some(found) => {
                let groups = groups(found);
                let or_other = |at| join_values(groups.get(at).unwrap_or(&other), &other);
                (0..groups.len().max(MATCHED_GROUPS)).map(or_other).collect()
            }
            None if says => {
                vec![join_values(&some_part(subject, None, false), &other); MATCHED_GROUPS]
            }
            None => vec![other; MATCHED_GROUPS],
        };
        let items = items.into_iter().map(|item| item.tainted(subject.taint()));
        let items: BTreeMap<i64, Value> = (0..).zip(items).collect();
        self.assign_array("BASH_REMATCH", VariableContent::Indexed(Arc::new(items)));
        let found = found.filter(|_| whole)?;
        let first = found.first()?.is_some();
        found.iter().all(|one| one.is_some() == first).then_some(first)
    }

    /// The number that text is where Bash evaluates arithmetic.
    fn evaluate(&mut self, value: &Value) -> Option<i64> {
        self.evaluate_subscript(value);
        let text = value.as_known()?.to_owned();
        arith::evaluate(&text, self)
    }

    /// In a session, text that is typed while the line runs and used as code or as a name is code that was not judged.
    /// A script asks for numbers and names all the time, so its own variables are left out.
    pub(crate) fn check_typed_code(&mut self, value: &Value) {
        let typed =
            !value.is_known() && value.taint().sources().any(|source| *source == Source::Terminal);
        if typed && self.ctx.interactive && self.state.zero.is_none() {
            let parent = self.frame.caller.parent.and_then(|parent| self.out.commands.get(parent));
            let span = parent.map_or_else(|| self.span(Span::default()), |command| command.span);
            let (what, taint) = (value.clone(), value.taint().clone());
            self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
        }
    }

    /// Text that Bash takes for a name, in which it runs substitutions: text of the script that is not followed may hold some.
    pub(crate) fn check_name(&mut self, name: &Value) {
        self.check_typed_code(name);
        if name.is_one_of_many_values() {
            self.report_shell_command(Span::default());
            self.hidden_code(name, self.span(Span::default()));
        }
    }

    /// Text used where Bash evaluates arithmetic: a substitution in a subscript would run.
    pub(crate) fn evaluate_subscript(&mut self, value: &Value) -> Substitutes {
        self.check_name(value);
        let texts = match value.as_known() {
            Some(text) => vec![text.to_owned()],
            None => value.own_texts(),
        };
        if texts.is_empty() && value.to_string().contains(['(', '`']) {
            self.hidden_limit(self.frame.text.origin.unwrap_or_default(), "possible texts");
        }
        let mut substitutes = Substitutes::No;
        for text in texts {
            if text.contains("$(") || text.contains('`') {
                substitutes = Substitutes::Yes;
                let _ = self.expand_text(&text);
            }
        }
        substitutes
    }
}

/// The variable that a word is.
pub(super) fn variable_of(word: &Word) -> Option<&str> {
    let parts = match word.parts.as_slice() {
        [Part::DoubleQuoted(parts)] => parts.as_slice(),
        parts => parts,
    };
    match parts {
        [Part::Param(param)]
            if param.op == ParamOp::Plain && param.index.is_none() && !param.indirect =>
        {
            Some(&param.name)
        }
        _ => None,
    }
}

/// The text that a word is, without patterns.
pub(super) fn literal(word: &Word) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal(one) if !one.contains(['*', '?', '[', '~', '{', '\\']) => {
                text.push_str(one);
            }
            Part::SingleQuoted(one) => text.push_str(one),
            Part::DoubleQuoted(inner) => match inner.as_slice() {
                [] => {}
                [Part::Literal(one)] => text.push_str(one),
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(text)
}

/// Whether text contains substitutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Substitutes {
    Yes,
    No,
}

/// The answer of `test` and `[` where it depends on known text alone.
pub(super) fn test_status(fields: &[Field]) -> Option<bool> {
    let words: Option<Vec<&str>> =
        arguments(fields).iter().map(|field| field.value.as_known()).collect();
    let mut words = words?;
    if words.last() == Some(&"]") {
        words.pop();
    }
    match words.as_slice() {
        [] => Some(false),
        [word] => Some(!word.is_empty()),
        ["-z", word] => Some(word.is_empty()),
        ["-n", word] => Some(!word.is_empty()),
        [left, "=" | "==", right] => Some(left == right),
        [left, "!=", right] => Some(left != right),
        [left, operator, right] => compared(operator, left.parse().ok()?, right.parse().ok()?),
        _ => None,
    }
}

/// The answer of `-eq` and similar operators.
fn compared(operator: &str, left: i64, right: i64) -> Option<bool> {
    match operator {
        "-eq" => Some(left == right),
        "-ne" => Some(left != right),
        "-lt" => Some(left < right),
        "-le" => Some(left <= right),
        "-gt" => Some(left > right),
        "-ge" => Some(left >= right),
        _ => None,
    }
}
