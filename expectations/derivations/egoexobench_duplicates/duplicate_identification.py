"""Right option of duplicate identification: the pair of videos that are one part of one recording (X15)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from expectations.gates.base import CannotTell, Derivation, Derived, Question, Sight, span_of
from expectations.gates.statements import Each, Exact, Number, Statement
from expectations.gates.tables import EvidenceTables

_ROLES = tuple(f"video_{n}" for n in range(1, 6))
_PAIR = re.compile(r"Video([1-5])-Video([1-5])")
# Times are floats: equal ones may differ by their last digits.
_SAME_S = 1e-3
_SHORTEST_S = 2.0
_TEXT = Statement("question", ("Which two of these five videos are identical?",), {}, ())

Medium = Mapping[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if not question.recipe.startswith("duplicate_identification"):
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")
    notes.asks.append(_TEXT)
    notes.check_option_count(question, 10)
    videos = [question.of_role(role) for role in _ROLES]
    shown = [video for video in videos if video is not None]
    if len(shown) < len(_ROLES) or len(question.media) > len(_ROLES):
        raise CannotTell(f"{len(shown)} of five videos are shown, with {len(question.media)} media")
    rows = [given.recording(str(video["recording_id"])) for video in shown]
    same = {
        (i + 1, j + 1): _are_one(shown[i], shown[j]) for i, j in combinations(range(len(shown)), 2)
    }
    twice = {n for pair, are_one in same.items() if are_one for n in pair}
    for n, (role, video) in enumerate(zip(_ROLES, shown, strict=True), 1):
        named = "answer" if n in twice else role
        notes.rests_on(named, "recordings", [str(video["recording_id"])])
        start_s, end_s = span_of(video)
        around_s = (end_s - start_s) / 4
        middle = (start_s + around_s, end_s - around_s)
        notes.sights.append(Sight(role, (middle,), 0.0, "the middle of the video"))
    _judge_options(question, same, notes)
    _check_alike(shown, rows, notes)
    _check_apart(rows, same, notes)
    _explain(question, shown, notes)


def _are_one(first: Medium, second: Medium) -> bool:
    """Whether two media show the same pixels: one file, or one recording, from and to one time."""
    files = first["content"] and first["content"] == second["content"]
    here = files or first["recording_id"] == second["recording_id"]
    ends = zip(span_of(first), span_of(second), strict=True)
    return bool(here) and all(abs(a - b) <= _SAME_S for a, b in ends)


def _judge_options(
    question: Question, same: Mapping[tuple[int, int], bool], notes: Derived
) -> None:
    met: dict[tuple[int, int], str] = {}
    for option in question.options:
        letter, text = str(option["letter"]), str(option["text"] or "")
        read = _PAIR.fullmatch(text)
        pair = (0, 0) if read is None else (int(read[1]), int(read[2]))
        if pair not in same:
            notes.option(letter, None, f"{text!r} names no two of the five videos in order")
            continue
        notes.option(letter, same[pair], f"it names {'one video' if same[pair] else 'two videos'}")
        if option["value"] != f"{pair[0]}-{pair[1]}":
            notes.refuse(
                "consistent",
                "value_differs_from_text",
                f"option {letter} reads {text} and stands for {option['value']!r}",
            )
        met.setdefault(pair, letter)
    if len(met) < len(same):
        lacking = ", ".join(f"Video{i}-Video{j}" for i, j in same if (i, j) not in met)
        notes.refuse("consistent", "pairs_missing", f"no option names {lacking}", len(met), 10)


def _check_alike(shown: Sequence[Medium], rows: Sequence[Any], notes: Derived) -> None:
    """Note what tells the duplicates from the others without a look at them: view, split or length."""
    for name in ("view", "split"):
        found = sorted({str(row[name]) for row in rows})
        if len(found) > 1:
            notes.refuse(
                "consistent", f"mixed_{name}s", f"the videos are of {name} {' and '.join(found)}"
            )
    lengths = [end_s - start_s for start_s, end_s in map(span_of, shown)]
    if max(lengths) - min(lengths) > _SAME_S:
        notes.refuse(
            "leak",
            "clip_lengths_differ",
            f"the videos last {min(lengths):.2f} to {max(lengths):.2f} s",
            max(lengths) - min(lengths),
            _SAME_S,
        )
    if min(lengths) < _SHORTEST_S:
        notes.refuse(
            "consistent",
            "clip_length",
            f"a video lasts {min(lengths):.2f} s, at least {_SHORTEST_S:g} s are shown",
            min(lengths),
            _SHORTEST_S,
        )


def _check_apart(rows: Sequence[Any], same: Mapping[tuple[int, int], bool], notes: Derived) -> None:
    """Note videos of one take that are not the same: somebody may take them for the same."""
    for (i, j), are_one in same.items():
        takes = {str(rows[n - 1]["take_id"] or rows[n - 1]["recording_id"]) for n in (i, j)}
        if not are_one and len(takes) == 1:
            notes.refuse(
                "consistent",
                "one_take",
                f"videos {i} and {j} differ and are both of take {takes.pop()}",
            )


def _explain(question: Question, shown: Sequence[Medium], notes: Derived) -> None:
    option = question.answer_option
    read = None if option is None else _PAIR.fullmatch(str(option["text"] or ""))
    if read is None:
        return
    first, second = int(read[1]), int(read[2])
    twice = shown[first - 1]
    start_s, end_s = span_of(twice)
    others = [
        {"video": Exact(str(n)), "recording": Exact(str(video["recording_id"]))}
        for n, video in enumerate(shown, 1)
        if n not in (first, second)
    ]
    keys = tuple(f"recordings:{video['recording_id']}" for video in shown)
    notes.statements += [
        Statement(
            "the duplicates",
            ("Videos {first} and {second} both show {start} s to {end} s of {recording}.",),
            {
                "first": Exact(str(first)),
                "second": Exact(str(second)),
                "start": Number(start_s, 0.06),
                "end": Number(end_s, 0.06),
                "recording": Exact(str(twice["recording_id"])),
            },
            keys,
        ),
        Statement(
            "the others",
            ("The other videos are of other takes: {others}.",),
            {"others": Each("{video} is of {recording}", tuple(others))},
            keys,
        ),
    ]


DERIVATION = Derivation(
    benchmark="egoexobench_duplicates",
    subtasks=("duplicate_identification",),
    reads={"recordings": ("recording_id", "take_id", "view", "split")},
    derive=_derive,
    recipes=("duplicate_identification",),
    explained_in=("detailed_answer",),
)
