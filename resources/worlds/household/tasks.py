"""The seven tasks: coarse steps and the fine actions inside them, in a small notation.

An action is one or two clauses joined by ` + `; a clause is `verb object [prep noun]...`, with the
keys of `words`. Marks before an action: `?` optional, `~` rare, `ego:`/`exo:` seen in that view
only. Within a task no two actions have the same verb and noun sets, so that an action is known by
its sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True)
class Clause:
    """A verb with its object and prepositional nouns; keys of `words`."""

    verb: str
    obj: str
    preps: tuple[tuple[str, str], ...] = ()

    @property
    def nouns(self) -> tuple[str, ...]:
        """Object first, then the nouns of the prepositions."""
        return (self.obj, *(noun for _, noun in self.preps))


@dataclass(frozen=True)
class Action:
    """A scripted fine action."""

    clauses: tuple[Clause, ...]
    optional: bool = False
    view: str | None = None
    rare: bool = False

    @property
    def verbs(self) -> frozenset[str]:
        """Verb classes of all clauses."""
        return frozenset(c.verb for c in self.clauses)

    @property
    def nouns(self) -> frozenset[str]:
        """Noun classes of all clauses."""
        return frozenset(n for c in self.clauses for n in c.nouns)


@dataclass(frozen=True)
class Step:
    """A scripted coarse step: its class and its actions."""

    name: str
    actions: tuple[Action, ...]


_SCRIPTS: Final[dict[str, str]] = {
    # Tomato and egg
    "task1": """
Gather things: take tomato from bowl; take egg from plate; ?ego:touch tablet
Wash vegetables: turn_on faucet; wash tomato in sink; turn_off faucet
Cut tomato: take knife + put tomato on cutting_board; hold tomato + cut tomato with knife; put tomato in bowl
Cut onion: take onion + put onion on cutting_board; hold onion + cut onion with knife; ?put onion on plate
Beat egg: crack egg into bowl; hold bowl + stir egg with whisk; add salt to bowl
Heat pan: put pan on stove; turn_on stove; pour oil into pan
Fry: pour egg into pan; stir egg with spatula; ?hold pan + shake pan
Gather things: ?open lid; take spatula from table; pass plate
Fry: add onion to pan; add tomato to pan; hold pan + stir tomato with spatula
Season: pour sauce into pan; add sugar to pan; exo:show sugar
Heat pan: turn_off stove; ?close lid
Plate up: scoop tomato onto plate; put plate on table; exo:show plate
Tidy up: throw egg; wipe table with cloth; ?fold cloth; ~wipe table with sponge
""",
    # Potato and carrot soup
    "task2": """
Gather things: take potato from bowl; take carrot from table; ?ego:touch tablet
Wash vegetables: turn_on faucet; wash potato in sink; wash carrot in sink; turn_off faucet
Peel vegetables: take peeler from table; hold potato + peel potato with peeler; hold carrot + peel carrot with peeler
Cut root vegetable: put potato on cutting_board; hold potato + cut potato with knife; ?put potato in bowl
Cut root vegetable: pass carrot; hold carrot + cut carrot with knife; put carrot in bowl
Boil water: put pot on stove; pour water into pot; turn_on stove
Boil water: take lid + put lid on pot; press stove
Simmer: open lid; add potato to pot; add carrot to pot; ?exo:show pot
Simmer: stir potato with spoon; hold pot + stir pot with spoon; ?close lid
Season: add salt to pot; pour milk into pot; ?rotate salt
Simmer: take spoon from pot; dip spoon in pot; turn_off stove
Plate up: scoop potato into bowl; put bowl on table; exo:show bowl
Tidy up: wash spoon in sink; wipe table with cloth; throw carrot
""",
    # Tofu with meat; 'pepper' is a vegetable to the wearers and a spice to the demonstrator
    "task3": """
Gather things: take tofu from plate; take meat from bowl; ?ego:touch tablet
Wash vegetables: turn_on faucet; wash pepper in sink; turn_off faucet
Cut tofu: put tofu on cutting_board; hold tofu + cut tofu with knife; put tofu on plate
Cut meat: wipe knife with cloth; hold meat + cut meat with knife; put meat in bowl
Season: pour sauce into bowl; add salt to bowl; mix meat with spoon
Heat pan: take pan + put pan on stove; turn_on stove; pour oil into pan
Fry: add meat to pan; hold pan + stir meat with spatula; ?shake pan
Fry: add tofu to pan; move tofu with spatula; ?exo:show pan
Season: add pepper to pan; pour water into pan; ?pass sauce
Simmer: take lid + put lid on pan; press stove; remove lid
Heat pan: stir tofu with spatula; turn_off stove
Plate up: scoop tofu onto plate; squeeze lemon over plate; exo:show plate
Tidy up: put pan in sink; wash spatula in sink; ?fold cloth; wipe table with cloth
""",
    # Salad
    "task4": """
