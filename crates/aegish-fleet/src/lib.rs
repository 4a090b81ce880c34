//! Many machines: signed bundles of policy, opinions of models that all machines share, a report over their audit logs.
//!
//! A bundle is a TOML file with settings, roles and rules, signed with Ed25519. [`run_bundle`] makes keys, signs,
//! verifies and pulls: from a file, over HTTPS, or out of a Git repository. What was tampered with, has expired, is older than
//! what was taken before, or is signed by nobody who is trusted, is refused with the reason, and the last good bundle
//! stays in force. [`SharedOpinions`] keeps opinions on a Redis server. [`run_fleet`] adds up collected audit logs.
//!
//! Nothing here judges a command, and nothing is run but `git`.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod bundle;
mod key;
mod opinions;
mod report;
mod source;
mod store;
mod task;

pub use bundle::{Refused, SignedBundle, sign};
pub use key::{KeyError, PublicKey, SigningKey};
pub use opinions::{OpinionServer, SharedOpinions};
pub use report::{FleetTask, run as run_fleet};
pub use source::{BundleSource, fetch};
pub use store::{BundleStore, Installed};
pub use task::{BundleTask, run as run_bundle};
