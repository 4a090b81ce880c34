//! Environment → settings of a judge.
//!
//! Takes variables through a function; gives [`JudgeSettings`]. An invalid value is an error that names the
//! variable, the value and what to write instead: a mistyped limit is never silently the default. A blank
//! value counts as unset, except for the list of fallback models, where it means none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use aegish_policy::Role;
use aegish_wire::{Endpoint, EndpointError, Env, providers};

use crate::Prompt;

const PRIMARY_MODEL: &str = "openai/gpt-4";
const FALLBACK_MODELS: &str = "anthropic/claude-3-haiku-20240307";

/// Upper limit of the time-out: a slower model is useless at a prompt.
const LONGEST_TIMEOUT: f64 = 600.0;
const MOST_QUERIES: u32 = 100_000;
/// One entry per directory of the cache; fewer would not bound it.
pub(crate) const FEWEST_ENTRIES: usize = 256;
const MOST_ENTRIES: usize = 10_000_000;

/// The action for an open command that no model could judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailMode {
    /// Warn.
    Open,
    /// Block.
    Safe,
}

/// Settings of the cache of opinions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// A directory of this user; none if caching is switched off.
    pub dir: Option<PathBuf>,
    /// Maximum age of an opinion.
    pub ttl: Duration,
    /// The oldest ones beyond this number are removed.
    pub max_entries: usize,
}

/// Settings of a judge.
#[derive(Debug, Clone)]
pub struct JudgeSettings {
    /// The primary model and its fallbacks, in order, each once.
    pub models: Vec<String>,
    /// The only providers that may be asked, by canonical name; none: all of them.
    pub allowed_providers: Option<BTreeSet<String>>,
    /// The action for a command that no model could judge.
    pub fail_mode: FailMode,
    /// For one model with its retries; the whole chain has twice as long.
    pub timeout: Duration,
    /// Per provider, shared by all processes of a user.
    pub queries_per_minute: u32,
    /// An allow below this is a warning.
    pub min_confidence: f64,
    /// US dollars; none: no bound.
    pub budget_per_day: Option<f64>,
    /// The verdict cache.
    pub cache: CacheSettings,
    /// The directory in which processes of a user share limits and totals; none if each has its own.
    pub state_dir: Option<PathBuf>,
    /// The system prompt without an addition for a role.
    pub prompt: Prompt,
    /// Settings of providers, by canonical name.
    pub endpoints: BTreeMap<String, aegish_wire::EndpointSettings>,
    /// Certificates to trust beside those of the system.
    pub ca_file: Option<PathBuf>,
}

impl Default for JudgeSettings {
    /// The settings for an empty environment: without a home directory nothing is cached.
    fn default() -> Self {
        Self {
            models: vec![PRIMARY_MODEL.to_owned(), FALLBACK_MODELS.to_owned()],
            allowed_providers: None,
            fail_mode: FailMode::Open,
            timeout: Duration::from_secs(30),
            queries_per_minute: 30,
            min_confidence: 0.6,
            budget_per_day: None,
            cache: CacheSettings {
                dir: None,
                ttl: Duration::from_secs(7 * 86_400),
                max_entries: 10_000,
            },
            state_dir: None,
            prompt: Prompt::built_in(Role::Default),
            endpoints: BTreeMap::new(),
            ca_file: None,
        }
    }
}

impl JudgeSettings {
    /// Reads the `AEGISH_*` variables that concern models, and where this user's files belong.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] for the first value that cannot be read.
    pub fn from_env(env: Env<'_>) -> Result<Self, SettingsError> {
        let default = Self::default();
        let production = match word(env, "AEGISH_MODE", &["development", "production"])? {
            Some(mode) => mode == "production",
            None => false,
        };
        let fail_mode = match word(env, "AEGISH_FAIL_MODE", &["open", "safe"])? {
            Some("open") => FailMode::Open,
            Some(_) => FailMode::Safe,
            None if production => FailMode::Safe,
            None => FailMode::Open,
        };
        let timeout = number(env, "AEGISH_LLM_TIMEOUT", "seconds, for example 30", |n: f64| {
            n > 0.0 && n <= LONGEST_TIMEOUT
        })?;
        let queries = number(
            env,
            "AEGISH_MAX_QUERIES_PER_MINUTE",
            "a whole number from 1, for example 30",
            |n: u32| (1..=MOST_QUERIES).contains(&n),
        )?;
        let min_confidence =
            number(env, "AEGISH_MIN_CONFIDENCE", "a number from 0 to 1, for example 0.6", |n| {
                (0.0..=1.0).contains(&n)
            })?;
        let budget_per_day =
            number(env, "AEGISH_BUDGET_USD_PER_DAY", "US dollars, for example 0.50", |n: f64| {
                n.is_finite() && n >= 0.0
            })?;
        Ok(Self {
            models: models(env)?,
            allowed_providers: allowed(env)?,
            fail_mode,
            timeout: timeout.map_or(default.timeout, Duration::from_secs_f64),
            queries_per_minute: queries.unwrap_or(default.queries_per_minute),
            min_confidence: min_confidence.unwrap_or(default.min_confidence),
            budget_per_day,
            cache: cache(env, &default.cache)?,
            state_dir: directory(env, "AEGISH_STATE_DIR", "XDG_STATE_HOME", ".local/state")?,
            ca_file: path(env, "AEGISH_CA_FILE")?,
            prompt: default.prompt,
            endpoints: default.endpoints,
        })
    }

