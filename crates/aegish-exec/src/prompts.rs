//! `PS1` and `PS2`: bash never shows them, but expands them for the guard's editor.
//!
//! While bash reads, both are empty. Lines that may read or change them see what earlier lines set.

use std::collections::HashMap;

use aegish_guard::{Assigned, Permit};

use crate::ended::Ended;
use crate::pin;
use crate::report::{Report, position};
use crate::shell::Shell;

/// The prompts, and the variables of the driver that keep them.
const PROMPTS: [(&str, &str); 2] = [("PS1", "__aegish_ps1"), ("PS2", "__aegish_ps2")];
/// The variables of the driver.
pub(crate) const KEPT: [&str; 2] = [PROMPTS[0].1, PROMPTS[1].1];

/// Whether a line sees the prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptVariables {
    Given,
    Empty,
}

pub(crate) fn is_prompt(name: &str) -> bool {
    PROMPTS.iter().any(|(prompt, _)| *prompt == name)
}

/// Whether a line gets the prompts: only if it may use them, because an interrupted line leaves them where bash shows
/// them. In POSIX mode bash would also run code in them.
pub(crate) fn seen_by(permit: &Permit, last: &Report) -> PromptVariables {
    let named = |name: &str| position(permit.text(), name.as_bytes()).is_some();
    let used = match permit.assigned() {
        Assigned::Any => true,
        Assigned::Names(names) => names.iter().any(|name| is_prompt(name)),
    };
    let used = used || PROMPTS.iter().any(|(name, _)| named(name));
    let posix = last.options_by_name().any(|name| name == "posix");
    if used && !posix { PromptVariables::Given } else { PromptVariables::Empty }
}

/// Reports the prompts under their own names.
pub(crate) fn rename(variables: &mut HashMap<String, String>) {
    for (name, kept) in PROMPTS {
        if let Some(value) = variables.remove(kept) {
            variables.insert(name.to_owned(), value);
        }
    }
}

impl Shell {
    /// Expands texts as bash expands prompts, in a copy of bash. Nothing if that takes too long.
    ///
    /// Takes a permit for the code of each text, so that none is expanded that was not judged.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn expand_prompts(
        &mut self,
        texts: &[(&str, &Permit)],
        status: u8,
    ) -> Result<Option<Vec<String>>, Ended> {
        for (text, permit) in texts {
            // The permit is for this text and no other.
            if aegish_guard::prompt_code(text).as_deref().map(str::as_bytes) != Some(permit.text())
            {
                return Ok(None);
            }
            if pin::verify(permit).is_err() {
                return Ok(None);
            }
        }
        let status = status.to_string();
        let mut arguments = vec![status.as_str()];
        arguments.extend(texts.iter().map(|(text, _)| *text));
        let Some(fields) = self.ask("__aegish_prompts", &arguments)? else { return Ok(None) };
        let expanded = fields.iter().take(texts.len()).map(|field| {
            let field = field.strip_suffix('.')?;
            Some(field.to_owned())
        });
        Ok(expanded.collect())
    }
}
