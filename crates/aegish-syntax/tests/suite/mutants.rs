//! The parser accepts what Bash accepts: snippets, and mutants of them.

use crate::bash::{self, Opinion};

/// Agreement on mutants must not fall below this.
const AGREEMENT: f64 = 0.995;

#[test]
fn every_snippet_is_judged_like_bash() {
    if !bash::is_available() {
        return;
    }
    let texts = bash::snippets("syntax.txt");
    assert!(texts.len() >= 400);
    let wrong: Vec<String> = texts
        .iter()
        .zip(bash::opinions(&texts))
        .filter_map(|(text, opinion)| disagreement(text, opinion))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mutants_are_judged_like_bash() {
    if !bash::is_available() {
        return;
    }
    let size = std::env::var("AEGISH_SYNTAX_MUTANTS").ok().and_then(|size| size.parse().ok());
    let seed = std::env::var("AEGISH_SYNTAX_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut random = Random(seed.unwrap_or(0x9e37_79b9_7f4a_7c15));
    let mut pool = bash::snippets("syntax.txt");
    pool.extend(bash::snippets("syntax-executed.txt"));
    let texts: Vec<String> =
        (0..size.unwrap_or(2_000)).map(|_| mutant(&pool, &mut random)).collect();
    let wrong: Vec<String> = texts
        .iter()
        .zip(bash::opinions(&texts))
        .filter_map(|(text, opinion)| disagreement(text, opinion))
        .collect();
    let agreement = 1.0 - wrong.len() as f64 / texts.len() as f64;
    println!("{} mutants, agreement {:.3} %\n{}", texts.len(), agreement * 100.0, wrong.join("\n"));
    assert!(agreement >= AGREEMENT, "{}", wrong.join("\n"));
}

fn disagreement(text: &str, opinion: Opinion) -> Option<String> {
    let (accepts, script) = bash::accepted(text);
    let wrong = match opinion {
        Opinion::Accepts => !accepts,
        Opinion::Rejects => accepts,
        Opinion::Unclear => false,
    };
    wrong.then(|| format!("Bash {opinion:?} {text:?}, we say {:?}", script.error))
}

/// Xorshift; good enough to choose positions.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

const TOKENS: &[&str] = &[
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "{ ",
    "; }",
    "$(",
    "$((",
    "${",
    "`",
    "\"",
    "'",
    "\\",
    "$'",
    "\n",
    " ",
    "<",
    ">",
    "<<",
    "<<E",
    "<(",
    ">(",
    ">&",
    "2>",
    "if ",
    "then ",
    "fi",
    "do ",
    "done",
    "case ",
    "esac",
    "in ",
    "for ",
    "while ",
    "!",
    "! ",
    "time ",
    "[[ ",
    " ]]",
    "[",
    "]",
    "=",
    "=(",
    "+=",
    "#",
    " #",
    "$",
    "@(",
    "!(",
    "a",
    "a=",
    "E\n",
    "\nE\n",
    "x",
    "-",
    "*",
    "?",
    ";;",
    ";&",
    "function ",
    "()",
    "coproc ",
    "select ",
    "\\\n",
    "~",
    "%",
    "/",
    "${a[",
    "|&",
    "&>",
    "<<<",
    "-p ",
    "--",
    "$[",
    "=~ ",
    "== ",
    "-f ",
    "until ",
    "elif ",
    "else ",
    "declare ",
    "{fd}>",
    "\t",
    "<<-E",
    "$\"",
    ";;&",
    ">|",
    "<>",
    "${a-",
    "\"${a-'",
];

/// A snippet with one to three random changes.
pub(crate) fn mutant(pool: &[String], random: &mut Random) -> String {
    let mut text = pool[random.below(pool.len())].clone();
    for _ in 0..[1, 1, 1, 2, 2, 3][random.below(6)] {
        let from = boundary(&text, random.below(text.len() + 1));
        let to = boundary(&text, (from + 1 + random.below(4)).min(text.len()));
        let token = TOKENS[random.below(TOKENS.len())];
        let other = &pool[random.below(pool.len())];
        let cut = boundary(other, random.below(other.len() + 1));
        text = match random.below(6) {
            0 => [&text[..from], token, &text[from..]].concat(),
            1 => [&text[..from], &text[to..]].concat(),
            2 => [&text[..from], token, &text[to..]].concat(),
            3 => [&text[..from], &other[cut..]].concat(),
            4 => [&text[..to], &text[from..]].concat(),
            _ => [&text[..from], other, &text[from..]].concat(),
        };
    }
    text
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
