"""Texts of definitions: equal where Python does the same, different where it does something else."""

from __future__ import annotations

import ast
from itertools import combinations

import pytest

from resources.store.code_reading import read_definition, statements

# Values that compare equal, print alike or look like pieces of the text they are written into.
CONSTANTS = [
    *("0", "False", "0.0", "-0.0", "0j", "1", "True", "1.0", "1j", "-1", "10**2", "100", "1e999"),
    *("None", "...", "()", "[]", "{}", "''", "b''", "'1'", "b'1'", "'True'", "'None'", "'...'"),
    *("'a,'", "'a'", "' a'", "'a)'", "'a' + 'b'", "'ab'", "('a', 'b')", "['a', 'b']", "a", "a.b"),
    *("'a.b'", '"\'"', "'\"'", r"'\\'", r"'\n'", r"'\\n'", "'\\u00e4'", "'a\\u0308'", "f'{a}'"),
    *("f'{a!r}'", "f'{a!s}'", "f'{a!a}'", "f'{a:>3}'", "f'{a:>{b}}'", "f'{a:b}'", "f'{a}b'"),
    *("f'b{a}'", "f'{{a}}'", "f'{a=}'", "f'{f\"{a}\"}'", "'{a}'"),
]
PLACES = ["x = {}", "f({})", "f(x={})", "def f(a={}): return a", "lambda *, a={}: a", "x[{}]"]
# Of each line everything does something else, or is said of something else.
DIFFERENT = [
    ["a + b - c", "a + (b - c)", "b + a - c", "a - b + c", "a | b - c", "a @ b - c", "a // b - c"],
    ["a < b < c", "(a < b) < c", "a < b and b < c", "a < (b < c)", "a <= b < c", "a < b <= c"],
    ["a is b", "a is not b", "a == b", "a != b", "a in b", "a not in b", "not a in b and b"],
    ["a and b or c", "a and (b or c)", "(a or b) and c", "a or b and c and d"],
    ["not a", "~a", "-a", "+a", "--a", "a"],
    ["a.b.c", "a.c.b", "a.b().c", "a.b.c()", "a[b].c", "a.b[c]", "(a, b).c", "a.bc", "ab.c"],
    ["f(a, b)", "f(b, a)", "f((a, b))", "f(a)(b)", "f(*a, b)", "f(a, *b)", "f(*(a, b), c)"],
    ["f(a=b)", "f(b=a)", "f(**a)", "f(*a)", "f(a, b=b)", "f(a=b, b=a)", "f(b=a, **a)"],
    ["f(a for a in b)", "f([a for a in b])", "f({a for a in b})", "f({a: a for a in b})"],
    ["[a for a in b for c in d]", "[a for c in d for a in b]", "[[a for a in b] for c in d]"],
    ["[a for a in b if c if d]", "[a for a in b if d if c]", "[a for a in b if (c, d)]"],
    ["x[a]", "x[a:]", "x[:a]", "x[::a]", "x[a:b]", "x[a, b]", "x[a:b, c]", "x[a:(b, c)]", "x[:]"],
    ["{**a, b: c}", "{b: c, **a}", "{a: b, **c}", "{a, b, c}", "{a: b, c: b}", "{*a, b, c}"],
    ["a if b else c", "b if a else c", "a if c else b", "b and a or c"],
    ["(a := b)", "(b := a)", "a == b"],
    ["lambda: a", "lambda a: a", "lambda *a: a", "lambda **a: a", "lambda a=a: a", "lambda *, a: a"],
    ["import a", "import b", "import a as b", "import a.b", "import a.b as a", "import a, b"],
    ["from a import b", "from .a import b", "from ..a import b", "from . import b", "from b import a"],
    ["from a import b as c", "from a import c as b", "from a import *", "from a import b, c"],
    ["a = b = c", "b = a = c", "a = (b, c)", "a, b = c", "(a, *b) = c", "[*a, b] = c", "a += c"],
    ["a: int", "a: int = None", "(a): int", "a.b: int", "a[b]: int", "a = None", "b: int"],
    ["a: int = b", "(a): int = b", "a.b: int = b", "a = b", "a: ClassVar[int] = b"],
    ["a: ClassVar[int]", "a: InitVar[int]", "a: KW_ONLY", "a: list[int]", "a: dataclasses.KW_ONLY; b"],
    ["del a", "del a.b", "del a[b]", "del a, b", "a"],
    ["assert a", "assert a, b", "assert (a, b)", "raise a", "raise a from b", "raise", "raise a from None"],
    ["if a: b\nelse: c", "if a: c\nelse: b", "if a: b\nc", "while a: b\nelse: c", "if a:\n b\n c"],
    ["for a in b: c", "for b in a: c", "for a in b: c\nelse: d", "for a in b:\n c\n d"],
    ["for a in b: break", "for a in b: continue", "for a in b: pass", "for a in b: return_"],
    ["with a: b", "with a as b: b", "with a, b: b", "with a as c, b: b", "with (a, c): b"],
    [
        *("try: a\nexcept b: c", "try: a\nexcept* b: c", "try: a\nexcept b as c: c"),
        *("try: a\nexcept: c", "try: a\nfinally: c", "try: a\nexcept b: c\nelse: d"),
        *("try: a\nexcept b: c\nfinally: d", "try: a\nexcept (b, c): c", "try: a\nexcept b: c; d"),
        "try: a\nexcept b: c\nexcept d: c",
    ],
    [
        "match a:\n case " + case
        for case in (
            *("1: b", "'1': b", "None: b", "True: b", "b: b", "_: b", "b.c: b", "(b): 1", "-1: b"),
            *("[]: b", "[_]: b", "[*_]: b", "[*c]: b", "[_, *_]: b", "[*_, _]: b", "[c, d]: b"),
            *("{}: b", "{'c': d}: b", "{'c': _}: b", "{**c}: b", "{'c': d, **e}: b", "{'d': c}: b"),
            *("b(): b", "b(c): b", "b(c=c): b", "b(c=d): b", "b(d=c): b", "b(c, c=d): b"),
            *("1 | 2: b", "2 | 1: b", "(1 | 2) as c: b", "1 as c: b", "1 if c: b", "b if c: b"),
        )
    ],
    [
        f"def f({arguments}): return a"
        for arguments in (
            *("", "a", "b", "a, b", "b, a", "a, /, b", "a, b, /", "a, *, b", "*, a, b", "*a", "**a"),
            *("a, b=1", "a=1, b=1", "a=1, /, b=1", "a=1, *, b", "a=1, *, b=1", "*, a, b=1"),
            *("*, a=1, b", "*, a=None, b", "*, a, b=None", "*, a=None, b=None", "a, *b", "a, **b"),
        )
    ],
    ["def f(): pass", "async def f(): pass", "def g(): pass", "def f(): return", "class f: pass"],
    ["def f(): return a", "def f(): yield a", "def f(): yield", "def f(): yield from a", "def f(): a"],
    [
        "async def f():\n " + body
        for body in (
            *("for a in b: c", "async for a in b: c", "with a: b", "async with a: b", "await a", "a"),
            *("[a for a in b]", "[a async for a in b]", "[await a for a in b]", "return [a]"),
            *("[a async for a in b for c in d]", "[a for a in b async for c in d]", "yield a"),
        )
    ],
    ["def f():\n global a\n a = 1", "def f():\n global b\n a = 1", "def f():\n a = 1"],
    ["def f():\n global a, b", "def f():\n global a\n global b; b", "def f():\n 'global a, b'; 1"],
    ["def f():\n a: int\n return a", "def f():\n return a", "def f():\n a: int = 1\n return a"],
    ["def f():\n def g():\n  nonlocal a\n a = 1", "def f():\n def g():\n  global a\n a = 1"],
    ["@a\ndef f(): b", "@b\ndef f(): b", "@a()\ndef f(): b", "@a\n@b\ndef f(): b", "@b\n@a\ndef f(): b"],
    ["class A: b", "class A(B): b", "class A(B, C): b", "class A(C, B): b", "class A(B=C): b"],
    ["class A(*B): b", "class A(**B): b", "class A(B, metaclass=C): b", "@B\nclass A: b"],
    ["def f(): 'a'; 'b'", "def f(): 'a'; return 'b'", "def f(): return 'a'", "def f(): 'a'; b"],
    ["a\nb", "b\na", "a, b", "a; b; a", "ab"],
]  # fmt: skip
# Of each line everything does the same.
SAME = [
    ["x = 'a'", 'x = "a"', "x = '''a'''", "x = u'a'", "x = ('a')", "x = r'a'", "x = '\\x61'"],
    ["x = 'ab'", "x = 'a' 'b'", "x = ('a'\n     'b')", "x = u'a' 'b'"],
    ["x = f'a{b}c'", 'x = f"a{b}" "c"', "x = 'a' f'{ b }c'", "x = f'a{(b)}' f'c'"],
    ["x = 255", "x = 0xff", "x = 0b1111_1111", "x = (255)"],
    ["x = a + b * c", "x = a + (b * c)", "x = (a +\n     b*c)  # type: int"],
    ["a, b = c", "(a, b) = c", "(a, b,) = (c)"],
    ["with a as b, c as d: e", "with (a as b, c as d):\n    e"],
    ["if a: b\nelif c: d", "if a:\n b\nelse:\n  if c: d"],
    ["def f(): pass", "def f(): 'Doc.'", "def f() -> int: ...", "def f():\n # Why.\n pass", "def f(): u'Doc.'"],
    ["class A: pass", "class A: 'Doc.'", "class A(): ...", "class A():\n 'Doc.'\n pass"],
    ["def f(a, *b, c=1, **d): a", "def f(a: A, *b: B, c: 'C' = 1, **d: D) -> E: a"],
    ["async def f(a): await a", "async def f(a: A) -> 'A':\n 'Doc.'\n await a"],
    ["def f():\n def g(a): return a\n return g", "def f():\n def g(a: A):\n  'Doc.'\n  return a\n return g"],
    ["a: int = 1", "a: 'str' = 1", "a: list[A] = (1)"],
    ["class A:\n a: ClassVar[int]", "class A:\n 'Doc.'\n a: 'ClassVar'", "class A:\n a: t.ClassVar[str]"],
]  # fmt: skip


