"""Right option of action relation: the query's moment by the take's clock, or its labels (X3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from expectations.derivations.clips import (
    check_clip,
    check_one_recording,
    check_option_texts,
    check_views,
    gap_s,
    in_recording,
    judge_options,
    rest_on_segments,
    segments_in,
    texts_of,
)
from expectations.derivations.labels import READS as LABEL_READS
from expectations.derivations.labels import derive_by_labels, sets_of
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Finding,
    Margin,
    Question,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Each, Exact, Number, Quote, Slot, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

_KINDS = ("action",)
# First words of the verb classes that carry a thing.
_FROM = {"take", "remove", "detach", "lift"}
_ON = {"put", "add", "insert", "pour", "scoop", "throw", "move", "pass", "carry", "give", "serve"}
_ON |= {"push", "pull"}
# What may be one finger on one button, and which way the thing then goes.
_BUTTON = re.compile(r"(?:press|touch|(?:turn|switch)[^a-z]+(on|off))(?![a-z])")
_OPTIONS = 4
# A clip may be cut to the length of the others, but not to less than this share.
_LEAST_SHARE = 0.5
_SAME_LENGTH_S = 0.02
# The right clip shares at least so much of the shorter one's time with the query.
_SAME_MOMENT = 0.5
# Explanations tell times with one decimal.
_ROUNDED_S = 0.05

_TEXT = Statement(
    "question",
    ("Which candidate video most accurately reflects the actions observed in the query video?",),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.asks.append(_TEXT)
    if len(question.options) != _OPTIONS:
        notes.refuse(
            "well_formed",
            "option_count",
            f"{len(question.options)} options, 4 are asked",
            len(question.options),
            _OPTIONS,
        )
    view = given.recording(str(question.query["recording_id"]))["view"]
    check_views(question, given, notes, view, "exo" if view == "ego" else "ego")
    if question.recipe.startswith("action_relation_lemma"):
        _by_clock(question, given, notes)
    elif question.recipe.startswith("action_relation_egoexolearn"):
        derive_by_labels(question, given, notes, _LEAST_SHARE)
        if not question.as_paper:
            _check_lengths(question, notes)
        _near_misses(question, given, notes)
        _explain_by_labels(question, given, notes)
        _one_movement(question, given, notes)
        _one_button(question, given, notes)
    else:
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")


def _explain_by_labels(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """An explanation quotes the query, the answer and the others, and says what they share."""
    shown = question.shown_of(question.answer) or {}
    apart = [
        str(f.message) for f in notes.findings if f.rule == "shares_nothing"
    ]  # an explanation may not claim otherwise
    notes.statements += [
        Statement(
            "the query and its answer",
            (
                'The query video shows "{query}", and so does candidate video {answer}:'
                ' "{positive}".',
            ),
            {
                "query": _quote(question.query, given),
                "answer": Exact(question.answer),
                "positive": _quote(shown, given),
            },
            (f"segments:{question.query['segment_id']}", f"segments:{shown.get('segment_id')}"),
        ),
        Statement(
            "the other candidates",
            (
                "The other candidates are from the same recording and share a verb or a thing with"
                " it, but show something else: {others}.",
            ),
            {"others": _others(question, given)},
            _other_rows(question),
            untrue="; ".join(apart),
        ),
    ]


def _quote(medium: Mapping[str, Any], given: EvidenceTables) -> Slot:
    row = given.one("segments", segment_id=medium.get("segment_id"))
    return Quote(texts_of(row) if row is not None else ())


def _others(question: Question, given: EvidenceTables) -> Slot:
    """Every option but the answer, with its segment's words."""
    return Each(
        '{letter} "{text}"',
        tuple(
            {"text": _quote(option, given), "letter": Exact(str(option["letter"]))}
            for option in question.options
            if option["letter"] != question.answer
        ),
    )


def _other_rows(question: Question) -> tuple[str, ...]:
    others = (o for o in question.options if o["letter"] != question.answer)
    return tuple(f"segments:{o['segment_id']}" for o in others)


