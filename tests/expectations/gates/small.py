"""Small worlds written by hand: tables of one unit and one good question per subtask.

No builder is called: what is right follows from what is written here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.spatial.transform import Rotation

from assets.questions.kit.identity import question_hash
from expectations.gates import BlindScores, Given
from expectations.schemas import TABLES

Row = dict[str, Any]
LETTERS = "ABCDEFGHIJKLMNOPQRST"
FPS = 10


@dataclass
class World:
    """Rows of each table, one question, seconds of frames per recording, and protocols."""

    question: Row
    tables: dict[str, list[Row]]
    protocols: dict[str, str | None] = field(default_factory=lambda: {"direct/1": "midpoints(8)"})
    frame_times: dict[str, list[float]] = field(default_factory=dict)
    blind: dict[str, BlindScores] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rehash()

    def rehash(self) -> None:
        """Make `question_hash` that of what the question shows now, as builders write it."""
        row = self.question
        row["question_hash"] = question_hash(row["text"], row["options"], row["media"])

    def given(self) -> Given:
        tables = {name: TABLES[name].frame(rows) for name, rows in self.tables.items()}
        frames = {uid: ticks(times) for uid, times in self.frame_times.items()}
        return Given(tables, frames, self.protocols, self.blind)

    def questions(self) -> pl.DataFrame:
        return TABLES["questions"].frame([self.question])

    # -- what faults reach for -----------------------------------------------------------------

    @property
    def options(self) -> list[Row]:
        return self.question["options"]

    @property
    def answer(self) -> Row:
        return next(o for o in self.options if o["letter"] == self.question["answer"])

    @property
    def others(self) -> list[Row]:
        return [o for o in self.options if o is not self.answer]

    def medium(self, role: str) -> Row:
        return next(m for m in self.question["media"] if m["role"] == role)

    def shown(self, option: Row) -> Row:
        return self.medium(f"option_{option['letter']}")

    @property
    def query(self) -> Row:
        return self.medium("query")

    def row(self, table: str, **where: Any) -> Row:
        return next(r for r in self.tables[table] if all(r.get(k) == v for k, v in where.items()))


def ticks(times: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "t_s": times,
            "part": [0] * len(times),
            "source_frame": list(range(len(times))),
            "source_pts": [round(t * 1000) for t in times],
            "residual_ms": [0.0] * len(times),
        },
        schema_overrides={"t_s": pl.Float64, "source_pts": pl.Int64},
    )


def seconds(length: float) -> list[float]:
    return [i / FPS for i in range(int(length * FPS) + 1)]


def recording(uid: str, view: str, length: float, **more: Any) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": uid,
        "view": view,
        "scenario": "cooking",
        "split": "val",
        "media": "present",
        "media_hashes": [f"hash-{uid}"],
        "duration_s": length,
        "licence": "MIT",
        **more,
    }


def medium(role: str, uid: str, start: float, end: float, **more: Any) -> Row:
    return {
        "role": role,
        "recording_id": uid,
        "segment_id": None,
        "media_kind": "clip",
        "start_s": start,
        "end_s": end,
        "sampling": None,
        "times_s": [],
        "overlays": [],
        "content": f"hash-{uid}",
        **more,
    }


def option(letter: str, text: str, right: bool, **more: Any) -> Row:
    return {
        "letter": letter,
        "text": text,
        "segment_id": None,
        "value": None,
        "is_answer": right,
        **more,
    }


def question(
    benchmark: str, subtask: str, options: list[Row], media: list[Row], **more: Any
) -> Row:
    recipe = more.get("recipe", f"{subtask}@1")
    return {
        "benchmark": benchmark,
        "source": "s",
        "pool": f"s/{recipe}/unit",
        "subtask": subtask,
        "recipe": recipe,
        "question_id": "id-1",
        "split": "val",
        "recording_id": media[0]["recording_id"],
        "options": options,
        "media": media,
        "answer": next(o["letter"] for o in options if o["is_answer"]),
        "chance": 1 / len(options),
        "media_present": True,
        "answer_text": None,
        "detailed_answer": None,
        "rationale": [],
        "licence": "MIT",
        **more,
    }


def overlay(box: tuple[float, float, float, float], t_s: float | None, label: str = "") -> Row:
    names = ("x_min", "y_min", "x_max", "y_max")
    drawn = dict(zip(names, box, strict=True))
    return {"kind": "box", "label": label, "colour": "red", "width": 0.005, "t_s": t_s, **drawn}


# -- association and action relation by labels -----------------------------------------------------

EGO, EXO = "the camera wearer's own view", "an outside observer's view"
_ASSOCIATION = (
    "The query clip shows an action from {0}. Each of the {{count}} candidate clips A to {{last}} is"
    " filmed from {1}. Which candidate clip shows the same action as the query clip?"
)
RELATION = "Which candidate video most accurately reflects the actions observed in the query video?"
TEXTS = {
    ("egobridge", ("ego", "exo")): _ASSOCIATION.format(EGO, EXO),
    ("egobridge", ("exo", "ego")): _ASSOCIATION.format(EXO, EGO),
    ("egoexobench", ("ego", "exo")): RELATION,
}
VERBS = ["cut", "wash", "peel", "stir", "pour", "open"]
NOUNS = ["carrot", "pan", "egg", "onion", "bowl", "jar"]


def _acts(uid: str, n: int) -> tuple[list[Row], list[Row]]:
    """Segments of 4 s every 10 s; the i-th shows verb i % 6 and noun i // 6, alone in its kind."""
    segments, labels = [], []
    for i in range(n):
        verb, noun = i % len(VERBS), (i // len(VERBS) + i) % len(NOUNS)
        key = f"{uid}.{i:02}"
        segments.append(
            {
                "source": "s",
                "segment_id": key,
                "recording_id": uid,
                "kind": "fine",
                "start_s": 10.0 * i + 2.0,
                "end_s": 10.0 * i + 6.0,
                "narration": f"{VERBS[verb]}s the {NOUNS[noun]}",
            }
        )
        for kind, number, word in (("verb", verb, VERBS[verb]), ("noun", noun, NOUNS[noun])):
            labels.append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "segment_id": key,
                    "clause": 0,
                    "kind": kind,
                    "class_id": number,
                    "class_label": word,
                    "term": word,
                    "span_start": 0,
                }
            )
    return segments, labels


