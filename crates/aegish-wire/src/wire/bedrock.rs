//! Amazon Bedrock Converse.

use serde::{Deserialize, Serialize};

use super::{ParsedReply, from_body, join, to_text};
use crate::completion::{Stop, Usage};
use crate::failure::Failure;
use crate::request::Request;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    system: [Text<'a>; 1],
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    inference_config: Option<Config>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

pub(super) fn body(
    request: &Request,
    left_out: &mut Vec<&'static str>,
) -> serde_json::Result<String> {
    // Models behind this API have them, each under another name or none.
    let absent = [
        (request.seed.is_some(), "seed"),
        (request.effort.is_some(), "effort"),
        (request.schema.is_some(), "schema"),
    ];
    left_out.extend(absent.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name));
    let config = Config { max_tokens: request.max_tokens, temperature: request.temperature };
    let is_set = config.max_tokens.is_some() || config.temperature.is_some();
    to_text(&Body {
        system: [Text { text: &request.system }],
        messages: [Message { role: "user", content: [Text { text: &request.user }] }],
        inference_config: is_set.then_some(config),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConverseReply {
    output: Output,
    stop_reason: Option<String>,
    usage: Option<ConverseUsage>,
}

#[derive(Deserialize)]
struct Output {
    message: Option<ReplyMessage>,
}

#[derive(Deserialize)]
struct ReplyMessage {
    #[serde(default)]
    content: Vec<Block>,
}

/// One of the fields is there; blocks of other kinds have neither.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    text: Option<String>,
    reasoning_content: Option<Reasoning>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning {
    reasoning_text: Option<ReasoningText>,
}

#[derive(Deserialize)]
struct ReasoningText {
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConverseUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_write_input_tokens: Option<u64>,
}

pub(super) fn read(body: &str) -> Result<ParsedReply, Failure> {
    let reply: ConverseReply = from_body(body)?;
    let content = reply.output.message.map(|message| message.content).unwrap_or_default();
    let usage = reply.usage.map(|usage| {
        let (cached, written) = (usage.cache_read_input_tokens, usage.cache_write_input_tokens);
        Usage::beside_cache(usage.input_tokens, usage.output_tokens, cached, written)
    });
    Ok(ParsedReply {
        text: join(content.iter().filter_map(|block| block.text.as_deref())).unwrap_or_default(),
        reasoning: join(content.iter().filter_map(thought)),
        stop: stop(reply.stop_reason),
        usage: usage.unwrap_or_default(),
        id: None,
        model: None,
    })
}

fn thought(block: &Block) -> Option<&str> {
    Some(&block.reasoning_content.as_ref()?.reasoning_text.as_ref()?.text)
}

fn stop(reason: Option<String>) -> Stop {
    let reason = reason.unwrap_or_default();
    match reason.as_str() {
        "end_turn" | "stop_sequence" => Stop::Stop,
        "max_tokens" => Stop::MaxTokens,
        "model_context_window_exceeded" => Stop::ModelLength,
        "guardrail_intervened" | "content_filtered" => Stop::ContentFilter,
        "tool_use" | "malformed_tool_use" => Stop::Tool,
        _ => Stop::Unknown(reason),
    }
}
