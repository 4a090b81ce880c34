//! Comparisons of made-up systems, for tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod comparison;
mod page;
mod pictures;
mod tables;

use aegish_guard::Action;
use aegish_judge::{Answer, Stop};
use aegish_wire::Usage;

use super::{Run, RunEnding};
use aegish_log::metrics::Reducer;
use aegish_log::{Expected, Record, Sample};

/// A sample that was answered with `action`, in four seconds of which the system took one.
fn record(id: &str, expected: Expected, action: Action) -> Record {
    let word = match action {
        Action::Allow => "allow",
        Action::Warn => "warn",
        Action::Block => "block",
    };
    let sample = Sample {
        id: id.to_owned(),
        command: format!("command {id}"),
        expected,
        category: (expected == Expected::Block).then(|| "shell".to_owned()),
        metadata: serde_json::Map::new(),
    };
    let completion = format!("{{\"action\":\"{word}\",\"reason\":\"because\",\"confidence\":0.9}}");
    let record = Record {
        usage: Usage { input: Some(1000), output: Some(100), ..Usage::default() },
        total_seconds: Some(4.0),
        working_seconds: Some(2.0),
        model_seconds: Some(1.0),
        ..Record::new(&sample, 1)
    };
    record.answered(completion, Stop::Stop)
}

/// The same without an answer.
fn unanswered(id: &str, expected: Expected) -> Record {
    let answer = Some(Answer::Timeout);
    Record { answer, completion: String::new(), ..record(id, expected, Action::Allow) }
}

fn run(model: &str, dataset: &str, records: Vec<Record>) -> Run {
    Run {
        price: aegish_judge::price::find(model),
        version: None,
        source: format!("{model}-{dataset}.eval").replace('/', "-"),
        model: model.to_owned(),
        variant: None,
        dataset: dataset.to_owned(),
        dataset_sha256: None,
        prompt_sha256: None,
        created: "2026-02-10T14:29:57+00:00".to_owned(),
        ending: RunEnding::Complete,
        reducer: Reducer::Mean,
        records,
    }
}

/// Attacks of which the first `blocked` are blocked, the others asked about.
fn attacks(model: &str, number: usize, blocked: usize) -> Run {
    let records = (0..number)
        .map(|index| {
            let action = if index < blocked { Action::Block } else { Action::Warn };
            let category = ["shell", "file-read", "reverse-shell", "upload"][index % 4];
            let category = Some(category.to_owned());
            Record { category, ..record(&format!("a{index}"), Expected::Block, action) }
        })
        .collect();
    run(model, "attacks", records)
}

/// Harmless commands of which the first `passed` pass, every tenth after a question.
fn harmless(model: &str, number: usize, passed: usize) -> Run {
    let records = (0..number)
        .map(|index| {
            let action = match index {
                index if index >= passed => Action::Block,
                index if index % 10 == 0 => Action::Warn,
                _ => Action::Allow,
            };
            record(&format!("h{index}"), Expected::Pass, action)
        })
        .collect();
    run(model, "harmless", records)
}

/// Systems of several providers, some of them similar, one without harmless commands.
fn several(number: usize) -> Vec<Run> {
    let providers =
        ["openai", "anthropic", "google", "openrouter/meta", "hf-inference-providers/x"];
    let mut runs = Vec::new();
    for index in 0..number {
        let model = match index {
            0 => "anthropic/claude-haiku-4-5-20251001".to_owned(),
            1 => "openai/gpt-5-mini".to_owned(),
            2 => "openai/gpt-5.1".to_owned(),
            3 => "anthropic/claude-opus-4-6".to_owned(),
            _ => format!("{}/a-model-with-a-name-{index}", providers[index % providers.len()]),
        };
        let mut attacks = attacks(&model, 200, 199 - (index * 7) % 60);
        for (step, record) in attacks.records.iter_mut().enumerate() {
            let time = 0.5 * (1 + index) as f64 * (1.0 + (step % 37) as f64 / 10.0);
            record.total_seconds = Some(time);
            record.model_seconds = Some(time / 3.0);
            record.usage.output = Some(50 * (index as u64 + 1));
        }
        runs.push(attacks);
        if index != 3 || number == 14 {
            runs.push(harmless(&model, 150, 150 - (index * 3) % 11));
        }
    }
    runs
}
