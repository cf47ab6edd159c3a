"""From a spec to its takes: who is there, where things stand, which cameras look on."""

from __future__ import annotations

from typing import Final

from resources.worlds.flat.camera import Camera, Pose, aimed
from resources.worlds.flat.commands import Actor, play
from resources.worlds.flat.palette import PEOPLE, THINGS
from resources.worlds.flat.places import furniture
from resources.worlds.flat.scripts import EASG, EGOEXO4D, LEMMA, Task, errands, roam
from resources.worlds.flat.stage import Item, Stage
from resources.worlds.flat.take import Flat, Take
from resources.worlds.flat.things import KINDS
from resources.worlds.flat.tracks import BodyTrack, ThingKey, ThingTrack
from resources.worlds.flat.truth import Agent, FlatKind, FlatSpec, Thing
from resources.worlds.tools.chance import between, digest, pick

AGENTS: Final = (
    Agent(
        "P1", "ego", PEOPLE[1], {"left": PEOPLE[0], "right": PEOPLE[3]},
        {"left": (250, 205, 175), "right": (222, 168, 140)},
    ),
    Agent(
        "P2", "ego2", PEOPLE[2], {"left": (250, 250, 250), "right": (30, 30, 30)},
        {"left": (150, 104, 80), "right": (118, 80, 60)},
    ),
)  # fmt: skip
# Ego: equidistant fisheye, 112 degrees across. Small pictures keep the angle.
_EGO_PX: Final = {"full": 256, "small": 96, "none": 96}
_EXO_PX: Final = {"full": (320, 240), "small": (96, 72), "none": (96, 72)}
_EGO_HALF_RAD: Final = 0.9773843811168246
_HOMES: Final[dict[str, tuple[str, ...]]] = {
    "cup": ("counter", "shelf"), "bowl": ("cupboard",), "plate": ("counter",), "knife": ("kitchen table",),
    "bottle": ("fridge",), "bread": ("kitchen table",), "box": ("coffee table",), "pan": ("stove",),
    "book": ("shelf",), "jar": ("cupboard",), "kettle": ("stove",), "sponge": ("sink",),
    "lamp": ("desk",), "pot": ("counter",), "toy": ("sofa",),
}  # fmt: skip
# In ADT sequences more stands in the open, spread over both rooms.
_SPREAD: Final[dict[str, tuple[str, ...]]] = _HOMES | {
    "bottle": ("kitchen table", "coffee table"), "bowl": ("coffee table", "desk"), "book": ("desk", "coffee table"),
    "pot": ("kitchen table", "counter"), "knife": ("counter", "kitchen table"), "toy": ("desk", "coffee table"),
    "sponge": ("counter", "sink"), "cup": ("cupboard", "shelf"), "pan": ("stove", "desk"),
}  # fmt: skip

_MASTER: Final = {
    "kitchen": aimed((3.85, 3.25, 2.0), (1.75, 1.75, 0.75)),
    "living": aimed((4.25, 0.2, 2.0), (6.3, 2.3, 0.7)),
}
_CORNERS: Final = (
    ((0.15, 0.15), (2.1, 2.4)), ((3.85, 0.95), (1.75, 2.3)), ((3.85, 3.85), (1.9, 1.7)), ((0.15, 3.85), (2.2, 1.6)),
)  # fmt: skip


def ego_camera(spec: FlatSpec, agent: Agent) -> Camera:
    """The head camera of somebody."""
    side = _EGO_PX[spec.render]
    return Camera(agent.camera, "fisheye", side, side, side / 2 / _EGO_HALF_RAD, agent.person_id)


def _cameras(spec: FlatSpec, people: int, room: str) -> tuple[dict[str, Camera], dict[str, Pose]]:
    cameras = {AGENTS[0].camera: ego_camera(spec, AGENTS[0])}
    fixed: dict[str, Pose] = {}
    width, height = _EXO_PX[spec.render]
    if spec.kind == "egoexo4d":  # wide, as action cameras record
        height = width * 9 // 16
    if spec.kind == "lemma":
        if people > 1:
            cameras[AGENTS[1].camera] = ego_camera(spec, AGENTS[1])
        cameras["master"] = Camera("master", "fisheye", width, height, width / 2 / 0.95)
        fixed["master"] = _MASTER[room]
    if spec.kind == "egoexo4d":
        for n, (at, to) in enumerate(_CORNERS, 1):
            name = f"cam{n:02d}"
            cameras[name] = Camera(name, "fisheye", width, height, width / 2 / 0.95)
            fixed[name] = aimed((*at, 2.0), (*to, 0.8))
    return cameras, fixed


