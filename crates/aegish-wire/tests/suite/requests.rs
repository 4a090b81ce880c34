//! The exact request of each protocol, and what is read from its reply.

use crate::fake::answers::{CompletionEnd, TEXT, reply};
use crate::fake::{Fake, FakeAnswer, FakeRequest, PROTOCOLS, SCHEMA, client, full};
use aegish_wire::{Completion, Effort, Protocol, Request, Stop, Template, Usage, prepare};
use serde_json::{Map, Value, json};

fn ask(id: &str, path: &str, protocol: Protocol, request: &Request) -> (FakeRequest, Completion) {
    let server = Fake::always(
        FakeAnswer::json(200, reply(protocol, CompletionEnd::Good)).with("x-request-id", "req-7"),
    );
    let done = client(0).complete(&server.endpoint(id, path), request).expect(id);
    let seen = server.seen().pop().expect("one request");
    assert_eq!(seen.text, done.sent, "the body in the log is the body on the wire");
    (seen, done)
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

const USER: &str = "Validate this command: ls \"ä\"\n";

#[test]
fn openai_chat_gets_its_fields() {
    let (seen, done) = ask("openai/gpt-5.1", "/v1", Protocol::OpenAiChat, &full());
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(
        seen.body,
        json!({
            "model": "gpt-5.1",
            "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": USER}],
            "temperature": 0.0,
            "max_completion_tokens": 300,
            "seed": 42,
            "reasoning_effort": "low",
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": true, "schema": schema()},
            },
        })
    );
    assert!(done.left_out.is_empty());
}

#[test]
fn openai_responses_gets_its_fields_and_no_seed() {
    let (seen, done) = ask("openai/gpt-5.1-codex", "/v1", Protocol::OpenAiResponses, &full());
    assert_eq!(seen.path, "/v1/responses");
    assert_eq!(
        seen.body,
        json!({
            "model": "gpt-5.1-codex",
            "instructions": "You judge.",
            "input": USER,
            "store": false,
            "temperature": 0.0,
            "max_output_tokens": 300,
            "reasoning": {"effort": "low"},
            "text": {"format": {"type": "json_schema", "name": "verdict", "strict": true, "schema": schema()}},
        })
    );
    assert_eq!(done.left_out, ["seed"]);
}

#[test]
fn anthropic_gets_its_fields_a_cached_system_block_and_no_seed() {
    let (seen, done) = ask("anthropic/claude-opus-4-6", "", Protocol::AnthropicMessages, &full());
    assert_eq!(seen.path, "/v1/messages");
    assert_eq!(
        seen.body,
        json!({
            "model": "claude-opus-4-6",
            "max_tokens": 300,
            "system": [{"type": "text", "text": "You judge.", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": USER}],
            "temperature": 0.0,
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema()}},
        })
    );
    assert_eq!(done.left_out, ["seed"]);
}

#[test]
fn older_anthropic_models_get_neither_schema_nor_effort() {
    let (seen, done) =
        ask("anthropic/claude-3-haiku-20240307", "/v1", Protocol::AnthropicMessages, &full());
    assert_eq!(seen.path, "/v1/messages");
    assert!(seen.body.get("output_config").is_none());
    assert_eq!(done.left_out, ["seed", "effort", "schema"]);
}

#[test]
fn gemini_gets_its_fields() {
    let (seen, done) = ask("google/gemini-3-flash-preview", "", Protocol::Gemini, &full());
    assert_eq!(seen.path, "/v1beta/models/gemini-3-flash-preview:generateContent");
    assert_eq!(
        seen.body,
        json!({
            "systemInstruction": {"parts": [{"text": "You judge."}]},
            "contents": [{"role": "user", "parts": [{"text": USER}]}],
            "generationConfig": {
                "candidateCount": 1,
                "temperature": 0.0,
                "maxOutputTokens": 300,
                "seed": 42,
                "responseMimeType": "application/json",
                "responseJsonSchema": schema(),
                "thinkingConfig": {"thinkingLevel": "low"},
            },
        })
    );
    assert!(done.left_out.is_empty());
}

