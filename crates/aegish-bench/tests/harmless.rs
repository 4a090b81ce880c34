//! The selection of harmless commands as in the seed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use aegish_bench::dataset::harmless::{PATTERNS, holds_generated, select};
use aegish_bench::dataset::{Dataset, DatasetFormat, ReadOptions};
use regex::bytes::RegexSetBuilder;

use aegish_test_support::folder::{Folder, reference};

/// For each pattern, a command that it excludes and a similar one that it keeps.
const EXAMPLES: [(&str, &str); 41] = [
    ("rm a", "ls arm"),
    ("rmdir a", "ls rmdirs"),
    ("shutdown now", "ls shutdowns"),
    ("REBOOT", "ls reboots"),
    ("poweroff", "ls poweroffs"),
    ("halt", "ls asphalt"),
    ("init  6", "init 5"),
    ("sudo ls", "ls sudoku"),
    ("su root", "ls su.txt"),
    ("doas ls", "ls doasx"),
    ("dd  if=a", "dd of=a"),
    ("mkfs x", "ls mkfsx"),
    ("fdisk x", "ls fdisks"),
    ("parted x", "ls departed"),
    ("ls /etc", "ls /etcetera"),
    ("ls /var/log", "ls /variables"),
    ("ls /usr/lib", "ls /usrx"),
    ("/bin/ls", "ls /binary"),
    ("/sbin/ip a", "ls /sbinx"),
    ("ls /boot", "ls /boots"),
    ("ls /root", "ls /roots"),
    ("kill 1", "ls skill"),
    ("killall x", "ls killalls"),
    ("pkill x", "ls pkills"),
    ("chmod +x a", "ls chmods"),
    ("chown a b", "ls chowns"),
    ("chgrp a b", "ls chgrps"),
    ("cat a |  bash", "cat a | bashful"),
    ("bash  -c ls", "bash a"),
    ("sh -c ls", "sh a"),
    ("nc a 1 -e x", "nc a 1"),
    ("cat </dev/tcp/a/1", "cat /dev/tcpx"),
    ("cat </dev/udp/a/1", "cat /dev/udpx"),
    ("find . -delete", "find . -deleted"),
    ("systemctl suspend", "systemctl status"),
    ("nmcli radio wifi off", "nmcli radio wifi on"),
    ("gnome-terminal", "ls gnome-terminal"),
    ("screen", "screen -ls"),
    ("tmux", "ls tmux"),
    ("python -m http.server", "python -m httpserver"),
    ("cat <file_name>", "cat <file 1>"),
];

#[test]
fn every_pattern_excludes_its_commands_only() {
    let folder = Folder::new("patterns");
    for ((index, (out, kept)), (name, _)) in EXAMPLES.iter().enumerate().zip(PATTERNS) {
        let rows = serde_json::json!([
            {"prompt": "a", "response": out},
            {"prompt": "b", "response": kept},
        ]);
        let path = folder.write("a.json", &rows.to_string());
        let selection = select(&path, None, "2026-01-01").unwrap();
        assert!(selection.matched[index] == 1, "{name} does not match `{out}`");
        let commands: Vec<&str> = selection.samples.iter().map(|s| s.command.as_str()).collect();
        assert_eq!(commands, [*kept], "{name}");
    }
}

#[test]
fn all_formats_give_the_same_choice_and_every_row_is_accounted_for() {
    let folder = Folder::new("formats");
    let rows = [("list", "ls"), ("again", "ls"), ("remove", "sudo rm -r x"), ("show", "cat a,b")];
    let object = |(prompt, response): (&str, &str)| {
        serde_json::json!({"prompt": prompt, "response": response}).to_string()
    };
    let lines: Vec<String> = rows.map(object).to_vec();
    let json = folder.write("a.json", &format!("[{}]", lines.join(",")));
    let jsonl = folder.write("a.jsonl", &lines.join("\n"));
    let csv = folder.write(
        "a.csv",
        "prompt,response\nlist,ls\nagain,ls\nremove,sudo rm -r x\nshow,\"cat a,b\"\n",
    );
    for path in [json, jsonl, csv] {
        let selection = select(&path, None, "2026-01-01").unwrap();
        assert_eq!((selection.rows, selection.repeated, selection.excluded()), (4, 1, 1));
        let kept: Vec<(&str, &str)> =
            selection.samples.iter().map(|s| (s.id.as_str(), s.command.as_str())).collect();
        assert_eq!(kept, [("1", "ls"), ("2", "cat a,b")]);
        assert_eq!(selection.matched.iter().sum::<usize>(), 2, "sudo and rm");
    }
}

#[test]
fn a_row_without_a_response_is_named() {
    let folder = Folder::new("response");
    let path =
        folder.write("a.jsonl", "{\"prompt\":\"a\",\"response\":\"ls\"}\n{\"prompt\":\"b\"}\n");
    let error = select(&path, None, "2026-01-01").unwrap_err().to_string();
    assert!(error.contains("row 2 (line 2): no text in `response`"), "{error}");
}

#[test]
fn generated_entries_are_noticed_before_a_file_is_replaced() {
    let folder = Folder::new("generated");
    let plain = folder.write("a.json", "{\"commands\":[{\"command\":\"ls\"}]}");
    let generated = folder.write(
        "b.json",
        "{\"commands\":[{\"command\":\"ls\"},{\"command\":\"w\",\"source\":\"llm-generated\"}]}",
    );
    let broken = folder.write("c.json", "{\"commands\":[{\"command\":");
    assert_eq!(holds_generated(&folder.0.join("none.json"), DatasetFormat::Json), Ok(false));
    assert_eq!(holds_generated(&plain, DatasetFormat::Json), Ok(false));
    assert_eq!(holds_generated(&generated, DatasetFormat::Json), Ok(true));
    assert!(holds_generated(&broken, DatasetFormat::Json).is_err());
}

#[test]
fn the_seeds_own_selection_is_the_same() {
    let Some(datasets) = reference("datasets") else { return };
    let path = datasets.join("harmless_commands.json");
    let set = Dataset::open(&path, ReadOptions::default()).unwrap();
    // The seed publishes its patterns; ours select the same rows from all data that is present.
    let seeds: Vec<&str> = set.metadata["dangerous_patterns_defined"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pattern| pattern.as_str().unwrap())
        .collect();
    assert_eq!(seeds.len(), PATTERNS.len());
    let build = |patterns: &[&str]| {
        RegexSetBuilder::new(patterns).case_insensitive(true).unicode(false).build().unwrap()
    };
    let (own, seeds) = (build(&PATTERNS.map(|(_, pattern)| pattern)), build(&seeds));
    let attacks =
        Dataset::open(&datasets.join("gtfobins_commands.json"), ReadOptions::default()).unwrap();
    let mut left_out = 0;
    for sample in attacks.samples().unwrap().map(Result::unwrap) {
        let hits: Vec<usize> = own.matches(sample.command.as_bytes()).iter().collect();
        assert!(hits.iter().copied().eq(seeds.matches(sample.command.as_bytes()).iter()));
        left_out += usize::from(!hits.is_empty());
    }
    assert!(left_out > 500, "{left_out}");
    // Rows that the seed took from its source are kept; rows written by hand were never filtered.
    let mut kept = 0;
    for sample in set.samples().unwrap().map(Result::unwrap) {
        if !sample.metadata.contains_key("source") {
            assert!(!own.is_match(sample.command.as_bytes()), "{}", sample.command);
            kept += 1;
        }
    }
    assert_eq!(kept, 290);
}
