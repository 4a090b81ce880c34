//! Files that a program reads without being asked: settings in the working directory, in the home directory, in
//! directories that options and variables name.

use super::{FileContent, Interp};
use aegish_expansion::{Field, arguments};
use aegish_profiles::{ArgumentRole, Lang, Profile, Special};
use aegish_shell_state::{FileView, LookedAt};
use aegish_syntax::Span;
use aegish_values::Value;
use std::collections::BTreeSet;

/// Directories above the working directory that are looked at.
const MAX_ABOVE: usize = 16;

impl Interp<'_> {
    /// Follows files that the program reads without being asked, if the script wrote them.
    pub(super) fn apply_inputs(&mut self, profile: &'static Profile, fields: &[Field], span: Span) {
        if self.state.files.is_empty() && self.state.unpacked.is_empty() {
            return;
        }
        let directories = directories(profile, fields);
        for (path, role) in profile.inputs {
            let places = self.places_of_input(path, &directories);
            for place in &places {
                let seen = self.unpacked_origin(place).is_some()
                    && !matches!(
                        self.machine.read(place, 0),
                        FileView::Missing | FileView::Unknown
                    );
                if seen && self.written(place).is_none() {
                    self.run_unpacked(&Value::known(place.as_str()), span);
                }
            }
            let written: BTreeSet<String> = places
                .iter()
                .flat_map(|place| {
                    let start = place.split('*').next().unwrap_or(place);
                    self.look_at(|| LookedAt::Start(start.to_owned()));
                    let files = self.state.files.starting_with(start).map(|(name, _)| name);
                    files.filter(move |name| super::settings::fits(place, name)).map(str::to_owned)
                })
                .collect();
            for name in written {
                self.apply_input(&name, *role, fields, span);
            }
        }
    }

    /// The working directory by default; operands, options and variables may name another one.
    fn places_of_input(&self, path: &str, directories: &[String]) -> Vec<String> {
        let mut places = match path.strip_prefix('~') {
            Some(rest) => vec![self.absolute(&format!("{}{rest}", self.home()))],
            None => self.possible_paths(path.trim_start_matches("**/")),
        };
        if let Some(rest) = path.strip_prefix("~/.config/")
            && let Some(settings) = self.lookup_scalar("XDG_CONFIG_HOME")
            && let Some(settings) = settings.as_known()
        {
            places.push(self.absolute(&format!("{settings}/{rest}")));
        }
        let path = path.trim_start_matches("**/");
        // npm and git look in the directories above, too.
        if path == "package.json" || path.starts_with(".git/") {
            let here = self.absolute(".");
            // Bounded: a path has few parts.
            places.extend(
                std::iter::successors(Some(here.as_str()), |place| {
                    place.rsplit_once('/').map(|(above, _)| above)
                })
                .skip(1)
                .take(MAX_ABOVE)
                .map(|place| format!("{place}/{path}")),
            );
        }
        places.extend(directories.iter().map(|at| self.absolute(&format!("{at}/{path}"))));
        places
    }

    fn apply_input(&mut self, name: &str, role: ArgumentRole, fields: &[Field], span: Span) {
        let Some(content) = self.written(name) else { return };
        // What a file runs may be the same program, which reads the file again.
        if self.calls.obeyed.iter().any(|one| one == name) {
            return;
        }
        self.calls.obeyed.push(name.to_owned());
        self.run_fetched(&content, span);
        if role == ArgumentRole::Code(Lang::Make) {
            let goals: Vec<Value> =
                arguments(fields).iter().map(|field| field.value.clone()).collect();
            self.run_language(Lang::Make, &content, &goals, span);
        } else {
            self.follow_settings(role, &content, span);
        }
        self.calls.obeyed.pop();
    }

    /// Follows a file of settings that a word names, or those in the directory that it names, if the session wrote
    /// them. A program that reads such settings by itself knows their language.
    pub(super) fn check_config(&mut self, path: &Value, span: Span) {
        let program = self
            .frame
            .caller
            .parent
            .and_then(|parent| self.out.commands.get(parent)?.program)
            .and_then(aegish_profiles::find);
        let lang = program.and_then(language_of_settings);
        for content in self.contents_of_config(path, program) {
            self.run_fetched(&content, span);
            match lang {
                Some(lang) => {
                    self.run_language(lang, &content, &[], span);
                }
                None => {
                    if let Some(text) = content.as_known().filter(|_| content.taint().is_none()) {
                        let text = text.to_owned();
                        self.scan_config(&text, span);
                    }
                }
            }
        }
    }

    fn contents_of_config(&self, path: &Value, program: Option<&'static Profile>) -> Vec<Value> {
        if let Some("-" | "/dev/stdin") = path.as_known() {
            return self.input_content().into_iter().collect();
        }
        if let FileContent::Written(content) = self.file_content(path) {
            return vec![content];
        }
        let Some(directory) = path.as_known().filter(|_| program.is_some()) else {
            return Vec::new();
        };
        let start = format!("{}/", self.absolute(directory));
        let is_setting = |name: &str| {
            let rest = name.strip_prefix(&start).unwrap_or_default();
            let ending = rest.rsplit_once('.').map(|(_, ending)| ending);
            !rest.contains('/')
                && program.is_some_and(|program| {
                    program.inputs.iter().any(|(input, _)| {
                        let name = input.rsplit('/').next().unwrap_or(input);
                        name == rest
                            || ending.is_some()
                                && name.rsplit_once('.').map(|(_, ending)| ending) == ending
                    })
                })
        };
        let files = self.state.files.starting_with(&start).map(|(name, _)| name);
        let names: Vec<String> = files.filter(|name| is_setting(name)).map(str::to_owned).collect();
        names.iter().filter_map(|name| self.written(name)).collect()
    }
}

/// The one language of the settings that a program reads by itself.
fn language_of_settings(profile: &'static Profile) -> Option<Lang> {
    let mut found = None;
    for (_, role) in profile.inputs {
        match role {
            // Hooks are programs, not settings.
            ArgumentRole::Code(Lang::Shell) => {}
            ArgumentRole::Code(lang) if found.is_none_or(|one| one == *lang) => found = Some(*lang),
            ArgumentRole::Code(Lang::GitRemote | Lang::GitUrl) => {}
            _ => return None,
        }
    }
    found
}

/// Directories that the words of a command may name.
fn directories(profile: &'static Profile, fields: &[Field]) -> Vec<String> {
    let words = arguments(fields);
    let plain = words.iter().filter_map(|field| Some(field.value.as_known()?.to_owned()));
    let mut found: Vec<String> = plain.collect();
    if profile.special != Some(Special::Shell) && !profile.inputs.is_empty() {
        let parsed = aegish_options::parse(&profile.grammar, words);
        let named = parsed.arguments.iter().filter(|item| {
            item.option && matches!(item.role, ArgumentRole::Dir | ArgumentRole::Path)
        });
        found.extend(named.filter_map(|item| Some(item.value.as_known()?.to_owned())));
    }
    found
}
