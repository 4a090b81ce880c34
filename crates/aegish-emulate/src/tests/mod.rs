//! Compares the emulation with the real programs.
//!
//! Every row runs through the emulation and, if it is installed, through the program itself. The bytes must
//! be equal.

mod data;
mod scripts;
mod text;

use super::{MAX_OUTPUT, run};
use std::io::Write as _;
use std::process::{Command, Stdio};

type Row = (&'static [&'static str], &'static str);

fn nothing(_: &str) -> Option<Vec<u8>> {
    None
}

fn emulated(argv: &[&str], stdin: &[u8]) -> Option<Vec<u8>> {
    run(argv, Some(stdin), &nothing)
}

/// The output of the real program, or nothing if it is not installed.
fn real(argv: &[&str], stdin: &[u8]) -> Option<Vec<u8>> {
    let (name, args) = argv.split_first()?;
    let mut command = if matches!(*name, "echo" | "printf") {
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("{name} \"$@\""), "x"]);
        shell
    } else {
        Command::new(name)
    };
    let mut child = command
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = input.write_all(&bytes);
    });
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?;
    Some(output.stdout)
}

#[allow(clippy::print_stderr)]
fn agree(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (argv, stdin) in rows {
        let Some(expected) = real(argv, stdin.as_bytes()) else {
            eprintln!("skipped, {} is not installed: {argv:?}", argv[0]);
            continue;
        };
        let got = emulated(argv, stdin.as_bytes());
        if got.as_deref() != Some(&expected) {
            let shown = got.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            wrong.push(format!(
                "{argv:?}\n  real {:?}\n  ours {shown:?}",
                String::from_utf8_lossy(&expected)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn unknown(rows: &[Row]) {
    for (argv, stdin) in rows {
        assert_eq!(emulated(argv, stdin.as_bytes()), None, "{argv:?}");
    }
}

#[test]
fn operands_are_read_through_the_caller() {
    let read = |name: &str| (name == "known").then(|| b"Y2F0\n".to_vec());
    assert_eq!(run(&["cat", "known", "-"], Some(b"x"), &read), Some(b"Y2F0\nx".to_vec()));
    assert_eq!(run(&["base64", "-d", "known"], Some(b""), &read), Some(b"cat".to_vec()));
    assert_eq!(run(&["cat", "other"], Some(b""), &read), None);
    assert_eq!(
        run(&["head", "-n1", "known", "known"], Some(b""), &read),
        Some(b"==> known <==\nY2F0\n\n==> known <==\nY2F0\n".to_vec())
    );
}

#[test]
fn output_is_bounded() {
    let long = "x".repeat(MAX_OUTPUT);
    assert_eq!(emulated(&["sed", "s/x/xx/g"], long.as_bytes()), None);
    assert_eq!(emulated(&["cat"], &vec![b'x'; MAX_OUTPUT + 1]), None);
    assert_eq!(emulated(&["printf", "%s", &long, &long], b""), None);
    assert!(emulated(&["cat"], long.as_bytes()).is_some());
}

#[test]
fn no_argument_or_input_makes_the_emulation_panic() {
    let words = [
        "",
        "-",
        "--",
        "-n",
        "-e",
        "s/",
        "s/\\(/x/",
        "\\",
        "[",
        "[:",
        "[a-",
        "%",
        "%*",
        "%.*",
        "{print $",
        "-F",
        "\u{e9}",
        "[[:alpha:]",
        "a\\{1",
        "a{,",
        "*",
        "-d",
        "-w",
        "-c",
        "1-",
        "é-",
        "[é*]",
        "\\u",
        "\\x",
        "y/a/",
        ":",
        "b x",
        "}",
        "{",
        "/",
        "-k0",
        "-k1.0,",
        "-t",
    ];
    let names = [
        "echo", "printf", "cat", "tac", "rev", "head", "tail", "cut", "paste", "fold", "tr", "sed",
        "grep", "egrep", "base64", "base32", "basenc", "openssl", "xxd", "od", "gzip", "xz",
        "bzip2", "md5sum", "sort", "uniq", "wc", "nl", "seq", "basename", "dirname", "expr",
        "busybox",
    ];
    let inputs: [&[u8]; 4] = [b"", b"abc \xff\xfe\n\x00x", "é\n".as_bytes(), b"\\:\n"];
    for name in names {
        for a in words {
            for b in words {
                for input in inputs {
                    let _ = emulated(&[name, a, b], input);
                }
            }
        }
    }
}
