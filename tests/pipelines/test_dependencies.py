"""What a stage reads is what Dagster is told: else a change upstream starts nothing by automation.

A small installation is brought up to date while every read of a table, and of a ledger's word on a
table, is recorded; the dependencies that Dagster knows must hold all of them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from assets.dagster.graph import upstream
from assets.options import Options, silent
from assets.questions.gating import gate_reads
from assets.questions.kit.builder import builders
from assets.questions.stage import builder_reads
from assets.report.stage import STAGE as PAGES
from assets.stage import Stage, merge_reads
from expectations.checks.keys import asset_key
from pipelines.definitions import STAGES, definitions
from pipelines.run.steps import Scope, steps
from resources.config import Settings, load_settings
from resources.store import ledger
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, write_egoexolearn
from resources.worlds.flat import FlatSpec
from resources.worlds.flat.easg import write_easg

CONFIG = """
store = "tables"
page = "page.html"
[sources.sample-house]
layout = "egoexolearn"
root = "house"
reviews = ["people"]
sentence_match = "none"
[sources.flat]
layout = "easg"
root = "flat"
sentence_match = "none"
[sources.people]
layout = "reviews"
root = "people"
[benchmarks.egobridge]
sources = ["sample-house"]
readers = ["mute"]
[text_models.mute]
engine = "random"
[benchmarks.egocot]
sources = ["flat"]
protocol = "egocot_reasoning"
judges = ["silent"]
readers = ["random"]
[judges.silent]
engine = "random"
[runs.random]
engine = "random"
protocol = "own"
limit = 20
auto = true
"""
BENCHMARKS = ("egobridge", "egocot")
PAGE = "page"
WRITERS = {table: stage.name for stage in STAGES for table in stage.tables}
Reads = dict[tuple[str, str], set[tuple[str, str]]]


@dataclass
class Recorder:
    """Tables and partitions that were read, by who read them: stage and partition."""

    reads: Reads = field(default_factory=lambda: defaultdict(set))
    reader: tuple[str, str] | None = None

    def saw(self, table: str, partition: str) -> None:
        if self.reader is not None:
            self.reads[self.reader].add((table, partition))

    @contextmanager
    def by(self, name: str, partition: str) -> Iterator[None]:
        """All that is read inside is read by this stage in this partition."""
        self.reader = (name, partition)
        yield
        self.reader = None


class Entries(dict[str, Any]):
    """Tables of a ledger entry that tell which of them anybody looked at."""

    def __init__(self, tables: Any, partition: str, recorder: Recorder) -> None:
        super().__init__(tables)
        self._partition = partition
        self._recorder = recorder

    def __getitem__(self, table: str) -> Any:
        self._recorder.saw(table, self._partition)
        return super().__getitem__(table)

    def __contains__(self, table: object) -> bool:
        self._recorder.saw(str(table), self._partition)
        return super().__contains__(table)

    def get(self, table: str, default: Any = None) -> Any:  # type: ignore[override]
        self._recorder.saw(table, self._partition)
        return super().get(table, default)

    def items(self) -> Any:
        for table in self:
            self._recorder.saw(table, self._partition)
        return super().items()

    def values(self) -> Any:
        for table in self:
            self._recorder.saw(table, self._partition)
        return super().values()


@contextmanager
def recorded() -> Iterator[Recorder]:
    """Record every read of the store's tables in this process."""
    recorder = Recorder()
    scan, entry = TableStore.scan, ledger._entry

    def scanned(
        self: TableStore, table: Any, partition: str | None = None, *rest: Any, **more: Any
    ) -> pl.LazyFrame:
        for one in self.partitions(table) if partition is None else [partition]:
            recorder.saw(table.name, one)
        return scan(self, table, partition, *rest, **more)

    def told(row: dict) -> ledger.Entry:
        made = entry(row)
        object.__setattr__(made, "tables", Entries(made.tables, row["partition"], recorder))
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableStore, "scan", scanned)
        patch.setattr(ledger, "_entry", told)
        patch.setattr(ledger, "_HELD", {})
        yield recorder


