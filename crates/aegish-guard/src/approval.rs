//! The digest by which a person's answer for a script is remembered.
//!
//! It covers the text, every script file that runs with it, and the rules that warn: when a byte changes, or another
//! rule warns, the answer no longer counts.

use crate::{Action, Decision, TextForm};
use aegish_effects::ScriptText;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The replacement for invalid bytes. Different files can have the same text with it.
const REPLACED: char = '\u{fffd}';
/// Marks a part that is only known at run time.
const UNKNOWN: char = '‹';

impl Decision {
    /// The digest of a warning about script files, in hexadecimal. None if no file runs, or if one of them was not
    /// read whole.
    #[must_use]
    pub fn script_digest(&self, form: TextForm) -> Option<String> {
        let scripts = &self.analysis.scripts;
        if self.action != Action::Warn || form == TextForm::CommandLine && scripts.is_empty() {
            return None;
        }
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        add(b"aegish script approval 1");
        add(&self.text);
        for script in scripts {
            add(script.path.as_bytes());
            add(whole(&script.text)?.as_bytes());
        }
        let rules: BTreeSet<&str> = self.findings.iter().map(|finding| finding.rule.name).collect();
        for rule in rules {
            add(rule.as_bytes());
        }
        Some(hexadecimal(&digest.finalize()))
    }
}

impl Decision {
    /// SHA-256 of every script file that runs, in hexadecimal; of the text itself first, if that is a script. None if one
    /// of them was not read whole.
    #[must_use]
    pub fn script_hashes(&self, form: TextForm) -> Option<Vec<String>> {
        let mut hashes = Vec::new();
        if form == TextForm::ScriptFile {
            hashes.push(hexadecimal(&Sha256::digest(&self.text)));
        }
        for script in &self.analysis.scripts {
            hashes.push(hexadecimal(&Sha256::digest(whole(&script.text)?)));
        }
        Some(hashes)
    }
}

/// The text of a script if it is the same as its bytes.
fn whole(text: &ScriptText) -> Option<&str> {
    match text {
        ScriptText::Whole(text) if !text.contains([REPLACED, UNKNOWN]) => Some(text),
        _ => None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Context, FileView, Machine, Request, Role, TextForm, check};

    struct File(&'static str);

    impl Machine for File {
        fn read(&self, path: &str, _limit: usize) -> FileView {
            match path {
                "/w/s.sh" => FileView::Text(self.0.to_owned()),
                _ => FileView::Missing,
            }
        }

        fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
            None
        }
    }

    fn digest(line: &str, script: &'static str) -> Option<String> {
        let machine = File(script);
        let context = Context { cwd: "/w".to_owned(), machine: &machine, ..Context::bare() };
        let text = line.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        check(&request).script_digest(TextForm::CommandLine)
    }

    const OPEN: &str = "eval \"$SETTINGS\"\n";

    #[test]
    fn the_same_script_has_the_same_digest_and_another_byte_another() {
        let first = digest("sh s.sh", OPEN);
        assert!(first.is_some());
        assert_eq!(first, digest("sh s.sh", OPEN));
        assert_ne!(first, digest("sh s.sh", "eval \"$SETTINGS\" \n"));
        assert_ne!(first, digest("sh s.sh; sh s.sh", OPEN));
        assert_ne!(first, digest("sh s.sh", "wget https://example.org/a\neval \"$SETTINGS\"\n"));
    }

    #[test]
    fn only_warnings_about_files_that_were_read_have_one() {
        assert_eq!(digest("sh s.sh", "date\n"), None);
        assert_eq!(digest("sh s.sh", "cat /etc/shadow\n"), None);
        assert_eq!(digest("eval \"$SETTINGS\"", "date\n"), None);
        assert_eq!(digest("sh s.sh", "eval \"$SETTINGS\" # \u{fffd}\n"), None);
    }
}
