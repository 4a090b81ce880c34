//! Words: keywords, functions of the language, calls without brackets, barewords.

use super::operators::{COMMA, NAMED_UNARY};
use super::tree::{Declaration, Jump, Node};
use super::{Parsed, Perl, Rejected};
use crate::ir::Name;

/// Functions of the language without arguments.
#[rustfmt::skip] // several words in a line
const NO_ARGUMENTS: &[&str] = &[
    "break", "endgrent", "endhostent", "endnetent", "endprotoent", "endpwent", "endservent",
    "fork", "getgrent", "gethostent", "getlogin", "getnetent", "getppid", "getprotoent",
    "getpwent", "getservent", "setgrent", "setpwent", "time", "times", "wait",
];

/// Functions of the language with one argument at most.
#[rustfmt::skip] // several words in a line
const ONE_ARGUMENT: &[&str] = &[
    "abs", "alarm", "caller", "chdir", "chomp", "chop", "chr", "chroot", "close", "closedir",
    "cos", "defined", "delete", "each", "eof", "evalbytes", "exists", "exit", "exp", "fc",
    "fileno", "getc", "getpgrp", "getpwnam", "getpwuid", "getgrnam", "getgrgid", "gethostbyname",
    "getprotobyname", "getprotobynumber", "getsockname", "getpeername", "gmtime", "hex", "int",
    "keys", "lc", "lcfirst", "length", "localtime", "lock", "log", "lstat", "oct", "ord", "pop",
    "pos", "quotemeta", "rand", "readdir", "readline", "readlink", "readpipe", "ref", "reset",
    "rewinddir", "rmdir", "scalar", "shift", "sin", "sleep", "sqrt", "srand", "stat", "study",
    "tell", "telldir", "tied", "uc", "ucfirst", "umask", "undef", "untie", "values", "write",
];

/// Functions of the language with several arguments.
#[rustfmt::skip] // several words in a line
const SEVERAL: &[&str] = &[
    "accept", "atan2", "bind", "binmode", "bless", "chmod", "chown", "connect", "crypt",
    "dbmclose", "dbmopen", "die", "exec", "fcntl", "flock", "formline", "getpriority",
    "getservbyname", "getservbyport", "gethostbyaddr", "getsockopt", "glob", "index", "ioctl",
    "join", "kill", "link", "listen", "mkdir", "msgctl", "msgget", "msgrcv", "msgsnd", "open",
    "opendir", "pack", "pipe", "push", "read", "recv", "rename", "reverse", "rindex", "seek",
    "seekdir", "select", "semctl", "semget", "semop", "send", "setpgrp", "setpriority",
    "setsockopt", "shmctl", "shmget", "shmread", "shmwrite", "shutdown", "socket", "socketpair",
    "splice", "split", "sprintf", "substr", "symlink", "syscall", "sysopen", "sysread", "sysseek",
    "system", "syswrite", "tie", "truncate", "unlink", "unpack", "unshift", "utime", "vec",
    "waitpid", "warn",
];

/// Functions of libraries whose first argument is a block.
#[rustfmt::skip] // several words in a line
const BLOCK_FUNCTIONS: &[&str] = &[
    "all", "any", "apply", "catch", "dies_ok", "exception", "finally", "first", "first_index",
    "firstidx", "indexes", "lives_ok", "max_by", "min_by", "none", "notall", "pairgrep",
    "pairmap", "part", "reduce", "reductions", "sort_by", "sum_by", "throws_ok", "timethis",
    "try", "uniq_by",
];

/// Whether a word is a function of the language.
pub(super) fn is_builtin(word: &str) -> bool {
    NO_ARGUMENTS.contains(&word)
        || ONE_ARGUMENT.contains(&word)
        || SEVERAL.contains(&word)
        || matches!(
            word,
            "print"
                | "printf"
                | "say"
                | "sort"
                | "map"
                | "grep"
                | "my"
                | "our"
                | "local"
                | "state"
                | "sub"
                | "do"
                | "eval"
                | "return"
                | "last"
                | "next"
                | "redo"
                | "goto"
                | "if"
                | "unless"
                | "while"
                | "until"
                | "for"
                | "foreach"
                | "and"
                | "or"
                | "not"
                | "eq"
                | "ne"
                | "lt"
                | "gt"
                | "le"
                | "ge"
                | "cmp"
                | "x"
                | "q"
                | "qq"
                | "qw"
                | "qx"
                | "qr"
                | "m"
                | "s"
                | "tr"
                | "y"
                | "require"
                | "use"
                | "no"
                | "package"
                | "wantarray"
                | "xor"
                | "else"
                | "elsif"
        )
}

