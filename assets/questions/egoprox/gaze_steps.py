"""A vision model that names what the wearer looks at (EgoProx C.2, P6), where no object is annotated in space.

On Ego-Exo4D the paper draws a marker where gaze lands on a later frame, and a model names the thing. Without a model,
fixations come from gaze rays and the places of things that narrations name (`assets.scene_graphs.handled`). With one, it
is shown the marked frame of each fixation that a question about intention rests on, and chooses among the narrated
things: where it names another one, or none, the question is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.egoprox.goals import span_end
from assets.questions.egoprox.scene import keys_of
from assets.questions.kit.builder import Tables
from assets.questions.kit.names import words
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form, json_object, prompt
from assets.questions.model_steps.steps import CheckingStep
from expectations.gates import Checked, Finding
from expectations.gates.base import NO_MODEL_VERDICT
from resources.media.overlays import Overlay
from resources.models.prompt import Clip

NONE = "none"
FORM = Form(
    name="egoprox_gaze",
    printed="own wording",
    version=1,
    prompt=prompt(__file__, "prompts/looked_at.j2"),
    read=json_object,
    schema={
        "type": "object",
        "required": ["thing"],
        "additionalProperties": False,
        "properties": {"thing": {"type": "string"}},
    },
    max_tokens=64,
    # Half the width of an Aria frame.
    short_side_px=704,
)
HALF_SIDE = 0.03
"""Half the side of the marker, over the side of the picture: about 3 degrees of an Aria frame."""
COLOUR = "magenta"
_LINE = 0.016
_ABOUT = "gaze"
_GATE = "consistent"
_READS = {
    "recordings": ("recording_id",),
    "objects_3d": ("recording_id", "object_id"),
    "spatial_facts": ("recording_id", "fact_id", "operator", "object_id", "object_name", "t_s", "end_s"),
    "frames": ("recording_id", "t_s", "part", "source_pts", "gaze_x", "gaze_y"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Looks:
    """Fixations of a recording without objects in space.

    Attributes:
        fixations: Facts by id.
        names: Names of its things as questions tell them, by id.
        frames: Its frames on which gaze is known.
    """

    fixations: Mapping[str, Row]
    names: Mapping[str, str]
    frames: pl.DataFrame


def _looks(tables: Tables) -> Mapping[str, _Looks]:
    """Fixations of each recording of a unit in which no object is annotated in space."""
    annotated = set(tables["objects_3d"]["recording_id"])
    looks = {}
    for uid in tables["recordings"]["recording_id"].to_list():
        if uid in annotated:
            continue
        facts = tables["spatial_facts"].filter(recording_id=uid)
        known = facts.select("object_id", "object_name").unique().iter_rows()
        frames = tables["frames"].filter(recording_id=uid)
        looks[uid] = _Looks(
            {fact["fact_id"]: fact for fact in facts.filter(operator="fixation").to_dicts()},
            {thing: " ".join(words(name)) for thing, name in known},
            frames.filter(pl.col("gaze_x").is_between(0, 1) & pl.col("gaze_y").is_between(0, 1)),
        )
    return looks


def _event(row: Row, looks: Mapping[str, _Looks]) -> tuple[_Looks, Row, Row] | None:
    """A question's fixation, with the recording's and the frame in its middle; None if there is none."""
    seen = looks.get(row["recording_id"])
    if seen is None:
        return None
    for key in keys_of(row, "spatial_facts", "event"):
        fact = seen.fixations.get(key)
        if fact is not None:
            middle_s = (fact["t_s"] + span_end(fact)) / 2
            during = seen.frames.filter(pl.col("t_s").is_between(fact["t_s"], span_end(fact)))
            if during.height:
                nearest = during.sort((pl.col("t_s") - middle_s).abs(), "t_s")
                return seen, fact, nearest.row(0, named=True)
    return None


def _prompts(row: Row, looks: Mapping[str, _Looks]) -> Mapping[str, Mapping[str, Any]]:
    event = _event(row, looks)
    if event is None:
        return {}
    return {_ABOUT: {"names": sorted(set(event[0].names.values())), "none": NONE}}


def _shows(row: Row, looks: Mapping[str, _Looks]) -> tuple[Clip, ...]:
    """The frame in the middle of the fixation, marked where gaze lands."""
    event = _event(row, looks)
    if event is None:
        return ()
    _, fact, frame = event
    x, y = frame["gaze_x"], frame["gaze_y"]
    box = (x - HALF_SIDE, y - HALF_SIDE, x + HALF_SIDE, y + HALF_SIDE)
    return (
        Clip(
            role=_ABOUT,
            recording_id=row["recording_id"],
            content=row["media"][0]["content"],
            start_s=fact["t_s"],
            end_s=span_end(fact),
            frames=((frame["part"], frame["source_pts"], frame["t_s"]),),
            overlays=((Overlay("box", "", COLOUR, _LINE, None, box),),),
        ),
    )


def _judge(row: Row, looks: Mapping[str, _Looks], values: Mapping[str, Any], model: str) -> Checked:
    event = _event(row, looks)
    assert event is not None
    seen, fact, frame = event
    named = None if values[_ABOUT] is None else _plain(values[_ABOUT]["thing"])
    if named is None or named not in {NONE, *map(_plain, seen.names.values())}:
        text = f"{model} named nothing that was offered ({NO_MODEL_VERDICT})"
        return Checked((Finding(_GATE, NO_MODEL_VERDICT, text, "unknown"),), model=model)
    goal = seen.names[fact["object_id"]]
    where = f"where gaze is marked on the frame of {frame['t_s']:.2f} s"
    if named == _plain(goal):
        text = f"{model} sees the {goal} {where}"
        return Checked((Finding(_GATE, "model_sees_goal", text, "pass"),), model=model)
    other = "none of the things" if named == NONE else f"the {named}"
    text = f"{model} sees {other} {where}, and the question says that it is the {goal}"
    return Checked((Finding(_GATE, "model_sees_another_thing", text),), model=model)


def _plain(name: str) -> str:
    return name.strip().casefold().removeprefix("the ")


STEPS = (CheckingStep("egoprox", FORM, _looks, _prompts, _judge, reads=_READS, shows=_shows),)
