//! The cost limit of a run, shared by all its tasks.
//!
//! Requests in flight cost money too. A new question is asked only if the money spent, the money reserved for
//! requests in flight and the expected cost of the question stay within the limit.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cost limit and the money spent.
#[derive(Debug, Default)]
pub struct Budget {
    limit: Option<f64>,
    ledger: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    spent: f64,
    reserved: f64,
}

/// Money reserved for one question.
#[derive(Debug)]
#[must_use]
pub struct Reserved(f64);

impl Budget {
    /// A limit in dollars.
    #[must_use]
    pub fn new(limit: Option<f64>) -> Self {
        Self { limit, ledger: Mutex::default() }
    }

    /// Reserves money; `None` if that would exceed the limit.
    pub fn reserve(&self, expected: f64) -> Option<Reserved> {
        let mut ledger = self.lock();
        if self.limit.is_some_and(|limit| ledger.spent + ledger.reserved + expected > limit) {
            return None;
        }
        ledger.reserved += expected;
        Some(Reserved(expected))
    }

    /// Replaces a reservation by the actual cost.
    #[expect(clippy::needless_pass_by_value, reason = "it is paid for once")]
    pub fn spend(&self, reserved: Reserved, cost: f64) {
        let Reserved(expected) = reserved;
        let mut ledger = self.lock();
        ledger.reserved = (ledger.reserved - expected).max(0.0);
        ledger.spent += cost;
    }

    /// Takes the whole reservation as spent.
    pub fn spend_all(&self, reserved: Reserved) {
        let Reserved(expected) = reserved;
        self.spend(reserved, expected);
    }

    /// Adds what was spent before this process.
    pub fn add_spent(&self, dollars: f64) {
        self.lock().spent += dollars;
    }

    /// Dollars spent.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.lock().spent
    }

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_in_flight_count_before_they_are_paid() {
        let budget = Budget::new(Some(1.0));
        let one = budget.reserve(0.4).expect("room");
        let two = budget.reserve(0.4).expect("room");
        assert!(budget.reserve(0.4).is_none());
        budget.spend(one, 0.1);
        let three = budget.reserve(0.4).expect("room again");
        budget.spend(two, 0.4);
        budget.spend(three, 0.4);
        assert!((budget.spent() - 0.9).abs() < 1e-12);
        assert!(budget.reserve(0.2).is_none());
    }

    #[test]
    fn without_a_limit_everything_is_allowed() {
        let budget = Budget::default();
        let much = budget.reserve(1e9).expect("no limit");
        budget.spend(much, 1e9);
        assert!(budget.reserve(1e9).is_some());
    }
}
