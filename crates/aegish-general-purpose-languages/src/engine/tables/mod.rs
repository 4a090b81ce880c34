//! Call tables: data, one file per language or family. A name is the path as written, joined by `.`.

pub(super) mod calculator;
pub(super) mod csharp;
pub(super) mod elixir;
pub(super) mod erlang;
pub(super) mod go;
pub(super) mod hcl;
pub(super) mod julia;
pub(super) mod jvm;
pub(super) mod octave;
pub(super) mod r;
pub(super) mod raku;
