"""ROUGE-L of captions against several references (Lin; EgoBridge Tab. 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from expectations.schemas.metrics import Mode, check_corpus

_BETA = 1.2


@dataclass(frozen=True, slots=True)
class RougeL:
    """ROUGE-L in [0, 1].

    Attributes:
        corpus: Mean over items; None (paper) or NaN (parity) without an item.
        items: float64 [n].
    """

    corpus: float | None
    items: np.ndarray


def rouge_l(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], mode: Mode = "paper"
) -> RougeL:
    """F of the longest common subsequence, beta 1.2, best precision and best recall over references.

    `parity` splits at single blanks, so that an empty caption is one empty word, which an empty
    reference matches. `paper` gives an empty caption 0. Input and errors are those of
    `check_corpus`.
    """
    parity = check_corpus(hypotheses, references, mode)
    items = np.array(
        [
            _score(_words(caption, parity), [_words(text, parity) for text in given])
            for caption, given in zip(hypotheses, references, strict=True)
        ],
        dtype=np.float64,
    )
    if not len(items):
        return RougeL(float("nan") if parity else None, items)
    return RougeL(float(items.mean()), items)


def _words(text: str, parity: bool) -> list[str]:
    words = text.split(" ")
    return words if parity else [word for word in words if word]


def _score(caption: list[str], references: list[list[str]]) -> float:
    if not caption:
        return 0.0
    common = [(common_subsequence(caption, words), len(words)) for words in references]
    precision = max(lcs / float(len(caption)) for lcs, _ in common)
    recall = max((lcs / float(n) for lcs, n in common if n), default=0.0)
    if not precision or not recall:
        return 0.0
    return ((1 + _BETA**2) * precision * recall) / float(recall + _BETA**2 * precision)


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, by bits (Hyyrö 2004)."""
    where: dict[str, int] = {}
    for place, word in enumerate(one):
        where[word] = where.get(word, 0) | 1 << place
    full = (1 << len(one)) - 1
    open_ = full
    for word in other:
        matches = open_ & where.get(word, 0)
        open_ = ((open_ + matches) | (open_ - matches)) & full
    return len(one) - open_.bit_count()