def _by_labels(
    benchmark: str, subtask: str, views: tuple[str, str], order: list[int], recipe: str
) -> World:
    """Query is action 1 of recording Q; options are actions of P; another pair beside them."""
    count = len(order)
    length = 10.0 * max(order) + 40.0
    views_of = {"Q": views[0], "P": views[1], "P2": views[1], "Q2": views[0]}
    tables: dict[str, list[Row]] = {
        "recordings": [recording(u, v, length) for u, v in views_of.items()],
        "segments": [],
        "labels": [],
        "clocks": [],
        "relations": [],
    }
    for uid in views_of:
        segments, labels = _acts(uid, max(order) + 3)
        tables["segments"] += segments
        tables["labels"] += labels
    options, media = [], [medium("query", "Q", 12.0, 16.0, segment_id="Q.01")]
    for letter, i in zip(LETTERS, order, strict=False):
        key = f"P.{i:02}"
        narration = next(s["narration"] for s in tables["segments"] if s["segment_id"] == key)
        options.append(option(letter, narration, i == 1, segment_id=key))
        start = 10.0 * i + 2.0
        media.append(medium(f"option_{letter}", "P", start, start + 4.0, segment_id=key))
    evidence = [
        {"table": t, "key": m["segment_id"], "role": m["role"]}
        for m in media
        for t in ("segments", "labels")
    ]
    row = question(
        benchmark,
        subtask,
        options,
        media,
        recipe=recipe,
        text=TEXTS[benchmark, views].format(count=count, last=LETTERS[count - 1]),
        evidence=evidence,
    )
    return World(row, tables, frame_times={u: seconds(length) for u in views_of})


