//! Typed lines.

use super::{env, show};
use crate::CodeContext;
use crate::keys::scan_keys;

fn typed(kind: &str, lines: &str) -> Vec<String> {
    scan_keys(kind, lines, &CodeContext::alone(&env, &[])).iter().map(show).collect()
}

#[test]
fn pagers_escape_by_exclamation_mark() {
    assert_eq!(typed("pager", "!id"), ["shell id"]);
    assert_eq!(typed("pager", "/word\n!/bin/x -i\nq"), ["shell /bin/x -i"]);
    assert_eq!(typed("pager", "v"), ["shell vi"]);
    assert_eq!(typed("pager", "|a/bin/x"), ["shell /bin/x"]);
    assert_eq!(typed("pager", ":e /srv/k"), ["read /srv/k"]);
    assert_eq!(typed("pager", "/pattern\nn\nq"), [""; 0]);
}

#[test]
fn editors_escape_by_command_lines() {
    assert_eq!(typed("vi", ":!id"), ["shell id"]);
    assert_eq!(typed("vi", ":set shell=/bin/x|:shell"), ["shell /bin/x"]);
    assert_eq!(typed("vi", "itext !id\n:wq"), [""; 0]);
    assert_eq!(typed("ed", "!id"), ["shell id"]);
    assert_eq!(typed("ed", "r /srv/k"), ["read /srv/k"]);
    assert_eq!(typed("ed", "a\nhello\n.\nw /srv/o\nq"), ["write /srv/o"]);
    assert_eq!(typed("ed", "w !tee x"), ["shell tee x"]);
    assert_eq!(typed("ed", ",p\nq"), [""; 0]);
}

#[test]
fn shells_of_other_programs_escape_in_their_way() {
    assert_eq!(typed("sql", "\\! id"), ["shell id"]);
    assert_eq!(typed("sql", ".shell id"), ["shell id"]);
    assert_eq!(typed("sql", "system id"), ["shell id"]);
    assert_eq!(typed("sql", "\\!"), ["shell sh"]);
    assert_eq!(typed("sql", "select a from t;"), [""; 0]);
    assert_eq!(typed("gdb", "shell id"), ["shell id"]);
    assert_eq!(typed("ftp", "!id"), ["shell id"]);
    assert_eq!(typed("ftp", "put /srv/k"), ["send ? /srv/k"]);
    assert_eq!(typed("mail", "~!id"), ["shell id"]);
    assert_eq!(typed("repl:awk", "BEGIN{system(\"id\")}"), ["shell id"]);
    assert_eq!(typed("repl:shell", "id"), ["shell id"]);
    assert_eq!(typed("menu", "!id"), [""; 0]);
    assert_eq!(typed("no such kind", "!id"), [""; 0]);
}
