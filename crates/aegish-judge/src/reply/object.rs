//! JSON objects in a text → verdicts.
//!
//! A JSON parser is tried at each `{` that could start an object. Its limit of 128 levels bounds the depth
//! and the number of times a byte is read. A text with thousands of objects is not read at all.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{Opinion, salvage};

/// No honest reply opens as many objects.
const MOST_OBJECTS: usize = 2048;

/// An opinion, and the nonce that its object repeats.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) opinion: Opinion,
    pub(super) nonce: Option<String>,
}

/// The opinions in a text.
#[derive(Debug, Default)]
pub(super) struct FoundOpinions {
    /// Verdict objects, in order.
    pub(super) complete: Vec<Stated>,
    /// Opinions from broken objects, in order.
    pub(super) salvaged: Vec<Opinion>,
}

/// The verdict of a text that is one verdict object and nothing else.
pub(super) fn whole(text: &str) -> Option<Stated> {
    match serde_json::from_str::<ReplyObject>(text).ok()? {
        ReplyObject::Verdict(stated) => Some(stated),
        ReplyObject::Refused | ReplyObject::Other => None,
    }
}

/// All verdict objects in a text.
pub(super) fn scan(text: &str) -> FoundOpinions {
    let mut found = FoundOpinions::default();
    let mut at = 0;
    // Start of the text since the last object that was understood.
    let mut broken_from = 0;
    let mut tries = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('{')) {
        let open = at + open;
        let rest = text.get(open..).unwrap_or_default();
        let key = rest.get(1..).unwrap_or_default().trim_start();
        if !key.starts_with('"') {
            at = open + 1;
            continue;
        }
        tries += 1;
        if tries > MOST_OBJECTS {
            // The rest could retract what was found so far.
            return FoundOpinions::default();
        }
        let Some((object, length)) = parse(rest) else {
            at = open + 1;
            continue;
        };
        match object {
            ReplyObject::Verdict(stated) => found.complete.push(stated),
            ReplyObject::Refused => {}
            ReplyObject::Other => {
                // Perhaps a wrapper around one.
                at = open + 1;
                continue;
            }
        }
        salvage::collect(text.get(broken_from..open).unwrap_or_default(), &mut found.salvaged);
        at = open + length;
        broken_from = at;
    }
    salvage::collect(text.get(broken_from..).unwrap_or_default(), &mut found.salvaged);
    found
}

/// The object at the start of a text, and its length.
fn parse(text: &str) -> Option<(ReplyObject, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<ReplyObject>();
    let object = stream.next()?.ok()?;
    Some((object, stream.byte_offset()))
}

/// A JSON object, as far as needed.
enum ReplyObject {
    Verdict(Stated),
    /// It has an action, but is not a verdict.
    Refused,
    /// Has no action.
    Other,
}

impl<'de> Deserialize<'de> for ReplyObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = ReplyObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReplyObject, A::Error> {
        let mut action: Option<Value> = None;
        let mut reason: Option<Value> = None;
        let mut confidence: Option<Value> = None;
        let mut nonce: Option<Value> = None;
        let mut twice = false;
        while let Some(key) = map.next_key::<String>()? {
            let slot = match key.as_str() {
                "action" => &mut action,
                "reason" => &mut reason,
                "confidence" => &mut confidence,
                "nonce" => &mut nonce,
                _ => {
                    // Not `IgnoredAny`, which does not limit the depth.
                    map.next_value::<Value>()?;
                    continue;
                }
            };
            let value = map.next_value::<Value>()?;
            // Parsers differ in which of two equal keys they use.
            twice |= slot.as_ref().is_some_and(|before| *before != value);
            *slot = Some(value);
        }
        let Some(action) = action else { return Ok(ReplyObject::Other) };
        if twice {
            return Ok(ReplyObject::Refused);
        }
        let opinion = verdict(&action, reason.as_ref(), confidence.as_ref());
        let nonce = nonce.as_ref().and_then(Value::as_str).map(str::to_owned);
        Ok(opinion.map_or(ReplyObject::Refused, |opinion| {
            ReplyObject::Verdict(Stated { opinion, nonce })
        }))
    }
}

fn verdict(action: &Value, reason: Option<&Value>, confidence: Option<&Value>) -> Option<Opinion> {
    let confidence = match confidence {
        None | Some(Value::Null) => None,
        Some(Value::Number(number)) => Some(number.as_f64()?),
        Some(Value::String(word)) => Some(word.trim().parse().ok()?),
        Some(_) => return None,
    };
    Opinion::new(action.as_str()?, reason.and_then(Value::as_str), confidence)
}