def text(source: str) -> str:
    return read_definition(ast.parse(source).body).text


def check_different(sources: list[str]) -> None:
    texts = {source: text(source) for source in sources}
    for one, other in combinations(sources, 2):
        assert texts[one] != texts[other], (one, other)


@pytest.mark.parametrize("place", PLACES)
def test_constants_are_told_apart_wherever_they_stand(place):
    check_different([place.format(constant) for constant in CONSTANTS])


def test_what_does_something_else_reads_otherwise():
    for sources in DIFFERENT:
        check_different(sources)


def test_how_something_is_written_down_is_not_read():
    for sources in SAME:
        assert len({text(source) for source in sources}) == 1, sources


def test_what_is_named_is_noted():
    said = read_definition(
        ast.parse(
            """
            |@registered.under("a.csv")
            |def f(a: One, b: "Two[Three]" = default.of.it, *c: four.Five) -> Six:
            |    "lists/in_a_docstring.txt"
            |    x: Seven = g(a).asked.later
            |    with (HERE / "lists" / "b.txt").open(), path("data", "c.txt"):
            |        class Inner(base.Class):
            |            import of_a_class
            |            def method(self, y: "Eight"):
            |                from .. import of_a_method
            |                return lambda: held[y].of
            |    import of.the.function as short
            |    return f"{shown:{width}} d.txt"
            """.replace("            |", "")
        ).body
    )
    chains = {
        *[("registered", "under"), ("default", "of", "it"), ("g",), ("a",), ("x",), ("HERE",)],
        *[("path",), ("base", "Class"), ("held",), ("y",), ("shown",), ("width",)],
    }
    assert set(said.chains) == chains
    assert set(said.annotations) == {"One", "Two", "Three", "four", "Six", "Seven", "Eight"}
    assert {"a.csv", "lists/b.txt", "data/c.txt", " d.txt"} <= said.strings
    assert not any("docstring" in found for found in said.strings)
    imports = {ast.unparse(node) for node in said.imports}
    assert imports == {
        *("import of_a_class", "from .. import of_a_method", "import of.the.function as short")
    }


def test_statements_inside_others_are_found_but_not_those_of_functions_and_classes():
    outer = [
        *("import {0}", "if a: import {0}", "if a: b\nelif c: import {0}", "if a: b\nelse: import {0}"),
        *("for a in b: import {0}", "for a in b: c\nelse: import {0}", "while a: import {0}"),
        *("with a: import {0}", "try: import {0}\nfinally: b", "try: a\nexcept b: import {0}"),
        *("try: a\nexcept* b: import {0}", "try: a\nexcept b: c\nelse: import {0}"),
        *("try: a\nfinally: import {0}", "match a:\n case b: c\n case _: import {0}"),
        *("if a:\n try:\n  with b: import {0}\n except c: d", "async_ = 1; import {0}"),
    ]  # fmt: skip
    inner = ["def f(): import {0}", "class A: import {0}", "if a:\n async def f(): import {0}"]
    source = "\n".join(s.format(f"m{n}") for n, s in enumerate([*outer, *inner]))
    found = [n for n in statements(ast.parse(source).body) if isinstance(n, ast.Import)]
    assert {n.names[0].name for n in found} == {f"m{n}" for n in range(len(outer))}
