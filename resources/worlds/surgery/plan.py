"""Plans operations: who holds which tool when, and where its head is."""

from __future__ import annotations

from typing import Final

from resources.worlds.surgery.truth import (
    OPERATORS,
    PHASES,
    Instrument,
    Operator,
    Phase,
    Split,
    Surgery,
    SurgerySpec,
    Video,
)
from resources.worlds.tools.chance import between, pick, unit

_SIZE: Final = {"full": (428, 240), "small": (214, 120), "none": (428, 240)}
_FIRST_NUMBER: Final = 201
_BEAT_S: Final = 2
_APART: Final = (0.17, 0.24)
"""Heads are at least this far apart, in x or in y, while they stand."""
_JITTER: Final = (0.13, 0.125)
_ENTRY: Final[dict[Operator, tuple[float, float]]] = {
    "MSLH": (-0.15, 0.6),
    "MSRH": (1.15, 0.6),
    "ASRH": (0.5, 1.2),
}
"""Where the head is just outside the picture, by the side the hand works from."""
_WORK: Final[dict[str, dict[Operator, tuple[tuple[str, str | None, str | None], ...]]]] = {
    "preparation": {
        "MSLH": (("grasper", "retract", "gallbladder"),),
        "MSRH": (("grasper", "grasp", "omentum"), ("bipolar", "dissect", "omentum")),
        "ASRH": (("grasper", "retract", "liver"),),
    },
    "calotTriangleDissection": {
        "MSLH": (("grasper", "retract", "gallbladder"),),
        "MSRH": (("hook", "dissect", "cystic_duct"), ("hook", "dissect", "cystic_artery")),
        "ASRH": (("grasper", "retract", "liver"), ("grasper", None, None)),
    },
    "clippingAndCutting": {
        "MSLH": (("grasper", "retract", "gallbladder"),),
        "MSRH": (("clipper", "clip", "cystic_duct"), ("scissors", "cut", "cystic_duct")),
        "ASRH": (("irrigator", "retract", "liver"),),
    },
    "gallbladderDissection": {
        "MSLH": (("grasper", "retract", "gallbladder"),),
        "MSRH": (("hook", "dissect", "gallbladder"), ("bipolar", "coagulate", "liver")),
        "ASRH": (("grasper", "retract", "liver"),),
    },
    "gallbladderPackaging": {
        "MSLH": (("grasper", "pack", "gallbladder"),),
        "MSRH": (("specimenbag", None, None),),
        "ASRH": (("grasper", "grasp", "specimen_bag"),),
    },
    "cleaningAndCoagulation": {
        "MSLH": (("grasper", "retract", "liver"),),
        "MSRH": (("irrigator", "aspirate", "fluid"), ("bipolar", "coagulate", "liver")),
        "ASRH": (("scissors", None, None), ("clipper", None, None)),
    },
    "gallbladderRetraction": {
        "MSLH": (("grasper", "grasp", "specimen_bag"),),
        "MSRH": (("specimenbag", None, None),),
        "ASRH": (("irrigator", None, None),),
    },
}


def plan_surgery(spec: SurgerySpec) -> Surgery:
    """The truth of a table; equal specs give equal tables, whatever is drawn."""
    return Surgery(spec, tuple(_video(spec, i) for i in range(spec.videos)))


def _video(spec: SurgerySpec, index: int) -> Video:
    key = (spec.seed, "surgery", index)
    video_id = f"VID{_FIRST_NUMBER + index}"
    last = index == spec.videos - 1
    splits: tuple[Split, ...] = ("Training", "Training", "Validation")
    phases = _phases(spec, key)
    gap = float(round(between(0.3, 0.7, *key, "gap") * spec.duration_s))
    fog = round(between(0.1, 0.8, *key, "smoke") * spec.duration_s)
    lost = round(between(0.75, 0.9, *key, "lost") * spec.duration_s)
    return Video(
        video_id=video_id,
        split="Testing" if last else splits[index % 3],
        duration_s=spec.duration_s,
        size=_SIZE[spec.render],
        as_video=last,
        instruments=_instruments(spec, key, phases),
        phases=phases,
        gaps=((gap, gap + 6.0),),
        smoke=((float(fog), fog + 5.0),),
        unpictured=() if last else (lost,),
    )


