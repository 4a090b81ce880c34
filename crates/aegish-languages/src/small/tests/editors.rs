//! awk, sed, vim.

use super::{check, found};
use aegish_profiles::Lang;
use aegish_values::Value;

#[test]
fn awk_runs_what_system_and_pipes_are_given() {
    check(
        Lang::Awk,
        &[
            ("BEGIN {system(\"id\")}", &["shell id"]),
            ("BEGIN { c = \"u\" \"name\"; system(c \" -a\") }", &["shell uname -a"]),
            ("{ system(\"rm \" $1) }", &["shell rm ?"]),
            ("BEGIN { \"date\" | getline d; print d }", &["shell date"]),
            ("BEGIN { while ((\"ls /srv\" | getline f) > 0) print f }", &["shell ls /srv"]),
            ("{ print $1 | \"sort -u\" }", &["shell sort -u"]),
            ("{ print \"x\" |& \"bc\" }", &["shell bc"]),
            ("BEGIN { system(sprintf(\"ping %s\", \"h\")) }", &["shell ping h"]),
            ("BEGIN { system(ENVIRON[\"TARGET\"]) }", &["shell host.example"]),
            ("BEGIN { system(cmd) }", &["shell ?"]),
            ("@load \"filefuncs\"\nBEGIN {}", &["load filefuncs"]),
            ("@include \"lib.awk\"", &["script awk lib.awk"]),
        ],
    );
}

#[test]
fn awk_comparisons_strings_and_patterns_run_nothing() {
    check(
        Lang::Awk,
        &[
            ("$3 > 100 { print $1 }", &[]),
            ("{ print ($1 > 5) }", &[]),
            ("{ if ($1 > max) max = $1 } END { print max }", &[]),
            ("/system(\"id\")/ { print }", &[]),
            ("{ print \"system(id) | sh > /etc/x\" }", &[]),
            ("# system(\"id\")\n{ print }", &[]),
            ("{ a = b / c; d = e / f; print a }", &[]),
            ("{ print $1 || $2 }", &[]),
            ("{ print > \"/dev/stderr\" }", &[]),
            ("BEGIN { while (i < 5) i++ }", &[]),
        ],
    );
}

#[test]
fn awk_files_and_sockets_are_found() {
    check(
        Lang::Awk,
        &[
            ("{ print $0 > \"out.txt\" }", &["write out.txt"]),
            ("{ print $0 >> \"log\" }", &["append log"]),
            ("{ print > $1 \".csv\" }", &["write ?.csv"]),
            ("BEGIN { while ((getline line < \"names\") > 0) print line }", &["read names"]),
            (
                "BEGIN { s = \"/inet/tcp/0/198.51.100.4/8081\"; print \"hi\" |& s }",
                &["connect 198.51.100.4 8081"],
            ),
            (
                "BEGIN{s=\"/inet/tcp/0/198.51.100.4/8081\";while(1){printf \"$ \" |& s; s |& getline c; while(c && (c |& getline) > 0) print |& s}}",
                &["connect 198.51.100.4 8081", "received"],
            ),
            (
                "BEGIN { s = \"/inet/tcp/9090/0/0\"; s |& getline x; system(x) }",
                &["listen  9090", "received"],
            ),
        ],
    );
    let args = [Value::known("OUT=/srv/out")];
    assert_eq!(found(Lang::Awk, "{ print > OUT }", &args), ["write /srv/out"]);
}

#[test]
fn sed_commands_that_run_or_write_are_found() {
    check(
        Lang::Sed,
        &[
            ("1e uname", &["shell uname"]),
            ("s/.*/date/e", &["shell date"]),
            ("s/x/&/e", &["shell ?"]),
            ("/x/ e", &["shell ?"]),
            ("1,3!{p;e id\n}", &["shell id"]),
            ("w out", &["write out"]),
            ("s/a/b/gw /srv/f", &["write /srv/f"]),
            ("$r tail.txt", &["read tail.txt"]),
            ("y/abc/xyz/;1e ls", &["shell ls"]),
            ("s|[|]|x|;e id", &["shell id"]),
            ("a\\\ntext one\\\ntext two\ne id", &["shell id"]),
            (":a;N;$!ba;s/\\n/ /g;w f", &["write f"]),
            ("\\,x,e whoami", &["shell whoami"]),
        ],
    );
}

