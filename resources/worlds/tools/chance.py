"""Repeatable choice: every number comes from a hash of the keys it belongs to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def digest(*keys: object) -> bytes:
    """16 bytes that depend on the keys and their order only."""
    text = "\x1f".join(map(str, keys))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def unit(*keys: object) -> float:
    """A number in [0, 1) for these keys."""
    return int.from_bytes(digest(*keys)[:7], "big") / 2**56


def between(low: float, high: float, *keys: object) -> float:
    """A number in [low, high) for these keys."""
    return low + (high - low) * unit(*keys)


def pick(options: Sequence[T], *keys: object) -> T:
    """One of the options for these keys."""
    return options[int(unit(*keys) * len(options))]


def rng(*keys: object) -> np.random.Generator:
    """A local generator for arrays of noise, seeded by the keys."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest(*keys), "big")))


def short_id(*keys: object) -> str:
    """An 8-character id of letters and digits, like the release's annotation ids."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    number = int.from_bytes(digest("id", *keys), "big")
    out = ""
    for _ in range(8):
        number, rest = divmod(number, len(alphabet))
        out += alphabet[rest]
    return out
