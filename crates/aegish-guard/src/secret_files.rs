//! Files with secrets: what an analysis sees, reasons and logs repeat.
//!
//! Of a file that holds a secret the analysis sees that it is there, of one with settings of a project the text without
//! the values that may be secret.

use aegish_effects::{FileView, Machine};
use aegish_policy::{Secrecy, secrecy};

/// Values that are shorter say nothing: a port, a switch.
const SHORT: usize = 6;

/// What an analysis may see of a file; `home` is the home directory, empty if unknown.
pub(crate) fn read(machine: &dyn Machine, path: &str, limit: usize, home: &str) -> FileView {
    if secrecy(path, home) == Some(Secrecy::Whole) {
        return unreadable(machine.read(path, 0));
    }
    let view = machine.read(path, limit);
    if !matches!(view, FileView::Text(_) | FileView::Long(_)) {
        return view;
    }
    match (view, secrecy_of(machine, path, home)) {
        (view, None) => view,
        (FileView::Text(text), Some(Secrecy::Values)) => FileView::Text(without_values(&text)),
        (FileView::Long(text), Some(Secrecy::Values)) => FileView::Long(without_values(&text)),
        (view, _) => unreadable(view),
    }
}

/// The secrecy of a file under its name or, if that is a link, under its own.
pub(crate) fn secrecy_of(machine: &dyn Machine, path: &str, home: &str) -> Option<Secrecy> {
    let behind = machine.without_links(path).and_then(|place| secrecy(&place, home));
    secrecy(path, home).max(behind)
}

fn unreadable(view: FileView) -> FileView {
    match view {
        FileView::Text(_) | FileView::Long(_) | FileView::Binary => FileView::Unreadable,
        other => other,
    }
}

/// The text without what looks like a secret, and without every value that is neither a path nor computed.
fn without_values(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in aegish_redact::redact(text).split_inclusive('\n') {
        match line.split_once('=') {
            Some((name, value)) if hides(name, value) => {
                out.push_str(name);
                out.push_str("='‹value›'\n");
            }
            _ => out.push_str(line),
        }
    }
    out
}

fn hides(name: &str, value: &str) -> bool {
    let name = name.trim_start().trim_start_matches("export ");
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name && value.trim().len() >= SHORT && !value.contains(['/', '$', '`', ';', '&', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files;

    impl Machine for Files {
        fn read(&self, path: &str, _limit: usize) -> FileView {
            let text = match path {
                "/w/.env" => "A=hunter2hunter2\nB=./x\nC=80\nexport D='two words'\nrun me\n",
                "/w/link" | "/etc/shadow" | "/w/script" => "root:word\n",
                _ => return FileView::Missing,
            };
            FileView::Text(text.to_owned())
        }

        fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
            None
        }

        fn without_links(&self, path: &str) -> Option<String> {
            (path == "/w/link").then(|| "/etc/shadow".to_owned())
        }
    }

    #[test]
    fn a_secret_is_there_and_cannot_be_read() {
        assert_eq!(read(&Files, "/etc/shadow", 100, ""), FileView::Unreadable);
        assert_eq!(read(&Files, "/w/link", 100, ""), FileView::Unreadable);
        assert_eq!(read(&Files, "/etc/gshadow", 100, ""), FileView::Missing);
        assert_eq!(read(&Files, "/w/script", 100, ""), FileView::Text("root:word\n".to_owned()));
    }

    #[test]
    fn settings_of_a_project_have_names_and_code_but_no_values() {
        let text = "A='‹value›'\nB=./x\nC=80\nexport D='‹value›'\nrun me\n";
        assert_eq!(read(&Files, "/w/.env", 100, ""), FileView::Text(text.to_owned()));
    }
}
