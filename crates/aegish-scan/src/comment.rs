//! `# aegish: ignore RULE… -- REASON`: findings that somebody has looked at.
//!
//! The comment is on the line of the finding or on a line of comments right above it. Without a reason it does not
//! count, and the finding says so.

use crate::judged::{ScanFinding, Suppression};

/// The beginning of such a comment, behind `#`.
const DIRECTIVE: &str = "aegish: ignore";

/// A comment that names rules.
struct Ignored<'a> {
    rules: Vec<&'a str>,
    reason: Option<&'a str>,
}

/// Marks the findings that comments are about.
pub(crate) fn mark(text: &str, findings: &mut [ScanFinding]) {
    if !text.contains(DIRECTIVE) {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    for finding in findings {
        let line = finding.start.line;
        let own = lines.get(line.saturating_sub(1)).copied();
        let above = lines.get(..line.saturating_sub(1)).unwrap_or_default().iter().rev();
        let above = above.copied().take_while(|line| line.trim_start().starts_with('#'));
        for ignored in own.into_iter().chain(above).filter_map(ignored) {
            let named = |rule: &&str| [finding.rule.id, finding.rule.name].contains(rule);
            if !ignored.rules.iter().any(named) {
                continue;
            }
            match ignored.reason {
                Some(reason) => finding.suppression = Some(Suppression::Comment(reason.to_owned())),
                None => finding
                    .reason
                    .push_str(" (a comment to ignore this needs a reason behind `--`)"),
            }
        }
    }
}

/// The rules and the reason of a comment on a line.
fn ignored(line: &str) -> Option<Ignored<'_>> {
    let (_, comment) = line.split_once('#')?;
    let (_, behind) = comment.split_once(DIRECTIVE)?;
    let (rules, reason) = match behind.split_once("--") {
        Some((rules, reason)) => (rules, Some(reason.trim()).filter(|reason| !reason.is_empty())),
        None => (behind, None),
    };
    let rules = rules.split([' ', ',']).filter(|rule| !rule.is_empty()).collect();
    Some(Ignored { rules, reason })
}

#[cfg(test)]
mod tests {
    use super::ignored;

    #[test]
    fn a_comment_names_rules_and_a_reason() {
        let found =
            ignored("  rm x # aegish: ignore 5, path-change -- the image is thrown away").unwrap();
        assert_eq!(found.rules, ["5", "path-change"]);
        assert_eq!(found.reason, Some("the image is thrown away"));
        assert_eq!(ignored("# aegish: ignore 5 --").unwrap().reason, None);
        assert!(ignored("echo aegish: ignore 5").is_none());
    }
}
