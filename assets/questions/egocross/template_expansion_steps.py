"""Template expansion: a language model rewords the templates (EgoCross 3.2, "QA Template Design").

"To enhance linguistic diversity and complexity, we employed a large language model (Gemini 2.5 pro) to expand the
initial templates ... All LLM-generated questions were then rigorously verified by human annotators." The paper prints
no prompt for it: `figures/template_expansion.j2` is worded here.
"""

from __future__ import annotations

from typing import Any, Final

from assets.questions.model_steps.forms import Form, json_object, prompt
from assets.questions.model_steps.steps import ExpandingStep

_SLOTS: Final = {
    "action": ("an action by its label", "curve left"),
    "at_s": ("a time in seconds", "4.50"),
    "does": ("a verb with what belongs to it", "take"),
    "end_s": ("a time in seconds", "9.0"),
    "hand": ("a side", "left"),
    "holder": ("who holds tools", "the main surgeon's right hand"),
    "object": ("a thing", "screwdriver"),
    "operator": ("who holds tools", "the main surgeon's right hand"),
    "start_s": ("a time in seconds", "6.0"),
    "target": ("what is treated", "gallbladder"),
    "thing": ("a thing", "ball"),
    "tool": ("a tool", "grasper"),
    "verb": ("a verb", "retract"),
}


def _rewordings(reply: str) -> list[Any]:
    """The list of a reply; the schema judges what is in it."""
    value = json_object(reply)
    return value["Rewordings"] if set(value) == {"Rewordings"} else [value]


FORM = Form(
    name="egocross_template_expansion",
    printed="own wording",
    version=1,
    prompt=prompt(__file__, "figures/template_expansion.j2"),
    read=_rewordings,
    schema={
        "type": "array",
        "minItems": 1,
        "maxItems": 8,
        "items": {"type": "string", "pattern": r"\w", "maxLength": 400},
    },
    max_tokens=512,
)
STEPS = (ExpandingStep(benchmark="egocross", form=FORM, slots=_SLOTS),)
