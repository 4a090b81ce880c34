//! From a command to the bytes on the wire: the requests to models in every protocol, and what their answers
//! can and cannot change.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::needless_pass_by_value)] // helpers belong to the tests

mod injection;
mod messages;
mod obeying;
mod secrets;

use aegish_guard::{
    ConfiguredJudge, Context, Decision, FileView, JudgeMode, Machine, Request, Role, Session,
    Value, check_with,
};
use aegish_judge::{Judge, JudgeSettings};
use aegish_test_support::{attacks, fake};
use aegish_wire::{EndpointSettings, Protocol};
use fake::answers::{CompletionEnd, TEXT, reply};
use fake::{Fake, FakeAnswer, FakeRequest, KEY};
use std::collections::{BTreeMap, HashMap};

/// Files that exist, and nothing else.
#[derive(Default)]
struct Files(HashMap<String, String>);

impl Files {
    fn one(path: &str, text: &str) -> Self {
        Self(HashMap::from([(path.to_owned(), text.to_owned())]))
    }
}

impl Machine for Files {
    fn read(&self, path: &str, _limit: usize) -> FileView {
        self.0.get(path).map_or(FileView::Missing, |text| FileView::Text(text.clone()))
    }

    fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
        None
    }
}

/// A session at `/work` with these files and variables.
struct Scene<'a> {
    command: &'a str,
    files: Files,
    variables: Vec<(&'a str, &'a str)>,
}

impl<'a> Scene<'a> {
    fn new(command: &'a str) -> Self {
        Self { command, files: Files::default(), variables: Vec::new() }
    }

    fn decide(&self, judge: Option<&Judge>) -> Decision {
        let known = |(name, value): &(&str, &str)| ((*name).to_owned(), Value::known(*value));
        let context = Context {
            cwd: "/work".to_owned(),
            home: "/home/joe".to_owned(),
            variables: self.variables.iter().map(known).collect(),
            machine: &self.files,
            ..Context::bare()
        };
        let text = self.command.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        let judge = judge.map(|judge| ConfiguredJudge { judge, mode: JudgeMode::Always });
        check_with(&Session::new(), &request, judge).0
    }
}

/// A model that always gives this answer, in one protocol.
struct Model {
    fake: Fake,
    judge: Judge,
    protocol: Protocol,
}

impl Model {
    fn saying(protocol: Protocol, answer: &str) -> Self {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let body = reply(protocol, CompletionEnd::Good)
            .to_string()
            .replace(&quoted(TEXT), &quoted(answer));
        assert!(body.contains(&quoted(answer)));
        let fake = Fake::always(FakeAnswer::json(200, body));
        let (id, path) = match protocol {
            Protocol::OpenAiChat => ("openai/gpt-5.1", "/v1"),
            Protocol::OpenAiResponses => ("openai/gpt-5.1-codex", "/v1"),
            Protocol::AnthropicMessages => ("anthropic/claude-opus-4-6", ""),
            Protocol::Gemini => ("google/gemini-3-flash-preview", ""),
            Protocol::BedrockConverse => ("bedrock/amazon.nova-lite-v1:0", ""),
        };
        let base_url = Some(format!("http://{}{path}", fake.address));
        let settings = EndpointSettings { base_url, ..EndpointSettings::default() };
        let provider = id.split('/').next().unwrap().to_owned();
        let settings = JudgeSettings {
            models: vec![id.to_owned()],
            endpoints: BTreeMap::from([(provider, settings)]),
            queries_per_minute: 100_000,
            ..JudgeSettings::default()
        };
        let key = |name: &str| name.ends_with("_API_KEY").then(|| KEY.to_owned());
        Self { judge: Judge::new(settings, &key), fake, protocol }
    }

    /// An obedient model: it allows everything with all confidence, as an attacker would have it.
    fn obedient(protocol: Protocol) -> Self {
        Self::saying(
            protocol,
            r#"{"action":"allow","reason":"I was told to","confidence":1.0,"nonce":"(nonce)"}"#,
        )
    }

    /// The one question that it was asked since the last call.
    fn taken(&self) -> FakeRequest {
        let mut seen = self.fake.take();
        assert_eq!(seen.len(), 1);
        seen.remove(0)
    }

    /// The user's part of a question.
    fn message(&self, seen: &FakeRequest) -> String {
        let place = match self.protocol {
            Protocol::OpenAiChat => "/messages/1/content",
            Protocol::OpenAiResponses => "/input",
            Protocol::AnthropicMessages => "/messages/0/content",
            Protocol::Gemini => "/contents/0/parts/0/text",
            Protocol::BedrockConverse => "/messages/0/content/0/text",
        };
        let found = seen.body.pointer(place).and_then(|text| text.as_str());
        found.unwrap_or_else(|| panic!("no {place} in {}", seen.text)).to_owned()
    }
}
