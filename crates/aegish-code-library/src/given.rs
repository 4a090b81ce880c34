//! A call of the table of calls: its entry and its arguments.

use crate::calls::{Entry, Role};
use crate::value::{Args, Val};
use aegish_values::Value;

/// Names of first arguments in libraries whose entry does not say it.
const FIRST: &[&str] = &[
    "args", "cmd", "code", "command", "file", "filename", "name", "path", "source", "src", "text",
    "url",
];

/// The working directory of the command, which only the shell knows.
pub const HERE: &str = "working directory";

/// The arguments of a call by their roles.
pub struct Given<'a> {
    pub entry: &'a Entry,
    pub args: &'a Args,
}

impl Given<'_> {
    #[must_use]
    pub fn place(&self, role: Role) -> Option<usize> {
        self.entry.parameters.iter().position(|(_, known)| *known == Some(role))
    }

    #[must_use]
    pub fn get(&self, role: Role) -> Option<&Val> {
        self.all(role).next().or_else(|| {
            let first = self.place(role)? == 0 && self.args.list.is_empty();
            first
                .then(|| self.args.named.iter().find(|(name, _)| FIRST.contains(&&**name)))
                .flatten()
                .map(|(_, value)| value)
        })
    }

    /// All arguments with a role.
    pub fn all(&self, role: Role) -> impl Iterator<Item = &Val> {
        self.entry.parameters.iter().enumerate().filter(move |(_, p)| p.1 == Some(role)).filter_map(
            |(place, (name, _))| {
                // A parameter that is only given by name starts with `*`.
                match name.strip_prefix('*') {
                    Some(name) => self.args.named(name),
                    None => self.args.named(name).or_else(|| self.args.get(place)),
                }
            },
        )
    }

    #[must_use]
    pub fn text(&self, role: Role) -> Option<Value> {
        self.get(role).map(Val::to_text)
    }

    /// The arguments behind the one with this role.
    #[must_use]
    pub fn behind(&self, role: Role) -> Args {
        let place = self.place(role).map_or(0, |place| place + 1);
        Args {
            list: self.args.list.iter().skip(place).cloned().collect(),
            named: self.args.named.clone(),
            rest: self.args.rest.clone(),
        }
    }

    /// The arguments from the one with this role on.
    #[must_use]
    pub fn behind_start(&self, role: Role) -> Args {
        let place = self.place(role).unwrap_or(0);
        let mut list: Vec<Val> = self.args.list.iter().skip(place).cloned().collect();
        if list.is_empty() {
            list.extend(self.get(role).cloned());
        }
        Args { list, named: Vec::new(), rest: self.args.rest.clone() }
    }
}
