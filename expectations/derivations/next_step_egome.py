"""Right option of action prediction on EgoMe: the step that follows, beside what is imitated (X9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from expectations.derivations.narrated_verbs import (
    LABEL_COLUMNS,
    is_told_as_done,
    note_not_done,
)
from expectations.derivations.next_in_sequence import ASK, check_query_before_next
from expectations.derivations.written import judge_written_options
from expectations.gates.base import (
    CannotTell,
    Derived,
    Hidden,
    Question,
    span_of,
)
from expectations.gates.statements import Choice, Each, Exact, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens
from expectations.schemas.identity import stable_hash

READS: dict[str, tuple[str, ...]] = {
    "recordings": (
        "recording_id",
        "view",
        "take_id",
        "scene",
        "split",
        "duration_s",
        "media_duration_s",
    ),
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "start_s",
        "end_s",
        "narration",
    ),
    "labels": ("recording_id", *LABEL_COLUMNS),
    "sentence_vectors": ("recording_id", "sentence", "vector"),
    "take_links": ("take_id", "link", "other_take_id", "faithful"),
}
_OPTIONS = 4
_ROUNDED_S = 0.05
# Sentences of one activity (section 2 of the notes on pairs); the last bits depend on the machine.
_ALIKE = 0.75
_DECIMALS = 4
Row = Mapping[str, Any]


def derive_next_step(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Fill the notes for a wearer's clip, the demonstration imitated, and steps in words.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The query's segment is not a step of its recording, or nothing follows it.
    """
    notes.asks.append(ASK)
    notes.check_option_count(question, _OPTIONS)
    query, reference = question.query, question.of_role("reference")
    uid = str(query["recording_id"])
    own = _steps(uid, given)
    ids = [str(row["segment_id"]) for row in own]
    if str(query["segment_id"]) not in ids:
        raise CannotTell(f"segment {query['segment_id']} is not a step of {uid}")
    place = ids.index(str(query["segment_id"]))
    if place + 1 >= len(own):
        raise CannotTell(f"nothing follows {ids[place]} in {uid}")
    current, following = own[place], own[place + 1]
    notes.rests_on("query", "segments", [ids[place]])
    notes.rests_on("answer", "segments", [ids[place + 1]])
    note_not_done((ids[place], ids[place + 1]), given, notes)
    again = [row for row in own if row is not current and _says(row) == _says(current)]
    if again:
        notes.refuse(
            "consistent",
            "done_again",
            f"{current['narration']!r} is done {len(again) + 1} times, so that several steps"
            " follow it",
            len(again) + 1,
            1,
        )
    check_query_before_next(question, current, following, given, notes)
    begins = float(following["start_s"])
    notes.hidden.append(Hidden(uid, begins, float("inf"), "shows_next_action", "the next step"))
    _judge_options(question, current, following, given, notes)
    if reference is None:
        notes.refuse("consistent", "no_reference", "no demonstration is shown beside the query")
    else:
        _check_reference(question, reference, given, notes)
    _explain(question, (current, following), notes)


def _steps(uid: str, given: EvidenceTables) -> list[dict[str, Any]]:
    """Narrated steps of a recording, in order."""
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["kind"] == "fine"
        and str(row["narration"] or "").strip()
        and float(row["end_s"]) > float(row["start_s"])
    ]
    return sorted(rows, key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))


def _text(row: Row) -> str:
    return str(row["narration"]).strip()


def _says(row: Row) -> tuple[str, ...]:
    return tokens(_text(row))


