use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const SERVED: RequestOutcome = RequestOutcome::Served { exhausted_for: None };

fn filled(limiter: &Limiter) -> Vec<Slot> {
    let stop = Stopper::default();
    let limit = limiter.status().limit;
    (0..limit).filter_map(|_| limiter.acquire(&stop)).collect()
}

#[test]
fn the_limit_doubles_each_round_until_the_first_rejection() {
    let limiter = Limiter::new(ConcurrencyBounds { first: 4, most: 20 });
    let stop = Stopper::default();
    let mut round = filled(&limiter);
    for expected in [8, 16, 20, 20] {
        let mut next = Vec::new();
        for slot in round {
            limiter.release(slot, SERVED);
            // Other requests take the free slots at once.
            while limiter.status().in_flight < limiter.status().limit {
                next.extend(limiter.acquire(&stop));
            }
        }
        assert_eq!(next.len(), expected);
        round = next;
    }
}

#[test]
fn a_limit_that_is_not_reached_does_not_grow() {
    let limiter = Limiter::new(ConcurrencyBounds { first: 10, most: 100 });
    for _ in 0..50 {
        let slot = limiter.acquire(&Stopper::default()).expect("open");
        limiter.release(slot, SERVED);
    }
    assert_eq!(limiter.status().limit, 10);
}

#[test]
fn a_round_of_rejections_halves_the_limit_once() {
    let limiter = Limiter::new(ConcurrencyBounds::fixed(16));
    for slot in filled(&limiter) {
        limiter.release(slot, RequestOutcome::TooMany(None));
    }
    assert_eq!(limiter.status().limit, 8);
    assert_eq!(limiter.status().slowed, 16);
    for slot in filled(&limiter) {
        limiter.release(slot, RequestOutcome::TooMany(None));
    }
    assert_eq!(limiter.status().limit, 4);
}

#[test]
fn one_request_is_always_allowed_and_the_limit_recovers_quickly() {
    let limiter = Limiter::new(ConcurrencyBounds::fixed(8));
    for _ in 0..10 {
        for slot in filled(&limiter) {
            limiter.release(slot, RequestOutcome::TooMany(None));
        }
    }
    assert_eq!(limiter.status().limit, 1);
    for _ in 0..40 {
        filled(&limiter).into_iter().for_each(|slot| limiter.release(slot, SERVED));
    }
    assert_eq!(limiter.status().limit, 8);
}

/// A provider that takes 4 ms per round; `serves` decides by the number of concurrent requests.
fn limit_after(rounds: u32, mut serves: impl FnMut(usize) -> bool) -> (u32, u64) {
    let limiter = Limiter::new(ConcurrencyBounds::ADAPTIVE);
    let start = Instant::now();
    for round in 1..=rounds {
        let slots = filled(&limiter);
        let at_once = slots.len();
        let now = start + Duration::from_millis(4) * round;
        for slot in slots {
            let outcome = if serves(at_once) { SERVED } else { RequestOutcome::TooMany(None) };
            limiter.release_at(now, slot, outcome);
        }
    }
    (limiter.status().limit, limiter.status().slowed)
}

#[test]
fn rejections_that_do_not_depend_on_the_number_of_requests_do_not_slow_it_down() {
    let mut number = 0_u32;
    let (limit, slowed) = limit_after(60, |_| {
        number += 1;
        !number.is_multiple_of(12)
    });
    assert!(limit >= 60, "{limit}");
    assert!(slowed > 0);
}

#[test]
fn a_provider_at_its_capacity_is_not_overloaded() {
    let mut place = 0;
    let (limit, slowed) = limit_after(100, |at_once| {
        place = (place + 1) % at_once.max(1);
        place < 10
    });
    assert!((5..=16).contains(&limit), "{limit}");
    assert!(slowed < 250, "{slowed} rejections of about a thousand requests");
}

#[test]
fn one_rejection_pauses_nothing_and_a_rejected_round_pauses_everything() {
    let limiter = Limiter::new(ConcurrencyBounds::fixed(4));
    let stop = Stopper::default();
    let wait = Duration::from_millis(120);
    let told = Instant::now();
    let one = limiter.acquire(&stop).expect("open");
    limiter.release(one, RequestOutcome::TooMany(Some(wait)));
    let next = limiter.acquire(&stop).expect("still open");
    assert!(told.elapsed() < wait);
    limiter.release(next, SERVED);
    for slot in filled(&limiter) {
        limiter.release(slot, RequestOutcome::TooMany(Some(wait)));
    }
    let later = limiter.acquire(&stop).expect("open again");
    assert!(told.elapsed() >= wait, "{:?}", told.elapsed());
    limiter.release(later, SERVED);
}

#[test]
fn nothing_is_sent_while_the_provider_has_no_request_left() {
    let limiter = Limiter::new(ConcurrencyBounds::fixed(4));
    let stop = Stopper::default();
    let wait = Duration::from_millis(120);
    let told = Instant::now();
    let one = limiter.acquire(&stop).expect("open");
    limiter.release(one, RequestOutcome::Served { exhausted_for: Some(wait) });
    let next = limiter.acquire(&stop).expect("open again");
    assert!(told.elapsed() >= wait, "{:?}", told.elapsed());
    limiter.release(next, SERVED);
}

#[test]
fn waiting_threads_return_when_the_run_is_over() {
    let limiter = Arc::new(Limiter::new(ConcurrencyBounds::fixed(1)));
    let stop = Arc::new(Stopper::default());
    let _inside = limiter.acquire(&stop).expect("open");
    let waiting = thread::spawn({
        let (limiter, stop) = (Arc::clone(&limiter), Arc::clone(&stop));
        move || limiter.acquire(&stop).is_none()
    });
    while limiter.status().waiting == 0 {
        thread::yield_now();
    }
    stop.cancel();
    assert!(waiting.join().expect("no panic"));
    assert_eq!(limiter.status().waiting, 0);
}

#[test]
fn requests_in_flight_never_exceed_the_limit() {
    let limiter = Limiter::new(ConcurrencyBounds::fixed(3));
    let (in_flight, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let stop = Stopper::default();
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let Some(slot) = limiter.acquire(&stop) else { return };
                    most.fetch_max(in_flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    in_flight.fetch_sub(1, Ordering::SeqCst);
                    limiter.release(slot, SERVED);
                }
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 3);
}
