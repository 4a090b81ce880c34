//! Files and environment → settings, each with its origin.
//!
//! Takes the directory of the system's configuration, a user, a working directory and the environment
//! ([`Sources`]); gives a [`Config`] that answers for every setting of the [`table`] with a value that
//! fits and the line it comes from. In this order, the later over the earlier:
//!
//! built-in → the fleet's signed bundle → `/etc/aegish/config` and `/etc/aegish/config.toml` → the user's `config.toml` → the
//! project's `.aegish.toml` → `AEGISH_*`
//!
//! In development all of them count, a project's file only as far as it tightens until it is trusted
//! by its hash. In production only the system's files count; the others can tighten and nothing else.
//!
//! user rules (`[[rule]]`) may stand in each TOML file and, one by one, in `rules.d` beside the
//! system's and the user's; what loosens counts where settings that loosen do.
//!
//! Refuses to guess: an unknown key, a value that does not fit, a file that another user could have
//! written are [`ConfigProblem`]s that name the line, and then there is no configuration. What is read but
//! does not count is a note. It only reads files, and of the network it knows nothing.

mod answers;
mod bundle;
mod config;
mod file;
mod kernel;
mod keys;
mod load;
mod network;
mod origin;
mod project;
mod roles;
mod system_directory;
mod table;
mod tables;
mod user_rules;
mod value;

pub use answers::{Answer, Answers};
pub use bundle::{BundleHead, read_bundle};
pub use config::{ActiveSetting, Config, Mode, Project, SourceAuthority};
pub use keys::nearest;
pub use load::{Person, Sources};
pub use network::Network;
pub use origin::{ConfigNote, ConfigOrigin, ConfigProblem, ConfigSource, Problems};
pub use project::{PROJECT_FILE, Trusted, hash};
pub use roles::{Edited, RoleHolder, role_set, role_unset};
pub use system_directory::SystemDirectory;
pub use table::{Empty, FOREIGN, Preset, Setting, Tighter, ValueType, setting, table};
pub use user_rules::{HeldRule, rule_text};
pub use value::SettingValue;
