"""Actions of the people of a take, on the take's clock.

What a camera shows at a time is what anybody of the take does then: a distractor is judged by that,
not by the one segment it was cut for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.kit.clips import Span, clips, cut, overlap
from assets.questions.kit.needs import rows_where
from assets.questions.kit.takes import Clock
from expectations.action_words import readable_action
from expectations.word_kinds import kinds_of_any

KIND = "action"
READS = {
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "actor_id",
        "is_point",
        "start_s",
        "end_s",
        "class_name",
        "narration",
    ),
    "relations": ("relation_id", "segment_id", "relation", "object", "role"),
    "labels": VERB_READS,
}
"""What `acts_of_take` takes, beside `recordings`."""
NAMED_ACTIONS = rows_where(
    "segments",
    ("kind", "class_name"),
    (pl.col("kind") == KIND) & (pl.col("class_name").fill_null("") != ""),
    f"no segment of kind {KIND} has a class",
)


@dataclass(frozen=True, slots=True)
class Act:
    """What one person does for a while; all times on the take's clock.

    Attributes:
        segment_id: Segment annotated.
        recording_id: Wearer's recording it is annotated on.
        actor: Who acts.
        words: What is done, in words.
        verbs: Verbs, from the relations; empty where there are none, or it was not done.
        things: Direct objects.
        parts: Everything it names, each with the part it plays (`direct`, `source`); hands left out.
        relations: Ids of the relations these come from.
        start_s: Start of the action.
        end_s: End of the action.
        clip: Start and end of the clip shown of it; None if it cannot be shown, or was not done.
        done: Whether nothing in the narration speaks against it: that it was only attempted, say, or that
            somebody else did it.
    """

    segment_id: str
    recording_id: str
    actor: str
    words: str
    verbs: frozenset[str]
    things: frozenset[str]
    parts: frozenset[tuple[str, str]]
    relations: tuple[str, ...]
    start_s: float
    end_s: float
    clip: Span | None
    done: bool = True

    def is_like(self, other: Act) -> bool:
        """Whether both may be taken for the same action.

        Equal words, or a common verb on a common thing ("get the cup from the table", "get the cup
        from the shelf"): nobody can be asked to tell these apart.
        """
        if self.words.casefold() == other.words.casefold():
            return True
        both_bare = not self.things and not other.things
        return bool(self.verbs & other.verbs) and (both_bare or bool(self.things & other.things))

    def does(self, *kinds: str) -> bool:
        """Whether it is an act of one of some kinds (`expectations.word_kinds`)."""
        return not kinds_of_any(self.verbs).isdisjoint(kinds)

    @property
    def objects(self) -> frozenset[str]:
        """Everything it names, in whatever part; hands left out."""
        return frozenset(name for name, _ in self.parts)

    @property
    def shown(self) -> Span:
        """Start and end of the clip.

        Raises:
            ValueError: The action cannot be shown.
        """
        if self.clip is None:
            raise ValueError(f"segment {self.segment_id} has no clip")
        return self.clip

    @property
    def length_s(self) -> float:
        """Length of the clip."""
        start_s, end_s = self.shown
        return end_s - start_s

    def cut(self, length_s: float | None) -> Span:
        """Start and end of the clip, cut to a length around the action's middle; None cuts nothing."""
        if length_s is None:
            return self.shown
        return cut(self.shown, (self.start_s + self.end_s) / 2, length_s)

    def shows_time_of(self, other: Act) -> bool:
        """Whether the clips of both share any time."""
        return overlap(self.shown, other.shown)

    def meanwhile(self, acts: Iterable[Act]) -> list[Act]:
        """What is done during the clip."""
        return [other for other in acts if other.meets(*self.shown)]

    def meets(self, start_s: float, end_s: float) -> bool:
        """Whether any of it happens inside a span of the take's clock."""
        return self.start_s < end_s and start_s < self.end_s


def acts_of_take(
    tables: Mapping[str, pl.DataFrame],
    clock_of: Mapping[str, Clock],
    *,
    as_annotated: bool = False,
) -> list[Act]:
    """Actions of everybody in a take, in time order.

    Args:
        tables: Rows of `segments`, `relations`, `labels` and `recordings` of the take.
        clock_of: Clocks of the recordings that have one; actions on others are left out.
        as_annotated: Show each action from its start to its end, however long.
    """
    found_clips = clips(
        tables["segments"], tables["recordings"], kind=KIND, as_annotated=as_annotated
    )
    shown = {
        row["segment_id"]: (row["clip_start_s"], row["clip_end_s"])
        for row in found_clips.iter_rows(named=True)
    }
    said = _relations(tables["relations"])
    narrated = NarratedVerbs(tables["labels"])
    found: list[Act] = []
    actions = tables["segments"].filter(
        (pl.col("kind") == KIND)
        & pl.col("class_name").fill_null("").str.strip_chars().ne("")
        & ~pl.col("is_point").fill_null(False)
    )
    for row in actions.iter_rows(named=True):
        clock = clock_of.get(row["recording_id"])
        if clock is None:
            continue
        relations = said.get(row["segment_id"], ())
        key = row["segment_id"]
        done = narrated.all_done(key) and narrated.all_by_own_actor(key)
        clip = shown.get(key) if done else None
        found.append(
            Act(
                segment_id=row["segment_id"],
                recording_id=row["recording_id"],
                actor=row["actor_id"] or row["recording_id"],
                words=_told(row["narration"] or "", row["class_name"]),
                verbs=_words(r["object"] for r in relations if r["relation"] == "verb" and done),
                things=_words(r["object"] for r in relations if r["role"] == "direct"),
                parts=frozenset(
                    (r["object"].casefold().strip(), r["role"] or "other")
                    for r in relations
                    if r["relation"] != "verb" and r["role"] != "hand"
                ),
                relations=tuple(r["relation_id"] for r in relations),
                start_s=clock.to_take(row["start_s"]),
                end_s=clock.to_take(row["end_s"]),
                clip=None if clip is None else (clock.to_take(clip[0]), clock.to_take(clip[1])),
                done=done,
            )
        )
    return sorted(found, key=lambda act: (act.start_s, act.end_s, act.segment_id))


def _relations(relations: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in relations.sort("relation_id").iter_rows(named=True):
        found.setdefault(row["segment_id"], []).append(row)
    return found


def _told(narration: str, class_name: str) -> str:
    """What is done as a person would say it: a narration of its own, else the class as English.

    Where a dataset narrates nothing, `narration` holds the words of the class name.
    """
    said, written = (re.findall(r"\w+", text.casefold()) for text in (narration, class_name))
    left = iter(written)
    is_class = all(word in left for word in said)
    return readable_action(narration or class_name) if is_class else narration


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(text.casefold().strip() for text in texts)
