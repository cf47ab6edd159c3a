"""Scene graphs in which things are put on places and taken from them, small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl

from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

PLACES = ("table", "shelf", "sink", "box", "counter")


def located(
    made: Graph,
    thing: str,
    place: str,
    span: tuple[float, float],
    begun: str,
    *,
    ended: str | None = None,
    taken: bool = False,
    **values: Any,
) -> Graph:
    """A thing at a place, by the action that puts it there or takes it away."""
    made.edge(
        f"{thing}.{place}.{span[0]:g}", f"R/object/{thing}", "located", f"R/object/{place}", span,
        segment_id=f"seg-{begun}",
        role="location",
        caused_by=None if taken else f"{made.uid}.{begun}.on",
        ended_by=f"{made.uid}.{ended}.on" if ended else None,
        **{"preposition": "at" if taken else "on", **values},
    )  # fmt: skip
    return made


def moved(uid: str = "R", *, back: str = "sink", name: str = "cup") -> Graph:
    """A cup is taken from a shelf, put on a table, taken and put elsewhere; a jar is opened all along."""
    made = Graph(uid)
    for place in PLACES:
        made.node(f"R/object/{place}", "object", place)
    made.deed("a", "take", name, 4.0, 5.0, hand=RIGHT).deed("b", "put", name, 7.0, 8.0, hand=RIGHT)
    made.deed("c", "open", "jar", 12.0, 13.0)
    made.deed("d", "take", name, 20.0, 21.0).deed("e", "put", name, 22.0, 23.0)
    made.deed("f", "close", "jar", 26.0, 27.0).deed("g", "open", "lid", 29.0, 30.0)
    for number, place in enumerate(("box", "counter")):
        action = f"R/action/{'cfg'[number]}"
        made.edge(f"do.{place}", action, "near", f"R/object/{place}", (0, 1), role="location")
    located(made, name, "shelf", (4.0, 4.0), "a", taken=True)
    located(made, name, "table", (8.0, 20.0), "b", ended="d")
    located(made, name, back, (23.0, 30.0), "e")
    return made


def together(made: list[Graph]) -> dict[str, pl.DataFrame]:
    """Tables of several recordings."""
    tables = [graph.tables() for graph in made]
    return {name: pl.concat([t[name] for t in tables]) for name in tables[0]}
