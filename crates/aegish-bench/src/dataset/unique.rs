//! No id may be there twice, and finding that out must not need memory per row.
//!
//! Ids are remembered as 64-bit hashes, at most as many as [`HELD`]. A set with more rows is read again,
//! once for each share of the hashes. Equal hashes are only a suspicion: the ids themselves decide.

use std::collections::HashSet;

use super::{Dataset, DatasetError};

/// Hashes held at once: some 4 MB.
const HELD: usize = 1 << 18;

/// The hashes of the ids, as long as they are few.
pub(super) struct Ids {
    seen: HashSet<u64>,
    most: usize,
    rows: usize,
    suspicious: bool,
}

impl Default for Ids {
    fn default() -> Self {
        Self::holding(HELD)
    }
}

impl Ids {
    fn holding(most: usize) -> Self {
        Self { seen: HashSet::new(), most, rows: 0, suspicious: false }
    }

    pub(super) fn add(&mut self, id: &str) {
        self.rows += 1;
        if self.rows > self.most {
            self.seen = HashSet::new();
        } else {
            self.suspicious |= !self.seen.insert(hash(id));
        }
    }
}

/// Names an id that is there twice, if there is one.
pub(super) fn check(set: &Dataset, ids: &Ids) -> Result<(), DatasetError> {
    if ids.rows <= ids.most && !ids.suspicious {
        return Ok(());
    }
    let shares = ids.rows.div_ceil(ids.most) as u64;
    for share in 0..shares {
        let mut seen: HashSet<u64> = HashSet::new();
        for sample in set.samples()? {
            let id = sample?.id;
            let hash = hash(&id);
            if hash % shares == share && !seen.insert(hash) {
                confirm(set, &id)?;
            }
        }
    }
    Ok(())
}

/// Looks whether the id itself, not only its hash, is there twice.
fn confirm(set: &Dataset, id: &str) -> Result<(), DatasetError> {
    let mut rows: Vec<usize> = Vec::new();
    for (index, sample) in set.samples()?.enumerate() {
        if sample?.id == id {
            rows.push(index + 1);
        }
        if let [first, second] = rows.as_slice() {
            let what = format!(
                "the id `{id}` is there twice, in rows {first} and {second}: give each row its own, \
                 or remove the repetition"
            );
            return Err(DatasetError::whole(&*set.location, what));
        }
    }
    Ok(())
}

/// FNV-1a, mixed once more so that all bits count.
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
    use crate::Expected;
    use crate::dataset::{Counts, Dataset, Format, Source};

    fn set(text: &'static str) -> Dataset {
        Dataset {
            name: "x".to_owned(),
            location: "x".to_owned(),
            sha256: String::new(),
            counts: Counts::default(),
            metadata: serde_json::Map::new(),
            source: Source::Embedded(text.as_bytes()),
            format: Format::Jsonl,
            expect: Some(Expected::Pass),
            seed: None,
        }
    }

    #[test]
    fn a_repetition_is_found_with_less_room_than_rows() {
        let once = "{\"id\":1,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n{\"id\":3,\"command\":\"a\"}\n";
        let twice = "{\"id\":1,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n{\"id\":2,\"command\":\"a\"}\n";
        let ids = |names: [&str; 3]| {
            let mut ids = Ids::holding(1);
            names.iter().for_each(|id| ids.add(id));
            ids
        };
        assert_eq!(check(&set(once), &ids(["1", "2", "3"])), Ok(()));
        let error = check(&set(twice), &ids(["1", "2", "2"])).unwrap_err().to_string();
        assert!(error.contains("`2` is there twice, in rows 2 and 3"), "{error}");
    }
}
