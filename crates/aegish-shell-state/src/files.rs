//! The files that a script wrote or linked, and what descriptors are connected to.

use aegish_values::{HasOrigin, SharedMap, Source, Taint, Value, join_values, origin};

/// Where a link of the script leads.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// Its target.
    pub target: String,
    /// Where it leads on other ways; itself, if it is no link there.
    pub others: SharedMap<()>,
}

impl Link {
    /// Adds a target that it may have as well.
    pub fn add(&mut self, target: &str) {
        if self.target != target && !self.others.contains_key(target) {
            self.others.insert(target.to_owned(), ());
        }
    }

    /// Adds the targets of the same link on another way. The longer list, of which the other one is mostly a part, is kept.
    pub(crate) fn join(&mut self, theirs: &Self) {
        let ours = match self.others.len() < theirs.others.len() {
            true => std::mem::replace(&mut self.others, theirs.others.clone()),
            false => theirs.others.clone(),
        };
        if !ours.is_empty() {
            for target in self.others.differences(&ours) {
                self.add(&target);
            }
        }
        self.add(&theirs.target);
        self.others.remove(&self.target);
    }
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        let both =
            |name: &String| self.others.contains_key(name) && other.others.contains_key(name);
        self.target == other.target && self.others.differences(&other.others).iter().all(both)
    }
}

impl HasOrigin for Link {
    fn origin(&self) -> Option<&Taint> {
        None
    }
}

/// A file written by the script.
#[derive(Debug, Clone, Default)]
pub struct FileFact {
    /// Its content, as far as known.
    pub content: Value,
    /// A named pipe.
    pub fifo: bool,
    /// A shell takes its commands from the named pipe.
    pub obeyed: bool,
    /// Whether the line that wrote it has run, so that the file itself has the current content.
    pub settled: bool,
    /// The file existed before and was only appended to.
    pub added_to: bool,
    /// On some ways it was not written.
    pub perhaps: bool,
}

impl HasOrigin for FileFact {
    fn origin(&self) -> Option<&Taint> {
        Some(self.content.taint())
    }
}

/// What a descriptor is connected to.
#[derive(Debug, Clone, PartialEq)]
pub enum Flow {
    /// The standard input of the caller: a person at a terminal.
    Terminal,
    /// Nothing (`/dev/null`, closed).
    Nothing,
    /// This text, as far as known; reading consumes nothing here.
    Text(Value),
    /// This file.
    File(Value),
    /// What a substitution, a pipe or a redirection around the present command reads.
    Output(u32),
    /// A network connection opened by the shell (`/dev/tcp/…`).
    Network {
        /// Host and port, readable.
        peer: String,
    },
}

impl Flow {
    /// Either of both. What may come from a network counts as that.
    pub(crate) fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Network { .. }, _) => self.clone(),
            (_, Self::Network { .. }) => other.clone(),
            (Self::Text(one), Self::Text(other)) => Self::Text(join_values(one, other)),
            (Self::File(one), Self::File(other)) => Self::File(join_values(one, other)),
            (Self::Output(_), _) => self.clone(),
            (_, Self::Output(_)) => other.clone(),
            (Self::Nothing | Self::Terminal, _) => other.clone(),
            (_, Self::Nothing | Self::Terminal) => self.clone(),
            (Self::File(_), Self::Text(text)) | (Self::Text(text), Self::File(_)) => {
                Self::Text(join_values(text, &Value::unknown(origin::FILE_CONTENT)))
            }
        }
    }

    /// The input that a program reads from it.
    pub fn content(&self) -> Value {
        match self {
            Self::Terminal => {
                Value::unknown(origin::TYPED_TEXT).tainted(&Taint::from(Source::Terminal))
            }
            Self::Nothing => Value::empty(),
            Self::Output(_) => Value::unknown("input"),
            Self::Text(value) => value.clone(),
            Self::File(path) => Value::unknown(origin::FILE_CONTENT)
                .tainted(&Taint::from(Source::File(path.to_string()))),
            Self::Network { peer } => {
                Value::unknown("network data").tainted(&Taint::from(Source::Network(peer.clone())))
            }
        }
    }
}
