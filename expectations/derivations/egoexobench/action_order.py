"""Right statement of action order: by the take's clock, and whether the source settles the order (X10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from expectations.derivations.actions import named_actions
from expectations.derivations.clips import check_clip, in_recording
from expectations.derivations.clock import SYNCHRONOUS
from expectations.derivations.narrated_verbs import (
    LABEL_COLUMNS,
    is_told_as_done,
    kinds_of_word,
    note_not_done,
)
from expectations.derivations.narrations import segment_texts
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Choice, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words, spoken_words

_OPTIONS = 4
_ROLES = ("video_1", "video_2")
_LONGEST_PAUSE_S = 2.0
_LEAST_SUPPORT = 5
# A clip may be cut to the length of the other, but not to less than this share.
_LEAST_SHARE = 0.5
_SAME_LENGTH_S = 0.02
_ROUNDING = 1e-6
_ROUNDED_S = 0.05
_SAYINGS = {
    "1 before 2": "Actions in Video 1 occur before actions in Video 2",
    "2 before 1": "Actions in Video 2 occur before actions in Video 1",
    "1 in 2": "Actions in Video 1 are part of the sequence of actions in Video 2",
    "2 in 1": "Actions in Video 2 are part of the sequence of actions in Video 1",
}
_TEXT = Statement(
    "question",
    ("What is the correct temporal relationship between the actions in these two videos?",),
    {},
    (),
)
Row = Mapping[str, Any]
Span = tuple[float, float]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if not question.recipe.startswith("action_order"):
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")
    notes.asks.append(_TEXT)
    notes.check_option_count(question, _OPTIONS)
    one, two = (question.of_role(role) for role in _ROLES)
    if one is None or two is None or len(question.media) != len(_ROLES):
        raise CannotTell("action order shows video 1 and video 2 and nothing else")
    views = [str(given.recording(str(m["recording_id"]))["view"]) for m in (one, two)]
    if sorted(views) != ["ego", "exo"]:
        notes.refuse(
            "consistent", "swapped_view", f"the videos are {' and '.join(views)}, not ego and exo"
        )
    wearer = str((one if views[0] == "ego" else two)["recording_id"])
    spans = [_in_wearers(m, wearer, given, notes) for m in (one, two)]
    shown = [_action_shown(s, wearer, given) for s in spans]
    for role, medium, action in zip(_ROLES, (one, two), shown, strict=True):
        check_clip({**medium, "segment_id": action["segment_id"]}, given, notes, _LEAST_SHARE)
        _rest_on(role, medium, action, given, notes)
        if medium["segment_id"] not in (None, action["segment_id"]):
            notes.refuse(
                "consistent",
                "shifted_time",
                f"{role} stands for {medium['segment_id']} and shows {action['segment_id']}",
            )
    _judge_options(question, spans, notes)
    earlier = 0 if spans[0][0] <= spans[1][0] else 1
    ordered = (shown[earlier], shown[1 - earlier])
    _check_pair(ordered, wearer, given, notes)
    note_not_done((str(row["segment_id"]) for row in ordered), given, notes)
    if not question.as_paper:
        _check_lengths(spans, notes)
        _check_others(spans, wearer, given, notes)
        _check_settled(ordered, given, notes)
    apart = max(spans[0][0], spans[1][0]) - min(spans[0][1], spans[1][1])
    words = "from the end of one clip to the start of the other"
    notes.margins.append(Margin("clips_apart", round(apart, 3), 0.0, "s", words))
    _explain(question, earlier, ordered, given, notes)


def _in_wearers(medium: Row, wearer: str, given: EvidenceTables, notes: Derived) -> Span:
    """Span of a clip in the wearer's recording."""
    span = in_recording(span_of(medium), str(medium["recording_id"]), wearer, given)
    if span is None:
        notes.refuse(
            "consistent",
            "another_performance",
            f"{medium['role']} shows {medium['recording_id']}, which is of another take than"
            f" {wearer}",
        )
        raise CannotTell("the two videos show two takes")
    return span


def _action_shown(span: Span, wearer: str, given: EvidenceTables) -> Row:
    """The wearer's action that a span shows most of."""
    shared = [
        (overlap_s(span, (float(r["start_s"]), float(r["end_s"]))), r)
        for r in named_actions(wearer, given)
    ]
    most, action = max(shared, key=lambda s: s[0], default=(0.0, None))
    if action is None or not most:
        raise CannotTell(f"{wearer} holds no action at {span[0]:.2f}..{span[1]:.2f} s")
    return action


