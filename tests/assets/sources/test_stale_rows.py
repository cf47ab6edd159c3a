"""However a source changes and whatever breaks off, a whole run ends with the rows of its present files."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from polars.testing import assert_frame_equal

from assets.sources.layout import Layout
from assets.sources.manifest import take_manifest
from assets.sources.stage import STAGES, layout_of
from expectations.schemas import TABLES
from resources.roots import base as files
from resources.roots.base import RootError
from resources.roots.open import open_root
from resources.store.ledger import read_ledger
from tests.assets.sources.changing_source import VARIANTS, Changing, Died, write_plugin

EXAMPLES = int(os.environ.get("PARALLAX_STATE_EXAMPLES", "0"))


def assert_same(now: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> None:
    for name, rows in expected.items():
        assert_frame_equal(now[name], rows)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plugin(tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def template(plugin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source that was read once."""
    made = Changing(tmp_path_factory.mktemp("template"), plugin)
    made.run()
    return made.home


@pytest.fixture
def source(tmp_path: Path, plugin: Path, template: Path) -> Changing:
    """A copy of it."""
    shutil.copytree(template, tmp_path / "home")
    return Changing(tmp_path / "home", plugin)


def expect_fresh_build(source: Changing) -> None:
    """The tables are those of an empty store, and the next run finds nothing to do."""
    assert_same(source.tables(), source.fresh_build(source.home / "fresh"))
    assert source.is_fresh()
    before = source.reads
    source.run()
    assert (source.commits, source.reads - before) == (0, 0)


# -- ways in which rows of another version stayed ------------------------------------------------


@pytest.mark.parametrize(
    ("path", "narrow"),
    [
        ("notes/a.csv", {"recordings": ("r1", "r3")}),
        ("words/verb.csv", {"limit": 3}),
        ("list.csv", {"limit": 3}),
    ],
)
def test_a_narrowed_run_on_files_that_are_put_back(
    source: Changing, path: str, narrow: dict[str, Any]
) -> None:
    first = source.tables()
    source.put(path, VARIANTS[path][1])
    source.run(**narrow)
    source.put(path, VARIANTS[path][0])
    assert not source.is_fresh() or _equal(source.tables(), first)
    source.run()
    assert_same(source.tables(), first)
    expect_fresh_build(source)


@pytest.mark.parametrize(
    ("path", "after"), [("notes/a.csv", False), ("list.csv", True), ("stamps/r0.csv", False)]
)
def test_a_kill_anywhere_and_files_that_are_put_back(
    source: Changing, path: str, after: bool
) -> None:
    first = source.tables()
    died, commit = True, 0
    while died:
        commit += 1
        source.put(path, VARIANTS[path][1])
        died = False
        try:
            source.run(die=(commit, after))
        except Died:
            died = True
        source.put(path, VARIANTS[path][0])
        source.run()
        assert_same(source.tables(), first)
        assert source.is_fresh()
    assert commit > 4, "nothing was killed"


def test_units_that_were_kept_and_a_file_that_is_whole_again(source: Changing) -> None:
    """Six recordings shrink to two edited ones; four are kept; the whole file returns."""
    first = source.tables()
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][2])
    held = {r.stage: r.held_back for r in source.run()}
    assert held["sources.segments"] == ["r2", "r3", "r4", "r5"]
    assert source.tables()["segments"]["narration"].str.starts_with("wash").any()
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][0])
    source.run()
    assert_same(source.tables(), first)
    expect_fresh_build(source)


def test_a_file_that_is_replaced_while_it_is_read_and_put_back(source: Changing) -> None:
    """The listing knows the second version, the reader gets the third: its rows are not the second's."""
    _, second, third, *_ = VARIANTS["notes/a.csv"]
    source.put("notes/a.csv", second)
    seen: list[str] = []

    def replace_on_second_opening(path: str) -> None:
        seen.append(path)
        if seen.count("notes/a.csv") == 2:  # hashed, then read
            seen.append("notes/a.csv")
            source.put("notes/a.csv", third)

    source.on_read = replace_on_second_opening
    source.run(allow_deletes=True)
    source.on_read = lambda _path: None
    assert seen.count("notes/a.csv") > 3
    assert_same(source.tables(), source.fresh_build(source.home / "third"))
    source.put("notes/a.csv", second)
    source.run(allow_deletes=True)
    expect_fresh_build(source)


