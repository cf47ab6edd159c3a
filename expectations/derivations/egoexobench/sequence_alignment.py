"""Right option of sequence alignment: the statement that both takes' keysteps bear out (X11)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from expectations.derivations.clips import in_recording
from expectations.derivations.written import (
    check_written_words,
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
    span_of,
)
from expectations.gates.statements import Each, Exact, Number, Quote, Slot, Statement
from expectations.gates.tables import EvidenceTables

_OPTIONS = 4
_LEAST_SHARED = 2
_LEAST_APART_S = 2.0
_ROUNDED_S = 0.05
_SLACK_S = 0.1
_VIDEOS = ("video_1", "video_2")
_TEXT = Statement(
    "question",
    (
        "Which of the following statements accurately describes the difference in action sequences"
        " between Video 1 and Video 2?",
    ),
    {},
    (),
)
_ORDER = re.compile(
    r'Video (?P<video>[12]) shows "(?P<first>.+)" before "(?P<second>.+)", while Video (?P<other>[12])'
    r" shows it after\."
)
_PRESENCE = re.compile(
    r'Video (?P<video>[12]) includes "(?P<first>.+)", while Video (?P<other>[12]) does not\.'
)
_SMALL = set("a an and at by for from in into it its of off on onto or out the to up with".split())


@dataclass(frozen=True, slots=True)
class _Claim:
    """What an option says: that one video shows a step, or shows it before another, and the other not."""

    kind: str
    video: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A video and the keysteps of its take, with their spans in its own seconds."""

    medium: Mapping[str, Any]
    steps: tuple[tuple[Mapping[str, Any], tuple[float, float]], ...]

    def named(self, name: str) -> list[tuple[Mapping[str, Any], tuple[float, float]]]:
        return [(row, span) for row, span in self.steps if row["class_name"] == name]

    def resembles(self, name: str) -> list[str]:
        """Names of steps that may be this one in more or fewer words."""
        words = _words(name)
        names = dict.fromkeys(str(row["class_name"]) for row, _ in self.steps)
        return [n for n in names if n != name and (_words(n) <= words or words <= _words(n))]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, _OPTIONS)
    shown = [_shown(question, role, given, notes) for role in _VIDEOS]
    _check_pair(shown, given, notes)
    if question.is_written:
        _derive_written(question, shown, given, notes)
        return
    notes.asks.append(_TEXT)
    claims = {str(o["letter"]): _claim(o) for o in question.options}
    unread = [letter for letter, claim in claims.items() if claim is None]
    if unread:
        notes.refuse(
            "consistent",
            "option_text",
            f"options {listed(unread)} make no statement about steps of the two videos",
        )
    every = [str(row["segment_id"]) for one in shown for row, _ in one.steps]
    for letter in unread:
        notes.option(letter, None, "it makes no statement that can be checked")
        notes.rests_on(f"option_{letter}", "segments", every, "none")
    read = {letter: claim for letter, claim in claims.items() if claim is not None}
    for letter, claim in read.items():
        right, why = _judge(claim, shown, notes)
        notes.option(letter, right, why)
        _check_value(question, letter, claim, shown, notes)
    _must_be_seen(read, shown, notes)
    for letter, claim in read.items():
        rows = (row for one in shown for name in claim.names for row, _ in one.named(name))
        notes.rests_on(f"option_{letter}", "segments", [str(row["segment_id"]) for row in rows])
    _explain(question, read, shown, notes)


def _derive_written(
    question: Question, shown: Sequence[_Shown], given: EvidenceTables, notes: Derived
) -> None:
    """A question in a language model's words: its options name steps that the videos show."""
    judge_written_options(question, given, notes)
    names = [[str(row["class_name"]) for row, _ in one.steps] for one in shown]
    told = [" ".join(sorted(_words(name))) for name in dict.fromkeys((*names[0], *names[1]))]
    check_written_words(question, told, "step of the videos", notes)
    for one in shown:
        role, spans = str(one.medium["role"]), tuple(span for _, span in one.steps)
        notes.sights.append(Sight(role, spans, 0.0, "a step of the sequence"))
        notes.rests_on(role, "segments", [str(row["segment_id"]) for row, _ in one.steps])
    notes.statements += [
        Statement(
            f"the steps of video {n}",
            (f"The steps of Video {n} are {{steps}}.",),
            {"steps": Each('"{name}"', tuple({"name": Quote((name,))} for name in own))},
            _rows(tuple(dict.fromkeys(own)), (one,)),
        )
        for n, (one, own) in enumerate(zip(shown, names, strict=True), 1)
    ]
    notes.statements.append(conclusion(question, "sequences"))


