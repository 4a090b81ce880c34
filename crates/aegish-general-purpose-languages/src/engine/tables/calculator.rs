//! What the calls of calculators with a language of their own do. Sorted by name; a test checks it.

use super::super::call_effect::CallEffect;

/// Calls that several calculators share: Pike, Maxima, PARI.
pub(in super::super) const CALCULATOR: &[(&str, CallEffect)] = &[
    ("Process.create_process", CallEffect::Argv(0)),
    ("Process.exec", CallEffect::Argv(0)),
    ("Process.popen", CallEffect::Shell(0)),
    ("Process.run", CallEffect::Shell(0)),
    ("Process.spawn", CallEffect::Shell(0)),
    ("Process.system", CallEffect::Shell(0)),
    ("Stdio.read_file", CallEffect::Read(0)),
    ("Stdio.write_file", CallEffect::Write(0, 1)),
    ("batch", CallEffect::Script(0)),
    ("extern", CallEffect::Shell(0)),
    ("externstr", CallEffect::Shell(0)),
    ("install", CallEffect::Load(2)),
    ("load", CallEffect::Script(0)),
    ("openr", CallEffect::Read(0)),
    ("printfile", CallEffect::Read(0)),
    ("read", CallEffect::Script(0)),
    ("readstr", CallEffect::Read(0)),
    ("readvec", CallEffect::Read(0)),
    ("stringout", CallEffect::Create(0)),
    ("system", CallEffect::Shell(0)),
    ("with_stdout", CallEffect::Create(0)),
    ("write", CallEffect::Append(0, 1)),
    ("writefile", CallEffect::Create(0)),
];
