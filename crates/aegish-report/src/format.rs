//! Figures as text, with the significant digits.

/// `95 %` for 95.
pub(crate) fn percent(value: f64) -> String {
    format!("{}\u{a0}%", plain(value))
}

/// `95.0 %` for 0.95: for columns of figures.
pub(crate) fn share(value: f64) -> String {
    format!("{:.1}\u{a0}%", 100.0 * value)
}

/// `± 2.8`: half of a 95 % interval with this many decimals, never `± 0.0`.
pub(crate) fn half_width(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        return format!("± {text}");
    }
    format!("± <{:.decimals$}", 10f64.powi(-(decimals as i32)))
}

/// Dollars with significant decimals.
pub(crate) fn dollars(value: f64) -> String {
    if value >= 100.0 {
        format!("${value:.0}")
    } else if value >= 0.1 || value == 0.0 {
        format!("${value:.2}")
    } else {
        format!("${}", plain_digits(value))
    }
}

/// Seconds, or milliseconds if there are few.
pub(crate) fn seconds(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0} s")
    } else if value >= 9.95 {
        format!("{} s", plain(value))
    } else if value >= 0.9995 {
        format!("{} s", trimmed(&format!("{value:.2}")))
    } else if value >= 0.01 {
        format!("{:.0} ms", value * 1e3)
    } else {
        format!("{} ms", plain_digits(value * 1e3))
    }
}

/// A time with three digits: for columns of figures.
pub(crate) fn time(value: f64) -> String {
    if value >= 99.95 {
        format!("{value:.0} s")
    } else if value >= 9.995 {
        format!("{value:.1} s")
    } else if value >= 0.9995 {
        format!("{value:.2} s")
    } else {
        seconds(value)
    }
}

/// One decimal at most.
fn plain(value: f64) -> String {
    trimmed(&format!("{value:.1}")).to_owned()
}

/// Two significant digits.
fn plain_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let decimals = (1.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::{dollars, half_width, percent, seconds, share, time};

    #[test]
    fn an_interval_never_reads_as_none() {
        assert_eq!(half_width(2.84, 1), "± 2.8");
        assert_eq!(half_width(0.04, 1), "± <0.1");
        assert_eq!(half_width(0.000_001, 4), "± <0.0001");
    }

    #[test]
    fn figures_are_written_with_the_digits_that_matter() {
        assert_eq!([percent(95.0), percent(97.75)], ["95\u{a0}%", "97.8\u{a0}%"]);
        let dollar = [0.0, 0.0021, 0.05, 0.5, 12.894, 1234.5].map(dollars);
        assert_eq!(dollar, ["$0.00", "$0.0021", "$0.05", "$0.50", "$12.89", "$1234"]);
        assert_eq!(
            [0.0002, 0.5, 5.3, 15.0, 181.2].map(time),
            ["0.2 ms", "500 ms", "5.30 s", "15.0 s", "181 s"]
        );
        assert_eq!([0.95, 1.0].map(share), ["95.0\u{a0}%", "100.0\u{a0}%"]);
        let times = [0.000_15, 0.0021, 0.5, 1.0, 5.25, 15.44, 181.0].map(seconds);
        assert_eq!(times, ["0.15 ms", "2.1 ms", "500 ms", "1 s", "5.25 s", "15.4 s", "181 s"]);
    }
}
