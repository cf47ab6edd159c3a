"""Sessions of EgoExoLearn: who was recorded where, following which demonstrations.

The release states none of it; a benchmark's author gives it as `sessions.csv`, a row per recording:

    video_uid,participant,environment,self_assessment,demonstrations
    bee94cf0-…,p07,kitchen2,2,2c23b45a-… 2c26447c-…

Every cell but the first may be empty. `demonstrations` names the recordings the wearer worked from,
separated by blanks; one demonstration may be followed by many. `self_assessment` is a whole number,
0 for the least skill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assets.sources.documents import Document
from assets.sources.egoexolearn.files import SESSIONS, uid_or_none
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number

NAMES = ("video_uid", "participant", "environment", "self_assessment", "demonstrations")
SCALE = "self_assessed"


@dataclass(frozen=True, slots=True)
class Session:
    """One row of the file."""

    recording_id: str
    participant: str | None
    environment: str | None
    self_level: int | None
    demonstrations: tuple[str, ...]


def _parse_sessions(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, Session]:
    """Sessions by recording; of two rows for one recording the first holds."""
    found: dict[str, Session] = {}
    if SESSIONS not in files:
        return found

    def row(values: Mapping[str, str]) -> dict:
        session = _session(values)
        if session.recording_id in found:
            raise Malformed("recording is given twice; the first row holds", session.recording_id)
        found[session.recording_id] = session
        return {}

    for _ in reader.csv(SESSIONS, files[SESSIONS], NAMES, row, lambda v: uid_or_none(v[NAMES[0]])):
        pass
    return found


def _session(values: Mapping[str, str]) -> Session:
    said = {name: values[name].strip() for name in NAMES}
    uid = uid_or_none(said["video_uid"])
    if uid is None:
        raise Malformed("video_uid is not a UUID", said["video_uid"])
    level = whole_number(said["self_assessment"]) if said["self_assessment"] else None
    if level is not None and level < 0:
        raise Malformed("self_assessment is below 0", level)
    demonstrations = said["demonstrations"].split()
    for other in demonstrations:
        if uid_or_none(other) is None:
            raise Malformed("demonstration is not a UUID", other)
    if len(set(demonstrations)) != len(demonstrations):
        raise Malformed("a demonstration is named twice", said["demonstrations"])
    return Session(
        uid, said["participant"] or None, said["environment"] or None, level, tuple(demonstrations)
    )


def links(
    source: str, held: Mapping[str, Session], views: Mapping[str, str], reader: RowReader
) -> Iterator[dict]:
    """Rows of `take_links`: a wearer's recording follows each of its demonstrations.

    Args:
        source: Name of the source.
        held: Sessions by recording.
        views: View of each recording that is known.
        reader: Collects what names no fitting recording.
    """
    for uid, session in sorted(held.items()):
        for other in session.demonstrations if uid in views else ():
            if other not in views:
                reader.reject(
                    SESSIONS,
                    uid,
                    "unknown_recording",
                    other,
                    "demonstration that the list of recordings does not name",
                    "add it to the list of recordings, or remove it from the session",
                    uid,
                )
                continue
            if views[uid] != "ego" or views[other] != "exo":
                reader.reject(
                    SESSIONS,
                    uid,
                    "demonstration_of_a_wearer",
                    f"{uid} ({views[uid]}) follows {other} ({views[other]})",
                    "only an egocentric recording follows, and only an exocentric one is followed",
                    "correct the ids",
                    uid,
                )
                continue
            yield {
                "source": source,
                "take_id": uid,
                "link": "follows",
                "other_take_id": other,
                "source_file": SESSIONS,
            }


def self_levels(source: str, held: Mapping[str, Session]) -> Iterator[dict]:
    """Rows of `skill_levels`: how skilled a wearer holds himself, per session."""
    for uid, session in sorted(held.items()):
        if session.self_level is not None:
            yield {
                "source": source,
                "take_id": uid,
                "actor_id": session.participant or uid,
                "scale": SCALE,
                "level": session.self_level,
                "label": str(session.self_level),
                "source_file": SESSIONS,
                "source_key": uid,
            }


ALL_SESSIONS = Document("recordings", re.escape(SESSIONS), _parse_sessions)
"""Sessions by recording; `recordings` records what is wrong with the file."""
