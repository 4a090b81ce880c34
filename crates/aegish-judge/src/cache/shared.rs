//! Opinions that machines share: what one model told one of them serves all.
//!
//! A store holds the same bytes as the files of the local cache, under the same key, so that the same checks apply: key,
//! checksum, age. Whoever can write to the store can forge an opinion, as whoever can write the local files.

use std::time::Duration;

use super::{Cache, CacheEntry, CacheKey};

/// A place outside this machine. It must answer soon: a verdict waits for it.
pub trait OpinionStore: Send + Sync {
    /// What is kept under a key.
    ///
    /// # Errors
    ///
    /// If the store does not answer. The model is asked then.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String>;

    /// Keeps an opinion for some time.
    ///
    /// # Errors
    ///
    /// If the store does not take it.
    fn put(&self, key: &str, entry: &[u8], time: Duration) -> Result<(), String>;
}

impl Cache {
    /// The opinion of another machine, which is kept here too.
    pub(crate) fn fetch(
        &self,
        store: &dyn OpinionStore,
        key: &CacheKey,
    ) -> Result<Option<CacheEntry>, String> {
        let Some(bytes) = store.get(key.as_str())? else { return Ok(None) };
        let found = CacheEntry::read(&bytes, key).filter(|entry| self.is_fresh(entry));
        if let Some(entry) = &found {
            self.put(key, entry).map_err(|error| error.to_string())?;
        }
        Ok(found)
    }

    /// Gives an opinion to the other machines.
    pub(crate) fn give(
        &self,
        store: &dyn OpinionStore,
        key: &CacheKey,
        entry: &CacheEntry,
    ) -> Result<(), String> {
        store.put(key.as_str(), entry.write(key).as_bytes(), self.ttl)
    }
}
