//! Settings of apt: which of them can make it run a command or trust a source that nobody signed.

/// Groups of settings, in lower case, that only say what apt fetches, asks or shows.
const USUAL: [&str; 22] = [
    "acquire::",
    "apt::autoremove::",
    "apt::cache",
    "apt::color",
    "apt::default-release",
    "apt::get::",
    "apt::install-recommends",
    "apt::install-suggests",
    "apt::keep-downloaded-packages",
    "apt::neverautoremove",
    "apt::never-markauto-sections",
    "apt::authentication::trustcdrom",
    "apt::periodic::",
    "apt::architecture",
    "apt::list-cleanup",
    "dpkg::lock::",
    "dpkg::options",
    "dpkg::progress",
    "dpkg::use-pty",
    "debconf::frontend",
    "quiet",
    "unattended-upgrade::",
];

/// Settings in these groups that do more: they name programs, or accept what is not signed.
const UNUSUAL: [&str; 11] = [
    "proxy-auto-detect",
    "proxyautodetect",
    "allowunauthenticated",
    "allow-unauthenticated",
    "allowinsecure",
    "allowweak",
    "allowdowngrade",
    "verify-peer",
    "verify-host",
    "::methods",
    "::handlers",
];

/// Whether none of these settings can make apt run a command or trust a source that nobody signed.
pub(crate) fn are_usual(text: &[u8]) -> bool {
    settings(text).is_some_and(|settings| settings.iter().all(is_usual))
}

fn is_usual((key, values): &Setting) -> bool {
    // `binary::apt-get::apt::…` is `apt::…` for one program.
    let of_program = key.strip_prefix("binary::").and_then(|rest| rest.split_once("::"));
    let key = of_program.map_or(key.as_str(), |(_, key)| key).trim_end_matches("::");
    let starts = |group: &&str| key.starts_with(group.trim_end_matches("::"));
    let options = key == "dpkg::options";
    USUAL.iter().any(starts)
        && !UNUSUAL.iter().any(|part| key.contains(part))
        && (!options || values.iter().all(|value| value.starts_with("--force-conf")))
}

/// The name of a setting in lower case, and its values.
type Setting = (String, Vec<String>);

/// All settings of a file; `None` if it is not understood.
fn settings(text: &[u8]) -> Option<Vec<Setting>> {
    let mut all: Vec<Setting> = Vec::new();
    let mut groups: Vec<String> = Vec::new();
    let mut words: Vec<(String, bool)> = Vec::new();
    for token in tokens(text)? {
        match token {
            Token::Word(word) => words.push((word, false)),
            Token::Quoted(text) => words.push((text, true)),
            Token::Opens => {
                let [(name, false)] = words.as_slice() else { return None };
                groups.push(format!("{}::", name.to_lowercase().trim_end_matches("::")));
                words.clear();
            }
            Token::Closes | Token::Ends => {
                let mut said = std::mem::take(&mut words).into_iter();
                match said.next() {
                    Some((value, true)) => all.push((groups.concat(), vec![value])),
                    Some((name, false)) => {
                        let key = groups.concat() + &name.to_lowercase();
                        all.push((key, said.map(|(value, _)| value).collect()));
                    }
                    None => {}
                }
                if matches!(token, Token::Closes) {
                    groups.pop()?;
                }
            }
        }
    }
    (groups.is_empty() && words.is_empty()).then_some(all)
}

enum Token {
    Word(String),
    Quoted(String),
    Opens,
    Closes,
    Ends,
}

fn tokens(text: &[u8]) -> Option<Vec<Token>> {
    let text = String::from_utf8_lossy(text);
    let mut tokens = Vec::new();
    let mut rest = text.as_ref();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Some(tokens) };
        if rest.starts_with("//") || rest.starts_with("# ") || rest.starts_with("#\n") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
            continue;
        }
        let (token, length) = match first {
            '{' => (Token::Opens, 1),
            '}' => (Token::Closes, 1),
            ';' => (Token::Ends, 1),
            // `#include`, `#clear`
            '#' => return None,
            '"' => {
                let end = rest.get(1..)?.find('"')?;
                (Token::Quoted(rest.get(1..=end)?.to_owned()), end + 2)
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ';' | '"');
                let end = rest.find(ends).unwrap_or(rest.len());
                (Token::Word(rest.get(..end)?.to_owned()), end)
            }
        };
        tokens.push(token);
        rest = rest.get(length..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::are_usual;

    #[test]
    fn settings_that_fetch_and_ask() {
        for text in [
            "Acquire::Retries \"3\";",
            "APT::Install-Recommends 0;\nAPT::Install-Suggests 0;\n",
            "// a comment\nAPT { NeverAutoRemove { \"^postgresql.*\"; }; };",
            "Dpkg::Options { \"--force-confdef\"; \"--force-confold\"; };",
            "APT::Periodic::Unattended-Upgrade \"1\";",
            "Binary::apt::APT::Keep-Downloaded-Packages \"true\";",
            "Acquire::http { Proxy \"http://proxy:3142\"; };",
        ] {
            assert!(are_usual(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn settings_that_run_or_trust() {
        for text in [
            "DPkg::Pre-Invoke {\"id\";};",
            "APT { Update { Post-Invoke { \"id\"; }; }; };",
            "APT::Get::AllowUnauthenticated \"true\";",
            "Acquire::http::Proxy-Auto-Detect \"/srv/x\";",
            "Dpkg::Options { \"--pre-invoke=id\"; };",
            "Dir::Bin::dpkg \"/srv/x\";",
            "#include \"/srv/x\";",
            "Acquire::https { Verify-Peer \"false\"; };",
            "Acquire::Retries \"3",
        ] {
            assert!(!are_usual(text.as_bytes()), "{text}");
        }
    }
}
