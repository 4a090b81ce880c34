//! Text made to be expensive stays cheap, and what is left out is reported.

use super::effects;
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    let deep = [
        "(".repeat(10_000) + &")".repeat(10_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "x = ".to_owned() + &"not ".repeat(10_000) + "1",
        "x = ".to_owned() + &"-".repeat(10_000) + "1",
        "x = 1".to_owned() + &" + 1".repeat(100_000),
        "x = a".to_owned() + &".b".repeat(100_000),
        "x = a".to_owned() + &"()".repeat(10_000),
        "x = ".to_owned() + &"lambda: ".repeat(10_000) + "1",
        "x = ".to_owned() + &"1 if a else ".repeat(10_000) + "1",
        "x = 1".to_owned() + &" ** 1".repeat(10_000),
        "f'{".repeat(200) + "x" + &"}'".repeat(200),
    ];
    for code in deep {
        let start = cpu_time();
        effects(&code);
        let took = cpu_time() - start;
        // Builds for tests are not optimised; the bar of the design is 50 ms.
        assert!(took < Duration::from_secs(2), "{} takes {took:?}", &code[..20]);
    }
}

#[test]
fn long_loops_and_recursion_end() {
    for code in [
        "i = 0\nwhile i < 10**9:\n    i += 1\n",
        "for i in range(10**7):\n    for j in range(10**7):\n        x = i * j\n",
        "def f(n):\n    return f(n - 1) + f(n - 2)\nf(50)",
        "x = 'a'\nwhile True:\n    x = x + x\n    if x == 'b':\n        break\n",
        "l = []\nfor i in range(100000):\n    l.append(i)\n",
        "def f(g):\n    g(g)\nf(f)",
        "x = 1\nfor i in range(60):\n    x = (x, x)\n",
        "import functools\nf = print\nfor i in range(60):\n    f = functools.partial(f, f)\n",
        "f = 1\nfor i in range(60):\n    f = lambda a=f, b=f: a\n",
        "l = [1]\nfor i in range(60):\n    l.append((l[-1], l[-1]))\n",
        "class N:\n    def go(self):\n        n = self\n        while n:\n            n = n.next\nN().go()",
        "d = {}\nfor i in range(60):\n    d['a'] = (d, d, d.get('a'), d.get('a'))\n",
    ] {
        let start = cpu_time();
        let got = effects(code);
        let took = cpu_time() - start;
        assert!(took < Duration::from_secs(2), "{code}: {took:?}");
        assert!(got.is_empty(), "{code}: {got:?}");
    }
}
