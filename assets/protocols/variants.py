"""Variants of protocols: what a question loses, or has in another order, to see what a model needs.

A variant changes a question, not a template, so that it goes with every protocol: media are left out, put
in another order or taken from another question, and words are withheld. Where it would change nothing, or
leave nothing to choose between, the question is not asked (`MeaninglessVariantError` says why). What each
variant is, and what a model is told about it, stands in `variants.toml`.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from expectations.schemas.identity import digest
from expectations.schemas.sampling import (
    NoFrameError,
    SamplingRule,
    instants_of,
    rule_of,
    wanted_times,
)
from resources.models.prompt import Clip
from resources.models.protocol import VARIANTS, WITHOUT_MEDIA, Protocol

Question = Mapping[str, Any]
Views = Mapping[str, str]
SWAPPED_FROM = "swapped_from"
"""Column of questions whose media are another's: the id of that question."""
WITHHELD = "(The question is not shown.)"
NOT_SEVERAL = "no clip of it is sent as several frames"
NOT_DIFFERENT = "no clip of it is sent as several different frames"
SINGLE_ALREADY = frozenset({NOT_SEVERAL, NOT_DIFFERENT})
"""Reasons why `single_frame` changes nothing: no more than one frame is sent of each clip anyway."""
_FILE = Path(__file__).with_name("variants.toml")
_WITHOUT_WORDS = frozenset({"options_only", "question_removed"})
_ROLE_REMOVED = {"query_removed": "query", "no_reference": "reference"}
_VIEW_KEPT = {"ego_only": "ego", "exo_only": "exo"}
_OF_SEVERAL_FRAMES = frozenset({"single_frame", "shuffled_frames"})


class MeaninglessVariantError(NoFrameError):
    """A variant has no meaning for a question, which is therefore not asked."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What is declared of a variant.

    Attributes:
        about: What it does, in one sentence.
        note: What stands before the prompt; empty where the model must not know.
    """

    about: str
    note: str


