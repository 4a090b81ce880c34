//! Normal operation.
//!
//! # What
//!
//! Everything that no other rule speaks about.
//!
//! # Why
//!
//! Asking about harmless work is how guards get switched off.
//!
//! # Example
//!
//! ```text
//! ls -la
//! git status
//! cargo test
//! ```
//!
//! # Instead
//!
//! Nothing: this is fine.

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::table::manuals;
use crate::view::View;

pub(crate) const RULE: Rule = Rule {
    id: "13",
    name: "normal-operation",
    title: "Normal operation",
    summary: "Ordinary work on things that are not sensitive.",
    action: Action::Allow,
    manual: manuals::NORMAL_OPERATION,
    kinds: &[],
};

/// Never reports anything: a judgement without findings is this rule.
pub(crate) fn check(_view: &View<'_>, _out: &mut Findings<'_>) {}
