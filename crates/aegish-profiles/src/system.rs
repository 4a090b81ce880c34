//! The ways in which a program acts on the system as a whole.

/// Acts on the system as a whole that need no further structure than a word of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// Gains, grants or keeps privileges (setuid bits, sudoers, new root users, capabilities).
    Privilege,
    /// Installs or removes software.
    Install,
    /// Arranges for something to run later or at every start.
    Persist,
    /// Looks at users, processes, hosts, privileges in order to learn the lie of the land.
    Recon,
    /// Destroys file systems, partitions, disks or everything at once.
    Destroy,
    /// Throws away work that cannot be had back (`git reset --hard`).
    Discard,
    /// Uses up the machine (fork bombs, endless writers).
    Exhaust,
    /// Switches off or blinds a protection (firewall, SELinux, audit, logs, history).
    Disarm,
    /// Talks to the kernel (modules, sysctl, `/proc/sys`, BPF).
    Kernel,
    /// Leaves or pierces a container or namespace.
    Escape,
    /// Attaches to or reads another process (ptrace, `/proc/PID/mem`).
    Inspect,
    /// Stops or restarts the machine.
    Power,
    /// Stops processes it did not start.
    Kill,
    /// Changes services of the running system.
    Service,
    /// Changes network configuration.
    Network,
    /// Changes something in a remote or shared system (cloud, cluster, database) that cannot be undone.
    Remote,
    /// Changes user accounts.
    Account,
    /// Makes a setting because of which a program runs something at its next start.
    Setting,
    /// Prints or hands out stored passwords, keys or access tokens.
    Secret,
}

impl System {
    /// All of them, in order of declaration.
    pub const ALL: [Self; 19] = [
        Self::Privilege,
        Self::Install,
        Self::Persist,
        Self::Recon,
        Self::Destroy,
        Self::Discard,
        Self::Exhaust,
        Self::Disarm,
        Self::Kernel,
        Self::Escape,
        Self::Inspect,
        Self::Power,
        Self::Kill,
        Self::Service,
        Self::Network,
        Self::Remote,
        Self::Account,
        Self::Setting,
        Self::Secret,
    ];

    /// The word used in profiles (`does = ["recon: …"]`) and in printed effects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Privilege => "privilege",
            Self::Install => "install",
            Self::Persist => "persist",
            Self::Recon => "recon",
            Self::Destroy => "destroy",
            Self::Discard => "discard",
            Self::Exhaust => "exhaust",
            Self::Disarm => "disarm",
            Self::Kernel => "kernel",
            Self::Escape => "escape",
            Self::Inspect => "inspect",
            Self::Power => "power",
            Self::Kill => "kill",
            Self::Service => "service",
            Self::Network => "network",
            Self::Remote => "remote",
            Self::Account => "account",
            Self::Setting => "setting",
            Self::Secret => "secret",
        }
    }
}
