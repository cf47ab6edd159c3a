"""Triplets: a kept pair with a demonstration of the same action as its reference (section 4.2.3).

Which demonstrations were used is not released, nor which classes the actions are. A demonstration
shows the action if a verb of its narration is one of the action's, with the words that tell it from
others (`actions.csv`, ours); of these the nearest to the wearers is chosen: one that they followed,
one of their scenario, any.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets.pairs.choice import numbers, pair_ranks
from expectations.schemas.skill import REFERENCE_RULES

SHORTEST_S = 1.0
# "the diced tofu": things as they are, not what is done.
_PARTICIPLE = r"ed$"
_NO_PARTICIPLES = ("shred", "feed", "need", "seed", "weed", "shed", "breed", "speed")
_DOUBLED = re.compile(r"([bcdgkmnprt])\1$")
_PLACES = {rule: place for place, rule in enumerate(REFERENCE_RULES)}


class Telling(NamedTuple):
    """What tells an action: the start of a verb, with one of some words, without any of others.

    `with_` and `without` are words separated by `|`, empty for none.
    """

    verb: str
    with_: str = ""
    without: str = ""


@cache
def action_words() -> dict[str, tuple[Telling, ...]]:
    """What tells each action, by its id."""
    text = Path(__file__).with_name("actions.csv").read_text(encoding="utf-8")
    told: dict[str, list[Telling]] = defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        told[row["action"]].append(Telling(row["verb"], row["with"], row["without"]))
    return {action: tuple(found) for action, found in told.items()}


def telling(action: str, name: str | None) -> tuple[Telling, ...]:
    """What tells an action; one that `actions.csv` does not know, by the first word of its name."""
    known = action_words().get(action)
    if known is not None or not name:
        return known or ()
    stem = name.lower().split()[0].removesuffix("ing")
    # "Whipping": the verb is written with one letter, "whip it".
    return (Telling(_DOUBLED.sub(r"\1", stem)),)


def demonstrations(
    action: str,
    name: str | None,
    segments: pl.DataFrame,
    verbs: pl.DataFrame,
    recordings: pl.DataFrame,
) -> pl.DataFrame:
    """Segments of demonstrations that show an action, with the verb that says so as `word`.

    Args:
        action: Its id.
        name: Its name, if known.
        segments: Columns segment_id, recording_id, start_s, end_s, narration; fine segments.
        verbs: Columns segment_id and term: verbs of narrations, as written.
        recordings: Columns recording_id, view, split, scenario.
    """
    exo = recordings.filter(pl.col("view") == "exo").select("recording_id", "split", "scenario")
    shown = (
        segments.select("segment_id", "recording_id", "start_s", "end_s", "narration")
        .filter(pl.col("end_s") - pl.col("start_s") >= SHORTEST_S)
        .join(exo, on="recording_id", maintain_order="left")
    )
    text = pl.col("narration").str.to_lowercase()
    holds = pl.lit(False)
    for one in telling(action, name):
        fits = pl.col("term").str.starts_with(one.verb)
        if one.with_:
            fits &= text.str.contains(rf"\b(?:{one.with_})")
        if one.without:
            fits &= ~text.str.contains(rf"\b(?:{one.without})")
        holds |= fits
    bare = pl.col("term").is_in(_NO_PARTICIPLES)
    told = (
        shown.join(verbs.select("segment_id", "term"), on="segment_id")
        .filter(holds & ~(pl.col("term").str.contains(_PARTICIPLE) & ~bare))
        .group_by("segment_id")
        .agg(word=pl.col("term").min())
    )
    return shown.join(told, on="segment_id", maintain_order="left")


def triplets(
    pairs: pl.DataFrame,
    shown: pl.DataFrame,
    recordings: pl.DataFrame,
    links: pl.DataFrame,
    *,
    same_split: bool,
) -> pl.DataFrame:
    """A reference for each kept pair, where there is one.

    Args:
        pairs: Kept pairs of one action, with `better`.
        shown: What `demonstrations` found.
        recordings: Columns recording_id, scenario.
        links: Columns take_id and other_take_id: whom each wearer's recording follows.
        same_split: Whether the reference must lie in the pair's split.

    Returns:
        Columns of `skill_triplets` from `pair_id` on.
    """
    sided = _sided(pairs)
    scenario = dict(recordings.select("recording_id", "scenario").iter_rows())
    place = _nearness(sided, shown, scenario, links)
    if same_split:
        other = sided["split"].to_numpy()[:, None] != shown["split"].to_numpy()[None, :]
        place[other] = len(REFERENCE_RULES)
    least = place.min(axis=1, initial=len(REFERENCE_RULES))
    rows, near = np.nonzero((place == least[:, None]) & (place < len(REFERENCE_RULES)))
    queries, candidates = numbers(sided["pair_id"]), numbers(shown["segment_id"])
    rank = pair_ranks(queries.gather(rows), candidates.gather(near)).to_numpy()
    order = np.lexsort((near, rank, rows))
    found, at = np.unique(rows[order], return_index=True)
    chosen = near[order][at]
    reference = shown[chosen].select(
        *(pl.col(name).alias(f"reference_{name}") for name in _REFERENCE), "word"
    )
    rules = pl.Series("rule", REFERENCE_RULES)[place[found, chosen].astype(np.int64)]
    return sided[found].hstack(reference).with_columns(rules.alias("rule"))


_REFERENCE = ("segment_id", "recording_id", "start_s", "end_s")


def _sided(pairs: pl.DataFrame) -> pl.DataFrame:
    """Pairs with their better and worse clip."""
    won = pl.col("better") == "first"
    parts = ("clip_id", "recording_id", "start_s", "end_s")
    return pairs.select(
        "pair_id",
        "split",
        *(
            pl.when(won == (side == "better"))
            .then(pl.col(f"first_{part}"))
            .otherwise(pl.col(f"second_{part}"))
            .alias(f"{side}_{part}")
            for side in ("better", "worse")
            for part in parts
        ),
    )


def _nearness(
    sided: pl.DataFrame,
    shown: pl.DataFrame,
    scenario: Mapping[str, str | None],
    links: pl.DataFrame,
) -> NDArray[np.uint8]:
    """Place of each demonstration in `REFERENCE_RULES` for each pair; shape (pairs, shown)."""
    wanted = shown["recording_id"].to_list()
    kinds = shown["scenario"].to_numpy()
    followed: dict[str, set[str]] = defaultdict(set)
    for uid, other in links.select("take_id", "other_take_id").iter_rows():
        followed[uid].add(other)
    wearers = sorted({*sided["better_recording_id"], *sided["worse_recording_id"]})
    row = {uid: at for at, uid in enumerate(wearers)}
    follows = np.array(
        [[w in followed[uid] for w in wanted] if uid in followed else [False] * len(wanted)
         for uid in wearers], dtype=np.bool_,
    ).reshape(len(wearers), len(wanted))  # fmt: skip
    alike = np.array(
        [kinds == scenario.get(uid) if scenario.get(uid) else np.zeros(len(wanted), dtype=np.bool_)
         for uid in wearers], dtype=np.bool_,
    ).reshape(len(wearers), len(wanted))  # fmt: skip
    better, worse = (
        np.array([row[uid] for uid in sided[f"{side}_recording_id"]], dtype=np.int64)
        for side in ("better", "worse")
    )
    place = np.full((sided.height, len(wanted)), _PLACES["same_action"], dtype=np.uint8)
    place[alike[better] | alike[worse]] = _PLACES["same_scenario"]
    place[follows[better] | follows[worse]] = _PLACES["followed_by_one"]
    place[follows[better] & follows[worse]] = _PLACES["followed_by_both"]
    return place
