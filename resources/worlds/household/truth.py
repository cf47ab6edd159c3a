"""What is true in the simulated household: frozen types, never written to disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from resources.worlds.household.sentences import Hand, Narration
from resources.worlds.household.tasks import Action

View = Literal["ego", "exo"]
Split = Literal["train", "val", "test"]
Form = Literal["released", "native", "cloud"]
Render = Literal["full", "small", "none"]
Quirk = Literal["", "two_parts", "first_stamp_late", "worn_short", "stamps_repeat"]


@dataclass(frozen=True)
class HouseholdSpec:
    """How large a household to simulate and how richly to draw it.

    Attributes:
        ego: wearers' recordings.
        exo: demonstrations.
        seed: name of the household; another seed is another household.
        render: `full` readable pictures, `small` tiny pictures at a third of the frame rate, `none`
            annotations only (no media, no gaze).
        slips: whether annotators tell some actions twice (`planned_slips`).
    """

    ego: int = 16
    exo: int = 8
    seed: str = "parallax"
    render: Render = "full"
    slips: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.ego <= 2**17 or not 0 <= self.exo <= 2**16:
            raise ValueError(
                f"ego={self.ego}, exo={self.exo}: need 0 <= ego <= 131072, exo <= 65536"
            )
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")


@dataclass(frozen=True)
class Performer:
    """Somebody who performs tasks; skill 0 (learner) to 3 (expert)."""

    person_id: str
    skill: int
    left_handed: bool
    apron: tuple[int, int, int]
    skin: tuple[int, int, int]


@dataclass(frozen=True)
class Clock:
    """How a recording's camera counts time.

    Attributes:
        start_ns: device stamp of the true time 0 (UTC ns); the gaze samples carry the device clock.
        rate: camera seconds (pts) per true second; 1.0002 gains 12 ms a minute.
        delay_s: camera pts of the first frame belongs to device time `start_ns` + this.
    """

    start_ns: int
    rate: float
    delay_s: float


@dataclass(frozen=True)
class FineAction:
    """A fine segment. `begin_s`, `finish_s`: true time; `start_s`, `end_s`: as annotated, 0.1 s."""

    annotation_id: str
    action: Action
    begin_s: float
    finish_s: float
    start_s: float
    end_s: float
    hand: Hand
    said: Hand
    narration: Narration
    slip: bool
    step: int

    @property
    def sets(self) -> tuple[frozenset[str], frozenset[str]]:
        """Verb set and noun set."""
        return self.action.verbs, self.action.nouns


@dataclass(frozen=True)
class CoarseStep:
    """A coarse segment in annotated video seconds; `value` is the class of `semantic_en.json`."""

    step_id: str
    name: str
    value: int
    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True)
class Recording:
    """One camera's stream of one take, and all that happens in it."""

    seed: str
    index: int
    view: View
    uid: str
    take_id: str
    task: str
    scene: Literal["kitchen", "lab"]
    home: str
    performer: Performer
    split: Split
    form: Form
    fps: int
    b_frames: bool
    rotated: bool
    quirk: Quirk
    width_px: int
    height_px: int
    clock: Clock
    duration_s: float
    gap_s: tuple[float, float] | None
    fine: tuple[FineAction, ...]
    coarse: tuple[CoarseStep, ...]
    demonstrations: tuple[int, ...]
    render: Render

    @property
    def num_frames(self) -> int:
        """Frames of the 25 fps copy that the metadata describe."""
        return round(self.duration_s * 25)

    def video_time(self, t_s: float) -> float:
        """Annotated (video) seconds of a true time: camera rate, gaps between parts kept."""
        since = self.gap_s[1] if self.gap_s and t_s >= self.gap_s[1] else 0.0
        return since + (t_s - since) * self.clock.rate


@dataclass(frozen=True)
class World:
    """The whole household. `follows` maps a follower's uid to the demonstrations present in it."""

    spec: HouseholdSpec
    recordings: tuple[Recording, ...]
    follows: dict[str, tuple[str, ...]]

    def of(self, uid: str) -> Recording:
        """The recording with this uid.

        Raises:
            KeyError: no such recording.
        """
        for recording in self.recordings:
            if recording.uid == uid:
                return recording
        raise KeyError(f"recording {uid!r} is not in this world of {len(self.recordings)}")
