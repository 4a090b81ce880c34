//! All sources, one after the other → the configuration.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::bundle::BundleHead;
use crate::config::{ActiveSetting, Config, Mode, Project, RULES_DIR, SourceAuthority};
use crate::file::{self, FileOwner, NotUsed};
use crate::keys::{self, SourceContent, SourceSetting, of_a_server};
use crate::origin::{ConfigNote, ConfigOrigin, ConfigProblem, ConfigSource, Problems};
use crate::project::{self, Trusted};
use crate::roles::Roles;
use crate::system_directory::SystemDirectory;
use crate::table::{FOREIGN, setting};
use crate::tables;
use crate::user_rules::Bases;
use crate::value::SettingValue;
use aegish_policy::Verb;

/// The user of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The user's name.
    pub name: String,
    /// The names of the user's groups.
    pub groups: Vec<String>,
}

/// Everything a configuration is made from.
pub struct Sources<'a> {
    /// The directory of the system's files.
    pub system: SystemDirectory,
    /// The user of this process.
    pub uid: u32,
    /// The same by name; called only if roles are set by name.
    pub person: &'a dyn Fn() -> Result<Person, String>,
    /// A file that is read instead of the user's and the project's.
    pub policy: Option<PathBuf>,
    /// The directory in which the search for a project's file begins; none if there is no project.
    pub cwd: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether a name is a variable of a model provider.
    pub foreign: &'a dyn Fn(&str) -> bool,
}

