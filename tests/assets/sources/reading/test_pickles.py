"""Pickles are read without running them: plain data come through, everything else is refused."""

from __future__ import annotations

import collections
import datetime as dt
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.sources.reading.pickles import plain_pickle
from assets.sources.reading.values import Malformed

PLAIN: dict[str, Any] = {
    "text": "naïve 😀" * 40,
    "numbers": [0, 255, 256, 70_000, -1, 2**40, -(2**40), 0.5, -1e300],
    "words": [True, False, None, (), (1,), (1, "a"), (1, 2, 3), (1, 2, 3, 4), [], {}],
    "bytes": b"\0\1" * 200,
    "again": ["same"] * 300 + [f"w{n}" for n in range(300)] * 2,
    "nested": {"a": [{"b": [1, [2, [3]]]}], 7: "number"},
}


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_plain_data_are_what_pickle_gives(protocol: int) -> None:
    data = dict(PLAIN)
    if protocol == 2:
        # Bytes are written as a call in protocol 2.
        del data["bytes"]
    assert plain_pickle(pickle.dumps(data, protocol)) == data


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("shape", [(1, 4), (2, 4), (0, 4), (3,)])
def test_float32_arrays_are_what_numpy_gives(protocol: int, shape: tuple[int, ...]) -> None:
    array = np.linspace(-0.1, 1.1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    data = pickle.dumps({"a": array, "b": [array, array + 1]}, protocol)
    if protocol == 2:
        with pytest.raises(Malformed):
            plain_pickle(data)
        return
    made: Any = plain_pickle(data)
    assert made["a"].dtype == np.float32
    np.testing.assert_array_equal(made["a"], array)
    np.testing.assert_array_equal(made["b"][1], array + 1)


class Runs:
    """Pickles as a call of something."""

    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call[0], tuple(self.call[1:])


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("where", ["alone", "value", "item", "key", "array"])
def test_nothing_a_pickle_names_is_run(tmp_path: Path, protocol: int, where: str) -> None:
    planted = tmp_path / "run"
    evil = Runs(os.system, f"touch {planted}")
    given: Any = {
        "alone": evil,
        "value": {"a": evil},
        "item": [1, evil],
        "key": {("a", evil): 1},
        "array": np.array([[evil]], dtype=object),
    }[where]
    with pytest.raises(Malformed):
        plain_pickle(pickle.dumps(given, protocol))
    assert not planted.exists()


@pytest.mark.parametrize(
    "value",
    [
        Runs(eval, "1"),
        Runs(np.ndarray, (2,)),
        Runs(np.dtype, "O"),
        Runs(np.dtype, "f4"),
        np.dtype("f4"),
        np.ndarray,
        os.getcwd,
        np.arange(3),
        np.array([1.5]),
        np.array(["a"]),
        np.float32(1),
        np.zeros((2, 3), ">f4"),
        np.asfortranarray(np.zeros((2, 3), "f4")),
        {1, 2},
        dt.date(2020, 1, 1),
        collections.OrderedDict(a=1),
        1j,
        {(1, 2): 3},
        {None: 1},
        [((1,), 2)],
    ],
    ids=lambda v: type(v).__name__,
)
def test_other_data_are_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        plain_pickle(pickle.dumps(value, 4))


GOOD = pickle.dumps({"a": np.zeros((2, 4), np.float32), "b": ["x", 1, 2.5]}, 4)


@pytest.mark.parametrize("cut", range(len(GOOD)))
def test_a_cut_pickle_is_refused(cut: int) -> None:
    with pytest.raises(Malformed):
        plain_pickle(GOOD[:cut])


def test_changed_bytes_give_plain_data_or_a_refusal() -> None:
    for at in range(len(GOOD)):
        for change in (1, 64, 128, 255):
            data = bytearray(GOOD)
            data[at] ^= change
            try:
                plain_pickle(bytes(data))
            except Malformed:
                continue


@pytest.mark.parametrize(
    "data",
    [
        # Remember at a place beyond all memory: a list of that length is never made.
        b"\x80\x02K\x01r\xff\xff\xff\x7f0N.",
        # Longer than the file.
        b"\x80\x04X\xff\xff\xff\x7fabc.",
        b"\x80\x04B\xff\xff\xff\xffabc.",
        # Pairs of pairs of pairs: looked at one by one they never end.
        b"\x80\x04)\x94h\x00\x86" + b"".join(b"\x942h%c\x86" % n for n in range(1, 60)) + b".",
        # Out of a registry, by number.
        b"\x80\x02\x82\x01.",
        # Persistent ids.
        b"\x80\x02Pfile\n.",
        b"\x80\x04cos\nsystem\n(Vtrue\ntR.",
        b"(ios\nsystem\n.",
        b"",
        b"garbage",
    ],
)
def test_traps_are_refused_at_once(data: bytes) -> None:
    try:
        value = plain_pickle(data)
    except Malformed:
        return
    assert value is None
