//! Everything that Bash runs is in the tree.
//!
//! Bash runs each snippet in an empty directory, with a stub `rmx` that creates a file. If the file exists
//! afterwards, the tree must contain a command named `rmx`.

use std::path::Path;
use std::process::{Command, Stdio};

use aegish_syntax::{Part, Word, parse};

use crate::bash::{self, Scratch};

/// Runs one snippet after another with a time limit; prints whether `rmx` ran.
const DRIVER: &str = r#"
export PATH="$2/bin:$PATH" MARK="$2/mark"
for ((i = 0; i < $1; i++)); do
  mkdir "$2/empty" && cd "$2/empty" || exit
  timeout 5 bash -c "$(<"$2/$i")" </dev/null >/dev/null 2>&1
  cd "$2"
  rm -r "$2/empty"
  if [ -e "$MARK" ]; then rm "$MARK"; echo ran; else echo idle; fi
done
"#;

#[test]
fn whatever_bash_runs_is_in_the_tree() {
    if !bash::is_available() {
        return;
    }
    let texts = bash::snippets("syntax-executed.txt");
    let scratch = Scratch::new("executed");
    let ran = run(&texts, &scratch.0);
    let missed: Vec<&String> = texts
        .iter()
        .zip(&ran)
        .filter(|(text, ran)| **ran && !names_of(text).iter().any(|name| name == "rmx"))
        .map(|(text, _)| text)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let count = ran.iter().filter(|ran| **ran).count();
    assert!(count >= 500, "only {count} snippets ran");
}

fn run(texts: &[String], scratch: &Path) -> Vec<bool> {
    let stub = scratch.join("bin/rmx");
    std::fs::create_dir_all(scratch.join("bin")).expect("a directory for the stub");
    std::fs::write(&stub, "#!/bin/sh\n: > \"$MARK\"\n").expect("the stub");
    let made = Command::new("chmod").arg("+x").arg(&stub).status();
    assert!(made.is_ok_and(|status| status.success()));
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(scratch.join(number.to_string()), text).expect("written");
    }
    let output = Command::new("bash")
        .args(["-c", DRIVER, "driver", &texts.len().to_string()])
        .arg(scratch)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let ran: Vec<bool> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line == "ran").collect();
    assert_eq!(ran.len(), texts.len(), "Bash ran every snippet");
    ran
}

fn names_of(text: &str) -> Vec<String> {
    let script = parse(text);
    let commands = script.simple_commands();
    commands.iter().filter_map(|command| command.words.first()).map(plain_text).collect()
}

/// The word without quotes; expansions become `?`.
fn plain_text(word: &Word) -> String {
    fn append(parts: &[Part], text: &mut String) {
        for part in parts {
            match part {
                Part::Literal(inner) | Part::SingleQuoted(inner) | Part::AnsiC(inner) => {
                    text.push_str(inner);
                }
                Part::Escaped(inner) => text.push(*inner),
                Part::DoubleQuoted(inner) => append(inner, text),
                _ => text.push('?'),
            }
        }
    }
    let mut text = String::new();
    append(&word.parts, &mut text);
    text
}
