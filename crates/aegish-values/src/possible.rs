//! What a value may be: its variants, and what is left of it if everything from outside is empty.

use crate::value::{MAX_ALTERNATIVES, Piece, Value};

impl Value {
    /// The values that this one may be, without one of several texts in them, at most `limit`; `None` if there are more.
    #[must_use]
    pub fn variants(&self, limit: usize) -> Option<Vec<Self>> {
        let mut variants: Vec<Self> = Vec::new();
        for one in self.possible() {
            let empty = Self::empty().with_several(self.is_several());
            let mut heads = vec![empty.tainted(one.taint())];
            for piece in one.pieces() {
                match piece {
                    Piece::OneOf(texts) if heads.len() * texts.len() > limit => return None,
                    Piece::OneOf(texts) => {
                        let longer = |head: &Self, text: &String| {
                            let mut longer = head.clone();
                            longer.push_str(text);
                            longer
                        };
                        let all = heads
                            .iter()
                            .flat_map(|head| texts.iter().map(move |text| longer(head, text)));
                        heads = all.collect();
                    }
                    other => heads.iter_mut().for_each(|head| head.push(other.clone())),
                }
            }
            variants.append(&mut heads);
        }
        (variants.len() <= limit).then_some(variants)
    }

    /// The value if everything that comes from outside is empty.
    #[must_use]
    pub fn without_unknown(&self) -> Self {
        let mut rest = Self::empty().tainted(self.taint());
        let known = self.pieces().iter().filter(|piece| !matches!(piece, Piece::Unknown(_)));
        known.for_each(|piece| rest.push(piece.clone()));
        rest
    }

    /// The texts that the value may be if everything that comes from outside is empty, beside patterns; none if it is
    /// nothing but patterns, or one of more values than that.
    #[must_use]
    pub fn own_readings(&self, limit: usize) -> Option<Vec<String>> {
        let variants = self.variants(limit)?.into_iter();
        let texts: Vec<String> = variants
            .filter_map(|one| one.without_unknown().as_known().map(str::to_owned))
            .collect();
        (!texts.is_empty()).then_some(texts)
    }

    /// As [`Self::own_readings`], empty if there are none.
    #[must_use]
    pub fn own_texts(&self) -> Vec<String> {
        self.own_readings(MAX_ALTERNATIVES).unwrap_or_default()
    }

    /// The text of the value if everything that comes from outside is empty; none if that is not one text.
    #[must_use]
    pub fn own_text(&self) -> Option<String> {
        match self.own_readings(1)?.pop()? {
            text if text.is_empty() && self.has_unknown() => None,
            text => Some(text),
        }
    }

    /// Whether a part of the value is unknown and another one stands in the judged text.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        let own = |piece: &Piece| !matches!(piece, Piece::Unknown(_));
        self.has_unknown() && self.pieces().iter().any(own)
    }

    /// Whether its text has a letter or a digit, so that it may name something.
    #[must_use]
    pub fn has_name(&self) -> bool {
        let names = |text: &str| text.contains(char::is_alphanumeric);
        self.pieces().iter().any(|piece| match piece {
            Piece::Text(text) => names(text),
            Piece::OneOf(texts) => texts.iter().any(|text| names(text)),
            _ => false,
        })
    }

    /// What stands behind another value that this one begins with.
    pub(crate) fn behind(&self, head: &Self) -> Option<Self> {
        let (last, whole) = head.pieces().split_last()?;
        let rest = self.pieces().strip_prefix(whole)?;
        let (first, rest) = rest.split_first()?;
        let mut tail = match (first, last) {
            (Piece::Text(text), Piece::Text(last)) => {
                Self::known(text.strip_prefix(last.as_str())?)
            }
            _ if first == last => Self::empty(),
            _ => return None,
        };
        rest.iter().for_each(|piece| tail.push(piece.clone()));
        Some(tail)
    }
}
