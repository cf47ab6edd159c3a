"""Counts of n-grams of a corpus of captions, as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from assets.scores.metrics.outcomes import Mode, UndefinedMetric, check_mode

N = 4


@dataclass(frozen=True, slots=True)
class Counted:
    """How often each n-gram stands in each sentence.

    Attributes:
        sentence: int64 [entries], sentence of the entry, ascending.
        gram: int64 [entries], n-gram, ascending within a sentence.
        count: int64 [entries], at least 1.
        order: int64 [grams], n - 1 of each n-gram.
        words: int64 [sentences], length in words.
    """

    sentence: np.ndarray
    gram: np.ndarray
    count: np.ndarray
    order: np.ndarray
    words: np.ndarray


def check_corpus(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], mode: Mode
) -> bool:
    """Whether the mode is `parity`.

    Raises:
        ValueError: Not one list of references per hypothesis.
        UndefinedMetric: An item without a reference.
    """
    parity = check_mode(mode)
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} captions, references of {len(references)} items")
    for item, given in enumerate(references):
        if isinstance(given, str) or not len(given):
            raise UndefinedMetric(f"item {item} has no list of references", "AssertionError: ")
    return parity


def count_ngrams(sentences: Sequence[str]) -> Counted:
    """1- to 4-grams of sentences whose words stand between blanks of any kind."""
    split = [sentence.split() for sentence in sentences]
    words = np.array([len(sentence) for sentence in split], dtype=np.int64)
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    flat = map(codes.__getitem__, chain.from_iterable(split))
    tokens = np.fromiter(flat, dtype=np.int64, count=int(words.sum()))
    owner = np.repeat(np.arange(len(split)), words)
    left = np.repeat(np.cumsum(words), words) - np.arange(len(tokens))
    base = max(len(codes), 1)
    keys: list[np.ndarray] = []
    orders: list[np.ndarray] = []
    known, grams = 0, tokens
    for n in range(N):
        if n:
            # An n-gram is the one before it and a word; those that run over the end are dropped.
            whole = np.flatnonzero(left > n)
            follows = tokens[whole + n]
            _, packed = np.unique(grams[whole] * base + follows, return_inverse=True)
            grams = np.zeros(len(tokens), dtype=np.int64)
            grams[whole] = packed
        else:
            whole = np.arange(len(tokens))
        size = int(grams[whole].max()) + 1 if len(whole) else 0
        keys.append(np.stack((owner[whole], grams[whole] + known)))
        orders.append(np.full(size, n, dtype=np.int64))
        known += size
    sentence, gram = np.concatenate(keys, axis=1)
    packed, times = np.unique(sentence * max(known, 1) + gram, return_counts=True)
    sentence, gram = np.divmod(packed, max(known, 1))
    return Counted(sentence, gram, times, np.concatenate(orders), words)
