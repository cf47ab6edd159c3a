"""Questions in a model's words: it rewords the templates, and rules refuse what changes them (EgoCoT-Bench 3.2.3).

The paper has models write its questions from a scene graph, and people review them. Here a model words the template and
sees no question: the things, times and states of each are filled in by program, so that none of them can change.
"""

from __future__ import annotations

from typing import Final

from assets.questions.expansion.form import rewording_form
from assets.questions.model_steps.steps import ExpandingStep

_SLOTS: Final = {
    "end_s": ("a time in seconds", "9.5"),
    "first": ("a thing, or a step of a procedure", "cup"),
    "horizon_s": ("a length of time in seconds", "5"),
    "name": ("a thing", "kettle"),
    "second": ("a thing, or a step of a procedure", "drawer"),
    "state": ("what a thing is like", "open"),
    "t_s": ("a time in seconds", "6.0"),
    "things": ("several things", "the cup, the kettle and the spoon"),
    "used": ("what is done with a thing", "uses as a tool"),
    "used_from_s": ("a time in seconds", "2.0"),
    "used_to_s": ("a time in seconds", "3.5"),
}
STEPS = (ExpandingStep(benchmark="egocot", form=rewording_form("egocot"), slots=_SLOTS),)
