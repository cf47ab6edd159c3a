"""Right option of body part action: the two narrations with their own sides of the body (X8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from expectations.derivations.clips import in_recording
from expectations.derivations.narrated_verbs import (
    LABEL_COLUMNS,
    body_part,
    note_not_done,
    verbs_read,
)
from expectations.derivations.written import (
    conclusion,
    judge_written_options,
)
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    listed,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Choice, Exact, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

_OPTIONS = 4
_LONGEST_S = 30.0
_REACH_S = 2.0
_SLACK_S = 0.1
_LEAST_S = 0.5
_KINDS: Mapping[str, str] = {"hand": "hands", "foot": "feet"}
# Words between a side and its part of the body: "right gloved hand".
_BETWEEN = 2
# Labels that name a part and no side of it.
_LIMBS = {"arm": "hand", "leg": "foot"}
_FORM = "Which statement describes what the person's {kind} do in the two videos?"
_STATEMENT = re.compile(r'Video 1: "(?P<first>[^"]*)" Video 2: "(?P<second>[^"]*)"')
_OF_VIDEO = re.compile(r"\bvideo\s?([12])\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class _Video:
    """A video, the segment it shows, and what that says."""

    role: str
    medium: Mapping[str, Any]
    segment: Mapping[str, Any]
    words: str


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, _OPTIONS)
    videos = _videos(question, given, notes)
    kind = _kind(videos, notes)
    _check_pair(question, videos, given, notes)
    if question.is_written:
        judge_written_options(question, given, notes)
        _check_written(question, videos, notes)
    else:
        ask = Statement("question", (_FORM,), {"kind": Choice((kind,), tuple(_KINDS.values()))}, ())
        notes.asks.append(ask)
        truth = [_sides(video.words) for video in videos]
        for option in question.options:
            _judge(option, videos, truth, notes)
    keys = [str(video.segment["segment_id"]) for video in videos]
    for video, key in zip(videos, keys, strict=True):
        for table in ("segments", "labels"):
            notes.rests_on(video.role, table, [key])
    for letter in () if question.is_written else question.letters:
        notes.rests_on(f"option_{letter}", "segments", keys)
    notes.statements += [
        Statement(
            f"video {n}",
            (f'Video {n} is narrated "{{words}}".',),
            {"words": Quote((video.words,))},
            (f"segments:{video.segment['segment_id']}",),
        )
        for n, video in enumerate(videos, 1)
    ]
    if question.is_written:
        notes.statements.append(conclusion(question, "narrations"))
        return
    notes.statements.append(
        Statement(
            "the conclusion",
            (
                "Statement {answer} keeps the sides of both narrations; the others exchange left and right"
                " in one or both.",
            ),
            {"answer": Exact(question.answer)},
            (),
        )
    )


def _check_written(question: Question, videos: Sequence[_Video], notes: Derived) -> None:
    """Options in free words speak of parts of the body; the right one names no other side of a video."""
    for option in question.options:
        if not any(map(body_part, tokens(str(option["text"] or "")))):
            letter = option["letter"]
            notes.refuse("consistent", "option_text", f"option {letter} names no part of the body")
    right = question.answer_option
    if right is None:
        return
    pieces = _OF_VIDEO.split(str(right["text"] or ""))
    for n, words in zip(pieces[1::2], pieces[2::2], strict=True):
        named = {side for side, part in _sided(words) if part is not None}
        strange = named - {*_sides(videos[int(n) - 1].words)}
        if strange:
            notes.refuse(
                "answer",
                "another_side",
                f"option {question.answer} says {listed(sorted(strange))} of video {n}, which is"
                f" narrated {videos[int(n) - 1].words!r}",
            )


def _by_labels(question: Question) -> bool:
    return question.recipe.startswith("body_part_action_egoexolearn")


def _videos(question: Question, given: EvidenceTables, notes: Derived) -> list[_Video]:
    """The videos with the segments the evidence names, each shown by one of them."""
    rows = [given.segment(key) for key in question.keys_of("segments")]
    found = []
    for role in ("video_1", "video_2"):
        medium = question.of_role(role)
        if medium is None:
            raise CannotTell(f"no medium has the role {role}")
        mine = [row for row in rows if _same_take(row, medium, given)]
        if len(mine) != 1:
            raise CannotTell(
                f"the evidence names {len(mine)} segments of the take of {role}, not one"
            )
        words = re.sub(r"^C\b", "The person", str(mine[0]["narration"] or "").strip())
        video = _Video(role, medium, mine[0], words)
        _check_shown(video, given, notes)
        found.append(video)
    return found


def _same_take(row: Mapping[str, Any], medium: Mapping[str, Any], given: EvidenceTables) -> bool:
    takes = [given.recording(str(r["recording_id"]))["take_id"] for r in (row, medium)]
    return takes[0] == takes[1]


def _check_shown(video: _Video, given: EvidenceTables, notes: Derived) -> None:
    """The clip shows the segment, or the moment, and little else; frames must show it."""
    own = (float(video.segment["start_s"]), float(video.segment["end_s"]))
    uid = str(video.medium["recording_id"])
    span = in_recording(own, str(video.segment["recording_id"]), uid, given)
    clip = span_of(video.medium)
    if span is None:
        raise CannotTell(f"{video.role} does not show the take of its segment")
    is_moment = bool(video.segment["is_point"]) or span[0] == span[1]
    if is_moment:
        inside = clip[0] - _SLACK_S <= span[0] <= clip[1] + _SLACK_S
        wide = max(span[0] - clip[0], clip[1] - span[0]) > _REACH_S + _SLACK_S
        seen = (max(clip[0], span[0] - _LEAST_S), min(clip[1], span[0] + _LEAST_S))
    else:
        least = 0.95 * min(span[1] - span[0], clip[1] - clip[0], _LONGEST_S)
        inside = overlap_s(clip, span) >= least
        wide = clip[1] - clip[0] > max(span[1] - span[0], 2.0) + _SLACK_S
        third = (span[1] - span[0]) / 3
        seen = (max(clip[0], span[0] + third), min(clip[1], span[1] - third))
    if not inside:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"{video.role} shows {clip[0]:.2f}..{clip[1]:.2f} s, its segment is {span[0]:.2f}..{span[1]:.2f} s",
        )
    elif wide:
        notes.refuse(
            "consistent",
            "clip_too_wide",
            f"{video.role} shows {clip[1] - clip[0]:.2f} s around a segment of {span[1] - span[0]:.2f} s",
        )
    if seen[1] >= seen[0]:
        what = f"segment {video.segment['segment_id']}"
        notes.sights.append(Sight(video.role, (seen,), 0.0, what))
    notes.margins.append(
        Margin("clip_length", clip[1] - clip[0], _LEAST_S, "s", f"length of {video.role}")
    )


def _kind(videos: Sequence[_Video], notes: Derived) -> str:
    """Kind of body part that both narrations tell left from right of."""
    kinds = []
    for video in videos:
        parts = {part for _, part in _sided(video.words)}
        found = [_KINDS[part] for part in parts if part is not None]
        if len(found) != 1 or len(parts) != 1:
            raise CannotTell(f"{video.role} is narrated {video.words!r}: no one kind of body part")
        kinds += found
        tokens = [word.casefold() for word in _WORD.findall(video.words)]
        if {"left", "right"} <= {*tokens} and {"both", "each", "either", "together"} & {*tokens}:
            notes.refuse(
                "distractors",
                "same_of_both_sides",
                f"{video.role} is narrated {video.words!r}, which may say the same of both sides",
            )
    if kinds[0] != kinds[1]:
        notes.refuse(
            "consistent",
            "another_body_part",
            f"one narration is of {kinds[0]}, the other of {kinds[1]}",
        )
    return kinds[0]


def _check_pair(
    question: Question, videos: Sequence[_Video], given: EvidenceTables, notes: Derived
) -> None:
    rows = [given.recording(str(v.medium["recording_id"])) for v in videos]
    if rows[0]["view"] == rows[1]["view"]:
        notes.refuse("consistent", "swapped_view", f"both videos are {rows[0]['view']}")
    if rows[0]["scenario"] != rows[1]["scenario"]:
        notes.refuse(
            "consistent",
            "another_scenario",
            f"the videos are of {rows[0]['scenario']} and {rows[1]['scenario']}",
        )
    for video in videos:
        _check_labels(video, given, notes)
    if _by_labels(question):
        shared = set.intersection(*(_classes(v, given) for v in videos))
    else:
        shared = set.intersection(*(_lemmas(v, given) for v in videos))
        note_not_done((str(v.segment["segment_id"]) for v in videos), given, notes)
        for video, row in zip(videos, rows, strict=True):
            if row["view"] == "ego" and video.segment["ego_visible"] is not True:
                notes.refuse(
                    "consistent",
                    "not_visible",
                    f"annotators did not mark {video.segment['segment_id']} as visible in the ego view",
                )
            if video.segment["actor_id"] != "C":
                notes.refuse(
                    "consistent",
                    "another_actor",
                    f"{video.segment['segment_id']} is of {video.segment['actor_id']}, not of the wearer",
                )
    if not shared:
        notes.refuse(
            "consistent", "shares_nothing", "the narrations share neither a verb nor an object"
        )


def _classes(video: _Video, given: EvidenceTables) -> set[tuple[str, int]]:
    rows = given.rows("labels", segment_id=str(video.segment["segment_id"]))
    return {(str(r["kind"]), int(r["class_id"])) for r in rows if r["reader"] == "vocabulary"}


def _lemmas(video: _Video, given: EvidenceTables) -> set[tuple[str, str]]:
    rows = given.rows("labels", segment_id=str(video.segment["segment_id"]))
    return {(str(r["kind"]), str(r["lemma"])) for r in rows if r["reader"] == "open"}


def _check_labels(video: _Video, given: EvidenceTables, notes: Derived) -> None:
    """The verbs are done, by one person, by the sides that the narration names."""
    verbs = verbs_read(str(video.segment["segment_id"]), given)
    if any(row["status"] not in (None, "done") for row in verbs):
        notes.refuse("consistent", "not_done", f"{video.role} is narrated as not done to the end")
    if len({row["actor_id"] for row in verbs}) > 1:
        notes.refuse("consistent", "several_actors", f"{video.role} is narrated of several people")
    named = {str(row["body_part"]) for row in verbs}
    whole = [part for part in named if part.startswith(("left_", "right_"))]
    labelled = {part.split("_")[0] for part in whole}
    kinds = {part.split("_")[1] for part in whole} | {_LIMBS[p] for p in named & _LIMBS.keys()}
    told = set(_sides(video.words))
    is_read = labelled == told or (bool(named & _LIMBS.keys()) and labelled <= told)
    disputed = {"hand", "actor"} & {
        name for row in verbs for name in str(row["contradicts"] or "").split()
    }
    aside = {str(row["direction"]) for row in verbs} & {"left", "right"}
    if not is_read or kinds != {part for _, part in _sided(video.words)} or disputed or aside:
        notes.refuse(
            "consistent",
            "labelled_otherwise",
            f"{video.role} is narrated with {listed(sorted(told))}, its verbs are labelled"
            f" {listed(sorted(named)) or 'with no part of the body'}"
            + (f"; its two readers disagree on {listed(sorted(disputed))}" if disputed else "")
            + (f"; a direction is {listed(sorted(aside))}" if aside else ""),
        )


def _sided(words: str) -> list[tuple[str, str | None]]:
    """Every left or right with the kind of body part that follows it; None where none does."""
    tokens = [word.casefold() for word in _WORD.findall(words)]
    return [
        (token, next(filter(None, map(body_part, tokens[at + 1 : at + 2 + _BETWEEN])), None))
        for at, token in enumerate(tokens)
        if token in ("left", "right")
    ]


def _sides(words: str) -> list[str]:
    return [side for side, _ in _sided(words)]


def _judge(
    option: Mapping[str, Any],
    videos: Sequence[_Video],
    truth: Sequence[Sequence[str]],
    notes: Derived,
) -> None:
    """An option quotes both narrations; it is right if no side differs."""
    letter = str(option["letter"])
    found = _STATEMENT.fullmatch(str(option["text"] or ""))
    quoted = [found["first"], found["second"]] if found is not None else []
    wrong = [
        v.role for v, words in zip(videos, quoted, strict=False) if _bare(words) != _bare(v.words)
    ]
    if not quoted or wrong:
        notes.refuse(
            "consistent",
            "option_text",
            f"option {letter} reads {option['text']!r}, which are not the narrations of"
            f" {listed(wrong) or 'both videos'}",
        )
        notes.option(letter, None, "it says something else than which side acts")
        return
    said = [_sides(words) for words in quoted]
    differ = [
        f"{video.role} is {listed(own)}, not {listed(told)}"
        for video, own, told in zip(videos, truth, said, strict=True)
        if own != told
    ]
    # Some sides exchanged and others not would be a statement of another kind.
    if any(
        own != told and any(a == b for a, b in zip(own, told, strict=True))
        for own, told in zip(truth, said, strict=True)
    ):
        notes.refuse(
            "consistent", "option_text", f"option {letter} exchanges some sides of a narration only"
        )
    notes.option(letter, not differ, "; ".join(differ) or "both narrations with their own sides")
    value = "|".join("-".join(told) for told in said)
    if option["value"] != value:
        notes.refuse(
            "consistent",
            "option_value",
            f"option {letter} has the value {option['value']!r}, its text says {value!r}",
        )


def _bare(words: str) -> list[str]:
    """Words without sides."""
    tokens = [word.casefold() for word in _WORD.findall(words)]
    return ["side" if token in ("left", "right") else token for token in tokens]


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("body_part_action",),
    reads={
        "recordings": ("recording_id", "take_id", "view", "scenario"),
        "clocks": ("recording_id", "take_id", "offset_s", "rate"),
        "segments": (
            "segment_id",
            "recording_id",
            "start_s",
            "end_s",
            "is_point",
            "narration",
            "actor_id",
            "ego_visible",
        ),
        "labels": ("recording_id", "class_id", *LABEL_COLUMNS),
    },
    derive=_derive,
    recipes=("body_part_action_egoexo4d", "body_part_action_egoexolearn"),
    explained_in=("detailed_answer",),
)