def _shown(question: Question, role: str, given: EvidenceTables, notes: Derived) -> _Shown:
    medium = question.of_role(role)
    if medium is None:
        raise CannotTell(f"no medium has the role {role}")
    uid = str(medium["recording_id"])
    take = given.recording(uid)["take_id"]
    found = []
    for recording in given.rows("recordings", take_id=take):
        for row in given.rows("segments", recording_id=recording["recording_id"]):
            if row["kind"] == "keystep" and row["class_name"] and row["class_id"] is not None:
                own = (float(row["start_s"]), float(row["end_s"]))
                span = in_recording(own, str(recording["recording_id"]), uid, given)
                if span is not None:
                    found.append((row, span))
    if not found:
        raise CannotTell(f"take {take} of {role} has no keysteps")
    start, end = span_of(medium)
    cut = [row for row, span in found if span[0] < start - _SLACK_S or span[1] > end + _SLACK_S]
    if cut:
        notes.refuse(
            "consistent",
            "sequence_cut",
            f"{role} shows {start:.2f}..{end:.2f} s and leaves out {listed([r['class_name'] for r in cut])}",
        )
    return _Shown(medium, tuple(sorted(found, key=lambda item: (item[1], item[0]["segment_id"]))))


def _check_pair(shown: Sequence[_Shown], given: EvidenceTables, notes: Derived) -> None:
    rows = [given.recording(str(one.medium["recording_id"])) for one in shown]
    if rows[0]["view"] == rows[1]["view"]:
        notes.refuse("consistent", "swapped_view", f"both videos are {rows[0]['view']}")
    if rows[0]["take_id"] == rows[1]["take_id"]:
        notes.refuse("consistent", "same_take", f"both videos are of take {rows[0]['take_id']}")
    if rows[0]["scenario"] != rows[1]["scenario"]:
        notes.refuse(
            "consistent",
            "another_scenario",
            f"the videos are of {rows[0]['scenario']} and {rows[1]['scenario']}",
        )
    ids = [[int(row["class_id"]) for row, _ in one.steps] for one in shown]
    common = _common(*ids)
    if min(common, len({*ids[0]} & {*ids[1]})) < _LEAST_SHARED:
        notes.refuse(
            "consistent",
            "too_little_shared",
            f"{common} steps are shared in one order, at least {_LEAST_SHARED} are asked",
            common,
            _LEAST_SHARED,
        )


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the longest common subsequence."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            same = one[i] == other[j]
            table[i][j] = 1 + table[i + 1][j + 1] if same else max(table[i + 1][j], table[i][j + 1])
    return table[0][0]


def _claim(option: Mapping[str, Any]) -> _Claim | None:
    text = str(option["text"] or "")
    for kind, form in (("order", _ORDER), ("presence", _PRESENCE)):
        found = form.fullmatch(text)
        if found is not None and found["video"] != found["other"]:
            names = [found["first"], *([found["second"]] if kind == "order" else [])]
            return _Claim(kind, int(found["video"]), tuple(names))
    return None


def _judge(claim: _Claim, shown: Sequence[_Shown], notes: Derived) -> tuple[bool | None, str]:
    """Whether a statement is true, with a row that says so; None where no step contradicts it."""
    one, other = shown[claim.video - 1], shown[2 - claim.video]
    if claim.kind == "presence":
        return _judge_presence(claim.names[0], one, other, 3 - claim.video)
    spans = []
    for video in (one, other):
        for name in claim.names:
            rows = video.named(name)
            if len(rows) != 1:
                return None, f"{video.medium['role']} shows {name!r} {len(rows)} times, not once"
            spans.append(rows[0][1])
    for first, second in (spans[:2], spans[2:]):
        apart = abs((second[0] + second[1]) - (first[0] + first[1])) / 2
        what = f"middles of {claim.names[0]!r} and {claim.names[1]!r}"
        notes.margins.append(Margin("steps_apart", apart, _LEAST_APART_S, "s", what))
    in_one, in_other = (_order(*spans[:2]), _order(*spans[2:]))
    if 0 in (in_one, in_other):
        return None, f"{claim.names[0]!r} and {claim.names[1]!r} overlap"
    words = {1: "before", -1: "after"}
    why = (
        f"{claim.names[0]!r} comes {words[in_one]} {claim.names[1]!r} in {one.medium['role']} and"
        f" {words[in_other]} it in {other.medium['role']}"
    )
    return (in_one, in_other) == (1, -1), why


def _judge_presence(name: str, one: _Shown, other: _Shown, lacking: int) -> tuple[bool | None, str]:
    rows = other.named(name)
    if rows:
        return False, f"segments:{rows[0][0]['segment_id']} is {name!r} in Video {lacking}"
    alike = other.resembles(name)
    if alike:
        return None, f"Video {lacking} has {listed(alike)}, which may be {name!r}"
    if not one.named(name):
        return None, f"neither video has {name!r}: no step contradicts the statement"
    return True, f"{name!r} is a step of {one.medium['role']} alone"