#[test]
fn compatible_servers_get_what_they_understand() {
    let chat = Protocol::OpenAiChat;
    let (seen, done) = ask("mistral/small", "/v1", chat, &full());
    assert_eq!(seen.body["random_seed"], 42);
    assert!(seen.body.get("seed").is_none() && seen.body["max_tokens"] == 300);
    assert!(done.left_out.is_empty());

    let (seen, done) = ask("deepseek/deepseek-chat", "", chat, &full());
    assert_eq!(seen.path, "/chat/completions");
    assert_eq!(seen.body["response_format"], json!({"type": "json_object"}));
    assert_eq!(done.left_out, ["seed", "schema"]);

    let (seen, done) = ask("openai/gpt-4", "/v1", chat, &full());
    assert_eq!(seen.body.get("response_format"), None);
    assert_eq!(done.left_out, ["schema"]);

    let (seen, _) = ask("hf-inference-providers/org/Some-8B:featherless-ai", "/v1", chat, &full());
    assert_eq!(seen.body["model"], "org/Some-8B:featherless-ai");

    let (seen, _) = ask("openrouter/org/model", "/api/v1", chat, &full());
    assert_eq!(seen.body["reasoning"], json!({"effort": "low"}));
    assert_eq!(seen.body["messages"][0]["content"], "You judge.");

    let (seen, _) = ask("openrouter/anthropic/claude-opus-4.6", "/api/v1", chat, &full());
    assert_eq!(
        seen.body["messages"][0]["content"],
        json!([{"type": "text", "text": "You judge.", "cache_control": {"type": "ephemeral"}}])
    );

    let (seen, _) = ask("azure/my-deployment", "", chat, &full());
    assert_eq!(seen.path, "/openai/v1/chat/completions");
    assert_eq!(seen.body["model"], "my-deployment");

    for id in [
        "ollama/m",
        "vllm/m",
        "lmstudio/m",
        "groq/m",
        "together/m",
        "featherless/m",
        "openai-api/box/m",
    ] {
        let (seen, _) = ask(id, "/v1", chat, &full());
        assert_eq!(seen.body["seed"], 42, "{id}");
        let limit = if id.starts_with("groq") { "max_completion_tokens" } else { "max_tokens" };
        assert_eq!(seen.body[limit], 300, "{id}");
    }
}

#[test]
fn a_request_without_options_sends_no_optional_fields() {
    let bare = Request::new("s", "u");
    let keys = |id, path, protocol| {
        let (seen, _) = ask(id, path, protocol, &bare);
        let mut keys: Vec<_> = seen.body.as_object().expect("object").keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys("openai/m", "/v1", Protocol::OpenAiChat), ["messages", "model"]);
    assert_eq!(
        keys("openai/x-codex", "/v1", Protocol::OpenAiResponses),
        ["input", "instructions", "model", "store"]
    );
    assert_eq!(
        keys("anthropic/m", "", Protocol::AnthropicMessages),
        ["max_tokens", "messages", "model", "system"]
    );
    assert_eq!(
        keys("google/m", "", Protocol::Gemini),
        ["contents", "generationConfig", "systemInstruction"]
    );
}

#[test]
fn extra_is_merged_over_the_body() {
    let mut request = full();
    request.effort = Some(Effort::High);
    let extra = json!({"generationConfig": {"topP": 0.5, "seed": null}});
    request.extra = extra.as_object().cloned().unwrap_or_else(Map::new);
    let (seen, done) = ask("google/gemini-2.5-flash", "", Protocol::Gemini, &request);
    let config = &seen.body["generationConfig"];
    assert_eq!((&config["topP"], config.get("seed")), (&json!(0.5), None));
    assert_eq!(config["maxOutputTokens"], 300);
    assert!(seen.text.contains(SCHEMA), "the schema keeps its order");
    assert_eq!(done.left_out, ["effort"], "a model that counts its thoughts takes no level");
}

#[test]
fn a_reply_is_read_the_same_from_every_protocol() {
    for protocol in PROTOCOLS {
        let server = Fake::always(
            FakeAnswer::json(200, reply(protocol, CompletionEnd::Good))
                .with("x-request-id", "req-7"),
        );
        let done = client(0).complete(&server.of(protocol), &full()).expect("an answer");
        assert_eq!((done.text.as_str(), &done.stop), (TEXT, &Stop::Stop), "{protocol:?}");
        let anthropic = protocol == Protocol::AnthropicMessages;
        let usage = Usage {
            input: Some(100),
            output: Some(20),
            cached: Some(64),
            cache_write: anthropic.then_some(20),
            reasoning: (!anthropic).then_some(7),
        };
        assert_eq!(done.usage, usage, "{protocol:?}");
        let thought = (protocol != Protocol::OpenAiChat).then_some("Listing.");
        assert_eq!(done.reasoning.as_deref(), thought, "{protocol:?}");
        assert_eq!(done.request_id.as_deref(), Some("req-7"));
        assert_eq!(done.raw.get(), reply(protocol, CompletionEnd::Good).to_string());
        assert!(done.model.is_some());
    }
}

#[test]
fn an_unknown_stop_reason_keeps_its_words() {
    for protocol in PROTOCOLS {
        let server = Fake::always(FakeAnswer::json(200, reply(protocol, CompletionEnd::Odd)));
        let done = client(0).complete(&server.of(protocol), &full()).expect("an answer");
        assert!(matches!(&done.stop, Stop::Unknown(word) if word.eq_ignore_ascii_case("surprise")));
    }
}