def association_k5() -> World:
    return _by_labels(
        "egobridge", "association_ego2exo_k5", ("ego", "exo"), [2, 0, 1, 3, 4], "association@1"
    )


def association_k20() -> World:
    return _by_labels(
        "egobridge",
        "association_exo2ego_k20",
        ("exo", "ego"),
        [2, 0, 1, *range(3, 20)],
        "association@1",
    )


def action_relation_labels() -> World:
    # Distractors share the verb (7, 13) or the noun (6) of action 1.
    recipe = "action_relation_egoexolearn@2"
    world = _by_labels("egoexobench", "action_relation", ("ego", "exo"), [7, 6, 1, 13], recipe)
    world.question["detailed_answer"] = (
        'The query video shows "washs the pan", and so does candidate video C: "washs the pan". The'
        " other candidates are from the same recording and share a verb or a thing with it, but show"
        ' something else: A "washs the egg", B "cuts the pan", D "washs the onion".'
    )
    return world


# -- action relation by the take's clock -----------------------------------------------------------

MASTER_LATE_S = 2.0  # the observer's camera started 2 s before the take's time 0


def action_relation_clock() -> World:
    names = ["Get [cup] from [table]", "Wash [cup]", "Put [cup] to [shelf]", "Open [fridge]"]
    names += ["Cut [bread] using [knife]", "Pour from [jug] into [cup]"]
    second = ["Sweep [floor]", "Close [door]", "Watch [tv]", "Sit", "Clean [table]", "Drink [tea]"]
    tables: dict[str, list[Row]] = {
        n: [] for n in ("recordings", "segments", "clocks", "labels", "relations")
    }
    for take in ("T", "U"):
        for camera, view, offset in (("fpv1", "ego", 0.0), ("fpv2", "ego", 0.0)):
            uid = f"{take}|{camera}"
            tables["recordings"].append(recording(uid, view, 70.0, take_id=take))
            tables["clocks"].append(_clock(uid, take, offset))
        uid = f"{take}|master"
        tables["recordings"].append(recording(uid, "exo", 72.0, take_id=take))
        tables["clocks"].append(_clock(uid, take, -MASTER_LATE_S))
        for actor, camera, acts in (("P1", "fpv1", names), ("P2", "fpv2", second)):
            for i, name in enumerate(acts):
                tables["segments"].append(
                    {
                        "source": "s",
                        "segment_id": f"{take}|{actor}|{i}",
                        "recording_id": f"{take}|{camera}",
                        "kind": "action",
                        "actor_id": actor,
                        "start_s": 10.0 * i + 3.0,
                        "end_s": 10.0 * i + 7.0,
                        "class_name": name,
                        "narration": name.replace("[", "").replace("]", "").lower(),
                    }
                )
    options, media = [], [medium("query", "T|fpv1", 13.0, 17.0, segment_id="T|P1|1")]
    for letter, i in zip("ABCD", (3, 1, 0, 4), strict=True):
        key, start = f"T|P1|{i}", 10.0 * i + 3.0 + MASTER_LATE_S
        narration = names[i].replace("[", "").replace("]", "").lower()
        options.append(option(letter, narration, i == 1, segment_id=key))
        media.append(medium(f"option_{letter}", "T|master", start, start + 4.0, segment_id=key))
    row = question(
        "egoexobench",
        "action_relation",
        options,
        media,
        recipe="action_relation_lemma@1",
        text=RELATION,
        detailed_answer='The query video shows "wash cup" from 13.0 s to 17.0 s of T|fpv1; on the'
        " take's clock this is the time of candidate video B, from 15.0 s to 19.0 s of T|master. The"
        ' other candidates show other times of T|master: A "open fridge", C "get cup from table", D'
        ' "cut bread using knife".',
        evidence=[
            *({"table": "segments", "key": m["segment_id"], "role": m["role"]} for m in media),
            {"table": "clocks", "key": "T|fpv1", "role": "query"},
            {"table": "clocks", "key": "T|master", "role": "option"},
        ],
    )
    uids = {r["recording_id"]: r["duration_s"] for r in tables["recordings"]}
    return World(row, tables, frame_times={u: seconds(n) for u, n in uids.items()})


