//! One system under test: its name, its figures and its rank.

use std::collections::BTreeMap;

use super::draw::{Colour, Paint};
use super::format::dollars;
use aegish_log::Metrics;
use aegish_log::metrics::{Calibration, PairedTest};

/// Everything a comparison knows of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedSystem {
    /// As in the logs, with a note if one model was asked in several ways.
    pub name: String,
    /// The shortest unique name.
    pub short: String,
    /// Its rank by score, from 1; none if a part of the score is missing.
    pub rank: Option<usize>,
    /// 0 if all systems with a score are ranked together; otherwise those with the same number are.
    pub league: usize,
    /// The data sets it was measured on, sorted.
    pub datasets: Vec<String>,
    /// Its figures, under the benchmark's names.
    pub metrics: Metrics,
    /// The same as shown, with counts and quantiles.
    pub figures: Figures,
    /// The pairs with the best system; none for the best itself, or where they share no sample.
    pub against_best: Option<Pairing>,
    /// The confidence it states against how often it is right; none without verdicts.
    pub calibration: Option<Calibration>,
}

/// The figures of one system, over all its data sets. Figures that were not measured are absent, never 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// Scored answers, epochs included.
    pub samples: u64,
    /// Attacks that were blocked.
    pub detection: Option<Rate>,
    /// Harmless commands that may pass.
    pub pass: Option<Rate>,
    /// Harmless commands that a person is asked about.
    pub friction: Option<Rate>,
    /// The mean of the categories' detection rates.
    pub detection_macro: Option<Estimate>,
    /// The mean of detection and pass.
    pub score: Option<Estimate>,
    /// Detection by category.
    pub categories: BTreeMap<String, Rate>,
    /// Its cost.
    pub cost: Option<Spent>,
    /// Seconds from the start of a sample to its end.
    pub total_time: Option<Times>,
    /// Seconds of the system itself; if the log lacks them, without waiting.
    pub model_time: Option<Times>,
    /// Samples without a verdict.
    pub errors: Errors,
}

/// A share of samples with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// From 0 to 1.
    pub share: f64,
    /// The number of samples.
    pub of: u64,
    /// Lower bound (Wilson).
    pub low: f64,
    /// Upper bound (Wilson).
    pub high: f64,
}

impl Rate {
    /// From 0 to 1.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.share
    }

    /// Half of the interval, shown after ±.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// A figure with its standard error and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its standard error.
    pub stderr: f64,
    /// Lower bound (bootstrap).
    pub low: f64,
    /// Upper bound (bootstrap).
    pub high: f64,
}

impl Estimate {
    /// Half of the interval, shown after ±.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// US dollars by the benchmark's formula: all input at the full price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// For all samples; a lower bound if the cost of some is unknown.
    pub total: f64,
    /// For a thousand commands whose cost is known.
    pub per_thousand: f64,
    /// Billed cost of a thousand commands, with cached input at its own price.
    pub billed_per_thousand: f64,
    /// For a thousand of all commands: a lower bound if the cost of some is unknown.
    pub at_least_per_thousand: f64,
    /// Answers whose cost is unknown.
    pub unknown: u64,
    /// The day of the price.
    pub as_of: &'static str,
}

impl Spent {
    /// The price of a thousand commands whose cost is known, with a sign if there are others.
    pub(crate) fn label(&self) -> String {
        let sign = if self.unknown > 0 { "≥" } else { "" };
        format!("{sign}{}", dollars(self.per_thousand))
    }
}

/// How times are spread, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The shortest.
    pub min: f64,
    /// A quarter is shorter.
    pub p25: f64,
    /// Half are shorter.
    pub p50: f64,
    /// Three quarters are shorter.
    pub p75: f64,
    /// Nine of ten are shorter.
    pub p90: f64,
    /// 99 of 100 are shorter.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

/// Answers without a verdict, by class; they count as wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Errors {
    /// Failures of the harness or the provider. They have no score and count nowhere else.
    pub failed: u64,
    /// No answer in time, or an empty answer.
    pub timeout: u64,
    /// The provider or the model refused.
    pub content_filter: u64,
    /// Text without a verdict.
    pub format: u64,
    /// A truncated answer.
    pub token_limit: u64,
}

impl Errors {
    /// All answers without a verdict.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.timeout + self.content_filter + self.format + self.token_limit
    }
}

/// The paired test of two systems over the samples that both answered.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Pairing {
    /// Samples that both answered.
    pub shared: u64,
    /// Samples on which the second is better.
    pub gained: u64,
    /// Samples on which the second is worse.
    pub lost: u64,
    /// The probability of a difference this large if there is none.
    pub p_value: f64,
    /// The same, corrected after Holm for all pairs of the comparison.
    pub p_holm: f64,
}

impl Pairing {
    pub(crate) fn new(test: &PairedTest, p_holm: f64) -> Self {
        let PairedTest { shared, gained, lost, p_value, .. } = *test;
        Self { shared, gained, lost, p_value, p_holm }
    }
}

/// The target of the benchmark: this share of attacks, and of harmless commands.
pub const TARGET: f64 = 0.95;

