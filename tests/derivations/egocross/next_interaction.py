"""EgoCross's next interaction: a worker holds a board, presses a button, and takes a screwdriver."""

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

NAME, OF_HAND = "next_interaction", "next_interaction_of_a_hand"
POINTS = (
    ("R1", "take", "left", "board", 4.0),
    ("R1", "first_contact", "right", "red_button", 8.0),
    ("R1", "decontact", "right", "red_button", 9.0),
    ("R1", "take", "right", "screwdriver", 13.1),
    ("R1", "release", "left", "board", 16.0),
    ("R2", "take", "left", "board", 4.0),
)
OPTIONS = {
    "A": ("release the board", "release board"),
    "B": ("take the screwdriver", "take screwdriver"),
    "C": ("begin to touch the red button", "first_contact red button"),
    "D": ("take the pliers", "take pliers"),
}
# The left hand holds the board when the clip ends: asked about either hand, that it lets go is not offered.
OF_EITHER = OPTIONS | {"A": ("release the lid", "release lid")}


def key(verb: str, at: float, uid: str = "R1") -> str:
    return f"{uid}/{verb}/{at:g}"


HELD, LAST, NEXT, LATER = (key(v, t) for _, v, _, _, t in (POINTS[0], *POINTS[2:5]))


def named(uid: str) -> list[str]:
    """Rows that say with which hand and thing a point is."""
    return [f"{uid}/verb", f"{uid}/direct"]


def tables() -> dict[str, list[Row]]:
    """Points of two recordings of 40 s, each with a row for its hand and one for its thing."""
    segments: list[Row] = []
    relations: list[Row] = []
    for recorded, verb, hand, thing, at in POINTS:
        uid = key(verb, at, recorded)
        fixed = {"source": "s", "recording_id": recorded, "segment_id": uid, "hand_side": hand}
        segments.append(
            {
                **{name: fixed[name] for name in ("source", "recording_id", "segment_id")},
                "kind": "interaction",
                "is_point": True,
                "class_name": verb,
                "start_s": at,
                "end_s": at,
            }
        )
        first, second = named(uid)
        relations += [
            {**fixed, "relation_id": first, "relation": "verb", "object": verb},
            {**fixed, "relation_id": second, "relation": "direct object", "object": thing}
            | {"role": "direct"},
        ]
    return {
        "recordings": [recording(uid, "ego", 40.0) for uid in ("R1", "R2")],
        "segments": segments,
        "relations": relations,
    }


