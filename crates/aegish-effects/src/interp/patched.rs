//! `patch`, `git apply`: the files that a diff of the session makes or changes.

use super::{FileContent, Interp};
use aegish_analysis::EffectKind;
use aegish_expansion::{Field, arguments};
use aegish_options::CommandLine;
use aegish_profiles::{ArgumentRole, Profile};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Value};

/// Most files of a diff that are followed.
const MAX_FILES: usize = 64;

/// What a diff says of one file.
#[derive(Default)]
struct FileDiff {
    /// Names that it gives the file.
    names: Vec<String>,
    /// Lines that are added.
    added: String,
    /// Nothing was there before.
    is_new: bool,
    is_link: bool,
}

impl Interp<'_> {
    /// Follows a program that applies a diff.
    pub(super) fn apply_diff(
        &mut self,
        profile: &'static Profile,
        parsed: &CommandLine,
        fields: &[Field],
        span: Span,
    ) {
        let words: Vec<&str> =
            arguments(fields).iter().filter_map(|field| field.value.as_known()).collect();
        let by_git = match profile.name {
            "patch" => false,
            "git" => match words.iter().find(|word| matches!(**word, "apply" | "am")) {
                Some(_) => true,
                None => return,
            },
            _ => return,
        };
        if words
            .iter()
            .any(|word| matches!(*word, "--check" | "--stat" | "--numstat" | "--dry-run"))
        {
            return;
        }
        let edited = parsed.arguments.iter().find(|item| item.role == ArgumentRole::Edit);
        let edited = edited.map(|item| item.value.clone());
        let reads = parsed.arguments.iter().filter(|item| item.role == ArgumentRole::Read);
        let mut diffs: Vec<Value> = Vec::new();
        for item in reads.filter(|item| item.value.as_known() != Some("-")) {
            if let FileContent::Written(content) = self.file_content(&item.value) {
                diffs.push(content);
            }
        }
        diffs.extend(self.input_content());
        let strip = words.iter().enumerate().find_map(|(at, word)| {
            let value = match *word {
                "-p" | "--strip" => words.get(at + 1).copied(),
                _ => word.strip_prefix("--strip=").or_else(|| bundled(word)),
            };
            value?.parse::<usize>().ok()
        });
        let strip = strip.or(by_git.then_some(1));
        let below = words.iter().find_map(|word| word.strip_prefix("--directory="));
        let below = below.filter(|_| by_git);
        let reversed = words.iter().any(|word| matches!(*word, "-R" | "--reverse"));
        for text in diffs.iter().flat_map(Value::own_texts) {
            for diff in files_of(&text, reversed) {
                if !self.step(span) {
                    return;
                }
                self.apply_file_diff(&diff, strip, below, edited.as_ref(), span);
            }
        }
    }

    fn apply_file_diff(
        &mut self,
        diff: &FileDiff,
        strip: Option<usize>,
        below: Option<&str>,
        edited: Option<&Value>,
        span: Span,
    ) {
        let placed = |name: &String| {
            let name = match strip {
                // Without a number only the last part counts.
                None => super::simple::base_name(name).to_owned(),
                Some(count) => name.split('/').skip(count).collect::<Vec<&str>>().join("/"),
            };
            match below {
                Some(directory) => format!("{directory}/{name}"),
                None => name,
            }
        };
        let mut names: Vec<Value> = match edited {
            Some(path) => vec![path.clone()],
            None => diff.names.iter().map(placed).map(Value::known).collect(),
        };
        names.dedup();
        for path in names.into_iter().filter(|path| path.as_known() != Some("")) {
            if diff.is_link {
                let target = Value::known(diff.added.trim_end_matches('\n'));
                if let Some(name) = path.as_known() {
                    self.remember_link(&target, name);
                }
                self.effect(EffectKind::Link { target, name: path }, span);
                continue;
            }
            let before = path.as_known().and_then(|path| self.written_at(path));
            let known = before.is_some_and(|before| before.readings(MAX_ALTERNATIVES).is_some());
            let content = match known && !diff.is_new {
                true => Value::lost(),
                false => Value::known(diff.added.as_str()),
            };
            self.write_file(&path, content, !diff.is_new && !known, span);
        }
    }
}

/// `-p1`, also behind other letters.
fn bundled(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let (before, number) = letters.split_once('p')?;
    before.chars().all(|c| "suNfRtEbl".contains(c)).then_some(number)
}

/// The files that a diff is about.
fn files_of(text: &str, reversed: bool) -> Vec<FileDiff> {
    let (added, removed) = if reversed { ('-', '+') } else { ('+', '-') };
    let (new, old) = if reversed { ("--- ", "+++ ") } else { ("+++ ", "--- ") };
    let name = |rest: &str| {
        let name = rest.split('\t').next().unwrap_or_default().trim().trim_matches('"');
        (name != "/dev/null" && !name.is_empty()).then(|| name.to_owned())
    };
    let mut files: Vec<FileDiff> = Vec::new();
    let mut current = FileDiff::default();
    let mut inside = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let header =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        let begins = line.starts_with("diff ")
            || line.starts_with("Index: ")
            || header && (inside || current.names.is_empty());
        if begins && (inside || !current.names.is_empty()) {
            files.push(std::mem::take(&mut current));
            inside = false;
        }
        if files.len() >= MAX_FILES {
            return files;
        }
        if line.starts_with("@@ ") {
            inside = true;
            let counts = line.split(' ').find(|part| part.starts_with(removed));
            current.is_new |= counts.is_some_and(|part| part.get(1..) == Some("0,0"));
        } else if inside {
            if line.starts_with(added) {
                current.added.push_str(line.get(1..).unwrap_or_default());
                current.added.push('\n');
            }
        } else if let Some(rest) = line.strip_prefix(new) {
            current.names.extend(name(rest));
        } else if let Some(rest) = line.strip_prefix(old) {
            match name(rest) {
                Some(name) => current.names.push(name),
                None => current.is_new = true,
            }
        } else if let Some(rest) = line.strip_prefix("Index: ") {
            current.names.extend(name(rest));
        } else if let Some(rest) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to "))
        {
            // These have no directory in front that would be left out.
            current.names.extend(name(&format!("b/{rest}")));
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            current.names.extend(rest.rsplit_once(' ').and_then(|(_, new)| name(new)));
        } else if line.contains("file mode 120000") || line.ends_with("mode 120000") {
            current.is_link = true;
        } else if line.starts_with("new file mode") {
            current.is_new = true;
        }
    }
    files.push(current);
    files.retain(|file| !file.names.is_empty());
    files
}
