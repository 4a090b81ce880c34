//! Functions and files that a call names in its arguments, without calling or opening them itself.

use super::call::Reference;
use super::call_effect::CallEffect;
use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_profiles::Lang;

/// Functions that compare, test or show the texts that they are given. Sorted.
const SHOWING: &[&str] = &[
    "array_push",
    "basename",
    "croak",
    "define",
    "die",
    "dirname",
    "error_log",
    "expect",
    "extname",
    "file_exists",
    "in_array",
    "index",
    "is_dir",
    "is_file",
    "is_readable",
    "is_writable",
    "json_encode",
    "p",
    "pathinfo",
    "pp",
    "preg_match",
    "push",
    "raise",
    "realpath",
    "say",
    "strcmp",
    "strlen",
    "strpos",
    "var_dump",
    "var_export",
    "warn",
];

impl Interpreter<'_> {
    /// `string.gsub(text, ".+", os.execute)`, `array_filter($texts, "system")`: the callee may call a function
    /// that it receives with any of the other arguments.
    pub(super) fn call_named_functions(&mut self, reference: &Reference, args: &Args) {
        if self.dialect.lang != Lang::Php
            || matches!(self.entry(reference), Some(CallEffect::Apply(_)))
        {
            return;
        }
        let named = |item: &Object| match item {
            Object::Name(path) => self.lookup(path),
            Object::Text(text) if self.dialect.lang == Lang::Php => {
                text.as_known().and_then(|name| self.lookup(name))
            }
            _ => None,
        };
        let runs = |what: &CallEffect| {
            matches!(
                what,
                CallEffect::Shell(_)
                    | CallEffect::Eval(_)
                    | CallEffect::Script(_)
                    | CallEffect::Read(_)
                    | CallEffect::Open(..)
            )
        };
        let Some(what) = args.list.iter().find_map(|item| named(item).filter(runs)) else { return };
        let given: Vec<Object> = args
            .list
            .iter()
            .filter(|item| named(item).is_none())
            .cloned()
            .flat_map(Object::items)
            .filter(|item| matches!(item, Object::Text(_)))
            .collect();
        for item in given {
            self.evaluate_call(what, Args { list: vec![item], ..Args::default() }, "");
        }
    }

    /// A function that is not known may open the files that it is given.
    pub(super) fn mention(&mut self, name: &str, args: &Args) {
        if SHOWING.binary_search(&name).is_ok() || name.ends_with('?') {
            return;
        }
        for item in args.list.iter().cloned().flat_map(Object::items) {
            let Object::Text(path) = item else { continue };
            if path.as_known() != Some("/")
                && path.known_prefix().starts_with('/')
                && !path.known_prefix().contains(char::is_whitespace)
            {
                self.record(CodeEffect::Mention(path.clone()));
            }
        }
    }
}
