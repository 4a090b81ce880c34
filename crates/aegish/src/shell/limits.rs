//! Limits that the kernel holds for bash and all that it starts, from the settings.

use super::observed::Observer;
use super::shell_call::is_called_as_shell;
use crate::run::tight::Plan;
use aegish_config::{Config, ConfigSource, Mode, Network};
use aegish_guard::Role;
use aegish_kernel::probe::{self, Support};
use aegish_kernel::{Confinement, Filter, Limit, MountNamespace, Sockets, Watch};
use aegish_sandbox::{
    Connections, ControlGroup, Debuggers, FileProfile, GroupLimits, Proxy, Reach, Scope,
    SocketKind, Supervised, granted_rules, rules, separation,
};
use aegish_terminal::Failure;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::{User, geteuid};
use std::env;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MEBIBYTE: u64 = 1 << 20;
/// From here on a number of processes is no limit.
const UNLIMITED_PROCESSES: u64 = 1_000_000;

/// The limits of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelLimits {
    /// Which files are closed; none if that is off.
    pub(crate) files: Option<FileProfile>,
    /// Whether programs are judged when they start, and by what they may be debugged; none if that is off.
    pub(crate) supervision: Option<Debuggers>,
    reach: Reach,
    resources: ResourceLimits,
    /// What a single command may use.
    plan: Option<Arc<Plan>>,
    /// Whether what is used is observed.
    uses: Watch,
}

/// The most that programs may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ResourceLimits {
    processes: Option<u64>,
    memory: Option<u64>,
    file_size: Option<u64>,
    seconds: Option<u64>,
    core_files: Option<u64>,
}

/// What bash puts on itself before it runs.
pub(crate) struct PreparedLimits {
    pub(crate) confinement: Confinement,
    /// Where it reports what it starts and connects to.
    pub(crate) reports: Option<Reports>,
    /// Removed at the end.
    pub(crate) group: Option<ControlGroup>,
}

/// Reports of a session, and what is asked of them.
pub(crate) struct Reports {
    pub(crate) socket: UnixStream,
    pub(crate) supervised: Supervised,
    pub(crate) connections: Connections,
}

