"""EgoCross's special action identification: a skier spins, and jumps and flips before and after."""

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

NAME = "special_action_identification"
SPANS = {
    "R1": (
        ("jump", 7, 9),
        ("left", 9, 11),
        ("spin", 11, 15),
        ("forward", 15, 18),
        ("flip", 18, 20),
    ),
    "R2": (("jump", 7, 9),),
}


def key(label: str, start: int, uid: str = "R1") -> str:
    return f"{uid}/{label}/{start}"


JUMP, SPIN, FLIP = key("jump", 7), key("spin", 11), key("flip", 18)


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


def special_action() -> World:
    labels = ("jump", "fly", "spin", "roll")
    options = [option(x, n, n == "spin", value=n) for x, n in zip("ABCD", labels, strict=True)]
    steps = (
        (
            "Special actions that the clip shows, in seconds of the recording: jump from 7 s to 9 s;"
            " spin from 11 s to 15 s.",
            [f"segments:{JUMP}", f"segments:{SPIN}"],
        ),
        ("The one from 11 s to 15 s: spin.", [f"segments:{SPIN}"]),
    )
    row = question(
        "egocross",
        NAME,
        options,
        [medium("query", "R1", 5.0, 15.0)],
        text="Which action does the person who wears the camera perform from 6.0 s to 10.0 s of this"
        " video?",
        answer_text="spin",
        evidence=[
            {"table": "segments", "key": SPIN, "role": "answer"},
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
        seen_s=(10.9, 15.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in SPANS},
    )


WORLDS = {NAME: special_action}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def the_segment_has_another_label(w: World) -> None:
    w.row("segments", segment_id=SPIN)["class_name"] = "vault"


@fault(NAME, "answer", "wrong_key")
def the_special_action_is_that_of_a_distractor(w: World) -> None:
    w.row("segments", segment_id=SPIN)["class_name"] = "fly"


@fault(NAME, "answer", "wrong_key")
def times_are_those_of_the_action_before(w: World) -> None:
    reword(w, "from 6.0 s to 10.0 s", "from 2.0 s to 4.0 s")


@fault(NAME, "answer", "wrong_key")
def two_labels_are_exchanged(w: World) -> None:
    w.row("segments", segment_id=SPIN)["class_name"] = "jump"
    w.row("segments", segment_id=JUMP)["class_name"] = "spin"


@fault(NAME, "distractors", "second_right")
def a_distractor_is_performed_at_the_same_time(w: World) -> None:
    w.row("segments", segment_id=JUMP).update(start_s=11.0, end_s=15.0)


@fault(NAME, "distractors", "second_right")
def a_distractor_goes_on_when_the_action_begins(w: World) -> None:
    w.row("segments", segment_id=JUMP)["end_s"] = 12.0


@fault(NAME, "consistent", "two_actions")
def a_special_action_that_is_not_offered_goes_on_meanwhile(w: World) -> None:
    w.row("segments", segment_id=FLIP).update(start_s=14.0, end_s=20.0)


@fault(NAME, "consistent", "action_is_short")
def the_action_lasts_half_a_second(w: World) -> None:
    w.row("segments", segment_id=SPIN).update(start_s=12.0, end_s=12.5)


@fault(NAME, "consistent", "text")
def the_action_begins_later_than_the_text_says(w: World) -> None:
    w.row("segments", segment_id=SPIN)["start_s"] = 12.0


@fault(NAME, "consistent", "text")
def times_of_the_recording_stand_in_the_text(w: World) -> None:
    """They would be right if the clip began with the recording."""
    w.query["start_s"] = 4.0


@fault(NAME, "consistent", "time_outside_clip")
def the_clip_ends_before_the_action_does(w: World) -> None:
    w.query["end_s"] = 13.0


@fault(NAME, "consistent", "clip_length")
def clip_of_a_trick_is_too_long(w: World) -> None:
    w.query["end_s"] = 25.0


@fault(NAME, "consistent", "clip_length")
def clip_of_a_trick_shows_a_moment(w: World) -> None:
    w.query.update(start_s=12.5)


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_action_than_it_reads(w: World) -> None:
    w.others[1]["value"] = "climb"


@fault(NAME, "consistent", "text")
def text_asks_what_somebody_else_does(w: World) -> None:
    reword(w, "the person who wears the camera", "the other person")


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_trick(w: World) -> None:
    explain(w, "to 15 s: spin", "to 15 s: jump")


@fault(NAME, "explanation", "contradicted")
def explanation_moves_the_action(w: World) -> None:
    explain(w, "The one from 11 s", "The one from 12 s")


@fault(NAME, "explanation", "contradicted")
def explanation_leaves_out_an_action_of_the_clip(w: World) -> None:
    explain(w, "jump from 7 s to 9 s; ", "")


@fault(NAME, "explanation", "contradicted")
def explanation_confuses_two_actions_of_the_clip(w: World) -> None:
    explain(w, "jump from 7 s", "flip from 7 s")


@fault(NAME, "explanation", "contradicted")
def explanation_ends_an_action_of_the_clip_later(w: World) -> None:
    explain(w, "to 9 s", "to 10 s")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_other_actions_of_the_clip(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_steps_over_the_action(w: World) -> None:
    w.protocols = {"direct/1": "every(20)"}
