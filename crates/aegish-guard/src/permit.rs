//! Permission to run a text. Only a [`Decision`] gives one, or the record of one that an earlier session made, and the
//! crate that runs commands takes nothing else.
//!
//! A permit holds the bytes that were judged and what the guard saw of the machine while it judged them. If
//! the machine looks different when the text is about to run, the decision was about something else.
//!
//! No other crate can make a permit:
//!
//! ```compile_fail,E0451
//! use aegish_guard::{Assigned, Permit};
//! let text = Box::from(*b"rm -rf /");
//! let permit = Permit { text, pins: vec![], assigned: Assigned::Any, sets_edit_mode: false };
//! ```
//!
//! or the decision that gives it:
//!
//! ```compile_fail,E0616
//! use aegish_guard::{Action, Context, Request, Role, check};
//! let context = Context::bare();
//! let request = Request { text: b"rm -rf /", context: &context, role: Role::Default, user_rules: &[] };
//! let mut decision = check(&request);
//! decision.action = Action::Allow;
//! ```

use crate::pins::{Pin, Pins};
use crate::{Action, Assigned, Decision};
use aegish_effects::Machine;

/// The answer of a person, or of a setting, to a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// No person was asked.
    NotAsked,
    /// The command is to run in spite of the warning.
    Given,
}

/// Permission to run exactly this text.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    text: Box<[u8]>,
    /// Of each decision: two may rest on different answers to the same question, and then one of them is outdated.
    pins: Vec<Pins>,
    assigned: Assigned,
    sets_edit_mode: bool,
}

impl Permit {
    /// For a text that an earlier session judged, with the same answers of the machine.
    pub(crate) fn recalled(
        text: &[u8],
        pins: Pins,
        assigned: Assigned,
        sets_edit_mode: bool,
    ) -> Self {
        Self { text: text.into(), pins: vec![pins], assigned, sets_edit_mode }
    }

    /// The bytes that were judged.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The variables of the shell that the text can change.
    #[must_use]
    pub fn assigned(&self) -> &Assigned {
        &self.assigned
    }

    /// Whether the text may tell the shell to switch to the keys of vi or emacs.
    #[must_use]
    pub fn sets_edit_mode(&self) -> bool {
        self.sets_edit_mode
    }

    /// The first answer of the machine that differs from the one the decision rests on.
    #[must_use]
    pub fn first_change(&self, machine: &dyn Machine) -> Option<Pin<'_>> {
        self.pins.iter().find_map(|pins| pins.first_change(machine))
    }

    /// Makes the permit also depend on the pins of another decision.
    pub fn depending_on(mut self, decision: &Decision) -> Self {
        self.pins.push(decision.pins.clone());
        self
    }
}

impl Decision {
    /// Permission to run the judged text: if it is allowed, or if there is a warning and consent. A block
    /// gives none.
    #[must_use]
    pub fn permit(&self, consent: Consent) -> Option<Permit> {
        let granted = match self.action {
            Action::Allow => true,
            Action::Warn => consent == Consent::Given,
            Action::Block => false,
        };
        granted.then(|| Permit {
            text: self.text.clone(),
            pins: vec![self.pins.clone()],
            assigned: self.assigned.clone(),
            sets_edit_mode: self.analysis.sets_edit_mode(),
        })
    }
}
