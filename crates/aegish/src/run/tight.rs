//! A plan for one command: the files, hosts and programs that the analysis derived, and what people add.

use super::affected::without_links;
use crate::shell::{KernelLimits, ShellSettings, Uses};
use crate::source;
use aegish_guard::{AllowedHost, Analysis, EffectKind, OsMachine, Request, Value, check};
use aegish_sandbox::{FileAccess, Grant, Grants, Reach};
use aegish_terminal::{Screen, Style, visible};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::net::IpAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Ports that are meant where an address names none.
const USUAL_PORTS: [u16; 3] = [22, 80, 443];
/// Name resolution by TCP.
const DOMAIN: u16 = 53;
/// More files of one directory are proposed as the directory.
const MOST_OF_DIRECTORY: usize = 3;
/// The most lines of one kind that are shown.
const MOST_SHOWN: usize = 20;
/// What every command is granted, so that nobody has to add it.
const GRANTED: [&str; 3] = ["/dev/", "/proc/", "/usr/"];

/// What people add to a plan.
#[derive(Args, Default, Clone)]
pub(crate) struct Also {
    /// With --tight: a file or directory that may also be read
    #[arg(long, value_name = "PATH", requires = "tight")]
    also_read: Vec<PathBuf>,
    /// With --tight: a file or directory that may also be written
    #[arg(long, value_name = "PATH", requires = "tight")]
    also_write: Vec<PathBuf>,
    /// With --tight: a program that may also be started, by name or path
    #[arg(long, value_name = "PROGRAM", requires = "tight")]
    also_run: Vec<String>,
    /// With --tight: a host (`example.org`, `example.org:22`) or a TCP port that may also be connected to
    #[arg(long, value_name = "HOST|PORT", requires = "tight")]
    also_connect: Vec<Destination>,
}

/// Where a plan lets programs connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    Host(AllowedHost),
    /// This port of every host.
    Port(u16),
}

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(port) => Ok(Self::Port(port)),
            Err(_) => AllowedHost::new(text).map(Self::Host),
        }
    }
}

/// The bounds of a run.
pub(crate) enum Bounds {
    /// Those of the settings.
    OfSettings,
    /// Those of the settings, and what is used is told.
    Observed,
    /// A plan, with what people add.
    Plan(Also),
}

/// What a command may use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) files: Grants,
    pub(crate) reach: Reach,
    /// Programs beside those that the text starts.
    pub(crate) programs: Vec<String>,
}

impl Plan {
    /// The plan for a judged text.
    pub(crate) fn of(analysis: &Analysis, cwd: &Path, also: &Also) -> Self {
        let mut files: BTreeMap<PathBuf, Grant> = BTreeMap::new();
        let mut network = NetworkPlan::default();
        also.also_connect.iter().for_each(|to| network.add(to.clone()));
        let mut add = |path: &Path, grant: Grant| {
            for path in [without_links(&cwd.join(path)), fs::canonicalize(cwd.join(path)).ok()] {
                let Some(path) = path else { continue };
                let slot = files.entry(path).or_insert(grant);
                *slot = (*slot).max(grant);
            }
        };
        for effect in &analysis.effects {
            match &effect.kind {
                EffectKind::Read { path, .. } => known(path, Grant::Read, &mut add),
                EffectKind::List { path } => known(path, Grant::List, &mut add),
                EffectKind::Write { path, .. } | EffectKind::Link { name: path, .. } => {
                    made(path, cwd, &mut add);
                }
                EffectKind::Mention { path } => known(path, Grant::Read, &mut add),
                EffectKind::Delete { path, .. } => {
                    known(path, Grant::Write, &mut add);
                    if let Some(parent) = path.as_known().and_then(|path| Path::new(path).parent())
                    {
                        add(parent, Grant::Remove);
                    }
                }
                EffectKind::Connect { host, port } => {
                    let port = port.as_known().and_then(|port| port.parse().ok());
                    network.connect(host.as_known().unwrap_or_default(), port);
                }
                EffectKind::Fetch { from: place, .. } | EffectKind::Send { to: place, .. } => {
                    network.exchange(place.as_known().unwrap_or_default());
                }
                EffectKind::RunFetched { .. } => network.connect("", None),
                EffectKind::Listen { .. } | EffectKind::Serve { .. } => network.near = true,
                _ => {}
            }
        }
        for script in &analysis.scripts {
            add(Path::new(&script.path), Grant::Read);
        }
        for command in &analysis.commands {
            // A program outside the system's directories is read to be run.
            if let Some(name) = command.argv.first().and_then(Value::as_known)
                && name.contains('/')
            {
                add(Path::new(name), Grant::Read);
            }
        }
        also.also_read.iter().for_each(|path| add(path, Grant::Read));
        also.also_write.iter().for_each(|path| add(path, Grant::Write));
        let (files, reach) = (files.into_iter().collect(), network.reach());
        Self { files, reach, programs: also.also_run.clone() }
    }

