//! The words of `data/calls`: what a call does, and the role of an argument.

#![allow(missing_docs)] // the words are their own description

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Returns the meaning of a word of the data.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// What a call does.
    Effect {
        /// Runs a text with a shell; a list is an argument vector.
        Shell = "shell",
        /// A list without a shell, or a text with `shell=True`.
        Run = "run",
        /// All arguments are words of a command; lists are flattened.
        Argv = "argv",
        /// A program, then its argument vector including the zeroth.
        Exec = "exec",
        /// Evaluates code of the same language.
        Eval = "eval",
        /// Runs a file as code of the same language.
        Script = "script",
        /// One text is for a shell; several are a program and its arguments. Maps are options.
        System = "system",
        /// Each argument is a command.
        Commands = "commands",
        /// Runs a module by its name.
        RunModule = "run-module",
        Open = "open",
        Read = "read",
        Write = "write",
        Append = "append",
        Delete = "delete",
        DeleteTree = "delete-tree",
        Mode = "mode",
        Owner = "owner",
        Copy = "copy",
        /// Makes a name for a file: the target, then the name.
        Link = "link",
        List = "list",
        /// Paths that match a pattern.
        Glob = "glob",
        /// Directories with their names.
        Walk = "walk",
        Metadata = "metadata",
        /// Downloads; with a body it sends.
        Fetch = "fetch",
        FetchTo = "fetch-to",
        Send = "send",
        Socket = "socket",
        Connect = "connect",
        Listen = "listen",
        Serve = "serve",
        Attach = "attach",
        Load = "load",
        User = "user",
        SetEnvironment = "set-environment",
        Environment = "environment",
        Fork = "fork",
        /// Hands a function to a library, which calls it with values of later queries.
        Register = "register",
        /// Calls the functions that the library was handed, with the values of the query.
        Query = "query",
        /// Sends a signal to a process.
        Kill = "kill",
        /// The number of the process that started this one.
        ParentProcess = "parent-process",
        Import = "import",
        Print = "print",
        Stdin = "stdin",
        StdinLine = "stdin-line",
        StdinLines = "stdin-lines",
        /// Calls the function with the arguments behind it.
        Apply = "apply",
        /// Calls the function with the items of a list as arguments.
        Thread = "thread",
        Partial = "partial",
        /// Calls the function for each item.
        Map = "map",
        Filter = "filter",
        Reduce = "reduce",
        GetAttribute = "get-attribute",
        SetAttribute = "set-attribute",
        AttributeGetter = "attribute-getter",
        MethodCaller = "method-caller",
        ItemGetter = "item-getter",
        Variables = "variables",
        Super = "super",
        Type = "type",
        ChangeDirectory = "change-directory",
        WorkingDirectory = "working-directory",
        Home = "home",
        /// A path object.
        Path = "path",
        TemporaryPath = "temporary-path",
        /// An item of the argument, or the default behind it.
        Item = "item",
        /// The value of the argument, unchanged.
        Same = "same",
        Nothing = "nothing",
        Base64 = "base64-decode",
        Base32 = "base32-decode",
        Hex = "hex-decode",
        Rot13 = "rot13",
        Percent = "percent-decode",
        Inflate = "inflate",
        Decode = "decode",
        Chr = "character",
        Ord = "code-point",
        Reverse = "reverse",
        JoinPath = "join-path",
        Expand = "expand-path",
        BaseName = "base-name",
        DirName = "directory-name",
        Range = "range",
        ToList = "to-list",
        ToTuple = "to-tuple",
        ToDict = "to-dict",
        Sorted = "sorted",
        Zip = "zip",
        Chain = "chain",
        Enumerate = "enumerate",
        Int = "integer",
        Text = "text",
        Bytes = "bytes",
        Length = "length",
        SplitWords = "split-words",
        JoinWords = "join-words",
        Dedent = "dedent",
        Literal = "literal",
        /// Makes the object that bytes describe, by calls that they name.
        Unpickle = "unpickle",
        JoinText = "join-text",
        ReplacePattern = "replace-pattern",
        CountEnvironment = "expand-variables",
        /// A program, then the list of its arguments; one text if there is a shell.
        Spawn = "spawn",
        /// Runs a file, or a text, in a process of its own.
        Worker = "worker",
        /// Opens a file for writing.
        Create = "create",
        /// Calls the function later; a text is code.
        Timer = "timer",
        Promise = "promise",
        /// Makes a function of texts.
        MakeFunction = "make-function",
        TemplateShell = "template-shell",
        TemplateText = "template-text",
        /// Gives the function that imports modules.
        Importer = "importer",
        /// Gives something unknown that may be called.
        Forgotten = "forgotten",
        Exit = "exit",
        /// Runs what it receives.
        Receive = "receive",
        Keys = "keys",
        Values = "values",
        Entries = "entries",
        /// Adds the properties of the others to the first object.
        Merge = "merge",
        NewObject = "new-object",
        SetPrototype = "set-prototype",
        Define = "define",
        Descriptor = "descriptor",
        Prototype = "prototype",
        ReflectApply = "reflect-apply",
        ReflectConstruct = "reflect-construct",
        GetProperty = "get-property",
        SetProperty = "set-property",
        Characters = "characters",
        Buffer = "buffer",
        JoinBytes = "join-bytes",
        EncodeBase64 = "base64-encode",
        JsonText = "json-text",
        JsonValue = "json-value",
        Number = "number",
        Round = "round",
        ListOf = "list-of",
        NewList = "new-list",
        ListFrom = "list-from",
        NewMap = "new-map",
        /// One item of a list.
        AnyOf = "any-of",
        /// Joins parts of a path; an absolute part is one like the others.
        JoinBelow = "join-below",
        Extension = "extension",
        Relative = "relative-path",
        NewError = "new-error",
        Proxy = "proxy",
        Format = "format",
        Url = "url",
        PathOfUrl = "path-of-url",
        Pattern = "pattern",
        Identity = "identity",
        Unescape = "unescape",
        /// Prints a text without the end of the line.
        WriteOutput = "write-output",
        /// Calls the functions among the arguments.
        ApplyCallbacks = "apply-callbacks",
        /// A text that is not computed.
        Lost = "lost",
        /// Each stream goes into the next one.
        Pipeline = "pipeline",
        /// The words of a text are a program and its arguments.
        Words = "words",
    }
}

words! {
    /// The role of an argument.
    Role {
        Path = "path",
        Mode = "mode",
        Content = "content",
        Command = "command",
        Program = "program",
        Arguments = "arguments",
        Code = "code",
        Function = "function",
        Value = "value",
        Name = "name",
        From = "from",
        To = "to",
        Url = "url",
        Address = "address",
        Body = "body",
        Method = "method",
        Shell = "shell",
        Directory = "directory",
        Stream = "stream",
        Object = "object",
        User = "user",
        Process = "process",
        Signal = "signal",
        Group = "group",
        Library = "library",
        Module = "module",
        Default = "default",
        Tree = "tree",
        Input = "input",
        /// An object whose properties are named arguments.
        Options = "options",
    }
}
