"""EgoCross's dominant object: what a surgeon's hand uses longest, by operators and by boxes of hands."""

from __future__ import annotations

from tests.derivations.operations import (
    LOOKED,
    PLACES,
    Point,
    Uses,
    asked,
    bench,
    box,
    box_key,
    counts_as,
    frame_key,
    frames,
    operation,
    point_key,
    point_rows,
)
from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    Row,
    World,
    collect,
    explain,
    reword,
)

NAME, HANDS = "dominant_object", "dominant_object_hands"
CLIP = range(10, 20)
GRASPED, COAGULATED = range(10, 17), range(17, 19)
TWEEZED, CUT = range(10, 18, 2), range(18, 20, 2)


def by_operators() -> World:
    """The main surgeon's left hand: grasper for 7 s, then bipolar for 2 s; other hands and times differ."""
    uses: Uses = {
        ("grasper", "MSLH"): GRASPED,
        ("bipolar", "MSLH"): COAGULATED,
        ("hook", "MSRH"): CLIP,
        ("specimenbag", "MSLH"): range(30, 40),
    }
    mine = [box_key(t, "grasper", "MSLH") for t in GRASPED]
    others = [box_key(t, "bipolar", "MSLH") for t in COAGULATED]
    looked = [frame_key(t) for t in CLIP]
    return asked(
        NAME,
        operation(uses),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="Which tool does the main surgeon's left hand use longest in this video?",
        names=("hook", "grasper", "specimen-bag", "bipolar"),
        answer="grasper",
        steps=(
            (
                "In the 10 annotated pictures of the clip the main surgeon's left hand uses these"
                " tools: grasper in 7; bipolar in 2.",
                [*_rows("boxes", [*mine, *others]), *_rows("annotated_frames", looked)],
            ),
            (
                "It uses the grasper in at least 5 more pictures than any other tool.",
                _rows("boxes", mine),
            ),
        ),
        evidence=[
            *(("boxes", key, "answer") for key in mine),
            *(("boxes", key, "context") for key in others),
            *(("annotated_frames", key, "coverage") for key in looked),
        ],
        seen_s=(10.0, 16.0),
    )


def by_hands() -> World:
    """The wearer's left hand meets tweezers in four pictures and scissors in one; one picture in 2 s."""
    tables = operation({("hook", "MSRH"): (), ("grasper", "MSRH"): range(40, 50, 2)})
    tables["boxes"] = [row | {"operator": None} for row in tables["boxes"]]
    for t in range(10, 20, 2):
        tool = "tweezers" if t in TWEEZED else "scissors"
        tables["boxes"] += [
            box("VID1", t, tool, None, (0.3, 0.3)),
            box("VID1", t, "hook", None, (0.8, 0.7)),
            hand(t, "left", (0.4, 0.3)),
            hand(t, "right", (0.9, 0.8)),
        ]
    tables["annotated_frames"] = [
        row
        for uid in ("VID1", "VID2")
        for what in ("tools", "hands")
        for row in frames(range(0, 60, 2), what, uid)
    ]

    def keys(tool: str, times: range) -> list[str]:
        both = [(box_key(t, tool, None), box_key(t, "own", "left")) for t in times]
        return [key for pair in both for key in pair]

    mine, others = keys("tweezers", TWEEZED), keys("scissors", CUT)
    looked = [frame_key(t, what) for what in ("tools", "hands") for t in range(10, 20, 2)]
    return asked(
        NAME,
        tables,
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="Which tool does the camera wearer's left hand use longest in this video?",
        names=("hook", "grasper", "tweezers", "scissors"),
        answer="tweezers",
        steps=(
            (
                "In the 5 annotated pictures of the clip the camera wearer's left hand uses these"
                " tools: tweezers in 4; scissors in 1.",
                [*_rows("boxes", [*mine, *others]), *_rows("annotated_frames", looked)],
            ),
            (
                "It uses the tweezers in at least 3 more pictures than any other tool.",
                _rows("boxes", mine),
            ),
        ),
        evidence=[
            *(("boxes", key, "answer") for key in mine),
            *(("boxes", key, "context") for key in others),
            *(("annotated_frames", key, "coverage") for key in looked),
        ],
        seen_s=(10.0, 16.0),
    )


