//! What the calls of Raku do. Sorted by name; a test checks it.

use super::super::call_effect::CallEffect;

/// Raku.
pub(in super::super) const RAKU: &[(&str, CallEffect)] = &[
    ("EVAL", CallEffect::Eval(0)),
    ("EVALFILE", CallEffect::Script(0)),
    ("chmod", CallEffect::Mode(1, 0)),
    ("copy", CallEffect::Copy(0, 1)),
    ("dir", CallEffect::List(0)),
    ("open", CallEffect::Open(0, 1)),
    ("print", CallEffect::Print(false)),
    ("rename", CallEffect::Copy(0, 1)),
    ("rmdir", CallEffect::Delete(0)),
    ("run", CallEffect::Argv(0)),
    ("say", CallEffect::Print(true)),
    ("shell", CallEffect::Shell(0)),
    ("slurp", CallEffect::Read(0)),
    ("spurt", CallEffect::Write(0, 1)),
    ("symlink", CallEffect::Link(0, 1)),
    ("unlink", CallEffect::DeleteAll),
];