    /// Shows it.
    pub(crate) fn show(&self, analysis: &Analysis) {
        let mut screen = Screen::errors();
        let of = |grant: Grant| -> String {
            let paths = self.files.iter().filter(|(_, one)| *one == grant);
            let paths: Vec<String> = paths.map(|(path, _)| path.display().to_string()).collect();
            visible(&paths.join(", "))
        };
        let programs: BTreeSet<&str> = analysis
            .commands
            .iter()
            .filter_map(|command| command.argv.first()?.as_known())
            .chain(self.programs.iter().map(String::as_str))
            .collect();
        let network = match &self.reach {
            Reach::Nowhere => "none".to_owned(),
            Reach::Loopback => "this machine".to_owned(),
            Reach::Ports(ports) => format!("TCP ports {ports:?}"),
            Reach::Hosts(hosts) => {
                hosts.iter().map(AllowedHost::to_string).collect::<Vec<_>>().join(", ")
            }
            Reach::Everywhere => "everywhere".to_owned(),
        };
        let rows = [
            ("reads", of(Grant::Read)),
            ("lists", of(Grant::List)),
            ("writes", of(Grant::Write)),
            ("removes in", of(Grant::Remove)),
            ("starts", visible(&programs.into_iter().collect::<Vec<_>>().join(", "))),
            ("network", network),
        ];
        for (name, text) in rows.into_iter().filter(|(_, text)| !text.is_empty()) {
            screen.paint(Style::Faint, format!("plan: {name} ")).put(text).end();
        }
        let _ = screen.finish();
    }
}

/// Where a text connects to.
#[derive(Default)]
struct NetworkPlan {
    hosts: Vec<AllowedHost>,
    ports: BTreeSet<u16>,
    /// Whether something connects by itself and not by a proxy, or it is not known where to.
    directly: bool,
    /// Whether something connects to this machine.
    near: bool,
}

impl NetworkPlan {
    fn add(&mut self, to: Destination) {
        match to {
            Destination::Host(host) => self.hosts.push(host),
            Destination::Port(port) => {
                self.directly = true;
                self.ports.insert(port);
            }
        }
    }

    /// A program connects to a host; empty if it is not known.
    fn connect(&mut self, host: &str, port: Option<u16>) {
        match is_loopback(host) {
            true => self.near = true,
            false => self.directly = true,
        }
        self.ports.extend(port);
    }

    /// A program fetches from or sends to an address. Programs that speak HTTP take a proxy.
    fn exchange(&mut self, address: &str) {
        let (host, port) = host_and_port(address);
        let web = address.starts_with("https://") || address.starts_with("http://");
        match port
            .and_then(|port| AllowedHost::at(host, port).ok())
            .filter(|_| web && !is_loopback(host))
        {
            Some(host) => {
                self.ports.extend(port);
                self.hosts.push(host);
            }
            None => self.connect(host, port),
        }
    }

    fn reach(mut self) -> Reach {
        if self.directly {
            if self.ports.is_empty() {
                self.ports.extend(USUAL_PORTS);
            }
            self.ports.insert(DOMAIN);
            return Reach::Ports(self.ports.into_iter().collect());
        }
        match (self.hosts.is_empty(), self.near) {
            (false, near) => {
                self.hosts.extend(near.then(|| AllowedHost::new("localhost").ok()).flatten());
                Reach::Hosts(self.hosts)
            }
            (true, true) => Reach::Loopback,
            (true, false) => Reach::Nowhere,
        }
    }
}

fn known(path: &Value, grant: Grant, add: &mut impl FnMut(&Path, Grant)) {
    if let Some(path) = path.as_known() {
        add(Path::new(path), grant);
    }
}

/// A file that is to be made opens the directory that it is made in: the kernel knows no other rule.
fn made(path: &Value, cwd: &Path, add: &mut impl FnMut(&Path, Grant)) {
    let Some(path) = path.as_known().map(Path::new) else { return };
    let exists = fs::symlink_metadata(cwd.join(path)).is_ok();
    match path.parent() {
        Some(parent) if !exists => add(parent, Grant::Write),
        _ => add(path, Grant::Write),
    }
}

/// The host of an address, and the port that it names or means.
fn host_and_port(address: &str) -> (&str, Option<u16>) {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        "ftp" => Some(21),
        "ssh" | "sftp" | "" => Some(22),
        _ => None,
    };
    match place.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host, port.parse().ok()),
        Some((host, _)) if scheme.is_empty() => (host, usual),
        _ => (place, usual),
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host == "::1" || host.starts_with("127.")
}

/// Makes the plan for a text, and shows it.
pub(crate) fn plan(text: &OsStr, settings: &ShellSettings, also: &Also) -> Plan {
    let machine = OsMachine;
    let mut context = source::surroundings(None).context(&machine);
    context.interactive = false;
    let request =
        Request { text: text.as_bytes(), context: &context, role: settings.role, user_rules: &[] };
    let decision = check(&request);
    let plan = Plan::of(decision.analysis(), Path::new(&context.cwd), also);
    plan.show(decision.analysis());
    plan
}

/// Tells what was used or refused.
pub(crate) fn tell(uses: &Uses, limits: &KernelLimits) {
    match limits.has_plan() {
        true => tell_refused(uses),
        false => tell_learned(uses),
    }
}

