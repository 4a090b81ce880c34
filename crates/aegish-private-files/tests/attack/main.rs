//! Other users, links, FIFOs, full disks and races: nothing outside is read or written.

mod limits;
mod races;
mod refusals;
mod support;
