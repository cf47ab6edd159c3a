"""The one verb and one noun by which datasets of short narrations name an action."""

from __future__ import annotations

from collections.abc import Iterable

from assets.labels.parse import Label


def main_action(labels: Iterable[Label]) -> tuple[Label | None, Label | None]:
    """First verb and first noun of a narration by their place in it; None where there is none.

    In "put the lid on the pan" that is *put-on* and the lid, as EPIC-KITCHENS-100 has it.
    """
    verb = noun = None
    for label in sorted(labels, key=lambda one: (one.span_start, -one.span_end)):
        if label.kind == "verb":
            verb = verb or label
        else:
            noun = noun or label
    return verb, noun
