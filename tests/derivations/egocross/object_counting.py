"""EgoCross's object counting: how many kinds of tools ten pictures show."""

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

NAME = "object_counting"
CLIP = range(10, 20)
USES: Uses = {
    ("grasper", "MSLH"): CLIP,
    ("grasper", "ASRH"): range(10, 12),
    ("hook", "MSRH"): range(11, 15),
    ("irrigator", "ASRH"): range(16, 19),
    ("specimenbag", "MSRH"): range(30, 40),
}


def operating() -> World:
    """Two graspers, a hook and an irrigator are in view; the specimen bag comes later."""
    looked = [frame_key(t) for t in CLIP]
    boxes = [
        box_key(12, "grasper", "MSLH"),
        box_key(12, "hook", "MSRH"),
        box_key(16, "irrigator", "ASRH"),
    ]
    named = [f"boxes:{key}" for key in boxes]
    return asked(
        NAME,
        operation(USES),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="How many different kinds of tools are in view in this video, whether fully or in part?",
        names=("5", "3", "2", "4"),
        answer="3",
        steps=(
            (
                "In the 10 annotated pictures of the clip these tools are in view: grasper in 10;"
                " hook in 4; irrigator in 3.",
                [*(f"annotated_frames:{key}" for key in looked), *named],
            ),
            ("Different kinds in all: 3.", named),
        ),
        evidence=[
            *(("boxes", key, "answer") for key in boxes),
            *(("annotated_frames", key, "coverage") for key in looked),
        ],
        seen_s=(16.0, 18.0),
    )


WORLDS = {NAME: operating}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _in_view(w: World, name: str, *times: int) -> None:
    w.tables["boxes"] += [box("VID1", t, name, None, PLACES["ASRH"]) for t in times]


def _gone(w: World, name: str, who: str, *times: int) -> None:
    gone = {box_key(t, name, who) for t in times}
    w.tables["boxes"] = [row for row in w.tables["boxes"] if row["box_id"] not in gone]


def _named(w: World, name: str, who: str, other: str) -> None:
    for row in w.tables["boxes"]:
        if (row["class_name"], row["operator"]) == (name, who):
            row["class_name"] = other


@fault(NAME, "answer", "wrong_key")
def a_fourth_kind_is_in_view_once(w: World) -> None:
    _in_view(w, "bipolar", 14)


@fault(NAME, "answer", "wrong_key")
def a_fourth_kind_is_in_a_corner(w: World) -> None:
    row = box("VID1", 18, "bipolar", None, (0.0, 0.0))
    w.tables["boxes"].append(row | {"x_max": 0.004, "y_max": 0.004})


@fault(NAME, "answer", "wrong_key")
def a_fourth_kind_is_beside_another_box(w: World) -> None:
    row = box("VID1", 12, "bipolar", "MSLH", PLACES["MSLH"])
    w.tables["boxes"].append(row)


@fault(NAME, "answer", "wrong_key")
def the_second_grasper_is_another_kind(w: World) -> None:
    _named(w, "grasper", "ASRH", "scissors")


@fault(NAME, "answer", "wrong_key")
def one_kind_is_two(w: World) -> None:
    for t in range(13, 15):
        w.row("boxes", box_id=box_key(t, "hook", "MSRH"))["class_name"] = "clipper"


@fault(NAME, "answer", "wrong_key")
def two_kinds_are_one(w: World) -> None:
    _named(w, "irrigator", "ASRH", "hook")


@fault(NAME, "answer", "wrong_key")
def a_kind_comes_when_the_clip_is_over(w: World) -> None:
    _gone(w, "irrigator", "ASRH", 16, 17, 18)
    _in_view(w, "irrigator", 20)


@fault(NAME, "answer", "wrong_key")
def a_kind_is_a_mask_alone(w: World) -> None:
    for t in USES["hook", "MSRH"]:
        w.row("boxes", box_id=box_key(t, "hook", "MSRH"))["method"] = "mask"


