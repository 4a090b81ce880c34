//! The names of a log's members.

/// Written first: everything that is known before the first sample.
pub(super) const START: &str = "_journal/start.json";
/// Written last: everything except the samples.
pub(super) const HEADER: &str = "header.json";
/// The list of all samples.
pub(super) const SUMMARIES: &str = "summaries.json";
/// Scores averaged over epochs.
pub(super) const REDUCTIONS: &str = "reductions.json";
/// Lists of samples, in the order in which they finished.
pub(super) const JOURNAL: &str = "_journal/summaries/";

/// The number of a list in the journal.
pub(super) fn journal_number(name: &str) -> Option<u64> {
    name.strip_prefix(JOURNAL)?.strip_suffix(".json")?.parse().ok()
}

/// Whether a member is a sample.
pub(super) fn is_sample(name: &str) -> bool {
    name.starts_with("samples/") && name.ends_with(".json")
}

/// The member of a sample.
pub(super) fn sample(id: &str, epoch: u32) -> String {
    format!("samples/{id}_epoch_{epoch}.json")
}
