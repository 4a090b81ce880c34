//! The table of providers: addresses, protocols and environment variables.
//!
//! Data only. A difference between servers is a [`Quirks`] value here, never an `if` in a wire module.

use crate::cloud::{self, Cloud};

/// The wire protocol of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// `POST …/chat/completions`, OpenAI's and that of compatible servers.
    OpenAiChat,
    /// `POST …/responses`.
    OpenAiResponses,
    /// `POST …/v1/messages`.
    AnthropicMessages,
    /// `POST …/models/MODEL:generateContent`.
    Gemini,
    /// `POST …/model/MODEL/converse`.
    BedrockConverse,
}

/// How the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// `authorization: Bearer KEY`
    Bearer,
    /// The key alone in this header.
    Header(&'static str),
}

/// How batches are handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchApi {
    /// `POST …/files`, then `POST …/batches`.
    OpenAi,
    /// `POST …/v1/messages/batches`.
    Anthropic,
}

/// The name of the field that limits the length of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

/// The name of the field for a seed, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeedField {
    None,
    Seed,
    RandomSeed,
}

/// How the server supports schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaSupport {
    /// `response_format: {type: json_schema, …}`
    JsonSchema,
    /// `response_format: {type: json_object}`: any JSON; the schema is not enforced.
    JsonObject,
}

/// The field for the reasoning effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffortField {
    None,
    /// `reasoning_effort: "low"`
    Flat,
    /// `reasoning: {effort: "low"}`
    Object,
}

/// How a chat-completions server deviates from OpenAI's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub(crate) limit: LimitField,
    pub(crate) seed: SeedField,
    pub(crate) schema: SchemaSupport,
    pub(crate) effort: EffortField,
    /// Whether Anthropic models on this server accept `cache_control` on content parts.
    pub(crate) cache_control: bool,
}

/// A typical compatible server.
const PLAIN: Quirks = Quirks {
    limit: LimitField::MaxTokens,
    seed: SeedField::Seed,
    schema: SchemaSupport::JsonSchema,
    effort: EffortField::Flat,
    cache_control: false,
};
const OPENAI: Quirks = Quirks { limit: LimitField::MaxCompletionTokens, ..PLAIN };

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// The part of a model id before the first `/`.
    pub name: &'static str,
    /// Other spellings of the name.
    pub aliases: &'static [&'static str],
    /// The protocol, unless the settings or the model require another.
    pub protocol: Protocol,
    /// The public address; `None` if every installation has its own.
    pub base: Option<&'static str>,
    /// Variables that replace the address; the first one that is set is used.
    pub base_vars: &'static [&'static str],
    /// Variables that contain the key; the first one that is set is used.
    pub key_vars: &'static [&'static str],
    /// Variables that say anything else: a region, a project, a version.
    pub other_vars: &'static [&'static str],
    /// Whether calls without a key always fail.
    pub needs_key: bool,
    pub(crate) auth: Auth,
    pub(crate) quirks: Quirks,
    /// Appended to a configured address without a path.
    pub(crate) default_path: &'static str,
    /// The port of a configured address without one.
    pub(crate) default_port: Option<u16>,
    /// The interface for batches, if there is one.
    pub(crate) batch: Option<BatchApi>,
    /// The cloud it belongs to, if it has addresses and credentials of a cloud.
    pub(crate) cloud: Option<Cloud>,
}

const COMPATIBLE: Provider = Provider {
    name: "",
    aliases: &[],
    protocol: Protocol::OpenAiChat,
    base: None,
    base_vars: &[],
    key_vars: &[],
    other_vars: &[],
    needs_key: true,
    auth: Auth::Bearer,
    quirks: PLAIN,
    default_path: "",
    default_port: None,
    batch: None,
    cloud: None,
};

/// `openai-api/NAME/MODEL`: a compatible server whose variables are named after `NAME`.
pub(crate) const NAMED: Provider = Provider { name: "openai-api", needs_key: false, ..COMPATIBLE };

