//! What the kernel holds for programs that nobody can read: files that are closed to them.
//!
//! Every attempt has its control, which shows that it works without the limit. All run in private mount, process and
//! network namespaces in which only temporary directories can be written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod files;
mod machine;
