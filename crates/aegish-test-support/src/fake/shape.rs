//! The format of requests according to the providers' public descriptions, as far as aegish uses it. Written
//! from those descriptions, not from the client: a field that is not listed here is a field that the provider
//! would refuse.

use serde_json::Value;

use super::FakeRequest;

enum JsonShape {
    Text,
    Int,
    Number,
    Bool,
    /// Any object: a JSON schema.
    Schema,
    Word(&'static [&'static str]),
    List(&'static JsonShape),
    Object(&'static [(&'static str, Need, JsonShape)]),
    Either(&'static [JsonShape]),
}

#[derive(PartialEq)]
enum Need {
    Must,
    May,
}
use JsonShape::{Bool, Either, Int, List, Number, Object, Schema, Text, Word};
use Need::{May, Must};

const EPHEMERAL: JsonShape = Object(&[("type", Must, Word(&["ephemeral"]))]);
const EFFORT: JsonShape = Word(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

const CHAT: JsonShape = Object(&[
    ("model", Must, Text),
    (
        "messages",
        Must,
        List(&Object(&[
            ("role", Must, Word(&["system", "developer", "user", "assistant"])),
            (
                "content",
                Must,
                Either(&[
                    Text,
                    List(&Object(&[
                        ("type", Must, Word(&["text"])),
                        ("text", Must, Text),
                        ("cache_control", May, EPHEMERAL),
                    ])),
                ]),
            ),
        ])),
    ),
    ("temperature", May, Number),
    ("max_completion_tokens", May, Int),
    ("max_tokens", May, Int),
    ("seed", May, Int),
    ("random_seed", May, Int),
    ("reasoning_effort", May, EFFORT),
    ("reasoning", May, Object(&[("effort", May, EFFORT)])),
    (
        "response_format",
        May,
        Either(&[
            Object(&[("type", Must, Word(&["json_object"]))]),
            Object(&[
                ("type", Must, Word(&["json_schema"])),
                (
                    "json_schema",
                    Must,
                    Object(&[
                        ("name", Must, Text),
                        ("strict", May, Bool),
                        ("schema", Must, Schema),
                    ]),
                ),
            ]),
        ]),
    ),
    ("top_p", May, Number),
]);

const RESPONSES: JsonShape = Object(&[
    ("model", Must, Text),
    ("instructions", May, Text),
    ("input", Must, Text),
    ("store", May, Bool),
    ("temperature", May, Number),
    ("max_output_tokens", May, Int),
    ("reasoning", May, Object(&[("effort", May, EFFORT)])),
    (
        "text",
        May,
        Object(&[(
            "format",
            May,
            Object(&[
                ("type", Must, Word(&["json_schema"])),
                ("name", Must, Text),
                ("strict", May, Bool),
                ("schema", Must, Schema),
            ]),
        )]),
    ),
    ("top_p", May, Number),
]);

const OUTPUT_CONFIG: JsonShape = Object(&[
    ("effort", May, Word(&["low", "medium", "high", "xhigh", "max"])),
    ("format", May, Object(&[("type", Must, Word(&["json_schema"])), ("schema", Must, Schema)])),
]);

const MESSAGES: JsonShape = Object(&[
    ("model", Must, Text),
    ("max_tokens", Must, Int),
    (
        "system",
        May,
        List(&Object(&[
            ("type", Must, Word(&["text"])),
            ("text", Must, Text),
            ("cache_control", May, EPHEMERAL),
        ])),
    ),
    (
        "messages",
        Must,
        List(&Object(&[("role", Must, Word(&["user", "assistant"])), ("content", Must, Text)])),
    ),
    ("temperature", May, Number),
    ("output_config", May, OUTPUT_CONFIG),
    ("top_p", May, Number),
]);

const PARTS: JsonShape = List(&Object(&[("text", Must, Text)]));
const GEMINI: JsonShape = Object(&[
    (
        "contents",
        Must,
        List(&Object(&[("role", May, Word(&["user", "model"])), ("parts", Must, PARTS)])),
    ),
    ("systemInstruction", May, Object(&[("role", May, Text), ("parts", Must, PARTS)])),
    (
        "generationConfig",
        May,
        Object(&[
            ("candidateCount", May, Int),
            ("temperature", May, Number),
            ("maxOutputTokens", May, Int),
            ("seed", May, Int),
            ("responseMimeType", May, Word(&["text/plain", "application/json"])),
            ("responseJsonSchema", May, Schema),
            (
                "thinkingConfig",
                May,
                Object(&[("thinkingLevel", May, Word(&["minimal", "low", "medium", "high"]))]),
            ),
            ("topP", May, Number),
        ]),
    ),
]);

const BLOCKS: JsonShape = List(&Object(&[("text", Must, Text)]));
const CONVERSE: JsonShape = Object(&[
    ("system", May, BLOCKS),
    (
        "messages",
        Must,
        List(&Object(&[("role", Must, Word(&["user", "assistant"])), ("content", Must, BLOCKS)])),
    ),
    (
        "inferenceConfig",
        May,
        Object(&[("maxTokens", May, Int), ("temperature", May, Number), ("topP", May, Number)]),
    ),
]);

/// What Vertex AI expects of a Claude model: the address names the model, the body the version.
const VERTEX_MESSAGES: JsonShape = Object(&[
    ("anthropic_version", Must, Word(&["vertex-2023-10-16"])),
    ("max_tokens", Must, Int),
    (
        "system",
        May,
        List(&Object(&[
            ("type", Must, Word(&["text"])),
            ("text", Must, Text),
            ("cache_control", May, EPHEMERAL),
        ])),
    ),
    (
        "messages",
        Must,
        List(&Object(&[("role", Must, Word(&["user", "assistant"])), ("content", Must, Text)])),
    ),
    ("temperature", May, Number),
    ("output_config", May, OUTPUT_CONFIG),
]);

/// Paths of clouds, whose keys their own tests check.
fn cloud(path: &str) -> Option<&'static JsonShape> {
    let path = path.split('?').next().unwrap_or_default();
    if path.starts_with("/model/") && path.ends_with("/converse") {
        return Some(&CONVERSE);
    }
    if path.starts_with("/openai/deployments/") && path.ends_with("/chat/completions") {
        return Some(&CHAT);
    }
    let model = path.strip_prefix("/v1/projects/")?.split("/publishers/").nth(1)?;
    match model.split_once("/models/")? {
        ("google", method) if method.ends_with(":generateContent") => Some(&GEMINI),
        ("anthropic", method) if method.ends_with(":rawPredict") => Some(&VERTEX_MESSAGES),
        _ => None,
    }
}

