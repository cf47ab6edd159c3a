"""BLEU-1 to BLEU-4 of captions against several references (Papineni et al.; EgoBridge Tab. 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assets.scores.metrics.captions.ngrams import N, look_up, pair_ngrams
from expectations.schemas.metrics import Mode, check_corpus

# What the COCO tools add to counts and lengths, so as not to divide by zero.
_TINY, _SMALL = 1e-15, 1e-9


@dataclass(frozen=True, slots=True)
class Bleu:
    """BLEU-1, 2, 3, 4 in [0, 1].

    Attributes:
        corpus: Of all captions together, which is not the mean of the items; None: no caption (paper).
        items: float64 [n, 4].
    """

    corpus: tuple[float, ...] | None
    items: np.ndarray


def bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], mode: Mode = "paper"
) -> Bleu:
    """BLEU with the reference length closest to the caption's, the shorter of two as close.

    `parity` adds the COCO tools' constants (1e-15 to matches, 1e-9 to counts), so that a caption
    without a matching 4-gram has not quite 0. `paper` adds none. Input and errors are those of
    `check_corpus`.
    """
    parity = check_corpus(hypotheses, references, mode)
    n = len(hypotheses)
    both = pair_ngrams(hypotheses, references)
    counted, ours = both.counted, both.ours
    found, place = np.unique(both.key[~ours], return_inverse=True)
    most = np.zeros(len(found), dtype=np.int64)
    np.maximum.at(most, place, counted.count[~ours])
    at, there = look_up(found, both.key[ours])
    own = tuple(column[ours][there] for column in (counted.sentence, counted.gram, counted.count))
    correct = np.zeros((n, N), dtype=np.int64)
    matched = np.minimum(own[2], most[at[there]])
    np.add.at(correct, (own[0], counted.order[own[1]]), matched)
    lengths = counted.words[:n]
    guessed = np.maximum(lengths[:, None] - np.arange(N), 0)
    closest = _closest(lengths, counted.words[n:], both.item_of)
    items = np.array(
        [
            _combine(c, g, int(length), int(reference), parity)
            for c, g, length, reference in zip(
                correct.tolist(), guessed.tolist(), lengths, closest, strict=True
            )
        ]
    ).reshape(n, N)
    if not n and not parity:
        return Bleu(None, items)
    sums = correct.sum(axis=0).tolist(), guessed.sum(axis=0).tolist()
    whole = _combine(*sums, int(lengths.sum()), int(closest.sum()), parity)
    return Bleu(tuple(whole), items)


def _closest(lengths: np.ndarray, others: np.ndarray, item_of: np.ndarray) -> np.ndarray:
    """Of each item the length of the reference that is closest to the caption's."""
    order = np.lexsort((others, np.abs(others - lengths[item_of]), item_of))
    _, first = np.unique(item_of[order], return_index=True)
    return others[order][first]


def _combine(
    correct: list[int], guessed: list[int], length: int, reference: int, parity: bool
) -> list[float]:
    """BLEU-1 to 4 from matches and n-grams of each order, and both lengths in words."""
    tiny, small = (_TINY, _SMALL) if parity else (0.0, 0.0)
    out: list[float] = []
    product = 1.0
    for k in range(N):
        product *= (correct[k] + tiny) / (guessed[k] + small) if parity or guessed[k] else 0.0
        out.append(product ** (1.0 / (k + 1)))
    if not parity and not length:
        return [0.0] * N
    ratio = (length + tiny) / (reference + small) if parity or reference else 1.0
    return [value * math.exp(1 - 1 / ratio) for value in out] if ratio < 1 else out
