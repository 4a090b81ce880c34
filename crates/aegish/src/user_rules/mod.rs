//! User rules: those in force, and saving of new ones.

mod make;
mod show;
mod task;

use aegish_terminal::{ExitKind, Failure};
#[cfg(feature = "serve")]
pub(crate) use make::grant;
pub(crate) use make::{RuleOptions, run as add};
pub(crate) use show::{before_saving, candidates};
#[cfg(feature = "serve")]
pub(crate) use task::remove_named;
pub(crate) use task::{PolicyTask, run};

use crate::source;
use aegish_config::{Config, ConfigSource, HeldRule, Mode, SystemDirectory, rule_text};
use aegish_guard::{Lifted, NoMachine, Role, UserRule, Verb, fits};
use aegish_private_files::{Missing, replace_file};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The rules in force, and notes about others.
#[derive(Default)]
pub(crate) struct UserRules {
    rules: Vec<UserRule>,
    /// Files of rules that are used up by one command.
    single: Vec<(String, PathBuf)>,
    /// Rules of this session only.
    session: Vec<UserRule>,
    notes: Vec<String>,
}

impl UserRules {
    /// The rules of a configuration. An allow rule whose own examples do not hold is ignored.
    pub(crate) fn of(config: &Config) -> Self {
        let mut user_rules = Self::default();
        user_rules.take(config);
        user_rules
    }

    /// Replaces the rules of the configuration; rules of the session stay.
    pub(crate) fn take(&mut self, config: &Config) {
        self.rules.clear();
        self.single.clear();
        self.notes.clear();
        if config.rules().is_empty() {
            self.rules.clone_from(&self.session);
            return;
        }
        let now = aegish_audit::now();
        for held in config.rules().iter().filter(|held| held.rule.counts_at(&now)) {
            let rule = &held.rule;
            if let Some(broken) = broken_example(rule, config).filter(|_| rule.verb == Verb::Allow)
            {
                self.notes.push(format!("rule {} is not used: {broken}", rule.name));
                continue;
            }
            match (&held.file, rule.once) {
                (Some(file), true) => self.single.push((rule.name.clone(), file.clone())),
                (None, true) => {
                    let why = "a rule for once has to be in a file of its own in rules.d";
                    self.notes.push(format!("rule {} is not used: {why}", rule.name));
                    continue;
                }
                (_, false) => {}
            }
            self.rules.push(rule.clone());
        }
        self.rules.extend(self.session.iter().cloned());
    }

    /// The rules, for a request.
    pub(crate) fn rules(&self) -> &[UserRule] {
        &self.rules
    }

    /// Notes about ignored rules.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a rule that is forgotten with the session.
    pub(crate) fn add_for_session(&mut self, rule: UserRule) {
        self.rules.push(rule.clone());
        self.session.push(rule);
    }

    /// Uses up rules for one command. Returns false if another process used one first or it could not be
    /// removed: then the rule no longer applies, and the command has to be judged again.
    pub(crate) fn spend(&mut self, lifted: &[Lifted]) -> bool {
        let mut all = true;
        for at in (0..self.single.len()).rev() {
            let (name, file) = &self.single[at];
            if !lifted.iter().any(|one| one.by == *name) {
                continue;
            }
            // The process that removes the file has used the rule.
            all &= fs::remove_file(file).is_ok();
            let (name, _) = self.single.remove(at);
            self.rules.retain(|rule| rule.name != name);
        }
        all
    }
}

/// Why an example of a rule does not hold.
pub(crate) fn broken_example(rule: &UserRule, config: &Config) -> Option<String> {
    let wrong = |command: &&String, wanted: bool| holds(rule, command, config) != wanted;
    if let Some(example) = rule.examples.iter().find(|command| wrong(command, true)) {
        return Some(format!("it does not fit its own example `{example}`"));
    }
    let counterexample = rule.counterexamples.iter().find(|command| wrong(command, false));
    counterexample.map(|example| format!("it fits `{example}`, which it should not"))
}

/// Whether a rule matches a command in its own directory and role, independent of files.
fn holds(rule: &UserRule, command: &str, config: &Config) -> bool {
    let mut surroundings = source::surroundings(None);
    let root = |pattern: &str| pattern.split('*').next().unwrap_or_default().to_owned();
    if let Some(directory) = &rule.shape.within {
        surroundings = surroundings.at(&root(directory.as_str()));
    } else if let Some(project) = config.project().and_then(|project| project.path.parent()) {
        surroundings = surroundings.at(&project.to_string_lossy());
    }
    let role = rule.shape.roles.first().copied().unwrap_or_default();
    fits(rule, command, &surroundings.context(&NoMachine), role)
}

/// The directory for a rule of this user or of the system.
pub(crate) fn place(config: &Config, whose: Whose) -> Result<PathBuf, Failure> {
    match whose {
        Whose::System => Ok(SystemDirectory::machine().rules()),
        Whose::User => config.rules_dir().ok_or_else(|| {
            Failure::internal("no rule was saved: there is no place for it; set HOME")
        }),
    }
}

/// The owner of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    System,
    User,
}

/// Whether rules that loosen apply for this user.
pub(crate) fn may_loosen(config: &Config) -> bool {
    config.mode() == Mode::Development
}

/// Saves a rule in a new file and returns its path. A name that is taken is changed.
pub(crate) fn save(rule: &mut UserRule, dir: &Path, whose: Whose) -> Result<PathBuf, Failure> {
    let failed = |error: io::Error| {
        Failure::internal(format!("no rule was saved in {}: {error}", dir.display()))
    };
    let base = rule.name.clone();
    let taken = |name: &str| dir.join(format!("{name}.toml")).symlink_metadata().is_ok();
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    rule.name = names.find(|name| !taken(name)).unwrap_or(base);
    let path = dir.join(format!("{}.toml", rule.name));
    let text = rule_text(rule);
    let (mode, missing) = match whose {
        Whose::User => (0o600, Missing::CreateAll),
        Whose::System => {
            fs::create_dir_all(dir).map_err(failed)?;
            (0o644, Missing::Fail)
        }
    };
    replace_file(&path, text.as_bytes(), mode, missing).map_err(|error| failed(error.into()))?;
    Ok(path)
}

/// Removes a rule.
fn remove(held: &HeldRule) -> Result<(), Failure> {
    let Some(file) = &held.file else {
        return Err(Failure {
            ending: ExitKind::Usage,
            message: format!(
                "nothing was removed: rule {} stands in {}; take it out there",
                held.rule.name, held.place
            ),
        });
    };
    fs::remove_file(file)
        .map_err(|error| Failure::internal(format!("{} was not removed: {error}", file.display())))
}

/// The owner of a rule, as a word.
fn whose(held: &HeldRule) -> &'static str {
    match held.source {
        ConfigSource::SystemKeys | ConfigSource::SystemTables => "system",
        other => other.as_str(),
    }
}

/// The role a preview is made for.
fn role_of(rule: &UserRule, config: &Config) -> Result<Role, Failure> {
    match rule.shape.roles.first() {
        Some(role) => Ok(*role),
        None => crate::configuration::role(config),
    }
}
