//! The static side of the guard, on a machine that is the same everywhere.
//!
//! The result must not depend on the local disk: commands are judged in an empty project of an ordinary user
//! with an empty temporary directory. Everything else is unknown.

use std::time::{Duration, Instant};

use aegish_guard::{Decision, FileView, Machine, OutputReader, Request, Role, Surroundings, check};
use aegish_judge::price;
use serde_json::json;

use super::{Concurrency, Fault, System, SystemInfo, SystemReply};
use aegish_log::Sample;

/// The working directory of judged commands.
const CWD: &str = "/home/user/project";
const HOME: &str = "/home/user";
/// Stack for the deepest nesting that the parser accepts.
pub(super) const STACK: usize = 8 << 20;

/// Syntax, effects and policy, without a judge.
#[derive(Debug)]
pub struct StaticGuard {
    info: SystemInfo,
    role: Role,
    surroundings: Surroundings,
}

impl StaticGuard {
    /// The static side for a role.
    #[must_use]
    pub fn new(role: Role) -> Self {
        let mut info = SystemInfo::plain("static", "static", "guard", Concurrency::PerCore);
        info.metadata.insert("role".to_owned(), role.to_string().into());
        info.price = price::find(&info.model);
        Self { info, role, surroundings: surroundings() }
    }
}

impl System for StaticGuard {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, _epoch: u32, _time: Duration) -> Result<SystemReply, Fault> {
        let started = Instant::now();
        let context = self.surroundings.context(&EMPTY);
        let text = sample.command.as_bytes();
        let decision =
            check(&Request { text, context: &context, role: self.role, user_rules: &[] });
        let took = started.elapsed();
        Ok(SystemReply::new(decision_json(&decision), took))
    }

    fn stack_bytes(&self) -> usize {
        STACK
    }
}

/// The guard's decision in the format of a model's answer, with the rule and whether it is open.
#[must_use]
pub fn decision_json(decision: &Decision) -> String {
    let confidence = (f64::from(decision.confidence()) * 1000.0).round() / 1000.0;
    json!({
        "action": decision.action().as_str(),
        "reason": format!("{}: {}", decision.rule().name, decision.reason()),
        "confidence": confidence,
        "rule": decision.rule().id,
        "open": decision.is_open(),
    })
    .to_string()
}

/// An ordinary session of a user.
pub(super) fn surroundings() -> Surroundings {
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", HOME),
        ("USER", "user"),
        ("PWD", CWD),
        ("SHELL", "/bin/bash"),
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm"),
    ];
    Surroundings {
        cwd: CWD.to_owned(),
        home: HOME.to_owned(),
        variables: variables.map(|(name, value)| (name, value.to_owned())).to_vec(),
        reader: OutputReader::Trusted,
    }
}

/// The machine on which commands are judged.
pub(super) static EMPTY: EmptyMachine = EmptyMachine;

/// A machine with empty home and temporary directories; everything else is unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmptyMachine;

impl EmptyMachine {
    fn knows(path: &str) -> bool {
        [HOME, "/tmp"].iter().any(|place| {
            path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Machine for EmptyMachine {
    fn read(&self, path: &str, _limit: usize) -> FileView {
        if Self::knows(path) { FileView::Missing } else { FileView::Unknown }
    }

    fn list(&self, dir: &str, _limit: usize) -> Option<Vec<String>> {
        Self::knows(dir).then(Vec::new)
    }
}
