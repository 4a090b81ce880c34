//! Replaces the names in attacks and adds harmless twins, so that fixed names do not reveal attacks.
//!
//! The seed's attacks all use the same few names (`/etc/shadow`, `10.0.0.1`, `/bin/sh` …): one pattern over
//! six of them finds nine of ten attacks and no harmless command. Here each attack gets other members of the
//! same class, chosen by a random seed. Most file techniques also get a twin that differs only in its files
//! or hosts and is expected to pass. Only the effect distinguishes the two.

mod choice;
mod classes;
mod twins;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use aegish_log::{Expected, Sample};
use choice::SeededChoice;
use classes::{MARKERS, NameClass};
use twins::Recipe;

/// The replacements for one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The sample with other names; unchanged if it is harmless or contains no name of the seed.
    pub sample: Sample,
    /// The harmless twin, if there can be one.
    pub twin: Option<Sample>,
}

/// Replaces the names in a sample.
#[must_use]
pub fn instantiate(sample: &Sample, seed: u64) -> Instance {
    let matches = matches(&sample.command);
    if sample.expected == Expected::Pass || matches.is_empty() {
        return Instance { sample: sample.clone(), twin: None };
    }
    let mut replaced = BTreeMap::new();
    let command = rewrite(&sample.command, &matches, |marker, class, _| {
        let member = member(sample, &matches, marker, class, seed);
        replaced.insert(marker, member.clone());
        member
    });
    let mut metadata = sample.metadata.clone();
    metadata.insert("origin".to_owned(), Value::from(sample.id.as_str()));
    metadata.insert("seed".to_owned(), Value::from(seed));
    let names = replaced.iter().map(|(name, new)| ((*name).to_owned(), Value::from(new.as_str())));
    metadata.insert("replaced".to_owned(), Value::Object(names.collect()));
    let instance =
        Sample { id: format!("{}.{seed}", sample.id), command, metadata, ..sample.clone() };
    let twin = twin(sample, &instance, &matches, seed);
    Instance { sample: instance, twin }
}

impl IntoIterator for Instance {
    type Item = Sample;
    type IntoIter = std::iter::Chain<std::iter::Once<Sample>, std::option::IntoIter<Sample>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.sample).chain(self.twin)
    }
}

/// A name of the seed found in a text.
struct MarkerMatch {
    start: usize,
    marker: &'static str,
    class: NameClass,
}

/// The names of the seed in a text, in order.
fn matches(command: &str) -> Vec<MarkerMatch> {
    let mut matches = Vec::new();
    let mut start = 0;
    while let Some(rest) = command.get(start..) {
        let Some(first) = rest.chars().next() else { break };
        let found = MARKERS.iter().find(|(marker, class)| {
            let before = command.get(..start).unwrap_or_default();
            rest.strip_prefix(marker)
                .is_some_and(|behind| classes::stands_alone(*class, before, behind))
        });
        match found {
            Some((marker, class)) => {
                matches.push(MarkerMatch { start, marker, class: *class });
                start += marker.len();
            }
            None => start += first.len_utf8(),
        }
    }
    matches
}

/// Replaces every name; the function gets the name, its class and the text after it.
fn rewrite(
    command: &str,
    matches: &[MarkerMatch],
    mut with: impl FnMut(&'static str, NameClass, &str) -> String,
) -> String {
    let mut text = String::with_capacity(command.len());
    let mut end = 0;
    for place in matches {
        text.push_str(command.get(end..place.start).unwrap_or_default());
        end = place.start + place.marker.len();
        let behind = command.get(end..).unwrap_or_default();
        text.push_str(&with(place.marker, place.class, behind));
    }
    text.push_str(command.get(end..).unwrap_or_default());
    text
}

/// The same name gets the same replacement everywhere in a command.
fn member(
    sample: &Sample,
    matches: &[MarkerMatch],
    marker: &str,
    class: NameClass,
    seed: u64,
) -> String {
    let mut draw = SeededChoice::new(seed, &sample.command, marker);
    // Some techniques write to the file that GTFOBins calls the input.
    let written = class == NameClass::CriticalFile
        && sample.category.as_deref() == Some("file-write")
        && matches.iter().all(|place| place.class != NameClass::WriteTarget);
    if written {
        return classes::critical_both_ways(&mut draw);
    }
    classes::other(class, &mut draw, &sample.command)
}

fn twin(origin: &Sample, instance: &Sample, matches: &[MarkerMatch], seed: u64) -> Option<Sample> {
    let category = origin.category.as_deref()?;
    let binary = origin.metadata.get("binary").and_then(Value::as_str)?;
    let classes: Vec<NameClass> = matches.iter().map(|place| place.class).collect();
    let recipe = twins::recipe(category, binary, &origin.command, &classes)?;
    let command = rewrite(&origin.command, matches, |marker, class, behind| {
        let mut draw = SeededChoice::new(seed, &origin.command, &format!("twin {marker}"));
        let instead = recipe.instead(class, &mut draw, behind);
        instead.unwrap_or_else(|| member(origin, matches, marker, class, seed))
    });
    let mut metadata: Map<String, Value> = instance.metadata.clone();
    metadata.remove("replaced");
    metadata.insert("twin_of".to_owned(), Value::from(instance.id.as_str()));
    metadata.insert("twin".to_owned(), Value::from(why(recipe)));
    Some(Sample {
        id: format!("{}.twin", instance.id),
        command,
        expected: Expected::Pass,
        category: origin.category.clone(),
        metadata,
    })
}

/// Why a twin is harmless, for readers of a log.
fn why(recipe: Recipe) -> &'static str {
    match recipe {
        Recipe::Files => "the same technique on ordinary files",
        Recipe::SentHere => "an ordinary file, sent to this machine",
        Recipe::Fetched => "a download into an ordinary file",
        Recipe::Program => "runs a program that only tells something",
    }
}
