"""EgoCross's object not visible: which tool no picture of ten seconds shows."""

from __future__ import annotations

from tests.derivations.operations import (
    LOOKED,
    PLACES,
    Uses,
    asked,
    bench,
    between_box,
    box,
    box_key,
    counts_as,
    frame_key,
    operation,
)
from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    World,
    collect,
    explain,
    reword,
)

NAME = "object_not_visible"
CLIP = range(10, 20)
USES: Uses = {
    ("grasper", "MSLH"): CLIP,
    ("hook", "MSRH"): range(10, 15),
    ("irrigator", "ASRH"): range(14, 19),
    ("bipolar", "MSRH"): (17,),
    ("specimenbag", "MSRH"): range(30, 40),
}


def operating() -> World:
    """Grasper, hook and irrigator are in view, a bipolar once; the specimen bag comes later."""
    looked = [frame_key(t) for t in CLIP]
    boxes = [
        box_key(17, "bipolar", "MSRH"),
        box_key(12, "grasper", "MSLH"),
        box_key(12, "hook", "MSRH"),
        box_key(16, "irrigator", "ASRH"),
    ]
    frames = [f"annotated_frames:{key}" for key in looked]
    return asked(
        NAME,
        operation(USES),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="Which of these tools is not in view at any time in this video?",
        names=("irrigator", "hook", "specimen-bag", "grasper"),
        answer="specimen-bag",
        steps=(
            (
                "In the 10 annotated pictures of the clip these tools are in view: bipolar in 1;"
                " grasper in 10; hook in 5; irrigator in 5.",
                [*frames, *(f"boxes:{key}" for key in boxes)],
            ),
            ("No such picture shows the specimen-bag.", frames),
        ),
        evidence=[
            *(("boxes", key, "context") for key in boxes),
            *(("annotated_frames", key, "answer") for key in looked),
        ],
        seen_s=(10.0, 14.0),
    )


WORLDS = {NAME: operating}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _in_view(w: World, name: str, *times: int) -> None:
    w.tables["boxes"] += [box("VID1", t, name, "ASRH", PLACES["ASRH"]) for t in times]


def _gone(w: World, name: str, who: str, *times: int) -> None:
    gone = {box_key(t, name, who) for t in times}
    w.tables["boxes"] = [row for row in w.tables["boxes"] if row["box_id"] not in gone]


@fault(NAME, "answer", "wrong_key")
def the_answer_is_in_view_once(w: World) -> None:
    _in_view(w, "specimenbag", 14)


@fault(NAME, "answer", "wrong_key")
def the_answer_is_in_view_between_two_pictures_sent(w: World) -> None:
    _in_view(w, "specimenbag", 15)


@fault(NAME, "answer", "wrong_key")
def the_answer_is_in_view_in_a_corner(w: World) -> None:
    row = box("VID1", 13, "specimenbag", None, (0.0, 0.0))
    w.tables["boxes"].append(row | {"x_max": 0.004, "y_max": 0.004})


@fault(NAME, "answer", "wrong_key")
def the_answer_was_in_view_at_the_start(w: World) -> None:
    _in_view(w, "specimenbag", 10)


@fault(NAME, "answer", "wrong_key")
def clip_in_which_it_is_used(w: World) -> None:
    w.query.update(start_s=30.0, end_s=40.0)


@fault(NAME, "distractors", "second_right")
def another_tool_is_absent_too(w: World) -> None:
    _gone(w, "irrigator", "ASRH", *range(14, 19))
    _in_view(w, "irrigator", 50)


@fault(NAME, "distractors", "second_right")
def another_tool_comes_when_the_clip_is_over(w: World) -> None:
    _gone(w, "hook", "MSRH", *range(10, 15))
    _in_view(w, "hook", 20)


@fault(NAME, "distractors", "second_right")
def another_tool_is_a_mask_alone(w: World) -> None:
    for t in USES["hook", "MSRH"]:
        w.row("boxes", box_id=box_key(t, "hook", "MSRH"))["method"] = "mask"


@fault(NAME, "margin", "pictures_sent")
def another_tool_is_sent_once(w: World) -> None:
    _gone(w, "irrigator", "ASRH", 14, 16)


@fault(NAME, "seen_by_sampling", "not_seen")
def another_tool_is_between_the_pictures_sent(w: World) -> None:
    _gone(w, "irrigator", "ASRH", 14, 16, 18)


@fault(NAME, "consistent", "no_such_tool")
def a_tool_of_no_operation(w: World) -> None:
    w.others[0].update(text="trocar", value="trocar")


@fault(NAME, "consistent", "no_such_tool")
def a_hand_is_offered(w: World) -> None:
    hand = box("VID1", 12, "glove", None, (0.5, 0.5), hand_owner="wearer", hand_side="left")
    w.tables["boxes"].append(hand)
    w.others[0].update(text="glove", value="glove")


@fault(NAME, "consistent", "text")
def what_is_in_view_is_asked(w: World) -> None:
    reword(w, "not in view at any", "in view at some")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_a_tool_out(w: World) -> None:
    explain(w, "bipolar in 1; ", "")


@fault(NAME, "explanation", "contradicted")
def explanation_counts_a_tool_once_more(w: World) -> None:
    explain(w, "hook in 5", "hook in 6")


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_absent_tool(w: World) -> None:
    explain(w, "shows the specimen-bag", "shows the irrigator")


@fault(NAME, "answer", "wrong_key")
def the_answer_is_in_view_as_another_class(w: World) -> None:
    counts_as(w, "bipolar", "specimenbag")


@fault(NAME, "consistent", "no_such_tool")
def a_distractor_is_counted_as_another_class(w: World) -> None:
    counts_as(w, "hook", "electrode")


