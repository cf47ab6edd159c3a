"""Which of four labels a recording has: the animal that wears its camera, the sport it shows.

Labels are compared by their words. One that ends in the words of another is also of that other kind: a sea
turtle is a turtle.
"""

from __future__ import annotations

from expectations.derivations.clips import check_length_between
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Question, Sight, finite, span_of
from expectations.gates.statements import Each, Name, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS = {
    "recordings": ("recording_id", "source", "duration_s", "media_duration_s"),
    "segments": ("segment_id", "recording_id"),
}
# Titles and fades at the ends of a video show nothing.
_ENDS_S = 1.0
_ROUNDED_S = 0.05


def derive_label(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    column: str,
    lengths_s: tuple[float, float],
    forms: tuple[str, str, str],
) -> None:
    """Note which options are the recording's label.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        column: Column of `recordings` that holds the label.
        lengths_s: Least and greatest length of a clip; under the paper's reading it is the recording's.
        forms: The question; the list of other labels (slot `labels`); the recording's own (slot `label`).

    Raises:
        CannotTell: The recording has no label.
    """
    notes.check_option_count(question, 4)
    row = given.recording(question.recording_id)
    label = row[column]
    start, end = span_of(question.query)
    if question.as_paper:
        known = [row[c] for c in ("duration_s", "media_duration_s") if finite(row[c])]
        whole = min(known, default=end)
        check_length_between(notes, (start, end), whole - _ROUNDED_S, whole + _ROUNDED_S)
    else:
        check_length_between(notes, (start, end), *lengths_s)
    inner = (min(start + _ENDS_S, end), max(end - _ENDS_S, start))
    notes.sights.append(Sight("query", (inner,), 0.0, f"what tells the {column}"))
    notes.asks.append(Statement("question", (forms[0],), {}, ()))
    if label is None:
        raise CannotTell(f"recording {question.recording_id} has no {column}")
    notes.rests_on("answer", "recordings", [question.recording_id])
    elsewhere = _recordings_by_label(given, column)
    own = name_words(str(label))
    others: dict[str, frozenset[str]] = {}
    for letter, words in options_said(
        question, notes, lambda t: name_words(t or "") or None, "label"
    ):
        name = " ".join(words)
        right = own[-len(words) :] == words
        maybe = words[-len(own) :] == own
        why = f"the recording's {column} is {label}"
        notes.option(letter, True if right else None if maybe else False, why)
        if letter == question.answer:
            continue
        keys = elsewhere.get(words, [])
        if not keys:
            notes.refuse(
                "consistent", "label_of_no_recording", f"no recording's {column} is {name}"
            )
        others[name] = frozenset(f"recordings:{key}" for key in keys)
        notes.rests_on(f"option_{letter}", "recordings", keys, "one")
    notes.statements += [
        Statement(
            "labels elsewhere",
            (forms[1],),
            {"labels": Each("{name}", tuple({"name": Name((name,))} for name in others))},
            tuple(sorted(set().union(*others.values()))),
            cited=tuple(others.values()),
        ),
        Statement(
            "label",
            (forms[2],),
            {"label": Name((str(label),))},
            (f"recordings:{question.recording_id}",),
        ),
    ]


def _recordings_by_label(given: EvidenceTables, column: str) -> dict[tuple[str, ...], list[str]]:
    known = given.memo.get(("recordings by", column))
    if known is None:
        known = {}
        for uid, label in given.table("recordings").select("recording_id", column).iter_rows():
            if label is not None:
                known.setdefault(name_words(label), []).append(uid)
        given.memo["recordings by", column] = known
    return known