def test_a_file_that_never_holds_still_stops_the_run(source: Changing) -> None:
    versions = [VARIANTS["notes/a.csv"][n] for n in (1, 3)]
    counts = iter(range(1_000_000))

    def write(path: str) -> None:
        if path == "notes/a.csv":
            source.put(path, versions[next(counts) % 2])

    source.put("notes/a.csv", versions[0])
    source.on_read = write
    with pytest.raises(RootError, match=r"notes/a\.csv changed while it was read"):
        source.run()
    source.on_read = lambda _path: None
    source.run()
    expect_fresh_build(source)


def test_a_recording_whose_file_could_not_be_read_is_read_again(source: Changing) -> None:
    """Rights are taken after the listing: the file's content is known, and not its rows."""
    first = source.tables()
    source.put("stamps/r0.csv", VARIANTS["stamps/r0.csv"][1])
    seen: list[str] = []

    def deny_second_opening(path: str) -> None:
        seen.append(path)
        if seen.count("stamps/r0.csv") == 2:
            source.denied.add("stamps/r0.csv")

    source.on_read = deny_second_opening
    source.run()
    assert "unreadable_file" in source.tables()["quarantine"]["rule"].to_list()
    source.on_read, source.denied = (lambda _path: None), set()
    assert not source.is_fresh()
    source.run()
    expect_fresh_build(source)
    source.put("stamps/r0.csv", VARIANTS["stamps/r0.csv"][0])
    source.run()
    assert_same(source.tables(), first)


# -- what the time stamp does not show -----------------------------------------------------------


def test_a_file_of_the_same_size_and_time_is_found_by_verifying(source: Changing) -> None:
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][1], keep_stamp=True)
    assert source.is_fresh(), "neither size nor time differ"
    _verify(source)
    assert not source.is_fresh()
    source.run()
    expect_fresh_build(source)


def test_a_file_of_the_same_size_and_time_is_found_where_it_is_parsed(source: Changing) -> None:
    """It is read because a file beside it changed: its rows must not pass for the listed ones."""
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][1], keep_stamp=True)
    source.put("notes/b.csv", VARIANTS["notes/b.csv"][1])
    source.run()
    expect_fresh_build(source)


def test_a_clock_that_goes_backwards(source: Changing) -> None:
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][1])
    os.utime(source.root / "notes/a.csv", (1_000_000_000, 1_000_000_000))
    source.run()
    expect_fresh_build(source)


@pytest.mark.parametrize("tick_ns", [10_000_000, 2_000_000_000])
def test_two_versions_in_one_tick_of_the_file_system(
    source: Changing, monkeypatch: pytest.MonkeyPatch, tick_ns: int
) -> None:
    """The second is written, at the same size and time, before the first could be hashed."""
    path, now = (
        source.root / "notes/a.csv",
        1_700_000_000_000_000_000 + 10_000_000 * (tick_ns < 1e9),
    )
    source.put("notes/a.csv", VARIANTS["notes/a.csv"][1])
    os.utime(path, ns=(now, now))
    monkeypatch.setattr(files.time, "time_ns", lambda: now + 1_000_000)
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        source.put("notes/a.csv", VARIANTS["notes/a.csv"][0], keep_stamp=True)

    monkeypatch.setattr(files.time, "sleep", wait)
    source.run()
    assert [s * 1e9 > tick_ns - 2_000_000 for s in waited] == [True]
    assert_same(source.tables(), source.fresh_build(source.home / "fresh"))


# -- the guard -----------------------------------------------------------------------------------


def _counts(source: Changing) -> dict[str, int]:
    return {name: rows.height for name, rows in source.tables().items()}


