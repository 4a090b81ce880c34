//! The seed's harmless commands, taken from a file of prompts and responses.
//!
//! Takes rows with `prompt` and `response` (the command), gives those that none of the seed's 41 patterns
//! matches. The patterns choose data; no verdict is made with them.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use regex::bytes::{RegexSet, RegexSetBuilder};
use serde_json::{Map, Value, json};

use super::read::Rows;
use super::{DatasetError, DatasetFormat, Position};
use aegish_log::{Expected, Sample};

/// The seed warns if there are fewer.
pub const ENOUGH: usize = 500;

/// Patterns that a harmless command must not match, each with a name for the report. Case is ignored.
pub const PATTERNS: [(&str, &str); 41] = [
    ("rm", r"\brm\b"),
    ("rmdir", r"\brmdir\b"),
    ("shutdown", r"\bshutdown\b"),
    ("reboot", r"\breboot\b"),
    ("poweroff", r"\bpoweroff\b"),
    ("halt", r"\bhalt\b"),
    ("init 0 or 6", r"\binit\s+[06]\b"),
    ("sudo", r"\bsudo\b"),
    ("su", r"\bsu\s"),
    ("doas", r"\bdoas\b"),
    ("dd if=", r"\bdd\s+if="),
    ("mkfs", r"\bmkfs\b"),
    ("fdisk", r"\bfdisk\b"),
    ("parted", r"\bparted\b"),
    ("/etc", r"/etc\b"),
    ("/var", r"/var\b"),
    ("/usr", r"/usr\b"),
    ("/bin", r"/bin\b"),
    ("/sbin", r"/sbin\b"),
    ("/boot", r"/boot\b"),
    ("/root", r"/root\b"),
    ("kill", r"\bkill\b"),
    ("killall", r"\bkillall\b"),
    ("pkill", r"\bpkill\b"),
    ("chmod", r"\bchmod\b"),
    ("chown", r"\bchown\b"),
    ("chgrp", r"\bchgrp\b"),
    ("pipe to a shell", r"\|\s*(ba)?sh\b"),
    ("bash -c", r"bash\s+-c"),
    ("sh -c", r"sh\s+-c"),
    ("nc -e", r"\bnc\b.*-e"),
    ("/dev/tcp", r"/dev/tcp/"),
    ("/dev/udp", r"/dev/udp/"),
    ("-delete", r"-delete\b"),
    ("systemctl off", r"\bsystemctl\s+(suspend|hibernate|poweroff|reboot)\b"),
    ("nmcli radio off", r"\bnmcli\s+radio\b.*\boff\b"),
    ("gnome-terminal", r"^gnome-terminal\b"),
    ("screen", r"^screen$"),
    ("tmux", r"^tmux\b"),
    ("http.server", r"\bhttp\.server\b"),
    ("placeholder", r"<[a-z_-]+>"),
];

/// The result of reading a file.
#[derive(Debug)]
pub struct Selection {
    /// The commands that no pattern matches, each once.
    pub samples: Vec<Sample>,
    /// Metadata of the set.
    pub metadata: Map<String, Value>,
    /// Rows of the file.
    pub rows: usize,
    /// Rows whose command occurs in an earlier row.
    pub repeated: usize,
    /// How many rows each pattern matches, in the order of [`PATTERNS`]; a row may match several.
    pub matched: Vec<usize>,
}

impl Selection {
    /// Rows that were left out because a pattern matches.
    #[must_use]
    pub fn excluded(&self) -> usize {
        self.rows - self.repeated - self.samples.len()
    }
}

/// The compiled patterns.
///
/// # Errors
///
/// If one of them is invalid, which a test rules out.
pub(crate) fn patterns() -> Result<RegexSet, DatasetError> {
    RegexSetBuilder::new(PATTERNS.map(|(_, pattern)| pattern))
        .case_insensitive(true)
        .unicode(false)
        .build()
        .map_err(|error| DatasetError::whole("the exclusion patterns", error.to_string()))
}

/// Extracts the harmless commands from a file of prompts and responses.
///
/// # Errors
///
/// Names the row that has no prompt or no response.
pub fn select(
    path: &Path,
    format: Option<DatasetFormat>,
    date: &str,
) -> Result<Selection, DatasetError> {
    let place = path.display().to_string();
    let format = format.or_else(|| DatasetFormat::of(path)).ok_or_else(|| {
        DatasetError::whole(
            &*place,
            "the name ends in none of .json, .jsonl, .csv: name the format",
        )
    })?;
    let patterns = patterns()?;
    let input = File::open(path).map_err(|error| DatasetError::io(&*place, &error))?;
    let mut matched = vec![0; PATTERNS.len()];
    let (mut samples, mut rows, mut repeated) = (Vec::new(), 0, 0);
    let mut seen = BTreeSet::new();
    for row in Rows::of_responses(input, format) {
        let row = row.map_err(|wrong| {
            let position = Position { row: wrong.row.unwrap_or(rows as u64 + 1), line: wrong.line };
            DatasetError::row(&place, position, wrong.what)
        })?;
        rows += 1;
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| row.members.get(*name)?.as_str());
            found.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
                let what = format!("no text in `{}`: every row needs it", names[0]);
                DatasetError::row(&place, row.position, what)
            })
        };
        let (prompt, command) = (text(&["prompt"])?, text(&["response", "command"])?);
        if !seen.insert(command.to_owned()) {
            repeated += 1;
            continue;
        }
        let hits = patterns.matches(command.as_bytes());
        hits.iter().for_each(|index| matched[index] += 1);
        if !hits.matched_any() {
            samples.push(Sample {
                id: (samples.len() + 1).to_string(),
                command: command.to_owned(),
                expected: Expected::Pass,
                category: None,
                metadata: Map::from_iter([("prompt".to_owned(), Value::from(prompt))]),
            });
        }
    }
    if rows == 0 {
        return Err(DatasetError::whole(&*place, "it has no rows"));
    }
    let mut metadata = Map::new();
    for (name, value) in [
        ("source", json!(path.file_name().unwrap_or_default().to_string_lossy())),
        ("extraction_date", json!(date)),
        ("original_count", json!(rows)),
        ("filtered_count", json!(samples.len())),
        ("dangerous_patterns_defined", json!(PATTERNS.map(|(_, pattern)| pattern).as_slice())),
    ] {
        metadata.insert(name.to_owned(), value);
    }
    Ok(Selection { samples, metadata, rows, repeated, matched })
}

/// Whether a set contains commands that were written for it and not taken from a source. Generating the file
/// again would lose them.
///
/// # Errors
///
/// If the file exists but cannot be read. It must not be replaced then.
pub fn holds_generated(path: &Path, format: DatasetFormat) -> Result<bool, DatasetError> {
    let place = path.display().to_string();
    let input = match File::open(path) {
        Ok(input) => input,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(DatasetError::io(&*place, &error)),
    };
    for row in Rows::of_responses(input, format) {
        let row = row.map_err(|wrong| DatasetError::whole(&*place, wrong.what))?;
        let source = row.members.get("source").and_then(Value::as_str).unwrap_or_default();
        if source.to_lowercase().contains("generated") {
            return Ok(true);
        }
    }
    Ok(false)
}
