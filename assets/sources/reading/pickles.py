"""Pickles that hold nothing but plain containers, text, numbers and arrays of float32.

A pickle is a program: loading one runs what it names. Here the few instructions that build plain
data are carried out by this file itself and every other one is refused, so that nothing named by a
pickle is ever imported or called. Arrays are the one thing that pickles build by calling: the three
names numpy writes for them stand for data here, and what is built must be a float32 array whose
bytes fit its shape.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assets.sources.reading.values import Malformed

_PROTOCOLS = range(2, 5)
_MODULES = frozenset({"numpy.core.multiarray", "numpy._core.multiarray"})
_SIZE_LIMIT = 1 << 24
_SCALARS = frozenset({str, bytes, int, float, bool})
BROKEN = (
    IndexError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    struct.error,
)
"""A stack or memory that runs dry, a length beyond the file, text that is not UTF-8."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A name a pickle asks for; it stands for itself and is never looked up."""

    text: str


@dataclass(slots=True)
class _Type:
    """An element type under construction."""

    code: object
    order: object = None


@dataclass(slots=True)
class _Array:
    """An array under construction."""

    made: np.ndarray | None = None


@dataclass(slots=True)
class Machine:
    """State of a reading: the bytes, the place in them, the stack and what is remembered."""

    data: bytes
    at: int = 0
    stack: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def take(self, count: int) -> bytes:
        """The next bytes."""
        end = self.at + count
        if end > len(self.data):
            raise Malformed("the pickle ends too early")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def whole(self, form: str) -> int:
        """The next number, of a `struct` format."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> str:
        """Text up to the end of the line."""
        end = self.data.index(b"\n", self.at)
        return self.take(end + 1 - self.at)[:-1].decode()

    def since_mark(self) -> list[Any]:
        """What was put on the stack since the last mark, taken off."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items


def plain_pickle(data: bytes) -> object:
    """What a pickle holds.

    Args:
        data: A pickle of protocol 2 to 4 of dicts (with text or whole numbers as keys), lists,
            tuples, text, bytes, numbers, truth values, None and float32 arrays.

    Returns:
        The value; arrays as little-endian float32 `numpy.ndarray`, read only.

    Raises:
        Malformed: Anything else; `value` names the instruction or what the pickle asks for.
    """
    machine = Machine(data)
    try:
        value = run(machine, STEPS)
    except Malformed:
        raise
    except BROKEN:
        raise Malformed(f"not a pickle of plain data at byte {machine.at}") from None
    return value


def run(machine: Machine, steps: Mapping[int, Callable[[Machine], None]]) -> object:
    """Carry out a pickle's instructions.

    Args:
        machine: The pickle.
        steps: What each instruction does, beside the few that are carried out here.

    Raises:
        Malformed: An instruction that is not one of these.
    """
    data, stack, memo = machine.data, machine.stack, machine.memo
    while True:
        code = data[machine.at]
        machine.at += 1
        # The three most frequent instructions are not looked up: they are two thirds of all.
        if code == 0x94:
            memo[len(memo)] = stack[-1]
        elif code == 0x68:
            stack.append(memo[data[machine.at]])
            machine.at += 1
        elif code == 0x4B:
            stack.append(data[machine.at])
            machine.at += 1
        elif code == 0x2E:
            return _finished(stack)
        else:
            step = steps.get(code)
            if step is None:
                name = chr(code) if 32 < code < 127 else f"{code:#x}"
                raise Malformed(f"instruction {name!r} builds no plain data", name)
            step(machine)


def _finished(stack: list[Any]) -> object:
    (value,) = stack
    return _plain(value)


def _plain(value: Any) -> Any:
    """Refuse what is still under construction where plain data belongs."""
    if isinstance(value, _Array):
        if value.made is None:
            raise Malformed("an array has no content")
        return value.made
    if isinstance(value, _Name | _Type):
        raise Malformed("a name stands where data belongs", str(value))
    # Tuples within tuples could share their parts so often that looking at them never ends.
    if isinstance(value, tuple) and not all(
        item is None or type(item) in _SCALARS for item in value
    ):
        raise Malformed("a tuple holds more than text and numbers")
    return value


# -- numbers, text, memory -------------------------------------------------------------------------


def _protocol(machine: Machine) -> None:
    if (number := machine.take(1)[0]) not in _PROTOCOLS:
        raise Malformed(f"pickle protocol {number} is not read", number)


def push(make: Callable[[Machine], Any]) -> Callable[[Machine], None]:
    """An instruction that puts a value on the stack."""

    def step(machine: Machine) -> None:
        machine.stack.append(make(machine))

    return step


def _remember(form: str) -> Callable[[Machine], None]:
    def step(machine: Machine) -> None:
        machine.memo[machine.whole(form)] = machine.stack[-1]

    return step


def _text(form: str) -> Callable[[Machine], None]:
    return push(lambda m: m.take(m.whole(form)).decode())


def _bytes(form: str) -> Callable[[Machine], None]:
    return push(lambda m: m.take(m.whole(form)))


