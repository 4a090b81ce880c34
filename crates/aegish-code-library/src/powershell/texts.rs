//! Methods of texts and lists.

use super::{PowerShellValues, each_text, number};
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{Args, Val, part_of};
use aegish_values::Value;

/// Methods of texts and lists.
pub trait PowerShellTexts: Machine {
    /// A method of a text; none if texts have no such method.
    fn powershell_text_method(&mut self, text: &Value, name: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        let given = first.as_ref().map(|value| self.powershell_text(value));
        let second = args.get(1).map(|value| self.powershell_text(value));
        let at = |place: usize| args.get(place).and_then(number).map(usize::try_from);
        let known = given.as_ref().map(|given| given.as_known().map(str::to_owned));
        let lost = || Some(Val::Text(part_of(text)));
        let signs: Option<Vec<char>> = if args.list.is_empty() {
            Some(vec![' ', '\t', '\r', '\n'])
        } else {
            let mut all = String::new();
            for value in &args.list {
                let items = self.powershell_items(value);
                all.push_str(self.joined(&items, &Value::empty()).as_known().unwrap_or_default());
            }
            (args.rest.is_none()).then(|| all.chars().collect())
        };
        Some(match name {
            "tostring" | "normalize" | "clone" | "trimpath" => Val::Text(text.clone()),
            "toupper" | "toupperinvariant" => {
                each_text(text, |text| Some(Val::text(text.to_uppercase())))
            }
            "tolower" | "tolowerinvariant" => {
                each_text(text, |text| Some(Val::text(text.to_lowercase())))
            }
            "trim" | "trimstart" | "trimend" => {
                let Some(signs) = signs else { return lost() };
                each_text(text, |text| {
                    let text = if name == "trimend" {
                        text
                    } else {
                        text.trim_start_matches(signs.as_slice())
                    };
                    Some(Val::text(match name {
                        "trimstart" => text,
                        _ => text.trim_end_matches(signs.as_slice()),
                    }))
                })
            }
            "replace" => match (known, second.as_ref().map(Value::as_known)) {
                (Some(Some(from)), Some(Some(to))) if !from.is_empty() => each_text(text, |text| {
                    (text.len() < crate::decode::LIMIT / 8)
                        .then(|| Val::text(text.replace(&*from, to)))
                }),
                (Some(Some(from)), None) if !from.is_empty() => {
                    each_text(text, |text| Some(Val::text(text.replace(&*from, ""))))
                }
                _ => {
                    let mut all = text.clone();
                    all.append(&second.unwrap_or_default());
                    Val::Text(part_of(&all))
                }
            },
            "substring" | "remove" => {
                let (Some(Ok(start)), end) = (at(0), at(1)) else { return lost() };
                let length = match end {
                    None => None,
                    Some(Ok(length)) => Some(length),
                    Some(Err(_)) => return lost(),
                };
                // A length that is not known.
                if length.is_none() && args.list.len() > 1 {
                    return lost();
                }
                each_text(text, |text| {
                    let chars: Vec<char> = text.chars().collect();
                    let end = length.map_or(chars.len(), |length| start.saturating_add(length));
                    let inner = chars.get(start..end)?;
                    Some(Val::text(match name {
                        "substring" => inner.iter().collect::<String>(),
                        _ => chars.get(..start)?.iter().chain(chars.get(end..)?).collect(),
                    }))
                })
            }
            "insert" => {
                let (Some(Ok(place)), Some(more)) = (at(0), second) else { return lost() };
                let Some(more) = more.as_known() else { return lost() };
                each_text(text, |text| {
                    let (before, behind) = text.split_at_checked(place)?;
                    Some(Val::text(format!("{before}{more}{behind}")))
                })
            }
            "padleft" | "padright" => {
                let Some(Ok(width)) = at(0) else { return lost() };
                let sign = match &second {
                    None => ' ',
                    Some(sign) => match sign.as_known().and_then(|sign| sign.chars().next()) {
                        Some(sign) => sign,
                        None => return lost(),
                    },
                };
                each_text(text, |text| {
                    let missing = width.saturating_sub(text.chars().count()).min(4096);
                    let fill: String = std::iter::repeat_n(sign, missing).collect();
                    Some(Val::text(match name {
                        "padleft" => format!("{fill}{text}"),
                        _ => format!("{text}{fill}"),
                    }))
                })
            }
            "split" => {
                let list = match (text.as_known(), signs) {
                    (Some(known), Some(signs)) => split(known, args, &signs),
                    _ => None,
                };
                let items = match list {
                    Some(list) => Items { list, rest: None },
                    None => Items { list: Vec::new(), rest: Some(Val::Text(part_of(text))) },
                };
                self.heap().list(items)
            }
            "tochararray" | "getenumerator" | "chars" => match name {
                "chars" => {
                    let Some(Ok(place)) = at(0) else { return lost() };
                    each_text(text, |text| {
                        text.chars().nth(place).map(|c| Val::text(c.to_string()))
                    })
                }
                _ => {
                    return super::casts::PowerShellCasts::powershell_cast(
                        self,
                        "char[]",
                        &Val::Text(text.clone()),
                    );
                }
            },
            "contains" | "startswith" | "endswith" => match (text.as_known(), known) {
                (Some(text), Some(Some(part))) if args.list.len() == 1 => Val::Bool(match name {
                    "contains" => text.contains(&*part),
                    "startswith" => text.starts_with(&*part),
                    _ => text.ends_with(&*part),
                }),
                _ => Val::unknown(),
            },
            "indexof" | "lastindexof" => match (text.as_known(), known) {
                (Some(text), Some(Some(part))) if args.list.len() == 1 => {
                    let found =
                        if name == "indexof" { text.find(&*part) } else { text.rfind(&*part) };
                    let place =
                        found.and_then(|at| text.get(..at)).map(|text| text.chars().count());
                    Val::Int(place.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1))
                }
                _ => Val::unknown(),
            },
            "equals" | "compareto" | "gethashcode" | "gettypecode" | "isnormalized" => {
                Val::unknown()
            }
            _ => return None,
        })
    }
}

impl<M: Machine> PowerShellTexts for M {}

/// The parts between the signs; a text of several characters is one sign in newer versions, each of them in older ones.
fn split(text: &str, args: &Args, signs: &[char]) -> Option<Vec<Val>> {
    if args.list.len() > 1 || args.rest.is_some() || text.len() > 64 * 1024 {
        return None;
    }
    match args.list.first().and_then(Val::as_known) {
        Some(whole) if whole.chars().count() > 1 => {
            let parts: Vec<&str> = text.split(whole.as_str()).collect();
            let others: Vec<&str> = text.split(signs).collect();
            // Only where both agree it does not matter which version runs.
            (parts == others || !text.contains(signs))
                .then(|| parts.into_iter().map(Val::text).collect())
        }
        _ => Some(text.split(signs).map(Val::text).collect()),
    }
}
