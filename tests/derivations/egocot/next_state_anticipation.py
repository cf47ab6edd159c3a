"""EgoCoT's next state: a cup was taken and is put down a second after the clip."""

from __future__ import annotations

from tests.derivations.egocot.next_action_anticipation import move, rename
from tests.derivations.scene import (
    Act,
    add_state,
    annotate_state,
    does,
    evidence,
    rationale,
    scene_tables,
)
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
    reword,
    seconds,
)

STATES = (("jar", "closed"), ("cup", "no longer held"), ("lamp", "on"), ("pot", "held"))
PATH = (("open", "jar", "left hand"), ("take", "cup", "right hand"), ("put", "cup", "right hand"))


def cup_is_put_down() -> World:
    """A lamp is switched on, a pot taken, a jar opened and a cup taken; the clip ends at 10.5 s, the cup is put down."""
    acts = [
        Act("switch on", "lamp", 0.6, 1.2),
        Act("grab", "pot", 1.5, 2.2),
        Act("drop", "pot", 2.4, 3.0),
        Act("open", "jar", 4.0, 5.0),
        Act("take", "cup", 6.0, 7.0, "right hand"),
        Act("put", "cup", 11.5, 12.5, "right hand"),
        Act("close", "jar", 17.0, 18.0),
    ]
    tables = scene_tables(acts)
    add_state(tables, "lamp", "on", (1.2, 20.0))
    add_state(tables, "pot", "held", (2.2, 3.0))
    add_state(tables, "pot", "no longer held", (3.0, 20.0))
    annotate_state(tables, "jar", "lid", "open", (4.5, 17.5))
    annotate_state(tables, "jar", "lid", "closed", (17.5, 20.0))
    add_state(tables, "cup", "held", (7.0, 12.5))
    add_state(tables, "cup", "no longer held", (12.5, 20.0))
    options = [
        option(letter, f"the {thing} is {state}", letter == "B", value=f"C1/object/{thing}={state}")
        for letter, (thing, state) in zip("ABCD", STATES, strict=True)
    ]
    links = [
        [
            f"graph_edges:C1/{verb}/acts_on/{thing}",
            f"graph_edges:C1/{verb}/does/{verb}",
            f"graph_edges:C1/{verb}/with/{hand}",
        ]
        for verb, thing, hand in PATH
    ]
    shown = [
        f"From {start:.1f} s to {start + 1:.1f} s of the clip, the camera wearer"
        f" {does(verb)} the {thing} with the {hand}."
        for start, (verb, thing, hand) in zip((3.5, 5.5), PATH, strict=False)
    ]
    row = question(
        "egocot",
        "next_state_anticipation",
        options,
        [medium("query", "C1", 0.5, 10.5, sampling="endpoints(16)")],
        text="Which of these states comes about next, within 5 s after the clip ends?",
        answer_text="the cup is no longer held",
        evidence=evidence(
            *(
                part
                for n, (verb, thing, hand) in enumerate(PATH, 1)
                for part in (
                    ("graph_edges", f"C1/{verb}/acts_on/{thing}", f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{n}"),
                    ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{n}"),
                )
            ),
            ("graph_edges", "C1/cup/has_state/no longer held", "state"),
            *(
                ("graph_nodes", f"C1/object/{thing}", f"option_{letter}")
                for letter, (thing, _) in zip("ABCD", STATES, strict=True)
            ),
        ),
        rationale=rationale(
            *zip(shown, links, strict=False),
            (
                "The next action begins 1.0 s after the clip ends: the camera wearer puts the cup with the"
                " right hand.",
                links[2],
            ),
            (
                "From 2.0 s after the clip ends, the cup is no longer held.",
                ["graph_edges:C1/cup/has_state/no longer held"],
            ),
            (
                "No other option comes about within 5 s after the clip ends, so the answer is: the cup is"
                " no longer held.",
                [f"graph_nodes:C1/object/{thing}" for thing, _ in STATES],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(3.5, 5.5),
    )


WORLDS = {"cup_is_put_down": cup_is_put_down}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
WORLD = "cup_is_put_down"


@fault(WORLD, "answer", "wrong_key")
def cup_is_put_down_much_later(w: World) -> None:
    move(w, "put", 15.0, 16.0)


@fault(WORLD, "answer", "wrong_key")
def cup_is_washed_instead(w: World) -> None:
    rename(w, "put", "wash")


@fault(WORLD, "answer", "wrong_key")
def a_bowl_is_put_down_instead(w: World) -> None:
    w.row("relations", relation_id="C1/put/cup")["object"] = "bowl"


@fault(WORLD, "consistent", "another_cause")
def something_else_is_done_first(w: World) -> None:
    move(w, "close", 11.0, 11.2)


@fault(WORLD, "leak", "shows_next_action")
def clip_shows_the_hand_put_it_down(w: World) -> None:
    w.query.update(start_s=2.0, end_s=12.0)


@fault(WORLD, "margin", "before_next")
def clip_ends_half_a_second_before_that(w: World) -> None:
    move(w, "put", 11.0, 12.0)


@fault(WORLD, "consistent", "next_is_far")
def nothing_is_done_for_six_seconds(w: World) -> None:
    move(w, "put", 16.5, 16.9)


@fault(WORLD, "margin", "next_alone")
def jar_begins_to_be_closed_too(w: World) -> None:
    move(w, "close", 11.7, 18.0)


@fault(WORLD, "distractors", "second_right")
def jar_is_closed_within_the_horizon(w: World) -> None:
    w.row("object_states", state_id="C1/jar/open")["end_s"] = 14.0
    w.row("object_states", state_id="C1/jar/closed")["start_s"] = 14.0


@fault(WORLD, "distractors", "second_right")
def lamp_is_switched_on_again(w: World) -> None:
    move(w, "switch on", 13.0, 14.0)


@fault(WORLD, "distractors", "just_begun")
def pot_was_just_taken(w: World) -> None:
    move(w, "grab", 8.5, 9.5)


@fault(WORLD, "consistent", "just_begun")
def cup_was_just_put_down_once(w: World) -> None:
    move(w, "drop", 9.0, 10.0)
    w.row("relations", relation_id="C1/drop/pot")["object"] = "cup"


@fault(WORLD, "consistent", "already_so")
def cup_is_out_of_hand_already(w: World) -> None:
    rename(w, "take", "place")


@fault(WORLD, "consistent", "name_of_several")
def two_lamps(w: World) -> None:
    lamp = w.row("graph_nodes", node_id="C1/object/lamp")
    w.tables["graph_nodes"].append({**lamp, "node_id": "C1/object/lamp 2"})


@fault(WORLD, "consistent", "clip_length")
def clip_of_four_seconds(w: World) -> None:
    w.query["start_s"] = 6.5


@fault(WORLD, "consistent", "nothing_done_next")
def nothing_begins_after_the_clip(w: World) -> None:
    for row in w.tables["segments"]:
        if row["start_s"] > 10.5:
            row["kind"] = "narration"


@fault(WORLD, "consistent", "text")
def text_asks_for_the_state_now(w: World) -> None:
    reword(w, "comes about next, within 5 s after the clip ends", "is true when the clip ends")


@fault(WORLD, "consistent", "text")
def text_has_another_horizon(w: World) -> None:
    reword(w, "within 5 s", "within 9 s")


@fault(WORLD, "consistent", "value_differs_from_text")
def option_means_the_opposite(w: World) -> None:
    w.answer["value"] = "C1/object/cup=held"


@fault(WORLD, "consistent", "value_differs_from_text")
def option_means_another_thing_than_it_says(w: World) -> None:
    w.others[0]["value"] = "C1/object/pot=closed"


@fault(WORLD, "well_formed", "value_missing")
def option_means_no_thing(w: World) -> None:
    w.others[0]["value"] = "C1/object/ghost=closed"


@fault(WORLD, "consistent", "evidence_role")
def evidence_is_the_state_from_before(w: World) -> None:
    w.question["evidence"][12]["key"] = "C1/cup/has_state/held"


@fault(WORLD, "consistent", "evidence_role")
def evidence_is_of_a_later_one(w: World) -> None:
    w.question["evidence"][8]["key"] = "C1/close/acts_on/jar"


@fault(WORLD, "consistent", "evidence_left_out")
def evidence_leaves_the_state_out(w: World) -> None:
    del w.question["evidence"][12]


@fault(WORLD, "explanation", "contradicted")
def rationale_has_it_come_about_later(w: World) -> None:
    explain(w, "From 2.0 s after", "From 3.0 s after")


@fault(WORLD, "explanation", "contradicted")
def rationale_says_another_option(w: World) -> None:
    explain(w, "the answer is: the cup is no longer held", "the answer is: the pot is held")


@fault(WORLD, "explanation", "contradicted")
def rationale_puts_it_down_with_the_left_hand(w: World) -> None:
    explain(w, "cup with the right hand. From 2.0", "cup with the left hand. From 2.0")


@fault(WORLD, "explanation", "left_out")
def rationale_leaves_the_jar_out(w: World) -> None:
    first = w.question["rationale"].pop(0)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(first["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n


@fault(WORLD, "seen_by_sampling", "not_seen")
def frames_miss_the_jar(w: World) -> None:
    w.query["sampling"] = "every(7)"
