"""Cross-view association: the clip of the other view that shows the query's action (EgoBridge B6).

Four subtasks: ego to exo and exo to ego, with 5 and 20 options and the same queries. Chance is 20 %
and 5 %.

The options are clips. An option's `text` holds the narration of its segment for the protocol that
reads text in place of video (`blind_text`): with it the answer can be read off, so a protocol that
shows it together with the query's narration leaks. `questions.text` never holds a narration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.clips import clips
from assets.questions.kit.funnel import refuse
from assets.questions.kit.identity import LETTERS
from assets.questions.kit.needs import pairs_with
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

COUNTS = (5, 20)
ASKED_SPLITS = ("val", "test")
SPLIT, NEGATIVES = "split_is_asked", "enough_negatives"
VIEWS = {"ego": "the camera wearer's own view", "exo": "an outside observer's view"}


def subtask_name(direction: str, count: int) -> str:
    """`association_ego2exo_k5` and the like."""
    return f"association_{direction}_k{count}"


RECIPE = Recipe(
    "egobridge",
    "association",
    1,
    template(__file__, "association.j2"),
    subtasks=tuple(subtask_name(d, n) for d in ("ego2exo", "exo2ego") for n in COUNTS),
)


def questions(
    tables: Tables,
    reading: str,
    *,
    shared_queries: bool = True,
    splits: tuple[str, ...] = ASKED_SPLITS,
) -> Iterator[Row]:
    """Questions of all four subtasks from the pairs of one or several pools.

    Args:
        tables: Rows of `pairs`, of `recordings`, and of `segments` with all fine segments of the
            recordings shown (neighbours bound the clips).
        reading: Under `paper`, take any other clips of the positive's recording as negatives
            ("randomly choose video clips from the same video"), whatever they show, and show
            segments as annotated.
        shared_queries: Ask with 5 options only where 20 can be asked, as in the paper; else with 5
            wherever there are 4 negatives.
        splits: Splits asked about; the paper gives no pairs for training.

    Each pair is a candidate for every number of options.

    Raises:
        KeyError: A pair names a segment or recording that is not in the tables, or a segment too
            short to show.
    """
    recipe = RECIPE.under(reading)
    shown = _options(tables, as_annotated=recipe.as_paper)
    beside = _by_recording(shown)
    for pair in tables["pairs"].iter_rows(named=True):
        if pair["split"] not in splits:
            refuse(SPLIT, len(COUNTS))
            continue
        negatives = pair["negative_segment_ids"]
        if recipe.as_paper:
            negatives = _any_negatives(pair, beside[pair["positive_recording_id"]])
        possible = 1 + len(negatives)
        least = max(COUNTS) if shared_queries else 0
        for count in COUNTS:
            if possible < max(count, least):
                refuse(NEGATIVES)
            else:
                yield _question(recipe, pair, negatives[: count - 1], shown)


def _question(
    recipe: Recipe,
    pair: Mapping[str, Any],
    negatives: list[str],
    shown: Mapping[tuple[str, str], Option],
) -> Row:
    source, query = pair["source"], pair["query_segment_id"]
    count = 1 + len(negatives)
    query_view, option_view = pair["direction"].split("2")
    return recipe.question(
        subtask=subtask_name(pair["direction"], count),
        anchor=(query, pair["positive_recording_id"]),
        text={
            "query_view": VIEWS[query_view],
            "option_view": VIEWS[option_view],
            "count": count,
            "first": LETTERS[0],
            "last": LETTERS[count - 1],
        },
        answer=shown[source, pair["positive_segment_id"]],
        distractors=[shown[source, segment] for segment in negatives],
        media=[shown[source, query].shown],
        evidence=[(table, query, "query") for table in ("segments", "labels")],
        split=pair["split"],
        pool=pair["pool"],
    )


def _options(tables: Tables, *, as_annotated: bool) -> dict[tuple[str, str], Option]:
    """Each segment that can be shown, as an option, by source and id."""
    recordings = {
        (row["source"], row["recording_id"]): row
        for row in tables["recordings"].iter_rows(named=True)
    }
    found: dict[tuple[str, str], Option] = {}
    shown = clips(tables["segments"], tables["recordings"], as_annotated=as_annotated)
    for row in shown.iter_rows(named=True):
        source, segment = row["source"], row["segment_id"]
        recording = recordings.get((source, row["recording_id"]))
        if recording is not None:
            clip = Clip(recording, row["clip_start_s"], row["clip_end_s"], segment)
            evidence = (("segments", segment), ("labels", segment))
            found[source, segment] = Option(row["narration"] or "", clip=clip, evidence=evidence)
    return found


def _by_recording(shown: Mapping[tuple[str, str], Option]) -> Mapping[str, list[str]]:
    """Segments that can be shown, by recording."""
    found: dict[str, list[str]] = defaultdict(list)
    for (_, segment), option in shown.items():
        found[option.shown.recording["recording_id"]].append(segment)
    return found


def _any_negatives(pair: Mapping[str, Any], beside: list[str]) -> list[str]:
    """Other segments of the positive's recording, by hash of (query, segment)."""
    query, positive = pair["query_segment_id"], pair["positive_segment_id"]
    others = (segment for segment in beside if segment != positive)
    return by_hash(others, "negative", query)[: max(COUNTS) - 1]


BUILDER = RECIPE.builder(
    questions,
    unit="pool",
    reads={
        "pairs": None,
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "recordings": RECORDING_COLUMNS,
    },
    needs=pairs_with(max(COUNTS) - 1, ASKED_SPLITS),
    rules=(SPLIT, NEGATIVES),
    limits=f"pairs of {' and '.join(ASKED_SPLITS)} with {max(COUNTS) - 1} negatives",
)