@cache
def declared_variants() -> Mapping[str, Variant]:
    """Variants by name, as `variants.toml` declares them."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: Variant(**tables[name]) for name in VARIANTS}


def note_of(protocol: Protocol) -> str:
    """What stands before a prompt of the protocol; empty for nothing."""
    declared = declared_variants()
    return " ".join(filter(None, (declared[name].note for name in protocol.variants)))


def varied_question(question: Question, protocol: Protocol, views: Views) -> dict[str, Any]:
    """A question with the media and words that the protocol's variants leave it.

    Media of another question are not put in here: see `swap_media`.

    Args:
        question: Row of `questions`.
        protocol: Protocol.
        views: `ego` or `exo` per recording id; needed for `ego_only` and `exo_only`.

    Raises:
        MeaninglessVariantError: A variant would change nothing, or leave nothing to choose between.
        ValueError: The protocol swaps media, and the question has its own.
        KeyError: The view of a recording was not given.
    """
    names = set(protocol.variants)
    varied = dict(question)
    if "swapped_video" in names and not question.get(SWAPPED_FROM):
        raise ValueError(
            f"question {question['question_id']} has its own media under {protocol.label}; swap them first"
        )
    for name, role in _ROLE_REMOVED.items():
        if name in names:
            _keep_media(varied, protocol, name, lambda medium, role=role: medium["role"] != role)
    for name, view in _VIEW_KEPT.items():
        if name in names:
            _keep_media(
                varied, protocol, name, lambda m, view=view: views[m["recording_id"]] == view
            )
    if names & WITHOUT_MEDIA and question["media"]:
        _check_options_stay(varied, protocol, min(names & WITHOUT_MEDIA), [])
        varied["media"] = []
    if names & _WITHOUT_WORDS:
        if not question["options"]:
            raise MeaninglessVariantError(
                "without its words a question without options asks nothing"
            )
        varied["text"] = WITHHELD
    if names & _OF_SEVERAL_FRAMES and not any(
        _n_frames(medium, protocol.sampling) > 1 for medium in varied["media"]
    ):
        raise MeaninglessVariantError(NOT_SEVERAL)
    return varied


def _keep_media(
    varied: dict[str, Any], protocol: Protocol, name: str, keep: Callable[[Question], bool]
) -> None:
    kept = [medium for medium in varied["media"] if keep(medium)]
    if len(kept) == len(varied["media"]):
        raise MeaninglessVariantError(f"{name} would leave none of its media out")
    if not kept:
        raise MeaninglessVariantError(f"{name} would leave it without media, as `blind` does")
    _check_options_stay(varied, protocol, name, kept)
    varied["media"] = kept


def _check_options_stay(
    question: Question, protocol: Protocol, name: str, kept: Sequence[Question]
) -> None:
    """Check that every option is still shown: options that are clips have no other words."""
    options = {f"option_{option['letter']}" for option in question["options"]}
    shown = {medium["role"] for medium in question["media"]} & options
    left = {medium["role"] for medium in kept} & options
    clips = any(option.get("segment_id") is not None for option in question["options"])
    if (shown - left or (clips and not left)) and not protocol.reads_option_text:
        raise MeaninglessVariantError(f"{name} would leave out its options, which are clips")


def _n_frames(medium: Question, rule: SamplingRule | None) -> int:
    """Frames that a rule asks for of a medium; 0 where the medium cannot be sent."""
    assert rule is not None
    try:
        own = rule_of(medium, rule)
        return len(wanted_times(own, medium["start_s"], medium["end_s"], instants_of(medium)))
    except ValueError:
        return 0


def varied_clips(clips: Sequence[Clip], question_id: str, protocol: Protocol) -> tuple[Clip, ...]:
    """Clips with the frames, and in the order, that the protocol's variants leave them.

    Args:
        clips: Clips of a question.
        question_id: Its id, which decides the order of shuffled frames.
        protocol: Protocol.

    Raises:
        MeaninglessVariantError: No clip would change, or no single frame shows all marks of a clip.
    """
    for name, change in (("single_frame", _single), ("shuffled_frames", _shuffled)):
        if name in protocol.variants:
            changed = tuple(change(clip, question_id) for clip in clips)
            if changed == tuple(clips):
                raise MeaninglessVariantError(NOT_DIFFERENT)
            clips = changed
    return tuple(clips)


def _single(clip: Clip, _question_id: str) -> Clip:
    n = len(clip.frames)
    if n < 2:
        return clip
    at = n - 1 if clip.sampling.startswith("endpoints") else n // 2
    if any(clip.overlays):
        labels = [{mark.label for mark in marks} for marks in clip.overlays]
        full = [i for i in range(n) if labels[i] == set().union(*labels) and clip.overlays[i]]
        if not full:
            raise MeaninglessVariantError(f"no single frame shows all marks of {clip.role}")
        at = at if at in full else full[len(full) // 2]
    return replace(
        clip,
        frames=(clip.frames[at],),
        sampling=f"single_frame of {clip.sampling}",
        times_s=(),
        overlays=clip.overlays[at : at + 1],
        crops=clip.crops[at : at + 1],
        sampling_fps=None,
    )


def _shuffled(clip: Clip, question_id: str) -> Clip:
    shown = [frame[:2] for frame in clip.frames]
    if len(set(shown)) < 2:
        return clip
    order = sorted(range(len(shown)), key=lambda i: digest([question_id, clip.role, str(i)]))
    if [shown[i] for i in order] == shown:
        order = order[1:] + order[:1]
    return replace(
        clip,
        # Times stay where they are: they would tell the true order.
        frames=tuple((*shown[i], t_s) for i, (_, _, t_s) in zip(order, clip.frames, strict=True)),
        sampling=f"shuffled_frames of {clip.sampling}",
        overlays=tuple(clip.overlays[i] for i in order) if clip.overlays else (),
        crops=tuple(clip.crops[i] for i in order) if clip.crops else (),
    )


@dataclass(frozen=True, slots=True)
class Varied:
    """Questions as a protocol asks them.

    Attributes:
        asked: Rows of `questions` that are asked; with swapped media, a column `swapped_from` too.
        reasons: Why each of the others is not asked, by question id.
    """

    asked: pl.DataFrame
    reasons: Mapping[str, str]

    def sentence(self) -> str:
        """How many questions are not asked and why, for people; empty if all are."""
        if not self.reasons:
            return ""
        counts: dict[str, int] = defaultdict(int)
        for reason in self.reasons.values():
            counts[reason] += 1
        listed = "; ".join(f"{n}: {reason}" for reason, n in sorted(counts.items()))
        n = len(self.reasons)
        return f"{n} {'question is' if n == 1 else 'questions are'} not asked ({listed})"


def vary_questions(
    questions: pl.DataFrame, protocol: Protocol, places: Mapping[str, Mapping[str, tuple[str, str]]]
) -> Varied:
    """Questions that the protocol's variants have a meaning for, with swapped media where it swaps.

    Args:
        questions: Rows of `questions` that the protocol could ask.
        protocol: Protocol.
        places: Take and view (`ego`, `exo`) by recording id, by source; empty where no variant needs it.
    """
    if not protocol.variants:
        return Varied(questions, {})
    reasons: dict[str, str] = {}
    if "swapped_video" in protocol.variants:
        questions, lonely = swap_media(questions, places)
        reasons = dict.fromkeys(lonely, "no other question of its subtask shows other takes alike")
    views = {
        source: {uid: view for uid, (_, view) in recordings.items()}
        for source, recordings in places.items()
    }
    for row in questions.iter_rows(named=True):
        try:
            varied_question(row, protocol, views.get(row["source"], {}))
        except MeaninglessVariantError as error:
            reasons[row["question_id"]] = str(error)
    return Varied(questions.filter(~pl.col("question_id").is_in(list(reasons))), reasons)


def swap_media(
    questions: pl.DataFrame, places: Mapping[str, Mapping[str, tuple[str, str]]]
) -> tuple[pl.DataFrame, list[str]]:
    """Questions with the media of another one of the same subtask and source.

    The other one shows as many media in the same roles and views, marked alike, and no recording or take
    that is shown in this one. Of those that do, the next one counting upwards from this one's hash is
    taken, from the lowest again after the highest: a question that is added or goes changes few others.

    Args:
        questions: Rows of `questions`.
        places: Take and view by recording id, by source.

    Returns:
        The questions with `media` replaced and the other's id in `swapped_from`, in their order, and the
        ids of those for which there is no other.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in questions.select("question_id", "source", "subtask", "media").iter_rows(named=True):
        known = places.get(row["source"], {})
        row["takes"] = frozenset(
            name for m in row["media"] for name in (m["recording_id"], known[m["recording_id"]][0])
        )
        groups[row["source"], row["subtask"], _shape(row["media"], known)].append(row)
    partners = {of: other for rows in groups.values() for of, other in _partners(rows)}
    media = dict(questions.select("question_id", "media").iter_rows())
    ids = questions["question_id"].to_list()
    kept = [key for key in ids if key in partners]
    swapped = questions.filter(pl.col("question_id").is_in(kept)).with_columns(
        pl.Series("media", [media[partners[key]] for key in kept], questions.schema["media"]),
        pl.Series(SWAPPED_FROM, [partners[key] for key in kept], pl.String),
    )
    return swapped, [key for key in ids if key not in partners]


def _shape(media: Sequence[Question], known: Mapping[str, tuple[str, str]]) -> tuple[Any, ...]:
    """What the media of two questions must have in common to stand for each other."""
    return tuple(
        (
            medium["role"],
            medium["media_kind"],
            known[medium["recording_id"]][1],
            tuple(sorted({str(mark["label"]) for mark in medium.get("overlays") or ()})),
        )
        for medium in media
    )


def _partners(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Id of each question and of the one whose media it is shown."""
    ring = sorted(rows, key=lambda row: digest(["swapped_video", row["question_id"]]))
    n = len(ring)
    # Twice around from the end: after the first time every run of equal takes knows where it ends.
    following: list[int | None] = [None] * n
    for at in range(2 * n - 1, -1, -1):
        here, ahead = at % n, (at + 1) % n
        if ring[ahead]["takes"] == ring[here]["takes"]:
            following[here] = following[ahead]
        else:
            following[here] = ahead
    for at, row in enumerate(ring):
        other = following[at]
        for _ in range(n):
            if other is None or row["takes"].isdisjoint(ring[other]["takes"]):
                break
            other = following[other]
        else:
            other = None
        if other is not None:
            yield row["question_id"], ring[other]["question_id"]
