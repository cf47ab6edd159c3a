"""EgoCross's action localisation: a skier curves left once in a clip of 15 s."""

from __future__ import annotations

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
    recording,
    reword,
    seconds,
)

NAME = "action_localisation"
SPANS = {
    "R1": (
        ("forward", 6, 9),
        ("curveleft", 10, 14),
        ("jump", 15, 17),
        ("right", 21, 23),
        ("curveleft", 24, 27),
    ),
    "R2": (("jump", 7, 9),),
}


def key(label: str, start: int, uid: str = "R1") -> str:
    return f"{uid}/{label}/{start}"


FORWARD, CURVE, JUMP = key("forward", 6), key("curveleft", 10), key("jump", 15)
RIGHT, AGAIN = key("right", 21), key("curveleft", 24)


def tables() -> dict[str, list[Row]]:
    """Labelled actions of two recordings of 40 s."""
    return {
        "recordings": [recording(uid, "ego", 40.0, scenario="skiing") for uid in SPANS],
        "relations": [],
        "segments": [
            {
                "source": "s",
                "recording_id": uid,
                "segment_id": key(label, start, uid),
                "kind": "action",
                "class_name": label,
                "start_s": float(start),
                "end_s": float(end),
            }
            for uid, spans in SPANS.items()
            for label, start, end in spans
        ],
    }