def _long(machine: Machine) -> int:
    return int.from_bytes(machine.take(machine.whole("<B")), "little", signed=True)


def _mark(machine: Machine) -> None:
    machine.marks.append(len(machine.stack))


# -- containers ------------------------------------------------------------------------------------


def last(machine: Machine, count: int) -> list[Any]:
    """The last values of the stack, taken off."""
    if count > len(machine.stack):
        raise IndexError
    items = machine.stack[-count:]
    del machine.stack[-count:]
    return items


def _set(machine: Machine, items: list[Any]) -> None:
    held = machine.stack[-1]
    if not isinstance(held, dict):
        raise Malformed("keys are set on something that is not a dict", type(held).__name__)
    for key, value in zip(items[::2], items[1::2], strict=True):
        # Keys that are containers could be nested as deep as their hashing goes.
        if not isinstance(key, str | int):
            raise Malformed("a key is neither text nor a whole number", type(key).__name__)
        held[key] = _plain(value)


def _extend(machine: Machine, items: list[Any]) -> None:
    held = machine.stack[-1]
    if not isinstance(held, list):
        raise Malformed("items are added to something that is not a list", type(held).__name__)
    held.extend(_plain(item) for item in items)


# -- arrays ----------------------------------------------------------------------------------------


def _name(machine: Machine, module: Any, name: Any) -> None:
    asked = f"{module}.{name}"
    known = (module in _MODULES and name == "_reconstruct") or (
        module == "numpy" and name in ("ndarray", "dtype")
    )
    if not known:
        raise Malformed(f"the pickle asks for {asked[:80]}, which is not plain data", asked)
    machine.stack.append(_Name("_reconstruct" if module in _MODULES else name))


def _call(machine: Machine) -> None:
    asked, given = last(machine, 2)
    if asked == _Name("_reconstruct") and given[0] == _Name("ndarray"):
        machine.stack.append(_Array())
    elif asked == _Name("dtype") and given[0] in ("f4", "<f4"):
        machine.stack.append(_Type(given[0], "<" if given[0] == "<f4" else None))
    else:
        raise Malformed("the pickle builds something else than arrays of float32", str(given)[:80])


def _build(machine: Machine) -> None:
    (state,) = last(machine, 1)
    held = machine.stack[-1]
    if isinstance(held, _Type):
        held.order = state[1]
    elif isinstance(held, _Array) and held.made is None:
        held.made = _array(*state)
    else:
        raise Malformed("the pickle sets the state of something that is not an array")


def _array(_version: Any, shape: Any, kind: Any, by_column: Any, content: Any) -> np.ndarray:
    if not isinstance(kind, _Type) or kind.order != "<":
        raise Malformed("an array holds something else than little-endian float32", str(kind))
    if not isinstance(content, bytes) or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise Malformed("an array has no plain shape and content")
    if by_column is not False and len(shape) > 1:
        raise Malformed("an array is stored by columns")
    if math.prod(shape) > _SIZE_LIMIT or 4 * math.prod(shape) != len(content):
        raise Malformed("an array's content does not fit its shape", str(shape))
    return np.frombuffer(content, "<f4").reshape(shape)


def _void(_: object) -> None:
    """Nothing: for instructions whose operand does not matter."""


STEPS: dict[int, Callable[[Machine], None]] = {
    0x80: _protocol,
    0x95: lambda m: _void(m.take(8)),
    ord("0"): lambda m: _void(m.stack.pop()),
    ord("("): _mark,
    ord("N"): push(lambda _: None),
    0x88: push(lambda _: True),
    0x89: push(lambda _: False),
    ord("M"): push(lambda m: m.whole("<H")),
    ord("J"): push(lambda m: m.whole("<i")),
    0x8A: push(_long),
    ord("G"): push(lambda m: m.whole(">d")),
    0x8C: _text("<B"),
    ord("X"): _text("<I"),
    ord("C"): _bytes("<B"),
    ord("B"): _bytes("<I"),
    ord("j"): push(lambda m: m.memo[m.whole("<I")]),
    ord("q"): _remember("<B"),
    ord("r"): _remember("<I"),
    ord("}"): push(lambda _: {}),
    ord("]"): push(lambda _: []),
    ord(")"): push(lambda _: ()),
    0x85: push(lambda m: tuple(last(m, 1))),
    0x86: push(lambda m: tuple(last(m, 2))),
    0x87: push(lambda m: tuple(last(m, 3))),
    ord("t"): push(lambda m: tuple(m.since_mark())),
    ord("s"): lambda m: _set(m, last(m, 2)),
    ord("u"): lambda m: _set(m, m.since_mark()),
    ord("a"): lambda m: _extend(m, last(m, 1)),
    ord("e"): lambda m: _extend(m, m.since_mark()),
    ord("c"): lambda m: _name(m, m.line(), m.line()),
    0x93: lambda m: _name(m, *last(m, 2)),
    ord("R"): _call,
    ord("b"): _build,
}
