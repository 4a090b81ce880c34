//! One value for several that something may be, and for those that a loop makes of another.

use crate::origin;
use crate::taint::Taint;
use crate::value::{BRANCH, LOST, MAX_ALTERNATIVES, Piece, TOO_MANY, Value};

/// A value that is either of the two.
#[must_use]
pub fn join_values(a: &Value, b: &Value) -> Value {
    if a == b {
        return a.clone();
    }
    let joined = joined(a, b);
    joined.with_several(a.is_several() || b.is_several())
}

/// A value that is any of these. The same as joining one after the other, but texts are put together once.
#[must_use]
pub fn join_all<'a>(values: impl IntoIterator<Item = &'a Value>) -> Option<Value> {
    let mut texts: Vec<&'a Value> = Vec::new();
    let mut others: Vec<&'a Value> = Vec::new();
    for value in values {
        let known = match value.as_known() {
            Some(_) if texts.len() <= MAX_ALTERNATIVES => &mut texts,
            // One more than there may be: the others change nothing.
            Some(_) if value.taint().is_none() => continue,
            _ => &mut others,
        };
        if !known.contains(&value) {
            known.push(value);
        }
    }
    let mut others = others.into_iter();
    let first = match texts.as_slice() {
        [] => others.next()?.clone(),
        [only] => (*only).clone(),
        texts => any_text(texts),
    };
    Some(others.fold(first, |all, value| join_values(&all, value)))
}

/// One of several known texts.
fn any_text(texts: &[&Value]) -> Value {
    let joined = match texts.len() <= MAX_ALTERNATIVES {
        true => Value::one_of(texts.iter().filter_map(|text| text.as_known()).map(str::to_owned)),
        false => Value::unknown(TOO_MANY),
    };
    let mut taint = Taint::none();
    texts.iter().for_each(|text| taint.absorb(text.taint()));
    joined.tainted(&taint).with_several(texts.iter().any(|text| text.is_several()))
}

fn joined(a: &Value, b: &Value) -> Value {
    let taint = taint_of(a, b);
    if a.is_one_of_many() || b.is_one_of_many() {
        return Value::unknown(TOO_MANY).tainted(&taint);
    }
    if a.is_one_of_many_values() || b.is_one_of_many_values() {
        return Value::one_of_many_values().tainted(&taint);
    }
    let (mut texts, others) = texts_of(a);
    let (theirs, more) = texts_of(b);
    let new: Vec<String> = theirs.into_iter().filter(|text| !texts.contains(text)).collect();
    texts.extend(new);
    if texts.len() > MAX_ALTERNATIVES {
        let many = match others || more {
            true => Value::one_of_many_values(),
            false => Value::unknown(TOO_MANY),
        };
        return many.tainted(&taint);
    }
    if !(others || more) {
        return Value::one_of(texts).tainted(&taint);
    }
    // One of the texts, or something else: an unknown piece may be empty.
    texts.retain(|text| !text.is_empty());
    let mut joined = Value::empty();
    if !texts.is_empty() {
        texts.push(String::new());
        joined = Value::one_of(texts);
    }
    // A pattern stands in what is judged, and cannot be one of several texts. In the working directory it counts as any
    // other name there; with nothing before it, it is what a loop over files leaves behind.
    let both = !a.pieces().is_empty() && !b.pieces().is_empty();
    let lost = both && (a.is_path_pattern() || b.is_path_pattern());
    joined.push(Piece::Unknown(if lost { LOST } else { BRANCH }));
    if !lost && (says_more(a) || says_more(b) || joined.pieces().len() > 1) {
        joined.set_each(a.possible().iter().chain(b.possible()).cloned().collect());
    }
    joined.tainted(&taint)
}

/// A value that is either of the two, as something from outside decides. Of several such, not every combination is kept.
#[must_use]
pub fn either_value(a: &Value, b: &Value) -> Value {
    let mut joined = join_values(a, b);
    if a != b && !joined.is_cut() {
        joined.set_each(a.possible().iter().chain(b.possible()).cloned().collect());
    }
    joined
}