def _rest_on(role: str, medium: Row, action: Row, given: EvidenceTables, notes: Derived) -> None:
    key = str(action["segment_id"])
    rows = given.rows("relations", segment_id=key)
    notes.rests_on(role, "segments", [key])
    notes.rests_on("answer", "relations", [str(r["relation_id"]) for r in rows])
    notes.rests_on(role, "clocks", [str(medium["recording_id"])])


def _judge_options(question: Question, spans: list[Span], notes: Derived) -> None:
    (start_1, end_1), (start_2, end_2) = spans
    holds = {
        "1 before 2": end_1 <= start_2 + _ROUNDING,
        "2 before 1": end_2 <= start_1 + _ROUNDING,
        "1 in 2": start_2 <= start_1 and end_1 <= end_2,
        "2 in 1": start_1 <= start_2 and end_2 <= end_1,
    }
    said = {spoken_words(text): value for value, text in _SAYINGS.items()}
    for option in question.options:
        letter, value = str(option["letter"]), said.get(spoken_words(str(option["text"] or "")))
        if value is None:
            notes.option(letter, None, f"{option['text']!r} is not one of the four statements")
            continue
        if option["value"] != value:
            notes.refuse(
                "consistent",
                "value_differs_from_text",
                f"option {letter} reads {option['text']!r} and means {option['value']!r}",
            )
        times = f"{start_1:.2f}..{end_1:.2f} s and {start_2:.2f}..{end_2:.2f} s"
        notes.option(letter, holds[value], f"the videos show {times}")


