"""Right option of action prediction on LEMMA: the action that follows, and what the reference shows (X9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from expectations.derivations.actions import named_actions
from expectations.derivations.clock import SYNCHRONOUS
from expectations.derivations.narrated_verbs import (
    LABEL_COLUMNS,
    is_told_as_done,
    note_not_done,
)
from expectations.derivations.narrations import segment_texts
from expectations.derivations.next_in_sequence import ASK, ROUNDING, check_query_before_next
from expectations.gates.base import (
    CannotTell,
    Derived,
    Hidden,
    Question,
    span_of,
)
from expectations.gates.statements import Choice, Each, Exact, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words, spoken_words

READS: dict[str, tuple[str, ...]] = {
    "recordings": (
        "recording_id",
        "view",
        "take_id",
        "scenario",
        "split",
        "duration_s",
        "media_duration_s",
    ),
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "is_point",
        "start_s",
        "end_s",
        "narration",
        "class_name",
    ),
    "relations": ("relation_id", "recording_id", "segment_id", "relation", "object", "role"),
    "clocks": ("recording_id", "take_id", "offset_s", "rate", "method"),
    "labels": ("recording_id", *LABEL_COLUMNS),
}
_OPTIONS = 4
_AROUND = 5
_ROUNDED_S = 0.05
Row = Mapping[str, Any]


def derive_next_action(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Fill the notes for a wearer's clip, an observer's reference, and actions in words.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The query's segment is not an action of its recording, or nothing follows it.
    """
    notes.asks.append(ASK)
    notes.check_option_count(question, _OPTIONS)
    query, reference = question.query, question.of_role("reference")
    uid = str(query["recording_id"])
    own = named_actions(uid, given)
    ids = [str(r["segment_id"]) for r in own]
    if str(query["segment_id"]) not in ids:
        raise CannotTell(f"segment {query['segment_id']} is not a named action of {uid}")
    place = ids.index(str(query["segment_id"]))
    if place + 1 >= len(own):
        raise CannotTell(f"nothing follows {ids[place]} in {uid}")
    current, following = own[place], own[place + 1]
    around = own[max(0, place - _AROUND) : place] + own[place + 2 : place + 2 + _AROUND]
    notes.rests_on("query", "segments", [ids[place]])
    notes.rests_on("answer", "segments", [ids[place + 1]])
    note_not_done((ids[place], ids[place + 1]), given, notes)
    _check_repeated(current, own, notes)
    check_query_before_next(question, current, following, given, notes)
    _hide_next(question, following, given, notes)
    _judge_options(question, current, following, around, given, notes)
    if reference is None:
        notes.refuse("consistent", "no_reference", "no demonstration is shown beside the query")
    else:
        _check_reference(question, reference, (current, following), given, notes)
    _explain(question, (current, following), around, given, notes)


def _check_repeated(current: Row, own: Sequence[Row], notes: Derived) -> None:
    again = [r for r in own if r is not current and _says(r) & _says(current)]
    if again:
        notes.refuse(
            "consistent",
            "done_again",
            f"{current['class_name']!r} is done {len(again) + 1} times, so that several actions"
            " follow it",
            len(again) + 1,
            1,
        )


def _hide_next(question: Question, following: Row, given: EvidenceTables, notes: Derived) -> None:
    """No camera of the take may show what follows."""
    take, offset, rate = given.take_time(str(question.query["recording_id"]))
    for row in given.rows("clocks", take_id=take):
        uid = str(row["recording_id"])
        begins = offset + rate * float(following["start_s"])
        from_s = (begins - float(row["offset_s"])) / float(row["rate"])
        notes.hidden.append(
            Hidden(uid, from_s, float("inf"), "shows_next_action", "the next action")
        )


def _says(row: Row) -> set[tuple[str, ...]]:
    """What an action may be called, as words."""
    return {spoken_words(text) for text in segment_texts(row)}


def _alike(one: Row, other: Row, given: EvidenceTables, *, by_words: bool) -> bool:
    """Whether two actions may be taken for one: equal words, or a verb on a thing in common."""
    if _says(one) & _says(other):
        return True
    if by_words:
        return False
    (verbs, things), (verbs_too, things_too) = (
        _taken_apart(str(r["segment_id"]), given) for r in (one, other)
    )
    bare = not things and not things_too
    return bool(verbs & verbs_too) and (bare or bool(things & things_too))


