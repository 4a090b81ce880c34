//! Policy → limits that the kernel holds for everything in a session.
//!
//! Takes a profile, the home and the working directory, and the path classes of the policy; gives what
//! [`aegish_kernel::Confinement`] needs. Reads names of files, and contents only of the first line of scripts. Has
//! what is executed judged by others, see [`supervise`]; judges nothing itself.

mod critical;
mod files;
mod grants;
mod group;
mod network;
mod proxy;
mod supervisor;

pub use files::{FileProfile, NoRules, Scope, rules, separation};
pub use grants::{FileAccess, Grant, Grants, granted_rules, is_granted};
pub use group::{ControlGroup, GroupLimits};
pub use network::{Connections, Reach, SocketKind};
pub use proxy::Proxy;
pub use supervisor::{
    Answer, Debuggers, Execution, ExecutionJudge, FileId, StandardInput, Supervised, Supervision,
    supervise,
};
