//! The effective configuration: every setting with its value and origin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answers::Answers;
use crate::bundle::BundleHead;
use crate::network::Network;
use crate::origin::{ConfigNote, ConfigOrigin, ConfigSource};
use crate::roles::RoleHolder;
use crate::table::{self, Preset, Setting};
use crate::user_rules::HeldRule;
use crate::value::{self, SettingValue, Strictness};

/// Development or production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The settings of the person at the machine count.
    Development,
    /// Only the system's files count.
    Production,
}

impl Mode {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Production => "production",
        }
    }
}

/// One setting in force.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveSetting {
    /// Which.
    pub setting: &'static Setting,
    /// Its value, if it has one.
    pub value: Option<SettingValue>,
    /// The source that set it.
    pub source: ConfigSource,
    /// The line or variable that set it.
    pub place: ConfigOrigin,
}

/// A project's file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its path.
    pub path: PathBuf,
    /// The authority of its settings.
    pub authority: SourceAuthority,
}

/// The authority of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceAuthority {
    /// All of its settings are used.
    Full,
    /// Its settings are used only if they tighten.
    TightenOnly,
}

/// The configuration in force.
#[derive(Debug, Clone)]
pub struct Config {
    pub(crate) mode: Mode,
    pub(crate) rows: Vec<ActiveSetting>,
    /// Variables of other programs in the system's file.
    pub(crate) given: BTreeMap<String, (String, ConfigOrigin)>,
    /// Variables of other programs in the environment.
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) notes: Vec<ConfigNote>,
    pub(crate) project: Option<Project>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) people: Vec<(RoleHolder, String, ConfigOrigin)>,
    pub(crate) rules: Vec<HeldRule>,
    pub(crate) bundle: Option<BundleHead>,
}

/// The directory beside a configuration that holds rules, one file each.
pub(crate) const RULES_DIR: &str = "rules.d";

/// Variables for the paths of a user's files. They are not settings and cannot be set by the configuration.
const ALWAYS_FROM_ENVIRONMENT: [&str; 5] =
    ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];

impl Config {
    /// The default of a mode.
    pub(crate) fn built_in(mode: Mode) -> Self {
        let rows = table::table().iter().map(|setting| {
            let text = match (setting.default, mode) {
                (Preset::Always(text), _)
                | (Preset::ByMode { development: text, .. }, Mode::Development)
                | (Preset::ByMode { production: text, .. }, Mode::Production) => Some(text),
                (Preset::Unset(_), _) => None,
            };
            // Tests make sure that every default can be read.
            let value = text.and_then(|text| value::read(setting.kind, text).ok());
            ActiveSetting {
                setting,
                value,
                source: ConfigSource::BuiltIn,
                place: ConfigOrigin::BuiltIn,
            }
        });
        Self {
            mode,
            rows: rows.collect(),
            given: BTreeMap::new(),
            environment: BTreeMap::new(),
            notes: Vec::new(),
            project: None,
            files: Vec::new(),
            people: Vec::new(),
            rules: Vec::new(),
            bundle: None,
        }
    }

    /// Sets a value if its source has the authority; returns whether it is used.
    pub(crate) fn set(&mut self, next: ActiveSetting, authority: SourceAuthority) -> bool {
        let name = next.setting.name;
        let Some(row) = self.rows.iter_mut().find(|row| row.setting.name == name) else {
            return false;
        };
        let next_value = next.value.as_ref();
        let change = next_value.map(|next| value::compare(row.setting, row.value.as_ref(), next));
        match (authority, change) {
            // The last source that set a value is its origin, even if the value does not change.
            (SourceAuthority::Full, _)
            | (SourceAuthority::TightenOnly, Some(Strictness::Tighter)) => {
                *row = next;
            }
            (SourceAuthority::TightenOnly, Some(Strictness::Same)) => {}
            (SourceAuthority::TightenOnly, _) => return false,
        }
        true
    }

    /// Development or production.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Every setting, in the order of the table.
    #[must_use]
    pub fn rows(&self) -> &[ActiveSetting] {
        &self.rows
    }

