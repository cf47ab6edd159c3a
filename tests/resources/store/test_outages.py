"""A store that fails: what a person is told of it, by the real libraries."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from expectations.schemas import TABLES
from resources.outages import outage
from resources.store.tables import TableStore

TABLE = TABLES["reviews"]
ROW = pl.DataFrame({name: [None] for name in TABLE.schema}, schema=TABLE.schema)


def told(work) -> str:
    """What is said of the error that some work ends with."""
    with pytest.raises(Exception) as raised:
        work()
    text = outage(raised.value)
    assert text is not None, f"{type(raised.value)}: {raised.value}"
    return text


def uses(store: TableStore) -> list:
    """Ways in which a store is used, each with libraries of its own."""

    def lock() -> None:
        with store.lock("x"):
            pass

    def scan() -> None:
        pl.scan_parquet(f"{store.url}/x.parquet", storage_options=store.storage_options).collect()

    return [lambda: store.read(TABLE), lambda: store.append(TABLE, "p", ROW), lock, scan]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = TableStore(str(tmp_path / "file" / "tables"))
    for use in uses(store)[1:3]:
        text = told(use)
        assert f"{tmp_path}/file/tables" in text
        assert "cannot be used (Not a directory): give this user access to it" in text


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"aws_secret_access_key": "wrong"}, "refuses the credentials"),
        ({"aws_access_key_id": "nobody"}, "refuses the credentials"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_object_store_that_refuses_a_key_is_told(change, part, s3_options) -> None:
    for use in uses(TableStore("s3://parallax/outage", {**s3_options, **change})):
        assert part in told(use)


def test_an_object_store_that_is_down_is_told(s3_options) -> None:
    store = TableStore("s3://parallax/x", {**s3_options, "aws_endpoint_url": "http://127.0.0.1:9"})
    # The other ways wait longer; what they raise is told in the same words.
    assert "does not answer: start it, or correct AWS_ENDPOINT_URL" in told(uses(store)[0])


def test_a_bucket_that_is_not_there_is_told(s3_options) -> None:
    store = TableStore("s3://no-such-bucket/outage", s3_options)
    assert "has no such bucket: create it" in told(lambda: store.append(TABLE, "p", ROW))
