"""Published splits of EgoPet."""

from __future__ import annotations

from assets.sources.egopet.files import listed, set_of
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Every list as a split set, in the order of its lines; a segment counts where it stands first."""
    untold = RowReader("splits")
    rows: dict[tuple[str, str, str], dict] = {}
    for file, data in sorted(part.files.items()):
        header = 1 if set_of(file) == "pretrain" else 2
        for row in listed(file, data, untold):
            rows.setdefault(
                (set_of(file), row.split, row.uid),
                {
                    "source": part.source,
                    "split_set": set_of(file),
                    "recording_id": row.uid,
                    "split": row.split,
                    "position": row.line - header,
                    "source_file": file,
                },
            )
    return Rows({"splits": TABLES["splits"].frame(rows.values())})
