"""Recipes of HD-EPIC: their steps, when each was prepared and done, and what was added when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assets.sources.documents import Document
from assets.sources.hd_epic.files import RECIPES, first_of, video_id, video_or_none
from assets.sources.reading.json import json_trees, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number

PRECISION_S = 0.001
_KINDS = {"step_times": ("step", "keystep"), "prep_times": ("prep", "phase")}
_INGREDIENTS = ("add", "weigh")


@dataclass(frozen=True, slots=True)
class Span:
    """A time somebody annotated.

    Attributes:
        layer: `step`, `prep`, `add` or `weigh`.
        of: Step or ingredient.
        order: Place of the step in its recipe, from 0.
    """

    layer: str
    of: str
    text: str
    video: str
    start_s: float
    end_s: float
    order: int | None

    @property
    def uid(self) -> str:
        """Key made of what is annotated and when: captures have no ids of their own."""
        return f"{self.layer}|{self.of}|{self.video}|{self.start_s:.3f}|{self.end_s:.3f}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe and when it was cooked."""

    uid: str
    name: str
    videos: tuple[str, ...]
    spans: tuple[Span, ...]
    file: str


def _parse_recipes(files: Mapping[str, bytes], reader: RowReader) -> Sequence[Recipe]:
    """All recipes; those and the times that cannot be read are refused one by one."""
    path = first_of(files, RECIPES)
    if path is None:
        return ()
    found: list[Recipe] = []
    try:
        for uid, said in json_trees(files[path]):
            made = reader.make(
                path,
                uid,
                lambda u=uid, s=said: {"it": _recipe(path, str(sound(u)), sound(s), reader)},
            )
            if made is not None:
                found.append(made["it"])
    except Malformed as error:
        reader.unreadable(path, error)
    return found


def _recipe(path: str, uid: str, said: Any, reader: RowReader) -> Recipe:
    name, steps = _field(said, "name", str), _field(said, "steps", dict)
    captures = _field(said, "captures", list)
    order = {step: at for at, step in enumerate(steps)}
    videos: dict[str, None] = {}
    spans: list[Span] = []
    for at, capture in enumerate(captures):
        for video in _field(capture, "videos", list):
            if video_or_none(video):
                videos[video] = None
        for layer, of, text, times in _told(capture, steps):
            for number_of, span in enumerate(times if isinstance(times, list) else [times]):
                row = f"{uid}.captures[{at}].{layer}.{of}[{number_of}]"
                made = reader.make(
                    path, row,
                    lambda s=span, la=layer, o=of, t=text: {"it": _span(s, la, o, t, order.get(o))},
                    video_or_none(span.get("video")) if isinstance(span, dict) else None,
                )  # fmt: skip
                if made is not None:
                    spans.append(made["it"])
    return Recipe(uid, name, tuple(videos), tuple(spans), path)


def _told(capture: Any, steps: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Layer, step or ingredient, its text, and the times a capture gives."""
    for key, (layer, _) in _KINDS.items():
        for step, times in (capture.get(key) or {}).items():
            yield layer, step, str(steps.get(step, "")), times
    for of, ingredient in (capture.get("ingredients") or {}).items():
        if isinstance(ingredient, dict):
            for layer in _INGREDIENTS:
                text = f"{layer} {ingredient.get('name')}"
                yield layer, of, text, ingredient.get(layer) or []


def _span(said: Any, layer: str, of: str, text: str, order: int | None) -> Span:
    if not isinstance(said, dict):
        raise Malformed("a time is not an object", str(said)[:80])
    if layer in ("step", "prep") and not text:
        raise Malformed("the recipe has no such step", of)
    video = video_id(str(said.get("video")))
    return Span(layer, of, text, video, number(said.get("start")), number(said.get("end")), order)


def recipe_segments(source: str, recipes: Iterable[Recipe]) -> Iterator[dict]:
    """Rows of `segments`: steps (`keystep`, in order), their preparation, ingredients."""
    kinds = dict(_KINDS.values())
    for recipe in recipes:
        for span in recipe.spans:
            yield {
                "source": source,
                "segment_id": span.uid,
                "recording_id": span.video,
                "kind": kinds.get(span.layer, "interaction"),
                "start_s": span.start_s,
                "end_s": span.end_s,
                "precision_s": PRECISION_S,
                "step_order": span.order,
                "class_name": f"prepare: {span.text}" if span.layer == "prep" else span.text,
                "source_file": recipe.file,
                "source_key": f"{recipe.uid}|{span.uid}",
            }


def _field(said: Any, name: str, kind: type) -> Any:
    value = said.get(name) if isinstance(said, dict) else None
    if not isinstance(value, kind):
        raise Malformed(f"{name} is absent or no {kind.__name__}", str(value)[:80])
    return value


ALL_RECIPES = Document("segments", RECIPES, _parse_recipes)
"""All recipes; `segments` records what is wrong with the file."""
