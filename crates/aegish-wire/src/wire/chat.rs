//! OpenAI chat completions, and compatible servers with small differences.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CachedText, ParsedReply, from_body, join, to_text};
use crate::completion::{Stop, Usage};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::provider::{EffortField, LimitField, SchemaSupport, SeedField, openai_takes_schema};
use crate::request::Request;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts([CachedText<'a>; 1]),
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: JsonSchema<'a> },
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

pub(super) fn body(
    endpoint: &Endpoint,
    request: &Request,
    left_out: &mut Vec<&'static str>,
) -> serde_json::Result<String> {
    let quirks = endpoint.quirks;
    if quirks.seed == SeedField::None && request.seed.is_some() {
        left_out.push("seed");
    }
    if quirks.effort == EffortField::None && request.effort.is_some() {
        left_out.push("effort");
    }
    let takes_schema = openai_takes_schema(&endpoint.provider, &endpoint.model);
    if (quirks.schema == SchemaSupport::JsonObject || !takes_schema) && request.schema.is_some() {
        left_out.push("schema");
    }
    let effort = request.effort.map(|effort| effort.as_str());
    let schema = request.schema.as_ref().filter(|_| takes_schema);
    let response_format = schema.map(|schema| match quirks.schema {
        SchemaSupport::JsonObject => ResponseFormat::JsonObject,
        SchemaSupport::JsonSchema => ResponseFormat::JsonSchema {
            json_schema: JsonSchema { name: &schema.name, strict: true, schema: &schema.schema },
        },
    });
    let system = if quirks.cache_control && endpoint.model.starts_with("anthropic/") {
        Content::Parts([CachedText::new(&request.system)])
    } else {
        Content::Text(&request.system)
    };
    let limit = |field| request.max_tokens.filter(|_| quirks.limit == field);
    let seed = |field| request.seed.filter(|_| quirks.seed == field);
    to_text(&Body {
        model: &endpoint.model,
        messages: [
            Message { role: "system", content: system },
            Message { role: "user", content: Content::Text(&request.user) },
        ],
        temperature: request.temperature,
        max_tokens: limit(LimitField::MaxTokens),
        max_completion_tokens: limit(LimitField::MaxCompletionTokens),
        seed: seed(SeedField::Seed),
        random_seed: seed(SeedField::RandomSeed),
        reasoning_effort: effort.filter(|_| quirks.effort == EffortField::Flat),
        reasoning: effort
            .filter(|_| quirks.effort == EffortField::Object)
            .map(|effort| Reasoning { effort }),
        response_format,
    })
}

#[derive(Deserialize)]
struct ChatReply {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<ChatUsage>,
    /// Routers report a failed upstream in a reply with status 200.
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: ReplyMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ReplyMessage {
    content: Option<ReplyContent>,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ReplyContent {
    Text(String),
    Parts(Vec<ReplyPart>),
}

/// Reasoning models of Mistral answer in parts.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ReplyPart {
    Text {
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: Vec<ReplyPart>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ChatUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<InputDetails>,
    completion_tokens_details: Option<OutputDetails>,
    /// DeepSeek's name for cached tokens.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

pub(super) fn read(body: &str) -> Result<ParsedReply, Failure> {
    let reply: ChatReply = from_body(body)?;
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(super::errors::inside(&error));
    }
    let Some(choice) = reply.choices.into_iter().next() else {
        return Err(Failure::new(FailureKind::BadReply, "the reply holds no choice"));
    };
    let ReplyMessage { content, refusal, reasoning_content, reasoning } = choice.message;
    let (text, thought) = match content {
        None => (None, None),
        Some(ReplyContent::Text(text)) => (Some(text), None),
        Some(ReplyContent::Parts(parts)) => (join(texts(&parts)), join(thoughts(&parts))),
    };
    let refused = refusal.is_some_and(|r| !r.is_empty());
    Ok(ParsedReply {
        text: text.unwrap_or_default(),
        reasoning: reasoning_content.or(reasoning).or(thought),
        stop: if refused { Stop::ContentFilter } else { stop(choice.finish_reason) },
        usage: reply.usage.map(usage).unwrap_or_default(),
        id: reply.id,
        model: reply.model,
    })
}

fn texts(parts: &[ReplyPart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        ReplyPart::Text { text } => Some(text.as_str()),
        ReplyPart::Thinking { .. } | ReplyPart::Other => None,
    })
}

fn thoughts(parts: &[ReplyPart]) -> impl Iterator<Item = &str> {
    parts
        .iter()
        .flat_map(|part| match part {
            ReplyPart::Thinking { thinking } => thinking.as_slice(),
            ReplyPart::Text { .. } | ReplyPart::Other => &[],
        })
        .filter_map(|part| match part {
            ReplyPart::Text { text } => Some(text.as_str()),
            ReplyPart::Thinking { .. } | ReplyPart::Other => None,
        })
}

fn stop(reason: Option<String>) -> Stop {
    let reason = reason.unwrap_or_default();
    match reason.as_str() {
        "stop" | "eos" | "end_turn" => Stop::Stop,
        "length" | "max_tokens" => Stop::MaxTokens,
        "model_length" => Stop::ModelLength,
        "content_filter" => Stop::ContentFilter,
        "tool_calls" | "function_call" => Stop::Tool,
        _ => Stop::Unknown(reason),
    }
}

fn usage(usage: ChatUsage) -> Usage {
    let (cached, cache_write) = usage
        .prompt_tokens_details
        .map_or((None, None), |d| (d.cached_tokens, d.cache_write_tokens));
    Usage {
        input: usage.prompt_tokens,
        output: usage.completion_tokens,
        cached: cached.or(usage.prompt_cache_hit_tokens),
        cache_write,
        reasoning: usage.completion_tokens_details.and_then(|d| d.reasoning_tokens),
    }
}
