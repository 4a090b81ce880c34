//! Perl 5: text → intermediate form, by an own parser.
//!
//! The grammar of Perl cannot be read without knowing whether a value or an operator is expected, so there is no lexer
//! of its own: the parser reads the text directly ([`cursor`]), makes a tree ([`tree`]) and lowers it ([`lower`]), where
//! the context (one value or several) is known. Arrays and hashes are lists and maps that variables hold, so a reference
//! is the same value. Nesting is bounded; a statement that is not understood is left out and marks the program as cut.

mod before_list;
mod cursor;
mod declarations;
mod interpolation;
mod lower;
mod operators;
mod quotes;
mod rare_statements;
mod statements;
mod subs;
mod terms;
mod tree;
mod words;

use crate::ir::{Block, Function, Name, Program};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

/// The parser.
struct Perl<'a> {
    text: Rc<str>,
    at: usize,
    lowering: &'a mut Lowering,
    /// The end of the line behind which the bodies of here-documents lie, and where they end.
    jump: Option<(usize, usize)>,
    package: String,
    /// Variables of each block, and the name that each has in the program.
    scopes: Vec<HashMap<String, Name>>,
    /// Functions of the program that were seen, with their prototypes.
    subs: HashMap<String, Option<String>>,
    /// Names of constants.
    constants: HashSet<String>,
    /// Number of the next variable that the lowering makes.
    made: u32,
    /// Variables that the text changes.
    changes: HashSet<Name>,
    /// Functions around what is lowered.
    lowered_subs: u32,
    /// Functions with a name, which are known from the beginning on.
    hoisted: Vec<(Name, Rc<Function>)>,
    /// Modules that are loaded at the beginning.
    uses: Block,
    /// What runs at the end.
    ends: Vec<Rc<Function>>,
    /// Whether something runs at the end.
    has_end: bool,
    /// The text behind `__END__`.
    data: Option<String>,
}

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let code = option_text(code).map_or_else(|| Rc::from(code), Rc::<str>::from);
    let mut perl = Perl {
        text: code,
        at: 0,
        lowering,
        jump: None,
        package: "main".to_owned(),
        scopes: vec![HashMap::new()],
        subs: HashMap::new(),
        constants: HashSet::new(),
        made: 0,
        changes: HashSet::new(),
        lowered_subs: 0,
        hoisted: Vec::new(),
        uses: Vec::new(),
        ends: Vec::new(),
        has_end: false,
        data: None,
    };
    let statements = perl.program();
    let body = perl.lower_program(&statements);
    Program { body, cut: lowering.cut, size: lowering.size }
}

/// The option `-M` hands its value over as code: `Module`, `-Module`, `Module=name,name`.
fn option_text(code: &str) -> Option<String> {
    let code = code.trim();
    if code.starts_with("-M") || code.starts_with("-m") || code.starts_with("-w") {
        let uses = code.split_whitespace().filter_map(|word| {
            let module = word.strip_prefix("-M").or_else(|| word.strip_prefix("-m"))?;
            option_text(module)
        });
        return Some(uses.collect());
    }
    let (module, names) = match code.split_once('=') {
        Some((module, names)) => (module, Some(names)),
        None => (code, None),
    };
    let (word, module) = match module.strip_prefix('-') {
        Some(module) => ("no", module),
        None => ("use", module),
    };
    let first = module.chars().next()?;
    let plain = module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    if !plain || !(first.is_ascii_alphabetic() || first == '_') {
        return None;
    }
    match names {
        Some(names) if names.contains(['\'', '\\', '\n', ';']) => None,
        Some(names) => Some(format!("{word} {module} split(/,/, '{names}');")),
        None if module.contains("::") => Some(format!("{word} {module};")),
        None => None,
    }
}

impl Perl<'_> {
    /// Enters a deeper level of the text.
    fn enter(&mut self) -> Parsed<()> {
        if self.lowering.enter() { Ok(()) } else { Err(Rejected) }
    }

    fn leave(&mut self) {
        self.lowering.leave();
    }

    /// Notes that the text changes a variable.
    fn changes(&mut self, node: &tree::Node) {
        match node {
            tree::Node::Scalar(variable) => {
                self.changes.insert(variable.clone());
            }
            tree::Node::List(nodes) => nodes.iter().for_each(|node| self.changes(node)),
            _ => {}
        }
    }

    /// Declares a variable of the present block.
    fn declare(&mut self, variable: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(variable.to_owned(), Name::from(variable));
        }
    }

    /// The name of a variable in the program.
    fn variable(&self, sigil: char, name: &str) -> Name {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(rest) = name.strip_prefix("main::") {
            let special = is_special(rest);
            return if special { format!("{sigil}{rest}") } else { format!("{sigil}main::{rest}") }
                .into();
        }
        let plain = format!("{sigil}{name}");
        if name.contains("::") || is_special(name) {
            return plain.into();
        }
        if let Some(known) = self.scopes.iter().rev().find_map(|scope| scope.get(&plain)) {
            return known.clone();
        }
        if self.package == "main" {
            plain.into()
        } else {
            format!("{sigil}{}::{name}", self.package).into()
        }
    }

    /// The name of a function or a file handle in the program.
    fn global(&self, sigil: char, name: &str) -> Name {
        let name = name.strip_prefix("::").unwrap_or(name);
        if name.contains("::") {
            format!("{sigil}{name}").into()
        } else if sigil == '*' && is_special(name) {
            format!("{sigil}main::{name}").into()
        } else {
            format!("{sigil}{}::{name}", self.package).into()
        }
    }
}

/// Variables that belong to no package.
fn is_special(name: &str) -> bool {
    let first = name.chars().next().unwrap_or('_');
    let named = matches!(
        name,
        "_" | "ENV"
            | "ARGV"
            | "INC"
            | "STDIN"
            | "STDOUT"
            | "STDERR"
            | "ARGVOUT"
            | "SIG"
            | "a"
            | "b"
            | "AEGISH_UNKNOWN"
    );
    named || !(first.is_alphabetic() || first == '_')
}
