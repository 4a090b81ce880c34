//! The configured chain and providers. No model is asked, no key is shown.

use aegish_redact::redact;
use aegish_wire::{Env, Provider, providers};

use super::Judge;
use crate::SkipReason;
use crate::price::Price;

/// One model of the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its id as configured.
    pub model: String,
    /// Its price, if it is known.
    pub price: Option<&'static Price>,
    /// Its address, or why it cannot be asked.
    pub place: Result<String, SkipReason>,
}

/// The setup of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSetup {
    /// The part of a model id before the first `/`.
    pub provider: &'static str,
    /// Other spellings of it.
    pub aliases: &'static [&'static str],
    /// Its address, without a password; none if it has to be set first.
    pub address: Option<String>,
    /// The variables that set the address.
    pub address_variables: &'static [&'static str],
    /// Its key.
    pub key: KeyState,
    /// The variables that hold a key.
    pub key_variables: &'static [&'static str],
    /// Variables that say anything else: a region, a project, a version.
    pub other_variables: &'static [&'static str],
}

/// Whether a provider can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// This variable holds a key.
    Found(&'static str),
    /// None was found, and it needs one.
    Missing,
    /// It needs no key.
    NotNeeded,
}

impl Judge {
    /// The models in the order in which they are asked.
    #[must_use]
    pub fn members(&self) -> Vec<Member> {
        let member = |link: &super::Link| Member {
            model: link.id.clone(),
            price: link.price,
            place: match &link.endpoint {
                Ok(endpoint) => Ok(redact(&endpoint.base_url).into_owned()),
                Err(why) => Err(why.clone()),
            },
        };
        self.in_order().map(member).collect()
    }
}

/// All named providers, with their settings in the environment.
#[must_use]
pub fn accounts(env: Env<'_>) -> Vec<ProviderSetup> {
    providers().iter().map(|provider| account(provider, env)).collect()
}

fn account(provider: &'static Provider, env: Env<'_>) -> ProviderSetup {
    let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let key = match provider.key_vars.iter().copied().find(|name| set(name).is_some()) {
        Some(variable) => KeyState::Found(variable),
        None if provider.needs_key => KeyState::Missing,
        None => KeyState::NotNeeded,
    };
    let address = provider.base_vars.iter().find_map(|name| set(name));
    ProviderSetup {
        provider: provider.name,
        aliases: provider.aliases,
        address: address
            .or_else(|| provider.base.map(str::to_owned))
            .map(|address| redact(address.trim()).into_owned()),
        address_variables: provider.base_vars,
        key,
        key_variables: provider.key_vars,
        other_variables: provider.other_vars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JudgeSettings;

    fn env(name: &str) -> Option<String> {
        match name {
            "ANTHROPIC_API_KEY" => Some("sk-ant-0123456789abcdef".to_owned()),
            "OPENAI_API_KEY" => Some(" ".to_owned()),
            "VLLM_BASE_URL" => Some("http://joe:hunter2hunter2@gpu.lan:8000/v1".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn each_model_has_an_address_or_a_reason() {
        let judge = Judge::new(JudgeSettings::default(), &env);
        let members = judge.members();
        assert_eq!(members[0].model, "openai/gpt-4");
        assert!(
            members[0].place.as_ref().is_err_and(|why| why.to_string().contains("OPENAI_API_KEY"))
        );
        assert_eq!(members[1].place, Ok("https://api.anthropic.com".to_owned()));
        assert!(members.iter().all(|member| member.price.is_some()));
    }

    #[test]
    fn accounts_name_variables_and_show_neither_keys_nor_passwords() {
        let accounts = accounts(&env);
        let of = |name: &str| accounts.iter().find(|account| account.provider == name).expect(name);
        assert_eq!(of("anthropic").key, KeyState::Found("ANTHROPIC_API_KEY"));
        assert_eq!(of("openai").key, KeyState::Missing);
        assert_eq!(of("ollama").key, KeyState::NotNeeded);
        assert_eq!(of("azure").address, None);
        let shown = format!("{accounts:?}");
        assert!(!shown.contains("hunter2") && !shown.contains("0123456789"), "{shown}");
    }
}