/// Tells what was refused under a plan, with the option that would grant it.
fn tell_refused(uses: &Uses) {
    let programs = uses.refused_programs.iter().map(|path| option("--also-run", path));
    let mut lines: Vec<String> = programs.collect();
    lines.extend(proposals(&uses.refused_files));
    lines.extend(uses.refused_connections.iter().map(|to| format!("--also-connect {to}")));
    if lines.is_empty() {
        return;
    }
    let mut screen = Screen::errors();
    screen.paint(Style::Doubtful, "the plan did not grant this; to grant it, add:").end();
    put_lines(&lines, &mut screen);
    let _ = screen.finish();
}

/// Proposes the plan that a command needs by what it used.
fn tell_learned(uses: &Uses) {
    let mut screen = Screen::errors();
    screen.paint(Style::Strong, "it needed beside what every program has:").end();
    let mut lines: Vec<String> =
        uses.programs.iter().map(|path| option("--also-run", path)).collect();
    lines.extend(proposals(&uses.files));
    let places: BTreeSet<String> =
        uses.connections.iter().filter_map(|peer| destination(peer)).collect();
    lines.extend(places.into_iter().map(|place| format!("--also-connect {place}")));
    put_lines(&lines, &mut screen);
    if lines.is_empty() {
        screen.put("nothing").end();
    }
    screen
        .paint(Style::Faint, "put them behind `aegish run --tight` as far as they are right")
        .end();
    let _ = screen.finish();
}

/// How a peer is granted: by its name, or by its port if it has only an address.
fn destination(peer: &str) -> Option<String> {
    let (host, port) = peer.rsplit_once(" port ")?;
    Some(match host.parse::<IpAddr>() {
        Ok(_) => port.to_owned(),
        Err(_) => format!("{host}:{port}"),
    })
}

fn put_lines(lines: &[String], screen: &mut Screen) {
    for line in lines.iter().take(MOST_SHOWN) {
        screen.put(format!("  {line}")).end();
    }
    if lines.len() > MOST_SHOWN {
        screen.put(format!("  … and {} more", lines.len() - MOST_SHOWN)).end();
    }
}

fn option(name: &str, path: &Path) -> String {
    format!("{name} {}", visible(&path.display().to_string()))
}

/// Options for files; many of one directory are one option.
fn proposals(files: &BTreeSet<(PathBuf, FileAccess)>) -> Vec<String> {
    let mut by_directory: BTreeMap<(&Path, FileAccess), Vec<&Path>> = BTreeMap::new();
    for (path, access) in files {
        let granted = GRANTED.iter().any(|own| path.to_string_lossy().starts_with(own));
        let exists = *access == FileAccess::Write || path.exists();
        if !granted && exists {
            let parent = path.parent().unwrap_or(path);
            by_directory.entry((parent, *access)).or_default().push(path);
        }
    }
    let mut lines = Vec::new();
    for ((parent, access), paths) in by_directory {
        let name = match access {
            FileAccess::Read => "--also-read",
            FileAccess::Write => "--also-write",
        };
        match paths.len() > MOST_OF_DIRECTORY && parent.parent().is_some() {
            true => lines.push(option(name, parent)),
            false => lines.extend(paths.into_iter().map(|path| option(name, path))),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_guard::{Context, Request, Role, check};

    fn plan(text: &str) -> Plan {
        let mut context = Context::bare();
        context.positional = Some(Vec::new());
        let text = text.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        Plan::of(check(&request).analysis(), Path::new("/usr"), &Also::default())
    }

    #[test]
    fn a_plan_holds_what_the_text_names_and_no_more() {
        let one = plan("cat bin/true >share/aegish-new; rm share/aegish-old");
        let grants: BTreeMap<PathBuf, Grant> = one.files.into_iter().collect();
        assert_eq!(grants.get(Path::new("/usr/bin/true")), Some(&Grant::Read));
        assert_eq!(grants.get(Path::new("/usr/share")), Some(&Grant::Write));
        assert!(!grants.contains_key(Path::new("/usr")));
        assert_eq!(one.reach, Reach::Nowhere);
        assert_eq!(plan("curl http://localhost:80/").reach, Reach::Loopback);
        let hosts = |names: &[&str]| {
            Reach::Hosts(names.iter().filter_map(|one| AllowedHost::new(one).ok()).collect())
        };
        assert_eq!(plan("curl https://example.org/").reach, hosts(&["example.org:443"]));
        assert_eq!(
            plan("curl http://a.test:81/ http://localhost/").reach,
            hosts(&["a.test:81", "localhost"])
        );
        assert!(matches!(
            plan("ssh example.org; curl https://example.org/").reach,
            Reach::Ports(_)
        ));
    }

    #[test]
    fn many_files_of_a_directory_are_proposed_as_the_directory() {
        let file = |name: &str| (PathBuf::from(name), FileAccess::Write);
        let files = ["/srv/a/1", "/srv/a/2", "/srv/a/3", "/srv/a/4", "/srv/b/1"].map(file);
        let lines = proposals(&files.into_iter().collect());
        assert_eq!(lines, ["--also-write /srv/a", "--also-write /srv/b/1"]);
    }
}