impl ComparedSystem {
    /// Its rank in words: `1`, or `B1` where systems are ranked apart.
    #[must_use]
    pub fn rank_label(&self) -> Option<String> {
        let letter =
            |league: usize| u8::try_from(league).ok().and_then(|number| b'@'.checked_add(number));
        let league = match self.league {
            0 => String::new(),
            number => letter(number)
                .filter(u8::is_ascii_uppercase)
                .map_or_else(|| format!("{number}/"), |letter| char::from(letter).to_string()),
        };
        self.rank.map(|rank| format!("{league}{rank}"))
    }

    /// Its provider, from the first part of its name.
    pub(crate) fn provider(&self) -> ProviderBrand {
        ProviderBrand::of(&self.name)
    }
}

/// The provider of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProviderBrand {
    Aegish,
    OpenAi,
    Anthropic,
    Google,
    OpenRouter,
    HuggingFace,
    Other,
}

impl ProviderBrand {
    fn of(name: &str) -> Self {
        let first = name.split(['/', ' ']).next().unwrap_or_default();
        match first {
            "static" | "guard" => Self::Aegish,
            "openai" | "openai-api" => Self::OpenAi,
            "anthropic" => Self::Anthropic,
            "google" | "gemini" | "vertex" => Self::Google,
            "openrouter" => Self::OpenRouter,
            "hf-inference-providers" | "hf" | "huggingface" => Self::HuggingFace,
            _ => Self::Other,
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Aegish => "aegish",
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Google => "Google",
            Self::OpenRouter => "OpenRouter",
            Self::HuggingFace => "Hugging Face",
            Self::Other => "other",
        }
    }

    pub(crate) fn paint(self) -> Paint {
        let (light, dark) = match self {
            Self::Aegish => (Colour(30, 41, 59), Colour(226, 232, 240)),
            Self::OpenAi => (Colour(16, 146, 114), Colour(52, 196, 160)),
            Self::Anthropic => (Colour(217, 119, 6), Colour(245, 158, 46)),
            Self::Google => (Colour(66, 133, 244), Colour(110, 168, 254)),
            Self::OpenRouter => (Colour(139, 92, 246), Colour(167, 139, 250)),
            Self::HuggingFace => (Colour(224, 82, 82), Colour(255, 122, 122)),
            Self::Other => (Colour(120, 120, 120), Colour(160, 160, 160)),
        };
        Paint::new(light, dark)
    }
}

/// Short names for systems, each unlike all others.
pub(crate) fn short_names(names: &[String]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| short_name(name)).collect();
    let twice = |name: &String| short.iter().filter(|other| *other == name).count() > 1;
    names
        .iter()
        .zip(&short)
        .map(|(long, short)| if twice(short) { long } else { short }.clone())
        .collect()
}

/// Without provider, host and date: `anthropic/claude-haiku-4-5-20251001` is `claude-haiku-4-5`.
fn short_name(name: &str) -> String {
    if name.starts_with("exec:") {
        return name.to_owned();
    }
    let (model, note) = match name.split_once(" (") {
        Some((model, note)) => (model, format!(" ({note}")),
        None => (name, String::new()),
    };
    let model = model.rsplit('/').next().unwrap_or(model);
    let model = model.split(':').next().unwrap_or(model);
    let dated = model.rsplit_once('-').filter(|(_, tail)| {
        tail.len() == 8 && tail.starts_with("20") && tail.bytes().all(|byte| byte.is_ascii_digit())
    });
    let model = dated.map_or(model, |(front, _)| front);
    let model = model.strip_suffix("-preview").unwrap_or(model);
    if model.is_empty() { name.to_owned() } else { format!("{model}{note}") }
}

#[cfg(test)]
mod tests {
    use super::{ProviderBrand, short_names};
    use crate::draw::Paint;

    #[test]
    fn names_are_short_and_unique() {
        let names = [
            "openai/gpt-5.1",
            "anthropic/claude-haiku-4-5-20251001",
            "hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai",
            "google/gemini-3-flash-preview",
            "static",
            "openrouter/meta/x-1",
            "groq/meta/x-1",
            "openai/gpt-5.1 (cot)",
            "exec:./a/b",
        ]
        .map(str::to_owned);
        let expected = [
            "gpt-5.1",
            "claude-haiku-4-5",
            "Foundation-Sec-8B-Instruct",
            "gemini-3-flash",
            "static",
            "openrouter/meta/x-1",
            "groq/meta/x-1",
            "gpt-5.1 (cot)",
            "exec:./a/b",
        ];
        assert_eq!(short_names(&names), expected);
    }

    #[test]
    fn marks_can_be_seen_on_their_ground() {
        use ProviderBrand::*;
        for provider in [Aegish, OpenAi, Anthropic, Google, OpenRouter, HuggingFace, Other] {
            let paint = provider.paint();
            assert!(paint.light.contrast(Paint::GROUND.light) >= 3.0, "{provider:?}");
            assert!(paint.dark.contrast(Paint::GROUND.dark) >= 3.0, "{provider:?}");
        }
    }
}
