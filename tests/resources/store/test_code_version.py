"""Versions of code: what a function does counts, how it is written down does not."""

from __future__ import annotations

import importlib
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from resources.store import code_version as versions

BASE = {
    "thing/__init__.py": "",
    "thing/stage.py": """
        from __future__ import annotations
        import json
        import thing.deep.nested
        import thing.deep.nested as short
        from thing import whole
        from thing.deep import exported
        from . import sibling
        from .sibling import helper, Shape, decorate, LIMIT as CEILING
        from thing.registry import call_all
        from pathlib import Path
        from importlib.resources import files

        FACTOR = 2
        TABLE = {"held": sibling.in_dict, "pair": (sibling.in_tuple,)}
        alias = sibling.aliased

        def by_default(value=sibling.DEFAULT):
            return value

        @decorate
        def compute(shape: Shape, rows: list[int] = ()) -> int:
            "What it does."
            from thing.local import inside
            text = (Path(__file__).parent / "lists" / "list.txt").read_text()
            more = files("thing.data").joinpath("table.toml").read_text()
            thing.deep.nested.dotted()
            short.by_alias()
            whole.asked()
            return helper(FACTOR) + shape.area() + CEILING + exported() + alias() + inside() + by_default()

        def unrelated():
            return 1
        """,
    "thing/sibling.py": """
        from __future__ import annotations
        LIMIT = 3
        DEFAULT = 4
        STATE = {}
        STATE["set"] = 1
        STATE.update(more=1)
        def helper(x: int) -> int:
            # A comment.
            y: int = x + 1
            return inner(y) + len(STATE)
        def inner(x): return x
        def in_dict(): return 1
        def in_tuple(): return 1
        def aliased(): return 1
        def decorate(f): return f
        def unused(): return 1
        class Shape:
            "A shape."
            def area(self) -> int:
                return 1
        """,
    "thing/deep/__init__.py": "from thing.deep.hidden import exported\n",
    "thing/deep/hidden.py": "def exported(): return 1\n",
    "thing/deep/nested.py": "def dotted(): return 1\ndef by_alias(): return 1\ndef unused(): return 1\n",
    "thing/whole.py": "def asked(): return 1\ndef other(): return 3\n",
    "thing/local.py": "def inside(): return 1\n",
    "thing/registry.py": """
        HANDLERS = []
        def register(f):
            HANDLERS.append(f)
            return f
        @register
        def handler(): return 1
        def call_all(): return [h() for h in HANDLERS]
        """,
    "thing/lists/list.txt": "a\n",
    "thing/words/other.txt": "b\n",
    "thing/more/other.txt": "b\n",
    "thing/data/__init__.py": "",
    "thing/data/table.toml": "a = 1\n",
    "thing/template.j2": "{% include 'part.j2' %}\n",
    "thing/part.j2": "part\n",
    "thing/apart.j2": "nobody's\n",
}


