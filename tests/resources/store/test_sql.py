"""SQL over the store: what it reads, on a folder and on a real S3 server, and what it may not do."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import polars as pl
import pytest

from expectations.schemas import TABLES
from resources.store.sql import QueryError, Session, dataset, errors_as_sentences
from resources.store.tables import OutdatedTable, TableStore

GAZE = TABLES["gaze_rays"]


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TableStore:
    """A new store of either kind."""
    if request.param == "folder":
        return TableStore(str(tmp_path / "store"))
    return request.getfixturevalue("s3_store")


def _gaze(recording: str, *yaws: float) -> pl.DataFrame:
    return GAZE.frame(
        {"source": "s", "recording_id": recording, "sample": i, "t_s": 0.1 * i, "yaw_rad": yaw}
        for i, yaw in enumerate(yaws)
    )


def test_sql_reads_the_last_commit_and_sees_the_next(store: TableStore) -> None:
    store.replace(GAZE, "s", ["a"], _gaze("a", 1.0, 2.0, 3.0))
    store.replace(GAZE, "s", ["a", "b"], pl.concat([_gaze("a", 7.0), _gaze("b", 8.0, 9.0)]))
    with Session(store) as session:
        query = (
            "SELECT recording_id, sum(yaw_rad) AS total FROM gaze_rays GROUP BY ALL ORDER BY ALL"
        )
        assert session.frame(query).rows() == [("a", 7.0), ("b", 17.0)]
        assert session.frame("FROM gaze_rays WHERE recording_id = 'b' ORDER BY sample").equals(
            _gaze("b", 8.0, 9.0)
        )
        store.replace(GAZE, "s", ["b"], GAZE.empty())
        assert session.frame(query).rows() == [("a", 7.0)]
        assert session.frame("SELECT count(*) FROM quarantine").item() == 0


def test_rows_of_every_type_are_those_of_the_store(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    options = [{"letter": "A", "text": "長い\nx", "value": None, "is_answer": True}]
    questions = TABLES["questions"].frame(
        [
            {"pool": "p", "question_id": "q", "options": options, "media": [], "chance": 0.25},
            {"pool": "p", "question_id": "r", "rationale": None, "media_present": False},
        ]
    )
    store.replace(TABLES["questions"], "b", ["p"], questions)
    with Session(store) as session:
        assert session.frame("FROM questions").equals(questions)


def test_files_of_other_units_are_not_opened(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    for name in ("a", "b"):
        store.append(GAZE, "s", _gaze(name, 1.0))
    gone = next(f for f in store.files(GAZE) if f.first_unit == "a")
    os.unlink(tmp_path / GAZE.name / gone.path)
    with Session(store) as session:
        asked = "SELECT count(*) FROM gaze_rays WHERE recording_id = '{}' AND yaw_rad > 0"
        assert session.frame(asked.format("b")).item() == 1
        with pytest.raises(QueryError, match="was deleted while it was read; ask again"):
            session.frame(asked.format("a"))


def test_a_column_that_came_later_is_null_in_older_files(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    store.append(GAZE, "s", _gaze("a", 1.0))
    path = tmp_path / GAZE.name / store.files(GAZE)[0].path
    pl.read_parquet(path).drop("depth_m").write_parquet(path)
    with Session(store) as session:
        assert session.frame("SELECT yaw_rad, depth_m FROM gaze_rays").rows() == [(1.0, None)]


def test_a_table_of_another_version_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TableStore(str(tmp_path))
    monkeypatch.setattr(TableStore, "files", _outdated)
    with Session(store) as session:
        assert session.frame("SELECT 1 AS n").item() == 1
        with pytest.raises(OutdatedTable, match="gaze_rays"):
            session.frame("SELECT * FROM gaze_rays")


def _outdated(_store: TableStore, table: object) -> None:
    raise OutdatedTable(f"table {getattr(table, 'name', '')} was written by another version")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{place}/secret.csv')",
        "SELECT * FROM '{place}/secret.csv'",
        "SELECT * FROM read_blob('{place}/*')",
        "SELECT * FROM parquet_scan('{place}/store/gaze_rays/**/*.parquet')",
        "COPY gaze_rays TO '{place}/out.csv'",
        "WITH x AS (COPY gaze_rays TO '{place}/out.csv') SELECT 1",
        "EXPLAIN ANALYZE COPY gaze_rays TO '{place}/out.csv'",
        "EXPORT DATABASE '{place}/out'",
        "ATTACH '{place}/out.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "INSERT INTO gaze_rays SELECT * FROM gaze_rays",
        "DELETE FROM gaze_rays",
        "UPDATE gaze_rays SET yaw_rad = 0",
        "TRUNCATE gaze_rays",
        "ALTER TABLE gaze_rays ADD COLUMN mine INT",
    ],
)
def test_sql_reads_no_other_file_and_writes_none(tmp_path: Path, sql: str) -> None:
    (tmp_path / "secret.csv").write_text("word\nopen sesame\n")
    store = TableStore(str(tmp_path / "store"))
    store.append(GAZE, "s", _gaze("a", 1.0))
    before = sorted(tmp_path.rglob("*"))
    with Session(store) as session:
        with pytest.raises(QueryError) as caught:
            session.run(session.statements(sql.format(place=tmp_path))[0])
        assert "\n" not in str(caught.value)
        assert "sesame" not in str(caught.value)
        # Whatever was tried, the tables are as they were.
        assert session.frame("SELECT yaw_rad FROM gaze_rays").item() == 1.0
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dropped_or_shadowed_table_is_back_when_it_is_named(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    store.append(GAZE, "s", _gaze("a", 1.0))
    with Session(store) as session:
        for sql in (
            "DROP VIEW gaze_rays",
            "CREATE OR REPLACE TEMP VIEW gaze_rays AS SELECT 5 AS n",
        ):
            session.run(session.statements(sql)[0])
            assert session.frame("SELECT yaw_rad FROM gaze_rays").item() == 1.0


def test_a_query_can_be_stopped_and_the_session_goes_on(tmp_path: Path) -> None:
    with Session(TableStore(str(tmp_path))) as session:
        statement = session.statements(
            "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b "
            "WHERE a.range + b.range = 7"
        )[0]
        stop = threading.Timer(0.3, session._duckdb.interrupt)
        stop.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(statement)
        stop.join()
        assert session.frame("SELECT 1 AS n").item() == 1


def test_ctrl_c_is_what_it_is_everywhere_else() -> None:
    with pytest.raises(KeyboardInterrupt), errors_as_sentences():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="something else"), errors_as_sentences():
        raise RuntimeError("something else")


def test_a_dataset_has_the_declared_columns_before_anything_is_written(tmp_path: Path) -> None:
    empty = dataset(TableStore(str(tmp_path)), GAZE)
    assert (empty.schema.names, empty.count_rows()) == (GAZE.schema.names(), 0)
