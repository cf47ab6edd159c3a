"""What all metrics share: the two readings, and the outcome where there is no value."""

from __future__ import annotations

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
