"""Places that annotators state of whole movements, joined to the actions that are narrated."""

from __future__ import annotations

import pytest

from tests.assets.scene_graphs.test_graph import KEY, box, edges, graph, relation, segment

COUNTER, FRIDGE = "P01_counter.001", "P01_fridge.001"


def move(
    track: str,
    start_s: float,
    end_s: float,
    places: tuple[str | None, str | None],
    name: str = "Cup",
) -> dict:
    spans = {"start_s": start_s, "end_s": end_s, "start_place": places[0], "end_place": places[1]}
    return KEY | {"track_id": track, "object_id": f"{name} 1", "name": name, "moves": True} | spans


def did(uid: str, verb: str, thing: str = "cup") -> list[dict]:
    return [
        relation(uid, "Camera wearer", "verb", verb),
        relation(uid, verb, "direct object", thing, role="direct"),
    ]


SEGMENTS = [segment("g1", 2, 4), segment("g2", 6, 8), segment("g3", 12, 14)]
ACTS = [*did("g1", "take"), *did("g2", "put"), *did("g3", "wash", "pan")]


def places(*moves: dict, acts: list[dict] = ACTS, **more: object) -> list[tuple]:
    made = graph(SEGMENTS, acts, tracks=moves, **more)  # type: ignore[arg-type]
    found = edges(made, "preposition", "role", "start_s", "end_s", "source_table", "source_row")
    return [row[:1] + row[2:] for row in found if row[1] == "located"]


def test_a_thing_is_at_the_fixtures_of_its_movement() -> None:
    assert places(move("t1", 3.0, 7.0, (FRIDGE, COUNTER))) == [
        ("cup", "counter", "at", "target", 8, 14, "tracks", "t1"),
        ("cup", "fridge", "at", "source", 2, 2, "tracks", "t1"),
    ]


def test_the_action_leads_to_the_fixture_too() -> None:
    made = graph(SEGMENTS, ACTS, tracks=[move("t1", 3.0, 7.0, (FRIDGE, COUNTER))])
    joined = [row for row in edges(made, "role") if row[1] in ("to", "from")]
    assert joined == [("put", "to", "counter", "target"), ("take", "from", "fridge", "source")]


@pytest.mark.parametrize(
    "moves",
    [
        [move("t1", 3.0, 7.0, (FRIDGE, COUNTER), "Mug")],
        [move("t1", 1.4, 8.6, (FRIDGE, COUNTER))],
        [move("t1", 3.0, 7.0, (None, None))],
        [move("t1", 3.0, 7.0, (FRIDGE, COUNTER)), move("t2", 3.5, 7.5, (COUNTER, FRIDGE))],
        [move("t1", 3.0, 7.0, (FRIDGE, COUNTER)) | {"moves": False}],
    ],
    ids=["another thing", "0.6 s beside", "no fixture", "two at once", "no movement"],
)
def test_nothing_is_claimed_where_no_movement_alone_fits(moves: list[dict]) -> None:
    assert places(*moves) == []


def test_what_is_put_on_is_put_where_its_movement_ends() -> None:
    """Alone the words may be said of clothes."""
    acts = [*did("g1", "take"), *did("g2", "put-on")]
    assert places(acts=acts) == []
    found = places(move("t1", 3.0, 7.0, (None, COUNTER)), acts=acts)
    assert [row[:3] for row in found] == [("cup", "counter", "at")]


def test_fixtures_of_one_kind_are_told_apart() -> None:
    other = move("t2", 20.0, 21.0, (None, "P01_counter.002"), "Pan")
    made = graph(SEGMENTS, ACTS, tracks=[move("t1", 3.0, 7.0, (None, COUNTER)), other])
    (counter,) = (node for node in made.nodes if node["name"] == "counter")
    assert (counter["instance"], counter["node_id"]) == (COUNTER, f"r|object|{COUNTER}")


def test_movements_of_one_thing_make_one_node() -> None:
    """It is the thing that is narrated, if no other has its name."""

    def drawn(at: float, track: str, thing: str) -> dict:
        return box(None, "Cup", at, track_id=track, object_id=thing)

    moves = [move("t1", 3.0, 7.0, (FRIDGE, COUNTER)), move("t2", 20.0, 21.0, (COUNTER, FRIDGE))]
    one = graph(
        SEGMENTS, ACTS, [drawn(3.0, "t1", "Cup 1"), drawn(20.0, "t2", "Cup 1")], tracks=moves
    )
    (cup,) = (node for node in one.nodes if node["name"] == "cup")
    assert (cup["node_id"], [b["t_s"] for b in cup["boxes"]]) == ("r|object|cup", [3.0, 20.0])
    two = graph(
        SEGMENTS, ACTS, [drawn(3.0, "t1", "Cup 1"), drawn(20.0, "t2", "Cup 2")], tracks=moves
    )
    cups = [(n["node_id"], len(n["boxes"])) for n in two.nodes if n["name"] == "cup"]
    assert cups == [("r|object|Cup 1", 1), ("r|object|Cup 2", 1), ("r|object|cup", 0)]
