//! Runs that are kept, thrown away, undone and cut off, on real files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::indexing_slicing)] // a test

mod crash;
mod full_disk;
mod ground;
mod kinds;
