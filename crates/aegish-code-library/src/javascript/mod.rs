//! Values of JavaScript.

pub mod arrays;
pub mod json;
pub mod operators;
pub mod patterns;
pub mod texts;
