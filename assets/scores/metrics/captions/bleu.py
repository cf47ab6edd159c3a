"""BLEU-1 to BLEU-4 of captions against several references (Papineni et al.; EgoBridge Tab. 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assets.scores.metrics.captions.ngrams import N, check_corpus, count_ngrams
from assets.scores.metrics.outcomes import Mode

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
    without a matching 4-gram has not quite 0. `paper` adds none.

    Args:
        hypotheses: Captions as tokens with blanks between (`tokens.tokenized`).
        references: References of each, likewise; at least one.
        mode: Reading.

    Raises:
        ValueError: Not as many lists of references as captions.
        UndefinedMetric: An item without a reference.
    """
    parity = check_corpus(hypotheses, references, mode)
    n = len(hypotheses)
    item_of = np.repeat(np.arange(n), [len(given) for given in references])
    counted = count_ngrams([*hypotheses, *(text for given in references for text in given)])
    grams = max(len(counted.order), 1)
    ours = counted.sentence < n
    key = counted.sentence[ours] * grams + counted.gram[ours]
    theirs = item_of[counted.sentence[~ours] - n] * grams + counted.gram[~ours]
    found, place = np.unique(theirs, return_inverse=True)
    most = np.zeros(len(found), dtype=np.int64)
    np.maximum.at(most, place, counted.count[~ours])
    at = np.minimum(np.searchsorted(found, key), max(len(found) - 1, 0))
    matched = np.zeros(len(key), dtype=np.int64)
    if len(found):
        matched = np.where(found[at] == key, np.minimum(counted.count[ours], most[at]), 0)
    correct = np.zeros((n, N), dtype=np.int64)
    np.add.at(correct, (counted.sentence[ours], counted.order[counted.gram[ours]]), matched)
    lengths = counted.words[:n]
    guessed = np.maximum(lengths[:, None] - np.arange(N), 0)
    closest = _closest(lengths, counted.words[n:], item_of)
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
    order = np.lexsort((others, np.abs(others - lengths[item_of]), item_of))
    _, first = np.unique(item_of[order], return_index=True)
    return others[order][first]


def _combine(
    correct: list[int], guessed: list[int], length: int, reference: int, parity: bool
) -> list[float]:
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
