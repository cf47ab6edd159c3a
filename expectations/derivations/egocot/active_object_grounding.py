"""Right option of active object grounding: the direct object of what is done at the moment (T3)."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations.actions import (
    VERB,
    Words,
    actions_with_things,
    active_objects,
    apart_s,
    is_active,
    is_direct,
    is_wearers,
    part_played,
    parts_played,
)
from expectations.derivations.nodes import check_node
from expectations.derivations.wording import SAID_S, asks_last, time_asked
from expectations.gates.base import (
    AnswerBox,
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Box, Each, Name, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_NEAR_S = 0.5
# For so long before and after the moment nothing is done with the other options: not as the object
# acted on, nor as tool, source, target, container or place.
_LEFT_ALONE_S = 2.0
# Length of a clip (EgoCoT-Bench, 3.2).
_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_CLIP_TOLERANCE_S = 0.05
_KINDS = ("interaction", "action")
_HAND = re.compile(r"(?:(?:left|right|both) )?hands?")
# Explanations tell times with one decimal and shares of the picture with two.
_ROUNDED_S = 0.05
_ROUNDED = 0.005
_SIDES = ("x_min", "y_min", "x_max", "y_max")


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    query = question.query
    recording = str(query["recording_id"])
    start, end = span_of(query)
    moment = _moment(question, notes, start, end)
    if not _SHORTEST_S - _CLIP_TOLERANCE_S <= end - start <= _LONGEST_S + _CLIP_TOLERANCE_S:
        notes.refuse(
            "consistent",
            "clip_length",
            f"the clip lasts {end - start:.2f} s, 8 to 60 s are asked",
            end - start,
        )
    actions = [
        r
        for r in given.rows("segments", recording_id=recording)
        if r["kind"] in _KINDS and finite(r["start_s"], r["end_s"])
    ]
    now = [d for d in actions if d["start_s"] <= moment <= d["end_s"]]
    if not now:
        notes.refuse("consistent", "nothing_done_then", f"nothing is annotated at {moment:.2f} s")
        raise CannotTell(f"no action is annotated at {moment:.2f} s of {recording}")
    _check_evidence(question, given, notes, moment)
    mine = [d for d in now if is_wearers(d, given)]
    if not mine:
        notes.refuse(
            "consistent", "nothing_done_then", f"the camera wearer does nothing at {moment:.2f} s"
        )
        raise CannotTell(f"no action of the camera wearer is annotated at {moment:.2f} s")
    roles = _roles(question)
    direct = {w for d in mine for w in active_objects(d, given, roles)}
    if not direct:
        raise CannotTell("what is done at the moment has no direct object")
    parts: dict[Words, str] = {}
    for action in now:
        parts.update(parts_played(action, given))
    used = actions_with_things(recording, given)
    for option in question.options:
        letter, name = str(option["letter"]), name_words(str(option["text"] or ""))
        check_node(question, option, given, notes)
        part = part_played(name, parts)
        if name in direct:
            notes.option(letter, True, "it is the direct object at the moment")
        elif letter != question.answer and part:
            notes.option(letter, True, f"it takes part in what is done at the moment, as {part}")
        else:
            notes.option(letter, False, "it is not what is acted on at the moment")
        if letter != question.answer:
            apart = apart_s(name, used, moment)
            if apart is not None:
                words = f"option {letter} is left alone"
                notes.margins.append(Margin("left_alone", apart, _LEFT_ALONE_S, "s", words))
    _note_sight(mine, question, given, notes, moment, (start, end))
    notes.asks.append(
        Statement(
            "question",
            (
                "At {time} s, the last moment of the clip, which object is the camera wearer acting"
                " on?",
            ),
            {"time": Number(moment - start, _ROUNDED_S)},
            (),
        )
    )
    action = _action_asked(question, mine, given)
    _Explained(question, given, notes, action, moment - start, moment).note(used)


def _moment(question: Question, notes: Derived, start: float, end: float) -> float:
    """Recording time asked about: seconds of the clip, or its last moment."""
    said = time_asked(question, notes, start, end)
    last = asks_last(question.text)
    if last and abs(said - end) > SAID_S:
        notes.refuse(
            "consistent",
            "time_differs",
            f"the text says {said - start:.2f} s is the last moment of a clip of"
            f" {end - start:.2f} s",
            abs(said - end),
            SAID_S,
        )
    # The clip's end is exact, the text is rounded.
    return end if last else said


def _roles(question: Question) -> tuple[str, ...]:
    """Parts that make an object active: in the paper whatever is touched, a tool too."""
    return ("direct", "tool") if question.as_paper else ("direct",)


def _action_asked(
    question: Question, actions: list[dict[str, Any]], given: EvidenceTables
) -> dict[str, Any]:
    """The action asked about; of several at the moment, the one the evidence names."""
    answer = name_words(str((question.answer_option or {}).get("text") or ""))
    named, roles = question.keys_of("segments"), _roles(question)
    return max(
        actions,
        key=lambda d: (answer in active_objects(d, given, roles), d["segment_id"] in named),
    )


class _Explained:
    """What the evidence of a question must name, and what its explanation must say."""

    def __init__(
        self,
        question: Question,
        given: EvidenceTables,
        notes: Derived,
        action: dict[str, Any],
        at_s: float,
        moment: float,
    ) -> None:
        self.question, self.given, self.notes = question, given, notes
        self.roles = _roles(question)
        self.segment = str(action["segment_id"])
        self.recording = str(action["recording_id"])
        self.began_s = max(0.0, float(action["start_s"]) - (moment - at_s))
        self.at_s, self.moment = at_s, moment
        self.relations = given.rows("relations", segment_id=self.segment)
        self.answer = str((question.answer_option or {}).get("text") or "")
        self.edges = given.rows("graph_edges", segment_id=self.segment)

    def note(self, used: list[tuple[float, float, frozenset[Words]]]) -> None:
        """Note evidence and statements."""
        acts_on = [
            e
            for e in self.edges
            if e["relation"] == "acts_on"
            and e["role"] in self.roles
            and name_words(self._name(e["to_node"])) == name_words(self.answer)
        ]
        actions = {e["from_node"] for e in acts_on}
        does = [e for e in self.edges if e["relation"] == "does" and e["to_node"] in actions]
        hands = self._hand_edges(actions, {e["to_node"] for e in acts_on})
        boxes = [
            r
            for r in self._boxes_named(self.answer, _NEAR_S)
            if r["segment_id"] in (self.segment, None)
        ]
        notes = self.notes
        notes.rests_on("answer", "segments", [self.segment])
        notes.rests_on("answer", "graph_edges", [e["edge_id"] for e in acts_on], "one")
        notes.rests_on("action", "graph_edges", [e["edge_id"] for e in does], "one")
        notes.rests_on("answer", "boxes", [r["box_id"] for r in boxes], "none")
        names = self._hands()
        needed = "one" if names and hands else "none"
        notes.rests_on("hand", "graph_edges", [e["edge_id"] for e in hands], needed)
        for option in self.question.options:
            notes.rests_on(f"option_{option['letter']}", "graph_nodes", [str(option["value"])])
        if names:
            rows = [*_edge_keys(hands), *self._node_keys(hands, "to_node", "from_node")]
            notes.statements.append(self._hand_statement(names, rows))
        rows = [*_edge_keys(does), *self._node_keys(does, "to_node")]
        notes.statements.append(self._action_statement(rows))
        rows = [*_edge_keys(acts_on), *self._node_keys(acts_on, "to_node")]
        rows += [f"boxes:{r['box_id']}" for r in boxes]
        notes.statements.append(self._object_statement(rows))
        notes.statements.append(self._others_statement(used))

    # -- what the rows hold ------------------------------------------------------------------------

    def _name(self, node_id: str) -> str:
        node = self.given.one("graph_nodes", node_id=node_id)
        return "" if node is None else str(node["name"])

    def _node_keys(self, edges: list[dict[str, Any]], *ends: str) -> list[str]:
        return list(dict.fromkeys(f"graph_nodes:{e[end]}" for e in edges for end in ends))

    def _hand_edges(self, actions: set[str], things: set[str]) -> list[dict[str, Any]]:
        """Edges that tell the hand of the action, and do so from this action's relations."""
        own = {r["relation_id"] for r in self.relations}
        return [
            e
            for e in self.edges
            if e["source_row"] in own
            and (
                (e["from_node"] in actions and e["role"] == "hand")
                or (e["relation"] == "holds" and e["to_node"] in things)
            )
        ]

    def _hands(self) -> list[str]:
        """Hands of the action as the relations name them, or by the side they state."""
        names = [
            " ".join(name_words(str(r["object"])))
            for r in self.relations
            if r["relation"] != VERB
            and (r["role"] == "hand" or _HAND.fullmatch(" ".join(name_words(str(r["object"])))))
        ]
        if not names:
            sides = [str(r["hand_side"]) for r in self.relations if r["hand_side"] is not None]
            names = ["both hands" if side == "both" else f"{side} hand" for side in sides]
        return list(dict.fromkeys(names))

    def _boxes_named(self, name: str, near_s: float) -> list[dict[str, Any]]:
        return [
            r
            for r in self.given.rows("boxes", recording_id=self.recording)
            if finite(r["t_s"], *(r[c] for c in _SIDES))
            and abs(r["t_s"] - self.moment) <= near_s
            and name_words(str(r["class_name"])) == name_words(name)
        ]

    def _place(self, name: str) -> Box:
        rows = self._boxes_named(name, SAID_S)
        return Box(tuple(tuple(float(r[c]) for c in _SIDES) for r in rows), _ROUNDED)

    # -- what an explanation says ------------------------------------------------------------------

    def _hand_statement(self, names: list[str], rows: list[str]) -> Statement:
        hands = tuple({"hand": Name((n,)), "box": self._place(n)} for n in names)
        return Statement(
            "hand",
            ("At {time} s of the clip the camera wearer uses {hands}.",),
            {
                "time": Number(self.at_s, _ROUNDED_S),
                "hands": Each("[the ]{hand}[, at {box} of the picture]", hands),
            },
            tuple(rows),
        )

    def _action_statement(self, rows: list[str]) -> Statement:
        of = {str(r["subject"]) for r in self.relations if is_active(r, self.roles)}
        verbs = [str(r["object"]) for r in self.relations if r["relation"] == VERB]
        return Statement(
            "action",
            (
                'The camera wearer\'s action is "{action}"; it began at {start} s and goes on at'
                " {time} s.",
            ),
            {
                "action": Quote(tuple(v for v in verbs if v in of) or tuple(verbs)),
                "start": Number(self.began_s, _ROUNDED_S),
                "time": Number(self.at_s, _ROUNDED_S),
            },
            tuple(rows),
        )

    def _object_statement(self, rows: list[str]) -> Statement:
        name = name_words(self.answer)
        mine = [r for r in self.relations if name_words(str(r["object"] or "")) == name]
        is_tool = bool(mine) and not any(is_direct(r) for r in mine)
        done = "with" if is_tool else "to"
        return Statement(
            "object acted on",
            (f"The action is done {done} the {{object}}[, at {{box}} of the picture].",),
            {"object": Name(self._direct()), "box": self._place(self._direct()[0])},
            tuple(rows),
        )

    def _direct(self) -> tuple[str, ...]:
        """Names of what the action is done to; the answer's first."""
        names = [
            str(r["object"]) for r in self.relations if is_active(r, self.roles) and r["object"]
        ]
        names.sort(key=lambda n: name_words(n) != name_words(self.answer))
        return tuple(names[:1]) or (self.answer,)

    def _others_statement(self, used: list[tuple[float, float, frozenset[Words]]]) -> Statement:
        others = [o for o in self.question.options if o["letter"] != self.question.answer]
        busy = []
        for option in others:
            apart = apart_s(name_words(str(option["text"] or "")), used, self.moment)
            if apart is not None and apart < _LEFT_ALONE_S:
                busy.append(f"something is done with the {option['text']} {apart:.2f} s from it")
        return Statement(
            "things left alone",
            (
                "Within {seconds} s of that moment nothing is done with {others}, so the active"
                " object is the {object}.",
            ),
            {
                "seconds": Number(_LEFT_ALONE_S, 0.0),
                "others": Each(
                    "[the ]{name}", tuple({"name": Name((str(o["text"]),))} for o in others)
                ),
                "object": Name(self._direct()),
            },
            tuple(f"graph_nodes:{o['value']}" for o in others),
            cited=tuple(frozenset({f"graph_nodes:{o['value']}"}) for o in others),
            untrue="; ".join(busy),
        )