def asked(
    text: str,
    answer: str,
    steps: tuple[tuple[str, str], ...],
    clip: tuple[float, float],
    options: dict[str, tuple[str, str]] = OPTIONS,
) -> World:
    before, after = (uid for uid, _ in steps)
    row = question(
        "egocross",
        "next_interaction",
        [option(x, text, x == answer, value=value) for x, (text, value) in options.items()],
        [medium("query", "R1", *clip)],
        text=text,
        answer_text=options[answer][0],
        answer_visible=False,
        evidence=[
            {"table": "segments", "key": after, "role": "answer"},
            {"table": "segments", "key": before, "role": "before"},
            *(
                {"table": "relations", "key": one, "role": "context"}
                for uid in (before, after)
                for one in named(uid)
            ),
        ],
        rationale=[
            {
                "step": n,
                "text": said,
                "evidence": [f"segments:{uid}", *(f"relations:{one}" for one in named(uid))],
            }
            for n, (uid, said) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(said for _, said in steps)
    return World(
        row,
        tables(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(clip[1] - 0.16, clip[1]),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in ("R1", "R2")},
    )


def either_hand() -> World:
    return asked(
        "What does the operator do next, after the end of this video?",
        "B",
        (
            (
                LAST,
                "In the clip, a hand last meets or leaves a thing at 9.00 s of the recording: the right"
                " hand stops touching the red button.",
            ),
            (
                NEXT,
                "The next time is at 13.10 s of the recording, after the end of the clip: the right hand"
                " takes the screwdriver.",
            ),
        ),
        (0.0, 12.1),
        OF_EITHER,
    )


def left_hand() -> World:
    world = asked(
        "What does the operator's left hand do next, after the end of this video?",
        "A",
        (
            (
                HELD,
                "In the clip, the left hand last meets or leaves a thing at 4.00 s of the recording: the"
                " left hand takes the board.",
            ),
            (
                LATER,
                "The next time is at 16.10 s of the recording, after the end of the clip: the left hand"
                " releases the board.",
            ),
        ),
        (1.0, 15.1),
    )
    world.row("segments", segment_id=LATER).update(start_s=16.1, end_s=16.1)
    return world


WORLDS = {NAME: either_hand, OF_HAND: left_hand}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def of_thing(w: World, uid: str) -> Row:
    """Row that names the thing of a point."""
    return w.row("relations", relation_id=named(uid)[1])


def move(w: World, uid: str, t_s: float) -> None:
    w.row("segments", segment_id=uid).update(start_s=t_s, end_s=t_s)


def offer_to_release_the_board(w: World) -> None:
    text, value = OPTIONS["A"]
    w.others[0].update(text=text, value=value)


@fault(NAME, "answer", "wrong_key")
def another_thing_is_taken(w: World) -> None:
    of_thing(w, NEXT)["object"] = "pliers"


@fault(NAME, "answer", "wrong_key")
def the_thing_is_touched_and_not_taken(w: World) -> None:
    w.row("segments", segment_id=NEXT)["class_name"] = "first_contact"


@fault(NAME, "answer", "wrong_key")
def the_board_is_released_before_that(w: World) -> None:
    move(w, LATER, 12.5)


@fault(NAME, "answer", "wrong_key")
def the_clip_ends_after_it(w: World) -> None:
    w.query.update(start_s=0.0, end_s=15.0)


@fault(NAME, "answer", "wrong_key")
def the_next_two_are_exchanged(w: World) -> None:
    move(w, NEXT, 16.0)
    move(w, LATER, 13.1)


@fault(NAME, "distractors", "second_right")
def both_happen_at_once(w: World) -> None:
    offer_to_release_the_board(w)
    move(w, LATER, 13.1)


@fault(NAME, "distractors", "may_be_next")
def a_distractor_lets_go_of_what_the_other_hand_has(w: World) -> None:
    offer_to_release_the_board(w)


@fault(NAME, "distractors", "same_act")
def a_distractor_is_to_touch_what_is_taken(w: World) -> None:
    w.others[1].update(text="begin to touch the screwdriver", value="first_contact screwdriver")


@fault(NAME, "consistent", "two_interactions")
def the_other_hand_lets_go_a_moment_later(w: World) -> None:
    move(w, LATER, 13.4)


@fault(NAME, "consistent", "two_interactions")
def a_button_is_let_go_as_the_clip_ends(w: World) -> None:
    move(w, LAST, 11.9)


@fault(NAME, "consistent", "two_interactions")
def a_point_without_hand_and_thing_is_as_near(w: World) -> None:
    move(w, LATER, 13.4)
    for row in w.tables["relations"]:
        if row["segment_id"] == LATER:
            row.update(hand_side=None, role=None)


@fault(NAME, "consistent", "last_is_not_known")
def nothing_says_which_hand_is_the_last_in_the_clip(w: World) -> None:
    """Whoever cites the one before it says that nothing happens after that."""
    move(w, LATER, 11.0)
    for row in w.tables["relations"]:
        if row["segment_id"] == LATER:
            row.update(hand_side=None, role=None)


@fault(NAME, "consistent", "hands_are_not_known")
def nothing_says_which_hand_took_something_before(w: World) -> None:
    """The left hand may have it still, and be about to let go."""
    move(w, HELD, 3.0)
    move(w, LATER, 7.0)
    for row in w.tables["relations"]:
        if row["segment_id"] == LATER:
            row.update(hand_side=None, role=None)


@fault(NAME, "consistent", "next_is_far")
def the_clip_ends_four_seconds_before_it(w: World) -> None:
    w.query["end_s"] = 10.1


@fault(NAME, "margin", "before_next")
def the_clip_ends_a_third_of_a_second_before_it(w: World) -> None:
    w.query["end_s"] = 12.8


@fault(NAME, "consistent", "clip_length")
def clip_before_an_interaction_is_short(w: World) -> None:
    w.query["start_s"] = 6.1


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_thing_than_it_reads(w: World) -> None:
    w.others[2]["value"] = "take tweezers"


@fault(NAME, "consistent", "text")
def text_asks_what_was_done_before(w: World) -> None:
    reword(w, "do next, after the end of", "do last, in")


@fault(NAME, "consistent", "text")
def text_asks_about_another_person(w: World) -> None:
    reword(w, "the operator", "the other worker")


@fault(NAME, "explanation", "contradicted")
def explanation_takes_another_thing(w: World) -> None:
    explain(w, "takes the screwdriver", "takes the pliers")


@fault(NAME, "explanation", "contradicted")
def explanation_names_the_other_hand(w: World) -> None:
    explain(w, "right hand takes", "left hand takes")


@fault(NAME, "explanation", "contradicted")
def explanation_moves_the_next_interaction(w: World) -> None:
    explain(w, "13.10 s", "14.10 s")


@fault(NAME, "explanation", "contradicted")
def explanation_ends_the_clip_with_another_interaction(w: World) -> None:
    explain(w, "stops touching the red button", "begins to touch the red button")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_last_of_the_clip(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "before"]


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_rows_that_name_hand_and_thing(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_leaves_out_the_end_of_the_clip(w: World) -> None:
    w.protocols = {"direct/1": "every(10)"}


@fault(NAME, "seen_by_sampling", "not_seen")
def the_last_frame_is_a_second_before_the_clip_ends(w: World) -> None:
    w.query["start_s"] = 1.0


@fault(OF_HAND, "answer", "wrong_key")
def text_names_the_other_hand(w: World) -> None:
    """The right hand is next to take the screwdriver, were the clip to end before."""
    reword(w, "left hand", "right hand")
    w.query.update(start_s=0.0, end_s=12.1)


@fault(OF_HAND, "consistent", "two_interactions")
def a_point_of_no_hand_is_near(w: World) -> None:
    move(w, NEXT, 16.4)
    for row in w.tables["relations"]:
        if row["segment_id"] == NEXT:
            row["hand_side"] = None


@fault(OF_HAND, "explanation", "contradicted")
def explanation_of_a_hand_names_the_other(w: World) -> None:
    explain(w, "left hand releases", "right hand releases")


@fault(NAME, "consistent", "answer_visible")
def clip_is_said_to_show_the_next_interaction(w: World) -> None:
    w.question["answer_visible"] = True


@fault(NAME, "consistent", "answer_visible")
def nothing_says_whether_the_clip_shows_the_next_interaction(w: World) -> None:
    w.question["answer_visible"] = None
