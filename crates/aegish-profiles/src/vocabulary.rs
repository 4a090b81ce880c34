//! Closed lists of words in profiles. The build script compiles this file too.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value with this word.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|item| item.word() == word)
            }

            /// The word in profiles.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// Languages of code on command lines, in scripts and in configuration files.
    #[allow(missing_docs)]
    Lang {
        Shell = "shell", Python = "python", Perl = "perl", Ruby = "ruby", Node = "node", Php = "php",
        Lua = "lua", Awk = "awk", Sed = "sed", Vim = "vim", Emacs = "emacs", Sqlite = "sqlite",
        Mysql = "mysql", Psql = "psql", Gdb = "gdb", Tcl = "tcl", R = "r", Julia = "julia",
        Make = "make", Tex = "tex", Jq = "jq", Groovy = "groovy", Java = "java", Go = "go",
        Elixir = "elixir", Erlang = "erlang", Scheme = "scheme", Octave = "octave",
        Gnuplot = "gnuplot", Dc = "dc", Bc = "bc", M4 = "m4", Cmake = "cmake", Systemd = "systemd",
        Cron = "cron", Nginx = "nginx", Ini = "ini", Json = "json", Yaml = "yaml", Xml = "xml",
        TarAction = "tar-action", Socat = "socat", GitConfig = "git-config",
        SshOption = "ssh-option", RsyncModule = "rsync-module", Ftp = "ftp", Mail = "mail",
        Expect = "expect", Osascript = "osascript", Powershell = "powershell",
        SedScript = "sed-script", RpmMacro = "rpm-macro",
        Runscript = "runscript", Procmail = "procmail", Rsyslog = "rsyslog", Toprc = "toprc", Roff = "roff", Cobol = "cobol", InitScript = "init-script", SysctlName = "sysctl-name", VariableName = "variable-name", NmapArgs = "nmap-args", TarTransform = "tar-transform", Elvish = "elvish", FzfBind = "fzf-bind", Haskell = "haskell",
        Fail2ban = "fail2ban",
        Fastfetch = "fastfetch", Logrotate = "logrotate", Lessopen = "lessopen", FfmpegFilter = "ffmpeg-filter", Debugfs = "debugfs", PerlDebugger = "perl-debugger", ProgramDir = "program-dir", Csharp = "csharp", Ocaml = "ocaml", Raku = "raku", Calculator = "calculator", Hcl = "hcl",
        PhpSetting = "php-setting", WiresharkExtension = "wireshark-extension", EngineControl = "engine-control", NpmSetting = "npm-setting", PackageSetting = "package-setting", CargoSetting = "cargo-setting", DnfSetting = "dnf-setting", DesktopSetting = "desktop-setting", Redis = "redis", Inputrc = "inputrc", Tmux = "tmux", Forward = "forward", Manifest = "manifest", Accounts = "accounts", GitUrl = "git-url", Ninja = "ninja", Rust = "rust", Ipython = "ipython", Inetd = "inetd", Augeas = "augeas", MakeWord = "make-word", FfmpegInput = "ffmpeg-input", SshdOption = "sshd-option", C = "c", Mongo = "mongo", Erb = "erb", Just = "just",
        OutputTarget = "output-target", Wgetrc = "wgetrc", CompilerPass = "compiler-pass", GitRemote = "git-remote", Tmpfiles = "tmpfiles", CurlFormat = "curl-format", JavaLog = "java-log", VimVerbose = "vim-verbose",
    }
}

words! {
    /// How a program treats its operands, input or output; see `docs/reference/profile-format.md`.
    #[allow(missing_docs)]
    Behaviour {
        Inert = "inert", Serve = "serve", SendStdin = "send-stdin", Tree = "tree",
        InPlace = "in-place", Look = "look", Unpack = "unpack", Makes = "makes",
        Checkout = "checkout", Pipe = "pipe", Elevate = "elevate", OtherUser = "other-user",
        SaveRemoteName = "save-remote-name", NamesTarget = "names-target", Fetch = "fetch", Shell = "shell",
        Terminal = "terminal", Detached = "detached", Obey = "obey", Attach = "attach",
        Hidden = "hidden", Verify = "verify", Pieces = "pieces", Here = "here",
        ClearEnvironment = "clear-environment", Commands = "commands", Prints = "prints", Repeats = "repeats", Quiet = "quiet",
    }
}

words! {
    /// Properties of a program that rules use.
    Trait {
        /// Serves an application or data of the project, and has no other purpose than listening.
        ApplicationServer = "application-server",
        /// Fetches sources or images under version control or by digest.
        Checkout = "checkout",
        /// Runs commands with the rights of another user.
        Elevating = "elevating",
        /// Passes its input on unchanged: to its output, and to the files that it is given.
        Copier = "copier",
        /// Encodes content so that it fits into an address.
        Encoder = "encoder",
        /// Prints fields of structured data.
        FieldSelector = "field-selector",
        /// Runs a script that its arguments name.
        Interpreter = "interpreter",
        /// Contains many programs under one name.
        Multicall = "multicall",
        /// Sends a name to a server. The name can contain any data.
        NameSender = "name-sender",
        /// Starts its own shell instead of the one that it was asked to run.
        OwnShell = "own-shell",
        /// Copies between machines of the user. Upload tools such as curl do not count.
        RemoteCopy = "remote-copy",
        /// Queries name servers, whose operators see every name.
        Resolver = "resolver",
        /// Words that begin with `@` name files with further words.
        ResponseFiles = "response-files",
        /// Its output is a version, a platform or a commit, which an address may contain.
        RevealsLittle = "reveals-little",
        /// Its output reveals nothing about the machine or its data.
        RevealsNothing = "reveals-nothing",
        /// Runs with the rights of root for every user.
        Setuid = "setuid",
        /// A shell. Programs with `special = "shell"` have this trait implicitly.
        Shell = "shell",
        /// Prints code for the calling shell, for `eval "$(…)"` and `source <(…)`.
        ShellHook = "shell-hook",
        /// Installs packages for the whole system.
        SystemPackageManager = "system-package-manager",
        /// Opens a window that closes when the command in it ends.
        TerminalWindow = "terminal-window",
        /// Searches, compares, copies or stores whole trees.
        TreeTool = "tree-tool",
        /// Unpacks archives.
        Unpacker = "unpacker",
    }
}
