//! Pictures: a list of shapes → SVG and PNG.
//!
//! Takes a [`Scene`] and gives it as an SVG that follows the reader's light or dark setting, or as a PNG
//! in one of the two. Text is measured with the font that is drawn, which lies in the binary, so that
//! what fits here fits everywhere. It knows nothing of benchmarks.

mod colour;
mod font;
mod png;
mod raster;
mod scene;
mod svg;

pub(crate) use colour::{Colour, Paint};
pub(crate) use font::{Weight, shortened, text_width};
pub(crate) use png::png;
pub(crate) use raster::raster;
#[cfg(test)]
pub(crate) use scene::SceneShape;
pub(crate) use scene::{Anchor, Area, Border, Point, Scene, Stroke, TextDirection, TextLabel};
pub(crate) use svg::{SvgUse, font_faces, svg};

/// The reader's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}
