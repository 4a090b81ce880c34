//! The part of the ZIP format that logs need, in constant memory.
//!
//! The usual crates hold every entry of an archive in memory and close it only at the end. A log has up to
//! millions of members, grows while it is read, and must survive a kill of its writer. So members, directory
//! and end record are written and read one by one, with 64-bit sizes where needed.

mod read;
mod records;
mod scan;
mod unpack;

pub(crate) use read::Archive;
pub(crate) use records::{Member, Method, Sizes, directory_entry, end_records, local_header};
pub(crate) use scan::Scan;

#[cfg(test)]
mod tests;
