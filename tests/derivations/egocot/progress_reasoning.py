"""EgoCoT's progress: two steps of a recipe, of which the second is under way when the clip ends."""

from __future__ import annotations

from tests.derivations.scene import Act, evidence, rationale, scene_tables
from tests.derivations.two_states import move
from tests.derivations.world import (
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
    Act("wash", "pan", 1.0, 2.0),
    Act("cut", "bread", 5.0, 6.5),
    Act("fill", "cup", 9.0, 11.0, "right hand"),
    Act("stir", "soup", 13.0, 14.0),
]
NAMES = {act.verb: f"{act.verb} {act.thing}" for act in ACTS}
CUT, FILL = (f'"{NAMES[verb]}"' for verb in ("cut", "fill"))
# Text of each option, with the step and the status that it means, in the order of their letters.
SHOWN = (
    (f"{CUT} is under way", "cut", "under way"),
    (f"{CUT} is completed and {FILL} has not begun", "cut", "completed"),
    (f"{FILL} is under way", "fill", "under way"),
    (f"{FILL} is completed", "fill", "completed"),
)
START_S, END_S = 2.0, 10.0


def tables_of() -> dict[str, list[Row]]:
    """Four actions in turn, each a step of the procedure."""
    tables = scene_tables(ACTS)
    for row in tables["segments"]:
        verb = row["segment_id"].rpartition("/")[2]
        row |= {"kind": "action", "class_name": NAMES[verb], "step_order": list(NAMES).index(verb)}
    return tables


