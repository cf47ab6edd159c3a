"""EgoCOT's active object: which object the wearer acts on at the end of a clip."""

from __future__ import annotations

from tests.derivations import scene
from tests.derivations.scene import Act, scene_tables
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


def cutting_bread() -> World:
    """Bread is cut with a knife from 9.5 to 11 s; the clip ends at 10 s."""
    acts = [
        Act("take", "cup", 2.5, 3.5),
        Act("move", "plate", 4.0, 5.0),
        Act("wash", "spoon", 6.0, 7.0),
        Act("cut", "bread", 9.5, 11.0, tool="knife"),
        Act("open", "jar", 14.0, 15.0),
    ]
    tables = scene_tables(acts)
    names = ("plate", "bread", "cup", "spoon")
    options = [
        option(x, n, n == "bread", value=f"C1/object/{n}")
        for x, n in zip("ABCD", names, strict=True)
    ]
    row = question(
        "egocot",
        "active_object_grounding",
        options,
        [medium("query", "C1", 2.0, 10.0, sampling="endpoints(8)")],
        text="At 8.0 s, the last moment of the clip, which object is the camera wearer acting on?",
        answer_text="bread",
        evidence=[
            {"table": "graph_edges", "key": "C1/cut/acts_on/bread", "role": "answer"},
            {"table": "boxes", "key": "C1/cut/box", "role": "answer"},
            {"table": "segments", "key": "C1/cut", "role": "answer"},
            {"table": "graph_edges", "key": "C1/cut/with/left hand", "role": "hand"},
            {"table": "graph_edges", "key": "C1/cut/does/cut", "role": "action"},
            *(
                {"table": "graph_nodes", "key": o["value"], "role": f"option_{o['letter']}"}
                for o in options
            ),
        ],
        rationale=[
            {"step": i, "text": text, "evidence": keys}
            for i, (text, keys) in enumerate(
                (
                    (
                        "At 8.0 s of the clip, the camera wearer is using the left hand, at [0.30, 0.40,"
                        " 0.50, 0.60] in the picture.",
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
                        "Within 2 s of that moment, nothing is done with the plate, the cup and the"
                        " spoon, so the active object is the bread.",
                        [f"graph_nodes:C1/object/{n}" for n in ("plate", "cup", "spoon")],
                    ),
                ),
                1,
            )
        ],
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, BOXED, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(9.2, 10.0),
        answer_box=(0.4, 0.4, 0.6, 0.6),
        optional_evidence=frozenset({("boxes", "answer"), ("graph_edges", "hand")}),
    )


WORLDS = {"active_object": cutting_bread}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault("active_object", "explanation", "contradicted")
def explanation_uses_the_other_hand(w: World) -> None:
    explain(w, "left hand", "right hand")


@fault("active_object", "explanation", "contradicted")
def explanation_adds_a_hand(w: World) -> None:
    explain(w, " in the picture.", " in the picture and the right hand.")


@fault("active_object", "explanation", "contradicted")
def explanation_moves_both_boxes(w: World) -> None:
    explain(w, "[0.30, 0.40, 0.50, 0.60]", "[0.10, 0.40, 0.30, 0.60]")
    explain(w, "[0.40, 0.40, 0.60, 0.60]", "[0.60, 0.40, 0.80, 0.60]")


@fault("active_object", "explanation", "contradicted")
def explanation_acts_on_a_distractor(w: World) -> None:
    explain(w, "performed on the bread", "performed on the cup")


@fault("active_object", "explanation", "contradicted")
def explanation_concludes_with_a_distractor(w: World) -> None:
    explain(w, "the plate, the cup and the spoon, so the active object is the bread", "the plate, "
            "the bread and the spoon, so the active object is the cup")  # fmt: skip


@fault("active_object", "explanation", "contradicted")
def explanation_leaves_a_distractor_out(w: World) -> None:
    explain(w, "the plate, the cup and the spoon", "the plate and the spoon")


@fault("active_object", "explanation", "contradicted")
def explanation_names_another_action(w: World) -> None:
    explain(w, '"cut"', '"wash"')


@fault("active_object", "explanation", "contradicted")
def explanation_begins_at_another_time(w: World) -> None:
    explain(w, "began at 7.5 s", "began at 5.7 s")


@fault("active_object", "explanation", "contradicted")
def explanation_promises_less(w: World) -> None:
    explain(w, "Within 2 s", "Within 0.2 s")


@fault("active_object", "answer", "wrong_key")
def other_object_in_the_relation(w: World) -> None:
    w.row("relations", relation_id="C1/cut/bread")["object"] = "cheese"


@fault("active_object", "distractors", "second_right")
def second_object_at_the_same_time(w: World) -> None:
    w.row("segments", segment_id="C1/wash").update(end_s=10.5)


