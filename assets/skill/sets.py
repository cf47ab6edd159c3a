"""Everything about skill of one action and mode, from its votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import polars as pl

from assets.pairs.choice import stable_hash
from assets.skill.chains import Chains, chosen_chains, find_chains
from assets.skill.judging import judged, vote_agreement, with_self_levels
from assets.skill.order import Order, order_of
from assets.skill.references import demonstrations, triplets
from expectations.schemas import TABLES

Mode = Literal["paper", "parity"]
MODES: tuple[Mode, ...] = ("paper", "parity")
ALL = "all"
TOLERANCE_S = 0.5
"""How far a clip may reach beyond its video: frames are counted on a 25 fps copy."""


@dataclass(frozen=True, slots=True)
class EvidenceTables:
    """Tables a set is made from.

    Attributes:
        votes: Rows of `skill_votes` of one action.
        recordings: Columns recording_id, view, split, split_from, scenario, media_duration_s.
        segments: Fine segments: segment_id, recording_id, start_s, end_s, narration.
        verbs: Verbs of their narrations: segment_id, term.
        links: Rows of `take_links` that say `follows`: take_id, other_take_id.
        levels: Self-assessed levels: recording_id, level.
    """

    votes: pl.DataFrame
    recordings: pl.DataFrame
    segments: pl.DataFrame
    verbs: pl.DataFrame
    links: pl.DataFrame
    levels: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Graph:
    """Decided pairs of one list as numbers.

    Attributes:
        clips: Ids of the clips.
        better: Better clip of each pair of clips; two rows that say the same count once.
        worse: Worse clip.
        order: What they say together.
        edge: Pair of clips of each row.
    """

    clips: pl.Series
    better: np.ndarray
    worse: np.ndarray
    order: Order
    edge: np.ndarray


@dataclass(frozen=True, slots=True)
class _Looked:
    """Pairs that are looked at together, and what they say."""

    split: str
    pairs: pl.DataFrame
    graph: _Graph
    chains: Mapping[int, Chains]

    @classmethod
    def at(cls, split: str, pairs: pl.DataFrame) -> Self:
        graph = _graph(pairs.filter("counts"))
        return cls(split, pairs, graph, find_chains(len(graph.clips), graph.better, graph.worse))


def make_sets(given: EvidenceTables, mode: Mode) -> dict[str, pl.DataFrame]:
    """Rows of all tables of skill but `source`, `set`, `mode` and `action`, which are left null.

    `paper` takes the votes' outcome, keeps pairs whose recordings lie in one split, and leaves out as
    many as the order needs to be without cycles. `parity` keeps what is released, in the released
    splits, and only reports.
    """
    pairs = with_self_levels(judged(given.votes, mode), given.levels)
    pairs = _placed(pairs, given.recordings, mode)
    # The order is a matter of all that was judged, whatever split it lies in.
    pairs = _stated(pairs, _graph(pairs.filter("counts")), mode)
    kept = pairs.filter(pl.col("state") == "kept")
    known = _recordings_of(pairs)
    looked = _looked(pairs, mode)
    if mode == "parity":
        within = looked[1:]
    else:
        splits = kept["split"].unique().drop_nulls().sort()
        within = [_Looked.at(split, kept.filter(pl.col("split") == split)) for split in splits]
    chains = [
        chosen_chains(one.graph.clips, known, one.chains).with_columns(split=pl.lit(one.split))
        for one in within
    ]
    name = pairs["action_name"].first() if pairs.height else None
    action = str(given.votes["action"].first()) if given.votes.height else ""
    shown = demonstrations(action, name, given.segments, given.verbs, given.recordings)  # type: ignore[arg-type]
    triple = triplets(
        kept, shown, given.recordings, given.links, same_split=mode == "paper"
    ).with_columns(action_name=pl.lit(name, pl.String()))
    return {
        "skill_pairs": TABLES["skill_pairs"].fit(pairs),
        "skill_clips": TABLES["skill_clips"].fit(
            pl.concat(
                [
                    TABLES["skill_clips"].empty().select(_CLIP_COLUMNS),
                    *(_clips(one.split, one.graph, known) for one in looked),
                ]
            )
        ),
        "skill_transitivity": TABLES["skill_transitivity"].frame(_report(one) for one in looked),
        "skill_chains": _with_id(chains),
        "skill_triplets": TABLES["skill_triplets"].fit(triple),
    }


_CLIP_COLUMNS = (
    "split", "clip_id", "recording_id", "n_better", "n_worse", "cycle", "below_cycle",
)  # fmt: skip
_DECIDED = pl.col("better").is_not_null()
_TWO_SPLITS = pl.col("first_split") != pl.col("second_split")


def _placed(pairs: pl.DataFrame, recordings: pl.DataFrame, mode: Mode) -> pl.DataFrame:
    """Pairs with the splits of their recordings and their own, and which clips exist and count."""
    # What is released knows no split but the published ones.
    known = pl.lit(True) if mode == "paper" else pl.col("split_from") == "published"
    own = pl.when(known).then("split").alias("split")
    clips = recordings.select("recording_id", own, "media_duration_s")
    for side in ("first", "second"):
        pairs = pairs.join(
            clips.rename({c: f"{side}_{c}" for c in clips.columns}),
            on=f"{side}_recording_id",
            how="left",
            maintain_order="left",
        )
    outside = pl.any_horizontal(
        (pl.col(f"{s}_end_s") > pl.col(f"{s}_media_duration_s") + TOLERANCE_S).fill_null(False)
        for s in ("first", "second")
    )
    one = pl.when(pl.col("first_split") == pl.col("second_split")).then(pl.col("first_split"))
    split = one if mode == "paper" else pl.col("splits").list.join("+").replace("", None)
    # What is said of a clip that does not exist speaks against no pair of others.
    counts = _DECIDED & ~outside if mode == "paper" else _DECIDED
    return pairs.with_columns(outside=outside, counts=counts, split=split)


def _stated(pairs: pl.DataFrame, graph: _Graph, mode: Mode) -> pl.DataFrame:
    """Pairs with what became of them."""
    counts = pairs["counts"].to_numpy()
    first = np.ones(graph.edge.size, dtype=np.bool_)
    first[np.unique(graph.edge, return_index=True)[1]] = False
    flags = {}
    for name, values in (
        ("on_cycle", graph.order.on_cycle[graph.edge]),
        ("left_out", graph.order.left_out[graph.edge]),
        ("repeated", first),
    ):
        whole = np.zeros(pairs.height, dtype=np.bool_)
        whole[counts] = values
        flags[name] = whole
    state = pl.when(~_DECIDED).then(pl.lit("undecided"))
    if mode == "paper":
        state = (
            state.when(pl.col("outside"))
            .then(pl.lit("outside_recording"))
            .when(pl.col("repeated"))
            .then(pl.lit("repeated"))
            .when(pl.col("left_out"))
            .then(pl.lit("in_cycle"))
            .when(_TWO_SPLITS)
            .then(pl.lit("shared_between_splits"))
            .when(pl.col("split").is_null())
            .then(pl.lit("without_split"))
        )
    return pairs.with_columns(**{k: pl.Series(v) for k, v in flags.items()}).with_columns(
        state=state.otherwise(pl.lit("kept"))
    )


def _looked(pairs: pl.DataFrame, mode: Mode) -> list[_Looked]:
    """Pairs that are looked at together in the report: all, and for `parity` each released list."""
    if pairs.is_empty():
        return []
    whole = _Looked.at(ALL, pairs)
    found = [whole]
    splits = pairs["splits"].explode(empty_as_null=False).unique().drop_nulls().sort()
    for split in splits if mode == "parity" else ():
        rows = pairs.filter(pl.col("splits").list.contains(split))
        same = rows.height == pairs.height
        found.append(replace(whole, split=split) if same else _Looked.at(split, rows))
    return found


def _graph(pairs: pl.DataFrame) -> _Graph:
    won = pl.col("better") == "first"
    sides = pairs.select(
        pl.when(won).then(f"first_{n}").otherwise(f"second_{n}").alias("better")
        if side == "better"
        else pl.when(won).then(f"second_{n}").otherwise(f"first_{n}").alias("worse")
        for side in ("better", "worse")
        for n in ("clip_id",)
    )
    clips = pl.concat([sides["better"], sides["worse"]]).unique().sort().alias("clip_id")
    place = pl.DataFrame({"clip_id": clips, "at": np.arange(clips.len())})
    better, worse = (
        sides.select(name)
        .join(place, left_on=name, right_on="clip_id", how="left", maintain_order="left")["at"]
        .to_numpy()
        .astype(np.int64)
        for name in ("better", "worse")
    )
    n = clips.len()
    _, rows, edge = np.unique(better * n + worse, return_index=True, return_inverse=True)
    better, worse = better[rows], worse[rows]
    agreement = pairs["agreement"].fill_null(1.0).to_numpy()[rows]
    return _Graph(clips, better, worse, order_of(n, better, worse, agreement), edge)


def _recordings_of(pairs: pl.DataFrame) -> dict[str, str]:
    known: dict[str, str] = {}
    for side in ("first", "second"):
        known |= dict(pairs.select(f"{side}_clip_id", f"{side}_recording_id").iter_rows())
    return known


def _clips(split: str, graph: _Graph, recordings: dict[str, str]) -> pl.DataFrame:
    n = len(graph.clips)
    knot = graph.order.knot
    names = graph.clips.to_list()
    return pl.DataFrame(
        {
            "split": [split] * n,
            "clip_id": graph.clips,
            "recording_id": [recordings[c] for c in names],
            "n_better": np.bincount(graph.better, minlength=n).astype(np.int64),
            "n_worse": np.bincount(graph.worse, minlength=n).astype(np.int64),
            "cycle": [None if k < 0 else names[k] for k in knot],
            "below_cycle": graph.order.below,
        },
        schema_overrides={"split": pl.String(), "cycle": pl.String(), "recording_id": pl.String()},
    )


def _report(one: _Looked) -> dict:
    pairs, graph = one.pairs, one.graph
    knot, below = graph.order.knot, graph.order.below
    sizes = np.unique(knot[knot >= 0], return_counts=True)[1]
    decided = pairs.filter(_DECIDED)
    return {
        "action_name": pairs["action_name"].first(),
        "split": one.split,
        "n_pairs": pairs.height,
        "n_decided": decided.height,
        "n_undecided": pairs.height - decided.height,
        "n_kept": int((pairs["state"] == "kept").sum()),
        "n_shared": decided.filter(_TWO_SPLITS).height,
        "n_clips": len(graph.clips),
        "n_on_cycle": int(graph.order.on_cycle.sum()),
        "n_in_cycle": int(graph.order.left_out.sum()),
        "n_knots": len(sizes),
        "largest_knot": int(sizes.max(initial=0)),
        "n_clips_in_cycle": int((knot >= 0).sum()),
        "n_clips_below_cycle": int((below & (knot < 0)).sum()),
        **{f"n_chains_{length}": len(c.clips) for length, c in one.chains.items()},
        **{f"n_closed_{length}": _closed(c) for length, c in one.chains.items()},
        "n_self_assessed": decided.filter(pl.col("self_agrees").is_not_null()).height,
        "n_self_disagree": decided.filter(~pl.col("self_agrees")).height,
        "n_self_equal": decided.filter(pl.col("self_better") == "equal").height,
        **vote_agreement(pairs).columns(),
    }


def _closed(chains: Chains) -> int:
    return int(chains.closed.sum())


def _with_id(chains: list[pl.DataFrame]) -> pl.DataFrame:
    if not chains:
        return TABLES["skill_chains"].empty()
    rows = pl.concat(chains)
    ids = [
        stable_hash(split or "", *clips) for split, clips in rows.select("split", "clip_ids").rows()
    ]
    return TABLES["skill_chains"].fit(rows.with_columns(chain_id=pl.Series(ids, dtype=pl.String())))
