use super::*;

const NOW: u64 = 20_000 * DAY + 1;
const TIMEOUT: Duration = Duration::from_secs(30);
const PATIENT: AdmissionChecks = AdmissionChecks::All(TIMEOUT);

fn target() -> Target {
    Target { provider: "p".into(), address: "p @".into(), model: "p/m @".into() }
}

fn other_model() -> Target {
    Target { model: "p/n @".into(), ..target() }
}

fn bounds() -> Bounds {
    Bounds { per_minute: 30, budget: None, timeout: TIMEOUT }
}

fn goes(state: &mut SharedState, target: &Target, now: u64) -> bool {
    matches!(state.admit(target, PATIENT, &bounds(), 0.0, now), Admission::Go { .. })
}

fn fail(state: &mut SharedState, blame: Blame, wish: Option<Duration>, now: u64) {
    state.settle(&target(), QuestionOutcome::Failed(blame, wish), 0.0, now);
}

#[test]
fn after_a_pause_one_process_tries_and_the_others_do_not() {
    let mut state = SharedState::default();
    fail(&mut state, Blame::Model, Some(Duration::from_secs(5)), NOW);
    assert!(!goes(&mut state, &target(), NOW + 4999));
    assert!(goes(&mut state, &target(), NOW + 5000));
    assert!(!goes(&mut state, &target(), NOW + 5001), "one is enough");
    state.settle(&target(), QuestionOutcome::Answered, 0.0, NOW + 6000);
    assert!(goes(&mut state, &target(), NOW + 6001));
}

#[test]
fn a_question_refused_for_another_reason_does_not_use_up_the_try() {
    let mut state = SharedState::default();
    fail(&mut state, Blame::Model, Some(Duration::from_secs(5)), NOW);
    let later = NOW + 5000;
    let poor = Bounds { budget: Some(0.0), ..bounds() };
    let denied = state.admit(&target(), PATIENT, &poor, 0.0, later);
    assert_eq!(denied, Admission::Spent { spent: 0.0, budget: 0.0 });
    assert!(goes(&mut state, &target(), later));
}

#[test]
fn a_model_that_fails_leaves_the_others_of_its_provider_alone() {
    let mut state = SharedState::default();
    (0..3).for_each(|_| fail(&mut state, Blame::Model, None, NOW));
    assert!(!goes(&mut state, &target(), NOW));
    assert!(goes(&mut state, &other_model(), NOW));
    let mut state = SharedState::default();
    (0..3).for_each(|_| fail(&mut state, Blame::Provider, None, NOW));
    assert!(!goes(&mut state, &other_model(), NOW));
}

#[test]
fn only_failures_in_a_row_count() {
    let mut state = SharedState::default();
    for _ in 0..10 {
        fail(&mut state, Blame::Model, None, NOW);
        fail(&mut state, Blame::Model, None, NOW);
        // The provider answered by refusing the question.
        fail(&mut state, Blame::Question, None, NOW);
    }
    assert!(goes(&mut state, &target(), NOW));
    (0..9).for_each(|_| fail(&mut state, Blame::Setup, None, NOW));
    assert!(goes(&mut state, &target(), NOW));
}

#[test]
fn money_is_set_aside_before_it_is_spent() {
    let mut state = SharedState::default();
    let bounds = Bounds { budget: Some(1.0), ..bounds() };
    let ask = |state: &mut SharedState| state.admit(&target(), PATIENT, &bounds, 0.6, NOW);
    assert!(matches!(ask(&mut state), Admission::Go { reserved: 0.6, .. }));
    assert!(matches!(ask(&mut state), Admission::Go { .. }), "not yet used up");
    assert_eq!(ask(&mut state), Admission::Spent { spent: 1.2, budget: 1.0 });
    state.settle(&target(), QuestionOutcome::Answered, 0.01 - 0.6, NOW);
    assert!(matches!(ask(&mut state), Admission::Go { .. }), "it cost less");
}

#[test]
fn a_total_never_falls_below_nothing_and_odd_numbers_do_not_count() {
    let mut state = SharedState::default();
    state.spend(-5.0, NOW);
    assert_eq!(state.spent[&(NOW / DAY)], 0.0);
    state.spend(f64::NAN, NOW);
    state.spend(f64::INFINITY, NOW);
    state.spend(0.25, NOW);
    assert_eq!(state.spent[&(NOW / DAY)], 0.25);
}

#[test]
fn spending_without_the_file_is_added_later() {
    let mut file = SharedState::default();
    file.spend(0.5, NOW);
    file.spend(0.5, NOW - DAY);
    let mut alone = file.clone();
    alone.spend(0.3, NOW);
    file.add_spending_of(&alone);
    assert_eq!(file.spent, alone.spent);
    file.add_spending_of(&SharedState::default());
    assert_eq!(file.spent, alone.spent);
}

#[test]
fn a_schema_is_left_out_for_a_day_where_it_was_refused() {
    let mut state = SharedState::default();
    let schema =
        |state: &mut SharedState, now| match state.admit(&target(), PATIENT, &bounds(), 0.0, now) {
            Admission::Go { schema, .. } => schema,
            other => panic!("{other:?}"),
        };
    assert_eq!(schema(&mut state, NOW), SchemaUse::Send);
    state.settle(&target(), QuestionOutcome::AnsweredPlain, 0.0, NOW);
    assert_eq!(schema(&mut state, NOW + 1000), SchemaUse::Omit);
    assert_eq!(schema(&mut state, NOW + DAY), SchemaUse::Send);
    assert_eq!(schema(&mut state, NOW - 2 * DAY), SchemaUse::Send, "the clock went back");
}

#[test]
fn the_file_stays_small() {
    let mut state = SharedState::default();
    for n in 0..1000u64 {
        let target = Target {
            provider: format!("p{n}"),
            address: format!("p{n} @"),
            model: format!("p{n}/m @"),
        };
        let now = NOW + n * DAY;
        let _ = state.admit(&target, PATIENT, &bounds(), 0.1, now);
        state.settle(&target, QuestionOutcome::Failed(Blame::Model, None), 0.0, now);
        state.forget(now);
    }
    let json = serde_json::to_string(&state).expect("JSON");
    assert!(json.len() < 4000, "{}", json.len());
    assert_eq!(state.spent.len(), MOST_DAYS);
    assert_eq!(serde_json::from_str::<SharedState>(&json).ok(), Some(state));
}
