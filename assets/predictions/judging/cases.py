"""What a judge is asked about one answer, and what is decided without asking it.

`open`: an answer in words against the reference answer. It is right without a judge where both are equal
after normalisation of case, punctuation and articles, of numbers and units, of plurals and other forms, and of
terms of one class of the source's vocabularies; a time, in whatever unit it is told. Only what differs is judged.

`reasoning`: the steps a model gives beside its letter, against the reference rationale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assets.extract.json_answers import find_json
from assets.extract.moments import as_moment, read_moment, same_moment
from assets.extract.released.egocross import FULL_MARK, contains_answer
from assets.extract.words import LONGEST_CHARS, kind_of, plain_words, read_words
from assets.extract.wrapping import unwrap

Kind = Literal["open", "reasoning"]
Mode = Literal["paper", "parity"]
Verdict = Literal["right", "wrong", "unjudged"]

VERSION = 1
"""Counts up when judges are shown something else."""
MAX_TOKENS = 512
"""Longest reply of a judge: a verdict, a mark and a reason in a sentence or two."""
_HERE = Path(__file__).parent
# Words are compared at the start of a text alone; what is longer may go on in another sense.
# A runaway answer must not fill a judge's context; what it says stands first or last.
_HEAD_CHARS, _TAIL_CHARS = 2_000, 4_000
# What a chat template, or a reader of markup, might take for a marker of its own.
_MARKER = re.compile(r"<(?=[|/!a-zA-Z])|\[(?=/?(?:INST|SYS|THINK)\b)")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,:/]\d+)*%?")
# Steps of `answers.match` at which two texts say the same; WordNet's senses are left to the judge.
_SAME = frozenset({"number", "unit", "stem", "class_map"})
_MINUS = str.maketrans({"−": "-", "–": "-", "‐": "-", "‑": "-"})
_ANSWER_KEYS = ("prediction", "answer", "final_answer")
_ANSWER_LINE = re.compile(
    r"\A\W*(?:the\s+)?(?:final\s+|correct\s+)?(?:answer|option)\b[^\n]{0,60}(?:\n|\Z)",
    re.IGNORECASE,
)
_LETTER_LINE = re.compile(r"\A\W*[A-Z]\W*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Case:
    """An answer with what it is judged by.

    Attributes:
        kind: What is judged.
        question: Question as shown.
        reference: Reference answer; of a reasoning the reference steps, one per line.
        detailed: How the reference answer is found, where the benchmark says.
        given: Answer in words as `answers` reads it, empty where it reads none; or reasoning steps of the model.
        matched: Step at which the answer's words match the reference, as `answers.match` has it; empty if
            nothing is known.
        released: Answer in words as it counts in parity; None where it is `given`.
    """

    kind: Kind
    question: str
    reference: str
    detailed: str
    given: str
    matched: str = ""
    released: str | None = None

    @property
    def in_parity(self) -> str:
        """What a judge is shown in parity."""
        return self.given if self.released is None else self.released


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was decided of an answer.

    Attributes:
        verdict: `right`, `wrong`, or `unjudged` where nothing can be said. A reasoning is right where
            its mark is above 2, which the papers call acceptable.
        mark: From 0 to 5; None where there is none. In parity as the judge gave it.
        reason: The judge's reason.
        rule: What decided.
    """

    verdict: Verdict
    mark: float | None
    reason: str | None
    rule: str


def open_case(question: Mapping[str, Any], reply: str, *, truncated: bool = False) -> Case:
    """Case of a reply in words.

    Args:
        question: Row of `questions` with its text, answer_text and detailed_answer.
        reply: Reply as it came.
        truncated: Whether it was cut off.
    """
    read = read_words(reply, question["answer_text"], truncated=truncated)
    return Case(
        "open",
        question["text"],
        question["answer_text"],
        question["detailed_answer"] or "",
        "" if read.value is None else read.value.answer,
        released=answer_in_parity(reply),
    )


def reasoning_case(question: Mapping[str, Any], reply: str) -> Case:
    """Case of the reasoning in a reply.

    Args:
        question: Row of `questions` with its text and rationale.
        reply: Reply as it came.
    """
    return Case("reasoning", question["text"], rationale_text(question), "", reasoning_steps(reply))


def rationale_text(question: Mapping[str, Any]) -> str:
    """Reference steps of a question, one numbered line each."""
    return "\n".join(f"{step['step']}. {step['text']}" for step in question["rationale"])


