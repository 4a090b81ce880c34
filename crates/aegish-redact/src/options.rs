//! Secrets that are found by the program they are given to: short options, operands, standard input.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::{Secret, named, word};

/// A program, its option for a secret, where the value is, and a word that the command must contain.
type Short = (&'static str, &'static str, ValuePosition, Option<&'static str>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValuePosition {
    /// `-pX`
    Attached,
    /// `-p X`
    Apart,
}
use ValuePosition::{Apart, Attached};

const SHORT: &[Short] = &[
    ("mysql", "-p", Attached, None),
    ("mysqldump", "-p", Attached, None),
    ("mysqladmin", "-p", Attached, None),
    ("mysqlimport", "-p", Attached, None),
    ("mariadb", "-p", Attached, None),
    ("mariadb-dump", "-p", Attached, None),
    ("sshpass", "-p", Apart, None),
    ("sshpass", "-p", Attached, None),
    ("docker", "-p", Apart, Some("login")),
    ("podman", "-p", Apart, Some("login")),
    ("helm", "-p", Apart, Some("login")),
    ("oc", "-p", Apart, Some("login")),
    ("az", "-p", Apart, Some("login")),
    ("redis-cli", "-a", Apart, None),
    ("ldapsearch", "-w", Apart, None),
    ("ldapadd", "-w", Apart, None),
    ("ldapmodify", "-w", Apart, None),
    ("ldapdelete", "-w", Apart, None),
    ("ldappasswd", "-w", Apart, None),
    ("ldappasswd", "-s", Apart, None),
    ("7z", "-p", Attached, None),
    ("7za", "-p", Attached, None),
    ("7zz", "-p", Attached, None),
    ("rar", "-p", Attached, None),
    ("unrar", "-p", Attached, None),
    ("zip", "-P", Apart, None),
    ("unzip", "-P", Apart, None),
    ("mongosh", "-p", Apart, None),
    ("mongo", "-p", Apart, None),
    ("mongodump", "-p", Apart, None),
    ("mongorestore", "-p", Apart, None),
    ("xfreerdp", "/p:", Attached, None),
    ("ipmitool", "-P", Apart, None),
    ("sqlcmd", "-P", Apart, None),
    ("bcp", "-P", Apart, None),
    ("snmpwalk", "-c", Apart, None),
    ("snmpwalk", "-A", Apart, None),
    ("snmpwalk", "-X", Apart, None),
    ("snmpget", "-c", Apart, None),
    ("cqlsh", "-p", Apart, None),
    ("influx", "-t", Apart, None),
    ("curl", "-b", Apart, None),
    ("curl", "--cookie", Apart, None),
    ("http", "-a", Apart, None),
    ("https", "-a", Apart, None),
    ("openssl", "-k", Apart, Some("enc")),
    ("openssl", "-K", Apart, Some("enc")),
    ("smbmap", "-p", Apart, None),
    ("hydra", "-p", Apart, None),
    ("mosquitto_pub", "-P", Apart, None),
    ("mosquitto_sub", "-P", Apart, None),
    ("kinit", "--password", Apart, None),
    ("useradd", "-p", Apart, None),
    ("usermod", "-p", Apart, None),
];

/// Options whose value is `user:password` or `user%password`, with any program.
const USER: &[&str] = &["--user", "--proxy-user", "--login", "--auth"];
/// The same for some programs only: elsewhere these options hold addresses, files or formats.
const SHORT_USER: &[&str] = &["-u", "-U"];
const SHORT_USER_OF: &[&str] =
    &["curl", "http", "https", "xh", "wget", "smbclient", "rpcclient", "smbget", "net", "jf"];

/// Programs that read a password from standard input, and the word that makes them read it.
const FED: &[(&str, Option<&str>)] = &[
    ("sudo", Some("-S")),
    ("su", None),
    ("passwd", None),
    ("chpasswd", None),
    ("smbpasswd", None),
    ("docker", Some("--password-stdin")),
    ("podman", Some("--password-stdin")),
    ("helm", Some("--password-stdin")),
    ("cryptsetup", None),
    ("kinit", None),
    ("gpg", Some("--passphrase-fd")),
    ("gh", Some("--with-token")),
    ("vault", Some("-")),
];
/// Programs that print their operands.
const PRINTS: &[&str] = &["echo", "printf", "print"];

/// Programs that print their operands, and those of [`operands`].
const OTHERS: &[&str] =
    &["echo", "printf", "print", "htpasswd", "sqlplus", "impdp", "expdp", "sqlldr", "rman"];

