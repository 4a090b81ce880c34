use super::super::{Comparison, Run, RunEnding};
use super::{attacks, harmless, record, run, unanswered};
use aegish_guard::Action;
use aegish_log::metrics::PairedTest;
use aegish_log::{Expected, Record};

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
fn systems_with_equal_figures_share_a_rank() {
    let both = |model: &str, blocked| [attacks(model, 100, blocked), harmless(model, 50, 50)];
    let runs: Vec<Run> = [("openai/a", 90), ("openai/b", 90), ("openai/c", 80), ("openai/d", 95)]
        .into_iter()
        .flat_map(|(model, blocked)| both(model, blocked))
        .collect();
    let comparison = Comparison::of(&runs);
    assert_eq!(names(&comparison), ["d", "a", "b", "c"]);
    let ranks: Vec<_> = comparison.systems.iter().filter_map(|system| system.rank).collect();
    assert_eq!(ranks, [1, 2, 2, 4]);
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
    assert_eq!(comparison.systems[0].figures.detection.unwrap().share, 0.2);
    assert!(has_note(&comparison, "new.eval counts, openai-a-attacks.eval does not"));
    assert!(has_note(&comparison, "new.eval counts, broken.eval does not"));
    assert_eq!(comparison.sources.len(), 1);
}

#[test]
fn an_incomplete_log_counts_if_there_is_no_other_and_is_reported() {
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
    let test = PairedTest::of(&[vec![(1.0, 0.0); 5], vec![(0.0, 1.0); 20]].concat());
    assert!((pairing.p_value - test.p_value).abs() < 1e-12);
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

/// The same set under a hash.
fn hashed(hash: &str, run: Run) -> Run {
    Run { dataset_sha256: Some(hash.repeat(8)), ..run }
}

#[test]
fn data_sets_of_one_name_are_two_if_their_hashes_differ() {
    // v1/test.csv with 4 rows and v2/test.json with 496, both named `test`.
    let small = Run { dataset: "test".to_owned(), ..attacks("openai/a", 4, 4) };
    let large = Run { dataset: "test".to_owned(), ..harmless("openai/a", 496, 490) };
    let comparison = Comparison::of(&[hashed("12345678", small), hashed("9abcdef0", large)]);
    let sets: Vec<(&str, usize, usize)> = comparison
        .datasets
        .iter()
        .map(|set| (set.name.as_str(), set.attacks, set.harmless))
        .collect();
    assert_eq!(sets, [("test (12345678)", 4, 0), ("test (9abcdef0)", 0, 496)]);
    assert!(has_note(&comparison, "There are 2 data sets named test"));
    assert_eq!(comparison.systems[0].datasets, ["test (12345678)", "test (9abcdef0)"]);
}

#[test]
fn a_log_without_a_hash_belongs_to_the_set_that_holds_its_samples() {
    let own = hashed("12345678", attacks("openai/a", 100, 90));
    let part = attacks("openai/b", 60, 50);
    let mut other = attacks("openai/c", 60, 50);
    other.records[0].command = "something else".to_owned();
    let comparison = Comparison::of(&[part, own, other]);
    let sets: Vec<&str> = comparison.datasets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(sets, ["attacks (12345678)", "attacks (no hash)"]);
    assert_eq!(comparison.rows.iter().filter(|row| row.wrong().1 == 2).count(), 60);
}

#[test]
fn systems_are_ranked_only_on_what_all_of_them_answered() {
    // b was asked the first half alone, which is where a is good.
    let runs = [
        attacks("openai/a", 100, 50),
        harmless("openai/a", 50, 50),
        attacks("openai/b", 50, 45),
        harmless("openai/b", 50, 50),
    ];
    let mut runs = runs.to_vec();
    // What failed for one system counts for none.
    runs[3].records[0].answer = None;
    runs[3].records[0].error = Some("HTTP 500".to_owned());
    let comparison = Comparison::of(&runs);
    assert_eq!(names(&comparison), ["a", "b"]);
    let of = |place: usize| {
        let figures = &comparison.systems[place].figures;
        (figures.detection.unwrap().of, figures.pass.unwrap().of)
    };
    assert_eq!((of(0), of(1)), ((50, 49), (50, 49)));
    assert_eq!(comparison.systems[0].figures.detection.unwrap().share, 1.0);
    assert!(has_note(&comparison, "Ranked on the 99 samples that all ranked systems answered"));
    assert!(has_note(&comparison, "51 of a"));
}

#[test]
fn systems_without_common_ground_are_ranked_apart() {
    let other = |run: Run| hashed(if run.dataset == "attacks" { "ffff" } else { "eeee" }, run);
    let own = |run: Run| hashed(if run.dataset == "attacks" { "0000" } else { "1111" }, run);
    let mut far = attacks("openai/far", 100, 100);
    far.records.iter_mut().for_each(|record| record.id.push('x'));
    let mut away = harmless("openai/far", 50, 50);
    away.records.iter_mut().for_each(|record| record.id.push('x'));
    let runs = [
        own(attacks("openai/a", 100, 50)),
        own(harmless("openai/a", 50, 50)),
        own(attacks("openai/b", 100, 60)),
        own(harmless("openai/b", 50, 50)),
        other(far),
        other(away),
    ];
    let comparison = Comparison::of(&runs);
    let labels: Vec<_> =
        comparison.systems.iter().map(super::super::ComparedSystem::rank_label).collect();
    assert_eq!(names(&comparison), ["b", "a", "far"]);
    assert_eq!(labels, ["A1", "A2", "B1"].map(|label| Some(label.to_owned())));
    assert!(has_note(&comparison, "ranked together"));
}

#[test]
fn repetitions_are_reduced_before_systems_are_paired() {
    let thrice = |run: Run, flips: usize| {
        let mut records = Vec::new();
        for epoch in 1..=3 {
            for (place, record) in run.records.iter().enumerate() {
                let mut record = Record { epoch, ..record.clone() };
                if epoch == 1 && place < flips {
                    record.answer = super::record("x", Expected::Block, Action::Allow).answer;
                }
                records.push(record);
            }
        }
        Run { records, ..run }
    };
    let runs = [
        thrice(attacks("openai/a", 40, 40), 0),
        thrice(harmless("openai/a", 40, 40), 0),
        thrice(attacks("openai/b", 40, 40), 6),
        thrice(harmless("openai/b", 40, 40), 0),
    ];
    let comparison = Comparison::of(&runs);
    let pairing = comparison.systems[1].against_best.unwrap();
    assert_eq!((pairing.shared, pairing.lost, pairing.gained), (80, 6, 0));
    assert!((pairing.p_value - 2.0 / 64.0).abs() < 1e-12, "six samples, not six answers");
    let detection = comparison.systems[1].figures.detection.unwrap();
    assert_eq!(detection.of, 40);
    assert!((detection.share - 114.0 / 120.0).abs() < 1e-12);
}

#[test]
fn the_static_side_costs_nothing_and_is_in_the_cost_plots() {
    let mut runs = vec![attacks("static", 100, 90), harmless("static", 50, 50)];
    for run in &mut runs {
        run.records.iter_mut().for_each(|record| record.usage = aegish_wire::Usage::default());
    }
    runs.extend([attacks("openai/gpt-5.1", 100, 95), harmless("openai/gpt-5.1", 50, 50)]);
    let comparison = Comparison::of(&runs);
    let place = comparison.systems.iter().position(|system| system.name == "static").unwrap();
    assert_eq!(comparison.systems[place].figures.cost.unwrap().per_thousand, 0.0);
    let plot = crate::plot::Plot::ALL.into_iter().find(|plot| plot.id().contains("cost")).unwrap();
    let scene = plot.draw(&comparison.systems, crate::plot::Form::Wide).unwrap();
    assert!(scene.description.contains("static: $0.00"), "{}", scene.description);
    assert!(super::super::table(&comparison).contains("$0.00"));
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
    assert!((figures.detection.unwrap().share - 40.0 / 41.0).abs() < 1e-12);
    assert_eq!(figures.detection.unwrap().of, 41);
}

#[test]
fn nothing_gives_an_empty_comparison() {
    let comparison = Comparison::of(&[]);
    assert!(comparison.systems.is_empty() && comparison.rows.is_empty());
    assert!(
        super::super::html::page(&comparison, &super::super::html::SampleLinks::of(&comparison))
            .contains("there is no score")
    );
}