@fault(NAME, "answer", "wrong_key")
def a_kind_is_a_hand(w: World) -> None:
    for t in USES["hook", "MSRH"]:
        w.row("boxes", box_id=box_key(t, "hook", "MSRH"))["hand_owner"] = "wearer"


@fault(NAME, "answer", "wrong_key")
def clip_of_a_later_time(w: World) -> None:
    w.query.update(start_s=30.0, end_s=40.0)


@fault(NAME, "consistent", "kind_not_sent")
def a_kind_is_between_the_pictures_sent(w: World) -> None:
    _gone(w, "irrigator", "ASRH", 16, 18)


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_steps_over_a_kind(w: World) -> None:
    w.protocols = {"direct/1": "every(5)"}


@fault(NAME, "distractors", "far_from_count")
def a_number_far_from_the_count(w: World) -> None:
    w.others[0].update(text="7", value="7")


@fault(NAME, "consistent", "value_differs_from_text")
def a_number_means_another(w: World) -> None:
    w.others[0]["value"] = "6"


@fault(NAME, "consistent", "text")
def boxes_are_asked_for(w: World) -> None:
    reword(w, "different kinds of tools", "tools")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_a_kind_out(w: World) -> None:
    explain(w, "; irrigator in 3", "")


@fault(NAME, "explanation", "contradicted")
def explanation_counts_both_graspers(w: World) -> None:
    explain(w, "grasper in 10", "grasper in 12")


@fault(NAME, "explanation", "contradicted")
def explanation_ends_with_another_number(w: World) -> None:
    explain(w, "in all: 3", "in all: 4")


@fault(NAME, "answer", "wrong_key")
def two_kinds_are_counted_as_one(w: World) -> None:
    counts_as(w, "hook", "irrigator")


@fault(NAME, "explanation", "contradicted")
def a_kind_is_counted_under_another_name(w: World) -> None:
    counts_as(w, "hook", "electrode")


# At a workbench several classes are of one kind, and pictures between two seconds are looked at too.
BENCH = "object_counting_enigma51"
SEEN = {
    "left_red_button": range(10, 14),
    "right_green_button": range(12, 20),
    "screwdriver": CLIP,
    "low_voltage_board": range(14, 17),
    "high_voltage_board": range(16, 19),
    "pliers": range(30, 40),
}


def repairing() -> World:
    """Two buttons, two boards and a screwdriver are in view; pliers come later."""
    looked = [frame_key(t, "objects") for t in CLIP]
    looked.append("VID1/objects/363")
    boxes = [
        box_key(16, "high_voltage_board", None),
        box_key(12, "left_red_button", None),
        box_key(12, "screwdriver", None),
    ]
    named = [f"boxes:{key}" for key in boxes]
    return asked(
        NAME,
        bench(SEEN),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="How many different kinds of things are in view in this video, whether fully or in part?"
        " Tools, devices and components count; things of one kind, such as buttons or boards, count as"
        " one.",
        names=("5", "3", "2", "4"),
        answer="3",
        steps=(
            (
                "In the 11 annotated pictures of the clip these things are in view: board in 5;"
                " button in 10; screwdriver in 10.",
                [*(f"annotated_frames:{key}" for key in looked), *named],
            ),
            ("Different kinds in all: 3.", named),
        ),
        evidence=[
            *(("boxes", key, "answer") for key in boxes),
            *(("annotated_frames", key, "coverage") for key in looked),
        ],
        seen_s=(14.0, 18.0),
        recipe=BENCH,
    )


WORLDS[BENCH] = repairing


def _put_there(w: World, name: str, *times: int) -> None:
    w.tables["boxes"] += [box("VID1", t, name, None, PLACES[None]) for t in times]


def _taken_away(w: World, name: str, *times: int) -> None:
    _gone(w, name, "None", *times)


@fault(BENCH, "answer", "wrong_key")
def pliers_are_in_view_once(w: World) -> None:
    _put_there(w, "pliers", 15)


