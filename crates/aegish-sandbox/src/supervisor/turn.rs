//! Which thread waits for the next report.
//!
//! One does at a time: if all did, each report would wake them all. It keeps the place while it answers, because an
//! answer usually takes less time than it takes to wake another thread. Another one takes the place at once while
//! reports come side by side, and otherwise when an answer takes long, as when the kernel loads a program from a slow
//! disk: a program that waits must never depend on one that is being loaded.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An answer that takes longer than this, and at most twice as long, loses the place.
const LONG: Duration = Duration::from_millis(5);
/// After so many looks without a report, nobody looks until the next one.
const QUIET: u32 = 8;
/// So many reports are answered side by side after one had to wait.
const CROWDED: u32 = 16;

/// The place at the listener.
#[derive(Default)]
pub(super) struct Turns {
    state: Mutex<TurnState>,
    /// The place became free.
    freed: Condvar,
    /// A report came, and nobody looks how long it takes; or there will be no more.
    begun: Condvar,
}

#[derive(Default)]
struct TurnState {
    /// Whether a thread has the place.
    taken: bool,
    /// Reports so far.
    reports: u64,
    /// Whether the thread that has the place answers.
    answers: bool,
    /// Whether somebody looks how long answers take.
    watched: bool,
    /// Reports left that give the place away at once.
    crowded: u32,
    over: bool,
}

/// An answer that was begun, by the number of its report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun(u64);

impl Turns {
    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the place.
    pub(super) fn take(&self) {
        let occupied = |state: &mut TurnState| state.taken && !state.over;
        let state = self.freed.wait_while(self.state(), occupied);
        state.unwrap_or_else(PoisonError::into_inner).taken = true;
    }

    /// The thread that has the place got a report and answers it now.
    pub(super) fn begin(&self) -> Begun {
        let mut state = self.state();
        state.reports += 1;
        state.answers = true;
        let begun = Begun(state.reports);
        if state.crowded > 0 {
            state.crowded -= 1;
            self.free(&mut state);
        } else if !state.watched {
            self.begun.notify_one();
        }
        begun
    }

    /// The answer was given. Returns whether the thread still has the place.
    pub(super) fn end(&self, begun: Begun) -> bool {
        let mut state = self.state();
        let has = state.taken && state.answers && state.reports == begun.0;
        if has {
            state.answers = false;
        }
        has
    }

    /// A report had to wait for the answer to another one.
    pub(super) fn crowd(&self) {
        self.state().crowded = CROWDED;
    }

    /// There will be no more reports.
    pub(super) fn close(&self) {
        self.state().over = true;
        self.freed.notify_all();
        self.begun.notify_all();
    }

    fn free(&self, state: &mut TurnState) {
        state.taken = false;
        state.answers = false;
        self.freed.notify_one();
    }

    /// Takes the place from threads whose answers take long, until there are no more reports.
    pub(super) fn watch(&self) {
        let mut state = self.state();
        let mut quiet = QUIET;
        while !state.over {
            if quiet >= QUIET {
                state.watched = false;
                let idle = |state: &mut TurnState| !state.answers && !state.over;
                let waited = self.begun.wait_while(state, idle);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                state.watched = true;
                quiet = 0;
            }
            let before = state.reports;
            let open = |state: &mut TurnState| !state.over;
            let waited = self.begun.wait_timeout_while(state, LONG, open);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.reports != before {
                quiet = 0;
                continue;
            }
            quiet += 1;
            if state.taken && state.answers {
                self.free(&mut state);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn the_place_is_kept_over_short_answers_and_given_away_when_reports_wait() {
        let turns = Turns::default();
        turns.take();
        let first = turns.begin();
        assert!(turns.end(first));
        turns.crowd();
        let second = turns.begin();
        turns.take();
        let third = turns.begin();
        assert!(!turns.end(second) && !turns.end(third));
    }

    #[test]
    fn a_long_answer_loses_the_place() {
        let turns = Arc::new(Turns::default());
        let watch = Arc::clone(&turns);
        let watch = thread::spawn(move || watch.watch());
        for _ in 0..3 {
            turns.take();
            let long = turns.begin();
            let (told, hears) = channel();
            let other = Arc::clone(&turns);
            let other = thread::spawn(move || {
                other.take();
                let _ = told.send(());
                let short = other.begin();
                other.end(short)
            });
            assert_eq!(hears.recv_timeout(SOON), Ok(()));
            assert!(!turns.end(long));
            // The other one may have been taken for a long one too, on a busy machine.
            if other.join().is_ok_and(|has| has) {
                turns.state().taken = false;
            }
        }
        turns.close();
        assert!(watch.join().is_ok());
    }

    #[test]
    fn nobody_waits_when_there_are_no_more_reports() {
        let turns = Arc::new(Turns::default());
        turns.take();
        let other = Arc::clone(&turns);
        let other = thread::spawn(move || other.take());
        turns.close();
        turns.watch();
        assert!(other.join().is_ok());
    }
}