    /// The settings of a model's provider.
    pub(crate) fn endpoint_of(&self, id: &str) -> aegish_wire::EndpointSettings {
        self.endpoints.get(&provider_of(id)).cloned().unwrap_or_default()
    }

    /// Whether the provider of a model may be asked.
    pub(crate) fn allows(&self, id: &str) -> bool {
        let provider = provider_of(id);
        self.allowed_providers.as_ref().is_none_or(|allowed| {
            let named = provider.split_once('/').map(|(kind, _)| kind);
            allowed.contains(&provider) || named.is_some_and(|kind| allowed.contains(kind))
        })
    }
}

/// A variable whose value cannot be read. No judge was set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// Its name.
    pub variable: &'static str,
    /// Its value, shortened and without control characters.
    pub value: String,
    /// What to write instead.
    pub advice: String,
}

impl SettingsError {
    fn new(variable: &'static str, value: &str, advice: impl Into<String>) -> Self {
        let value = value.chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect();
        Self { variable, value, advice: advice.into() }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, advice } = self;
        write!(f, "no model was set up: {variable} is \"{value}\"; {advice}")
    }
}

impl std::error::Error for SettingsError {}

/// A value that is more than white space, without that around it.
fn value(env: Env<'_>, variable: &str) -> Option<String> {
    env(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn word<'w>(
    env: Env<'_>,
    variable: &'static str,
    words: &[&'w str],
) -> Result<Option<&'w str>, SettingsError> {
    let Some(value) = value(env, variable) else { return Ok(None) };
    match words.iter().find(|word| word.eq_ignore_ascii_case(&value)) {
        Some(word) => Ok(Some(word)),
        None => {
            let advice = format!("write {}", words.join(" or "));
            Err(SettingsError::new(variable, &value, advice))
        }
    }
}

fn number<N: Copy + FromStr>(
    env: Env<'_>,
    variable: &'static str,
    what: &str,
    fits: impl Fn(N) -> bool,
) -> Result<Option<N>, SettingsError> {
    let Some(value) = value(env, variable) else { return Ok(None) };
    match value.parse().ok().filter(|number| fits(*number)) {
        Some(number) => Ok(Some(number)),
        None => Err(SettingsError::new(variable, &value, format!("write {what}"))),
    }
}

fn models(env: Env<'_>) -> Result<Vec<String>, SettingsError> {
    let primary = value(env, "AEGISH_PRIMARY_MODEL").unwrap_or_else(|| PRIMARY_MODEL.to_owned());
    let fallbacks = env("AEGISH_FALLBACK_MODELS").unwrap_or_else(|| FALLBACK_MODELS.to_owned());
    let fallbacks = fallbacks.split(',').map(str::trim).filter(|id| !id.is_empty());
    let all = [("AEGISH_PRIMARY_MODEL", &*primary)]
        .into_iter()
        .chain(fallbacks.map(|id| ("AEGISH_FALLBACK_MODELS", id)));
    let mut models: Vec<String> = Vec::new();
    for (variable, id) in all {
        // The key is not checked here: a model without one is skipped.
        match Endpoint::resolve(id, env, &aegish_wire::EndpointSettings::default()) {
            Err(EndpointError::MalformedId { why, .. }) => {
                let advice = format!("this is no model id: {why}; write PROVIDER/MODEL");
                return Err(SettingsError::new(variable, id, advice));
            }
            Err(EndpointError::UnknownProvider { name }) => {
                let advice = format!("nobody knows a provider \"{name}\"; {}", known_providers());
                return Err(SettingsError::new(variable, id, advice));
            }
            Ok(_) | Err(_) => {}
        }
        if !models.iter().any(|known| canonical(known) == canonical(id)) {
            models.push(id.to_owned());
        }
    }
    Ok(models)
}

fn allowed(env: Env<'_>) -> Result<Option<BTreeSet<String>>, SettingsError> {
    const VARIABLE: &str = "AEGISH_ALLOWED_PROVIDERS";
    let Some(list) = value(env, VARIABLE) else { return Ok(None) };
    let mut names = BTreeSet::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let canonical = provider_of(&[name, "/"].concat());
        let kind = canonical.split('/').next().unwrap_or_default();
        let known = kind == "openai-api" || providers().iter().any(|p| p.name == canonical);
        if !known {
            let advice = format!("nobody knows a provider \"{name}\"; {}", known_providers());
            return Err(SettingsError::new(VARIABLE, &list, advice));
        }
        names.insert(canonical.trim_end_matches('/').to_owned());
    }
    if names.is_empty() {
        return Err(SettingsError::new(VARIABLE, &list, "name at least one provider"));
    }
    Ok(Some(names))
}

