//! The published schema, and whether output fits it.
#![allow(clippy::expect_used, clippy::panic)] // helpers belong to the tests

use jsonschema::Validator;
use serde_json::Value;

/// A validator for the schema. Test binaries read it from the repository at run time.
pub(crate) fn validator() -> Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/verdict.schema.json");
    let text = std::fs::read_to_string(path).expect("the schema of the repository");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

/// The output fits.
pub(crate) fn fits(text: &str) {
    let value: Value = serde_json::from_str(text).expect("the output is JSON");
    if let Err(error) = validator().validate(&value) {
        panic!("{}: {error}\n{text}", error.instance_path());
    }
}
