//! Gemini generateContent.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{ParsedReply, from_body, join, to_text};
use crate::completion::{Stop, Usage};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::provider::gemini_takes_level;
use crate::request::{Effort, Request};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    system_instruction: Instruction<'a>,
    contents: [Content<'a>; 1],
    generation_config: GenerationConfig<'a>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    candidate_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    thinking_level: &'static str,
}

pub(super) fn body(
    endpoint: &Endpoint,
    request: &Request,
    left_out: &mut Vec<&'static str>,
) -> serde_json::Result<String> {
    let effort = request.effort.filter(|effort| {
        gemini_takes_level(&endpoint.model)
            && matches!(effort, Effort::Minimal | Effort::Low | Effort::Medium | Effort::High)
    });
    if effort != request.effort {
        left_out.push("effort");
    }
    to_text(&Body {
        system_instruction: Instruction { parts: [Part { text: &request.system }] },
        contents: [Content { role: "user", parts: [Part { text: &request.user }] }],
        generation_config: GenerationConfig {
            candidate_count: 1,
            temperature: request.temperature,
            max_output_tokens: request.max_tokens,
            seed: request.seed,
            response_mime_type: request.schema.as_ref().map(|_| "application/json"),
            response_json_schema: request.schema.as_ref().map(|schema| &*schema.schema),
            thinking_config: effort
                .map(|effort| ThinkingConfig { thinking_level: effort.as_str() }),
        },
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiReply {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<UsageMetadata>,
    model_version: Option<String>,
    response_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<ReplyContent>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ReplyContent {
    #[serde(default)]
    parts: Vec<ReplyPart>,
}

#[derive(Deserialize)]
struct ReplyPart {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageMetadata {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

pub(super) fn read(body: &str) -> Result<ParsedReply, Failure> {
    let reply: GeminiReply = from_body(body)?;
    let blocked = reply.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some();
    let candidate = match reply.candidates.into_iter().next() {
        Some(candidate) => candidate,
        // A refused question has no candidate. That counts as an answer.
        None if blocked => Candidate { content: None, finish_reason: Some("SAFETY".to_owned()) },
        None => return Err(Failure::new(FailureKind::BadReply, "the reply holds no candidate")),
    };
    let parts = candidate.content.map(|content| content.parts).unwrap_or_default();
    let texts = |thought| {
        join(parts.iter().filter(|p| p.thought == thought).filter_map(|p| p.text.as_deref()))
    };
    let usage = reply.usage_metadata.map(|usage| Usage {
        input: usage.prompt_token_count,
        // Thinking tokens are counted separately and billed as output.
        output: match (usage.candidates_token_count, usage.thoughts_token_count) {
            (None, None) => None,
            (answer, thoughts) => Some(answer.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
        },
        cached: usage.cached_content_token_count,
        cache_write: None,
        reasoning: usage.thoughts_token_count,
    });
    Ok(ParsedReply {
        text: texts(false).unwrap_or_default(),
        reasoning: texts(true),
        stop: stop(candidate.finish_reason),
        usage: usage.unwrap_or_default(),
        id: reply.response_id,
        model: reply.model_version,
    })
}

fn stop(reason: Option<String>) -> Stop {
    let reason = reason.unwrap_or_default();
    match reason.as_str() {
        "STOP" => Stop::Stop,
        "MAX_TOKENS" => Stop::MaxTokens,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            Stop::ContentFilter
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => Stop::Tool,
        _ => Stop::Unknown(reason),
    }
}