def _taken_apart(
    segment_id: str, given: EvidenceTables
) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """Verbs and direct objects of an action; no verbs of one that is not narrated as done."""
    rows = given.rows("relations", segment_id=segment_id)
    done = is_told_as_done(segment_id, given)
    return (
        frozenset(name_words(str(r["object"])) for r in rows if r["relation"] == "verb" and done),
        frozenset(name_words(str(r["object"])) for r in rows if r["role"] == "direct"),
    )


def _judge_options(
    question: Question,
    current: Row,
    following: Row,
    around: Sequence[Row],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    by_words = question.as_paper
    named = {str(r["segment_id"]): r for r in (following, *around)}
    chosen: list[Row] = []
    for option in question.options:
        letter, text = str(option["letter"]), spoken_words(str(option["text"] or ""))
        meant = named.get(str(option["value"]))
        notes.rests_on(f"option_{letter}", "segments", [str(option["value"])])
        if meant is None:
            right = text in _says(following)
            notes.option(
                letter, right or None, f"{option['value']} is not one of the actions around"
            )
            notes.refuse(
                "distractors",
                "not_around",
                f"option {letter} means {option['value']}, which is not among the"
                f" {2 * _AROUND} actions around the current one",
            )
            continue
        if text not in _says(meant):
            notes.refuse(
                "consistent",
                "value_differs_from_text",
                f"option {letter} reads {option['text']!r}, {meant['segment_id']} says"
                f" {meant['class_name']!r}",
            )
        if meant is following:
            notes.option(letter, True, f"{following['segment_id']} comes next")
            continue
        if _alike(meant, following, given, by_words=by_words):
            notes.option(letter, True, f"it may be taken for {following['class_name']!r}")
            continue
        notes.option(letter, False, f"{meant['segment_id']} does not come next")
        note_not_done((str(meant["segment_id"]),), given, notes)
        chosen.append(meant)
        if _alike(meant, current, given, by_words=by_words):
            notes.refuse(
                "distractors",
                "still_going_on",
                f"option {letter} may be taken for what is shown, {current['class_name']!r}",
            )
    if not question.is_written:  # else a language model chose among those around
        _check_plausible(current, following, around, chosen, given, notes, by_words=by_words)


def _check_plausible(
    current: Row,
    following: Row,
    around: Sequence[Row],
    chosen: Sequence[Row],
    given: EvidenceTables,
    notes: Derived,
    *,
    by_words: bool,
) -> None:
    """Note a distractor that is less plausible than an action around that was left out."""
    counts = _followed(given)
    verbs = _taken_apart(str(current["segment_id"]), given)[0]

    def often(row: Row) -> int:
        return counts[verbs, _taken_apart(str(row["segment_id"]), given)[0]]

    left_out = [
        row
        for row in around
        if is_told_as_done(str(row["segment_id"]), given)
        and not any(
            _alike(row, other, given, by_words=by_words) for other in (current, following, *chosen)
        )
    ]
    most = max(map(often, left_out), default=0)
    for row in chosen:
        if often(row) < most:
            notes.refuse(
                "distractors",
                "less_plausible",
                f"{row['segment_id']} follows such an action {often(row)} times in the source,"
                f" another action around it {most} times",
                often(row),
                most,
            )


def _followed(given: EvidenceTables) -> Counter[tuple[Any, Any]]:
    """How often an action with some verbs comes right after one with others."""
    memo: Counter[tuple[Any, Any]] | None = given.memo.get("followed_verbs")
    if memo is None:
        memo = Counter()
        for row in given.table("clocks").iter_rows(named=True):
            if row["method"] in SYNCHRONOUS:
                for first, second in pairwise(named_actions(str(row["recording_id"]), given)):
                    keys = (_taken_apart(str(r["segment_id"]), given)[0] for r in (first, second))
                    memo[tuple(keys)] += 1  # type: ignore[index]
        given.memo["followed_verbs"] = memo
    return memo


def _check_reference(
    question: Question,
    reference: Row,
    acts: tuple[Row, Row],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note a reference that is no longer demonstration of the task by another take."""
    uid = str(reference["recording_id"])
    notes.rests_on("reference", "recordings", [uid])
    mine, other = given.recording(str(question.query["recording_id"])), given.recording(uid)
    if other["view"] != "exo":
        notes.refuse("consistent", "swapped_view", f"the reference is {other['view']}, not exo")
    if other["take_id"] == mine["take_id"]:
        notes.refuse(
            "leak",
            "reference_of_the_take",
            f"the reference {uid} films the query's own take, and so what follows",
        )
    tasks = (str(mine["scenario"] or ""), str(other["scenario"] or ""))
    if not tasks[0] or tasks[0] != tasks[1] or ", " in tasks[0]:
        notes.refuse(
            "consistent",
            "another_task",
            f"the query shows {tasks[0]!r}, the reference {tasks[1]!r}; one task is asked",
        )
    start, end = span_of(reference)
    shown = span_of(question.query)
    if end - start <= shown[1] - shown[0]:
        notes.refuse(
            "consistent",
            "reference_too_short",
            f"the reference lasts {end - start:.2f} s, the query {shown[1] - shown[0]:.2f} s",
            end - start,
            shown[1] - shown[0],
        )
    if question.as_paper:
        return
    take = given.rows("recordings", take_id=other["take_id"])
    if not any(
        _alike(acts[0], first, given, by_words=False)
        and _alike(acts[1], second, given, by_words=False)
        and start - ROUNDING <= _on(first, str(row["recording_id"]), uid, given, "start_s")
        and _on(second, str(row["recording_id"]), uid, given, "end_s") <= end + ROUNDING
        for row in take
        for first, second in pairwise(named_actions(str(row["recording_id"]), given))
    ):
        notes.refuse(
            "consistent",
            "reference_without_the_step",
            f"nobody does {acts[0]['class_name']!r} and then {acts[1]['class_name']!r} in {uid}",
        )


def _on(row: Row, of: str, to: str, given: EvidenceTables, column: str) -> float:
    """A time of an action as the time of another recording of the take."""
    _, offset, rate = given.take_time(of)
    _, offset_to, rate_to = given.take_time(to)
    return (offset + rate * float(row[column]) - offset_to) / rate_to


def _explain(
    question: Question,
    acts: tuple[Row, Row],
    around: Sequence[Row],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    current, following = acts
    ahead = float(following["start_s"]) - span_of(question.query)[1]
    named = {str(r["segment_id"]): r for r in around}
    others = [
        {"letter": Exact(str(o["letter"])), "text": Quote(segment_texts(named[str(o["value"])]))}
        for o in question.options
        if o["letter"] != question.answer and str(o["value"]) in named
    ]
    notes.statements += [
        Statement(
            "the next action",
            (
                'The egocentric video shows "{current}" and ends {ahead} s before the next action,'
                ' "{following}" (option {answer}).',
            ),
            {
                "current": Quote(segment_texts(current)),
                "ahead": Number(ahead, _ROUNDED_S),
                "following": Quote(segment_texts(following)),
                "answer": Choice((question.answer.casefold(),), ("a", "b", "c", "d")),
            },
            tuple(f"segments:{r['segment_id']}" for r in acts),
        ),
        Statement(
            "the other options",
            ("The other options are actions of the same person before or after: {others}.",),
            {"others": Each('{letter} "{text}"', tuple(others))},
            tuple(f"segments:{key}" for key in named),
        ),
    ]
    reference = question.of_role("reference")
    if reference is None:
        return
    uid = str(reference["recording_id"])
    more = "" if question.as_paper else ", in which the two actions also follow each other"
    notes.statements.append(
        Statement(
            "the reference",
            (
                "The exocentric video, {reference}, shows another performance of the task"
                f' "{{task}}"{more}.',
            ),
            {
                "reference": Exact(uid),
                "task": Quote((str(given.recording(uid)["scenario"] or ""),)),
            },
            (f"recordings:{uid}",),
        )
    )