/// Checks a request inside a batch: the body alone.
pub(super) fn check_inner(path: &str, body: &Value) -> Result<(), String> {
    let shape = match path {
        "/v1/chat/completions" => &CHAT,
        "/v1/responses" => &RESPONSES,
        "/v1/messages" => &MESSAGES,
        other => return Err(format!("path {other}")),
    };
    matches(shape, body, "body")
}

/// Checks the key of a call about batches.
pub(super) fn check_key(seen: &FakeRequest) -> Result<(), String> {
    let anthropic = seen.path.starts_with("/v1/messages/");
    let (name, want) = match anthropic {
        true => ("x-api-key", super::KEY.to_owned()),
        false => ("authorization", format!("Bearer {}", super::KEY)),
    };
    if seen.header(name) != Some(&want) {
        return Err(format!("header {name}"));
    }
    if anthropic && seen.header("anthropic-version") != Some("2023-06-01") {
        return Err("anthropic-version".to_owned());
    }
    Ok(())
}

/// Checks path, headers and body. Calls about batches are checked by their own fake.
pub(super) fn check(seen: &FakeRequest) -> Result<(), String> {
    if ["/v1/files", "/v1/batches", "/v1/messages/batches"]
        .iter()
        .any(|path| seen.path.starts_with(path))
    {
        return check_key(seen);
    }
    if seen.path == "/token" {
        return Ok(());
    }
    if let Some(shape) = cloud(&seen.path) {
        return matches(shape, &seen.body, "body");
    }
    if !seen.header("content-type").is_some_and(|t| t.starts_with("application/json")) {
        return Err("content-type".to_owned());
    }
    let (shape, key) = if seen.path.ends_with("/chat/completions") {
        let azure = seen.path.starts_with("/openai/v1/");
        (&CHAT, if azure { "api-key" } else { "authorization" })
    } else if seen.path.ends_with("/v1/responses") {
        (&RESPONSES, "authorization")
    } else if seen.path == "/v1/messages" {
        if seen.header("anthropic-version") != Some("2023-06-01") {
            return Err("anthropic-version".to_owned());
        }
        (&MESSAGES, "x-api-key")
    } else if seen.path.starts_with("/v1beta/models/") && seen.path.ends_with(":generateContent") {
        (&GEMINI, "x-goog-api-key")
    } else {
        return Err(format!("path {}", seen.path));
    };
    for name in ["authorization", "x-api-key", "x-goog-api-key", "api-key"] {
        let want = match (name == key, name) {
            (false, _) => None,
            (true, "authorization") => Some(format!("Bearer {}", super::KEY)),
            (true, _) => Some(super::KEY.to_owned()),
        };
        if seen.header(name) != want.as_deref() {
            return Err(format!("header {name}"));
        }
    }
    matches(shape, &seen.body, "body")
}

fn matches(shape: &JsonShape, value: &Value, at: &str) -> Result<(), String> {
    let good = match shape {
        Text => value.is_string(),
        Int => value.is_i64(),
        Number => value.is_number(),
        Bool => value.is_boolean(),
        Schema => value.get("type").is_some(),
        Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Either(shapes) => shapes.iter().any(|shape| matches(shape, value, at).is_ok()),
        List(item) => {
            let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
                return Err(at.to_owned());
            };
            return items
                .iter()
                .enumerate()
                .try_for_each(|(i, v)| matches(item, v, &format!("{at}[{i}]")));
        }
        Object(fields) => {
            let Some(object) = value.as_object() else { return Err(at.to_owned()) };
            if let Some(unknown) =
                object.keys().find(|key| !fields.iter().any(|(name, ..)| name == key))
            {
                return Err(format!("{at}.{unknown} is not a field"));
            }
            return fields.iter().try_for_each(|(name, need, shape)| match object.get(*name) {
                Some(value) => matches(shape, value, &format!("{at}.{name}")),
                None if *need == Must => Err(format!("{at}.{name} is missing")),
                None => Ok(()),
            });
        }
    };
    if good { Ok(()) } else { Err(at.to_owned()) }
}
