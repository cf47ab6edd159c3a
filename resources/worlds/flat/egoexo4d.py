"""Writes flats in the layout of the Ego-Exo4D release v2 (see the formats note for every file).

All takes belong to one capture, hence one world, which is turned and moved against the flat's. Body
and hand pose are left out, and what `egoexo4d_files` leaves out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from resources.worlds.flat.camera import Pose
from resources.worlds.flat.egoexo4d_files import (
    Capture,
    Session,
    starts,
    turned_world,
    uuid,
    video_paths,
    write_release,
    write_session,
)
from resources.worlds.flat.files import Progress, write_json
from resources.worlds.flat.plan import plan_flat
from resources.worlds.flat.scripts import EGOEXO4D
from resources.worlds.flat.take import Flat, Take
from resources.worlds.flat.truth import Action, FlatSpec
from resources.worlds.tools.side_by_side import each

CAPTURE: Final = "flat_cooking01"
LEVELS: Final = ("Novice", "Late Expert", "Early Expert", "Intermediate Expert")
_SAYS: Final = {
    "get": "picks up the {object} from the {source}", "put": "puts the {object} on the {target}",
    "open": "opens the {object}", "close": "closes the {object}", "turn on": "turns on the {object}",
    "turn off": "turns off the {object}", "cut": "cuts the {object} with the {tool}",
    "pour": "pours from the {object} into the {target}", "wash": "washes the {object} in the {target}",
    "wipe": "wipes the {object} with the {tool}",
}  # fmt: skip


def take_name(index: int) -> str:
    """Folder of a take: its capture and its number there (odd numbers were test runs)."""
    return f"{CAPTURE}_{2 * index + 2}"


def take_uid(flat: FlatSpec, index: int) -> str:
    """The take's key in all annotations."""
    return uuid(flat.seed, "take", index)


def world(spec: FlatSpec) -> Pose:
    """`T_capture_flat`: the capture's world is z up, turned about z and moved."""
    return turned_world(spec.seed)


def sessions_of(flat: Flat) -> list[Session]:
    """All takes, in order."""
    capture = Capture(CAPTURE, "flat", flat.spec.seed, 1, world(flat.spec))
    return [
        Session(
            take=take,
            capture=capture,
            uid=take_uid(flat.spec, index),
            number=2 * index + 2,
            start=start,
            participant=1 + index,
            task=(1001 + index % len(EGOEXO4D), take.task),
            parent=(1000, "Cooking"),
            span_s=(take.actions[0].start_s, max(a.end_s for a in take.actions)),
            best_exo="cam03",
            key=index,
        )
        for index, (take, start) in enumerate(zip(flat.takes, starts(flat.takes), strict=True))
    ]


def phrase(take: Take, action: Action) -> str:
    """What an annotator would write, without the subject."""
    words = {
        slot: take.name_of(value) if (value := getattr(action, slot)) else ""
        for slot in ("object", "source", "target", "tool")
    }
    hands = "both hands" if action.hand == "both" else f"the {action.hand} hand"
    return (
        f"{_SAYS[action.verb].format(**words)} with {hands}"
        if action.verb in ("get", "put")
        else _SAYS[action.verb].format(**words)
    )


def _descriptions(flat: Flat) -> dict[str, Any]:
    """Points in time; the two spellings of the subject's key and of truth values both occur."""
    out: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        key = "subject" if index % 2 else "narration_subject"
        said = []
        for n, action in enumerate(take.actions):
            wearer = action.actor == "P1"
            who = "C" if wearer else "O"
            seen = (
                take.visible_share("ego", action.object, take.picture_time(action.contact_s)) > 0.1
            )
            said.append(
                {
                    "text": f"{who} {phrase(take, action)}.", "timestamp": round(action.contact_s, 5), key: who,
                    "ego_visible": seen if n % 3 else str(int(seen)), "best_exo": {"raw_cam_id": "3", "cam_id": "cam03"},
                    "unsure": False if n % 2 else "0",
                }
            )  # fmt: skip
        note = {
            "annotation_uid": uuid(index, "atomic"), "annotator_id": "1071", "rejected": False, "reject_reason": None,
            "descriptions": said,
        }  # fmt: skip
        empty = note | {
            "annotation_uid": uuid(index, "refused"),
            "rejected": True,
            "reject_reason": "bad quality",
            "descriptions": [],
        }
        out[take_uid(flat.spec, index)] = [note, empty]
    return {"annotations": out}


