//! What file tools of agents and requests of SFTP clients do, as the commands that do the same. Files then mean the
//! same everywhere, and one pipeline judges them.

use aegish_agents::FileOperation;

/// A command with paths as arguments, in which every byte is literal.
pub(crate) fn on_paths(start: &[u8], paths: &[&[u8]]) -> Vec<u8> {
    let mut text = start.to_vec();
    for path in paths {
        text.push(b' ');
        quote(path, &mut text);
    }
    text
}

fn quote(path: &[u8], text: &mut Vec<u8>) {
    text.push(b'\'');
    for byte in path {
        match byte {
            b'\'' => text.extend(b"'\\''"),
            other => text.push(*other),
        }
    }
    text.push(b'\'');
}

/// The command of a file tool without what it writes.
pub(crate) fn of_tool(operation: &FileOperation) -> Vec<u8> {
    let (start, paths): (&[u8], Vec<&str>) = match operation {
        FileOperation::Read { path } => (b"cat --", vec![path]),
        FileOperation::Write { path, .. } => (b"cat >", vec![path]),
        FileOperation::Edit { path, .. } => (b"cat >>", vec![path]),
        FileOperation::Delete { path } => (b"rm --", vec![path]),
        FileOperation::Move { from, to } => (b"mv --", vec![from, to]),
        FileOperation::Search { path } => (b"grep -r -e x --", vec![path]),
    };
    let mut text = start.to_vec();
    for path in paths {
        text.push(b' ');
        // Some tools expand it as a shell does; a directory with that name is not to be expected.
        let path = match path.strip_prefix("~/") {
            Some(below) => {
                text.extend(b"~/");
                below
            }
            None => path,
        };
        quote(path.as_bytes(), &mut text);
    }
    text
}

/// The longest content that is judged.
const MAX_CONTENT: usize = 256 * 1024;

/// The same command with what it writes, if that is known.
pub(crate) fn with_content(operation: &FileOperation) -> Option<Vec<u8>> {
    let (FileOperation::Write { content, .. } | FileOperation::Edit { added: content, .. }) =
        operation
    else {
        return None;
    };
    let content = content.as_deref().filter(|content| content.len() <= MAX_CONTENT)?;
    let mut end = "END".to_owned();
    while content.lines().any(|line| line == end) {
        end.push('_');
    }
    let mut text = of_tool(operation);
    text.extend(format!(" <<'{end}'\n{content}\n{end}\n").bytes());
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(operation: &FileOperation) -> String {
        String::from_utf8(of_tool(operation)).expect("text")
    }

    #[test]
    fn file_tools_are_read_as_the_commands_that_do_the_same() {
        let path = "it's".to_owned();
        let home = "~/x".to_owned();
        assert_eq!(text(&FileOperation::Read { path: path.clone() }), r"cat -- 'it'\''s'");
        assert_eq!(text(&FileOperation::Delete { path: home.clone() }), "rm -- ~/'x'");
        assert_eq!(text(&FileOperation::Move { from: path, to: home }), r"mv -- 'it'\''s' ~/'x'");
    }

    #[test]
    fn content_cannot_end_its_here_document() {
        let write = |content: &str| FileOperation::Write {
            path: "a".to_owned(),
            content: Some(content.to_owned()),
        };
        let text = with_content(&write("END\nrm -rf /")).expect("content");
        assert_eq!(text, b"cat > 'a' <<'END_'\nEND\nrm -rf /\nEND_\n");
        assert_eq!(with_content(&FileOperation::Read { path: "a".to_owned() }), None);
    }
}
