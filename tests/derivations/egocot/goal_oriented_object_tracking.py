"""EgoCoT's things that are followed: a cup is taken and put on a table; it is a tool and is laid into a sink."""

from __future__ import annotations

from tests.derivations.places import Step, about_places, becomes, contact, joins, move, told
from tests.derivations.world import Fault, World, collect, explain, reword

SHELF, TABLE_EDGE, SINK = (f"C1/cup/located/{place}" for place in ("shelf", "table", "sink"))


def _world(
    use: str, does: str, verb: str, thing: str, options: str, clip: tuple[float, float], put: str,
    edge: str, steps: tuple[str, str, str],
) -> World:  # fmt: skip
    """A question about the cup, used in an action, put somewhere in another, and there at the end of the clip.

    Args:
        use: How the text says that it is used, with the times.
        does: The action that uses it.
        verb: How the rationale says that it is used.
        thing: Last part of the edge to it.
        options: Places; the second is right.
        clip: Start and end of the clip.
        put: The action that puts it down.
        edge: Edge from the cup to the place.
        steps: Times of the first step; times of the place; the place in words.
    """
    length = clip[1] - clip[0]
    used = [f"graph_edges:C1/{does}/acts_on/{thing}", f"graph_edges:C1/{does}/does/{does}"]
    first, held, words = steps
    start_s = {"put": 4.0, "lay": 11.0}[put]
    rationale: list[Step] = [
        (f"{first} of the clip, the camera wearer {verb}.", used),
        told(put, start_s, clip[0]),
        (f"{held} of the clip, the cup is {words}.", [f"graph_edges:{edge}"]),
        (
            f"So when the clip ends, at {length:.1f} s, the thing that was followed is {words}.",
            [f"graph_edges:{edge}", f"graph_nodes:C1/object/{words.rpartition(' ')[2]}"],
        ),
    ]
    return about_places(
        "goal_oriented_object_tracking",
        f"Follow the thing that the camera wearer {use} of the clip. On, in or under which of these is it at"
        f" {length:.1f} s, when the clip ends?",
        options,
        clip,
        [
            ("graph_edges", f"C1/{does}/acts_on/{thing}", "use"),
            ("segments", f"C1/{does}", "use"),
            ("graph_edges", f"C1/{does}/does/{does}", "action"),
            *contact(put, 1),
            ("graph_edges", edge, "place"),
        ],
        rationale,
        (2.0, 4.0) if does == "take" else (9.7, 11.3),
    )


def follows_a_target() -> World:
    """A cup is taken from a shelf and put on a table, where it still is when the clip ends at 8.0 s."""
    return _world(
        "acts on from 2.5 s to 3.5 s", "take", "takes the cup", "cup", "shelf table sink box",
        (0.0, 8.0), "put", TABLE_EDGE,
        ("From 2.5 s to 3.5 s", "From 5.0 s to 8.0 s", "on the table"),
    )  # fmt: skip


def follows_a_tool() -> World:
    """Something is cut with the cup, in place of a knife; the cup is then laid into the sink."""
    w = _world(
        "uses as a tool from 6.2 s to 6.8 s", "cut", 'uses the cup as a tool in the action "cut"', "knife",
        "table sink shelf box", (4.0, 13.0), "lay", SINK,
        ("From 6.2 s to 6.8 s", "From 8.0 s to 9.0 s", "in the sink"),
    )  # fmt: skip
    move(w, "cut", 10.2, 10.8)
    w.row("relations", relation_id="C1/cut/knife")["object"] = "cup"
    w.row("graph_edges", edge_id="C1/cut/acts_on/knife")["to_node"] = "C1/object/cup"
    return w


WORLDS = {"follows_a_target": follows_a_target, "follows_a_tool": follows_a_tool}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
TARGET, TOOL = "follows_a_target", "follows_a_tool"


@fault(TARGET, "answer", "wrong_key")
def cup_was_put_into_the_box_instead(w: World) -> None:
    joins(w, "put", "on", "table", object="box")


@fault(TOOL, "answer", "wrong_key")
def cup_was_laid_on_the_shelf(w: World) -> None:
    joins(w, "lay", "in", "sink", object="shelf")


@fault(TARGET, "consistent", "place_not_known")
def cup_is_taken_before_the_end(w: World) -> None:
    move(w, "grab", 7.0, 7.8)


@fault(TARGET, "consistent", "place_not_known")
def cup_is_washed_and_never_put_down(w: World) -> None:
    becomes(w, "put", "wash")


