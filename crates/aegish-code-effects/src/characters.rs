//! Characters replaced by others, as `tr` does it in several languages.

/// The characters of a set: `a-z` are those between.
#[must_use]
pub fn character_set(set: &str) -> Option<Vec<char>> {
    if set.len() > 1 && set.starts_with('^') {
        return None;
    }
    let chars: Vec<char> = set.chars().collect();
    let mut all = Vec::new();
    let mut rest = chars.as_slice();
    while let [first, behind @ ..] = rest {
        match (first, behind) {
            ('\\', [escaped, behind @ ..]) => {
                all.push(*escaped);
                rest = behind;
            }
            (from, ['-', to, behind @ ..]) => {
                all.extend(*from..=*to);
                rest = behind;
            }
            (one, behind) => {
                all.push(*one);
                rest = behind;
            }
        }
        if all.len() > 4096 {
            return None;
        }
    }
    Some(all)
}

/// A text with the characters of one set replaced by those of another, whose last one stands for all further ones.
#[must_use]
pub fn translate(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (character_set(from)?, character_set(to)?);
    Some(
        text.chars()
            .filter_map(|c| match from.iter().position(|known| *known == c) {
                Some(place) => to.get(place).or(to.last()).copied(),
                None => Some(c),
            })
            .collect(),
    )
}
