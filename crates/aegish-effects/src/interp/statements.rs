//! SQL statements that delete data.

use super::Interp;
use aegish_analysis::EffectKind;
use aegish_profiles::{Detail, Lang, RemoteEffect, SystemEffect};
use aegish_syntax::Span;
use aegish_values::Value;

impl Interp<'_> {
    /// Reports statements that delete data.
    pub(super) fn check_statements(&mut self, lang: Lang, text: &str, span: Span) {
        let plain = without_comments(text);
        for statement in plain.split(';') {
            let mut words = statement.split_whitespace().map(str::to_ascii_uppercase);
            let destroys = match words.next().as_deref() {
                Some("DROP") => {
                    matches!(words.next().as_deref(), Some("DATABASE" | "TABLE" | "SCHEMA"))
                }
                Some("TRUNCATE") => true,
                // A local file of the user is not a table of a server.
                Some("DELETE") => lang != Lang::Sqlite && !words.any(|word| word == "WHERE"),
                _ => false,
            };
            if destroys {
                let what = SystemEffect::Remote(RemoteEffect::DeleteData);
                let detail = Detail::new("throws data of a database away");
                let object = Value::known(statement.trim());
                self.effect(EffectKind::System { what, detail, object }, span);
            }
        }
    }
}

/// SQL without comments, which stand for blanks.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push(' ');
        plain.push_str(part.split_once("*/").map_or("", |(_, after)| after));
    }
    plain
}
