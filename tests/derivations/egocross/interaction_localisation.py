"""EgoCross's interaction localisation: when a cat first takes up the ball."""

from __future__ import annotations

from tests.derivations.egocross.interaction_identification import BALL, PERSON, SPANS, key, tables
from tests.derivations.world import (
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

NAME = "interaction_localisation"
AGAIN = key("R1", "ball", 22)


def first_time() -> World:
    starts = (14, 4, 22, 18)
    options = [
        option(x, f"{s} s to {s + 5} s", s == 4, value=f"{s}-{s + 5}")
        for x, s in zip("ABCD", starts, strict=True)
    ]
    rows = [f"segments:{k}" for k in (BALL, PERSON, AGAIN)]
    steps = (
        ("The animal that wears the camera: cat.", ["recordings:R1"]),
        (
            "Its interactions that begin in the clip: ball from 4 s to 9 s; person from 14 s to"
            " 18 s; ball from 22 s to 26 s.",
            rows,
        ),
        ("The first with the ball lasts from 4 s to 9 s.", rows[:1]),
    )
    row = question(
        "egocross",
        NAME,
        options,
        [medium("query", "R1", 0.0, 30.0)],
        text="When in this clip does the animal that wears the camera first interact with the ball?",
        answer_text="4 s to 9 s",
        evidence=[
            {"table": "segments", "key": BALL, "role": "answer"},
            {"table": "segments", "key": PERSON, "role": "context"},
            {"table": "segments", "key": AGAIN, "role": "context"},
            {"table": "recordings", "key": "R1", "role": "coverage"},
        ],
        rationale=[
            {"step": n, "text": text, "evidence": keys} for n, (text, keys) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(text for text, _ in steps)
    return World(
        row,
        tables(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(4.9, 8.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in SPANS},
    )


WORLDS = {NAME: first_time}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def an_earlier_interaction_with_the_object(w: World) -> None:
    w.row("segments", segment_id=AGAIN).update(start_s=1.0, end_s=3.0)


@fault(NAME, "answer", "wrong_key")
def interaction_begins_later(w: World) -> None:
    w.row("segments", segment_id=BALL)["start_s"] = 6.0


@fault(NAME, "answer", "wrong_key")
def interaction_lasts_longer(w: World) -> None:
    w.row("segments", segment_id=BALL)["end_s"] = 12.0


@fault(NAME, "distractors", "second_right")
def the_span_of_a_distractor_is_the_first(w: World) -> None:
    w.row("segments", segment_id=BALL).update(start_s=14.0, end_s=19.0)


@fault(NAME, "margin", "spans_apart")
def a_distractor_touches_the_right_span(w: World) -> None:
    option = w.others[0]
    option["text"], option["value"] = "9 s to 14 s", "9-14"


@fault(NAME, "consistent", "span_outside_clip")
def a_distractor_ends_after_the_clip(w: World) -> None:
    option = w.others[0]
    option["text"], option["value"] = "27 s to 32 s", "27-32"


@fault(NAME, "consistent", "clip_does_not_begin")
def clip_begins_after_the_recording_does(w: World) -> None:
    w.query["start_s"] = 2.0


@fault(NAME, "answer", "wrong_key")
def times_of_the_clip_taken_for_those_of_the_recording(w: World) -> None:
    w.query["start_s"] = 3.0


@fault(NAME, "consistent", "text")
def text_asks_for_the_last_time(w: World) -> None:
    reword(w, "first interact", "last interact")


@fault(NAME, "answer", "wrong_key")
def text_names_another_object(w: World) -> None:
    reword(w, "the ball", "the person")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_out_an_interaction(w: World) -> None:
    explain(w, "; person from 14 s to 18 s", "")


@fault(NAME, "explanation", "contradicted")
def explanation_moves_the_first_interaction(w: World) -> None:
    explain(w, "lasts from 4 s to 9 s", "lasts from 14 s to 19 s")


@fault(NAME, "explanation", "contradicted")
def explanation_confuses_two_objects(w: World) -> None:
    explain(w, "person from 14 s", "ball from 14 s")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_other_interactions(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "consistent", "clip_length")
def clip_of_more_than_a_minute(w: World) -> None:
    w.row("recordings", recording_id="R1")["duration_s"] = 90.0
    w.frame_times["R1"] = seconds(90.0)
    w.query["end_s"] = 75.0


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_interaction(w: World) -> None:
    w.protocols = {"direct/1": "every(15)"}
