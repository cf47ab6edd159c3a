"""Who is more skilled in the household: clips that four annotators compared, and who followed whom.

Performers differ in skill, which shows as pace and slips. Annotators see it the better the more two
performers differ, so that votes run from four against none to two against two; one triple of clips is
judged in a circle, as in the release. Every choice depends on the two clips alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from resources.worlds.household.truth import FineAction, Recording, World
from resources.worlds.tools.chance import short_id, unit

ANNOTATORS: Final = ("a1", "a2", "a3", "a4")
FOLDER: Final = "skill_benchmark/annotations"
NEIGHBOURS: Final = 9
"""A clip is compared with so many that come after it, however large the household is."""
CLIPS_A_RECORDING: Final = 2
_VERBS: Final = {"06": "peel", "13": "cut", "18": "crack", "20": "stir"}
_WITH: Final = {"20": "spatula"}
"""What an action is done with, where its verb alone says too little: whisking an egg is not stir-frying."""
CYCLE: Final = "13"
"""Action whose first three clips of different wearers are judged in a circle."""
UNVOTED: Final = "20"
"""Action of which only the outcome is written, as in the release."""
Side = Literal["left", "right", "neither"]


@dataclass(frozen=True)
class Clip:
    """A fine segment shown for its skill; frames at 25 fps of annotated time."""

    action: str
    recording: Recording
    fine: FineAction

    @property
    def token(self) -> str:
        """The clip as the release writes it."""
        start, end = (round(t * 25) for t in (self.fine.start_s, self.fine.end_s))
        return f"{self.action}_{self.recording.uid}_{start}_{max(end, start + 1)}"


@dataclass(frozen=True)
class Comparison:
    """Two clips and what four annotators say; `circle` where they are judged in one.

    Attributes:
        left: One clip, right: the other, in the order annotators were shown them.
        votes: Annotator and better side.
        circle: Whether it is part of the circle.
    """

    left: Clip
    right: Clip
    votes: tuple[tuple[str, Side], ...]
    circle: bool = False

    @property
    def outcome(self) -> Side | None:
        """Side at least three say; None where fewer do."""
        for side in ("left", "right"):
            if sum(said == side for _, said in self.votes) >= 3:
                return side
        return None


def clips(world: World, action: str) -> list[Clip]:
    """Clips of an action, in order of their wearers."""
    found: list[Clip] = []
    for rec in world.recordings:
        if rec.view == "ego":
            mine = [
                f
                for f in rec.fine
                if _VERBS[action] in f.action.verbs
                and _WITH.get(action, "") in {"", *f.action.nouns}
            ]
            found += [Clip(action, rec, f) for f in mine[:CLIPS_A_RECORDING]]
    return found


def comparisons(world: World) -> list[Comparison]:
    """All pairs that were compared."""
    found: list[Comparison] = []
    for action in _VERBS:
        held = clips(world, action)
        ring = _ring(held) if action == CYCLE else []
        for at, first in enumerate(held):
            for second in held[at + 1 : at + 1 + NEIGHBOURS]:
                if first.recording.uid == second.recording.uid:
                    continue
                found.append(_compared(world.spec.seed, first, second, ring))
    return found


def _ring(held: list[Clip]) -> list[Clip]:
    """The first clips of the first three wearers."""
    ring: list[Clip] = []
    for clip in held:
        if clip.recording.uid not in {c.recording.uid for c in ring}:
            ring.append(clip)
    return ring[:3] if len(ring) >= 3 else []


def _compared(seed: str, first: Clip, second: Clip, ring: list[Clip]) -> Comparison:
    keys = (seed, "skill", first.token, second.token)
    if unit(*keys, "shown first") < 0.5:
        first, second = second, first
    if first in ring and second in ring:
        follows = ring[(ring.index(first) + 1) % 3] is second
        return Comparison(first, second, _all(ANNOTATORS, "left" if follows else "right"), True)
    ahead = first.recording.performer.skill - second.recording.performer.skill
    right = {0: 2, 1: 3, 2: 4, 3: 4}[abs(ahead)]
    wins: Side = "left" if ahead >= 0 else "right"
    loses: Side = "right" if wins == "left" else "left"
    order = sorted(ANNOTATORS, key=lambda a: unit(*keys, a))
    votes = [*_all(order[:right], wins), *_all(order[right:], loses)]
    if right == 2 and unit(*keys, "tie") < 0.3:
        votes[-1] = (votes[-1][0], "neither")
    if right == 4 and unit(*keys, "absent") < 0.2:
        votes.pop()
    return Comparison(first, second, tuple(sorted(votes)))


def _all(annotators: Sequence[str], side: Side) -> tuple[tuple[str, Side], ...]:
    return tuple((annotator, side) for annotator in annotators)


def list_of(pair: Comparison, seed: str) -> str:
    """Released list a pair is put in: by the pair, so that recordings are in both, as in the release."""
    return "val" if unit(seed, "list", pair.left.token, pair.right.token) < 0.35 else "train"


def self_level(rec: Recording) -> int:
    """How skilled a wearer holds himself, 0 to 3: two in five misjudge themselves by one."""
    skill = rec.performer.skill
    if unit(rec.seed, rec.uid, "self") >= 0.4:
        return skill
    up = unit(rec.seed, rec.uid, "proud") < 0.6
    return min(skill + 1, 3) if up else max(skill - 1, 0)


def participant(rec: Recording) -> str:
    """Name under which a performer takes part: the performer himself is truth, and not written."""
    return f"participant-{short_id(rec.seed, 'participant', rec.performer.person_id)}"


def write_skills(world: World, root: Path) -> None:
    """Writes the released lists (better clip left), the votes of the voted actions, and sessions."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    found = comparisons(world)
    for split in ("train", "val"):
        lines = sorted(
            _line(c) for c in found if c.outcome and list_of(c, world.spec.seed) == split
        )
        if lines:
            (folder / f"skill_{split}.txt").write_text("".join(f"{line}\n" for line in lines))
    votes = sorted(
        (f"{c.left.token} {c.right.token}", annotator, side)
        for c in found
        if c.left.action != UNVOTED
        for annotator, side in c.votes
    )
    _csv(folder / "skill_votes.csv", ("pair", "annotator", "better"), votes)
    header = ("video_uid", "participant", "environment", "self_assessment", "demonstrations")
    _csv(root / "sessions.csv", header, _sessions(world))


def _line(pair: Comparison) -> str:
    tokens = (pair.left.token, pair.right.token)
    return " ".join(tokens if pair.outcome == "left" else tokens[::-1])


def _sessions(world: World) -> Iterator[tuple[object, ...]]:
    for rec in world.recordings:
        level = self_level(rec) if rec.view == "ego" else ""
        follows = " ".join(world.follows.get(rec.uid, ()))
        yield rec.uid, participant(rec), rec.home, level, follows


def _csv(path: Path, header: tuple[str, ...], rows: object) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)  # type: ignore[arg-type]
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