def answer_in_parity(reply: str) -> str:
    """Answer of a reply as the released script would have it: all but its wrapping, or a field of JSON.

    Refusals and replies that were cut off are answers to that script.
    """
    text = unwrap(reply).text
    for found in find_json(text):
        if isinstance(found.value, dict):
            for key in _ANSWER_KEYS:
                if isinstance(found.value.get(key), str | int | float):
                    return str(found.value[key])
    return text


def reasoning_steps(reply: str) -> str:
    """Reasoning of a reply: without its wrapping, and without the answer on the first line.

    The judge is not told the letter: whether it is right is scored apart, and would colour the mark.
    """
    text = unwrap(reply).text
    for line in (_ANSWER_LINE, _LETTER_LINE):
        text = line.sub("", text, count=1)
    return text.strip()


def decide(case: Case, mode: Mode) -> Ruling | None:
    """What needs no judge; None where one is to be asked.

    Args:
        case: The case.
        mode: `paper`: an answer is right where it equals the reference after normalisation, or tells the
            same time in another unit. `parity`:
            where it contains the reference, as the released script has it.
    """
    if case.kind == "reasoning":
        return None if plain_words(case.given) else Ruling("wrong", 0.0, None, "no_reasoning")
    if mode == "parity":
        if contains_answer(case.in_parity, case.reference):
            return Ruling("right", float(FULL_MARK), None, "contains")
        return None
    if is_equal(case.given, case.reference):
        return Ruling("right", float(FULL_MARK), None, "exact")
    conversion = _same_time(case)
    if conversion:
        return Ruling("right", float(FULL_MARK), conversion, "time")
    if case.matched in _SAME:
        return Ruling("right", float(FULL_MARK), None, case.matched)
    if not case.given.strip():
        return Ruling("wrong", 0.0, None, "no_answer")
    return None


def _same_time(case: Case) -> str:
    """How an answer tells the time that is the reference, converted; empty if it does not."""
    if kind_of(case.reference, case.question) != "time" or len(case.given) > LONGEST_CHARS:
        return ""
    released = as_moment(case.reference)
    time = read_moment(case.given, released, case.question).value if released else None
    if released is None or time is None or not same_moment(time, released):
        return ""
    told = time.first.unit
    if released.first.seconds is None:
        return f"read as frame {released.first.frame}, told in {told}"
    until = "" if released.last is None else f" to {released.last.seconds:g}"
    return f"read as {released.first.seconds:g}{until} s, told in {told}"


def is_equal(given: str, reference: str) -> bool:
    """Whether two answers are equal after normalisation: words without case, punctuation and articles.

    Numbers keep their sign and their decimals: 3.5 is not 3 5, and -2 is not 2.
    """
    if len(given) > LONGEST_CHARS:
        return False
    words = plain_words(reference)
    return bool(words) and words == plain_words(given) and _numbers(given) == _numbers(reference)


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(text.translate(_MINUS))


def prompt_of(case: Case, mode: Mode) -> str:
    """Prompt that a judge is asked.

    In `paper`, fields are JSON strings on one line each, so that no text can end its field. In
    `parity`, they stand as they are, as the released script puts them.
    """
    if case.kind == "open" and mode == "parity":
        return _template("egocross_parity.j2").render(
            question=case.question,
            reference=case.reference,
            detailed=case.detailed,
            given=case.in_parity,
        )
    name = "egocross_paper.j2" if case.kind == "open" else "egocot_reasoning.j2"
    return _template(name).render(
        question=quoted(case.question),
        reference=quoted(case.reference),
        detailed=quoted(case.detailed) if case.detailed else "",
        given=quoted(case.given),
    )


def quoted(text: str) -> str:
    """A text as a JSON string on one line, which a reader gets back unchanged.

    Characters that show nothing or break lines are escaped, and so are those that begin a marker of a
    chat template. The middle of a very long text is left out.
    """
    left_out = len(text) - _HEAD_CHARS - _TAIL_CHARS
    if left_out > 0:
        middle = f" [{left_out} characters left out] "
        text = text[:_HEAD_CHARS] + middle + text[-_TAIL_CHARS:]
    literal = _MARKER.sub(lambda found: _escape(found[0]), json.dumps(text, ensure_ascii=False))
    if literal.isprintable():
        return literal
    return "".join(c if c.isprintable() else _escape(c) for c in literal)


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 126 else f"\\u{ord(character):04x}"


@cache
def _template(name: str) -> Any:
    # Prompts are plain text; what data could do to them is taken care of by `quoted`.
    environment = Environment(
        loader=FileSystemLoader(_HERE / "prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )
    return environment.get_template(name)
