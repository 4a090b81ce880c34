//! Pure programs, emulated on known input.
//!
//! Takes the arguments and the standard input of a program that computes its output from these alone
//! (`echo`, `base64 -d`, `tr`, …), gives the bytes it would print. Anything not understood, and any
//! output beyond the bound, is `None`: the caller then treats the output as unknown. Nothing is run.

mod awk;
mod bases;
mod bzip2;
mod columns;
mod digest;
mod dump;
mod echo;
mod grep;
mod lines;
mod options;
mod order;
mod printf;
mod regex;
mod sed;
mod tr;
mod unpack;
mod words;

#[cfg(test)]
mod tests;

/// Output larger than this is not computed.
pub const MAX_OUTPUT: usize = 1 << 18;

/// Input larger than this is not looked at.
const MAX_INPUT: usize = 1 << 20;

/// What `argv` would print given `stdin`; `argv[0]` is the bare program name.
///
/// `read` gives the content of a file named as operand, if the caller knows it.
#[must_use]
pub fn run(argv: &[&str], stdin: &[u8], read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let (name, args) = match argv.split_first()? {
        (&("busybox" | "toybox"), rest) => rest.split_first()?,
        (name, rest) => (name, rest),
    };
    if stdin.len() > MAX_INPUT {
        return None;
    }
    let job = Job { name, args, stdin, read };
    let output = match *name {
        "echo" => echo::echo(args),
        "printf" => printf::printf(args),
        "true" | ":" | "false" => Some(Vec::new()),
        "cat" => lines::cat(&job),
        "tac" => lines::tac(&job),
        "rev" => lines::rev(&job),
        "head" | "ghead" => lines::head(&job),
        "tail" | "gtail" => lines::tail(&job),
        "cut" | "gcut" => columns::cut(&job),
        "paste" => columns::paste(&job),
        "fold" => columns::fold(&job),
        "tr" | "gtr" => tr::tr(&job),
        "sed" | "gsed" => sed::sed(&job),
        "grep" | "ggrep" | "egrep" | "fgrep" => grep::grep(&job),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => awk::awk(&job),
        "base64" | "base32" | "basenc" => bases::basenc(&job),
        "openssl" => bases::openssl(&job),
        "xxd" => dump::xxd(&job),
        "od" => dump::od(&job),
        "gzip" | "gunzip" | "zcat" | "xz" | "unxz" | "xzcat" | "bzip2" | "bunzip2" | "bzcat" => {
            unpack::unpack(&job)
        }
        "md5sum" | "sha1sum" | "sha256sum" => digest::sum(&job),
        "sort" | "gsort" => order::sort(&job),
        "uniq" => order::uniq(&job),
        "wc" => order::wc(&job),
        "nl" => order::nl(&job),
        "seq" => words::seq(&job),
        "basename" => words::basename(&job),
        "dirname" => words::dirname(&job),
        "expr" => words::expr(&job),
        // Whatever its number, it is the terminal of this session.
        "tty" if args.is_empty() && stdin.is_empty() => Some(b"/dev/tty\n".to_vec()),
        _ => None,
    }?;
    (output.len() <= MAX_OUTPUT).then_some(output)
}

/// One program to be emulated.
struct Job<'a> {
    name: &'a str,
    args: &'a [&'a str],
    stdin: &'a [u8],
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Job<'_> {
    /// The content of one operand.
    fn file(&self, name: &str) -> Option<Vec<u8>> {
        match name {
            "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => Some(self.stdin.to_vec()),
            _ => (self.read)(name).filter(|content| content.len() <= MAX_INPUT),
        }
    }

    /// The content of all operands, or of standard input if there are none.
    fn input(&self, operands: &[&str]) -> Option<Vec<u8>> {
        if operands.is_empty() {
            return Some(self.stdin.to_vec());
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
