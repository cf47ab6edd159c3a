"""Skill of EgoExoLearn: the released pairs, own votes in a form of ours, self-assessed levels.

The release holds the outcome of each pair it kept, not the votes: `skill_{train,val}.txt`, two clips
a line, the better one left, each `<action>_<video_uid>_<first frame>_<last frame>` in frames at
25 fps. An author who has the votes gives them as `skill_votes.csv` beside the lists:

    pair,annotator,better
    13_bee94cf0-…_215_392 13_beea0172-…_857_1355,a3,left

`pair` is written like a line of the lists, in either order; `better` is `left`, `right` or
`neither`. A pair that a list holds is one row with votes and outcome. Frames and labels of the
actions are facts of the format note; the names come from the dataset's description.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import SKILL_LIST, SKILL_VOTES, UID
from assets.sources.egoexolearn.sessions import ALL_SESSIONS, self_levels
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES

FPS = 25
ACTIONS = {
    "06": "Peeling",
    "13": "Cutting into chunks",
    "14": "Slicing into strips",
    "15": "Chopping",
    "18": "Egg cracking",
    "20": "Stir-fry",
}
_CLIP = re.compile(rf"([A-Za-z0-9]+)_({UID.pattern})_([0-9]{{1,9}})_([0-9]{{1,9}})")
_SIDES = {"left": 0, "right": 1, "neither": None}


@dataclass(slots=True)
class _Pair:
    """What the files say of two clips in one order."""

    splits: set[str] = field(default_factory=set)
    votes: dict[str, str] = field(default_factory=dict)
    file: str = ""


def read_skills(part: PartFiles) -> Rows:
    """Compared pairs with votes or outcome, and self-assessed levels."""
    reader = RowReader("skill_votes")
    listed: dict[tuple[str, str], _Pair] = {}
    for path, data in part.files.items():
        if re.fullmatch(SKILL_LIST, path):
            _read_list(path, data, listed, reader)
    voted = {}
    if SKILL_VOTES in part.files:
        voted = _read_votes(part.files[SKILL_VOTES], reader)
    rows = [
        _row(part.source, clips, pair) for clips, pair in sorted(_joined(listed, voted).items())
    ]
    levels = self_levels(part.source, part.document(ALL_SESSIONS))
    tables = {
        "skill_votes": TABLES["skill_votes"].frame(rows),
        "skill_levels": TABLES["skill_levels"].frame(levels),
    }
    return Rows(tables, tuple(reader.refused))


def listed_clips(text: str) -> tuple[str, str]:
    """Both clips of a line.

    Raises:
        Malformed: The line names no two different clips of one action.
    """
    tokens = text.split()
    found = [_CLIP.fullmatch(token) for token in tokens]
    if len(tokens) != 2 or None in found:
        raise Malformed("no two clips `<action>_<video_uid>_<first frame>_<last frame>`", text)
    first, second = (match for match in found if match is not None)
    if first[1] != second[1]:
        raise Malformed(f"clips of two actions, {first[1]} and {second[1]}", text)
    if first[0] == second[0]:
        raise Malformed("a clip is compared with itself", text)
    return first[0], second[0]


def _read_list(
    path: str, data: bytes, listed: dict[tuple[str, str], _Pair], reader: RowReader
) -> None:
    split = PurePosixPath(path).stem.removeprefix("skill_")

    def row(line: str) -> dict:
        pair = listed.setdefault(listed_clips(line), _Pair(file=path))
        if split in pair.splits:
            raise Malformed("pair is listed twice", line)
        pair.splits.add(split)
        return {}

    for _ in reader.lines(path, data, row):
        pass


def _read_votes(data: bytes, reader: RowReader) -> dict[frozenset[str], dict[str, str]]:
    """Clip each annotator holds for the better one (empty: neither), by pair.

    Of an annotator who says different things of one pair nothing is kept.
    """
    found: dict[frozenset[str], dict[str, str]] = defaultdict(dict)
    torn: set[tuple[frozenset[str], str]] = set()

    def row(values: Mapping[str, str]) -> dict:
        clips = listed_clips(values["pair"])
        side, annotator = values["better"].strip(), values["annotator"].strip()
        if side not in _SIDES:
            raise Malformed("better is not one of left, right and neither", side)
        if not annotator:
            raise Malformed("annotator is empty")
        place = _SIDES[side]
        said = "" if place is None else clips[place]
        key = frozenset(clips)
        votes = found[key]
        if (key, annotator) in torn:
            raise Malformed(
                "annotator said different things of the pair; no vote counts", annotator
            )
        if annotator in votes:
            if votes[annotator] == said:
                raise Malformed("annotator is given twice for the pair; one vote counts", annotator)
            torn.add((key, annotator))
            del votes[annotator]
            raise Malformed(
                "annotator said different things of the pair; no vote counts", annotator
            )
        votes[annotator] = said
        return {}

    for _ in reader.csv(SKILL_VOTES, data, ("pair", "annotator", "better"), row):
        pass
    return {key: votes for key, votes in found.items() if votes}


def _joined(
    listed: Mapping[tuple[str, str], _Pair], voted: Mapping[frozenset[str], Mapping[str, str]]
) -> dict[tuple[str, str], _Pair]:
    """Pairs in the order of their list; those that were only voted on in that of their names."""
    joined = dict(listed)
    known = {frozenset(clips) for clips in listed}
    for key in voted.keys() - known:
        first, second = sorted(key)
        joined[first, second] = _Pair(file=SKILL_VOTES)
    for clips, pair in joined.items():
        for annotator, said in voted.get(frozenset(clips), {}).items():
            pair.votes[annotator] = (
                "first" if said == clips[0] else "second" if said == clips[1] else "neither"
            )
    return joined


def _row(source: str, clips: tuple[str, str], pair: _Pair) -> dict:
    action = clips[0].partition("_")[0]
    key = " ".join(clips)
    votes = [{"annotator": name, "better": said} for name, said in sorted(pair.votes.items())]
    return {
        "source": source,
        "action": action,
        "action_name": ACTIONS.get(action),
        "pair_id": key,
        **_clip("first", clips[0]),
        **_clip("second", clips[1]),
        "votes": votes or None,
        "stated_better": "first" if pair.splits else None,
        "splits": sorted(pair.splits),
        "source_file": pair.file,
        "source_key": key,
    }


def _clip(side: str, token: str) -> dict:
    _, uid, start, end = token.split("_")
    return {
        f"{side}_clip_id": token,
        f"{side}_recording_id": uid,
        f"{side}_start_s": int(start) / FPS,
        f"{side}_end_s": int(end) / FPS,
    }
