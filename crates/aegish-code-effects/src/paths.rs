//! Paths: joined, and cut at their last part.

use aegish_values::{Piece, Value};

/// Joins parts of a path; an absolute part replaces what is before it.
#[must_use]
pub fn join_paths(parts: &[Value]) -> Value {
    let mut all = Value::empty();
    for part in parts {
        if part.known_prefix().starts_with('/') {
            let taint = all.taint().clone();
            all = Value::empty().tainted(&taint);
        } else if !all.pieces().is_empty()
            && !part.pieces().is_empty()
            && !all.known_suffix().ends_with('/')
        {
            // A directory that may be empty is followed by a slash only if it is not.
            if let [Piece::OneOf(texts)] = all.pieces() {
                let texts: Vec<String> = texts
                    .iter()
                    .map(|text| {
                        if text.is_empty() || text.ends_with('/') {
                            text.clone()
                        } else {
                            format!("{text}/")
                        }
                    })
                    .collect();
                all = Value::one_of(texts).tainted(all.taint());
            } else {
                all.push_str("/");
            }
        }
        all.append(part);
    }
    all
}

/// The last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// A path without its last part.
#[must_use]
pub fn directory_name(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}