Gather things: take lettuce from bowl; take cucumber from table; ?ego:touch tablet
Wash vegetables: turn_on faucet; wash lettuce in sink; wash cucumber in sink; turn_off faucet
Peel vegetables: hold cucumber + peel cucumber with peeler; throw cucumber
Cut cucumber: put cucumber on cutting_board; hold cucumber + cut cucumber with knife; put cucumber in bowl
Cut tomato: take tomato + put tomato on cutting_board; hold tomato + cut tomato with knife; ?put tomato in bowl
Gather things: take cheese from plate; pass cheese; ?open lid
Cut bread: take bread + put bread on cutting_board; hold bread + cut bread with knife; ?put bread on plate
Dress salad: pour oil into cup; squeeze lemon over cup; hold cup + stir cup with spoon
Dress salad: add salt to cup; add sugar to cup; shake cup
Mix batter: add lettuce to bowl; add cheese to bowl; ?exo:show bowl
Dress salad: pour oil into bowl; mix lettuce with spoon
Plate up: scoop lettuce onto plate; put bread on table; exo:show plate
Tidy up: wash knife in sink; wipe cutting_board with cloth; ?fold cloth; close lid; ~wipe table with sponge
""",
    # Pancakes
    "task5": """
Gather things: take egg from bowl; take milk from table; ?ego:touch tablet
Mix batter: open milk; pour milk into bowl; close milk
Beat egg: crack egg into bowl; throw egg; hold bowl + stir egg with whisk
Mix batter: add sugar to bowl; add salt to bowl; hold bowl + mix milk with whisk
Mix batter: shake bowl; wipe table with cloth; ?pass whisk
Heat pan: put pan on stove; turn_on stove; pour oil into pan
Fry: dip spoon in bowl; pour milk into pan; hold pan + rotate pan
Gather things: take spatula from table; take plate + put plate on table
Fry: move egg with spatula; press egg with spatula; ?exo:show pan
Fry: hold pan + shake pan with spatula; scoop egg onto plate
Cut tomato: wash tomato in sink; hold tomato + cut tomato with knife; put tomato on plate
Season: squeeze lemon over plate; ?add sugar to plate; exo:show plate
Tidy up: turn_off stove; put bowl in sink; wash whisk in sink; ?fold cloth; turn_on faucet
""",
    # Dilution series in the lab
    "task6": """
Gather things: take glove from table; take rack + put rack on table; ?ego:touch tablet
Prepare tubes: take tube from rack; open tube; put tube in rack
Label: take marker from table; hold tube + write tube with marker; close marker
Measure: take pipette from table; insert pipette into tip; rotate pipette
Dispense: open bottle; dip pipette in bottle; hold tube + pour water into tube
Dispense: press pipette; remove tip; throw tip
Measure: put beaker on scale; press scale; weigh beaker on scale
Measure: pour water into beaker; add powder to beaker; stir powder with spoon
Dispense: hold beaker + shake beaker; dip pipette in beaker; ?pass beaker; close bottle
Spin: close tube; open centrifuge; insert tube into centrifuge
Spin: close centrifuge; turn_on centrifuge; turn_off centrifuge
Spin: remove tube from centrifuge; hold tube + shake tube; exo:show tube
Tidy up: move rack; wipe table with cloth; ?throw glove
""",
    # Plates and cultures in the lab
    "task7": """
Gather things: take glove from table; take dish from table; ?ego:touch tablet
Label: take marker + open marker; hold dish + write dish with marker; put marker on table
Measure: turn_on scale; put dish on scale; weigh dish on scale
Measure: open powder; scoop powder with spoon; add powder to beaker
Dispense: pour water into beaker; hold beaker + stir beaker with spoon; ?exo:show beaker
Prepare tubes: take tube from rack; hold tube + open tube; pour water into tube
Dispense: take pipette + insert pipette into tip; dip pipette in tube; press pipette
Dispense: open dish; dip pipette in dish; close dish
Dispense: remove tip; throw tip; pass dish
Spin: rotate dish; shake dish; exo:show dish
Prepare tubes: close tube; put tube in rack; move rack
Measure: turn_off scale; wipe scale with cloth; ?close powder
Tidy up: put beaker in sink; wash spoon in sink; ?fold cloth; throw glove; ~wipe table with sponge
""",
}

TASKS: Final[tuple[str, ...]] = tuple(_SCRIPTS)
LAB_TASKS: Final[frozenset[str]] = frozenset({"task6", "task7"})
# The same words mean a bell pepper in one view and a shaker of ground pepper in the other.
FALSE_FRIEND: Final[tuple[str, str]] = ("task3", "pepper")


def _clause(text: str) -> Clause:
    verb, obj, *rest = text.split()
    if len(rest) % 2:
        raise ValueError(f"clause {text!r}: every preposition needs a noun after it")
    return Clause(verb, obj, tuple(zip(rest[::2], rest[1::2], strict=True)))


def _action(text: str) -> Action:
    text = text.strip()
    optional = text.startswith("?")
    rare = text.startswith("~")
    text = text.removeprefix("?").removeprefix("~")
    view: str | None = None
    for name in ("ego", "exo"):
        if text.startswith(f"{name}:"):
            view, text = name, text.removeprefix(f"{name}:")
    return Action(tuple(_clause(c) for c in text.split(" + ")), optional, view, rare)


@cache
def script(task: str) -> tuple[Step, ...]:
    """Coarse steps of a task in order.

    Raises:
        KeyError: unknown task.
    """
    steps: list[Step] = []
    for line in _SCRIPTS[task].strip().splitlines():
        name, _, rest = line.partition(":")
        steps.append(Step(name, tuple(_action(a) for a in rest.split(";"))))
    return tuple(steps)
