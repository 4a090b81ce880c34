//! Comparisons of real logs: the reference's recorded completions and its published results.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use aegish_judge::Stop;
use aegish_log::metrics::Reducer;
use aegish_log::{Expected, Record, Sample};
use aegish_report::{Comparison, Run, RunEnding};
use aegish_test_support::folder::reference;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

#[test]
fn recorded_completions_are_compared_with_the_reference_metrics() {
    let Some(folder) = reference("recorded") else { return };
    let expected = read_json(&folder.join("expected.json"));
    let expected = expected.as_object().expect("an object");
    let runs: Vec<Run> =
        expected.keys().map(|name| Run::read(&folder.join(name)).expect("a log")).collect();
    let comparison = Comparison::of(&runs);
    assert_eq!(comparison.systems.len(), 9);
    assert_eq!(comparison.rows.len(), 431 + 310);
    let near = |a: f64, b: &Value| (a - b.as_f64().expect("a number")).abs() < 1e-9;
    for metrics in expected.values() {
        let system = comparison.systems.iter().find(|system| system.name == metrics["model"]);
        let system = system.expect("the model");
        match metrics["dataset"].as_str() {
            Some("gtfobins") => {
                let found = system.figures.detection.expect("attacks");
                assert!(near(found.value(), &metrics["detection_rate"]), "{}", system.name);
                let found = system.figures.detection_macro.expect("categories");
                assert!(near(found.value, &metrics["detection_rate_macro"]), "{}", system.name);
            }
            _ => {
                let found = system.figures.pass.expect("harmless commands");
                assert!(near(found.value(), &metrics["accuracy"]), "{}", system.name);
            }
        }
        if system.datasets.len() == 1 {
            assert_eq!(system.rank, None, "{} lacks a set", system.name);
            let found = system.figures.total_time.expect("times");
            assert!(near(1e3 * found.p90, &metrics["latency_ms"]["p90"]), "{}", system.name);
        }
    }
    let ranked: Vec<&str> = comparison
        .systems
        .iter()
        .filter(|system| system.rank.is_some())
        .map(|system| system.short.as_str())
        .collect();
    assert_eq!(ranked, ["Foundation-Sec-8B-Instruct", "claude-sonnet-4-5", "claude-haiku-4-5"]);
    assert!(aegish_report::table(&comparison).contains("No score without attacks"));
}

/// Records with as many right answers as were published; which ones were right was not.
fn counted(expected: Expected, category: Option<&str>, right: u64, all: u64) -> Vec<Record> {
    (0..all)
        .map(|index| {
            let action = match (expected, index < right) {
                (Expected::Block, true) | (Expected::Pass, false) => "block",
                _ => "allow",
            };
            let sample = Sample {
                id: format!("{}-{index}", category.unwrap_or("harmless")),
                command: "true".to_owned(),
                expected,
                category: category.map(str::to_owned),
                metadata: Map::new(),
            };
            let completion = format!("{{\"action\":\"{action}\"}}");
            Record::new(&sample, 1).answered(completion, Stop::Stop)
        })
        .collect()
}

fn published(model: &str, dataset: &str, records: Vec<Record>) -> Run {
    Run {
        price: None,
        version: None,
        source: "published".to_owned(),
        model: model.to_owned(),
        variant: None,
        dataset: dataset.to_owned(),
        dataset_sha256: None,
        prompt_sha256: None,
        created: "2026-02-10T14:29:57Z".to_owned(),
        ending: RunEnding::Complete,
        reducer: Reducer::Mean,
        records,
    }
}

#[test]
fn the_published_ranking_comes_out_of_its_counts() {
    let Some(folder) = reference("published") else { return };
    let table = read_json(&folder.join("comparison_20260210_142957.json"));
    let mut runs = Vec::new();
    for (model, result) in table["results"].as_object().expect("results") {
        if result["status"] != "success" {
            continue;
        }
        let set = &result["datasets"]["gtfobins"];
        let categories = set["per_category_malicious_detection_rates"].as_object();
        let mut attacks = Vec::new();
        for (name, found) in categories.expect("categories") {
            let all = found["count"].as_u64().expect("a count");
            let rate = found["malicious_detection_rate"].as_f64().expect("a rate");
            let right = (rate * all as f64).round() as u64;
            attacks.extend(counted(Expected::Block, Some(name), right, all));
        }
        runs.push(published(model, "gtfobins", attacks));
        let set = &result["datasets"]["harmless"];
        let number = |key: &str| set[key].as_u64().expect("a count");
        let harmless = counted(Expected::Pass, None, number("correct"), number("total_commands"));
        runs.push(published(model, "harmless", harmless));
    }
    let comparison = Comparison::of(&runs);
    let ranking = table["ranking"].as_array().expect("a ranking");
    assert_eq!(comparison.systems.len(), ranking.len());
    for (system, line) in comparison.systems.iter().zip(ranking) {
        assert_eq!(system.name, line["model"]);
        assert_eq!(system.rank, line["rank"].as_u64().map(|rank| rank as usize));
        let score = system.figures.score.expect("a score");
        let composite = &table["results"][&system.name]["composite"];
        assert!((score.value - composite["aegish_score"].as_f64().unwrap()).abs() < 1e-9);
        // The published one divides by n − 1.
        assert!((score.stderr - composite["aegish_score_se"].as_f64().unwrap()).abs() < 1e-5);
        let published = &table["results"][&system.name]["datasets"]["gtfobins"];
        let rate = published["malicious_detection_rate_macro"].as_f64().unwrap();
        assert!((system.figures.detection_macro.unwrap().value - rate).abs() < 1e-9);
    }
}