const TABLE: &[Provider] = &[
    Provider {
        name: "openai",
        base: Some("https://api.openai.com/v1"),
        base_vars: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
        key_vars: &["OPENAI_API_KEY"],
        quirks: OPENAI,
        batch: Some(BatchApi::OpenAi),
        ..COMPATIBLE
    },
    Provider {
        name: "anthropic",
        protocol: Protocol::AnthropicMessages,
        base: Some("https://api.anthropic.com"),
        base_vars: &["ANTHROPIC_BASE_URL"],
        key_vars: &["ANTHROPIC_API_KEY"],
        auth: Auth::Header("x-api-key"),
        batch: Some(BatchApi::Anthropic),
        ..COMPATIBLE
    },
    Provider {
        name: "google",
        aliases: &["gemini"],
        protocol: Protocol::Gemini,
        base: Some("https://generativelanguage.googleapis.com"),
        base_vars: &["GEMINI_BASE_URL", "GOOGLE_BASE_URL"],
        key_vars: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        auth: Auth::Header("x-goog-api-key"),
        ..COMPATIBLE
    },
    Provider {
        name: "openrouter",
        base: Some("https://openrouter.ai/api/v1"),
        base_vars: &["OPENROUTER_BASE_URL"],
        key_vars: &["OPENROUTER_API_KEY"],
        quirks: Quirks { effort: EffortField::Object, cache_control: true, ..PLAIN },
        ..COMPATIBLE
    },
    Provider {
        name: "hf-inference-providers",
        aliases: &["huggingface"],
        base: Some("https://router.huggingface.co/v1"),
        base_vars: &["HF_BASE_URL"],
        key_vars: &["HF_TOKEN", "HUGGINGFACE_API_KEY"],
        ..COMPATIBLE
    },
    Provider {
        name: "ollama",
        base: Some("http://127.0.0.1:11434/v1"),
        base_vars: &["OLLAMA_BASE_URL", "OLLAMA_HOST"],
        key_vars: &["OLLAMA_API_KEY"],
        needs_key: false,
        default_path: "/v1",
        default_port: Some(11434),
        ..COMPATIBLE
    },
    Provider {
        name: "vllm",
        base: Some("http://127.0.0.1:8000/v1"),
        base_vars: &["VLLM_BASE_URL"],
        key_vars: &["VLLM_API_KEY"],
        needs_key: false,
        default_path: "/v1",
        ..COMPATIBLE
    },
    Provider {
        name: "lmstudio",
        base: Some("http://127.0.0.1:1234/v1"),
        base_vars: &["LMSTUDIO_BASE_URL"],
        key_vars: &["LMSTUDIO_API_KEY"],
        needs_key: false,
        default_path: "/v1",
        ..COMPATIBLE
    },
    Provider {
        name: "groq",
        base: Some("https://api.groq.com/openai/v1"),
        base_vars: &["GROQ_BASE_URL"],
        key_vars: &["GROQ_API_KEY"],
        quirks: OPENAI,
        ..COMPATIBLE
    },
    Provider {
        name: "together",
        aliases: &["together_ai"],
        base: Some("https://api.together.xyz/v1"),
        base_vars: &["TOGETHER_BASE_URL"],
        key_vars: &["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
        ..COMPATIBLE
    },
    Provider {
        name: "mistral",
        base: Some("https://api.mistral.ai/v1"),
        base_vars: &["MISTRAL_BASE_URL"],
        key_vars: &["MISTRAL_API_KEY"],
        quirks: Quirks { seed: SeedField::RandomSeed, ..PLAIN },
        ..COMPATIBLE
    },
    Provider {
        name: "deepseek",
        base: Some("https://api.deepseek.com"),
        base_vars: &["DEEPSEEK_BASE_URL"],
        key_vars: &["DEEPSEEK_API_KEY"],
        quirks: Quirks { seed: SeedField::None, schema: SchemaSupport::JsonObject, ..PLAIN },
        ..COMPATIBLE
    },
    Provider {
        name: "featherless",
        aliases: &["featherless_ai"],
        base: Some("https://api.featherless.ai/v1"),
        base_vars: &["FEATHERLESS_BASE_URL"],
        key_vars: &["FEATHERLESS_API_KEY", "FEATHERLESS_AI_API_KEY"],
        quirks: Quirks { effort: EffortField::None, ..PLAIN },
        ..COMPATIBLE
    },
    Provider {
        name: "azure",
        base_vars: &["AZURE_OPENAI_BASE_URL", "AZUREAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"],
        key_vars: &["AZURE_OPENAI_API_KEY", "AZUREAI_API_KEY", "AZURE_API_KEY"],
        other_vars: &["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
        auth: Auth::Header("api-key"),
        quirks: OPENAI,
        default_path: "/openai/v1",
        cloud: Some(Cloud::Azure),
        ..COMPATIBLE
    },
    Provider {
        name: "bedrock",
        protocol: Protocol::BedrockConverse,
        base_vars: &["BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
        key_vars: &["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
        other_vars: &[
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
        ],
        cloud: Some(Cloud::Bedrock),
        ..COMPATIBLE
    },
    Provider {
        name: "vertex",
        aliases: &["vertex_ai"],
        protocol: Protocol::Gemini,
        base_vars: &["VERTEX_BASE_URL"],
        key_vars: &["GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"],
        other_vars: &["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
        cloud: Some(Cloud::Vertex),
        ..COMPATIBLE
    },
];

/// All providers with a name of their own; `openai-api/NAME` is not among them.
pub fn providers() -> &'static [Provider] {
    TABLE
}

/// The row of a name or an alias; case is ignored.
pub(crate) fn find(name: &str) -> Option<&'static Provider> {
    TABLE.iter().find(|p| {
        p.name.eq_ignore_ascii_case(name)
            || p.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    })
}

/// Parts between dashes in names of OpenAI models that only the responses API serves.
const RESPONSES_ONLY: &[&str] = &["codex", "pro", "research"];

/// The protocol for a model: that of the table, unless the model supports only another.
pub(crate) fn protocol_for(provider: &Provider, model: &str) -> Protocol {
    let only =
        provider.name == "openai" && model.split('-').any(|part| RESPONSES_ONLY.contains(&part));
    if only {
        return Protocol::OpenAiResponses;
    }
    cloud::protocol(provider.cloud, model).unwrap_or(provider.protocol)
}

/// OpenAI models without structured output, including dated and named versions of them.
const OPENAI_NO_SCHEMA: &[&str] = &["gpt-3.5", "gpt-4", "o1-mini", "o1-preview"];
/// First versions of models whose later versions have structured output.
const OPENAI_NO_SCHEMA_YET: &[&str] = &["gpt-4o-2024-05-13", "chatgpt-4o-latest"];

pub(crate) fn openai_takes_schema(provider: &str, model: &str) -> bool {
    let older = OPENAI_NO_SCHEMA.iter().any(|name| {
        model.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    });
    provider != "openai" || !(older || OPENAI_NO_SCHEMA_YET.contains(&model))
}

/// Prefixes of Anthropic models without structured output.
const ANTHROPIC_NO_SCHEMA: &[&str] = &[
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-sonnet-4-2",
    "claude-opus-4-2",
    "claude-opus-4-1",
];
/// Anthropic models with structured output but without an effort setting.
const ANTHROPIC_NO_EFFORT: &[&str] = &["claude-sonnet-4-5", "claude-haiku-4-5"];

pub(crate) fn anthropic_takes_schema(model: &str) -> bool {
    !ANTHROPIC_NO_SCHEMA.iter().any(|start| model.starts_with(start))
}

pub(crate) fn anthropic_takes_effort(model: &str) -> bool {
    anthropic_takes_schema(model)
        && !ANTHROPIC_NO_EFFORT.iter().any(|start| model.starts_with(start))
}

/// Gemini models before 3 have a token budget for thinking, and no effort level.
pub(crate) fn gemini_takes_level(model: &str) -> bool {
    !model.starts_with("gemini-1") && !model.starts_with("gemini-2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names: Vec<_> =
            TABLE.iter().flat_map(|p| p.aliases.iter().chain([&p.name])).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_provider_that_needs_a_key_names_a_variable_for_it() {
        for provider in TABLE {
            assert!(!provider.needs_key || !provider.key_vars.is_empty(), "{}", provider.name);
            assert!(!provider.base_vars.is_empty(), "{}", provider.name);
        }
    }

    #[test]
    fn older_openai_models_are_sent_no_schema() {
        for old in
            ["gpt-4", "gpt-4-0613", "gpt-4-turbo", "gpt-3.5-turbo", "gpt-4o-2024-05-13", "o1-mini"]
        {
            assert!(!openai_takes_schema("openai", old), "{old}");
        }
        for new in ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5.1", "gpt-5-nano", "o1", "o3-mini"] {
            assert!(openai_takes_schema("openai", new), "{new}");
        }
        assert!(openai_takes_schema("vllm", "gpt-4"), "another server, another model");
    }

    #[test]
    fn models_with_one_api_only_get_that_one() {
        let openai = find("openai").expect("listed");
        assert_eq!(protocol_for(openai, "gpt-5.1"), Protocol::OpenAiChat);
        assert_eq!(protocol_for(openai, "gpt-5-mini"), Protocol::OpenAiChat);
        assert_eq!(protocol_for(openai, "gpt-5.1-codex-mini"), Protocol::OpenAiResponses);
        assert_eq!(protocol_for(openai, "o3-pro"), Protocol::OpenAiResponses);
    }
}
