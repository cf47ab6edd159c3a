"""The documentation of tables is what the declarations say."""

from __future__ import annotations

from pathlib import Path

from expectations.schemas import TABLES
from expectations.schemas.document import document
from expectations.schemas.views import VIEWS

PAGE = Path(__file__).parents[3] / "docs" / "tables.md"


def test_page_is_current() -> None:
    expected = document(TABLES.values(), VIEWS.values())
    assert PAGE.read_text(encoding="utf-8") == expected, "run `make docs`"


def test_page_names_every_table_view_and_column() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for table in (*TABLES.values(), *VIEWS.values()):
        part = page.split(f"### `{table.name}`\n")[1].split("\n### ")[0]
        for column in table.columns:
            assert f"| `{column.name}` |" in part, f"{table.name}.{column.name}"
            assert column.meaning in part
