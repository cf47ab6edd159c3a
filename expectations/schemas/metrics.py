"""What all metrics share: the two readings, the error where there is no value, and their input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Mode = Literal["paper", "parity"]
MODES: tuple[str, ...] = get_args(Mode)


class UndefinedMetric(ValueError):
    """A metric has no value: the official evaluator ends with an exception on this input.

    Attributes:
        official: Exception of the official code, as `Type: message`.
    """

    def __init__(self, why: str, official: str) -> None:
        super().__init__(f"{why} (the official code ends with {official})")
        self.official = official


def check_mode(mode: str) -> bool:
    """Whether the mode is `parity`.

    Raises:
        ValueError: Neither `paper` nor `parity`.
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode!r}: known are {', '.join(MODES)}")
    return mode == "parity"


def check_corpus(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], mode: Mode
) -> bool:
    """Whether the mode is `parity`; what every caption metric asks of its input.

    Args:
        hypotheses: Captions as tokens with blanks between (`tokens.tokenized`).
        references: References of each, likewise; at least one.
        mode: Reading.

    Raises:
        ValueError: Not as many lists of references as captions.
        UndefinedMetric: An item without a reference.
    """
    parity = check_mode(mode)
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} captions, references of {len(references)} items")
    for item, given in enumerate(references):
        if isinstance(given, str) or not len(given):
            raise UndefinedMetric(f"item {item} has no list of references", "AssertionError: ")
    return parity