def _edge_keys(edges: list[dict[str, Any]]) -> list[str]:
    return [f"graph_edges:{e['edge_id']}" for e in edges]


def _check_evidence(
    question: Question, given: EvidenceTables, notes: Derived, moment: float
) -> None:
    shown = question.query["recording_id"]
    for table, start, end in (
        ("graph_edges", "start_s", "end_s"),
        ("segments", "start_s", "end_s"),
    ):
        if not given.has(table):
            continue
        for key in question.keys_of(table):
            for row in given.evidence_rows(table, key) or ():
                if row["recording_id"] != shown:
                    continue  # said by another rule
                if not row[start] - SAID_S <= moment <= row[end] + SAID_S:
                    notes.refuse(
                        "consistent",
                        "shifted_time",
                        f"{table}:{key} holds {row[start]:.2f}..{row[end]:.2f} s, the question asks"
                        f" about {moment:.2f} s",
                    )
    for key in question.keys_of("boxes"):
        for row in given.rows("boxes", box_id=key):
            t = row["t_s"]
            if row["recording_id"] == shown and finite(t) and abs(t - moment) > _NEAR_S:
                notes.refuse(
                    "consistent",
                    "shifted_time",
                    f"boxes:{key} is of {t:.2f} s, the question asks about {moment:.2f} s",
                    abs(t - moment),
                    _NEAR_S,
                )


