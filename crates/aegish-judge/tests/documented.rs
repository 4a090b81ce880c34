//! The page about models names every variable that is read and every provider that is known.

use std::cell::RefCell;
use std::collections::BTreeSet;

use aegish_judge::JudgeSettings;
use aegish_wire::providers;

/// The page, if the crate is built inside its repository.
#[expect(clippy::print_stdout, reason = "what is not tested is told")]
fn page() -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/models.md");
    let page = std::fs::read_to_string(path).ok();
    if page.is_none() {
        println!("SKIPPED: {path} is not there");
    }
    page
}

#[test]
fn every_variable_that_is_read_is_on_the_page_and_the_guards_own() {
    let Some(page) = page() else { return };
    let read = RefCell::new(BTreeSet::new());
    let env = |name: &str| {
        read.borrow_mut().insert(name.to_owned());
        None
    };
    assert!(JudgeSettings::from_env(&env).is_ok());
    let ours = |name: &&String| name.starts_with("AEGISH_");
    let mut read: BTreeSet<String> = read.borrow().iter().filter(ours).cloned().collect();
    // The judge does not read the setting of when to ask models.
    read.insert("AEGISH_JUDGE".to_owned());
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `AEGISH_")?.split_once('`'));
    let listed: BTreeSet<String> = rows.map(|(name, _)| format!("AEGISH_{name}")).collect();
    assert_eq!(read, listed);
}

#[test]
fn every_provider_is_on_the_page_with_its_names_and_variables() {
    let Some(page) = page() else { return };
    for provider in providers() {
        let start = format!("| `{}` |", provider.name);
        let row = page.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("no row for {}", provider.name));
        let variables = provider.base_vars.iter().chain(provider.key_vars);
        let words = provider.aliases.iter().chain(variables).chain(provider.other_vars);
        for word in words {
            assert!(row.contains(&format!("`{word}`")), "{}: {word}", provider.name);
        }
        assert_eq!(row.contains("none needed"), !provider.needs_key, "{}", provider.name);
    }
}

#[test]
fn the_defaults_on_the_page_are_the_defaults() {
    let Some(page) = page() else { return };
    let default = JudgeSettings::default();
    let of = |variable: &str| {
        let start = format!("| `{variable}` | `");
        let row = page.lines().find_map(|line| line.strip_prefix(&start));
        row.and_then(|row| row.split('`').next()).unwrap_or_default().to_owned()
    };
    assert_eq!(of("AEGISH_PRIMARY_MODEL"), default.models[0]);
    assert_eq!(of("AEGISH_FALLBACK_MODELS"), default.models[1]);
    assert_eq!(of("AEGISH_LLM_TIMEOUT"), default.timeout.as_secs().to_string());
    assert_eq!(of("AEGISH_MAX_QUERIES_PER_MINUTE"), default.queries_per_minute.to_string());
    assert_eq!(of("AEGISH_MIN_CONFIDENCE"), default.min_confidence.to_string());
    assert_eq!(of("AEGISH_CACHE_MAX_ENTRIES"), default.cache.max_entries.to_string());
    assert_eq!(of("AEGISH_CACHE_TTL"), format!("{}d", default.cache.ttl.as_secs() / 86_400));
}
