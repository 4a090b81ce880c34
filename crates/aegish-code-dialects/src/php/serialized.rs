//! Objects that a text describes: `unserialize`.

use super::callables::PhpCallables;
use super::objects::PhpObjects;
use crate::heap::Entries;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use easy_ext::ext;

/// Deepest nesting that is followed.
const MAX_DEPTH: u32 = 16;

/// Objects that a text describes.
#[ext(PhpSerialized)]
pub(super) impl Interpreter<'_> {
    /// The value that a text describes; none if it is not known.
    fn unserialized(&mut self, text: &Val) -> Option<Val> {
        let known = text.as_known()?;
        let mut rest = known.as_str();
        self.serialized(&mut rest, 0)
    }

    fn serialized(&mut self, rest: &mut &str, depth: u32) -> Option<Val> {
        if depth > MAX_DEPTH || !self.burn(1) {
            return None;
        }
        let kind = rest.get(..1)?;
        match kind {
            "N" => {
                skip(rest, "N;")?;
                Some(Val::None)
            }
            "b" | "i" => {
                let number: i64 = until(rest.get(2..)?, rest, ';')?.parse().ok()?;
                Some(if kind == "b" { Val::Bool(number != 0) } else { Val::Int(number) })
            }
            "d" => {
                until(rest.get(2..)?, rest, ';')?;
                Some(Val::unknown())
            }
            "s" => {
                let length: usize = until(rest.get(2..)?, rest, ':')?.parse().ok()?;
                let text = rest.get(1..=length)?.to_owned();
                *rest = rest.get(length + 2..)?;
                skip(rest, ";")?;
                Some(Val::text(text))
            }
            "a" => {
                let count: usize = until(rest.get(2..)?, rest, ':')?.parse().ok()?;
                let list = self.serialized_pairs(rest, count, depth)?;
                Some(self.php_array(Entries { list, rest: None }))
            }
            "O" => {
                until(rest.get(2..)?, rest, ':')?;
                let name = until(rest.get(1..)?, rest, '"')?.to_owned();
                skip(rest, ":")?;
                let count: usize = until(rest.get(..)?, rest, ':')?.parse().ok()?;
                let class = self.class_named(&Val::text(name));
                let object = match &class {
                    Val::Class(class) => {
                        let object = self.instance_of(class);
                        self.php_fields(class, &object);
                        object
                    }
                    _ => Val::unknown(),
                };
                for (key, value) in self.serialized_pairs(rest, count, depth)? {
                    // Private and protected properties have their class in front.
                    let key = key.as_known()?;
                    let property = key.rsplit('\0').next().unwrap_or(&key);
                    self.php_set_attribute(&object, &format!("${property}").into(), value);
                }
                if let Some(method) = self.special(&object, "__wakeup") {
                    self.call(&method, Args::default());
                }
                Some(object)
            }
            _ => None,
        }
    }

    fn serialized_pairs(
        &mut self,
        rest: &mut &str,
        count: usize,
        depth: u32,
    ) -> Option<Vec<(Val, Val)>> {
        skip(rest, "{")?;
        let mut list = Vec::new();
        for _ in 0..count {
            let key = self.serialized(rest, depth + 1)?;
            let value = self.serialized(rest, depth + 1)?;
            list.push((key, value));
        }
        skip(rest, "}")?;
        Some(list)
    }
}

fn skip(rest: &mut &str, part: &str) -> Option<()> {
    *rest = rest.strip_prefix(part)?;
    Some(())
}

/// The text up to a sign; the rest begins behind it.
fn until<'a>(text: &'a str, rest: &mut &'a str, sign: char) -> Option<&'a str> {
    let (found, behind) = text.split_once(sign)?;
    *rest = behind;
    Some(found)
}
