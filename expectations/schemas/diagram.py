"""The tables' declarations as an entity diagram in SVG, which needs no script and no other site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from expectations.schemas.core import Table

_BOX_PX, _LINE_PX, _HEAD_PX = 250, 16, 22
_GAP_X, _GAP_Y, _TOP_PX = 110, 18, 34
_MOST_PX = 1100
"""Height above which the boxes of a stage go on in another column."""
_IDENTITIES = frozenset({"recording_id", "segment_id", "track_id", "question_id", "call_key"})
_PARTITIONS = frozenset({"source", "benchmark", "run"})
_STYLE = (
    ".box{fill:#fff;stroke:#5b6a72}.head{fill:#dcebea}.name{font-weight:700}.key{font-weight:600}"
    ".stage{font-size:15px;font-weight:700;fill:#1f6470}.line{fill:none;stroke:#b5541c;opacity:.55}"
    "text{font-family:system-ui,sans-serif;font-size:12px;fill:#1c2429}a:hover .head{fill:#b9d9d7}"
)


@dataclass(frozen=True, slots=True)
class _Box:
    """A table in the diagram, in pixels from the top left corner."""

    table: Table
    columns: tuple[str, ...]
    references: dict[str, tuple[str, str]]
    x: int
    y: int

    @property
    def height(self) -> int:
        return _height(self.columns)

    def y_of(self, column: str) -> int:
        """Middle of a column's line; that of the head for a column that is not shown."""
        if column not in self.columns:
            return self.y + _HEAD_PX // 2
        return self.y + _HEAD_PX + _LINE_PX * self.columns.index(column) + _LINE_PX // 2


def references(table: Table, tables: Iterable[Table]) -> dict[str, tuple[str, str]]:
    """Table and column that each column of a table refers to, by column.

    A column refers to what its declaration names; those that `_IDENTITIES` lists refer to the table whose
    whole key they are beside the partition's name: `recording_id` to `recordings`.

    Args:
        table: Table whose columns are asked about.
        tables: All tables.
    """
    out = {}
    owners: dict[str, str] = {}
    for other in tables:
        identity = [name for name in other.key if name not in _PARTITIONS]
        if len(identity) == 1 and identity[0] in _IDENTITIES:
            owners.setdefault(identity[0], other.name)
    for column in table.columns:
        if column.refers_to:
            name, _, target = column.refers_to.partition(".")
        else:
            name, target = owners.get(column.name, table.name), column.name
        if name != table.name:
            out[column.name] = (name, target)
    return out


def diagram(tables: Iterable[Table], link: str = "") -> str:
    """SVG of all tables: a box each, with its key in bold and the columns that refer to other tables.

    Args:
        tables: Tables, those of one stage one after the other.
        link: Address that a box leads to, with `{name}` for the table; empty for none.
    """
    stages: dict[str, list[Table]] = {}
    everything = tuple(tables)
    refers = {table.name: references(table, everything) for table in everything}
    for table in everything:
        stages.setdefault(table.stage, []).append(table)
    boxes: dict[str, _Box] = {}
    heads: list[tuple[str, int, int]] = []
    x = y = 0
    for stage, members in stages.items():
        shown = {t.name: tuple(dict.fromkeys((*t.key, *refers[t.name]))) for t in members}
        whole = _TOP_PX + sum(_height(columns) + _GAP_Y for columns in shown.values())
        if y and y + whole > _MOST_PX:
            x, y = x + _BOX_PX + _GAP_X, 0
        heads.append((stage, x, y))
        y += _TOP_PX
        for table in members:
            columns = shown[table.name]
            if y + _height(columns) > _MOST_PX:
                x, y = x + _BOX_PX + _GAP_X, _TOP_PX
            boxes[table.name] = _Box(table, columns, refers[table.name], x, y)
            y += _height(columns) + _GAP_Y
    x += _BOX_PX + _GAP_X
    width = x - _GAP_X
    height = max(box.y + box.height for box in boxes.values()) + 1
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 {width + 2} {height}" width="{width}"'
        ' style="max-width:none" role="img" aria-label="Tables, their keys and their references">',
        f"<style>{_STYLE}</style>",
        *(
            f'<text class="stage" x="{left}" y="{top + 20}">{escape(stage)}</text>'
            for stage, left, top in heads
        ),
        *(line for box in boxes.values() for line in _lines(box, boxes)),
        *(line for box in boxes.values() for line in _box(box, link)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _height(columns: Sequence[str]) -> int:
    return _HEAD_PX + _LINE_PX * len(columns) + 4


def _box(box: _Box, link: str) -> Iterator[str]:
    name = escape(box.table.name)
    if link:
        yield f'<a href="{escape(link.format(name=box.table.name))}">'
    yield f"<g><title>One row per {escape(box.table.row)}.</title>"
    yield f'<rect class="box" x="{box.x}" y="{box.y}" width="{_BOX_PX}" height="{box.height}"/>'
    yield f'<rect class="head" x="{box.x}" y="{box.y}" width="{_BOX_PX}" height="{_HEAD_PX}"/>'
    yield f'<text class="name" x="{box.x + 8}" y="{box.y + 15}">{name}</text>'
    for i, column in enumerate(box.columns):
        kind = ' class="key"' if column in box.table.key else ""
        y = box.y + _HEAD_PX + _LINE_PX * i + 13
        yield f'<text{kind} x="{box.x + 8}" y="{y}">{escape(column)}</text>'
    yield "</g>"
    if link:
        yield "</a>"


def _lines(box: _Box, boxes: dict[str, _Box]) -> Iterator[str]:
    """Curves from columns to the boxes they refer to."""
    for column, (name, target_column) in box.references.items():
        target = boxes.get(name)
        if target is None or target is box:
            continue
        to_left = target.x < box.x
        x1 = box.x if to_left else box.x + _BOX_PX
        x2 = target.x + _BOX_PX if to_left else target.x
        if target.x == box.x:
            # Out and back on the same side.
            x1 = x2 = box.x + _BOX_PX
        y1, y2 = box.y_of(column), target.y_of(target_column)
        bend = _GAP_X // 2
        first, second = (x1 - bend, x2 + bend) if to_left else (x1 + bend, x2 - bend)
        if target.x == box.x:
            first = second = x1 + bend
        label = f"{box.table.name}.{column} in {name}.{target_column}"
        yield (
            f'<path class="line" d="M{x1} {y1} C{first} {y1} {second} {y2} {x2} {y2}">'
            f"<title>{escape(label)}</title></path>"
        )
