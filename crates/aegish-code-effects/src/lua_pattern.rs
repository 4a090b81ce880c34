//! Patterns of Lua.

/// A pattern of Lua as a regular expression; none if it has no counterpart.
#[must_use]
pub fn regular(pattern: &str) -> Option<String> {
    let mut made = String::new();
    let mut chars = pattern.chars().peekable();
    let mut set = false;
    while let Some(c) = chars.next() {
        match c {
            '%' => match chars.next()? {
                'a' => made.push_str(if set { "A-Za-z" } else { "[A-Za-z]" }),
                'd' => made.push_str("\\d"),
                's' => made.push_str("\\s"),
                'w' => made.push_str(if set { "A-Za-z0-9" } else { "[A-Za-z0-9]" }),
                'l' => made.push_str(if set { "a-z" } else { "[a-z]" }),
                'u' => made.push_str(if set { "A-Z" } else { "[A-Z]" }),
                'x' => made.push_str(if set { "0-9A-Fa-f" } else { "[0-9A-Fa-f]" }),
                'S' if !set => made.push_str("\\S"),
                'D' if !set => made.push_str("\\D"),
                other if other.is_alphanumeric() => return None,
                other => made.push_str(&regex::escape(&other.to_string())),
            },
            '[' if !set => {
                set = true;
                made.push('[');
            }
            ']' => {
                set = false;
                made.push(']');
            }
            '-' if !set => made.push_str("*?"),
            '.' | '*' | '+' | '?' | '^' | '$' | '(' | ')' if !set => made.push(c),
            '-' | '^' => made.push(c),
            other => made.push_str(&regex::escape(&other.to_string())),
        }
    }
    Some(made)
}
