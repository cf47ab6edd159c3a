"""Form of questions that are answered by a sequence of candidates: numbers, valid sequences, chance."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from expectations.gates.base import Finding, Question, finite
from expectations.gates.words import plain

_GATE = "well_formed"
MOST_VALID = 3
"""Most valid sequences of a question (EgoProx 5.1)."""
DIRECTIONS = "ABCDEFGH"
"""Letters of the moves between two candidates (EgoProx, Section H)."""
_SAME_CHANCE = 1e-9


def broken_sequences(question: Question) -> Iterator[Finding]:
    """What leaves nothing to judge: no candidates, or no sequence that can be read."""
    if len(question.candidates) < 2:
        n = len(question.candidates)
        yield _fault("too_few_candidates", f"{n} candidates", n)
    for candidate in question.candidates:
        if candidate["number"] is None or candidate["value"] is None:
            yield _fault("candidate_incomplete", f"a candidate lacks number or value: {candidate}")
    lines = str(question.row["answer_text"] or "").splitlines()
    if not lines or len(question.sequences) != len(lines):
        yield _fault("sequence_unreadable", f"answer_text is not a list of sequences: {lines}")
    if question.options or question.row["answer"] is not None:
        yield _fault("options_beside", "a question with candidates has no options and no letter")


def sequence_faults(question: Question) -> Iterator[Finding]:
    """What is wrong with candidates, valid sequences or chance."""
    yield from _candidates(question)
    if not question.sequences:
        return
    yield from _valid(question)
    chance, fair = question.row["chance"], fair_chance(question)
    if not finite(chance) or abs(chance - fair) > _SAME_CHANCE * fair:
        yield _fault("chance", f"chance is {chance}, a blind guess is right in {fair:g}", chance)


def fair_chance(question: Question) -> float:
    """Share of all sequences of candidates and moves that are valid."""
    length = max(len(question.sequences[0][0]), 1)
    ways = math.perm(len(question.candidates), length) * len(DIRECTIONS) ** (length - 1)
    return len(set(question.sequences)) / max(ways, 1)


def _candidates(question: Question) -> Iterator[Finding]:
    numbers = [c["number"] for c in question.candidates]
    if numbers != list(range(1, len(numbers) + 1)):
        yield _fault("numbers", f"candidates are numbered {numbers}, not 1, 2, ... in order")
    texts: dict[str, int] = {}
    values: dict[str, int] = {}
    for candidate in question.candidates:
        number = candidate["number"]
        words = re.sub(r"[\W_]+", " ", plain(candidate["text"] or "")).strip()
        if not words:
            yield _fault("candidate_empty", f"candidate {number} has no text")
        for known, value in ((texts, words), (values, candidate["value"])):
            if value in known:
                yield _fault(
                    "candidate_twice", f"candidates {known[value]} and {number}: {value!r}"
                )
            known.setdefault(value, number)


def _valid(question: Question) -> Iterator[Finding]:
    sequences = question.sequences
    if len(sequences) > MOST_VALID:
        n = len(sequences)
        yield _fault("too_many_valid", f"{n} sequences are valid", n, MOST_VALID)
    if len(set(sequences)) < len(sequences):
        yield _fault("sequence_twice", "a valid sequence stands twice in the key")
    if len({len(numbers) for numbers, _ in sequences}) > 1:
        yield _fault("lengths_differ", "valid sequences differ in length")
    known = {c["number"] for c in question.candidates}
    for numbers, moves in sequences:
        if len(set(numbers)) < len(numbers) or not set(numbers) <= known:
            yield _fault("sequence_numbers", f"{list(numbers)} are not different candidates")
        if len(moves) != len(numbers) - 1:
            yield _fault("moves", f"{len(moves)} moves between {len(numbers)} candidates")
        if not all(len(move) == 1 and move in DIRECTIONS for move in moves):
            yield _fault(
                "moves", f"{list(moves)} are not letters {DIRECTIONS[0]} to {DIRECTIONS[-1]}"
            )


def _fault(
    rule: str, message: str, value: float | None = None, threshold: float | None = None
) -> Finding:
    known = float(value) if finite(value) else None  # type: ignore[arg-type]
    return Finding(_GATE, rule, message, "refuse", value=known, threshold=threshold)
