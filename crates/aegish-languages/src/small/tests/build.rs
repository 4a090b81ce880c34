//! make, cmake, TeX, gnuplot, m4 and languages with one escape.

use super::{check, found};
use aegish_profiles::Lang;
use aegish_values::Value;

#[test]
fn make_recipes_and_calls_are_found() {
    check(
        Lang::Make,
        &[
            ("x:\n\t-id", &["shell id"]),
            ("x: ; @id", &["shell id"]),
            ("A := $(shell uname)\n", &["shell uname"]),
            ("A != uname", &["shell uname"]),
            ("$(file >/srv/o,text)", &["write /srv/o"]),
            ("D = build\nall:\n\trm -rf $(D)/x", &["shell rm -rf build/x"]),
            ("all:\n\techo $$HOME $(NOPE)", &["shell echo $HOME ?"]),
            ("all: a.c\n\tcc -o $@ $<", &["shell cc -o all a.c"]),
            ("include other.mk", &["script make other.mk"]),
            ("load ./x.so", &["load ./x.so"]),
            ("all:\n\tfoo \\\n\t  bar", &["shell foo   bar"]),
            ("# $(shell id)\nX = 1", &[]),
            (".PHONY: all", &[]),
            ("X = $(patsubst %.c,%.o,a.c)", &[]),
        ],
    );
}

#[test]
fn make_reports_only_the_goals_that_are_asked_for() {
    let code = "all: lib\n\tone\nlib:\n\ttwo\nclean:\n\tthree\n";
    assert_eq!(found(Lang::Make, code, &[Value::known("clean")]), ["shell three"]);
    assert_eq!(found(Lang::Make, code, &[Value::empty()]), ["shell one", "shell two"]);
    assert_eq!(found(Lang::Make, code, &[]).len(), 3);
    assert_eq!(found(Lang::Make, code, &[Value::unknown("x")]).len(), 3);
}

#[test]
fn recipes_of_a_justfile_are_found() {
    check(
        Lang::Just,
        &[
            ("x:\n  @-id", &["shell id"]),
            ("x:\n    foo \\\n      bar", &["shell foo bar"]),
            ("v := `uname`\nx:\n  echo {{v}}", &["shell uname", "shell echo ?"]),
            ("d := 'build'\nx:\n\trm -rf {{ d / \"x\" }}", &["shell rm -rf build/x"]),
            ("x d:\n  rm -rf {{d}}", &["shell rm -rf ?"]),
            ("d := 'a'\nx d:\n  rm -rf {{d}}", &["shell rm -rf ?"]),
            ("x:\n  echo {{ shell('id' + ' -u') }} {{{{", &["shell id -u", "shell echo ? {{"]),
            ("x a=`id`: (y `uname`)\n  ls", &["shell id", "shell uname", "shell ls"]),
            (
                "x:\n  #!/usr/bin/env python3\n  import os\n  os.x()",
                &["eval python #!/usr/bin/env python3\nimport os\nos.x()\n"],
            ),
            ("x:\n  #!/bin/bash\n  a\n    b", &["shell #!/bin/bash\na\n  b\n"]),
            ("x:\n  #!/srv/own\n  a", &["hidden"]),
            ("[script('perl')]\nx:\n  a", &["eval perl a\n"]),
            ("[private]\n[script]\nx:\n  a", &["shell a\n"]),
            ("set shell := ['python3', '-c']\nx:\n  a", &["argv python3|-c|a"]),
            ("set shell := ['bash', '-uc']\nx:\n  a", &["shell a"]),
            ("set working-directory := '/srv'\nx:\n  a", &["chdir /srv", "shell a"]),
            (
                "import 'a.just'\nmod b\nmod c 'd.just'",
                &["script just a.just", "script just b.just", "script just d.just"],
            ),
            ("v := '''\nx:\n  id\n'''\n", &[]),
            ("v := 'x", &["hidden"]),
            ("# x:\n#  id\nv := 'a' # `id`\nalias b := x\nset quiet", &[]),
        ],
    );
}

#[test]
fn just_reports_only_the_recipes_that_are_asked_for() {
    let code =
        "alias c := clean\nall: lib && tidy\n  one\nlib:\n  two\nclean:\n  three\ntidy:\n  four\n";
    assert_eq!(found(Lang::Just, code, &[Value::known("c")]), ["shell three"]);
    let first = ["shell one", "shell two", "shell four"];
    assert_eq!(found(Lang::Just, code, &[Value::empty()]), first);
    assert_eq!(found(Lang::Just, code, &[]).len(), 4);
    assert_eq!(found(Lang::Just, code, &[Value::known("other")]).len(), 4);
}

