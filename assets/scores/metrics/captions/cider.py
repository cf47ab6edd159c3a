"""CIDEr-D of captions (Vedantam et al., with the clipping and length penalty of the COCO tools)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assets.scores.metrics.captions.ngrams import N, look_up, pair_ngrams
from expectations.schemas.metrics import Mode, UndefinedMetric, check_corpus

_SIGMA = 6.0
_NO_WORD = "ValueError: max() arg is an empty sequence"


@dataclass(frozen=True, slots=True)
class Cider:
    """CIDEr-D, from 0 to 10.

    Attributes:
        corpus: Mean over items; None without a value (paper).
        items: float64 [n].
    """

    corpus: float | None
    items: np.ndarray


def cider(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], mode: Mode = "paper"
) -> Cider:
    """Similarity of weighed n-grams; how rare an n-gram is, the corpus scored decides.

    So the whole split has to be scored at once. `parity` takes the number of bigrams for the length
    of a sentence and gives a single item 0, whose n-grams are all in every document. `paper` takes
    words, and gives no value to fewer than two items. Input and errors are those of
    `check_corpus`.

    Raises:
        UndefinedMetric: In `parity`: no reference has a word.
    """
    parity = check_corpus(hypotheses, references, mode)
    n = len(hypotheses)
    if n < 2 and not parity:
        return Cider(None, np.full(n, np.nan))
    both = pair_ngrams(hypotheses, references)
    counted, item_of, ours, grams = both.counted, both.item_of, both.ours, both.grams
    order = counted.order[counted.gram]
    reference = counted.sentence[~ours] - n
    if parity and not len(reference):
        raise UndefinedMetric("no reference has a word", _NO_WORD)
    # Sorting is faster here than `np.unique`, which hashes.
    wanted = both.key[~ours]
    held = np.sort(wanted)
    once = held[np.diff(held, prepend=-1) > 0]
    documents = np.bincount(once % grams, minlength=grams)
    weight = counted.count * (np.log(float(n)) - np.log(np.maximum(documents, 1)))[counted.gram]
    cell = counted.sentence * N + order
    sentences = len(counted.words)
    norm = np.sqrt(np.bincount(cell, weights=weight**2, minlength=sentences * N)).reshape(-1, N)
    # Each n-gram of a reference meets the same n-gram of its item's caption, if that has it.
    at, meets = look_up(both.key[ours], wanted)
    theirs = weight[~ours][meets]
    product = np.minimum(weight[ours][at[meets]], theirs) * theirs
    pair = reference[meets] * N + order[~ours][meets]
    # Counts without an entry come as integers.
    value = np.bincount(pair, weights=product, minlength=len(item_of) * N)
    value = value.astype(np.float64).reshape(-1, N)
    norms = norm[:n][item_of] * norm[n:]
    np.divide(value, norms, out=value, where=norms != 0)
    lengths = np.maximum(counted.words - 1, 0) if parity else counted.words
    apart = (lengths[:n][item_of] - lengths[n:]).astype(np.float64)
    value *= np.exp(-(apart**2) / (2 * _SIGMA**2))[:, None]
    summed = np.bincount(item_of, weights=value.mean(axis=1), minlength=n)
    items = summed / np.bincount(item_of, minlength=n) * 10.0
    return Cider(float(items.mean()), items)
