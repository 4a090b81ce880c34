//! Temporary: the agreed shape.
#![allow(missing_docs)]
use crate::{Evidence, Opinion};
use aegish_policy::Role;
use aegish_wire::Usage;
use std::time::Duration;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailMode {
    Open,
    Safe,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Model,
    Cache,
}
#[derive(Debug, Clone)]
pub struct Note(pub String);
impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
#[derive(Debug, Clone)]
pub struct Ruling {
    pub opinion: Option<Opinion>,
    pub model: Option<String>,
    pub source: Source,
    pub latency: Duration,
    pub usage: Usage,
    pub cost: Option<f64>,
    pub prompt_hash: String,
    pub notes: Vec<Note>,
}
pub struct Judge;
impl Judge {
    pub fn has_model(&self) -> bool {
        false
    }
    pub fn ask(&self, _evidence: &Evidence<'_>, _role: Role) -> Ruling {
        Ruling {
            opinion: None,
            model: None,
            source: Source::Model,
            latency: Duration::ZERO,
            usage: Usage::default(),
            cost: None,
            prompt_hash: String::new(),
            notes: Vec::new(),
        }
    }
    pub fn fail_mode(&self) -> FailMode {
        FailMode::Open
    }
    pub fn min_confidence(&self) -> f64 {
        0.6
    }
}
