//! Named lists of models.

use std::fmt;
use std::str::FromStr;

use aegish_judge::Scoring;

const SEED: &str = include_str!("../../suites/seed.txt");

/// A named list of models, and the rules by which their answers are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// The ten models that the seed (see the glossary) evaluates, scored by the seed.
    Seed,
    /// The same models, scored as the original program did.
    Original,
}

impl Suite {
    /// The rules by which answers are scored.
    #[must_use]
    pub fn scoring(self) -> Scoring {
        match self {
            Self::Seed => Scoring::Seed,
            Self::Original => Scoring::Original,
        }
    }

    /// The ids of its models.
    pub fn models(self) -> impl Iterator<Item = &'static str> {
        SEED.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}

/// A word that names no suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSuite;

impl fmt::Display for UnknownSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a suite: there are `seed` and `original`")
    }
}

impl std::error::Error for UnknownSuite {}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(word: &str) -> Result<Self, UnknownSuite> {
        match word {
            "seed" => Ok(Self::Seed),
            "original" => Ok(Self::Original),
            _ => Err(UnknownSuite),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_judge::price;
    use aegish_wire::{Endpoint, EndpointError, EndpointSettings};
    use std::collections::BTreeSet;

    #[test]
    fn the_seed_has_ten_models_of_five_providers_all_with_a_price() {
        let models: Vec<&str> = Suite::Seed.models().collect();
        assert_eq!(models.len(), 10);
        let mut providers = BTreeSet::new();
        for model in models {
            assert!(price::find(model).is_some(), "{model}");
            let key = |_: &str| Some("sk-0123456789".to_owned());
            let endpoint =
                Endpoint::resolve(model, &key, &EndpointSettings::default()).expect(model);
            providers.insert(endpoint.provider);
            let without = Endpoint::resolve(model, &|_| None, &EndpointSettings::default());
            assert!(matches!(without, Err(EndpointError::MissingKey { .. })), "{model}");
        }
        assert_eq!(providers.len(), 5);
    }
}
