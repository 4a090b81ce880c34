//! Calls that reach their function in an indirect way.

use super::check;

#[test]
fn functions_are_found_wherever_they_are_kept() {
    check(&[
        ("import os\nd = {'a': os.system}\nd.get('a')('id')", &["shell id"]),
        ("import os\nd = {'a': os.system}\nd['a']('id')", &["shell id"]),
        ("import os\nargs = ['id']\nos.system(*args)", &["shell id"]),
        (
            "import subprocess\nkw = {'shell': True}\nsubprocess.run('id; ls', **kw)",
            &["shell id; ls"],
        ),
        (
            "import os\nclass C:\n    def __call__(self, c):\n        os.system(c)\nC()('id')",
            &["shell id"],
        ),
        (
            "import os\ndef deco(f):\n    os.system('id')\n    return f\n@deco\ndef g(): pass",
            &["shell id"],
        ),
        (
            "import os\ndef deco(f):\n    def inner(*a):\n        return f(*a)\n    return inner\n@deco\ndef g(c):\n    os.system(c)\ng('id')",
            &["shell id"],
        ),
        ("(lambda f: f('id'))(__import__('os').system)", &["shell id"]),
        ("import os\nos.system.__call__('id')", &["shell id"]),
        ("import os\ngetattr(os, 'system')('id')", &["shell id"]),
        ("import os\nos.__dict__['system']('id')", &["shell id"]),
        ("import os\nvars(os)['system']('id')", &["shell id"]),
        ("import sys\nimport os\nsys.modules['os'].system('id')", &["shell id"]),
        ("__builtins__.__import__('os').system('id')", &["shell id"]),
        ("getattr(__builtins__, '__import__')('os').system('id')", &["shell id"]),
        ("globals()['__builtins__'].exec('import os; os.system(\"id\")')", &["shell id"]),
        ("from os import *\nsystem('id')", &["shell id"]),
        ("import importlib\nimportlib.import_module('o' + 's').system('id')", &["shell id"]),
        ("𝘦𝘹𝘦𝘤('import os; os.system(\"id\")')", &["shell id"]),
        ("eval('__import__(\"os\")').system('id')", &["shell id"]),
        ("exec('x = \"/etc/shadow\"')\nopen(x)", &["read /etc/shadow"]),
        ("import os\nfor f in map(os.system, ['id']): pass", &["shell id"]),
        ("import os\nlist(filter(os.system, ['id']))", &["shell id"]),
        (
            "import os\nclass A:\n    @staticmethod\n    def run(c):\n        os.system(c)\nA.run('id')",
            &["shell id"],
        ),
        (
            "import os\nclass A:\n    def __init__(self, c):\n        self.c = c\n    def go(self):\n        os.system(self.c)\nclass B(A):\n    pass\nB('id').go()",
            &["shell id"],
        ),
        (
            "import os\nclass A:\n    def __init__(self, c):\n        self.c = c\nclass B(A):\n    def __init__(self):\n        super().__init__('id')\nos.system(B().c)",
            &["shell id"],
        ),
        (
            "import os\nclass A:\n    @property\n    def c(self):\n        return 'id'\nos.system(A().c)",
            &["shell id"],
        ),
        (
            "import os\nclass M:\n    def __enter__(self):\n        os.system('id')\n        return self\n    def __exit__(self, *a):\n        os.system('who')\nwith M():\n    pass",
            &["shell id", "shell who"],
        ),
        ("import os\ndef g():\n    yield 'id'\nfor c in g():\n    os.system(c)", &["shell id"]),
        (
            "import os\nt = type('T', (), {'go': lambda self: os.system('id')})\nt().go()",
            &["shell id"],
        ),
        (
            "import os\nclass X:\n    def __getattr__(self, n):\n        return os.system\nX().anything('id')",
            &["shell id"],
        ),
        (
            "import os\nclass A:\n  def __reduce__(self): return (os.system,('id',))\n",
            &["shell id"],
        ),
        ("def f():\n    global g\n    import os\n    g = os.system\nf()\ng('id')", &["shell id"]),
        (
            "import os\ndef outer():\n    c = 'id'\n    def inner():\n        os.system(c)\n    return inner\nouter()()",
            &["shell id"],
        ),
        ("import os\n(x := os.system)('id')", &["shell id"]),
        ("import os\na, *b = ['x', 'id']\nos.system(b[0])", &["shell id"]),
        ("import os\nsys = os.system\nsys('id')", &["shell id"]),
        ("import os\nprint(f'{os.system(\"id\")}')", &["shell id"]),
        (
            "import os\nclass A:\n    def __add__(self, o):\n        os.system(o)\nA() + 'id'",
            &["shell id"],
        ),
        (
            "class A:\n    def __str__(self):\n        return open('/etc/shadow').read()\nprint(A())",
            &["read /etc/shadow"],
        ),
        ("import urllib.request as u\nu.urlopen('file:///etc/shadow')", &["read /etc/shadow"]),
        (
            "import concurrent.futures as c\nc.ThreadPoolExecutor().submit(open, '/etc/shadow').result()",
            &["read /etc/shadow"],
        ),
        (
            "import os, threading\nclass T(threading.Thread):\n    def __init__(self, c):\n        super().__init__()\n        self.c = c\n    def run(self):\n        os.system(self.c)\nT('id').start()",
            &["shell id"],
        ),
        ("import os\n[(y := 'id') for x in [1]]\nos.system(y)", &["shell id"]),
        ("import os\ngetattr(os, 'system', None)('id')", &["shell id"]),
        ("import os\nos.listdir = os.system\nos.listdir('id')", &["shell id"]),
    ]);
}

#[test]
fn what_is_not_known_is_open() {
    check(&[
        ("import os\ngetattr(os, input())('id')", &["hidden"]),
        ("globals()[input()]('id')", &["hidden"]),
        (
            "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0]('id')",
            &["hidden"],
        ),
        ("import importlib\nimportlib.import_module(input()).run('id')", &["hidden"]),
        ("eval(input())", &["hidden"]),
        ("import os; os.system(input())", &["hidden"]),
    ]);
}

#[test]
fn the_working_directory_is_followed() {
    check(&[
        ("import os\nos.chdir('/etc')\nopen('shadow')", &["read /etc/shadow"]),
        ("import os\nos.chdir('/')\nos.chdir('etc')\nopen('shadow')", &["read /etc/shadow"]),
        (
            "import os\nos.chdir('/etc')\nos.system('cat shadow')",
            &["chdir /etc", "shell cat shadow"],
        ),
        (
            "import os\nif unknown():\n    os.chdir('/etc')\nopen('shadow')",
            &["read {/etc/|}shadow"],
        ),
        ("import os\ndef go():\n    os.chdir('/etc')\ngo()\nopen('shadow')", &["read /etc/shadow"]),
        ("import io\nio.FileIO('/etc/shadow')", &["read /etc/shadow"]),
        (
            "from pathlib import Path\n(Path.home()/'.bashrc').open('a').write('x')",
            &["append /home/ann/.bashrc <- x"],
        ),
        (
            "import os\nos.symlink('/etc', 'e')\nopen('e/shadow')",
            &["link /etc <- e", "read /etc/shadow"],
        ),
    ]);
}
