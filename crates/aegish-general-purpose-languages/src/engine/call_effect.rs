//! The vocabulary of the call tables: what a call does, and which argument matters.

/// What a call does. Numbers are argument positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// Text for the shell; a list is an argument vector.
    Shell(u8),
    /// Program and list of arguments, without options: `(program, list)`.
    Program(u8),
    /// A text split at blanks, without a shell; a list is an argument vector.
    Words(u8),
    /// All arguments from here on; lists are flattened.
    Argv(u8),
    /// Program here, then its argument vector including the zeroth.
    Exec(u8),
    /// Evaluates code of the same language.
    Eval(u8),
    /// Runs a file as code of the same language.
    Script(u8),
    /// Opens a file: path, mode.
    Open(u8, u8),
    /// Reads a file.
    Read(u8),
    /// Opens a file for writing.
    Create(u8),
    /// Writes: path, content.
    Write(u8, u8),
    /// Appends: path, content.
    Append(u8, u8),
    Delete(u8),
    /// Deletes every argument.
    DeleteAll,
    DeleteTree(u8),
    /// Path, mode.
    Mode(u8, u8),
    /// Path, user, group.
    Owner(u8, u8, u8),
    Copy(u8, u8),
    /// Target, name.
    Link(u8, u8),
    List(u8),
    /// Changes the working directory.
    Chdir(u8),
    /// Downloads; a map with a method or a body sends.
    Http(u8),
    /// Downloads into a file: URL, file.
    FetchTo(u8, u8),
    /// Sends to this URL.
    Post(u8),
    /// Makes a socket that is not connected yet.
    Socket,
    /// Connects; the address starts at this argument.
    Connect(u8),
    /// Waits for connections; the address starts at this argument.
    Listen(u8),
    /// A connection from a listening socket.
    Accept,
    /// Puts a connection in place of a standard stream.
    Attach,
    Load(u8),
    User(u8),
    /// Name, value.
    Setenv(u8, u8),
    Fork,
    /// Returns the library named by this argument.
    Import(u8),
    /// The value of an environment variable.
    Env(u8),
    /// Prints its arguments; whether with a line end.
    Print(bool),
    /// Reads standard input.
    Stdin,
    /// Serves files.
    Serve,
    /// The value of this argument, unchanged.
    Same(u8),
    /// A pure function over texts.
    Pure(Pure),
    /// A known call without an effect.
    Nothing,
}

/// Pure functions; the object of a method is the first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pure {
    Base64,
    Hex,
    /// Characters from all arguments.
    Chars,
    Reverse,
    /// List and separator, in either order.
    Join,
    /// Separator first, list second.
    Split,
    Lower,
    Upper,
    Trim,
    Replace,
    Repeat,
    Concat,
    /// All arguments with `/` between.
    PathJoin,
    /// `%`-style or `{}`-style formatting: format, values.
    Format,
    /// Format with blanks between arguments (`paste`).
    Paste,
    Int,
    Expand,
    /// A list of the arguments.
    Items,
}

/// Finds a name in a sorted table.
pub(super) fn find(table: &'static [(&'static str, CallEffect)], name: &str) -> Option<CallEffect> {
    let place = table.binary_search_by(|(entry, _)| (*entry).cmp(name)).ok()?;
    table.get(place).map(|(_, what)| *what)
}