def filling_is_under_way() -> World:
    """Bread is cut from 5 to 6.5 s, a cup is filled from 9 to 11 s; the clip ends at 10 s."""
    row = question(
        "egocot",
        "progress_reasoning",
        [
            option(letter, text, letter == "C", value=f"C1/{verb}|{status}")
            for letter, (text, verb, status) in zip("ABCD", SHOWN, strict=True)
        ],
        [medium("query", "C1", START_S, END_S, sampling="endpoints(16)")],
        text=(
            f"Two steps follow each other: first {CUT}, then {FILL}. At 8.0 s, the last moment of the clip, how"
            " far has the camera wearer got with them?"
        ),
        answer_text=SHOWN[2][0],
        evidence=evidence(
            ("segments", "C1/cut", "step_1"),
            ("graph_edges", "C1/cut/does/cut", "action_1"),
            ("segments", "C1/fill", "step_2"),
            ("graph_edges", "C1/fill/does/fill", "action_2"),
            *(
                ("segments", f"C1/{verb}", f"option_{letter}")
                for letter, (_, verb, _) in zip("ABCD", SHOWN, strict=True)
            ),
        ),
        rationale=rationale(
            (
                f"The step {CUT} lasts from 3.0 s to 4.5 s of the clip, so it is completed.",
                ["segments:C1/cut", "graph_edges:C1/cut/does/cut"],
            ),
            (
                f"The step {FILL} begins at 7.0 s of the clip and goes on for 1.0 s after the clip ends, so it is under way.",
                ["segments:C1/fill", "graph_edges:C1/fill/does/fill"],
            ),
            (f"So at 8.0 s {FILL} is under way.", ["segments:C1/cut", "segments:C1/fill"]),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables_of(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(9.0, 10.0),
    )


def filling_is_narrated() -> World:
    """The same of steps whose actions are known from their words alone: these are no evidence."""
    world = filling_is_under_way()
    for edge in world.tables["graph_edges"]:
        edge["source_table"] = "labels"
    world.question["evidence"] = [
        one for one in world.question["evidence"] if one["table"] == "segments"
    ]
    for step in world.question["rationale"]:
        step["evidence"] = [key for key in step["evidence"] if key.startswith("segments:")]
    world.groups = frozenset()
    return world


WORLDS = {"filling_a_cup": filling_is_under_way, "narrated_steps": filling_is_narrated}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def name_as_right(w: World, letter: str) -> None:
    """Let the right option be another status, with everything that follows from it."""
    other = next(o for o in w.options if o["letter"] == letter)
    for name in ("text", "value"):
        w.answer[name], other[name] = other[name], w.answer[name]
    w.question["answer_text"] = w.answer["text"]


def rename(w: World, verb: str, new: str) -> None:
    w.row("segments", segment_id=f"C1/{verb}")["class_name"] = new


@fault("filling_a_cup", "answer", "wrong_key")
def key_says_completed(w: World) -> None:
    name_as_right(w, "D")


@fault("filling_a_cup", "answer", "wrong_key")
def key_says_not_begun(w: World) -> None:
    name_as_right(w, "B")


@fault("filling_a_cup", "answer", "wrong_key")
def key_says_the_first_is_under_way(w: World) -> None:
    name_as_right(w, "A")


@fault("filling_a_cup", "answer", "wrong_key")
def step_begins_two_seconds_late(w: World) -> None:
    move(w, "fill", 11.0, 13.0)


@fault("filling_a_cup", "answer", "wrong_key")
def step_ends_a_second_and_a_half_early(w: World) -> None:
    move(w, "fill", 8.0, 9.5)


@fault("narrated_steps", "consistent", "evidence_left_out")
def actions_are_annotated_after_all(w: World) -> None:
    for edge in w.tables["graph_edges"]:
        edge["source_table"] = "relations"


@fault("filling_a_cup", "margin", "border")
def step_begins_as_the_clip_ends(w: World) -> None:
    move(w, "fill", 9.8, 11.8)


@fault("filling_a_cup", "margin", "border")
def step_ends_as_the_clip_ends(w: World) -> None:
    move(w, "fill", 8.0, 10.2)


@fault("filling_a_cup", "margin", "pause")
def steps_without_a_pause(w: World) -> None:
    move(w, "cut", 5.0, 8.8)


@fault("filling_a_cup", "consistent", "not_in_turn")
def third_step_between_them(w: World) -> None:
    move(w, "stir", 7.0, 8.0)


@fault("filling_a_cup", "consistent", "not_in_turn")
def third_step_at_the_same_time(w: World) -> None:
    move(w, "wash", 4.0, 5.5)


@fault("filling_a_cup", "consistent", "another_step")
def third_step_is_under_way_too(w: World) -> None:
    move(w, "stir", 9.5, 14.0)


@fault("filling_a_cup", "consistent", "no_such_step")
def somebody_else_fills_the_cup(w: World) -> None:
    w.row("relations", relation_id="C1/fill/verb")["subject"] = "P2"


@fault("filling_a_cup", "consistent", "no_such_step")
def action_without_a_place_in_the_procedure(w: World) -> None:
    w.row("segments", segment_id="C1/cut")["step_order"] = None


@fault("filling_a_cup", "consistent", "no_such_step")
def step_of_another_thing(w: World) -> None:
    rename(w, "fill", "fill bowl")


@fault("filling_a_cup", "consistent", "no_such_step")
def step_after_the_observed_end(w: World) -> None:
    move(w, "cut", 15.0, 16.0)


@fault("filling_a_cup", "consistent", "name_of_several")
def step_was_done_before_in_the_clip(w: World) -> None:
    rename(w, "wash", "cut_bread")
    move(w, "wash", 2.5, 3.5)


@fault("filling_a_cup", "consistent", "step_cut")
def clip_begins_during_the_first_step(w: World) -> None:
    move(w, "cut", 1.5, 6.5)
    move(w, "wash", 0.0, 1.0)


@fault("filling_a_cup", "consistent", "value_differs_from_text")
def option_means_another_status(w: World) -> None:
    w.answer["value"] = "C1/fill|completed"


@fault("filling_a_cup", "consistent", "value_differs_from_text")
def option_means_another_step(w: World) -> None:
    w.answer["value"] = "C1/stir|under way"


@fault("filling_a_cup", "distractors", "second_right")
def two_options_are_true(w: World) -> None:
    w.options[1]["text"] = f"{CUT} is completed"


@fault("filling_a_cup", "consistent", "evidence_role")
def evidence_of_a_later_step(w: World) -> None:
    w.question["evidence"][2]["key"] = "C1/stir"


@fault("filling_a_cup", "consistent", "evidence_role")
def action_of_another_step(w: World) -> None:
    w.question["evidence"][1]["key"] = "C1/wash/does/wash"


@fault("filling_a_cup", "consistent", "evidence_role")
def steps_exchanged_in_the_evidence(w: World) -> None:
    rows = w.question["evidence"]
    rows[0]["key"], rows[2]["key"] = rows[2]["key"], rows[0]["key"]


@fault("filling_a_cup", "consistent", "time_differs")
def clip_ends_later_than_said(w: World) -> None:
    w.query["end_s"] += 0.3


@fault("filling_a_cup", "leak", "shows_later_step")
def clip_goes_on_after_the_moment(w: World) -> None:
    w.query["end_s"] = 12.0
    reword(w, "8.0 s, the last moment of the clip,", "8.0 s")


@fault("filling_a_cup", "explanation", "contradicted")
def rationale_completes_the_step(w: World) -> None:
    explain(w, f"So at 8.0 s {FILL} is under way", f"So at 8.0 s {FILL} is completed")


@fault("filling_a_cup", "explanation", "contradicted")
def rationale_begins_a_second_late(w: World) -> None:
    explain(w, "begins at 7.0 s", "begins at 8.0 s")


@fault("filling_a_cup", "explanation", "contradicted")
def rationale_ends_the_step_too_soon(w: World) -> None:
    explain(w, "goes on for 1.0 s", "goes on for 0.2 s")


@fault("filling_a_cup", "explanation", "contradicted")
def rationale_exchanges_the_steps(w: World) -> None:
    explain(w, f"The step {CUT} lasts", f"The step {FILL} lasts")


@fault("filling_a_cup", "explanation", "left_out")
def rationale_leaves_the_second_step_out(w: World) -> None:
    second = w.question["rationale"].pop(1)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(second["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n


@fault("filling_a_cup", "seen_by_sampling", "not_seen")
def frames_four_seconds_apart(w: World) -> None:
    w.query["sampling"] = "every(4)"