GUARDED: dict[str, tuple[dict[str, int | None], dict[str, int]]] = {
    # name: files that change (to a variant, or None: removed), rows that are lost once it is allowed
    "the list of recordings": ({"list.csv": None}, {"recordings": 6}),
    "most recordings of a few": ({"list.csv": 2}, {"recordings": 4}),
    "the main file of annotations": ({"notes/a.csv": None}, {"segments": 24}),
    "a main file that is a picture": ({"notes/a.csv": 7}, {"segments": 24}),
    "a file of all but few rows": ({"notes/a.csv": 4}, {"segments": 18}),
    "one of two vocabularies": ({"words/noun.csv": None}, {"taxonomies": 2}),
    "a file of most recordings": (
        {"stamps/r0.csv": None, "stamps/r1.csv": None},
        {"frame_stamps": 2},
    ),
    "all films": ({"films/r0.mp4": None, "films/r1.mp4": None}, {}),
}


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_much_of_a_small_source_is_deleted_only_where_it_is_allowed(
    source: Changing, name: str
) -> None:
    changes, lost = GUARDED[name]
    first, before = source.tables(), _counts(source)
    for path, variant in changes.items():
        source.put(path, None if variant is None else VARIANTS[path][variant])
    for _ in range(2):
        reports = source.run()
        kept = [r for r in reports if r.held_back]
        assert kept
        assert all("--allow-deletes" in r.sentence() and r.reasons for r in kept)
        now = _counts(source)
        assert all(now[table] == before[table] for table in lost), "rows were deleted"
        assert not source.is_fresh()
    if name == "all films":
        assert_same(
            {"recordings": source.tables()["recordings"]}, {"recordings": first["recordings"]}
        )
    assert source.commits == 0, "what is kept back costs nothing"
    gone = sorted(path for path, variant in changes.items() if variant is None)
    assert source.gone() == gone
    # A person who picks something deletes nothing either.
    source.run(limit=2, allow_deletes=True, recordings=("r5",))
    source.run(allow_deletes=True)
    assert source.gone() == []
    after = _counts(source)
    assert {t: before[t] - after[t] for t in lost if t in after} == lost
    expect_fresh_build(source)


def test_one_recording_that_is_removed_everywhere_is_deleted(source: Changing) -> None:
    """One of six, with all that others of its parts have nothing of."""
    source.put("list.csv", VARIANTS["list.csv"][3])
    for path in ("films/r0.mp4", "stamps/r0.csv"):
        source.put(path, None)
    notes = VARIANTS["notes/a.csv"][0]
    assert notes is not None
    lines = [line for line in notes.splitlines(keepends=True) if not line.startswith(b"r0-")]
    source.put("notes/a.csv", b"".join(lines))
    reports = source.run()
    assert [r.held_back for r in reports if r.held_back] == []
    assert "r0" not in source.tables()["recordings"]["recording_id"]
    assert "r0" not in source.tables()["frame_stamps"]["recording_id"]
    assert source.gone() == ["films/r0.mp4", "stamps/r0.csv"]
    assert_same(source.tables(), source.fresh_build(source.home / "fresh"))
    source.run(allow_deletes=True)
    assert source.gone() == []


def test_the_rows_of_a_recording_go_with_it_whatever_share_they_are(source: Changing) -> None:
    """The only one that is left with stamps is removed: one of one, and no guard case."""
    for path in ("stamps/r0.csv", "stamps/r2.csv"):
        source.put(path, None)
    source.run(allow_deletes=True)
    assert source.tables()["frame_stamps"]["recording_id"].to_list() == ["r1"]
    listed = VARIANTS["list.csv"][0]
    assert listed is not None
    source.put("list.csv", listed.replace(b"r1,ego\n", b""))
    source.put("stamps/r1.csv", None)
    source.put("films/r1.mp4", None)
    source.run()
    assert source.tables()["frame_stamps"].is_empty()


