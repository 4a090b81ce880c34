//! Colours in pairs, one for light ground and one for dark.

use super::Theme;

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Colour {
    /// As in CSS, without the `#`.
    pub(crate) fn hex(self) -> String {
        format!("{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// A colour between this one and `other`; `share` is from 0 to 1.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0);
        let mix = |a: u8, b: u8| {
            (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round().clamp(0.0, 255.0) as u8
        };
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Relative luminance as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast between two colours as WCAG defines it, from 1 to 21.
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, the one that is easier to read on this colour.
    pub(crate) fn text(self) -> Self {
        let (dark, light) = (Self(0, 0, 0), Self(255, 255, 255));
        if self.contrast(dark) >= self.contrast(light) { dark } else { light }
    }
}

/// A colour for each setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Paint {
    pub(crate) light: Colour,
    pub(crate) dark: Colour,
}

impl Paint {
    /// The background.
    pub(crate) const GROUND: Self = Self::new(Colour(255, 255, 255), Colour(22, 26, 31));
    /// Important text and lines.
    pub(crate) const INK: Self = Self::new(Colour(27, 31, 36), Colour(230, 234, 239));
    /// Text that explains.
    pub(crate) const MUTED: Self = Self::new(Colour(87, 96, 106), Colour(157, 167, 179));
    /// Axes and leaders.
    pub(crate) const LINE: Self = Self::new(Colour(155, 163, 172), Colour(99, 109, 120));
    /// Lines behind everything.
    pub(crate) const GRID: Self = Self::new(Colour(232, 235, 239), Colour(42, 48, 56));
    /// The colour of the wanted region.
    pub(crate) const GOOD: Self = Self::new(Colour(15, 118, 110), Colour(45, 180, 167));
    /// The colour of the unwanted region.
    pub(crate) const BAD: Self = Self::new(Colour(194, 65, 12), Colour(242, 122, 74));

    pub(crate) const fn new(light: Colour, dark: Colour) -> Self {
        Self { light, dark }
    }

    pub(crate) fn of(self, theme: Theme) -> Colour {
        match theme {
            Theme::Light => self.light,
            Theme::Dark => self.dark,
        }
    }

    /// A text colour that is readable on this one.
    pub(crate) fn text(self) -> Self {
        Self::new(self.light.text(), self.dark.text())
    }

    /// A colour between this one and `other`, for both themes.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        Self::new(self.light.towards(other.light, share), self.dark.towards(other.dark, share))
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, Paint};

    #[test]
    fn contrast_runs_from_one_to_twenty_one() {
        let (black, white) = (Colour(0, 0, 0), Colour(255, 255, 255));
        assert!((black.contrast(white) - 21.0).abs() < 1e-9);
        assert!((white.contrast(white) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn text_and_lines_can_be_read_on_their_ground() {
        for paint in [Paint::INK, Paint::MUTED, Paint::GOOD, Paint::BAD] {
            assert!(paint.light.contrast(Paint::GROUND.light) >= 4.5, "{paint:?}");
            assert!(paint.dark.contrast(Paint::GROUND.dark) >= 4.5, "{paint:?}");
        }
    }

    #[test]
    fn text_on_any_colour_can_be_read() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(15) {
                for blue in (0..=255).step_by(15) {
                    let ground = Colour(red, green, blue);
                    assert!(ground.contrast(ground.text()) >= 4.5, "{ground:?}");
                }
            }
        }
    }
}
