"""Writes EgoTaskQA's files beside a flat in LEMMA's layout: world states, and questions about them.

A sample of its own: that of LEMMA, whose questions are made from actions alone, stays without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from resources.worlds.flat import Action, Flat, FlatSpec, Take, furniture, plan_flat
from resources.worlds.flat.files import write_json
from resources.worlds.flat.lemma import FPS, hoi, video_id

_WORDS: Final = {
    "lid": ("opened", {"open": "yes", "closed": "no"}),
    "cap": ("opened", {"open": "yes", "closed": "no"}),
    "power": ("on", {"on": "yes", "off": "no"}),
    "content": ("emptiness", {"empty": "yes", "full": "no"}),
    "shape": ("shape", {"whole": "whole", "cut": "part"}),
}
"""Attribute and its words, by aspect of the flat's things."""
REFUSED: Final = {
    ("object_states", "unreadable_row"): 3,
    ("imported_questions", "unreadable_row"): 1,
}
"""What readers must refuse, by table and rule."""


def attributes(take: Take, instance: str, t_s: float) -> dict[str, str]:
    """What holds for a thing, in the words of the dataset."""
    if instance in furniture():
        return {}
    told = {}
    for aspect, value in take.state_of(instance, t_s).items():
        name, words = _WORDS[aspect]
        told[name] = words[value]
    return told


def moments(action: Action) -> Iterator[tuple[str, float]]:
    """Edges of an action as its states are stated, a little inside the neighbours."""
    yield "before", action.start_s
    yield "after", action.end_s


def frames(action: Action) -> tuple[int, int]:
    """First frame, and the frame after the last."""
    return round(action.start_s * FPS), round(action.end_s * FPS)


def _segment(take: Take, at: int, action: Action) -> list[Any]:
    states = []
    for moment, t_s in moments(action):
        held = attributes(take, action.object, t_s)
        # Not annotated, not told apart, and of no meaning here.
        state = {"mixing": None, "edible": "unknow", "turnable": "N/A", **held}
        rel = None
        if moment == "after" and action.target:
            tie = {
                "o1": take.name_of(action.object),
                "rel": "on",
                "o2": take.name_of(action.target),
            }
            rel = {"s_rel": [tie, tie], "a_rel": []}
        states.append({"obj": take.name_of(action.object), "type": moment, "pid": action.actor,
                       "rel": rel, "state": state})  # fmt: skip
    return [[at, action.actor, [hoi(take, action)], *frames(action)], None, states]


def _states(flat: Flat) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        segments = [_segment(take, at, action) for at, action in enumerate(take.actions)]
        out[video_id(take, index)] = {"all_segments": segments, "object_chains": {}}
    first = next(iter(out.values()))["all_segments"]
    header = [900, "P1", ["Wave using [hand]"], 1, 9]
    first.append([header, None, [{"obj": "cup", "type": "during", "state": {}}]])
    first.append([header, None, [{"obj": "cup", "type": "after", "state": {"on": 1}}]])
    first.append([["P1", 1, 9], None, []])
    return out


def asked(flat: Flat) -> Iterator[tuple[str, Take, Action, str, str]]:
    """Video, take, action, question and answer: how a thing is after what is done to it."""
    for index, take in enumerate(flat.takes):
        for action in take.actions:
            shape = attributes(take, action.object, action.end_s).get("shape")
            if shape is not None:
                name = take.name_of(action.object)
                text = f"What is the shape of the {name} after the person {action.verb}s it?"
                yield video_id(take, index), take, action, text, shape


def write_egotaskqa(spec: FlatSpec, folder: Path) -> None:
    """Writes the files under `folder`; equal specs give equal bytes.

    Args:
        spec: the flat that `write_lemma` writes there.
        folder: root of LEMMA's layout.
    """
    flat = plan_flat(spec)
    write_json(folder / "raw/parsed.json", _states(flat))
    rows: list[dict[str, Any]] = []
    for number, (vid, _, action, text, answer) in enumerate(asked(flat)):
        first, last = frames(action)
        rows.append(
            {
                "interval": f"{vid}|{action.actor}|{first}|{last}",
                "question": text,
                "answer": answer,
                "type": ["descriptive"],
                "category": ["state"],
                "reference": "direct",
                "program": "",
                "video_id": 1,
                "question_id": number,
                "reasoning_type": "state$after",
            }
        )
    write_json(folder / "data/qa/tagged_qas.json", rows)
    broken = {
        "interval": "nowhere",
        "question": "?",
        "answer": "?",
        "type": [],
        "question_id": 9000,
    }
    for at, split in enumerate(("train", "val", "test")):
        mine = rows[at::3] + ([broken] if not at else [])
        write_json(folder / f"data/qa/direct/{split}_qas.json", mine)
