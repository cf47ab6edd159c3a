"""What was computed from texts, kept beside the tables, so that no text is worked on twice.

Kept for one version of whatever computed it, for all sources and runs. It decides nothing: deleting the
folder costs only the time to compute again.
"""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import polars as pl

from resources.store.tables import StoreError, TableStore

_SCHEMA = pl.Schema({"text": pl.String(), "value": pl.String()})


class KeptTexts:
    """Values by text, of one version.

    Args:
        store: Table store; the values lie beside its tables.
        kind: Folder for values of this kind, below the store.
        version: Version of what computes the values.
    """

    def __init__(self, store: TableStore, kind: str, version: str) -> None:
        self._store = store
        self._folder = f"{_folder(store, kind)}/{version}"

    def get(self, texts: Iterable[str]) -> dict[str, str]:
        """Values of some texts; those that have none are left out.

        Raises:
            StoreError: A file of values is damaged.
        """
        found: dict[str, str] = {}
        wanted = sorted(set(texts))
        for name in _files(self._store, self._folder):
            try:
                rows = pl.read_parquet(io.BytesIO(self._read(name)), columns=_SCHEMA.names())
                found.update(rows.filter(pl.col("text").is_in(wanted)).iter_rows())
            except FileNotFoundError:
                continue  # another process cleaned up
            except pl.exceptions.PolarsError as error:
                reason = str(error).partition("\n")[0]
                raise StoreError(
                    f"{name} is damaged ({reason}): delete the file, and what it held is computed again"
                ) from error
        return found

    def add(self, values: Mapping[str, str]) -> None:
        """Keep values; when this returns, they are in one whole file."""
        if not values:
            return
        data = io.BytesIO()
        rows = sorted(values.items())
        pl.DataFrame(rows, schema=_SCHEMA, orient="row").write_parquet(data, compression="zstd")
        name = f"{self._folder}/{uuid.uuid4().hex}.parquet"
        if not self._store.is_local:
            self._store.filesystem().pipe_file(name, data.getvalue())
            return
        Path(self._folder).mkdir(parents=True, exist_ok=True)
        part = Path(f"{name}.{os.getpid()}.part")
        part.write_bytes(data.getvalue())
        part.replace(name)

    def _read(self, name: str) -> bytes:
        if self._store.is_local:
            return Path(name).read_bytes()
        return self._store.filesystem().cat_file(name)


def drop_versions(store: TableStore, kind: str, keep: Collection[str]) -> int:
    """Delete the values of all versions but some.

    Args:
        store: Table store.
        kind: Folder of the values.
        keep: Versions whose values stay.

    Returns:
        Number of deleted files.
    """
    names = _files(store, _folder(store, kind), "*/*.parquet")
    old = [name for name in names if name.split("/")[-2] not in keep]
    for name in old:
        if store.is_local:
            Path(name).unlink(missing_ok=True)
        else:
            store.filesystem().rm(name)
    return len(old)


def _folder(store: TableStore, kind: str) -> str:
    return f"{store.url.rstrip('/')}/{kind}"


def _files(store: TableStore, folder: str, pattern: str = "*.parquet") -> list[str]:
    if store.is_local:
        return sorted(str(path) for path in Path(folder).glob(pattern))
    try:
        found = store.filesystem().find(folder)
    except FileNotFoundError:
        return []
    return sorted(name for name in found if name.endswith(".parquet"))
