//! Policy → limits that the kernel holds for everything in a session.
//!
//! Takes a profile, the home and the working directory, and the path classes of the policy; gives what
//! [`aegish_kernel::Confinement`] needs. Reads names of files and never their contents. Judges nothing.

mod critical;
mod files;

pub use files::{FileProfile, NoRules, Scope, rules};
