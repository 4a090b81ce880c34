//! How long to wait before the next attempt.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;

/// Maximum wait. A caller with a shorter deadline gives up earlier.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// The wait before the next attempt. It doubles with each attempt, and half of it is random so that many
/// clients that failed together do not retry together. Never shorter than what the provider asks for.
pub fn delay(attempt: u32, base: Duration, max: Duration, asked: Option<Duration>) -> Duration {
    let doubled = base
        .saturating_mul(1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX))
        .min(max);
    let half = doubled / 2;
    let own = half + half.mul_f64(random());
    match asked {
        // The random part is added, because the provider told all clients the same time.
        Some(asked) => asked + base.mul_f64(random()),
        None => own,
    }
}

/// A number from 0 to 1, from the hash keys of the standard library: sufficient to spread retries.
fn random() -> f64 {
    let bits = RandomState::new().hash_one(std::thread::current().id());
    f64::from(u32::try_from(bits >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

/// Reads `retry-after-ms` and `retry-after` (seconds or a date).
pub(crate) fn retry_after<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    let number = |name| header(name).and_then(|text: &str| text.trim().parse::<f64>().ok());
    let found = match (number("retry-after-ms"), number("retry-after")) {
        (Some(ms), _) => Duration::try_from_secs_f64(ms / 1000.0).ok(),
        (None, Some(seconds)) => Duration::try_from_secs_f64(seconds).ok(),
        (None, None) => header("retry-after")
            .and_then(http_date)
            .map(|at| at.duration_since(now).unwrap_or(Duration::ZERO)),
    };
    found.map(|wait| wait.min(MAX_RETRY_AFTER))
}

/// How long the provider accepts no further request, if its headers say that none is left.
///
/// OpenAI and compatible providers send a duration (`1s`, `6m0s`, `120ms`), Anthropic a point in time.
pub(crate) fn exhausted_until<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    const LEFT_AND_RESET: [(&str, &str); 4] = [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ];
    let wait = |(left, reset): (&str, &str)| {
        let left: f64 = header(left)?.trim().parse().ok()?;
        let reset = header(reset)?.trim();
        (left <= 0.0).then(|| span(reset).or_else(|| until(reset, now))).flatten()
    };
    LEFT_AND_RESET.into_iter().filter_map(wait).max().map(|wait| wait.min(MAX_RETRY_AFTER))
}

/// `1h6m0.5s`, `120ms`, or plain seconds.
fn span(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (mut total, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = rest.split_at_checked(end)?;
        let (seconds, length) = match unit.as_bytes() {
            [b'm', b's', ..] => (0.001, 2),
            [b'h', ..] => (3600.0, 1),
            [b'm', ..] => (60.0, 1),
            [b's', ..] => (1.0, 1),
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = unit.get(length..)?;
    }
    Duration::try_from_secs_f64(total).ok()
}

/// The time until an RFC 3339 date.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let at: SystemTime = text.parse::<jiff::Timestamp>().ok()?.into();
    Some(at.duration_since(now).unwrap_or(Duration::ZERO))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms are not read.
fn http_date(text: &str) -> Option<SystemTime> {
    // The day of the week is ignored: some servers send a wrong one.
    const PARSER: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    Some(PARSER.parse_timestamp(text.trim()).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_double_up_to_the_bound_and_keep_half() {
        for (attempt, full) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (40, 8)] {
            for _ in 0..20 {
                let wait = delay(attempt, SECOND, SECOND * 8, None);
                assert!(wait >= SECOND * full / 2 && wait <= SECOND * full, "{attempt}: {wait:?}");
            }
        }
    }

    #[test]
    fn what_the_provider_asks_for_is_a_lower_bound() {
        let wait = delay(1, SECOND, SECOND * 8, Some(SECOND * 20));
        assert!(wait >= SECOND * 20 && wait <= SECOND * 21);
    }

    #[test]
    fn a_provider_that_has_no_request_left_says_until_when() {
        let now = UNIX_EPOCH + SECOND * 1_000_000_000;
        let read = |headers: &[(&str, &str)]| {
            let value = |asked: &str| Some(headers.iter().find(|(name, _)| *name == asked)?.1);
            exhausted_until(value, now)
        };
        let requests = |left, reset| {
            read(&[("x-ratelimit-remaining-requests", left), ("x-ratelimit-reset-requests", reset)])
        };
        assert_eq!(requests("0", "1s"), Some(SECOND));
        assert_eq!(requests("0", "6m0.5s"), Some(SECOND * 360 + SECOND / 2));
        assert_eq!(requests("0", "120ms"), Some(SECOND * 12 / 100));
        assert_eq!(requests("0", "2"), Some(SECOND * 2));
        assert_eq!(requests("1", "1s"), None);
        assert_eq!(requests("0", "soon"), None);
        let anthropic = [
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2001-09-09T01:46:45Z"),
        ];
        assert_eq!(read(&anthropic), Some(SECOND * 5));
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn retry_after_is_read_as_seconds_as_milliseconds_and_as_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let read = |name: &'static str, value: &'static str| {
            retry_after(move |asked| (asked == name).then_some(value), now)
        };
        assert_eq!(read("retry-after", "7"), Some(SECOND * 7));
        assert_eq!(read("retry-after", "0.5"), Some(SECOND / 2));
        assert_eq!(read("retry-after-ms", "1500"), Some(SECOND * 3 / 2));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(SECOND * 30));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1993 08:50:07 GMT"), Some(Duration::ZERO));
        assert_eq!(read("retry-after", "999999999999"), Some(MAX_RETRY_AFTER));
        for bad in [
            "",
            "soon",
            "-1",
            "NaN",
            "inf",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 GMT",
        ] {
            assert_eq!(read("retry-after", bad), None, "{bad}");
        }
    }

    #[test]
    fn leap_days_count() {
        let at = |text| {
            http_date(text).and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map(|d| d.as_secs())
        };
        assert_eq!(at("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800));
        assert_eq!(at("Fri, 01 Mar 2024 00:00:00 GMT"), Some(1_709_251_200));
    }
}
