"""Template expansion: a language model rewords the templates (EgoCross 3.2, "QA Template Design").

"To enhance linguistic diversity and complexity, we employed a large language model (Gemini 2.5 pro) to expand the
initial templates ... All LLM-generated questions were then rigorously verified by human annotators." The paper prints
no prompt for it.
"""

from __future__ import annotations

from typing import Final

from assets.questions.expansion.form import rewording_form
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
STEPS = (ExpandingStep(benchmark="egocross", form=rewording_form("egocross"), slots=_SLOTS),)