/// All programs of these tables. Most commands run none of them and are skipped.
static PROGRAMS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let short = SHORT.iter().map(|(program, ..)| *program);
    let fed = FED.iter().map(|(program, _)| *program);
    short.chain(fed).chain(OTHERS.iter().chain(SHORT_USER_OF).copied()).collect()
});

/// One command of a text: its words, and the programs of these tables that it runs, itself or through others
/// (`sudo mysql …`).
struct TextCommand<'a> {
    text: &'a str,
    words: Vec<Range<usize>>,
    programs: Vec<&'a str>,
}

impl<'a> TextCommand<'a> {
    fn new(text: &'a str, words: Vec<Range<usize>>) -> Self {
        let mut command = Self { text, words, programs: Vec::new() };
        // A path behind the first word is more likely a file than a program: `/etc/passwd`.
        let names = command.all().take(12).enumerate().filter_map(|(place, word)| {
            let base = word.rsplit('/').next().unwrap_or(word);
            (place == 0 || base == word).then_some(base)
        });
        command.programs = names.filter(|base| PROGRAMS.contains(base)).collect();
        command
    }

    /// A word without quotes.
    fn word(&self, index: usize) -> &'a str {
        let place = self.words.get(index).map(|word| word::unquoted(self.text, word));
        place.and_then(|place| self.text.get(place)).unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = &'a str> {
        (0..self.words.len()).map(|index| self.word(index))
    }

    fn runs(&self, program: &str) -> bool {
        self.programs.contains(&program)
    }

    fn has(&self, word: &str) -> bool {
        self.all().any(|own| own == word)
    }
}

/// Adds secrets in options, operands and input of known programs.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    let mut before: Option<TextCommand<'_>> = None;
    let mut words = Vec::new();
    let places = word::words(text);
    for place in places.into_iter().chain([None]) {
        if let Some(word) = place {
            words.push(word);
            continue;
        }
        if words.is_empty() {
            continue;
        }
        let command = TextCommand::new(text, std::mem::take(&mut words));
        users(&command, into);
        if !command.programs.is_empty() {
            short_options(&command, into);
            operands(&command, into);
            if let Some(printer) = &before {
                fed(printer, &command, into);
            }
            here_string(&command, into);
        }
        before = Some(command);
    }
}

fn add(into: &mut Vec<Secret>, place: Range<usize>, kind: &'static str) {
    into.push(Secret { start: place.start, end: place.end, kind });
}

/// Whether a value is a port: `-p 8080:80` publishes one.
fn is_port(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-'))
}

fn short_options(command: &TextCommand<'_>, into: &mut Vec<Secret>) {
    let text = command.text;
    for (program, option, place, needs) in SHORT {
        if !command.runs(program) || needs.is_some_and(|word| !command.has(word)) {
            continue;
        }
        for (index, raw) in command.words.iter().enumerate().skip(1) {
            let found = match place {
                Attached => {
                    let own = text.get(raw.clone()).unwrap_or_default();
                    own.strip_prefix(option).map(|_| raw.start + option.len()..raw.end)
                }
                Apart => (command.word(index - 1) == *option).then(|| raw.clone()),
            };
            let Some(found) = found else { continue };
            let inner = word::unquoted(text, &found);
            let value = text.get(inner.clone()).unwrap_or_default();
            // `-b FILE` names a file, `-b NAME=VALUE` is a cookie.
            let file = *program == "curl" && !value.contains('=');
            if !is_port(value) && !file && hides_as(text, &found, value) {
                add(into, inner, "password");
            }
        }
    }
}

/// Whether a value can be a secret. A `$` in single quotes is not expanded.
fn hides_as(text: &str, raw: &Range<usize>, value: &str) -> bool {
    let literal = text.get(raw.clone()).is_some_and(|raw| raw.starts_with('\''));
    named::hides(value) || (literal && named::hides_literally(value))
}

