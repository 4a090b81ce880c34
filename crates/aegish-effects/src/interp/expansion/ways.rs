//! Words that name variables which have different elements, depending on the way that led here. Such a word is expanded
//! once for each combination.

use super::Interp;
use aegish_shell_state::{VariableContent, Way};
use aegish_syntax::{Param, ParamOp, Part, Span, Word};
use aegish_values::{MAX_ALTERNATIVES, Value, join_values};
use std::sync::Arc;

/// Something that a word names, and what it is on each way.
pub(super) enum Named {
    Variable(String, Vec<Way>),
    Parameters(Vec<Arc<Vec<Value>>>),
}

impl Named {
    fn len(&self) -> usize {
        match self {
            Self::Variable(_, ways) => ways.len(),
            Self::Parameters(lists) => lists.len(),
        }
    }
}

impl Named {
    /// The same with one way for a text, if it can be.
    fn as_one(&self) -> Self {
        match self {
            Self::Variable(name, ways) => {
                let ways = match as_one_text(ways) {
                    Some(text) => vec![Way::Set(VariableContent::Scalar(text))],
                    None => ways.clone(),
                };
                Self::Variable(name.clone(), ways)
            }
            Self::Parameters(lists) => Self::Parameters(lists.clone()),
        }
    }
}

/// The text of a variable that holds a text or nothing, whatever the way.
fn as_one_text(ways: &[Way]) -> Option<Value> {
    let texts: Option<Vec<Value>> = ways
        .iter()
        .map(|way| match way {
            Way::Set(VariableContent::Scalar(text)) => Some(text.clone()),
            Way::Set(VariableContent::Unset) => Some(Value::empty()),
            Way::Set(_) | Way::Foreign => None,
        })
        .collect();
    texts?.into_iter().reduce(|all, text| join_values(&all, &text))
}

/// Whether so many combinations can be followed.
fn are_few(named: &[Named]) -> bool {
    let count = named.iter().try_fold(1usize, |count, one| count.checked_mul(one.len()));
    count.is_some_and(|count| count <= MAX_ALTERNATIVES)
}

impl Interp<'_> {
    /// The variables of a word that differ in more than their texts.
    pub(super) fn ways_in(&self, word: &Word) -> Vec<Named> {
        let mut found = Vec::new();
        // Whether a variable that the text may not have set has a value is asked only where the word would vanish.
        let alone =
            matches!(word.parts.as_slice(), [Part::Param(param)] if param.op == ParamOp::Plain);
        self.ways_of(&word.parts, alone, &mut found);
        found
    }

    fn ways_of(&self, parts: &[Part], alone: bool, found: &mut Vec<Named>) {
        for part in parts {
            match part {
                Part::Param(param) => self.ways_of_param(param, alone, found),
                Part::DoubleQuoted(inner) => self.ways_of(inner, false, found),
                _ => {}
            }
        }
    }

    fn ways_of_param(&self, param: &Param, alone: bool, found: &mut Vec<Named>) {
        match &param.op {
            ParamOp::Default { word, .. } | ParamOp::Alternative { word, .. } => {
                self.ways_of(&word.parts, false, found);
            }
            // The variable is another one afterwards.
            ParamOp::Assign { .. } => return,
            _ => {}
        }
        if let Some(index) = &param.index {
            self.ways_of(&index.parts, false, found);
        }
        let number = param.name.bytes().all(|byte| byte.is_ascii_digit()) && param.name != "0";
        if number || matches!(param.name.as_str(), "@" | "*" | "#") {
            let known = |named: &Named| matches!(named, Named::Parameters(_));
            if self.state.parameter_ways.is_some() && !found.iter().any(known) {
                let lists = self.state.parameter_ways();
                if lists.len() > 1 {
                    found.push(Named::Parameters(lists));
                }
            }
            return;
        }
        let Some(direct) = self.state.variables.get(&param.name) else { return };
        if direct.ways.is_none() && !direct.reference {
            return;
        }
        let name = self.resolve_reference(&param.name);
        let Some(ways) = self.state.variables.get(&name).and_then(|known| known.ways()) else {
            return;
        };
        let counts = |way: &&Way| alone || **way != Way::Foreign;
        let ways: Vec<Way> = ways.iter().filter(counts).cloned().collect();
        let known = |named: &Named| matches!(named, Named::Variable(other, _) if *other == name);
        if ways.len() > 1 && !found.iter().any(known) {
            let ways = match as_one_text(&ways).filter(|text| !text.has_unknown()) {
                Some(text) => vec![Way::Set(VariableContent::Scalar(text))],
                None => ways,
            };
            found.push(Named::Variable(name, ways));
        }
    }

    /// Follows something for each combination of ways.
    pub(super) fn on_each_way<R>(
        &mut self,
        named: &[Named],
        span: Span,
        mut run: impl FnMut(&mut Self) -> R,
    ) -> Vec<R> {
        let mut results = Vec::new();
        if are_few(named) {
            self.on_ways(named, &mut |interp| results.push(run(interp)));
            return results;
        }
        // Texts that are unset on some ways are taken as one, less precisely.
        let fewer: Vec<Named> = named.iter().map(Named::as_one).collect();
        if !are_few(&fewer) {
            self.hidden_limit(span, "possible words");
            return vec![run(self)];
        }
        self.on_ways(&fewer, &mut |interp| results.push(run(interp)));
        results
    }

    fn on_ways(&mut self, named: &[Named], run: &mut dyn FnMut(&mut Self)) {
        match named.split_first() {
            None => run(self),
            Some((Named::Parameters(lists), rest)) => {
                let all = self.state.positional.take();
                let ways = self.state.parameter_ways.take();
                for list in lists {
                    self.state.positional = Some(Arc::clone(list));
                    self.on_ways(rest, run);
                }
                (self.state.positional, self.state.parameter_ways) = (all, ways);
            }
            Some((Named::Variable(name, ways), rest)) => {
                let Some(whole) = self.state.variables.get(name).cloned() else {
                    return self.on_ways(rest, run);
                };
                let is_foreign = whole.ways().is_some_and(|all| all.contains(&Way::Foreign));
                for way in ways {
                    match way {
                        Way::Foreign => {
                            self.state.variables.remove(name);
                        }
                        Way::Set(content) => {
                            let mut one = whole.clone();
                            (one.content, one.ways) = (content.clone(), None);
                            one.perhaps_unset = is_foreign || ways.len() == 1;
                            self.state.variables.insert(name.clone(), one);
                        }
                    }
                    self.on_ways(rest, run);
                }
                self.state.variables.insert(name.clone(), whole);
            }
        }
    }

    /// The value of a word that is one field, on whatever way.
    pub(super) fn joined_over_ways(
        &mut self,
        word: &Word,
        mut run: impl FnMut(&mut Self) -> Value,
    ) -> Value {
        let mut named = Vec::new();
        self.ways_of(&word.parts, false, &mut named);
        if named.is_empty() {
            return run(self);
        }
        let span = self.span(word.span);
        let values = self.on_each_way(&named, span, run);
        values.into_iter().reduce(|all, value| join_values(&all, &value)).unwrap_or_default()
    }
}
