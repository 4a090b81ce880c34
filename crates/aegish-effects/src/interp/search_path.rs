//! Programs that a name means because of the search path.

use super::Interp;
use super::program::SYSTEM_DIRECTORIES;
use aegish_shell_state::{FileView, LookedAt};
use aegish_values::Value;

impl Interp<'_> {
    /// A program of that name that the script itself put on its search path.
    pub(super) fn written_program(&self, name: &str) -> Option<String> {
        self.look_at(|| LookedAt::End(format!("/{name}")));
        if self.state.pieces.is_empty() && self.state.files.ending_with(name).next().is_none() {
            return None;
        }
        let path = self.lookup_scalar("PATH")?;
        let written = |directories: &str| {
            directories
                .split(':')
                .map(|directory| self.absolute(&format!("{directory}/{name}")))
                .find(|candidate| self.written(candidate).is_some())
        };
        // Directories at the end of the path matter only for names without a known program.
        written(path.known_prefix()).or_else(|| {
            let own = aegish_profiles::find(name).is_none();
            own.then(|| written(path.known_suffix())).flatten()
        })
    }

    /// A script of that name in a directory that this session added to its search path. In the usual
    /// directories of package managers and users, wrappers are ordinary and are judged by their names.
    pub(super) fn added_program(&self, name: &str) -> Option<String> {
        let path = self.state.variables.get("PATH")?.content.scalar()?;
        let before = self.ctx.variables.get("PATH").map(Value::known_prefix).unwrap_or_default();
        path.known_prefix()
            .split(':')
            .take_while(|directory| !SYSTEM_DIRECTORIES.contains(directory))
            .filter(|directory| !before.split(':').any(|known| known == *directory))
            .map(|directory| self.absolute(&format!("{directory}/{name}")))
            .filter(|candidate| !self.is_tool_place(candidate))
            .find(|candidate| {
                let view = self.machine.read(candidate, super::MAX_SCRIPT);
                candidate.starts_with('/') && matches!(view, FileView::Text(_) | FileView::Long(_))
            })
    }

    pub(super) fn is_tool_place(&self, path: &str) -> bool {
        let below = |place: &Value| {
            place
                .as_known()
                .and_then(|place| path.strip_prefix(place))
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let hidden = path.contains("/.") || path.contains("/venv/") || path.contains("/vendor/");
        hidden || below(&self.home()) && !below(&self.state.cwd)
    }

    /// A file of that name in a directory that is searched before those of the system.
    pub(super) fn program_before_the_system(&self, name: &str) -> Option<String> {
        let path = self.lookup_scalar("PATH")?;
        path.known_prefix()
            .split(':')
            .take_while(|directory| !SYSTEM_DIRECTORIES.contains(directory))
            .map(|directory| self.absolute(&format!("{directory}/{name}")))
            .find(|candidate| {
                let view = self.machine.read(candidate, 0);
                candidate.starts_with('/') && !matches!(view, FileView::Missing | FileView::Unknown)
            })
    }
}
