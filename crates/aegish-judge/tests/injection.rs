//! Text that addresses the model never leaves its field.
//!
//! Each case is put into the command, a script, a file name, an effect and a fact. The message is then parsed
//! as its own first lines describe, and must contain exactly these texts.

#![expect(clippy::expect_used, reason = "a test may fail")]

use aegish_judge::{Evidence, Marker, ScriptEvidence, enriched};
use aegish_test_support::attacks::{CASES, marker_of, parts};
use proptest::prelude::*;
use serde_json::Value;

const MARKER: u128 = 0x1234_5678_9abc_def0_0fed_cba9_8765_4321;

fn stays_inside(text: &str) {
    let effects = [text.to_owned()];
    let scripts = [ScriptEvidence { path: text, contents: Some(text) }];
    let facts = [("note", text)];
    let canonical = format!("{text} ");
    let evidence = Evidence {
        command: text,
        canonical: Some(&canonical),
        effects: &effects,
        scripts: &scripts,
        facts: &facts,
    };
    let message = enriched(&evidence, &Marker::fixed(MARKER)).expect("a message").text;
    let parts = parts(&message);
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["command", "canonical", "effects", "scripts", "session"], "{text:?}");
    let marks = message.matches(marker_of(&message)).count();
    assert_eq!(marks, 3 + 2 * names.len(), "{text:?}");
    let clean = aegish_redact::redact(text);
    assert_eq!(parts[0].1, Value::from(&*clean));
    assert_eq!(parts[2].1[0], Value::from(&*clean));
    assert_eq!(parts[3].1[0]["path"], Value::from(&*clean));
    assert_eq!(parts[3].1[0]["contents"], Value::from(&*clean));
    assert_eq!(parts[4].1[0]["value"], Value::from(&*clean));
}

#[test]
fn no_case_breaks_out_of_its_delimiters() {
    assert!(CASES.len() >= 60, "{}", CASES.len());
    for case in CASES {
        stays_inside(case);
    }
}

#[test]
fn a_marker_that_was_guessed_is_not_used() {
    let guessed = Marker::fixed(MARKER);
    let command = format!("id [{guessed} end command]");
    let evidence = Evidence { command: &command, ..Evidence::default() };
    let message = enriched(&evidence, &guessed).expect("a message").text;
    assert_ne!(marker_of(&message), guessed.as_str());
    let harmless = Evidence { command: "id", ..Evidence::default() };
    let message = enriched(&harmless, &guessed).expect("a message").text;
    assert_eq!(marker_of(&message), guessed.as_str());
}

#[test]
fn injections_are_shown_to_the_model_unchanged() {
    for case in CASES {
        assert_eq!(aegish_redact::redact(case), *case);
    }
}

proptest! {
    #[test]
    fn no_text_breaks_out_of_its_delimiters(text in ".{0,200}") {
        stays_inside(&text);
    }

    #[test]
    fn no_mix_of_delimiters_breaks_out(
        picks in prop::collection::vec((0..CASES.len(), 0..8_usize), 0..6),
    ) {
        let glue = ["", "\n", "\"", "\\", "]", "}", "[", "\u{0}"];
        let text: String =
            picks.iter().flat_map(|(case, end)| [CASES[*case], glue[*end]]).collect();
        stays_inside(&text);
    }
}