def decide(root: Path, folder: Path) -> None:
    """A decision of every kind; the segment is there, the rest need not be."""
    with (root / "annotations/fine_annotation_trainvaltest_en.csv").open(encoding="utf-8") as file:
        segment = f"fine:{next(csv.DictReader(file))['annotation_id']}"
    items = {"label": segment, "translation": segment, "pair": "of two segments"}
    folder.mkdir()
    with (folder / "decisions.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(("source", "item_kind", "item_id", "item_hash", "verdict", "reviewer"))
        out.writerows(
            ("sample-house", kind, key, "0" * 32, "reject", "ann") for kind, key in items.items()
        )


@dataclass(frozen=True)
class Graph:
    """What was read, and what Dagster was told.

    Attributes:
        reads: What was read, by stage and partition.
        declared: What starts a stage, by stage and partition.
        filled: Partitions by table: in others, it has no row whatever the files hold.
    """

    reads: Reads
    declared: Reads
    filled: dict[str, set[str]]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    base = tmp_path_factory.mktemp("graph")
    (base / "parallax.toml").write_text(CONFIG)
    write_egoexolearn(HouseholdSpec(ego=2, exo=2, render="small"), base / "house")
    write_easg(FlatSpec("easg", 1, "parallax", "none", 8), base / "flat")
    decide(base / "house", base / "people")
    settings = load_settings(base / "parallax.toml")
    with recorded() as recorder:
        for step in steps(settings, Scope()):
            for stage in step.stages:
                with recorder.by(stage.name, step.partition):
                    stage.refresh(settings, step.partition, Options(), silent)
                    stage.is_fresh(settings, step.partition, Options())
        for benchmark in settings.benchmarks:
            with recorder.by(PAGE, benchmark):
                PAGES.refresh(settings, benchmark, Options(), silent)
                assert PAGES.is_fresh(settings, benchmark, Options())
    specs = definitions(settings).resolve_all_asset_specs()
    filled = {
        spec.key.path[-1]: set(spec.partitions_def.get_partition_keys())
        for spec in specs
        if spec.partitions_def is not None
    }
    return Graph(recorder.reads, declared(settings), filled)


def declared(settings: Settings) -> Reads:
    """Tables and partitions whose change starts each stage, by partition.

    The tables of a stage are written in one step. A relay is written whenever its own stage is started, so
    that it starts an asset for everything its stage depends on.
    """
    known = definitions(settings).resolve_asset_graph()
    found: Reads = {}
    for stage in [*STAGES, PAGES]:
        assets = [asset_key(table) for table in stage.tables or (PAGE,)]
        relays = set().union(*(upstream(stage, key.path[-1], STAGES).relays for key in assets))
        for asset in assets:
            node = known.get(asset)
            parts = node.partitions_def
            assert parts is not None
            for partition in parts.get_partition_keys():
                told = found.setdefault((stage.name, partition), set())
                for parent in node.parent_keys:
                    table = parent.path[-1]
                    if table not in WRITERS:
                        continue
                    for one in upstream_of(known, node.key, parent, partition):
                        told.add((table, one))
                        if table in relays:
                            told |= found[WRITERS[table], one]
    return found


def upstream_of(known: Any, key: dg.AssetKey, parent: dg.AssetKey, partition: str) -> list[str]:
    parts, others = known.get(key).partitions_def, known.get(parent).partitions_def
    mapping = known.get_partition_mapping(key, parent)
    result = mapping.get_upstream_mapped_partitions_result_for_partitions(
        parts.subset_with_partition_keys([partition]), parts, others
    )
    return sorted(result.partitions_subset.get_partition_keys())


@pytest.mark.parametrize("reader", [*(stage.name for stage in STAGES), PAGE])
def test_what_a_stage_reads_is_among_its_dependencies(reader: str, graph: Graph) -> None:
    own = next((set(stage.tables) for stage in STAGES if stage.name == reader), set())
    # A listing is known to stages by the contents of media in `recordings`.
    assets = {table for stage in STAGES for table in stage.tables} - {"files"}
    seen, undeclared = set(), set()
    for (name, partition), reads in graph.reads.items():
        if name != reader:
            continue
        others = {(table, at) for table, at in reads if table in assets - own}
        if name == PAGE:
            # The front page, which is written along, shows all benchmarks.
            others = {(table, at) for table, at in others if not of_another(at, partition)}
        seen |= others
        fillable = {(table, at) for table, at in others if at in graph.filled[table]}
        undeclared |= fillable - graph.declared[name, partition]
    assert undeclared == set()
    # The sources read files alone; of any other stage that reads nothing, nothing was tested.
    assert bool(seen) == (reader not in {"sources", *NOT_RUN_IN_SAMPLE})


NOT_RUN_IN_SAMPLE = frozenset(("aligned_questions", "domain_gaps", "domain_points", "wordings"))
"""Stages that compare a benchmark with questions about daily life, or reword its templates: no benchmark of the
sample is, for no model is configured to. What the former read of another benchmark starts nothing by automation, as docs/questions.md says."""
UNREAD_IN_SAMPLE = {
    # No narration is in another script, and none is compared by a vector.
    "translations": {"reviews"},
    "sentence_vectors": {"segments", "translations"},
    "pairs": {"sentence_vectors"},
    # States are written after the labels they are about; which labels these are does not matter.
    # Views of a take matter to decisions on directions alone, and nobody judged a row of a graph.
    "review_states": {"labels", "recordings", "relations", "object_states", "boxes"},
    # Nothing is annotated in space, so nothing is planned.
    "navigation": {"camera_poses"},
    # Nothing is annotated in space, so no keystep has a place.
    "step_places": {"segments"},
    # No question is answered in words.
    "predictions": {"taxonomies"},
    # No question of the small graph is published and answered.
    "judgements": {"calls"},
    # Nobody has judged a question.
    "question_reviews": {"questions"},
}
"""Tables that a stage declares and the two small sources give it no reason to read."""


def unread_in_sample(stage: Stage) -> set[str]:
    """Tables that a stage declares and does not read of the sample."""
    if stage.name in NOT_RUN_IN_SAMPLE:
        return set(stage.deps)
    reads_of = {"questions": builder_reads, "question_gates": gate_reads}.get(stage.name)
    if reads_of is None:
        return UNREAD_IN_SAMPLE.get(stage.name, set())
    # Other recipes read other tables.
    asked = [reads_of(b) for b in builders().values() if b.benchmark in BENCHMARKS]
    of_all = {"recordings", "pairs", "questions"}
    # EgoCoT's templates may be reworded, and the gates follow what people decided on questions.
    of_all |= {"wordings", "wording_reviews"}
    of_all |= {"reviews"} if stage.name == "question_gates" else set()
    return set(stage.deps) - merge_reads(*asked).keys() - of_all


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_reads_all_that_it_declares(stage: Stage, graph: Graph) -> None:
    seen = {
        table
        for (name, _), reads in graph.reads.items()
        for table, _ in reads
        if name == stage.name
    }
    assert set(stage.deps) - seen == unread_in_sample(stage)


def of_another(read: str, benchmark: str) -> bool:
    """Whether a partition is another benchmark, or one of its evaluations."""
    named = read.partition(".")[0]
    return named in BENCHMARKS and named != benchmark


OF_COT = {("question_gates", "egocot")}
CHANGES = (
    (
        "question_gates",
        "egobridge",
        {("answers", "egobridge.random"), (PAGE, "egobridge")},
        {(PAGE, "egobridge")},
    ),
    # The gates and the page have no edge from `images`, nor `questions` from `boxes`.
    ("images", "flat", {("answers", "egocot.random"), ("questions", "egocot")}, set()),
    ("boxes", "flat", {("graph_nodes", "flat"), ("calibrations", "flat")}, set()),
    ("graph_nodes", "flat", {("questions", "egocot")}, {("questions", "egocot")}),
    # Questions and gates have no edge from `calibrations`: the ways over the floor stand for it.
    ("calibrations", "flat", {("paths", "flat")}, set()),
    ("questions", "egocot", {("answers", "egocot.random"), *OF_COT}, OF_COT),
    (
        "question_gates",
        "egocot",
        {("answers", "egocot.random"), (PAGE, "egocot")},
        {(PAGE, "egocot")},
    ),
    ("candidates", "flat", {(PAGE, "egocot")}, set()),
    ("scores", "egobridge.random", {(PAGE, "egobridge")}, {(PAGE, "egobridge")}),
    ("judged_scores", "egocot.random", {(PAGE, "egocot")}, set()),
)
"""A table, a partition of it, what a change of it starts, and what it starts with equal content."""
WATCHED = ("graph_nodes", "calibrations", "paths", "questions", "question_gates", "answers", PAGE)


def test_changed_content_starts_what_reads_it_and_equal_content_nothing(tmp_path: Path) -> None:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    configured = definitions(load_settings(tmp_path / "parallax.toml"))
    known = configured.resolve_asset_graph()
    with dg.DagsterInstance.ephemeral() as instance:
        for key in known.get_all_asset_keys():
            parts = known.get(key).partitions_def
            for partition in parts.get_partition_keys() if parts else ():
                materialise(instance, key, partition, "before")
        last = dg.evaluate_automation_conditions(configured, instance)
        assert last.total_requested == 0
        for table, partition, started, written in CHANGES:
            for version in ("before", "after"):
                materialise(instance, asset_key(table), partition, version)
                last = dg.evaluate_automation_conditions(configured, instance, cursor=last.cursor)
                requested = {
                    (name, one)
                    for name in WATCHED
                    for one in last.get_requested_partitions(asset_key(name))
                }
                assert requested == (started if version == "after" else written), (table, version)
                # What was asked for is asked for once; until then a further change would be lost.
                last = dg.evaluate_automation_conditions(configured, instance, cursor=last.cursor)
                assert last.total_requested == 0


def materialise(
    instance: dg.DagsterInstance, asset: dg.AssetKey, partition: str, version: str
) -> None:
    """Tell Dagster that a partition of a table was written with this content."""
    instance.report_runless_asset_event(
        dg.AssetMaterialization(asset, partition=partition, tags={"dagster/data_version": version})
    )