def _by_clock(question: Question, given: EvidenceTables, notes: Derived) -> None:
    query = question.query
    _rest_on_clocks(question, given, notes)
    check_option_texts(question, given, notes)
    segment, asked_span = check_clip(query, given, notes, _LEAST_SHARE)
    notes.secrets += [str(x) for x in (segment["narration"], segment["class_name"]) if x]
    check_one_recording(question, notes)
    if not question.as_paper:
        _check_lengths(question, notes)
    moment = span_of(query)
    asked = _actions_shown(query, moment, given, of=str(segment["segment_id"]))
    answer = question.shown_of(question.answer)

    def judge(letter: str, shown: dict, own: dict, span: tuple[float, float]) -> None:
        of, to = str(shown["recording_id"]), str(query["recording_id"])
        clip, done = (in_recording(s, of, to, given) for s in (span_of(shown), span))
        if clip is None or done is None:
            notes.refuse("consistent", "another_take", f"option {letter} is of another take")
            notes.option(letter, False, "it shows another take")
            return
        shared = overlap_s(clip, moment) / max(min(clip[1] - clip[0], moment[1] - moment[0]), 1e-9)
        if shared >= _SAME_MOMENT:
            notes.option(letter, True, f"it shows the query's time ({shared:.0%} shared)")
            return
        if letter == question.answer:
            notes.option(letter, False, f"it shows another time ({shared:.0%} shared)")
            return
        shows = _actions_shown(shown, span_of(shown), given, of=str(own["segment_id"]))
        same = asked.keys() & shows.keys()
        if same:
            notes.option(letter, True, f"it shows {asked[min(same)]} too, at another time")
        else:
            notes.option(letter, False, "it shows another time and another action")
        if answer is not None:
            # The pause between two actions may be seen in both clips.
            apart = min(gap_s(clip, asked_span), gap_s(done, moment))
            words = f"option {letter} to the query's time"
            notes.margins.append(Margin("apart_from_query", round(apart, 3), 0.0, "s", words))

    judge_options(question, given, notes, judge, _LEAST_SHARE)
    _explain_by_clock(question, given, notes)


def _rest_on_clocks(question: Question, given: EvidenceTables, notes: Derived) -> None:
    rest_on_segments(question, notes, ("segments",))
    for medium in question.media:
        rows = given.rows("relations", segment_id=medium["segment_id"])
        notes.rests_on(str(medium["role"]), "relations", [r["relation_id"] for r in rows])
        role = "query" if medium["role"] == "query" else "option"
        notes.rests_on(role, "clocks", [str(medium["recording_id"])])


