//! Effects as text.

use crate::effect::{EffectKind, Invocation, Opaque, ShellEntry, Stream};
use std::fmt;

/// One line per effect, as used by profile examples, `aegish explain` and tests.
impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = |tree: &bool| if *tree { "-tree" } else { "" };
        match self {
            Self::Read { path, tree: t } => write!(f, "read{} {path}", tree(t)),
            Self::List { path } => write!(f, "list {path}"),
            Self::Write { path, append: false, .. } => write!(f, "write {path}"),
            Self::Write { path, append: true, .. } => write!(f, "append {path}"),
            Self::Delete { path, tree: t } => write!(f, "delete{} {path}", tree(t)),
            Self::Mode { path, mode, tree: t, .. } => write!(f, "mode{} {mode} {path}", tree(t)),
            Self::Owner { path, owner, tree: t, .. } => {
                write!(f, "owner{} {owner} {path}", tree(t))
            }
            Self::Link { target, name } => write!(f, "link {name} -> {target}"),
            Self::Replace { path } => write!(f, "replace {path}"),
            Self::Mention { path } => write!(f, "mention {path}"),
            Self::Mount { source } => write!(f, "mount {source}"),
            Self::Connect { host, port } => write!(f, "connect {host}:{port}"),
            Self::Listen { host, port } => write!(f, "listen {host}:{port}"),
            Self::Fetch { from, to } => write!(f, "fetch {from} to {to}"),
            Self::Send { to, what, .. } => write!(f, "send {what} to {to}"),
            Self::Show { taint } => write!(f, "show {:?}", taint.sources().collect::<Vec<_>>()),
            Self::Serve { host, root } => write!(f, "serve {root} on {host}"),
            Self::Shell { entry, invocation } => {
                let entry = match entry {
                    ShellEntry::Interactive => "interactive",
                    ShellEntry::Terminal => "terminal",
                    ShellEntry::Networked => "networked",
                };
                let invocation = match invocation {
                    Invocation::Direct => "direct",
                    Invocation::Launched => "launched",
                    Invocation::Indirect => "indirect",
                    Invocation::Supposed => "supposed",
                };
                write!(f, "shell {entry} {invocation}")
            }
            Self::IndirectRun { command } => write!(f, "indirect-run {command}"),
            Self::RunFetched { origin } => write!(f, "run-fetched {origin}"),
            Self::RunVerified { origin } => write!(f, "run-verified {origin}"),
            Self::RunCheckout { origin } => write!(f, "run-checkout {origin}"),
            Self::Hidden { why, what, .. } => {
                let why = match why {
                    Opaque::CommandName => "command-name",
                    Opaque::ProgramFromEnvironment => "program-from-environment",
                    Opaque::Code => "code",
                    Opaque::Script => "script",
                    Opaque::Syntax => "syntax",
                    Opaque::FileName => "file name",
                    Opaque::Limit => "limit",
                };
                write!(f, "hidden {why} {what}")
            }
            Self::Disguised { how, .. } => write!(f, "disguised {how}"),
            Self::Load { library } => write!(f, "load {library}"),
            Self::Setenv { name, value, .. } => write!(f, "setenv {name}={value}"),
            Self::Unset { name } => write!(f, "unset {name}"),
            Self::Shadow { name, .. } => write!(f, "shadow {name}"),
            Self::Interactive { keys } => write!(f, "interactive {keys}"),
            Self::System { what, detail, object } => {
                write!(f, "{} ", what.group())?;
                detail.write(f)?;
                if !object.pieces().is_empty() {
                    write!(f, ": {object}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("-"),
            Self::File(path) => write!(f, "{path}"),
            Self::Literal(text) => write!(f, "'{text}'"),
        }
    }
}
