//! `aegish serve` and `aegish mcp`: the settings of this machine for the servers.

use crate::configuration::{self, Asker};
use crate::user_rules::{self, UserRules};
use aegish_config::Config;
use aegish_guard::Verb;
use aegish_serve::{Backend, Grant, GrantAccess, ServeOptions};
use aegish_terminal::{ExitKind, Failure};
use aegish_verdict::{Checker, MachineView};
use clap::Args;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The Unix socket [default: aegish/guard.sock in XDG_RUNTIME_DIR, else ~/.aegish/guard.sock]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Serve HTTP and the page at this loopback address as well; port 0 is any free one
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Threads that answer [default: one for each core]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &ServeArgs) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let socket = match &arguments.socket {
        Some(path) => path.clone(),
        None => default_socket(&config)?,
    };
    let options = ServeOptions {
        socket,
        http: arguments.http,
        threads: arguments.threads,
        // The token is a secret of the person at the terminal; who reads a pipe may be an agent.
        grants: if io::stderr().is_terminal() { GrantAccess::Page } else { GrantAccess::None },
    };
    let served = aegish_serve::run(&options, Machine, |ready| {
        let page = ready.page.as_deref().map(|page| format!("page: {page}\n")).unwrap_or_default();
        let _ = write!(io::stderr(), "socket: {}\n{page}", ready.socket.display());
    });
    served.map(|()| ExitKind::Allow).map_err(|error| not_served(&error))
}

fn not_served(error: &str) -> Failure {
    Failure::internal(format!("nothing was served: {error}"))
}

fn default_socket(config: &Config) -> Result<PathBuf, Failure> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let dir = runtime.map(|dir| dir.join("aegish"));
    let dir = dir.or_else(|| config.home().map(|home| home.join(".aegish")));
    let dir = dir.ok_or_else(|| not_served("there is no place for the socket; use --socket"));
    Ok(dir?.join("guard.sock"))
}

/// The guard with the settings in force.
pub(crate) fn checker(config: &Config) -> Result<Checker, Failure> {
    let rules = UserRules::of(config);
    Ok(Checker {
        role: configuration::role(config)?,
        fail_mode: configuration::fail_mode(config),
        // A rule for once is used up by a command that runs, and nothing runs here.
        user_rules: rules.rules().iter().filter(|rule| !rule.once).cloned().collect(),
        surroundings: configuration::surroundings(config, Asker::Agent),
        machine: MachineView::This,
    })
}

/// Settings and rules of this machine.
struct Machine;

impl Machine {
    fn config(&self) -> Result<Config, String> {
        configuration::read().map_err(|problems| problems.to_string())
    }
}

impl Backend for Machine {
    fn load(&self) -> Result<Checker, String> {
        checker(&self.config()?).map_err(|failure| failure.message)
    }

    fn grant(&self, command: &str, cwd: Option<&str>, minutes: u32) -> Result<Vec<Grant>, String> {
        let cwd = cwd.map(Path::new);
        let saved = user_rules::grant(command, cwd, &format!("{minutes}m"), &self.config()?);
        Ok(saved.map_err(|failure| failure.message)?.iter().filter_map(granted).collect())
    }

    fn grants(&self) -> Result<Vec<Grant>, String> {
        let config = self.config()?;
        let now = aegish_audit::now();
        let allows = config.rules().iter().map(|held| &held.rule);
        let in_force = allows.filter(|rule| rule.verb == Verb::Allow && rule.counts_at(&now));
        Ok(in_force.filter_map(granted).collect())
    }

    fn revoke(&self, name: &str) -> Result<(), String> {
        user_rules::remove_named(&self.config()?, name).map(drop).map_err(|failure| failure.message)
    }
}

/// A rule with an end.
fn granted(rule: &aegish_guard::UserRule) -> Option<Grant> {
    let until = rule.until.clone()?;
    Some(Grant { name: rule.name.clone(), rule: rule.to_string(), until })
}