impl KernelLimits {
    /// No limit.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        let (files, supervision) = (None, None);
        let (reach, resources) = (Reach::Everywhere, ResourceLimits::default());
        Self { files, supervision, reach, resources, plan: None, uses: Watch::Free }
    }

    /// Those of a configuration.
    pub(crate) fn of(config: &Config, role: Role) -> Self {
        let built_in =
            |name| config.row(name).is_some_and(|row| row.source == ConfigSource::BuiltIn);
        // An administrator needs sudo, which these limits disable.
        let word = |name| match built_in(name) && role == Role::Sysadmin {
            true => "off",
            false => config.word(name),
        };
        let files = match word("AEGISH_FILES") {
            "open" => Some(FileProfile::Open),
            "home" => Some(FileProfile::Home),
            "project" => Some(FileProfile::Project),
            "readonly" => Some(FileProfile::ReadOnly),
            _ => None,
        };
        let supervision = match word("AEGISH_SUPERVISE") {
            "on" => Some(Debuggers::Installed),
            "debug" => Some(Debuggers::Any),
            _ if built_in("AEGISH_SUPERVISE") && role != Role::Sysadmin => for_agent(),
            _ => None,
        };
        let reach = match config.network("AEGISH_NET") {
            Network::Open => Reach::Everywhere,
            Network::Ports(ports) => Reach::Ports(ports),
            Network::Hosts(hosts) => Reach::Hosts(hosts),
            Network::Loopback => Reach::Loopback,
            Network::Off => Reach::Nowhere,
        };
        let resources = ResourceLimits::of(config);
        Self { files, supervision, reach, resources, plan: None, uses: Watch::Free }
    }

    /// These limits with every use observed, and with a plan that nothing goes beyond.
    pub(crate) fn observing(mut self, plan: Option<Plan>) -> Self {
        self.supervision.get_or_insert(Debuggers::Installed);
        if let Some(plan) = plan {
            self.reach = plan.reach.clone();
            self.files = None;
            self.plan = Some(Arc::new(plan));
        }
        self.uses = Watch::Reported;
        self
    }

    /// Whether a plan bounds what is used.
    pub(crate) fn has_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// What collects the uses; it refuses what the plan does not hold.
    pub(crate) fn observer(&self) -> Option<Observer> {
        let plan = self.plan.as_ref();
        let (files, programs) =
            (plan.map(|plan| plan.files.clone()), plan.map(|plan| plan.programs.clone()));
        (self.uses == Watch::Reported).then(|| Observer::new(files, programs))
    }

    /// Whether set-user-ID programs such as sudo get no rights.
    pub(crate) fn take_rights(&self) -> bool {
        self.files.is_some() || self.supervision.is_some() || self.reach != Reach::Everywhere
    }

    /// One line about them.
    pub(crate) fn summary(&self, config: &Config) -> String {
        let files = self.files.map(|_| format!("files {}", config.word("AEGISH_FILES")));
        let programs = self.supervision.map(|debuggers| match debuggers {
            Debuggers::Installed => "every program judged when it starts".to_owned(),
            Debuggers::Any => "programs judged when they start, any debugger allowed".to_owned(),
        });
        let network = (self.reach != Reach::Everywhere)
            .then(|| format!("network {}", config.network("AEGISH_NET")));
        let processes = self.resources.processes.map(|most| format!("at most {most} processes"));
        let held = files.into_iter().chain(programs).chain(network).chain(processes);
        let held: Vec<String> = held.collect();
        match held.is_empty() {
            true => NO_KERNEL_LIMITS.to_owned(),
            false => format!("held by the kernel: {}", held.join(", ")),
        }
    }

    /// One line about the shells that agents call, unless something else is set.
    pub(crate) fn in_shells_of_agents() -> &'static str {
        match reports_can_be_had() {
            true => "shells that agents call: every program is judged when it starts",
            false => {
                "shells that agents call: programs are not judged when they start, as the kernel cannot report it"
            }
        }
    }

    /// What bash puts on itself before it runs, and where it reports. Fails if the kernel does not give what is set.
    /// `inside` is the mount namespace in which it runs, if that is another one.
    pub(crate) fn prepare(
        &self,
        config: &Config,
        inside: Option<&Arc<MountNamespace>>,
    ) -> Result<PreparedLimits, Failure> {
        let mut confinement = Confinement::none();
        if let Some(namespace) = inside {
            let cwd = env::current_dir().map_err(super::failed)?;
            confinement.enter(Arc::clone(namespace), &cwd).map_err(super::failed)?;
        }
        confinement.limit(self.resources.limits());
        let group = ControlGroup::make(self.resources.of_group());
        if let Some(entrance) = group.as_ref().and_then(|group| group.entrance().ok()) {
            confinement.join(entrance);
        }
        if let Some(profile) = self.files {
            confinement.restrict_files(self.rules(profile, config, inside)?);
        } else if let Some(plan) = &self.plan {
            let root = inside.map(|namespace| namespace.root());
            let rules = granted_rules(&plan.files, &self.reach, root);
            confinement.restrict_files(rules.map_err(|error| {
                Failure::internal(format!("nothing was run: no plan can be held, as {error}"))
            })?);
        } else if self.take_rights()
            && let Ok(rules) = separation(&self.reach)
        {
            confinement.restrict_files(rules);
        }
        let Some(supervised) = self.supervised() else {
            if self.reach == Reach::Nowhere {
                confinement.filter(self.filter());
            }
            return Ok(PreparedLimits { confinement, reports: None, group });
        };
        self.require(supervised, config)?;
        let connections = self.connections(config)?;
        let socket = confinement.supervise(self.filter()).map_err(super::failed)?;
        let reports = Some(Reports { socket, supervised, connections });
        Ok(PreparedLimits { confinement, reports, group })
    }

    /// The limits of a process that may only look: it changes no file, reads no secret, and reaches no other process. None
    /// if the kernel cannot hold them.
    pub(crate) fn of_onlooker(&self, config: &Config) -> Option<Confinement> {
        let mut confinement = Confinement::none();
        confinement.limit(self.resources.limits());
        confinement.restrict_files(self.rules(FileProfile::ReadOnly, config, None).ok()?);
        let free = Watch::Free;
        confinement.filter(Filter {
            executions: free,
            connections: free,
            listening: free,
            openings: free,
            sockets: Sockets::None,
        });
        Some(confinement)
    }

    /// What has to be reported, if anything.
    fn supervised(&self) -> Option<Supervised> {
        match (self.supervision, &self.reach) {
            (Some(debuggers), _) => Some(Supervised::Programs(debuggers)),
            (None, Reach::Ports(_) | Reach::Hosts(_) | Reach::Loopback) => {
                Some(Supervised::Connections)
            }
            (None, Reach::Everywhere | Reach::Nowhere) => None,
        }
    }

    fn filter(&self) -> Filter {
        let watch = |wanted| if wanted { Watch::Reported } else { Watch::Free };
        let inside = matches!(self.reach, Reach::Ports(_) | Reach::Hosts(_) | Reach::Loopback);
        Filter {
            executions: watch(self.supervision.is_some()),
            connections: watch(self.supervised().is_some()),
            listening: watch(inside),
            openings: self.uses,
            sockets: match self.reach {
                Reach::Everywhere => Sockets::Any,
                Reach::Ports(_) | Reach::Hosts(_) | Reach::Loopback => Sockets::Tcp,
                Reach::Nowhere => Sockets::Local,
            },
        }
    }

    /// Fails if the kernel cannot report, or reports to a guard that goes further.
    fn require(&self, supervised: Supervised, config: &Config) -> Result<(), Failure> {
        let (setting, value) = match supervised {
            Supervised::Programs(_) => {
                ("AEGISH_SUPERVISE", config.word("AEGISH_SUPERVISE").to_owned())
            }
            Supervised::Connections => ("AEGISH_NET", config.network("AEGISH_NET").to_string()),
        };
        let traces = matches!(supervised, Supervised::Connections) || probe::allows_tracing();
        let missing = match (probe::knows_notification(), traces) {
            (false, _) => Some("the kernel cannot report calls (it needs Linux 5.19)"),
            (true, false) => Some("kernel.yama.ptrace_scope forbids to trace children"),
            (true, true) => None,
        };
        let lax = || {
            let taken = || probe::notification() == Support::Taken;
            match self.reach {
                // Only the supervisor can tell the proxy which connections are those of the session.
                Reach::Hosts(_) => taken(),
                Reach::Loopback => taken() && probe::reaches_far(),
                _ => false,
            }
        };
        let loose = match setting {
            "AEGISH_NET" => "open",
            _ => "off",
        };
        match missing {
            Some(missing) => Err(Failure::internal(format!(
                "nothing was run: {setting} is {value}, but {missing}; without it works {setting}={loose}"
            ))),
            None if lax() => Err(Failure::internal(format!(
                "nothing was run: AEGISH_NET is {}, but the guard that supervises this process lets it \
                 connect to other machines, and a process has one supervisor",
                config.network("AEGISH_NET")
            ))),
            None => Ok(()),
        }
    }

    fn connections(&self, config: &Config) -> Result<Connections, Failure> {
        let (mut kinds, mut paths) = (Vec::new(), Vec::new());
        for word in config.list("AEGISH_SOCKETS") {
            match SocketKind::ALL.iter().find(|(name, _)| name == word) {
                Some((_, kind)) => kinds.push(*kind),
                None if word.starts_with('/') => paths.push(PathBuf::from(word)),
                None => {
                    return Err(Failure::usage(format!(
                        "nothing was run: AEGISH_SOCKETS has `{word}`; write services, terminals, agent, \
                         display, or a path from the root"
                    )));
                }
            }
        }
        let agent = env::var_os("SSH_AUTH_SOCK").map(PathBuf::from);
        let (reach, home) = (self.reach.clone(), home(config));
        Ok(Connections::new(reach, self.proxy()?, kinds, paths, home, agent))
    }

    /// The way to the hosts of a list.
    fn proxy(&self) -> Result<Option<Arc<Proxy>>, Failure> {
        let Reach::Hosts(hosts) = &self.reach else { return Ok(None) };
        Proxy::new(hosts.clone()).map(Arc::new).map(Some).map_err(super::failed)
    }

    fn rules(
        &self,
        profile: FileProfile,
        config: &Config,
        inside: Option<&Arc<MountNamespace>>,
    ) -> Result<OwnedFd, Failure> {
        let home = home(config);
        let cwd = env::current_dir().unwrap_or_default();
        let listed = config.get("AEGISH_READABLE").unwrap_or_default();
        let readable: Vec<PathBuf> = listed
            .split(',')
            .filter(|path| !path.is_empty())
            .map(|path| match (path.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => PathBuf::from(path),
            })
            .map(|path| path.canonicalize().unwrap_or(path))
            .collect();
        let guards_own: Vec<PathBuf> = [
            env::current_exe().ok(),
            config.get("AEGISH_AUDIT_DIR").map(PathBuf::from),
            config.config_dir(),
            config.state_dir(),
        ]
        .into_iter()
        .flatten()
        .collect();
        let scope = Scope {
            home: home.as_deref(),
            cwd: Path::new(&cwd),
            readable: &readable,
            guards_own: &guards_own,
        };
        let root = inside.map(|namespace| namespace.root());
        rules(profile, &scope, &self.reach, root).map_err(|error| {
            Failure::internal(format!(
                "nothing was run: AEGISH_FILES is {}, but {error}; without these limits it works \
                 with AEGISH_FILES=off",
                config.word("AEGISH_FILES")
            ))
        })
    }
}

