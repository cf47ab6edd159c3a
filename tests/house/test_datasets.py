"""Every dataset folder under `assets/sources` is complete, and has the same names for the same things.

`problems` takes the folders as arguments, so that the tests below can show that it finds what is missing.
"""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assets.sources.layout import PART_TABLES, Layout
from assets.sources.registry import layouts
from assets.sources.release_sizes import CERTAINTIES, released
from expectations.published import figures

HOUSE = Path(__file__).parents[2]
SOURCES = HOUSE / "assets/sources"
GUIDE = HOUSE / "docs/datasets.md"
MIRROR = HOUSE / "tests/assets/sources"

ASPECTS = frozenset({"__init__", "files", *PART_TABLES})
"""Modules with an agreed meaning: where the files are, and one module per part of a layout."""
OTHER_FILES = frozenset({"README.md", "published.toml", "refined.csv", "release_sizes.csv"})
HEADINGS = ("How the layout is known", "Traps", "Refused", "Licence")

OWN = {
    name: one
    for name, one in layouts().items()
    if one.folder is not None and one.folder.parent == SOURCES
}


def problems(layout: Layout, folder: Path, guide: str, mirror: Path) -> list[str]:
    """What a dataset folder lacks or names otherwise, one sentence each.

    Args:
        layout: Layout of the dataset.
        folder: Its folder.
        guide: Text of docs/datasets.md.
        mirror: Folder of the tests of all datasets.
    """
    return [
        f"{folder.name}: {text}"
        for check in (_init, _modules, _readme, _figures, _documentation, _tests)
        for text in check(layout, folder, guide, mirror)
    ]