@pytest.fixture
def version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Version of `compute` after replacements of text in files."""
    numbers = itertools.count()
    monkeypatch.setattr(versions, "PROJECT", (*versions.PROJECT, "thing"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget() -> None:
        for name in [n for n in sys.modules if n.partition(".")[0] == "thing"]:
            del sys.modules[name]
        for cached in ("_remembered", "_module", "_definition", "_is_module", "code_version"):
            getattr(versions, cached).cache_clear()
        importlib.invalidate_caches()

    def of(*edits: tuple[str, str, str], place: str = "") -> str:
        root = tmp_path / f"{next(numbers)}{place}"
        for name, text in BASE.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        for name, old, new in edits:
            text = (root / name).read_text()
            assert text.count(old) == 1, (name, old, text.count(old))
            (root / name).write_text(text.replace(old, new))
        forget()
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(root))
            return versions.code_version(importlib.import_module("thing.stage").compute)

    yield of
    forget()


REACHED = [
    ("a constant of the module", "thing/stage.py", "FACTOR = 2", "FACTOR = 3"),
    ("a constant by another name", "thing/sibling.py", "LIMIT = 3", "LIMIT = 5"),
    ("a default argument's constant", "thing/sibling.py", "DEFAULT = 4", "DEFAULT = 5"),
    ("a default argument", "thing/stage.py", "rows: list[int] = ()", "rows: list[int] = (1,)"),
    ("a decorator", "thing/stage.py", "@decorate\n", ""),
    (
        "what a decorator does",
        "thing/sibling.py",
        "def decorate(f): return f",
        "def decorate(f): return [f][0]",
    ),
    ("a helper", "thing/sibling.py", "y: int = x + 1", "y: int = x + 2"),
    ("a helper's helper", "thing/sibling.py", "def inner(x): return x", "def inner(x): return -x"),
    (
        "a method of an annotated class",
        "thing/sibling.py",
        "        return 1",
        "        return 2",
    ),
    ("an item set in a table", "thing/sibling.py", 'STATE["set"] = 1', 'STATE["set"] = 2'),
    (
        "a call that changes a table",
        "thing/sibling.py",
        "STATE.update(more=1)",
        "STATE.update(more=2)",
    ),
    (
        "a function under another name",
        "thing/sibling.py",
        "def aliased(): return 1",
        "def aliased(): return 2",
    ),
    ("a dotted import", "thing/deep/nested.py", "def dotted(): return 1", "def dotted(): return 2"),
    (
        "a module under another name",
        "thing/deep/nested.py",
        "def by_alias(): return 1",
        "def by_alias(): return 2",
    ),
    ("a re-export", "thing/deep/hidden.py", "return 1", "return 2"),
    (
        "a module imported from its package",
        "thing/whole.py",
        "asked(): return 1",
        "asked(): return 2",
    ),
    ("an import inside the function", "thing/local.py", "return 1", "return 2"),
    ("a file by path", "thing/lists/list.txt", "a", "b"),
    ("a resource of a package", "thing/data/table.toml", "a = 1", "a = 2"),
]
NOT_REACHED = [
    ("a comment", "thing/sibling.py", "# A comment.", "# Another."),
    ("a docstring", "thing/stage.py", '"What it does."', '"Something else."'),
    ("no docstring", "thing/sibling.py", '"A shape."\n', "\n"),
    ("an annotation of an argument", "thing/sibling.py", "def helper(x: int) -> int:", "def helper(x: float):"),
    ("an annotation of a variable", "thing/sibling.py", "y: int = x + 1", "y: float = x + 1"),
    ("layout", "thing/sibling.py", "def inner(x): return x", "def inner(x):\n\n    return (x)"),
    ("a function nobody calls", "thing/stage.py", "return 1", "return 2"),
    ("another function of a module", "thing/deep/nested.py", "def unused(): return 1", "def unused(): return 2"),
    ("a file nobody names", "thing/apart.j2", "nobody's", "no one's"),
]  # fmt: skip


def test_what_is_reached_counts_and_what_is_not_does_not(version):
    before = version()
    for what, *edit in REACHED:
        assert version(tuple(edit)) != before, what
    for what, *edit in NOT_REACHED:
        assert version(tuple(edit)) == before, what
    assert version(place="/moved/elsewhere") == before


USES = "return helper(FACTOR)"


@pytest.mark.parametrize(
    ("use", "name", "old", "new"),
    [
        ("TABLE['held']()", "thing/sibling.py", "def in_dict(): return 1", "def in_dict(): return 2"),
        ("TABLE['pair']", "thing/sibling.py", "def in_tuple(): return 1", "def in_tuple(): return 2"),
        ("call_all()", "thing/registry.py", "def handler(): return 1", "def handler(): return 2"),
        ("json.dumps(whole)", "thing/whole.py", "return 3", "return 4"),
        ("getattr(short, 'un' + 'used')", "thing/deep/nested.py", "def unused(): return 1", "def unused(): return 2"),
        ("open('template.j2')", "thing/template.j2", "part", "apart"),
        ("open('template.j2')", "thing/part.j2", "part", "other"),
        ("open('words')", "thing/words/other.txt", "b", "c"),
        ("map(sibling.unused, [])", "thing/sibling.py", "def unused(): return 1", "def unused(): return 2"),
    ],
)  # fmt: skip
def test_what_is_handed_on_as_a_value_counts(version, use, name, old, new):
    uses = ("thing/stage.py", USES, f"return {use}, helper(FACTOR)")
    assert version(uses) != version()
    assert version(uses) != version(uses, (name, old, new))
    assert version() == version((name, old, new))


@pytest.mark.parametrize(
    "use",
    [
        "(lambda x: x)(f'/proc/{CEILING}/stat')",  # a folder of the machine
        "helper(sibling.Shape.__name__ + './ /')",
    ],
)
def test_texts_that_only_look_like_files_are_passed_over(version, use):
    uses = ("thing/stage.py", USES, f"return {use}, helper(FACTOR)")
    assert version(uses) != version()


def test_odd_annotations_name_nothing_and_stop_nothing(version):
    words = ("thing/sibling.py", "def helper(x: int)", "def helper(x: 'metres per second')")
    assert version(words) == version()
    # A package that hands on its own module, asked for a class of that module's name.
    circle = ("thing/deep/__init__.py", "from thing.deep", "from . import hidden\nfrom thing.deep")
    asked = ("thing/stage.py", "rows: list[int] = ()", "rows: exported = ()")
    through = ("thing/stage.py", "import exported", "import exported, hidden")
    asked_module = ("thing/stage.py", "rows: list[int] = ()", "rows: hidden.T = ()")
    assert version(circle, asked)
    assert version(circle, through, asked_module)


def test_the_import_that_counts_is_the_last_one_run(version):
    chosen = (
        "thing/stage.py",
        "from thing.registry import call_all",
        "try:\n    import json\nexcept ImportError:\n    from thing.whole import other as call_all\n"
        "else:\n    from thing.registry import call_all",
    )
    uses = ("thing/stage.py", USES, "return call_all(), helper(FACTOR)")
    taken = ("thing/registry.py", "def handler(): return 1", "def handler(): return 2")
    assert version(chosen, uses) != version(chosen, uses, taken)


def test_two_files_of_one_name_both_count(version):
    uses = ("thing/stage.py", USES, "return open('words/other.txt'), open('more/other.txt')")
    for name in ("thing/words/other.txt", "thing/more/other.txt"):
        assert version(uses) != version(uses, (name, "b", "c")), name


def test_what_python_compiles_is_no_data(tmp_path, monkeypatch):
    """It changes with every process, and versions would with it."""
    folder = tmp_path / "parallax_plugin_compiled"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "kept.json").write_text("a")
    (folder / "__init__.py").write_text(
        "def f(): return '__pycache__', './__pycache__/kept.json'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    reached = versions._Reached()
    versions._start(importlib.import_module(folder.name).f, reached)
    assert reached.files == {}


def test_asking_a_built_in_class_changes_nothing_of_it(version):
    """`dict.fromkeys` of a table that nobody uses does not make it part of every `dict`."""
    uses = ("thing/stage.py", USES, "return dict(a=helper(FACTOR))")
    table = "STATE = {}\nUNUSED = dict.fromkeys({}, 1)"
    first = ("thing/sibling.py", "STATE = {}", table)
    other = ("thing/sibling.py", "STATE = {}", table.replace("1)", "2)"))
    calls = ("thing/sibling.py", "def inner(x): return x", "def inner(x): return dict(a=x)")
    assert version(uses, calls, first) == version(uses, calls, other)


def test_modules_of_others_are_not_touched(monkeypatch):
    class Lazy:
        def __getattribute__(self, name: str) -> object:
            raise ImportError(name)

    monkeypatch.setitem(sys.modules, "somebody_elses", Lazy())
    versions._remember_sources()


def test_a_file_that_came_later_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    told = []
    for number in ("one", "two"):
        name = f"parallax_plugin_later_{number}"
        (tmp_path / f"{name}.py").write_text(f"def f(): return open('{number}.csv')\n")
        (tmp_path / f"{number}.csv").write_text("a")
        importlib.invalidate_caches()
        reached = versions._Reached()
        versions._start(importlib.import_module(name).f, reached)
        told.append([path.name for path in reached.files])
    assert told == [["one.csv"], ["two.csv"]]


def test_a_library_counts_by_its_version(monkeypatch):
    from resources.store.locks import s3_client
    from resources.store.tables import TableStore

    before = versions.compute_version(TableStore)
    real = versions.version
    monkeypatch.setattr(versions, "version", lambda n: "99" if n == "polars" else real(n))
    assert versions.compute_version(TableStore) != before
    monkeypatch.setattr(versions, "version", lambda n: "99" if n == "s3fs" else real(n))
    assert versions.compute_version(s3_client)[0] == versions.code_version(s3_client)


def test_partial_functions_count_with_what_they_bind():
    from functools import partial

    from resources.store.code_version import code_version
    from resources.store.files import _even

    versions = {code_version(f) for f in (_even, partial(_even, 1), partial(_even, rows=2))}
    assert len(versions) == 3
    with pytest.raises(ValueError, match="no version"):
        code_version(partial(_even, object()))
    with pytest.raises(ValueError, match="top-level"):
        code_version(lambda: 1)
