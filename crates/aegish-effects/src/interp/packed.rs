//! Archives that the session makes of its own files: what comes out where they are unpacked.

use super::{FileContent, Interp};
use aegish_options::CommandLine;
use aegish_profiles::{ArgumentRole, Profile, Stdin, Trait};
use aegish_syntax::Span;
use aegish_values::Value;

/// Below this name files are kept that were put into an archive, under their names there. No file is called like this.
const PACKED: &str = "/\u{1}packed/";

/// Most files of an archive that are followed.
const MAX_MEMBERS: usize = 256;

impl Interp<'_> {
    /// Files of the session that a program puts into an archive.
    pub(super) fn note_packed(&mut self, profile: &'static Profile, parsed: &CommandLine) {
        let packs = profile.has(Trait::Unpacker) || profile.name == "zip";
        if !packs || self.state.files.is_empty() {
            return;
        }
        let mut names: Vec<String> = parsed
            .arguments
            .iter()
            .filter(|item| matches!(item.role, ArgumentRole::ReadTree | ArgumentRole::Read))
            .filter_map(|item| item.value.as_known().map(str::to_owned))
            .collect();
        if parsed.stdin == Stdin::Paths {
            names.extend(
                self.stdin_content()
                    .own_texts()
                    .iter()
                    .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<String>>()),
            );
        }
        for item in parsed.arguments.iter().filter(|item| item.role == ArgumentRole::ReadList) {
            if let FileContent::Written(list) = self.file_content(&item.value) {
                let list = list.as_known().unwrap_or_default();
                names.extend(list.split(['\n', '\0']).map(str::to_owned));
            }
        }
        let mut members: Vec<(String, Value)> = Vec::new();
        for name in names.iter().filter(|name| !name.is_empty()) {
            let place = self.resolved(name);
            let own = self.written(&place).map(|content| (name.clone(), content));
            members.extend(own);
            let start = format!("{}/", place.trim_end_matches('/'));
            for (path, _) in self.state.files.starting_with(&start) {
                let rest = path.get(start.len()..).unwrap_or_default();
                let Some(content) = self.written(path).filter(|_| !path.contains('\u{1}')) else {
                    continue;
                };
                members.push((format!("{}/{rest}", name.trim_end_matches('/')), content));
            }
        }
        if members.len() > MAX_MEMBERS {
            self.hidden_limit(Span::default(), "files of an archive");
            members.truncate(MAX_MEMBERS);
        }
        for (name, content) in members {
            self.remember_file(&format!("{PACKED}{}", inside(&name)), content, false);
        }
    }

    /// Files of the session that come out of an archive.
    pub(super) fn unpack_own(&mut self, place: &str, span: Span) {
        let members: Vec<(String, Value)> = self
            .state
            .files
            .starting_with(PACKED)
            .filter_map(|(path, _)| {
                Some((path.strip_prefix(PACKED)?.to_owned(), self.written(path)?))
            })
            .collect();
        if members.is_empty() {
            return;
        }
        let words = self.words_of_caller();
        let place = place.trim_end_matches('/');
        for (name, content) in members {
            if !self.step(span) {
                return;
            }
            let path = match renamed(&words, &name) {
                Some(name) if name.starts_with('/') => Value::known(name),
                Some(name) => Value::known(format!("{place}/{name}")),
                None => {
                    let mut path = Value::known(format!("{place}/"));
                    path.append(&Value::one_of_many_values());
                    path
                }
            };
            // It was there before it was packed.
            let known = path.as_known().and_then(|path| self.written(&self.resolved(path)));
            if known.as_ref() != Some(&content) {
                self.write_file(&path, content, false, span);
            }
        }
    }

    /// The words of the program that is followed now.
    fn words_of_caller(&self) -> Vec<String> {
        let report = self.frame.caller.parent.and_then(|at| self.out.commands.get(at));
        let words = report.map(|report| report.argv.as_slice()).unwrap_or_default();
        words.iter().map(|word| word.as_known().unwrap_or_default().to_owned()).collect()
    }
}

/// The name of a file in an archive.
fn inside(name: &str) -> &str {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("./").or(name.strip_prefix('/')) {
        name = rest;
    }
    name
}

/// The name under which a member is unpacked; `None` if that is not followed.
fn renamed(words: &[String], name: &str) -> Option<String> {
    let mut name = name.to_owned();
    let mut words = words.iter().map(String::as_str);
    let program = super::simple::base_name(words.next()?);
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').map_or((word, None), |(a, b)| (a, Some(b)));
        match option {
            "--transform" | "--xform" | "-s" if program != "unzip" => {
                let rule = value.or_else(|| words.next())?;
                let made = aegish_emulate::run(&["sed", rule], Some(name.as_bytes()), &|_| None)?;
                name = String::from_utf8(made).ok()?.trim_end_matches('\n').to_owned();
            }
            "--strip-components" | "--strip" | "--strip-path" => {
                let count: usize = value.or_else(|| words.next())?.parse().ok()?;
                name = name.split('/').skip(count).collect::<Vec<&str>>().join("/");
            }
            "-j" | "-qj" | "-jo" | "-oj" | "-qoj" if program == "unzip" => {
                name = super::simple::base_name(&name).to_owned();
            }
            "e" if program.starts_with("7z") => {
                name = super::simple::base_name(&name).to_owned();
            }
            option if option.starts_with("--transf") || option.starts_with("--xf") => return None,
            _ => {}
        }
    }
    Some(name)
}