def _phases(spec: SurgerySpec, key: tuple) -> tuple[Phase, ...]:
    """All phases in order; lengths vary, borders lie between annotated seconds."""
    weights = [between(0.7, 1.5, *key, "phase", name) for name in PHASES]
    ends, made = 0.0, []
    for name, weight in zip(PHASES, weights, strict=True):
        start = ends
        ends += weight / sum(weights) * spec.duration_s
        made.append((name, round(start) - 0.5 if made else 0.0))
    borders = [start for _, start in made[1:]] + [float(spec.duration_s)]
    return tuple(Phase(name, start, end) for (name, start), end in zip(made, borders, strict=True))


def _instruments(
    spec: SurgerySpec, key: tuple, phases: tuple[Phase, ...]
) -> tuple[Instrument, ...]:
    beats = spec.duration_s // _BEAT_S + 1
    held: dict[Operator, list[_Work | None]] = {
        one: _held(key, one, phases, beats) for one in OPERATORS
    }
    places = _places(key, held, beats)
    tracks: dict[tuple[str, str], int] = {}
    made: list[Instrument] = []
    for operator in OPERATORS:
        for first, after, (tool, verb, target) in _runs(held[operator]):
            stops = _stops(key, operator, places[operator], first, after)
            tracks.setdefault((tool, operator), len(tracks) + 1)
            made.append(
                Instrument(
                    tool, operator, tracks[tool, operator], len(made) + 1, verb, target, stops
                )
            )
    return tuple(sorted(made, key=lambda i: (i.stops[0], i.operator)))


_Work = tuple[str, str | None, str | None]


def _held(
    key: tuple, operator: Operator, phases: tuple[Phase, ...], beats: int
) -> list[_Work | None]:
    """What a hand holds in the picture at each beat; at times its tool is out of view."""
    held: list[_Work | None] = []
    for beat in range(beats):
        t_s = beat * _BEAT_S
        phase = next((p for p in phases if p.start_s <= t_s < p.end_s), phases[-1])
        into = int((t_s - phase.start_s) // 8)
        work = pick(_WORK[phase.name][operator], *key, operator, phase.name, into)
        away = 0.3 if operator == "ASRH" else 0.12
        out = unit(*key, operator, "out", beat // 4) < away and beat % 4 < 3
        held.append(None if out else work)
    return held


def _runs(held: list[_Work | None]) -> list[tuple[int, int, _Work]]:
    """Spans of beats [first, after) with one tool doing one thing."""
    runs: list[tuple[int, int, _Work]] = []
    first = 0
    for beat in range(1, len(held) + 1):
        if beat == len(held) or held[beat] != held[first]:
            work = held[first]
            if work is not None:
                runs.append((first, beat, work))
            first = beat
    return runs


def _places(
    key: tuple, held: dict[Operator, list[_Work | None]], beats: int
) -> dict[Operator, list[tuple[float, float]]]:
    """Where each head stands at each beat: in its haunts, clear of the other heads.

    A hand works in five of the nine parts of the picture for a while, in no order that one
    picture would tell.
    """
    places: dict[Operator, list[tuple[float, float]]] = {one: [] for one in OPERATORS}
    for beat in range(beats):
        standing: list[tuple[float, float]] = []
        order = sorted(OPERATORS, key=lambda o: unit(*key, "first", beat, o))
        for operator in order:
            haunts = sorted(range(9), key=lambda c: unit(*key, operator, "haunt", beat // 15, c))
            x = y = 0.5
            for attempt in range(200):
                cells = haunts[: 5 if attempt < 100 else 9]
                where = (*key, operator, beat, attempt)
                cell = pick(cells, *where, "cell")
                x = (cell % 3 + 0.5) / 3 + between(-_JITTER[0], _JITTER[0], *where, "x")
                y = (cell // 3 + 0.5) / 3 + between(-_JITTER[1], _JITTER[1], *where, "y")
                if all(abs(x - a) >= _APART[0] or abs(y - b) >= _APART[1] for a, b in standing):
                    break
            places[operator].append((x, y))
            if held[operator][beat] is not None:
                standing.append((x, y))
    return places


def _stops(
    key: tuple,
    operator: Operator,
    places: list[tuple[float, float]],
    first: int,
    after: int,
) -> tuple[tuple[float, float, float], ...]:
    """Stops of one tool: it comes in, stands about 1.3 s in each place, and goes."""
    x, y = _ENTRY[operator]
    begin = first * _BEAT_S - 0.9
    stops = [(begin, x, y)]
    for beat in range(first, after):
        px, py = places[beat]
        shift = between(-0.12, 0.12, *key, operator, "shift", beat)
        stops += [
            (beat * _BEAT_S - 0.25 + shift, px, py),
            (beat * _BEAT_S + 1.15 + shift, px, py),
        ]
    stops.append((after * _BEAT_S - 0.3, x, y))
    return tuple(stops)
