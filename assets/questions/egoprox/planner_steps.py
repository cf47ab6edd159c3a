"""A language model that chooses the tools of EgoProx's planner (4.3, P13), beside the declared choice.

The model sees a question and what each tool tells, not the answer, and replies with the names of tools, at most `MOST` of
them. They are called as declared ones are (`planner.follow`), and their answer is compared with the question's own. A
choice that leads elsewhere says something about the model: it is a warning and refuses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assets.questions.egoprox.planner import follow, kind_of
from assets.questions.egoprox.scene import READS, Scene
from assets.questions.egoprox.tools import TOOLS
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form, json_object, prompt
from assets.questions.model_steps.steps import CheckingStep
from expectations.gates import Checked, Finding
from expectations.gates.base import NO_MODEL_VERDICT
from expectations.schemas import TABLES

MOST = 6
"""Most calls that a model may choose."""
FORM = Form(
    name="egoprox_tools",
    printed="own wording",
    version=1,
    prompt=prompt(__file__, "prompts/choose_tools.j2"),
    read=json_object,
    schema={
        "type": "object",
        "required": ["tools"],
        "additionalProperties": False,
        "properties": {
            "tools": {
                "type": "array",
                "items": {"enum": sorted(TOOLS)},
                "minItems": 1,
                "maxItems": MOST,
            }
        },
    },
    max_tokens=128,
)
_ABOUT = "tools"
_GATE = "consistent"
# Maps of the floor and gaze rays are drawn; no tool needs them to find a direction.
_READS = tuple(name for name in READS if name not in ("free_space", "gaze_rays"))


def _scenes(tables: Tables) -> Mapping[str, Scene]:
    """Scenes of a unit's recordings."""
    known = {name: tables[name] for name in _READS if name in tables}
    return {
        uid: Scene.of(
            uid,
            {
                name: rows.filter(recording_id=uid) if TABLES[name].unit == "recording_id" else rows
                for name, rows in known.items()
            },
        )
        for uid in known["recordings"]["recording_id"].to_list()
    }


def _prompts(row: Row, scenes: Mapping[str, Scene]) -> Mapping[str, Mapping[str, Any]]:
    if not kind_of(row, scenes[row["recording_id"]]):
        return {}
    return {_ABOUT: {"question": _asked(row), "tools": TOOLS, "most": MOST}}


def _asked(row: Row) -> str:
    """The question with its options, as a model is asked it."""
    return "\n".join([row["text"], *(f"{o['letter']}. {o['text']}" for o in row["options"])])


def _judge(row: Row, scenes: Mapping[str, Scene], values: Mapping[str, Any], model: str) -> Checked:
    chosen = values[_ABOUT]
    if chosen is None:
        words = f"{model} chose no tools that can be read ({NO_MODEL_VERDICT})"
        return Checked((Finding(_GATE, NO_MODEL_VERDICT, words, "unknown"),), model=model)
    found = follow(chosen["tools"], row, scenes[row["recording_id"]])
    way = f"by the tools that {model} chose ({', '.join(chosen['tools'])})"
    if found.agrees:
        words = f"{way} the answer is the same"
        return Checked((Finding(_GATE, "model_tools_agree", words, "pass"),), model=model)
    if not found.answer:
        words = f"{way} there is no answer"
        return Checked((Finding(_GATE, "model_tools_give_none", words, "warn"),), model=model)
    words = f"{way} the answer is {json.dumps(found.answer)}, and here it is another"
    return Checked((Finding(_GATE, "model_tools_differ", words, "warn"),), model=model)


STEPS = (CheckingStep("egoprox", FORM, _scenes, _prompts, _judge, reads=dict.fromkeys(_READS)),)
