//! Templates of Ruby (`erb`): the code in a page.

/// Whether lines that begin with `%` are code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PercentLines {
    /// They are, as for the program `erb`.
    Code,
    /// They are text, as for `ERB.new`.
    Text,
}

/// Returns the code between `<%` and `%>`, in order, each part on a line of its own.
#[must_use]
pub fn ruby_in(template: &str, percent_lines: PercentLines) -> String {
    let mut code = String::new();
    let mut add = |part: &str| {
        code.push_str(part);
        code.push('\n');
    };
    let (mut rest, mut begins_line) = (template, true);
    while let Some(line) = rest.split_inclusive('\n').next() {
        let percent = line.strip_prefix('%').filter(|line| !line.starts_with('%'));
        if let (Some(part), true, PercentLines::Code) = (percent, begins_line, percent_lines) {
            add(part.trim_end());
        } else if let Some((before, _)) = line.split_once("<%") {
            let behind = rest.get(before.len() + 2..).unwrap_or_default();
            let (part, after) = behind.split_once("%>").unwrap_or((behind, ""));
            if !part.starts_with(['#', '%']) {
                add(part.trim_matches(['=', '-']));
            }
            (rest, begins_line) = (after, false);
            continue;
        }
        (rest, begins_line) = (rest.get(line.len()..).unwrap_or_default(), true);
    }
    code
}
