//! The vocabulary of effects on the system as a whole, and a text for people.
//!
//! Takes the words of a profile (`service stop`), gives a [`SystemEffect`]. Rules decide by the effect alone,
//! so the same action has the same effect in every profile. The build script compiles this file too: a
//! profile with other words is an error.

use std::fmt;

/// A word of the vocabulary.
#[derive(Debug)]
pub struct SystemWord {
    /// The words in a profile, before the colon.
    pub words: &'static str,
    /// The effect that they name.
    pub effect: SystemEffect,
    /// Its meaning, for people.
    pub meaning: &'static str,
}

macro_rules! vocabulary {
    (
        structured { $($group_doc:literal $group:ident $group_word:literal $effects:ident {
            $($doc:literal $variant:ident $word:literal,)+
        })+ }
        plain { $($plain_doc:literal $plain:ident $plain_word:literal,)+ }
    ) => {
        /// An effect of a command on the system as a whole.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SystemEffect {
            $(#[doc = $group_doc] $group($effects),)+
            $(#[doc = $plain_doc] $plain,)+
        }

        $(
            #[doc = $group_doc]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $effects { $(#[doc = $doc] $variant,)+ }
        )+

        impl SystemEffect {
            /// The whole vocabulary.
            pub const VOCABULARY: &'static [SystemWord] = &[
                $($(SystemWord {
                    words: concat!($group_word, " ", $word),
                    effect: Self::$group($effects::$variant),
                    meaning: $doc,
                },)+)+
                $(SystemWord { words: $plain_word, effect: Self::$plain, meaning: $plain_doc },)+
            ];

            /// The group of the effect: its first word.
            #[must_use]
            pub fn group(self) -> &'static str {
                match self {
                    $(Self::$group(_) => $group_word,)+
                    $(Self::$plain => $plain_word,)+
                }
            }
        }
    };
}