def _clock(uid: str, take: str, offset: float) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": take,
        "offset_s": offset,
        "rate": 1.0,
        "method": "same_index",
    }


# -- object localisation ---------------------------------------------------------------------------

CENTRES = {"top-left": (0.15, 0.2), "center": (0.5, 0.5), "bottom-right": (0.85, 0.8)}


def object_localisation() -> World:
    """Grasper of the main surgeon's left hand: top left at 17 s, elsewhere before and after."""
    tables: dict[str, list[Row]] = {
        "recordings": [recording("VID1", "ego", 60.0), recording("VID2", "ego", 60.0)],
        "boxes": [],
        "annotated_frames": [],
        "segments": [],
        "relations": [],
    }
    for uid in ("VID1", "VID2"):
        for t in range(60):
            where = "top-left" if t in (16, 17) else ("center" if t < 16 else "bottom-right")
            hands = [("grasper", "MSLH", CENTRES[where])]
            hands += [("hook", "MSRH", (0.8, 0.2)), ("grasper", "ASRH", (0.2, 0.85))]
            for name, operator, centre in hands:
                tables["boxes"].append(_tool_box(uid, t, name, operator, centre))
            tables["annotated_frames"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "what": "tools",
                    "source_frame": 25 * t + 1,
                    "t_s": float(t),
                }
            )
    cells = ("center", "bottom-right", "top-left", "top-center")
    options = [
        option(x, c, c == "top-left", value=c.replace("-", "_"))
        for x, c in zip("ABCD", cells, strict=True)
    ]
    row = question(
        "egocross",
        "object_localisation",
        options,
        [medium("query", "VID1", 10.0, 25.0)],
        text="Approximately in which region of the view was the 'grasper' (operated by main"
        " surgeon left hand) located around timestamp 7.00s?",
        answer_text="top-left",
        evidence=[
            {"table": "boxes", "key": "VID1/17/grasper/MSLH", "role": "answer"},
            {"table": "annotated_frames", "key": "VID1/tools/426", "role": "coverage"},
            {"table": "boxes", "key": "VID1/17/hook/MSRH", "role": "context"},
            {"table": "boxes", "key": "VID1/17/grasper/ASRH", "role": "context"},
        ],
        rationale=[
            {"step": i, "text": text, "evidence": keys}
            for i, (text, keys) in enumerate(
                (
                    (
                        "At 7.00s of the clip these instruments are in view: grasper, hook.",
                        [
                            "annotated_frames:VID1/tools/426",
                            "boxes:VID1/17/grasper/MSLH",
                            "boxes:VID1/17/hook/MSRH",
                        ],
                    ),
                    (
                        "The box of the 'grasper' operated by main surgeon left hand starts at"
                        " x=0.070, y=0.100 and is 0.160 wide and 0.200 high, as shares of the"
                        " picture.",
                        ["boxes:VID1/17/grasper/MSLH"],
                    ),
                    (
                        "Its centre (0.150, 0.200) lies in the 'top-left' region of the 3x3 grid.",
                        ["boxes:VID1/17/grasper/MSLH"],
                    ),
                ),
                1,
            )
        ],
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        protocols={"direct/1": "every(1)"},
        frame_times={"VID1": [float(t) for t in range(60)], "VID2": [float(t) for t in range(60)]},
    )


def _tool_box(
    uid: str, t: int, name: str, operator: str | None, centre: tuple[float, float]
) -> Row:
    x, y = centre
    return {
        "source": "s",
        "recording_id": uid,
        "box_id": f"{uid}/{t}/{name}/{operator}",
        "source_frame": 25 * t + 1,
        "t_s": float(t),
        "class_name": name,
        "operator": operator,
        "x_min": x - 0.08,
        "y_min": y - 0.1,
        "x_max": x + 0.08,
        "y_max": y + 0.1,
    }


