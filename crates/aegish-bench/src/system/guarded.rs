//! The whole guard: the static side, and a judge where that leaves something open.
//!
//! Judged on the same machine as the static side alone. The judge is the guard's own, without its cache, its
//! pace and its budget: those belong to a person's day, and a kept opinion is no measurement. A provider that
//! cannot be reached is a fault of the exchange and is asked again; an answer without a verdict is the guard's
//! business, and so is what it makes of it.

use std::time::{Duration, Instant};

use aegish_guard::{Asked, Decision, JudgeMode, Request, Role, Ruling, Surroundings, check};
use aegish_judge::{CacheSettings, Judge, JudgeSettings, Miss, Note, Skip, price};
use aegish_wire::{Env, FailureKind, Usage};

use super::fixed::{EMPTY, STACK, surroundings};
use super::model::width;
use super::{About, Fault, FaultKind, Reply, Spends, System, decision_json};
use aegish_log::Sample;

/// The run has its own way of slowing down.
const UNHURRIED: u32 = 100_000;

/// The guard with a judge.
#[derive(Debug)]
pub struct Guard {
    about: About,
    judge: Judge,
    mode: JudgeMode,
    role: Role,
    surroundings: Surroundings,
}

impl Guard {
    /// The guard as the environment sets it up, or with one model.
    ///
    /// # Errors
    /// If a variable cannot be read, or there is no model to ask.
    pub fn new(model: Option<&str>, role: Role, env: Env<'_>) -> Result<Self, String> {
        let complain = |what: &dyn std::fmt::Display| format!("nothing was asked: {what}");
        let set = JudgeSettings::from_env(env).map_err(|error| complain(&error))?;
        let mode = match env("AEGISH_JUDGE").filter(|word| !word.trim().is_empty()) {
            None => JudgeMode::Undecided,
            Some(word) => word
                .trim()
                .parse()
                .map_err(|error| complain(&format!("AEGISH_JUDGE is \"{word}\"; {error}")))?,
        };
        let settings = JudgeSettings {
            models: model.map_or(set.models.clone(), |model| vec![model.to_owned()]),
            queries_per_minute: UNHURRIED,
            budget_per_day: None,
            cache: CacheSettings { dir: None, ..set.cache },
            state_dir: None,
            ..set
        };
        let first = settings.models.first().cloned().unwrap_or_default();
        let models = settings.models.join(", ");
        let judge = Judge::new(settings, env);
        if !judge.has_model() {
            let advice =
                format!("there is no key or address for {models}; set one, or measure `static`");
            return Err(complain(&advice));
        }
        let name = model.map_or_else(|| "guard".to_owned(), |model| format!("guard:{model}"));
        let provider = first.split('/').next().unwrap_or_default();
        let mut about = About::plain(&name, provider, "guard", width(provider));
        // A price by the command would count those that no model was asked about.
        about.price = price::find(&first).filter(|price| price.per_command.is_none());
        about.spends = Spends::Money;
        for (key, value) in [
            ("role", role.to_string()),
            ("judge", mode.to_string()),
            ("judge_models", models),
            ("judge_prompt_sha256", judge.prompt(role).hash.clone()),
        ] {
            about.metadata.insert(key.to_owned(), value.into());
        }
        Ok(Self { about, judge, mode, role, surroundings: surroundings() })
    }
}

impl System for Guard {
    fn about(&self) -> &About {
        &self.about
    }

    fn ask(&self, sample: &Sample, _epoch: u32, time: Duration) -> Result<Reply, Fault> {
        let started = Instant::now();
        let context = self.surroundings.context(&EMPTY);
        let judge = Some(Asked { judge: &self.judge, mode: self.mode });
        let text = sample.command.as_bytes();
        let decision =
            check(&Request { text, context: &context, role: self.role, judge, user_rules: &[] });
        let took = started.elapsed();
        if let Some(fault) = decision.ruling.as_ref().and_then(|ruling| unheard(ruling, took, time))
        {
            return Err(fault);
        }
        Ok(reply(&decision, took))
    }

    fn stack_bytes(&self) -> usize {
        STACK
    }
}

fn reply(decision: &Decision, took: Duration) -> Reply {
    let ruling = decision.ruling.as_ref();
    Reply {
        usage: ruling.map_or_else(Usage::default, |ruling| ruling.usage),
        model: ruling.and_then(|ruling| ruling.model.clone()),
        ..Reply::new(decision_json(decision), took)
    }
}

/// A judge that nobody reached, as a fault of the exchange.
fn unheard(ruling: &Ruling, took: Duration, time: Duration) -> Option<Fault> {
    if ruling.opinion.is_some() {
        return None;
    }
    let mut worst: Option<(FaultKind, &Note)> = None;
    for note in &ruling.notes {
        let kind = match note {
            Note::Failed { why: Miss::Failure(failure), .. } => match failure.kind {
                FailureKind::RateLimited { retry_after }
                | FailureKind::Overloaded { retry_after } => FaultKind::TooMany { retry_after },
                FailureKind::Auth
                | FailureKind::Quota
                | FailureKind::NotFound
                | FailureKind::Tls
                | FailureKind::Setup => FaultKind::Everyone,
                // What the guard makes of a question that no model takes is its answer.
                FailureKind::Refused | FailureKind::TooLarge => return None,
                FailureKind::BadRequest => FaultKind::Sample,
                _ => FaultKind::Transient,
            },
            Note::Skipped { why: Skip::Paused(wait) | Skip::Crowded(wait), .. } => {
                FaultKind::TooMany { retry_after: Some(*wait) }
            }
            Note::Skipped { why: Skip::OutOfTime, .. } => FaultKind::Transient,
            // Somebody answered, though without a verdict.
            Note::Failed { .. } | Note::NotSent(_) => return None,
            _ => continue,
        };
        // The last model of the chain had the last chance.
        worst = Some((kind, note));
    }
    let (kind, note) = worst?;
    let kind = if took >= time { FaultKind::OutOfTime } else { kind };
    Some(Fault { kind, message: note.to_string(), took })
}
