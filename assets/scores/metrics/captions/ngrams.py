"""What the caption metrics have in common: their input, and counts of n-grams as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

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


@dataclass(frozen=True, slots=True)
class Paired:
    """N-grams of captions beside those of their references.

    Entries are in the order of `Counted`: first all captions, then all references. A key is an n-gram
    of an item, so that a caption's and its references' meet.

    Attributes:
        counted: Captions as sentences 0 to n - 1, then references.
        item_of: int64 [references], item of each.
        ours: bool [entries], those of captions.
        key: int64 [entries], ascending among captions.
        grams: Number of n-grams, at least 1.
    """

    counted: Counted
    item_of: np.ndarray
    ours: np.ndarray
    key: np.ndarray
    grams: int


def pair_ngrams(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Paired:
    """1- to 4-grams of captions and of their references, in one vocabulary."""
    n = len(hypotheses)
    per_item = np.array([len(given) for given in references], dtype=np.int64)
    item_of = np.repeat(np.arange(n), per_item)
    counted = count_ngrams([*hypotheses, *chain.from_iterable(references)])
    grams = max(len(counted.order), 1)
    item = np.concatenate((np.arange(n), item_of))[counted.sentence]
    return Paired(counted, item_of, counted.sentence < n, item * grams + counted.gram, grams)


def look_up(known: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place of each wanted key among ascending ones, and whether it is there."""
    if not len(known):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return at, known[at] == wanted


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
