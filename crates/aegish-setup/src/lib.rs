//! `aegish setup`: makes the guard a user's login shell, and undoes that.
//!
//! Login shells are changed by the system's own tools. Copies of changed files and the previous settings are
//! saved, so that the change can be undone.

mod account;
mod etc;
mod login;
pub mod planned_files;
mod undo;

use account::Account;
use aegish_audit::LogLocation;
use aegish_config::SystemDirectory;
use aegish_guard::Role;
use aegish_terminal::{ExitKind, Failure, Screen, visible};
use clap::{Args, Subcommand};
use etc::Etc;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The tasks of `aegish setup`.
#[derive(Debug, Subcommand)]
pub enum SetupTask {
    /// Make aegish the login shell of a user, with a role and a way back
    Login(LoginOptions),
    /// Give a user back the shell and the role from before
    Undo(UndoOptions),
}

/// Options of `aegish setup login`.
#[derive(Debug, Args)]
pub struct LoginOptions {
    /// Who logs in to it
    #[arg(long)]
    user: String,
    /// The user's role: default, sysadmin or restricted
    #[arg(long, default_value_t = Role::Default)]
    role: Role,
    /// Also for root, who then has no shell to mend things with
    #[arg(long)]
    force: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Options of `aegish setup undo`.
#[derive(Debug, Args)]
pub struct UndoOptions {
    /// Whose login shell it was
    #[arg(long)]
    user: String,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Finds the audit log of a user that has to exist before that user can work.
pub type FindLog = dyn Fn(&str) -> Result<Option<LogLocation>, String>;

/// Carries out a task.
///
/// # Errors
///
/// With what was not changed, and why.
pub fn run(task: &SetupTask, find_log: &FindLog, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let etc = Etc::machine();
    match task {
        SetupTask::Login(options) => {
            let account = account::find(&options.user).map_err(unchanged)?;
            let program = program().map_err(unchanged)?;
            let mut plan = login::plan(&etc, &account, &program, options).map_err(unchanged)?;
            let log = find_log(&account.name).map_err(unchanged)?;
            if let Some(log) = &log {
                let step = format!("make the audit log {}", log.file().display());
                plan.steps.insert(0, step);
            }
            let mut against = against(&account, &program, options.force);
            if !nix::unistd::geteuid().is_root() {
                against.push("only root can change login shells: use sudo".to_owned());
            }
            carry_out(&plan.steps, &against, options.dry_run, screen, |screen| {
                if let Some(log) = &log {
                    log.prepare(account.uid, account.gid)
                        .map_err(|error| format!("nothing was changed: {error}"))?;
                }
                login::carry_out(&plan, &etc, &account::change_shell, &account::works, screen)
            })
        }
        SetupTask::Undo(options) => {
            let account = account::find(&options.user).map_err(unchanged)?;
            let plan = undo::plan(&etc, &account).map_err(unchanged)?;
            let mut against = Vec::new();
            if !nix::unistd::geteuid().is_root() {
                against.push("only root can change login shells: use sudo".to_owned());
            }
            carry_out(&plan.steps, &against, options.dry_run, screen, |screen| {
                undo::carry_out(&plan, &etc, &account::change_shell, screen)
            })
        }
    }
}

fn unchanged(why: impl std::fmt::Display) -> Failure {
    Failure::internal(format!("nothing was changed: {why}"))
}

/// Carries out the plan or only prints it; refuses if there are objections.
fn carry_out(
    steps: &[String],
    against: &[String],
    dry_run: bool,
    screen: &mut Screen,
    work: impl FnOnce(&mut Screen) -> Result<(), String>,
) -> Result<ExitKind, Failure> {
    if dry_run {
        for reason in against {
            screen.put("would be refused: ").put(visible(reason)).end();
        }
        for step in steps {
            screen.put("would ").put(visible(step)).end();
        }
        return Ok(if against.is_empty() { ExitKind::Allow } else { ExitKind::Failure });
    }
    if !against.is_empty() {
        return Err(unchanged(against.join("; ")));
    }
    work(screen).map_err(Failure::internal)?;
    Ok(ExitKind::Allow)
}

/// Objections to making it this user's login shell.
fn against(account: &Account, program: &Path, force: bool) -> Vec<String> {
    let mut reasons = Vec::new();
    if account.uid == 0 && !force {
        reasons.push(
            "root needs a shell that works when aegish does not; --force if there is another way in"
                .to_owned(),
        );
    }
    if let Err(error) = out_of_reach(program) {
        let place = program.display();
        reasons.push(format!(
            "{place} could be exchanged: {error}; install it where only root can write: \
             sudo install -m 755 {place} /usr/local/bin/aegish"
        ));
    }
    reasons
}

/// This program, without links in its path.
///
/// # Errors
///
/// If its path is not known.
pub fn program() -> Result<PathBuf, String> {
    let found = env::current_exe().and_then(|path| path.canonicalize());
    found.map_err(|error| format!("the path of this program is not known: {error}"))
}

/// Whether only root can replace a file or one of its directories.
///
/// # Errors
///
/// With the place that others can change.
pub fn out_of_reach(path: &Path) -> Result<(), String> {
    for part in path.ancestors() {
        let place = part.display();
        let found = fs::metadata(part).map_err(|error| format!("{place}: {error}"))?;
        if found.uid() != 0 {
            return Err(format!("{place} belongs to user {}", found.uid()));
        }
        if found.mode() & 0o022 != 0 {
            return Err(format!("others can write {place} (mode {:04o})", found.mode() & 0o7777));
        }
    }
    Ok(())
}

/// The state of login shells.
#[derive(Debug)]
pub struct Status {
    /// This program.
    pub program: PathBuf,
    /// Whether it is in `/etc/shells`.
    pub registered: bool,
    /// Users whose login shell it is.
    pub users: Vec<String>,
}

/// Reads the state of this machine.
///
/// # Errors
///
/// With the file that cannot be read.
pub fn status() -> Result<Status, String> {
    let (etc, program) = (Etc::machine(), program()?);
    let registered = etc.registers(&program)?;
    let users = etc.users_of(&program)?;
    Ok(Status { program, registered, users })
}

/// The directory of the system's configuration.
fn system() -> SystemDirectory {
    SystemDirectory::machine()
}
