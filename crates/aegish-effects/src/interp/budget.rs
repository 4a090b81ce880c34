//! The bounds of the work: all of it draws on one budget; what is left when it is used up is reported as a limit.

use super::Interp;
use aegish_analysis::{Effect, EffectKind, Opaque};
use aegish_syntax::Span;
use aegish_values::{Taint, Value};
use std::cell::Cell;

/// Steps of abstract work (commands, expansions, loop rounds) per analysis.
const FUEL: u32 = 10_000;

/// Bytes of the judged text that give a further step.
const BYTES_OF_TEXT_PER_STEP: usize = 8;

/// Bytes of text that are worked on in one step.
const BYTES_PER_STEP: usize = 256;

/// Commands or effects that draw nothing on the budget.
const FREE_REPORTS: usize = 4096;

/// Readings of commands beyond one each. Afterwards words stay one of several texts.
const READINGS: usize = 2_000;

/// The remaining work.
pub(crate) struct WorkBudget {
    fuel: u32,
    /// Bytes that were worked on since the last step.
    unpaid: Cell<usize>,
    /// Commands that are followed once more because a word may be another text.
    pub(crate) readings: usize,
    limit_reported: bool,
}

impl WorkBudget {
    /// The work that a text of this length may take: long ones are mostly long lists of simple commands.
    pub(super) fn for_text(length: usize) -> Self {
        let more = u32::try_from(length / BYTES_OF_TEXT_PER_STEP).unwrap_or(u32::MAX);
        let fuel = FUEL.saturating_add(more);
        Self { fuel, unpaid: Cell::new(0), readings: READINGS, limit_reported: false }
    }
}

impl Interp<'_> {
    /// Takes several steps at once.
    pub(crate) fn spend(&mut self, steps: usize, span: Span) -> bool {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.budget.fuel = self.budget.fuel.saturating_sub(steps);
        self.step(span)
    }

    /// Text of this length was computed, searched or listed. The next step pays for it.
    pub(crate) fn worked_on(&self, bytes: usize) {
        let unpaid = &self.budget.unpaid;
        unpaid.set(unpaid.get().saturating_add(bytes));
    }

    /// Takes one step from the budget; `false` if it is used up.
    pub(crate) fn step(&mut self, span: Span) -> bool {
        let unpaid = self.budget.unpaid.get();
        self.budget.unpaid.set(unpaid % BYTES_PER_STEP);
        let steps = u32::try_from(unpaid / BYTES_PER_STEP).unwrap_or(u32::MAX);
        self.budget.fuel = self.budget.fuel.saturating_sub(steps);
        if self.budget.fuel == 0 {
            self.hidden_limit(span, "work");
            return false;
        }
        self.budget.fuel -= 1;
        true
    }

    pub(crate) fn hidden_limit(&mut self, span: Span, what: &'static str) {
        if self.budget.limit_reported {
            return;
        }
        self.budget.limit_reported = true;
        self.report_shell_command(span);
        self.effect(
            EffectKind::Hidden {
                why: Opaque::Limit,
                what: Value::known(what),
                taint: Taint::none(),
            },
            span,
        );
    }

    pub(crate) fn push_effect(&mut self, effect: Effect) {
        self.pay_for_reports();
        self.out.effects.push(effect);
    }

    /// Commands and effects take time to be judged, so that many of them draw on the budget.
    pub(crate) fn pay_for_reports(&mut self) {
        if self.out.effects.len().max(self.out.commands.len()) >= FREE_REPORTS {
            self.worked_on(BYTES_PER_STEP);
        }
    }
}
