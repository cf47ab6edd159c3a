"""The questions of the sample worlds that a person read, as the platform reads them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import resources.worlds.samples
from assets.sources.layout import PartFiles
from assets.sources.reviews.reviews import read_reviews
from expectations.contracts import check
from expectations.schemas import TABLES

FOLDER = Path(resources.worlds.samples.__file__).parent / "reviews"
LEAST = 20
MOST_DEFECTS = 0.1


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_kept_verdicts_are_decisions_and_few_are_rejections(path: Path) -> None:
    data = path.read_bytes()
    found = read_reviews(PartFiles("people", {path.name: data}))
    checked = check(TABLES["reviews"], found.tables["reviews"])
    assert not found.refused and not checked.refused
    # Where two readers disagree, a later round decides.
    rows = {row["item_id"]: row for row in checked.accepted.sort("round").to_dicts()}
    assert set(checked.accepted["benchmark"]) == {path.stem}
    head, *lines = (line.split(",") for line in data.decode().splitlines())
    subtasks = {line[head.index("item_id")]: line[head.index("subtask")] for line in lines}
    assert rows.keys() == subtasks.keys(), "each row names a question"
    read = Counter(subtasks.values())
    rejected = Counter(subtasks[key] for key, row in rows.items() if row["verdict"] == "reject")
    assert all(n >= LEAST for n in read.values()), read
    too_many = {name for name, n in rejected.items() if n > MOST_DEFECTS * read[name]}
    assert not too_many, "subtasks of whose questions more than two in twenty were rejected"
