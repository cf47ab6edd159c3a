"""EgoCoT's hand and object: which hand acts on which object at the end of a clip."""

from __future__ import annotations

from tests.derivations import scene
from tests.derivations.scene import Act, evidence, rationale, scene_tables
from tests.derivations.world import (
    BOXED,
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


def cutting_with_the_left_hand() -> World:
    """Bread is cut with the left hand from 9.5 to 11 s, after the plate was put down; it ends at 10 s."""
    acts = [
        Act("take", "cup", 2.5, 3.5, "right hand"),
        Act("put", "plate", 4.0, 5.0, "right hand"),
        Act("wash", "spoon", 6.0, 7.0),
        Act("cut", "bread", 9.5, 11.0, tool="knife"),
        Act("open", "jar", 14.0, 15.0, "right hand"),
    ]
    pairs = (("right", "plate"), ("left", "bread"), ("left", "plate"), ("right", "bread"))
    options = [
        option(
            letter,
            f"the {side} hand on the {name}",
            (side, name) == ("left", "bread"),
            value=f"{side}|C1/object/{name}",
        )
        for letter, (side, name) in zip("ABCD", pairs, strict=True)
    ]
    row = question(
        "egocot",
        "hand_object_association",
        options,
        [medium("query", "C1", 2.0, 10.0, sampling="endpoints(8)")],
        text="At 8.0 s, the last moment of the clip, which hand is the camera wearer using, and on which"
        " object?",
        answer_text="the left hand on the bread",
        evidence=evidence(
            ("graph_edges", "C1/cut/acts_on/bread", "answer"),
            ("boxes", "C1/cut/box", "answer"),
            ("segments", "C1/cut", "answer"),
            ("graph_edges", "C1/cut/with/left hand", "hand"),
            ("graph_edges", "C1/cut/does/cut", "action"),
            *(
                ("graph_nodes", f"C1/object/{name}", f"option_{letter}")
                for letter, (_, name) in zip("ABCD", pairs, strict=True)
            ),
        ),
        rationale=rationale(
            (
                "At 8.0 s of the clip, the camera wearer is using the left hand, at [0.30, 0.40, 0.50, 0.60]"
                " in the picture.",
                ["graph_edges:C1/cut/with/left hand"],
            ),
            (
                'The camera wearer\'s action is "cut": it began at 7.5 s and is still going on at 8.0 s.',
                ["graph_edges:C1/cut/does/cut", "graph_nodes:C1/action/cut"],
            ),
            (
                "The action is performed on the bread, at [0.40, 0.40, 0.60, 0.60] in the picture.",
                ["graph_edges:C1/cut/acts_on/bread", "graph_nodes:C1/object/bread"],
            ),
            (
                "Within 0.5 s of that moment, nothing is done with the right hand, and within 2 s nothing"
                " is done with the plate, so it is the left hand on the bread.",
                [
                    "graph_edges:C1/cut/acts_on/bread",
                    "graph_nodes:C1/object/bread",
                    "graph_nodes:C1/object/plate",
                ],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        scene_tables(acts),
        frozenset({WORDS, BOXED, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(9.2, 10.0),
        answer_box=(0.4, 0.4, 0.6, 0.6),
        optional_evidence=frozenset({("boxes", "answer")}),
    )


WORLDS = {"hand_on_object": cutting_with_the_left_hand}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HAND = "C1/cut/left hand"


def takes_part(w: World, segment: str, name: str, relation: str, role: str | None) -> None:
    scene.takes_part(w.tables, "C1/cut/bread", segment, name, relation, role)


@fault("hand_on_object", "answer", "wrong_key")
def cut_with_the_other_hand(w: World) -> None:
    w.row("relations", relation_id=HAND)["object"] = "right hand"


@fault("hand_on_object", "distractors", "second_right")
def cut_with_both_hands(w: World) -> None:
    w.row("relations", relation_id=HAND)["object"] = "both hands"


@fault("hand_on_object", "distractors", "second_right")
def other_hand_takes_part_too(w: World) -> None:
    takes_part(w, "C1/cut", "right hand", "with", "hand")


@fault("hand_on_object", "consistent", "hand_not_annotated")
def nobody_says_which_hand(w: World) -> None:
    w.row("relations", relation_id=HAND)["object"] = "hand"


@fault("hand_on_object", "consistent", "hand_not_annotated")
def no_hand_is_annotated(w: World) -> None:
    w.tables["relations"].remove(w.row("relations", relation_id=HAND))


@fault("hand_on_object", "answer", "wrong_key")
def identity_of_the_object_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/cut/bread")["object"] = "plate"


@fault("hand_on_object", "margin", "other_hand")
def other_hand_acts_just_before(w: World) -> None:
    w.row("segments", segment_id="C1/take").update(start_s=8.0, end_s=9.6)


@fault("hand_on_object", "margin", "other_hand")
def other_hand_acts_a_moment_later(w: World) -> None:
    w.row("segments", segment_id="C1/open").update(start_s=10.2, end_s=12.0)


@fault("hand_on_object", "margin", "other_hand")
def unknown_hand_acts_just_before(w: World) -> None:
    w.row("relations", relation_id="C1/wash/left hand")["object"] = "hand"
    w.row("segments", segment_id="C1/wash").update(end_s=9.8)


@fault("hand_on_object", "distractors", "may_be_held")
def other_hand_still_holds_the_other_object(w: World) -> None:
    w.row("relations", relation_id="C1/put/verb")["object"] = "take"


@fault("hand_on_object", "distractors", "may_be_held")
def other_object_is_lifted_again(w: World) -> None:
    w.row("relations", relation_id="C1/wash/spoon")["object"] = "plate"


@fault("hand_on_object", "margin", "left_alone")
def other_object_put_down_a_second_before(w: World) -> None:
    w.row("segments", segment_id="C1/put").update(end_s=9.0)


@fault("hand_on_object", "margin", "left_alone")
def other_object_used_a_second_later(w: World) -> None:
    w.row("segments", segment_id="C1/open").update(start_s=11.2, end_s=13.0)
    takes_part(w, "C1/open", "plate", "on", "location")


@fault("hand_on_object", "distractors", "second_right")
def other_object_is_the_place(w: World) -> None:
    takes_part(w, "C1/cut", "plate", "on", "location")


@fault("hand_on_object", "consistent", "value_differs_from_text")
def option_means_the_other_hand(w: World) -> None:
    w.answer["value"] = "right|C1/object/bread"


@fault("hand_on_object", "consistent", "value_differs_from_text")
def option_means_another_object(w: World) -> None:
    w.answer["value"] = "left|C1/object/jar"


@fault("hand_on_object", "well_formed", "value_missing")
def option_means_no_object(w: World) -> None:
    w.others[0]["value"] = "right|C1/object/ghost"


@fault("hand_on_object", "consistent", "evidence_of_another_recording")
def object_of_another_recording(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("C1", "C2")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_names_the_other_hand(w: World) -> None:
    explain(w, "wearer is using the left hand", "wearer is using the right hand")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_concludes_with_the_other_hand(w: World) -> None:
    explain(w, "so it is the left hand", "so it is the right hand")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_says_its_own_hand_does_nothing(w: World) -> None:
    explain(w, "done with the right hand", "done with the left hand")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_concludes_with_the_other_object(w: World) -> None:
    explain(w, "hand on the bread", "hand on the plate")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_says_the_other_hand_rests(w: World) -> None:
    w.row("segments", segment_id="C1/take").update(start_s=8.0, end_s=9.9)


@fault("hand_on_object", "explanation", "contradicted")
def rationale_moves_the_hand(w: World) -> None:
    explain(w, "[0.30, 0.40, 0.50, 0.60]", "[0.10, 0.40, 0.30, 0.60]")


@fault("hand_on_object", "explanation", "contradicted")
def rationale_begins_the_cut_a_second_late(w: World) -> None:
    explain(w, "began at 7.5 s", "began at 6.5 s")


@fault("hand_on_object", "consistent", "shifted_time")
def evidence_of_a_later_action(w: World) -> None:
    w.question["evidence"][0]["key"] = "C1/open/acts_on/jar"


@fault("hand_on_object", "consistent", "shifted_time")
def box_after_the_observed_end(w: World) -> None:
    w.row("boxes", box_id="C1/cut/box")["t_s"] = 10.9


@fault("hand_on_object", "consistent", "evidence_role")
def hand_of_another_action_in_the_evidence(w: World) -> None:
    w.question["evidence"][3]["key"] = "C1/wash/with/left hand"


@fault("hand_on_object", "consistent", "nothing_done_then")
def somebody_else_cuts(w: World) -> None:
    w.row("relations", relation_id="C1/cut/verb")["subject"] = "P2"


@fault("hand_on_object", "answer", "wrong_key")
def clip_ends_during_another_action(w: World) -> None:
    w.query["end_s"] = 14.5
    reword(w, "8.0 s", "12.5 s")


@fault("hand_on_object", "consistent", "time_differs")
def clip_ends_later_than_said(w: World) -> None:
    w.query["end_s"] += 0.6


@fault("hand_on_object", "consistent", "clip_length")
def clip_of_a_few_seconds(w: World) -> None:
    w.query["start_s"] = 7.0
    reword(w, "8.0 s", "3.0 s")


@fault("hand_on_object", "seen_by_sampling", "not_seen")
def no_frame_shows_the_hand(w: World) -> None:
    w.query["sampling"] = "every(3)"