#[test]
fn values_that_double_are_not_carried_out() {
    let mut code = "v0 := 'xxxxxxxxxxxxxxxx'\n".to_owned();
    for at in 0..200 {
        code.push_str(&format!("v{} := v{at} + v{at}\n", at + 1));
    }
    code.push_str("x:\n  echo {{v200}}\n");
    assert_eq!(found(Lang::Just, &code, &[]), ["shell echo ?"]);
}

#[test]
fn cmake_commands_are_found() {
    check(
        Lang::Cmake,
        &[
            ("execute_process(COMMAND id -u OUTPUT_VARIABLE x)", &["argv id|-u"]),
            ("execute_process(COMMAND a COMMAND sh -c \"b c\")", &["argv a", "argv sh|-c|b c"]),
            ("file(READ /srv/x c)", &["read /srv/x"]),
            ("file(WRITE /srv/x \"text\")", &["write /srv/x"]),
            ("file(DOWNLOAD http://h.example/x ${d}/x)", &["fetch http://h.example/x ?/x"]),
            ("set(D /srv)\nfile(REMOVE_RECURSE ${D}/x)", &["delete /srv/x tree"]),
            ("file(REMOVE $ENV{TARGET})", &["delete host.example"]),
            ("include(cmake/x.cmake)", &["script cmake cmake/x.cmake"]),
            ("exec_program(\"id\")", &["shell id"]),
            ("message(\"execute_process(COMMAND id)\")", &[]),
            ("# execute_process(COMMAND id)\nproject(x)", &[]),
            ("include(CTest)", &[]),
            ("file(GLOB S *.c)", &[]),
        ],
    );
}

#[test]
fn tex_escapes_are_found() {
    check(
        Lang::Tex,
        &[
            ("\\immediate\\write18{id}", &["shell id"]),
            ("\\input|id ", &["shell id"]),
            ("\\input{|\"id -u\"}", &["shell id -u"]),
            ("\\input{part}", &["read part"]),
            ("\\input part\\relax", &["read part"]),
            ("\\verbatiminput{/srv/k}", &["read /srv/k"]),
            ("\\lstinputlisting[language=C]{/srv/k}", &["read /srv/k"]),
            ("\\newread\\f\\openin\\f=/srv/k", &["read /srv/k"]),
            ("\\openout5=/srv/o\\write5{x}", &["write /srv/o"]),
            ("\\directlua{os.exit()}", &["eval lua os.exit()"]),
            ("\\begin{luacode}x()\\end{luacode}", &["eval lua x()"]),
            ("\\documentclass{article}\\begin{document}Hi\\end{document}", &[]),
            ("% \\write18{id}\nx", &[]),
            ("\\begin{verbatim}\\write18{id}\\end{verbatim}", &[]),
            ("\\verb|\\write18{id}|", &[]),
            ("\\write1{id}", &[]),
        ],
    );
}

#[test]
fn gnuplot_commands_are_found() {
    check(
        Lang::Gnuplot,
        &[
            ("system \"id\"", &["shell id"]),
            ("x = system('id')", &["shell id"]),
            ("!id", &["shell id"]),
            ("print `id`", &["shell id"]),
            ("print \"a `id`\"", &["shell id"]),
            ("plot '< sort x' using 1:2 title 'a'", &["shell sort x"]),
            ("load 'x.gp'", &["script gnuplot x.gp"]),
            ("set output '/srv/o.png'", &["write /srv/o.png"]),
            ("set output '|sh'", &["shell sh"]),
            ("plot 'data.txt' with lines", &["read data.txt"]),
            ("set title 'system(id)'", &[]),
            ("print 'a `id`'", &[]),
            ("# system 'id'\nplot sin(x)", &[]),
        ],
    );
}

#[test]
fn m4_macros_are_found() {
    check(
        Lang::M4,
        &[
            ("syscmd(`id')", &["shell id"]),
            ("esyscmd(id -u)", &["shell id -u"]),
            ("include(`/srv/x')", &["read /srv/x"]),
            ("undivert(/srv/x)", &["read /srv/x"]),
            ("changequote([,])syscmd([id])", &["shell id"]),
            ("define(`x', `syscmd(`id')')x", &["shell id"]),
            ("builtin(`syscmd', `id')", &["shell id"]),
            ("`syscmd(id)'", &[]),
            ("# syscmd(id)\n", &[]),
            ("dnl syscmd(id)\n", &[]),
            ("undivert(1)", &[]),
        ],
    );
}

#[test]
fn languages_with_one_escape() {
    check(
        Lang::Dc,
        &[("!id", &["shell id"]), ("[!id]x", &["shell id"]), ("5 3+p", &[]), ("2 1!<a", &[])],
    );
    check(
        Lang::Jq,
        &[("import \"lib\" as l; .x", &["script jq lib"]), (".a | \"import \\\"x\\\"\"", &[])],
    );
    check(Lang::TarAction, &[("exec=id", &["shell id"]), ("dot", &[]), ("echo=exec=id", &[])]);
    check(Lang::Bc, &[("2^10", &[])]);
}
