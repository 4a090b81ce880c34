//! The money of a run, shared by everything that spends it.
//!
//! What is under way will cost something, too. So a new question is asked only if what is spent, what is under
//! way at the usual price, and the question itself stay within the limit: a run ends below its limit, not above.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What may be spent, and what was.
#[derive(Debug, Default)]
pub struct Budget {
    limit: Option<f64>,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    spent: f64,
    reserved: f64,
}

/// Money set aside for one question.
#[derive(Debug)]
#[must_use]
pub struct Reserved(f64);

impl Budget {
    /// No more than this many dollars.
    #[must_use]
    pub fn new(limit: Option<f64>) -> Self {
        Self { limit, book: Mutex::default() }
    }

    /// Sets money aside; nothing if that would be too much.
    pub fn reserve(&self, expected: f64) -> Option<Reserved> {
        let mut book = self.lock();
        if self.limit.is_some_and(|limit| book.spent + book.reserved + expected > limit) {
            return None;
        }
        book.reserved += expected;
        Some(Reserved(expected))
    }

    /// Replaces what was set aside by what it was.
    #[expect(clippy::needless_pass_by_value, reason = "it is paid for once")]
    pub fn spend(&self, reserved: Reserved, cost: f64) {
        let Reserved(expected) = reserved;
        let mut book = self.lock();
        book.reserved = (book.reserved - expected).max(0.0);
        book.spent += cost;
    }

    /// Dollars spent.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.lock().spent
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_counts_before_it_is_paid() {
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