/// What is printed if it is either of the two. Where neither says a text of its own it is the longer one, which may be empty.
#[must_use]
pub fn either_output(a: &Value, b: &Value) -> Value {
    let says = |value: &Value| {
        value.is_one_of_many()
            || value.is_one_of_many_values()
            || !value.each().is_empty()
            || value.pieces().iter().any(|piece| match piece {
                Piece::Unknown(_) => false,
                // The end of a line that is not known.
                Piece::Text(text) => !value.has_unknown() || !text.trim().is_empty(),
                _ => true,
            })
    };
    if says(a) || says(b) {
        return join_values(a, b);
    }
    let longer = if a.pieces().len() > b.pieces().len() { a } else { b };
    longer.clone().tainted(&taint_of(a, b))
}

fn taint_of(a: &Value, b: &Value) -> Taint {
    let mut taint = a.taint().clone();
    taint.absorb(b.taint());
    taint
}

/// Whether the judged text says a part of the value that a piece beside others cannot say.
fn says_more(value: &Value) -> bool {
    let says = |piece: &Piece| !matches!(piece, Piece::Unknown(_));
    match value.pieces() {
        _ if !value.each().is_empty() => true,
        pieces => pieces.iter().any(says) && value.readings(MAX_ALTERNATIVES).is_none(),
    }
}

/// The texts that a value may be, and whether it may be something else.
fn texts_of(value: &Value) -> (Vec<String>, bool) {
    match value.pieces() {
        [Piece::OneOf(texts), Piece::Unknown(BRANCH)] => (texts.clone(), true),
        _ => match value.readings(MAX_ALTERNATIVES) {
            Some(texts) => (texts, false),
            None => (Vec::new(), true),
        },
    }
}

/// Values on different ways that a loop makes one by one. Afterwards the start of a further one is not kept.
const MOST_GROWN: usize = 4;

/// The value `now`, or what it was one round of a loop before; after a few rounds it stays the same.
#[must_use]
pub fn widen_value(now: &Value, before: &Value) -> Value {
    if now == before {
        return now.clone();
    }
    let taint = taint_of(now, before);
    let counter = |value: &Value| {
        value.as_known().is_some_and(|text| text.parse::<i64>().is_ok())
            || matches!(value.pieces(), [Piece::Unknown(origin::COUNTER)])
    };
    if counter(now) && counter(before) {
        return Value::unknown(origin::COUNTER).tainted(&taint);
    }
    let start = before.known_prefix();
    if !start.is_empty() && now.known_prefix().starts_with(start) {
        let mut grown = Value::known(start);
        // One of several texts in each round, put together: they may name anything.
        let foreign = |piece: &Piece| matches!(piece, Piece::Unknown(why) if ![origin::GROWN, origin::COUNTER].contains(why));
        let several = now.is_one_of_own() && !now.pieces().iter().any(foreign);
        // Letters of the text that each round adds may become a name.
        let added = now.known_prefix().strip_prefix(start).unwrap_or_default();
        grown.append(&match several {
            true => Value::lost(),
            false if added.contains(char::is_alphanumeric) => Value::one_of_many_values(),
            false => Value::unknown(origin::GROWN),
        });
        return grown.tainted(&taint);
    }
    let mut joined = join_values(before, now);
    if joined.each().len() > MOST_GROWN {
        let mut each = before.possible().to_vec();
        for one in now.possible() {
            let grown = grown(one, before.possible());
            if !each.contains(&grown) {
                each.push(grown);
            }
        }
        joined.set_each(each);
    }
    joined
}

/// A value that begins like one of the round before: what comes before its new part is unknown.
fn grown(value: &Value, before: &[Value]) -> Value {
    if before.contains(value) {
        return value.clone();
    }
    let heads = before.iter().filter(|head| !head.pieces().is_empty());
    let tails = heads.filter_map(|head| value.behind(head));
    let Some(tail) = tails.min_by_key(|tail| tail.pieces().len()) else { return value.clone() };
    let mut grown = Value::unknown(origin::GROWN);
    grown.append(&tail);
    grown.tainted(value.taint())
}

impl Value {
    /// One of several values that come out of a change of this one.
    #[must_use]
    pub fn mapped(&self, mut change: impl FnMut(&Self) -> Self) -> Self {
        let mut each = self.possible().iter();
        let first = each.next().map(&mut change).unwrap_or_default();
        let all = each.fold(first, |all, one| join_values(&all, &change(one)));
        let all = all.tainted(self.taint());
        all.with_several(self.is_several())
    }
}
