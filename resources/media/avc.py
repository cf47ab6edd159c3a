"""What an H.264 file's header and packets say of pictures, before any is decoded."""

from __future__ import annotations

from collections.abc import Iterator

# Profiles whose parameter sets name the chroma format (ITU-T H.264, 7.3.2.1.1).
_CHROMA_PROFILES = frozenset({100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135})

# Slices, access unit delimiters and filler: what only the picture itself is made from (7.4.1).
_OF_ONE_PICTURE = frozenset({1, 2, 3, 4, 9, 12})


def length_size(header: bytes) -> int:
    """Bytes of the length before each unit of a packet; 0 where the header does not say.

    Args:
        header: The decoder configuration record of an MP4 (ISO/IEC 14496-15, 5.3.3.1).
    """
    return (header[4] & 3) + 1 if len(header) > 4 and header[0] == 1 else 0


def is_disposable(packet: bytes | memoryview, size: int) -> bool:
    """Whether a packet holds a picture no other leans on, and nothing else (`nal_ref_idc` 0).

    Args:
        packet: Units, each after its length.
        size: Bytes of a length.

    Returns:
        False also where the packet is not made of whole units.
    """
    at = 0
    while at + size < len(packet):
        unit = packet[at + size]
        if unit >> 5 & 3 or unit & 31 not in _OF_ONE_PICTURE:
            return False
        at += size + int.from_bytes(packet[at : at + size], "big")
    return 0 < at == len(packet)


def frames_only(header: bytes) -> bool:
    """Whether every picture is a whole frame, so that no packet holds the second field of another.

    Args:
        header: The decoder configuration record of an MP4 (ISO/IEC 14496-15, 5.3.3.1).

    Returns:
        False also where the record cannot be read, or holds no parameter set.
    """
    try:
        sets = list(_parameter_sets(header))
        return bool(sets) and all(_frame_mbs_only(one) for one in sets)
    except IndexError:
        return False


def _parameter_sets(header: bytes) -> Iterator[bytes]:
    """Sequence parameter sets, without their NAL header."""
    if header[0] != 1:
        return
    at = 6
    for _ in range(header[5] & 31):
        length = header[at] << 8 | header[at + 1]
        unit = header[at + 2 : at + 2 + length]
        at += 2 + length
        yield unit.replace(b"\0\0\3", b"\0\0")[1:]


class _Bits:
    """Bits of a parameter set, from the highest of the first byte on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def bit(self) -> int:
        """Next bit.

        Raises:
            IndexError: There is none.
        """
        byte = self._data[self._at >> 3]
        bit = byte >> (7 - (self._at & 7)) & 1
        self._at += 1
        return bit

    def code(self) -> int:
        """Next Exp-Golomb code, unsigned (9.1)."""
        zeros = 0
        while not self.bit():
            zeros += 1
        value = 1
        for _ in range(zeros):
            value = value << 1 | self.bit()
        return value - 1

    def signed(self) -> int:
        """Next Exp-Golomb code, signed (9.1.1)."""
        code = self.code()
        return (code + 1) // 2 if code & 1 else -(code // 2)

    def skip(self, what: str) -> None:
        """Passes bits (`b`) and Exp-Golomb codes (`u`; a signed one is as long)."""
        for kind in what:
            self.bit() if kind == "b" else self.code()


def _frame_mbs_only(data: bytes) -> bool:
    """`frame_mbs_only_flag` of a sequence parameter set (7.3.2.1.1)."""
    profile = data[0]
    bits = _Bits(data[3:])  # profile, constraints, level
    bits.code()
    if profile in _CHROMA_PROFILES:
        chroma = bits.code()
        if chroma == 3:
            bits.bit()
        bits.skip("uub")  # depths of luma and chroma, lossless
        if bits.bit():
            for number in range(12 if chroma == 3 else 8):
                if bits.bit():
                    _pass_scaling_list(bits, 16 if number < 6 else 64)
    bits.code()
    order = bits.code()
    if order == 0:
        bits.code()
    elif order == 1:
        bits.skip("buu")
        bits.skip("u" * bits.code())
    bits.skip("ub")  # reference frames, gaps
    bits.skip("uu")  # width, height
    return bool(bits.bit())


def _pass_scaling_list(bits: _Bits, size: int) -> None:
    last = after = 8
    for _ in range(size):
        if after:
            after = (last + bits.signed() + 256) % 256
        last = after or last
