//! What commands of Tcl give that only work on texts.

pub mod bytes;
pub mod patterns;
pub mod texts;

pub use texts::pure;
