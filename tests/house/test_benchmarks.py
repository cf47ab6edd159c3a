"""Every declared subtask is complete: what each needs is listed here, and what is missing is named.

`problems` takes folders and declarations as arguments, so that the tests below can show that it finds what is
missing.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assets.questions.kit.builder import Builder, builders
from expectations.gates.registry import derivations
from expectations.schemas.readings import bare_recipe
from resources.models.protocol import read_protocols
from tests.derivations.registry import CASES, MODULES, WORLDS

HOUSE = Path(__file__).parents[2]
HEADINGS = ("What the paper defines", "What is built here", "Readings", "Deviations")
LEAST_FAULTS = 20


@dataclass(frozen=True)
class House:
    """Where the parts of a subtask lie.

    Attributes:
        questions: Folder of a folder per benchmark.
        derivations: Benchmark and subtask of every derivation, with the recipes it covers.
        worlds: Benchmark and recipe (without its version) of every small world, with its faults.
        tests: Folder of all tests.
        golden: Recipes with stored rows.
        page: Text of `docs/questions.md`.
        deviations: Text of `docs/deviations.md`.
    """

    questions: Path
    derivations: dict[tuple[str, str], tuple[str, ...]]
    worlds: dict[tuple[str, str], int]
    tests: Path
    golden: frozenset[str]
    page: str
    deviations: str


def _worlds() -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    faults = Counter(name for name, _ in CASES)
    for name, world in WORLDS.items():
        key = (world.question["benchmark"], bare_recipe(world.question["recipe"]))
        counts[key] = min(faults[name], counts.get(key, faults[name]))
    return counts


def _golden() -> frozenset[str]:
    with (HOUSE / "tests/assets/questions/golden_rows.csv").open(encoding="utf-8") as file:
        return frozenset(row["recipe"] for row in csv.DictReader(file))


OURS = House(
    questions=HOUSE / "assets/questions",
    derivations={key: one.recipes for key, one in derivations().items()},
    worlds=_worlds(),
    tests=HOUSE / "tests",
    golden=_golden(),
    page=(HOUSE / "docs/questions.md").read_text(encoding="utf-8"),
    deviations=(HOUSE / "docs/deviations.md").read_text(encoding="utf-8"),
)
BUILDERS = builders()


def problems(module: str, builder: Builder, house: House) -> list[str]:
    """What the subtasks of a builder lack, one sentence each.

    Args:
        module: Name of the builder's module.
        builder: The builder.
        house: Where to look.
    """
    name, folder = module.rpartition(".")[2], house.questions / builder.benchmark
    checks = (_module, _derivation, _world, _tests, _benchmark, _documentation)
    return [
        f"{builder.benchmark}/{name}: {text}"
        for check in checks
        for text in check(name, builder, folder, house)
    ]


def _module(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    if name != bare_recipe(builder.recipe):
        yield f"recipe {builder.recipe} has another name than its module"
    if not (folder / f"{name}.py").is_file():
        yield f"no builder {name}.py in {folder.name}/"
    if not (folder / f"{name}.j2").is_file():
        yield f"no template {name}.j2 in {folder.name}/"
    if not builder.needs or not builder.limits:
        yield "the builder states no needs or no limits"
    if not builder.rules:
        yield "the builder lists no rules, by which its candidates are counted"


def _derivation(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    for subtask in builder.subtasks:
        recipes = house.derivations.get((builder.benchmark, subtask))
        if recipes is None:
            yield f"no derivation of {subtask}"
        elif bare_recipe(builder.recipe) not in recipes:
            yield f"the derivation of {subtask} does not cover recipe {builder.recipe}"


def _world(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    planted = house.worlds.get((builder.benchmark, bare_recipe(builder.recipe)))
    if planted is None:
        yield "no small world to plant faults in"
    elif planted < LEAST_FAULTS:
        yield f"{planted} planted faults; at least {LEAST_FAULTS} are needed"


def _tests(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    if not (house.tests / "assets/questions" / folder.name / f"test_{name}.py").is_file():
        yield f"no test tests/assets/questions/{folder.name}/test_{name}.py"
    module = f"assets.questions.{folder.name}.{name} import"
    truths = (path.read_text(encoding="utf-8") for path in (house.tests / "truth").rglob("*.py"))
    if not any(module in text for text in truths):
        yield "no truth test (tests/truth) builds its questions from a simulated world"
    if builder.recipe not in house.golden:
        yield f"no golden rows of recipe {builder.recipe}"


def _benchmark(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    protocols, about, readme = (
        _text(folder / file) for file in ("protocols.toml", "benchmark.toml", "README.md")
    )
    if not read_protocols(protocols):
        yield "the benchmark declares no protocol in protocols.toml"
    for field in ("title", "paper"):
        if not tomllib.loads(about).get(field):
            yield f"benchmark.toml states no {field}"
    for heading in HEADINGS:
        if f"\n## {heading}\n" not in readme:
            yield f"README.md has no section {heading!r}"
    if f"`{builder.recipe}`" not in readme:
        yield f"README.md does not name recipe {builder.recipe}"
    for subtask in builder.subtasks:
        if f"`{subtask}`" not in readme:
            yield f"README.md does not name subtask {subtask}"


def _documentation(name: str, builder: Builder, folder: Path, house: House) -> Iterator[str]:
    rows = [line for line in house.page.splitlines() if line.startswith("| `")]
    if not any(f"`{name}`" in line.split("|")[1] for line in rows):
        yield "docs/questions.md has no row in the table of effective chances"
    anchor = _text(folder / "README.md").rpartition("deviations.md#")[2].partition(")")[0]
    headings = [line[3:] for line in house.deviations.splitlines() if line.startswith("## ")]
    if builder.make_as_paper is not None and anchor not in map(_anchor, headings):
        yield f"README.md links to no section of docs/deviations.md (#{anchor})"


def _anchor(heading: str) -> str:
    kept = "".join(c for c in heading.casefold() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@pytest.mark.parametrize("module", BUILDERS)
def test_a_subtask_is_complete(module: str) -> None:
    assert problems(module, BUILDERS[module], OURS) == []


def test_every_benchmark_folder_has_a_builder_and_every_derivation_one() -> None:
    folders = {path.parent.name for path in OURS.questions.glob("*/benchmark.toml")}
    assert folders == {builder.benchmark for builder in BUILDERS.values()}
    built = {(b.benchmark, subtask) for b in BUILDERS.values() for subtask in b.subtasks}
    assert OURS.derivations.keys() == built


def test_every_derivation_has_small_worlds_and_faults_under_its_name() -> None:
    paths = (HOUSE / "expectations/derivations").glob("*/[!_]*.py")
    assert {f"{path.parent.name}.{path.stem}" for path in paths} == MODULES.keys()
    for name, module in MODULES.items():
        assert module.WORLDS, name
        assert module.FAULTS, name


MODULE = "assets.questions.egoprox.intention_relative"
HERE = BUILDERS[MODULE]


@pytest.mark.parametrize(
    ("builder", "house", "missing"),
    [
        (HERE, replace(OURS, derivations={}), "no derivation of intention_relative"),
        (HERE, replace(OURS, worlds={}), "no small world"),
        (HERE, replace(OURS, worlds={("egoprox", "intention_relative"): 3}), "3 planted faults"),
        (HERE, replace(OURS, golden=frozenset()), "no golden rows"),
        (HERE, replace(OURS, page=""), "no row in the table"),
        (HERE, replace(OURS, deviations=""), "links to no section"),
        (HERE, replace(OURS, tests=HOUSE / "nowhere"), "no truth test"),
        (HERE, replace(OURS, questions=HOUSE / "nowhere"), "no template intention_relative.j2"),
        (HERE, replace(OURS, questions=HOUSE / "nowhere"), "declares no protocol"),
        (HERE, replace(OURS, questions=HOUSE / "nowhere"), "README.md has no section"),
        (replace(HERE, recipe="another@1"), OURS, "has another name than its module"),
        (replace(HERE, subtasks=("other",)), OURS, "README.md does not name subtask other"),
        (replace(HERE, limits=""), OURS, "states no needs or no limits"),
        (replace(HERE, rules=()), OURS, "lists no rules"),
    ],
)
def test_what_is_missing_is_named(builder: Builder, house: House, missing: str) -> None:
    found = problems(MODULE, builder, house)
    assert any(missing in text for text in found), found
