//! Variables, arrays and positional parameters with every operator.

use super::super::quoting::is_plain;
use super::Generator;
use crate::tree::Tree;

pub(super) fn variable(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    if g.random.one_in(2) { format!("${v}") } else { format!("${{{v}}}") }
}

pub(super) fn remove_prefix(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let (junk, pattern) =
        [("zz", "zz"), ("zz", "z?"), ("qz", "[a-q]z"), ("z.z:", "*:")][g.random.below(4)];
    g.assign(&v, &format!("{junk}{t}"), depth, before);
    if pattern.contains('*') {
        format!("${{{v}##{pattern}}}")
    } else {
        format!("${{{v}#{pattern}}}")
    }
}

pub(super) fn remove_suffix(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let (junk, pattern) =
        [("zz", "zz"), (":z:z", ":*"), ("1", "[0-9]"), ("_7", "_?")][g.random.below(4)];
    g.assign(&v, &format!("{t}{junk}"), depth, before);
    let operator = if pattern.contains('*') { "%%" } else { "%" };
    format!("${{{v}{operator}{pattern}}}")
}

pub(super) fn replace(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    let mut chars = t.chars();
    let Some(first) = chars.next() else { return variable(g, t, depth, before) };
    let rest: String = chars.collect();
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    match g.random.below(4) {
        0 => {
            g.assign(&v, &format!("Q{rest}"), depth, before);
            let by = if first == '/' { "\\/".to_owned() } else { first.to_string() };
            format!("${{{v}/Q/{by}}}")
        }
        1 => {
            g.assign(&v, &format!("QQ{t}Q"), depth, before);
            format!("${{{v}//Q}}")
        }
        2 => {
            g.assign(&v, &format!("Q{t}"), depth, before);
            format!("${{{v}/#Q/}}")
        }
        _ => {
            g.assign(&v, &format!("{t}Q"), depth, before);
            format!("${{{v}/%Q}}")
        }
    }
}

pub(super) fn substring(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let length = t.chars().count();
    match g.random.below(3) {
        0 => {
            g.assign(&v, &format!("zz{t}"), depth, before);
            format!("${{{v}:2}}")
        }
        1 => {
            g.assign(&v, &format!("z{t}z"), depth, before);
            format!("${{{v}:1:{length}}}")
        }
        _ => {
            g.assign(&v, &format!("z{t}"), depth, before);
            format!("${{{v}: -{length}}}")
        }
    }
}

pub(super) fn case(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if t.chars().any(|c| c.is_ascii_uppercase()) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    g.assign(&v, &t.to_uppercase(), depth, before);
    if g.random.one_in(2) { format!("${{{v},,}}") } else { format!("${{{v}@L}}") }
}

pub(super) fn case_attribute(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if t.chars().any(|c| c.is_ascii_uppercase()) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    g.say(format!("declare -l {v}"), before);
    g.assign(&v, &t.to_uppercase(), depth, before);
    format!("${v}")
}

pub(super) fn default(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("u");
    if g.random.one_in(2) {
        before.push(Tree::text(format!("{v}=")));
    }
    format!("${{{v}:-{t}}}")
}

pub(super) fn assign_default(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("u");
    g.say(format!(": ${{{v}:={t}}}"), before);
    format!("${v}")
}

pub(super) fn alternative(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    g.say(format!("{v}=1"), before);
    format!("${{{v}:+{t}}}")
}

pub(super) fn element(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(./x ")), word, Tree::text(" ./y)")]));
    g.variables.push(a.clone());
    g.noise(before);
    let index = g.random.pick(&["1", "-2", "0x1", "2#1", "1+0"]);
    format!("${{{a}[{index}]}}")
}

