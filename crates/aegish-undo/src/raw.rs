//! Bytes of paths and attributes in JSON: one character per byte, so that ASCII stays readable.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Any bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Raw(pub(crate) Vec<u8>);

impl Raw {
    pub(crate) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }
}

impl From<&Path> for Raw {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|byte| char::from(*byte)).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c))).collect::<Result<_, _>>();
        bytes.map(Self).map_err(|_| de::Error::custom("a character that stands for no byte"))
    }
}

/// For fields that are paths.
pub(crate) mod path {
    use super::{
        Deserialize, Deserializer, OsString, OsStringExt, Path, PathBuf, Raw, Serialize, Serializer,
    };

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        Raw::from(path).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        Raw::deserialize(deserializer).map(|raw| PathBuf::from(OsString::from_vec(raw.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let raw = Raw((0..=255).collect());
        let text = serde_json::to_string(&raw).unwrap();
        assert_eq!(serde_json::from_str::<Raw>(&text).unwrap(), raw);
        assert_eq!(serde_json::to_string(&Raw::from(Path::new("/a b"))).unwrap(), "\"/a b\"");
    }
}
