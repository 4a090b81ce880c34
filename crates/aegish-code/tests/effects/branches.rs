//! Both sides of a branch count, whichever comes last.

use super::check;

#[test]
fn branches_are_joined() {
    check(&[
        (
            "import os, sys\nif sys.stdin.isatty():\n    target = '/'\nelse:\n    target = 'build'\nos.system('rm -rf ' + target)",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "import os, sys\nif sys.stdin.isatty():\n    target = 'build'\nelse:\n    target = '/'\nos.system('rm -rf ' + target)",
            &["shell rm -rf build", "shell rm -rf /"],
        ),
        (
            "import os\ntry:\n    target = '/'\n    f()\n    target = 'build'\nexcept Exception:\n    pass\nos.system('rm -rf ' + target)",
            &["shell rm -rf build", "shell rm -rf /"],
        ),
        (
            "import os\nt = 'build'\nfor x in unknown():\n    t = '/'\nos.system('rm -rf ' + t)",
            &["shell rm -rf build", "shell rm -rf /"],
        ),
        (
            "import os\nt = 'build'\nwhile unknown():\n    t = '/'\n    break\nos.system('rm -rf ' + t)",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "import os\nt = '/' if unknown() else 'build'\nos.system('rm -rf ' + t)",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "import os\nmatch unknown():\n    case 1:\n        t = '/'\n    case _:\n        t = 'build'\nos.system('rm -rf ' + t)",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "import os\ndef target():\n    if unknown():\n        return '/'\n    return 'build'\nos.system('rm -rf ' + target())",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "import subprocess\ncmd = ['rm', '-rf']\nif unknown():\n    cmd.append('/')\nelse:\n    cmd.append('build')\nsubprocess.run(cmd)",
            &["argv rm|-rf|{/|build}"],
        ),
        (
            "import subprocess\ncmd = ['ls']\nif unknown():\n    cmd.append('-l')\nsubprocess.run(cmd)",
            &["argv ls", "argv ls|-l"],
        ),
    ]);
}

#[test]
fn a_condition_that_is_known_takes_its_branch() {
    check(&[
        (
            "import os\nif True:\n    t = 'a'\nelse:\n    t = 'b'\nos.system('ls ' + t)",
            &["shell ls a"],
        ),
        (
            "import os\nif os.name == 'nt':\n    os.system('dir')\nelse:\n    os.system('ls')",
            &["shell ls"],
        ),
        ("import os\nx = 3\nif x > 2 and x < 5:\n    os.system('id')", &["shell id"]),
        (
            "import os\nfor i in range(5):\n    if i == 3:\n        break\nos.system('echo %d' % i)",
            &["shell echo 3"],
        ),
        ("import os\ns = ''\nfor c in 'di':\n    s = c + s\nos.system(s)", &["shell id"]),
        (
            "import os\ni = 0\ns = ''\nwhile i < 2:\n    s += 'id'[i]\n    i += 1\nos.system(s)",
            &["shell id"],
        ),
    ]);
}

#[test]
fn loops_keep_what_they_may_have_added() {
    check(&[
        ("t = 'a' if unknown() else 'bc'\ns = ''\nfor c in t:\n    s += c\nopen(s)", &["hidden"]),
        (
            "import os\nc = 'rm'\nfor x in unknown():\n    c += ' ' + x\nos.system(c)",
            &["shell rm‹text made in a loop›"],
        ),
        (
            "import os\nfor f in [os.remove, print]:\n    f('/etc/passwd')",
            &["delete /etc/passwd", "print /etc/passwd\n"],
        ),
    ]);
}
