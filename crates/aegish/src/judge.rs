//! The judge as options and configuration describe it.
//!
//! It is built only when a model has to be asked, because most commands need none. If the command line names
//! a judge it is built at once, so that mistakes are reported at once.

use crate::args::{Chain, JudgeArgs};
use aegish_config::Config;
use aegish_guard::{JudgeMode, Role};
use aegish_judge::{Judge, JudgeSettings, Member, Prompt, SettingsError, SkipReason};
use aegish_terminal::Failure;
#[cfg(feature = "fleet")]
use std::sync::Arc;

const WHEN: &str = "AEGISH_JUDGE";

impl JudgeArgs {
    /// When a model is asked.
    pub(crate) fn mode(&self, config: &Config) -> Result<JudgeMode, Failure> {
        if let Some(mode) = self.judge {
            return Ok(mode);
        }
        config
            .word(WHEN)
            .parse()
            .map_err(|error| Failure::internal(format!("nothing was judged: {WHEN}: {error}")))
    }

    /// The judge, if the command line names one. It must be usable then.
    pub(crate) fn named(&self, mode: JudgeMode, config: &Config) -> Result<Option<Judge>, Failure> {
        if mode == JudgeMode::Never {
            return Ok(None);
        }
        let insists = self.judge == Some(JudgeMode::Always);
        if self.chain.models.is_empty() && self.chain.system_prompt.is_none() && !insists {
            return Ok(None);
        }
        let judge = self.chain.judge(config)?;
        if insists && !judge.has_model() {
            return Err(Failure::usage(nobody(&judge.members())));
        }
        Ok(Some(judge))
    }

    /// The judge for many commands; `None` if no model could ever be asked.
    pub(crate) fn for_many_commands(
        &self,
        config: &Config,
    ) -> Result<Option<(Judge, JudgeMode)>, Failure> {
        let mode = self.mode(config)?;
        if mode == JudgeMode::Never {
            return Ok(None);
        }
        let judge = match self.named(mode, config)? {
            Some(judge) => judge,
            None => self.chain.judge(config)?,
        };
        let idle = mode == JudgeMode::Undecided && !judge.has_model();
        Ok((!idle).then_some((judge, mode)))
    }
}

impl Chain {
    /// The judge. Every model that the command line names must be usable.
    pub(crate) fn judge(&self, config: &Config) -> Result<Judge, Failure> {
        let get = |name: &str| config.get(name);
        let mut settings =
            JudgeSettings::from_env(&get).map_err(|error| Failure::usage(told(&error, config)))?;
        if !self.models.is_empty() {
            settings.models = distinct(&self.models);
        }
        if let Some(path) = &self.system_prompt {
            settings.prompt = Prompt::from_file(path, Role::Default).map_err(|error| {
                Failure::internal(format!("nothing was judged: {}: {error}", path.display()))
            })?;
        }
        let judge = Judge::new(settings, &get);
        #[cfg(feature = "fleet")]
        let judge = sharing(judge, config)?;
        if !self.models.is_empty()
            && let Some(problem) = judge.members().iter().find_map(unusable)
        {
            return Err(Failure::usage(problem));
        }
        Ok(judge)
    }
}

/// The judge with the opinions that machines share, if there is a server for them.
#[cfg(feature = "fleet")]
fn sharing(judge: Judge, config: &Config) -> Result<Judge, Failure> {
    let server = aegish_fleet::OpinionServer::of(config)
        .map_err(|error| Failure::usage(format!("no model was asked: {error}")))?;
    Ok(match server {
        Some(server) => judge.with_store(Arc::new(aegish_fleet::SharedOpinions::new(&server))),
        None => judge,
    })
}

/// A setting that the judge cannot read, and where it was set.
pub(crate) fn told(error: &SettingsError, config: &Config) -> String {
    match config.row(error.variable) {
        Some(row) => format!("{error} ({})", row.place),
        None => error.to_string(),
    }
}

fn distinct(models: &[String]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for model in models {
        if !list.contains(model) {
            list.push(model.clone());
        }
    }
    list
}

/// Why a model that was named cannot be asked.
fn unusable(member: &Member) -> Option<String> {
    match &member.place {
        Ok(_) => None,
        Err(SkipReason::NoEndpoint(error)) => Some(error.to_string()),
        Err(why) => Some(format!("no model was asked: {}: {why}", member.model)),
    }
}

/// The message for a judge without a usable model.
fn nobody(members: &[Member]) -> String {
    let whys: Vec<String> = members
        .iter()
        .filter_map(|member| Some(format!("{}: {}", member.model, member.place.as_ref().err()?)))
        .collect();
    format!(
        "no model was asked: {}; name another one with --model, or leave out --judge always",
        whys.join("; ")
    )
}
