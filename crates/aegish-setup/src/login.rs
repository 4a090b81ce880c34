//! Makes the guard a user's login shell.

use super::LoginOptions;
use super::account::Account;
use super::etc::{Etc, PreviousLogin, kept};
use aegish_config::role_set;
use aegish_terminal::{Screen, visible};
use std::path::{Path, PathBuf};

/// The planned changes.
pub(super) struct LoginPlan {
    /// Their description.
    pub(super) steps: Vec<String>,
    account: Account,
    program: PathBuf,
    before: PreviousLogin,
    shells: Option<String>,
    roles: Option<String>,
}

/// Changes a user's shell.
pub(super) type Change<'a> = &'a dyn Fn(&str, &Path) -> Result<(), String>;
/// Tries a shell as a user.
pub(super) type Try<'a> = &'a dyn Fn(&Account, &Path) -> Result<(), String>;

pub(super) fn plan(
    etc: &Etc,
    account: &Account,
    program: &Path,
    options: &LoginOptions,
) -> Result<LoginPlan, String> {
    let user = &account.name;
    if user.contains('/') || user.starts_with('.') {
        return Err(format!("{user} is not a name that a file can have"));
    }
    let registered = etc.registers(program)?;
    let shells = if registered { None } else { Some(etc.shells_with(program)?) };
    let old_text = etc.roles_text()?;
    let edited = role_set(&old_text, user, options.role.name())
        .map_err(|error| format!("{}: {error}", etc.roles().display()))?;
    // If a user is set up twice, the settings before the first time are restored.
    let before = match etc.before(user)? {
        Some(before) => before,
        None => PreviousLogin {
            shell: account.shell.clone(),
            role: edited.before,
            entered: !registered,
        },
    };
    let roles = (edited.text != old_text).then_some(edited.text);
    let mut steps = Vec::new();
    let record = etc.record(user);
    steps.push(format!("write down in {} what is to be brought back", record.display()));
    if shells.is_some() {
        steps.push(format!("enter {} into {}", program.display(), etc.shells().display()));
    }
    if roles.is_some() {
        steps.push(format!("give {user} the role {} in {}", options.role, etc.roles().display()));
    }
    steps.push(format!("try whether {user} can work with it"));
    steps.push(format!(
        "change the login shell of {user} from {} to {}",
        account.shell.display(),
        program.display()
    ));
    let (account, program) = (account.clone(), program.to_path_buf());
    Ok(LoginPlan { steps, account, program, before, shells, roles })
}

pub(super) fn carry_out(
    plan: &LoginPlan,
    etc: &Etc,
    change_shell: Change<'_>,
    works: Try<'_>,
    screen: &mut Screen,
) -> Result<(), String> {
    let user = &plan.account.name;
    works(&plan.account, &plan.program).map_err(|error| format!("nothing was changed: {error}"))?;
    let undo = format!("sudo {} setup undo --user {user}", plan.program.display());
    let half_done = |error: String| {
        format!("the login shell of {user} was not changed: {error}; take back the rest: {undo}")
    };
    etc.write_before(user, &plan.before)
        .map_err(|error| format!("nothing was changed: {error}"))?;
    if let Some(text) = &plan.shells {
        etc.replace(&etc.shells(), text).map_err(half_done)?;
    }
    if let Some(text) = &plan.roles {
        etc.replace(&etc.roles(), text).map_err(half_done)?;
    }
    works(&plan.account, &plan.program).map_err(half_done)?;
    change_shell(user, &plan.program).map_err(half_done)?;
    let place = visible(&plan.program.display().to_string());
    screen.put(format_args!("{user} logs in to {place} from now on")).end();
    for (changed, path) in [(&plan.shells, etc.shells()), (&plan.roles, etc.roles())] {
        let old = kept(&path);
        if changed.is_some() && old.exists() {
            screen.put(format_args!("{} was kept as {}", path.display(), old.display())).end();
        }
    }
    screen.put(format_args!("try it in a second terminal before you close this one: ssh {user}@…"));
    screen.end();
    screen.put(format_args!("to undo it: {undo}")).end();
    screen
        .put(format_args!("or, without aegish: usermod -s {} {user}", plan.before.shell.display()));
    screen.end();
    Ok(())
}
