//! Elixir and Erlang.

use super::check;
use aegish_profiles::Lang;

#[test]
fn elixir_erlang() {
    check(
        Lang::Elixir,
        &[
            ("System.cmd(\"ls\", [\"-l\"])", &["argv ls|-l"]),
            ("System.cmd \"ls\", [\"-l\"]", &["argv ls|-l"]),
            ("System.shell(\"id\")", &["shell id"]),
            (":os.cmd('id')", &["shell id"]),
            ("\"id\" |> String.to_charlist |> :os.cmd", &["shell id"]),
            ("c = \"id\"; System.shell(\"#{c} -u\")", &["shell id -u"]),
            ("IO.puts File.read!(\"/etc/hosts\")", &["read /etc/hosts"]),
            ("File.rm_rf!(\"/srv/x\")", &["tree /srv/x"]),
            ("Code.eval_string(\"1+1\")", &["eval elixir 1+1"]),
            ("IO.puts \"System.cmd\"", &["print System.cmd\n"]),
            ("IO.puts(1 + 1)", &["print 2\n"]),
        ],
    );
    check(
        Lang::Erlang,
        &[
            ("os:cmd(\"id\").", &["shell id"]),
            ("io:format(\"~s\", [os:cmd(\"id\")]).", &["shell id"]),
            ("file:read_file(\"/etc/hosts\").", &["read /etc/hosts"]),
            ("open_port({spawn, \"ls -l\"}, []).", &["argv ls|-l"]),
            ("% os:cmd(\"x\")", &[]),
        ],
    );
}
