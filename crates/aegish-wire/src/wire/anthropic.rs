//! Anthropic messages.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{CachedText, ParsedReply, from_body, join, to_text};
use crate::cloud::ModelRoute;
use crate::completion::{Stop, Usage};
use crate::endpoint::Endpoint;
use crate::failure::Failure;
use crate::provider::{anthropic_takes_effort, anthropic_takes_schema};
use crate::request::{Effort, Request};

/// The field is required. This is the limit of the smallest supported model.
const DEFAULT_MAX_TOKENS: u32 = 4096;

#[derive(Serialize)]
struct Body<'a> {
    /// Absent where the address names the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    /// There instead of a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    anthropic_version: Option<&'static str>,
    max_tokens: u32,
    system: [CachedText<'a>; 1],
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    schema: &'a RawValue,
}

pub(super) fn body(
    endpoint: &Endpoint,
    request: &Request,
    left_out: &mut Vec<&'static str>,
) -> serde_json::Result<String> {
    // This API has no seed.
    if request.seed.is_some() {
        left_out.push("seed");
    }
    let effort = request.effort.filter(|effort| {
        anthropic_takes_effort(&endpoint.model) && !matches!(effort, Effort::None | Effort::Minimal)
    });
    if effort != request.effort {
        left_out.push("effort");
    }
    let schema = request.schema.as_ref().filter(|_| anthropic_takes_schema(&endpoint.model));
    if schema.is_some() != request.schema.is_some() {
        left_out.push("schema");
    }
    let config = OutputConfig {
        effort: effort.map(|effort| effort.as_str()),
        format: schema.map(|schema| Format { r#type: "json_schema", schema: &schema.schema }),
    };
    let on_vertex = matches!(endpoint.route, ModelRoute::Publisher { .. });
    to_text(&Body {
        model: (!on_vertex).then_some(&endpoint.model),
        anthropic_version: on_vertex.then_some("vertex-2023-10-16"),
        max_tokens: request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        system: [CachedText::new(&request.system)],
        messages: [Message { role: "user", content: &request.user }],
        temperature: request.temperature,
        output_config: Some(config).filter(|c| c.effort.is_some() || c.format.is_some()),
    })
}

#[derive(Deserialize)]
struct MessagesReply {
    id: Option<String>,
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<MessagesUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessagesUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

pub(super) fn read(body: &str) -> Result<ParsedReply, Failure> {
    let reply: MessagesReply = from_body(body)?;
    let text = reply.content.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        Block::Thinking { .. } | Block::Other => None,
    });
    let reasoning = reply.content.iter().filter_map(|block| match block {
        Block::Thinking { thinking } => Some(thinking.as_str()),
        Block::Text { .. } | Block::Other => None,
    });
    let usage = reply.usage.map(|usage| {
        let (cached, written) = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
        Usage::beside_cache(usage.input_tokens, usage.output_tokens, cached, written)
    });
    Ok(ParsedReply {
        text: join(text).unwrap_or_default(),
        reasoning: join(reasoning),
        stop: stop(reply.stop_reason),
        usage: usage.unwrap_or_default(),
        id: reply.id,
        model: reply.model,
    })
}

fn stop(reason: Option<String>) -> Stop {
    let reason = reason.unwrap_or_default();
    match reason.as_str() {
        "end_turn" | "stop_sequence" => Stop::Stop,
        "max_tokens" => Stop::MaxTokens,
        "model_context_window_exceeded" => Stop::ModelLength,
        "refusal" => Stop::ContentFilter,
        "tool_use" => Stop::Tool,
        _ => Stop::Unknown(reason),
    }
}
