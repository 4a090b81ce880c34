//! Whatever a model answers, a verdict that is closed never goes down.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers belong to the tests

use aegish_test_support::cases;

use aegish_guard::{
    Action, Advisor, ConfiguredJudge, Context, DecidedBy, Decision, FailMode, FileView, JudgeMode,
    Machine, Request, Role, Ruling, Session, StaticCheck, check_with,
};
use aegish_judge::{Evidence, Opinion, OpinionSource};
use proptest::prelude::*;
use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A judge that always answers the same, and counts.
#[derive(Debug)]
struct Stand {
    opinion: Option<Opinion>,
    source: OpinionSource,
    fail_mode: FailMode,
    min_confidence: f64,
    has_model: bool,
    asked: AtomicU32,
}

impl Stand {
    fn times(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Advisor for Stand {
    fn has_model(&self) -> bool {
        self.has_model
    }

    fn ask(&self, _evidence: &Evidence<'_>, _role: Role) -> Ruling {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ruling {
            opinion: self.opinion.clone(),
            model: self.opinion.as_ref().map(|_| "test/model".to_owned()),
            source: self.source,
            latency: Duration::ZERO,
            usage: aegish_wire::Usage::default(),
            cost: None,
            prompt_hash: "0".repeat(64),
            notes: Vec::new(),
        }
    }

    fn fail_mode(&self) -> FailMode {
        self.fail_mode
    }

    fn min_confidence(&self) -> f64 {
        self.min_confidence
    }
}

fn says(action: Action, confidence: f64) -> Stand {
    let opinion = Opinion { action, reason: "because".to_owned(), confidence };
    Stand { opinion: Some(opinion), ..silent(FailMode::Open) }
}

fn silent(fail_mode: FailMode) -> Stand {
    Stand {
        opinion: None,
        source: OpinionSource::Model,
        fail_mode,
        min_confidence: 0.6,
        has_model: true,
        asked: AtomicU32::new(0),
    }
}

fn decide(text: &str, stand: Option<(&Stand, JudgeMode)>) -> Decision {
    let context = Context::bare();
    let judge = stand.map(|(judge, mode)| ConfiguredJudge { judge, mode });
    let text = text.as_bytes();
    let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
    check_with(&Session::new(), &request, judge).0
}

/// Left open by the static side, with nothing closed about it.
const OPEN: &str = "eval \"$CODE\"";
/// Open, and a closed warning next to it.
const OPEN_AND_WARN: &str = "eval \"$CODE\"; wget https://files.example.net/a.tgz";
const CLOSED_ALLOW: &str = "ls -la";
const CLOSED_WARN: &str = "wget https://files.example.net/a.tgz";
const CLOSED_BLOCK: &str = "cat /etc/shadow";

#[test]
fn the_examples_have_the_intended_static_verdicts() {
    let open = decide(OPEN, None);
    assert!(open.is_open() && open.findings().iter().all(|finding| finding.open));
    let mixed = decide(OPEN_AND_WARN, None);
    assert!(mixed.is_open() && mixed.findings().iter().any(|finding| !finding.open));
    for (text, action) in
        [(CLOSED_ALLOW, Action::Allow), (CLOSED_WARN, Action::Warn), (CLOSED_BLOCK, Action::Block)]
    {
        let decision = decide(text, None);
        assert_eq!((decision.action(), decision.is_open()), (action, false), "{text}");
    }
}

#[test]
fn open_verdicts_are_settled_in_both_directions() {
    for action in Action::ALL {
        let judge = says(action, 0.9);
        let decision = decide(OPEN, Some((&judge, JudgeMode::Undecided)));
        assert_eq!(decision.action(), action);
        assert_eq!(decision.decided_by(), DecidedBy::Model);
        assert_eq!(decision.rule().id, "model-opinion");
        assert_eq!(decision.reason(), "because");
        assert!(!decision.is_open());
        assert_eq!(
            decision.ruling().and_then(|ruling| ruling.model.as_deref()),
            Some("test/model")
        );
    }
}

#[test]
fn a_cached_answer_is_marked() {
    let judge = Stand { source: OpinionSource::Cache, ..says(Action::Block, 0.9) };
    let decision = decide(OPEN, Some((&judge, JudgeMode::Undecided)));
    assert_eq!(decision.decided_by(), DecidedBy::Cache);
}

#[test]
fn a_closed_warning_next_to_an_open_question_stays() {
    let judge = says(Action::Allow, 1.0);
    let decision = decide(OPEN_AND_WARN, Some((&judge, JudgeMode::Undecided)));
    assert_eq!(decision.action(), Action::Warn);
    assert_eq!(decision.decided_by(), DecidedBy::Static);
    assert_eq!(decision.rule().id, "11");
    assert!(!decision.is_open(), "the open part is settled");
}

#[test]
fn an_allow_that_is_not_sure_is_a_warning() {
    for confidence in [0.0, 0.59, f64::NAN, 7.0] {
        let judge = says(Action::Allow, confidence);
        let decision = decide(OPEN, Some((&judge, JudgeMode::Undecided)));
        assert_eq!(decision.action(), Action::Warn, "{confidence}");
        assert!(decision.notes().iter().any(|note| note.contains("less sure than 0.60")));
    }
    let judge = says(Action::Allow, 0.6);
    assert_eq!(decide(OPEN, Some((&judge, JudgeMode::Undecided))).action(), Action::Allow);
}

#[test]
fn a_judge_is_asked_about_closed_verdicts_only_in_mode_always() {
    for text in [CLOSED_ALLOW, CLOSED_WARN, CLOSED_BLOCK] {
        let judge = says(Action::Block, 1.0);
        let decision = decide(text, Some((&judge, JudgeMode::Undecided)));
        assert_eq!(judge.times(), 0, "{text}");
        assert_eq!(decision.action(), decide(text, None).action());
        let decision = decide(text, Some((&judge, JudgeMode::Always)));
        assert_eq!(judge.times(), 1, "{text}");
        assert_eq!(decision.action(), Action::Block);
    }
}

#[test]
fn a_model_raises_but_never_lowers_a_closed_verdict() {
    for (text, opinion, wanted, by) in [
        (CLOSED_ALLOW, Action::Allow, Action::Allow, DecidedBy::Static),
        (CLOSED_ALLOW, Action::Warn, Action::Warn, DecidedBy::Model),
        (CLOSED_ALLOW, Action::Block, Action::Block, DecidedBy::Model),
        (CLOSED_WARN, Action::Allow, Action::Warn, DecidedBy::Static),
        (CLOSED_WARN, Action::Warn, Action::Warn, DecidedBy::Static),
        (CLOSED_WARN, Action::Block, Action::Block, DecidedBy::Model),
        (CLOSED_BLOCK, Action::Allow, Action::Block, DecidedBy::Static),
        (CLOSED_BLOCK, Action::Block, Action::Block, DecidedBy::Static),
    ] {
        let judge = says(opinion, 1.0);
        let decision = decide(text, Some((&judge, JudgeMode::Always)));
        assert_eq!((decision.action(), decision.decided_by()), (wanted, by), "{text} {opinion}");
    }
}

#[test]
fn without_an_answer_an_open_verdict_is_a_warning_without_confidence_or_a_block() {
    for (fail_mode, wanted) in [(FailMode::Open, Action::Warn), (FailMode::Safe, Action::Block)] {
        for mode in [JudgeMode::Undecided, JudgeMode::Always] {
            let judge = silent(fail_mode);
            let decision = decide(OPEN, Some((&judge, mode)));
            assert_eq!(decision.action(), wanted);
            assert!(decision.confidence().abs() < f32::EPSILON);
            assert_eq!(decision.decided_by(), DecidedBy::Static);
            assert!(decision.notes().iter().any(|note| note.starts_with("no model answered")));
        }
    }
}

#[test]
fn where_every_command_is_judged_by_a_model_an_outage_warns_about_harmless_work_and_blocks_none() {
    for fail_mode in [FailMode::Open, FailMode::Safe] {
        let judge = silent(fail_mode);
        let decision = decide(CLOSED_ALLOW, Some((&judge, JudgeMode::Always)));
        assert_eq!((decision.action(), decision.confidence()), (Action::Warn, 0.0));
        assert_eq!(decision.notes(), ["no model answered, so somebody has to be asked"]);
        let decision = decide(CLOSED_ALLOW, Some((&judge, JudgeMode::Undecided)));
        assert_eq!(decision.action(), Action::Allow, "by default it is not asked about");
        assert!(decision.confidence() > 0.5);
        for (text, action) in [(CLOSED_WARN, Action::Warn), (CLOSED_BLOCK, Action::Block)] {
            let decision = decide(text, Some((&judge, JudgeMode::Always)));
            assert_eq!(decision.action(), action);
            assert!(decision.confidence() > 0.5);
        }
    }
}

#[test]
fn without_a_model_undecided_is_the_static_side() {
    let judge = Stand { has_model: false, ..silent(FailMode::Safe) };
    let decision = decide(OPEN, Some((&judge, JudgeMode::Undecided)));
    let alone = decide(OPEN, None);
    assert_eq!((decision.action(), decision.is_open()), (alone.action(), alone.is_open()));
    assert!(decision.ruling().is_none() && judge.times() == 0);
}

#[test]
fn nothing_longer_than_the_bound_is_put_to_a_judge() {
    let comment = "x".repeat(5000);
    for (text, wanted) in [(CLOSED_ALLOW, Action::Allow), (OPEN, Action::Block)] {
        let judge = says(Action::Allow, 1.0);
        let long = format!("{text} # {comment}");
        let decision = decide(&long, Some((&judge, JudgeMode::Always)));
        assert_eq!((decision.action(), judge.times()), (wanted, 0));
        assert!(decision.notes().iter().any(|note| note.contains("longer than 4096 characters")));
    }
    let judge = says(Action::Allow, 1.0);
    for nothing in ["", "\0", " \n"] {
        let decision = decide(nothing, Some((&judge, JudgeMode::Always)));
        assert_eq!((decision.action(), judge.times()), (Action::Block, 0));
    }
}

#[test]
fn an_allow_without_seeing_the_whole_script_is_a_warning() {
    let mut case = cases::read("t", "```file long.sh\n#\n```\n```case warn\n./long.sh\n```\n")
        .expect("a case")
        .remove(0);
    for text in case.files.values_mut() {
        *text = format!("{}\neval \"$CODE\"\n", "# padding\n".repeat(2000));
    }
    let judge = says(Action::Allow, 1.0);
    let decision =
        case.decide_with(Some(ConfiguredJudge { judge: &judge, mode: JudgeMode::Undecided }));
    assert_eq!((decision.action(), judge.times()), (Action::Warn, 1));
    assert!(decision.notes().iter().any(|note| note.contains("every script to its end")));
    for text in case.files.values_mut() {
        *text = "eval \"$CODE\"\n".to_owned();
    }
    let decision =
        case.decide_with(Some(ConfiguredJudge { judge: &judge, mode: JudgeMode::Undecided }));
    assert_eq!(decision.action(), Action::Allow);
}

static CASES: LazyLock<Vec<cases::Case>> =
    LazyLock::new(|| cases::all().expect("the cases can be read"));

fn stands() -> impl Strategy<Value = Stand> {
    let opinion = prop::option::weighted(
        0.8,
        (
            prop::sample::select(&Action::ALL[..]),
            prop_oneof![0.0..=1.0, Just(f64::NAN), Just(-1.0), Just(7.0)],
            ".{1,40}",
        ),
    );
    (opinion, any::<bool>(), any::<bool>(), 0.0..=1.0, any::<bool>()).prop_map(
        |(opinion, cached, safe, min_confidence, has_model)| Stand {
            opinion: opinion.map(|(action, confidence, reason)| Opinion {
                action,
                reason,
                confidence,
            }),
            source: if cached { OpinionSource::Cache } else { OpinionSource::Model },
            fail_mode: if safe { FailMode::Safe } else { FailMode::Open },
            min_confidence,
            has_model,
            asked: AtomicU32::new(0),
        },
    )
}

#[test]
fn a_judge_is_built_only_if_asked_and_the_machine_is_read_once() {
    struct Counting(Cell<u32>);
    impl Machine for Counting {
        fn read(&self, _: &str, _: usize) -> FileView {
            self.0.set(self.0.get() + 1);
            FileView::Text("eval \"$CODE\"\n".to_owned())
        }

        fn list(&self, _: &str, _: usize) -> Option<Vec<String>> {
            None
        }
    }
    let looks = |text: &str, mode: Option<JudgeMode>| {
        let machine = Counting(Cell::new(0));
        let context = Context { cwd: "/w".to_owned(), machine: &machine, ..Context::bare() };
        let text = text.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        let session = Session::new();
        let checked = StaticCheck::new(&session, &request);
        let mut built = 0;
        let judge = || {
            built += 1;
            Ok::<_, String>(Some(says(Action::Allow, 0.9)))
        };
        let (decision, _) = match mode {
            Some(mode) => checked.ask_lazily(mode, judge).unwrap(),
            None => checked.finish(),
        };
        (machine.0.get(), built, decision.action())
    };
    let alone = looks("sh ./s.sh", None).0;
    assert!(alone > 0);
    assert_eq!(looks("sh ./s.sh", Some(JudgeMode::Undecided)), (alone, 1, Action::Allow));
    assert_eq!(looks("sh ./s.sh", Some(JudgeMode::Never)), (alone, 0, Action::Warn));
    assert_eq!(looks(CLOSED_BLOCK, Some(JudgeMode::Undecided)).1, 0);
    assert_eq!(looks("", Some(JudgeMode::Always)).1, 0, "what is no command is not asked about");
}

#[test]
fn a_judge_that_cannot_be_built_gives_no_decision() {
    let context = Context::bare();
    let text = OPEN.as_bytes();
    let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
    let session = Session::new();
    let failed = StaticCheck::new(&session, &request)
        .ask_lazily(JudgeMode::Undecided, || Err::<Option<Stand>, _>("no key"));
    assert_eq!(failed.err(), Some("no key"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_lowers_a_closed_verdict_and_no_failure_allows(
        index in any::<prop::sample::Index>(),
        stand in stands(),
        mode in prop::sample::select(&JudgeMode::ALL[..]),
    ) {
        let case = index.get(&CASES);
        let alone = case.decide();
        let decision = case.decide_with(Some(ConfiguredJudge { judge: &stand, mode }));
        let closed = alone.findings().iter().filter(|f| !f.open).map(|f| f.action).max();

        if alone.action() == Action::Block {
            prop_assert_eq!(decision.action(), Action::Block);
        }
        if !alone.is_open() {
            prop_assert!(decision.action() >= alone.action(), "{}", case.command);
        }
        prop_assert!(decision.action() >= closed.unwrap_or(Action::Allow), "{}", case.command);
        let answered = stand.opinion.as_ref().filter(|_| stand.times() > 0);
        if alone.is_open() && decision.action() == Action::Allow {
            let sure = answered.is_some_and(|opinion| {
                opinion.action == Action::Allow
                    && (stand.min_confidence..=1.0).contains(&opinion.confidence)
            });
            prop_assert!(sure, "{}", case.command);
        }
        if answered.is_none() {
            prop_assert!(decision.action() >= alone.action(), "{}", case.command);
            prop_assert_eq!(decision.decided_by(), DecidedBy::Static);
        }
        if mode == JudgeMode::Never {
            prop_assert_eq!(stand.times(), 0);
            prop_assert_eq!(decision.action(), alone.action());
        }
        prop_assert!((0.0..=1.0).contains(&decision.confidence()), "{}", decision.confidence());
        prop_assert!(!(decision.is_open() && decision.action() != Action::Warn));
        prop_assert!(!decision.reason().is_empty());
    }
}
