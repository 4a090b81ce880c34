//! Points in time as text, as Inspect writes them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::Offset;

/// How precisely a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// `2026-11-15T06:55:00+00:00`
    Seconds,
    /// `2026-11-15T06:55:00.020000+00:00`
    Micros,
}

/// ISO 8601 in UTC. Times before 1970 or after 9999 are written as 1970.
#[must_use]
pub fn iso(time: SystemTime, digits: Digits) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default().max(Timestamp::UNIX_EPOCH);
    let time = time.display_with_offset(Offset::UTC);
    match digits {
        Digits::Seconds => format!("{time:.0}"),
        Digits::Micros => format!("{time:.6}"),
    }
}

/// Microseconds since 1970.
pub(crate) fn micros(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_micros()
}

#[cfg(test)]
mod tests {
    use super::{Digits, iso};
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn times_are_written_as_inspect_writes_them() {
        let time = UNIX_EPOCH + Duration::from_nanos(1_794_725_700_020_000_999);
        assert_eq!(iso(time, Digits::Seconds), "2026-11-15T06:55:00+00:00");
        assert_eq!(iso(time, Digits::Micros), "2026-11-15T06:55:00.020000+00:00");
        let almost = UNIX_EPOCH + Duration::from_nanos(1_794_725_700_999_999_999);
        assert_eq!(iso(almost, Digits::Seconds), "2026-11-15T06:55:00+00:00");
        assert_eq!(iso(almost, Digits::Micros), "2026-11-15T06:55:00.999999+00:00");
    }

    #[test]
    fn times_out_of_range_are_written_as_1970() {
        let before = UNIX_EPOCH - Duration::from_secs(1);
        let after = UNIX_EPOCH + Duration::from_secs(1 << 40);
        for time in [before, after] {
            assert_eq!(iso(time, Digits::Micros), "1970-01-01T00:00:00.000000+00:00");
        }
    }
}
