"""Right option of next action anticipation: the first action of the wearer that begins after the clip."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import action_path, actions, coming
from expectations.derivations.clips import check_length_between
from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.derivations.nodes import check_named_node
from expectations.derivations.reads import merge_reads
from expectations.gates.base import CannotTell, Derivation, Derived, Margin, Question, span_of
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_OPTION = re.compile(
    r"(\S.*?) the (\S.*?)(?: somewhere| (from|in|into|on|onto|to|under) something)?", re.IGNORECASE
)
_SHORTEST_S, _LONGEST_S = 8.0, 60.0
# For so long after the next action begins no other does.
_ALONE_S = 0.5
# What is done in the last seconds of the clip may be going on.
_JUST_DONE_S = 2.0
_EDGE_S = 1e-6
_DIRECT = ("direct",)

Row = dict[str, Any]
NamedAction = tuple[str, str]
"""Verb and thing."""


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = span_of(question.query)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    mine = actions.wearers_actions_of(recording, given)
    after = coming.after_clip(question, mine, notes)
    following = after[0]
    ahead = coming.check_begins(question, following, notes)
    coming.check_alone(after, _ALONE_S, notes)
    _judge_options(question, following, mine, given, notes)
    answer = _OPTION.fullmatch(str((question.answer_option or {}).get("text") or "").strip())
    if answer is None:
        raise CannotTell("the answer names no action on a thing")
    asks = "Which action does the camera wearer begin next, within {horizon} s after the clip ends?"
    notes.asks.append(coming.asks(asks))
    before = coming.note_shown_before(question, clip, given, notes)
    path = action_path.action_path(following, answer[2], _DIRECT, following["start_s"], given)
    path.rest_whole_on(notes, before + 1)
    for option in question.options:
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", [_node(option)])
    nodes = tuple(f"graph_nodes:{_node(option)}" for option in question.options)
    notes.statements += [
        coming.next_statement(path, ahead),
        coming.no_other(question, "begins", nodes),
    ]


def _judge_options(
    question: Question, following: Row, mine: list[Row], given: EvidenceTables, notes: Derived
) -> None:
    end = span_of(question.query)[1]
    right = _named_actions(following, given)
    if not right:
        raise CannotTell("what is done next has no direct object")
    for option in question.options:
        letter, found = str(option["letter"]), _OPTION.fullmatch(str(option["text"] or "").strip())
        if found is None:
            notes.option(letter, None, f"{option['text']!r} names no action on a thing")
            continue
        named = (" ".join(filter(None, (found[1], found[3]))), found[2])
        check_named_node(question, option, _node(option), named[1], given, notes)
        meant = str(option["value"]).partition("|")[0]
        if name_words(meant) != name_words(named[0]):
            message = f"option {letter} reads {option['text']!r} and means {meant!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
        is_answer = letter == question.answer
        same = _is_same if is_answer else _may_be_same
        notes.option(letter, any(same(named, other) for other in right), f"{right} is done next")
        near = [
            row for row in mine if any(_may_be_same(named, d) for d in _named_actions(row, given))
        ]
        _check_not_before(letter, is_answer, [r for r in near if r["start_s"] <= end], end, notes)
        later = [row["start_s"] - end for row in near if row["start_s"] > end]
        if not is_answer and later:
            words = f"from the end of the clip to option {letter}"
            notes.margins.append(Margin("begins_later", min(later), coming.HORIZON_S, "s", words))


def _check_not_before(
    letter: str, is_answer: bool, before: list[Row], end: float, notes: Derived
) -> None:
    """Refuse an option that is done at the end of the clip: it may be going on."""
    since = min((end - row["end_s"] for row in before), default=_JUST_DONE_S)
    if since < _JUST_DONE_S - _EDGE_S:
        gate = "consistent" if is_answer else "distractors"
        message = f"option {letter} is done {max(since, 0.0):.2f} s before the end of the clip"
        notes.refuse(gate, "just_done", message, since, _JUST_DONE_S)


def _named_actions(action: Row, given: EvidenceTables) -> list[NamedAction]:
    """What is done to each direct object of an action."""
    things = sorted(actions.active_objects(action, given, _DIRECT))
    return [(verb, " ".join(t)) for verb in actions.verbs(action, given) for t in things]


def _is_same(one: NamedAction, other: NamedAction) -> bool:
    return all(name_words(a) == name_words(b) for a, b in zip(one, other, strict=True))


def _may_be_same(one: NamedAction, other: NamedAction) -> bool:
    """Whether a viewer may call both by one name: the same verb or kind of verb, and a thing that is meant by both."""
    kinds = [set(kinds_of_word(verb)) for verb, _ in (one, other)]
    differ = name_words(one[0]) != name_words(other[0]) and all(kinds) and not kinds[0] & kinds[1]
    short, long = sorted((name_words(one[1]), name_words(other[1])), key=len)
    return not differ and long[-len(short) :] == short


def _node(option: Row) -> str:
    return str(option["value"]).partition("|")[2]


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("next_action_anticipation",),
    reads=merge_reads(actions.READS, action_path.READS),
    derive=_derive,
    recipes=("next_action_anticipation",),
    explained_in=("detailed_answer", "rationale"),
)
