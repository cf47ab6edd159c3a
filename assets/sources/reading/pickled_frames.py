"""Columns of a pickled pandas table, read without pandas: nothing a pickle names is imported.

The instructions of `plain_pickle` are carried out, and calls are noted instead of made: what a table
calls to build itself again (blocks of columns, their index) is then looked through for its arrays.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from assets.sources.reading.pickles import BROKEN, STEPS, Machine, last, push, run
from assets.sources.reading.values import Malformed

_PROTOCOLS: Final = range(2, 6)
_SIZE_LIMIT: Final = 1 << 26
_NUMBERS: Final = frozenset(
    f"{kind}{size}"
    for kind, sizes in {"i": "1248", "u": "1248", "f": "248"}.items()
    for size in sizes
)
_BOOLEAN: Final = "b1"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A name the pickle asks for; it stands for itself."""

    text: str


@dataclass(slots=True, eq=False)
class _Noted:
    """A call that was not made, and the state it was to be given."""

    name: str
    given: tuple[Any, ...]
    state: Any = None


def frame_pickle(data: bytes, wanted: Collection[str]) -> dict[str, list[Any]]:
    """Columns of a table by name, as Python values.

    Args:
        data: A pickle of protocol 2 to 5 of a table whose columns are numbers, truth values or
            objects (text, numbers, lists and tuples of these).
        wanted: Columns asked for; others are not looked at.

    Returns:
        Those of them that the table has, of one length.

    Raises:
        Malformed: Anything else; `value` names what cannot be read.
    """
    machine = Machine(data)
    try:
        return _columns(run(machine, _STEPS), frozenset(wanted))
    except Malformed:
        raise
    except (*BROKEN, OverflowError, RecursionError):
        raise Malformed(f"not a pickled table at byte {machine.at}") from None


# -- instructions ----------------------------------------------------------------------------------


def _protocol(machine: Machine) -> None:
    if (number := machine.take(1)[0]) not in _PROTOCOLS:
        raise Malformed(f"pickle protocol {number} is not read", number)


def _name(machine: Machine, module: Any, name: Any) -> None:
    machine.stack.append(_Asked(f"{module}.{name}"))


def _call(machine: Machine) -> None:
    asked, given = last(machine, 2)
    if not isinstance(asked, _Asked) or not isinstance(given, tuple):
        raise Malformed("the pickle calls something that is not a name", str(asked)[:80])
    machine.stack.append(_Noted(asked.text, given))


def _build(machine: Machine) -> None:
    (state,) = last(machine, 1)
    held = machine.stack[-1]
    if not isinstance(held, _Noted) or held.state is not None:
        raise Malformed("the pickle sets the state of something that has none")
    held.state = state


def _extend(machine: Machine, items: list[Any]) -> None:
    """Cells are looked at when they are read: only columns that are asked for must be plain."""
    held = machine.stack[-1]
    if not isinstance(held, list):
        raise Malformed("items are added to something that is not a list", type(held).__name__)
    held.extend(items)


_STEPS: Final = {
    **STEPS,
    ord("a"): lambda m: _extend(m, last(m, 1)),
    ord("e"): lambda m: _extend(m, m.since_mark()),
    0x80: _protocol,
    ord("c"): lambda m: _name(m, m.line(), m.line()),
    0x93: lambda m: _name(m, *last(m, 2)),
    ord("R"): _call,
    0x81: _call,
    ord("b"): _build,
    0x8D: push(lambda m: m.take(m.whole("<Q")).decode()),
    0x8E: push(lambda m: m.take(m.whole("<Q"))),
    0x96: push(lambda m: m.take(m.whole("<Q"))),
}


# -- what was noted --------------------------------------------------------------------------------


def _columns(frame: Any, wanted: frozenset[str]) -> dict[str, list[Any]]:
    if not isinstance(frame, _Noted) or not frame.name.endswith(".DataFrame"):
        raise Malformed("the pickle holds no table", type(frame).__name__)
    state = frame.state if isinstance(frame.state, dict) else {}
    manager = state.get("_mgr", state.get("_data"))
    if not isinstance(manager, _Noted):
        raise Malformed("the table holds no columns", str(manager)[:80])
    blocks, axes = _parts(manager)
    names = _index(axes[0])
    found: dict[str, list[Any]] = {}
    for values, places in blocks:
        held = [names[place] for place in _places(places, len(names))]
        if not wanted.isdisjoint(held):
            rows = _array(values)
            if len(rows) != len(held):
                raise Malformed("a block has another number of columns", len(rows))
            found |= {n: row for n, row in zip(held, rows, strict=True) if n in wanted}
    lengths = {len(column) for column in found.values()}
    if len(lengths) > 1:
        raise Malformed("columns are of unequal length", str(sorted(lengths)))
    budget = _Budget()
    return {name: [budget.cell(one) for one in column] for name, column in found.items()}


