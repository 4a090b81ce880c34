//! Times in the log: UTC, ISO 8601, of constant width, so that they sort as text.

use jiff::Timestamp;
use std::str::FromStr;
use std::time::Duration;

/// This moment, like `2026-02-08T12:34:56.789Z`.
#[must_use]
pub fn now() -> String {
    written(Timestamp::now())
}

/// The time after a span from now (`90s`, `30m`, `2h`, `7d`), in whole seconds.
///
/// # Errors
///
/// If it is not a span, or ends after the year 9999.
pub fn after(text: &str) -> Result<String, String> {
    let then = span(text).and_then(|span| Timestamp::now().checked_add(span).ok());
    match then {
        Some(then) => Ok(format!("{then:.0}")),
        None => Err("a span of time is written like 90s, 30m, 2h or 7d".to_owned()),
    }
}

/// Always with three digits of a second.
fn written(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// The beginning of a span of time: `90s`, `30m`, `2h`, `7d` ago, or a date with or without a time
/// of day, in UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since(String);

impl Since {
    /// Whether a moment of the log is in it.
    #[must_use]
    pub fn holds(&self, timestamp: &str) -> bool {
        timestamp >= self.0.as_str()
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(span) = span(text) {
            let then = Timestamp::now().checked_sub(span).unwrap_or(Timestamp::UNIX_EPOCH);
            return Ok(Self(written(then)));
        }
        let text = text.trim_end_matches('Z').replace(' ', "T");
        let fits = |pattern: &str| {
            text.len() == pattern.len()
                && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == wanted,
                })
        };
        let forms = ["0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"];
        if forms.into_iter().any(fits) {
            return Ok(Self(text));
        }
        Err("a time is written like 2h, 7d, 2026-02-08 or 2026-02-08T12:30 (UTC)".to_owned())
    }
}

fn span(text: &str) -> Option<Duration> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u64 = text.get(..text.len() - 1)?.parse().ok()?;
    Some(Duration::from_secs(number.checked_mul(unit)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_people_read_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.250Z"),
            (951_782_400, "2000-02-29T00:00:00.250Z"),
            (1_770_554_096, "2026-02-08T12:34:56.250Z"),
            (4_107_542_399, "2100-02-28T23:59:59.250Z"),
            (4_107_542_400, "2100-03-01T00:00:00.250Z"),
        ] {
            let time = Timestamp::from_millisecond(seconds * 1000 + 250).expect("a moment");
            assert_eq!(written(time), text);
        }
    }

    #[test]
    fn a_time_span_starts_at_the_given_time() {
        let moment = "2026-02-08T12:34:56.000Z";
        for (text, held) in [
            ("2026-02-08", true),
            ("2026-02-09", false),
            ("2026-02-08T12:34", true),
            ("2026-02-08 12:35Z", false),
            ("2026-02-08T12:34:56", true),
        ] {
            let since: Since = text.parse().expect(text);
            assert_eq!(since.holds(moment), held, "{text}");
        }
        let since: Since = "1h".parse().expect("a span");
        assert!(since.holds(&now()) && !since.holds("2001-01-01T00:00:00.000Z"));
        for wrong in ["", "yesterday", "h", "-1h", "2026-2-8", "99999999999999999999d"] {
            assert!(wrong.parse::<Since>().is_err(), "{wrong}");
        }
    }
}
