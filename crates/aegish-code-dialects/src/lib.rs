//! The meanings of Python, JavaScript, Ruby, Lua, PHP and Perl.
//!
//! Takes questions of the interpreter where these languages differ ([`Dialect`](aegish_code_interpreter::Dialect)), and
//! answers them with the interpreter itself: values, and the effects that it records. Reads no text of a program and
//! knows no grammar; what a call of a library does is data.
//!
//! A file adds its methods to the interpreter by a trait of its own, since the interpreter is of another crate.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod javascript;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;

use aegish_calls as calls;
use aegish_code_effects as effect;
use aegish_code_effects::{decode, operand};
use aegish_code_memory::{heap, limits, lines, numbers, reference, scope, value};
use aegish_code_parsers::{ir, language, template};

pub use javascript::JavaScript;
pub use lua::Lua;
pub use perl::Perl;
pub use php::Php;
pub use python::Python;
pub use ruby::Ruby;