# -- intention, relative ---------------------------------------------------------------------------

# The camera sees 37 degrees beside where the device points, as on Aria glasses.
DEVICE_CAMERA = Rotation.from_euler("y", 37.0, degrees=True)
EYE_HEIGHT_M = 1.6
GOAL = (0.0, -3.0, 1.0)  # to the right of a wearer who faces +x
EVENT_S, END_S = 11.0, 10.0


def heading_deg(t_s: float) -> float:
    """Where the camera points, clockwise from +x: at the goal, then away, then back."""
    return float(np.interp(t_s, [0.0, 4.0, 5.5, 10.2, 11.0, 13.0], [90, 90, 0, 0, 90, 90]))


def camera_turn(t_s: float) -> Rotation:
    ahead = Rotation.from_matrix(np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]], dtype=float))
    return Rotation.from_euler("z", -heading_deg(t_s), degrees=True) * ahead


def quaternion(turn: Rotation) -> Row:
    x, y, z, w = turn.as_quat()
    return {"qw": float(w), "qx": float(x), "qy": float(y), "qz": float(z)}


def intention_relative() -> World:
    """The kettle was seen until 4 s, is to the right at 10 s, and is looked at from 11 s."""
    tables: dict[str, list[Row]] = {
        n: []
        for n in (
            "recordings camera_poses cameras calibrations objects_3d boxes gaze_rays hand_joints"
            " spatial_facts"
        ).split()
    }
    place = {"tx": 0.0, "ty": 0.0, "tz": 0.0}
    for uid in ("ADT1", "ADT2"):
        tables["recordings"].append(recording(uid, "ego", 13.0))
        eyes = DEVICE_CAMERA * Rotation.from_euler("z", 180.0, degrees=True)
        for sensor, turn in (("rgb", DEVICE_CAMERA), ("cpf", eyes)):
            tables["cameras"].append(
                {"source": "s", "recording_id": uid, "sensor": sensor, **place, **quaternion(turn)}
            )
        for i, t in enumerate(seconds(13.0)):
            device = camera_turn(t) * DEVICE_CAMERA.inv()
            tables["camera_poses"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "of": "device",
                    "pose": i,
                    "t_s": t,
                    **place,
                    "tz": EYE_HEIGHT_M,
                    **quaternion(device),
                }
            )
            tables["gaze_rays"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "sample": i,
                    "t_s": t,
                    "yaw_rad": 0.0,
                    "pitch_rad": float(np.arctan2(GOAL[2] - EYE_HEIGHT_M, 3.0)),
                }
            )
            if t <= 4.5:
                tables["boxes"].append(
                    {
                        "source": "s",
                        "recording_id": uid,
                        "box_id": f"{uid}/k/{i}",
                        "object_id": "k",
                        "t_s": t,
                        "visibility": 0.9,
                        "x_min": 0.4,
                        "y_min": 0.4,
                        "x_max": 0.6,
                        "y_max": 0.6,
                    }
                )
            tables["boxes"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "box_id": f"{uid}/m/{i}",
                    "object_id": "m",
                    "t_s": t,
                    "visibility": 0.9,
                }
            )
        for key, name, (x, y, z) in (
            ("k", "Kettle_1", GOAL),
            ("m", "RedMug", (-3.0, 0.0, 1.0)),
        ):
            tables["objects_3d"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "object_id": key,
                    "pose": 0,
                    "name": name,
                    "motion": "static",
                    "tx": x,
                    "ty": y,
                    "tz": z - 0.1,
                    **quaternion(Rotation.identity()),
                    **{f"{a}_{e}_m": v for a in "xy" for e, v in (("min", -0.1), ("max", 0.1))},
                    "z_min_m": 0.0,
                    "z_max_m": 0.2,
                }
            )
            shown = name.split("_")[0].lower() if key == "k" else "red mug"
            # The goal is 90 degrees to the right, 3 m away on the ground and 0.6 m below the eyes.
            for operator, t, end, plane, value in (
                ("visible", 0.0, 4.5, "image", 0.9),
                ("fixation", EVENT_S, 11.8, "none", None),
                ("bearing", END_S, None, "ground", 90.0),
                ("distance", END_S, None, "none", 3.059412),
            ):
                tables["spatial_facts"].append(
                    {
                        "source": "s",
                        "recording_id": uid,
                        "fact_id": f"{uid}/{operator}/{key}",
                        "operator": operator,
                        "object_id": key,
                        "object_name": shown,
                        "t_s": t,
                        "end_s": end,
                        "plane": plane,
                        "value": value,
                    }
                )
    sectors = ("left", "front", "right", "back", "back-right")
    numbers = {"front": 0, "right": 2, "back-right": 3, "back": 4, "left": 6}
    options = [
        option(x, s, s == "right", value=str(numbers[s]))
        for x, s in zip("ABCDE", sectors, strict=True)
    ]
    row = question(
        "egoprox",
        "intention_relative",
        options,
        [medium("query", "ADT1", 2.0, END_S, sampling="endpoints(8)")],
        text="Seen from above and relative to the person's viewpoint in the last frame, in which"
        " direction does the person need to look to see the kettle?",
        answer_text="right",
        evidence=[
            {"table": "spatial_facts", "key": "ADT1/fixation/k", "role": "event"},
            {"table": "spatial_facts", "key": "ADT1/bearing/k", "role": "answer"},
            {"table": "spatial_facts", "key": "ADT1/visible/k", "role": "seen"},
            {"table": "spatial_facts", "key": "ADT1/distance/k", "role": "distance"},
        ],
        detailed_answer="The kettle was last in view 5.5 s before the last frame. In the last frame"
        " its bearing on the ground plane is 90 degrees to the right of the camera's forward axis, at"
        " 3.1 m: right. 1.0 s later the person looks at it.",
    )
    return World(row, tables, frame_times={u: seconds(13.0) for u in ("ADT1", "ADT2")})


