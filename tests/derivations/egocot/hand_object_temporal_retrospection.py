"""EgoCoT's order of actions: in which order the wearer first acts on three things of a clip."""

from __future__ import annotations

from tests.derivations import scene
from tests.derivations.scene import Act, does, evidence, rationale, scene_tables
from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    seconds,
)

ORDERS = ("spoon plate cup", "cup plate spoon", "cup spoon plate", "plate spoon cup")


def in_words(order: str) -> str:
    return ", then ".join(f"the {name}" for name in order.split())


def three_in_turn() -> World:
    """A cup is taken, a plate put down, a spoon washed; the clip lasts from 1 to 10.5 s."""
    acts = [
        Act("take", "cup", 2.5, 3.5, "right hand"),
        Act("put", "plate", 5.0, 6.0),
        Act("wash", "spoon", 7.5, 8.5, "both hands"),
        Act("open", "jar", 14.0, 15.0, "right hand"),
    ]
    options = [
        option(
            letter,
            in_words(order),
            order == ORDERS[1],
            value=" > ".join(f"C1/object/{name}" for name in order.split()),
        )
        for letter, order in zip("ABCD", ORDERS, strict=True)
    ]
    contacts = [(a.verb, a.thing, a.hand) for a in acts[:3]]
    row = question(
        "egocot",
        "hand_object_temporal_retrospection",
        options,
        [medium("query", "C1", 1.0, 10.5, sampling="endpoints(16)")],
        text="In which order does the camera wearer first act on the cup, the plate and the spoon in this"
        " clip?",
        answer_text=in_words(ORDERS[1]),
        evidence=evidence(
            *(
                part
                for n, (verb, thing, hand) in enumerate(contacts, 1)
                for part in (
                    ("graph_edges", f"C1/{verb}/acts_on/{thing}", f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{n}"),
                    ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{n}"),
                )
            ),
            *(
                ("graph_nodes", f"C1/object/{name}", f"option_{letter}")
                for letter, order in zip("ABCD", ORDERS, strict=True)
                for name in order.split()
            ),
        ),
        rationale=rationale(
            *(
                (
                    f"From {start} s to {start + 1} s of the clip, the camera wearer {does(verb)} the {thing}"
                    f" with {'' if hand.startswith('both') else 'the '}{hand}.",
                    [
                        f"graph_edges:C1/{verb}/acts_on/{thing}",
                        f"graph_edges:C1/{verb}/does/{verb}",
                        f"graph_edges:C1/{verb}/with/{hand}",
                    ],
                )
                for start, (verb, thing, hand) in zip((1.5, 4.0, 6.5), contacts, strict=True)
            ),
            (
                "Nothing is done with any of them earlier in the clip, so the order is the cup, then the"
                " plate, then the spoon.",
                [f"graph_nodes:C1/object/{name}" for name in ("cup", "plate", "spoon")],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        scene_tables(acts),
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(2.0, 4.0),
    )


WORLDS = {"three_in_turn": three_in_turn}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def move(w: World, verb: str, start_s: float, end_s: float) -> None:
    w.row("segments", segment_id=f"C1/{verb}").update(start_s=start_s, end_s=end_s)


def takes_part(w: World, segment: str, name: str, relation: str, role: str | None) -> None:
    scene.takes_part(w.tables, f"{segment}/verb", segment, name, relation, role)
    w.tables["relations"][-1]["subject"] = segment.rpartition("/")[2]


@fault("three_in_turn", "answer", "wrong_key")
def order_of_two_actions_reversed(w: World) -> None:
    move(w, "put", 8.7, 9.7)


@fault("three_in_turn", "answer", "wrong_key")
def first_and_last_exchanged(w: World) -> None:
    move(w, "take", 9.0, 10.0)


@fault("three_in_turn", "answer", "wrong_key")
def identity_of_two_things_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/take/cup")["object"] = "spoon"
    w.row("relations", relation_id="C1/wash/spoon")["object"] = "cup"


@fault("three_in_turn", "consistent", "not_in_clip")
def action_after_the_observed_end(w: World) -> None:
    move(w, "wash", 11.0, 12.0)


@fault("three_in_turn", "consistent", "not_in_clip")
def action_before_the_clip(w: World) -> None:
    w.query["start_s"] = 3.6
    w.query["end_s"] = 12.0


@fault("three_in_turn", "consistent", "not_in_clip")
def identity_of_a_thing_changed(w: World) -> None:
    w.row("relations", relation_id="C1/put/plate")["object"] = "bowl"


@fault("three_in_turn", "consistent", "not_in_clip")
def somebody_else_takes_the_cup(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["subject"] = "P2"


@fault("three_in_turn", "consistent", "action_cut")
def clip_begins_within_the_first_action(w: World) -> None:
    w.query["start_s"] = 2.9


@fault("three_in_turn", "consistent", "action_cut")
def last_action_goes_on_after_the_clip(w: World) -> None:
    move(w, "wash", 7.5, 12.0)


@fault("three_in_turn", "consistent", "used_before")
def spoon_is_a_tool_before_it_is_washed(w: World) -> None:
    takes_part(w, "C1/take", "spoon", "with", "tool")


@fault("three_in_turn", "consistent", "used_before")
def plate_is_a_place_before_it_is_moved(w: World) -> None:
    takes_part(w, "C1/take", "plate", "from", "source")


@fault("three_in_turn", "consistent", "may_be_held")
def spoon_is_in_the_hand_from_the_start(w: World) -> None:
    w.row("relations", relation_id="C1/open/jar")["object"] = "spoon"
    w.row("relations", relation_id="C1/open/verb")["object"] = "take"
    move(w, "open", 0.2, 0.9)


@fault("three_in_turn", "margin", "begin_apart")
def two_actions_begin_together(w: World) -> None:
    move(w, "put", 7.0, 7.4)


@fault("three_in_turn", "margin", "in_turn")
def two_actions_overlap(w: World) -> None:
    move(w, "take", 2.5, 5.4)


@fault("three_in_turn", "consistent", "clip_length")
def clip_of_seven_seconds(w: World) -> None:
    w.query["start_s"], w.query["end_s"] = 2.0, 9.0


@fault("three_in_turn", "consistent", "evidence_role")
def evidence_of_an_action_after_the_end(w: World) -> None:
    w.question["evidence"][8]["key"] = "C1/open/acts_on/jar"


@fault("three_in_turn", "consistent", "evidence_role")
def link_of_another_hand(w: World) -> None:
    w.question["evidence"][3]["key"] = "C1/put/with/left hand"


@fault("three_in_turn", "consistent", "evidence_role")
def evidence_of_two_actions_exchanged(w: World) -> None:
    rows = w.question["evidence"]
    rows[0]["key"], rows[4]["key"] = rows[4]["key"], rows[0]["key"]


@fault("three_in_turn", "consistent", "value_differs_from_text")
def option_means_another_order(w: World) -> None:
    w.answer["value"] = "C1/object/plate > C1/object/cup > C1/object/spoon"


@fault("three_in_turn", "well_formed", "value_missing")
def option_means_a_thing_that_is_not(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("cup", "ghost")


@fault("three_in_turn", "consistent", "evidence_of_another_recording")
def option_means_a_thing_elsewhere(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("C1/object/cup", "C2/object/cup")


@fault("three_in_turn", "consistent", "value_differs_from_text")
def option_orders_another_thing(w: World) -> None:
    w.others[0]["text"] = w.others[0]["text"].replace("cup", "jar")


@fault("three_in_turn", "explanation", "contradicted")
def rationale_uses_another_hand(w: World) -> None:
    explain(w, "cup with the right hand", "cup with the left hand")


@fault("three_in_turn", "explanation", "contradicted")
def rationale_is_a_second_late(w: World) -> None:
    explain(w, "From 4.0 s to 5.0 s", "From 5.0 s to 6.0 s")


@fault("three_in_turn", "explanation", "contradicted")
def rationale_names_another_verb(w: World) -> None:
    explain(w, "wearer puts", "wearer washes")


@fault("three_in_turn", "explanation", "contradicted")
def rationale_exchanges_two_things(w: World) -> None:
    explain(w, "cup with the right hand", "plate with the right hand")


@fault("three_in_turn", "explanation", "contradicted")
def rationale_concludes_with_another_order(w: World) -> None:
    explain(w, "the cup, then the plate, then the spoon", "the plate, then the cup, then the spoon")


@fault("three_in_turn", "explanation", "left_out")
def rationale_leaves_an_action_out(w: World) -> None:
    second = w.question["rationale"].pop(1)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(second["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n


@fault("three_in_turn", "seen_by_sampling", "not_seen")
def frames_too_far_apart(w: World) -> None:
    w.query["sampling"] = "every(5)"
