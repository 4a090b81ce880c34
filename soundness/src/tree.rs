//! A generated program as a tree that can be reduced step by step.

/// A part of a generated program.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// Literal text.
    Text(String),
    /// Parts that belong together.
    Joined(Vec<Tree>),
    /// Statements, each of which can be removed.
    List(Vec<Tree>),
    /// A construct, and a simpler replacement for it.
    Choice {
        /// The name of the construct.
        label: &'static str,
        full: Box<Tree>,
        simple: Box<Tree>,
    },
}

impl Tree {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn choice(label: &'static str, full: Self, simple: Self) -> Self {
        Self::Choice { label, full: Box::new(full), simple: Box::new(simple) }
    }

    /// The bash text.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Joined(parts) => parts.iter().for_each(|part| part.write(out)),
            Self::List(items) if items.is_empty() => out.push(':'),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push('\n');
                    }
                    item.write(out);
                }
            }
            Self::Choice { full, .. } => full.write(out),
        }
    }

    /// The names of its constructs, sorted.
    pub(crate) fn labels(&self) -> Vec<&'static str> {
        let mut labels = Vec::new();
        self.collect(&mut labels);
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    fn collect(&self, labels: &mut Vec<&'static str>) {
        match self {
            Self::Text(_) => {}
            Self::Joined(parts) | Self::List(parts) => {
                parts.iter().for_each(|part| part.collect(labels));
            }
            Self::Choice { label, full, .. } => {
                labels.push(label);
                full.collect(labels);
            }
        }
    }

    /// All trees that are smaller by one step, the smallest first.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::Joined(parts) => replaced(parts).into_iter().map(Self::Joined).collect(),
            Self::List(items) => {
                let mut found = Vec::new();
                for at in 0..items.len() {
                    let mut fewer = items.clone();
                    fewer.remove(at);
                    found.push(Self::List(fewer));
                }
                found.extend(replaced(items).into_iter().map(Self::List));
                found
            }
            Self::Choice { label, full, simple } => {
                let mut found = vec![(**simple).clone()];
                found.extend(full.smaller().into_iter().map(|full| Self::Choice {
                    label,
                    full: Box::new(full),
                    simple: simple.clone(),
                }));
                found
            }
        }
    }
}

/// The parts with one of them reduced by one step.
fn replaced(parts: &[Tree]) -> Vec<Vec<Tree>> {
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for smaller in part.smaller() {
            let mut changed = parts.to_vec();
            changed[at] = smaller;
            found.push(changed);
        }
    }
    found
}