def _parts(manager: _Noted) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Values and places of each block, and the axes, in both published forms."""
    if len(manager.given) == 2:
        blocks, axes = manager.given
        held = [one.given[:2] for one in blocks if isinstance(one, _Noted)]
        if len(held) == len(blocks):
            return [(values, places) for values, places in held], list(axes)
    if isinstance(manager.state, tuple) and len(manager.state) == 4:
        newest = manager.state[3].get("0.14.1", {})
        held = [(one["values"], one["mgr_locs"]) for one in newest.get("blocks", ())]
        if held:
            return held, list(newest["axes"])
    raise Malformed("the table stores its columns in a form that is not known", manager.name)


def _index(axis: Any) -> list[str]:
    """Labels of an axis."""
    given = axis.given if isinstance(axis, _Noted) else ()
    data = given[1].get("data") if len(given) == 2 and isinstance(given[1], dict) else None
    if data is None:
        raise Malformed("names of columns are stored in a form that is not known", str(axis)[:80])
    (names,) = _array(data)
    return [str(one) for one in names]


def _places(said: Any, count: int) -> list[int]:
    """Columns of a block, of a slice or an array of numbers."""
    if isinstance(said, _Noted) and said.name.endswith(".slice"):
        found = list(range(count))[slice(*said.given)]
    else:
        (row,) = _array(said)
        found = [int(one) for one in row]
    if any(not 0 <= one < count for one in found):
        raise Malformed("a block has a place beyond the columns", str(found)[:80])
    return found


def _array(said: Any) -> list[list[Any]]:
    """Rows of an array of one or two dimensions, as Python values."""
    if not isinstance(said, _Noted):
        raise Malformed("an array is stored in a form that is not known", str(said)[:80])
    if said.name.endswith("._frombuffer"):
        content, kind, shape, order = said.given
        by_column = order == "F"
    elif said.name.endswith("._reconstruct") and isinstance(said.state, tuple):
        _, shape, kind, by_column, content = said.state
    else:
        raise Malformed(f"{said.name[:80]} is not plain array", said.name)
    shape = tuple(shape)
    if not 1 <= len(shape) <= 2 or not all(type(n) is int and n >= 0 for n in shape):
        raise Malformed("an array is neither a row nor a table", str(shape)[:80])
    if math.prod(shape) > _SIZE_LIMIT:
        raise Malformed("an array is too large", str(shape)[:80])
    if isinstance(content, list):
        cells = np.empty(len(content), object)
        cells[:] = content
    else:
        cells = np.frombuffer(content, _kind(kind))
    if cells.size != math.prod(shape):
        raise Malformed("an array's content does not fit its shape", str(shape))
    made = cells.reshape(shape, order="F" if by_column else "C")
    return [made.tolist()] if made.ndim == 1 else [row.tolist() for row in made]


def _kind(said: Any) -> str:
    name = said.given[0] if isinstance(said, _Noted) and said.name.endswith(".dtype") else None
    code = str(name).lstrip("<|")
    order = said.state[1] if isinstance(getattr(said, "state", None), tuple) else "<"
    if code not in _NUMBERS | {_BOOLEAN} or order not in ("<", "|"):
        raise Malformed("an array holds something else than little-endian numbers", str(name))
    return f"<{code}" if code != _BOOLEAN else "?"


class _Budget:
    """Cells as plain values; lists may share their parts, so that what is looked at is counted."""

    def __init__(self) -> None:
        self.left = _SIZE_LIMIT

    def cell(self, one: Any) -> Any:
        """A cell: plain, a number of numpy's, or a list or tuple of these."""
        self.left -= 1
        if self.left < 0:
            raise Malformed("the table holds too much")
        if one is None or isinstance(one, str | int | float):
            return one
        if isinstance(one, list | tuple):
            return type(one)(self.cell(item) for item in one)
        if isinstance(one, _Noted) and one.name.endswith(".scalar") and len(one.given) == 2:
            return np.frombuffer(one.given[1], _kind(one.given[0]))[0].item()
        said = one.name if isinstance(one, _Noted) else type(one).__name__
        raise Malformed(f"a cell holds {said[:80]}", said)
