"""What segments say in words, and texts that quote them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectations.action_words import readable_action
from expectations.gates.base import Derived, Question
from expectations.gates.statements import Each, Exact, Quote
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import spoken_words


def check_option_texts(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note options whose text is not what their segment says.

    Protocols that show text in place of video show it, and the gate `blind` scores it.
    """
    for option in question.options:
        segment = given.one("segments", segment_id=option["segment_id"])
        if segment is None:
            continue  # refused by other rules
        texts = segment_texts(segment)
        if spoken_words(str(option["text"] or "")) not in {spoken_words(t) for t in texts}:
            notes.refuse(
                "consistent",
                "option_text",
                f"option {option['letter']} reads {option['text']!r}, segments:"
                f"{option['segment_id']} says {' or '.join(texts)!r}",
            )


def segment_texts(segment: Mapping[str, Any]) -> tuple[str, ...]:
    """What a segment says: its narration and its class, as written and as English; else nothing."""
    texts = [str(segment[c]) for c in ("narration", "class_name") if segment[c]]
    texts += [readable_action(text) for text in texts]
    return tuple(dict.fromkeys(texts)) or ("",)


def quote(medium: Mapping[str, Any], given: EvidenceTables) -> Quote:
    """Return what may stand where a text quotes a segment.

    Args:
        medium: A medium or option with the segment's id.
        given: The tables.
    """
    row = given.one("segments", segment_id=medium.get("segment_id"))
    return Quote(segment_texts(row) if row is not None else ())


def quotes_of_others(question: Question, given: EvidenceTables) -> Each:
    """Return what may stand where a text lists every option but the answer, each with its segment's words.

    Args:
        question: The question.
        given: The tables.
    """
    return Each(
        '{letter} "{text}"',
        tuple(
            {"text": quote(option, given), "letter": Exact(str(option["letter"]))}
            for option in question.options
            if option["letter"] != question.answer
        ),
    )


def segments_of_others(question: Question) -> tuple[str, ...]:
    """Return the segments of every option but the answer, as rows of evidence.

    Args:
        question: The question.
    """
    others = (o for o in question.options if o["letter"] != question.answer)
    return tuple(f"segments:{o['segment_id']}" for o in others)
