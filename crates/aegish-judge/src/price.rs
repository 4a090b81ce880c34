//! The cost of answers.
//!
//! Takes a model id and the tokens of an answer; gives US dollars, or nothing if the price or the tokens are
//! unknown: unknown is never read as free. Prices are data with a date (`data/prices.toml`), compiled in.

use aegish_wire::Usage;

use crate::settings::canonical;

/// The prices of a model. Token prices are in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// The model's id, with the provider's canonical name.
    pub model: &'static str,
    /// Input.
    pub input: f64,
    /// Output, reasoning included.
    pub output: f64,
    /// Input from the provider's cache.
    pub cached_input: Option<f64>,
    /// Input that is written to the provider's cache.
    pub cache_write: Option<f64>,
    /// US dollars for one command, for offers that do not bill by tokens.
    pub per_command: Option<f64>,
    /// The day on which the price is known to have held, as `YYYY-MM-DD`.
    pub as_of: &'static str,
    /// The provider's page with the price.
    pub source: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/prices.rs"));

/// All prices, sorted by model.
#[must_use]
pub fn all() -> &'static [Price] {
    PRICES
}

/// The price of the static side, which sends no requests.
static STATIC: Price = Price {
    model: "static",
    input: 0.0,
    output: 0.0,
    cached_input: None,
    cache_write: None,
    per_command: Some(0.0),
    as_of: "any day",
    source: "computed on this machine",
};

/// The price of a model, by its id in any spelling of its provider.
///
/// A dated name and its short form are two names: only what the table lists is found. The static side is free.
#[must_use]
pub fn find(model_id: &str) -> Option<&'static Price> {
    if model_id == STATIC.model {
        return Some(&STATIC);
    }
    listed(PRICES, model_id)
}

/// The price of a model for requests in a batch, if its provider has batches.
#[must_use]
pub fn in_batch(model_id: &str) -> Option<&'static Price> {
    listed(BATCH_PRICES, model_id)
}

fn listed(table: &'static [Price], model_id: &str) -> Option<&'static Price> {
    let id = canonical(model_id);
    let at = table.binary_search_by(|price| price.model.cmp(&id)).ok()?;
    table.get(at)
}

impl Price {
    /// The cost of an answer in US dollars: cached input at its own price where there is one.
    ///
    /// Without tokens, or if they are free, the price per command; without that, unknown.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        self.or_per_command(usage, |input, output| {
            let cached = usage.cached.unwrap_or(0).min(input);
            let written = usage.cache_write.unwrap_or(0).min(input - cached);
            let rest = input - cached - written;
            dollars(rest, self.input)
                + dollars(cached, self.cached_input.unwrap_or(self.input))
                + dollars(written, self.cache_write.unwrap_or(self.input))
                + dollars(output, self.output)
        })
    }

    /// The cost of an answer by the benchmark's formula: all input at the full price.
    #[must_use]
    pub fn seed_cost(&self, usage: &Usage) -> Option<f64> {
        self.or_per_command(usage, |input, output| {
            dollars(input, self.input) + dollars(output, self.output)
        })
    }

    fn or_per_command(&self, usage: &Usage, by_token: impl Fn(u64, u64) -> f64) -> Option<f64> {
        let tokens = usage.input.zip(usage.output).map(|(input, output)| by_token(input, output));
        match (tokens, self.per_command) {
            (Some(0.0), Some(flat)) => Some(flat),
            (Some(cost), _) => Some(cost),
            (None, flat) => flat,
        }
    }
}

