"""Questions of a benchmark: one unit per source, recipe and unit of that recipe's builder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.questions.inputs import Inputs
from assets.questions.kit.builder import Builder, builders
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.readings import STRICT
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage

STAGE = Stage("questions", (TABLES["questions"],))


def builders_of(
    benchmark: str, reading: str = STRICT, plugins: tuple[str, ...] = (), home: Path | None = None
) -> dict[str, Builder]:
    """Builders of a benchmark's questions under a reading, by recipe, ascending."""
    known = builders(plugins, home).values()
    read = (b.under(reading) for b in known if b.benchmark == benchmark)
    return {b.recipe: b for b in sorted(read, key=lambda b: b.recipe)}


def configured_builders(settings: Settings, benchmark: str) -> dict[str, Builder]:
    """Builders of a benchmark under its configured reading, by recipe; plug-ins count too."""
    reading = settings.benchmarks[benchmark].reading
    return builders_of(benchmark, reading, settings.plugins, settings.home)


def unit_name(source: str, recipe: str, unit: str) -> str:
    """Unit of questions; also their `pool`. Only the last part may hold slashes."""
    return f"{source}/{recipe}/{unit}"


def split_unit(name: str) -> tuple[str, str, str]:
    """Source, recipe and unit of a unit's name."""
    source, recipe, unit = name.split("/", 2)
    return source, recipe, unit


def wanted(settings: Settings, benchmark: str) -> dict[str, str]:
    """Units and what their questions are made from."""
    units = {}
    made_by = configured_builders(settings, benchmark)
    codes = {recipe: code_version(b.make) for recipe, b in made_by.items()}
    for source in settings.sources_of(benchmark):
        inputs = Inputs(settings.store, source)
        for recipe, builder in made_by.items():
            for unit, uids in inputs.units(builder.unit).items():
                parts = [codes[recipe], *inputs.hashes(builder.reads, unit, uids)]
                units[unit_name(source, recipe, unit)] = digest(parts)
    return units


def grouped(
    settings: Settings, benchmark: str, todo: list[str]
) -> Iterator[tuple[Builder, Inputs, dict[str, list[str]]]]:
    """Units to do by source and recipe: the builder, the source's tables, recordings by unit."""
    made_by = configured_builders(settings, benchmark)
    by_recipe: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in todo:
        source, recipe, unit = split_unit(name)
        by_recipe[source, recipe].append(unit)
    inputs: dict[str, Inputs] = {}
    for (source, recipe), units in by_recipe.items():
        given = inputs.setdefault(source, Inputs(settings.store, source))
        known = given.units(made_by[recipe].unit)
        yield made_by[recipe], given, {unit: known[unit] for unit in units}


def _compute(settings: Settings, benchmark: str, todo: list[str]) -> Iterator[Output]:
    for builder, inputs, units in grouped(settings, benchmark, todo):
        for unit, tables in inputs.read(builder.reads, units):
            name = unit_name(inputs.source, builder.recipe, unit)
            made = builder.make(tables).with_columns(pool=pl.lit(name))
            yield Output([name], {"questions": made})


UNITS = UnitStage(STAGE, wanted, _compute)