pub(super) fn element_arithmetic(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (a, i) = (g.fresh("a"), g.fresh("i"));
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(./x ")), word, Tree::text(" ./y)")]));
    let sets = [
        format!("{i}=1"),
        format!("(({i}=1))"),
        format!("let {i}=3-2"),
        format!("declare -i {i}=4/4"),
        format!("{i}=0; (({i}++))"),
        format!("{i}=0; : $((++{i}))"),
        format!(": $(( 0 ? ({i}=0) : ({i}=1) ))"),
        format!("{i}=1; : $(( 1 || ({i}=0) ))"),
        format!("{i}=1; (( 0 && ({i}=0) ))"),
        format!("{i}=1; : $(( 1 ? 0 : ({i}=0) ))"),
        format!("{i}=2; (({i}-=1))"),
        format!("{i}=1; (( {i} > 1 ? {i}=0 : 1 ))"),
    ];
    let set = sets[g.random.below(sets.len())].clone();
    g.say(set, before);
    let index = [i.clone(), format!("${i}"), format!("$(({i}))"), format!("{i}*1")];
    format!("${{{a}[{}]}}", index[g.random.below(4)])
}

pub(super) fn element_assigned(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let a = g.fresh("a");
    let index = g.random.pick(&["0", "3", "1+1"]);
    g.assign(&format!("{a}[{index}]"), t, depth, before);
    g.variables.pop();
    match g.random.below(3) {
        0 => format!("${{{a}[@]}}"),
        1 => format!("${{{a}[*]}}"),
        _ => format!("${{{a}[{index}]}}"),
    }
}

pub(super) fn slice(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(./x ")), word, Tree::text(" ./y)")]));
    g.noise(before);
    let range = g.random.pick(&["1:1", " -2:1", "1+0:2-1"]);
    format!("${{{a}[@]:{range}}}")
}

pub(super) fn keyed(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let m = g.fresh("m");
    before.push(Tree::text(format!("declare -A {m}")));
    g.assign(&format!("{m}[k]"), t, depth, before);
    g.variables.pop();
    match g.random.below(3) {
        0 => {
            let k = g.fresh("k");
            g.say(format!("{k}=k"), before);
            format!("${{{m}[${k}]}}")
        }
        1 => format!("${{{m}[@]}}"),
        _ => format!("${{{m}[k]}}"),
    }
}

pub(super) fn indirect(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, r) = (g.fresh("v"), g.fresh("r"));
    g.assign(&v, t, depth, before);
    g.assign(&r, &v, depth, before);
    format!("${{!{r}}}")
}

pub(super) fn indirect_element(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (a, r) = (g.fresh("a"), g.fresh("r"));
    g.assign(&format!("{a}[1]"), t, depth, before);
    g.variables.pop();
    g.say(format!("{r}='{a}[1]'"), before);
    format!("${{!{r}}}")
}

pub(super) fn nameref(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, r) = (g.fresh("v"), g.fresh("r"));
    if g.random.one_in(2) {
        g.assign(&v, t, depth, before);
        g.say(format!("declare -n {r}={v}"), before);
        format!("${r}")
    } else {
        before.push(Tree::text(format!("declare -n {r}={v}")));
        g.assign(&r, t, depth, before);
        format!("${v}")
    }
}

pub(super) fn nameref_element(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (a, r) = (g.fresh("a"), g.fresh("r"));
    g.assign(&format!("{a}[1]"), t, depth, before);
    g.variables.pop();
    g.say(format!("declare -n {r}='{a}[1]'"), before);
    format!("${r}")
}

pub(super) fn positional(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let word = g.word(t, depth, before);
    let (set, get) =
        [("set -- ./x ", "$2"), ("set -- ", "$1"), ("set ./x ./y ", "${3}")][g.random.below(3)];
    before.push(Tree::Joined(vec![Tree::text(set), word]));
    if get == "$2" && g.random.one_in(2) {
        before.push(Tree::text("shift"));
        return "$1".to_owned();
    }
    get.to_owned()
}

pub(super) fn positional_slice(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text("set -- ./x "), word, Tree::text(" ./y")]));
    g.random.pick(&["${@:2:1}", "${*:2:1}", "${@: -2:1}", "${@:$#-1:1}"]).to_owned()
}

pub(super) fn positional_join(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if !is_plain(t) || t.len() < 3 {
        return variable(g, t, depth, before);
    }
    let at = 1 + g.random.below(t.len() - 2);
    let v = g.fresh("v");
    g.say(format!("set -- {} {}\n{v}=$(IFS=; echo \"$*\")", &t[..at], &t[at..]), before);
    format!("${v}")
}
