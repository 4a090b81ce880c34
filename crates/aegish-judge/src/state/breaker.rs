//! Circuit breaker: pauses models and providers that failed recently.
//!
//! Three failures in a row, or a provider's request to wait, open the circuit, so that no question waits for
//! a dead provider. After a pause, which doubles with every further failure, one question is sent; other
//! questions wait for its result. Only failures of the provider are counted. Failures that depend on the
//! question are not, because the author of a command could switch a model off with them.

use std::time::Duration;

use aegish_wire::FailureKind;
use serde::{Deserialize, Serialize};

/// Failures in a row that open the circuit.
const FAILURES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);
/// The longest requested pause that is respected. A later time means that the clock was set back.
const LONGEST_WISH: Duration = Duration::from_secs(3600);

/// The cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The question: the provider answered by refusing it.
    Question,
    /// The model is unavailable.
    Model,
    /// The provider cannot be reached.
    Provider,
    /// The setup of this machine.
    Setup,
}

/// The cause of this kind of failure.
pub(crate) fn blame(kind: FailureKind) -> Blame {
    match kind {
        FailureKind::TooLarge | FailureKind::BadRequest | FailureKind::Refused => Blame::Question,
        FailureKind::Connect | FailureKind::Tls => Blame::Provider,
        FailureKind::Setup => Blame::Setup,
        FailureKind::Auth
        | FailureKind::Quota
        | FailureKind::NotFound
        | FailureKind::RateLimited { .. }
        | FailureKind::Overloaded { .. }
        | FailureKind::Server
        | FailureKind::Timeout
        | FailureKind::Interrupted
        | FailureKind::BadReply
        | FailureKind::ReplyTooLarge => Blame::Model,
    }
}

/// The circuit to one model or provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Breaker {
    /// Failures in a row.
    failures: u32,
    /// Paused until then, in milliseconds since 1970.
    until: u64,
    /// When it was last changed.
    at: u64,
}

impl Breaker {
    /// The remaining pause; none if it is not paused.
    pub(super) fn pause(&self, now: u64) -> Option<Duration> {
        let left = Duration::from_millis(self.until.saturating_sub(now));
        (!left.is_zero() && left <= LONGEST_WISH).then_some(left)
    }

    /// Lets one question through after a pause, and no other for as long as it may take.
    pub(super) fn probe(&mut self, may_take: Duration, now: u64) {
        if self.until != 0 {
            self.until = after(now, may_take.min(LONGEST_PAUSE));
            self.at = now;
        }
    }

    /// Records a failure; `wish` is the pause that the provider asked for.
    pub(super) fn failed(&mut self, wish: Option<Duration>, now: u64) {
        self.failures = self.failures.saturating_add(1);
        self.at = now;
        let doublings = self.failures.saturating_sub(FAILURES);
        let pause = match wish.filter(|wish| !wish.is_zero()) {
            Some(wish) => Some(wish.min(LONGEST_WISH)),
            None if self.failures >= FAILURES => {
                let factor = 1u32.checked_shl(doublings).unwrap_or(u32::MAX);
                Some(FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE))
            }
            None => None,
        };
        self.until = pause.map_or(0, |pause| after(now, pause));
    }

    pub(super) fn last_used(&self) -> u64 {
        self.at
    }
}

fn after(now: u64, time: Duration) -> u64 {
    now.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1000;
    const NOW: u64 = 1_000_000_000;
    const TIME: Duration = Duration::from_secs(30);

    fn seconds(breaker: &Breaker, now: u64) -> Option<u64> {
        breaker.pause(now).map(|pause| pause.as_secs())
    }

    #[test]
    fn three_failures_in_a_row_open_it_and_the_pause_grows() {
        let mut breaker = Breaker::default();
        let mut now = NOW;
        let mut pauses = Vec::new();
        for _ in 0..10 {
            breaker.failed(None, now);
            pauses.push(seconds(&breaker, now).unwrap_or(0));
            now += breaker.pause(now).map_or(0, |pause| pause.as_millis() as u64);
            assert_eq!(breaker.pause(now), None);
        }
        assert_eq!(pauses, [0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
    }

    #[test]
    fn after_the_pause_one_question_goes_through_and_the_others_wait_for_it() {
        let mut breaker = Breaker::default();
        (0..3).for_each(|_| breaker.failed(None, NOW));
        let later = NOW + 31 * SECOND;
        assert_eq!(breaker.pause(later), None);
        breaker.probe(TIME, later);
        assert_eq!(seconds(&breaker, later), Some(30));
        // The process that probed may have died.
        assert_eq!(breaker.pause(later + 30 * SECOND), None);
    }

    #[test]
    fn a_closed_circuit_is_not_probed() {
        let mut breaker = Breaker::default();
        breaker.probe(TIME, NOW);
        assert_eq!(breaker, Breaker::default());
        breaker.failed(None, NOW);
        breaker.probe(TIME, NOW);
        assert_eq!(breaker.pause(NOW), None);
    }

    #[test]
    fn a_providers_wish_is_followed_at_once_and_not_for_ever() {
        let mut breaker = Breaker::default();
        breaker.failed(Some(Duration::from_secs(77)), NOW);
        assert_eq!(seconds(&breaker, NOW), Some(77));
        breaker.failed(Some(Duration::from_secs(1_000_000)), NOW);
        assert_eq!(seconds(&breaker, NOW), Some(3600));
        let mut breaker = Breaker::default();
        breaker.failed(Some(Duration::ZERO), NOW);
        assert_eq!(breaker.pause(NOW), None);
    }

    #[test]
    fn a_clock_that_went_back_does_not_keep_it_open_for_days() {
        let mut breaker = Breaker::default();
        (0..5).for_each(|_| breaker.failed(None, NOW));
        assert_eq!(breaker.pause(NOW - 86_400 * SECOND), None);
        let mut damaged = Breaker { failures: u32::MAX, until: u64::MAX, at: u64::MAX };
        assert_eq!(damaged.pause(NOW), None);
        damaged.failed(None, NOW);
        assert_eq!(seconds(&damaged, NOW), Some(900));
    }

    #[test]
    fn failures_that_depend_on_the_question_do_not_pause_the_model() {
        for kind in [FailureKind::TooLarge, FailureKind::BadRequest, FailureKind::Refused] {
            assert_eq!(blame(kind), Blame::Question);
        }
        for kind in
            [FailureKind::Server, FailureKind::Timeout, FailureKind::Auth, FailureKind::BadReply]
        {
            assert_eq!(blame(kind), Blame::Model);
        }
        assert_eq!(blame(FailureKind::Connect), Blame::Provider);
    }
}