def _judge_options(
    question: Question, current: Row, following: Row, given: EvidenceTables, notes: Derived
) -> None:
    if question.is_written:
        _judge_written(question, current, following, given, notes)
        return
    mine = given.recording(str(question.query["recording_id"]))
    chosen: list[Row] = []
    for option in question.options:
        letter, text = str(option["letter"]), tokens(str(option["text"] or ""))
        notes.rests_on(f"option_{letter}", "segments", [str(option["value"])])
        meant = given.one("segments", segment_id=option["value"])
        if meant is None or not _belongs(meant, mine, given):
            notes.option(
                letter, text == _says(following) or None, f"{option['value']} is not a step"
            )
            notes.refuse(
                "distractors",
                "not_of_the_scene",
                f"option {letter} means {option['value']}, which is not a step of an imitation in the"
                " same scene and split",
            )
            continue
        if text != _says(meant):
            notes.refuse(
                "consistent",
                "value_differs_from_text",
                f"option {letter} reads {option['text']!r}, {meant['segment_id']} says"
                f" {meant['narration']!r}",
            )
        if meant["segment_id"] == following["segment_id"]:
            notes.option(letter, True, f"{following['segment_id']} comes next")
            continue
        if _alike(meant, following, given):
            notes.option(letter, True, f"it may be taken for {following['narration']!r}")
            continue
        notes.option(letter, False, f"{meant['segment_id']} does not come next")
        note_not_done((str(meant["segment_id"]),), given, notes)
        chosen.append(meant)
        if _alike(meant, current, given):
            notes.refuse(
                "distractors",
                "still_going_on",
                f"option {letter} may be taken for what is shown, {current['narration']!r}",
            )
    _check_plausible(current, following, chosen, mine, given, notes)


def _judge_written(
    question: Question, current: Row, following: Row, given: EvidenceTables, notes: Derived
) -> None:
    """Distractors in a language model's words beside the step that follows."""
    judge_written_options(question, given, notes, keep_values=True)
    for option in question.options:
        letter, said = str(option["letter"]), tokens(str(option["text"] or ""))
        if option["value"] == following["segment_id"]:
            notes.rests_on(f"option_{letter}", "segments", [str(following["segment_id"])])
            right = said == _says(following)
            notes.option(letter, right, f"{following['segment_id']} comes next")
        elif option["value"] != option["text"]:
            notes.refuse(
                "consistent", "option_value", f"option {letter} stands for {option['value']!r}"
            )
        elif said in (_says(following), _says(current)):
            notes.refuse(
                "distractors",
                "repeats_a_step",
                f"option {letter} reads like the current step or the next",
            )


def _belongs(step: Row, mine: Row, given: EvidenceTables) -> bool:
    """Whether a segment is a step of a faithful imitation in the same scene and split."""
    row = given.recording(str(step["recording_id"]))
    same = all(row[c] == mine[c] for c in ("scene", "split"))
    return same and step["kind"] == "fine" and row["view"] == "ego" and bool(_watched(row, given))


def _watched(row: Row, given: EvidenceTables) -> list[str]:
    """Takes that a recording's take imitates faithfully."""
    return [
        str(link["other_take_id"])
        for link in given.rows("take_links", take_id=row["take_id"])
        if link["link"] == "imitates" and link["faithful"] is not False
    ]


def _vector(row: Row, given: EvidenceTables) -> np.ndarray | None:
    """Vector of a step's sentence; equal sentences have equal ones."""
    memo: dict[str, np.ndarray] | None = given.memo.get("step_vectors")
    if memo is None:
        memo = {
            str(key): np.asarray(vector, dtype=np.float32)
            for key, vector in given.table("sentence_vectors")
            .select("sentence", "vector")
            .iter_rows()
        }
        given.memo["step_vectors"] = memo
    return memo.get(stable_hash("sentence", _text(row)))


def _alike(one: Row, other: Row, given: EvidenceTables) -> bool:
    """Whether two steps may be taken for one: equal words, or sentences of one activity."""
    if _says(one) == _says(other):
        return True
    vectors = [_vector(row, given) for row in (one, other)]
    if vectors[0] is None or vectors[1] is None:
        return False
    return round(float(np.dot(vectors[0], vectors[1])), _DECIMALS) >= _ALIKE


