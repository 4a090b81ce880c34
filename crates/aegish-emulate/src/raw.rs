//! Bytes of any kind as text, and back.

/// First of 256 private characters that represent bytes which are not valid text.
const RAW_BYTES: u32 = 0xF700;

/// Output as text. Bytes that are not text travel as one private character each, so that a later
/// decoder (gzip, xz) sees them unchanged.
#[must_use]
pub fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error
            .into_bytes()
            .iter()
            .map(|byte| match byte {
                0..=0x7f => char::from(*byte),
                _ => char::from_u32(RAW_BYTES + u32::from(*byte)).unwrap_or('?'),
            })
            .collect(),
    }
}

/// The bytes of a text made by [`text_of`].
#[must_use]
pub fn bytes_of(text: &str) -> Vec<u8> {
    if !text.contains(|c: char| (RAW_BYTES..RAW_BYTES + 256).contains(&u32::from(c))) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(RAW_BYTES).and_then(|raw| u8::try_from(raw).ok()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}