impl Sources<'_> {
    /// Reads all sources.
    ///
    /// # Errors
    ///
    /// All that is wrong with any of them.
    pub fn load(&self) -> Result<Config, Problems> {
        let mut problems = Vec::new();
        let mut files = Vec::new();
        let system = self.system_page(&mut problems, &mut files);
        let environment = keys::environment(&self.environment);
        problems.extend(environment.problems.iter().cloned());
        let owner = FileOwner::System(self.system.owner());
        let fleet = self.page(&self.system.bundle(), owner, ConfigSource::Fleet, &mut files);
        let mode = mode([&fleet, &system, &environment]);
        let mut config = Config::built_in(mode);
        config.environment = self.others();
        self.take_fleet(&mut config, fleet, &mut problems);
        self.take_system(&mut config, &system, &mut problems);
        let outer = match mode {
            Mode::Development => SourceAuthority::Full,
            Mode::Production => SourceAuthority::TightenOnly,
        };
        if let Some(path) = &self.policy {
            let mut page = self.page(path, FileOwner::Named, ConfigSource::User, &mut files);
            if !files.contains(path) && page.problems.is_empty() {
                page.problem(
                    ConfigOrigin::Line(path.clone(), 0),
                    "there is no such file".to_owned(),
                );
            }
            take(&mut config, page, outer, &mut problems);
        } else {
            self.take_user(&mut config, outer, &mut files, &mut problems);
            self.take_project(&mut config, &environment, &mut files, &mut problems);
        }
        take(&mut config, environment, outer, &mut problems);
        self.note_unused(&mut config);
        self.servers_are_known(&config, &mut problems);
        config.files = files;
        if problems.is_empty() { Ok(config) } else { Err(Problems(distinct(problems))) }
    }

    /// Both files of the system. The same setting in both is an error.
    fn system_page(
        &self,
        problems: &mut Vec<ConfigProblem>,
        files: &mut Vec<PathBuf>,
    ) -> SourceContent {
        let owner = FileOwner::System(self.system.owner());
        let (keys, tables) = (self.system.keys(), self.system.tables());
        let mut page = self.page(&keys, owner, ConfigSource::SystemKeys, files);
        let other = self.page(&tables, owner, ConfigSource::SystemTables, files);
        for said in other.said {
            let same = page.said.iter().find(|one| one.setting.name == said.setting.name);
            if let Some(same) = same {
                let what = format!(
                    "{} is also set in {}; keep one of them",
                    said.setting.key(),
                    same.place
                );
                problems.push(ConfigProblem::new(said.place.clone(), what));
            }
            page.said.push(said);
        }
        page.roles = other.roles;
        page.rules = other.rules;
        let added = self.rules(&self.system.rules(), owner, ConfigSource::SystemTables, files);
        page.rules.extend(added.rules);
        problems.append(&mut page.problems);
        problems.extend(other.problems);
        problems.extend(added.problems);
        page
    }

    /// The rules of a directory, one file each, in the order of their names.
    fn rules(
        &self,
        dir: &Path,
        owner: FileOwner,
        source: ConfigSource,
        files: &mut Vec<PathBuf>,
    ) -> SourceContent {
        let mut all = SourceContent::default();
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return all;
            }
            Err(error) => {
                let what = format!("the rules in it were not read: {error}");
                all.problem(ConfigOrigin::Line(dir.to_path_buf(), 0), what);
                return all;
            }
        };
        let is_rule = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_rule).collect();
        paths.sort();
        for path in paths {
            let mut page = self.page(&path, owner, source, files);
            for said in &page.said {
                let what =
                    format!("{} is a setting; write it into config.toml", said.setting.key());
                all.problems.push(ConfigProblem::new(said.place.clone(), what));
            }
            if let [one] = page.rules.as_mut_slice() {
                one.file = Some(path);
            }
            all.rules.append(&mut page.rules);
            all.problems.append(&mut page.problems);
        }
        all
    }

    /// The base directories of relative patterns in a file.
    fn bases(&self, here: Option<&Path>) -> Bases {
        let home = self.environment.iter().find(|(name, _)| name == "HOME");
        let text = |path: &Path| path.to_str().map(str::to_owned).unwrap_or_default();
        Bases {
            home: home.map(|(_, home)| text(Path::new(home))).unwrap_or_default(),
            here: here.map(text).unwrap_or_default(),
        }
    }

    /// The content of one file; empty if it does not exist.
    fn page(
        &self,
        path: &Path,
        owner: FileOwner,
        source: ConfigSource,
        files: &mut Vec<PathBuf>,
    ) -> SourceContent {
        let mut page = SourceContent::default();
        match file::read(path, owner) {
            Ok(None) => {}
            Ok(Some(bytes)) => {
                files.push(path.to_path_buf());
                page = match source {
                    ConfigSource::SystemKeys => {
                        keys::file(path, &bytes, &|name| self.is_foreign(name))
                    }
                    _ => tables::file(path, &bytes, source, &self.bases(None)),
                };
            }
            Err(NotUsed::Wrong(what)) => {
                page.problem(ConfigOrigin::Line(path.to_path_buf(), 0), what);
            }
            Err(NotUsed::Foreign) => {}
        }
        page
    }

    fn is_foreign(&self, name: &str) -> bool {
        FOREIGN.contains(&name) || (self.foreign)(name)
    }

    /// The variables of other programs.
    fn others(&self) -> std::collections::BTreeMap<String, String> {
        let text = |(name, value): &(OsString, OsString)| {
            Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))
        };
        let all = self.environment.iter().filter_map(text);
        all.filter(|(name, _)| !name.starts_with("AEGISH_")).collect()
    }

    /// What the fleet says. A bundle that has expired does not loosen anything any more.
    fn take_fleet(
        &self,
        config: &mut Config,
        page: SourceContent,
        problems: &mut Vec<ConfigProblem>,
    ) {
        let expired = page.bundle.as_ref().is_some_and(BundleHead::has_expired);
        let authority = if expired { SourceAuthority::TightenOnly } else { SourceAuthority::Full };
        let roles = page.roles.clone();
        config.bundle.clone_from(&page.bundle);
        if let Some(head) = page.bundle.as_ref().filter(|_| expired) {
            let what = format!(
                "bundle {} of {} expired at {}; what it loosens does not count any more",
                head.version, head.fleet, head.expires
            );
            config
                .notes
                .push(ConfigNote { place: ConfigOrigin::Line(self.system.bundle(), 0), what });
        }
        take(config, page, authority, problems);
        self.give_role(config, &roles, ConfigSource::Fleet, authority, problems);
    }

    fn take_system(
        &self,
        config: &mut Config,
        system: &SourceContent,
        problems: &mut Vec<ConfigProblem>,
    ) {
        for said in &system.said {
            config.set(row(said.clone()), SourceAuthority::Full);
        }
        config.rules.extend(system.rules.iter().cloned());
        for foreign in &system.foreign {
            let value = (foreign.value.clone(), foreign.place.clone());
            config.given.insert(foreign.name.clone(), value);
        }
        let (source, full) = (ConfigSource::SystemTables, SourceAuthority::Full);
        self.give_role(config, &system.roles, source, full, problems);
    }

    /// The role that a source gives to this person.
    fn give_role(
        &self,
        config: &mut Config,
        roles: &Roles,
        source: ConfigSource,
        authority: SourceAuthority,
        problems: &mut Vec<ConfigProblem>,
    ) {
        let names = roles.names();
        config
            .people
            .extend(names.map(|(whose, name, place)| (whose, name.to_owned(), place.clone())));
        let Some((_, _, first)) = roles.names().next() else { return };
        match (self.person)() {
            Ok(person) => {
                let given = roles.of(&person).zip(setting("AEGISH_ROLE"));
                if let Some(((role, place), setting)) = given {
                    let value = Some(SettingValue::Word(role));
                    let row = ActiveSetting { setting, value, source, place };
                    config.set(row, authority);
                }
            }
            Err(error) => {
                let what = format!("no role could be found: {error}");
                problems.push(ConfigProblem::new(first.clone(), what));
            }
        }
    }

    /// The user's settings and rules.
    fn take_user(
        &self,
        config: &mut Config,
        authority: SourceAuthority,
        files: &mut Vec<PathBuf>,
        problems: &mut Vec<ConfigProblem>,
    ) {
        if let Some(dir) = config.config_dir() {
            let path = dir.join("config.toml");
            let owner = FileOwner::User(self.uid);
            let mut page = self.page(&path, owner, ConfigSource::User, files);
            let added = self.rules(&dir.join(RULES_DIR), owner, ConfigSource::User, files);
            page.rules.extend(added.rules);
            page.problems.extend(added.problems);
            take(config, page, authority, problems);
        }
    }

    fn take_project(
        &self,
        config: &mut Config,
        environment: &SourceContent,
        files: &mut Vec<PathBuf>,
        problems: &mut Vec<ConfigProblem>,
    ) {
        let Some(path) = self.cwd.as_deref().and_then(project::find) else { return };
        let bytes = match file::read(&path, FileOwner::Project(self.uid)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(NotUsed::Foreign) => {
                let what = "it is not used: it belongs to somebody else".to_owned();
                config.notes.push(ConfigNote { place: ConfigOrigin::Line(path, 0), what });
                return;
            }
            Err(NotUsed::Wrong(what)) => {
                problems.push(ConfigProblem::new(ConfigOrigin::Line(path, 0), what));
                return;
            }
        };
        files.push(path.clone());
        let bases = self.bases(path.parent());
        let page = tables::file(&path, &bytes, ConfigSource::Project, &bases);
        let trusts = config.mode == Mode::Development
            && self.trusts(config, environment, &path, &bytes, problems);
        let authority = if trusts { SourceAuthority::Full } else { SourceAuthority::TightenOnly };
        config.project = Some(Project { path, authority });
        take(config, page, authority, problems);
    }

    /// Whether the user trusts this file, so that it may loosen. The environment may name the list of
    /// trusted files, although it is read later.
    fn trusts(
        &self,
        config: &Config,
        environment: &SourceContent,
        path: &Path,
        bytes: &[u8],
        problems: &mut Vec<ConfigProblem>,
    ) -> bool {
        let mut said = environment.said.iter();
        let set = said.find(|said| said.setting.name == "AEGISH_STATE_DIR");
        let dir = match set.map(|said| &said.value) {
            Some(SettingValue::Path(dir)) => Some(dir.clone()),
            _ => config.state_dir(),
        };
        let Some(list) = dir.map(|dir| Trusted::path(&dir)) else { return false };
        let whole = |line| ConfigOrigin::Line(list.clone(), line);
        match file::read(&list, FileOwner::User(self.uid)) {
            Ok(None) | Err(NotUsed::Foreign) => false,
            Ok(Some(text)) => match Trusted::parse(&String::from_utf8_lossy(&text)) {
                Ok(trusted) => trusted.holds(path, &project::hash(bytes)),
                Err(line) => {
                    let what = "this is no trusted file; remove the line, or the list";
                    problems.push(ConfigProblem::new(whole(line), what));
                    false
                }
            },
            Err(NotUsed::Wrong(what)) => {
                problems.push(ConfigProblem::new(whole(0), what));
                false
            }
        }
    }

    /// Notes keys and addresses in the environment that production ignores.
    fn note_unused(&self, config: &mut Config) {
        if config.mode == Mode::Development {
            return;
        }
        let keys = self.system.keys();
        for name in config.environment.keys().filter(|name| self.is_foreign(name)) {
            let what = format!("it is not used in production; set it in {}", keys.display());
            config.notes.push(ConfigNote { place: ConfigOrigin::Variable(name.clone()), what });
        }
    }

    /// A name like `NAME_API_KEY` is a setting only if a model is `openai-api/NAME/…`.
    fn servers_are_known(&self, config: &Config, problems: &mut Vec<ConfigProblem>) {
        let models =
            ["AEGISH_PRIMARY_MODEL", "AEGISH_FALLBACK_MODELS"].map(|name| config.get(name));
        let models: Vec<String> = models.into_iter().flatten().collect();
        let servers: Vec<String> = models
            .iter()
            .flat_map(|list| list.split(','))
            .filter_map(|model| model.trim().strip_prefix("openai-api/")?.split('/').next())
            .map(|server| server.to_ascii_uppercase().replace(['-', '.'], "_"))
            .collect();
        for (name, (_, place)) in &config.given {
            let Some(server) = of_a_server(name).filter(|_| !self.is_foreign(name)) else {
                continue;
            };
            if !servers.iter().any(|known| known == server) {
                let what = format!(
                    "{name} is for no provider, and no model is openai-api/{}/…",
                    server.to_ascii_lowercase()
                );
                problems.push(ConfigProblem::new(place.clone(), what));
            }
        }
    }
}