def test_a_file_that_is_gone_is_named_until_it_is_back(source: Changing) -> None:
    source.put("stamps/r2.csv", None)
    for _ in range(2):
        source.run()
        rows = source.settings.store.read(TABLES["quarantine"])
        (said,) = rows.filter(pl.col("rule") == "file_gone").to_dicts()
        assert (said["source"], said["file"]) == ("it", "stamps/r2.csv")
        assert "--allow-deletes" in said["remedy"]
    source.run(recordings=("r1",), allow_deletes=True)
    assert source.gone() == ["stamps/r2.csv"], "a selection settles nothing"
    source.put("stamps/r2.csv", VARIANTS["stamps/r2.csv"][0])
    source.run()
    assert source.gone() == []
    expect_fresh_build(source)


@pytest.mark.parametrize(
    ("there", "allow_deletes"),
    [(("lost+found/x", b"1"), False), (("LIST.CSV", b"name,view\n"), True)],
)
def test_a_root_without_a_file_of_the_layout_is_like_an_empty_one(
    source: Changing, there: tuple[str, bytes], allow_deletes: bool
) -> None:
    first = source.tables()
    source.root.rename(source.home / "moved")
    source.root.mkdir()
    source.put(*there)
    for _ in range(2):
        with pytest.raises(RootError, match=r"'diary'.*nothing was deleted") as told:
            source.run(allow_deletes=allow_deletes)
        assert there[0] in str(told.value)
        with pytest.raises(RootError):
            source.is_fresh()
        assert source.commits == 0
    shutil.rmtree(source.root)
    (source.home / "moved").rename(source.root)
    assert_same(source.tables(), first)
    expect_fresh_build(source)


# -- every order of all of it --------------------------------------------------------------------


