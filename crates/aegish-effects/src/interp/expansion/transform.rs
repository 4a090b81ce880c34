//! `${x@U}` and the other transformations.

use super::super::Interp;
use super::found::Found;
use aegish_expansion::Builder;
use aegish_expansion::operators::{change_case, in_quotes, prompt};
use aegish_shell_state::{ANY_KEY, VariableContent};
use aegish_syntax::{Param, Part};
use aegish_values::{Value, join_values};

impl Interp<'_> {
    /// `${x@Q}` and the like.
    pub(super) fn transform(
        &mut self,
        kind: char,
        param: &Param,
        found: Found,
        quoted: bool,
        out: &mut Builder,
    ) {
        match kind {
            'U' => self.emit_mapped(found, quoted, out, |text| Some(text.to_uppercase())),
            'L' => self.emit_mapped(found, quoted, out, |text| Some(text.to_lowercase())),
            'u' => self.emit_mapped(found, quoted, out, |text| change_case(text, '^', false, None)),
            'k' | 'K' if matches!(found, Found::Many { .. }) => {
                let Found::Many { joined, .. } = found else { return };
                match (kind, self.pairs(param)) {
                    ('k', Some(pairs)) => {
                        let items: Vec<Value> =
                            pairs.into_iter().flat_map(|(key, value)| [key, value]).collect();
                        self.emit_many(&items, joined, quoted, out);
                    }
                    _ => out.value(&Value::one_of_many_values(), quoted, true),
                }
            }
            // Attributes of the variable, and all elements of an array, belong to it.
            'A' if self.is_plain(&param.name) && !matches!(found, Found::Many { .. }) => {
                let name = &param.name;
                self.emit_mapped(found, quoted, out, |text| {
                    Some(format!("{name}={}", in_quotes(text)))
                });
            }
            'A' => out.value(&Value::one_of_many_values(), quoted, true),
            'Q' | 'k' | 'K' => {
                self.emit_mapped(found, quoted, out, |text| Some(in_quotes(text)));
            }
            'E' => self.emit_mapped(found, quoted, out, |text| {
                if !text.contains('\\') {
                    return Some(text.to_owned());
                }
                let script = aegish_syntax::parse(&format!("x $'{}'", text.replace('\'', "\\'")));
                script.body.items.first().and_then(|item| {
                    match &item.first.commands.first()?.kind {
                        aegish_syntax::CommandKind::Simple(simple) => {
                            match simple.words.get(1)?.parts.first()? {
                                Part::AnsiC(decoded) => Some(decoded.clone()),
                                _ => None,
                            }
                        }
                        _ => None,
                    }
                })
            }),
            // `@P` expands the value like a prompt, command substitutions included.
            'P' => {
                let value = found.into_value();
                self.check_name(&value);
                let mut expanded: Option<Value> = None;
                for text in value.own_texts() {
                    let one = match prompt(&text) {
                        Some(text) => self.expand_text(&text),
                        None => {
                            let _ = self.expand_text(&text);
                            Value::unknown("prompt")
                        }
                    };
                    expanded = Some(match expanded {
                        Some(before) => join_values(&before, &one),
                        None => one,
                    });
                }
                let expanded = match expanded {
                    Some(one) if value.has_unknown() => {
                        join_values(&one, &Value::unknown("prompt"))
                    }
                    Some(one) => one,
                    None => value,
                };
                out.value(&expanded, quoted, true);
            }
            _ => out.value(&found.into_value().changed("transformation"), quoted, true),
        }
    }

    /// Keys and values of an array; none if elements have no certain place.
    fn pairs(&self, param: &Param) -> Option<Vec<(Value, Value)>> {
        let pairs: Vec<(Value, Value)> = match self.variable_content(&param.name)? {
            VariableContent::Indexed(items) => items
                .iter()
                .map(|(key, value)| (Value::known(key.to_string()), value.clone()))
                .collect(),
            VariableContent::Keyed(items) if !items.contains_key(ANY_KEY) => items
                .iter()
                .map(|(key, value)| (Value::known(key.as_str()), value.clone()))
                .collect(),
            _ => return None,
        };
        // The order of keys is that of a hash table.
        let certain = pairs.len() < 2
            || matches!(self.variable_content(&param.name), Some(VariableContent::Indexed(_)));
        (certain && !pairs.iter().any(|(_, value)| value.is_several())).then_some(pairs)
    }

    /// Whether a variable has no attributes.
    fn is_plain(&self, name: &str) -> bool {
        self.state.variables.get(name).is_none_or(|variable| {
            !variable.integer
                && !variable.exported
                && !variable.readonly
                && !variable.reference
                && variable.case.is_none()
        })
    }
}
