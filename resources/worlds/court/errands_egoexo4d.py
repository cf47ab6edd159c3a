"""Writes errands on the court in the layout of Ego-Exo4D: narrations, hands that a model found, poses, gaze."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from resources.worlds.court.egoexo4d import descriptions, sessions_apart
from resources.worlds.court.pose import hand_annotation
from resources.worlds.court.take import Court
from resources.worlds.flat.egoexo4d_files import write_release, write_session
from resources.worlds.flat.files import write_json
from resources.worlds.tools.side_by_side import Progress, each

_TASK_NUMBER: Final = 9201
EVERY: Final = 6
"""Hands are found in every sixth frame."""


def write_errands(
    court: Court, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes the takes under `root`; equal courts give equal bytes.

    Args:
        court: What to write; the truth itself is never written.
        root: Folder to create or fill.
        progress: Called with (takes done, takes in all, name) in no particular order.
        workers: Processes that draw; 1 draws in this process.
    """
    root.mkdir(parents=True, exist_ok=True)
    sessions, notes = sessions_apart(court, "errands", _TASK_NUMBER), root / "annotations"
    people = [session.participant for session in sessions]
    write_release(root, sessions, people, ["val"] * len(sessions), [[]] * len(sessions))
    write_json(notes / "atomic_descriptions_val.json", descriptions(sessions))
    for session in sessions:
        home = notes / "ego_pose" / "val" / "hand" / "automatic"
        write_json(home / f"{session.uid}.json", hand_annotation(session, EVERY))
    each(write_session, [(session, root) for session in sessions], progress, workers)
