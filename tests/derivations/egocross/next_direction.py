"""EgoCross's next direction: a skier goes forward and left, jumps, and then curves right."""

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

NAME = "next_direction"
SPANS = {
    "R1": (
        ("forward", 2, 6),
        ("left", 7, 10),
        ("jump", 11, 13),
        ("curveright", 15, 19),
        ("leftright", 20, 24),
    ),
    "R2": (("forward", 2, 6),),
}
NAMES = {"curveright": "curve right", "leftright": "left then right", "curveleft": "curve left"}


def key(label: str, start: int, uid: str = "R1") -> str:
    return f"{uid}/{label}/{start}"


FORWARD, LEFT = key("forward", 2), key("left", 7)
RIGHT, AFTER = key("curveright", 15), key("leftright", 20)


def tables() -> dict[str, list[Row]]:
    """Labelled actions of two recordings of 40 s."""
    return {
        "recordings": [recording(uid, "ego", 40.0, scenario="skiing") for uid in SPANS],
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


def next_direction() -> World:
    labels = ("left", "curveright", "forward", "leftright")
    options = [
        option(x, NAMES.get(n, n), n == "curveright", value=n)
        for x, n in zip("ABCD", labels, strict=True)
    ]
    steps = (
        (
            "Directions that begin in the clip, in seconds of the recording: forward from 2 s to 6 s;"
            " left from 7 s to 10 s.",
            [f"segments:{FORWARD}", f"segments:{LEFT}"],
        ),
        (
            "The first direction that begins after it: curve right from 15 s to 19 s.",
            [f"segments:{RIGHT}"],
        ),
    )
    row = question(
        "egocross",
        NAME,
        options,
        [medium("query", "R1", 0.0, 14.0)],
        text="In which direction does the person who wears the camera move next, after the end of this"
        " video?",
        answer_text="curve right",
        answer_visible=False,
        evidence=[
            {"table": "segments", "key": RIGHT, "role": "answer"},
            {"table": "segments", "key": FORWARD, "role": "context"},
            {"table": "segments", "key": LEFT, "role": "context"},
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
        seen_s=(11.9, 14.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in SPANS},
    )


WORLDS = {NAME: next_direction}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def the_next_segment_has_another_direction(w: World) -> None:
    w.row("segments", segment_id=RIGHT)["class_name"] = "curveleft"


@fault(NAME, "answer", "wrong_key")
def a_direction_is_labelled_just_after_the_clip(w: World) -> None:
    w.row("segments", segment_id=LEFT).update(start_s=14.2, end_s=14.9)


@fault(NAME, "answer", "wrong_key")
def the_next_direction_is_no_direction_after_all(w: World) -> None:
    w.row("segments", segment_id=RIGHT)["class_name"] = "curvejump"


@fault(NAME, "distractors", "second_right")
def two_directions_begin_at_one_instant(w: World) -> None:
    w.row("segments", segment_id=AFTER).update(start_s=15.0, end_s=19.0)


@fault(NAME, "consistent", "two_directions")
def a_direction_is_labelled_while_the_next_one_lasts(w: World) -> None:
    w.row("segments", segment_id=AFTER)["start_s"] = 17.0


@fault(NAME, "margin", "before_next")
def clip_ends_where_the_next_direction_begins(w: World) -> None:
    w.query["end_s"] = 15.0


@fault(NAME, "answer", "wrong_key")
def next_direction_begins_before_the_clip_ends(w: World) -> None:
    w.row("segments", segment_id=RIGHT)["start_s"] = 13.5


@fault(NAME, "consistent", "next_is_far")
def clip_ends_long_before_the_next_direction(w: World) -> None:
    w.query["end_s"] = 12.0


@fault(NAME, "consistent", "clip_length")
def clip_of_more_than_a_quarter_minute(w: World) -> None:
    for name, start in ((RIGHT, 25.0), (AFTER, 32.0)):
        w.row("segments", segment_id=name).update(start_s=start, end_s=start + 4.0)
    w.query["end_s"] = 24.0


@fault(NAME, "consistent", "clip_length")
def clip_shows_a_moment(w: World) -> None:
    w.query["start_s"] = 11.0


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_direction_than_it_reads(w: World) -> None:
    w.others[0]["value"] = "curveleft"


@fault(NAME, "consistent", "text")
def text_asks_about_the_direction_before(w: World) -> None:
    reword(w, "move next, after the end of", "move first in")


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_next_direction(w: World) -> None:
    explain(w, "after it: curve right", "after it: curve left")


@fault(NAME, "explanation", "contradicted")
def explanation_moves_the_next_direction(w: World) -> None:
    explain(w, "from 15 s to 19 s", "from 16 s to 19 s")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_out_a_direction_of_the_clip(w: World) -> None:
    explain(w, "; left from 7 s to 10 s", "")


@fault(NAME, "explanation", "contradicted")
def explanation_confuses_two_directions_of_the_clip(w: World) -> None:
    explain(w, "forward from 2 s", "left from 2 s")


@fault(NAME, "explanation", "contradicted")
def explanation_ends_a_direction_of_the_clip_later(w: World) -> None:
    explain(w, "to 10 s", "to 12 s")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_directions_of_the_clip(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_never_shows_the_end_of_the_clip(w: World) -> None:
    w.protocols = {"direct/1": "every(10)"}


@fault(NAME, "distractors", "begins_alike")
def a_distractor_begins_like_the_right_direction(w: World) -> None:
    """Left then right begins left: who says "left" is not wrong."""
    w.row("segments", segment_id=RIGHT)["class_name"] = "leftright"
    w.question["answer"] = "D"
    w.question["answer_text"] = "left then right"
    for x in w.options:
        x["is_answer"] = x["letter"] == "D"
    explain(w, "after it: curve right", "after it: left then right")


@fault(NAME, "consistent", "answer_visible")
def clip_is_said_to_show_the_next_direction(w: World) -> None:
    w.question["answer_visible"] = True


@fault(NAME, "consistent", "answer_visible")
def nothing_says_whether_the_clip_shows_the_next_direction(w: World) -> None:
    w.question["answer_visible"] = None