def _check_plausible(
    current: Row,
    following: Row,
    chosen: Sequence[Row],
    mine: Row,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note a distractor that follows such a step more rarely than a step of the scene that was left out."""
    after = _after(current, mine, given)

    def often(row: Row) -> int:
        return sum(n for key, n in after.items() if _alike(given.segment(key), row, given))

    counts = {str(row["segment_id"]): often(row) for row in chosen}
    left_out = [
        row
        for row in _of_scene(mine, given)
        if _vector(row, given) is not None
        and '"' not in _text(row)
        and not any(_alike(row, other, given) for other in (current, following, *chosen))
    ]
    most = max(map(often, left_out), default=0)
    for row in chosen:
        if counts[str(row["segment_id"])] < most:
            notes.refuse(
                "distractors",
                "less_plausible",
                f"{row['segment_id']} follows such a step {counts[str(row['segment_id'])]} times,"
                f" another step of the scene {most} times",
                counts[str(row["segment_id"])],
                most,
            )


def _imitations(split: object, given: EvidenceTables) -> list[list[dict[str, Any]]]:
    """Steps of each faithful imitation of a split."""
    return [
        _steps(str(row["recording_id"]), given)
        for row in given.table("recordings").iter_rows(named=True)
        if row["view"] == "ego" and row["split"] == split and _watched(row, given)
    ]


def _after(current: Row, mine: Row, given: EvidenceTables) -> Counter[str]:
    """Steps that come right after one like the current, by segment."""
    return Counter(
        str(second["segment_id"])
        for own in _imitations(mine["split"], given)
        for first, second in pairwise(own)
        if _vector(first, given) is not None
        and _vector(second, given) is not None
        and _alike(first, current, given)
    )


def _of_scene(mine: Row, given: EvidenceTables) -> list[dict[str, Any]]:
    """One step per sentence of the imitations in a recording's scene and split."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for own in _imitations(mine["split"], given):
        for step in own:
            in_scene = given.recording(str(step["recording_id"]))["scene"] == mine["scene"]
            if in_scene and is_told_as_done(str(step["segment_id"]), given):
                found.setdefault(_says(step), step)
    return list(found.values())


def _check_reference(
    question: Question, reference: Row, given: EvidenceTables, notes: Derived
) -> None:
    """Note a reference that is not the whole demonstration that the wearer imitates faithfully."""
    uid = str(reference["recording_id"])
    notes.rests_on("reference", "recordings", [uid])
    mine, other = given.recording(str(question.query["recording_id"])), given.recording(uid)
    if other["view"] != "exo":
        notes.refuse("consistent", "swapped_view", f"the reference is {other['view']}, not exo")
    if other["take_id"] not in _watched(mine, given):
        notes.refuse(
            "consistent",
            "not_imitated",
            f"the wearer of {mine['recording_id']} does not imitate {uid} faithfully",
        )
    start, end = span_of(reference)
    length = float(other["duration_s"] or other["media_duration_s"] or 0.0)
    shown = span_of(question.query)
    if end - start <= shown[1] - shown[0]:
        notes.refuse(
            "consistent",
            "reference_too_short",
            f"the reference lasts {end - start:.2f} s, the query {shown[1] - shown[0]:.2f} s",
            end - start,
            shown[1] - shown[0],
        )
    elif start > _ROUNDED_S or end < length - _ROUNDED_S:
        notes.refuse(
            "consistent",
            "reference_cut",
            f"the reference shows {start:.2f}..{end:.2f} s of {length:.2f} s",
            end - start,
            length,
        )


def _explain(question: Question, steps: tuple[Row, Row], notes: Derived) -> None:
    current, following = steps
    ahead = float(following["start_s"]) - span_of(question.query)[1]
    others = [
        {"letter": Exact(str(o["letter"])), "text": Quote((str(o["text"]),))}
        for o in question.options
        if o["letter"] != question.answer
    ]
    whose = "a language model's" if question.is_written else "steps from the same scene"
    notes.statements += [
        Statement(
            "the next step",
            (
                'The egocentric video shows "{current}" and ends {ahead} s before the next step,'
                ' "{following}" (option {answer}).',
            ),
            {
                "current": Quote((_text(current),)),
                "ahead": Number(ahead, _ROUNDED_S),
                "following": Quote((_text(following),)),
                "answer": Choice((question.answer.casefold(),), ("a", "b", "c", "d")),
            },
            tuple(f"segments:{row['segment_id']}" for row in steps),
        ),
        Statement(
            "the other options",
            (f"The other options are {whose}: {{others}}.",),
            {"others": Each('{letter} "{text}"', tuple(others))},
            (),
        ),
    ]
    reference = question.of_role("reference")
    if reference is not None:
        uid = str(reference["recording_id"])
        notes.statements.append(
            Statement(
                "the reference",
                (
                    "The exocentric video, {reference}, is the demonstration that the wearer"
                    " imitates.",
                ),
                {"reference": Exact(uid)},
                (f"recordings:{uid}",),
            )
        )
