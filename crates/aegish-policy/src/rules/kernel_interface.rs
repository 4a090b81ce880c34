//! Kernel interface.
//!
//! # What
//!
//! Loading modules, changing kernel settings with sysctl or below /proc/sys and /sys, writing
//! memory devices.
//!
//! # Why
//!
//! The kernel stands above every protection.
//!
//! # Example
//!
//! ```text
//! insmod ./x.ko
//! echo '|/tmp/x' > /proc/sys/kernel/core_pattern
//! ```
//!
//! # Instead
//!
//! Read the value only; let an administrator change it.

use aegish_effects::{Act, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::Match;
use crate::table::kinds::kernel_interface as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "kernel-interface",
    name: "kernel-interface",
    title: "Kernel interface",
    summary: "Changes the running kernel: modules, settings, memory.",
    action: Action::Block,
    manual: manuals::KERNEL_INTERFACE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    match view.act() {
        Some(Act::System { what: System::Kernel, detail, .. })
            // Without a value `sysctl` only prints.
            if detail.ends_with("name=value") && !view.arguments().any(|word| word.contains('=')) => {}
        Some(Act::System { what: System::Kernel, detail, object }) => {
            out.add(&RULE, &kind::KERNEL, Match::Must, || {
                if object.pieces().is_empty() {
                    format!("changes the kernel: {detail}")
                } else {
                    format!("changes the kernel: {detail} ({})", show(object))
                }
            });
        }
        Some(Act::Write { path, .. } | Act::Delete { path, .. } | Act::Link { name: path, .. }) => {
            if let Some(hit) = view.classes().write
                && hit.class == WriteClass::Kernel
            {
                out.add(&RULE, &kind::SETTING_FILE, hit.certainty, || {
                    format!("writes {}, which holds {}", show(path), hit.holds)
                });
            }
        }
        _ => {}
    }
}
