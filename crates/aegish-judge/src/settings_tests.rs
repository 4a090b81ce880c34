use super::*;

fn from(vars: &[(&str, &str)]) -> Result<JudgeSettings, SettingsError> {
    let env = |name: &str| {
        vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    JudgeSettings::from_env(&env)
}

fn models_of(vars: &[(&str, &str)]) -> Vec<String> {
    from(vars).expect("settings").models
}

#[test]
fn an_empty_environment_gives_the_defaults() {
    let settings = from(&[]).expect("settings");
    assert_eq!(settings.models, ["openai/gpt-4", "anthropic/claude-3-haiku-20240307"]);
    assert_eq!(settings.fail_mode, FailMode::Open);
    assert_eq!(settings.timeout, Duration::from_secs(30));
    assert_eq!((settings.queries_per_minute, settings.min_confidence), (30, 0.6));
    assert_eq!((settings.budget_per_day, settings.allowed_providers), (None, None));
    assert_eq!((settings.cache.dir, settings.state_dir, settings.ca_file), (None, None, None));
    assert_eq!(settings.prompt, Prompt::built_in(Role::Default));
}

#[test]
fn every_variable_is_read() {
    let settings = from(&[
        ("AEGISH_PRIMARY_MODEL", " ollama/llama3.2 "),
        ("AEGISH_FALLBACK_MODELS", "openai-api/box/m, gemini/gemini-3-flash-preview"),
        ("AEGISH_ALLOWED_PROVIDERS", "Ollama, gemini,openai-api/box"),
        ("AEGISH_FAIL_MODE", "SAFE"),
        ("AEGISH_LLM_TIMEOUT", "2.5"),
        ("AEGISH_MAX_QUERIES_PER_MINUTE", "7"),
        ("AEGISH_MIN_CONFIDENCE", "0"),
        ("AEGISH_BUDGET_USD_PER_DAY", "1.25"),
        ("AEGISH_CACHE_TTL", "12h"),
        ("AEGISH_CACHE_MAX_ENTRIES", "300"),
        ("AEGISH_CACHE_DIR", "/c"),
        ("AEGISH_STATE_DIR", "/s"),
        ("AEGISH_CA_FILE", "/ca.pem"),
    ])
    .expect("settings");
    assert_eq!(
        settings.models,
        ["ollama/llama3.2", "openai-api/box/m", "gemini/gemini-3-flash-preview"]
    );
    let allowed = settings.allowed_providers.clone().expect("a list");
    assert_eq!(Vec::from_iter(allowed), ["google", "ollama", "openai-api/box"]);
    assert_eq!(settings.fail_mode, FailMode::Safe);
    assert_eq!(settings.timeout, Duration::from_millis(2500));
    assert_eq!((settings.queries_per_minute, settings.min_confidence), (7, 0.0));
    assert_eq!(settings.budget_per_day, Some(1.25));
    assert_eq!(settings.cache.ttl, Duration::from_secs(12 * 3600));
    assert_eq!(settings.cache.max_entries, 300);
    assert_eq!(settings.cache.dir, Some("/c".into()));
    assert_eq!(settings.state_dir, Some("/s".into()));
    assert_eq!(settings.ca_file, Some("/ca.pem".into()));
}

#[test]
fn an_empty_list_of_fallbacks_leaves_one_model_and_no_list_is_the_default() {
    assert_eq!(models_of(&[("AEGISH_FALLBACK_MODELS", "")]), ["openai/gpt-4"]);
    assert_eq!(models_of(&[("AEGISH_FALLBACK_MODELS", " , ")]), ["openai/gpt-4"]);
    assert_eq!(models_of(&[("AEGISH_PRIMARY_MODEL", "")])[0], "openai/gpt-4");
    assert_eq!(models_of(&[("AEGISH_PRIMARY_MODEL", "groq/x")]).len(), 2);
}

#[test]
fn a_model_is_asked_once_in_any_spelling() {
    let models = models_of(&[
        ("AEGISH_PRIMARY_MODEL", "google/g"),
        ("AEGISH_FALLBACK_MODELS", "gemini/g,GOOGLE/g,google/h,openai/gpt-4,openai/gpt-4"),
    ]);
    assert_eq!(models, ["google/g", "google/h", "openai/gpt-4"]);
}

#[test]
fn production_fails_safe_unless_configured_otherwise() {
    let mode = |vars: &[(&str, &str)]| from(vars).expect("settings").fail_mode;
    assert_eq!(mode(&[("AEGISH_MODE", "production")]), FailMode::Safe);
    assert_eq!(mode(&[("AEGISH_MODE", "development")]), FailMode::Open);
    let told = [("AEGISH_MODE", "production"), ("AEGISH_FAIL_MODE", "open")];
    assert_eq!(mode(&told), FailMode::Open);
}

#[test]
fn a_bad_value_names_its_variable_and_what_to_write() {
    let rows = [
        ("AEGISH_MODE", "prod"),
        ("AEGISH_FAIL_MODE", "closed"),
        ("AEGISH_LLM_TIMEOUT", "soon"),
        ("AEGISH_LLM_TIMEOUT", "0"),
        ("AEGISH_LLM_TIMEOUT", "-1"),
        ("AEGISH_LLM_TIMEOUT", "NaN"),
        ("AEGISH_LLM_TIMEOUT", "inf"),
        ("AEGISH_LLM_TIMEOUT", "1e9"),
        ("AEGISH_MAX_QUERIES_PER_MINUTE", "0"),
        ("AEGISH_MAX_QUERIES_PER_MINUTE", "-3"),
        ("AEGISH_MAX_QUERIES_PER_MINUTE", "2.5"),
        ("AEGISH_MIN_CONFIDENCE", "60"),
        ("AEGISH_MIN_CONFIDENCE", "NaN"),
        ("AEGISH_BUDGET_USD_PER_DAY", "-1"),
        ("AEGISH_BUDGET_USD_PER_DAY", "inf"),
        ("AEGISH_BUDGET_USD_PER_DAY", "$5"),
        ("AEGISH_CACHE", "no"),
        ("AEGISH_CACHE_TTL", "7"),
        ("AEGISH_CACHE_TTL", "0d"),
        ("AEGISH_CACHE_TTL", "99999999999999999999d"),
        ("AEGISH_CACHE_TTL", "7ä"),
        ("AEGISH_CACHE_MAX_ENTRIES", "10"),
        ("AEGISH_CACHE_DIR", "cache"),
        ("AEGISH_STATE_DIR", "~/state"),
        ("AEGISH_CA_FILE", "ca.pem"),
        ("AEGISH_PRIMARY_MODEL", "gpt-4"),
        ("AEGISH_PRIMARY_MODEL", "nobody/gpt-4"),
        ("AEGISH_FALLBACK_MODELS", "openai/gpt-4,openai/"),
        ("AEGISH_ALLOWED_PROVIDERS", "openai,nobody"),
        ("AEGISH_ALLOWED_PROVIDERS", ","),
    ];
    for (variable, value) in rows {
        let error = from(&[(variable, value)]).expect_err(value);
        assert_eq!(error.variable, variable, "{value}");
        let text = error.to_string();
        assert!(text.starts_with("no model was set up: "), "{text}");
        assert!(text.contains(variable) && text.contains(error.value.as_str()), "{text}");
        assert!(value.contains(error.value.as_str()), "{text}");
    }
}

#[test]
fn a_bad_value_is_shown_cut_and_without_control_characters() {
    let long = format!("\u{1b}[2J{}", "x".repeat(500));
    let error = from(&[("AEGISH_CACHE", &long)]).expect_err("no word");
    assert!(!error.to_string().contains('\u{1b}') && error.to_string().len() < 200, "{error}");
}

#[test]
fn files_belong_below_the_users_directories() {
    let home = from(&[("HOME", "/home/u")]).expect("settings");
    assert_eq!(home.cache.dir, Some("/home/u/.cache/aegish".into()));
    assert_eq!(home.state_dir, Some("/home/u/.local/state/aegish".into()));
    let xdg = [("HOME", "/home/u"), ("XDG_CACHE_HOME", "/x"), ("XDG_STATE_HOME", "relative")];
    let xdg = from(&xdg).expect("settings");
    assert_eq!(xdg.cache.dir, Some("/x/aegish".into()));
    assert_eq!(xdg.state_dir, Some("/home/u/.local/state/aegish".into()));
    let off = from(&[("HOME", "/home/u"), ("AEGISH_CACHE", "off")]).expect("settings");
    assert_eq!(off.cache.dir, None);
}

#[test]
fn the_list_of_providers_holds_for_every_spelling_and_for_named_servers() {
    let allows = |list: &str, id: &str| {
        from(&[("AEGISH_ALLOWED_PROVIDERS", list)]).expect("settings").allows(id)
    };
    assert!(allows("gemini", "google/g") && allows("google", "GEMINI/g"));
    assert!(!allows("google", "openai/gpt-4"));
    assert!(allows("openai-api", "openai-api/box/m"));
    assert!(allows("openai-api/box", "openai-api/box/m"));
    assert!(!allows("openai-api/box", "openai-api/other/m"));
    assert!(!allows("openai", "openai-api/box/m"));
    assert!(JudgeSettings::default().allows("anything/at-all"));
}
