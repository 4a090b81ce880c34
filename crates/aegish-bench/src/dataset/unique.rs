//! Finds repeated ids in bounded memory.
//!
//! Ids are stored as 64-bit hashes, about [`HELD`] at most. A set with more rows is read again, once for each
//! part of the hashes. For equal hashes the ids themselves are compared.

use super::{Dataset, DatasetError};

/// Hashes held at once: 4 MiB.
const HELD: usize = 1 << 19;

/// The hashes of the ids, up to the bound.
pub(super) struct Ids {
    hashes: Vec<u64>,
    most: usize,
    rows: usize,
}

impl Default for Ids {
    fn default() -> Self {
        Self::holding(HELD)
    }
}

impl Ids {
    fn holding(most: usize) -> Self {
        Self { hashes: Vec::new(), most, rows: 0 }
    }

    pub(super) fn add(&mut self, id: &str) {
        self.rows += 1;
        if self.rows > self.most {
            self.hashes = Vec::new();
        } else {
            self.hashes.push(hash(id));
        }
    }
}

/// Returns a repeated id, if there is one.
pub(super) fn check(set: &Dataset, ids: Ids) -> Result<(), DatasetError> {
    let shares = ids.rows.div_ceil(ids.most) as u64;
    let mut hashes = ids.hashes;
    for share in 0..shares {
        if shares > 1 {
            hashes.clear();
            for sample in set.samples()? {
                let hash = hash(&sample?.id);
                if hash % shares == share {
                    hashes.push(hash);
                }
            }
        }
        hashes.sort_unstable();
        for pair in hashes.windows(2).filter(|pair| pair[0] == pair[1]) {
            confirm(set, pair[0])?;
        }
    }
    Ok(())
}

/// Whether an id itself, not only its hash, occurs twice.
fn confirm(set: &Dataset, suspicious: u64) -> Result<(), DatasetError> {
    let mut seen: Vec<(String, usize)> = Vec::new();
    for (index, sample) in set.samples()?.enumerate() {
        let (id, second) = (sample?.id, index + 1);
        if hash(&id) != suspicious {
            continue;
        }
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == id) {
            let what = format!(
                "the id `{id}` is there twice, in rows {first} and {second}: give each row its own, \
                 or remove the repetition"
            );
            return Err(DatasetError::whole(&*set.location, what));
        }
        seen.push((id, second));
    }
    Ok(())
}

/// FNV-1a, with its bits mixed again.
fn hash(id: &str) -> u64 {
    let folded = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (folded ^ (folded >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::{Ids, check};
    use crate::dataset::{Dataset, DatasetBytes, DatasetFormat, SampleCounts};
    use aegish_log::Expected;

    fn set(text: &'static str) -> Dataset {
        Dataset {
            name: "x".to_owned(),
            location: "x".to_owned(),
            sha256: String::new(),
            counts: SampleCounts::default(),
            metadata: serde_json::Map::new(),
            source: DatasetBytes::Embedded(text.as_bytes()),
            format: DatasetFormat::Jsonl,
            expect: Some(Expected::Pass),
            seed: None,
        }
    }

    #[test]
    fn a_repetition_is_found_in_less_memory_than_all_hashes_need() {
        let once = "{\"id\":1,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n{\"id\":3,\"command\":\"a\"}\n";
        let twice = "{\"id\":1,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n";
        let ids = |names: [&str; 3]| {
            let mut ids = Ids::holding(1);
            names.iter().for_each(|id| ids.add(id));
            ids
        };
        assert_eq!(check(&set(once), ids(["1", "2", "3"])), Ok(()));
        let error = check(&set(twice), ids(["1", "2", "2"])).unwrap_err().to_string();
        assert!(error.contains("`2` is there twice, in rows 2 and 3"), "{error}");
    }
}
