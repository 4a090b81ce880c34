//! A user's own directory, a judge in it, and providers with configured answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::fake::answers::{CompletionEnd, reply};
use crate::fake::{Fake, FakeAnswer, FakeRequest, KEY};
use aegish_judge::{CacheSettings, Evidence, Judge, JudgeSettings, Note, Ruling};
use aegish_policy::Role;
use aegish_wire::{EndpointSettings, Protocol};

/// A temporary directory.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aegish-judge-{}-{count}", process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.0.join("state")
    }

    /// A chain whose first model uses `protocol` at `primary`, and whose second is [`BACKUP`].
    pub(crate) fn settings(
        &self,
        protocol: Protocol,
        primary: &Fake,
        backup: Option<&Fake>,
    ) -> JudgeSettings {
        let (id, provider, path) = model(protocol);
        let mut models = vec![id.to_owned()];
        let mut endpoints = BTreeMap::from([(provider.to_owned(), at(primary, path))]);
        if let Some(backup) = backup {
            models.push(BACKUP.to_owned());
            endpoints.insert("vllm".to_owned(), at(backup, "/v1"));
        }
        JudgeSettings { models, endpoints, ..settings(self.cache(), self.state()) }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) const BACKUP: &str = "vllm/backup";

/// The model for a protocol: id, provider, path of its address.
pub(crate) fn model(protocol: Protocol) -> (&'static str, &'static str, &'static str) {
    match protocol {
        Protocol::OpenAiChat => ("openai/gpt-5.1", "openai", "/v1"),
        Protocol::OpenAiResponses => ("openai/gpt-5.1-codex", "openai", "/v1"),
        Protocol::AnthropicMessages => ("anthropic/claude-opus-4-6", "anthropic", ""),
        Protocol::Gemini => ("google/gemini-3-flash-preview", "google", ""),
        Protocol::BedrockConverse => ("bedrock/amazon.nova-lite-v1:0", "bedrock", ""),
    }
}

pub(crate) fn at(fake: &Fake, path: &str) -> EndpointSettings {
    EndpointSettings {
        base_url: Some(format!("http://{}{path}", fake.address)),
        ..EndpointSettings::default()
    }
}

/// Settings with long timeouts and all directories.
pub(crate) fn settings(cache: PathBuf, state: PathBuf) -> JudgeSettings {
    let default = JudgeSettings::default();
    JudgeSettings {
        timeout: Duration::from_secs(10),
        cache: CacheSettings { dir: Some(cache), ..default.cache },
        state_dir: Some(state),
        ..default
    }
}

/// A judge with keys for all providers.
pub(crate) fn judge(settings: JudgeSettings) -> Judge {
    Judge::new(settings, &|name| name.ends_with("_KEY").then(|| KEY.to_owned()))
}

pub(crate) fn ask(judge: &Judge, command: &str) -> Ruling {
    judge.ask(&Evidence { command, ..Evidence::default() }, Role::Default)
}

/// A chat completion with this text.
pub(crate) fn says(text: &str) -> FakeAnswer {
    let mut body = reply(Protocol::OpenAiChat, CompletionEnd::Good);
    body["choices"][0]["message"]["content"] = text.into();
    FakeAnswer::json(200, body)
}

/// An opinion in the form that the prompt asks for.
pub(crate) fn verdict(action: &str, reason: &str) -> String {
    format!(
        r#"{{"action": "{action}", "reason": "{reason}", "confidence": 0.9, "nonce": "(nonce)"}}"#
    )
}

/// A server that always gives this answer.
pub(crate) fn server(text: &str) -> Fake {
    Fake::always(says(text))
}

/// The message for a user.
pub(crate) fn told(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

/// The user message of a chat request.
pub(crate) fn user_message(seen: &FakeRequest) -> &str {
    seen.body["messages"][1]["content"].as_str().expect("a message")
}
