"""Published extractors as readers: what each makes of a reply to a question, by its own rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assets.extract.released import egocross, egoexobench, egoprox


@dataclass(frozen=True, slots=True)
class OtherReading:
    """What another reader makes of a reply.

    Attributes:
        outcome: One of `parity.OUTCOMES`.
        theirs: What it read, as it is compared; None where it read nothing.
        letter: The option it stands for; None for none, and of chains.
        right: Whether it is the answer; None where that is withheld, or the reply does not count.
        directions: Share of a chain's directions that are right; None unless its steps are.
        directions_relaxed: Share of them that are right or next to right.
    """

    outcome: str
    theirs: str | None = None
    letter: str | None = None
    right: bool | None = None
    directions: float | None = None
    directions_relaxed: float | None = None


Read = Callable[[str, Mapping[str, Any]], OtherReading | None]


@dataclass(frozen=True, slots=True)
class PublishedReader:
    """A published extractor.

    Attributes:
        name: Benchmark it was published with.
        version: Repository and commit of the code.
        read: What it makes of a reply to a question (`text`, `options`, `answer`, `answer_text`); None
            for questions that it does not know.
    """

    name: str
    version: str
    read: Read


def _egoexobench(reply: str, question: Mapping[str, Any]) -> OtherReading | None:
    """An unreadable reply is wrong; an empty one ends the evaluation."""
    if not question["options"]:
        return None
    if egoexobench.ends_evaluation(reply):
        return OtherReading("ends_evaluation", right=_known(question, False))
    letter = egoexobench.read_letter(reply, question["text"])
    if letter == egoexobench.UNREADABLE:
        return OtherReading("unread", right=_known(question, False))
    return OtherReading("read", letter, letter, _known(question, letter == question["answer"]))


def _egocross(reply: str, question: Mapping[str, Any]) -> OtherReading | None:
    """The prediction as it stands is compared, without case; open questions need a judge."""
    if not question["options"]:
        return None
    found = egocross.read_closed(reply, question["answer"] or "")
    right = _known(question, found.right)
    if not isinstance(found.prediction, str) or not found.prediction:
        return OtherReading("unread", right=_known(question, False))
    letter = found.prediction.upper()
    return OtherReading("read", found.prediction, letter, right)


def _egoprox(reply: str, question: Mapping[str, Any]) -> OtherReading | None:
    """A letter that cannot be read is wrong; a chain that cannot leaves the denominator."""
    if question["options"]:
        letter = egoprox.read_letter(reply)
        if letter is None:
            return OtherReading("unread", right=_known(question, False))
        return OtherReading("read", letter, letter, _known(question, letter == question["answer"]))
    answers = chains_of(question["answer_text"] or "")
    if not answers:
        return None
    score = egoprox.score_chain(reply, answers)
    if score is None:
        return OtherReading("left_out")
    chain = egoprox.read_chain(reply, len(answers[0][0]))
    return OtherReading("read", json.dumps(chain), None, score.right, score.strict, score.relaxed)


def _known(question: Mapping[str, Any], right: bool) -> bool | None:
    return None if question["answer"] is None else right


_CHAIN = re.compile(r"\[\s*\[[\d\s,]+\]\s*,\s*\[[^\[\]]*\]\s*\]")


def chains_of(answer: str) -> list[egoprox.Chain]:
    """Valid chains of an answer's text, each written as `[[8, 7, 3], ["F", "A"]]`; empty for other answers."""
    chains: list[egoprox.Chain] = []
    for text in _CHAIN.findall(answer):
        steps, directions = json.loads(text)
        chains.append((tuple(steps), tuple(directions)))
    return chains


PUBLISHED: Mapping[str, PublishedReader] = {
    "egoexobench": PublishedReader("egoexobench", "EgoExoBench@94fee96", _egoexobench),
    "egocross": PublishedReader("egocross", "EgoCross@f81f41d", _egocross),
    "egoprox": PublishedReader("egoprox", "Egoprox@0dde2b2", _egoprox),
}
"""Published extractors by the benchmark they were published with."""