def _note_sight(
    now: list[dict[str, Any]],
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    moment: float,
    clip: tuple[float, float],
) -> None:
    spans = tuple(
        (
            max(d["start_s"], moment - _NEAR_S, clip[0]),
            min(d["end_s"], moment + _NEAR_S, clip[1]),
        )
        for d in now
    )
    notes.sights.append(
        Sight("query", tuple(s for s in spans if s[1] >= s[0]), 0.0, "the action at the moment")
    )
    answer = name_words(str((question.answer_option or {}).get("text") or ""))
    for action in now:
        for box in given.rows("boxes", segment_id=action["segment_id"]):
            x_min, y_min, x_max, y_max = (box[c] for c in _SIDES)
            if finite(x_min, y_min, x_max, y_max) and name_words(str(box["class_name"])) == answer:
                drawn = (x_min, y_min, x_max, y_max)
                notes.answer_boxes.append(AnswerBox(str(box["recording_id"]), box["t_s"], drawn))


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("active_object_grounding",),
    reads={
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s"),
        "relations": (
            "relation_id",
            "recording_id",
            "segment_id",
            "subject",
            "relation",
            "object",
            "role",
            "hand_side",
            "actor_id",
        ),
        "recordings": ("recording_id", "person_id"),
        "boxes": (
            "box_id",
            "recording_id",
            "segment_id",
            "t_s",
            "class_name",
            *_SIDES,
        ),
        "graph_nodes": ("node_id", "recording_id", "name"),
        "graph_edges": (
            "edge_id",
            "recording_id",
            "segment_id",
            "from_node",
            "relation",
            "to_node",
            "role",
            "start_s",
            "end_s",
            "source_row",
        ),
    },
    derive=_derive,
    recipes=("active_object_grounding",),
    explained_in=("detailed_answer", "rationale"),
)
