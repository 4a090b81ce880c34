//! Restores the previous login shell of a user.

use super::account::Account;
use super::etc::{Etc, PreviousLogin};
use super::login::Change;
use aegish_config::{role_set, role_unset};
use aegish_terminal::Screen;
use std::path::Path;

/// The planned changes.
pub(super) struct UndoPlan {
    /// Their description.
    pub(super) steps: Vec<String>,
    user: String,
    before: PreviousLogin,
    shells: Option<String>,
    roles: Option<String>,
}

pub(super) fn plan(etc: &Etc, account: &Account) -> Result<UndoPlan, String> {
    let user = &account.name;
    let Some(before) = etc.before(user)? else {
        return Err(format!(
            "it is not written down what {user} had before; any shell can be set: \
             usermod -s /bin/bash {user}"
        ));
    };
    if !before.shell.exists() {
        let shell = before.shell.display();
        return Err(format!("{shell} does not exist any more; usermod -s /bin/bash {user}"));
    }
    let guard = &account.shell;
    let mut steps = vec![format!(
        "change the login shell of {user} from {} to {}",
        guard.display(),
        before.shell.display()
    )];
    let old_text = etc.roles_text()?;
    let edited = match &before.role {
        Some(role) => role_set(&old_text, user, role),
        None => role_unset(&old_text, user),
    }
    .map_err(|error| format!("{}: {error}", etc.roles().display()))?;
    let roles = (edited.text != old_text).then_some(edited.text);
    if roles.is_some() {
        let word = before.role.as_deref().unwrap_or("none of its own");
        steps.push(format!("set the role of {user} in {} back: {word}", etc.roles().display()));
    }
    let shells = shells(etc, &before, user, guard)?;
    if shells.is_some() {
        steps.push(format!("take {} out of {}", guard.display(), etc.shells().display()));
    }
    steps.push(format!("remove {}", etc.record(user).display()));
    Ok(UndoPlan { steps, user: user.clone(), before, shells, roles })
}

/// `/etc/shells` without the guard, if setup added it and no other user needs it.
fn shells(
    etc: &Etc,
    before: &PreviousLogin,
    user: &str,
    guard: &Path,
) -> Result<Option<String>, String> {
    let others = etc.users_of(guard)?.into_iter().any(|other| other != user);
    let ours = before.entered && *guard != before.shell && etc.registers(guard)?;
    if others || !ours { Ok(None) } else { etc.shells_without(guard).map(Some) }
}

