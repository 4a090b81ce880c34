//! Commands with redirections: if one of them fails, the command does not run.

use super::{CommandResult, Interp};
use aegish_expansion::redirects::{is_always_there, opens_file};
use aegish_shell_state::{FileView, Switch};
use aegish_syntax::{Redirect, Span};
use aegish_values::{MAX_ALTERNATIVES, Value, either_output};

/// A file that a redirection opens.
pub(super) struct Opened {
    pub(super) name: Value,
    pub(super) written: bool,
}

impl Interp<'_> {
    /// Follows a command with its redirections.
    pub(crate) fn with_redirects(
        &mut self,
        redirects: &[Redirect],
        span: Span,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let before = redirects.iter().any(opens_file).then(|| Box::new(self.state.clone()));
        let mut redirected = self.open_redirects(redirects, span);
        let files = std::mem::take(&mut redirected.files);
        let mut result = run(self);
        // What it prints is missing if it does not run.
        if before.is_some()
            && self.output.capture
            && !result.stdout.has_unknown()
            && !result.stdout.pieces().is_empty()
            && files.iter().any(|file| !file.written && self.may_fail(file))
        {
            result.stdout = either_output(&result.stdout, &Value::empty());
        }
        let Some(before) = before else { return self.close_redirects(redirected, result) };
        let changed = result.status == Some(true)
            || self.is_on(Switch::NoClobber)
            || before.meanings() != self.state.meanings()
            || !before.files.is_same(&self.state.files)
            || before.cwd != self.state.cwd
            || before.positional != self.state.positional;
        let mut result = self.close_redirects(redirected, result);
        let now = std::mem::replace(&mut self.state.cwd, before.cwd.clone());
        let fails = changed && files.iter().any(|file| self.may_fail(file));
        self.state.cwd = now;
        if fails {
            // Then the command does not run.
            self.state.join(&before);
            result.status = result.status.filter(|ok| !ok);
        }
        result
    }

    /// Whether a file that the text names may not be opened. What comes from outside is there.
    pub(super) fn may_fail(&self, file: &Opened) -> bool {
        let Some(names) = file.name.readings(MAX_ALTERNATIVES) else { return false };
        names.iter().any(|name| {
            let path = self.resolved(name);
            let directory = path.rsplit_once('/').map_or("/", |(directory, _)| directory);
            match file.written {
                _ if name.is_empty() => true,
                _ if is_always_there(name) => false,
                false => match self.state.files.get(&path) {
                    Some(fact) => fact.perhaps,
                    None => !matches!(
                        self.machine.read(&path, 0),
                        FileView::Text(_) | FileView::Long(_) | FileView::Binary
                    ),
                },
                true => {
                    self.is_on(Switch::NoClobber)
                        || self.state.modes_changed
                        || matches!(name.rsplit('/').next(), Some("" | "." | ".."))
                        || self.state.made.contains_key(&path)
                        || self.machine.is_directory(&path)
                        || name.contains('/')
                            && !path.starts_with("/tmp/")
                            && !self.state.made.contains_key(directory)
                            && !self.machine.is_directory(directory)
                }
            }
        })
    }
}
