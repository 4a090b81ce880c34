//! Bash receives exactly the bytes that were judged: both are recorded and compared.
//!
//! A replacement for bash in `PATH` records its input; the audit log contains the judged text.

use crate::run::{self, End, Seen, Shell, TestDir};
use proptest::prelude::*;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Records its arguments and the file or input that they name, and runs nothing.
const RECORDER: &str = r#"#!/bin/sh
dir=${0%/*}
: > "$dir/words"
for word; do printf '%s\0' "$word" >> "$dir/words"; done
case $3 in
-s) cat > "$dir/text" ;;
-c) printf %s "$5" > "$dir/text" ;;
--) cat < "$4" > "$dir/text" ;;
esac
exit 42
"#;

/// Makes bash record what it reads. No program can be placed between the guard and bash, because its gate
/// would notice.
const VERBOSE: &str = r#"#!/bin/bash
exec env PS1= PS2= /bin/bash "$@" -v 2>"${0%/*}/session"
"#;

struct Recorder {
    folder: TestDir,
}

impl Recorder {
    fn new(stand_in: &str) -> Self {
        let folder = TestDir::new();
        fs::create_dir(folder.0.join("bin")).unwrap();
        let bash = folder.file("bin/bash", stand_in);
        fs::set_permissions(bash, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join("bin").join(name)
    }

    fn run(&self, words: &[&[u8]], input: Option<&[u8]>) -> Seen {
        let mut command = Shell::Aegish.command(&self.folder);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.folder.0.join("bin").display()));
        command.env_remove("AEGISH_AUDIT").env("AEGISH_BANNER", "0");
        command.args(words.iter().map(|word| std::ffi::OsStr::from_bytes(word)));
        for name in ["words", "text", "session"] {
            let _ = fs::remove_file(self.path(name));
        }
        let _ = fs::remove_dir_all(self.folder.0.join(".aegish"));
        run::finish(command, input)
    }

    /// The text that bash received.
    fn received(&self) -> Option<Vec<u8>> {
        fs::read(self.path("text")).ok()
    }

    /// The judged text in the audit log.
    fn judged(&self) -> Vec<Vec<u8>> {
        let log = fs::read_to_string(self.folder.0.join(".aegish/audit.log")).unwrap_or_default();
        let entries = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let decisions = entries.filter(|entry: &serde_json::Value| entry["event"] == "decision");
        decisions.map(|entry| entry["command"].as_str().unwrap().as_bytes().to_vec()).collect()
    }
}

/// The three ways to pass a text.
fn ways(recorder: &Recorder, text: &[u8]) -> [Seen; 3] {
    recorder.folder.file("script.sh", text);
    [
        (&[&b"-c"[..], b"--", text, b"name", b"a"][..], None),
        (&[&b"script.sh"[..], b"a"][..], None),
        (&[&b"-s"[..], b"a"][..], Some(text)),
    ]
    .map(|(words, input)| {
        let seen = recorder.run(words, input);
        let judged = recorder.judged();
        match (recorder.received(), seen.end) {
            (Some(received), End::Status(42)) => {
                assert!(received == text, "{text:?} became {received:?}");
                assert!(judged == [text], "{text:?} was judged as {judged:?}");
            }
            (None, End::Status(1)) => {}
            (received, end) => panic!("{text:?}: {received:?} {end:?} {}", seen.err()),
        }
        seen
    })
}

const TEXTS: [&str; 14] = [
    "echo plain",
    "echo 'single' \"double\" \\\\ \\' $'ansi\\n' `echo back`",
    "echo a\necho b\n\n\n",
    "cat <<'E'\n  $x `y` \\z\n\tE\nE\n",
    "echo no newline at the end",
    "\n\n  echo blank lines before\n",
    "printf '%s' \"a\tb\rc\"",
    "echo 'äöü € 😀 e\u{301}'",
    "echo -- -c -s --; echo '--'",
    "-c() { :; }; true # a text that looks like an option",
    "echo \"$@\" $0 $# $'\\x00\\xff' *.nothing [a-z]* {a,b}",
    "x=1; y=\"${x:-'q'}\"; echo \"${y@Q}\" $((x<<2)) # comment 'unfinished",
    "f() { echo \"$1\"; }; f a; [[ a =~ ^(a|b)$ ]] && echo \\\n  joined",
    "echo a;;:; )",
];

#[test]
fn texts_scripts_and_input_reach_bash_unchanged() {
    let recorder = Recorder::new(RECORDER);
    for text in TEXTS {
        for seen in ways(&recorder, text.as_bytes()) {
            assert_eq!(seen.end, End::Status(42), "{text:?}: {}", seen.err());
        }
    }
}

#[test]
fn the_words_around_the_text_are_those_of_the_call() {
    let recorder = Recorder::new(RECORDER);
    recorder.folder.file("script.sh", "true");
    let words = |call: &[&[u8]], input| {
        assert_eq!(recorder.run(call, input).end, End::Status(42));
        let bytes = fs::read(recorder.path("words")).unwrap();
        let words = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let mut words: Vec<String> = words.map(|word| word.into_owned()).collect();
        assert_eq!(words.pop().as_deref(), Some(""));
        words
    };
    let with = |rest: &[&'static str]| [&["--norc", "--noprofile"], rest].concat();
    assert_eq!(
        words(&[b"-c", b"true", b"n", b"", b"-x", b"a b"], None),
        with(&["-c", "--", "true", "n", "", "-x", "a b"])
    );
    assert_eq!(words(&[b"script.sh", b"--", b"*"], None), with(&["--", "script.sh", "--", "*"]));
    assert_eq!(words(&[b"-s", b"--", b"-c"], Some(b"true")), with(&["-s", "--", "-c"]));
}

#[test]
fn invalid_text_never_reaches_bash() {
    let recorder = Recorder::new(RECORDER);
    for text in
        [&b"echo \xff"[..], b"echo caf\xe9 latin", b"echo \xed\xa0\x80", b"\xef\xbb\xbf\xc0true"]
    {
        for seen in ways(&recorder, text) {
            assert_eq!(seen.end, End::Status(1));
            assert!(seen.err().contains("not UTF-8"), "{}", seen.err());
        }
    }
    for (words, input) in [(&[&b"script.sh"[..]][..], None), (&[b"-s"], Some(&b"echo a\n\0"[..]))] {
        recorder.folder.file("script.sh", b"echo a\n\0");
        let seen = recorder.run(words, input);
        assert_eq!((seen.end, recorder.received()), (End::Status(1), None));
        assert!(seen.err().contains("NUL byte"), "{}", seen.err());
    }
    let large = b"#".repeat((1 << 20) + 1);
    let seen = recorder.run(&[b"-s"], Some(&large));
    assert_eq!((seen.end, recorder.received()), (End::Status(1), None));
}

/// Nothing to run: bash is not even started.
fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| b" \t\n".contains(byte))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_reaches_bash_unchanged_or_not_at_all(
        text in "(true|echo|:|x=1;|if|\\{)?[ -~\\n\\täß€😀'\"\\\\$`#;&|(){}<>*!]{1,60}",
    ) {
        prop_assume!(!is_blank(text.as_bytes()));
        ways(&Recorder::new(RECORDER), text.as_bytes());
    }

    #[test]
    fn any_bytes_reach_bash_unchanged_or_not_at_all(
        bytes in prop::collection::vec(1_u8.., 1..40),
    ) {
        prop_assume!(!is_blank(&bytes));
        ways(&Recorder::new(RECORDER), &bytes);
    }
}

/// The lines of a session in the bytes that were sent: each is in single quotes after `eval`.
fn sent(session: &[u8]) -> Vec<Vec<u8>> {
    let mark = b"\\builtin eval '";
    let mut lines = Vec::new();
    let mut rest = session;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        rest = &rest[at + mark.len()..];
        let mut line = Vec::new();
        loop {
            let quote = rest.iter().position(|byte| *byte == b'\'').expect("an end");
            line.extend(&rest[..quote]);
            rest = &rest[quote + 1..];
            match rest.strip_prefix(b"\\''") {
                Some(after) => {
                    line.push(b'\'');
                    rest = after;
                }
                None => break,
            }
        }
        // Definitions of the driver.
        if !line.windows(9).any(|window| window == b"__aegish_") {
            lines.push(line);
        }
    }
    lines
}

fn typed(lines: &[String]) {
    let recorder = Recorder::new(VERBOSE);
    let input = lines.join("\n") + "\nexit 6\n";
    let seen = recorder.run(&[b"-i"], Some(input.as_bytes()));
    assert_eq!(seen.end, End::Status(6), "{}{}", seen.out(), seen.err());
    let sent = sent(&fs::read(recorder.path("session")).unwrap());
    let mut all: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    all.push(b"exit 6".to_vec());
    let shown = |lines: &[Vec<u8>]| -> Vec<String> {
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    assert_eq!(shown(&sent), shown(&all));
    assert!(recorder.judged() == all, "{all:?} was judged as {:?}", recorder.judged());
}

#[test]
fn typed_lines_reach_bash_unchanged() {
    let lines = [
        "echo plain",
        "echo 'single' \"double\" \\\\ \\' $'ansi\\n'",
        "x='it'\\''s'; echo \"$x\"",
        "  echo blanks around  ",
        "echo ä€😀 \"$'\" '\"' # comment '",
        "echo ''''''",
        "for i in a b; do echo $i; done; echo $((1+1)) ${x#*t}",
        "printf '%s\\n' 'two  blanks' '\\' \"\\\"\"",
        "echo 'two\nlines'",
        "if true; then\n  echo \"it's\"\nfi",
        "cat <<E\n  a 'b' \\c\n\nE",
        "echo joined \\\n  lines",
    ];
    typed(&lines.map(str::to_owned));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_typed_words_reach_bash_unchanged(
        words in prop::collection::vec("[ -~äß€😀]{1,30}", 1..8),
    ) {
        let quoted = |word: &String| format!(": '{}'", word.replace('\'', "'\\''"));
        typed(&words.iter().map(quoted).collect::<Vec<_>>());
    }
}
