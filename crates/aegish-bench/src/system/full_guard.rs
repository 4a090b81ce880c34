//! The whole guard: the static side, and a judge for what it leaves open.
//!
//! Uses the same empty machine as the static side alone. The judge runs without its cache, rate limit and
//! daily budget: a cached opinion is no measurement. An unreachable provider is a fault and is retried. An
//! answer without a verdict is not: the guard's decision without it is measured.

use std::time::{Duration, Instant};

use aegish_guard::{
    ConfiguredJudge, Decision, JudgeMode, Request, Role, Ruling, Session, Surroundings, check_with,
};
use aegish_judge::{CacheSettings, Judge, JudgeSettings, NoOpinion, Note, SkipReason, price};
use aegish_wire::{Env, FailureKind, Usage};

use super::model::concurrency;
use super::static_guard::{EMPTY, STACK, surroundings};
use super::{
    Billing, Fault, FaultKind, RequestStyle, System, SystemInfo, SystemReply, decision_json,
};
use aegish_log::Sample;

/// Replaces the judge's rate limit: the run has its own limiter.
const UNLIMITED_QUERIES: u32 = 100_000;

/// The guard with a judge.
#[derive(Debug)]
pub struct FullGuard {
    info: SystemInfo,
    judge: Judge,
    mode: JudgeMode,
    role: Role,
    surroundings: Surroundings,
}

impl FullGuard {
    /// The guard configured by the environment, or with one model.
    ///
    /// # Errors
    ///
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
            queries_per_minute: UNLIMITED_QUERIES,
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
        let mut info = SystemInfo::plain(&name, provider, "guard", concurrency(provider));
        // A price per command would also charge commands that no model was asked about.
        info.price = price::find(&first).filter(|price| price.per_command.is_none());
        info.billing = Billing::PerAnswer;
        for (key, value) in [
            ("asks_as", RequestStyle::Production.name().to_owned()),
            ("role", role.to_string()),
            ("judge", mode.to_string()),
            ("judge_models", models),
            ("judge_prompt_sha256", judge.prompt(role).hash.clone()),
        ] {
            info.metadata.insert(key.to_owned(), value.into());
        }
        Ok(Self { info, judge, mode, role, surroundings: surroundings() })
    }
}

impl System for FullGuard {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, _epoch: u32, time: Duration) -> Result<SystemReply, Fault> {
        let started = Instant::now();
        let context = self.surroundings.context(&EMPTY);
        let judge = Some(ConfiguredJudge { judge: &self.judge, mode: self.mode });
        let text = sample.command.as_bytes();
        let request = Request { text, context: &context, role: self.role, user_rules: &[] };
        let (decision, _) = check_with(&Session::new(), &request, judge);
        let took = started.elapsed();
        if let Some(fault) = decision.ruling().and_then(|ruling| exchange_fault(ruling, took, time))
        {
            return Err(fault);
        }
        Ok(reply(&decision, took))
    }

    fn stack_bytes(&self) -> usize {
        STACK
    }
}

fn reply(decision: &Decision, took: Duration) -> SystemReply {
    let ruling = decision.ruling();
    SystemReply {
        usage: ruling.map_or_else(Usage::default, |ruling| ruling.usage),
        model: ruling.and_then(|ruling| ruling.model.clone()),
        ..SystemReply::new(decision_json(decision), took)
    }
}

/// Converts the failure of an unreachable judge to a fault.
fn exchange_fault(ruling: &Ruling, took: Duration, time: Duration) -> Option<Fault> {
    if ruling.opinion.is_some() {
        return None;
    }
    let mut worst: Option<(FaultKind, &Note)> = None;
    for note in &ruling.notes {
        let kind = match note {
            Note::Failed { why: NoOpinion::Failure(failure), .. } => match failure.kind {
                FailureKind::RateLimited { retry_after }
                | FailureKind::Overloaded { retry_after } => FaultKind::TooMany { retry_after },
                FailureKind::Auth
                | FailureKind::Quota
                | FailureKind::NotFound
                | FailureKind::Tls
                | FailureKind::Setup => FaultKind::Fatal,
                // A question that no model accepts is answered by the guard alone.
                FailureKind::Refused | FailureKind::TooLarge => return None,
                FailureKind::BadRequest => FaultKind::Sample,
                _ => FaultKind::Transient,
            },
            Note::Skipped { why: SkipReason::Paused(wait) | SkipReason::Crowded(wait), .. } => {
                FaultKind::TooMany { retry_after: Some(*wait) }
            }
            Note::Skipped { why: SkipReason::OutOfTime, .. } => FaultKind::Transient,
            // A model answered, though without a verdict.
            Note::Failed { .. } | Note::NotSent(_) => return None,
            _ => continue,
        };
        // The last model of the chain decides.
        worst = Some((kind, note));
    }
    let (kind, note) = worst?;
    let kind = if took >= time { FaultKind::OutOfTime } else { kind };
    Some(Fault { kind, message: note.to_string(), took })
}
