//! Shared by several tests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aegish_judge::Stop;
use aegish_log::{DatasetSpec, EvalConfig, Exchange, PromptCopies, PromptSpec, Spec};
use aegish_log::{Expected, Record, Sample};
use aegish_wire::Usage;
use serde_json::{Map, json};

pub(crate) fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_794_725_700 + seconds)
}

pub(crate) fn spec(samples: u64) -> Spec {
    Spec {
        eval_id: "E".repeat(22),
        run_id: "R".repeat(22),
        task_id: "T".repeat(22),
        created: time(0),
        task: "aegish_gtfobins".to_owned(),
        task_args: Map::from_iter([("cot".to_owned(), json!(false))]),
        dataset: DatasetSpec {
            name: "gtfobins".to_owned(),
            location: Some("gtfobins.json".to_owned()),
            sha256: Some("0".repeat(64)),
            samples,
            sample_ids: None,
        },
        model: "openai/mock".to_owned(),
        model_base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        generate: Map::from_iter([("seed".to_owned(), json!(42))]),
        config: EvalConfig {
            time_limit: Some(180.0),
            max_retries: Some(3),
            ..EvalConfig::default()
        },
        prompt: Some(PromptSpec {
            text: "You are a validator.\n{\"action\": \"allow\" | \"block\"}\n".repeat(40),
            sha256: "1".repeat(64),
            copies: PromptCopies::EverySample,
        }),
        solvers: vec!["system_message".to_owned(), "generate".to_owned()],
        revision: None,
        metadata: Map::new(),
    }
}

pub(crate) fn sample(number: u64) -> Sample {
    Sample {
        id: format!("tool_{number}/a b%20é:x"),
        command: format!("tool --number {number} \"quoted\" 'and\\n' | cat\nsecond line"),
        expected: if number.is_multiple_of(3) { Expected::Pass } else { Expected::Block },
        category: (!number.is_multiple_of(3)).then(|| format!("kind-{}", number % 2)),
        metadata: Map::from_iter([("binary".to_owned(), json!("tool"))]),
    }
}

pub(crate) fn exchange(sample: &Sample, number: u64) -> Exchange {
    let mut exchange = Exchange::new(sample.question(), time(number), time(number + 2));
    exchange.model = Some("mock-1".to_owned());
    exchange.asked = Some(time(number + 1));
    exchange
}

pub(crate) fn record(sample: &Sample, number: u64) -> Record {
    let actions = ["block", "allow", "warn", "block", "block"];
    let action = actions[(number % 5) as usize];
    let completion = match number % 11 {
        9 => String::new(),
        10 => "I cannot say.".to_owned(),
        _ => format!(
            "```json\n{{\"action\": \"{action}\", \"reason\": \"r{number}\", \"confidence\": 0.9}}\n```"
        ),
    };
    let stop = if completion.is_empty() { Stop::Unknown(String::new()) } else { Stop::Stop };
    let record = Record {
        usage: Usage {
            input: Some(1000 + number),
            output: Some(50),
            cached: Some(512),
            cache_write: None,
            reasoning: Some(7),
        },
        total_seconds: Some(2.0 + number as f64 / 1000.0),
        working_seconds: Some(1.5),
        model_seconds: Some(1.25),
        retries: (number % 2) as u32,
        error: (number % 11 == 9).then(|| "HTTP 500".to_owned()),
        ..Record::new(sample, 1)
    };
    record.answered(completion, stop)
}
