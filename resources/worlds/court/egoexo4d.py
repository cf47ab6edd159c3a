"""Writes the court in the layout of the Ego-Exo4D release v2 (see the formats note for every file).

Each player has a capture, hence a world of its own. All that is said of what happens comes from the
plan; of the take in the dark the annotators were sure of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.court.body import PARTS
from resources.worlds.court.ground import PLAYERS, PROPS
from resources.worlds.court.plan import COURSE, DRILL, plan_club, plan_court
from resources.worlds.court.pose import body_annotation, camera_annotation, hand_annotation
from resources.worlds.court.take import Court, Take
from resources.worlds.court.truth import LEVELS, CourtSpec, Deed
from resources.worlds.flat.egoexo4d_files import (
    EXO,
    Capture,
    Session,
    starts,
    turned_world,
    uuid,
    video_paths,
    write_release,
    write_session,
)
from resources.worlds.flat.files import write_json
from resources.worlds.tools.side_by_side import Progress, each

_TASKS: Final = {DRILL: 6101, COURSE: 9001}
_PARENTS: Final = {DRILL: (6000, "Soccer"), COURSE: (9000, "Court Setup")}
_STEP_ONE: Final = 901
_LEAST_PX: Final = 12
POSED: Final = ("drill 3", "course 0")
"""Takes with poses of body and hands."""


def capture_of(spec: CourtSpec, player: int) -> Capture:
    """What a player's takes were cut from."""
    name = f"court_soccer{player:02d}"
    return Capture(name, "court", f"{spec.seed}/{name}", 7, turned_world(spec.seed, name))


def sessions_of(court: Court) -> list[Session]:
    """All takes, player by player."""
    made = []
    for player in PLAYERS:
        takes = [take for take in court.takes if take.player is player]
        capture = capture_of(court.spec, player.number)
        for n, (take, start) in enumerate(zip(takes, starts(takes), strict=True), 1):
            number = _TASKS[take.task]
            made.append(
                Session(
                    take=take,
                    capture=capture,
                    uid=uuid(court.spec.seed, "court", take.take_id),
                    number=2 * n,
                    start=start,
                    participant=player.number,
                    task=(number, take.task),
                    parent=_PARENTS[take.task],
                    span_s=(take.deeds[0].start_s, take.deeds[-1].end_s),
                    best_exo=_best(take, take.duration_s / 2),
                    key=number * 10 + int(take.take_id.split()[-1]),
                )
            )
    return made


def sessions_apart(court: Court, kind: str, task_number: int) -> list[Session]:
    """All takes, each of another player and of a capture of its own.

    Args:
        court: The takes.
        kind: What the takes are; their ids differ by it.
        task_number: Number of their task in the release.
    """
    return [
        Session(
            take=take,
            capture=capture_of(court.spec, take.player.number),
            uid=uuid(court.spec.seed, kind, take.take_id),
            number=2,
            start=starts([take])[0],
            participant=take.player.number,
            task=(task_number, take.task),
            parent=_PARENTS[COURSE],
            span_s=(take.deeds[0].start_s, take.deeds[-1].end_s),
            best_exo="cam01",
            key=task_number * 10 + n,
        )
        for n, take in enumerate(court.takes)
    ]


def split_of(take: Take) -> str:
    """Split of a take: one player was kept for training."""
    return "train" if take.dark else "val"


def take_of(session: Session) -> Take:
    """The court's take of a session."""
    if not isinstance(session.take, Take):
        raise TypeError(f"{session.name} is not a take of a court")
    return session.take


def _best(take: Take, t_s: float) -> str:
    """Camera that shows the wearer largest: the nearest one."""
    at = take.camera_pose("ego", t_s).position
    return min(EXO, key=lambda name: float(np.linalg.norm(take.fixed[name].position - at)))


def is_seen(take: Take, deed: Deed) -> bool:
    """Whether the wearer's camera shows what is done: who does it, or what is touched, or the way."""
    if take.dark or (deed.actor == "C" and not deed.thing):
        return not take.dark
    owners = take.picture("ego", take.picture_time(deed.contact_s)).owners
    first = take.owner(deed.actor)
    shown = (owners >= first) & (owners < first + PARTS)
    if deed.thing:
        shown |= owners == take.owner(deed.thing)
    return int(shown.sum()) >= _LEAST_PX


def descriptions(sessions: list[Session]) -> dict[str, Any]:
    """Points in time; the two spellings of the subject's key and of truth values both occur."""
    out: dict[str, Any] = {}
    for session in sessions:
        take = take_of(session)
        key = "subject" if session.key % 2 else "narration_subject"
        said = []
        for n, deed in enumerate(take.deeds):
            seen, best = is_seen(take, deed), _best(take, deed.contact_s)
            said.append(
                {
                    "text": f"{deed.actor} {deed.text}.", "timestamp": round(deed.contact_s, 5),
                    key: deed.actor, "ego_visible": seen if n % 3 else str(int(seen)),
                    "best_exo": {"raw_cam_id": best[-1], "cam_id": best},
                    "unsure": take.dark if n % 2 else str(int(take.dark)),
                }
            )  # fmt: skip
        out[session.uid] = [
            {
                "annotation_uid": uuid(session.uid, "atomic"), "annotator_id": "1072", "rejected": False,
                "reject_reason": None, "descriptions": said,
            }
        ]  # fmt: skip
    return {"annotations": out}


def step_name(thing: str) -> str:
    """Name of the step that sets a thing up."""
    return f"Place the {thing}"


