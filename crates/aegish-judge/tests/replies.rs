//! Properties of the reply parser that hold for every input.

use aegish_judge::{Reply, Scoring, Stop, classify};
use aegish_policy::Action;
use proptest::prelude::*;

/// Pieces of which replies, honest and hostile, are made.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("{{".to_owned()),
        Just("\"".to_owned()),
        Just("```json\n".to_owned()),
        Just("```".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("<|python_tag|>".to_owned()),
        Just("\"action\": \"block\"".to_owned()),
        Just("\"action\": \"allow\"".to_owned()),
        Just("\"confidence\": NaN".to_owned()),
        Just("{\"action\": \"warn\", \"confidence\": 0.5}".to_owned()),
        Just("[1, ".to_owned()),
        Just("\\".to_owned()),
        "\\PC{0,8}",
        ".{0,8}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn verdict() -> impl Strategy<Value = (Action, String, f64)> {
    (0..3_usize, "[a-z <>{}`'\"\\\\]{0,40}", 0.0..=1.0_f64)
        .prop_map(|(action, reason, confidence)| (Action::ALL[action], reason, confidence))
}

fn json(action: Action, reason: &str, confidence: f64) -> String {
    serde_json::json!({"action": action.as_str(), "reason": reason, "confidence": confidence})
        .to_string()
}

proptest! {
    #[test]
    fn every_opinion_keeps_its_bounds(text in soup()) {
        let reply = Reply::parse(&text);
        for opinion in reply.opinions.iter().chain(&reply.salvaged) {
            prop_assert!((0.0..=1.0).contains(&opinion.confidence));
            prop_assert!(opinion.reason.chars().count() <= 500);
            prop_assert!(!opinion.reason.is_empty());
            prop_assert!(!opinion.reason.contains(char::is_control));
        }
        let _ = classify(&text, &Stop::Unknown(String::new()), Scoring::Seed);
    }

    #[test]
    fn the_strictest_is_never_milder_than_a_complete_one(text in soup()) {
        let reply = Reply::parse(&text);
        let most = reply.opinions.iter().map(|opinion| opinion.action).max();
        if let Some(most) = most {
            prop_assert!(reply.strictest().is_some_and(|opinion| opinion.action >= most));
        }
    }

    #[test]
    fn a_lone_verdict_is_read_back((action, reason, confidence) in verdict()) {
        let reply = Reply::parse(&json(action, &reason, confidence));
        prop_assert_eq!(reply.opinions.len(), 1);
        prop_assert_eq!(reply.opinions[0].action, action);
        prop_assert!((reply.opinions[0].confidence - confidence).abs() < 1e-9);
    }

    #[test]
    fn an_allow_in_front_never_beats_a_block(
        (_, reason, confidence) in verdict(),
        between in "[a-z .\n]{0,20}",
    ) {
        let text = format!(
            "{}{between}{}",
            json(Action::Allow, "fine", 1.0),
            json(Action::Block, &reason, confidence)
        );
        let reply = Reply::parse(&text);
        prop_assert_eq!(reply.strictest().map(|opinion| opinion.action), Some(Action::Block));
    }
}