@fault(BENCH, "answer", "wrong_key")
def pliers_are_in_view_between_two_seconds(w: World) -> None:
    w.tables["boxes"].append(between_box("pliers"))


@fault(BENCH, "answer", "wrong_key")
def pliers_are_in_a_corner(w: World) -> None:
    row = box("VID1", 18, "pliers", None, (0.0, 0.0))
    w.tables["boxes"].append(row | {"x_max": 0.004, "y_max": 0.004})


@fault(BENCH, "answer", "wrong_key")
def one_of_two_buttons_is_pliers(w: World) -> None:
    w.row("boxes", box_id=box_key(18, "right_green_button", None))["class_name"] = "pliers"


@fault(BENCH, "answer", "wrong_key")
def both_boards_come_when_the_clip_is_over(w: World) -> None:
    for name in ("low_voltage_board", "high_voltage_board"):
        _taken_away(w, name, *SEEN[name])
    _put_there(w, "low_voltage_board", 20)


@fault(BENCH, "answer", "wrong_key")
def boards_are_masks_alone(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["class_name"].endswith("board"):
            row["method"] = "mask"


@fault(BENCH, "answer", "wrong_key")
def buttons_are_hands(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["class_name"].endswith("button"):
            row["hand_owner"] = "wearer"


@fault(BENCH, "answer", "wrong_key")
def two_buttons_count_as_two(w: World) -> None:
    counts_as(w, "right_green_button", "green_button", "object")


@fault(BENCH, "answer", "wrong_key")
def boards_count_as_buttons(w: World) -> None:
    for label in ("low_voltage_board", "high_voltage_board"):
        counts_as(w, label, "button", "object")


@fault(BENCH, "answer", "wrong_key")
def the_list_is_of_another_vocabulary(w: World) -> None:
    """Without it five classes count."""
    for row in w.tables["taxonomies"]:
        row["taxonomy"] = "tool"


@fault(BENCH, "answer", "wrong_key")
def clip_of_pliers_alone(w: World) -> None:
    w.query.update(start_s=30.0, end_s=40.0)


@fault(BENCH, "consistent", "kind_not_sent")
def boards_are_between_the_pictures_sent(w: World) -> None:
    _taken_away(w, "low_voltage_board", 14, 16)
    _taken_away(w, "high_voltage_board", 16, 18)


@fault(BENCH, "consistent", "not_annotated")
def nobody_looked_in_two_seconds_of_ten(w: World) -> None:
    """Neither is sent; the picture between two other seconds makes up for none of them."""
    rows = w.tables["annotated_frames"]
    w.tables["annotated_frames"] = [r for r in rows if r["t_s"] not in (13.0, 17.0)]


@fault(BENCH, "consistent", "clip_length")
def clip_of_twenty_seconds(w: World) -> None:
    w.query["end_s"] = 30.0


@fault(BENCH, "distractors", "far_from_count")
def a_number_far_from_the_count_of_things(w: World) -> None:
    w.others[0].update(text="7", value="7")


@fault(BENCH, "consistent", "text")
def tools_are_asked_for_at_the_bench(w: World) -> None:
    reword(w, "kinds of things", "kinds of tools")


@fault(BENCH, "consistent", "text")
def things_of_one_kind_are_asked_for_apart(w: World) -> None:
    reword(w, "; things of one kind, such as buttons or boards, count as one", "")


@fault(BENCH, "explanation", "contradicted")
def explanation_leaves_the_boards_out(w: World) -> None:
    explain(w, "board in 5; ", "")


@fault(BENCH, "explanation", "contradicted")
def explanation_counts_pictures_of_both_boards(w: World) -> None:
    explain(w, "board in 5", "board in 6")


@fault(BENCH, "explanation", "contradicted")
def explanation_ends_with_the_number_of_classes(w: World) -> None:
    explain(w, "in all: 3", "in all: 5")
