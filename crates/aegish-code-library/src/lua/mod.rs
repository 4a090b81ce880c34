//! Texts and tables of Lua.

pub mod strings;
pub mod tables;
