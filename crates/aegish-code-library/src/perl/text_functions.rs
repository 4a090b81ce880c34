//! Functions on texts and numbers.

use super::lists::PerlLists;
use super::values::PerlValues;
use crate::Formatting;
use crate::machine::Machine;
use crate::perl::{self, texts};
use crate::value::{Args, Val, join, part_of};
use aegish_values::Value;

/// Most texts that a text is one of and that a function is applied to each of.
const READINGS: usize = 16;

/// Functions on texts and numbers.
pub trait PerlTexts: Machine {
    /// Applies a function to each text that a value may be.
    fn each_text(
        &mut self,
        value: &Val,
        make: &mut dyn FnMut(&mut Self, &str) -> Option<Val>,
    ) -> Val {
        let text = self.perl_text(value);
        let Some(readings) = text.readings(READINGS) else { return Val::Text(part_of(&text)) };
        let mut result: Option<Val> = None;
        for reading in readings {
            self.burn(reading.len() / 64);
            let one = make(self, &reading).unwrap_or_else(|| Self::lost(&text));
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        match result.unwrap_or(Val::None) {
            Val::Text(made) => Val::Text(made.tainted(text.taint())),
            other => other,
        }
    }

    fn perl_text_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let int = |place: usize| args.list.get(place).and_then(perl::number);
        let given = |place: usize| !matches!(args.list.get(place), None | Some(Val::None));
        Some(match path {
            "lc" | "fc" => {
                self.each_text(&first, &mut |_, text| Some(Val::text(text.to_lowercase())))
            }
            "uc" => self.each_text(&first, &mut |_, text| Some(Val::text(text.to_uppercase()))),
            "ucfirst" | "lcfirst" => self.each_text(&first, &mut |_, text| {
                Some(Val::text(texts::first_changed(text, path == "ucfirst")))
            }),
            "quotemeta" => {
                self.each_text(&first, &mut |_, text| Some(Val::text(texts::quoted(text))))
            }
            "<reverse-text>" => {
                let text = Val::Text(self.joined("", args));
                self.each_text(&text, &mut |_, text| {
                    Some(Val::text(text.chars().rev().collect::<String>()))
                })
            }
            "length" => match self.perl_text(&first).as_known() {
                Some(text) => Val::Int(i64::try_from(text.chars().count()).ok()?),
                None => Val::unknown(),
            },
            "ord" => match self.perl_text(&first).as_known() {
                Some(text) => Val::Int(text.chars().next().map_or(0, |c| i64::from(u32::from(c)))),
                None => Val::unknown(),
            },
            "chr" => match perl::number(&first).and_then(crate::numbers::character) {
                Some(c) => Val::text(c.to_string()),
                None => Val::Text(Value::unknown("computed").tainted(&self.taint_of(&first))),
            },
            "hex" | "oct" => match self.perl_text(&first).as_known() {
                Some(text) => {
                    texts::in_base(text, path == "oct").map_or_else(Val::unknown, Val::Int)
                }
                None => Val::unknown(),
            },
            "int" | "abs" => match perl::number(&first) {
                Some(number) if path == "abs" => {
                    number.checked_abs().map_or_else(Val::unknown, Val::Int)
                }
                Some(number) => Val::Int(number),
                None => Val::unknown(),
            },
            "<increment>" => {
                let by = int(1).unwrap_or(1);
                match &first {
                    Val::OneOf(values) => values
                        .iter()
                        .map(|one| perl::increment(one, by))
                        .reduce(|a, b| join(&a, &b))?,
                    other => perl::increment(other, by),
                }
            }
            "<repeat>" => {
                let count = int(1);
                self.each_text(&first, &mut |_, text| texts::repeated(text, count?).map(Val::text))
            }
            "<order>" => {
                let op = args.get(1)?.as_known()?;
                let second = args.get(2)?.clone();
                let (one, other) = (self.perl_text(&first), self.perl_text(&second));
                let order = match op.as_str() {
                    "<=>" => {
                        perl::number(&first).zip(perl::number(&second)).map(|(a, b)| a.cmp(&b))
                    }
                    "xor" | "isa" | "~~" => None,
                    _ => one.as_known().zip(other.as_known()).map(|(a, b)| a.cmp(b)),
                };
                let Some(order) = order else { return Some(Val::unknown()) };
                match op.as_str() {
                    "lt" => Val::Bool(order.is_lt()),
                    "gt" => Val::Bool(order.is_gt()),
                    "le" => Val::Bool(order.is_le()),
                    "ge" => Val::Bool(order.is_ge()),
                    _ => Val::Int(order as i64),
                }
            }
            "substr" => {
                let (start, count) = (int(1), given(2).then(|| int(2)));
                self.each_text(&first, &mut |_, text| {
                    let count = match count {
                        Some(count) => Some(count?),
                        None => None,
                    };
                    texts::substr(text, start?, count).map(Val::text)
                })
            }
            "<substr-replace>" => {
                let (start, count) = (int(1), given(2).then(|| int(2)));
                let new = self.perl_text(args.get(3)?);
                let new_known = new.as_known().map(str::to_owned);
                let made = self.each_text(&first, &mut |_, text| {
                    let count = match count {
                        Some(count) => Some(count?),
                        None => None,
                    };
                    texts::replaced(text, start?, count, new_known.as_deref()?).map(Val::text)
                });
                if new_known.is_some() { made } else { join(&made, &Val::Text(new)) }
            }
            "index" | "rindex" => {
                let part = args.get(1).map(|part| self.perl_text(part)).unwrap_or_default();
                let from = given(2).then(|| int(2)).flatten();
                match (self.perl_text(&first).as_known(), part.as_known()) {
                    (Some(text), Some(part)) if text.len() < 8192 => {
                        Val::Int(texts::index(text, part, from, path == "rindex")?)
                    }
                    _ => Val::unknown(),
                }
            }
            "sprintf" => {
                let format = self.perl_text(&first);
                let values: Vec<Val> = args
                    .list
                    .iter()
                    .skip(1)
                    .map(|value| match value {
                        Val::Int(_) => value.clone(),
                        other => Val::Text(self.perl_text(other)),
                    })
                    .chain(args.rest.clone())
                    .collect();
                Val::Text(self.perl_format(&format, values))
            }
            "<chomp>" => {
                let chop = args.get(1).and_then(Val::as_known).as_deref() == Some("chop");
                let text = self.perl_text(&first);
                if text.readings(READINGS).is_none() && !chop {
                    return Some(first);
                }
                self.each_text(&first, &mut |_, text| {
                    let mut text = text.to_owned();
                    if chop || text.ends_with('\n') {
                        text.pop();
                    }
                    Some(Val::text(text))
                })
            }
            "<chomp-list>" => {
                let items = self.perl_iterate(&first);
                let how = args.get(1)?.clone();
                let mut made = crate::heap::Items::default();
                for item in items.list {
                    let args = Args::of(vec![item, how.clone()]);
                    made.list.push(self.perl_text_function("<chomp>", &args)?);
                }
                made.rest = items.rest;
                if let Val::List(place) = first {
                    self.heap().write(place, crate::heap::Cell::List(std::rc::Rc::new(made)));
                }
                Val::unknown()
            }
            "pack" => {
                let template = self.perl_text(&first);
                let items: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                let made = match (template.as_known(), &args.rest) {
                    (Some(template), None) => perl::packed::pack(template, &items),
                    _ => None,
                };
                made.unwrap_or_else(|| {
                    let outside =
                        items.iter().chain(&args.rest).any(|item| item.to_text().has_unknown());
                    let mut taint = aegish_values::Taint::none();
                    items.iter().for_each(|item| taint.absorb(&self.taint_of(item)));
                    let why = if outside { "packed" } else { crate::value::LOST };
                    Val::Text(Value::unknown(why).tainted(&taint))
                })
            }
            "unpack" => {
                let template = self.perl_text(&first);
                let value = match args.list.get(1) {
                    Some(value) => value.clone(),
                    None => self.lookup(&"$_".into()),
                };
                let text = match &value {
                    Val::Bytes(bytes) => {
                        Value::known(bytes.iter().map(|byte| char::from(*byte)).collect::<String>())
                    }
                    other => self.perl_text(other),
                };
                let made = match (template.as_known(), text.as_known()) {
                    (Some(template), Some(text)) => perl::packed::unpack(template, text),
                    _ => None,
                };
                match made {
                    Some(list) => Val::Tuple(list.into()),
                    None => {
                        let rest = Some(Self::lost(&text));
                        Self::perl_list(crate::heap::Items { list: Vec::new(), rest })
                    }
                }
            }
            "MIME::Base64.encode_base64" => self.each_text(&first, &mut |_, text| {
                let code = crate::perl::texts::base64(text);
                Some(Val::text(code))
            }),
            "MIME::Base64.decode_base64" | "MIME::Base64.decode" => {
                self.each_text(&first, &mut |_, text| crate::decode::base64(text).map(Val::bytes))
            }
            "URI::Escape.uri_unescape" => self.each_text(&first, &mut |_, text| {
                crate::decode::percent(text, false).map(Val::bytes)
            }),
            "rand" | "time" | "sqrt" | "sin" | "cos" | "exp" | "log" | "atan2" | "crypt"
            | "vec" | "pos" => Val::unknown(),
            _ => return None,
        })
    }

    /// `sprintf`.
    fn perl_format(&mut self, format: &Value, values: Vec<Val>) -> Value {
        // Characters by their number.
        if let Some(known) = format.as_known()
            && known.contains("%c")
            && !known.replace("%c", "").contains('%')
        {
            let mut values = values.into_iter();
            let mut out = Value::empty();
            for (place, part) in known.split("%c").enumerate() {
                if place > 0 {
                    let code = values.next().as_ref().and_then(perl::number);
                    match code.and_then(crate::numbers::character) {
                        Some(c) => out.push_str(&c.to_string()),
                        None => out.push(aegish_values::Piece::Unknown("computed")),
                    }
                }
                out.push_str(part);
            }
            return out;
        }
        if format.as_known().is_some_and(|known| known.contains('$')) {
            let mut taint = format.taint().clone();
            values.iter().for_each(|value| taint.absorb(&self.taint_of(value)));
            return Value::unknown(crate::value::LOST).tainted(&taint);
        }
        self.percent_format(format, &Val::Tuple(values.into()))
    }
}

impl<M: Machine> PerlTexts for M {}
