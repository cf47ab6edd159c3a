"""Reads the gold narrations, and takes those that come from excerpts out of the folder of real data.

`gold/GUIDELINES.md` explains the fields and why sentences of excerpts are not repeated in the repository.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

GOLD = Path(__file__).parent / "gold"
STYLES = ("charades", "ego4d", "egoexo4d", "egoexolearn", "egome", "epic", "lemma", "own")

# The column that identifies a row, by the name of the column of its narration.
_KEYS = {
    "narration": "narration_id",
    "narration_en": "annotation_id",
    "narration_en_no_hand_prompt": "annotation_id",
    "script": "id",
    "descriptions": "id",
}


def read_gold(data: Path | None, styles: tuple[str, ...] = STYLES) -> list[dict[str, Any]]:
    """Annotated narrations, one dict per line of the gold files, with `style` added.

    Args:
        data: The folder of real excerpts (`<PARALLAX_SHARED>/data`). Without it, only the narrations
            that were written for the set are returned.
        styles: Names of gold files without `.jsonl`.

    Raises:
        ValueError: If an excerpt no longer holds the sentence that was annotated.
    """
    out = []
    for style in styles:
        for line in (GOLD / f"{style}.jsonl").read_text(encoding="utf-8").splitlines():
            row = {**json.loads(line), "style": style}
            if row["source"] != "written":
                if data is None:
                    continue
                row["narration"] = _excerpt(data, row["source"])
                if hash_narration(row["narration"]) != row["narration_sha256"]:
                    raise ValueError(
                        f"{row['source']} reads {row['narration']!r}, which is not the sentence annotated as "
                        f"{row['id']}; restore the excerpt or annotate the new sentence."
                    )
            out.append(row)
    return out


def hash_narration(narration: str) -> str:
    """SHA-256 of a narration in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(narration.encode()).hexdigest()


def _excerpt(data: Path, source: str) -> str:
    """The sentence at `file#row/column`, or `file#row/column/index` where a cell holds several between semicolons."""
    name, place = source.split("#")
    row, column, *index = place.split("/")
    cell = _cells(data / name, column)[row]
    return (cell.split(";")[int(index[0])] if index else cell).strip()


@cache
def _cells(path: Path, column: str) -> dict[str, str]:
    """All cells of one column by row id. Of rows that share an id, the first counts."""
    if path.suffix == ".csv":
        cells: dict[str, str] = {}
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                cells.setdefault(row[_KEYS[column]], row[column])
        return cells
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        mappings = json.loads(text)["mappings"]
        return {key: value[column] for mapping in mappings for key, value in mapping.items()}
    # JSON with comments, printed in the documentation: texts are numbered in their order.
    found = re.findall(rf'"{column}": "([^"]*)"', text)
    return {str(number): cell for number, cell in enumerate(found)}
