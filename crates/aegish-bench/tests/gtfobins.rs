//! The extraction from the checkouts of two dates, compared with the seed's own set.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use aegish_bench::dataset::gtfobins::{Extraction, extract};
use aegish_bench::dataset::{Dataset, ReadOptions};
use aegish_log::{Expected, Sample};
use std::collections::{BTreeMap, BTreeSet};

use aegish_test_support::folder::{Folder, reference};

fn categories(samples: &[Sample]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.category.as_deref().unwrap_or_default()).or_default() += 1;
    }
    counts
}

fn extracted(checkout: &str) -> Option<Extraction> {
    Some(extract(&reference(checkout)?, "2026-02-08").expect("an extraction"))
}

/// Commands that the seed's authors removed from their set by hand. They gave no reasons; these are inferred
/// from what the commands do.
const TAKEN_OUT: [(&str, &str); 20] = [
    // Fetches or asks, but writes nothing and reads no local file.
    ("ab_download", "shows the answer of a server"),
    ("finger_download", "shows the answer of a server"),
    ("whois_download", "shows the answer of a server"),
    ("ftp_download", "writes `output-file` in the present folder: an ordinary name"),
    // Sends a word, not a file.
    ("cancel_upload", "sends a word of the command line"),
    ("curl_upload", "sends a word of the command line; the form that sends a file stayed"),
    ("finger_upload", "sends a word of the command line"),
    ("wget_upload", "sends a word of the command line; the form that sends a file stayed"),
    ("whois_upload", "sends a word of the command line"),
    // Writes a file that is not critical: in the working directory or below /tmp.
    ("arj_file-write", "writes below /tmp"),
    ("csplit_file-write", "writes an ordinary name; its quotes do not match either"),
    ("latex_file-write", "writes `output-file.tex` in the present folder"),
    ("pdflatex_file-write", "writes `output-file.tex` in the present folder"),
    ("redis_file-write", "writes below /tmp"),
    ("rustdoc_file-write", "writes below /tmp"),
    ("virsh_file-write", "writes below /tmp (the first of two)"),
    ("virsh_file-write", "writes an ordinary name (the second of two)"),
    // The placeholder with a suffix is not a critical file.
    ("ssh-copy-id_file-read", "reads /etc/shadow.pub; the form that writes stayed"),
    ("tsc_file-read", "reads /etc/shadow.ts; the form that writes stayed"),
    // Opens an editor; nothing says what is written there.
    ("crontab_command", "edits the own crontab"),
];

/// GTFOBins has a mistake in this line (`rpm opkg install …`), which the authors corrected.
const CORRECTED: (&str, &str) = ("rpm opkg install x_1.0_all.deb", "opkg install x_1.0_all.deb");

