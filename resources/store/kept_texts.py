"""What was computed from texts, kept beside the tables, so that no text is worked on twice.

Kept for one version of whatever computed it, for all sources and runs. It decides nothing: deleting the
folder costs only the time to compute again.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Collection, Iterable, Mapping

import polars as pl

from resources.store.tables import StoreError, TableStore
from resources.store.whole_files import WholeFiles

_SCHEMA = pl.Schema({"text": pl.String(), "value": pl.String()})


class KeptTexts:
    """Values by text, of one version.

    Args:
        store: Table store; the values lie beside its tables.
        kind: Folder for values of this kind, below the store.
        version: Version of what computes the values.
    """

    def __init__(self, store: TableStore, kind: str, version: str) -> None:
        self._files = _files(store, f"{kind}/{version}")

    def get(self, texts: Iterable[str]) -> dict[str, str]:
        """Values of some texts; those that have none are left out.

        Raises:
            StoreError: A file of values is damaged.
        """
        found: dict[str, str] = {}
        sorted_texts = sorted(set(texts))
        for name in self._files.names():
            try:
                rows = pl.read_parquet(io.BytesIO(self._files.read(name)), columns=_SCHEMA.names())
                found.update(rows.filter(pl.col("text").is_in(sorted_texts)).iter_rows())
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
        self._files.write(uuid.uuid4().hex, data.getvalue())


def drop_versions(store: TableStore, kind: str, keep: Collection[str]) -> int:
    """Delete the values of all versions but some.

    Args:
        store: Table store.
        kind: Folder of the values.
        keep: Versions whose values stay.

    Returns:
        Number of deleted files.
    """
    files = _files(store, kind)
    old = [name for name in files.names() if name.split("/")[-2] not in keep]
    files.delete(old)
    return len(old)


def _files(store: TableStore, folder: str) -> WholeFiles:
    return WholeFiles(store, folder, ".parquet")
