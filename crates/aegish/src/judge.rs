//! The judge as options and environment describe it.
//!
//! Nothing is read or built before somebody has to be asked: most commands are settled without. What is
//! named on the command line is an exception, so that a mistake there is told at once.

use crate::Failure;
use crate::args::{Chain, Court};
use aegish_guard::{JudgeMode, Role};
use aegish_judge::{Judge, JudgeSettings, Member, Prompt, Skip};
use std::env;

const VARIABLE: &str = "AEGISH_JUDGE";

/// An environment variable, if it is text.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

impl Court {
    /// When a model is asked.
    pub(crate) fn mode(&self) -> Result<JudgeMode, Failure> {
        if let Some(mode) = self.judge {
            return Ok(mode);
        }
        let Some(word) = variable(VARIABLE).filter(|word| !word.trim().is_empty()) else {
            return Ok(JudgeMode::Undecided);
        };
        word.trim().to_ascii_lowercase().parse().map_err(|error| {
            Failure::usage(format!("nothing was judged: {VARIABLE} is \"{word}\"; {error}"))
        })
    }

    /// The judge, if something on the command line names it: then it has to be as it was named.
    pub(crate) fn named(&self, mode: JudgeMode) -> Result<Option<Judge>, Failure> {
        if mode == JudgeMode::Never {
            return Ok(None);
        }
        let insists = self.judge == Some(JudgeMode::Always);
        if self.chain.models.is_empty() && self.chain.system_prompt.is_none() && !insists {
            return Ok(None);
        }
        let judge = self.chain.judge()?;
        if insists && !judge.has_model() {
            return Err(Failure::usage(nobody(&judge.members())));
        }
        Ok(Some(judge))
    }

    /// The judge for many commands: nothing if nobody could ever be asked.
    pub(crate) fn standing(&self) -> Result<Option<(Judge, JudgeMode)>, Failure> {
        let mode = self.mode()?;
        if mode == JudgeMode::Never {
            return Ok(None);
        }
        let judge = match self.named(mode)? {
            Some(judge) => judge,
            None => self.chain.judge()?,
        };
        let idle = mode == JudgeMode::Undecided && !judge.has_model();
        Ok((!idle).then_some((judge, mode)))
    }
}

impl Chain {
    /// The judge. Every model that was named here can be asked.
    pub(crate) fn judge(&self) -> Result<Judge, Failure> {
        let mut settings = JudgeSettings::from_env(&variable)
            .map_err(|error| Failure::usage(error.to_string()))?;
        if !self.models.is_empty() {
            settings.models = distinct(&self.models);
        }
        if let Some(path) = &self.system_prompt {
            settings.prompt = Prompt::from_file(path, Role::Default).map_err(|error| {
                Failure::internal(format!("nothing was judged: {}: {error}", path.display()))
            })?;
        }
        let judge = Judge::new(settings, &variable);
        if !self.models.is_empty()
            && let Some(problem) = judge.members().iter().find_map(unusable)
        {
            return Err(Failure::usage(problem));
        }
        Ok(judge)
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
        Err(Skip::NoEndpoint(error)) => Some(error.to_string()),
        Err(why) => Some(format!("no model was asked: {}: {why}", member.model)),
    }
}

/// Why nobody can be asked although that is wanted.
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