def hand(t: int, side: str, at: tuple[float, float], owner: str = "wearer") -> Row:
    """A box of a hand, which has no operator."""
    name = {"wearer": "own", "other": "other"}[owner]
    row = box("VID1", t, name, side, at, hand_owner=owner, hand_side=side)
    return row | {"operator": None}


def _rows(table: str, keys: list[str]) -> list[str]:
    return [f"{table}:{key}" for key in keys]


WORLDS = {NAME: by_operators, HANDS: by_hands}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _used(w: World, name: str, times: range, **changed: object) -> None:
    for t in times:
        w.row("boxes", box_id=box_key(t, name, "MSLH")).update(changed)


def _hand_moved(w: World, t: int, side: str, at: tuple[float, float]) -> None:
    w.row("boxes", box_id=box_key(t, "own", side)).update(
        x_min=at[0] - 0.08, x_max=at[0] + 0.08, y_min=at[1] - 0.1, y_max=at[1] + 0.1
    )


@fault(NAME, "answer", "wrong_key")
def the_other_tool_is_used_longer(w: World) -> None:
    _used(w, "grasper", range(10, 16), class_name="bipolar")


@fault(NAME, "answer", "wrong_key")
def the_boxes_are_of_a_distractor(w: World) -> None:
    _used(w, "grasper", GRASPED[1:], class_name="specimenbag")


@fault(NAME, "answer", "wrong_key")
def another_hand_is_asked_about(w: World) -> None:
    reword(w, "left hand", "right hand")


@fault(NAME, "answer", "wrong_key")
def operators_exchanged(w: World) -> None:
    for row in w.tables["boxes"]:
        row["operator"] = {"MSLH": "MSRH", "MSRH": "MSLH"}[row["operator"]]


@fault(NAME, "consistent", "hand_uses_nothing")
def a_hand_that_uses_nothing(w: World) -> None:
    reword(w, "main surgeon's left", "assistant surgeon's right")


@fault(NAME, "distractors", "second_right")
def two_tools_equally_long(w: World) -> None:
    for t in (12, 13, 14):
        w.tables["boxes"].append(box("VID1", t, "bipolar", "MSLH", (0.4, 0.4)))
    _used(w, "grasper", range(15, 17), class_name="bipolar", box_id="")
    for row in w.tables["boxes"]:
        row["box_id"] = row["box_id"] or box_key(round(row["t_s"]), "bipolar", "MSLH")


@fault(NAME, "margin", "lead_all")
def the_other_tool_is_used_nearly_as_long(w: World) -> None:
    for t in range(10, 14):
        w.tables["boxes"].append(box("VID1", t, "bipolar", "MSLH", (0.4, 0.4)))


@fault(NAME, "margin", "lead_all")
def boxes_of_an_unknown_operator(w: World) -> None:
    for t in range(10, 14):
        w.tables["boxes"].append(box("VID1", t, "bipolar", None, (0.4, 0.4)))


@fault(NAME, "margin", "lead_sent")
def the_pictures_sent_do_not_tell(w: World) -> None:
    for t in (10, 12, 14):
        row = w.row("boxes", box_id=box_key(t, "grasper", "MSLH"))
        row.update(class_name="bipolar")
    w.tables["boxes"] += [box("VID1", t, "grasper", "MSLH", (0.4, 0.4)) for t in (18, 19)]


@fault(NAME, "answer", "wrong_key")
def clip_of_another_time(w: World) -> None:
    w.query.update(start_s=30.0, end_s=40.0)


@fault(NAME, "consistent", "no_such_tool")
def a_tool_that_is_nowhere(w: World) -> None:
    w.others[0].update(text="trocar", value="trocar")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_other_tool(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "consistent", "evidence_role")
def evidence_of_another_hand(w: World) -> None:
    key = box_key(12, "hook", "MSRH")
    w.question["evidence"].append({"table": "boxes", "key": key, "role": "answer"})


