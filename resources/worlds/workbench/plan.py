"""Plans workbenches: where things lie, and which hand presses or carries which of them when."""

from __future__ import annotations

from typing import Final

from resources.worlds.tools.chance import pick, unit
from resources.worlds.workbench.repair import repair_bench
from resources.worlds.workbench.truth import (
    HANDS,
    SIZE,
    Act,
    Bench,
    Hand,
    Kind,
    Thing,
    Workbench,
    WorkbenchSpec,
    cell,
)

FIXED: Final[dict[Kind, tuple[str, ...]]] = {
    "electronics": (
        "left_red_button", "left_green_button", "right_red_button", "right_green_button",
        "socket_1", "oscilloscope",
    ),
    "toy": ("instruction_booklet", "bolt"),
}  # fmt: skip
MOVABLE: Final[dict[Kind, tuple[str, ...]]] = {
    "electronics": (
        "screwdriver", "electric_screwdriver", "pliers", "battery_connector", "low_voltage_board",
        "welder_probe_tip",
    ),
    "toy": (
        "red_perforated_bar", "white_angled_perforated_bar", "gray_perforated_bar", "rim", "tire",
        "handlebar",
    ),
}  # fmt: skip
"""What can be carried; of the toy, in the order in which it is put together."""
_COLUMNS: Final = 6
_BEAT_S: Final = 4
_LATE_S: Final[dict[Hand, float]] = {"right": 0.0, "left": 1.5}
"""When in a beat a hand begins to come: both hands act at once for a while, on different things."""
_LASTS_S: Final = {"press": 1.0, "carry": 1.5}


def plan_workbench(spec: WorkbenchSpec) -> Workbench:
    """The truth of a workbench; equal specs give equal ones, whatever is drawn."""
    return Workbench(spec, tuple(_bench(spec, i) for i in range(spec.benches)))


def _bench(spec: WorkbenchSpec, index: int) -> Bench:
    if spec.repair:
        return repair_bench(spec, index)
    key = (spec.seed, "workbench", spec.kind, index)
    things = _things(spec.kind, key)
    return Bench(
        index=index,
        kind=spec.kind,
        duration_s=spec.duration_s,
        size=SIZE[spec.render],
        things=things,
        acts=_acts(spec, key, things),
    )


def _things(kind: Kind, key: tuple) -> tuple[Thing, ...]:
    names = (*FIXED[kind], *MOVABLE[kind])
    cells = sorted((c, r) for c in range(_COLUMNS) for r in range(2))
    # Buttons lie where their names say: on the left or on the right, whatever the bench.
    order = sorted(cells, key=lambda c: unit(*key, "cell", *c))
    made = []
    for class_id, name in enumerate(names, 1):
        side = name.partition("_")[0]
        of_side = [c for c in order if (c[0] < _COLUMNS // 2) == (side == "left")]
        at = (of_side if side in ("left", "right") else order)[0]
        order.remove(at)
        made.append(Thing(name, class_id, name in FIXED[kind], cell(*at)))
    return tuple(made)


def _acts(spec: WorkbenchSpec, key: tuple, things: tuple[Thing, ...]) -> tuple[Act, ...]:
    where = {thing.name: thing.home for thing in things}
    fixed, movable = FIXED[spec.kind], list(MOVABLE[spec.kind])
    built = 0
    made: list[Act] = []
    for beat in range(spec.duration_s // _BEAT_S):
        taken: list[str] = []
        for hand in sorted(HANDS, reverse=True):
            draw = unit(*key, "act", beat, hand)
            # The first button is pressed in the second beat and again in the fifth.
            again = hand == "right" and beat in (1, 4)
            if draw < 0.2 and not again and beat:
                continue
            carries = not again and (draw > 0.6 or not beat)
            free = [name for name in (movable if carries else fixed) if name not in taken]
            if not free:
                continue
            name = pick(free, *key, "thing", beat, hand)
            end = where[name]
            if again:
                name, end = fixed[0], where[fixed[0]]
            elif carries and spec.kind == "toy":
                name = free[0]
                movable.remove(name)
                end, built = cell(built, 2), built + 1
            elif carries:
                spots = [cell(c, 2) for c in range(_COLUMNS)]
                empty = [spot for spot in spots if spot not in where.values()]
                end = pick(empty, *key, "spot", beat, hand) if empty else end
                if end == where[name]:
                    continue
            taken.append(name)
            doing = "carry" if carries else "press"
            start_s = beat * _BEAT_S + _LATE_S[hand] + 1.0
            end_s = start_s + _LASTS_S[doing]
            # The last act ends before the picture does.
            if end_s + 1 > spec.duration_s:
                continue
            made.append(Act(hand, doing, name, start_s, end_s, where[name], end))
            where[name] = end
    return tuple(sorted(made, key=lambda a: (a.start_s, a.hand)))
