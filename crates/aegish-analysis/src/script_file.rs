//! Files that would run as code, as the analysis reports them.

/// A file that would run as code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// Its path, absolute as far as that is known.
    pub path: String,
    /// Its content.
    pub text: ScriptText,
    /// The language in which it runs.
    pub language: ScriptLanguage,
}

/// The language in which a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// The language of Bash, wherever it is run.
    Shell,
    /// Another one, or several.
    Other,
}

/// What is known of a script's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptText {
    /// The whole text. Unknown parts are written between `‹` and `›`.
    Whole(String),
    /// The start of a text that is too long to be followed.
    Beginning(String),
    /// It could not be read.
    Unread,
}
