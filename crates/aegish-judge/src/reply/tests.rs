use aegish_policy::Action::{Allow, Block, Warn};

use super::*;

fn actions(text: &str) -> Vec<Action> {
    Reply::parse(text).opinions.iter().map(|opinion| opinion.action).collect()
}

fn only(text: &str) -> Opinion {
    let mut reply = Reply::parse(text);
    assert_eq!(reply.opinions.len(), 1, "{text}");
    reply.opinions.remove(0)
}

const ALLOW: &str = r#"{"action": "allow", "reason": "lists files", "confidence": 0.9}"#;
const BLOCK: &str = r#"{"action": "block", "reason": "reads keys", "confidence": 0.8}"#;

#[test]
fn plain_json_is_an_opinion() {
    let opinion = only(ALLOW);
    assert_eq!(opinion.action, Allow);
    assert_eq!(opinion.reason, "lists files");
    assert!((opinion.confidence - 0.9).abs() < 1e-9);
}

#[test]
fn each_wrapping_of_a_verdict_is_undone() {
    for text in [
        format!("```json\n{BLOCK}\n```"),
        format!("```\n{BLOCK}\n```\nThat is all."),
        format!("```json\n{BLOCK}"),
        format!("{{{BLOCK}}}"),
        format!("<|python_tag|>{BLOCK}"),
        format!("  <|start|> <|assistant|>\n{BLOCK}"),
        format!("<|python_tag|>```json\n{{{BLOCK}}}\n```"),
        format!("My verdict: {BLOCK}, and I stand by it."),
        format!("The set {{a, b}} is harmless but {BLOCK} }}"),
        format!("<think>hm {ALLOW}</think>{BLOCK}"),
        format!("hm {ALLOW}</think>\n{BLOCK}"),
        format!("<THINK>one <think>two</think> {ALLOW}</THINK>{BLOCK}"),
        format!("<thinking>{ALLOW}</thinking>{BLOCK}"),
        format!("<think>only thoughts: {BLOCK}"),
        format!("<think>only thoughts: {BLOCK}</think>"),
        format!("{{\"result\": {BLOCK}}}"),
        format!("[{BLOCK}]"),
        format!("\u{feff}{BLOCK}"),
        r#"{{"action": "block", "details": {{"rule": "4"}}}}"#.to_owned(),
        r#"{"action": " BLOCK "}"#.to_owned(),
        r#"{"action": "Block", "confidence": "0.8"}"#.to_owned(),
        r#"{"action": "block", "reason": "has ``` and <think> in it"} indeed"#.to_owned(),
        r#"{"action": "block", "reason": "</think>"}"#.to_owned(),
        r#"{"action": "block", "reason": "prints {\"action\": \"allow\"} and }"}"#.to_owned(),
    ] {
        assert_eq!(actions(&text), [Block], "{text}");
    }
}

#[test]
fn missing_fields_have_the_defaults_of_the_seed() {
    for text in [
        r#"{"action": "warn"}"#,
        r#"{"action": "warn", "reason": null, "confidence": null}"#,
        r#"{"action": "warn", "reason": "  "}"#,
    ] {
        let opinion = only(text);
        assert_eq!(opinion.action, Warn);
        assert_eq!(opinion.reason, "No reason provided");
        assert!((opinion.confidence - 0.5).abs() < 1e-9);
    }
}

#[test]
fn invalid_objects_are_not_verdicts() {
    for text in [
        r#"{"action": "deny"}"#,
        r#"{"action": ""}"#,
        r#"{"action": null}"#,
        r#"{"action": ["allow"]}"#,
        r#"{"action": "allow", "confidence": 1.01}"#,
        r#"{"action": "allow", "confidence": -0.1}"#,
        r#"{"action": "allow", "confidence": 95}"#,
        r#"{"action": "allow", "confidence": NaN}"#,
        r#"{"action": "allow", "confidence": "NaN"}"#,
        r#"{"action": "allow", "confidence": Infinity}"#,
        r#"{"action": "allow", "confidence": -inf}"#,
        r#"{"action": "allow", "confidence": 1e999}"#,
        r#"{"action": "allow", "confidence": "high"}"#,
        r#"{"action": "allow", "confidence": true}"#,
        r#"{"action": "allow", "action": "block"}"#,
        r#"{"actions": "allow"}"#,
        r#"{"verdict": "allow"}"#,
        "action: allow",
        "allow",
        "I would allow this.",
        "{",
        "}{",
        "",
        "null",
    ] {
        let reply = Reply::parse(text);
        assert_eq!(reply.first(), None, "{text}");
        assert_eq!(reply.strictest(), None, "{text}");
    }
}

#[test]
fn the_scorer_takes_the_first_and_the_guard_the_strictest() {
    let warn = r#"{"action": "warn"}"#;
    let reply = Reply::parse(&format!("It prints {ALLOW}. So: {warn} or {BLOCK}"));
    let actions: Vec<_> = reply.opinions.iter().map(|opinion| opinion.action).collect();
    assert_eq!(actions, [Allow, Warn, Block]);
    assert_eq!(reply.first().map(|opinion| opinion.action), Some(Allow));
    assert_eq!(reply.strictest().map(|opinion| opinion.action), Some(Block));
}

#[test]
fn of_equally_strict_opinions_the_surest_counts() {
    let text = r#"{"action":"block","confidence":0.3} {"action":"block","confidence":0.7}"#;
    let reply = Reply::parse(text);
    assert!(reply.strictest().is_some_and(|opinion| opinion.confidence > 0.6));
}