fn read_chat(reply: &Value) -> Completion {
    let server = Fake::always(FakeAnswer::json(200, reply));
    client(0).complete(&server.of(Protocol::OpenAiChat), &full()).expect("an answer")
}

#[test]
fn extra_fields_of_compatible_servers_are_read() {
    let done = read_chat(&json!({"choices": [{
        "finish_reason": "model_length",
        "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "a"}, {"type": "reference", "reference_ids": [1]}, {"type": "text", "text": "b"},
        ]},
    }]}));
    assert_eq!((done.text.as_str(), done.reasoning.as_deref()), ("ab", Some("hm")));
    assert_eq!(done.stop, Stop::ModelLength);
    assert_eq!(done.usage, Usage::default());

    let done = read_chat(&json!({
        "choices": [{"finish_reason": null, "message": {"content": null, "reasoning_content": "hm"}}],
        "usage": {"prompt_tokens": 5, "prompt_cache_hit_tokens": 3},
    }));
    assert_eq!((done.text.as_str(), done.reasoning.as_deref()), ("", Some("hm")));
    assert_eq!((done.stop, done.usage.cached), (Stop::Unknown(String::new()), Some(3)));

    let done = read_chat(&json!({"choices": [{
        "finish_reason": "stop", "message": {"content": null, "refusal": "I cannot help with that."},
    }]}));
    assert_eq!(done.stop, Stop::ContentFilter);
}

#[test]
fn a_refused_question_without_a_candidate_is_a_content_filter() {
    let server =
        Fake::always(FakeAnswer::json(200, json!({"promptFeedback": {"blockReason": "SAFETY"}})));
    let done = client(0).complete(&server.of(Protocol::Gemini), &full()).expect("an answer");
    assert_eq!((done.stop, done.text.as_str()), (Stop::ContentFilter, ""));
}

#[test]
fn preparing_needs_no_server_and_gives_the_same_body_every_time() {
    let server = Fake::always(FakeAnswer::Close);
    for protocol in PROTOCOLS {
        let endpoint = server.of(protocol);
        let one = prepare(&endpoint, &full()).expect("a body");
        let two = prepare(&endpoint, &full()).expect("a body");
        assert_eq!((&one.body, &one.url), (&two.body, &two.url));
        assert!(!format!("{endpoint:?} {one:?}").contains(crate::fake::KEY));
    }
    assert!(server.seen().is_empty());
}

#[test]
fn efforts_without_a_word_in_the_protocol_are_left_out() {
    let rows = [
        ("anthropic/claude-opus-4-6", Protocol::AnthropicMessages, Effort::Minimal, true),
        ("anthropic/claude-opus-4-6", Protocol::AnthropicMessages, Effort::Max, false),
        ("anthropic/claude-haiku-4-5-20251001", Protocol::AnthropicMessages, Effort::Low, true),
        ("google/gemini-3-flash-preview", Protocol::Gemini, Effort::Minimal, false),
        ("google/gemini-3-flash-preview", Protocol::Gemini, Effort::Max, true),
        ("openai/gpt-5.1-codex", Protocol::OpenAiResponses, Effort::XHigh, false),
    ];
    for (id, protocol, effort, left_out) in rows {
        let path = if id.starts_with("openai") { "/v1" } else { "" };
        let (_, done) =
            ask(id, path, protocol, &Request { effort: Some(effort), ..Request::new("s", "u") });
        assert_eq!(done.left_out.contains(&"effort"), left_out, "{id} {effort:?}");
    }
}

#[test]
fn a_filled_template_has_the_same_bytes_as_a_prepared_request() {
    let server = Fake::always(FakeAnswer::Close);
    for protocol in PROTOCOLS {
        let endpoint = server.of(protocol);
        // The instructions contain the placeholder of the question.
        let system = "QuestionGoesHere? QuestionGoesHereX \"{{}}\" {user}";
        let mut request = Request { system: system.to_owned(), ..full() };
        request.extra.insert("metadata".to_owned(), json!({"run": "7"}));
        let template = Template::new(&endpoint, &request).expect("a template");
        for user in ["", "ls", USER, "\u{0}\u{7f}\u{2028}\\\"\n\t'`$(x)", "QuestionGoesHere"] {
            request.user = user.to_owned();
            let whole = prepare(&endpoint, &request).expect("a request");
            let filled = template.fill(user).expect("a request");
            assert_eq!(filled.body, whole.body, "{protocol:?} {user:?}");
            assert_eq!(filled.url, whole.url);
            assert_eq!(filled.left_out, whole.left_out);
        }
    }
}

#[test]
fn a_template_without_a_placeholder_for_the_question_is_refused() {
    let server = Fake::always(FakeAnswer::Close);
    let mut request = full();
    request.extra.insert("messages".to_owned(), json!([]));
    let template = Template::new(&server.of(Protocol::OpenAiChat), &request);
    assert!(template.is_err());
}
