//! `aegish config`: what is set and by whom, whether it is right, and which project may loosen it.

use crate::args::Format;
use crate::judge;
use crate::{audit, configuration};
use aegish_config::{
    ActiveSetting, Config, ConfigOrigin, ConfigSource, Mode, PROJECT_FILE, RoleHolder,
    SourceAuthority, Trusted, hash, table,
};
use aegish_judge::JudgeSettings;
use aegish_private_files::{Error, Missing, Owner, read_regular, read_trusted, replace_file};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::Subcommand;
use nix::unistd::{Group, User};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A longer file is not read.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Subcommand)]
pub(crate) enum ConfigTask {
    /// Every setting with its value and where that comes from
    Show {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Say what is wrong with the configuration, line by line
    Check,
    /// Let a project's file loosen settings, as long as it stays as it is now
    Trust {
        /// The file [default: the nearest .aegish.toml in this directory or above]
        file: Option<PathBuf>,
    },
}

pub(crate) fn run(task: &ConfigTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match task {
        ConfigTask::Show { format } => show(*format, screen),
        ConfigTask::Check => Ok(check(screen)),
        ConfigTask::Trust { file } => trust(file.as_deref(), screen),
    }
}

fn show(format: Format, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    match format {
        Format::Text => table_of(&config, screen),
        Format::Json => {
            let json = serde_json::to_string(&listing(&config))
                .map_err(|error| Failure::internal(format!("nothing was listed: {error}")))?;
            screen.put(json).end();
        }
    }
    Ok(ExitKind::Allow)
}

/// The displayed value of a row.
fn value_of(row: &ActiveSetting) -> String {
    match &row.value {
        Some(value) if value.to_string().is_empty() => "(nothing)".to_owned(),
        Some(value) => visible(&value.to_string()),
        None => "-".to_owned(),
    }
}

fn table_of(config: &Config, screen: &mut Screen) {
    let names = table().iter().map(|setting| setting.name.len()).max().unwrap_or(0);
    let values = config.rows().iter().map(|row| value_of(row).len()).max().unwrap_or(0).min(40);
    for row in config.rows() {
        let value = value_of(row);
        screen.put(format_args!("{:<names$}  ", row.setting.name));
        let set = row.source != ConfigSource::BuiltIn;
        let style = if set { Style::Strong } else { Style::Faint };
        screen.paint(style, format_args!("{value:<values$}")).put("  ");
        screen.paint(Style::Faint, visible(&row.place.to_string())).end();
    }
    let given: Vec<(&str, &ConfigOrigin)> = config.given().collect();
    for (name, place) in given {
        screen.put(format_args!("{name:<names$}  {:<values$}  ", "(not shown)"));
        screen.paint(Style::Faint, visible(&place.to_string())).end();
    }
    if let Some(project) = config.project() {
        let word = match project.authority {
            SourceAuthority::Full => "trusted",
            SourceAuthority::TightenOnly => "can only tighten",
        };
        screen.end();
        screen.put(format_args!("project {}: {word}", visible(&path_text(&project.path)))).end();
    }
    notes(config, screen);
}

fn notes(config: &Config, screen: &mut Screen) {
    for note in config.notes() {
        screen.paint(Style::Doubtful, "note").put(": ").put(visible(&note.to_string())).end();
    }
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

#[derive(Serialize)]
struct Listing {
    mode: &'static str,
    settings: Vec<JsonSetting>,
    given: Vec<NamedOrigin>,
    files: Vec<String>,
    project: Option<JsonProject>,
    notes: Vec<Remark>,
}

#[derive(Serialize)]
struct JsonSetting {
    name: &'static str,
    key: String,
    value: Option<String>,
    source: &'static str,
    #[serde(flatten)]
    origin: Origin,
    about: &'static str,
}

#[derive(Serialize)]
struct NamedOrigin {
    name: String,
    #[serde(flatten)]
    origin: Origin,
}

#[derive(Serialize)]
struct JsonProject {
    path: String,
    trusted: bool,
}

#[derive(Serialize)]
struct Remark {
    #[serde(flatten)]
    origin: Origin,
    note: String,
}

/// An origin as fields.
#[derive(Serialize, Default)]
pub(crate) struct Origin {
    file: Option<String>,
    line: Option<usize>,
    variable: Option<String>,
}

impl From<&ConfigOrigin> for Origin {
    fn from(place: &ConfigOrigin) -> Self {
        match place {
            ConfigOrigin::BuiltIn => Self::default(),
            ConfigOrigin::Line(path, line) => Self {
                file: Some(path_text(path)),
                line: (*line > 0).then_some(*line),
                variable: None,
            },
            ConfigOrigin::Variable(name) => {
                Self { file: None, line: None, variable: Some(name.clone()) }
            }
        }
    }
}

fn listing(config: &Config) -> Listing {
    let settings = config.rows().iter().map(|row| JsonSetting {
        name: row.setting.name,
        key: row.setting.key(),
        value: row.value.as_ref().map(ToString::to_string),
        source: row.source.as_str(),
        origin: Origin::from(&row.place),
        about: row.setting.doc,
    });
    let given = config
        .given()
        .map(|(name, place)| NamedOrigin { name: name.to_owned(), origin: Origin::from(place) });
    let notes = config
        .notes()
        .iter()
        .map(|note| Remark { origin: Origin::from(&note.place), note: note.what.clone() });
    Listing {
        mode: config.mode().as_str(),
        settings: settings.collect(),
        given: given.collect(),
        files: config.files().iter().map(|path| path_text(path)).collect(),
        project: config.project().map(|project| JsonProject {
            path: path_text(&project.path),
            trusted: project.authority == SourceAuthority::Full,
        }),
        notes: notes.collect(),
    }
}

/// All problems, starting with those that make a configuration unusable.
pub(crate) fn problems(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    if let Err(error) = JudgeSettings::from_env(&|name| config.get(name)) {
        found.push(judge::told(&error, config));
    }
    if let Err(error) = audit::outlets(config) {
        found.push(error);
    }
    for (whose, name, place) in config.people() {
        let (kind, exists) = match whose {
            RoleHolder::User => ("user", User::from_name(name).map(|user| user.is_some())),
            RoleHolder::Group => ("group", Group::from_name(name).map(|group| group.is_some())),
        };
        match exists {
            Ok(true) => {}
            Ok(false) => found.push(format!("{place}: there is no {kind} {name} on this machine")),
            Err(error) => {
                found.push(format!("{place}: {kind} {name} could not be looked up: {error}"));
            }
        }
    }
    found
}

fn check(screen: &mut Screen) -> ExitKind {
    let (config, problems) = match configuration::read() {
        Ok(config) => {
            let problems = problems(&config);
            (Some(config), problems)
        }
        Err(problems) => (None, problems.0.iter().map(ToString::to_string).collect()),
    };
    for problem in &problems {
        screen.paint(Style::Bad, "problem").put(": ").put(visible(problem)).end();
    }
    if let Some(config) = &config {
        notes(config, screen);
    }
    if !problems.is_empty() {
        return ExitKind::Failure;
    }
    let files: Vec<String> =
        config.iter().flat_map(Config::files).map(|path| path_text(path)).collect();
    let word = if files.is_empty() { "no file".to_owned() } else { files.join(", ") };
    screen.paint(Style::Good, "fine").put(format_args!(": {}", visible(&word))).end();
    ExitKind::Allow
}

fn trust(file: Option<&Path>, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let refused = |why: String| Failure::usage(format!("nothing is trusted: {why}"));
    let config = configuration::load()?;
    if config.mode() == Mode::Production {
        return Err(refused("in production a project's file can only tighten".to_owned()));
    }
    let path = project_file(file, &config).map_err(refused)?;
    // The owner does not matter, because the project is trusted by its hash.
    let bytes = read_regular(&path, None, MAX_BYTES)
        .map_err(|error| refused(error.to_string()))?
        .ok_or_else(|| refused(format!("{}: there is no such file", path.display())))?;
    let state = config.state_dir().ok_or_else(|| {
        refused("there is no place to write it down: set HOME or AEGISH_STATE_DIR".to_owned())
    })?;
    let list = Trusted::path(&state);
    let not_written = |error: Error| refused(error.to_string());
    let before = read_trusted(&list, Owner::user_or_root(), None, MAX_BYTES)
        .map_err(not_written)?
        .unwrap_or_default();
    let known = Trusted::parse(&String::from_utf8_lossy(&before))
        .map_err(|line| refused(format!("{}: line {line} is no trusted file", list.display())))?;
    let digest = hash(&bytes);
    let known = known.with(&path, &digest).map_err(refused)?;
    replace_file(&list, known.text().as_bytes(), 0o600, Missing::CreateAll).map_err(not_written)?;
    screen
        .paint(Style::Strong, "trusted")
        .put(format_args!(": {}", visible(&path_text(&path))))
        .end();
    screen.put(format_args!("SHA-256 {digest}; any change to it ends that")).end();
    let text = String::from_utf8_lossy(&bytes);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        screen.put("  ").put(visible(line)).end();
    }
    Ok(ExitKind::Allow)
}

/// The chosen file, by its path without links.
fn project_file(file: Option<&Path>, config: &Config) -> Result<PathBuf, String> {
    let Some(file) = file else {
        return match config.project() {
            Some(project) => Ok(project.path.clone()),
            None => Err(format!("there is no {PROJECT_FILE} in this directory or above")),
        };
    };
    let file = if file.is_dir() { file.join(PROJECT_FILE) } else { file.to_path_buf() };
    if file.file_name().is_none_or(|name| name != PROJECT_FILE) {
        return Err(format!("{} is not called {PROJECT_FILE}", file.display()));
    }
    let dir = match file.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let dir = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    Ok(dir.join(PROJECT_FILE))
}
