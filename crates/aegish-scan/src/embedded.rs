//! A command inside a file, and the way back from it to the file.

/// Whether a text is a whole script or a single command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandForm {
    /// A script; its parameters are not known.
    Script,
    /// A line.
    Line,
}

/// A command as bash would get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// The text that bash reads.
    pub text: String,
    /// What it is.
    pub form: CommandForm,
    /// The place in the structure of the file, for people: `jobs.build.steps[2].run`. Empty for a whole file.
    pub label: String,
    /// The directory it runs in, if the file says so.
    pub cwd: Option<String>,
    /// Where pieces of the text are in the file. Sorted by the text.
    anchors: Vec<Anchor>,
}

/// The origin of the text from a byte on, up to the next anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Anchor {
    text: usize,
    file: usize,
    origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The text is that of the file.
    Copied,
    /// The text stands for something at that place of the file.
    Inserted,
}

impl Embedded {
    /// A file that is one script.
    pub(crate) fn whole(text: &str) -> Self {
        let mut builder = Builder::new(text);
        builder.copy(0, text.len());
        builder.finish(CommandForm::Script, String::new())
    }

    /// The same command in a directory.
    pub(crate) fn in_directory(self, cwd: &str) -> Self {
        Self { cwd: Some(cwd.to_owned()), ..self }
    }

    /// The place in the file of a byte of the text, or of what it stands for.
    #[must_use]
    pub fn file_offset(&self, offset: usize) -> usize {
        let next = self.anchors.partition_point(|anchor| anchor.text <= offset);
        let last = next.checked_sub(1).and_then(|index| self.anchors.get(index));
        let Some(anchor) = last.or(self.anchors.first()) else { return 0 };
        match anchor.origin {
            Origin::Copied => anchor.file + offset.saturating_sub(anchor.text),
            Origin::Inserted => anchor.file,
        }
    }
}

/// Makes a command of pieces of a file.
pub(crate) struct Builder<'a> {
    source: &'a str,
    text: String,
    anchors: Vec<Anchor>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, text: String::new(), anchors: Vec::new() }
    }

    /// Appends bytes of the file.
    pub(crate) fn copy(&mut self, start: usize, end: usize) {
        let piece = self.source.get(start..end).unwrap_or_default();
        if !piece.is_empty() {
            self.anchor(start, Origin::Copied);
            self.text.push_str(piece);
        }
    }

    /// Appends text that stands for bytes of the file from `place` on.
    pub(crate) fn insert(&mut self, piece: &str, place: usize) {
        if !piece.is_empty() {
            self.anchor(place, Origin::Inserted);
            self.text.push_str(piece);
        }
    }

    fn anchor(&mut self, file: usize, origin: Origin) {
        self.anchors.push(Anchor { text: self.text.len(), file, origin });
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(crate) fn finish(self, form: CommandForm, label: String) -> Embedded {
        Embedded { text: self.text, form, label, cwd: None, anchors: self.anchors }
    }
}

/// A line of a file without its line feed, and the byte at which it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let here = Line { start, text: line.strip_suffix('\r').unwrap_or(line) };
        start += line.len() + 1;
        here
    })
}

#[cfg(test)]
mod tests {
    use super::{Builder, CommandForm};

    #[test]
    fn bytes_of_the_text_lead_back_to_the_file() {
        let file = "RUN echo a \\\n# comment\n  b";
        let mut builder = Builder::new(file);
        builder.copy(4, 13);
        builder.copy(23, 26);
        let embedded = builder.finish(CommandForm::Line, String::new());
        assert_eq!(embedded.text, "echo a \\\n  b");
        assert_eq!(embedded.file_offset(0), 4);
        assert_eq!(embedded.file_offset(11), 25);
    }

    #[test]
    fn inserted_text_has_the_place_it_stands_for() {
        let file = "cc $(FLAGS) x";
        let mut builder = Builder::new(file);
        builder.copy(0, 3);
        builder.insert("-O2 -g", 3);
        builder.copy(11, 13);
        let embedded = builder.finish(CommandForm::Line, String::new());
        assert_eq!(embedded.text, "cc -O2 -g x");
        assert_eq!(embedded.file_offset(3), 3);
        assert_eq!(embedded.file_offset(10), 12);
    }
}
