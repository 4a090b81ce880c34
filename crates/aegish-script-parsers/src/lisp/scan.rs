//! What must be known of a text before it is lowered: the names that it defines, and which Lisp it is.

use super::Dialect;
use super::reader::Datum;
use crate::ir::Name;
use std::collections::{HashMap, HashSet};

/// Words that only Common Lisp has.
const COMMON: &[&str] = &[
    "defun",
    "setq",
    "setf",
    "defvar",
    "defparameter",
    "in-package",
    "defpackage",
    "function",
    "progn",
    "funcall",
    "multiple-value-bind",
    "with-open-file",
    "handler-case",
    "labels",
    "flet",
    "destructuring-bind",
    "dolist",
    "dotimes",
    "incf",
    "decf",
    "defstruct",
    "defclass",
    "psetq",
    "return-from",
    "ignore-errors",
    "unwind-protect",
    "defconstant",
    "mapcar",
    "mapc",
    "declaim",
];
/// Words that only Scheme and Racket have.
const SCHEME: &[&str] = &["define", "set!", "define-syntax", "use-modules", "require", "begin"];
/// Packages of Common Lisp.
const PACKAGES: &[&str] = &[
    "uiop",
    "sb-ext",
    "sb-posix",
    "sb-unix",
    "cl",
    "cl-user",
    "common-lisp",
    "ext",
    "ccl",
    "ql",
    "asdf",
    "excl",
    "sys",
    "si",
    "usocket",
    "drakma",
    "uiop/run-program",
    "sb-bsd-sockets",
    "posix",
];
/// Forms that define what stands behind them.
const DEFINITIONS: &[&str] = &[
    "define",
    "define*",
    "define-public",
    "defun",
    "defun*",
    "cl-defun",
    "defsubst",
    "define-inline",
    "defmethod",
    "cl-defmethod",
    "defgeneric",
    "cl-defgeneric",
    "defalias",
    "fset",
    "define/contract",
];
const MACROS: &[&str] = &[
    "defmacro",
    "cl-defmacro",
    "defmacro*",
    "define-macro",
    "define-syntax",
    "define-syntax-rule",
    "define-compiler-macro",
    "define-syntax-public",
    "define-syntaxes",
    "define-setf-expander",
    "define-simple-macro",
    "define-syntax-parser",
];
/// Macros whose expansion a function of the text computes.
const FUNCTIONS: &[&str] = &["defmacro", "cl-defmacro", "defmacro*", "define-macro"];
const VARIABLES: &[&str] =
    &["defvar", "defconst", "defcustom", "defparameter", "defvar-local", "define-parameter"];
/// Variables of Emacs and Common Lisp that have dynamic scope, as far as they matter.
const DYNAMIC: &[&str] = &[
    "default-directory",
    "process-environment",
    "shell-file-name",
    "explicit-shell-file-name",
    "shell-command-switch",
    "exec-path",
    "load-path",
    "standard-output",
    "*standard-output*",
    "*standard-input*",
    "standard-input",
    "*default-pathname-defaults*",
    "*load-pathname*",
    "inhibit-read-only",
    "case-fold-search",
    "buffer-file-name",
    "coding-system-for-read",
    "coding-system-for-write",
    "*read-eval*",
    "*package*",
    "*readtable*",
    "enable-local-variables",
    "kill-emacs-hook",
    "*print-pretty*",
];

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) common: bool,
    pub(super) scheme: bool,
    /// A symbol has letters of upper case.
    pub(super) upper: bool,
    pub(super) macros: HashMap<Name, bool>,
    pub(super) defined: HashSet<Name>,
    pub(super) dynamic: HashSet<Name>,
    pub(super) assigned: HashSet<Name>,
}

/// Looks through all forms, quoted ones too: data may become code.
pub(super) fn scan(dialect: Dialect, data: &[Datum]) -> Found {
    let mut found = Found::default();
    found.dynamic.extend(DYNAMIC.iter().map(|name| Name::from(*name)));
    let mut left: Vec<&Datum> = data.iter().collect();
    while let Some(datum) = left.pop() {
        match datum {
            Datum::Symbol(name) => found.symbol(name),
            Datum::List(items) | Datum::Vector(items) => {
                if let Some((name, rest)) = datum.head() {
                    found.list(&name.to_ascii_lowercase(), rest);
                }
                left.extend(items);
            }
            Datum::Dotted(items, last) => {
                left.extend(items);
                left.push(last);
            }
            _ => {}
        }
    }
    found.common &= dialect == Dialect::Scheme;
    found
}

impl Found {
    fn symbol(&mut self, name: &str) {
        self.upper |= name.contains(|c: char| c.is_ascii_uppercase());
        if let Some((package, _)) = name.split_once(':') {
            let package = package.to_ascii_lowercase();
            self.common |= PACKAGES.contains(&package.as_str());
        }
    }

    fn list(&mut self, word: &str, rest: &[Datum]) {
        self.common |= COMMON.contains(&word);
        self.scheme |= SCHEME.contains(&word);
        let Some(first) = rest.first() else { return };
        // `(define (name …) …)`, `(define name …)`, `(defalias 'name …)`.
        let mut place = first;
        while let Some(inner) = match place {
            Datum::List(items) | Datum::Dotted(items, _) => items.first(),
            _ => None,
        } {
            place = match inner.is("quote") {
                true => place.items().and_then(|items| items.get(1)).unwrap_or(inner),
                false => inner,
            };
        }
        let Some(name) = place.symbol() else { return };
        if DEFINITIONS.contains(&word) {
            self.defined.insert(name.clone());
        } else if MACROS.contains(&word) {
            let computed = FUNCTIONS.contains(&word);
            self.macros
                .entry(name.clone())
                .and_modify(|known| *known &= computed)
                .or_insert(computed);
        } else if VARIABLES.contains(&word) {
            self.dynamic.insert(name.clone());
        } else if word == "setq" || word == "setf" {
            let names = rest.iter().step_by(2).filter_map(Datum::symbol).cloned();
            self.assigned.extend(names);
        }
    }
}

/// Symbols of Common Lisp are read in one case.
pub(super) fn fold(datum: &mut Datum) {
    match datum {
        Datum::Symbol(name) if name.contains(|c: char| c.is_ascii_uppercase()) => {
            *name = name.to_ascii_lowercase().into();
        }
        Datum::List(items) | Datum::Vector(items) => items.iter_mut().for_each(fold),
        Datum::Dotted(items, last) => {
            items.iter_mut().for_each(fold);
            fold(last);
        }
        _ => {}
    }
}
