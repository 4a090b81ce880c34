//! YAML with places: the texts of scalars lead back to the lines they were written on.

use crate::Unreadable;
use crate::embedded::{Builder, Line, lines};
use saphyr::{LoadableYamlNode, MarkedYaml, YamlData};

pub(crate) type Node<'a> = MarkedYaml<'a>;

/// A file and the beginnings of its lines.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    lines: Vec<Line<'a>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, lines: lines(text).collect() }
    }

    /// The documents of the file.
    pub(crate) fn documents(&self) -> Result<Vec<Node<'a>>, Unreadable> {
        MarkedYaml::load_from_str(self.text).map_err(|error| Unreadable {
            why: format!("it is not valid YAML: {}", error.info()),
            line: Some(error.marker().line()),
        })
    }

    /// Appends the text of a scalar, line by line where it stands so in the file.
    pub(crate) fn append(&self, node: &Node<'_>, builder: &mut Builder<'a>) {
        let Some(text) = string(node) else { return };
        let marker = node.span.start;
        let first = marker.line().saturating_sub(1);
        let start = self.offset(first, marker.col());
        let written = self.text.get(start..).unwrap_or_default();
        if written.starts_with(text) {
            builder.copy(start, start + text.len());
        } else if written.starts_with(['"', '\''])
            && written.get(1..).is_some_and(|rest| rest.starts_with(text))
        {
            builder.copy(start + 1, start + 1 + text.len());
        } else {
            self.append_block(text, first, builder);
        }
    }

    /// The lines of a block, which begins at its first line. Each line of a literal block is the end of a line of the file,
    /// behind the indentation; lines that were folded have the place of the line where they begin.
    fn append_block(&self, text: &str, first: usize, builder: &mut Builder<'a>) {
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let plain = line.strip_suffix('\n').unwrap_or(line);
            let written = self.lines.get(first + number);
            let place = written.map_or(self.text.len(), |written| written.start);
            match written.filter(|written| written.text.ends_with(plain)) {
                Some(written) => {
                    builder.copy(written.end() - plain.len(), written.end());
                    builder.insert(line.get(plain.len()..).unwrap_or_default(), written.end());
                }
                None => builder.insert(line, place),
            }
        }
    }

    /// The byte at a column, counted in characters from 0, of a line, counted from 0.
    fn offset(&self, line: usize, column: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| {
            line.start
                + line.text.char_indices().nth(column).map_or(line.text.len(), |(index, _)| index)
        })
    }
}

/// The value of a key.
pub(crate) fn get<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    entries(node).find_map(|(name, value)| (name == key).then_some(value))
}

/// The entries of a mapping whose keys are strings.
pub(crate) fn entries<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    let mapping = match &node.data {
        YamlData::Mapping(mapping) => Some(mapping),
        _ => None,
    };
    mapping.into_iter().flatten().filter_map(|(key, value)| Some((string(key)?, value)))
}

/// The items of a sequence.
pub(crate) fn items<'n, 'a>(node: &'n Node<'a>) -> &'n [Node<'a>] {
    match &node.data {
        YamlData::Sequence(items) => items,
        _ => &[],
    }
}

/// The text of a string.
pub(crate) fn string<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    node.data.as_str()
}
