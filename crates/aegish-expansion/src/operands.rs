//! What operators of a parameter need besides its value, and the results where that or the value is not known.

use crate::operators::{self, Marks};
use crate::printed::or_text;
use aegish_values::pattern::Node;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};
use std::collections::BTreeSet;

/// A replacement without active characters.
#[must_use]
pub fn quoted_replacement(value: &Value) -> Value {
    if !value.each().is_empty() {
        return value.mapped(quoted_replacement);
    }
    let mut quoted = Value::empty().tainted(value.taint());
    for piece in value.pieces() {
        let quote = |text: &str| operators::quoted_replacement(text);
        quoted.push(match piece {
            Piece::Text(text) => Piece::Text(quote(text).into()),
            Piece::OneOf(texts) => Piece::OneOf(texts.iter().map(|text| quote(text)).collect()),
            other => other.clone(),
        });
    }
    quoted.with_several(value.is_several())
}

/// What the pattern of an operator may be.
#[derive(Clone)]
pub struct Patterns {
    /// Never empty.
    pub list: Vec<Vec<Node>>,
    /// A part comes from outside; in the list it is empty.
    pub foreign: bool,
}

/// What an operator needs besides the value of the parameter.
pub struct Operands {
    /// None if there are too many, or one that cannot be read.
    pub patterns: Option<Patterns>,
    /// What takes the place of a match.
    pub with: Value,
}

impl Default for Operands {
    fn default() -> Self {
        Self::pattern(Some(Patterns { list: vec![Vec::new()], foreign: false }))
    }
}

impl Operands {
    /// Those of an operator that has only a pattern.
    #[must_use]
    pub fn pattern(patterns: Option<Patterns>) -> Self {
        Self { patterns, with: Value::empty() }
    }

    /// Whether a match may be all of a value of which nothing is known, so that only the replacement is left. What a
    /// person names is not the text of a pattern.
    fn takes_all(&self, why: &'static str) -> bool {
        let any = |node: &Node| matches!(node, Node::Star);
        let printed = why == origin::PROGRAM_OUTPUT || origin::NUMBERS.contains(&why);
        let patterns = self.patterns.iter().flat_map(|patterns| &patterns.list);
        self.with.has_name() && (printed || patterns.flatten().any(any))
    }

    /// The values that come out for each reading of value, pattern and replacement. None if not all are found.
    pub fn apply(
        &self,
        value: &Value,
        change: &impl Fn(&str, &[Node], &str) -> Option<String>,
    ) -> Option<Value> {
        if let [Piece::Unknown(why)] = value.pieces()
            && value.each().is_empty()
        {
            let changed = value.changed(origin::EXPANSION);
            return Some(match self.takes_all(why) {
                true => or_text(&self.with, changed),
                false => changed,
            });
        }
        let Some(patterns) = &self.patterns else {
            return Some(join_values(value, &Value::unknown(origin::EXPANSION)));
        };
        let mut all: Option<Value> = None;
        let mut add = |one: Value| {
            all = Some(all.as_ref().map_or(one.clone(), |all| join_values(all, &one)));
        };
        let variants = value.variants(MAX_ALTERNATIVES)?;
        let withs = self.with.variants(MAX_ALTERNATIVES)?;
        if variants.len() * withs.len() * patterns.list.len() > MAX_ALTERNATIVES {
            return None;
        }
        for variant in variants {
            for with in &withs {
                for pattern in &patterns.list {
                    let mut marks = Marks::default();
                    let (text, with) = (marks.text(&variant)?, marks.text(with)?);
                    let changed = marks.value(&change(&text, pattern, &with)?);
                    // A part from outside that is empty does not stand between the others.
                    if variant.has_unknown() {
                        let text = marks.text(&variant.without_unknown())?;
                        let empty = marks.value(&change(&text, pattern, &with)?);
                        if empty.has_name() && empty.without_unknown() != changed.without_unknown()
                        {
                            add(empty);
                        }
                    }
                    add(changed);
                }
            }
        }
        if patterns.foreign {
            add(Value::unknown(origin::EXPANSION));
        }
        all
    }
}

/// Longest text of which all parts are taken.
const LONGEST_CUT: usize = 256;

/// A part of a text, with bounds that are not known. If the text stands in what is judged and holds a path, the
/// part may be that path; if the bounds are counted there, the part stands there too.
#[must_use]
pub fn some_part(value: &Value, count: Option<i64>, counted: bool) -> Value {
    let Some(texts) = value.readings(MAX_ALTERNATIVES) else {
        if value.is_mixed() && value.each().is_empty() {
            let own = value.own_texts();
            if counted && own.iter().any(|text| holds_path(text)) {
                return Value::lost().tainted(value.taint());
            }
            let part = some_part(&value.without_unknown(), count, counted);
            return join_values(&part, &Value::unknown("substring")).tainted(value.taint());
        }
        return value.changed("substring");
    };
    let windows = |length: i64| {
        let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
        let short = texts.iter().all(|text| text.len() <= LONGEST_CUT);
        let all = || texts.iter().flat_map(|text| parts_of_length(text, length));
        let parts: BTreeSet<String> = short.then(|| all().collect())?;
        (parts.len() <= MAX_ALTERNATIVES).then(|| Value::one_of(parts))
    };
    let part = match count.filter(|_| counted).and_then(windows) {
        Some(parts) => parts,
        None if counted || texts.iter().any(|text| holds_path(text)) => Value::lost(),
        None => Value::unknown("substring"),
    };
    part.tainted(value.taint())
}

/// Every part of a text that has this length, or less at its end.
fn parts_of_length(text: &str, length: usize) -> impl Iterator<Item = String> {
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.map(move |at| text.get(at..).unwrap_or_default().chars().take(length).collect())
}

fn holds_path(text: &str) -> bool {
    let name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    text.split('/').skip(1).any(name)
}
