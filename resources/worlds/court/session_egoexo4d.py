"""Writes the takes of a training session's preparation in the layout of Ego-Exo4D: keysteps, hands, poses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from resources.worlds.court.egoexo4d import sessions_apart, take_of
from resources.worlds.court.pose import camera_annotation, hand_annotation
from resources.worlds.court.session import NAMES, SESSION, plan_circuit, plan_session
from resources.worlds.court.take import Court
from resources.worlds.court.truth import CourtSpec
from resources.worlds.flat.egoexo4d_files import Session, uuid, write_release, write_session
from resources.worlds.flat.files import write_json
from resources.worlds.tools.side_by_side import Progress, each

_TASK_NUMBER: Final = 9101
STEP_ONE: Final = 921
"""Number of the first keystep in the release's vocabulary."""


def _keysteps(sessions: list[Session]) -> dict[str, Any]:
    root = {"id": 1, "is_leafnode": False, "name": SESSION, "parent_id": None, "parent_name": None}
    nodes: dict[str, Any] = {"1": root}
    for n, name in enumerate(NAMES):
        nodes[str(n + 2)] = {
            "id": n + 2, "is_leafnode": True, "name": name, "parent_id": 1, "parent_name": SESSION,
            "unique_id": STEP_ONE + n,
        }  # fmt: skip
    notes = {}
    for session in sessions:
        segments = [
            {
                "start_time": round(step.start_s, 5), "end_time": round(step.end_s, 5),
                "step_id": NAMES.index(step.thing) + 2, "step_name": step.thing,
                "step_description": step.thing, "is_essential": True,
                "step_unique_id": STEP_ONE + NAMES.index(step.thing),
            }
            for step in take_of(session).steps
        ]  # fmt: skip
        notes[session.uid] = {
            "take_uid": session.uid, "take_name": session.name, "scenario": SESSION,
            "annotation_meta": {"annotation_uid": uuid(session.uid, "keystep")}, "segments": segments,
        }  # fmt: skip
    vocabulary = {str(STEP_ONE + n): name for n, name in enumerate(NAMES)}
    return {"annotations": notes, "taxonomy": {SESSION: nodes}, "vocabulary": vocabulary}


def write_training(
    spec_or_court: CourtSpec | Court,
    root: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes the takes under `root`; equal specs give equal bytes.

    Args:
        spec_or_court: What to write; the truth itself is never written.
        root: Folder to create or fill.
        progress: Called with (takes done, takes in all, name) in no particular order.
        workers: Processes that draw; 1 draws in this process.
    """
    court = spec_or_court if isinstance(spec_or_court, Court) else plan_session(spec_or_court)
    root.mkdir(parents=True, exist_ok=True)
    sessions, notes = sessions_apart(court, "session", _TASK_NUMBER), root / "annotations"
    people = [session.participant for session in sessions]
    write_release(root, sessions, people, ["val"] * len(sessions), [["keystep"]] * len(sessions))
    write_json(notes / "keystep_val.json", _keysteps(sessions))
    for session in sessions:
        home, file = notes / "ego_pose" / "val", f"{session.uid}.json"
        write_json(home / "hand" / "annotation" / file, hand_annotation(session))
        write_json(home / "camera_pose" / file, camera_annotation(session))
    each(write_session, [(session, root) for session in sessions], progress, workers)


def write_circuit(spec: CourtSpec, root: Path, progress: Progress | None = None) -> None:
    """Writes the takes of a circuit under `root`, as `write_training` writes those of a session."""
    write_training(plan_circuit(spec), root, progress)
