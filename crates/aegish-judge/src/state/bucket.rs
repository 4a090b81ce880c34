//! Rate limit per provider and minute: a token bucket.
//!
//! The bucket fills evenly and holds the questions of one minute. If it is empty, a question reserves the
//! next token and waits for it, so that concurrent processes take turns. Time is the wall clock, which is the
//! only clock that processes share: if it is set back nothing is gained, if it jumps ahead at most one full
//! bucket is.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Maximum number of minutes for which tokens are reserved; no question waits that long.
const DEEPEST: f64 = 11.0;

/// One provider's bucket.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Bucket {
    /// Tokens; negative if some are reserved.
    left: f64,
    /// The time of this level, in milliseconds since 1970.
    at: u64,
}

impl Bucket {
    pub(super) fn full(per_minute: u32, now: u64) -> Self {
        Self { left: f64::from(per_minute), at: now }
    }

    /// Takes one, to be used after the time returned; or says how long it would take, if that is too long.
    pub(super) fn take(
        &mut self,
        per_minute: u32,
        most_wait: Duration,
        now: u64,
    ) -> Result<Duration, Duration> {
        let size = f64::from(per_minute.max(1));
        let per_ms = size / 60_000.0;
        let passed = u32::try_from(now.saturating_sub(self.at)).unwrap_or(u32::MAX);
        // Values of a damaged file are bounded too; NaN counts as empty.
        let left = if self.left.is_finite() { self.left } else { 0.0 };
        self.left = (left + f64::from(passed) * per_ms).clamp(-DEEPEST * size, size);
        self.at = now;
        let wait = Duration::from_secs_f64(((1.0 - self.left) / per_ms / 1000.0).max(0.0));
        if wait > most_wait {
            return Err(wait);
        }
        self.left -= 1.0;
        Ok(wait)
    }

    pub(super) fn last_used(&self) -> u64 {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_WAIT: Duration = Duration::ZERO;
    const MINUTE: u64 = 60_000;

    #[test]
    fn a_minutes_worth_goes_at_once_and_then_one_at_a_time() {
        let mut bucket = Bucket::full(30, 0);
        for _ in 0..30 {
            assert_eq!(bucket.take(30, NO_WAIT, 0), Ok(Duration::ZERO));
        }
        assert_eq!(bucket.take(30, NO_WAIT, 0), Err(Duration::from_secs(2)));
        assert_eq!(bucket.take(30, NO_WAIT, 2000), Ok(Duration::ZERO));
        assert!(bucket.take(30, NO_WAIT, 2000).is_err());
    }

    #[test]
    fn those_who_wait_go_one_after_the_other() {
        let mut bucket = Bucket::full(1, 0);
        let most = Duration::from_secs(150);
        let waits: Vec<_> = (0..4).map(|_| bucket.take(1, most, 0)).collect();
        let second = Duration::from_secs;
        assert_eq!(waits, [Ok(second(0)), Ok(second(60)), Ok(second(120)), Err(second(180))]);
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_and_one_that_jumps_ahead_one_minute() {
        let mut bucket = Bucket::full(2, 100 * MINUTE);
        assert!(bucket.take(2, NO_WAIT, 100 * MINUTE).is_ok());
        assert!(bucket.take(2, NO_WAIT, 3 * MINUTE).is_ok());
        assert!(bucket.take(2, NO_WAIT, 3 * MINUTE).is_err());
        assert!(bucket.take(2, NO_WAIT, 4 * MINUTE).is_ok(), "it goes on from there");
        let far = 1_000_000 * MINUTE;
        assert!((0..2).all(|_| bucket.take(2, NO_WAIT, far).is_ok()));
        assert!(bucket.take(2, NO_WAIT, far).is_err());
    }

    #[test]
    fn the_wait_is_bounded_for_any_content_of_the_file() {
        for left in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            let mut bucket = Bucket { left, at: u64::MAX };
            let most = Duration::from_secs(121);
            let taken = (0..10).filter(|_| bucket.take(2, most, 5).is_ok()).count();
            assert!(taken <= 6, "{left}: {taken}");
            assert!(bucket.take(2, NO_WAIT, 5 + 12 * MINUTE).is_ok(), "{left}");
        }
    }

    #[test]
    fn a_lower_limit_holds_at_once() {
        let mut bucket = Bucket::full(1000, 0);
        let taken = (0..10).filter(|_| bucket.take(3, NO_WAIT, 0).is_ok()).count();
        assert_eq!(taken, 3);
    }
}
