"""Cell arrays of MATLAB files: as scipy writes them, and as nobody should."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from scipy.io import savemat

from assets.sources.reading import mat as mat_reading
from assets.sources.reading.mat import cell_array
from assets.sources.reading.values import Malformed


def cells() -> np.ndarray:
    made = np.empty((3, 2), dtype=object)
    made[:, 0] = ["0001.jpg", "ä.jpg", ""]
    made[0, 1] = np.array([[1, 2, 3], [4, 5, 60000]], np.uint16)
    made[1, 1] = np.array([[-1.5, 1e300]])
    made[2, 1] = np.zeros((0, 0))
    return made


def written(compressed: bool = False, **variables: object) -> bytes:
    out = io.BytesIO()
    savemat(out, variables or {"it": cells()}, do_compression=compressed)
    return out.getvalue()


@pytest.mark.parametrize("compressed", [True, False])
def test_what_scipy_writes(compressed: bool) -> None:
    data = written(compressed, other=np.arange(3), it=cells(), text="no")
    found = cell_array(data, "it")
    assert [row[0] for row in found] == ["0001.jpg", "ä.jpg", ""]
    for row, expected in zip(found, cells()[:, 1], strict=True):
        assert isinstance(row[1], np.ndarray)
        assert row[1].shape == expected.shape and (row[1] == expected).all()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no MATLAB file"),
        (b"PK\3\4" + b"\0" * 200, "no MATLAB file"),
        (written(other=np.arange(3)), "no variable it"),
        (written(it=np.arange(3)), "not an array of"),
        (written(it={"a": 1}), "not an array of"),
        (written(it=np.array([{"a": 1}, 2], dtype=object)), "neither text nor numbers"),
    ],
    ids=["empty", "zip", "no variable", "numbers", "struct", "struct in a cell"],
)
def test_what_is_no_array_of_cells(data: bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        cell_array(data, "it")


@pytest.mark.parametrize("compressed", [True, False])
def test_a_file_cut_off_anywhere(compressed: bool) -> None:
    data = written(compressed)
    for end in range(len(data)):
        with pytest.raises(Malformed):
            cell_array(data[:end], "it")


def test_any_byte_may_be_wrong() -> None:
    """A damaged file is read or refused, and nothing else happens."""
    data = written()
    refused = 0
    for at in range(126, len(data)):
        for value in (0, 255, data[at] ^ 1):
            try:
                cell_array(data[:at] + bytes([value]) + data[at + 1 :], "it")
            except Malformed:
                refused += 1
    assert refused > 100


def test_a_file_that_states_any_size() -> None:
    """Sizes are believed only as far as the file can hold them."""
    data = written()
    at = data.index(struct.pack("<ii", 3, 2))
    with pytest.raises(Malformed, match="not an array of"):
        cell_array(data[:at] + struct.pack("<ii", 1 << 30, 1 << 30) + data[at + 8 :], "it")


def test_a_variable_that_unpacks_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mat_reading, "UNPACKED_BYTES", 1 << 16)
    body = zlib.compress(b"\0" * (1 << 20))
    data = written(True)[:128] + struct.pack("<II", 15, len(body)) + body
    with pytest.raises(Malformed, match="over 65536 bytes"):
        cell_array(data, "it")
