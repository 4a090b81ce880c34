//! The scripts of a `package.json`.

use crate::Unreadable;
use crate::embedded::{Builder, CommandForm, Embedded};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Package<'a> {
    #[serde(borrow, default)]
    scripts: BTreeMap<String, &'a RawValue>,
}

pub(crate) fn commands(text: &str) -> Result<Vec<Embedded>, Unreadable> {
    let package: Package<'_> = serde_json::from_str(text).map_err(|error| Unreadable {
        why: format!("it is not a package.json: {error}"),
        line: Some(error.line()),
    })?;
    let mut found: Vec<Embedded> = package
        .scripts
        .iter()
        .filter_map(|(name, value)| script(text, name, value.get()))
        .collect();
    found.sort_by_key(|one| one.file_offset(0));
    Ok(found)
}

/// A script, from its JSON string.
fn script(source: &str, name: &str, value: &str) -> Option<Embedded> {
    let decoded: String = serde_json::from_str(value).ok()?;
    // The value is a part of the source.
    let start = (value.as_ptr() as usize).checked_sub(source.as_ptr() as usize)? + 1;
    let mut builder = Builder::new(source);
    let mut place = start;
    for c in decoded.chars() {
        let raw = source.get(place..)?;
        if raw.starts_with('\\') {
            let pair = c.len_utf16() == 2;
            let length = match (raw.starts_with("\\u"), pair) {
                (true, true) => 12,
                (true, false) => 6,
                (false, _) => 2,
            };
            builder.insert(c.encode_utf8(&mut [0; 4]), place);
            place += length;
        } else {
            builder.copy(place, place + c.len_utf8());
            place += c.len_utf8();
        }
    }
    (!builder.is_blank()).then(|| builder.finish(CommandForm::Line, format!("scripts.{name}")))
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn scripts_keep_their_order_and_places() {
        let file =
            "{\"scripts\": {\"test\": \"jest --ci\",\n  \"build\": \"echo \\\"a\\\" && tsc\"}}";
        let found = commands(file).unwrap();
        assert_eq!(found[0].text, "jest --ci");
        assert_eq!(found[1].text, "echo \"a\" && tsc");
        assert_eq!(found[1].label, "scripts.build");
        assert_eq!(file.get(found[1].file_offset(12)..).unwrap().get(..3), Some("tsc"));
    }

    #[test]
    fn a_file_without_scripts_has_no_commands_and_no_json_is_an_error() {
        assert_eq!(commands("{\"name\": \"x\"}").unwrap(), []);
        assert_eq!(commands("{\n\"scripts\": [").unwrap_err().line, Some(2));
    }
}
