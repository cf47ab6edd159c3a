"""What a question's words ask about: a time of the clip, and what each option says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from expectations.gates.base import CannotTell, Derived, Question
from expectations.gates.words import times_in, tokens

SAID_S = 0.06
"""Times in texts are rounded."""
Said = TypeVar("Said")


def asks_last(text: str) -> bool:
    """Whether a text asks about the clip's last moment."""
    return bool({"last", "end", "final"} & set(tokens(text)))


def time_asked(question: Question, notes: Derived, start: float, end: float) -> float:
    """Recording time a text asks about: it tells seconds of the clip, or the clip's end.

    A time that is not in the clip is noted.

    Args:
        question: Question.
        notes: Derived about it.
        start: Start of the clip.
        end: End of the clip.

    Raises:
        CannotTell: The text names several times, or none and no last moment.
    """
    times = times_in(question.text)
    if len(times) > 1 or not (times or asks_last(question.text)):
        raise CannotTell(f"the text names {len(times)} times, one or a last moment is needed")
    asked = start + times[0] if times else end
    if not start - SAID_S <= asked <= end + SAID_S:
        notes.refuse(
            "consistent",
            "time_outside_clip",
            f"the text asks about {asked - start:.2f} s of a clip of {end - start:.2f} s",
            asked - start,
            end - start,
        )
    return asked


def moment_asked(question: Question, notes: Derived, start: float, end: float) -> float:
    """Recording time a text asks about; exactly the clip's end where it is said to be the last moment.

    A time that is not in the clip, or not its last moment, is noted.

    Args:
        question: Question.
        notes: Derived about it.
        start: Start of the clip.
        end: End of the clip.

    Raises:
        CannotTell: The text names several times, or none and no last moment.
    """
    said = time_asked(question, notes, start, end)
    if not asks_last(question.text):
        return said
    if abs(said - end) > SAID_S:
        notes.refuse(
            "consistent",
            "time_differs",
            f"the text says {said - start:.2f} s is the last moment of a clip of"
            f" {end - start:.2f} s",
            abs(said - end),
            SAID_S,
        )
    return end


def options_said(
    question: Question, notes: Derived, read: Callable[[str | None], Said | None], what: str
) -> Iterator[tuple[str, Said]]:
    """Letter of each option and what its text says.

    An option whose text says nothing is noted and left out; one that means something else than its
    text says is noted.

    Args:
        question: Question.
        notes: Derived about it.
        read: What a text or value says; None for nothing.
        what: What texts are to name, for the note.
    """
    for option in question.options:
        letter, said, meant = str(option["letter"]), read(option["text"]), option["value"]
        if said is None:
            notes.option(letter, None, f"{option['text']!r} names no {what}")
            continue
        if read(meant) != said:
            notes.refuse(
                "consistent",
                "value_differs_from_text",
                f"option {letter} reads {option['text']!r} and means {meant!r}",
            )
        yield letter, said