def _equal(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> bool:
    return all(one[name].equals(rows) for name, rows in other.items())


def _verify(source: Changing) -> None:
    layout: Layout = layout_of(source.settings, "it")
    root = open_root(str(source.root), layout.knows)
    take_manifest(source.settings.store, "it", layout, root, verify=True)


class AnyOrder(RuleBasedStateMachine):
    """Files change and come back, runs are narrowed, killed or held back, in any order."""

    home: ClassVar[Path]
    plugin: ClassVar[Path]
    template: ClassVar[Path]
    number: ClassVar[int] = 0
    built: ClassVar[dict[Any, dict[str, pl.DataFrame]]] = {}

    @initialize()
    def start(self) -> None:
        AnyOrder.number += 1
        place = self.home / str(self.number)
        shutil.copytree(self.template, place)
        self.source = Changing(place, self.plugin)
        # Files that changed under their old size and time; only reading them can show it.
        self.hidden: set[str] = set()

    def teardown(self) -> None:
        if hasattr(self, "source"):
            shutil.rmtree(self.source.home)

    @rule(path=st.sampled_from(sorted(VARIANTS)), data=st.data())
    def change(self, path: str, data: st.DataObject) -> None:
        self.source.put(path, data.draw(st.sampled_from(VARIANTS[path])))
        self.hidden.discard(path)

    @rule(path=st.sampled_from(sorted(VARIANTS)))
    def put_back(self, path: str) -> None:
        self.source.put(path, VARIANTS[path][0])
        self.hidden.discard(path)

    @rule()
    def put_all_back(self) -> None:
        for path in VARIANTS:
            self.put_back(path)

    @rule(path=st.sampled_from(["list.csv", "notes/a.csv", "stamps/r0.csv", "words/verb.csv"]))
    def change_unseen(self, path: str) -> None:
        """To another version of the same size, under the same time."""
        target = self.source.root / path
        if target.is_file():
            size = target.stat().st_size
            others = [v for v in VARIANTS[path] if v is not None and len(v) == size]
            new = next((v for v in others if v != target.read_bytes()), None)
            if new is not None:
                self.source.put(path, new, keep_stamp=True)
                self.hidden.add(path)

    @rule(path=st.sampled_from(sorted(VARIANTS)))
    def turn_the_clock_back(self, path: str) -> None:
        if (self.source.root / path).is_file() and path not in self.hidden:
            os.utime(self.source.root / path, (1_000_000_000, 1_000_000_000))

    @rule(path=st.sampled_from(sorted(VARIANTS)))
    def take_the_rights(self, path: str) -> None:
        """Of a file that is to be looked at again; one that is known already is not opened."""
        target = self.source.root / path
        if target.is_file():
            os.utime(target)
            self.hidden.discard(path)
            self.source.denied.add(path)

    @rule()
    def give_the_rights(self) -> None:
        self.source.denied.clear()

    @rule()
    def verify(self) -> None:
        if self.source.files() and not self.source.denied:
            _verify(self.source)
            self.hidden.clear()

    @rule()
    def another_process(self) -> None:
        self.source.new_process()

    @rule(
        names=st.sets(st.sampled_from(["r0", "r1", "r3", "r7"]), max_size=2),
        limit=st.none() | st.integers(1, 4),
        allow=st.booleans(),
    )
    def narrowed(self, names: set[str], limit: int | None, allow: bool) -> None:
        if names or limit is not None:
            before = self._units()
            self._run(recordings=tuple(sorted(names)), limit=limit, allow_deletes=allow)
            assert before <= self._units(), "a selection deletes nothing"

    def _units(self) -> set[tuple[str, str]]:
        """Units of all parts that are whole and hold rows."""
        return {
            (stage.name, unit)
            for stage in STAGES.values()
            for unit, entry in read_ledger(self.source.settings.store, stage.name, "it").items()
            if entry.status == "ok" and entry.input_hash
        }

    @rule(
        commit=st.integers(1, 14),
        after=st.booleans(),
        allow=st.booleans(),
        limit=st.none() | st.integers(1, 4),
    )
    def killed_run(self, commit: int, after: bool, allow: bool, limit: int | None) -> None:
        with contextlib.suppress(Died):
            self._run(die=(commit, after), allow_deletes=allow, limit=limit)

    @rule(
        path=st.sampled_from(["list.csv", "notes/a.csv", "notes/b.csv", "stamps/r0.csv"]),
        opening=st.integers(1, 3),
        data=st.data(),
    )
    def changed_while_read(self, path: str, opening: int, data: st.DataObject) -> None:
        new, seen = data.draw(st.sampled_from(VARIANTS[path])), iter(range(1, 1000))

        def replace(opened: str) -> None:
            if opened == path and next(seen) == opening and new is not None:
                self.source.put(path, new)
                self.hidden.discard(path)

        self.source.on_read = replace
        self._run()
        self.source.on_read = lambda _path: None

    @rule(allow=st.booleans())
    def whole(self, allow: bool) -> None:
        reports = self._run(allow_deletes=allow)
        if reports is None or self.hidden:
            return
        held = [r for r in reports if r.held_back]
        assert not (allow and held)
        if not held:
            assert_same(self.source.tables(), self._fresh())
        if not self.source.denied:
            assert self.source.is_fresh() == (not held)
            reads = self.source.reads
            self.source.run()
            assert (self.source.commits, self.source.reads) == (0, reads), "compares and no more"
        if allow:
            assert self.source.gone() == []

    def _run(self, **options: Any) -> list[Any] | None:
        """A run; None where the root holds nothing."""
        if not self.source.files():
            with pytest.raises(RootError, match="nothing was deleted"):
                self.source.run(**options)
            return None
        return self.source.run(**options)

    def _fresh(self) -> dict[str, pl.DataFrame]:
        key = tuple(sorted(self.source.files().items())), frozenset(self.source.denied)
        if key not in self.built:
            self.built[key] = self.source.fresh_build(self.source.home / "fresh")
        return self.built[key]


def test_any_order(tmp_path: Path, plugin: Path, template: Path) -> None:
    """`PARALLAX_STATE_EXAMPLES` runs so many examples of 40 steps, of its own choice."""
    AnyOrder.home, AnyOrder.plugin, AnyOrder.template = tmp_path, plugin, template
    AnyOrder.built = {}
    run_state_machine_as_test(
        AnyOrder,
        settings=settings(
            max_examples=EXAMPLES or 6,
            stateful_step_count=40 if EXAMPLES else 15,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            print_blob=True,
        ),
    )
