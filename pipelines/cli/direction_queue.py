"""Movements of a source, take by take, for people to write directions of."""

from __future__ import annotations

import polars as pl

from assets.questions.egoexobench.direction_prediction import BUILDER
from assets.questions.egoexobench.written_directions import direction_queue
from assets.sources.reviews.forms import QUEUE
from expectations.schemas import TABLES
from resources.config import Settings


def directions_of(settings: Settings, source: str, round_: int) -> pl.DataFrame:
    """Queue of directions of a source, in the columns of `QUEUE`.

    Args:
        settings: Configuration.
        source: Source.
        round_: Round the decisions will belong to: in the first people write, in later ones others accept.
    """
    store = settings.store
    recordings = store.read(TABLES["recordings"], source)
    states = store.read(TABLES["review_states"], source)
    found = [pl.DataFrame(schema=QUEUE)]
    for _, members in recordings.sort("take_id", "recording_id").group_by(
        "take_id", maintain_order=True
    ):
        if members["view"].n_unique() < 2:
            continue
        uids = members["recording_id"].to_list()
        tables = {
            name: store.read(TABLES[name], source, uids)
            for name in BUILDER.reads
            if TABLES[name].unit == "recording_id"
        }
        tables |= {"recordings": members, "review_states": states}
        found.append(direction_queue(tables, round_))
    return pl.concat(found)