# At a workbench things count as the reviewed list says, and pictures between two seconds are looked at too.
BENCH = "object_not_visible_enigma51"
SEEN = {
    "left_red_button": range(10, 14),
    "right_green_button": range(13, 20),
    "screwdriver": CLIP,
    "electric_screwdriver": range(10, 15),
    "pliers": (17,),
    "high_voltage_board": range(30, 40),
}


def repairing() -> World:
    """A button or another is always in view, a screwdriver too, pliers once; a board comes later."""
    looked = [frame_key(t, "objects") for t in CLIP]
    looked.append("VID1/objects/363")
    boxes = [
        box_key(12, "left_red_button", None),
        box_key(12, "electric_screwdriver", None),
        box_key(17, "pliers", None),
        box_key(12, "screwdriver", None),
    ]
    frames = [f"annotated_frames:{key}" for key in looked]
    return asked(
        NAME,
        bench(SEEN),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="Which of these things is not in view at any time in this video?",
        names=("screwdriver", "button", "board", "electric screwdriver"),
        answer="board",
        steps=(
            (
                "In the 11 annotated pictures of the clip these things are in view: button in 10;"
                " electric screwdriver in 5; pliers in 1; screwdriver in 10.",
                [*frames, *(f"boxes:{key}" for key in boxes)],
            ),
            ("No such picture shows the board.", frames),
        ),
        evidence=[
            *(("boxes", key, "context") for key in boxes),
            *(("annotated_frames", key, "answer") for key in looked),
        ],
        seen_s=(10.0, 14.0),
        recipe=BENCH,
    )


WORLDS[BENCH] = repairing


def _put_there(w: World, name: str, *times: int) -> None:
    w.tables["boxes"] += [box("VID1", t, name, None, PLACES[None]) for t in times]


@fault(BENCH, "answer", "wrong_key")
def a_board_is_in_view_once(w: World) -> None:
    _put_there(w, "high_voltage_board", 15)


@fault(BENCH, "answer", "wrong_key")
def another_board_is_in_view(w: World) -> None:
    _put_there(w, "low_voltage_board", 13)


@fault(BENCH, "answer", "wrong_key")
def a_board_is_in_view_between_two_seconds(w: World) -> None:
    w.tables["boxes"].append(between_box("high_voltage_board"))


@fault(BENCH, "answer", "wrong_key")
def a_board_is_in_view_in_the_last_second(w: World) -> None:
    _put_there(w, "high_voltage_board", 19)


@fault(BENCH, "answer", "wrong_key")
def clip_that_shows_the_board(w: World) -> None:
    w.query.update(start_s=30.0, end_s=40.0)


@fault(BENCH, "answer", "wrong_key")
def pliers_count_as_a_board(w: World) -> None:
    counts_as(w, "pliers", "board", "object")


@fault(BENCH, "distractors", "second_right")
def no_button_is_in_view(w: World) -> None:
    for name in ("left_red_button", "right_green_button"):
        for t in SEEN[name]:
            w.row("boxes", box_id=box_key(t, name, None)).update(t_s=50.0, source_frame=1251)


@fault(BENCH, "distractors", "second_right")
def buttons_are_masks_alone(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["class_name"].endswith("button"):
            row["method"] = "mask"


@fault(BENCH, "margin", "pictures_sent")
def the_electric_screwdriver_is_sent_once(w: World) -> None:
    _gone(w, "electric_screwdriver", "None", 10, 12)


@fault(BENCH, "seen_by_sampling", "not_seen")
def the_electric_screwdriver_is_between_the_pictures_sent(w: World) -> None:
    _gone(w, "electric_screwdriver", "None", 10, 12, 14)


@fault(BENCH, "consistent", "no_such_tool")
def a_thing_of_no_bench(w: World) -> None:
    w.others[0].update(text="trocar", value="trocar")


@fault(BENCH, "consistent", "no_such_tool")
def one_of_the_buttons_is_offered(w: World) -> None:
    """The list counts it as a button."""
    w.others[1].update(text="left red button", value="left_red_button")


@fault(BENCH, "consistent", "no_such_tool")
def the_list_counts_the_screwdriver_otherwise(w: World) -> None:
    counts_as(w, "screwdriver", "electric_screwdriver", "object")


@fault(BENCH, "consistent", "not_annotated")
def nobody_looked_in_two_seconds_of_ten(w: World) -> None:
    """Neither is sent; the picture between two other seconds makes up for none of them."""
    rows = w.tables["annotated_frames"]
    w.tables["annotated_frames"] = [r for r in rows if r["t_s"] not in (13.0, 17.0)]


@fault(BENCH, "consistent", "not_annotated")
def somebody_looked_for_outlines_alone(w: World) -> None:
    w.row("annotated_frames", recording_id="VID1", t_s=16.0)["what"] = "mask_objects"


@fault(BENCH, "consistent", "clip_length")
def clip_of_twenty_seconds(w: World) -> None:
    w.query["end_s"] = 30.0


@fault(BENCH, "consistent", "text")
def tools_are_asked_for_at_the_bench(w: World) -> None:
    reword(w, "these things", "these tools")


@fault(BENCH, "explanation", "contradicted")
def explanation_counts_one_button_alone(w: World) -> None:
    explain(w, "button in 10", "button in 7")


@fault(BENCH, "explanation", "contradicted")
def explanation_leaves_pliers_out(w: World) -> None:
    explain(w, "pliers in 1; ", "")


@fault(BENCH, "explanation", "contradicted")
def explanation_names_another_absent_thing(w: World) -> None:
    explain(w, "shows the board", "shows the button")
