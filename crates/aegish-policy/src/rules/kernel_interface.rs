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
//!
//! # Answers
//!
//! ```toml
//! [kernel]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.92
//! core = true
//! instead = "Read the value only; let an administrator change it."
//!
//! [tuning]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Fine if you know the setting; it lasts until the next start."
//!
//! [setting-file]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.94
//! core = true
//! instead = "Read the value only; let an administrator change it."
//!
//! [emptied]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! core = true
//! instead = "Leave the setting as it is."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::Match;
use crate::table::kinds::kernel_interface as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Value};
use aegish_profiles::{KernelEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "kernel-interface",
    name: "kernel-interface",
    title: "Kernel interface",
    summary: "Changes the running kernel: modules, settings, memory.",
    action: Action::Block,
    manual: manuals::KERNEL_INTERFACE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::System {
            what: SystemEffect::Kernel(KernelEffect::AssignedParameter),
            ..
        }) if !view.arguments().any(|word| word.contains('=')) => {}
        Some(EffectKind::System { what: SystemEffect::Kernel(what), detail, object }) => {
            let kind = if tunes_only(view, *what) { &kind::TUNING } else { &kind::KERNEL };
            out.add(&RULE, kind, Match::Must, || {
                Reason::new("changes the kernel: ").detail(*detail).object(object)
            });
        }
        // `echo > /sys/kernel/uevent_helper`: no program is named any more.
        Some(EffectKind::Write { path, content, .. })
            if content.as_known().is_some_and(|text| text.trim().is_empty())
                && view.classes().write.is_some_and(|hit| hit.class == WriteClass::Kernel) =>
        {
            out.add(&RULE, &kind::EMPTIED, Match::Must, || format!("empties {}", show(path)));
        }
        // `depmod` makes them again.
        Some(EffectKind::Delete { path, tree: false }) if is_module_table(path) => {
            out.add(&RULE, &kind::TUNING, Match::Must, || {
                format!("deletes {}, a table of modules", show(path))
            });
        }
        Some(
            EffectKind::Write { path, .. }
            | EffectKind::Delete { path, .. }
            | EffectKind::Link { name: path, .. },
        ) => {
            if let Some(hit) = view.classes().write
                && hit.class == WriteClass::Kernel
            {
                let name = path.as_known().and_then(|text| text.strip_prefix("/proc/sys/"));
                let tunes = name.is_some_and(|name| is_tuning(&name.replace('/', ".")));
                let kind = if tunes { &kind::TUNING } else { &kind::SETTING_FILE };
                out.add(&RULE, kind, hit.certainty, || {
                    format!("writes {}, which holds {}", show(path), hit.holds)
                });
            }
        }
        _ => {}
    }
}

/// Clocks, swap space, the table of modules, and settings that only trade memory for speed.
fn tunes_only(view: &View<'_>, what: KernelEffect) -> bool {
    use KernelEffect::{Clock, ModuleTable, Probe, Swap};
    if matches!(what, Clock | ModuleTable | Swap) || what == Probe && probes_other_program(view) {
        return true;
    }
    let mut names =
        view.arguments().filter_map(|word| word.split_once('=')).map(|(name, _)| name).peekable();
    let given = names.peek().is_some();
    // Without a file it loads the settings of the administrator.
    let again =
        view.words().iter().all(|word| matches!(word.as_known(), Some("-p" | "--system" | "-q")));
    view.program() == Some("sysctl") && (given && names.all(is_tuning) || again)
}

/// Whether a probe is for a program that is no part of the system.
fn probes_other_program(view: &View<'_>) -> bool {
    let mut words = view.words().iter();
    let program = words.find_map(|word| match word.known_prefix() {
        "-x" | "--exec" => Some(None),
        text => text
            .strip_prefix("--exec=")
            .or(text.strip_prefix("-x"))
            .map(|path| Some(path.to_owned())),
    });
    let next = || words.next().map_or(String::new(), |word| word.known_prefix().to_owned());
    let system = ["/bin/", "/lib", "/sbin/", "/usr/"];
    program
        .map(|glued| glued.unwrap_or_else(next))
        .is_some_and(|path| !system.iter().any(|start| path.starts_with(start)))
}

fn is_module_table(path: &Value) -> bool {
    let directory = path.known_prefix();
    let name = path.known_suffix().rsplit_once('/').map_or("", |(_, name)| name);
    ["/lib/modules/", "/usr/lib/modules/"].iter().any(|start| directory.starts_with(start))
        && name.starts_with("modules.")
}

fn is_tuning(name: &str) -> bool {
    const TUNING: [&str; 12] = [
        "fs.aio-max-nr",
        "fs.file-max",
        "fs.inotify.",
        "fs.nr_open",
        "kernel.pid_max",
        "kernel.sem",
        "kernel.shm",
        "kernel.threads-max",
        "net.core.",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_",
        "vm.",
    ];
    // Among them, settings that separate programs from each other and from the kernel.
    const GUARDS: [&str; 4] =
        ["net.core.bpf", "vm.legacy_va_layout", "vm.mmap_", "vm.unprivileged"];
    let begins = |beginning: &&str| name.starts_with(beginning);
    TUNING.iter().any(begins) && !GUARDS.iter().any(begins)
}
