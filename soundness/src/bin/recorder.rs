//! Replaces programs while a generated program runs: writes its words to the record, and passes data on if
//! the program would (`cat` under any name, `tee`), or runs the commands that it would (`parallel`).
#![allow(missing_docs)]

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write, copy};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

fn main() {
    let words: Vec<OsString> = env::args_os().collect();
    let mut record = format!("{}\0", words.len()).into_bytes();
    for word in &words {
        record.extend_from_slice(word.as_bytes());
        record.push(0);
    }
    if let Ok(mut file) = OpenOptions::new().append(true).open("/r/log") {
        let _ = file.write_all(&record);
    }
    let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let files = words.iter().skip(1).filter(|word| !word.as_bytes().starts_with(b"-"));
    match name.rsplit('/').next() {
        Some("rm" | "use") => {}
        Some("launch") => launch(words.iter().skip(1)),
        Some("tee") => {
            let mut data = Vec::new();
            let _ = copy(&mut io::stdin(), &mut data);
            let append = words.iter().any(|word| word == "-a");
            for path in files {
                let file = match append {
                    true => OpenOptions::new().append(true).create(true).open(path),
                    false => File::create(path),
                };
                if let Ok(mut file) = file {
                    let _ = file.write_all(&data);
                }
            }
            let _ = io::stdout().write_all(&data);
        }
        Some("parallel") => {
            parallel(words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()));
        }
        // `cat`, or a copy of it under another name.
        _ => {
            let mut any = false;
            for path in files {
                any = true;
                if let Ok(mut file) = File::open(path) {
                    let _ = copy(&mut file, &mut io::stdout());
                }
            }
            if !any {
                let _ = copy(&mut io::stdin(), &mut io::stdout());
            }
        }
    }
}

/// A program that nobody knows and that runs its operands, behind options and `user=NAME`.
fn launch<'a>(words: impl Iterator<Item = &'a OsString>) {
    let own =
        |word: &OsString| [&b"-"[..], b"user="].iter().any(|own| word.as_bytes().starts_with(own));
    let mut words = words.skip_while(|word| own(word));
    if let Some(program) = words.next() {
        let _ = Command::new(program).args(words).status();
    }
}

/// GNU parallel with one job: a command for each item of the operands, of files or of the input.
fn parallel(words: impl Iterator<Item = String>) {
    let mut words = words.peekable();
    let mut command = Vec::new();
    let mut items: Option<Vec<String>> = None;
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    while let Some(word) = words.next() {
        match word.as_str() {
            ":::" => items = Some(words.by_ref().collect()),
            "::::" | "-a" => {
                let text = words.next().and_then(|path| fs::read_to_string(path).ok());
                items = Some(lines(text.unwrap_or_default()));
            }
            option if option.starts_with('-') && command.is_empty() => {}
            _ => command.push(word),
        }
    }
    let items = items.unwrap_or_else(|| {
        let mut text = String::new();
        let _ = io::stdin().read_to_string(&mut text);
        lines(text)
    });
    let whole = command.join(" ");
    for item in items {
        let quoted = format!("'{item}'");
        let code = match whole.contains("{}") {
            true => whole.replace("{}", &quoted),
            false => format!("{whole} {quoted}"),
        };
        let _ = Command::new("/bin/bash").args(["-c", &code]).status();
    }
}