def uid_of(*keys: object) -> int:
    """A 16-digit number as ADT's object ids are (beyond what a float holds exactly)."""
    return 2**53 + int.from_bytes(digest("uid", *keys)[:6], "big")


def _items(key: str, homes: dict[str, tuple[str, ...]]) -> dict[str, Item]:
    left = {
        name: sorted(piece.slots, key=lambda s: digest(key, "slot", s))
        for name, piece in furniture().items()
    }
    out: dict[str, Item] = {}
    for name, kind in KINDS.items():
        options = homes[name]
        places = options if name == "cup" else (pick(options, key, "home", name),)
        for n, place in enumerate(places, 1):
            spots = [p for p in (place, *options) if left[p]]
            on = spots[0]
            slot = left[on].pop()
            instance = f"{kind.prototype}_{n}"
            initial = [(0.0, aspect, values[0]) for aspect, values in kind.states]
            out[instance] = Item(instance, kind, on, [ThingKey(0.0, slot)], initial)
    return out


def _instance(word: str) -> str:
    """The instance that a word of a script names, the word itself if none."""
    if word == "cup2":
        return f"{KINDS['cup'].prototype}_2"
    return f"{KINDS[word].prototype}_1" if word in KINDS else word


def _task(spec: FlatSpec, index: int) -> Task:
    tasks = {"lemma": LEMMA, "easg": EASG, "egoexo4d": EGOEXO4D}[spec.kind]
    return tasks[index % len(tasks)]


def _take(spec: FlatSpec, index: int, used: dict[int, int]) -> Take:
    key = f"{spec.kind}-{spec.seed}-{index}"
    items = _items(key, _SPREAD if spec.kind == "adt" else _HOMES)
    stage = Stage(key, ego_camera(FlatSpec(spec.kind), AGENTS[0]), items)
    if spec.kind == "adt":
        name = f"Flat_release_seq{131 + index}"
        start = "kitchen table" if index % 2 == 0 else "coffee table"
        actors = [Actor(stage, "P1", start, between(-3, 3, key, "yaw"), 0.0)]
        actors[0].do_wait("0.6")
        if spec.errands:
            errands(actors[0], spec.errands)
        else:
            roam(actors[0], used, 8)
        end, task, room = actors[0].t, "roam", ""
    else:
        plan = _task(spec, index)
        room = plan.room
        task, name = plan.name, f"{spec.kind}_{plan.name.lower().replace(' ', '_')}_{index + 1}"
        actors = [
            Actor(
                stage,
                AGENTS[n].person_id,
                at,
                between(-3, 3, key, n, "yaw"),
                0.4 + between(0.0, 0.6, key, n, "late"),
            )
            for n, (at, _) in enumerate(plan.roles)
        ]
        scripts = [
            [tuple(_instance(w) if n else w for n, w in enumerate(line)) for line in script]
            for _, script in plan.roles
        ]
        end = play(actors, scripts)
    duration = round(end + 1.0, 1)
    people = AGENTS[: len(actors)]
    cameras, fixed = _cameras(spec, len(actors), room)
    return Take(
        take_id=name,
        task=task,
        spec=spec,
        duration_s=duration,
        agents=people,
        actions=tuple(sorted(stage.actions, key=lambda a: (a.start_s, a.actor))),
        things=tuple(
            Thing(i.instance, uid_of(spec.seed, i.instance), i.kind, tuple(i.states)) for i in items.values()
        ),
        cameras=cameras,
        fixed=fixed,
        bodies={a.person_id: BodyTrack(a.walk, a.turns, a.hands, duration) for a in actors},
        tracks={i.instance: ThingTrack(tuple(i.keys), i.kind.size_m[2]) for i in items.values()},
        furniture_states={n: tuple(s) for n, s in stage.furniture_states.items()},
        fixations={a.person_id: tuple(a.fixations) for a in actors},
        glances=tuple(g for a in actors for g in a.glances),
    )  # fmt: skip


def plan_flat(spec: FlatSpec, kind: FlatKind | None = None) -> Flat:
    """All takes of a spec; equal specs give equal flats in every process.

    Args:
        spec: What to plan.
        kind: Kind of takes that the caller can do something with.

    Raises:
        ValueError: `spec` is of another kind than the caller wants.
    """
    if kind is not None and spec.kind != kind:
        raise ValueError(f"kind={spec.kind!r}: this layout is made of takes of kind {kind!r}")
    used = dict.fromkeys(range(8), 0)
    return Flat(spec, tuple(_take(spec, index, used) for index in range(spec.count)))


__all__ = ["AGENTS", "THINGS", "ego_camera", "plan_flat", "uid_of"]