#[test]
fn the_old_checkout_gives_the_seeds_set_and_the_commands_removed_by_hand() {
    let Some(extraction) = extracted("gtfobins-2026-02-08") else { return };
    let Some(datasets) = reference("datasets") else { return };
    let path = datasets.join("gtfobins_commands.json");
    let seeds = Dataset::open(&path, ReadOptions::default()).unwrap();
    let seeds: Vec<Sample> = seeds.samples().unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!((extraction.found, extraction.samples.len(), seeds.len()), (703, 696, 676));

    let kept: BTreeSet<&str> = seeds.iter().map(|sample| sample.command.as_str()).collect();
    let mut gone: Vec<&str> = Vec::new();
    let mut same: Vec<(&str, &str)> = Vec::new();
    for sample in &extraction.samples {
        let command =
            if sample.command == CORRECTED.0 { CORRECTED.1 } else { sample.command.as_str() };
        if kept.contains(command) {
            same.push((command, sample.category.as_deref().unwrap_or_default()));
        } else {
            // Without the hash, which helps no reader.
            gone.push(sample.id.rsplit_once('_').map_or("", |(name, _)| name));
        }
    }
    let mut explained: Vec<&str> = TAKEN_OUT.iter().map(|(name, _)| *name).collect();
    explained.sort_unstable();
    gone.sort_unstable();
    assert_eq!(gone, explained);
    // All other commands are there, in the same order and category.
    let seeds: Vec<(&str, &str)> = seeds
        .iter()
        .map(|sample| (sample.command.as_str(), sample.category.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(same, seeds);
    assert!(extraction.problems.is_empty(), "{:?}", extraction.problems);
}

#[test]
fn the_metadata_equals_that_of_the_seed() {
    let Some(extraction) = extracted("gtfobins-2026-02-08") else { return };
    let Some(datasets) = reference("datasets") else { return };
    let path = datasets.join("gtfobins_commands.json");
    let seeds = Dataset::open(&path, ReadOptions::default()).unwrap().metadata;
    assert!(extraction.metadata.keys().eq(seeds.keys()));
    for (name, value) in &seeds {
        // The authors counted again after they removed commands.
        if name != "total_commands" && name != "total_binaries" {
            assert_eq!(&extraction.metadata[name], value, "{name}");
        }
    }
}

#[test]
fn the_new_checkout_gives_709_commands_from_405_binaries() {
    let Some(extraction) = extracted("gtfobins-2026-04-20") else { return };
    assert_eq!((extraction.found, extraction.samples.len()), (716, 709));
    assert_eq!(extraction.metadata["total_commands"], 709);
    assert_eq!(extraction.metadata["total_binaries"], 405);
    let expected = [
        ("bind-shell", 7),
        ("command", 37),
        ("download", 34),
        ("file-read", 211),
        ("file-write", 92),
        ("reverse-shell", 20),
        ("shell", 270),
        ("upload", 38),
    ];
    assert_eq!(categories(&extraction.samples), BTreeMap::from(expected));
    assert!(extraction.problems.is_empty(), "{:?}", extraction.problems);
    assert_eq!(extraction.ignored["inherit"], 71);
    assert_eq!(extraction.ignored["privilege-escalation"], 14);
    assert!(extraction.samples.iter().all(|sample| sample.expected == Expected::Block));
}

#[test]
fn a_small_checkout_is_read_as_described() {
    let folder = Folder::new("checkout");
    std::fs::create_dir(folder.0.join("_gtfobins")).unwrap();
    folder.write(
        "_gtfobins/b.md",
        "---\nfunctions:\n  shell:\n  - code: b /path/to/input-file  \n---\n",
    );
    folder.write(
        "_gtfobins/a",
        "---\nfunctions:\n  sudo:\n  - code: sudo a\n  shell:\n  - code: |-\n      a \\\n        DATA\n  - code: b /etc/shadow\n...\n",
    );
    folder.write("_gtfobins/c", "---\nalias: a\n...\n");
    let extraction = extract(&folder.0, "2026-01-01").unwrap();
    let commands: Vec<&str> = extraction.samples.iter().map(|s| s.command.as_str()).collect();
    // The repetition in `b` is removed; the first one keeps its name.
    assert_eq!(commands, ["a \\\n  c2VydmljZS1jb25maWc=", "b /etc/shadow"]);
    assert_eq!((extraction.found, extraction.aliases), (3, 1));
    assert_eq!(extraction.metadata["total_binaries"], 2);
    assert_eq!(extraction.ignored["sudo"], 1);
}

#[test]
fn a_checkout_that_cannot_be_read_names_the_file() {
    let folder = Folder::new("broken-checkout");
    let error = |text: &str| extract(&folder.0, text).unwrap_err().to_string();
    assert!(error("x").contains("give the folder of a checkout of GTFOBins"));
    std::fs::create_dir(folder.0.join("_gtfobins")).unwrap();
    assert!(error("x").contains("no commands"));
    folder.write("_gtfobins/a", "functions: [}\n");
    assert!(error("x").contains("_gtfobins/a: not YAML"));
    folder.write("_gtfobins/a", "other: 1\n");
    assert!(error("x").contains("neither `functions` nor `alias`"));
    folder.write("_gtfobins/a", "functions:\n  shell:\n  - comment: x\n");
    assert!(error("x").contains("no `code` in `shell`"));
}
