//! Pipelines of GitLab: the scripts of their jobs.

use crate::Unreadable;
use crate::embedded::{Builder, CommandForm, Embedded};
use crate::yaml::{Node, Source, entries, get, items, string};

/// The keys that hold commands, in the order in which they run.
const SCRIPTS: [&str; 3] = ["before_script", "script", "after_script"];

pub(crate) fn commands(text: &str) -> Result<Vec<Embedded>, Unreadable> {
    let source = Source::new(text);
    let mut found = Vec::new();
    for document in source.documents()? {
        for key in SCRIPTS {
            found.extend(get(&document, key).and_then(|list| script(&source, list, key)));
        }
        for (job, node) in entries(&document) {
            for key in SCRIPTS {
                let label = format!("{job}.{key}");
                found.extend(get(node, key).and_then(|list| script(&source, list, &label)));
            }
        }
    }
    found.sort_by_key(|one| one.file_offset(0));
    Ok(found)
}

/// The items of a script are one after the other in the same shell.
fn script(source: &Source<'_>, node: &Node<'_>, label: &str) -> Option<Embedded> {
    let mut builder = Builder::new(source.text);
    append(source, node, &mut builder);
    (!builder.is_blank()).then(|| builder.finish(CommandForm::Script, label.to_owned()))
}

fn append<'a>(source: &Source<'a>, node: &Node<'_>, builder: &mut Builder<'a>) {
    if string(node).is_some() {
        source.append(node, builder);
        builder.insert("\n", source.text.len());
    }
    // Lists may be nested, by anchors for example.
    items(node).iter().for_each(|item| append(source, item, builder));
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn the_items_of_a_script_are_one_text() {
        let file = "default:\n  before_script:\n    - apk add curl\ntest:\n  script:\n    - cd app\n    - |\n      make\n      make check\n";
        let found = commands(file).unwrap();
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["apk add curl\n", "cd app\nmake\nmake check\n\n"]);
        assert_eq!(found[1].label, "test.script");
        let offset = found[1].text.find("check").unwrap();
        assert!(file.get(found[1].file_offset(offset)..).unwrap().starts_with("check"));
    }
}
