"""What the configuration says of a source's pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from resources.config import ConfigError, Settings, load_settings

SOURCE = 'store = "tables"\n[sources.house]\nlayout = "egoexolearn"\nroot = "raw"\n'


def read(folder: Path, line: str = "") -> Settings:
    (folder / "parallax.toml").write_text(SOURCE + line)
    return load_settings(folder / "parallax.toml")


@pytest.mark.parametrize(("line", "positives"), [("", 3), ("positives_per_query = 1", 1)])
def test_positives_per_query(line: str, positives: int, tmp_path: Path) -> None:
    assert read(tmp_path, line).sources["house"].positives_per_query == positives


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", '"3"'])
def test_positives_per_query_is_a_count(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="positives_per_query"):
        read(tmp_path, f"positives_per_query = {value}")
