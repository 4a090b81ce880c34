//! What `env`, `printenv`, `set` and `declare -p` print of the variables that the text has set.

use super::Interp;
use aegish_expansion::Field;
use aegish_shell_state::{Variable, VariableContent};
use aegish_values::{Piece, Value, join_values, origin};

/// Variables that are listed by name.
const MAX_LISTED: usize = 64;

impl Interp<'_> {
    /// What `printenv` or `env` prints.
    pub(super) fn printed_environment(&self, base: &str, words: &[Field]) -> Option<Value> {
        if let ("printenv", [name]) = (base, words)
            && let Some(name) = name.value.as_known().filter(|name| !name.starts_with('-'))
        {
            let variable = self.state.variables.get(name).filter(|variable| variable.exported)?;
            let mut value = variable.content.scalar()?;
            value.push_str("\n");
            return Some(match variable.perhaps_unset {
                true => join_values(&value, &Value::empty()),
                false => value,
            });
        }
        self.listed_variables(true)
    }

    /// Whether the text has given a variable a value that it knows.
    pub(crate) fn holds_own_text(&self, exported: bool) -> bool {
        self.own_variables(exported).next().is_some()
    }

    fn own_variables(&self, exported: bool) -> impl Iterator<Item = (&String, &Variable)> {
        self.state.variables.iter().filter(move |(name, variable)| {
            let own = |value: &Value| value.has_text() || value.has_name();
            (variable.exported || !exported)
                && !matches!(name.as_str(), "PWD" | "OLDPWD" | "PATH")
                && variable.content.elements().iter().any(own)
        })
    }

    /// Lines `name=value` for the variables that the text has set, and those that come from outside.
    pub(crate) fn listed_variables(&self, exported: bool) -> Option<Value> {
        let mut listed = Value::empty();
        for (count, (name, variable)) in self.own_variables(exported).enumerate() {
            let VariableContent::Scalar(value) = &variable.content else {
                return Some(Value::one_of_many_values());
            };
            let quoted = !exported && !value.as_known().is_some_and(is_plain);
            if count >= MAX_LISTED || variable.perhaps_unset || quoted {
                return Some(Value::one_of_many_values());
            }
            listed.push_str(&format!("{name}="));
            listed.append(value);
            listed.push_str("\n");
        }
        if listed.pieces().is_empty() {
            return None;
        }
        listed.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
        Some(listed)
    }

    /// `declare -p name`: one variable with its attributes, where it is plain.
    pub(crate) fn declared(&self, words: &[Field]) -> Option<Value> {
        let [option, name] = words else { return None };
        let name = name.value.as_known().filter(|_| option.value.as_known() == Some("-p"))?;
        let variable = self.state.variables.get(name)?;
        let letters = [
            (matches!(variable.content, VariableContent::Indexed(_)), 'a'),
            (variable.integer, 'i'),
            (variable.readonly, 'r'),
            (variable.exported, 'x'),
        ];
        let letters: String =
            letters.iter().filter(|(set, _)| *set).map(|(_, letter)| *letter).collect();
        if variable.perhaps_unset || variable.reference || variable.case.is_some() {
            return None;
        }
        let text =
            |value: &Value| value.as_known().filter(|text| is_plain(text)).map(str::to_owned);
        let value = match &variable.content {
            VariableContent::Scalar(value) => format!("\"{}\"", text(value)?),
            VariableContent::Indexed(items) if !items.values().any(Value::is_several) => {
                let element =
                    |(at, value): (&i64, &Value)| Some(format!("[{at}]=\"{}\"", text(value)?));
                let elements: Option<Vec<String>> = items.iter().map(element).collect();
                format!("({})", elements?.join(" "))
            }
            _ => return None,
        };
        let letters = if letters.is_empty() { "-" } else { letters.as_str() };
        Some(Value::known(format!("declare -{letters} {name}={value}\n")))
    }

    /// What `set -x` prints of a command, where its words are plain.
    pub(super) fn traced(&self, fields: &[Field]) -> Option<Value> {
        let prefix = match self.lookup("PS4") {
            Some(value) => value?.as_known().map(str::to_owned)?,
            None => "+ ".to_owned(),
        };
        if prefix.contains(['$', '`', '\\', '!']) {
            return None;
        }
        let words = fields.iter().map(|field| field.value.as_known().filter(|text| is_plain(text)));
        let words: Vec<&str> = words.collect::<Option<_>>()?;
        let line = format!("{prefix}{}\n", words.join(" "));
        if self.frame.nesting.depth == 0 {
            return Some(Value::known(line));
        }
        // In substitutions and `eval` the first character stands there once more.
        let first = prefix.chars().next().map_or_else(String::new, String::from);
        Some(Value::one_of([format!("{first}{line}"), line]))
    }
}

/// Text that bash prints without quotes.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%=".contains(c);
    !text.is_empty() && text.chars().all(plain)
}
