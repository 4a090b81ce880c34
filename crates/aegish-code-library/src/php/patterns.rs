//! Regular expressions of PHP: `preg_…`.

use super::PhpValues;
use crate::heap::Entries;
use crate::javascript::patterns::ScriptPatterns;
use crate::machine::Machine;
use crate::value::{Args, Val, part_of};
use std::rc::Rc;

/// The source and the flags of a pattern with its delimiters.
#[must_use]
pub fn split(pattern: &str) -> Option<(String, String)> {
    let pattern = pattern.trim_start();
    let open = pattern.chars().next()?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        c if c.is_ascii_alphanumeric() || c == '\\' => return None,
        c => c,
    };
    let inside = pattern.get(open.len_utf8()..)?;
    let end = inside.rfind(close)?;
    let source = inside.get(..end)?.replace(&format!("\\{open}"), &open.to_string());
    Some((source, inside.get(end + close.len_utf8()..)?.to_owned()))
}

/// A replacement as JavaScript writes it.
fn replacement(text: &str) -> String {
    let mut out = text.to_owned();
    for n in 0..10 {
        let shared = if n == 0 { "$&".to_owned() } else { format!("${n}") };
        out = out.replace(&format!("\\{n}"), &shared).replace(&format!("${{{n}}}"), &shared);
    }
    out.replace("$0", "$&")
}

/// The source of a pattern and its flags.
type Compiled = (Rc<str>, Rc<str>);

/// Functions with regular expressions.
pub trait PhpPatterns: Machine {
    /// `preg_match` and its like: the result, and what matched.
    fn php_matched(&mut self, name: &str, args: &Args) -> (Val, Option<Val>) {
        let subject = args.get(1).map_or_else(Val::unknown, |value| Val::Text(self.text_of(value)));
        let Val::Text(text) = &subject else { return (Val::unknown(), None) };
        let part = Val::Text(part_of(text));
        let unknown = self.php_list(Vec::new(), Some(part.clone()));
        let Some((pattern, known)) = self.pattern_and(args.get(0), text.as_known()) else {
            if name == "preg_match_all" {
                let row = self.php_list(Vec::new(), Some(part.clone()));
                let rows = self.php_list(Vec::new(), Some(crate::value::join(&row, &part)));
                return (Val::unknown(), Some(rows));
            }
            return (Val::unknown(), Some(unknown));
        };
        if name == "preg_match" {
            return match self.matched(&known, "match", &pattern, &Args::default()) {
                Some(Val::None) => {
                    let empty = self.php_array(Entries::default());
                    (Val::Int(0), Some(empty))
                }
                Some(groups) => {
                    let entries = self.php_entries(&groups);
                    (Val::Int(1), Some(self.php_array(entries)))
                }
                None => (Val::unknown(), Some(unknown)),
            };
        }
        let flags: Rc<str> = format!("{}g", pattern.1).into();
        let pattern = (pattern.0, flags);
        match self.matched(&known, "matchAll", &pattern, &Args::default()) {
            Some(rows) if args.list.len() < 4 => {
                // By group: the first row holds what matched as a whole.
                let rows = self.iterate(&rows).list;
                let mut columns: Vec<Vec<Val>> = Vec::new();
                for row in rows {
                    for (at, value) in self.iterate(&row).list.into_iter().enumerate() {
                        if columns.len() <= at {
                            columns.push(Vec::new());
                        }
                        if let Some(column) = columns.get_mut(at) {
                            column.push(value);
                        }
                    }
                }
                let lists: Vec<Val> =
                    columns.into_iter().map(|column| self.php_list(column, None)).collect();
                (Val::unknown(), Some(self.php_list(lists, None)))
            }
            Some(rows) => (Val::unknown(), Some(rows)),
            None => {
                let row = self.php_list(Vec::new(), Some(part.clone()));
                (
                    Val::unknown(),
                    Some(self.php_list(Vec::new(), Some(crate::value::join(&row, &part)))),
                )
            }
        }
    }

    fn pattern_and(
        &mut self,
        pattern: Option<&Val>,
        text: Option<&str>,
    ) -> Option<(Compiled, String)> {
        let (source, flags) = split(&pattern?.as_known()?)?;
        let flags: String = flags.chars().filter(|c| matches!(c, 'i' | 'm' | 's')).collect();
        Some(((source.into(), flags.into()), text?.to_owned()))
    }

    /// `preg_replace` with known texts.
    fn php_replaced(&mut self, pattern: &Val, to: &Val, subject: &str) -> Option<Val> {
        let ((source, flags), subject) = self.pattern_and(Some(pattern), Some(subject))?;
        let pattern = (source, Rc::from(format!("{flags}g")));
        let to = Val::text(replacement(&to.as_known()?));
        self.matched(&subject, "replace", &pattern, &Args::of(vec![Val::None, to]))
    }

    /// `preg_split` with known texts.
    fn php_split(&mut self, pattern: &Val, subject: &str) -> Option<Val> {
        if pattern.as_known().as_deref() == Some("//") {
            let list = subject.chars().map(|c| Val::text(c.to_string())).collect();
            return Some(self.php_list(list, None));
        }
        let (pattern, subject) = self.pattern_and(Some(pattern), Some(subject))?;
        let parts = self.matched(&subject, "split", &pattern, &Args::default())?;
        let entries = self.php_entries(&parts);
        Some(self.php_array(entries))
    }
}

impl<M: Machine> PhpPatterns for M {}
