//! OpenAI responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ParsedReply, from_body, join, to_text};
use crate::completion::{Stop, Usage};
use crate::endpoint::Endpoint;
use crate::failure::Failure;
use crate::request::Request;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    instructions: &'a str,
    input: &'a str,
    /// The provider must not store commands and scripts of a user.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    name: &'a str,
    strict: bool,
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
    to_text(&Body {
        model: &endpoint.model,
        instructions: &request.system,
        input: &request.user,
        store: false,
        temperature: request.temperature,
        max_output_tokens: request.max_tokens,
        reasoning: request.effort.map(|effort| Reasoning { effort: effort.as_str() }),
        text: request.schema.as_ref().map(|schema| Text {
            format: Format {
                r#type: "json_schema",
                name: &schema.name,
                strict: true,
                schema: &schema.schema,
            },
        }),
    })
}

#[derive(Deserialize)]
struct ResponsesReply {
    id: Option<String>,
    model: Option<String>,
    status: Option<String>,
    error: Option<Value>,
    incomplete_details: Option<Incomplete>,
    output: Vec<OutputItem>,
    usage: Option<ResponsesUsage>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OutputItem {
    Message {
        #[serde(default)]
        content: Vec<Part>,
    },
    Reasoning {
        #[serde(default)]
        summary: Vec<Part>,
        #[serde(default)]
        content: Option<Vec<Part>>,
    },
    FunctionCall {},
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    OutputText {
        text: String,
    },
    SummaryText {
        text: String,
    },
    ReasoningText {
        text: String,
    },
    Refusal {},
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ResponsesUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

pub(super) fn read(body: &str) -> Result<ParsedReply, Failure> {
    let reply: ResponsesReply = from_body(body)?;
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(super::errors::inside(&error));
    }
    let parts = || {
        reply.output.iter().flat_map(|item| match item {
            OutputItem::Message { content } => content.as_slice(),
            OutputItem::Reasoning { .. } | OutputItem::FunctionCall {} | OutputItem::Other => &[],
        })
    };
    let thoughts = reply.output.iter().flat_map(|item| match item {
        OutputItem::Reasoning { summary, content } => {
            summary.iter().chain(content.iter().flatten())
        }
        OutputItem::Message { .. } | OutputItem::FunctionCall {} | OutputItem::Other => {
            [].iter().chain(None.iter().flatten())
        }
    });
    let refused = parts().any(|part| matches!(part, Part::Refusal {}));
    let tool = reply.output.iter().any(|item| matches!(item, OutputItem::FunctionCall {}));
    let why = reply.incomplete_details.and_then(|details| details.reason);
    let stop = match (reply.status.as_deref(), why.as_deref()) {
        _ if refused => Stop::ContentFilter,
        (_, Some("max_output_tokens")) => Stop::MaxTokens,
        (_, Some("content_filter")) => Stop::ContentFilter,
        (_, Some(other)) => Stop::Unknown(other.to_owned()),
        _ if tool => Stop::Tool,
        (Some("completed"), None) => Stop::Stop,
        (status, None) => Stop::Unknown(status.unwrap_or_default().to_owned()),
    };
    let usage = reply.usage.map(|usage| Usage {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cached: usage.input_tokens_details.and_then(|d| d.cached_tokens),
        cache_write: None,
        reasoning: usage.output_tokens_details.and_then(|d| d.reasoning_tokens),
    });
    Ok(ParsedReply {
        text: join(parts().filter_map(text)).unwrap_or_default(),
        reasoning: join(thoughts.filter_map(text)),
        stop,
        usage: usage.unwrap_or_default(),
        id: reply.id,
        model: reply.model,
    })
}

fn text(part: &Part) -> Option<&str> {
    match part {
        Part::OutputText { text } | Part::SummaryText { text } | Part::ReasoningText { text } => {
            Some(text)
        }
        Part::Refusal {} | Part::Other => None,
    }
}