def _explain_by_clock(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """An explanation tells both clips of the moment, and what the others show."""
    query, shown = question.query, question.shown_of(question.answer)
    if shown is None:
        return
    slots: dict[str, Slot] = {
        "query": _quote(query, given),
        "query_recording": Exact(str(query["recording_id"])),
        "answer": Exact(question.answer),
        "answer_recording": Exact(str(shown["recording_id"])),
    }
    for name, medium in (("query", query), ("answer", shown)):
        start_s, end_s = span_of(medium)
        slots[f"{name}_start"] = Number(start_s, _ROUNDED_S)
        slots[f"{name}_end"] = Number(end_s, _ROUNDED_S)
    recording = str(shown["recording_id"])
    notes.statements += [
        Statement(
            "the moment of the query",
            (
                'The query video shows "{query}" from {query_start} s to {query_end} s of'
                " {query_recording}; on the take's clock this is the time of candidate video"
                " {answer}, from {answer_start} s to {answer_end} s of {answer_recording}.",
            ),
            slots,
            (
                f"segments:{query['segment_id']}",
                f"clocks:{query['recording_id']}",
                f"clocks:{recording}",
            ),
        ),
        Statement(
            "the other candidates",
            ("The other candidates show other times of {recording}: {others}.",),
            {"recording": Exact(recording), "others": _others(question, given)},
            _other_rows(question),
        ),
    ]


def _check_lengths(question: Question, notes: Derived) -> None:
    """The right clip lasts about as long as the query: if others do not, lengths tell it."""
    spans = [span_of(m) for m in question.media if str(m["role"]).startswith("option_")]
    lengths = [end_s - start_s for start_s, end_s in spans]
    if lengths and max(lengths) - min(lengths) > _SAME_LENGTH_S:
        notes.refuse(
            "leak",
            "clip_lengths_differ",
            f"options last {min(lengths):.2f} to {max(lengths):.2f} s",
            max(lengths) - min(lengths),
            _SAME_LENGTH_S,
        )


def _actions_shown(
    medium: dict, span: tuple[float, float], given: EvidenceTables, of: str
) -> dict[tuple[str, ...], str]:
    """Actions a clip shows, with their names: a wearer's camera its wearer's, an observer's all.

    The segment the clip stands for counts even where it is short.
    """
    recording = given.recording(str(medium["recording_id"]))
    uids = (
        [str(recording["recording_id"])]
        if recording["view"] == "ego"
        else [
            str(r["recording_id"]) for r in given.rows("recordings", take_id=recording["take_id"])
        ]
    )
    ids = [of]
    for uid in uids:
        there = in_recording(span, str(medium["recording_id"]), uid, given)
        if there is not None:
            ids += segments_in(uid, there, given, _KINDS)
    found: dict[tuple[str, ...], str] = {}
    for segment_id in ids:
        row = given.one("segments", segment_id=segment_id)
        if row is None:
            continue
        name = str(row["class_name"] or row["narration"] or "")
        words = tokens(name)
        if words and words[0] != "null":
            found.setdefault(words, name)
    return found


def _near_misses(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """The paper keeps candidates that share a verb or noun with the query."""
    asked = sets_of(str(question.query["segment_id"]), given)
    for option in question.options:
        sets = sets_of(str(option["segment_id"]), given)
        if asked and sets and not (asked[0] & sets[0] or asked[1] & sets[1]):
            notes.findings.append(
                Finding(
                    "distractors",
                    "shares_nothing",
                    f"option {option['letter']} shares no verb or noun with the query",
                    "warn",
                )
            )


def _one_movement(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """A distractor that may be told of the query's movement: taking, passing, putting one thing.

    Two narrations of carrying differ for certain only by a thing each, or by the way the same
    things go: out of a place and into it.
    """
    asked_id = str(question.query["segment_id"])
    asked, asked_way = sets_of(asked_id, given), _way(asked_id, given)
    for option in question.options:
        key = str(option["segment_id"])
        sets, way = sets_of(key, given), _way(key, given)
        if option["letter"] == question.answer or not (asked and sets and asked_way and way):
            continue
        here, there = asked[1], sets[1]
        apart = here - there and there - here
        opposed = here == there and "from" in (asked_way, way) and asked_way != way
        if not apart and not opposed and notes.right.get(option["letter"]) is not True:
            words = f"{key} may tell of the movement that {asked_id} tells of"
            notes.option(option["letter"], True, words)


def _one_button(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """A distractor that may be told of the same press: the stove is turned off by pressing it."""
    asked_id = str(question.query["segment_id"])
    asked, asked_ways = sets_of(asked_id, given), _pressed(asked_id, given)
    for option in question.options:
        key = str(option["segment_id"])
        sets, ways = sets_of(key, given), _pressed(key, given)
        if option["letter"] == question.answer or not (asked and sets and asked_ways and ways):
            continue
        apart = asked[1] - sets[1] and sets[1] - asked[1]
        opposed = {"on", "off"} <= asked_ways | ways
        if not apart and not opposed and notes.right.get(option["letter"]) is not True:
            words = f"{key} may tell of the button that {asked_id} tells of"
            notes.option(option["letter"], True, words)


def _pressed(segment_id: str, given: EvidenceTables) -> set[str]:
    """Ways a segment's verbs switch a thing: on, off, or untold; empty if one does anything else."""
    labels = [
        _BUTTON.match(str(r["class_label"] or "").casefold())
        for r in given.rows("labels", segment_id=segment_id)
        if r["kind"] == "verb"
    ]
    return {m.group(1) or "untold" for m in labels if m} if all(labels) else set()


def _way(segment_id: str, given: EvidenceTables) -> str:
    """Which way a segment's verbs carry: `from` a place, `on` from there; empty if they do not."""
    labels = [
        str(r["class_label"] or "").casefold()
        for r in given.rows("labels", segment_id=segment_id)
        if r["kind"] == "verb"
    ]
    heads = [re.split(r"[^a-z]", label, maxsplit=1)[0] for label in labels]
    if not heads or not set(heads) <= _FROM | _ON:
        return ""
    return "from" if set(heads) <= _FROM else "on"


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_relation",),
    reads={
        **LABEL_READS,
        "segments": (*LABEL_READS["segments"], "actor_id"),
        "clocks": ("recording_id", "take_id", "offset_s", "rate"),
        "relations": ("relation_id", "recording_id", "segment_id"),
    },
    derive=_derive,
    recipes=("action_relation_lemma", "action_relation_egoexolearn"),
    explained_in=("detailed_answer",),
)