def steps_of(take: Take) -> list[tuple[int, str, float, float]]:
    """Steps of the wearer: number, name, start, end; the last action names a step."""
    out = []
    for step in sorted({a.step for a in take.actions if a.actor == "P1"}):
        mine = [a for a in take.actions if a.actor == "P1" and a.step == step]
        last = mine[-1]
        name = f"{last.verb} {take.name_of(last.object)}".capitalize()
        out.append((step, name, mine[0].start_s, max(a.end_s for a in mine)))
    return out


def _keysteps(flat: Flat) -> dict[str, Any]:
    names = sorted({(t.task, name) for t in flat.takes for _, name, _, _ in steps_of(t)})
    unique = {pair: 300 + n for n, pair in enumerate(names)}
    taxonomy: dict[str, Any] = {}
    for (task, name), number in unique.items():
        nodes = taxonomy.setdefault(
            task,
            {
                "1": {
                    "id": 1,
                    "is_leafnode": False,
                    "name": task,
                    "parent_id": None,
                    "parent_name": None,
                }
            },
        )
        node = number - 290
        nodes[str(node)] = {
            "id": node, "is_leafnode": True, "name": name, "parent_id": 1, "parent_name": task, "unique_id": number,
        }  # fmt: skip
    notes: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        segments = [
            {
                "start_time": round(start, 5), "end_time": round(end, 5), "step_id": unique[take.task, name] - 290,
                "step_name": name, "step_description": name, "is_essential": step < 4,
                "step_unique_id": unique[take.task, name],
            }
            for step, name, start, end in steps_of(take)
        ]  # fmt: skip
        uid = take_uid(flat.spec, index)
        notes[uid] = {
            "take_uid": uid, "take_name": take_name(index), "scenario": take.task,
            "annotation_meta": {"annotation_uid": uuid(index, "keystep")}, "segments": segments,
        }  # fmt: skip
    vocabulary = {str(number): name for (_, name), number in unique.items()}
    return {"annotations": notes, "taxonomy": taxonomy, "vocabulary": vocabulary}


def _proficiency(sessions: list[Session]) -> list[dict[str, Any]]:
    return [
        {
            "task_id": session.task[0], "task_name": session.task[1], "scenario_name": "Cooking",
            "university_id": "flat", "origin_participant_id": str(session.participant),
            "take_uid": session.uid, "video_paths": dict(sorted(video_paths(session.name).items())),
            "proficiency_score": LEVELS[session.key % len(LEVELS)],
        }
        for session in sessions
    ]  # fmt: skip


def write_egoexo4d(
    spec_or_flat: FlatSpec | Flat, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes a capture under `root` in the release's layout; equal specs give equal bytes.

    Args:
        spec_or_flat: what to write, of kind `egoexo4d`; the truth itself is never written.
        root: folder to create or fill. Files of other takes in it are not removed.
        progress: called with (takes done, takes in all, name) in no particular order.
        workers: processes that draw; 1 draws in this process.
    """
    flat = spec_or_flat if isinstance(spec_or_flat, Flat) else plan_flat(spec_or_flat)
    if flat.spec.kind != "egoexo4d":
        raise ValueError(f"kind={flat.spec.kind!r}: write_egoexo4d needs a flat of kind 'egoexo4d'")
    root.mkdir(parents=True, exist_ok=True)
    sessions, notes = sessions_of(flat), root / "annotations"
    benchmarks = [["keystep", "proficiency_demonstrator"]] * len(sessions)
    people = [session.participant for session in sessions]
    write_release(root, sessions, people, ["val"] * len(sessions), benchmarks)
    write_json(notes / "atomic_descriptions_val.json", _descriptions(flat))
    write_json(notes / "keystep_val.json", _keysteps(flat))
    write_json(notes / "proficiency_demonstrator_val.json", _proficiency(sessions))
    each(write_session, [(session, root) for session in sessions], progress, workers)
