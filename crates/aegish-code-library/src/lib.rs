//! What operators and the methods of texts, lists, maps and patterns give.
//!
//! Takes abstract values and gives abstract values. Changes the memory, and calls functions of the program, only
//! through the [`Machine`] that follows it. Reports no effect by itself: a method that a library defines otherwise is
//! handed back to the machine.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
#![allow(missing_docs)] // the names are those of the languages

pub mod containers;
mod decoded;
pub mod format;
pub mod given;
pub mod javascript;
pub mod lua;
mod machine;
pub mod operators;
pub mod paths;
pub mod perl;
pub mod php;
mod pickled;
pub mod powershell;
mod pure;
pub mod ruby;
pub mod tcl;
mod text_methods;

use aegish_calls as calls;
use aegish_code_effects::decode;
use aegish_code_memory::{heap, limits, lines, numbers, reference, value};
use aegish_code_parsers::{ir, language};

pub use containers::Containers;
pub use decoded::Decoding;
pub use format::Formatting;
pub use javascript::arrays::ScriptArrays;
pub use javascript::json::ScriptJson;
pub use javascript::operators::ScriptOperators;
pub use javascript::patterns::ScriptPatterns;
pub use javascript::texts::ScriptTexts;
pub use lua::strings::LuaStrings;
pub use lua::tables::LuaTables;
pub use machine::Machine;
pub use operators::Operators;
pub use paths::PathAttributes;
pub use perl::items::PerlItems;
pub use perl::lists::PerlLists;
pub use perl::matches::PerlPatterns;
pub use perl::text_functions::PerlTexts;
pub use perl::values::PerlValues;
pub use php::PhpValues;
pub use php::arrays::PhpArrays;
pub use php::formats::PhpFormats;
pub use php::operators::PhpOperators;
pub use php::patterns::PhpPatterns;
pub use php::replaced::PhpReplaced;
pub use php::texts::PhpTexts;
pub use pickled::Pickles;
pub use powershell::PowerShellValues;
pub use powershell::casts::PowerShellCasts;
pub use powershell::formats::PowerShellFormats;
pub use powershell::operators::PowerShellOperators;
pub use powershell::patterns::PowerShellPatterns;
pub use powershell::texts::PowerShellTexts;
pub use pure::PureCalls;
pub use ruby::folds::RubyFolds;
pub use ruby::lists::RubyLists;
pub use ruby::maps::RubyMaps;
pub use ruby::numbers::RubyNumbers;
pub use ruby::packed::RubyPacked;
pub use ruby::texts::RubyTexts;
pub use text_methods::TextMethods;