vocabulary! {
    structured {
        "Changes a service of the running system."
        Service "service" ServiceEffect {
            "Starts it." Start "start",
            "Stops it." Stop "stop",
            "Stops it and starts it again." Restart "restart",
            "Makes it, or the service manager, read its configuration again." Reload "reload",
            "Starts it at every start of the machine." Enable "enable",
            "Keeps it from being started with the machine." Disable "disable",
            "Keeps it from being started at all." Mask "mask",
            "Sends a signal to its processes." Kill "kill",
            "Changes it in another way, or in one that the profile does not tell apart." Change "change",
        }
        "Changes an account or what belongs to one."
        Account "account" AccountEffect {
            "Adds an account." Add "add",
            "Removes an account." Remove "remove",
            "Changes the entry of an account: name, number, groups, password." Modify "modify",
            "Sets a password or its age." Password "password",
            "Lets a locked account in again." Unlock "unlock",
            "Changes the login shell of an account." Shell "shell",
            "Changes the personal data of an account." Login "login",
            "Adds, changes or removes a group." Group "group",
            "Changes what accounts may do." Rights "rights",
        }
        "Installs, changes or removes software."
        Package "package" PackageEffect {
            "Installs packages; without a name, those that are there already." Install "install",
            "Installs what a file of the project lists." Manifest "install-from-manifest",
            "Replaces packages by newer ones." Upgrade "upgrade",
            "Removes packages." Remove "remove",
            "Takes packages from another source for this command." OtherSource "from-other-source",
            "Changes where packages come from." Source "source",
            "Changes which keys or certificates are trusted, or whether they are checked." Trust "trust",
            "Fetches a package and runs it." Run "run",
            "Changes packages in another way." Change "change",
        }
        "Changes the kernel, its devices or how it is started."
        Kernel "kernel" KernelEffect {
            "Loads a module." LoadModule "load-module",
            "Removes a module." UnloadModule "unload-module",
            "Writes the table of modules anew; loads none." ModuleTable "module-table",
            "Changes parameters." Parameter "parameter",
            "Changes parameters if an operand is `name=value`, prints them otherwise." AssignedParameter "assigned-parameter",
            "Sets a clock." Clock "clock",
            "Changes swap space." Swap "swap",
            "Loads, attaches or feeds a program that runs in the kernel." Program "program",
            "Adds points at which the kernel records what programs do." Probe "probe",
            "Changes what the machine starts." Boot "boot",
            "Changes the firmware of a device." Firmware "firmware",
            "Changes a device or a mapping of one." Device "device",
            "Changes what the kernel records." Audit "audit",
            "Changes the kernel in another way." Change "change",
        }
        "Leaves or pierces a container, sandbox or namespace."
        Escape "escape" EscapeEffect {
            "Gives all rights of the host." Privileged "privileged",
            "Gives some rights of the kernel or of root." Capability "capability",
            "Takes the limits off." Unconfined "unconfined",
            "Shares or enters namespaces of the host." Namespace "namespace",
            "Gives devices or files of the host." HostFiles "host-files",
            "Runs a command of the host." HostCommand "host-command",
            "Replaces the specification of a pod; an argument says by what." PodSpecification "pod-specification",
            "Starts a container for debugging; an argument says beside what." DebugContainer "debug-container",
        }
        "Changes something in a remote or shared system that cannot be undone."
        Remote "remote" RemoteEffect {
            "Publishes commits; an operand may overwrite or delete a branch." PublishCommits "publish-commits",
            "Publishes something else." Publish "publish",
            "Takes back what was published." Unpublish "unpublish",
            "Overwrites published history." OverwriteHistory "overwrite-history",
            "Deletes objects, resources or deployments." Delete "delete",
            "Deletes or empties a database." DeleteData "delete-data",
            "Stops something that runs there." Stop "stop",
            "Runs something there." Run "run",
            "Lets others control this machine." Control "control",
            "Changes it in another way." Change "change",
        }
        "Destroys data below the level of files."
        Destroy "destroy" DestroyEffect {
            "A logical volume or volume group, by its name." Volume "volume",
            "A storage pool, by its name." Pool "pool",
            "A file system of a pool or its snapshots, by its name." Dataset "dataset",
            "A file system." FileSystem "file-system",
            "A device or a part of one." Device "device",
            "The firmware of a device." Firmware "firmware",
        }
        "Reads or changes the memory of another process."
        Inspect "inspect" InspectEffect {
            "Attaches to it or reads its memory." Process "process",
            "Measures how it runs." Measure "measure",
            "Reads the memory of the kernel." KernelMemory "kernel-memory",
            "Reads what is typed." Input "input",
        }
        "Learns what could be attacked: accounts, processes, hosts, rights."
        Recon "recon" ReconEffect {
            "Lists accounts." Accounts "accounts",
            "Prints password hashes." PasswordHashes "password-hashes",
            "Lists processes." Processes "processes",
            "Lists who is logged in." Users "users",
            "Lists who is logged in, since when, and what they run." Sessions "sessions",
            "Lists earlier logins." Logins "logins",
            "Lists rights." Rights "rights",
            "Searches for files that give rights." PrivilegedFiles "privileged-files",
            "Scans hosts, ports, names or shares." Scan "scan",
            "Attacks a service." Attack "attack",
            "Searches this machine for weaknesses." Audit "audit",
        }
        "Switches off or blinds a protection."
        Disarm "disarm" DisarmEffect {
            "The command history of the shell." History "history",
            "Makes the guard itself allow more." Guard "guard",
            "Gives an account that logs in to the guard another login shell." Login "login",
            "Lets the session's shell read commands from elsewhere than from the guard." Input "input",
            "The firewall." Firewall "firewall",
            "Auditing, threat detection, or what is recorded in the cloud." Audit "audit",
            "Logs." Log "log",
            "SELinux, AppArmor, sandboxes." Confinement "confinement",
            "The approval that an agent must ask for." Agent "agent",
            "Authentication, secure boot, write protection." Check "check",
        }
        "Stops what it did not start."
        Kill "kill" KillEffect {
            "Processes." Process "process",
            "All processes." All "all",
            "Sessions of users." Session "session",
            "Connections." Connection "connection",
        }
    }
    plain {
        "Gains, grants or keeps rights: setuid bits, sudo rules, capabilities." Privilege "privilege",
        "Arranges for something to run later or at every start." Persist "persist",
        "Throws away work that cannot be had back." Discard "discard",
        "Uses up the machine: fork bombs, endless writers." Exhaust "exhaust",
        "Stops, restarts or suspends the machine." Power "power",
        "Changes the network configuration or opens a way in." Network "network",
        "Changes limits, priority or processors of processes that run." ProcessLimits "process-limits",
        "Makes a setting because of which a program runs something at its next start." Setting "setting",
        "Prints or hands out stored passwords, keys or access tokens." Secret "secret",
    }
}

impl SystemEffect {
    /// The effect with these words.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        Self::VOCABULARY.iter().find(|entry| entry.words == words).map(|entry| entry.effect)
    }

    /// The words of the effect.
    #[must_use]
    pub fn words(self) -> &'static str {
        Self::VOCABULARY.iter().find(|entry| entry.effect == self).map_or("", |entry| entry.words)
    }
}

/// A few words that tell a person what happens.
///
/// No decision can depend on it: it cannot be compared, searched or turned into a string. It can only be
/// written to a formatter.
///
/// ```compile_fail
/// let detail = aegish_profiles::Detail::new("stops a unit");
/// detail.to_string();
/// ```
/// ```compile_fail
/// let detail = aegish_profiles::Detail::new("stops a unit");
/// assert!(detail == aegish_profiles::Detail::new("stops a unit"));
/// ```
#[derive(Clone, Copy)]
pub struct Detail(pub(crate) &'static str);

impl Detail {
    /// Takes a text of a profile, or of the code that finds an effect.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// Writes the text to a formatter.
    ///
    /// # Errors
    /// If the formatter fails.
    pub fn write(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Prints only the type: `{:?}` must not reveal the text either.
impl fmt::Debug for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Detail")
    }
}