/// Tokens at a price per million.
#[expect(clippy::cast_precision_loss, reason = "exact far beyond any number of tokens")]
fn dollars(tokens: u64, per_million: f64) -> f64 {
    tokens as f64 * per_million / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_wire::providers;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input: Some(input), output: Some(output), ..Usage::default() }
    }

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn prices_are_sorted_unique_dated_and_sourced() {
        assert!(all().windows(2).all(|pair| pair[0].model < pair[1].model));
        for price in all() {
            let (name, _) = price.model.split_once('/').expect(price.model);
            assert!(providers().iter().any(|provider| provider.name == name), "{}", price.model);
            assert!(price.as_of.len() == 10 && price.as_of >= "2024-01-01", "{}", price.model);
            assert!(price.source.starts_with("https://"), "{}", price.model);
            assert_eq!(find(price.model), Some(price));
        }
    }

    #[test]
    fn every_model_that_was_evaluated_or_is_a_default_has_its_price() {
        let rows = [
            ("openai/gpt-5.1", 1.25, 10.0),
            ("openai/gpt-5-mini", 0.25, 2.0),
            ("openai/gpt-5-nano", 0.05, 0.4),
            ("anthropic/claude-opus-4-6", 5.0, 25.0),
            ("anthropic/claude-sonnet-4-5-20250929", 3.0, 15.0),
            ("anthropic/claude-haiku-4-5-20251001", 1.0, 5.0),
            ("google/gemini-3-pro-preview", 2.0, 12.0),
            ("google/gemini-3-flash-preview", 0.5, 3.0),
            ("openrouter/microsoft/phi-4", 0.06, 0.14),
            ("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai", 0.0, 0.0),
            (
                "hf-inference-providers/trendmicro-ailab/Llama-Primus-Reasoning:featherless-ai",
                0.0,
                0.0,
            ),
            ("openai/gpt-4", 30.0, 60.0),
            ("anthropic/claude-3-haiku-20240307", 0.25, 1.25),
            ("openai/gpt-4o", 2.5, 10.0),
            ("openai/gpt-4o-mini", 0.15, 0.6),
            ("anthropic/claude-3-5-haiku-20241022", 0.8, 4.0),
            ("anthropic/claude-3-5-sonnet-20241022", 3.0, 15.0),
        ];
        for (model, input, output) in rows {
            let price = find(model).expect(model);
            assert_eq!((price.input, price.output), (input, output), "{model}");
        }
    }

    #[test]
    fn a_provider_is_found_by_any_of_its_names_and_a_model_only_by_its_own() {
        assert_eq!(find("gemini/gemini-3-flash-preview"), find("google/gemini-3-flash-preview"));
        assert!(find("featherless_ai/fdtn-ai/Foundation-Sec-8B-Instruct").is_some());
        assert!(find("OpenAI/gpt-4").is_some());
        for unknown in ["gpt-4", "openai/gpt-4o-2024-05-13", "ollama/llama3", "nobody/gpt-4", ""] {
            assert_eq!(find(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_batch_costs_half_where_there_are_batches() {
        let usage = Usage { cached: Some(500), cache_write: Some(100), ..usage(1000, 100) };
        for model in ["openai/gpt-5-mini", "anthropic/claude-opus-4-6"] {
            let full = find(model).and_then(|price| price.cost(&usage)).expect("a price");
            assert!(near(in_batch(model).and_then(|price| price.cost(&usage)), full / 2.0));
        }
        assert_eq!(in_batch("openrouter/microsoft/phi-4"), None);
        assert_eq!(in_batch("static"), None);
    }

    #[test]
    fn cached_input_costs_less_and_the_benchmark_does_not_care() {
        let price = find("anthropic/claude-opus-4-6").expect("listed");
        let plain = usage(1_000_000, 100_000);
        assert!(near(price.cost(&plain), 7.5));
        let cached = Usage { cached: Some(600_000), cache_write: Some(200_000), ..plain };
        assert!(near(price.cost(&cached), 0.2 * 5.0 + 0.6 * 0.5 + 0.2 * 6.25 + 2.5));
        assert!(near(price.seed_cost(&cached), 7.5));
        // Wrong counts of a provider do not make an answer free.
        let odd = Usage { cached: Some(9_000_000), cache_write: Some(9_000_000), ..plain };
        assert!(near(price.cost(&odd), 0.5 + 2.5));
    }

    #[test]
    fn without_tokens_the_cost_is_that_of_a_command_or_unknown() {
        let flat = find("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai");
        let flat = flat.expect("listed");
        for usage in [Usage::default(), usage(2000, 100)] {
            assert!(near(flat.cost(&usage), 1.08 / 741.0));
            assert!(near(flat.seed_cost(&usage), 1.08 / 741.0));
        }
        let price = find("openai/gpt-5.1").expect("listed");
        assert_eq!(price.cost(&Usage::default()), None);
        assert_eq!(price.cost(&Usage { input: Some(1), ..Usage::default() }), None);
        assert_eq!(price.cost(&usage(0, 0)), Some(0.0));
    }
}