def _order(first: tuple[float, float], second: tuple[float, float]) -> int:
    """1 if the first span is over before the second begins, -1 if it is the other way, else 0."""
    return 1 if first[1] <= second[0] else -1 if second[1] <= first[0] else 0


def _check_value(
    question: Question, letter: str, claim: _Claim, shown: Sequence[_Shown], notes: Derived
) -> None:
    """The value of an option names the steps and the video of its text."""
    option = next(o for o in question.options if o["letter"] == letter)
    known = {str(row["class_name"]): row["class_id"] for one in shown for row, _ in one.steps}
    steps = "<".join(str(known.get(name)) for name in claim.names)
    value = f"{claim.kind}:{claim.video}:{steps}"
    if option["value"] != value:
        notes.refuse(
            "consistent",
            "option_value",
            f"option {letter} has the value {option['value']!r}, its text says {value!r}",
        )


def _must_be_seen(claims: Mapping[str, _Claim], shown: Sequence[_Shown], notes: Derived) -> None:
    """Every step that a statement names is on a frame of each video that has it."""
    for name in dict.fromkeys(n for claim in claims.values() for n in claim.names):
        for one in shown:
            spans = tuple(span for _, span in one.named(name))
            if spans:
                role = str(one.medium["role"])
                notes.sights.append(Sight(role, spans, 0.0, f"step {name!r}"))


def _explain(
    question: Question,
    claims: Mapping[str, _Claim],
    shown: Sequence[_Shown],
    notes: Derived,
) -> None:
    """An explanation says where the steps of the right statement are, and those of the others."""
    right = [claims[letter] for letter, is_right in notes.right.items() if is_right]
    if len(right) != 1:
        return
    (truth,) = right
    rest = [c for c in claims.values() if {*c.names} != {*truth.names}]
    conclusion = Statement(
        "the conclusion",
        ("Statement {answer} is therefore the right one.",),
        {"answer": Exact(question.answer)},
        (),
    )
    build = _explain_order if truth.kind == "order" else _explain_presence
    notes.statements += [*build(truth, rest, shown), conclusion]


def _explain_order(
    truth: _Claim, rest: Sequence[_Claim], shown: Sequence[_Shown]
) -> list[Statement]:
    # The explanation names the step first that comes first in Video 1.
    names = truth.names if truth.video == 1 else truth.names[::-1]
    slots: dict[str, Slot] = {}
    for at, name in zip("ab", names, strict=True):
        slots[at] = Quote((name,))
        for n, one in enumerate(shown, 1):
            start = one.named(name)[0][1][0] - span_of(one.medium)[0]
            slots[f"{at}{n}"] = Number(start, _ROUNDED_S)
    found = [
        Statement(
            "the order that differs",
            (
                'Video 1 shows "{a}" at {a1} s and "{b}" at {b1} s, Video 2 shows them at {a2} s and'
                " {b2} s.",
            ),
            slots,
            _rows(names, shown),
        )
    ]
    for claim in rest[:1]:
        spans = [shown[0].named(name) for name in claim.names]
        first = claim.names
        if all(spans) and spans[0][0][1] > spans[1][0][1]:
            first = claim.names[::-1]
        found.append(
            Statement(
                "the order that does not",
                ('"{c}" begins before "{d}" in both videos.',),
                {"c": Quote((first[0],)), "d": Quote((first[1],))},
                _rows(first, shown),
            )
        )
    return found


def _explain_presence(
    truth: _Claim, rest: Sequence[_Claim], shown: Sequence[_Shown]
) -> list[Statement]:
    found = [
        Statement(
            "the step that differs",
            ('The step "{a}" is annotated in Video {has} alone.',),
            {"a": Quote(truth.names), "has": Exact(str(truth.video))},
            _rows(truth.names, shown),
        )
    ]
    for claim in rest[:1]:
        in_both = all(one.named(claim.names[0]) for one in shown)
        found.append(
            Statement(
                "the step that does not",
                ('"{c}" is annotated in both videos.',),
                {"c": Quote(claim.names)},
                _rows(claim.names, shown),
                untrue="" if in_both else f"{claim.names[0]!r} is not annotated in both videos",
            )
        )
    return found


def _rows(names: Sequence[str], shown: Sequence[_Shown]) -> tuple[str, ...]:
    found = (row for one in shown for name in names for row, _ in one.named(name))
    return tuple(f"segments:{row['segment_id']}" for row in found)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.casefold())) - _SMALL


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("sequence_alignment",),
    reads={
        "recordings": ("recording_id", "take_id", "view", "scenario"),
        "clocks": ("recording_id", "take_id", "offset_s", "rate"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "class_id",
            "class_name",
            "start_s",
            "end_s",
        ),
    },
    derive=_derive,
    recipes=("sequence_alignment",),
    explained_in=("detailed_answer",),
)
