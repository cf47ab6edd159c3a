"""Plans the repair of a board: hands hold things for long or touch them, and things are put out of view for a while.

Each hand has times of its own, so that one hand may hold pliers while the other presses a button twice. A stretch
in which nobody annotated anything lies somewhere in each recording, and one second elsewhere.
"""

from __future__ import annotations

from typing import Final

from resources.worlds.tools.chance import between, pick, unit
from resources.worlds.workbench.truth import (
    HANDS,
    SIZE,
    Act,
    Bench,
    Hand,
    Point,
    Span,
    Thing,
    WorkbenchSpec,
    cell,
)

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "button": ("left_red_button", "left_green_button", "right_red_button", "right_green_button"),
    "socket": ("socket_1", "socket_2"),
    "oscilloscope": ("oscilloscope",),
    "screwdriver": ("screwdriver",),
    "electric screwdriver": ("electric_screwdriver",),
    "pliers": ("pliers", "pliers_in_holder"),
    "battery connector": ("battery_connector",),
    "board": ("low_voltage_board", "high_voltage_board"),
    "welder probe tip": ("welder_probe_tip",),
}
"""Things by what everybody would call them; the two pliers have one class."""
FIXED: Final = frozenset({*KINDS["button"], *KINDS["socket"], *KINDS["oscilloscope"]})
AMONG: Final = {"pliers_in_holder": "pliers"}
_CELLS: Final = tuple(cell(column, row) for row in range(3) for column in range(6))
_FIRST_S: Final[dict[Hand, float]] = {"right": 2.0, "left": 3.5}
_RESTS_S: Final = (2.5, 3.0, 4.0)
_BRIEF_S: Final = (1.0, 1.5, 2.0)
_LONG_S: Final = (6.0, 9.0, 12.0, 15.0)
_LONG: Final = 0.5
_BLOCK_S: Final = 20
_AWAY: Final = 0.7
_ALONE: Final = 0.2
_LATER_S: Final = (0, 3, 4)
_MARGIN_S: Final = 1.5
_GAP_S: Final = 5.0


def repair_bench(spec: WorkbenchSpec, index: int) -> Bench:
    """One recording of a repair.

    Args:
        spec: What is simulated.
        index: Number of the recording, from 0.
    """
    key = (spec.seed, "repair", index)
    things = _things(key)
    acts = _acts(spec.duration_s, key, things)
    gap = round(between(0.3, 0.6, *key, "gap") * spec.duration_s) + 0.5
    lost = round(between(0.7, 0.9, *key, "lost") * spec.duration_s) - 0.5
    return Bench(
        index=index,
        kind=spec.kind,
        duration_s=spec.duration_s,
        size=SIZE[spec.render],
        things=_put_away(spec.duration_s, key, things, acts),
        acts=acts,
        gaps=((gap, gap + _GAP_S), (lost, lost + 1.0)),
    )


def _things(key: tuple) -> tuple[Thing, ...]:
    names = [name for kind in KINDS.values() for name in kind]
    classes = [name for name in names if name not in AMONG]
    order = sorted(_CELLS, key=lambda at: unit(*key, "cell", *at))
    things = []
    for name in names:
        side = name.partition("_")[0]
        of_side = [at for at in order if (at[0] < 0.5) == (side == "left")]
        home = (of_side if side in HANDS else order)[0]
        order.remove(home)
        number = classes.index(AMONG.get(name, name)) + 1
        things.append(Thing(name, number, name in FIXED, home, AMONG.get(name)))
    return tuple(things)


def _acts(duration_s: int, key: tuple, things: tuple[Thing, ...]) -> tuple[Act, ...]:
    """What both hands do, in order of start; a hand leaves alone what the other one has."""
    where = {thing.name: thing.home for thing in things}
    free = dict(_FIRST_S)
    acts: list[Act] = []
    while True:
        hand = min(free, key=lambda one: (free[one], one))
        start_s, where_key = free[hand], (*key, hand, free[hand])
        if start_s >= duration_s:
            return tuple(sorted(acts, key=lambda act: (act.start_s, act.hand)))
        lasts = _LONG_S if unit(*where_key, "long") < _LONG else _BRIEF_S
        end_s = start_s + pick(lasts, *where_key, "lasts")
        meanwhile = [act for act in acts if act.end_s > start_s - _MARGIN_S]
        act = _act(where_key, hand, (start_s, end_s), meanwhile, where)
        free[hand] = end_s + pick(_RESTS_S, *where_key, "rest")
        # The last act ends before the picture does.
        if end_s + 1 <= duration_s:
            where[act.thing] = act.end
            acts.append(act)


def _act(key: tuple, hand: Hand, span: Span, meanwhile: list[Act], where: dict[str, Point]) -> Act:
    taken = {act.thing for act in meanwhile}
    kind = pick([k for k, names in KINDS.items() if not set(names) <= taken], *key, "kind")
    name = pick([n for n in KINDS[kind] if n not in taken], *key, "thing")
    if name in FIXED:
        return Act(hand, "press", name, *span, where[name], where[name])
    used = {*where.values(), *(act.begin for act in meanwhile)}
    spots = [at for at in _CELLS if at not in used]
    return Act(hand, "carry", name, *span, where[name], pick(spots, *key, "spot"))


def _put_away(
    duration_s: int, key: tuple, things: tuple[Thing, ...], acts: tuple[Act, ...]
) -> tuple[Thing, ...]:
    """The things with the spans in which they are out of view: all of a kind together, or one alone."""
    kept = []
    for one in things:
        kind = next(k for k, names in KINDS.items() if one.name in names)
        busy = [(a.start_s - _MARGIN_S, a.end_s + _MARGIN_S) for a in acts if a.thing == one.name]
        away = []
        for block in range(0, duration_s, _BLOCK_S):
            together = unit(*key, "away", kind, block) < _AWAY
            alone = unit(*key, "alone", one.name, block) < _ALONE
            # In view for three seconds at least: somebody sees it who looks once a second.
            start_s = float(block + pick(_LATER_S, *key, "from", kind, block))
            end_s = float(block + _BLOCK_S - pick(_LATER_S, *key, "until", kind, block))
            meets = any(start_s < end and begin < end_s for begin, end in busy)
            if (together or alone) and not meets:
                away.append((start_s, end_s))
        kept.append(Thing(one.name, one.class_id, one.fixed, one.home, one.among, tuple(away)))
    return tuple(kept)
