//! Where a line is judged: what the session, the machine and the user rules say at that moment.

use super::editor::Live;
use crate::output::{Screen, Style};
use crate::user_rules::UserRules;
use aegish_guard::{
    Action, Asked, Decision, OsMachine, Pinning, Pins, Request, Role, Session, Surroundings,
    check_in,
};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) static MACHINE: OsMachine = OsMachine;

/// What lines are judged against: it changes with every line.
pub(crate) struct Place {
    pub(crate) session: Session,
    pub(crate) surroundings: Surroundings,
    pub(crate) role: Role,
    pub(crate) user_rules: UserRules,
}

impl Place {
    /// The verdict on a line, the session after it, and the files that were read.
    pub(crate) fn judge(&self, line: &str, judge: Option<Asked<'_>>) -> (Decision, Session, Pins) {
        let machine = Pinning::new(&MACHINE);
        let context = self.surroundings.context(&machine);
        let request = Request {
            text: line.as_bytes(),
            context: &context,
            role: self.role,
            judge,
            user_rules: self.user_rules.rules(),
        };
        let (decision, after) = check_in(&self.session, &request);
        (decision, after, machine.take())
    }
}

/// The verdict on what is typed so far, if it is not a plain yes.
pub(crate) fn live(place: Rc<RefCell<Place>>) -> Live {
    Box::new(move |line| {
        let (decision, ..) = place.borrow().judge(line, None);
        if decision.action == Action::Allow {
            return None;
        }
        let mut screen = Screen::errors();
        screen
            .put("   ")
            .paint(Style::of(decision.action), decision.action.as_str().to_uppercase());
        screen.put(format_args!(" {}", decision.rule.name));
        Some(screen.into_text())
    })
}
