//! Names of classes, functions and constants.

use super::{Php, variable};
use crate::ir::{Constant, Expr, Name};

/// The last part of a qualified name.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('\\').next().unwrap_or(name)
}

/// A name as a path: lower case, with dots.
pub(super) fn path(name: &str) -> String {
    name.trim_matches('\\').to_ascii_lowercase().replace('\\', ".")
}

impl Php<'_> {
    /// The full name of something that is declared here.
    pub(super) fn declared(&self, name: &str) -> String {
        let name = path(name);
        if self.namespace.is_empty() { name } else { format!("{}.{name}", self.namespace) }
    }

    /// The full name of a class, in lower case with dots.
    pub(super) fn class_path(&self, name: &str) -> String {
        if name.starts_with('\\') {
            return path(name);
        }
        let full = path(name);
        let (first, rest) = full.split_once('.').unwrap_or((&full, ""));
        if first == "namespace" {
            return self.declared(rest);
        }
        match self.classes.iter().rev().find(|(known, _)| known == first) {
            Some((_, known)) if rest.is_empty() => known.clone(),
            Some((_, known)) => format!("{known}.{rest}"),
            None => self.declared(name),
        }
    }

    /// A class by its name.
    pub(super) fn class(&mut self, name: &str) -> Expr {
        match name.to_ascii_lowercase().as_str() {
            "self" => match &self.around.class {
                Some(class) => Expr::Name(class.clone()),
                None => Expr::Unknown,
            },
            "static" if self.around.is_static => Expr::Name("$static:".into()),
            "static" => {
                let this = variable("this");
                let class = self.around.class.clone().map_or(Expr::Unknown, Expr::Name);
                self.builtin("<class-of>", vec![this, class])
            }
            "parent" => self.builtin("<parent>", Vec::new()),
            _ => Expr::Name(format!(":{}", self.class_path(name)).into()),
        }
    }

    /// The name of a function that is called. Functions of a namespace are known by their last part too.
    pub(super) fn function_name(&self, name: &str) -> Name {
        let full = path(name);
        if name.starts_with('\\') {
            return full.into();
        }
        if !full.contains('.') {
            let imported = self.functions.iter().rev().find(|(known, _)| *known == full);
            return imported.map_or(full.as_str(), |(_, known)| known.as_str()).into();
        }
        self.class_path(name).into()
    }

    /// A constant by its name.
    pub(super) fn constant(&mut self, name: &str) -> Expr {
        let short = last(name);
        let known = |value: Constant| Expr::Constant(value);
        match short.to_ascii_lowercase().as_str() {
            "true" => known(Constant::Bool(true)),
            "false" => known(Constant::Bool(false)),
            "null" => known(Constant::None),
            "__line__" => known(Constant::Number),
            "__dir__" => super::text("."),
            "__file__" => super::text("./script.php"),
            "__function__" | "__method__" => super::text(&self.function),
            "__namespace__" => super::text(&self.namespace.replace('.', "\\")),
            "__class__" => match &self.around.class {
                Some(class) => super::text(class.trim_start_matches(':')),
                None => super::text(""),
            },
            _ => Expr::Name(format!("#{short}").into()),
        }
    }
}
