"""Right option of task relation: another place, the other view, and the query's task by its name (X2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectations.derivations.clips import check_same_length, check_views
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Choice, Each, Exact, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import spoken_words
from expectations.schemas.sources import WEB

_OPTIONS = 4
_SHORTEST_S = 10.0
# A clip shows at least so much of its recording, and so nearly its middle.
_LEAST_SHARE = 0.5
_OFF_MIDDLE_S = 0.5
# Lengths are floats: exactly half may come out as slightly less.
_ROUNDING = 1e-6
_PLACES = {
    "same": "the same place",
    "different": "another place",
    "unknown": "a place that the source does not tell",
}
_ENVIRONMENT = "environment_"

_TEXT = Statement(
    "question",
    ("Which candidate video most accurately reflects the activities observed in the query video?",),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if not question.recipe.startswith("task_relation"):
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")
    notes.asks.append(_TEXT)
    notes.check_option_count(question, _OPTIONS)
    query = given.recording(str(question.query["recording_id"]))
    check_views(question, given, notes, query["view"], "exo" if query["view"] == "ego" else "ego")
    if not question.as_paper:
        check_same_length(question, notes)
    asked = _task(query)
    if not asked:
        raise CannotTell(f"recordings do not tell the task of {query['recording_id']}")
    for medium in question.media:
        _check_clip(question, medium, given, notes)
        _check_take(medium, given, notes)
        notes.rests_on(str(medium["role"]), "recordings", [str(medium["recording_id"])])
    _judge_options(question, asked, query, given, notes)
    _check_place(question, query, given, notes)
    _explain(question, query, given, notes)


def _judge_options(
    question: Question,
    asked: tuple[str, ...],
    query: Mapping[str, Any],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    met: dict[tuple[str, ...], str] = {}
    for option in question.options:
        letter = str(option["letter"])
        shown = question.shown_of(letter)
        if shown is None:
            notes.option(letter, None, "it has no medium")
            continue
        row = given.one("recordings", recording_id=str(shown["recording_id"]))
        task = () if row is None else _task(row)
        if row is None or not task:
            notes.option(letter, None, f"no task is known of {shown['recording_id']}")
            continue
        notes.option(letter, task == asked, f"it shows {row['scenario']!r}")
        if spoken_words(str(option["text"] or "")) != task:
            notes.refuse(
                "consistent",
                "option_text",
                f"option {letter} reads {option['text']!r}, its recording shows"
                f" {row['scenario']!r}",
            )
        if (row["scene"] or "") != (query["scene"] or ""):
            notes.refuse(
                "consistent",
                "another_kind_of_place",
                f"option {letter} was filmed in a {row['scene']}, the query in a"
                f" {query['scene']}: the look of the place tells them apart",
            )
        if task in met and not question.as_paper:
            notes.refuse(
                "distractors",
                "task_twice",
                f"options {met[task]} and {letter} show one task and so rule each other out",
            )
        met.setdefault(task, letter)


def _check_clip(
    question: Question, medium: Mapping[str, Any], given: EvidenceTables, notes: Derived
) -> None:
    """Note a clip that is not the middle of its recording, or too little of it."""
    role, (start, end) = str(medium["role"]), span_of(medium)
    row = given.recording(str(medium["recording_id"]))
    lengths = [row[c] for c in ("duration_s", "media_duration_s") if finite(row[c])]
    if not lengths:
        raise CannotTell(f"the length of {medium['recording_id']} is not known")
    whole = float(lengths[0])
    notes.sights.append(
        Sight(role, ((whole / 4, 3 * whole / 4),), 0.0, "the middle of the performance")
    )
    if end - start < _SHORTEST_S - _ROUNDING:
        notes.refuse(
            "consistent",
            "clip_length",
            f"{role} lasts {end - start:.2f} s, a task is shown for at least {_SHORTEST_S:g} s",
            end - start,
            _SHORTEST_S,
        )
    off = abs((start + end) / 2 - whole / 2)
    if off > _OFF_MIDDLE_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"{role} shows {start:.2f}..{end:.2f} s of {whole:.2f} s, not its middle",
            off,
            _OFF_MIDDLE_S,
        )
    if question.as_paper and end - start < whole - _OFF_MIDDLE_S:
        notes.refuse(
            "consistent",
            "clip_cuts_recording",
            f"{role} shows {end - start:.2f} s of {whole:.2f} s; the paper shows all",
        )
    share = (end - start) / max(whole, _ROUNDING) + _ROUNDING
    what = f"share of its recording that {role} shows"
    notes.margins.append(Margin("share_shown", round(share, 3), _LEAST_SHARE, "of 1", what))


def _check_take(medium: Mapping[str, Any], given: EvidenceTables, notes: Derived) -> None:
    """Note a take that shows several tasks: whose is asked for would be open."""
    row = given.recording(str(medium["recording_id"]))
    beside = given.rows("recordings", take_id=row["take_id"])
    tasks = {
        part.strip() for r in beside for part in str(r["scenario"] or "").split(",") if part.strip()
    }
    if len(tasks) > 1:
        notes.refuse(
            "consistent",
            "several_tasks",
            f"{medium['role']} is of take {row['take_id']}, which shows {', '.join(sorted(tasks))}",
            len(tasks),
            1,
        )


def _check_place(
    question: Question, query: Mapping[str, Any], given: EvidenceTables, notes: Derived
) -> None:
    """Note where the answer was filmed beside the query; the room must not give it away."""
    shown = question.shown_of(question.answer)
    if shown is None:
        return
    row = given.recording(str(shown["recording_id"]))
    relation = _place_beside(query, row)
    for name in _PLACES:
        keys = [str(row["recording_id"])] if name == relation else []
        notes.rests_on(_ENVIRONMENT + name, "recordings", keys)
    if relation != "different" and not question.as_paper:
        notes.refuse(
            "consistent",
            f"environment_{relation}",
            f"the answer was filmed in {_PLACES[relation]}, beside a query of"
            f" {query['environment_id'] or 'an unknown place'}: the room may give it away",
        )


def _place_beside(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    if one["take_id"] == other["take_id"]:
        return "same"
    places = (one["environment_id"], other["environment_id"])
    from_the_web = any(str(place or "").startswith(WEB) for place in places)
    if not all(places) and not from_the_web:
        return "unknown"
    return "same" if len(set(places)) == 1 else "different"


def _explain(
    question: Question, query: Mapping[str, Any], given: EvidenceTables, notes: Derived
) -> None:
    shown = question.shown_of(question.answer)
    if shown is None:
        return
    row = given.recording(str(shown["recording_id"]))
    relation = _place_beside(query, row)
    others = []
    for option in question.options:
        medium = question.shown_of(str(option["letter"]))
        if option["letter"] != question.answer and medium is not None:
            task = given.recording(str(medium["recording_id"]))["scenario"]
            others.append({"letter": Exact(str(option["letter"])), "text": Quote((str(task),))})
    uids = [str(m["recording_id"]) for m in question.media]
    notes.statements += [
        Statement(
            "the task of the query and its answer",
            (
                'The query video, {query}, shows the task "{task}", and so does candidate video'
                " {answer}, {shown}, which was filmed in {place} from the other view.",
            ),
            {
                "query": Exact(str(query["recording_id"])),
                "task": Quote((str(query["scenario"]),)),
                "answer": Exact(question.answer),
                "shown": Exact(str(shown["recording_id"])),
                "place": Choice((_PLACES[relation],), tuple(_PLACES.values())),
            },
            (f"recordings:{query['recording_id']}", f"recordings:{shown['recording_id']}"),
        ),
        Statement(
            "the other candidates",
            ("The other candidates show other tasks: {others}.",),
            {"others": Each('{letter} "{text}"', tuple(others))},
            tuple(f"recordings:{uid}" for uid in uids),
        ),
    ]


def _task(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Words of a recording's task; none if it names none."""
    return spoken_words(str(row["scenario"] or ""))


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("task_relation",),
    reads={
        "recordings": (
            "recording_id",
            "take_id",
            "view",
            "scenario",
            "scene",
            "environment_id",
            "duration_s",
            "media_duration_s",
        )
    },
    derive=_derive,
    recipes=("task_relation",),
    explained_in=("detailed_answer",),
)
