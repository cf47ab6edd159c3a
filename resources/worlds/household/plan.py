"""Plans the household: who does what, where, when, seen by which camera, told in which words.

A recording's plan depends on the seed and its own index only, so that more recordings change none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from resources.worlds.household import words
from resources.worlds.household.sentences import Hand, narrate, two_handed
from resources.worlds.household.tasks import LAB_TASKS, Action, script
from resources.worlds.household.truth import (
    Clock,
    CoarseStep,
    FineAction,
    Form,
    HouseholdSpec,
    Performer,
    Quirk,
    Recording,
    Split,
    View,
    World,
)
from resources.worlds.tools.chance import between, digest, short_id, unit

PERFORMERS: Final = (
    Performer("p1", 0, False, (196, 92, 120), (236, 190, 160)),
    Performer("p2", 1, True, (88, 120, 92), (141, 96, 70)),
    Performer("p3", 2, False, (82, 96, 150), (214, 164, 128)),
    Performer("p4", 3, False, (170, 130, 70), (104, 68, 50)),
)


class _Slot(NamedTuple):
    task: str
    split: Split
    home: str
    performer: int
    form: Form
    quirk: Quirk = ""
    b_frames: bool = False
    rotated: bool = False
    fps: int = 30


# Home c keeps the released form only; demonstrations come from another home than their followers.
_EGO: Final = (
    _Slot("task1", "test", "b", 0, "native"),
    _Slot("task2", "test", "a", 1, "native", b_frames=True),
    _Slot("task3", "test", "a", 2, "cloud"),
    _Slot("task6", "test", "lab", 3, "native", "two_parts"),
    _Slot("task4", "train", "b", 1, "native"),
    _Slot("task1", "test", "c", 2, "released", rotated=True, fps=25),
    _Slot("task5", "test", "a", 3, "native", "first_stamp_late"),
    _Slot("task2", "test", "c", 0, "released", fps=25),
    _Slot("task7", "train", "lab", 2, "native"),
    _Slot("task1", "val", "b", 3, "native"),
    _Slot("task3", "test", "b", 0, "native", "worn_short"),
    _Slot("task6", "test", "lab", 1, "native"),
    _Slot("task4", "train", "c", 3, "released", fps=25),
    _Slot("task1", "test", "b", 1, "native", "stamps_repeat", b_frames=True),
    _Slot("task1", "val", "c", 0, "released", b_frames=True, fps=25),
    _Slot("task7", "train", "lab", 0, "cloud"),
)
_EXO: Final = (
    _Slot("task1", "test", "a", 3, "released", fps=25),
    _Slot("task2", "test", "b", 2, "released", fps=30),
    _Slot("task3", "test", "c", 3, "released", fps=25),
    _Slot("task6", "test", "lab", 2, "released", b_frames=True, fps=24),
    _Slot("task4", "train", "a", 3, "released", fps=25),
    _Slot("task1", "val", "a", 2, "released", fps=30),
    _Slot("task5", "test", "b", 2, "released", rotated=True, fps=25),
    _Slot("task7", "train", "lab", 3, "released", fps=25),
)

_SECONDS: Final = {
    "cut": 2.5, "peel": 2.4, "stir": 2.2, "mix": 2.2, "wash": 2.2, "wipe": 2.1, "write": 2.0,
    "pour": 1.8, "shake": 1.7, "squeeze": 1.7, "show": 1.7, "scoop": 1.8, "weigh": 1.5, "fold": 1.6,
    "turn_on": 1.1, "turn_off": 1.1, "press": 1.1, "touch": 1.2,
}  # fmt: skip
_BOTH: Final = frozenset({"wash", "fold", "shake", "show", "squeeze", "rotate"})


def _uid(seed: str, view: View, index: int, lab: bool) -> str:
    """Ids in the release's pattern; distinct for distinct indices by an odd multiplier.

    Laboratory demonstrations share the wearers' suffix, as in the release: the view must not be
    read from the id.
    """
    offset = int.from_bytes(digest(seed, view)[:8], "big")
    if view == "ego":
        number = (index * 40503 + offset) % 2**17
        return f"bee{9 + (number >> 16):x}{number & 0xFFFF:04x}-ac78-11ee-819f-80615f12b59e"
    number = (index * 9973 + offset) % 2**16
    if lab:
        return f"beeb{number:04x}-ac78-11ee-819f-80615f12b59e"
    start = f"2c{number >> 8:02x}{(number * 7 + 3) & 0xFF:02x}{number & 0xFF:02x}"
    return f"{start}-56c4-11ee-88ee-80615f12b59e"


def _performed(task: str, view: View, keys: tuple[object, ...]) -> list[tuple[int, Action]]:
    """Actions of this take with their step: some options taken, a few actions left out."""
    out: list[tuple[int, Action]] = []
    skipped = 0
    for number, step in enumerate(script(task)):
        for place, action in enumerate(step.actions):
            chance = unit(*keys, "performed", number, place)
            if action.view not in (None, view) or (action.optional and chance < 0.6):
                continue
            # In about one take of twenty: a noun that all views and splits have, and hardly ever.
            if action.rare and chance >= 0.06:
                continue
            always = not (action.optional or action.rare)
            if always and place and chance < 0.14 and skipped < 5:
                skipped += 1
                continue
            out.append((number, action))
    return out


def _hands(action: Action, who: Performer, keys: tuple[object, ...]) -> tuple[Hand, Hand]:
    """The hand that acts (for two hands: the main one) and the hand the narration names."""
    verb = action.clauses[-1].verb
    main: Hand = "left" if who.left_handed != (unit(*keys, "other hand") < 0.3) else "right"
    tool = any(prep == "with" for c in action.clauses for prep, _ in c.preps)
    free = not (two_handed(action) or verb == "pass" or tool)
    if free and unit(*keys, "both") < (0.6 if verb in _BOTH else 0.12):
        main = "both"
    said: Hand = "unspecified" if unit(*keys, "said") < 0.14 else main
    return main, said


def _tenth(seconds: float) -> float:
    """Rounds to 0.1 s in the release's way, with its binary noise (0.30000000000000004)."""
    return max(0, round(seconds * 10)) * 0.1


