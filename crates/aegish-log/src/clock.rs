//! Points in time as text, as Inspect writes them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How fine a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// `2026-11-15T06:55:00+00:00`
    Seconds,
    /// `2026-11-15T06:55:00.020000+00:00`
    Micros,
}

/// ISO 8601 in UTC. Times before 1970 are written as 1970.
pub fn iso(time: SystemTime, digits: Digits) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = since.as_secs();
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = match digits {
        Digits::Seconds => String::new(),
        Digits::Micros => format!(".{:06}", since.subsec_micros()),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}+00:00")
}

/// The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
///
/// Counts years from March, so that the leap day is a year's last, and eras of 400 years, which all
/// have the same number of days.
fn civil(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / ERA, shifted % ERA);
    let leap_corrections = day_of_era / 1460 + day_of_era / (ERA - 1);
    let year_of_era = (day_of_era + day_of_era / 36_524 - leap_corrections) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// Microseconds since 1970.
pub(crate) fn micros(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_micros()
}

#[cfg(test)]
mod tests {
    use super::{Digits, civil, iso};
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn times_are_written_as_inspect_writes_them() {
        let time = UNIX_EPOCH + Duration::from_micros(1_794_725_700_020_000);
        assert_eq!(iso(time, Digits::Seconds), "2026-11-15T06:55:00+00:00");
        assert_eq!(iso(time, Digits::Micros), "2026-11-15T06:55:00.020000+00:00");
    }

    #[test]
    fn every_day_of_two_eras_follows_the_one_before() {
        let leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..2 * 146_097 {
            assert_eq!(civil(days), (year, month, day));
            let length = match month {
                2 => 28 + u64::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}
