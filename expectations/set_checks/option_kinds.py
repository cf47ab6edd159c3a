"""What kind of thing an option names, as far as a small list of household words knows it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_WORD = re.compile(r"[a-z]+")
# Kinds by the head word of a name. The list need not be complete: an unknown word has no kind.
_WORDS: Final[dict[str, str]] = {
    "furniture": (
        "bench bed bin bookcase cabinet chair closet cooker counter countertop couch cupboard desk"
        " dishwasher door drawer faucet floor freezer fridge hob lamp microwave oven rack"
        " refrigerator shelf sideboard sink sofa stand stool stove table tap trolley wardrobe"
        " washer window workbench worktop"
    ),
    "container": (
        "bag basin basket beaker bottle bowl box bucket can carton case container cup dish flask"
        " glass jar jug kettle mug pan plate platter pot saucepan tray tube vial wok"
    ),
    "tool": (
        "beater blade brush cloth drill fork grater hammer knife ladle peeler pen pipette pliers"
        " rag scissors screwdriver spatula sponge spoon tongs towel turner whisk wrench"
    ),
    "food": (
        "apple banana bread butter carrot cheese chicken cucumber dough egg flour fruit garlic juice"
        " lemon lettuce meat milk oil onion pasta pepper pork potato rice salt sauce sugar tea tofu"
        " tomato water"
    ),
}
_KIND_OF: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()}


@cache
def option_kind(text: str) -> str | None:
    """Kind of the thing an option names: `furniture`, `container`, `tool`, `food`, or None.

    Args:
        text: Text of the option, lower case; its last word is the head.
    """
    words = _WORD.findall(text)
    if not words:
        return None
    head = words[-1]
    return _KIND_OF.get(head) or _KIND_OF.get(head.removesuffix("s"))
