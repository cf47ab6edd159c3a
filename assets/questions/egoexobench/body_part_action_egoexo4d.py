"""Body part action from descriptions of moments: which hand or foot acts in two videos (EgoExoBench A.3).

The pair is a moment of one take in the wearer's view and a moment of another take of the scenario and split
in an observer's. Both descriptions are of the wearer (`C`), name the left or right of the same kind of body
part, and share a word that is neither a part of the body nor a small word: a verb or an object. The ego
view must show the action (`ego_visible`).

A clip reaches half-way to the descriptions before and after, at most 2 s to each side: descriptions are
moments without an end. The statements are made as for EgoExoLearn (`body_part_action_egoexolearn`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from assets.questions.egoexobench.parts import KINDS, Deed, kind_of, questions_of
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks

RECIPE = Recipe(
    "egoexobench",
    "body_part_action",
    1,
    template(__file__, "body_part_action_egoexo4d.j2"),
    name="body_part_action_egoexo4d",
)
WEARER = "C"
REACH_S = 2.0
SHORTEST_S = 0.5
_NO_MARKS = frozenset(
    "a an and at by c down for forward from his her him in into it its left of off on onto or out over"
    " right she he the their them to up while with".split()
)
_SUBJECT = re.compile(r"^C\b")


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the described moments of a scenario.

    Args:
        tables: Rows of `recordings`, `clocks` and `segments` of the scenario's recordings.
    """
    clocks = synchronous_clocks(tables["clocks"])
    worn, fixed = (cameras(tables["recordings"], clocks, view) for view in ("ego", "exo"))
    observers: dict[str, list[Camera]] = defaultdict(list)
    for camera in fixed:
        observers[camera.row["take_id"]].append(camera)
    wearers = {camera.uid: camera for camera in worn}
    ego: list[Deed] = []
    exo: list[Deed] = []
    for row in _moments(tables["segments"]).iter_rows(named=True):
        wearer = wearers.get(row["recording_id"])
        words = _SUBJECT.sub("The person", row["narration"].strip())
        kind = kind_of(words)
        if wearer is None or kind is None or '"' in words or row["actor_id"] != WEARER:
            continue
        key = row["segment_id"]
        span = tuple(wearer.clock.to_take(row[side]) for side in ("shown_from", "shown_to"))
        if row["ego_visible"]:
            ego.append(_deed(key, words, kind, wearer, span))
        seen = [c for c in observers[wearer.row["take_id"]] if c.films(span)]  # type: ignore[arg-type]
        if seen:
            camera = by_hash(seen, "camera", key, key=lambda c: c.uid)[0]
            exo.append(_deed(key, words, kind, camera, span))
    places = {
        uid: (take, split)
        for uid, take, split in tables["recordings"]
        .select("recording_id", "take_id", "split")
        .iter_rows()
    }
    yield from questions_of(RECIPE, ego, exo, places)


def _deed(key: str, words: str, kind: str, camera: Camera, span: tuple[float, ...]) -> Deed:
    start_s, end_s = (camera.clock.from_take(t) for t in span)
    limit = camera.row["duration_s"] or end_s
    clip = Clip(camera.row, max(0.0, start_s), min(limit, end_s))
    return Deed(key, words, kind, marks_of(words), clip, (("segments", key),))


def marks_of(words: str) -> frozenset[str]:
    """Words of a description that name what is done or with what."""
    parts = {part for parts in KINDS.values() for part in parts.split("|")}
    found = set(re.findall(r"[a-z]+", words.casefold())) - _NO_MARKS - parts - {"person"}
    return frozenset(found)


def _moments(segments: pl.DataFrame) -> pl.DataFrame:
    """Descriptions with the time to be shown around each, in the wearer's recording."""
    at = pl.col("start_s")
    moments = (
        segments.filter((pl.col("kind") == "atomic") & pl.col("narration").is_not_null())
        .sort("recording_id", "start_s", "segment_id")
        .with_columns(
            before=(at - at.shift(1).over("recording_id")).fill_null(2 * REACH_S) / 2,
            after=(at.shift(-1).over("recording_id") - at).fill_null(2 * REACH_S) / 2,
        )
        .with_columns(
            shown_from=at - pl.min_horizontal("before", pl.lit(REACH_S)),
            shown_to=at + pl.min_horizontal("after", pl.lit(REACH_S)),
        )
        .with_columns(shown_from=pl.col("shown_from").clip(lower_bound=0.0))
    )
    return moments.filter(pl.col("shown_to") - pl.col("shown_from") >= SHORTEST_S)


BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "scenario"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "start_s",
            "narration",
            "actor_id",
            "ego_visible",
        ),
    },
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where("segments", ("kind",), pl.col("kind") == "atomic", "no description of a moment"),
    ),
    limits=(
        "two described moments of two takes of one scenario and split that name the left or right of one"
        " kind of body part and share a verb or an object"
    ),
    paper=False,
)