impl ResourceLimits {
    fn of(config: &Config) -> Self {
        let mebibytes = |name| config.limit(name).map(|number| number.saturating_mul(MEBIBYTE));
        let processes = config.limit("AEGISH_MAX_PROCESSES");
        Self {
            processes: processes.filter(|number| *number < UNLIMITED_PROCESSES),
            memory: mebibytes("AEGISH_MAX_MEMORY"),
            file_size: mebibytes("AEGISH_MAX_FILE_SIZE"),
            seconds: config.limit("AEGISH_MAX_CPU_TIME"),
            core_files: (config.mode() == Mode::Production).then_some(0),
        }
    }

    fn of_group(&self) -> GroupLimits {
        GroupLimits { processes: self.processes, memory: self.memory }
    }

    /// Those that each process has. A limit that is already lower stays.
    fn limits(&self) -> Vec<Limit> {
        let processes = self.processes.map(|most| most.saturating_add(tasks()));
        let wanted = [
            (Resource::RLIMIT_NPROC, processes),
            (Resource::RLIMIT_DATA, self.memory),
            (Resource::RLIMIT_FSIZE, self.file_size),
            (Resource::RLIMIT_CPU, self.seconds),
            (Resource::RLIMIT_CORE, self.core_files),
        ];
        let limit = |(resource, most): (Resource, Option<u64>)| {
            let (_, now) = getrlimit(resource).ok()?;
            Some(Limit { resource, most: most?.min(now) })
        };
        wanted.into_iter().filter_map(limit).collect()
    }
}

/// How many processes and threads there are on the machine. The kernel counts those of the user; this bounds them.
fn tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let field = load.split_ascii_whitespace().nth(3).and_then(|field| field.split_once('/'));
    field.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}

/// Coding agents call this program by the name of a shell. Their programs are supervised if the kernel can do it.
fn for_agent() -> Option<Debuggers> {
    (is_called_as_shell() && reports_can_be_had()).then_some(Debuggers::Installed)
}

fn reports_can_be_had() -> bool {
    probe::knows_notification() && probe::allows_tracing()
}

/// Shown where the kernel does not confine programs.
pub(crate) const NO_KERNEL_LIMITS: &str =
    "kernel limits are not on: a program is judged when it is started, not confined while it runs";

/// The home directory. In production that of the account: whoever starts the shell chooses the variable.
fn home(config: &Config) -> Option<PathBuf> {
    let of_account = || User::from_uid(geteuid()).ok().flatten().map(|user| user.dir);
    match config.mode() {
        Mode::Development => config.home(),
        Mode::Production => of_account().or_else(|| config.home()),
    }
}
