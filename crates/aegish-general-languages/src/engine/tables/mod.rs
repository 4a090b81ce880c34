//! Call tables: data, one file per language or family. A name is the path as written, joined by `.`.

pub(super) mod jvm;
pub(super) mod lisp;
pub(super) mod lua;
pub(super) mod more;
pub(super) mod node;
pub(super) mod others;
pub(super) mod perl;
pub(super) mod php;
pub(super) mod python;
pub(super) mod ruby;