@fault(NAME, "explanation", "contradicted")
def explanation_counts_another_number(w: World) -> None:
    explain(w, "grasper in 7", "grasper in 8")


@fault(NAME, "explanation", "contradicted")
def explanation_exchanges_tools(w: World) -> None:
    explain(w, "bipolar in 2", "hook in 2")


@fault(NAME, "explanation", "contradicted")
def explanation_leads_by_more(w: World) -> None:
    explain(w, "at least 5", "at least 7")


@fault(NAME, "explanation", "contradicted")
def explanation_of_another_hand(w: World) -> None:
    explain(w, "left hand", "right hand")


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_sends_the_last_picture_alone(w: World) -> None:
    w.query["sampling"] = "endpoints(1)"


@fault(HANDS, "answer", "wrong_key")
def the_left_hand_is_the_right_one(w: World) -> None:
    reword(w, "left hand", "right hand")


@fault(HANDS, "answer", "wrong_key")
def the_hand_is_at_the_other_tool(w: World) -> None:
    for t in TWEEZED:
        _hand_moved(w, t, "left", (0.7, 0.6))
        _hand_moved(w, t, "right", (0.1, 0.9))


@fault(HANDS, "consistent", "hand_uses_nothing")
def the_hand_meets_nothing(w: World) -> None:
    for t in range(10, 20, 2):
        _hand_moved(w, t, "left", (0.1, 0.9))


@fault(HANDS, "consistent", "hand_uses_nothing")
def the_hands_are_another_persons(w: World) -> None:
    for row in w.tables["boxes"]:
        if row.get("hand_owner") is not None:
            row["hand_owner"] = "other"


@fault(HANDS, "margin", "lead_all")
def another_hand_is_at_the_tool_too(w: World) -> None:
    for t in (10, 12, 14):
        w.tables["boxes"].append(hand(t, "right", (0.25, 0.3), "other"))


@fault(HANDS, "margin", "lead_all")
def the_hand_meets_two_tools(w: World) -> None:
    for t in (10, 12):
        w.tables["boxes"].append(box("VID1", t, "grasper", None, (0.5, 0.4)))


@fault(HANDS, "consistent", "not_annotated")
def nobody_looked_for_hands(w: World) -> None:
    w.tables["annotated_frames"].remove(
        w.row("annotated_frames", recording_id="VID1", what="hands", t_s=14.0)
    )


@fault(HANDS, "consistent", "evidence_left_out")
def evidence_without_the_hand(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if "/own/" not in e["key"]]


# At a workbench points say what a hand holds: pliers for nine seconds, then two buttons for two each.
BENCH = "dominant_object_enigma51"
LONG = range(10, 30)
TAKEN: Point = ("take", "right", "pliers", 10.5)
RELEASED: Point = ("release", "right", "pliers", 19.5)
PRESSED: Point = ("first_contact", "right", "left_red_button", 22.0)
LEFT: Point = ("decontact", "right", "left_red_button", 24.0)
PRESSED_AGAIN: Point = ("first_contact", "right", "right_green_button", 26.0)
LEFT_AGAIN: Point = ("decontact", "right", "right_green_button", 28.0)
BOARD: Point = ("take", "left", "high_voltage_board", 12.0)
BOARD_BACK: Point = ("release", "left", "high_voltage_board", 25.0)
MINE = (TAKEN, RELEASED, PRESSED, LEFT, PRESSED_AGAIN, LEFT_AGAIN)
GRIPPED = range(11, 20)


