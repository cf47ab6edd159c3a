"""EgoCoT's chains: a jar that is open at the end of the clip, and which hand opened it when."""

from __future__ import annotations

from tests.derivations.scene import (
    Act,
    add_cause,
    annotate_state,
    evidence,
    rationale,
    scene_tables,
)
from tests.derivations.two_states import lid, move
from tests.derivations.world import (
    BOXED,
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    reword,
    seconds,
)

ACTS = [
    Act("take", "jar", 1.5, 2.3),
    Act("open", "jar", 4.0, 5.0, "right hand"),
    Act("grab", "cup", 7.5, 8.5),
    Act("wash", "pan", 13.0, 14.0, "right hand"),
]
# Hand, time in the clip and verb of each option, in the order of their letters.
SHOWN = (
    ("left", 3.3, "open"), ("left", 6.8, "grab"), ("right", 3.3, "open"), ("right", 6.8, "grab"),
)  # fmt: skip
START_S, END_S = 1.2, 10.2
# The jar changes while it is opened.
CHANGES_S = (4.0, 4.5)


def opened_with_the_right_hand() -> World:
    """A jar is opened from 4 to 5 s, a cup is grabbed with the other hand at 8 s; the clip ends at 10.2 s."""
    tables = scene_tables(ACTS)
    annotate_state(tables, "jar", "lid", "closed", (0.0, 4.5))
    annotate_state(tables, "jar", "lid", "open", (4.5, 20.0))
    add_cause(tables, "open", "jar", "open", CHANGES_S)
    row = question(
        "egocot",
        "hand_object_grounded_cot",
        [
            option(
                letter,
                f"the {side} hand, at {at_s:.1f} s",
                letter == "C",
                value=f"{side}|C1/action/{verb}",
            )
            for letter, (side, at_s, verb) in zip("ABCD", SHOWN, strict=True)
        ],
        [medium("query", "C1", START_S, END_S, sampling="endpoints(16)")],
        text=(
            "At 9.0 s, the last moment of the clip, the jar is open. Which hand of the camera wearer"
            " caused this, and when did that hand act on it?"
        ),
        answer_text="the right hand, at 3.3 s",
        evidence=evidence(
            ("graph_edges", "C1/open/with/right hand", "hand"),
            ("graph_edges", "C1/open/does/open", "action"),
            ("graph_edges", "C1/open/acts_on/jar", "answer"),
            ("boxes", "C1/open/box", "answer"),
            ("segments", "C1/open", "answer"),
            ("graph_edges", "C1/jar/has_state/open", "state_1"),
            ("graph_edges", "C1/open/causes/open", "cause"),
            ("graph_edges", "C1/grab/acts_on/cup", "contact_2"),
            ("segments", "C1/grab", "contact_2"),
            ("graph_edges", "C1/grab/does/grab", "action_2"),
            ("graph_edges", "C1/grab/with/left hand", "hand_2"),
            *(
                ("graph_nodes", f"C1/action/{verb}", f"option_{letter}")
                for letter, (_, _, verb) in zip("ABCD", SHOWN, strict=True)
            ),
        ),
        rationale=rationale(
            (
                "At 3.3 s of the clip, the camera wearer is using the right hand, at [0.30, 0.40, 0.50, 0.60]"
                " in the picture.",
                ["graph_edges:C1/open/with/right hand"],
            ),
            (
                'The camera wearer\'s action is "open": it began at 2.8 s and is still going on at 3.3 s.',
                ["graph_edges:C1/open/does/open", "graph_nodes:C1/action/open"],
            ),
            (
                "The action is performed on the jar, at [0.40, 0.40, 0.60, 0.60] in the picture.",
                ["graph_edges:C1/open/acts_on/jar", "graph_nodes:C1/object/jar"],
            ),
            (
                "From 3.8 s to 9.0 s of the clip, the jar is open.",
                ["graph_edges:C1/jar/has_state/open"],
            ),
            (
                "From 6.3 s to 7.3 s of the clip, the camera wearer grabs the cup with the left hand.",
                [
                    "graph_edges:C1/grab/acts_on/cup",
                    "graph_edges:C1/grab/does/grab",
                    "graph_edges:C1/grab/with/left hand",
                ],
            ),
            (
                "So the jar is open because of the right hand, at 3.3 s.",
                ["graph_edges:C1/open/causes/open", "graph_nodes:C1/object/jar"],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, BOXED, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(4.0, 5.0),
        answer_box=(0.4, 0.4, 0.6, 0.6),
        optional_evidence=frozenset({("boxes", "answer")}),
    )


WORLDS = {"hand_that_opened": opened_with_the_right_hand}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HAND = "C1/open/right hand"


def rename(w: World, verb: str, new: str) -> None:
    for row in w.tables["relations"]:
        if row["segment_id"] == f"C1/{verb}":
            row.update({k: new for k in ("subject", "object") if row[k] == verb})


@fault("hand_that_opened", "answer", "wrong_key")
def opened_with_the_other_hand(w: World) -> None:
    w.row("relations", relation_id=HAND)["object"] = "left hand"


@fault("hand_that_opened", "consistent", "hand_not_annotated")
def opened_with_both_hands(w: World) -> None:
    w.row("relations", relation_id=HAND)["object"] = "both hands"


@fault("hand_that_opened", "consistent", "hand_not_annotated")
def nobody_says_which_hand(w: World) -> None:
    w.tables["relations"].remove(w.row("relations", relation_id=HAND))


@fault("hand_that_opened", "margin", "other_hand")
def other_hand_acts_at_the_same_time(w: World) -> None:
    w.tables["relations"].append(
        {
            **w.row("relations", relation_id="C1/take/left hand"),
            "relation_id": "x",
            "segment_id": "n",
        }
    )
    verb = w.row("relations", relation_id="C1/take/verb")
    w.tables["relations"].append({**verb, "relation_id": "y", "segment_id": "n"})
    w.tables["segments"].append(
        {**w.row("segments", segment_id="C1/take"), "segment_id": "n", "start_s": 3.0, "end_s": 4.2}
    )


@fault("hand_that_opened", "consistent", "no_cause")
def action_merely_precedes_the_change(w: World) -> None:
    lid(w, "closed", end_s=6.0)
    lid(w, "open", start_s=6.0)


@fault("hand_that_opened", "consistent", "no_cause")
def jar_was_open_before_the_action(w: World) -> None:
    lid(w, "closed", end_s=3.8)
    lid(w, "open", start_s=3.8)


@fault("hand_that_opened", "consistent", "no_cause")
def what_is_lifted_is_not_opened_by_that(w: World) -> None:
    rename(w, "open", "pick_up")


@fault("hand_that_opened", "consistent", "no_cause")
def identity_of_the_jar_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/open/jar")["object"] = "box"


@fault("hand_that_opened", "consistent", "no_cause")
def somebody_else_opens_the_jar(w: World) -> None:
    w.row("relations", relation_id="C1/open/verb")["subject"] = "P2"


@fault("hand_that_opened", "consistent", "no_cause")
def jar_is_grabbed_afterwards(w: World) -> None:
    w.row("relations", relation_id="C1/grab/cup")["object"] = "jar"


@fault("hand_that_opened", "consistent", "no_cause")
def question_asks_for_the_opposite(w: World) -> None:
    reword(w, "jar is open", "jar is closed")


@fault("hand_that_opened", "margin", "settled")
def jar_is_being_closed_at_the_end(w: World) -> None:
    w.row("relations", relation_id="C1/wash/pan")["object"] = "jar"
    move(w, "wash", 10.4, 11.4)


@fault("hand_that_opened", "consistent", "not_in_clip")
def clip_begins_after_the_action(w: World) -> None:
    w.query.update(start_s=5.5, end_s=14.5)


@fault("hand_that_opened", "consistent", "action_cut")
def clip_begins_during_the_action(w: World) -> None:
    w.query["start_s"] = 4.3
    w.query["end_s"] = 13.3


@fault("hand_that_opened", "consistent", "nothing_done_then")
def option_at_a_time_of_nothing(w: World) -> None:
    w.others[1]["text"] = "the left hand, at 5.2 s"


@fault("hand_that_opened", "consistent", "nothing_done_then")
def option_of_another_person(w: World) -> None:
    w.row("relations", relation_id="C1/grab/verb")["subject"] = "P2"


@fault("hand_that_opened", "consistent", "nothing_done_then")
def option_after_the_observed_end(w: World) -> None:
    move(w, "grab", 9.8, 10.8)
    for option_row in w.others:
        option_row["text"] = option_row["text"].replace("6.8 s", "8.9 s")


@fault("hand_that_opened", "margin", "times_apart")
def other_time_is_a_second_from_the_action(w: World) -> None:
    move(w, "grab", 5.6, 6.4)
    for option_row in w.others:
        option_row["text"] = option_row["text"].replace("6.8 s", "4.8 s")


@fault("hand_that_opened", "distractors", "second_right")
def two_options_of_one_action(w: World) -> None:
    w.others[2].update(text="the right hand, at 3.6 s", value="right|C1/action/open")


@fault("hand_that_opened", "consistent", "value_differs_from_text")
def option_means_the_other_hand(w: World) -> None:
    w.answer["value"] = "left|C1/action/open"


@fault("hand_that_opened", "consistent", "value_differs_from_text")
def option_means_another_action(w: World) -> None:
    w.answer["value"] = "right|C1/action/wash"


@fault("hand_that_opened", "consistent", "name_of_several")
def two_jars(w: World) -> None:
    jar = w.row("graph_nodes", node_id="C1/object/jar")
    w.tables["graph_nodes"].append({**jar, "node_id": "C1/object/jar 2"})


@fault("hand_that_opened", "consistent", "done_to_several")
def other_action_on_two_things(w: World) -> None:
    row = w.row("relations", relation_id="C1/grab/cup")
    w.tables["relations"].append({**row, "relation_id": "C1/grab/plate", "object": "plate"})


def evidence_of(w: World, role: str) -> Row:
    return next(row for row in w.question["evidence"] if row["role"] == role)


@fault("hand_that_opened", "consistent", "evidence_role")
def link_of_another_hand(w: World) -> None:
    evidence_of(w, "hand")["key"] = "C1/grab/with/left hand"


@fault("hand_that_opened", "consistent", "evidence_role")
def cause_that_is_no_link_to_the_state(w: World) -> None:
    evidence_of(w, "cause")["key"] = "C1/open/acts_on/jar"


@fault("hand_that_opened", "consistent", "evidence_role")
def evidence_is_an_earlier_state(w: World) -> None:
    evidence_of(w, "state_1")["key"] = "C1/jar/has_state/closed"


@fault("hand_that_opened", "consistent", "evidence_role")
def evidence_after_the_observed_end(w: World) -> None:
    evidence_of(w, "contact_2")["key"] = "C1/wash/acts_on/pan"


@fault("hand_that_opened", "consistent", "evidence_role")
def box_of_a_look_alike(w: World) -> None:
    w.row("boxes", box_id="C1/open/box")["class_name"] = "tin"


@fault("hand_that_opened", "explanation", "contradicted")
def rationale_concludes_with_the_other_hand(w: World) -> None:
    explain(w, "because of the right hand, at", "because of the left hand, at")


@fault("hand_that_opened", "explanation", "contradicted")
def rationale_concludes_with_the_other_time(w: World) -> None:
    explain(w, "right hand, at 3.3 s.", "right hand, at 6.8 s.")


@fault("hand_that_opened", "explanation", "contradicted")
def rationale_names_the_opposite_state(w: World) -> None:
    explain(w, "of the clip, the jar is open", "of the clip, the jar is closed")


@fault("hand_that_opened", "explanation", "contradicted")
def rationale_moves_the_jar(w: World) -> None:
    explain(w, "[0.40, 0.40, 0.60, 0.60]", "[0.10, 0.40, 0.30, 0.60]")


@fault("hand_that_opened", "explanation", "contradicted")
def rationale_opens_a_second_late(w: World) -> None:
    explain(w, "began at 2.8 s", "began at 3.8 s")


@fault("hand_that_opened", "explanation", "left_out")
def rationale_leaves_the_chain_out(w: World) -> None:
    last = w.question["rationale"].pop()
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(" " + last["text"], "")


@fault("hand_that_opened", "seen_by_sampling", "not_seen")
def frames_four_seconds_apart(w: World) -> None:
    w.query["sampling"] = "every(4)"
