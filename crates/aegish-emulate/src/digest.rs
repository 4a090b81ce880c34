//! `md5sum`, `sha1sum`, `sha256sum`. Obfuscated scripts use letters of their output.

use super::ProgramCall;
use super::options::parse;
use data_encoding::HEXLOWER;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

pub(super) fn sum(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "bt", &[("binary", 'b'), ("text", 't')])?;
    let mark = if parsed.has('b') { '*' } else { ' ' };
    let names = if parsed.operands.is_empty() { vec!["-"] } else { parsed.operands };
    let mut out = String::new();
    for name in names {
        let content = call.file(name)?;
        if name.contains(['\\', '\n']) {
            return None;
        }
        let digest = match call.name {
            "md5sum" => HEXLOWER.encode(&Md5::digest(&content)),
            "sha1sum" => HEXLOWER.encode(&Sha1::digest(&content)),
            _ => HEXLOWER.encode(&Sha256::digest(&content)),
        };
        out.push_str(&format!("{digest} {mark}{name}\n"));
    }
    Some(out.into_bytes())
}
