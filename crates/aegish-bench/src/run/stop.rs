//! The end of a run before its data is used up: who ended it, why, and how soon.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Somebody asked for it.
    Cancelled,
    /// The money is spent.
    CostLimit,
    /// It makes no sense to go on.
    Failed(String),
}

/// Ends a run, or a part of it. Whoever waits is woken.
#[derive(Debug, Default)]
pub struct Stopper {
    /// What ends with it.
    whole: Option<Arc<Stopper>>,
    over: AtomicBool,
    first: Mutex<Option<(Reason, Instant)>>,
    woken: Condvar,
    at_once: AtomicBool,
}

impl Stopper {
    /// One for a part, which ends with the whole.
    #[must_use]
    pub fn part_of(whole: &Arc<Self>) -> Self {
        Self { whole: Some(Arc::clone(whole)), ..Self::default() }
    }

    /// Ends it; the first reason stands.
    pub fn stop(&self, reason: Reason) {
        let mut first = self.lock();
        first.get_or_insert((reason, Instant::now()));
        self.over.store(true, Ordering::SeqCst);
        drop(first);
        self.woken.notify_all();
    }

    /// Ends it because somebody asked; asked twice, what is under way is not waited for.
    pub fn cancel(&self) {
        if self.over.load(Ordering::SeqCst) {
            self.at_once.store(true, Ordering::SeqCst);
        }
        self.stop(Reason::Cancelled);
    }

    /// Whether nothing new is to be begun.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
            || self.whole.as_ref().is_some_and(|whole| whole.is_over())
    }

    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        let own = self.lock().as_ref().map(|(reason, _)| reason.clone());
        own.or_else(|| self.whole.as_ref()?.reason())
    }

    /// Whether what is under way has had `grace` to end since then.
    #[must_use]
    pub fn is_abandoned(&self, grace: Duration) -> bool {
        let own = self.at_once.load(Ordering::SeqCst)
            || self.lock().as_ref().is_some_and(|(_, since)| since.elapsed() >= grace);
        own || self.whole.as_ref().is_some_and(|whole| whole.is_abandoned(grace))
    }

    /// Waits, unless it ends before.
    ///
    /// # Errors
    /// [`Over`] if it ended.
    pub fn wait(&self, time: Duration) -> Result<(), Over> {
        /// The end of the whole wakes nobody here, so that is looked at now and then.
        const GLANCE: Duration = Duration::from_millis(50);
        let until = Instant::now() + time;
        let mut first = self.lock();
        loop {
            if first.is_some() || self.whole.as_ref().is_some_and(|whole| whole.is_over()) {
                return Err(Over);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let waited = self.woken.wait_timeout(first, left.min(GLANCE));
            first = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Reason, Instant)>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run ended while somebody waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over;

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_first_reason_stands() {
        let stop = Stopper::default();
        assert_eq!(stop.reason(), None);
        stop.stop(Reason::CostLimit);
        stop.cancel();
        assert_eq!(stop.reason(), Some(Reason::CostLimit));
    }

    #[test]
    fn a_part_ends_with_the_whole_but_not_the_whole_with_a_part() {
        let whole = Arc::new(Stopper::default());
        let (one, other) = (Stopper::part_of(&whole), Stopper::part_of(&whole));
        one.stop(Reason::Failed("x".to_owned()));
        assert!(one.is_over() && !other.is_over() && !whole.is_over());
        whole.cancel();
        assert_eq!(other.reason(), Some(Reason::Cancelled));
        assert_eq!(one.reason(), Some(Reason::Failed("x".to_owned())));
    }

    #[test]
    fn asking_twice_waits_for_nobody() {
        let stop = Stopper::default();
        let grace = Duration::from_secs(60);
        stop.cancel();
        assert!(!stop.is_abandoned(grace));
        assert!(stop.is_abandoned(Duration::ZERO));
        stop.cancel();
        assert!(stop.is_abandoned(grace));
    }

    #[test]
    fn whoever_waits_is_woken() {
        let whole = Arc::new(Stopper::default());
        let part = Arc::new(Stopper::part_of(&whole));
        let started = Instant::now();
        let waiting = thread::spawn({
            let part = Arc::clone(&part);
            move || part.wait(Duration::from_secs(30))
        });
        whole.cancel();
        assert_eq!(waiting.join().ok(), Some(Err(Over)));
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(Stopper::default().wait(Duration::from_millis(1)), Ok(()));
    }
}
