//! The abstract value of an expression, and the arguments of a call.

use super::decode::LIMIT;
use aegish_values::{EcoString, Source, Taint, Value};

/// The abstract value of an expression.
#[derive(Debug, Clone)]
pub(super) enum Object {
    /// A text, possibly with unknown pieces, with its sources.
    Text(Value),
    /// Bytes that are not text, for example compressed data.
    Bytes(Vec<u8>),
    /// A whole number.
    Num(i64),
    /// List, tuple, array.
    List(Vec<Object>),
    /// Map, or named options.
    Dict(Vec<(String, Object)>),
    /// A function, class or module of the language or a library, by its path (`os.system`, `child_process`).
    Name(String),
    /// A connection or one of its streams.
    Conn,
    /// An open file: the index of the effect that opened it.
    File(usize),
    /// A started process or one of its streams; true for a shell.
    Proc(bool),
    /// A function defined in the code.
    Lambda(usize),
    /// Nothing is known.
    Other,
}

impl Object {
    pub(super) fn known(text: impl Into<EcoString>) -> Self {
        Self::Text(Value::known(text))
    }

    /// An unknown value with a source.
    pub(super) fn from_source(why: &'static str, source: Source) -> Self {
        Self::Text(Value::unknown(why).tainted(&Taint::from(source)))
    }

    /// Bytes, as text where they are text.
    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::known(text),
            Err(error) => Self::Bytes(error.into_bytes()),
        }
    }

    /// The value as a text.
    pub(super) fn text(&self) -> Value {
        match self {
            Self::Text(value) => value.clone(),
            Self::Num(number) => Value::known(number.to_string()),
            Self::Bytes(bytes) => Value::known(String::from_utf8_lossy(bytes)),
            Self::Conn => {
                Value::unknown("received").tainted(&Taint::from(Source::Network(String::new())))
            }
            Self::List(items) => {
                let mut taint = Taint::none();
                items.iter().for_each(|item| taint.absorb(item.text().taint()));
                Value::unknown("a list").tainted(&taint)
            }
            _ => Value::unknown("computed"),
        }
    }

    /// The text, if it is fully known.
    pub(super) fn as_known(&self) -> Option<String> {
        match self {
            Self::Text(value) => value.as_known().map(str::to_owned),
            Self::Num(number) => Some(number.to_string()),
            _ => None,
        }
    }

    pub(super) fn as_num(&self) -> Option<i64> {
        match self {
            Self::Num(number) => Some(*number),
            Self::Text(value) => value.as_known()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// The items of a list; any other value is its own only item.
    pub(super) fn items(self) -> Vec<Self> {
        match self {
            Self::List(items) => items,
            other => vec![other],
        }
    }

    /// Whether neither the text nor its source is known.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Self::Text(value) => {
                value.has_unknown() && value.taint().is_none() && value.known_prefix().is_empty()
            }
            Self::Num(_) | Self::Bytes(_) | Self::Conn | Self::File(_) => false,
            _ => true,
        }
    }

    /// An option in a map.
    pub(super) fn entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Dict(pairs) => pairs
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(key))
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Concatenates two values.
    pub(super) fn join(&self, other: &Self) -> Self {
        let mut value = self.text();
        let right = other.text();
        let long = |v: &Value| v.pieces().len() > 64 || v.known_prefix().len() > LIMIT;
        if long(&value) || long(&right) {
            return Self::Text(Value::unknown("long"));
        }
        value.append(&right);
        Self::Text(value)
    }

    /// A value that is one of the two.
    pub(super) fn either(self, other: Self) -> Self {
        match (self.as_known(), other.as_known()) {
            (Some(a), Some(b)) if !matches!(self, Self::Num(_)) => {
                Self::Text(Value::one_of([a, b]))
            }
            _ if self.is_blank()
                && !matches!(self, Self::Name(_) | Self::Proc(_) | Self::Lambda(_)) =>
            {
                other
            }
            _ => self,
        }
    }
}

/// The arguments of a call.
#[derive(Debug, Default, Clone)]
pub(super) struct Args {
    pub(super) list: Vec<Object>,
    pub(super) named: Vec<(String, Object)>,
}

impl Args {
    pub(super) fn get(&self, index: u8) -> Option<&Object> {
        self.list.get(usize::from(index))
    }

    pub(super) fn text(&self, index: u8) -> Option<Value> {
        self.get(index).map(Object::text)
    }

    /// An option by name: a named argument, a key of a map argument, or `"key", value` in the list.
    pub(super) fn option(&self, key: &str) -> Option<&Object> {
        if let Some((_, value)) = self.named.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))
        {
            return Some(value);
        }
        self.list.iter().find_map(|item| item.entry(key))
    }

    /// Like [`Args::option`], but a bare word followed by its value in the list counts too.
    pub(super) fn pair(&self, key: &str) -> Option<&Object> {
        self.option(key).or_else(|| {
            let place = self.list.iter().position(|item| match item {
                Object::Name(name) => name == key,
                other => other.as_known().as_deref() == Some(key),
            })?;
            self.list.get(place + 1)
        })
    }

    pub(super) fn truthy(&self, key: &str) -> bool {
        match self.option(key) {
            Some(Object::Name(name)) => matches!(name.as_str(), "True" | "true" | "TRUE"),
            Some(Object::Num(number)) => *number != 0,
            Some(Object::Text(value)) => value.as_known() != Some(""),
            _ => false,
        }
    }
}
