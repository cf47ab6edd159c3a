"""What a model is asked about a template: the same for every benchmark that lets one reword its templates.

No paper prints such a prompt; `reword.j2` is worded here.
"""

from __future__ import annotations

from typing import Any

from assets.questions.model_steps.forms import Form, json_object, prompt


def rewording_form(benchmark: str) -> Form:
    """Form under which a benchmark's templates are reworded.

    Args:
        benchmark: Benchmark; its calls are kept under its name.
    """
    return Form(
        name=f"{benchmark}_template_expansion",
        printed="own wording",
        version=1,
        prompt=prompt(__file__, "reword.j2"),
        read=_rewordings,
        schema={
            "type": "array",
            "minItems": 1,
            "maxItems": 8,
            "items": {"type": "string", "pattern": r"\w", "maxLength": 400},
        },
        max_tokens=512,
    )


def _rewordings(reply: str) -> list[Any]:
    """The list of a reply; the schema judges what is in it."""
    value = json_object(reply)
    return value["Rewordings"] if set(value) == {"Rewordings"} else [value]
