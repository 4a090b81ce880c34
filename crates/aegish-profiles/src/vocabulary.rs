//! Closed lists of words that profiles use. The build script reads this file too.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// By the word used in profiles.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|item| item.word() == word)
            }

            /// The word used in profiles.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// Languages that code on a command line, in a script or in a configuration file is written in.
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
        Fastfetch = "fastfetch", Logrotate = "logrotate", Lessopen = "lessopen", FfmpegFilter = "ffmpeg-filter", Debugfs = "debugfs", ProgramDir = "program-dir", Csharp = "csharp", Ocaml = "ocaml", Raku = "raku", Calculator = "calculator", Hcl = "hcl",
        PhpSetting = "php-setting", WiresharkExtension = "wireshark-extension", EngineControl = "engine-control", NpmSetting = "npm-setting", PackageSetting = "package-setting", CargoSetting = "cargo-setting", DnfSetting = "dnf-setting", DesktopSetting = "desktop-setting", Redis = "redis", Tmux = "tmux", Forward = "forward", Manifest = "manifest", Accounts = "accounts", GitUrl = "git-url", Ninja = "ninja", Rust = "rust", Ipython = "ipython", Inetd = "inetd", Augeas = "augeas", MakeWord = "make-word", FfmpegInput = "ffmpeg-input", SshdOption = "sshd-option",
    }
}

words! {
    /// How a program treats its operands, input or output; see `docs/reference/profile-format.md`.
    #[allow(missing_docs)]
    Behaviour {
        Inert = "inert", Serve = "serve", SendStdin = "send-stdin", Tree = "tree",
        InPlace = "in-place", Look = "look", Unpack = "unpack", Makes = "makes",
        Checkout = "checkout", Pipe = "pipe", Elevate = "elevate",
        SaveRemoteName = "save-remote-name", Fetch = "fetch", Shell = "shell",
        Terminal = "terminal", Detached = "detached", Obey = "obey", Attach = "attach",
        Hidden = "hidden", Verify = "verify",
    }
}

words! {
    /// What a program is, as far as rules ask for it.
    Trait {
        /// Serves an application or data of the project; listening is all it is for.
        ApplicationServer = "application-server",
        /// Fetches sources or images under version control or by digest.
        Checkout = "checkout",
        /// Gives the rights of another user.
        Elevating = "elevating",
        /// Turns content into a form that fits into an address.
        Encoder = "encoder",
        /// Runs the script it is given.
        Interpreter = "interpreter",
        /// Is many programs under one name.
        Multicall = "multicall",
        /// Hands a name to a server; the name can hold anything.
        NameSender = "name-sender",
        /// Starts a shell of its own instead of one that it was asked to run.
        OwnShell = "own-shell",
        /// Copies between machines the user works on; upload tools such as curl are not among them.
        RemoteCopy = "remote-copy",
        /// Asks name servers, whose operators see every name.
        Resolver = "resolver",
        /// Its output, as part of an address, says what is wanted: a version, a platform, a commit.
        RevealsLittle = "reveals-little",
        /// Its output reveals nothing about the machine or its data.
        RevealsNothing = "reveals-nothing",
        /// Runs with the rights of root, whoever starts it.
        Setuid = "setuid",
        /// A shell. Programs with `special = "shell"` have it by themselves.
        Shell = "shell",
        /// Prints code for the shell that asks, for `eval "$(…)"` and `source <(…)`.
        ShellHook = "shell-hook",
        /// Installs packages for the whole system.
        SystemPackageManager = "system-package-manager",
        /// Searches, compares, copies or keeps whole trees.
        TreeTool = "tree-tool",
        /// Makes files out of an archive.
        Unpacker = "unpacker",
    }
}