fn users(command: &TextCommand<'_>, into: &mut Vec<Secret>) {
    let text = command.text;
    let short = SHORT_USER_OF.iter().any(|program| command.runs(program));
    let is_user = |word: &str| USER.contains(&word) || (short && SHORT_USER.contains(&word));
    for (index, raw) in command.words.iter().enumerate().skip(1) {
        let inner = word::unquoted(text, raw);
        let own = text.get(inner.clone()).unwrap_or_default();
        let attached = USER.iter().find_map(|option| own.strip_prefix(option)?.strip_prefix('='));
        let apart = is_user(command.word(index - 1)).then_some(own);
        let Some((user, password)) =
            attached.or(apart).and_then(|user| user.split_once([':', '%']))
        else {
            pass_word(own, inner.start, into);
            continue;
        };
        let trimmed = password.trim_matches(['"', '\'']);
        let start = inner.end - password.len()
            + (password.len() - password.trim_start_matches(['"', '\'']).len());
        let number = trimmed.bytes().all(|byte| byte.is_ascii_digit());
        // `1000:1000` is a user id and a group id.
        let ids = number && user.bytes().all(|byte| byte.is_ascii_digit());
        if hides_as(text, raw, trimmed) && !trimmed.starts_with('/') && !ids {
            add(into, start..start + trimmed.len(), "basic-auth");
        }
    }
}

/// openssl's `pass:X`.
fn pass_word(own: &str, start: usize, into: &mut Vec<Secret>) {
    if let Some(password) = own.strip_prefix("pass:").filter(|word| named::hides(word)) {
        let from = start + "pass:".len();
        add(into, from..from + password.len(), "password");
    }
}

/// Passwords that are plain operands.
fn operands(command: &TextCommand<'_>, into: &mut Vec<Secret>) {
    let base = |word: &'static str| command.word(0).rsplit('/').next() == Some(word);
    let text = command.text;
    let hide = |place: &Range<usize>, into: &mut Vec<Secret>| {
        let inner = word::unquoted(text, place);
        let value = text.get(inner.clone()).unwrap_or_default();
        if hides_as(text, place, value) {
            add(into, inner, "password");
        }
    };
    // `htpasswd -b FILE USER PASSWORD`, `htpasswd -nb USER PASSWORD`
    let batch = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('b');
    if base("htpasswd") && command.all().any(batch) {
        let operands = command.words.iter().enumerate().skip(1);
        let operands: Vec<&Range<usize>> = operands
            .filter(|(at, _)| !command.word(*at).starts_with('-'))
            .map(|(_, w)| w)
            .collect();
        if let (true, Some(last)) = (operands.len() >= 2, operands.last()) {
            hide(last, into);
        }
    }
    // `sqlplus USER/PASSWORD@DB`
    if ["sqlplus", "impdp", "expdp", "sqlldr", "rman"].into_iter().any(base) {
        for place in command.words.iter().skip(1) {
            let inner = word::unquoted(text, place);
            let own = text.get(inner.clone()).unwrap_or_default();
            let Some((user, rest)) = own.split_once('/') else { continue };
            let password = rest.split('@').next().unwrap_or(rest);
            let named =
                !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if named && rest.contains('@') && named::hides(password) {
                let from = inner.start + user.len() + 1;
                add(into, from..from + password.len(), "password");
            }
        }
    }
}

/// `echo PASSWORD | sudo -S …`
fn fed(printer: &TextCommand<'_>, reader: &TextCommand<'_>, into: &mut Vec<Secret>) {
    let text = reader.text;
    let prints = PRINTS.contains(&printer.word(0));
    let gap = printer.words.last().zip(reader.words.first());
    let piped = gap.and_then(|(last, first)| text.get(last.end..first.start));
    // `||` and `;` pass no output on.
    let piped = piped.is_some_and(|gap| gap.trim() == "|");
    if !prints || !piped || !reads_password(reader) {
        return;
    }
    for (index, place) in printer.words.iter().enumerate().skip(1) {
        let inner = word::unquoted(text, place);
        let value = text.get(inner.clone()).unwrap_or_default();
        let is_format = printer.word(0) == "printf" && index == 1 && value.contains('%');
        if !value.starts_with('-') && !is_format && hides_as(text, place, value) {
            add(into, inner, "password");
        }
    }
}

/// `sudo -S … <<< PASSWORD`
fn here_string(command: &TextCommand<'_>, into: &mut Vec<Secret>) {
    if !reads_password(command) {
        return;
    }
    let text = command.text;
    for pair in command.words.windows(2) {
        let [before, word] = pair else { continue };
        let gap = text.get(before.end..word.start).unwrap_or_default();
        let inner = word::unquoted(text, word);
        let value = text.get(inner.clone()).unwrap_or_default();
        if gap.trim() == "<<<" && hides_as(text, word, value) {
            add(into, inner, "password");
        }
    }
}

fn reads_password(command: &TextCommand<'_>) -> bool {
    FED.iter()
        .any(|(program, needs)| command.runs(program) && needs.is_none_or(|word| command.has(word)))
}
