//! Compiles `data/prices.toml` into a static table.
//!
//! Every mistake (an unknown field, an invalid date, a wrong order, a negative price) stops the build and
//! names the model.
#![allow(clippy::print_stdout, clippy::print_stderr)] // cargo reads the output of build scripts

use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    batch: Vec<Batch>,
    price: Vec<Price>,
}

/// What a provider charges for requests in a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    provider: String,
    share: f64,
    as_of: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    model: String,
    input: f64,
    output: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    per_command: Option<f64>,
    as_of: String,
    source: String,
}

fn main() {
    if let Err(error) = run() {
        eprintln!("prices were not compiled: {error}");
        process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?);
    let data = root.join("data/prices.toml");
    println!("cargo::rerun-if-changed={}", data.display());
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(&data).map_err(|e| format!("{}: {e}", data.display()))?;
    let file: File = toml::from_str(&text).map_err(|e| format!("prices.toml: {e}"))?;

    for batch in &file.batch {
        check_batch(batch)
            .map_err(|e| format!("prices.toml: batches of {}: {e}", batch.provider))?;
    }
    let mut before = String::new();
    for price in &file.price {
        check(price, &before).map_err(|e| format!("prices.toml: {}: {e}", price.model))?;
        before.clone_from(&price.model);
    }
    let mut code = String::new();
    table(&mut code, "PRICES", &file.price)?;
    let in_batch: Vec<Price> =
        file.price.iter().filter_map(|price| in_batch(price, &file.batch)).collect();
    table(&mut code, "BATCH_PRICES", &in_batch)?;
    let out = Path::new(&env::var("OUT_DIR").map_err(|e| e.to_string())?).join("prices.rs");
    fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
}

fn table(code: &mut String, name: &str, prices: &[Price]) -> Result<(), String> {
    writeln!(code, "static {name}: &[Price] = &[").map_err(|e| e.to_string())?;
    for price in prices {
        writeln!(
            code,
            "Price {{ model: {:?}, input: {:?}, output: {:?}, cached_input: {:?}, cache_write: {:?}, \
             per_command: {:?}, as_of: {:?}, source: {:?} }},",
            price.model,
            price.input,
            price.output,
            price.cached_input,
            price.cache_write,
            price.per_command,
            price.as_of,
            price.source,
        )
        .map_err(|e| e.to_string())?;
    }
    code.push_str("];\n");
    Ok(())
}

/// The price of a model in a batch, if its provider has batches.
fn in_batch(price: &Price, batches: &[Batch]) -> Option<Price> {
    let (provider, _) = price.model.split_once('/')?;
    let batch = batches.iter().find(|batch| batch.provider == provider)?;
    let part = |dollars: f64| dollars * batch.share;
    Some(Price {
        model: price.model.clone(),
        input: part(price.input),
        output: part(price.output),
        cached_input: price.cached_input.map(part),
        cache_write: price.cache_write.map(part),
        per_command: price.per_command.map(part),
        as_of: batch.as_of.clone(),
        source: batch.source.clone(),
    })
}

fn check_batch(batch: &Batch) -> Result<(), String> {
    if !(batch.share > 0.0 && batch.share <= 1.0) {
        return Err(format!("{} is not a share", batch.share));
    }
    if !is_date(&batch.as_of) || !batch.source.starts_with("https://") {
        return Err("they need a day and a source".to_owned());
    }
    Ok(())
}

fn check(price: &Price, before: &str) -> Result<(), String> {
    if price.model.as_str() <= before {
        return Err(format!("must stand before {before}, and only once"));
    }
    if !price.model.contains('/') {
        return Err("is not PROVIDER/MODEL".to_owned());
    }
    let all = [Some(price.input), Some(price.output), price.cached_input, price.cache_write];
    for value in all.into_iter().chain([price.per_command]).flatten() {
        if !value.is_finite() || value < 0.0 {
            return Err(format!("{value} is not a price"));
        }
    }
    if price.cached_input.is_some_and(|cached| cached > price.input) {
        return Err("reading from a cache is not dearer than reading".to_owned());
    }
    if !is_date(&price.as_of) {
        return Err(format!("{:?} is not a day: write YYYY-MM-DD", price.as_of));
    }
    if !price.source.starts_with("https://") {
        return Err("names no source".to_owned());
    }
    Ok(())
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    number(year, 4).is_some_and(|year| year >= 2024)
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}
