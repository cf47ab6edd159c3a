"""A small household on disk to break, and what its undisturbed ingestion gives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, write_egoexolearn

NAMES = (
    "recordings",
    "segments",
    "taxonomies",
    "splits",
    "frame_stamps",
    "cameras",
    "gaze_samples",
)
Refused = tuple[str | None, str, str | None, str, str | None]


class Source:
    """One configured source in a store of its own."""

    def __init__(self, layout: str, root: Path, home: Path, plugins: tuple[str, ...] = ()) -> None:
        self.root = root
        self.settings = Settings(
            home,
            TableStore(str(home / "store")),
            home / "page.html",
            {"it": SourceConfig("it", layout, str(root))},
            plugins=plugins,
        )

    def ingest(self, **options: object) -> None:
        SOURCES.refresh(self.settings, "it", Options(**options), silent)  # type: ignore[arg-type]

    def rows(self, table: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES[table]).sort(TABLES[table].key)

    def tables(self) -> dict[str, pl.DataFrame]:
        return {name: self.rows(name) for name in NAMES}

    def quarantine(self) -> list[dict]:
        return self.rows("quarantine").rows(named=True)


class Sample(Source):
    """A copy of the household that a test may break.

    Attributes:
        before: Tables of the undisturbed household.
        uid: Recordings by what they are: `native`, `two_parts`, `cloud`, `released`, `exo`.
    """

    def __init__(
        self, root: Path, home: Path, before: Mapping[str, pl.DataFrame], uid: Mapping[str, str]
    ) -> None:
        super().__init__("egoexolearn", root, home)
        self.before = before
        self.uid = uid

    def get(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def put(self, path: str, data: bytes) -> None:
        """Write a file anew: the household's own file is shared and stays as it is."""
        target = self.root / path
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def line(self, path: str, number: int) -> bytes:
        return self.get(path).split(b"\n")[number - 1]

    def put_line(self, path: str, number: int, line: bytes) -> None:
        lines = self.get(path).split(b"\n")
        lines[number - 1] = line
        self.put(path, b"\n".join(lines))

    def check(
        self,
        refused: Iterable[Refused],
        lost: Mapping[str, pl.Expr] | None = None,
        other: Mapping[str, Iterable[str]] | None = None,
        moved: bool = False,
    ) -> None:
        """Ingest, and compare.

        Args:
            refused: Exact rows of quarantine as table, file, row, rule, value.
            lost: Rows that must be gone, by table; all others must be there, unchanged.
            other: Columns that differ by right, by table.
            moved: Whether lines have other numbers now.
        """
        # What a fault costs is shown here; how much of it the deletion guard prevents is not.
        self.ingest(allow_deletes=True)
        said = self.quarantine()
        found = [(r["table"], r["file"], r["row"], r["rule"], r["value"]) for r in said]
        assert sorted(found, key=str) == sorted(refused, key=str)
        for row in said:
            assert row["message"].strip()
            assert row["remedy"].strip()
        for name, now in self.tables().items():
            expected = self.before[name]
            if lost and name in lost:
                expected = expected.filter(~lost[name])
                assert expected.height < self.before[name].height, f"no row of {name} is lost"
            ignored = [*(other or {}).get(name, ()), *(["source_key"] if moved else [])]
            ignored = [column for column in ignored if column in now.columns]
            assert_frame_equal(now.drop(ignored), expected.drop(ignored))


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six ego and two exo recordings, of every form in which they lie on disk."""
    root = tmp_path_factory.mktemp("household") / "root"
    write_egoexolearn(HouseholdSpec(ego=6, exo=2, render="small"), root, workers=1)
    return root


@pytest.fixture(scope="session")
def undisturbed(household: Path, tmp_path_factory: pytest.TempPathFactory) -> Source:
    source = Source("egoexolearn", household, tmp_path_factory.mktemp("undisturbed"))
    source.ingest()
    assert source.quarantine() == []
    return source


@pytest.fixture(scope="session")
def before(undisturbed: Source) -> dict[str, pl.DataFrame]:
    return undisturbed.tables()


@pytest.fixture
def sample(
    household: Path, undisturbed: Source, before: dict[str, pl.DataFrame], tmp_path: Path
) -> Sample:
    """The household in a store that holds it already: what a fault does is then incremental too."""
    root = tmp_path / "root"
    shutil.copytree(household, root, copy_function=os.link)
    shutil.copytree(undisturbed.settings.store.url, tmp_path / "store")
    uid = {
        "native": "bee912e4-ac78-11ee-819f-80615f12b59e",
        "two_parts": "beea74ad-ac78-11ee-819f-80615f12b59e",
        "cloud": "bee9d676-ac78-11ee-819f-80615f12b59e",
        "released": "bee9b11b-ac78-11ee-819f-80615f12b59e",
        "exo": "2cbf795a-56c4-11ee-88ee-80615f12b59e",
    }
    return Sample(root, tmp_path, before, uid)


@pytest.fixture
def source_of(tmp_path: Path) -> Callable[..., Source]:
    """Makes a source of any layout in a store of its own."""

    def make(layout: str, root: Path, plugins: tuple[str, ...] = ()) -> Source:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return Source(layout, root, home, plugins)

    return make
