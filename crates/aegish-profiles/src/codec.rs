//! Profiles as bytes: the build script writes them, and a lookup reads them.
//!
//! A table of references contains addresses, and the loader of a position-independent program writes each of
//! them at every start: about 76,000 here. Bytes contain no addresses. A profile is decoded when a program is
//! looked up for the first time, and kept; its texts are borrowed from the bytes. The build script compiles
//! this file too.

use crate::system::{Detail, SystemEffect};
use crate::table::{
    ArgumentRole, Count, DeclaredEffect, Example, Grammar, Mode, OperandSlot, Opt, Profile,
    Special, Stdin, Style, Sub,
};
use crate::vocabulary::{Behaviour, Lang, Trait};

/// A value that is encoded as bytes. Decoding returns `None` for invalid bytes.
pub(crate) trait Code: Sized + 'static {
    fn encode(&self, out: &mut Vec<u8>);
    fn decode(reader: &mut ByteReader) -> Option<Self>;
}

/// The bytes that are still to be read.
pub(crate) struct ByteReader(pub(crate) &'static [u8]);

impl ByteReader {
    fn take(&mut self, count: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }
}

/// Seven bits per byte, the lowest first. The eighth bit is set if more bytes follow.
impl Code for usize {
    fn encode(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest > 0x7f {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push((rest & 0x7f) as u8);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = reader.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl Code for u8 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        reader.byte()
    }
}

impl Code for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        Some(reader.byte()? == 1)
    }
}

impl Code for &'static str {
    fn encode(&self, out: &mut Vec<u8>) {
        self.len().encode(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        let length = usize::decode(reader)?;
        std::str::from_utf8(reader.take(length)?).ok()
    }
}

/// Decoded values are leaked: each profile is decoded only once.
impl<T: Code> Code for &'static [T] {
    fn encode(&self, out: &mut Vec<u8>) {
        self.len().encode(out);
        self.iter().for_each(|item| item.encode(out));
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        let items = (0..usize::decode(reader)?).map(|_| T::decode(reader));
        let items: Vec<T> = items.collect::<Option<_>>()?;
        Some(if items.is_empty() { &[] } else { items.leak() })
    }
}

impl<T: Code> Code for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        if let Some(value) = self {
            value.encode(out);
        }
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        if bool::decode(reader)? { T::decode(reader).map(Some) } else { Some(None) }
    }
}

impl<A: Code, B: Code> Code for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        Some((A::decode(reader)?, B::decode(reader)?))
    }
}

/// A structure is encoded as its fields in order.
macro_rules! structure {
    ($($name:ident { $($field:ident),+ })+) => { $(
        impl Code for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $($field.encode(out);)+
            }

            fn decode(reader: &mut ByteReader) -> Option<Self> {
                $(let $field = Code::decode(reader)?;)+
                Some(Self { $($field),+ })
            }
        }
    )+ };
}

structure! {
    Profile {
        name, aliases, summary, source, traits, helper, external, special, env, inputs, grammar,
        examples
    }
    Grammar { style, options, operands, stdin, keys, does, words, modes, subs }
    Sub { names, grammar }
    Opt { names, value, optional, more, does, values }
    Mode { when, and, operands, options, does, words, stdin }
    OperandSlot { role, count }
    Example { command, effects, never }
}

/// A variant without fields is encoded as its number.
macro_rules! numbered {
    ($($name:ident)+) => { $(
        impl Code for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn decode(reader: &mut ByteReader) -> Option<Self> {
                Self::ALL.get(usize::from(reader.byte()?)).copied()
            }
        }
    )+ };
}

numbered! { Lang Behaviour Trait Style Count Special }

/// Marks a role or standard input with a language.
const WITH_LANG: u8 = 0x80;

impl Code for ArgumentRole {
    fn encode(&self, out: &mut Vec<u8>) {
        let (number, lang) = match *self {
            Self::Code(lang) => (0, lang),
            Self::Script(lang) => (1, lang),
            Self::Module(lang) => (2, lang),
            Self::Setting(lang) => (3, lang),
            Self::Words(lang) => (4, lang),
            plain => {
                let number = Self::PLAIN.iter().position(|role| *role == plain);
                return number.unwrap_or(usize::from(u8::MAX)).encode(out);
            }
        };
        out.push(WITH_LANG | number);
        lang.encode(out);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        let number = reader.byte()?;
        if number < WITH_LANG {
            return Self::PLAIN.get(usize::from(number)).copied();
        }
        let lang = Lang::decode(reader)?;
        match number ^ WITH_LANG {
            0 => Some(Self::Code(lang)),
            1 => Some(Self::Script(lang)),
            2 => Some(Self::Module(lang)),
            3 => Some(Self::Setting(lang)),
            4 => Some(Self::Words(lang)),
            _ => None,
        }
    }
}

impl Code for Stdin {
    fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Code(lang) => {
                out.push(WITH_LANG);
                lang.encode(out);
            }
            plain => {
                let number = Self::PLAIN.iter().position(|stdin| *stdin == plain);
                number.unwrap_or(usize::from(u8::MAX)).encode(out);
            }
        }
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        match reader.byte()? {
            WITH_LANG => Lang::decode(reader).map(Self::Code),
            number => Self::PLAIN.get(usize::from(number)).copied(),
        }
    }
}

impl Code for SystemEffect {
    fn encode(&self, out: &mut Vec<u8>) {
        let number = Self::VOCABULARY.iter().position(|entry| entry.effect == *self);
        number.unwrap_or(usize::MAX).encode(out);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        Self::VOCABULARY.get(usize::decode(reader)?).map(|entry| entry.effect)
    }
}

impl Code for DeclaredEffect {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Behaviour(behaviour, argument) => {
                out.push(0);
                behaviour.encode(out);
                argument.encode(out);
            }
            Self::System(effect, detail) => {
                out.push(1);
                effect.encode(out);
                detail.encode(out);
            }
        }
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        match reader.byte()? {
            0 => Some(Self::Behaviour(Behaviour::decode(reader)?, Code::decode(reader)?)),
            1 => Some(Self::System(SystemEffect::decode(reader)?, Detail::decode(reader)?)),
            _ => None,
        }
    }
}

impl Code for Detail {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }

    fn decode(reader: &mut ByteReader) -> Option<Self> {
        Code::decode(reader).map(Self)
    }
}
