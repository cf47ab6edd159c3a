"""Stages by content: what differs is made, what is equal moves only the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl
import pytest

from expectations.contracts import Refusal
from expectations.schemas import TABLES, Column, Table
from resources.store import incremental
from resources.store.deletion_guard import Loss
from resources.store.incremental import (
    ALL,
    Output,
    Report,
    Selection,
    StageTables,
    make_plan,
    run_stage,
)
from resources.store.ledger import read_ledger, scope, write_entries
from resources.store.tables import TableStore


def table(name: str) -> Table:
    columns = (
        Column("unit", pl.String(), "Unit."),
        Column("k", pl.Int64(), "Key."),
        Column("v", pl.Int64(), "Value.", low=0),
        Column("when", pl.Int64(), "Clock.", volatile=True),
    )
    return Table(name, "labels", "row", columns, ("k",), "unit")


CHILD, PARENT = table("child"), table("parent")
STAGE = StageTables("labels", (CHILD, PARENT))
REFUSAL = Refusal(None, None, "r", "1", "m", "x", table="parent")
clock = iter(range(10_000))


class World:
    """Inputs by unit: values of the rows of each table; what was computed is noted."""

    def __init__(self, store: TableStore) -> None:
        self.store = store
        self.inputs: dict[str, list[int]] = {}
        self.refused: set[str] = set()
        self.code = "1"
        self.computed: list[str] = []
        self.during: Callable[[], None] = lambda: None

    def wanted(self) -> Mapping[str, str]:
        return {u: f"{self.code} {v} {u in self.refused}" for u, v in self.inputs.items()}

    def compute(self, todo: list[str]) -> Iterable[Output]:
        for unit in todo:
            self.computed.append(unit)
            values = list(self.inputs[unit])
            self.during()
            rows = pl.DataFrame(
                {
                    "unit": [unit] * len(values),
                    "k": range(len(values)),
                    "v": values,
                    "when": [next(clock)] * len(values),
                },
                schema=PARENT.schema,
            )
            refused = [(unit, REFUSAL)] if unit in self.refused else []
            tables = {"parent": rows, "child": rows.filter(pl.col("v") % 2 == 0)}
            yield Output([unit], tables, refused)

    def run(self, **options: Any) -> Report:
        self.computed = []
        return run_stage(self.store, STAGE, "p", self.wanted, self.compute, **options)

    def held(self, name: str = "parent") -> dict[str, list[int]]:
        """Values by unit."""
        held: dict[str, list[int]] = {}
        for row in self.store.read(table(name), "p").iter_rows(named=True):
            held.setdefault(row["unit"], []).append(row["v"])
        return held

    def quarantine(self) -> list[str]:
        return self.store.read(TABLES["quarantine"], scope("labels", "p"))["unit"].to_list()

    def versions(self) -> dict[str, int | None]:
        named = {"ledger": TABLES["ledger"], "quarantine": TABLES["quarantine"]}
        return {
            n: self.store.version(t)
            for n, t in (named | {"child": CHILD, "parent": PARENT}).items()
        }


@pytest.fixture
def world(tmp_path) -> World:
    made = World(TableStore(str(tmp_path)))
    made.inputs = {"a": [1, 2], "b": [3], "c": []}
    return made


def test_only_what_differs_is_made(world):
    report = world.run()
    assert (report.wanted, report.fresh) == (3, 0)
    assert report.computed == report.changed == ["a", "b", "c"]
    assert world.held() == {"a": [1, 2], "b": [3]}
    assert world.held("child") == {"a": [2]}

    world.inputs = {"a": [1, 4], "b": [3], "d": [5]}
    report = world.run()
    assert world.computed == report.changed == ["a", "d"]
    assert report.deleted == ["c"]
    assert report.fresh == 1
    assert world.held() == {"a": [1, 4], "b": [3], "d": [5]}
    assert world.held("child") == {"a": [4]}
    assert sorted(read_ledger(world.store, "labels", "p")) == ["a", "b", "d"]
    assert report.entries == read_ledger(world.store, "labels", "p")


def test_an_unchanged_run_computes_and_commits_nothing(world):
    world.run()
    before = world.versions()
    report = world.run()
    assert world.computed == report.changed == []
    assert report.fresh == 3
    assert world.versions() == before


def test_equal_content_moves_only_the_ledger(world):
    """New code, same rows; their clock differs, which is not content."""
    world.run()
    before = world.versions()
    world.code = "2"
    report = world.run()
    assert world.computed == ["a", "b", "c"]
    assert report.changed == []
    after = world.versions()
    assert {n for n in after if after[n] != before[n]} == {"ledger"}
    assert world.run().computed == []


def test_a_table_whose_own_rows_are_equal_is_not_written(world):
    world.run()
    before = world.versions()
    world.inputs["b"] = [5]
    assert world.run().changed == ["b"]
    after = world.versions()
    assert after["child"] == before["child"]
    assert after["parent"] == before["parent"] + 1


def test_a_unit_without_rows_is_a_result(world):
    world.run()
    assert read_ledger(world.store, "labels", "p")["c"].n_rows == 0
    world.inputs["a"] = []
    world.run()
    assert world.held() == {"b": [3]}
    assert world.run().computed == []


def test_refusals_come_and_go_with_their_unit(world):
    world.refused = {"a", "b"}
    assert world.run().refused == 2
    assert world.quarantine() == ["a", "b"]
    # What breaks the contract joins what the stage refused.
    world.refused, world.inputs["c"] = {"b"}, [7, -1]
    assert world.run().refused == 2
    assert world.quarantine() == ["b", "c"]
    assert world.held()["c"] == [7]
    del world.inputs["b"]
    world.inputs["c"] = [7]
    assert world.run().refused == 0
    assert world.quarantine() == []


def test_what_is_made_together_does_not_decide_what_is_refused(world):
    """Both units hold key 0: a key is judged inside its unit."""
    compute = world.compute

    def together(todo: list[str]) -> Iterable[Output]:
        made = list(compute(todo))
        tables = {n: pl.concat([o.tables[n] for o in made]) for n in ("child", "parent")}
        yield Output(todo, tables)

    world.compute = together
    assert world.run().refused == 0
    assert world.held() == {"a": [1, 2], "b": [3]}


@pytest.mark.parametrize(("gone", "deleted"), [(10, True), (11, False), (50, False)])
def test_the_guard_holds_back_what_is_much_and_many(world, gone, deleted):
    world.inputs = {f"u{i:03}": [i] for i in range(200)}
    world.run()
    left = dict(list(world.inputs.items())[gone:])
    world.inputs = {**left, "u100": [999]}
    report = world.run(allow_deletes=False)
    assert len(report.deleted) == (gone if deleted else 0)
    assert len(report.held_back) == (0 if deleted else gone)
    assert len(world.held()) == 200 - len(report.deleted)
    assert world.held()["u100"] == [999], "what changed is made all the same"
    if not deleted:
        assert "--allow-deletes" in report.sentence()
        assert len(world.run(allow_deletes=True).deleted) == gone
    assert world.held().keys() == world.inputs.keys()


@pytest.mark.parametrize(
    ("held", "gone", "deleted"),
    [(1, 1, 0), (2, 1, 1), (3, 1, 1), (3, 2, 0), (3, 3, 0), (10, 5, 5), (10, 6, 0), (10, 10, 0)],
)
def test_most_of_a_few_are_kept_and_some_of_them_are_deleted(world, held, gone, deleted):
    """More than 5 % and not more than ten: what decides is whether it is more than half."""
    world.inputs = {f"u{i}": [i] for i in range(held)}
    world.run()
    world.inputs = {f"u{i}": [i] for i in range(gone, held)}
    report = world.run(allow_deletes=False)
    assert len(report.deleted) == deleted
    assert len(report.held_back) == gone - deleted
    assert len(world.held()) == held - deleted
    if not deleted:
        assert f"{gone} of {held} units" in report.sentence()


def test_a_unit_that_holds_no_rows_is_no_loss(world):
    """Units of refusals alone go when what was wrong is mended."""
    world.inputs, world.refused = {"a": []}, {"a"}
    world.run()
    world.inputs = {}
    report = world.run(allow_deletes=False)
    assert (report.deleted, report.held_back, world.quarantine()) == (["a"], [], [])


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        # Most rows of a few units.
        ({"a": 20, "b": 2}, {"a": 5, "b": 2}, ["a"]),
        ({"a": 20, "b": 20}, {"a": 9, "b": 9}, ["a", "b"]),
        # Half of them, or a few rows: edits.
        ({"a": 20, "b": 20}, {"a": 0, "b": 20}, []),
        ({"a": 10, "b": 2}, {"a": 0, "b": 2}, []),
        # Some rows of many units, among units that gain some.
        ({f"u{i:02}": 10 for i in range(20)}, {f"u{i:02}": 9 for i in range(11)}, 11),
        ({f"u{i:02}": 10 for i in range(20)}, {f"u{i:02}": 8 for i in range(10)}, []),
        ({f"u{i:02}": 100 for i in range(20)}, {f"u{i:02}": 95 for i in range(11)}, []),
    ],
)
def test_the_guard_keeps_units_that_lose_many_rows(world, before, after, kept):
    world.inputs = {u: list(range(n)) for u, n in before.items()}
    world.run()
    now = {**before, **after, "z": 1}
    world.inputs = {u: list(range(n)) for u, n in now.items()}
    sizes = {u: {"parent": n, "child": (n + 1) // 2} for u, n in now.items()}

    def loss() -> Loss:
        return Loss(sizes)

    report = world.run(allow_deletes=False, loss=loss)
    expected = sorted(after)[:kept] if isinstance(kept, int) else kept
    assert report.held_back == expected
    assert {u: len(v) for u, v in world.held().items()} == {
        u: before[u] if u in expected else n for u, n in now.items() if n
    }
    again = world.run(allow_deletes=False, loss=loss)
    assert (again.held_back, again.computed) == (expected, [])
    if expected:
        assert " rows of parent" in report.sentence()
        # Narrowed or not, and until a person says so.
        one = Selection(frozenset(expected[:1]))
        assert world.run(selection=one, allow_deletes=False, loss=loss).held_back == expected[:1]
        assert world.run(allow_deletes=True, loss=loss).computed == expected


@pytest.mark.parametrize(
    ("loss", "deleted"),
    [
        (Loss({}), ["a", "b"]),
        (Loss({}, few_units=True), []),
        (Loss({}, lost_files={"c"}), []),
        (Loss({}, lost_files={"c"}, free={"a", "b"}), ["a", "b"]),
    ],
)
def test_what_the_guard_is_told_of_the_inputs(world, loss, deleted):
    world.inputs = {u: [1] for u in "abcde"}
    world.run()
    world.inputs = {"c": [1, 1], "d": [1], "e": [1]}
    report = world.run(allow_deletes=False, loss=lambda: loss)
    assert report.deleted == deleted
    assert ("c" in report.held_back) == (not deleted and bool(loss.lost_files))


@pytest.mark.parametrize(
    ("selection", "made"),
    [
        (Selection(frozenset({"b", "x"})), ["b"]),
        (Selection(limit=2), ["b", "d"]),
        (ALL, ["b", "d", "e"]),
    ],
)
def test_a_selection_makes_what_was_picked_and_deletes_nothing(world, selection, made):
    world.run()
    world.inputs = {"b": [8], "d": [1], "e": [1]}
    report = world.run(selection=selection)
    assert report.computed == made
    assert ("a" in world.held()) == (selection is not ALL)


class Died(BaseException):
    """As kill -9: nothing after it runs, only the file lock goes."""


def die_at(monkeypatch: pytest.MonkeyPatch, commit: int) -> None:
    real, count = TableStore._commit, iter(range(1, 1000))

    def counted(*args: Any, **kwargs: Any) -> None:
        if next(count) == commit:
            raise Died
        real(*args, **kwargs)

    monkeypatch.setattr(TableStore, "_commit", staticmethod(counted))


@pytest.mark.parametrize("commit", range(1, 12))
@pytest.mark.parametrize("then", ["goes on", "inputs revert", "inputs vanish", "selection"])
def test_a_death_before_any_commit_is_repaired(world, monkeypatch, commit, then):
    world.refused, world.inputs["c"] = {"b", "c"}, [4]
    world.run()
    first = dict(world.inputs)
    world.inputs = {"a": [2, 6], "b": [8, 8], "d": [4]}
    world.refused = {"a"}
    with monkeypatch.context() as patch:
        die_at(patch, commit)
        try:
            world.run()
        except Died:
            died = True
        else:
            died = False
    # Two of tables, one of quarantine, two of the ledger: for what goes and for what changes.
    assert died == (commit <= 10)
    if then == "inputs revert":
        world.inputs, world.refused = first, {"b", "c"}
    if then == "inputs vanish":
        del world.inputs["d"]
    world.run(selection=Selection(limit=1) if then == "selection" else ALL)
    if then == "selection":
        # It deletes nothing, but repairs what was broken off, picked or not.
        entries = read_ledger(world.store, "labels", "p")
        assert all(e.status == "ok" for u, e in entries.items() if u in world.inputs)
        world.run()
    assert world.held() == {u: v for u, v in world.inputs.items() if v}
    even = {u: [x for x in v if x % 2 == 0] for u, v in world.inputs.items()}
    assert world.held("child") == {u: v for u, v in even.items() if v}
    assert world.quarantine() == sorted(world.refused)
    assert world.run().computed == []


def test_what_broke_off_is_cleared_also_under_the_guard(world, monkeypatch):
    world.inputs = {f"u{i:03}": [i] for i in range(40)}
    world.run()
    world.inputs = {"u000": [0]}
    with monkeypatch.context() as patch:
        die_at(patch, 3)
        with pytest.raises(Died):
            world.run(allow_deletes=True)
    world.run(allow_deletes=False)
    assert world.held() == {"u000": [0]}


def test_inputs_that_move_while_units_are_made_are_made_again(world):
    """Another process replaces an input while it is read: no row of the old one is called new."""
    world.run()

    def another_process() -> None:
        world.during = lambda: None
        world.inputs["a"] = [77]

    world.inputs["a"], world.during = [66], another_process
    report = world.run()
    assert world.computed == ["a", "a"]
    assert world.held()["a"] == [77]
    assert report.changed == ["a"]
    # And back to what they were: nothing of that time is called fresh.
    world.inputs["a"] = [66]
    world.run()
    assert world.held()["a"] == [66]


def test_an_error_over_inputs_that_moved_is_run_again_and_any_other_raises(world):
    world.run()

    def breaks() -> None:
        world.during = lambda: None
        world.inputs["a"] = [88]
        raise KeyError("half of the rows were new")

    world.inputs["a"], world.during = [66], breaks
    world.run()
    assert world.held()["a"] == [88]

    def broken() -> None:
        raise KeyError("a fault")

    world.inputs["a"], world.during = [99], broken
    with pytest.raises(KeyError, match="a fault"):
        world.run()
    assert world.held()["a"] == [88]


def test_a_change_of_the_contract_makes_anew(world, monkeypatch):
    world.run()
    monkeypatch.setattr(incremental, "schema_fingerprint", lambda tables: "other")
    assert world.run().computed == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (lambda o: [], "returned no result for"),
        (lambda o: [Output(["b"], o.tables)], "not computed"),
        (lambda o: [Output(o.units, {}, [("z", REFUSAL)])], "were not computed"),
    ],
)
def test_a_stage_that_makes_something_else_than_asked_is_wrong(world, output, said):
    compute = world.compute
    world.compute = lambda todo: [x for o in compute(todo) for x in output(o)]
    with pytest.raises(RuntimeError, match=said):
        world.run()


def test_a_plan_says_what_a_run_would_do(world):
    assert not make_plan(world.store, STAGE, "p", world.wanted()).is_fresh
    world.run()
    assert make_plan(world.store, STAGE, "p", world.wanted()).is_fresh
    write_entries(world.store, "labels", "p", [])
    del world.inputs["a"]
    plan = make_plan(world.store, STAGE, "p", world.wanted())
    assert (plan.todo, plan.gone) == ((), ("a",))
    assert make_plan(world.store, STAGE, "p", world.wanted(), Selection(limit=9)).is_fresh
