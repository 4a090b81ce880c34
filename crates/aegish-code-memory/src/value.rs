//! Abstract values of a program: what an expression may be before the program runs.

use crate::ir::{Function, Name};
use crate::limits::{MAX_ALTERNATIVES, MAX_SIZE};
use crate::reference::Ref;
use crate::scope::Scope;
use aegish_values::{BRANCH, EcoString, Piece, Source, Taint, Value, join_values};
use std::rc::Rc;

/// Why a text is not known that was made of known texts: the analysis could not keep it. A file with such a name makes
/// the analysis open, unlike one whose name comes from outside.
pub const LOST: &str = "text that was not kept";

/// Standard input as an open file.
pub const STDIN: usize = usize::MAX;

/// Whether a text is unknown only because it was not kept.
pub fn is_lost(value: &Value) -> bool {
    value.pieces().contains(&Piece::Unknown(LOST))
}

/// Whether what is made of a text may be made of known text alone: a part of it was not kept, or everything in it is known
/// in some branch of the program.
pub fn is_own(text: &Value) -> bool {
    let own = |at: usize, piece: &Piece| match piece {
        Piece::Unknown(BRANCH) => {
            at > 0 && matches!(text.pieces().get(at - 1), Some(Piece::OneOf(_)))
        }
        Piece::Unknown(_) => false,
        _ => true,
    };
    is_lost(text) || text.pieces().iter().enumerate().all(|(at, piece)| own(at, piece))
}

/// Something unknown that is made of a text.
pub fn part_of(text: &Value) -> Value {
    Value::unknown(if is_own(text) { LOST } else { "part of a text" }).tainted(text.taint())
}

/// Whether a value that could be called was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgotten {
    /// Nothing that matters when it is called: data, objects of libraries.
    Data,
    /// A function or module may have been among the values. A call runs something unknown.
    Callable,
}

/// The abstract value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Val {
    Unknown(Taint, Forgotten),
    /// A text, or bytes that are text.
    Text(Value),
    /// Bytes that are not text.
    Bytes(Rc<[u8]>),
    Int(i64),
    Bool(bool),
    None,
    Tuple(Rc<[Val]>),
    List(Ref),
    Dict(Ref),
    /// A reference to a variable.
    Scalar(Ref),
    /// A path object.
    Path(Value),
    /// A function, class, module or object of the language or a library, by its path.
    Library(Name),
    Function(Rc<Closure>),
    /// A function with its first argument.
    Bound(Rc<(Val, Val)>),
    /// A method of a value that is not an instance of a class of the program.
    Method(Rc<(Val, Name)>),
    /// A function with some of its arguments.
    Partial(Rc<Partial>),
    Class(Rc<ClassValue>),
    Instance(Ref),
    /// The bases of the class of an instance: `super()`.
    Super(Rc<(Val, Rc<ClassValue>)>),
    /// The variables of a scope as a map: `globals()`.
    Variables,
    /// A function that is called when the attribute is read.
    Property(Rc<Val>),
    StaticMethod(Rc<Val>),
    ClassMethod(Rc<Val>),
    /// An open file: the index of the effect that opened it.
    File(usize),
    Connection,
    Process(Interprets),
    /// A regular expression and its flags.
    Pattern(Rc<(Rc<str>, Rc<str>)>),
    /// One of these. Texts among them are joined into one.
    OneOf(Rc<[Val]>),
}

/// Whether a process runs the text that is written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interprets {
    Input,
    Nothing,
}

/// A function and the scope that it was made in.
#[derive(Debug)]
pub struct Closure {
    pub code: Rc<Function>,
    pub scope: Rc<Scope>,
    pub defaults: Vec<(Name, Val)>,
    /// The class that the method was defined in.
    pub class: std::cell::RefCell<Option<Rc<ClassValue>>>,
}

impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        // Defaults that hold functions would be compared again and again.
        let simple =
            |value: &Val| matches!(value, Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::None);
        std::ptr::eq(self, other)
            || self.code.id == other.code.id
                && Rc::ptr_eq(&self.scope, &other.scope)
                && self.defaults.iter().all(|(_, value)| simple(value))
                && self.defaults == other.defaults
    }
}

#[derive(Debug, PartialEq)]
pub struct Partial {
    pub function: Val,
    pub args: Args,
}

/// A class of the program.
#[derive(Debug)]
pub struct ClassValue {
    pub name: Name,
    pub bases: Vec<Val>,
    /// The cell of its attributes.
    pub attributes: Ref,
}

impl PartialEq for ClassValue {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
    }
}

/// The arguments of a call.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Args {
    pub list: Vec<Val>,
    pub named: Vec<(Name, Val)>,
    /// What further arguments may be, if there may be any.
    pub rest: Option<Val>,
}

impl Args {
    pub fn of(list: Vec<Val>) -> Self {
        Self { list, ..Self::default() }
    }

    pub fn get(&self, place: usize) -> Option<&Val> {
        self.list.get(place).or(self.rest.as_ref())
    }

