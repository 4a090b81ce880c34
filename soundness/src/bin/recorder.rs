//! Replaces programs while a generated program runs: writes its words to the record, and passes data on if
//! the program would (`cat`, `tee`).
#![allow(missing_docs)]

use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write, copy};
use std::os::unix::ffi::OsStrExt;

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
        Some("cat") => {
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
        Some("tee") => {
            let mut data = Vec::new();
            let _ = copy(&mut io::stdin(), &mut data);
            for path in files {
                let file = File::create(path);
                if let Ok(mut file) = file {
                    let _ = file.write_all(&data);
                }
            }
            let _ = io::stdout().write_all(&data);
        }
        _ => {}
    }
}
