//! What the calls of Terraform's console do. Sorted by name; a test checks it.

use super::super::call_effect::CallEffect;

/// Terraform's expressions: functions that read files when they are evaluated.
pub(in super::super) const HCL: &[(&str, CallEffect)] = &[
    ("file", CallEffect::Read(0)),
    ("filebase64", CallEffect::Read(0)),
    ("filebase64sha256", CallEffect::Read(0)),
    ("filemd5", CallEffect::Read(0)),
    ("fileset", CallEffect::List(0)),
    ("filesha256", CallEffect::Read(0)),
    ("pathexpand", CallEffect::Same(0)),
    ("templatefile", CallEffect::Read(0)),
];
