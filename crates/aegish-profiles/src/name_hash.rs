//! The hash by which names of programs are found, for the build script that fills the table and the code that reads it.

/// FNV-1a, reduced to a slot of a table whose size is a power of two. Names are short and none of them comes from an
/// attacker, so a simple hash does.
pub(crate) fn slot(name: &str, slots: usize) -> usize {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The high bits depend on more bytes than the low ones.
    (hash ^ (hash >> 15)) as usize & (slots - 1)
}
