//! Parts of texts and lists: `item 2 of x`, `words of x`, `text 1 thru 3 of x`, `quoted form of x`.

use crate::heap::Items;
use crate::value::{Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::paths::join_paths;
use aegish_values::Value;
use easy_ext::ext;

#[ext(AppleScriptParts)]
pub(super) impl Interpreter<'_> {
    /// `a & b`: a list if one of them is a list, otherwise a text.
    fn joined_parts(&mut self, parts: &[Val]) -> Val {
        if parts.iter().any(|part| matches!(part, Val::List(_) | Val::Tuple(_))) {
            let mut all = Items::default();
            for part in parts {
                match part {
                    Val::List(_) | Val::Tuple(_) => {
                        let items = self.iterate(part);
                        all.list.extend(items.list);
                        if let Some(rest) = items.rest {
                            all.rest = Some(all.rest.map_or(rest.clone(), |all| join(&all, &rest)));
                        }
                    }
                    other => all.list.push(other.clone()),
                }
            }
            return self.heap.list(all);
        }
        let mut text = Value::empty();
        for part in parts {
            text.append(&part.to_text());
        }
        Val::Text(text)
    }

    /// A value as a text; between the items of a list stand the delimiters.
    fn as_text(&mut self, value: &Val, delimiters: &Val) -> Val {
        match value {
            Val::OneOf(_) => self.each(value, |this, one| this.as_text(one, delimiters)),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(value);
                if let Some(rest) = &items.rest {
                    return Val::Text(part_of(&rest.to_text()));
                }
                let between = self.delimiter(delimiters);
                let mut text = Value::empty();
                for (place, item) in items.list.iter().enumerate() {
                    if place > 0 {
                        text.append(&between);
                    }
                    let Val::Text(item) = self.as_text(item, delimiters) else {
                        return Val::unknown();
                    };
                    text.append(&item);
                }
                Val::Text(text)
            }
            other => Val::Text(other.to_text()),
        }
    }

    /// The first delimiter is the one that is put between items.
    fn delimiter(&mut self, delimiters: &Val) -> Value {
        match delimiters {
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(delimiters);
                items.list.first().or(items.rest.as_ref()).map(Val::to_text).unwrap_or_default()
            }
            other => other.to_text(),
        }
    }

    /// One of the items of a value.
    fn element_of(&mut self, value: &Val) -> Val {
        let items = self.iterate(value);
        let all = items.list.into_iter().chain(items.rest);
        all.reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
    }

    /// The character with a number, or those with the numbers of a list.
    fn characters_of(&mut self, numbers: &Val) -> Val {
        let list = match numbers {
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(numbers);
                if items.rest.is_some() {
                    return Val::Text(Value::lost());
                }
                items.list
            }
            other => vec![other.clone()],
        };
        let text: Option<String> = list
            .iter()
            .map(|number| char::from_u32(u32::try_from(number.as_int()?).ok()?))
            .collect();
        text.map_or_else(|| Val::Text(Value::lost()), Val::text)
    }

    /// What a text is made of, by the name of the class; none if it is not known.
    fn pieces(&mut self, class: &str, object: &Val, delimiters: &Val) -> Option<Vec<Val>> {
        if let Val::List(_) | Val::Tuple(_) = object {
            let items = self.iterate(object);
            return match items.rest {
                None => Some(items.list),
                Some(_) => None,
            };
        }
        let text = object.as_known()?;
        Some(match class {
            "character" | "characters" | "item" | "items" | "text" => {
                text.chars().map(|c| Val::text(c.to_string())).collect()
            }
            "word" | "words" => {
                let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
                let words = text.split(|c| !inside(c)).filter(|word| !word.is_empty());
                words.map(Val::text).collect()
            }
            "paragraph" | "paragraphs" => text.split(['\n', '\r']).map(Val::text).collect(),
            "text item" | "text items" => {
                let between = self.delimiter(delimiters).as_known()?.to_owned();
                match between.as_str() {
                    "" => text.chars().map(|c| Val::text(c.to_string())).collect(),
                    between => text.split(between).map(Val::text).collect(),
                }
            }
            _ => return None,
        })
    }

    /// A property of a value, or all its parts of a class.
    fn part_of_value(&mut self, words: &str, object: &Val, delimiters: &Val) -> Val {
        if let Val::OneOf(_) = object {
            return self.each(object, |this, one| this.part_of_value(words, one, delimiters));
        }
        match words {
            "posix path" => return Val::Text(object.to_text()),
            "quoted form" => return Val::Text(quoted(&object.to_text())),
            "text" | "contents" | "value" | "string value" => return object.clone(),
            "id" => return self.numbers_of(object),
            "length" | "number of items" | "number of characters" | "count" => {
                let pieces = self.pieces("items", object, delimiters);
                let count = pieces.and_then(|all| i64::try_from(all.len()).ok());
                return count.map_or_else(Val::unknown, Val::Int);
            }
            _ => {}
        }
        // `x of record`
        if let Val::Dict(place) = object {
            let key = Val::text(words);
            let entries = self.heap.entries(*place);
            let known = entries.list.iter().find(|(known, _)| *known == key);
            return match (known, &entries.rest) {
                (Some((_, value)), None) => value.clone(),
                (Some((_, value)), Some(rest)) => join(value, rest),
                (None, Some(rest)) => rest.clone(),
                (None, None) => Val::unknown(),
            };
        }
        let ordinal = |word: &str| {
            Some(match word {
                "first" => 1,
                "second" => 2,
                "third" => 3,
                "fourth" => 4,
                "fifth" => 5,
                "last" | "back" => -1,
                _ => return None,
            })
        };
        if let Some((first, class)) = words.split_once(' ')
            && let Some(place) = ordinal(first)
        {
            return self.items_of_value(class, object, delimiters, &Val::Int(place), &Val::None);
        }
        let pieces = match words {
            "rest" => self.pieces("items", object, delimiters).map(|mut all| {
                all.drain(..1.min(all.len()));
                all
            }),
            "reverse" => self.pieces("items", object, delimiters).map(|mut all| {
                all.reverse();
                all
            }),
            class => self.pieces(class, object, delimiters),
        };
        match pieces {
            Some(list) => self.heap.list(Items { list, rest: None }),
            None => self.unknown_part(object),
        }
    }

    /// The items with these numbers, which count from one, or from the end if they are negative.
    fn items_of_value(
        &mut self,
        words: &str,
        object: &Val,
        delimiters: &Val,
        from: &Val,
        to: &Val,
    ) -> Val {
        if let Val::OneOf(_) = object {
            return self
                .each(object, |this, one| this.items_of_value(words, one, delimiters, from, to));
        }
        // The first items of a list may be known, even if not all are.
        if let (Val::List(_), Some(number), Val::None) = (object, from.as_int(), to)
            && let Some(place) = number.checked_sub(1).and_then(|place| usize::try_from(place).ok())
            && let Some(item) = self.iterate(object).list.get(place)
        {
            return item.clone();
        }
        let Some(pieces) = self.pieces(words, object, delimiters) else {
            // A file in a folder by its name.
            if let (Val::Path(folder), Some(name)) = (object, from.as_known()) {
                return Val::Path(join_paths(&[folder.clone(), Value::known(name)]));
            }
            return self.unknown_part(object);
        };
        let count = i64::try_from(pieces.len()).unwrap_or(i64::MAX);
        let place = |value: &Val| {
            let number = value.as_int()?;
            let place = if number < 0 { count + number } else { number - 1 };
            usize::try_from(place).ok()
        };
        let (Some(first), last) = (place(from), place(to)) else {
            return self.unknown_part(object);
        };
        if *to == Val::None {
            return pieces.get(first).cloned().unwrap_or_else(Val::unknown);
        }
        let Some(chosen) = last.and_then(|last| pieces.get(first..=last)) else {
            return self.unknown_part(object);
        };
        if words == "text" {
            return self.joined_parts(chosen);
        }
        self.heap.list(Items { list: chosen.to_vec(), rest: None })
    }

    /// `id of x`: the numbers of the characters.
    fn numbers_of(&mut self, object: &Val) -> Val {
        let Some(text) = object.as_known() else { return self.unknown_part(object) };
        let numbers: Vec<Val> = text.chars().map(|c| Val::Int(i64::from(u32::from(c)))).collect();
        match numbers.as_slice() {
            [only] => only.clone(),
            _ => self.heap.list(Items { list: numbers, rest: None }),
        }
    }

    fn unknown_part(&mut self, object: &Val) -> Val {
        match object {
            Val::Text(text) => Val::Text(part_of(text)),
            Val::List(_) | Val::Tuple(_) => self.element_of(object),
            other => Val::tainted(self.taint_of(other)),
        }
    }
}

/// A text as one word for the shell.
fn quoted(text: &Value) -> Value {
    match text.as_known() {
        Some(known) => {
            Value::known(format!("'{}'", known.replace('\'', "'\\''"))).tainted(text.taint())
        }
        None => text.clone(),
    }
}
