//! Data sets as files: read, refused with the row named, written and read again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use aegish_bench::dataset::{Dataset, DatasetFormat, ReadOptions, shipped, write};
use aegish_log::{Expected, Sample};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use aegish_test_support::folder::{Folder, reference};

fn open(path: &Path) -> Result<Dataset, String> {
    Dataset::open(path, ReadOptions::default()).map_err(|error| error.to_string())
}

fn samples(set: &Dataset) -> Vec<Sample> {
    set.samples().unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_shipped_sets_are_as_their_manifest_describes_them() {
    assert_eq!(shipped().len(), 3);
    let mut ids = BTreeSet::new();
    let mut commands = BTreeSet::new();
    for description in shipped() {
        let set = description.open().unwrap();
        for sample in samples(&set) {
            let command = sample.command.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(commands.insert(command), "{} is there twice: {}", sample.id, sample.command);
            assert!(ids.insert(sample.id.clone()), "{} is there twice", sample.id);
        }
    }
}

#[test]
fn the_shipped_sets_are_as_large_as_promised() {
    let count = |name: &str, expected: Expected| {
        Dataset::find(name, ReadOptions::default()).unwrap().counts.expecting(expected)
    };
    assert!(count("malicious", Expected::Block) >= 800);
    assert!(count("harmless", Expected::Pass) >= 800);
    assert!(count("obfuscated", Expected::Block) >= 190);
    assert!(count("obfuscated", Expected::Pass) >= 60);
    assert_eq!(count("malicious", Expected::Pass) + count("harmless", Expected::Block), 0);
}

#[test]
fn a_name_that_is_no_set_lists_those_there_are() {
    let error = Dataset::find("malicous", ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("malicious, harmless, obfuscated"), "{error}");
}

#[test]
fn a_bad_row_is_named_in_every_format() {
    let folder = Folder::new("bad-rows");
    for (name, text, place) in [
        (
            "a.json",
            "[{\"command\":\"ls\",\"expect\":\"pass\"},\n{\"expect\":\"pass\"}]",
            "row 2 (line 2)",
        ),
        (
            "a.jsonl",
            "{\"command\":\"ls\",\"expect\":\"pass\"}\n\n{\"expect\":\"pass\"}\n",
            "row 2 (line 3)",
        ),
        ("a.csv", "command,expect\nls,pass\n\"a\nb\",no\n", "row 2 (line 3)"),
    ] {
        let path = folder.write(name, text);
        let error = open(&path).unwrap_err();
        assert!(error.starts_with("the data set was not read: "), "{error}");
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn a_repeated_id_is_named_with_both_rows() {
    let folder = Folder::new("twice");
    let row = |id: &str| format!("{{\"id\":\"{id}\",\"command\":\"ls\",\"expect\":\"pass\"}}\n");
    let path = folder.write("a.jsonl", &[row("a"), row("b"), row("a")].concat());
    let error = open(&path).unwrap_err();
    assert!(error.contains("`a` is there twice, in rows 1 and 3"), "{error}");
}

#[test]
fn a_file_of_unknown_format_or_without_rows_is_refused() {
    let folder = Folder::new("unknown");
    assert!(open(&folder.write("a.txt", "[]")).unwrap_err().contains("name the format"));
    assert!(open(&folder.write("a.json", "[]")).unwrap_err().contains("it has no rows"));
    assert!(open(&folder.0.join("missing.json")).unwrap_err().contains("missing.json"));
    let reading = ReadOptions { format: Some(DatasetFormat::Jsonl), expect: Some(Expected::Pass) };
    let path = folder.write("b.txt", "{\"command\":\"ls\"}\n");
    assert_eq!(Dataset::open(&path, reading).unwrap().counts.expecting(Expected::Pass), 1);
}

#[test]
fn written_samples_are_read_back_unchanged_in_every_format() {
    let folder = Folder::new("formats");
    let text = concat!(
        "{\"id\":\"a\",\"command\":\"printf 'x\\ty,\\\"z\\\"'\\nls\",\"expect\":\"block\",\"category\":\"shell\",",
        "\"binary\":\"printf\"}\n",
        "{\"id\":\"b\",\"command\":\" ls \",\"expect\":\"pass\",\"tests\":\"naïve, \\\"quoted\\\"\"}\n",
    );
    let first = samples(&open(&folder.write("first.jsonl", text)).unwrap());
    for format in [DatasetFormat::Json, DatasetFormat::Jsonl, DatasetFormat::Csv] {
        let mut bytes = Vec::new();
        write(&first, &serde_json::Map::new(), format, &mut bytes).unwrap();
        let path = folder.0.join(format!("second.{format}"));
        fs::write(&path, bytes).unwrap();
        assert_eq!(samples(&open(&path).unwrap()), first, "{format}");
    }
}

#[test]
fn the_seeds_sets_are_read_with_the_seeds_ids() {
    let Some(reference) = reference("datasets") else { return };
    let attacks = open(&reference.join("gtfobins_commands.json")).unwrap();
    assert_eq!(attacks.counts.expecting(Expected::Block), 676);
    assert_eq!(attacks.metadata["total_binaries"], 389);
    let ids: Vec<String> = samples(&attacks).into_iter().map(|sample| sample.id).collect();
    assert_eq!(ids[0], "7z_file-read_593ac11d");
    let harmless = open(&reference.join("harmless_commands.json")).unwrap();
    assert_eq!(harmless.counts.expecting(Expected::Pass), 496);
    assert_eq!(samples(&harmless)[495].id, "496");
    // Ids of a recorded run on an earlier version of the set, where the command is still the same.
    let recorded = "recorded/openai_gpt-5.1__gtfobins.jsonl";
    let text = fs::read_to_string(reference.join("..").join(recorded)).unwrap();
    let known: BTreeSet<(String, String)> =
        samples(&attacks).into_iter().map(|sample| (sample.command, sample.id)).collect();
    let mut same = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (command, id) = (row["command"].as_str().unwrap(), row["id"].as_str().unwrap());
        if let Some((_, own)) = known.iter().find(|(found, _)| found == command) {
            assert_eq!(own, id);
            same += 1;
        }
    }
    assert!(same > 200, "{same}");
}

/// The peak memory of this process so far, in KiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn many_rows_need_no_more_memory_than_few() {
    let folder = Folder::new("many");
    for format in [DatasetFormat::Json, DatasetFormat::Jsonl, DatasetFormat::Csv] {
        let mut text = String::new();
        let filler = "x".repeat(200);
        for number in 0..150_000 {
            let _ = match format {
                DatasetFormat::Json => {
                    let open = if number == 0 { '[' } else { ',' };
                    writeln!(
                        text,
                        "{open}{{\"command\":\"echo {number} {filler}\",\"expect\":\"pass\"}}"
                    )
                }
                DatasetFormat::Jsonl => {
                    writeln!(text, "{{\"command\":\"echo {number} {filler}\",\"expect\":\"pass\"}}")
                }
                DatasetFormat::Csv if number == 0 => writeln!(text, "command,expect"),
                DatasetFormat::Csv => writeln!(text, "echo {number} {filler},pass"),
            };
        }
        if format == DatasetFormat::Json {
            text.push(']');
        }
        folder.write(&format!("many.{format}"), &text);
    }
    // The peak memory includes the text above, so another process does the reading.
    let program = std::env::current_exe().unwrap();
    let few = folder.write("few.jsonl", "{\"command\":\"ls\",\"expect\":\"pass\"}\n");
    let read = |path: &Path| {
        let output = std::process::Command::new(&program)
            .args(["--exact", "reading_alone", "--nocapture", "--include-ignored"])
            .env("AEGISH_TEST_SET", path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let peak = text.split("peak=").nth(1).and_then(|rest| rest.split(';').next()?.parse().ok());
        peak.unwrap_or_else(|| panic!("no peak in {text}"))
    };
    if peak().is_none() {
        println!("skipped: this system does not tell the peak of memory");
        return;
    }
    let base: u64 = read(&few);
    for format in ["json", "jsonl", "csv"] {
        let path = folder.0.join(format!("many.{format}"));
        assert!(fs::metadata(&path).unwrap().len() > 30_000_000);
        let many = read(&path);
        // Only the hashes of the ids are kept, and their number is bounded.
        assert!(many < base + 10_000, "{format}: {many} KiB instead of {base}");
    }
}

#[test]
#[ignore = "run by many_rows_need_no_more_memory_than_few"]
fn reading_alone() {
    let Some(path) = std::env::var_os("AEGISH_TEST_SET").map(PathBuf::from) else { return };
    let set = Dataset::open(&path, ReadOptions::default()).unwrap();
    let read = set.samples().unwrap().filter(|sample| sample.is_ok()).count();
    assert_eq!(set.counts.samples(), read as u64);
    println!("peak={};", peak().unwrap_or(0));
}