def repairing() -> World:
    """The right hand holds pliers longest, the left one a board; a screwdriver lies there later."""
    things = ("pliers", "left_red_button", "right_green_button", "high_voltage_board")
    seen = {**dict.fromkeys(things, LONG), "screwdriver": range(40, 45)}
    mine = [box_key(t, "pliers", None) for t in GRIPPED]
    others = [box_key(t, "left_red_button", None) for t in (22, 23)]
    others += [box_key(t, "right_green_button", None) for t in (26, 27)]
    looked = [frame_key(t, "objects") for t in LONG]
    segments = [point_key(point) for point in MINE]
    relations = [f"{key}/direct" for key in segments]
    return asked(
        NAME,
        bench(seen, (*MINE, BOARD, BOARD_BACK)),
        (WORDS, EXPLAINED, STEPS, LOOKED),
        text="Which of these things is the operator's right hand in contact with longest in this video?",
        names=("screwdriver", "pliers", "board", "button"),
        answer="pliers",
        steps=(
            (
                "In 20 annotated pictures of the clip, a second apart, the operator's right hand is in"
                " contact with these things: pliers in 9; button in 4.",
                [
                    *_rows("boxes", [*mine, *others]),
                    *_rows("annotated_frames", looked),
                    *_rows("segments", segments),
                    *_rows("relations", relations),
                ],
            ),
            (
                "It is in contact with the pliers in at least 5 more pictures than with any other"
                " thing.",
                _rows("boxes", mine),
            ),
        ),
        evidence=[
            *(("boxes", key, "answer") for key in mine),
            *(("boxes", key, "context") for key in others),
            *(("annotated_frames", key, "coverage") for key in looked),
            *(("segments", key, "event") for key in segments),
            *(("relations", key, "event") for key in relations),
        ],
        seen_s=(11.0, 19.0),
        end_s=30.0,
        recipe=BENCH,
    )


WORLDS[BENCH] = repairing


def _point(w: World, point: Point) -> Row:
    return w.row("segments", segment_id=point_key(point))


def _told(w: World, point: Point) -> Row:
    return w.row("relations", segment_id=point_key(point))


def _happens(w: World, *points: Point) -> None:
    for segment, relation in map(point_rows, points):
        w.tables["segments"].append(segment)
        w.tables["relations"].append(relation)


def _without(w: World, point: Point) -> None:
    w.tables["segments"].remove(_point(w, point))
    w.tables["relations"].remove(_told(w, point))


@fault(BENCH, "answer", "wrong_key")
def the_pliers_are_released_soon(w: World) -> None:
    _point(w, RELEASED)["start_s"] = 13.5


@fault(BENCH, "answer", "wrong_key")
def the_other_hand_does_what_this_one_did(w: World) -> None:
    for relation in w.tables["relations"]:
        relation["hand_side"] = {"left": "right", "right": "left"}[relation["hand_side"]]


@fault(BENCH, "answer", "wrong_key")
def the_text_asks_about_the_left_hand(w: World) -> None:
    reword(w, "right hand", "left hand")


@fault(BENCH, "answer", "wrong_key")
def pliers_and_a_button_are_exchanged(w: World) -> None:
    for row in w.tables["relations"]:
        row["object"] = {"pliers": "left_red_button", "left_red_button": "pliers"}.get(
            row["object"], row["object"]
        )


@fault(BENCH, "answer", "wrong_key")
def the_pliers_are_out_of_view_while_they_are_held(w: World) -> None:
    w.tables["boxes"] = [
        row for row in w.tables["boxes"] if row["class_name"] != "pliers" or row["t_s"] >= 18
    ]


