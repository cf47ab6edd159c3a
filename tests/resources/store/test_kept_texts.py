"""Values of texts, kept by version beside the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from resources.store.kept_texts import KeptTexts, drop_versions
from resources.store.tables import StoreError, TableStore

KIND = "kept"


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    return TableStore(str(tmp_path))


def test_values_come_back_by_text_and_version(store: TableStore) -> None:
    kept = KeptTexts(store, KIND, "v1")
    kept.add({"two onions": "[1]", "…": ""})
    kept.add({"later": "[2]"})
    assert kept.get(["…", "later", "unknown"]) == {"…": "", "later": "[2]"}
    assert KeptTexts(store, KIND, "v2").get(["…"]) == {}
    assert KeptTexts(store, "other", "v1").get(["…"]) == {}


def test_a_damaged_file_is_named(store: TableStore) -> None:
    KeptTexts(store, KIND, "v1").add({"a": "1"})
    (file,) = Path(store.url, KIND, "v1").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(StoreError, match=rf"{file.name} is damaged \(.*\): delete the file"):
        KeptTexts(store, KIND, "v1").get(["a"])


def test_a_half_written_file_is_not_read(store: TableStore) -> None:
    kept = KeptTexts(store, KIND, "v1")
    kept.add({"a": "1"})
    Path(store.url, KIND, "v1", "x.parquet.1.part").write_bytes(b"PAR1")
    assert kept.get(["a"]) == {"a": "1"}


def test_other_versions_are_dropped(store: TableStore) -> None:
    for version in ("v1", "v2", "v3"):
        KeptTexts(store, KIND, version).add({"a": version})
    assert drop_versions(store, KIND, {"v2"}) == 2
    assert KeptTexts(store, KIND, "v2").get(["a"]) == {"a": "v2"}
    assert KeptTexts(store, KIND, "v1").get(["a"]) == {}
    assert drop_versions(store, "nothing", ()) == 0
