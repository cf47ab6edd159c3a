"""EgoCross's object not visible: which tool no picture of ten seconds shows."""

from __future__ import annotations

from tests.derivations.operations import (
    LOOKED,
    PLACES,
    Uses,
    asked,
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
