//! The configuration of this process: read once, from this machine.

use aegish_config::{
    Config, ConfigOrigin, ConfigProblem, Mode, Person, Problems, Sources, SystemDirectory,
};
use aegish_exec::Environment;
use aegish_guard::{FailMode, OutputReader, Role, Surroundings};
use aegish_terminal::Failure;
use nix::unistd::{Group, User, getegid, geteuid, getgrouplist, getgroups};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{CString, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The configuration in force. In production this process removes all other variables from its environment,
/// so that they cannot influence libraries (certificates, proxies, preloaded names).
///
/// Call it before a second thread exists.
pub(crate) fn load() -> Result<Config, Failure> {
    let config = read().map_err(|problems| unusable(&problems))?;
    if config.mode() == Mode::Production {
        Environment::forget_unlisted().map_err(|error| {
            Failure::internal(format!("nothing was done: the environment stays as it is: {error}"))
        })?;
    }
    Ok(config)
}

/// The configuration in force, or all that is wrong with it.
pub(crate) fn read() -> Result<Config, Problems> {
    at(env::current_dir().ok())
}

/// The same for a shell that is in this directory by now.
pub(crate) fn read_in(cwd: &str) -> Result<Config, Problems> {
    at(Some(PathBuf::from(cwd)).filter(|cwd| cwd.is_absolute()))
}

/// The environment of this process at its start. In production the variables are removed later, but the mode
/// was read from them.
static ENVIRONMENT: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// The file that replaces the user's and the project's.
static POLICY: OnceLock<PathBuf> = OnceLock::new();

/// From now on this file is read instead of the user's and the project's.
pub(crate) fn use_policy(file: PathBuf) {
    let _ = POLICY.set(file);
}

fn at(cwd: Option<PathBuf>) -> Result<Config, Problems> {
    let known = OnceCell::new();
    let sources = Sources {
        system: SystemDirectory::machine(),
        uid: geteuid().as_raw(),
        person: &person,
        policy: POLICY.get().cloned(),
        cwd,
        environment: ENVIRONMENT.get_or_init(|| env::vars_os().collect()).clone(),
        foreign: &|name| known.get_or_init(of_providers).contains(name),
    };
    sources.load()
}

/// Proxies and certificates for servers that are no providers of models.
#[cfg(any(feature = "events", feature = "fleet"))]
pub(crate) fn transport(config: &Config) -> Result<aegish_wire::TransportOptions, Failure> {
    let get = |name: &str| config.get(name);
    let options = aegish_wire::TransportOptions::from_env(&get)
        .map_err(|failure| Failure::usage(format!("nothing was done: {}", failure.message)))?;
    Ok(match get("AEGISH_CA_FILE") {
        Some(file) => options.with_ca_file(PathBuf::from(file)),
        None => options,
    })
}

/// The role of the configuration.
pub(crate) fn role(config: &Config) -> Result<Role, Failure> {
    let word = config.word("AEGISH_ROLE");
    word.parse().map_err(|error| Failure::internal(format!("nothing was judged: {error}")))
}

/// The setting for verdicts that are left open.
pub(crate) fn fail_mode(config: &Config) -> FailMode {
    // Every value except the looser one means the tighter one.
    match config.word("AEGISH_FAIL_MODE") {
        "open" => FailMode::Open,
        _ => FailMode::Safe,
    }
}

/// Who reads what commands print, as far as secrets are concerned.
pub(crate) fn reader(config: &Config, by: Asker) -> OutputReader {
    // Every value except the looser ones means the tightest one.
    match config.word("AEGISH_SHOWN_SECRETS") {
        "nobody" => OutputReader::Trusted,
        "agents" if by == Asker::Person => OutputReader::Trusted,
        _ => OutputReader::Agent,
    }
}

/// The surroundings of this process, for commands of a person or of an agent.
pub(crate) fn surroundings(config: &Config, by: Asker) -> Surroundings {
    Surroundings { reader: reader(config, by), ..Surroundings::of_process(None) }
}

/// Whose commands they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A person's, or those of a program that the person started.
    Person,
    /// A coding agent's.
    Agent,
}

/// Variables that hold keys and addresses of model providers.
fn of_providers() -> BTreeSet<&'static str> {
    let accounts = aegish_judge::accounts(&|_| None);
    let names = accounts.iter().flat_map(|account| {
        let variables = account.key_variables.iter().chain(account.address_variables);
        variables.chain(account.other_variables).copied()
    });
    names.collect()
}

/// The user of this process, by name. Groups are those of the user and of the process.
fn person() -> Result<Person, String> {
    let uid = geteuid();
    let user = match User::from_uid(uid) {
        Ok(Some(user)) => user,
        Ok(None) => return Err(format!("user {uid} has no name on this machine")),
        Err(error) => return Err(format!("user {uid} could not be looked up: {error}")),
    };
    let name = CString::new(user.name.as_str()).map_err(|error| error.to_string())?;
    let unknown = |error| format!("the groups of {} could not be looked up: {error}", user.name);
    let mut ids = getgrouplist(&name, user.gid).map_err(unknown)?;
    ids.extend(getgroups().map_err(unknown)?);
    ids.extend([user.gid, getegid()]);
    let mut groups = BTreeSet::new();
    for id in ids {
        // A group without a name cannot be given a role.
        if let Some(group) = Group::from_gid(id).map_err(unknown)? {
            groups.insert(group.name);
        }
    }
    Ok(Person { name: user.name, groups: groups.into_iter().collect() })
}

/// Without a configuration nothing is done. Mistakes in variables are usage errors.
fn unusable(problems: &Problems) -> Failure {
    let called = |problem: &ConfigProblem| matches!(problem.place, ConfigOrigin::Variable(_));
    let message = format!("nothing was done, the configuration cannot be used: {problems}");
    if problems.0.iter().all(called) {
        Failure::usage(message)
    } else {
        Failure::internal(format!("{message}; `aegish config check` looks again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_config::{ValueType, setting};
    use aegish_judge::JudgeSettings;

    fn empty(mode: &str) -> Result<Config, Problems> {
        let sources = Sources {
            system: SystemDirectory::at("/nonexistent", 0),
            uid: 0,
            person: &person,
            policy: None,
            cwd: None,
            environment: vec![("AEGISH_MODE".into(), mode.into())],
            foreign: &|_| false,
        };
        sources.load()
    }

    #[test]
    fn the_table_and_the_judge_have_the_same_defaults() {
        for mode in ["development", "production"] {
            let config = empty(mode)
                .map(|config| format!("{:?}", JudgeSettings::from_env(&|name| config.get(name))));
            let alone = |name: &str| (name == "AEGISH_MODE").then(|| mode.to_owned());
            let alone = format!("{:?}", JudgeSettings::from_env(&alone));
            assert_eq!(config, Ok(alone), "{mode}");
        }
    }

    #[test]
    fn the_table_and_the_policy_know_the_same_roles() {
        let words = match setting("AEGISH_ROLE").map(|setting| setting.kind) {
            Some(ValueType::Word(words)) => words,
            _ => &[],
        };
        let known: BTreeSet<&str> = Role::ALL.iter().map(|role| role.name()).collect();
        assert_eq!(words.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(words.last(), Some(&Role::Restricted.name()), "the tightest");
        assert_eq!(words.first(), Some(&Role::Sysadmin.name()), "the loosest");
    }

    #[test]
    fn keys_of_every_provider_are_known() {
        let names = of_providers();
        assert!(names.contains("OPENAI_API_KEY") && names.contains("OLLAMA_HOST"));
        assert!(!names.contains("PATH"));
    }
}