@fault(BENCH, "answer", "wrong_key")
def the_pliers_are_masks_alone(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["class_name"] == "pliers":
            row["method"] = "mask"


@fault(BENCH, "answer", "wrong_key")
def nothing_says_that_the_pliers_were_taken(w: World) -> None:
    """They may have been held at any time before they are released."""
    _without(w, TAKEN)


@fault(BENCH, "answer", "wrong_key")
def clip_that_begins_when_they_are_nearly_back(w: World) -> None:
    w.query.update(start_s=18.0, end_s=38.0)


@fault(BENCH, "distractors", "second_right")
def both_are_held_equally_long(w: World) -> None:
    for point, at_s in ((PRESSED, 20.0), (PRESSED_AGAIN, 25.0), (LEFT_AGAIN, 30.0)):
        _point(w, point)["start_s"] = at_s


@fault(BENCH, "margin", "lead_all")
def buttons_are_pressed_nearly_as_long(w: World) -> None:
    _point(w, PRESSED)["start_s"] = 20.0


@fault(BENCH, "margin", "lead_all")
def a_thing_is_taken_and_never_released(w: World) -> None:
    w.tables["boxes"] += [box("VID1", t, "screwdriver", None, PLACES[None]) for t in LONG]
    _happens(w, ("take", "right", "screwdriver", 21.0))


@fault(BENCH, "margin", "lead_all")
def a_thing_is_released_that_was_never_taken(w: World) -> None:
    w.tables["boxes"] += [box("VID1", t, "screwdriver", None, PLACES[None]) for t in LONG]
    _happens(w, ("release", "right", "screwdriver", 21.0))


@fault(BENCH, "margin", "lead_all")
def a_button_is_met_twice_before_it_is_left(w: World) -> None:
    _happens(w, ("first_contact", "right", "left_red_button", 17.0))


@fault(BENCH, "margin", "lead_sent")
def the_pictures_sent_do_not_show_the_pliers(w: World) -> None:
    _point(w, RELEASED)["start_s"] = 29.5
    w.tables["boxes"] = [
        row for row in w.tables["boxes"] if row["class_name"] != "pliers" or row["t_s"] % 2
    ]


@fault(BENCH, "consistent", "hand_uses_nothing")
def all_is_done_by_the_other_hand(w: World) -> None:
    for relation in w.tables["relations"]:
        relation["hand_side"] = "left"


@fault(BENCH, "consistent", "hand_uses_nothing")
def the_interactions_are_no_points(w: World) -> None:
    for segment in w.tables["segments"]:
        segment["is_point"] = False


@fault(BENCH, "consistent", "not_annotated")
def a_point_of_the_clip_names_no_hand(w: World) -> None:
    _told(w, BOARD)["hand_side"] = None


@fault(BENCH, "consistent", "not_annotated")
def a_point_of_the_clip_names_no_thing(w: World) -> None:
    _told(w, BOARD_BACK)["role"] = None


@fault(BENCH, "consistent", "not_annotated")
def nobody_looked_in_three_seconds_of_twenty(w: World) -> None:
    """None is sent."""
    rows = w.tables["annotated_frames"]
    w.tables["annotated_frames"] = [r for r in rows if r["t_s"] not in (13.0, 21.0, 25.0)]


@fault(BENCH, "consistent", "clip_length")
def clip_of_ten_seconds(w: World) -> None:
    w.query["end_s"] = 20.0


@fault(BENCH, "consistent", "no_such_tool")
def a_thing_of_no_bench(w: World) -> None:
    w.others[0].update(text="trocar", value="trocar")


@fault(BENCH, "consistent", "no_such_tool")
def the_list_counts_pliers_as_boards(w: World) -> None:
    counts_as(w, "pliers", "board", "object")


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_a_point(w: World) -> None:
    evidence = w.question["evidence"]
    evidence.remove(next(e for e in evidence if e["table"] == "segments"))


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_what_names_the_hand(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["table"] != "relations"]


@fault(BENCH, "consistent", "evidence_role")
def evidence_of_the_left_hand(w: World) -> None:
    w.question["evidence"].append({"table": "segments", "key": point_key(BOARD), "role": "event"})


@fault(BENCH, "consistent", "text")
def buttons_are_to_be_left_out(w: World) -> None:
    reword(w, "in this video?", "in this video? Leave out buttons.")


@fault(BENCH, "explanation", "contradicted")
def explanation_counts_one_button_alone(w: World) -> None:
    explain(w, "button in 4", "button in 2")


@fault(BENCH, "explanation", "contradicted")
def explanation_holds_the_pliers_longer(w: World) -> None:
    explain(w, "pliers in 9", "pliers in 10")


@fault(BENCH, "explanation", "contradicted")
def explanation_leads_by_more_pictures(w: World) -> None:
    explain(w, "at least 5", "at least 7")


@fault(BENCH, "explanation", "contradicted")
def explanation_of_the_left_hand(w: World) -> None:
    explain(w, "right hand", "left hand")
