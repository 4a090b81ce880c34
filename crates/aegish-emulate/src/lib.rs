//! Pure programs, emulated on known input.
//!
//! Takes the arguments and the standard input of a program that computes its output from these alone
//! (`echo`, `base64 -d`, `tr`, …), gives the bytes it would print. Anything not understood, and any
//! output beyond the bound, is `None`: the caller then treats the output as unknown. Nothing is run.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod argument_programs;
mod bases;
mod bzip2;
mod columns;
mod decompress;
mod digest;
mod dump;
mod echo;
pub use echo::plain_echo;
mod grep;
mod lines;
mod options;
mod pieces;
mod printf;
pub mod raw;
mod regex;
mod sed;
mod sort;
mod spacing;
mod tr;

#[cfg(test)]
mod tests;

pub use pieces::split;

/// Output beyond this size is not computed.
pub const MAX_OUTPUT: usize = 1 << 18;

/// Input beyond this size is not emulated.
const MAX_INPUT: usize = 1 << 20;

/// Matches an extended regular expression: the whole match first, then its groups, empty for a group without
/// a match. The outer `None` means that the result is not known.
#[must_use]
#[allow(clippy::option_option)]
pub fn matched(expression: &str, text: &str) -> Option<Option<Vec<String>>> {
    let regex = regex::Regex::new(expression, regex::RegexSyntax::Extended, false)?;
    let Some(found) = regex.find(text.as_bytes(), 0)? else { return Some(None) };
    let part = |group: usize| {
        let range = found.range(group).and_then(|(start, end)| text.get(start..end));
        range.unwrap_or_default().to_owned()
    };
    Some(Some((0..=regex.groups()).map(part).collect()))
}

/// An extended regular expression.
#[derive(Debug)]
pub struct Expression(regex::Regex);

impl Expression {
    /// `None` if it is not understood.
    #[must_use]
    pub fn new(expression: &str) -> Option<Self> {
        regex::Regex::new(expression, regex::RegexSyntax::Extended, false).map(Self)
    }

    /// Where the first match at or behind `from` begins and ends, and then where its groups do. The outer `None` means
    /// that the result is not known.
    #[must_use]
    #[allow(clippy::option_option, clippy::type_complexity)]
    pub fn find(&self, text: &str, from: usize) -> Option<Option<Vec<Option<(usize, usize)>>>> {
        let found = self.0.find(text.as_bytes(), from)?;
        Some(found.map(|found| (0..=self.0.groups()).map(|group| found.range(group)).collect()))
    }
}

/// The commands that a script of sed runs with this input; none if that is not known.
#[must_use]
pub fn sed_commands(
    args: &[&str],
    stdin: Option<&[u8]>,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<Vec<String>> {
    if stdin.is_some_and(|stdin| stdin.len() > MAX_INPUT) {
        return None;
    }
    sed::commands(&ProgramCall { name: "sed", args, stdin, read })
}

/// Returns what `argv` would print given `stdin`; `argv[0]` is the bare program name. Without `stdin`, which means that it
/// is not known, only programs that do not read it are followed.
///
/// `read` returns the content of a file operand, if the caller knows it.
#[must_use]
pub fn run(
    argv: &[&str],
    stdin: Option<&[u8]>,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let (name, args) = match argv.split_first()? {
        (&("busybox" | "toybox"), rest) => rest.split_first()?,
        (name, rest) => (name, rest),
    };
    if stdin.is_some_and(|stdin| stdin.len() > MAX_INPUT) {
        return None;
    }
    let call = ProgramCall { name, args, stdin, read };
    let output = match *name {
        "echo" => echo::echo(args),
        "printf" => printf::printf(args),
        "true" | ":" | "false" => Some(Vec::new()),
        "cat" => lines::cat(&call),
        "dd" => lines::dd(&call),
        "tac" => lines::tac(&call),
        "rev" => lines::rev(&call),
        "head" | "ghead" => lines::head(&call),
        "tail" | "gtail" => lines::tail(&call),
        "cut" | "gcut" => columns::cut(&call),
        "paste" => columns::paste(&call),
        "expand" | "gexpand" => spacing::expand(&call),
        "colrm" => spacing::colrm(&call),
        "column" => spacing::column(&call),
        "iconv" => spacing::iconv(&call),
        "fold" => columns::fold(&call),
        "tr" | "gtr" => tr::tr(&call),
        "sed" | "gsed" => sed::sed(&call),
        "grep" | "ggrep" | "egrep" | "fgrep" => grep::grep(&call),
        "base64" | "base32" | "basenc" => bases::basenc(&call),
        "openssl" => bases::openssl(&call),
        "xxd" => dump::xxd(&call),
        "od" => dump::od(&call),
        "gzip" | "gunzip" | "zcat" | "xz" | "unxz" | "xzcat" | "bzip2" | "bunzip2" | "bzcat" => {
            decompress::decompress(&call)
        }
        "md5sum" | "sha1sum" | "sha256sum" => digest::sum(&call),
        "sort" | "gsort" => sort::sort(&call),
        "shuf" => sort::shuf(&call),
        "uniq" => sort::uniq(&call),
        "wc" => sort::wc(&call),
        "nl" => sort::nl(&call),
        "seq" => argument_programs::seq(&call),
        "basename" => argument_programs::basename(&call),
        "dirname" => argument_programs::dirname(&call),
        "expr" => argument_programs::expr(&call),
        // The name of the terminal does not matter.
        "tty" if args.is_empty() && stdin.is_none_or(<[u8]>::is_empty) => {
            Some(b"/dev/tty\n".to_vec())
        }
        _ => None,
    }?;
    (output.len() <= MAX_OUTPUT).then_some(output)
}

/// One program to be emulated.
struct ProgramCall<'a> {
    name: &'a str,
    args: &'a [&'a str],
    /// None if it is not known.
    stdin: Option<&'a [u8]>,
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl ProgramCall<'_> {
    /// The content of one operand.
    fn file(&self, name: &str) -> Option<Vec<u8>> {
        match name {
            "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => self.stdin.map(<[u8]>::to_vec),
            _ => (self.read)(name).filter(|content| content.len() <= MAX_INPUT),
        }
    }

    /// The content of all operands, or of standard input if there are none.
    fn input(&self, operands: &[&str]) -> Option<Vec<u8>> {
        if operands.is_empty() {
            return self.stdin.map(<[u8]>::to_vec);
        }
        let mut all = Vec::new();
        for name in operands {
            all.extend(self.file(name)?);
            if all.len() > MAX_INPUT {
                return None;
            }
        }
        Some(all)
    }
}

/// Lines without their newline.
fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
