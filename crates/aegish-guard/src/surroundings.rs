//! The surroundings of a process, and contexts for requests.
//!
//! Only a short fixed list of environment variables is used, so that a verdict does not depend on other
//! variables, and no secret is passed on.

use aegish_effects::{Context, Machine, OutputReader, StandardInput, TextForm, Value};
use std::collections::HashMap;
use std::env;
use std::path::Path;

/// The variables whose values may affect the meaning of a line.
const PASSED_ON: [&str; 10] =
    ["PATH", "HOME", "USER", "PWD", "SHELL", "LANG", "TERM", "TMPDIR", "EDITOR", "PAGER"];

/// Working directory, home and variables.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Absolute; empty if unknown.
    pub cwd: String,
    /// Absolute; empty if unknown.
    pub home: String,
    /// Name and value, from the fixed list.
    pub variables: Vec<(&'static str, String)>,
    /// Who reads what the commands print.
    pub reader: OutputReader,
}

impl Surroundings {
    /// Those of this process, or in another working directory.
    #[must_use]
    pub fn of_process(cwd: Option<&Path>) -> Self {
        let here = env::current_dir().unwrap_or_default();
        let cwd = match cwd {
            Some(dir) => here.join(dir),
            None => here,
        };
        let mut variables: Vec<(&'static str, String)> = Vec::new();
        for name in PASSED_ON {
            if let Ok(value) = env::var(name) {
                variables.push((name, value));
            }
        }
        let home = env::var("HOME").ok().filter(|home| home.starts_with('/')).unwrap_or_default();
        Self { cwd: String::new(), home, variables, reader: OutputReader::Trusted }
            .at(&cwd.to_string_lossy())
    }

    /// The same in another directory; relative ones start from the present one.
    #[must_use]
    pub fn at(&self, dir: &str) -> Self {
        let mut moved = self.clone();
        let joined = Path::new(&self.cwd).join(dir).to_string_lossy().into_owned();
        moved.cwd = if joined.starts_with('/') { plain(&joined) } else { String::new() };
        for (name, value) in &mut moved.variables {
            if *name == "PWD" {
                value.clone_from(&moved.cwd);
            }
        }
        moved
    }

    /// The same in an unknown directory.
    #[must_use]
    pub fn lost(&self) -> Self {
        let mut lost = self.clone();
        lost.cwd = String::new();
        lost.variables.retain(|(name, _)| *name != "PWD");
        lost
    }

    /// A context for text typed here, without positional parameters.
    #[must_use]
    pub fn context<'m>(&self, machine: &'m dyn Machine) -> Context<'m> {
        let known = |(name, value): &(&'static str, String)| {
            ((*name).to_owned(), Value::known(value.as_str()))
        };
        Context {
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            variables: self.variables.iter().map(known).collect(),
            complete: false,
            aliases: HashMap::new(),
            positional: Some(Vec::new()),
            zero: None,
            interactive: true,
            stdin: StandardInput::Terminal,
            reader: self.reader,
            form: TextForm::CommandLine,
            machine,
        }
    }
}

/// The path without `.`, `..`, doubled and trailing slashes. Purely textual, like the shell's own `PWD`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_effects::NoMachine;

    #[test]
    fn directories_are_made_absolute_and_plain() {
        let start = Surroundings { cwd: "/srv/app".to_owned(), ..Surroundings::default() };
        assert_eq!(start.at("../lib/./x/").cwd, "/srv/lib/x");
        assert_eq!(start.at("/").cwd, "/");
        assert_eq!(Surroundings::default().at("somewhere").cwd, "");
    }

    #[test]
    fn only_listed_variables_reach_the_context() {
        let here = Surroundings::of_process(None);
        assert!(here.cwd.starts_with('/'));
        let context = here.context(&NoMachine);
        assert!(context.variables.keys().all(|name| PASSED_ON.contains(&name.as_str())));
    }
}