@fault(TOOL, "consistent", "place_not_known")
def link_to_the_sink_is_that_of_the_bowl(w: World) -> None:
    w.row("relations", relation_id="C1/lay/cup")["object"] = "bowl"


@fault((TARGET, TOOL), "consistent", "names_no_thing")
def another_thing_is_used_meanwhile(w: World) -> None:
    segment = "C1/close" if w.query["start_s"] == 0.0 else "C1/grab"
    start_s = 3.0 if segment == "C1/close" else 10.0
    w.row("segments", segment_id=segment).update(start_s=start_s, end_s=start_s + 0.6)
    like = w.row("relations", relation_id=f"{segment}/verb")
    w.tables["relations"].append(
        like | {"relation_id": f"{segment}/x", "subject": like["object"], "relation": "with",
                "object": "spoon", "role": "tool"}
    )  # fmt: skip


@fault((TARGET, TOOL), "consistent", "names_no_thing")
def somebody_else_uses_it(w: World) -> None:
    verb = "take" if w.query["start_s"] == 0.0 else "cut"
    w.row("relations", relation_id=f"C1/{verb}/verb")["subject"] = "P2"


@fault(TOOL, "consistent", "names_no_thing")
def cup_is_the_target_and_no_tool(w: World) -> None:
    w.row("relations", relation_id="C1/cut/knife").update(relation="near", role="other")


@fault(TOOL, "consistent", "names_no_thing")
def cup_is_what_it_is_covered_with(w: World) -> None:
    becomes(w, "cut", "cover")


@fault(TOOL, "consistent", "place_not_known")
def identity_of_the_tool_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/cut/knife")["object"] = "knife"


@fault((TARGET, TOOL), "consistent", "time_differs")
def use_takes_longer(w: World) -> None:
    verb, span = ("take", (2.5, 3.9)) if w.query["start_s"] == 0.0 else ("cut", (10.2, 10.95))
    move(w, verb, *span)


@fault(TARGET, "consistent", "not_moved")
def use_comes_after_the_putting(w: World) -> None:
    w.row("segments", segment_id="C1/take").update(start_s=5.2, end_s=5.8)
    becomes(w, "take", "open")
    reword(w, "from 2.5 s to 3.5 s", "from 5.2 s to 5.8 s")


@fault(TOOL, "consistent", "time_differs")
def clip_begins_while_it_is_used(w: World) -> None:
    w.query["start_s"] = 10.5
    reword(w, "from 6.2 s to 6.8 s", "from 0.0 s to 0.3 s")


@fault(TARGET, "margin", "settled")
def cup_is_about_to_be_grabbed(w: World) -> None:
    move(w, "grab", 8.2, 9.2)


@fault(TARGET, "consistent", "clip_length")
def clip_of_seven_seconds_and_a_half(w: World) -> None:
    w.query["end_s"] = 7.5
    reword(w, "8.0", "7.5")


@fault(TARGET, "consistent", "text")
def text_names_another_function(w: World) -> None:
    reword(w, "acts on from", "looks at from")


@fault(TARGET, "consistent", "text")
def text_asks_about_an_earlier_end(w: World) -> None:
    reword(w, "8.0 s, when", "6.0 s, when")


@fault(TARGET, "consistent", "evidence_role")
def evidence_after_the_end(w: World) -> None:
    w.question["evidence"][3]["key"] = "C1/lay/acts_on/cup"


@fault(TARGET, "consistent", "evidence_role")
def place_is_the_one_before(w: World) -> None:
    w.question["evidence"][7]["key"] = SHELF


@fault(TARGET, "consistent", "evidence_left_out")
def evidence_leaves_the_use_out(w: World) -> None:
    del w.question["evidence"][0]


@fault(TOOL, "explanation", "contradicted")
def rationale_calls_the_tool_a_knife(w: World) -> None:
    explain(w, "uses the cup as a tool", "uses the knife as a tool")


@fault(TARGET, "explanation", "contradicted")
def rationale_uses_it_a_second_later(w: World) -> None:
    explain(w, "From 2.5 s to 3.5 s", "From 3.5 s to 4.5 s")


@fault(TARGET, "explanation", "contradicted")
def rationale_has_it_in_the_table(w: World) -> None:
    explain(w, "the cup is on the table", "the cup is in the table")


@fault((TARGET, TOOL), "seen_by_sampling", "not_seen")
def frames_miss_the_use(w: World) -> None:
    w.query["sampling"] = "every(8)"
