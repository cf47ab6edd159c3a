"""All caption metrics of one split, from plain captions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assets.scores.metrics.captions.bleu import bleu
from assets.scores.metrics.captions.cider import cider
from assets.scores.metrics.captions.rouge import rouge_l
from assets.scores.metrics.captions.tokens import tokenized_all
from expectations.schemas.metrics import Mode, check_corpus


class OfCorpus(Protocol):
    """Result with a value for the corpus, as `resources.meteor.meteor` gives it."""

    @property
    def corpus(self) -> float | None:
        """Value of the corpus."""
        ...


Meteor = Callable[[Sequence[str], Sequence[Sequence[str]]], float | OfCorpus | None]


@dataclass(frozen=True, slots=True)
class CaptionScore:
    """Corpus metrics under the COCO tools' names.

    Attributes:
        values: Bleu_1 to Bleu_4, ROUGE_L, CIDEr and METEOR; None where there is no value.
        n: Captions.
    """

    values: dict[str, float | None]
    n: int


def score(
    captions: Sequence[str],
    references: Sequence[Sequence[str]],
    mode: Mode = "paper",
    meteor: Meteor | None = None,
) -> CaptionScore:
    """Tokenizes captions and references and scores the corpus as one (CIDEr depends on it).

    Args:
        captions: One per item, as written.
        references: At least one per item, as written.
        mode: Reading of each metric and of the tokenizer.
        meteor: What computes METEOR from tokens (`resources.meteor.meteor`, or what gives its value alone); None
            leaves it out.

    Raises:
        ValueError: Not as many lists of references as captions.
        UndefinedMetric: As the metrics do.
    """
    check_corpus(captions, references, mode)
    guessed = tokenized_all(captions, mode)
    flat = iter(tokenized_all([text for given in references for text in given], mode))
    true = [[next(flat) for _ in given] for given in references]
    found = bleu(guessed, true, mode).corpus
    values: dict[str, float | None] = {
        f"Bleu_{n + 1}": None if found is None else found[n] for n in range(4)
    }
    values["ROUGE_L"] = rouge_l(guessed, true, mode).corpus
    values["CIDEr"] = cider(guessed, true, mode).corpus
    if meteor is not None:
        given = meteor(guessed, true)
        values["METEOR"] = (
            given if given is None or isinstance(given, (int, float)) else given.corpus
        )
    return CaptionScore(values, len(captions))