impl Perl<'_> {
    pub(super) fn word_term(&mut self) -> Parsed<Node> {
        let word = self.plain_word().to_owned();
        if !word.is_empty() && self.fat_comma_behind(&word) {
            self.at += word.len();
            return Ok(Node::Text(word));
        }
        if self.is_quote(&word) {
            return self.quote_operator(&word);
        }
        let length = self.name_length(!is_builtin(&word));
        if length > word.len() {
            let name = self.take_name(!is_builtin(&word)).ok_or(Rejected)?;
            return match name.strip_prefix("CORE::") {
                Some(core) if !core.contains("::") => self.keyword(core),
                _ => self.name_term(name),
            };
        }
        self.at += word.len();
        self.keyword(&word)
    }

    fn keyword(&mut self, word: &str) -> Parsed<Node> {
        match word {
            "my" => self.declaration(Declaration::My),
            "our" => self.declaration(Declaration::Our),
            "local" => self.declaration(Declaration::Local),
            "state" => self.declaration(Declaration::State),
            "sub" => {
                let sub = self.sub_behind(None)?.ok_or(Rejected)?;
                Ok(Node::AnonSub(Box::new(sub)))
            }
            "do" => {
                if self.is("{") {
                    return Ok(Node::DoBlock(self.block_sub()?.body));
                }
                let file = self.expression(NAMED_UNARY)?;
                Ok(Node::Builtin("do".to_owned(), vec![file]))
            }
            "eval" => {
                if self.is("{") {
                    let sub = self.block_sub()?;
                    return Ok(Node::EvalBlock(Box::new(sub)));
                }
                self.one_argument("eval")
            }
            "return" => {
                if self.ends_list() {
                    return Ok(Node::Return(None));
                }
                let value = self.expression(COMMA)?;
                Ok(Node::Return(Some(Box::new(value))))
            }
            "last" | "next" | "redo" => {
                let jump = match word {
                    "last" => Jump::Last,
                    "next" => Jump::Next,
                    _ => Jump::Redo,
                };
                self.blanks();
                let label = self.plain_word().to_owned();
                let named = !label.is_empty() && !is_builtin(&label);
                if named {
                    self.at += label.len();
                } else if self.is("(") {
                    self.empty_brackets();
                }
                Ok(Node::Jump(jump, named.then(|| Name::from(label))))
            }
            "goto" => {
                self.blanks();
                if self.byte(0) == b'&' {
                    let target = self.term()?;
                    return Ok(Node::Goto(Box::new(target)));
                }
                // A jump to a label is not followed.
                self.lowering.cut = true;
                if !self.ends_list() {
                    self.expression(NAMED_UNARY)?;
                }
                Ok(Node::Return(None))
            }
            "wantarray" => {
                if self.is("(") {
                    self.empty_brackets();
                }
                Ok(Node::Wantarray)
            }
            "print" | "printf" | "say" => self.print_term(word),
            "sort" | "map" | "grep" => self.each_term(word),
            "require" => self.require_term(),
            "exec" | "system" => self.run_term(word),
            "__PACKAGE__" => Ok(Node::Text(self.package.clone())),
            "__FILE__" => Ok(Node::Text("-e".to_owned())),
            "__LINE__" | "__SUB__" => Ok(Node::Number),
            "undef" => match self.one_argument("undef")? {
                Node::Builtin(_, arguments) if arguments.is_empty() => Ok(Node::Undefined),
                other => Ok(other),
            },
            _ if NO_ARGUMENTS.contains(&word) => {
                if self.is("(") {
                    self.empty_brackets();
                }
                Ok(Node::Builtin(word.to_owned(), Vec::new()))
            }
            _ if ONE_ARGUMENT.contains(&word) => self.one_argument(word),
            _ if SEVERAL.contains(&word) => self.several_arguments(word),
            "if" | "unless" | "while" | "until" | "foreach" | "for" | "else" | "elsif" | "and"
            | "or" | "eq" | "ne" | "cmp" => Err(Rejected),
            other => self.name_term(other.to_owned()),
        }
    }

    /// Whether an argument of a function of the language stands here.
    pub(super) fn begins_argument(&mut self) -> bool {
        if self.ends_list() {
            return false;
        }
        let (first, second) = (self.byte(0), self.byte(1));
        match first {
            b',' | b'?' | b'=' | b'|' | b'^' | b'>' => false,
            b'.' => second.is_ascii_digit(),
            b'!' => !matches!(second, b'=' | b'~'),
            b'/' => second != b'/',
            b'*' => second != b'*' && second != b'=' && !second.is_ascii_whitespace(),
            b'%' => second != b'=' && !second.is_ascii_whitespace(),
            b'&' => second != b'&' && !second.is_ascii_whitespace(),
            b'<' => self.is_angle(),
            b'-' => !matches!(second, b'=' | b'>'),
            _ => true,
        }
    }

    pub(super) fn is_angle(&self) -> bool {
        let rest = self.rest();
        if let Some(behind) = rest.strip_prefix("<<") {
            let quoted = behind.trim_start_matches([' ', '\t']).starts_with(['"', '\'']);
            return quoted
                || behind.starts_with(|c: char| {
                    c.is_alphabetic() || matches!(c, '_' | '"' | '\'' | '~' | '`' | '>')
                });
        }
        let inner = rest.get(1..).and_then(|rest| rest.split('>').next()).unwrap_or("");
        rest.contains('>') && !inner.contains([' ', '\n', ';']) || inner.ends_with('*')
    }

    fn one_argument(&mut self, word: &str) -> Parsed<Node> {
        let arguments = if self.is("(") {
            self.call_brackets()?
        } else if self.begins_argument() {
            vec![self.expression(NAMED_UNARY)?]
        } else {
            Vec::new()
        };
        if matches!(word, "chomp" | "chop") {
            arguments.iter().for_each(|node| self.changes(node));
            if arguments.is_empty() {
                self.changes.insert("$_".into());
            }
        }
        Ok(Node::Builtin(word.to_owned(), arguments))
    }

    fn several_arguments(&mut self, word: &str) -> Parsed<Node> {
        let arguments = if self.is("(") {
            self.call_brackets()?
        } else if self.begins_argument() || word == "split" && self.starts("//") {
            self.expression(COMMA)?.into_list()
        } else {
            Vec::new()
        };
        Ok(Node::Builtin(word.to_owned(), arguments))
    }

    /// `system {program} list`, `exec list`.
    fn run_term(&mut self, word: &str) -> Parsed<Node> {
        let brackets = self.is("(");
        let start = self.at;
        if brackets {
            self.at += 1;
        }
        if !self.is("{") {
            self.at = start;
            return self.several_arguments(word);
        }
        let mut arguments = vec![Node::DoBlock(self.block_sub()?.body)];
        if brackets {
            arguments.append(&mut self.list_until(")")?.into_list());
        } else if self.begins_argument() {
            arguments.append(&mut self.expression(COMMA)?.into_list());
        }
        Ok(Node::Builtin("<run-program>".to_owned(), arguments))
    }

    fn require_term(&mut self) -> Parsed<Node> {
        self.blanks();
        let start = self.at;
        if let Some(name) = self.take_name(true)
            && !self.is("(")
            && !self.is("->")
            && !is_builtin(&name)
        {
            return Ok(Node::Builtin("require".to_owned(), vec![Node::Word(name)]));
        }
        self.at = start;
        self.one_argument("require")
    }

    /// A name that is no function of the language.
    pub(super) fn name_term(&mut self, name: String) -> Parsed<Node> {
        let before = self.at;
        if let Some(class) = name.strip_suffix("::") {
            return Ok(Node::Word(class.to_owned()));
        }
        self.blanks();
        let declared = self.subs.contains_key(&name);
        if self.starts("=>") {
            return Ok(Node::Text(name));
        }
        if self.starts("->") {
            let class = !declared
                || name.contains("::")
                || name.starts_with(char::is_uppercase) && !self.constants.contains(&name);
            if class {
                return Ok(Node::Word(name));
            }
            return Ok(Node::Call(self.global('&', &name), Vec::new()));
        }
        if self.byte(0) == b'(' {
            let arguments = self.call_brackets()?;
            return Ok(Node::Call(self.global('&', &name), arguments));
        }
        if name == "new" && !declared {
            return self.indirect_new(before);
        }
        if matches!(name.as_str(), "STDIN" | "STDOUT" | "STDERR" | "ARGV" | "DATA") {
            return Ok(Node::Word(name));
        }
        if self.subs.get(&name).is_some_and(|prototype| prototype.as_deref() == Some("")) {
            self.at = before;
            return Ok(Node::Call(self.global('&', &name), Vec::new()));
        }
        if self.byte(0) == b'{' {
            let block = match self.subs.get(&name) {
                Some(prototype) => prototype.as_deref().is_some_and(|p| p.starts_with('&')),
                None => BLOCK_FUNCTIONS.contains(&name.as_str()) || !self.looks_like_hash(),
            };
            if block {
                let sub = self.block_sub()?;
                let mut arguments = vec![Node::AnonSub(Box::new(sub))];
                self.takes(",");
                if !self.ends_list() && self.begins_argument() {
                    arguments.append(&mut self.expression(COMMA)?.into_list());
                }
                return Ok(Node::Call(self.global('&', &name), arguments));
            }
        }
        if self.begins_call(&name, before) {
            let one = self
                .subs
                .get(&name)
                .is_some_and(|p| matches!(p.as_deref(), Some("$" | "_" | ";$")));
            let arguments = if one {
                vec![self.expression(NAMED_UNARY)?]
            } else {
                self.expression(COMMA)?.into_list()
            };
            return Ok(Node::Call(self.global('&', &name), arguments));
        }
        self.at = before;
        if name.contains("::") && !declared {
            return Ok(Node::Word(name));
        }
        Ok(Node::Call(self.global('&', &name), Vec::new()))
    }

    /// Whether arguments of a function without brackets stand here.
    fn begins_call(&mut self, name: &str, before: usize) -> bool {
        let gap = self.at > before;
        let declared = self.subs.contains_key(name);
        if self.ends_list() {
            return false;
        }
        let (first, second) = (self.byte(0), self.byte(1));
        match first {
            b'$' | b'@' | b'"' | b'\'' | b'`' | b'\\' => true,
            b'0'..=b'9' | b'[' => gap,
            b'%' | b'&' => {
                gap && (second.is_ascii_alphabetic() || matches!(second, b'$' | b'{' | b'_'))
            }
            b'-' => {
                gap && !second.is_ascii_whitespace()
                    && second != b'-'
                    && second != b'='
                    && second != b'>'
            }
            b'!' => gap && !matches!(second, b'=' | b'~'),
            b'+' => gap && matches!(second, b'{' | b'[' | b'('),
            b'{' => declared,
            b'/' => declared && second != b'/' && !second.is_ascii_whitespace(),
            b'<' => self.starts("<<") && self.is_angle() || declared && self.is_angle(),
            b'*' => gap && second.is_ascii_uppercase(),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => gap,
            _ => false,
        }
    }

    /// `new Class(arguments)`, `new $class`.
    fn indirect_new(&mut self, before: usize) -> Parsed<Node> {
        self.blanks();
        let class = if self.byte(0) == b'$' {
            self.simple_scalar()?
        } else {
            match self.take_name(true) {
                Some(name) => Node::Word(name.trim_end_matches("::").to_owned()),
                None => {
                    self.at = before;
                    return Ok(Node::Call(self.global('&', "new"), Vec::new()));
                }
            }
        };
        let arguments = if self.is("(") {
            self.call_brackets()?
        } else if self.begins_argument()
            && !self.starts("->")
            && !matches!(self.byte(0), b'-' | b'+' | b'<' | b'*' | b'/' | b'%' | b'&')
        {
            self.expression(COMMA)?.into_list()
        } else {
            Vec::new()
        };
        Ok(Node::Method(Box::new(class), "new".to_owned(), arguments))
    }
}