#[test]
fn sed_text_and_patterns_run_nothing() {
    check(
        Lang::SedScript,
        &[
            ("s/e id/w out/g", &[]),
            ("a e id", &[]),
            ("i\\\ne id", &[]),
            ("s/[/]e id/x/", &[]),
            ("/e id/d", &[]),
            ("# e id", &[]),
            ("y/ew/xy/", &[]),
            ("5{p;q}", &[]),
            ("s/a/b/;s/c/d/2p", &[]),
            ("w /dev/stdout", &[]),
            (":e;be", &[]),
            // An unknown flag makes sed reject the whole script.
            ("s/VERSION//usr/share/e/postgres/g", &[]),
            ("s/a/b/x;e id", &[]),
        ],
    );
}

#[test]
fn vim_runs_commands_and_other_languages() {
    check(
        Lang::Vim,
        &[
            (":!id", &["shell id"]),
            ("!ls | wc", &["shell ls | wc"]),
            ("%!sort", &["shell sort"]),
            ("silent! !make", &["shell make"]),
            ("r !uname -a", &["shell uname -a"]),
            ("read! x", &["shell x"]),
            ("w !tee /srv/x", &["shell tee /srv/x"]),
            (":set shell=/bin/zsh|:shell", &["shell /bin/zsh"]),
            ("sh", &["shell sh"]),
            ("term htop", &["shell htop"]),
            (":py3 import os", &["eval python import os"]),
            (":py import os\nos.nice(1)", &["eval python import os\nos.nice(1)"]),
            (":lua os.execute('id')", &["eval lua os.execute('id')"]),
            (
                "let x = 1\npython << END\nprint(1)\nEND\n!id",
                &["eval python print(1)\n", "shell id"],
            ),
            (":call system('id ' . 'x')", &["shell id x"]),
            ("echo systemlist(\"ls\")", &["shell ls"]),
            ("call job_start(['sh', '-c', 'id'])", &["shell sh -c id"]),
            ("exe '!id'", &["shell id"]),
            ("exe '!rm ' . x", &["shell rm ?"]),
            ("exe getline(1)", &["hidden"]),
            ("call libcall('x.so', 'f', 1)", &["load x.so"]),
            ("normal !!date", &["shell date"]),
            ("g/x/!id", &["shell id"]),
            ("au BufRead * !id", &["shell id"]),
        ],
    );
}

#[test]
fn vim_files_are_found_and_editing_is_harmless() {
    check(
        Lang::Vim,
        &[
            ("w /srv/copy", &["write /srv/copy"]),
            ("w! >> /srv/log", &["append /srv/log"]),
            ("r /srv/in", &["read /srv/in"]),
            (":e other.txt", &["read other.txt"]),
            (":so x.vim", &["script vim x.vim"]),
            ("luafile x.lua", &["script lua x.lua"]),
            ("call writefile(['a'], '/srv/w')", &["write /srv/w"]),
            ("call delete('/srv/d', 'rf')", &["delete /srv/d tree"]),
            (":q", &[]),
            ("q!", &[]),
            ("wq", &[]),
            ("x", &[]),
            ("w", &[]),
            ("set nu", &[]),
            ("set nocompatible | syntax on", &[]),
            ("%s/!id/x/g", &[]),
            ("s/a/b/ | w", &[]),
            ("echo 'system(1)'", &[]),
            ("\" !id", &[]),
            ("let g:x = 'call system(1)'", &[]),
            ("10", &[]),
            ("colorscheme desert", &[]),
            ("normal ggdd", &[]),
            ("g/foo/d", &[]),
            ("nnoremap x :q<CR>", &[]),
            ("/pattern", &[]),
        ],
    );
}