/// The mode: any of the sources that may set it can tighten it.
fn mode(sources: [&SourceContent; 3]) -> Mode {
    let production = |page: &SourceContent| {
        page.said.iter().any(|said| said.value == SettingValue::Word(Mode::Production.as_str()))
    };
    if sources.into_iter().any(production) { Mode::Production } else { Mode::Development }
}

/// Applies the settings of a source, as far as it may set them, and notes the rest.
fn take(
    config: &mut Config,
    page: SourceContent,
    authority: SourceAuthority,
    problems: &mut Vec<ConfigProblem>,
) {
    problems.extend(page.problems);
    for said in page.said {
        let refusal = ConfigNote { place: said.place.clone(), what: unused(&said, config.mode) };
        if !config.set(row(said), authority) {
            config.notes.push(refusal);
        }
    }
    for held in page.rules {
        if authority == SourceAuthority::Full || held.rule.verb != Verb::Allow {
            config.rules.push(held);
        } else {
            let what = format!(
                "rule {} is not used: {}",
                held.rule.name,
                advice(&held.place, held.source, config.mode)
            );
            config.notes.push(ConfigNote { place: held.place, what });
        }
    }
}

fn row(said: SourceSetting) -> ActiveSetting {
    let SourceSetting { setting, value, source, place } = said;
    ActiveSetting { setting, value: Some(value), source, place }
}