def start_of_an_action() -> World:
    times = (7.5, 1.5, 5.5, 11.5)
    options = [
        option(x, f"{t} s", t == 5.5, value=str(t)) for x, t in zip("ABCD", times, strict=True)
    ]
    shown = [f"segments:{k}" for k in (FORWARD, CURVE, JUMP)]
    steps = (
        (
            "Actions that begin in the clip, in seconds of the recording: forward at 6 s; curve left"
            " at 10 s; jump at 15 s.",
            shown,
        ),
        (
            "The only 'curve left' among them begins at 10 s, 5.5 s after the start of the clip.",
            shown[1:2],
        ),
    )
    row = question(
        "egocross",
        NAME,
        options,
        [medium("query", "R1", 4.5, 19.5)],
        text="At what time in this video does the action 'curve left' begin?",
        answer_text="5.5 s",
        evidence=[
            {"table": "segments", "key": CURVE, "role": "answer"},
            {"table": "segments", "key": FORWARD, "role": "context"},
            {"table": "segments", "key": JUMP, "role": "context"},
        ],
        rationale=[
            {"step": n, "text": text, "evidence": rows} for n, (text, rows) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(text for text, _ in steps)
    return World(
        row,
        tables(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(9.9, 12.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in SPANS},
    )


WORLDS = {NAME: start_of_an_action}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def the_action_begins_later(w: World) -> None:
    w.row("segments", segment_id=CURVE)["start_s"] = 11.0


@fault(NAME, "answer", "wrong_key")
def an_earlier_action_has_the_label(w: World) -> None:
    """The one of the clip is another: it is the jump that curves left."""
    w.row("segments", segment_id=CURVE)["class_name"] = "jump"
    w.row("segments", segment_id=FORWARD)["class_name"] = "curveleft"


@fault(NAME, "answer", "wrong_key")
def text_names_another_action(w: World) -> None:
    reword(w, "'curve left'", "'jump'")


@fault(NAME, "answer", "wrong_key")
def time_of_the_recording_taken_for_that_of_the_clip(w: World) -> None:
    w.query.update(start_s=3.0, end_s=18.0)


@fault(NAME, "answer", "wrong_key")
def a_distractor_is_when_the_action_begins(w: World) -> None:
    w.row("segments", segment_id=CURVE).update(start_s=12.0)


@fault(NAME, "distractors", "second_right")
def the_action_begins_again_at_the_time_of_a_distractor(w: World) -> None:
    w.row("segments", segment_id=AGAIN).update(start_s=16.0, end_s=19.0)


@fault(NAME, "consistent", "begins_twice")
def the_action_begins_again_in_the_clip(w: World) -> None:
    w.row("segments", segment_id=AGAIN).update(start_s=18.0, end_s=20.0)


@fault(NAME, "consistent", "goes_on_already")
def the_action_goes_on_when_the_clip_begins(w: World) -> None:
    w.row("segments", segment_id=AGAIN).update(start_s=2.0, end_s=5.5)


@fault(NAME, "consistent", "action_is_short")
def what_begins_lasts_half_a_second(w: World) -> None:
    w.row("segments", segment_id=CURVE)["end_s"] = 10.6


@fault(NAME, "margin", "times_apart")
def a_distractor_is_half_a_second_later(w: World) -> None:
    w.others[0].update(text="6.0 s", value="6.0")


@fault(NAME, "consistent", "time_outside_clip")
def a_distractor_lies_after_the_clip(w: World) -> None:
    w.others[0].update(text="17.5 s", value="17.5")


@fault(NAME, "consistent", "clip_length")
def clip_of_more_than_fifteen_seconds(w: World) -> None:
    w.query["end_s"] = 23.0


@fault(NAME, "consistent", "clip_length")
def clip_of_less_than_a_quarter_minute(w: World) -> None:
    w.query["end_s"] = 17.0


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_time_than_it_reads(w: World) -> None:
    w.others[1]["value"] = "13.5"


@fault(NAME, "consistent", "text")
def text_asks_when_the_action_ends(w: World) -> None:
    reword(w, "begin?", "end?")


@fault(NAME, "explanation", "contradicted")
def explanation_lets_it_begin_elsewhere(w: World) -> None:
    explain(w, "begins at 10 s", "begins at 12 s")


@fault(NAME, "explanation", "contradicted")
def explanation_counts_from_elsewhere(w: World) -> None:
    explain(w, "5.5 s after", "7.5 s after")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_out_what_begins_beside_it(w: World) -> None:
    explain(w, "forward at 6 s; ", "")


@fault(NAME, "explanation", "contradicted")
def explanation_confuses_two_beginnings(w: World) -> None:
    explain(w, "jump at 15 s", "forward at 15 s")


@fault(NAME, "explanation", "contradicted")
def explanation_lets_another_action_begin(w: World) -> None:
    explain(w, "only 'curve left'", "only 'curve right'")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_what_begins_beside_it(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_start(w: World) -> None:
    w.protocols = {"direct/1": "every(9)"}


BENCH = "action_localisation_enigma51"
ACTIONS = (
    ("first_contact", "left", "bolt", 6.0, "R1"),
    ("take", "right", "pliers", 10.0, "R1"),
    ("release", "right", "pliers", 13.0, "R1"),
    ("take", "left", "pliers", 15.0, "R1"),
    ("take", "right", "red_cap", 17.0, "R1"),
    ("take", "right", "pliers", 26.0, "R1"),
    ("take", "right", "bolt", 8.0, "R2"),
)


def act(verb: str, start: float, uid: str = "R1") -> str:
    return f"{uid}/{verb}/{start:g}"


TAKEN, TAKEN_AGAIN = act("take", 10), act("take", 26)


def bench_tables() -> dict[str, list[Row]]:
    """What two hands do at a bench within 40 s."""
    return {
        "recordings": [recording(uid, "ego", 40.0, scenario="repair") for uid in ("R1", "R2")],
        "segments": [
            {
                "source": "s",
                "recording_id": uid,
                "segment_id": act(verb, at, uid),
                "kind": "interaction",
                "is_point": True,
                "class_name": verb,
                "start_s": at,
                "end_s": at,
            }
            for verb, _, _, at, uid in ACTIONS
        ],
        "relations": [
            {
                "source": "s",
                "recording_id": uid,
                "relation_id": f"{act(verb, at, uid)}/{relation}",
                "segment_id": act(verb, at, uid),
                "relation": relation,
                "object": verb if relation == "verb" else thing,
                "role": None if relation == "verb" else "direct",
                "hand_side": hand,
            }
            for verb, hand, thing, at, uid in ACTIONS
            for relation in ("verb", "direct object")
        ],
    }


def time_of_a_hand() -> World:
    times = (7.5, 1.5, 5.5, 11.5)
    options = [
        option(x, f"{t} s", t == 5.5, value=str(t)) for x, t in zip("ABCD", times, strict=True)
    ]
    relations = [f"{TAKEN}/{relation}" for relation in ("verb", "direct object")]
    steps = (
        (
            "In the clip, the operator's right hand takes the pliers once, at 10.00 s of the recording.",
            [f"segments:{TAKEN}", *(f"relations:{r}" for r in relations)],
        ),
        (
            "The clip begins at 4.50 s, so that it is 5.5 s after the start of the clip.",
            [f"segments:{TAKEN}"],
        ),
    )
    row = question(
        "egocross",
        NAME,
        options,
        [medium("query", "R1", 4.5, 19.5)],
        text="At what time in this video does the operator's right hand take the pliers?",
        answer_text="5.5 s",
        evidence=[
            {"table": "segments", "key": TAKEN, "role": "answer"},
            *({"table": "relations", "key": r, "role": "context"} for r in relations),
        ],
        rationale=[
            {"step": n, "text": text, "evidence": rows} for n, (text, rows) in enumerate(steps, 1)
        ],
    )
    row["recipe"] = f"{BENCH}@1"
    row["pool"] = f"s/{BENCH}@1/unit"
    row["detailed_answer"] = " ".join(text for text, _ in steps)
    return World(
        row,
        bench_tables(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(9.4, 10.6),
        protocols={"direct/1": "every(2)"},
        frame_times={"R1": seconds(40.0), "R2": seconds(40.0)},
    )


WORLDS[BENCH] = time_of_a_hand


def _moved(w: World, at_s: float, key: str = TAKEN) -> None:
    w.row("segments", segment_id=key).update(start_s=at_s, end_s=at_s)


@fault(BENCH, "answer", "wrong_key")
def the_hand_takes_it_later(w: World) -> None:
    _moved(w, 11.0)


@fault(BENCH, "answer", "wrong_key")
def the_hand_takes_it_at_the_time_of_a_distractor(w: World) -> None:
    _moved(w, 12.0)


@fault(BENCH, "answer", "wrong_key")
def the_other_hand_is_asked_about(w: World) -> None:
    reword(w, "right hand", "left hand")


@fault(BENCH, "answer", "wrong_key")
def another_thing_is_asked_about(w: World) -> None:
    reword(w, "pliers", "red cap")


@fault(BENCH, "answer", "wrong_key")
def letting_go_is_asked_about(w: World) -> None:
    reword(w, "take the", "release the")


@fault(BENCH, "answer", "wrong_key")
def clip_that_begins_elsewhere(w: World) -> None:
    w.query.update(start_s=3.0, end_s=18.0)


@fault(BENCH, "consistent", "happens_twice")
def the_hand_takes_it_again_in_the_clip(w: World) -> None:
    _moved(w, 18.0, TAKEN_AGAIN)


@fault(BENCH, "consistent", "happens_twice")
def both_takings_are_of_the_right_hand(w: World) -> None:
    for relation in ("verb", "direct object"):
        w.row("relations", relation_id=f"{act('take', 15)}/{relation}")["hand_side"] = "right"


@fault(BENCH, "consistent", "not_annotated")
def something_unnamed_is_taken_in_the_clip(w: World) -> None:
    w.row("relations", relation_id=f"{act('take', 17)}/direct object")["role"] = None


@fault(BENCH, "consistent", "not_annotated")
def an_unknown_hand_takes_it_in_the_clip(w: World) -> None:
    for relation in ("verb", "direct object"):
        w.row("relations", relation_id=f"{act('take', 15)}/{relation}")["hand_side"] = None


@fault(BENCH, "margin", "times_apart")
def another_time_is_half_a_second_later(w: World) -> None:
    w.others[0].update(text="6.0 s", value="6.0")


@fault(BENCH, "consistent", "time_outside_clip")
def another_time_is_past_the_clip(w: World) -> None:
    w.others[0].update(text="17.5 s", value="17.5")


@fault(BENCH, "consistent", "clip_length")
def longer_clip_of_the_bench(w: World) -> None:
    w.query["end_s"] = 23.0


@fault(BENCH, "consistent", "clip_length")
def shorter_clip_of_the_bench(w: World) -> None:
    w.query["end_s"] = 17.0


@fault(BENCH, "consistent", "value_differs_from_text")
def another_time_means_what_it_does_not_read(w: World) -> None:
    w.others[1]["value"] = "13.5"


@fault(BENCH, "explanation", "contradicted")
def explanation_tells_another_hand(w: World) -> None:
    explain(w, "right hand", "left hand")


@fault(BENCH, "explanation", "contradicted")
def explanation_tells_another_thing(w: World) -> None:
    explain(w, "pliers", "red cap")


@fault(BENCH, "explanation", "contradicted")
def explanation_tells_another_time_of_the_hand(w: World) -> None:
    explain(w, "at 10.00 s", "at 12.00 s")


@fault(BENCH, "explanation", "contradicted")
def explanation_begins_the_clip_elsewhere(w: World) -> None:
    explain(w, "begins at 4.50 s", "begins at 6.50 s")


@fault(BENCH, "consistent", "evidence_left_out")
def evidence_without_hand_and_thing(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["table"] == "segments"]


@fault(BENCH, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_hand(w: World) -> None:
    w.protocols = {"direct/1": "every(9)"}


# In an operation a hand begins to clip with a clipper; pictures are labelled once a second.
SURGERY = "action_localisation_cholectrack20"
CLIPPED = "R1/clip/16"


def _act(uid: str, name: str, who: str | None, start: float, end: float) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "segment_id": f"{uid}/{name.split(',')[1]}/{start:g}",
        "kind": "interaction",
        "class_name": name,
        "actor_id": who,
        "start_s": start,
        "end_s": end,
    }


def operated() -> World:
    """Clipped at 16 s of the recording, 6 s of the clip; hooks, other hands and other times beside it."""
    uids = ("R1", "R2")
    rows: dict[str, list[Row]] = {
        "recordings": [recording(uid, "ego", 60.0) for uid in uids],
        "segments": [
            *(_act(uid, "clipper,clip,cystic_duct", "MSRH", 16.0, 21.0) for uid in uids),
            *(_act(uid, "grasper,retract,gallbladder", "MSLH", 12.0, 40.0) for uid in uids),
            *(_act(uid, "clipper,clip,cystic_duct", "MSRH", 45.0, 50.0) for uid in uids),
        ],
        "relations": [],
        "annotated_frames": [
            {
                "source": "s",
                "recording_id": uid,
                "what": "tools",
                "source_frame": 25 * t + 1,
                "t_s": float(t),
            }
            for uid in uids
            for t in range(60)
        ],
    }
    frames = [f"R1/tools/{25 * t + 1}" for t in range(10, 17)]
    steps = (
        (
            "At 16 s of the recording the main surgeon's right hand uses the clipper to clip the cystic duct, and"
            " in no earlier picture of the clip; all 7 pictures up to then, one a second, are annotated.",
            [f"segments:{CLIPPED}", *(f"annotated_frames:{key}" for key in frames)],
        ),
        (
            "The clip begins at 10 s, so that it is 6 s after the start of the clip.",
            [f"segments:{CLIPPED}"],
        ),
    )
    texts = ("12 s", "6 s", "2 s", "18 s")
    row = question(
        "egocross",
        "action_localisation",
        [
            option(x, text, text == "6 s", value=text.removesuffix(" s"))
            for x, text in zip("ABCD", texts, strict=True)
        ],
        [medium("query", "R1", 10.0, 30.0)],
        text="At what time in this video does the main surgeon's right hand begin to use the clipper to"
        " clip the cystic duct?",
        answer_text="6 s",
        recipe=f"{SURGERY}@1",
        evidence=[
            {"table": "segments", "key": CLIPPED, "role": "answer"},
            *({"table": "annotated_frames", "key": key, "role": "coverage"} for key in frames),
        ],
        rationale=[
            {"step": n, "text": text, "evidence": keys} for n, (text, keys) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(text for text, _ in steps)
    return World(
        row,
        rows,
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(15.9, 16.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(60.0) for uid in uids},
    )


WORLDS[SURGERY] = operated


def clipped(w: World) -> Row:
    return w.row("segments", segment_id=CLIPPED)


@fault(SURGERY, "answer", "wrong_key")
def the_hand_clips_later(w: World) -> None:
    clipped(w)["start_s"] = 20.0


@fault(SURGERY, "answer", "wrong_key")
def the_clip_begins_four_seconds_later(w: World) -> None:
    w.query.update(start_s=14.0, end_s=34.0)


@fault(SURGERY, "answer", "wrong_key")
def the_text_asks_when_the_other_hand_retracts(w: World) -> None:
    reword(w, "right hand", "left hand")
    reword(w, "the clipper to clip the cystic duct", "the grasper to retract the gallbladder")


@fault(SURGERY, "consistent", "begins_twice")
def the_hand_clips_again_in_the_clip(w: World) -> None:
    again = _act("R1", "clipper,clip,cystic_duct", "MSRH", 24.0, 26.0)
    w.tables["segments"].append(again)


@fault(SURGERY, "consistent", "begins_twice")
def nobody_is_named_who_clips_before(w: World) -> None:
    w.tables["segments"].append(_act("R1", "clipper,clip,cystic_duct", None, 12.0, 13.0))


@fault(SURGERY, "consistent", "begins_twice")
def the_hand_clips_when_the_clip_begins(w: World) -> None:
    w.tables["segments"].append(_act("R1", "clipper,clip,cystic_duct", "MSRH", 8.0, 12.0))


def _overlooked(w: World, t_s: float) -> None:
    rows = w.tables["annotated_frames"]
    w.tables["annotated_frames"] = [
        row for row in rows if row["recording_id"] != "R1" or row["t_s"] != t_s
    ]


@fault(SURGERY, "consistent", "not_annotated")
def the_picture_before_is_not_annotated(w: World) -> None:
    _overlooked(w, 15.0)


@fault(SURGERY, "consistent", "not_annotated")
def a_later_picture_is_not_annotated(w: World) -> None:
    _overlooked(w, 25.0)


@fault(SURGERY, "consistent", "not_annotated")
def boxes_of_hands_alone_are_annotated(w: World) -> None:
    w.row("annotated_frames", recording_id="R1", t_s=12.0)["what"] = "hands"


@fault(SURGERY, "consistent", "clip_length")
def clip_of_an_operation_lasts_ten_seconds(w: World) -> None:
    w.query["end_s"] = 20.0


@fault(SURGERY, "margin", "times_apart")
def a_time_is_one_second_from_the_right_one(w: World) -> None:
    w.others[0].update(text="7 s", value="7")


@fault(SURGERY, "consistent", "time_outside_clip")
def a_time_lies_after_the_clip(w: World) -> None:
    w.others[0].update(text="24 s", value="24")


@fault(SURGERY, "consistent", "value_differs_from_text")
def a_time_means_another(w: World) -> None:
    w.others[0]["value"] = "14"


@fault(SURGERY, "consistent", "text")
def the_text_asks_when_it_ends(w: World) -> None:
    reword(w, "cystic duct?", "cystic duct? And when does it end?")


@fault(SURGERY, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_first_picture(w: World) -> None:
    w.protocols = {"direct/1": "every(5)"}


@fault(SURGERY, "seen_by_sampling", "not_seen")
def the_clip_begins_at_an_odd_second_before(w: World) -> None:
    w.query.update(start_s=9.0, end_s=29.0)


@fault(SURGERY, "explanation", "contradicted")
def explanation_of_the_other_hand(w: World) -> None:
    explain(w, "right hand", "left hand")


@fault(SURGERY, "explanation", "contradicted")
def explanation_of_another_tool(w: World) -> None:
    explain(w, "uses the clipper", "uses the scissors")


@fault(SURGERY, "explanation", "contradicted")
def explanation_of_another_target(w: World) -> None:
    explain(w, "clip the cystic duct", "clip the cystic artery")


@fault(SURGERY, "explanation", "contradicted")
def explanation_looks_at_fewer_pictures(w: World) -> None:
    explain(w, "all 7 pictures", "all 5 pictures")


@fault(SURGERY, "explanation", "contradicted")
def explanation_begins_later(w: World) -> None:
    explain(w, "At 16 s", "At 18 s")


@fault(SURGERY, "explanation", "contradicted")
def explanation_begins_the_clip_later(w: World) -> None:
    explain(w, "begins at 10 s", "begins at 12 s")


@fault(SURGERY, "consistent", "evidence_left_out")
def evidence_without_the_picture_before(w: World) -> None:
    evidence = w.question["evidence"]
    evidence.remove([e for e in evidence if e["table"] == "annotated_frames"][-2])


@fault(SURGERY, "consistent", "evidence_role")
def evidence_of_another_action(w: World) -> None:
    w.question["evidence"].append({"table": "segments", "key": "R1/retract/12", "role": "answer"})
