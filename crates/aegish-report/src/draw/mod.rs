//! Pictures: a list of shapes → SVG, PNG and PDF.
//!
//! Takes a [`Scene`] and gives an SVG that follows the reader's light or dark setting, or a PNG in one of the
//! two, or a PDF. Text is measured with the embedded font that draws it, so that layout is the same everywhere. It
//! knows nothing about benchmarks.

mod colour;
mod font;
mod pdf;
mod png;
mod raster;
mod scene;
mod svg;

pub(crate) use colour::{Colour, Paint};
pub(crate) use font::{Weight, shortened, text_width};
pub(crate) use pdf::pdf;
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