/// Why a setting is ignored.
fn unused(said: &SourceSetting, mode: Mode) -> String {
    let (name, value) = match said.source {
        ConfigSource::Environment => (said.setting.name.to_owned(), &said.value),
        _ => (said.setting.key(), &said.value),
    };
    let advice = advice(&said.place, said.source, mode);
    format!("{name} = {} is not used: {advice}", keys::shown(&value.to_string()))
}

/// Advice for a setting that would loosen but may not.
fn advice(place: &ConfigOrigin, source: ConfigSource, mode: Mode) -> String {
    match (source, place, mode) {
        (ConfigSource::Project, ConfigOrigin::Line(path, _), Mode::Development) => format!(
            "a project can only tighten; if you know what it says: aegish config trust {}",
            path.display()
        ),
        (ConfigSource::Fleet, ..) => {
            "the bundle has expired; pull a new one: aegish policy pull".to_owned()
        }
        _ => "in production it could only be tightened here".to_owned(),
    }
}

/// Each problem once.
fn distinct(problems: Vec<ConfigProblem>) -> Vec<ConfigProblem> {
    let mut kept: Vec<ConfigProblem> = Vec::new();
    for problem in problems {
        if !kept.contains(&problem) {
            kept.push(problem);
        }
    }
    kept
}