pub(super) fn carry_out(
    plan: &UndoPlan,
    etc: &Etc,
    change_shell: Change<'_>,
    screen: &mut Screen,
) -> Result<(), String> {
    let user = &plan.user;
    // The shell is changed first, so that the user can log in even if a later step fails.
    change_shell(user, &plan.before.shell)
        .map_err(|error| format!("the login shell of {user} was not changed: {error}"))?;
    let rest = |error: String| format!("{user} has the old shell again, but: {error}");
    if let Some(text) = &plan.roles {
        etc.replace(&etc.roles(), text).map_err(rest)?;
    }
    if let Some(text) = &plan.shells {
        etc.replace(&etc.shells(), text).map_err(rest)?;
    }
    etc.remove_before(user).map_err(rest)?;
    screen.put(format_args!("{user} logs in to {} again", plan.before.shell.display())).end();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{LoginOptions, login};
    use super::*;
    use aegish_guard::Role;
    use std::cell::RefCell;
    use std::fs;
    use std::path::PathBuf;

    struct Scene {
        root: PathBuf,
        etc: Etc,
        account: RefCell<Account>,
    }

    const GUARD: &str = "/usr/local/bin/aegish";
    const SHELLS: &str = "# shells\n/bin/sh\n/bin/bash";
    const CONFIG: &str = "mode = 'production'\n\n[roles.users]\nlee = 'restricted' # new\n";

    impl Scene {
        fn new(name: &str) -> Self {
            let root =
                std::env::temp_dir().join(format!("aegish-setup-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            let _ = fs::create_dir_all(root.join("aegish"));
            let file =
                |name: &str, text: &str| fs::write(root.join(name), text).unwrap_or_default();
            file("shells", SHELLS);
            file("passwd", "root:x:0:0::/root:/bin/bash\nkim:x:1000:1000::/home/kim:/bin/sh\n");
            file("aegish/config.toml", CONFIG);
            let account = Account {
                name: "kim".to_owned(),
                uid: 1000,
                gid: 1000,
                home: "/home/kim".into(),
                shell: "/bin/sh".into(),
            };
            Self { etc: Etc::at(&root), root, account: RefCell::new(account) }
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.root.join(name)).unwrap_or_default()
        }

        fn change(&self) -> impl Fn(&str, &Path) -> Result<(), String> {
            |user, shell| {
                let passwd = self.read("passwd");
                let line = |line: &str| match line.starts_with(&format!("{user}:")) {
                    true => {
                        let head = line.rsplit_once(':').map_or("", |(head, _)| head);
                        format!("{head}:{}\n", shell.display())
                    }
                    false => format!("{line}\n"),
                };
                let passwd: String = passwd.lines().map(line).collect();
                self.account.borrow_mut().shell = shell.to_path_buf();
                fs::write(self.root.join("passwd"), passwd).map_err(|error| error.to_string())
            }
        }

        fn login(&self, role: Role, works: login::Try<'_>) -> Result<(), String> {
            let options =
                LoginOptions { user: "kim".to_owned(), role, force: false, dry_run: false };
            let account = self.account.borrow().clone();
            let plan = login::plan(&self.etc, &account, Path::new(GUARD), &options)?;
            login::carry_out(&plan, &self.etc, &self.change(), works, &mut Screen::standard())
        }

        fn undo(&self) -> Result<(), String> {
            let account = self.account.borrow().clone();
            let plan = plan(&self.etc, &account)?;
            carry_out(&plan, &self.etc, &self.change(), &mut Screen::standard())
        }
    }

    impl Drop for Scene {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.root);
        }
    }

    #[test]
    fn setup_and_undo_restore_everything() {
        let scene = Scene::new("back");
        let passwd = scene.read("passwd");
        assert_eq!(scene.login(Role::Sysadmin, &|_, _| Ok(())), Ok(()));
        assert_eq!(scene.read("shells"), format!("{SHELLS}\n{GUARD}\n"));
        assert_eq!(scene.read("shells.before-aegish"), SHELLS);
        assert_eq!(scene.read("aegish/config.toml"), format!("{CONFIG}kim = \"sysadmin\"\n"));
        assert!(scene.read("passwd").contains(&format!("/home/kim:{GUARD}\n")));
        // A second setup with another role keeps the first saved settings.
        assert_eq!(scene.login(Role::Restricted, &|_, _| Ok(())), Ok(()));
        assert!(scene.read("aegish/config.toml").contains("kim = \"restricted\""));
        assert_eq!(scene.undo(), Ok(()));
        assert_eq!(scene.read("passwd"), passwd);
        assert_eq!(scene.read("shells"), format!("{SHELLS}\n"));
        assert_eq!(scene.read("aegish/config.toml"), CONFIG);
        assert!(scene.undo().is_err_and(|error| error.contains("not written down")));
    }

    #[test]
    fn a_shell_that_does_not_work_is_nobodys_login_shell() {
        let scene = Scene::new("broken");
        let passwd = scene.read("passwd");
        let broken = scene.login(Role::Default, &|_, _| Err("it ends".to_owned()));
        assert_eq!(broken, Err("nothing was changed: it ends".to_owned()));
        assert_eq!((scene.read("shells").as_str(), scene.read("passwd")), (SHELLS, passwd.clone()));
        let tries = RefCell::new(0);
        let later = scene.login(Role::Default, &|_, _| {
            *tries.borrow_mut() += 1;
            if *tries.borrow() == 1 { Ok(()) } else { Err("it ends".to_owned()) }
        });
        assert!(later.is_err_and(|error| error.contains("setup undo --user kim")));
        assert_eq!(scene.read("passwd"), passwd, "the old shell is still there");
        assert_eq!(scene.undo(), Ok(()));
        assert_eq!(scene.read("aegish/config.toml"), CONFIG);
    }

    #[test]
    fn a_shell_that_others_need_stays_registered() {
        let scene = Scene::new("others");
        assert_eq!(scene.login(Role::Default, &|_, _| Ok(())), Ok(()));
        let passwd = scene.read("passwd") + &format!("lee:x:1001:1001::/home/lee:{GUARD}\n");
        assert!(fs::write(scene.root.join("passwd"), passwd).is_ok());
        assert_eq!(scene.undo(), Ok(()));
        assert!(scene.read("shells").contains(GUARD));
    }

    #[test]
    fn a_configuration_that_cannot_be_changed_safely_is_not_changed() {
        let scene = Scene::new("byhand");
        assert!(fs::write(scene.root.join("aegish/config.toml"), "rolle = 1\n").is_ok());
        let refused = scene.login(Role::Default, &|_, _| Ok(()));
        assert!(refused.is_err_and(|error| error.contains("config.toml:1")));
        assert_eq!(scene.read("shells"), SHELLS);
    }
}
