use super::*;

fn with(vars: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
    move |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

fn resolve(
    id: &str,
    vars: &'static [(&'static str, &'static str)],
) -> Result<Endpoint, EndpointError> {
    Endpoint::resolve(id, &with(vars), &EndpointSettings::default())
}

#[test]
fn every_form_of_id_finds_its_endpoint() {
    use Protocol::{AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses};
    let keys: &[(&str, &str)] = &[
        ("OPENAI_API_KEY", "k"),
        ("ANTHROPIC_API_KEY", "k"),
        ("GOOGLE_API_KEY", "k"),
        ("OPENROUTER_API_KEY", "k"),
        ("HF_TOKEN", "k"),
        ("GROQ_API_KEY", "k"),
        ("TOGETHERAI_API_KEY", "k"),
        ("MISTRAL_API_KEY", "k"),
        ("DEEPSEEK_API_KEY", "k"),
        ("AZURE_OPENAI_API_KEY", "k"),
        ("AZURE_OPENAI_ENDPOINT", "https://unit.openai.azure.com/"),
        ("MY_BOX_BASE_URL", "http://10.1.2.3:9000/api"),
    ];
    let rows = [
        ("openai/gpt-5.1", OpenAiChat, "https://api.openai.com/v1", "gpt-5.1"),
        ("openai/gpt-5.1-codex", OpenAiResponses, "https://api.openai.com/v1", "gpt-5.1-codex"),
        (
            "anthropic/claude-opus-4-6",
            AnthropicMessages,
            "https://api.anthropic.com",
            "claude-opus-4-6",
        ),
        (
            "google/gemini-3-flash",
            Gemini,
            "https://generativelanguage.googleapis.com",
            "gemini-3-flash",
        ),
        (
            "gemini/gemini-3-flash",
            Gemini,
            "https://generativelanguage.googleapis.com",
            "gemini-3-flash",
        ),
        ("openrouter/org/phi:free", OpenAiChat, "https://openrouter.ai/api/v1", "org/phi:free"),
        (
            "hf-inference-providers/org/Some-8B:featherless-ai",
            OpenAiChat,
            "https://router.huggingface.co/v1",
            "org/Some-8B:featherless-ai",
        ),
        ("ollama/llama3.2:1b", OpenAiChat, "http://127.0.0.1:11434/v1", "llama3.2:1b"),
        ("vllm/org/model", OpenAiChat, "http://127.0.0.1:8000/v1", "org/model"),
        ("lmstudio/model", OpenAiChat, "http://127.0.0.1:1234/v1", "model"),
        ("groq/llama", OpenAiChat, "https://api.groq.com/openai/v1", "llama"),
        ("together/org/m", OpenAiChat, "https://api.together.xyz/v1", "org/m"),
        ("mistral/small", OpenAiChat, "https://api.mistral.ai/v1", "small"),
        ("deepseek/chat", OpenAiChat, "https://api.deepseek.com", "chat"),
        ("azure/deployment", OpenAiChat, "https://unit.openai.azure.com/openai/v1", "deployment"),
        ("openai-api/my-box/org/m", OpenAiChat, "http://10.1.2.3:9000/api", "org/m"),
    ];
    for (id, protocol, base, model) in rows {
        let found = Endpoint::resolve(id, &with(keys), &EndpointSettings::default()).expect(id);
        assert_eq!(
            (found.protocol, &*found.base_url, &*found.model),
            (protocol, base, model),
            "{id}"
        );
    }
}

#[test]
fn the_first_key_variable_wins_and_a_blank_one_does_not_count() {
    let found =
        resolve("google/m", &[("GEMINI_API_KEY", " "), ("GOOGLE_API_KEY", "second")]).expect("key");
    assert_eq!(found.key.expect("key").expose(), "second");
    let found = resolve("google/m", &[("GEMINI_API_KEY", "first"), ("GOOGLE_API_KEY", "second")]);
    assert_eq!(found.expect("key").key.expect("key").expose(), "first");
}

#[test]
fn a_missing_key_names_the_variables() {
    let error = resolve("google/m", &[]).expect_err("no key").to_string();
    assert!(error.contains("GEMINI_API_KEY or GOOGLE_API_KEY"), "{error}");
}

#[test]
fn a_key_with_a_carriage_return_is_explained_and_not_shown() {
    let error = resolve("openai/m", &[("OPENAI_API_KEY", "sk-secret\r")]).expect_err("bad key");
    let text = format!("{error} {error:?}");
    assert!(text.contains("OPENAI_API_KEY") && text.contains("carriage return"), "{text}");
    assert!(!text.contains("sk-secret"), "{text}");
}

#[test]
fn malformed_ids_are_refused() {
    for id in [
        "",
        "gpt-4",
        "/gpt",
        "openai/",
        "openai//x",
        "openai/a b",
        "openai/a\n",
        "openai/../x",
        "google/a?b",
    ] {
        let error = resolve(id, &[("OPENAI_API_KEY", "k")]).expect_err(id);
        assert!(matches!(error, EndpointError::MalformedId { .. }), "{id}: {error}");
    }
    let long = format!("openai/{}", "x".repeat(400));
    assert!(matches!(resolve(&long, &[]), Err(EndpointError::MalformedId { .. })));
}

#[test]
fn an_unknown_provider_lists_the_known_ones() {
    let error = resolve("nobody/m", &[]).expect_err("unknown").to_string();
    assert!(error.contains("nobody") && error.contains("anthropic"), "{error}");
}

#[test]
fn named_servers_need_an_address_and_may_do_without_a_key() {
    let error = resolve("openai-api/my-box/m", &[]).expect_err("no address").to_string();
    assert!(error.contains("MY_BOX_BASE_URL"), "{error}");
    assert!(matches!(resolve("openai-api/m", &[]), Err(EndpointError::MalformedId { .. })));
}

#[test]
fn ollama_hosts_are_read_as_people_write_them() {
    let rows: &[(&'static [(&'static str, &'static str)], &str)] = &[
        (&[("OLLAMA_HOST", "0.0.0.0")], "http://127.0.0.1:11434/v1"),
        (&[("OLLAMA_HOST", "gpu")], "http://gpu:11434/v1"),
        (&[("OLLAMA_HOST", "gpu:9")], "http://gpu:9/v1"),
        (&[("OLLAMA_HOST", "http://gpu:9/")], "http://gpu:9/v1"),
        (
            &[("OLLAMA_HOST", "https://models.example.org/ollama/v1")],
            "https://models.example.org/ollama/v1",
        ),
    ];
    for (vars, base) in rows {
        assert_eq!(resolve("ollama/m", vars).expect("local").base_url, *base);
    }
}

#[test]
fn addresses_with_secrets_queries_or_other_schemes_are_refused_without_showing_the_secret() {
    for url in [
        "ftp://h",
        "https://user:hunter2@h/v1",
        "https://h/v1?token=hunter2",
        "https://",
        "http://:80",
        "a b",
    ] {
        let settings =
            EndpointSettings { base_url: Some(url.to_owned()), ..EndpointSettings::default() };
        let error = Endpoint::resolve("vllm/m", &with(&[]), &settings).expect_err(url);
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn a_key_is_not_sent_unencrypted_to_a_public_host() {
    let public = &[("VLLM_API_KEY", "k"), ("VLLM_BASE_URL", "http://models.example.org/v1")];
    assert!(matches!(resolve("vllm/m", public), Err(EndpointError::BadBaseUrl { .. })));
    for url in [
        "http://10.0.0.7/v1",
        "http://gpu:8000",
        "http://gpu.lan",
        "http://[::1]:80",
        "https://h.example",
    ] {
        let settings =
            EndpointSettings { base_url: Some(url.to_owned()), ..EndpointSettings::default() };
        assert!(
            Endpoint::resolve("vllm/m", &with(&[("VLLM_API_KEY", "k")]), &settings).is_ok(),
            "{url}"
        );
    }
}

#[test]
fn settings_win_over_the_environment() {
    let settings = EndpointSettings {
        base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        key_var: Some("WORK_KEY".to_owned()),
        protocol: Some(Protocol::OpenAiResponses),
    };
    let env = with(&[
        ("OPENAI_API_KEY", "home"),
        ("WORK_KEY", "work"),
        ("OPENAI_BASE_URL", "http://gpu/v1"),
    ]);
    let found = Endpoint::resolve("openai/m", &env, &settings).expect("set");
    assert_eq!(found.base_url, "http://127.0.0.1:1/v1");
    assert_eq!(found.key.expect("key").expose(), "work");
    assert_eq!(found.protocol, Protocol::OpenAiResponses);
}
