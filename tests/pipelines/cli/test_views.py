"""Tables that commands print."""

from __future__ import annotations

from pathlib import Path

from expectations.schemas import TABLES
from pipelines.cli.views import score_table
from resources.config import Settings
from resources.store.tables import TableStore


def test_names_of_any_length_stay_in_their_columns(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path / "tables"))
    table = TABLES["scores"]
    counts = dict.fromkeys(("n", "n_unparsed", "n_errors", "n_withheld", "n_clusters"), 1)
    rows = [
        {"benchmark": benchmark, "run": run, "slice": "micro", "metric": "accuracy", **counts}
        for benchmark, run in (("a-benchmark-of-a-long-name", "a-run-of-a-long-name"), ("b", "r"))
    ]
    keys = []
    for row in rows:
        keys.append(f"{row['benchmark']}.{row['run']}")
        parts = [row, row | {"slice": "one"}, row | {"slice": "two"}]
        store.replace(table, keys[-1], [p[table.unit] for p in parts], table.frame(parts))
    settings = Settings(tmp_path, store, tmp_path / "page.html")
    head, *lines = score_table(settings, keys).splitlines()
    for line in lines:
        words = line.split()
        assert words[0] in {"a-benchmark-of-a-long-name", "b"}
        assert words[1] in {"a-run-of-a-long-name", "r"}
        assert line.index(words[2]) == head.index("slice")
