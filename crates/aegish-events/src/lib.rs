//! Audit entries → events in the schemas of others, and on their way to a collector.
//!
//! Takes lines of an audit log. Gives OCSF ([`ocsf`]: Process Activity and Detection Finding, with the chain of hashes as
//! record integrity), ECS ([`ecs`]), and logs and metrics in the OpenTelemetry protocol, sent to a collector ([`run`]).
//!
//! The log itself is the spool: what was sent is noted beside it, and rotation keeps what was not. The guard never
//! talks to a collector, so that one that is slow or gone cannot hold up a verdict, and no line is lost.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod ecs;
mod host;
mod metrics;
mod object;
mod ocsf;
mod otlp;
mod reader;
mod send;
mod task;

pub use ecs::ecs;
pub use host::Host;
pub use ocsf::ocsf;
pub use task::{EventFormat, ExportOptions, SendOptions, export, send};
