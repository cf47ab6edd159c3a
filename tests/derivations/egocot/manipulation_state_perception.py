"""EgoCoT's states at the end of a clip: a cup in a hand, and a jar that was opened before."""

from __future__ import annotations

from tests.derivations.scene import (
    Act,
    add_state,
    annotate_state,
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
    seconds,
)

STATES = (("released", "open"), ("held", "open"), ("held", "closed"), ("released", "closed"))
NODES = ("cup", "jar")


def in_words(states: tuple[str, str]) -> str:
    return f"the cup is {states[0]} and the jar is {states[1]}"


def held_and_open() -> World:
    """A jar is opened, which an annotator says; a cup is taken and later put down. The clip ends at 11.8 s."""
    acts = [
        Act("open", "jar", 3.0, 4.0),
        Act("take", "cup", 10.0, 11.0, "right hand"),
        Act("put", "cup", 14.0, 15.0, "right hand"),
        Act("close", "jar", 16.0, 17.0),
    ]
    tables = scene_tables(acts)
    annotate_state(tables, "jar", "lid", "open", (3.5, 16.5))
    annotate_state(tables, "jar", "lid", "closed", (16.5, 20.0))
    add_state(tables, "cup", "held", (11.0, 15.0))
    add_state(tables, "cup", "released", (15.0, 20.0))
    options = [
        option(
            letter,
            in_words(states),
            letter == "B",
            value=" & ".join(f"C1/object/{n}={s}" for n, s in zip(NODES, states, strict=True)),
        )
        for letter, states in zip("ABCD", STATES, strict=True)
    ]
    done = (("open", "jar", "left hand", "open"), ("take", "cup", "right hand", "held"))
    row = question(
        "egocot",
        "manipulation_state_perception",
        options,
        [medium("query", "C1", 1.8, 11.8, sampling="endpoints(16)")],
        text="At 10.0 s, the last moment of the clip, what state are the cup and the jar in?",
        answer_text=in_words(STATES[1]),
        evidence=evidence(
            *(
                part
                for n, (verb, thing, hand, state) in enumerate(done, 1)
                for part in (
                    ("graph_edges", f"C1/{verb}/acts_on/{thing}", f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{n}"),
                    ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{n}"),
                    ("graph_edges", f"C1/{thing}/has_state/{state}", f"state_{n}"),
                )
            ),
            *(
                ("graph_nodes", f"C1/object/{name}", f"option_{letter}")
                for letter in "ABCD"
                for name in NODES
            ),
        ),
        rationale=rationale(
            *(
                step
                for start, (verb, thing, hand, state) in zip((1.2, 8.2), done, strict=True)
                for step in (
                    (
                        f"From {start:.1f} s to {start + 1:.1f} s of the clip the camera wearer's action"
                        f' "{verb}" is done to the {thing}, with the {hand}.',
                        [
                            f"graph_edges:C1/{verb}/acts_on/{thing}",
                            f"graph_edges:C1/{verb}/does/{verb}",
                            f"graph_edges:C1/{verb}/with/{hand}",
                        ],
                    ),
                    (
                        f"From {start + 1:.1f} s to 10.0 s of the clip the {thing} is {state}.",
                        [f"graph_edges:C1/{thing}/has_state/{state}"],
                    ),
                )
            ),
            (
                "So at 10.0 s the cup is held and the jar is open.",
                [f"graph_nodes:C1/object/{name}" for name in NODES],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(2.5, 4.5),
    )


WORLDS = {"held_and_open": held_and_open}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def move(w: World, verb: str, start_s: float, end_s: float) -> None:
    w.row("segments", segment_id=f"C1/{verb}").update(start_s=start_s, end_s=end_s)


def lid(w: World, state: str, **values: object) -> None:
    w.row("object_states", state_id=f"C1/jar/{state}").update(**values)


@fault("held_and_open", "answer", "wrong_key")
def cup_was_put_down_before_the_end(w: World) -> None:
    move(w, "take", 5.0, 6.0)
    move(w, "put", 9.0, 10.0)


@fault("held_and_open", "answer", "wrong_key")
def jar_was_closed_before_the_end(w: World) -> None:
    lid(w, "open", end_s=8.0)
    lid(w, "closed", start_s=8.0)


@fault("held_and_open", "answer", "wrong_key")
def annotator_says_closed(w: World) -> None:
    lid(w, "open", value="closed", end_s=20.0)


@fault("held_and_open", "answer", "wrong_key")
def another_word_for_closed(w: World) -> None:
    lid(w, "open", attribute="opened", value="no", end_s=20.0)


@fault("held_and_open", "answer", "wrong_key")
def verb_with_the_opposite_effect(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["object"] = "drop"
    w.row("relations", relation_id="C1/take/cup")["subject"] = "drop"


@fault("held_and_open", "consistent", "state_not_known")
def verb_that_changes_nothing(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["object"] = "touch"
    w.row("relations", relation_id="C1/take/cup")["subject"] = "touch"


@fault("held_and_open", "consistent", "state_not_known")
def annotator_contradicts_himself(w: World) -> None:
    lid(w, "closed", start_s=9.0)


@fault("held_and_open", "margin", "settled")
def state_a_second_late(w: World) -> None:
    lid(w, "open", end_s=12.1)
    lid(w, "closed", start_s=12.1)


@fault("held_and_open", "margin", "settled")
def jar_is_being_closed(w: World) -> None:
    move(w, "close", 11.5, 12.5)


@fault("held_and_open", "margin", "settled")
def cup_is_a_target_at_the_end(w: World) -> None:
    w.row("relations", relation_id="C1/close/left hand").update(object="cup", role="target")
    move(w, "close", 11.9, 12.9)


@fault("held_and_open", "consistent", "not_put_down")
def cup_is_never_put_down(w: World) -> None:
    w.row("relations", relation_id="C1/put/verb")["object"] = "wash"
    w.row("relations", relation_id="C1/put/cup")["subject"] = "wash"


@fault("held_and_open", "consistent", "change_missing")
def cup_is_taken_twice(w: World) -> None:
    w.row("relations", relation_id="C1/put/verb")["object"] = "grab"
    w.row("relations", relation_id="C1/put/cup")["subject"] = "grab"


@fault("held_and_open", "consistent", "not_in_clip")
def identity_of_the_cup_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/take/cup")["object"] = "bowl"


@fault("held_and_open", "consistent", "not_in_clip")
def somebody_else_takes_the_cup(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["subject"] = "P2"


@fault("held_and_open", "consistent", "not_in_clip")
def jar_was_opened_before_the_clip(w: World) -> None:
    move(w, "open", 0.2, 1.2)


@fault("held_and_open", "consistent", "action_cut")
def clip_begins_while_the_jar_is_opened(w: World) -> None:
    w.query["start_s"] = 3.4
    w.question["text"] = w.question["text"].replace("10.0", "8.4")


@fault("held_and_open", "consistent", "name_of_several")
def two_cups(w: World) -> None:
    cup = w.row("graph_nodes", node_id="C1/object/cup")
    w.tables["graph_nodes"].append({**cup, "node_id": "C1/object/cup 2"})


@fault("held_and_open", "consistent", "clip_length")
def clip_of_seven_seconds(w: World) -> None:
    w.query["start_s"] = 4.8


@fault("held_and_open", "consistent", "evidence_role")
def evidence_of_an_action_after_the_end(w: World) -> None:
    w.question["evidence"][5]["key"] = "C1/put/acts_on/cup"


@fault("held_and_open", "consistent", "evidence_role")
def evidence_is_a_later_state(w: World) -> None:
    w.question["evidence"][9]["key"] = "C1/cup/has_state/released"


@fault("held_and_open", "consistent", "evidence_role")
def link_of_another_hand(w: World) -> None:
    w.question["evidence"][3]["key"] = "C1/take/with/right hand"


@fault("held_and_open", "consistent", "evidence_role")
def states_of_the_two_things_exchanged(w: World) -> None:
    rows = w.question["evidence"]
    rows[4]["key"], rows[9]["key"] = rows[9]["key"], rows[4]["key"]


@fault("held_and_open", "consistent", "value_differs_from_text")
def option_means_another_state(w: World) -> None:
    w.answer["value"] = "C1/object/cup=held & C1/object/jar=closed"


@fault("held_and_open", "consistent", "value_differs_from_text")
def option_names_another_thing(w: World) -> None:
    w.others[0]["text"] = w.others[0]["text"].replace("cup", "bowl")


@fault("held_and_open", "well_formed", "value_missing")
def option_means_a_thing_that_is_not(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("object/cup", "object/ghost")


@fault("held_and_open", "explanation", "contradicted")
def rationale_names_the_opposite_state(w: World) -> None:
    explain(w, "the jar is open. From", "the jar is closed. From")


@fault("held_and_open", "explanation", "contradicted")
def rationale_uses_another_hand(w: World) -> None:
    explain(w, "cup, with the right hand", "cup, with the left hand")


@fault("held_and_open", "explanation", "contradicted")
def rationale_is_a_second_late(w: World) -> None:
    explain(w, "From 8.2 s to 9.2 s", "From 9.2 s to 10.2 s")


@fault("held_and_open", "explanation", "contradicted")
def rationale_concludes_with_another_state(w: World) -> None:
    explain(w, "So at 10.0 s the cup is held", "So at 10.0 s the cup is released")


@fault("held_and_open", "explanation", "contradicted")
def rationale_leaves_out_that_the_lid_was_closed_for_a_moment(w: World) -> None:
    lid(w, "closed", start_s=4.2, end_s=5.0)
    lid(w, "open", start_s=5.0)


@fault("held_and_open", "explanation", "left_out")
def rationale_leaves_a_state_out(w: World) -> None:
    second = w.question["rationale"].pop(1)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(second["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n


@fault("held_and_open", "seen_by_sampling", "not_seen")
def frames_too_far_apart(w: World) -> None:
    w.query["sampling"] = "every(7)"
