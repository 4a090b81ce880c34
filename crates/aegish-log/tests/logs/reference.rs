//! Published results of others, recomputed with our formulas.

use std::collections::BTreeMap;
use std::fs;

use aegish_log::metrics::{composite, sample_standard_error, standard_error};
use aegish_log::{Expected, Tally};
use aegish_log::{Log, measure};
use serde_json::Value;

use aegish_test_support::folder::reference;

fn near(found: &Value, expected: &Value, place: &str) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected {
                let inner = found.get(key).unwrap_or_else(|| panic!("{place}: no `{key}`"));
                near(inner, value, &format!("{place}.{key}"));
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{place}");
            found.iter().zip(expected).for_each(|(found, expected)| near(found, expected, place));
        }
        _ => {
            let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            let scale = expected.abs().max(1.0);
            assert!((found - expected).abs() <= 1e-9 * scale, "{place}: {found} is not {expected}");
        }
    }
}

#[test]
fn every_recorded_completion_is_scored_as_the_seed_scores_it() {
    let Some(recorded) = reference("recorded") else { return };
    let expected = fs::read_to_string(recorded.join("expected.json")).unwrap();
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).unwrap();
    assert!(!expected.is_empty());
    for (file, expected) in expected {
        let path = recorded.join(&file);
        let log = Log::open(&path).unwrap();
        assert_eq!(log.header().eval.model, expected["model"].as_str().unwrap());
        assert_eq!(log.header().eval.dataset.name.as_deref(), expected["dataset"].as_str());
        let lines = fs::read_to_string(&path).unwrap();
        for (line, record) in lines.lines().zip(log.records().unwrap()) {
            let (line, record): (Value, _) = (serde_json::from_str(line).unwrap(), record.unwrap());
            let place = format!("{file}: {}", record.id);
            assert_eq!(record.answer_word(), line["expected"]["answer"], "{place}");
            assert_eq!(record.correct(), line["expected"]["correct"], "{place}");
            let malicious = expected["dataset"] == "gtfobins";
            assert_eq!(record.expected == Expected::Block, malicious, "{place}");
        }
        let metrics = serde_json::to_value(measure(&log).unwrap()).unwrap();
        let mut figures = expected.clone();
        figures.as_object_mut().unwrap().retain(|key, _| key != "model" && key != "dataset");
        near(&metrics, &figures, &file);
        assert_eq!(metrics["answers"], expected["answers"], "{file}");
        let keys = |value: &Value| value["per_category"].as_object().map(serde_json::Map::len);
        assert_eq!(keys(&metrics), keys(&expected), "{file}");
    }
}

#[test]
fn the_published_table_follows_from_its_counts() {
    let Some(published) = reference("published/comparison_20260210_142957.json") else { return };
    let text = fs::read_to_string(published);
    let table: Value = serde_json::from_str(&text.unwrap()).unwrap();
    let mut compared = 0;
    for (model, result) in table["results"].as_object().unwrap() {
        if result["status"] != "success" {
            continue;
        }
        let half = |name: &str| {
            let set = &result["datasets"][name];
            let (right, all) =
                (set["correct"].as_u64().unwrap(), set["total_commands"].as_u64().unwrap());
            let rate = right as f64 / all as f64;
            near(&rate.into(), &set["accuracy"], model);
            near(&sample_standard_error(rate, all).into(), &set["stderr"], model);
            (rate, all)
        };
        let (attacks, harmless) = (half("gtfobins"), half("harmless"));
        let with = |error: fn(f64, u64) -> f64| {
            let rate_and_error = |(rate, all)| (rate, error(rate, all));
            composite(rate_and_error(attacks), rate_and_error(harmless))
        };
        // The table was made by Inspect, which divides by n − 1 where the seed's text says n.
        let (score, error) = with(sample_standard_error);
        near(&score.into(), &result["composite"]["aegish_score"], model);
        near(&error.into(), &result["composite"]["aegish_score_se"], model);
        assert!((with(standard_error).1 - error).abs() < 1e-5, "{model}");
        let set = &result["datasets"]["gtfobins"];
        let categories = set["per_category_malicious_detection_rates"].as_object().unwrap();
        let tally = tally_of(categories);
        let metrics = tally.metrics(None);
        near(
            &metrics.detection_rate_macro.unwrap().into(),
            &set["malicious_detection_rate_macro"],
            model,
        );
        near(&metrics.detection_rate.unwrap().into(), &set["malicious_detection_rate"], model);
        compared += 1;
    }
    assert_eq!(compared, 9);
}

/// This many answers of each category, as in the table.
fn tally_of(categories: &serde_json::Map<String, Value>) -> Tally {
    let mut tally = Tally::default();
    for (name, category) in categories {
        let count = category["count"].as_u64().unwrap();
        let rate = category["malicious_detection_rate"].as_f64().unwrap();
        let blocked = (rate * count as f64).round() as u64;
        for number in 0..count {
            let mut sample = crate::support::sample(1);
            sample.category = Some(name.clone());
            let mut record = crate::support::record(&sample, 0);
            if number >= blocked {
                record.answer = Some(aegish_judge::Answer::Timeout);
            }
            tally.add(&record);
        }
    }
    tally
}

#[test]
fn logs_of_inspect_give_the_metrics_of_the_same_completions() {
    let (Some(logs), Some(recorded)) = (reference("logs"), reference("recorded")) else { return };
    let mut compared = 0;
    for file in fs::read_dir(logs).unwrap() {
        let log = Log::open(&file.unwrap().path()).unwrap();
        let header = log.header();
        let dataset = log.dataset().unwrap();
        let same = header.eval.model.replace(['/', ':'], "_");
        let same_lines = Log::open(&recorded.join(format!("{same}__{dataset}.jsonl")));
        let (found, expected) = (measure(&log).unwrap(), measure(&same_lines.unwrap()).unwrap());
        let found_json = serde_json::to_value(&found).unwrap();
        let mut expected_json = serde_json::to_value(&expected).unwrap();
        expected_json.as_object_mut().unwrap().remove("warnings");
        let warnings = found.warnings.clone();
        assert_eq!(warnings, expected.warnings);
        let answers = expected_json.as_object_mut().unwrap().remove("cost").unwrap();
        near(&found_json["cost"]["total_usd"], &answers["total_usd"], "cost");
        near(&found_json, &expected_json, &same);
        compared += 1;
    }
    assert_eq!(compared, 2);
}