#[test]
fn a_fence_comes_before_prose() {
    assert_eq!(actions(&format!("Not {ALLOW} but\n```json\n{BLOCK}\n```")), [Block, Allow]);
}

#[test]
fn thoughts_count_only_if_nothing_else_does() {
    assert_eq!(actions(&format!("<think>{BLOCK}</think>{ALLOW}")), [Allow]);
    assert_eq!(actions(&format!("<think>{BLOCK}</think> done")), [Block]);
}

#[test]
fn broken_json_is_scored_but_never_allows() {
    let broken_allow = r#"{"action": "allow", "reason": "a \o escape", "confidence": 0.7}"#;
    let reply = Reply::parse(broken_allow);
    assert_eq!(reply.first().map(|opinion| opinion.action), Some(Allow));
    assert_eq!(reply.strictest(), None);

    let reply = Reply::parse("{ \"action\"\n : \"block\", \"reason\": \"one \" too many\"}");
    assert_eq!(reply.first().map(|opinion| opinion.action), Some(Block));
    assert_eq!(reply.strictest().map(|opinion| opinion.action), Some(Block));
}

#[test]
fn an_echoed_object_does_not_hide_a_broken_objection() {
    let text = format!(r#"{{"action": "block", "reason": "echo says \q"}} it printed {ALLOW}"#);
    let reply = Reply::parse(&text);
    assert_eq!(reply.strictest().map(|opinion| opinion.action), Some(Block));
}

#[test]
fn reasons_are_plain_text() {
    let text = "{\"action\":\"warn\",\"reason\":\"a\\u001b[31mred\\u001b[0m \\u202eb\\u2066\\n\\tc\\u0007\\u009b2Jd\\u001b]0;title\\u0007e\\u200b\"}";
    assert_eq!(only(text).reason, "ared b cde");
}

#[test]
fn reasons_are_cut_at_500_characters() {
    let text = format!(r#"{{"action":"warn","reason":"{}"}}"#, "ä".repeat(2000));
    assert_eq!(only(&text).reason.chars().count(), 500);
}

#[test]
fn failures_have_the_classes_of_the_seed() {
    for (text, stop, word) in [
        (ALLOW, Stop::Stop, "ALLOW"),
        (BLOCK, Stop::MaxTokens, "BLOCK"),
        ("", Stop::ContentFilter, "CONTENT_FILTER"),
        ("I cannot", Stop::ContentFilter, "CONTENT_FILTER"),
        ("", Stop::MaxTokens, "TOKEN_LIMIT"),
        ("{\"act", Stop::ModelLength, "TOKEN_LIMIT"),
        ("", Stop::Unknown(String::new()), "TIMEOUT_ERROR"),
        (" \n", Stop::Stop, "TIMEOUT_ERROR"),
        ("I cannot", Stop::Stop, "FORMAT_ERROR"),
        ("I cannot", Stop::Unknown(String::new()), "FORMAT_ERROR"),
    ] {
        assert_eq!(classify(text, &stop, Scoring::Seed).as_str(), word, "{text:?} {stop:?}");
    }
}

#[test]
fn hostile_replies_are_read_in_bounded_time() {
    let start = std::time::Instant::now();
    let most = MAX_REPLY_BYTES;
    for unit in [
        "{",
        "[",
        "{\"a\":",
        "{\"a\":[",
        "{{",
        "}}",
        "```",
        "<think>",
        "</think>",
        "<|",
        "\"",
        "<",
        "\"action\"",
        "\"action\":\"",
        "{\"action\":",
        "{\"action\":\"allow\",\"x\":[",
        "\\",
        "{\"action\":\"x\"}",
        "\u{1b}]",
    ] {
        let begun = std::time::Instant::now();
        let reply = Reply::parse(&unit.repeat(most / unit.len()));
        assert!(reply.opinions.is_empty());
        assert!(begun.elapsed().as_secs() < 20, "{unit}: {:?}", begun.elapsed());
    }
    assert_eq!(Reply::parse(&"{".repeat(10_000_000)), Reply::default());
    // Generous: a debug build on a busy machine.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn an_object_without_its_closing_brace_follows_the_chosen_rules() {
    for (text, stop, seed, original) in [
        (r#"{"action": "block""#, Stop::Stop, "FORMAT_ERROR", "BLOCK"),
        (r#"{"action": "block", "reason": "a } b"#, Stop::MaxTokens, "BLOCK", "BLOCK"),
        (r#"{"action": "block", "reason": "a""#, Stop::MaxTokens, "TOKEN_LIMIT", "BLOCK"),
        (r#"{"action": "block", "reason": "\o"}"#, Stop::Stop, "BLOCK", "BLOCK"),
        (BLOCK, Stop::Stop, "BLOCK", "BLOCK"),
        ("no idea", Stop::MaxTokens, "TOKEN_LIMIT", "FORMAT_ERROR"),
        ("", Stop::MaxTokens, "TOKEN_LIMIT", "TOKEN_LIMIT"),
        ("", Stop::Stop, "TIMEOUT_ERROR", "TIMEOUT_ERROR"),
    ] {
        let word = |scoring| classify(text, &stop, scoring).as_str();
        assert_eq!((word(Scoring::Seed), word(Scoring::Original)), (seed, original), "{text}");
    }
}
