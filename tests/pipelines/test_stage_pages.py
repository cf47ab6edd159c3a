"""The stages' pages are what the declarations say."""

from __future__ import annotations

import pytest

from expectations.schemas import TABLES
from pipelines.checks import QUALITY
from pipelines.definitions import PAGE, STAGES
from pipelines.stage_pages import index, module, page
from tests.house.test_documents import REPOSITORY

ALL = (*STAGES, PAGE)


@pytest.mark.parametrize("stage", ALL, ids=lambda stage: stage.name)
def test_a_page_names_everything_that_its_stage_declares(stage) -> None:
    text = page(stage, ALL, QUALITY, "../tables.md")
    assert (REPOSITORY / module(stage)).is_file()
    assert f"`{module(stage)}`" in text
    reads = text.partition("## Reads")[2].partition("## Writes")[0]
    for table, columns in stage.reads.items():
        (row,) = (line for line in reads.splitlines() if line.startswith(f"| [`{table}`]"))
        assert all(f"`{column}`" in row for column in columns or ())
    writes, _, checks = text.partition("## Writes")[2].partition("## Checks")
    for table in stage.tables:
        assert f"[`{table}`](../tables.md#{table}) | {TABLES[table].row}" in writes
    for check in QUALITY:
        assert (f"| `{check.name}` | `{check.table}` |" in checks) == (check.table in stage.tables)


def test_the_index_lists_the_stages_in_the_order_of_the_data() -> None:
    text = index(ALL)
    places = [text.index(f"[{stage.name}]({stage.name}.md)") for stage in ALL]
    assert places == sorted(places)