def _keysteps(sessions: list[Session]) -> dict[str, Any]:
    numbers = {prop.instance: _STEP_ONE + n for n, prop in enumerate(PROPS)}
    needed = {prop.instance: prop.essential for prop in PROPS}
    root = {"id": 1, "is_leafnode": False, "name": COURSE, "parent_id": None, "parent_name": None}
    nodes: dict[str, Any] = {"1": root}
    for thing, number in numbers.items():
        node = number - _STEP_ONE + 2
        nodes[str(node)] = {
            "id": node, "is_leafnode": True, "name": step_name(thing), "parent_id": 1,
            "parent_name": COURSE, "unique_id": number,
        }  # fmt: skip
    notes = {}
    for session in sessions:
        segments = [
            {
                "start_time": round(step.start_s, 5), "end_time": round(step.end_s, 5),
                "step_id": numbers[step.thing] - _STEP_ONE + 2, "step_name": step_name(step.thing),
                "step_description": f"{step_name(step.thing)} on its spot",
                "is_essential": needed[step.thing], "step_unique_id": numbers[step.thing],
            }
            for step in take_of(session).steps
        ]  # fmt: skip
        notes[session.uid] = {
            "take_uid": session.uid, "take_name": session.name, "scenario": COURSE,
            "annotation_meta": {"annotation_uid": uuid(session.uid, "keystep")}, "segments": segments,
        }  # fmt: skip
    vocabulary = {str(number): step_name(thing) for thing, number in numbers.items()}
    return {"annotations": notes, "taxonomy": {COURSE: nodes}, "vocabulary": vocabulary}


def _header(session: Session) -> dict[str, Any]:
    return {
        "task_id": session.task[0], "task_name": session.task[1], "scenario_name": session.parent[1],
        "university_id": "court", "origin_participant_id": str(session.participant),
        "take_uid": session.uid, "video_paths": video_paths(session.name),
    }  # fmt: skip


def _level(session: Session) -> dict[str, Any]:
    return _header(session) | {"proficiency_score": LEVELS[take_of(session).level or 0]}


def _demonstration(session: Session) -> dict[str, Any]:
    """What experts praised and advised; lists are lists or Python's writing of them."""
    take = take_of(session)

    def said(deed: Deed, text: str, form: bool) -> dict[str, Any]:
        return {
            "video_time": round(deed.contact_s, 6), "list": [text] if form else str([text]),
            "expert_uid": "c0ach1", "video_name": session.name,
        }  # fmt: skip

    good = [d for d in take.deeds if "shoots" in d.text and take.goal]
    bad = [d for d in take.deeds if "loses" in d.text or ("shoots" in d.text and not take.goal)]
    return _header(session) | {
        "good_executions": [said(d, f"C {d.text} and scores", True) for d in good],
        "tips_for_improvement": [
            said(d, "Keep the ball closer to the foot", n % 2 == 0) for n, d in enumerate(bad)
        ],
    }


def write_court(
    spec_or_court: CourtSpec | Court,
    root: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes a court under `root` in the release's layout; equal specs give equal bytes.

    Args:
        spec_or_court: What to write; the truth itself is never written.
        root: Folder to create or fill.
        progress: Called with (takes done, takes in all, name) in no particular order.
        workers: Processes that draw; 1 draws in this process.
    """
    court = spec_or_court if isinstance(spec_or_court, Court) else plan_court(spec_or_court)
    people = [player.number for player in PLAYERS]
    write_sessions(sessions_of(court), people, root, progress, workers)


def write_club(spec: CourtSpec, root: Path, progress: Progress | None = None) -> None:
    """Writes the takes of a club under `root`, as `write_court` writes a court."""
    write_court(plan_club(spec), root, progress)


def write_sessions(
    sessions: Sequence[Session],
    people: Sequence[int],
    root: Path,
    progress: Progress | None = None,
    workers: int = 2,
    listed: Sequence[Session] = (),
) -> None:
    """Writes takes of one court or of several as one release.

    Args:
        sessions: Takes; those of one capture next to each other and in time order.
        people: Participants.
        root: Folder to create or fill.
        progress: See `write_court`.
        workers: See `write_court`.
        listed: Takes of other places of which the release has metadata alone; all of the validation split.
    """
    root.mkdir(parents=True, exist_ok=True)
    notes = root / "annotations"
    splits = [split_of(take_of(session)) for session in sessions]
    benchmarks = [
        ["proficiency_demonstrator", "proficiency_demonstration"]
        if take_of(session).level is not None
        else ["keystep"]
        for session in sessions
    ]
    write_release(
        root,
        [*sessions, *listed],
        people,
        [*splits, *("val" for _ in listed)],
        [*benchmarks, *([] for _ in listed)],
    )
    for split in ("train", "val"):
        mine = [s for s, of in zip(sessions, splits, strict=True) if of == split]
        if not mine:
            continue
        judged = [s for s in mine if take_of(s).level is not None]
        courses = [s for s in mine if take_of(s).steps]
        write_json(notes / f"atomic_descriptions_{split}.json", descriptions(mine))
        # A release has no empty list.
        if courses:
            write_json(notes / f"keystep_{split}.json", _keysteps(courses))
        if judged:
            levels, comments = [_level(s) for s in judged], [_demonstration(s) for s in judged]
            write_json(notes / f"proficiency_demonstrator_{split}.json", levels)
            write_json(notes / f"proficiency_demonstration_{split}.json", comments)
        for session in (s for s in mine if take_of(s).take_id in POSED):
            home, file = notes / "ego_pose" / split, f"{session.uid}.json"
            write_json(home / "body" / "annotation" / file, body_annotation(session))
            write_json(home / "hand" / "annotation" / file, hand_annotation(session))
            write_json(home / "camera_pose" / file, camera_annotation(session))
    each(write_session, [(session, root) for session in sessions], progress, workers)