    pub fn named(&self, name: &str) -> Option<&Val> {
        self.named.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    pub fn values(&self) -> impl Iterator<Item = &Val> {
        self.list.iter().chain(self.named.iter().map(|(_, value)| value)).chain(&self.rest)
    }

    pub fn with_first(mut self, first: Val) -> Self {
        self.list.insert(0, first);
        self
    }
}

impl Val {
    pub fn unknown() -> Self {
        Self::Unknown(Taint::none(), Forgotten::Data)
    }

    pub fn tainted(taint: Taint) -> Self {
        Self::Unknown(taint, Forgotten::Data)
    }

    pub fn text(text: impl Into<EcoString>) -> Self {
        Self::Text(Value::known(text))
    }

    pub fn from_source(why: &'static str, source: Source) -> Self {
        Self::Text(Value::unknown(why).tainted(&Taint::from(source)))
    }

    pub fn bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::text(text),
            Err(error) => Self::Bytes(error.into_bytes().into()),
        }
    }

    /// The value as a text.
    pub fn to_text(&self) -> Value {
        match self {
            Self::Text(value) | Self::Path(value) => value.clone(),
            Self::Int(number) => Value::known(number.to_string()),
            Self::Bool(true) => Value::known("True"),
            Self::Bool(false) => Value::known("False"),
            Self::None => Value::known("None"),
            Self::Bytes(bytes) => Value::known(String::from_utf8_lossy(bytes)),
            Self::Connection => {
                Value::unknown("received").tainted(&Taint::from(Source::Network(String::new())))
            }
            Self::Unknown(taint, _) => Value::unknown("computed").tainted(taint),
            Self::Tuple(items) => {
                let mut taint = Taint::none();
                items.iter().for_each(|item| taint.absorb(item.to_text().taint()));
                Value::unknown("a list").tainted(&taint)
            }
            Self::OneOf(values) => values
                .iter()
                // A missing value is no text: an operation on it fails.
                .filter(|value| **value != Self::None)
                .map(Self::to_text)
                .reduce(|a, b| join_texts(&a, &b))
                .unwrap_or_else(|| Value::unknown("computed")),
            _ => Value::unknown("computed"),
        }
    }

    pub fn as_known(&self) -> Option<String> {
        match self {
            Self::Text(value) | Self::Path(value) => value.as_known().map(str::to_owned),
            Self::Int(number) => Some(number.to_string()),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// Truth of the value, if it is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::None => Some(false),
            Self::Int(number) => Some(*number != 0),
            Self::Text(value) => value.as_known().map(|text| !text.is_empty()),
            Self::Tuple(items) => Some(!items.is_empty()),
            Self::Bytes(bytes) => Some(!bytes.is_empty()),
            Self::Function(_) | Self::Class(_) | Self::Bound(_) | Self::Path(_) => Some(true),
            Self::OneOf(values) => {
                let first = values.first()?.truth()?;
                values.iter().all(|value| value.truth() == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// Whether a call of it may do something that the table of calls or the program says.
    pub fn is_callable(&self) -> bool {
        match self {
            Self::Library(_)
            | Self::Function(_)
            | Self::Bound(_)
            | Self::Method(_)
            | Self::Partial(_)
            | Self::Class(_)
            | Self::Instance(_)
            | Self::StaticMethod(_)
            | Self::ClassMethod(_)
            | Self::Unknown(_, Forgotten::Callable) => true,
            Self::OneOf(values) | Self::Tuple(values) => values.iter().any(Self::is_callable),
            _ => false,
        }
    }

    /// Whether the value holds so many others that comparing it would take long. `(x, x)` doubles each time.
    pub fn is_large(&self) -> bool {
        let mut left = MAX_SIZE;
        !self.count(&mut left)
    }

    fn count(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Self::Tuple(items) | Self::OneOf(items) => items.iter().all(|item| item.count(left)),
            Self::Bound(pair) => pair.0.count(left) && pair.1.count(left),
            Self::Method(pair) => pair.0.count(left),
            Self::Partial(partial) => {
                partial.function.count(left) && partial.args.values().all(|value| value.count(left))
            }
            Self::Property(inner) | Self::StaticMethod(inner) | Self::ClassMethod(inner) => {
                inner.count(left)
            }
            _ => true,
        }
    }

    /// The values of which it is one.
    pub fn alternatives(&self) -> &[Self] {
        match self {
            Self::OneOf(values) => values,
            other => std::slice::from_ref(other),
        }
    }

    /// The sources of the value itself, without what it refers to.
    pub fn own_taint(&self) -> Taint {
        match self {
            Self::Unknown(taint, _) => taint.clone(),
            Self::Text(value) | Self::Path(value) => value.taint().clone(),
            Self::OneOf(values) | Self::Tuple(values) => {
                let mut taint = Taint::none();
                values.iter().for_each(|value| taint.absorb(&value.own_taint()));
                taint
            }
            _ => Taint::none(),
        }
    }

    /// Something unknown in place of the value.
    pub fn forget(&self) -> Self {
        // An attribute of something that was read is data too, if it is taken apart.
        if let Self::Method(pair) = self
            && matches!(pair.0, Self::Text(_) | Self::Bytes(_) | Self::Unknown(_, Forgotten::Data))
        {
            return pair.0.forget();
        }
        let forgotten = if self.is_callable() { Forgotten::Callable } else { Forgotten::Data };
        Self::Unknown(self.own_taint(), forgotten)
    }
}

impl Val {
    /// Something unknown in place of several values. If one of them is or may hold text of the program itself, that
    /// text was not kept.
    fn merged(&self) -> Self {
        let holds_text = |value: &Self| match value {
            Self::Text(text) | Self::Path(text) => is_own(text),
            Self::Tuple(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Scalar(_)
            | Self::Instance(_) => true,
            _ => false,
        };
        let forgotten = self.forget();
        if !self.alternatives().iter().any(holds_text) {
            return forgotten;
        }
        let lost = Self::Text(Value::unknown(LOST).tainted(&self.own_taint()));
        Self::OneOf([forgotten, lost].into())
    }
}

/// A value that is either of the two.
pub fn join(a: &Val, b: &Val) -> Val {
    if a == b {
        return a.clone();
    }
    match (a, b) {
        (Val::Text(a), Val::Text(b)) => return Val::Text(join_texts(a, b)),
        (Val::Path(a), Val::Path(b)) => return Val::Path(join_texts(a, b)),
        (Val::Unknown(one, f), Val::Unknown(other, g)) => {
            let mut taint = one.clone();
            taint.absorb(other);
            let forgotten = if *f == *g { *f } else { Forgotten::Callable };
            return Val::Unknown(taint, forgotten);
        }
        (Val::Tuple(one), Val::Tuple(other)) if one.len() == other.len() => {
            return Val::Tuple(one.iter().zip(other.iter()).map(|(a, b)| join(a, b)).collect());
        }
        _ => {}
    }
    let mut values: Vec<Val> = Vec::new();
    for value in a.alternatives().iter().chain(b.alternatives()) {
        let same = values.iter_mut().find(|known| {
            *known == value
                || matches!(
                    (&**known, value),
                    (Val::Text(_), Val::Text(_))
                        | (Val::Path(_), Val::Path(_))
                        | (Val::Unknown(..), Val::Unknown(..))
                )
        });
        match same {
            Some(known) => *known = join(known, value),
            None => values.push(value.clone()),
        }
    }
    if values.len() > MAX_ALTERNATIVES {
        return Val::OneOf(values.into()).merged();
    }
    match values.as_slice() {
        [only] => only.clone(),
        _ => Val::OneOf(values.into()),
    }
}

/// A value that covers both and does not change for ever: known text keeps its common start.
pub fn widen(old: &Val, new: &Val) -> Val {
    if old == new {
        return old.clone();
    }
    match (old, new) {
        (Val::Text(a), Val::Text(b)) => Val::Text(widen_text(a, b)),
        (Val::Path(a), Val::Path(b)) => Val::Path(widen_text(a, b)),
        (Val::Int(_) | Val::Unknown(..), Val::Int(_)) => old.forget(),
        (Val::Tuple(one), Val::Tuple(other)) if one.len() == other.len() => {
            Val::Tuple(one.iter().zip(other.iter()).map(|(a, b)| widen(a, b)).collect())
        }
        _ => match join(old, new) {
            joined @ Val::Unknown(..) => joined,
            Val::OneOf(values) if values.iter().all(|value| !matches!(value, Val::Int(_))) => {
                Val::OneOf(values)
            }
            other => other.merged(),
        },
    }
}

/// Texts that are not fully known keep their common start.
fn join_texts(a: &Value, b: &Value) -> Value {
    let joined = join_values(a, b);
    let start = a.known_prefix().chars().zip(b.known_prefix().chars()).take_while(|(x, y)| x == y);
    // Too many texts, or one of them was not kept before.
    let kept = |value: &Value| !value.has_unknown() || is_lost(value);
    if joined.has_unknown() && (start.count() > 0 || kept(a) && kept(b)) {
        return widen_text(a, b);
    }
    let mut joined = joined;
    if (is_lost(a) || is_lost(b)) && !is_lost(&joined) {
        joined.push(Piece::Unknown(LOST));
    }
    joined
}

fn widen_text(a: &Value, b: &Value) -> Value {
    let mut taint = a.taint().clone();
    taint.absorb(b.taint());
    let (one, other) = (a.known_prefix(), b.known_prefix());
    let common = one
        .char_indices()
        .zip(other.chars())
        .find(|((_, x), y)| x != y)
        .map_or(one.len().min(other.len()), |((at, _), _)| at);
    let mut value = Value::known(one.get(..common).unwrap_or(""));
    let lost = is_lost(a) || is_lost(b) || is_own(a) && is_own(b);
    let why = if lost { LOST } else { "text made in a loop" };
    value.push(Piece::Unknown(why));
    value.tainted(&taint)
}