@fault("active_object", "distractors", "second_right")
def tool_in_use_among_the_options(w: World) -> None:
    w.others[0].update(text="knife", value="C1/object/knife")


@fault("active_object", "margin", "left_alone")
def another_object_put_down_just_before(w: World) -> None:
    w.row("segments", segment_id="C1/wash").update(end_s=9.9)


@fault("active_object", "margin", "left_alone")
def another_object_taken_just_after(w: World) -> None:
    w.row("segments", segment_id="C1/take").update(start_s=10.1, end_s=11.0)


def takes_part(w: World, segment: str, name: str, relation: str, role: str | None) -> None:
    scene.takes_part(w.tables, "C1/cut/bread", segment, name, relation, role)


@fault("active_object", "distractors", "second_right")
def distractor_is_the_source(w: World) -> None:
    takes_part(w, "C1/cut", "cup", "from", "source")


@fault("active_object", "distractors", "second_right")
def distractor_is_the_target(w: World) -> None:
    takes_part(w, "C1/cut", "plate", "to", "target")


@fault("active_object", "distractors", "second_right")
def distractor_is_the_container(w: World) -> None:
    takes_part(w, "C1/cut", "cup", "into", "container")


@fault("active_object", "distractors", "second_right")
def distractor_is_the_place(w: World) -> None:
    takes_part(w, "C1/cut", "plate", "on", "location")


@fault("active_object", "distractors", "second_right")
def distractor_takes_part_without_a_role(w: World) -> None:
    takes_part(w, "C1/cut", "plate", "beside", None)


@fault("active_object", "distractors", "second_right")
def distractor_is_named_by_its_last_word(w: World) -> None:
    takes_part(w, "C1/cut", "tea cup", "into", "container")


@fault("active_object", "distractors", "second_right")
def distractor_touches_another_thing_by_itself(w: World) -> None:
    """A relation that no verb joins: the spoon lies against the bread."""
    takes_part(w, "C1/cut", "bread", "against", None)
    w.tables["relations"][-1]["subject"] = "spoon"


@fault("active_object", "consistent", "nothing_done_then")
def another_person_acts_on_it(w: World) -> None:
    w.row("relations", relation_id="C1/cut/verb")["subject"] = "P2"


@fault("active_object", "margin", "left_alone")
def distractor_is_a_place_a_second_later(w: World) -> None:
    w.row("segments", segment_id="C1/open").update(start_s=11.2, end_s=13.0)
    takes_part(w, "C1/open", "plate", "on", "location")


@fault("active_object", "margin", "left_alone")
def distractor_was_acted_on_within_two_seconds(w: World) -> None:
    w.row("segments", segment_id="C1/wash").update(end_s=8.1)


@fault("active_object", "explanation", "contradicted")
def rationale_says_that_nothing_is_done_with_it(w: World) -> None:
    w.row("segments", segment_id="C1/wash").update(end_s=8.1)


@fault("active_object", "margin", "left_alone")
def distractor_is_used_in_a_keystep(w: World) -> None:
    """Segments of any kind count: an annotator told it as a keystep."""
    w.row("segments", segment_id="C1/wash").update(kind="keystep", start_s=9.0, end_s=10.5)


@fault("active_object", "consistent", "clip_length")
def clip_of_three_seconds(w: World) -> None:
    w.query["start_s"] = 7.0
    reword(w, "8.0 s", "3.0 s")


@fault("active_object", "consistent", "time_differs")
def clip_longer_than_the_text_says(w: World) -> None:
    w.query["end_s"] += 0.6


@fault("active_object", "consistent", "nothing_done_then")
def moment_without_an_action(w: World) -> None:
    w.query["end_s"] = 13.0
    reword(w, "8.0 s", "11.0 s")


@fault("active_object", "answer", "wrong_key")
def clip_shifted_to_another_action(w: World) -> None:
    w.query["end_s"] = 14.5
    reword(w, "8.0 s", "12.5 s")


@fault("active_object", "consistent", "shifted_time")
def evidence_of_another_time(w: World) -> None:
    w.question["evidence"][0]["key"] = "C1/open/acts_on/jar"


@fault("active_object", "consistent", "shifted_time")
def box_of_another_moment(w: World) -> None:
    w.row("boxes", box_id="C1/cut/box")["t_s"] = 10.9


@fault("active_object", "consistent", "value_differs_from_text")
def option_means_another_thing(w: World) -> None:
    w.answer["value"] = "C1/object/jar"


@fault("active_object", "well_formed", "value_missing")
def option_means_nothing(w: World) -> None:
    w.others[0]["value"] = "C1/object/ghost"


@fault("active_object", "consistent", "evidence_of_another_recording")
def option_is_a_thing_elsewhere(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("C1", "C2")


@fault("active_object", "seen_by_sampling", "not_seen")
def sampling_stops_before_the_action(w: World) -> None:
    w.query["sampling"] = "every(3)"