    /// One setting.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&ActiveSetting> {
        self.rows.iter().find(|row| row.setting.name == name)
    }

    /// Variables of other programs in the system's file: names and origins, without values.
    pub fn given(&self) -> impl Iterator<Item = (&str, &ConfigOrigin)> {
        self.given.iter().map(|(name, (_, place))| (name.as_str(), place))
    }

    /// Settings that are ignored.
    #[must_use]
    pub fn notes(&self) -> &[ConfigNote] {
        &self.notes
    }

    /// The project's file, if there is one.
    #[must_use]
    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The files that were read.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Users and groups with a role, and where it is set.
    #[must_use]
    pub fn people(&self) -> &[(RoleHolder, String, ConfigOrigin)] {
        &self.people
    }

    /// The fleet's signed bundle that is in force.
    #[must_use]
    pub fn bundle(&self) -> Option<&BundleHead> {
        self.bundle.as_ref()
    }

    /// The user rules, each with its origin.
    #[must_use]
    pub fn rules(&self) -> &[HeldRule] {
        &self.rules
    }

    /// A setting as text, or a variable of another program that the configuration passes on. Code that
    /// reads settings from an environment reads them through this.
    ///
    /// Keys and addresses come from the environment, else from the system's file; in production only from
    /// the file, because the address decides the answer.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        if let Some(row) = self.row(name) {
            return row.value.as_ref().map(ToString::to_string);
        }
        let here = self.environment.get(name).cloned();
        if ALWAYS_FROM_ENVIRONMENT.contains(&name) {
            return here;
        }
        let given = || self.given.get(name).map(|(value, _)| value.clone());
        match self.mode {
            Mode::Development => here.or_else(given),
            Mode::Production => given(),
        }
    }

    /// The value of a setting that is a word.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::Word(word)) => word,
            _ => "",
        }
    }

    /// The answers by kind; without any, everything is denied.
    #[must_use]
    pub fn answers(&self, name: &str) -> Answers {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::Answers(answers)) => answers.clone(),
            _ => Answers::default(),
        }
    }

    /// Whether a switch is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.row(name).is_some_and(|row| row.value == Some(SettingValue::Switch(true)))
    }

    /// The number of a setting that is one.
    #[must_use]
    pub fn count(&self, name: &str) -> u64 {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::Count(number)) => *number,
            _ => 0,
        }
    }

    /// A number that need not be set.
    #[must_use]
    pub fn limit(&self, name: &str) -> Option<u64> {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::Count(number)) => Some(*number),
            Some(SettingValue::Time(time)) => Some(time.as_secs()),
            _ => None,
        }
    }

    /// How far connections go; nowhere if that is not known.
    #[must_use]
    pub fn network(&self, name: &str) -> Network {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::Network(network)) => network.clone(),
            _ => Network::Off,
        }
    }

    /// The words of a list.
    #[must_use]
    pub fn list(&self, name: &str) -> &[String] {
        match self.row(name).and_then(|row| row.value.as_ref()) {
            Some(SettingValue::List(words)) => words,
            _ => &[],
        }
    }

    /// The user's configuration directory.
    #[must_use]
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.own_dir("XDG_CONFIG_HOME", ".config")
    }

    /// The directory of the user's own rules, one file each.
    #[must_use]
    pub fn rules_dir(&self) -> Option<PathBuf> {
        Some(self.config_dir()?.join(RULES_DIR))
    }

    /// The user's state directory, or the one that is set.
    #[must_use]
    pub fn state_dir(&self) -> Option<PathBuf> {
        let set = self.get("AEGISH_STATE_DIR").map(PathBuf::from);
        set.or_else(|| self.own_dir("XDG_STATE_HOME", ".local/state"))
    }

    /// The user's cache directory, or the one that is set.
    #[must_use]
    pub fn cache_dir(&self) -> Option<PathBuf> {
        let set = self.get("AEGISH_CACHE_DIR").map(PathBuf::from);
        set.or_else(|| self.own_dir("XDG_CACHE_HOME", ".cache"))
    }

    /// The user's home directory.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        self.environment.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }

    fn own_dir(&self, xdg: &str, in_home: &str) -> Option<PathBuf> {
        // The XDG specification requires that relative paths are ignored.
        let base = self.environment.get(xdg).map(Path::new).filter(|path| path.is_absolute());
        let base = base.map(Path::to_path_buf).or_else(|| Some(self.home()?.join(in_home)))?;
        Some(base.join("aegish"))
    }
}
