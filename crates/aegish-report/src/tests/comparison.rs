use super::super::{Comparison, Run, RunEnding};
use super::{attacks, harmless, record, run, unanswered};
use aegish_guard::Action;
use aegish_log::Expected;

fn names(comparison: &Comparison) -> Vec<&str> {
    comparison.systems.iter().map(|system| system.short.as_str()).collect()
}

fn has_note(comparison: &Comparison, part: &str) -> bool {
    comparison.notes.iter().any(|note| note.contains(part))
}

#[test]
fn attacks_and_harmless_commands_of_one_model_make_its_score() {
    let runs = [
        attacks("openai/b", 100, 90),
        attacks("openai/a", 100, 80),
        harmless("openai/a", 50, 50),
        harmless("openai/b", 50, 40),
    ];
    let comparison = Comparison::of(&runs);
    assert_eq!(names(&comparison), ["a", "b"]);
    let scores: Vec<f64> =
        comparison.systems.iter().map(|system| system.figures.score.unwrap().value).collect();
    assert!((scores[0] - 0.9).abs() < 1e-12 && (scores[1] - 0.85).abs() < 1e-12, "{scores:?}");
    assert_eq!(comparison.systems[0].rank, Some(1));
    assert_eq!(comparison.systems[0].datasets, ["attacks", "harmless"]);
    assert_eq!(comparison.datasets.len(), 2);
    assert_eq!(comparison.rows.len(), 150);
}

#[test]
fn a_missing_set_is_missing_and_never_nothing() {
    let runs = [
        attacks("openai/half", 100, 100),
        attacks("openai/a", 100, 1),
        harmless("openai/a", 50, 1),
    ];
    let comparison = Comparison::of(&runs);
    assert_eq!(names(&comparison), ["a", "half"]);
    let half = &comparison.systems[1];
    assert_eq!((half.rank, half.figures.score, half.figures.pass), (None, None, None));
    assert!(half.metrics.aegish_score.is_none());
    assert!(has_note(&comparison, "No score without harmless commands: half."));
    assert!(has_note(&comparison, "Not all systems were measured on the same data sets"));
}

#[test]
fn the_newest_complete_log_of_a_set_counts_and_the_others_are_named() {
    let old = attacks("openai/a", 100, 10);
    let new = Run {
        created: "2026-03-01T00:00:00+00:00".to_owned(),
        source: "new.eval".to_owned(),
        ..attacks("openai/a", 100, 20)
    };
    let broken = Run {
        created: "2026-04-01T00:00:00+00:00".to_owned(),
        ending: RunEnding::Partial("started".to_owned()),
        source: "broken.eval".to_owned(),
        ..attacks("openai/a", 30, 30)
    };
    let comparison = Comparison::of(&[old, new, broken]);
    assert_eq!(comparison.systems[0].figures.detection.unwrap().count, 20);
    assert!(has_note(&comparison, "new.eval counts, openai-a-attacks.eval does not"));
    assert!(has_note(&comparison, "new.eval counts, broken.eval does not"));
    assert_eq!(comparison.sources.len(), 1);
}

#[test]
fn an_incomplete_log_counts_if_there_is_no_other_and_says_so() {
    let run =
        Run { ending: RunEnding::Partial("started".to_owned()), ..attacks("openai/a", 40, 40) };
    let comparison = Comparison::of(&[run]);
    assert!(has_note(&comparison, "is not complete (\"started\"): 40 samples"));
}

#[test]
fn a_model_asked_in_two_ways_is_two_systems() {
    let plain = attacks("openai/a", 100, 90);
    let thinking = Run { variant: Some("cot".to_owned()), ..attacks("openai/a", 100, 95) };
    assert_eq!(names(&Comparison::of(&[plain, thinking])), ["a (cot)", "a"]);
    let with = |hash: &str, blocked| Run {
        prompt_sha256: Some(hash.repeat(8)),
        ..attacks("openai/a", 100, blocked)
    };
    let comparison = Comparison::of(&[with("0123abcd", 90), with("ffff0000", 91)]);
    assert_eq!(names(&comparison), ["a (prompt ffff0000)", "a (prompt 0123abcd)"]);
    assert!(has_note(&comparison, "2 different system prompts"));
}

#[test]
fn systems_are_paired_with_the_best_over_the_samples_they_share() {
    let best = [attacks("openai/best", 100, 95), harmless("openai/best", 50, 50)];
    // Misses 20 that the best finds, finds 5 that it misses, and was asked 10 more.
    let other = (0..110).map(|index| {
        let blocked = (20..100).contains(&index);
        let action = if blocked { Action::Block } else { Action::Allow };
        record(&format!("a{index}"), Expected::Block, action)
    });
    let mut runs = best.to_vec();
    runs.push(run("openai/other", "attacks", other.collect()));
    let comparison = Comparison::of(&runs);
    let pairing = comparison.systems[1].against_best.unwrap();
    assert_eq!((pairing.shared, pairing.gained, pairing.lost), (100, 5, 20));
    assert!((pairing.p_value - aegish_log::metrics::McNemar::of(5, 20).p_value).abs() < 1e-12);
    assert_eq!(comparison.systems[0].against_best, None);
}

#[test]
fn another_command_under_the_same_id_is_another_sample() {
    let mut changed = attacks("openai/b", 100, 100);
    changed.records[0].command = "something else".to_owned();
    let comparison = Comparison::of(&[attacks("openai/a", 100, 100), changed]);
    assert_eq!(comparison.rows.len(), 101);
    assert_eq!(comparison.rows.iter().filter(|row| row.wrong().1 == 2).count(), 99);
}

#[test]
fn versions_of_a_data_set_are_pointed_out() {
    let version = |model: &str, hash: &str| Run {
        dataset_sha256: Some(hash.to_owned()),
        ..attacks(model, 100, 100)
    };
    let comparison = Comparison::of(&[version("openai/a", "1"), version("openai/b", "2")]);
    assert!(has_note(&comparison, "2 versions of attacks"));
}

#[test]
fn repetitions_are_samples_of_their_own() {
    let mut run = attacks("openai/a", 10, 5);
    let again: Vec<_> = run
        .records
        .iter()
        .map(|record| aegish_log::Record { epoch: 2, ..record.clone() })
        .collect();
    run.records.extend(again);
    let comparison = Comparison::of(&[run]);
    assert_eq!((comparison.rows.len(), comparison.datasets[0].attacks), (20, 10));
}

#[test]
fn errors_are_counted_by_class_and_are_wrong() {
    let mut run = attacks("openai/a", 40, 40);
    run.records.push(unanswered("late", Expected::Block));
    let comparison = Comparison::of(&[run]);
    let figures = &comparison.systems[0].figures;
    assert_eq!((figures.errors.timeout, figures.errors.total()), (1, 1));
    assert_eq!(figures.detection.unwrap().count, 40);
    assert_eq!(figures.detection.unwrap().of, 41);
}

#[test]
fn nothing_gives_an_empty_comparison() {
    let comparison = Comparison::of(&[]);
    assert!(comparison.systems.is_empty() && comparison.rows.is_empty());
    assert!(super::super::html::page(&comparison).contains("there is no score"));
}
