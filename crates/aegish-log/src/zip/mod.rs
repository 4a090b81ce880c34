//! Just as much of the ZIP format as logs need, in constant memory.
//!
//! The usual crates hold every entry of an archive in memory and close it only at the end. A log has up
//! to millions of members, grows while it is read, and must survive its writer; so members, directory
//! and end record are written and read here one by one, with 64-bit sizes where they are needed.

mod read;
mod records;
mod scan;
mod unpack;

pub(crate) use read::Archive;
pub(crate) use records::{Member, Method, Sizes, directory_entry, end_records, local_header};
pub(crate) use scan::Scan;

#[cfg(test)]
mod tests;
