"""Words of English that several rules ask about."""

from __future__ import annotations

DIRECTIONS = {
    **{word: word for word in "left right up down forward backward back away around".split()},
    "forwards": "forward",
    "backwards": "backward",
    "upward": "up",
    "upwards": "up",
    "downward": "down",
    "downwards": "down",
    "towards": "towards",
    "toward": "towards",
    "aside": "aside",
    "sideways": "sideways",
    "clockwise": "clockwise",
    "anticlockwise": "anticlockwise",
    "counterclockwise": "anticlockwise",
    "over": "over",
    "across": "across",
    "through": "through",
    "inward": "in",
    "inwards": "in",
    "outward": "out",
    "outwards": "out",
    "apart": "apart",
    "together": "together",
}
GIVING = frozenset(
    "give pass hand show offer throw bring send serve feed toss lend deliver".split()
)
SENSING = frozenset("see watch observe notice hear feel find".split())
CAUSING = frozenset("make let have help get allow".split())
USING = frozenset(["use", "utilize", "utilise", "employ"])
NO_OBJECTS = frozenset("while time moment second minute way bit".split())
NOUN_TAGS = frozenset("NN NNS NNP NNPS CD".split())
# Of these, and of looking, a particle says where to.
MOVING = frozenset(
    "walk run go come move step jump climb crawl turn look lean bend reach fall roll slide swim".split()
)
HOLDERS = frozenset(
    "bag basin basket beaker bottle bowl box bucket can carton container cup dish drawer flask glass jar "
    "jug kettle mug oven pack packet pan plate pot pouch saucepan sink tank tray tub tube vessel wok soup "
    "spoon ladle spatula".split()
)
HOLDING = frozenset(
    "hold take pick grab lift put place carry move bring pass give get set pour stir fetch shake".split()
)
ACTED_ON = frozenset(
    "touch scratch wipe wash rub dry cover hit massage clean tap pat brush comb shave dab hold rinse cut "
    "burn hurt warm kiss bandage grab lick tickle braid trim dye pinch bite squeeze".split()
)


def singular(plural: str) -> str:
    """Singular of a plural that the parser took for a verb."""
    if plural.endswith(("aves", "alves")):
        return f"{plural[:-3]}f"
    if plural.endswith(("sses", "xes", "ches", "shes")):
        return plural[:-2]
    return plural[:-1]
