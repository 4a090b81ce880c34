//! Stopping a run before its data ends, with the reason.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A signal.
    Cancelled,
    /// The cost limit is reached.
    CostLimit,
    /// An error that further samples would repeat.
    Failed(String),
}

/// Stops a run or a part of it, and wakes threads that wait in [`Stopper::wait`].
#[derive(Debug, Default)]
pub struct Stopper {
    /// The parent: stopping it stops this one too.
    parent: Option<Arc<Stopper>>,
    over: AtomicBool,
    first: Mutex<Option<(StopReason, Instant)>>,
    changed: Condvar,
    at_once: AtomicBool,
}

impl Stopper {
    /// A stopper for a part of a run: it is stopped when its parent is.
    #[must_use]
    pub fn child_of(parent: &Arc<Self>) -> Self {
        Self { parent: Some(Arc::clone(parent)), ..Self::default() }
    }

    /// Stops it; the first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        let mut first = self.lock();
        first.get_or_insert((reason, Instant::now()));
        self.over.store(true, Ordering::SeqCst);
        drop(first);
        self.changed.notify_all();
    }

    /// Stops it on a signal; the second call abandons requests in flight.
    pub fn cancel(&self) {
        if self.over.load(Ordering::SeqCst) {
            self.at_once.store(true, Ordering::SeqCst);
        }
        self.stop(StopReason::Cancelled);
    }

    /// Whether no new sample may be started.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_over())
    }

    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> Option<StopReason> {
        let own = self.lock().as_ref().map(|(reason, _)| reason.clone());
        own.or_else(|| self.parent.as_ref()?.reason())
    }

    /// Whether requests in flight have had `grace` to finish since the stop.
    #[must_use]
    pub fn is_abandoned(&self, grace: Duration) -> bool {
        let own = self.at_once.load(Ordering::SeqCst)
            || self.lock().as_ref().is_some_and(|(_, since)| since.elapsed() >= grace);
        own || self.parent.as_ref().is_some_and(|parent| parent.is_abandoned(grace))
    }

    /// Waits for `time`, or until it is stopped.
    ///
    /// # Errors
    /// [`Stopped`] if it was stopped.
    pub fn wait(&self, time: Duration) -> Result<(), Stopped> {
        /// The parent has its own condition variable, so it is polled.
        const PARENT_POLL_INTERVAL: Duration = Duration::from_millis(50);
        let until = Instant::now() + time;
        let mut first = self.lock();
        loop {
            if first.is_some() || self.parent.as_ref().is_some_and(|parent| parent.is_over()) {
                return Err(Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let waited = self.changed.wait_timeout(first, left.min(PARENT_POLL_INTERVAL));
            first = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(StopReason, Instant)>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run was stopped during a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_first_reason_is_kept() {
        let stop = Stopper::default();
        assert_eq!(stop.reason(), None);
        stop.stop(StopReason::CostLimit);
        stop.cancel();
        assert_eq!(stop.reason(), Some(StopReason::CostLimit));
    }

    #[test]
    fn a_child_stops_with_its_parent_but_not_the_parent_with_a_child() {
        let parent = Arc::new(Stopper::default());
        let (one, other) = (Stopper::child_of(&parent), Stopper::child_of(&parent));
        one.stop(StopReason::Failed("x".to_owned()));
        assert!(one.is_over() && !other.is_over() && !parent.is_over());
        parent.cancel();
        assert_eq!(other.reason(), Some(StopReason::Cancelled));
        assert_eq!(one.reason(), Some(StopReason::Failed("x".to_owned())));
    }

    #[test]
    fn a_second_cancel_abandons_requests_in_flight() {
        let stop = Stopper::default();
        let grace = Duration::from_secs(60);
        stop.cancel();
        assert!(!stop.is_abandoned(grace));
        assert!(stop.is_abandoned(Duration::ZERO));
        stop.cancel();
        assert!(stop.is_abandoned(grace));
    }

    #[test]
    fn a_waiting_thread_is_woken() {
        let parent = Arc::new(Stopper::default());
        let part = Arc::new(Stopper::child_of(&parent));
        let started = Instant::now();
        let waiting = thread::spawn({
            let part = Arc::clone(&part);
            move || part.wait(Duration::from_secs(30))
        });
        parent.cancel();
        assert_eq!(waiting.join().ok(), Some(Err(Stopped)));
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(Stopper::default().wait(Duration::from_millis(1)), Ok(()));
    }
}
