"""EgoCross's object localisation: in which cell of a 3x3 grid an instrument is, or what a hand takes."""

from __future__ import annotations

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
    recording,
    reword,
    seconds,
)

CENTRES = {"top-left": (0.15, 0.2), "center": (0.5, 0.5), "bottom-right": (0.85, 0.8)}


def surgery() -> World:
    """Grasper of the main surgeon's left hand: top left at 17 s, elsewhere before and after."""
    tables: dict[str, list[Row]] = {
        "recordings": [recording("VID1", "ego", 60.0), recording("VID2", "ego", 60.0)],
        "boxes": [],
        "annotated_frames": [],
        "segments": [],
        "relations": [],
    }
    for uid in ("VID1", "VID2"):
        for t in range(60):
            where = "top-left" if t in (16, 17) else ("center" if t < 16 else "bottom-right")
            hands = [("grasper", "MSLH", CENTRES[where])]
            hands += [("hook", "MSRH", (0.8, 0.2)), ("grasper", "ASRH", (0.2, 0.85))]
            for name, operator, centre in hands:
                tables["boxes"].append(_tool_box(uid, t, name, operator, centre))
            tables["annotated_frames"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "what": "tools",
                    "source_frame": 25 * t + 1,
                    "t_s": float(t),
                }
            )
    cells = ("center", "bottom-right", "top-left", "top-center")
    options = [
        option(x, c, c == "top-left", value=c.replace("-", "_"))
        for x, c in zip("ABCD", cells, strict=True)
    ]
    row = question(
        "egocross",
        "object_localisation",
        options,
        [medium("query", "VID1", 10.0, 25.0)],
        text="Approximately in which region of the view was the 'grasper' (operated by main"
        " surgeon left hand) located around timestamp 7.00s?",
        answer_text="top-left",
        evidence=[
            {"table": "boxes", "key": "VID1/17/grasper/MSLH", "role": "answer"},
            {"table": "annotated_frames", "key": "VID1/tools/426", "role": "coverage"},
            {"table": "boxes", "key": "VID1/17/hook/MSRH", "role": "context"},
            {"table": "boxes", "key": "VID1/17/grasper/ASRH", "role": "context"},
        ],
        rationale=[
            {"step": i, "text": text, "evidence": keys}
            for i, (text, keys) in enumerate(
                (
                    (
                        "At 7.00s of the clip these instruments are in view: grasper, hook.",
                        [
                            "annotated_frames:VID1/tools/426",
                            "boxes:VID1/17/grasper/MSLH",
                            "boxes:VID1/17/hook/MSRH",
                        ],
                    ),
                    (
                        "The box of the 'grasper' operated by main surgeon left hand starts at"
                        " x=0.070, y=0.100 and is 0.160 wide and 0.200 high, as shares of the"
                        " picture.",
                        ["boxes:VID1/17/grasper/MSLH"],
                    ),
                    (
                        "Its centre (0.150, 0.200) lies in the 'top-left' region of the 3x3 grid.",
                        ["boxes:VID1/17/grasper/MSLH"],
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
        seen_s=(15.5, 18.5),
        answer_box=(0.07, 0.1, 0.23, 0.3),
        protocols={"direct/1": "every(1)"},
        frame_times={"VID1": [float(t) for t in range(60)], "VID2": [float(t) for t in range(60)]},
    )


def _tool_box(
    uid: str, t: int, name: str, operator: str | None, centre: tuple[float, float]
) -> Row:
    x, y = centre
    return {
        "source": "s",
        "recording_id": uid,
        "box_id": f"{uid}/{t}/{name}/{operator}",
        "source_frame": 25 * t + 1,
        "t_s": float(t),
        "class_name": name,
        "operator": operator,
        "x_min": x - 0.08,
        "y_min": y - 0.1,
        "x_max": x + 0.08,
        "y_max": y + 0.1,
    }


WORLDS = {"object_localisation": surgery}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault("object_localisation", "explanation", "contradicted")
def explanation_moves_the_box(w: World) -> None:
    explain(w, "x=0.070", "x=0.570")


@fault("object_localisation", "explanation", "contradicted")
def explanation_swaps_left_and_right(w: World) -> None:
    explain(w, "left hand", "right hand")


@fault("object_localisation", "explanation", "contradicted")
def explanation_names_another_cell(w: World) -> None:
    explain(w, "'top-left'", "'top-right'")


@fault("object_localisation", "explanation", "contradicted")
def explanation_sees_what_is_not_there(w: World) -> None:
    explain(w, "grasper, hook", "grasper, hook, clipper")


@fault("object_localisation", "explanation", "contradicted")
def explanation_overlooks_what_is_there(w: World) -> None:
    explain(w, "in view: grasper, hook", "in view: grasper")


@fault("object_localisation", "explanation", "contradicted")
def explanation_tells_of_another_instant(w: World) -> None:
    explain(w, "At 7.00s", "At 8.00s")


ASKED = "VID1/17/grasper/MSLH"


def move(w: World, x: float, y: float, key: str = ASKED) -> None:
    w.row("boxes", box_id=key).update(x_min=x - 0.08, x_max=x + 0.08, y_min=y - 0.1, y_max=y + 0.1)


@fault("object_localisation", "answer", "wrong_key")
def left_for_right(w: World) -> None:
    move(w, 1 - 0.15, 0.2)


@fault("object_localisation", "answer", "wrong_key")
def top_for_bottom(w: World) -> None:
    move(w, 0.15, 1 - 0.2)


@fault("object_localisation", "answer", "wrong_key")
def cell_of_the_corner_not_the_centre(w: World) -> None:
    move(w, 0.38, 0.2)  # its left edge lies in the left column, its centre does not


@fault("object_localisation", "margin", "grid_line")
def centre_on_a_vertical_line(w: World) -> None:
    move(w, 1 / 3 - 0.02, 0.2)


@fault("object_localisation", "margin", "grid_line")
def centre_on_a_horizontal_line(w: World) -> None:
    move(w, 0.15, 1 / 3 - 0.005)


@fault("object_localisation", "distractors", "second_right")
def same_tool_of_the_same_hand_twice(w: World) -> None:
    twin = {**w.row("boxes", box_id=ASKED), "box_id": "VID1/17/grasper/again"}
    w.tables["boxes"].append(twin)
    move(w, 0.5, 0.5, "VID1/17/grasper/again")


@fault("object_localisation", "distractors", "second_right")
def same_tool_of_an_unknown_hand(w: World) -> None:
    row = w.row("boxes", box_id="VID1/17/grasper/ASRH")
    row["operator"] = None
    move(w, 0.5, 0.5, "VID1/17/grasper/ASRH")


@fault("object_localisation", "distractors", "second_right")
def operator_left_out_of_the_text(w: World) -> None:
    reword(w, " (operated by main surgeon left hand)", "")
    move(w, 0.5, 0.5, "VID1/17/grasper/ASRH")


@fault("object_localisation", "consistent", "evidence_of_another_object")
def other_twin(w: World) -> None:
    w.question["evidence"][0]["key"] = "VID1/17/grasper/ASRH"


@fault("object_localisation", "consistent", "evidence_of_another_object")
def text_names_another_hand(w: World) -> None:
    reword(w, "main surgeon left", "assistant surgeon right")


@fault("object_localisation", "consistent", "text_names_no_box")
def left_hand_for_right_hand(w: World) -> None:
    reword(w, "left hand", "right hand")


@fault("object_localisation", "consistent", "evidence_of_another_object")
def text_names_another_tool(w: World) -> None:
    text = w.question["text"].replace("grasper", "hook").replace("left hand", "right hand")
    w.question["text"] = text


@fault("object_localisation", "consistent", "text_names_no_box")
def text_names_nothing_boxed(w: World) -> None:
    reword(w, "grasper", "clipper")


@fault("object_localisation", "consistent", "shifted_time")
def time_in_the_text_shifted(w: World) -> None:
    reword(w, "7.00s", "9.00s")


@fault("object_localisation", "answer", "wrong_key")
def clip_shifted_under_the_text(w: World) -> None:
    w.query["start_s"] += 2.0
    w.query["end_s"] += 2.0


@fault("object_localisation", "consistent", "time_outside_clip")
def time_of_the_recording_not_of_the_clip(w: World) -> None:
    reword(w, "7.00s", "17.00s")


@fault("object_localisation", "consistent", "nothing_boxed_then")
def gap_in_the_annotation(w: World) -> None:
    later = {**w.row("boxes", box_id=ASKED), "t_s": 40.0}
    w.tables["boxes"] = [r for r in w.tables["boxes"] if not 15 <= r["t_s"] <= 19]
    w.tables["boxes"].append(later)


@fault("object_localisation", "seen_by_sampling", "not_seen")
def sampling_steps_over_the_moment(w: World) -> None:
    w.protocols = {"direct/1": "every(2)"}


@fault("object_localisation", "consistent", "no_box_in_evidence")
def evidence_without_a_box(w: World) -> None:
    w.question["evidence"] = [w.question["evidence"][1]]
    w.question["rationale"] = []


# A hand takes a screwdriver at the top left of a workbench.
BENCH = "object_localisation_enigma51"
PLACES = {"screw_driver": (0.15, 0.2), "board": (0.5, 0.5), "pliers": (0.85, 0.8)}
HALF = (0.08, 0.1)
AT, LATER = 14, 20


def box(uid: str, t: int, name: str) -> str:
    return f"{uid}/{t}/{name}"


def bench() -> dict[str, list[Row]]:
    """Things and a hand, boxed every second of two recordings of 40 s; the right hand acts twice."""
    rows: dict[str, list[Row]] = {
        "recordings": [recording(uid, "ego", 40.0) for uid in ("R1", "R2")],
        "boxes": [],
        "annotated_frames": [],
        "segments": [],
        "relations": [],
    }
    for uid in ("R1", "R2"):
        for t in range(40):
            rows["annotated_frames"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "what": "objects",
                    "source_frame": 30 * t,
                    "t_s": float(t),
                }
            )
            rows["boxes"] += [_box(uid, t, name, at) for name, at in PLACES.items()]
            hand = _box(uid, t, "right hand", (0.2, 0.4))
            rows["boxes"].append({**hand, "hand_owner": "wearer", "hand_side": "right"})
        for verb, thing, at in (("take", "screw_driver", AT), ("first_contact", "board", LATER)):
            fixed = {"source": "s", "recording_id": uid, "segment_id": f"{uid}/{at}"}
            times = {"start_s": float(at), "end_s": float(at)}
            kind = {"kind": "interaction", "is_point": True, "class_name": verb}
            rows["segments"].append({**fixed, **kind, **times})
            named = {**fixed, "hand_side": "right", "relation_id": f"{uid}/{at}/direct"}
            rows["relations"].append(
                {**named, "relation": "direct object", "object": thing, "role": "direct"}
            )
    return rows


def _box(uid: str, t: int, name: str, at: tuple[float, float]) -> Row:
    sides = {
        f"{axis}_{end}": round(middle + sign * half, 3)
        for axis, middle, half in zip("xy", at, HALF, strict=True)
        for end, sign in (("min", -1), ("max", 1))
    }
    return {
        "source": "s",
        "recording_id": uid,
        "box_id": box(uid, t, name),
        "source_frame": 30 * t,
        "t_s": float(t),
        "class_name": name,
        "operator": None,
        "hand_owner": None,
        "hand_side": None,
        "method": "manual",
        **sides,
    }


def taken() -> World:
    cells = ("center", "bottom-right", "top-left", "top-center")
    mine = box("R1", AT, "screw_driver")
    steps = (
        (
            "At 4.00 s of the clip, the operator's right hand takes the screw driver.",
            [f"segments:R1/{AT}", f"relations:R1/{AT}/direct"],
        ),
        (
            "The box of the screw driver starts at x=0.070, y=0.100 and is 0.160 wide and 0.200 high,"
            " as shares of the picture.",
            [f"boxes:{mine}"],
        ),
        (
            "Its centre (0.150, 0.200) lies in the 'top-left' region of the 3x3 grid.",
            [f"boxes:{mine}"],
        ),
    )
    row = question(
        "egocross",
        "object_localisation",
        [
            option(x, c, c == "top-left", value=c.replace("-", "_"))
            for x, c in zip("ABCD", cells, strict=True)
        ],
        [medium("query", "R1", 10.0, 20.0)],
        text="At 4.00 s of this video, the operator's right hand takes the screw driver. In which"
        " region of the view is the middle of the screw driver then?",
        answer_text="top-left",
        recipe=f"{BENCH}@1",
        evidence=[
            {"table": "boxes", "key": mine, "role": "answer"},
            {"table": "annotated_frames", "key": f"R1/objects/{30 * AT}", "role": "coverage"},
            *(
                {"table": "boxes", "key": box("R1", AT, name), "role": "context"}
                for name in ("board", "pliers")
            ),
            {"table": "segments", "key": f"R1/{AT}", "role": "event"},
            {"table": "relations", "key": f"R1/{AT}/direct", "role": "event"},
        ],
        rationale=[
            {"step": n, "text": text, "evidence": rows} for n, (text, rows) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(text for text, _ in steps)
    return World(
        row,
        bench(),
        frozenset({WORDS, BOXED, EXPLAINED, STEPS}),
        seen_s=(13.4, 14.6),
        answer_box=(0.07, 0.1, 0.23, 0.3),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in ("R1", "R2")},
    )


WORLDS[BENCH] = taken


def mine(w: World, name: str = "screw_driver") -> Row:
    return w.row("boxes", box_id=box("R1", AT, name))


@fault(BENCH, "answer", "wrong_key")
def the_thing_lies_where_another_did(w: World) -> None:
    mine(w).update(x_min=0.42, x_max=0.58, y_min=0.4, y_max=0.6)


@fault(BENCH, "answer", "wrong_key")
def two_boxes_are_exchanged(w: World) -> None:
    mine(w)["class_name"], mine(w, "pliers")["class_name"] = "pliers", "screw_driver"


@fault(BENCH, "answer", "wrong_key")
def left_and_right_are_mirrored(w: World) -> None:
    mine(w).update(x_min=0.77, x_max=0.93)


@fault(BENCH, "answer", "wrong_key")
def text_asks_about_the_other_thing_that_is_met(w: World) -> None:
    reword(w, "4.00 s", "8.00 s")
    reword(w, "takes the screw driver", "begins to touch the board")
    reword(w, "of the screw driver then", "of the board then")
    w.query.update(start_s=12.0, end_s=27.0)


@fault(BENCH, "distractors", "second_right")
def the_thing_is_boxed_in_two_cells(w: World) -> None:
    mine(w, "board")["class_name"] = "screw_driver"


@fault(BENCH, "consistent", "boxed_twice")
def two_things_of_the_name_are_in_view(w: World) -> None:
    mine(w, "pliers")["class_name"] = "screw_driver"


@fault(BENCH, "margin", "grid_line")
def the_middle_is_beside_a_line_of_the_grid(w: World) -> None:
    mine(w).update(x_min=0.24, x_max=0.4)


@fault(BENCH, "margin", "grid_line")
def the_middle_is_just_above_a_line_of_the_grid(w: World) -> None:
    mine(w).update(y_min=0.22, y_max=0.42)


@fault(BENCH, "consistent", "clip_length")
def clip_of_the_workbench_lasts_twelve_seconds(w: World) -> None:
    w.query["end_s"] = 22.0


@fault(BENCH, "consistent", "value_differs_from_text")
def a_distractor_means_another_cell_than_it_reads(w: World) -> None:
    w.others[0]["value"] = "bottom_left"


@fault(BENCH, "consistent", "text")
def text_asks_when_it_was_let_go(w: World) -> None:
    reword(w, "then?", "afterwards?")


@fault(BENCH, "consistent", "text")
def text_asks_where_another_thing_is(w: World) -> None:
    reword(w, "middle of the screw driver", "middle of the board")


@fault(BENCH, "explanation", "contradicted")
def explanation_names_another_hand(w: World) -> None:
    explain(w, "right hand takes", "left hand takes")


@fault(BENCH, "explanation", "contradicted")
def explanation_tells_of_a_touch(w: World) -> None:
    explain(w, "hand takes", "hand begins to touch")


@fault(BENCH, "explanation", "contradicted")
def explanation_moves_the_time(w: World) -> None:
    explain(w, "4.00 s", "5.00 s")


@fault(BENCH, "explanation", "contradicted")
def explanation_names_another_thing(w: World) -> None:
    explain(w, "box of the screw driver", "box of the board")


@fault(BENCH, "explanation", "contradicted")
def explanation_widens_the_box(w: World) -> None:
    explain(w, "0.160 wide", "0.260 wide")


@fault(BENCH, "explanation", "contradicted")
def explanation_exchanges_the_axes(w: World) -> None:
    explain(w, "(0.150, 0.200)", "(0.200, 0.150)")


@fault(BENCH, "explanation", "contradicted")
def explanation_names_another_cell_of_the_bench(w: World) -> None:
    explain(w, "'top-left'", "'top-center'")


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_the_interaction(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "event"]


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_the_other_things(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_the_frame(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "coverage"]


@fault(BENCH, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_instant(w: World) -> None:
    w.protocols = {"direct/1": "every(7)"}


@fault(BENCH, "seen_by_sampling", "not_seen")
def the_clip_begins_an_odd_second_before(w: World) -> None:
    w.query["start_s"] = 9.0
    reword(w, "4.00 s", "5.00 s")
    w.query["end_s"] = 19.0


# EgoSurgery under `paper`: the wearer's left hand is boxed at the grasper, and the text names it.
OF_HAND = "object_localisation of a boxed hand"
MY_HAND = "VID1/17/left hand"


def boxed_hand() -> World:
    world = surgery()
    for row in world.tables["boxes"]:
        row.update(operator=None, hand_side=None)
    # One grasper is left: nothing but its class names it.
    world.tables["boxes"] = [r for r in world.tables["boxes"] if "ASRH" not in r["box_id"]]
    for uid in ("VID1", "VID2"):
        hand = _tool_box(uid, 17, "left hand", None, (0.2, 0.25))
        names = {"box_id": f"{uid}/17/left hand", "hand_owner": "wearer", "hand_side": "left"}
        world.tables["boxes"].append({**hand, **names})
    question = world.question
    recipe = "object_localisation_paper@1"
    question.update(recipe=recipe, pool=f"s/{recipe}/unit")
    question["text"] = (
        "Approximately in which region of the view was the 'grasper' located when the operator's left"
        " hand was interacting with it (around timestamp 7s) in the segment from 0s to 15s?"
    )
    question["evidence"] = [e for e in question["evidence"] if "ASRH" not in e["key"]]
    question["evidence"].append({"table": "boxes", "key": MY_HAND, "role": "hand"})
    step = question["rationale"][1]
    step["text"] = step["text"].replace(" operated by main surgeon left hand", "")
    question["detailed_answer"] = " ".join(one["text"] for one in question["rationale"])
    world.rehash()
    return world


WORLDS[OF_HAND] = boxed_hand


@fault(OF_HAND, "consistent", "another_hand")
def text_names_the_other_hand_of_the_wearer(w: World) -> None:
    reword(w, "left hand was", "right hand was")


@fault(OF_HAND, "consistent", "another_hand")
def the_hand_is_somebody_elses(w: World) -> None:
    w.row("boxes", box_id=MY_HAND)["hand_owner"] = "other"


@fault(OF_HAND, "consistent", "another_hand")
def the_hand_is_far_from_the_tool(w: World) -> None:
    w.row("boxes", box_id=MY_HAND).update(x_min=0.5, x_max=0.6)


@fault(OF_HAND, "consistent", "another_hand")
def a_second_hand_is_at_the_tool(w: World) -> None:
    other = {"box_id": "VID1/17/other hand", "hand_owner": "other", "hand_side": "right"}
    w.tables["boxes"].append({**w.row("boxes", box_id=MY_HAND), **other})


@fault(OF_HAND, "consistent", "evidence_left_out")
def evidence_without_the_hand(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "hand"]


@fault(OF_HAND, "consistent", "text")
def text_of_a_hand_names_a_longer_clip(w: World) -> None:
    reword(w, "0s to 15s", "0s to 25s")
