//! Lua.

use super::check_in;
use aegish_code_parsers::language::Language::Lua;

fn check(table: &[(&str, &[&str])]) {
    check_in(Lua, table);
}

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("local e = os.execute; e('id')", &["shell id"]),
        ("os['execute']('id')", &["shell id"]),
        ("os['exe' .. 'cute']('id')", &["shell id"]),
        ("_G.os.execute('id'); _G['o' .. 's'].execute('who')", &["shell id", "shell who"]),
        ("_ENV.os.execute('id')", &["shell id"]),
        ("local _ENV = {o = os}; o.execute('id')", &["shell id"]),
        (
            "package.loaded.os.execute('id'); package.loaded['io'].popen('who')",
            &["shell id", "shell who"],
        ),
        ("local c = 'i' .. 'd'; os.execute(c)", &["shell id"]),
        ("os.execute(string.char(105,100))", &["shell id"]),
        ("os.execute(('di'):reverse())", &["shell id"]),
        ("os.execute('\\105\\x64')", &["shell id"]),
        ("os.execute(('xidx'):sub(2, -2))", &["shell id"]),
        ("os.execute(('i-d'):gsub('%-', ''))", &["shell id"]),
        ("os.execute(table.concat({'i', 'd'}))", &["shell id"]),
        ("os.execute(string.format('%s%s', 'i', 'd'))", &["shell id"]),
        ("load('os.execute(\"id\")')()", &["shell id"]),
        ("loadstring('return os')().execute('id')", &["shell id"]),
        ("assert(load('local c = ... os.execute(c)'))('id')", &["shell id"]),
        ("load(io.read('a'))()", &["hidden"]),
        ("pcall(os.execute, 'id')", &["shell id"]),
        ("for _, f in pairs({os.execute}) do f('id') end", &["shell id"]),
        ("for k, f in pairs(os) do if k == 'execute' then f('id') end end", &["hidden"]),
        ("local t = {}; function t:go(c) os.execute(c) end; t:go('id')", &["shell id"]),
        ("local t = {go = function(self, c) os.execute(c) end}; t:go('id')", &["shell id"]),
        (
            "local A = {}; A.__index = A; function A.new(c) return setmetatable({c = c}, A) end\nfunction A:go() os.execute(self.c) end; A.new('id'):go()",
            &["shell id"],
        ),
        (
            "local t = setmetatable({}, {__index = function(_, k) return os[k] end}); t.execute('id')",
            &["shell id"],
        ),
        (
            "local t = setmetatable({}, {__call = function(_, c) os.execute(c) end}); t('id')",
            &["shell id"],
        ),
        ("setmetatable({}, {__gc = function() os.execute('id') end})", &["shell id"]),
        ("coroutine.wrap(function() os.execute('id') end)()", &["shell id"]),
        ("local function f(...) local a, b = ... os.execute(b) end; f('x', 'id')", &["shell id"]),
        ("local a, b = (function() return 'x', 'id' end)(); os.execute(b)", &["shell id"]),
        ("os.execute(select(2, 'x', 'id'))", &["shell id"]),
        ("string.gsub('id', '.+', os.execute)", &["shell id", "hidden"]),
        ("vim.cmd('!id')", &["eval vim !id"]),
        ("os.execute(arg[1])", &["shell first-arg"]),
    ]);
}

#[test]
fn branches_and_loops_are_joined() {
    check(&[
        (
            "if os.getenv('X') then t = '/' else t = 'b' end os.execute('rm ' .. t)",
            &["shell rm /", "shell rm b"],
        ),
        (
            "local t = 'a'; if os.getenv('X') then local t = '/' end os.execute('rm ' .. t)",
            &["shell rm a"],
        ),
        (
            "local t = os.getenv('X') and '/' or 'b'; os.execute('rm ' .. t)",
            &["shell rm b", "shell rm /"],
        ),
        (
            "local s = ''; for i = 1, 2 do s = s .. ('id'):sub(i, i) end os.execute(s)",
            &["shell id"],
        ),
        (
            "local i, s = 1, ''; while i <= 2 do s = s .. ('id'):sub(i, i); i = i + 1 end os.execute(s)",
            &["shell id"],
        ),
        ("repeat local c = 'id' os.execute(c) until c == 'id'", &["shell id"]),
        ("local ok, e = pcall(function() error('id') end); os.execute(e)", &["shell id"]),
        (
            "for i = 1, 3 do if i == 2 then goto continue end os.execute('a' .. i) ::continue:: end",
            &["shell a1", "shell a3"],
        ),
    ]);
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(&[
        ("-- os.execute('x')", &[]),
        ("--[[ os.execute('x')\n]] print(1)", &["print 1\n"]),
        ("print(1 + 1)", &["print 2\n"]),
        ("local t = {execute = 1}; print(t.execute)", &["print 1\n"]),
        ("print(os.time())", &[]),
        ("for i=1,3 do print(i) end", &["print 1\n2\n3\n"]),
        ("local json = require('cjson')", &[]),
        (
            "local t = {}; for w in ('a b'):gmatch('%a+') do t[#t + 1] = w end print(#t)",
            &["print 2\n"],
        ),
    ]);
}

#[test]
fn text_that_is_no_lua_is_not_taken_for_harmless() {
    check(&[
        ("os.execute('id') x y z", &["shell id", "hidden"]),
        ("goto done; os.execute('id') ::done::", &["hidden"]),
        ("x = 'abc", &["hidden"]),
    ]);
}
