//! Files with many scripts, each after a line `%% name`; further lines that start with `%` state its
//! requirements.

use std::fs;
use std::path::Path;

/// A script and its call.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<(String, String)>,
    /// Standard input; nothing if it does not matter.
    pub(crate) input: Option<Vec<u8>>,
    /// Why the guard asks about it.
    pub(crate) warned: Option<String>,
    /// The ways in which it is run.
    pub(crate) ways: Vec<Way>,
}

/// How a shell gets a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `-c TEXT`
    Text,
    /// `script.sh`
    File,
    /// `-s`
    Input,
}

pub(crate) const WAYS: [Way; 3] = [Way::Text, Way::File, Way::Input];

/// All of them.
pub(crate) fn all() -> Vec<Script> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in/scripts");
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| of(file)).collect()
}

fn of(file: &Path) -> Vec<Script> {
    let subject = file.file_stem().unwrap().to_string_lossy();
    let text = fs::read_to_string(file).unwrap();
    let parts = text.strip_prefix("%% ").expect("a name").split("\n%% ");
    parts.map(|part| one(&subject, part)).collect()
}

fn one(subject: &str, part: &str) -> Script {
    let (name, mut rest) = part.split_once('\n').expect("a text");
    let mut script = Script {
        name: format!("{subject}: {name}"),
        text: Vec::new(),
        arguments: Vec::new(),
        variables: Vec::new(),
        input: None,
        warned: None,
        ways: WAYS.to_vec(),
    };
    let (mut head, mut carriage, mut cut) = (String::new(), "", "\n");
    while let Some(line) = rest.strip_prefix('%') {
        let (line, after) = line.split_once('\n').expect("a text");
        rest = after;
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "arg" => script.arguments.push(value.to_owned()),
            "env" => {
                let (name, value) = value.split_once('=').expect("a variable");
                script.variables.push((name.to_owned(), value.to_owned()));
            }
            "input" => script.input = Some(unescaped(value)),
            "input-size" => {
                let size: usize = value.parse().unwrap();
                let lines = (0..).flat_map(|n| format!("line {n}\n").into_bytes());
                script.input = Some(lines.take(size).collect());
            }
            "warned" => script.warned = Some(value.to_owned()),
            // Job control needs a terminal.
            "without-terminal" if fs::File::open("/dev/tty").is_ok() => script.ways.clear(),
            "without-terminal" => {}
            "ways" => script.ways = value.split(' ').map(way).collect(),
            "crlf" => carriage = "\r",
            "cut" => cut = "",
            "repeat" | "repeat-lines" => {
                let (count, text) = value.split_once(' ').expect("a count and a text");
                let end = if word == "repeat" { "" } else { "\n" };
                head = format!("{text}{end}").repeat(count.parse().unwrap());
            }
            other => panic!("{name}: what is %{other}?"),
        }
    }
    // Standard input is the script then.
    if script.input.is_some() {
        script.ways.retain(|way| *way != Way::Input);
    }
    let lines = rest.strip_suffix('\n').unwrap_or(rest).replace('\n', &format!("{carriage}\n"));
    let last = if cut.is_empty() { "" } else { carriage };
    script.text = format!("{head}{lines}{last}{cut}").into_bytes();
    script
}

fn way(word: &str) -> Way {
    match word {
        "text" => Way::Text,
        "file" => Way::File,
        "input" => Way::Input,
        other => panic!("no way: {other}"),
    }
}

/// `\n`, `\r`, `\0`, `\1`, `\xNN` and `\\`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next().expect("something behind the backslash") {
            b'n' => b'\n',
            b'r' => b'\r',
            b'\\' => b'\\',
            b'x' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            digit @ b'0'..=b'9' => digit - b'0',
            other => panic!("what is \\{}?", char::from(other)),
        });
    }
    bytes
}
