"""Questions whose words a language model wrote: what can be derived of them, and what it takes beside.

Which clips are compared, and whether they may be, follows from tables as for every question. Whether an
option in free words is right does not: that is the verdict of a language model on each option, which was
not told the key. Where none was asked, nothing is known of the options.
"""

from __future__ import annotations

from collections.abc import Iterable

from expectations.gates.base import Derived, Question
from expectations.gates.statements import Exact, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens


def judge_written_options(
    question: Question, given: EvidenceTables, notes: Derived, *, keep_values: bool = False
) -> None:
    """Note for every option whether a language model finds it right by the annotations.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        keep_values: Whether options may stand for something else than their text.
    """
    checked = given.checked.get(str(question.row["question_hash"]))
    for option in question.options:
        letter, text = str(option["letter"]), str(option["text"] or "")
        if option["value"] != text and not keep_values:
            notes.refuse(
                "consistent",
                "option_value",
                f"option {letter} has the value {option['value']!r}, which is not its text",
            )
        if checked is None or letter not in checked.right:
            notes.option(
                letter,
                None,
                "its words are a language model's, and no model has judged them: configure a"
                " `checker` for the benchmark",
            )
        else:
            right = checked.right[letter]
            said = {True: "agrees with", False: "contradicts", None: "may agree with"}[right]
            notes.option(letter, right, f"{checked.model} says that it {said} the annotations")


def check_written_words(
    question: Question, needed: Iterable[str], what: str, notes: Derived
) -> None:
    """Refuse options that use none of some words or phrases.

    Args:
        question: The question.
        needed: Words or phrases; all words of one of them have to stand in every option.
        what: What they are, for the message.
        notes: Filled in.
    """
    phrases = [frozenset(tokens(phrase)) for phrase in needed]
    for option in question.options:
        said = frozenset(tokens(str(option["text"] or "")))
        if not any(phrase <= said for phrase in phrases):
            notes.refuse("consistent", "option_text", f"option {option['letter']} names no {what}")


def conclusion(question: Question, about: str) -> Statement:
    """The sentence that ends an explanation of a written question."""
    return Statement(
        "the conclusion",
        (f"A language model wrote the statements; statement {{answer}} agrees with both {about}.",),
        {"answer": Exact(question.answer)},
        (),
    )