def _slot(view: View, index: int) -> _Slot:
    table = _EGO if view == "ego" else _EXO
    return table[index % len(table)]


def _recording(spec: HouseholdSpec, view: View, index: int, slot: _Slot) -> Recording:
    lab = slot.task in LAB_TASKS
    uid = _uid(spec.seed, view, index, lab)
    keys = (spec.seed, view, index)
    who = PERFORMERS[slot.performer]
    pace = (1.03, 0.94, 0.87, 0.8)[who.skill]
    timed: list[tuple[int, Action, float, float, bool]] = []
    t, step_before, gap = between(0.8, 1.8, *keys, "begin"), 0, None
    for number, (step, action) in enumerate(_performed(slot.task, view, keys)):
        here = (*keys, "action", number)
        if step != step_before:
            t += between(0.1, 1.3, *here, "pause") * (unit(*here, "pausing") < 0.5)
        if slot.quirk == "two_parts" and gap is None and step == 6:
            gap = (t + 0.2, t + 3.4)
            t += 3.8
        slip = unit(*here, "slip") < (0.16, 0.08, 0.03, 0.0)[who.skill]
        seconds = sum(_SECONDS.get(c.verb, 1.45) for c in action.clauses if c.verb != "hold")
        seconds *= (0.72 if len(action.clauses) == 2 and not two_handed(action) else 1.0) * pace
        seconds *= between(0.85, 1.15, *here, "pace") * (1.35 if slip else 1.0)
        timed.append((step, action, t, t + seconds, slip))
        t += seconds + between(0.05, 0.3, *here, "rest")
        step_before = step
    duration = round((t + between(0.6, 1.4, *keys, "end")) * 25) / 25
    pupil = view == "ego" and slot.form != "released"
    small = spec.render != "full"
    size = (
        ((68, 68) if small else (272, 270)) if view == "ego" else (80, 60) if small else (320, 240)
    )
    clock = Clock(
        start_ns=1_694_000_000_000_000_000
        + int(unit(*keys, "day") * 60 * 86_400) * 10**9
        + int(unit(*keys, "ns") * 10**9),
        rate=1 + between(-6e-4, 6e-4, *keys, "rate") * pupil,
        delay_s=between(0.2, 1.1, *keys, "delay") * pupil,
    )
    bare = Recording(
        seed=spec.seed, index=index, view=view, uid=uid,
        take_id=f"take-{digest(*keys, 'take').hex()[:12]}", task=slot.task,
        scene="lab" if lab else "kitchen", home=slot.home, performer=who,
        split=slot.split, form=slot.form,
        fps=(12 if view == "ego" and pupil else slot.fps // 3) if small else slot.fps,
        b_frames=slot.b_frames, rotated=slot.rotated, quirk=slot.quirk,
        width_px=size[0], height_px=size[1], clock=clock, duration_s=duration, gap_s=gap,
        fine=(), coarse=(), demonstrations=_demonstrations(slot, view, index), render=spec.render,
    )  # fmt: skip
    fine = tuple(_fine(bare, number, *row) for number, row in enumerate(timed))
    return replace(bare, fine=fine, coarse=_coarse(bare, fine))


def _fine(
    rec: Recording, number: int, step: int, action: Action, begin: float, finish: float, slip: bool
) -> FineAction:
    here = (rec.seed, rec.view, rec.index, "action", number)
    hand, said = _hands(action, rec.performer, here)
    narration = narrate(action, said, here)
    start = _tenth(rec.video_time(begin) + between(-0.12, 0.08, *here, "start"))
    end = _tenth(rec.video_time(finish) + between(-0.05, 0.2, *here, "end"))
    return FineAction(
        short_id(*here), action, begin, finish, start, end, hand, said, narration, slip, step
    )


def _coarse(rec: Recording, fine: tuple[FineAction, ...]) -> tuple[CoarseStep, ...]:
    """One coarse segment per step performed; some run into the next, some leave a gap."""
    out: list[CoarseStep] = []
    for number, step in enumerate(script(rec.task)):
        inside = [f for f in fine if f.step == number]
        if not inside:
            continue
        here = (rec.seed, rec.view, rec.index, "step", number)
        start = rec.video_time(inside[0].begin_s) - between(0.0, 0.4, *here, "start")
        end = rec.video_time(inside[-1].finish_s) + between(-0.1, 0.5, *here, "end")
        if unit(*here, "overlap") < 0.25:
            end += 0.9
        # A rare class: one take in about 250 has its tidying disturbed by a spill.
        spill = step.name == "Tidy up" and unit(*here, "spill") < 0.004
        name = "Mop up a spill" if spill else step.name
        text = "\n".join(f"{i}. {f.narration.no_hand_prompt}" for i, f in enumerate(inside, 1))
        end = min(end, rec.duration_s)
        out.append(
            CoarseStep(short_id(*here), name, words.COARSE_ID[name], max(0.0, start), end, text)
        )
    return tuple(out)


def _demonstrations(slot: _Slot, view: View, index: int) -> tuple[int, ...]:
    """Indices of the demonstrations a wearer follows: those of the task in the first round."""
    if view == "exo":
        return ()
    same = [i for i, exo in enumerate(_EXO) if exo.task == slot.task]
    mine = [i for i in same if _EXO[i].split == slot.split]
    return tuple(same) if index % 3 == 0 else tuple(mine)


def plan(spec: HouseholdSpec) -> World:
    """The truth of a household: pure and repeatable.

    Args:
        spec: size, seed and richness.

    Returns:
        wearers' recordings by index, then demonstrations by index.
    """
    return _world(spec, _slots(spec))


def plan_kitchens(spec: HouseholdSpec) -> World:
    """The kitchens of a household that are kept for testing, in the released form alone.

    Several tasks are performed, each in more than one home; there are no recordings of the eye tracker.

    Args:
        spec: size, seed and richness of the whole household.
    """
    return _world(
        spec,
        {
            key: slot._replace(form="released", quirk="")
            for key, slot in _slots(spec).items()
            if slot.split == "test" and slot.task not in LAB_TASKS
        },
    )


def _slots(spec: HouseholdSpec) -> dict[tuple[View, int], _Slot]:
    """Wearers' recordings by index, then demonstrations by index."""
    numbers: dict[View, int] = {"ego": spec.ego, "exo": spec.exo}
    return {(view, index): _slot(view, index) for view, n in numbers.items() for index in range(n)}


def _world(spec: HouseholdSpec, slots: dict[tuple[View, int], _Slot]) -> World:
    recordings = tuple(_recording(spec, *key, slot) for key, slot in slots.items())
    exo = {r.index: r.uid for r in recordings if r.view == "exo"}
    follows = {
        r.uid: tuple(exo[i] for i in r.demonstrations if i in exo)
        for r in recordings
        if r.view == "ego"
    }
    return World(spec, recordings, follows)