def _init(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    """`__init__` declares the layout and nothing that reads files."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    public = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]
    if public != ["LAYOUT"]:
        yield f"__init__.py assigns {public}; it should assign LAYOUT alone"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield f"__init__.py defines {node.name}; move it to the module of its part"


def _modules(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    """Each part is read in the module of its name; other modules are named by the README."""
    for part in layout.parts:
        home = Path(inspect.getfile(part.read))
        if home != folder / f"{part.name}.py":
            yield f"part {part.name} is read in {home.name}; read it in {part.name}.py"
    parts = {part.name for part in layout.parts}
    readme = _text(folder / "README.md")
    for path in sorted(folder.iterdir()):
        if path.is_dir() or path.name in OTHER_FILES:
            continue
        if path.suffix != ".py":
            yield f"{path.name} is not an agreed file; use one of {sorted(OTHER_FILES)}"
        elif path.stem in PART_TABLES and path.stem not in parts:
            yield f"{path.name} has the name of a part that the layout does not have"
        elif path.stem not in ASPECTS and f"`{path.name}`" not in readme:
            yield f"{path.name} is not an agreed name and README.md does not say what it is for"


def _readme(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    readme = _text(folder / "README.md")
    if not readme:
        yield "README.md is missing"
        return
    if f"(`{layout.name}`)" not in readme.splitlines()[0]:
        yield f"the title of README.md does not name the layout `{layout.name}`"
    for heading in HEADINGS:
        if f"**{heading}" not in readme:
            yield f"README.md has no section `{heading}`"
    if layout.certainty not in readme:
        yield f"README.md does not say that the layout is {layout.certainty}"
    if bool(layout.assumed) != ("ssumed" in readme):
        yield "README.md and the layout differ on whether anything is assumed"
    if layout.may_be_passed_on != ("Frames may be shown." in readme):
        yield "README.md and the layout differ on whether frames may be shown"
    rows = dict(re.findall(r"^\| (\w+) \| .+ \| (.+) \|$", readme, flags=re.MULTILINE))
    rows.pop("part", None)
    if list(rows) != [part.name for part in layout.parts]:
        yield f"the table in README.md has the parts {list(rows)}, not those of the layout"
    for name, tables in rows.items():
        unknown = set(re.findall(r"`(\w+)`", tables)) - set(PART_TABLES.get(name, ()))
        if unknown:
            yield f"README.md: part {name} cannot fill {sorted(unknown)}"


def _figures(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    """Published figures and release sizes, where there are any, can be read."""
    try:
        figures(layout.name, _text(folder / "published.toml"))
    except (ValueError, TypeError, tomllib.TOMLDecodeError) as error:
        yield f"published.toml cannot be read: {error}"
    names = {part.name for part in layout.parts}
    for size in released(replace(layout, folder=folder)):
        if size.part not in names or size.certainty not in CERTAINTIES:
            yield f"release_sizes.csv: {size.what!r} names no part of the layout or no certainty"


def _documentation(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    row = f"| `{layout.name}` | {layout.title} | {layout.certainty} | {layout.licence} |"
    if row not in guide:
        yield f"docs/datasets.md has no row {row!r}"


def _tests(layout: Layout, folder: Path, guide: str, mirror: Path) -> Iterator[str]:
    if not list((mirror / folder.name).glob("test_*.py")):
        yield f"there is no test module in tests/assets/sources/{folder.name}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_dataset_folder_is_complete(name: str) -> None:
    layout = OWN[name]
    assert layout.folder is not None
    found = problems(layout, layout.folder, GUIDE.read_text(encoding="utf-8"), MIRROR)
    assert not found, "\n".join(found)


def test_every_folder_is_a_layout_or_shared_code() -> None:
    """Shared code: readers of forms, and families of devices that several datasets use."""
    folders = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    declared = {one.folder.name for one in OWN.values() if one.folder is not None}
    assert folders - declared == {"aria", "pupil", "reading"}


# -- the test can fail -------------------------------------------------------------------------------

TOY = '''"""Toy."""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part, Rows


def read_recordings(part):
    return Rows({})


EXTRA = 1
LAYOUT = Layout(
    name="toy",
    folder=Path(__file__).parent,
    title="Toy",
    licence="mine",
    certainty="inferred",
    assumed="all of it",
    parts=(Part("recordings", read_recordings, "list.csv"),),
)
'''


def _toy(folder: Path) -> Layout:
    folder.mkdir()
    (folder / "__init__.py").write_text(TOY)
    return runpy.run_path(str(folder / "__init__.py"))["LAYOUT"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("list.txt", "", "list.txt is not an agreed file"),
        ("helpers.py", "", "helpers.py is not an agreed name"),
        ("objects.py", "", "objects.py has the name of a part that the layout does not have"),
        ("README.md", "# Toy\n", "does not name the layout `toy`"),
        ("README.md", "# Toy (`toy`)\n", "has no section `Traps`"),
        ("README.md", "# Toy (`toy`)\n", "does not say that the layout is inferred"),
        ("README.md", "# Toy (`toy`)\n", "differ on whether anything is assumed"),
        ("README.md", "# Toy (`toy`)\nFrames may be shown.\n", "whether frames may be shown"),
        ("README.md", "# Toy (`toy`)\n| objects | x | `boxes` |\n", "has the parts ['objects']"),
        ("README.md", "# T\n| objects | x | `images` |\n", "part objects cannot fill ['images']"),
        ("published.toml", "figure = [{}]\n", "published.toml cannot be read"),
        ("published.toml", "figure = \n", "published.toml cannot be read"),
        (
            "release_sizes.csv",
            "part,media,what,bytes,certainty,said_in\nsongs,false,all,1,verified,x\n",
            "'all' names no part",
        ),
        (None, "", "README.md is missing"),
        (None, "", "assigns ['EXTRA', 'LAYOUT']"),
        (None, "", "defines read_recordings"),
        (None, "", "part recordings is read in __init__.py"),
        (None, "", "docs/datasets.md has no row '| `toy` | Toy | inferred | mine |'"),
        (None, "", "no test module in tests/assets/sources/toy"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, file: str | None, text: str, message: str
) -> None:
    folder = tmp_path / "toy"
    layout = _toy(folder)
    if file is not None:
        (folder / file).write_text(text)
    found = problems(layout, folder, "", tmp_path)
    assert any(one.startswith("toy: ") and message in one for one in found), found