# -- active object grounding -----------------------------------------------------------------------


def active_object() -> World:
    """Bread is cut with a knife from 9.5 to 11 s; the clip ends at 10 s."""
    deeds = [
        ("take", "cup", 2.5, 3.5),
        ("move", "plate", 4.0, 5.0),
        ("wash", "spoon", 6.0, 7.0),
        ("cut", "bread", 9.5, 11.0),
        ("open", "jar", 14.0, 15.0),
    ]
    tables: dict[str, list[Row]] = {
        n: [] for n in "recordings segments relations boxes graph_nodes graph_edges".split()
    }
    for uid in ("C1", "C2"):
        tables["recordings"].append(recording(uid, "ego", 20.0))
        for verb, thing, start, end in deeds:
            key = f"{uid}/{verb}"
            tables["segments"].append(
                {
                    "source": "s",
                    "segment_id": key,
                    "recording_id": uid,
                    "kind": "interaction",
                    "start_s": start,
                    "end_s": end,
                }
            )
            objects = [(thing, "direct object", "direct", "object")]
            objects += [("knife", "with", "tool", "object")] if verb == "cut" else []
            objects += [("left hand", "with", "hand", "hand")]
            row = {"source": "s", "recording_id": uid, "segment_id": key}
            action = f"{uid}/action/{verb}"
            tables["relations"].append(
                {
                    **row,
                    "relation_id": f"{key}/verb",
                    "subject": "Camera wearer",
                    "relation": "verb",
                    "object": verb,
                    "role": None,
                }
            )
            nodes = [(action, "action", verb)]
            edges: list[tuple[str, str, str, str | None, str]] = [
                ("does", f"{uid}/person/camera wearer", action, None, f"{key}/verb")
            ]
            for name, relation, role, kind in objects:
                relation_id, node = f"{key}/{name}", f"{uid}/{kind}/{name}"
                tables["relations"].append(
                    {
                        **row,
                        "relation_id": relation_id,
                        "subject": verb,
                        "relation": relation,
                        "object": name,
                        "role": role,
                    }
                )
                nodes.append((node, kind, name))
                link = relation if kind == "hand" else "acts_on"
                edges.append((link, action, node, role, relation_id))
            for node, kind, name in nodes:
                if node not in {n["node_id"] for n in tables["graph_nodes"]}:
                    more = {"node_id": node, "kind": kind, "name": name}
                    tables["graph_nodes"].append({"source": "s", "recording_id": uid, **more})
            for relation, tail, head, role, source_row in edges:
                tables["graph_edges"].append(
                    {
                        **row,
                        "edge_id": f"{key}/{relation}/{head.rpartition('/')[2]}",
                        "from_node": tail,
                        "relation": relation,
                        "to_node": head,
                        "start_s": start,
                        "end_s": end,
                        "role": role,
                        "source_row": source_row,
                    }
                )
            for name, x in ((thing, 0.4), ("left hand", 0.3)):
                tables["boxes"].append(
                    {
                        **row,
                        "box_id": f"{key}/box" if name == thing else f"{key}/box/hand",
                        "moment": "contact",
                        "t_s": start + 0.5,
                        "class_name": name,
                        "x_min": x,
                        "y_min": 0.4,
                        "x_max": x + 0.2,
                        "y_max": 0.6,
                    }
                )
    names = ("plate", "bread", "cup", "spoon")
    options = [
        option(x, n, n == "bread", value=f"C1/object/{n}")
        for x, n in zip("ABCD", names, strict=True)
    ]
    row = question(
        "egocot",
        "active_object_grounding",
        options,
        [medium("query", "C1", 2.0, 10.0, sampling="endpoints(8)")],
        text="At 8.0 s, the last moment of the clip, which object is the camera wearer acting on?",
        answer_text="bread",
        evidence=[
            {"table": "graph_edges", "key": "C1/cut/acts_on/bread", "role": "answer"},
            {"table": "boxes", "key": "C1/cut/box", "role": "answer"},
            {"table": "segments", "key": "C1/cut", "role": "answer"},
            {"table": "graph_edges", "key": "C1/cut/with/left hand", "role": "hand"},
            {"table": "graph_edges", "key": "C1/cut/does/cut", "role": "action"},
            *(
                {"table": "graph_nodes", "key": o["value"], "role": f"option_{o['letter']}"}
                for o in options
            ),
        ],
        rationale=[
            {"step": i, "text": text, "evidence": keys}
            for i, (text, keys) in enumerate(
                (
                    (
                        "At 8.0 s of the clip the camera wearer uses the left hand, at [0.30, 0.40,"
                        " 0.50, 0.60] of the picture.",
                        ["graph_edges:C1/cut/with/left hand"],
                    ),
                    (
                        'The camera wearer\'s action is "cut"; it began at 7.5 s and goes on at 8.0 s.',
                        ["graph_edges:C1/cut/does/cut", "graph_nodes:C1/action/cut"],
                    ),
                    (
                        "The action is done to the bread, at [0.40, 0.40, 0.60, 0.60] of the picture.",
                        ["graph_edges:C1/cut/acts_on/bread", "graph_nodes:C1/object/bread"],
                    ),
                    (
                        "Within 2 s of that moment nothing is done with the plate, the cup and the"
                        " spoon, so the active object is the bread.",
                        [f"graph_nodes:C1/object/{n}" for n in ("plate", "cup", "spoon")],
                    ),
                ),
                1,
            )
        ],
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(row, tables, frame_times={u: seconds(20.0) for u in ("C1", "C2")})


_MAKERS: dict[str, Callable[[], World]] = {
    "association_k5": association_k5,
    "association_k20": association_k20,
    "action_relation_labels": action_relation_labels,
    "action_relation_clock": action_relation_clock,
    "object_localisation": object_localisation,
    "intention_relative": intention_relative,
    "active_object": active_object,
}
WORLDS = {name: make() for name, make in _MAKERS.items()}


def fresh(name: str) -> World:
    """A copy that may be spoiled."""
    return copy.deepcopy(WORLDS[name])
