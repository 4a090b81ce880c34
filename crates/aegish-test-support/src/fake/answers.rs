//! Replies as each protocol's description has them.

use aegish_wire::Protocol;
use serde_json::{Value, json};

/// How a completion ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionEnd {
    Good,
    Empty,
    Filtered,
    Cut,
    Tool,
    Odd,
}

/// Stands for the nonce of the request in an answer.
pub const NONCE: &str = "(nonce)";

pub const TEXT: &str = r#"{"action":"allow","nonce":"(nonce)"}"#;

/// A reply with status 200.
pub fn reply(protocol: Protocol, end: CompletionEnd) -> Value {
    let text = match end {
        CompletionEnd::Good | CompletionEnd::Odd => TEXT,
        CompletionEnd::Cut => r#"{"act"#,
        CompletionEnd::Empty | CompletionEnd::Filtered | CompletionEnd::Tool => "",
    };
    match protocol {
        Protocol::OpenAiChat => {
            let finish = match end {
                CompletionEnd::Good | CompletionEnd::Empty => "stop",
                CompletionEnd::Filtered => "content_filter",
                CompletionEnd::Cut => "length",
                CompletionEnd::Tool => "tool_calls",
                CompletionEnd::Odd => "surprise",
            };
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.1-2025",
                "choices": [{
                    "index": 0, "logprobs": null, "finish_reason": finish,
                    "message": {"role": "assistant", "content": text, "refusal": null, "annotations": []},
                }],
                "usage": {
                    "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                    "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
                    "completion_tokens_details": {"reasoning_tokens": 7},
                },
                "system_fingerprint": null,
            })
        }
        Protocol::OpenAiResponses => {
            let (status, why) = match end {
                CompletionEnd::Cut => ("incomplete", json!({"reason": "max_output_tokens"})),
                CompletionEnd::Filtered => ("incomplete", json!({"reason": "content_filter"})),
                CompletionEnd::Odd => ("incomplete", json!({"reason": "surprise"})),
                CompletionEnd::Good | CompletionEnd::Empty | CompletionEnd::Tool => {
                    ("completed", Value::Null)
                }
            };
            let mut output = vec![json!({
                "type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Listing."}],
            })];
            output.push(match end {
                CompletionEnd::Tool => json!({"type": "function_call", "id": "fc_1", "name": "x", "arguments": "{}"}),
                _ => json!({
                    "type": "message", "id": "msg_1", "role": "assistant", "status": status,
                    "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
                }),
            });
            json!({
                "id": "resp_1", "object": "response", "status": status, "error": null,
                "incomplete_details": why, "model": "gpt-5.1-codex", "output": output,
                "usage": {
                    "input_tokens": 100, "input_tokens_details": {"cached_tokens": 64},
                    "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 7}, "total_tokens": 120,
                },
            })
        }
        Protocol::AnthropicMessages => {
            let stop = match end {
                CompletionEnd::Good | CompletionEnd::Empty => "end_turn",
                CompletionEnd::Filtered => "refusal",
                CompletionEnd::Cut => "max_tokens",
                CompletionEnd::Tool => "tool_use",
                CompletionEnd::Odd => "surprise",
            };
            let mut content =
                vec![json!({"type": "thinking", "thinking": "Listing.", "signature": "c2ln"})];
            if !text.is_empty() {
                content.push(json!({"type": "text", "text": text, "citations": null}));
            }
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-6",
                "content": content, "stop_reason": stop, "stop_sequence": null,
                "usage": {
                    "input_tokens": 16, "output_tokens": 20, "cache_creation_input_tokens": 20,
                    "cache_read_input_tokens": 64, "service_tier": "standard",
                },
            })
        }
        Protocol::Gemini => {
            let finish = match end {
                CompletionEnd::Good | CompletionEnd::Empty => "STOP",
                CompletionEnd::Filtered => "PROHIBITED_CONTENT",
                CompletionEnd::Cut => "MAX_TOKENS",
                CompletionEnd::Tool => "UNEXPECTED_TOOL_CALL",
                CompletionEnd::Odd => "SURPRISE",
            };
            let content = match end {
                CompletionEnd::Empty => json!({"role": "model"}),
                _ => {
                    json!({"role": "model", "parts": [{"text": "Listing.", "thought": true}, {"text": text}]})
                }
            };
            json!({
                "candidates": [{"content": content, "finishReason": finish, "index": 0}],
                "usageMetadata": {
                    "promptTokenCount": 100, "candidatesTokenCount": 13, "totalTokenCount": 120,
                    "cachedContentTokenCount": 64, "thoughtsTokenCount": 7,
                },
                "modelVersion": "gemini-3-flash-preview", "responseId": "r-1",
            })
        }
        Protocol::BedrockConverse => {
            let stop = match end {
                CompletionEnd::Good | CompletionEnd::Empty => "end_turn",
                CompletionEnd::Filtered => "content_filtered",
                CompletionEnd::Cut => "max_tokens",
                CompletionEnd::Tool => "tool_use",
                CompletionEnd::Odd => "surprise",
            };
            let mut content = vec![
                json!({"reasoningContent": {"reasoningText": {"text": "Listing.", "signature": "c2ln"}}}),
            ];
            if !text.is_empty() {
                content.push(json!({"text": text}));
            }
            json!({
                "output": {"message": {"role": "assistant", "content": content}},
                "stopReason": stop, "metrics": {"latencyMs": 551},
                "usage": {
                    "inputTokens": 16, "outputTokens": 20, "totalTokens": 120,
                    "cacheReadInputTokens": 64, "cacheWriteInputTokens": 20,
                },
            })
        }
    }
}

/// A reply with another status.
pub fn error(protocol: Protocol, status: u16, message: &str) -> Value {
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => {
            json!({"error": {"message": message, "type": "some_error", "param": null, "code": null}})
        }
        Protocol::AnthropicMessages => {
            json!({"type": "error", "error": {"type": "some_error", "message": message}, "request_id": "req_1"})
        }
        Protocol::Gemini => {
            json!({"error": {"code": status, "message": message, "status": "SOME"}})
        }
        Protocol::BedrockConverse => json!({"message": message}),
    }
}
