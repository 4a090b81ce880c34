//! Database shells and debuggers.

use super::check;
use aegish_profiles::Lang;

#[test]
fn sqlite_commands_and_functions_are_found() {
    check(
        Lang::Sqlite,
        &[
            (".shell id", &["shell id"]),
            (".system uname -a", &["shell uname -a"]),
            (".read run.sql", &["read run.sql", "script sqlite run.sql"]),
            (".output /srv/o", &["write /srv/o"]),
            (".once '|sh'", &["shell sh"]),
            (".output |tee x", &["shell tee x"]),
            (".import /srv/list t", &["read /srv/list"]),
            (".load ./ext", &["load ./ext"]),
            ("select load_extension('x');", &["load x"]),
            ("SELECT readfile('/srv/a');", &["read /srv/a"]),
            ("select writefile('/srv/b', 'x')", &["write /srv/b"]),
            ("select edit('x', 'sh -c id')", &["shell sh -c id"]),
            ("ATTACH DATABASE '/srv/x.php' AS p;", &["write /srv/x.php"]),
            (".tables", &[]),
            (".mode csv\n.headers on", &[]),
            (".output stdout", &[]),
            ("select '.shell id';", &["print .shell id"]),
            ("select 'readfile(1)' -- readfile('x')\n", &["print readfile(1)"]),
            ("select lower('A')||substr('xxb',3), replace('aXc','X','b');", &["print ab|abc"]),
            ("select readfile(replace('nX','X','o'))", &["read no"]),
            ("select readfile(x'6e6f')", &["read no"]),
            ("select readfile(printf('%s/%s','a','b'))", &["read a/b"]),
            (".cd /srv\n.read k", &["read /srv/k", "script sqlite /srv/k"]),
            ("attach ':memory:' as m", &[]),
            ("select * from t where shell = 1;", &[]),
        ],
    );
}

#[test]
fn mysql_commands_and_clauses_are_found() {
    check(
        Lang::Mysql,
        &[
            ("\\! id", &["shell id"]),
            ("system id", &["shell id"]),
            ("select 1; \\! ls", &["shell ls"]),
            ("source x.sql;", &["read x.sql", "script mysql x.sql"]),
            ("\\. x.sql", &["read x.sql", "script mysql x.sql"]),
            ("SELECT LOAD_FILE('/srv/k')", &["read /srv/k"]),
            ("select 'x' into outfile '/srv/o'", &["write /srv/o"]),
            ("select 1 INTO DUMPFILE '/srv/so'", &["write /srv/so"]),
            ("load data local infile '/srv/d' into table t", &["read /srv/d"]),
            ("create function f returns int soname 'u.so'", &["load u.so"]),
            ("select sys_exec('id')", &["shell id"]),
            ("pager less -S", &["shell less -S"]),
            ("select 'a\\\\! id'", &[]),
            ("select \"load_file('x')\"", &[]),
            ("select system_user from t", &[]),
            ("show tables\\G", &[]),
            ("insert into t values ('into outfile')", &[]),
        ],
    );
}

#[test]
fn psql_commands_and_copies_are_found() {
    check(
        Lang::Psql,
        &[
            ("\\! id", &["shell id"]),
            ("\\i x.sql", &["read x.sql", "script psql x.sql"]),
            ("\\o /srv/o", &["write /srv/o"]),
            ("\\o |sh", &["shell sh"]),
            ("select 1 \\g |sh -c id", &["shell sh -c id"]),
            ("\\copy t from '/srv/f'", &["read /srv/f"]),
            ("\\copy t to /srv/f csv", &["write /srv/f"]),
            ("\\copy t to program 'nc h 1'", &["shell nc h 1"]),
            ("COPY t FROM PROGRAM 'id';", &["shell id"]),
            ("copy (select 1) to '/srv/x'", &["write /srv/x"]),
            ("select pg_read_file('/srv/k')", &["read /srv/k"]),
            ("select lo_import('/srv/k')", &["read /srv/k"]),
            ("LOAD 'x.so'", &["load x.so"]),
            ("DO $$ import os $$ LANGUAGE plpython3u;", &["eval python  import os "]),
            ("\\set x `id`", &["shell id"]),
            ("\\dt", &[]),
            ("\\d+ users", &[]),
            ("\\copy t from stdin", &[]),
            ("copy t to stdout", &[]),
            ("select 'copy t from program ''id'''", &[]),
            ("\\timing on", &[]),
            ("select * from copy", &[]),
        ],
    );
}

#[test]
fn debugger_commands_are_found() {
    check(
        Lang::Gdb,
        &[
            ("!id", &["shell id"]),
            ("shell id", &["shell id"]),
            ("python import os", &["eval python import os"]),
            ("python\nimport os\nend\nshell x", &["eval python import os\n", "shell x"]),
            ("source x.py", &["script python x.py"]),
            ("source x", &["script gdb x"]),
            ("dump memory /srv/d 0 10", &["write /srv/d"]),
            ("dump binary value /srv/d x", &["write /srv/d"]),
            ("call (int)system(\"id\")", &["shell id"]),
            ("print execl(\"/bin/ls\", 0)", &["argv /bin/ls"]),
            ("platform shell id", &["shell id"]),
            ("script os.nice(1)", &["eval python os.nice(1)"]),
            ("pipe info files | sh", &["shell sh"]),
            ("break main\nrun\nbt", &[]),
            ("print x", &[]),
            ("info shell", &[]),
            ("set pagination off", &[]),
            ("quit", &[]),
        ],
    );
}