fn known_providers() -> String {
    let names: Vec<_> = providers().iter().map(|provider| provider.name).collect();
    format!("write one of {}, openai-api/NAME", names.join(", "))
}

fn cache(env: Env<'_>, default: &CacheSettings) -> Result<CacheSettings, SettingsError> {
    let off = word(env, "AEGISH_CACHE", &["on", "off"])? == Some("off");
    let dir = directory(env, "AEGISH_CACHE_DIR", "XDG_CACHE_HOME", ".cache")?;
    let max_entries = number(
        env,
        "AEGISH_CACHE_MAX_ENTRIES",
        "a whole number from 256, for example 10000",
        |n: usize| (FEWEST_ENTRIES..=MOST_ENTRIES).contains(&n),
    )?;
    Ok(CacheSettings {
        dir: dir.filter(|_| !off),
        ttl: time(env, "AEGISH_CACHE_TTL")?.unwrap_or(default.ttl),
        max_entries: max_entries.unwrap_or(default.max_entries),
    })
}

/// A time with its unit: `90s`, `30m`, `12h`, `7d`.
fn time(env: Env<'_>, variable: &'static str) -> Result<Option<Duration>, SettingsError> {
    let Some(value) = value(env, variable) else { return Ok(None) };
    let read = || {
        let unit = value.chars().last()?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        let number: u64 = value.strip_suffix(unit)?.trim().parse().ok()?;
        number.checked_mul(seconds).filter(|n| (1..=10 * 366 * 86_400).contains(n))
    };
    match read() {
        Some(seconds) => Ok(Some(Duration::from_secs(seconds))),
        None => {
            let advice = "write a number and s, m, h or d, for example 7d";
            Err(SettingsError::new(variable, &value, advice))
        }
    }
}

fn path(env: Env<'_>, variable: &'static str) -> Result<Option<PathBuf>, SettingsError> {
    let Some(value) = value(env, variable) else { return Ok(None) };
    let path = PathBuf::from(&value);
    if path.is_absolute() {
        return Ok(Some(path));
    }
    Err(SettingsError::new(variable, &value, "write a path from the root"))
}

/// The directory that a variable names, else aegish's own directory below the user's.
fn directory(
    env: Env<'_>,
    variable: &'static str,
    xdg: &str,
    in_home: &str,
) -> Result<Option<PathBuf>, SettingsError> {
    if let Some(path) = path(env, variable)? {
        return Ok(Some(path));
    }
    // The XDG specification requires that relative paths are ignored.
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let base = value(env, xdg).and_then(|dir| absolute(PathBuf::from(dir)));
    let base = base.or_else(|| {
        value(env, "HOME").and_then(|home| absolute(PathBuf::from(home).join(in_home)))
    });
    Ok(base.map(|base| base.join("aegish")))
}

/// The canonical name of a model's provider: `google` for `gemini/…`, `openai-api/NAME` for a named server.
pub(crate) fn provider_of(id: &str) -> String {
    let (name, rest) = id.split_once('/').unwrap_or((id, ""));
    if name.eq_ignore_ascii_case("openai-api") {
        let server = rest.split('/').next().unwrap_or_default();
        return ["openai-api/", server].concat();
    }
    let known = providers().iter().find(|provider| {
        let mut names = provider.aliases.iter().chain([&provider.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    });
    known.map_or_else(|| name.to_ascii_lowercase(), |provider| provider.name.to_owned())
}

/// The same text for every spelling of a model.
pub(crate) fn canonical(id: &str) -> String {
    let (_, model) = id.split_once('/').unwrap_or_default();
    [&provider_of(id), "/", model].concat()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