def _check_pair(
    ordered: tuple[Row, Row],
    wearer: str,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note two actions that are not one after the other, or too far apart."""
    first, second = ordered
    pause = float(second["start_s"]) - float(first["end_s"])
    if first["segment_id"] == second["segment_id"]:
        notes.refuse("consistent", "one_action", f"both show {first['segment_id']}")
    if not -_ROUNDING <= pause <= _LONGEST_PAUSE_S + _ROUNDING:
        notes.refuse(
            "consistent",
            "pause",
            f"the pause between the actions is {pause:.2f} s, 0 to {_LONGEST_PAUSE_S:g} s are"
            " asked",
            pause,
            _LONGEST_PAUSE_S,
        )
    ids = [str(r["segment_id"]) for r in named_actions(wearer, given)]
    places = [ids.index(str(r["segment_id"])) for r in ordered]
    if places[1] != places[0] + 1:
        between = ids[places[0] + 1 : places[1]]
        notes.refuse(
            "consistent",
            "not_successive",
            f"{len(between)} actions lie between {first['segment_id']} and {second['segment_id']}",
            len(between),
            0,
        )
    if spoken_words(str(first["class_name"])) == spoken_words(str(second["class_name"])):
        notes.refuse("consistent", "one_action", f"both videos show {first['class_name']!r}")


def _check_lengths(spans: list[Span], notes: Derived) -> None:
    lengths = [end - start for start, end in spans]
    if max(lengths) - min(lengths) > _SAME_LENGTH_S:
        notes.refuse(
            "leak",
            "clip_lengths_differ",
            f"the videos last {lengths[0]:.2f} and {lengths[1]:.2f} s",
            max(lengths) - min(lengths),
            _SAME_LENGTH_S,
        )


def _check_others(spans: list[Span], wearer: str, given: EvidenceTables, notes: Derived) -> None:
    """Note what another person does in both videos: it is in no order."""
    take = given.recording(wearer)["take_id"]
    for row in given.rows("recordings", take_id=take):
        uid = str(row["recording_id"])
        if uid == wearer or row["view"] != "ego":
            continue
        theirs = [in_recording(span, wearer, uid, given) for span in spans]
        for action in named_actions(uid, given):
            done = (float(action["start_s"]), float(action["end_s"]))
            if all(span is not None and overlap_s(span, done) > 0 for span in theirs):
                notes.refuse(
                    "consistent",
                    "runs_through_both",
                    f"{action['segment_id']} of another person lasts from one video into the other",
                )


Pattern = tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]], frozenset[tuple[str, str]]]


def _check_settled(ordered: tuple[Row, Row], given: EvidenceTables, notes: Derived) -> None:
    """Note an order that the source does not settle."""
    pattern = _pattern(*ordered, given)
    if pattern is None:
        notes.refuse(
            "consistent", "order_unsettled", "the two actions share no thing, or lack a verb"
        )
        return
    if not _takes_up(*ordered, given):
        notes.refuse(
            "consistent",
            "order_unsettled",
            "the earlier action is done to nothing that the later one takes up",
        )
    support, against = _counts(pattern, given)
    words = f"the source holds this order {support} times and the other {against} times"
    if support < _LEAST_SUPPORT:
        notes.refuse("consistent", "order_unsettled", words, support, _LEAST_SUPPORT)
    if against:
        notes.refuse("distractors", "order_reversed", words, against, 0)


def _takes_up(first: Row, second: Row, given: EvidenceTables) -> bool:
    """Whether what is done first is done to something that is then in use, or to what holds it."""
    (verbs, parts), (_, then) = (_taken_apart(str(r["segment_id"]), given) for r in (first, second))
    handled = {name for name, part in parts if part == "direct"}
    used = {name for name, part in then if part in ("direct", "tool")}
    on_nothing = not any(part == "direct" for _, part in then)
    is_opened = any("open" in kinds_of_word(" ".join(verb)) for verb in verbs)
    return bool(handled & (used if not (on_nothing or is_opened) else {name for name, _ in then}))


def _pattern(first: Row, second: Row, given: EvidenceTables) -> Pattern | None:
    (verbs, parts), (verbs_then, parts_then) = (
        _taken_apart(str(r["segment_id"]), given) for r in (first, second)
    )
    common = frozenset(
        (part, then) for name, part in parts for other, then in parts_then if name == other
    )
    return (verbs, verbs_then, common) if common and verbs and verbs_then else None


def _taken_apart(
    segment_id: str, given: EvidenceTables
) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[tuple[str, ...], str]]]:
    """Verbs of an action, and its things with the part of each; hands left out."""
    rows = given.rows("relations", segment_id=segment_id)
    done = is_told_as_done(segment_id, given)
    verbs = frozenset(
        name_words(str(r["object"])) for r in rows if r["relation"] == "verb" and done
    )
    parts = frozenset(
        (name_words(str(r["object"])), str(r["role"] or "other"))
        for r in rows
        if r["relation"] != "verb" and r["role"] != "hand"
    )
    return verbs, parts


def _counts(pattern: Pattern, given: EvidenceTables) -> tuple[int, int]:
    """How often successive actions of the source follow a pattern, and its reverse."""
    memo: Counter[Pattern] | None = given.memo.get("successive_actions")
    if memo is None:
        clocks = given.table("clocks").iter_rows(named=True)
        synchronous = {c["recording_id"] for c in clocks if c["method"] in SYNCHRONOUS}
        memo = Counter()
        for recording in sorted(synchronous):
            own = named_actions(str(recording), given)
            for first, second in pairwise(own):
                found = _pattern(first, second, given)
                if found is not None:
                    memo[found] += 1
        given.memo["successive_actions"] = memo
    first, second, parts = pattern
    return memo[pattern], memo[second, first, frozenset((b, a) for a, b in parts)]


def _explain(
    question: Question,
    earlier: int,
    ordered: tuple[Row, Row],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    first, second = ordered
    pattern = _pattern(first, second, given)
    support = 0 if pattern is None else _counts(pattern, given)[0]
    numbers = ("1", "2")
    notes.statements += [
        Statement(
            "the two actions",
            (
                'Video {first} shows "{earlier}" and video {second} "{later}" of the same person and'
                " take, {pause} s later.",
            ),
            {
                "first": Choice((numbers[earlier],), numbers),
                "second": Choice((numbers[1 - earlier],), numbers),
                "earlier": Quote(segment_texts(first)),
                "later": Quote(segment_texts(second)),
                "pause": Number(float(second["start_s"]) - float(first["end_s"]), _ROUNDED_S),
            },
            tuple(f"segments:{r['segment_id']}" for r in ordered),
        ),
        Statement(
            "the order in the source",
            (
                "Actions that follow each other and share a thing in this way come in this order"
                " {support} times in the source, and never in the other.",
            ),
            {"support": Number(support, 0.0)},
            tuple(
                f"relations:{row['relation_id']}"
                for r in ordered
                for row in given.rows("relations", segment_id=r["segment_id"])
            ),
            needed=not question.as_paper,
        ),
    ]


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_order",),
    reads={
        "recordings": ("recording_id", "view", "take_id"),
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
    },
    derive=_derive,
    recipes=("action_order",),
    explained_in=("detailed_answer",),
)
