//! The state of bash that no report has: functions, options, arrays and completions.

use crate::ended::Ended;
use crate::shell::Shell;

/// The state, as bash tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldState {
    /// Code that brings a new shell into this state. It is read and never run.
    pub code: String,
    /// The functions that bash calls for completion.
    pub completions: Vec<String>,
}

impl Shell {
    /// The present state. Nothing if bash takes too long to answer.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn told_state(&mut self) -> Result<Option<ToldState>, Ended> {
        let Some(fields) = self.ask("__aegish_state", &[])? else { return Ok(None) };
        let [code, completions, ..] = fields.as_slice() else { return Ok(None) };
        let mut code = code.clone();
        for (letter, line) in [('a', "set -a\n"), ('e', "set -e\n")] {
            if self.last().options.contains(letter) {
                code.push_str(line);
            }
        }
        Ok(Some(ToldState { code, completions: functions_of(completions) }))
    }
}

/// The functions behind `-F` in lines of `complete -p`.
fn functions_of(listed: &str) -> Vec<String> {
    let function = |line: &str| {
        let (_, behind) = line.split_once(" -F ")?;
        behind.split(' ').next().map(str::to_owned)
    };
    let mut names: Vec<String> = listed.lines().filter_map(function).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::functions_of;

    #[test]
    fn functions_are_found_in_what_complete_lists() {
        let listed = "complete -o default -F _longopt mv\ncomplete -F _longopt cp\ncomplete -u groups\n\
                      complete -F _minimal\n";
        assert_eq!(functions_of(listed), ["_longopt", "_minimal"]);
    }
}
