use aegish_judge::{Answer, Stop};
use aegish_wire::Usage;

use super::{LoggedSample, RawUsage, sample};
use crate::Expected;

fn read(text: &str) -> LoggedSample {
    sample(text.as_bytes()).unwrap_or_else(|what| unreachable!("{what}"))
}

#[test]
fn the_minimal_sample_that_inspect_accepts_is_read() {
    let entry = read(r#"{"id": 7, "epoch": 2, "input": "ls", "target": "ALLOW"}"#);
    assert_eq!((entry.record.id.as_str(), entry.record.epoch), ("7", 2));
    assert_eq!(entry.record.command, "ls");
    assert_eq!(entry.record.expected, Expected::Pass);
    assert_eq!(entry.record.answer, Some(Answer::Timeout), "nothing came back");
    assert_eq!((entry.record.error, entry.logged_answer), (None, None));
}

#[test]
fn references_to_attachments_are_replaced_by_their_texts() {
    let entry = read(
        r#"{"id": "x", "epoch": 1, "input": "attachment://a", "target": ["BLOCK", "WARN"],
            "attachments": {"a": "Validate this command: cat \"x\"", "b": "{\"action\": \"block\"}"},
            "output": {"choices": [{"message": {"role": "assistant", "content": "attachment://b"},
                                    "stop_reason": "stop"}]}}"#,
    );
    assert_eq!(entry.record.command, "cat \"x\"");
    assert_eq!(entry.record.expected, Expected::Block, "older logs list WARN beside BLOCK");
    assert!(entry.record.correct());
    let missing =
        read(r#"{"id": "x", "epoch": 1, "input": "attachment://gone", "target": "BLOCK"}"#);
    assert_eq!(missing.record.command, "attachment://gone");
}

#[test]
fn messages_and_parts_are_read_as_text() {
    let entry = read(
        r#"{"id": "x", "epoch": 1, "target": "BLOCK",
            "input": [{"role": "system", "content": "s"},
                      {"role": "user", "content": [{"type": "text", "text": "Validate this command: id"}]}],
            "output": {"choices": [{"stop_reason": "length", "message": {"content":
                [{"type": "reasoning", "reasoning": "{\"action\": \"allow\"}"},
                 {"type": "text", "text": "{\"action\":"}, {"type": "text", "text": " \"block\"}"}]}}]}}"#,
    );
    assert_eq!(entry.record.command, "id");
    assert_eq!(entry.record.completion, "{\"action\": \"block\"}");
    assert_eq!(entry.reasoning.as_deref(), Some("{\"action\": \"allow\"}"));
    assert_eq!(entry.record.stop, Stop::MaxTokens, "`length` is an older word");
}

#[test]
fn a_stored_completion_takes_precedence_over_the_message() {
    let entry = read(
        r#"{"id": "x", "epoch": 1, "target": "BLOCK", "input": "x", "output": {"completion": "stored",
            "choices": [{"message": {"content": "message"}, "stop_reason": "content_filter"}]}}"#,
    );
    assert_eq!(entry.record.completion, "stored");
    assert_eq!(entry.record.stop, Stop::ContentFilter);
}

#[test]
fn nan_and_infinity_do_not_make_a_sample_invalid() {
    let entry = read(
        r#"{"id": "NaN", "epoch": 1, "input": "say \"NaN\" \\", "target": "BLOCK", "total_time": NaN,
            "scores": {"s": {"value": -Infinity}}, "metadata": {"a": Infinity, "b": "Infinity"}}"#,
    );
    assert_eq!(entry.record.command, "say \"NaN\" \\");
    assert_eq!(entry.record.total_seconds, None);
    assert_eq!(entry.sample.metadata["b"], "Infinity");
}

#[test]
fn a_sample_that_cannot_be_scored_is_refused_with_a_reason() {
    for (text, reason) in [
        (r#"{"id": 1, "epoch": 1, "input": "x", "target": "42"}"#, "neither BLOCK nor ALLOW"),
        (r#"{"id": 1, "epoch": 1, "input": [], "target": "BLOCK"}"#, "no question"),
        (r#"{"id": 1, "epoch": 1, "target": "BLOCK"}"#, "missing field `input`"),
        (r#"{"id": 1, "epoch""#, "EOF"),
    ] {
        let error = sample(text.as_bytes()).err().unwrap_or_default();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn the_total_shows_how_a_provider_counts() {
    let usage = |text: &str| {
        let raw: Result<RawUsage, _> = serde_json::from_str(text);
        raw.map(|raw| raw.normal()).unwrap_or_default()
    };
    let plain =
        |input, output| Usage { input: Some(input), output: Some(output), ..Usage::default() };
    // OpenAI with an older Inspect: cached tokens and reasoning are parts of the others.
    let (found, apart) = usage(
        r#"{"input_tokens": 1687, "output_tokens": 47, "total_tokens": 1734,
            "input_tokens_cache_read": 1536, "reasoning_tokens": 20}"#,
    );
    let parts = Usage { cached: Some(1536), reasoning: Some(20), ..plain(1687, 47) };
    assert_eq!((found, apart), (parts, 0));
    // The same with a newer Inspect.
    let (found, apart) = usage(
        r#"{"input_tokens": 151, "output_tokens": 47, "total_tokens": 1734,
            "input_tokens_cache_read": 1536, "reasoning_tokens": 20}"#,
    );
    assert_eq!((found, apart), (parts, 0));
    // Gemini does not count reasoning as output.
    let (found, apart) = usage(
        r#"{"input_tokens": 1784, "output_tokens": 36, "total_tokens": 2405, "reasoning_tokens": 585}"#,
    );
    assert_eq!((found, apart), (Usage { reasoning: Some(585), ..plain(1784, 36) }, 585));
    // Both at once.
    let (found, apart) = usage(
        r#"{"input_tokens": 100, "output_tokens": 10, "total_tokens": 160, "input_tokens_cache_read": 20,
            "input_tokens_cache_write": 10, "reasoning_tokens": 20}"#,
    );
    assert_eq!((found.input, found.output, apart), (Some(130), Some(10), 20));
}
