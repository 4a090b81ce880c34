//! Text that passes through programs, files and archives.

use super::super::quoting::is_plain;
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

type Before = Vec<Tree>;

/// `$(echo WORD | program)` for programs that leave the text as it is, or give it back from a longer one.
pub(super) fn filter(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let reversed: String = t.chars().rev().collect();
    let (text, program) = [
        (t.to_owned(), "head -n1"),
        (t.to_owned(), "tail -n 1"),
        (t.to_owned(), "sort"),
        (t.to_owned(), "uniq"),
        (t.to_owned(), "sed ''"),
        (t.to_owned(), "awk '{print $1}'"),
        (t.to_owned(), "awk 1"),
        (t.to_owned(), "tr -d Q"),
        (t.to_owned(), "dd status=none"),
        (t.to_owned(), "xargs"),
        (t.to_owned(), "xargs echo"),
        (t.to_owned(), "cut -c1-"),
        (t.to_owned(), "grep ."),
        (t.to_owned(), "paste -s"),
        (t.to_owned(), "fold"),
        (t.to_owned(), "od -An -tx1 | tr -d ' \\n' | sed 's/../\\\\x&/g' | xargs -0 printf %b"),
        (format!("Q{t}"), "sed s/Q//"),
        (format!("Q{t}"), "tr -d Q"),
        (format!("Q{t}"), "cut -c2-"),
        (format!("z:{t}:z"), "cut -d: -f2"),
        (format!("z:{t}"), "awk -F: '{print $2}'"),
        (format!("z:{t}"), "sed -E 's/^[^:]*:(.*)$/\\1/'"),
        (format!("z:{t}"), "tr : '\\n' | tail -n1"),
        (reversed, "rev"),
    ][g.random.below(24)]
    .clone();
    let word = g.word(&text, depth, before).render();
    let word = if word.contains(['*', '?', '[', '{']) { text } else { word };
    format!("$(echo {word} | {program})")
}

/// Text in a file that other programs copy.
pub(super) fn carried_file(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let (p, q) = (g.fresh("p"), g.fresh("q"));
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text("echo "), word, Tree::text(format!(" > {p}"))]));
    let carried = [
        format!("cp {p} {q}"),
        format!("mv {p} {q}"),
        format!("ln -s {p} {q}"),
        format!("ln {p} {q}"),
        format!("dd if={p} of={q} status=none"),
        format!("sed -n p {p} > {q}"),
        format!("cat < {p} > {q}"),
        format!("install {p} {q}"),
        format!("tar cf a{p} {p}\nmkdir d{p}\ntar xf a{p} -C d{p}\nmv d{p}/{p} {q}"),
        format!("split {p} {q}\nmv {q}aa {q}"),
        format!("mkdir d{p}\ncp {p} d{p}/\nmv d{p}/{p} {q}"),
        format!("mkdir d{p}\nmv {p} d{p}\ncat d{p}/* > {q}"),
        format!("tee {q} < {p}"),
        format!("base64 {p} | base64 -d > {q}"),
        format!("while read -r z{p}; do echo \"$z{p}\"; done < {p} > {q}"),
        format!("sed -i s/Q// {p}\ncp {p} {q}"),
    ];
    let carried = g.random.choose(&carried);
    g.say(carried, before);
    if g.random.one_in(2) { format!("$(cat {q})") } else { format!("$(<{q})") }
}
