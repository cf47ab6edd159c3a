"""EgoCross's action sequence identification: a skier turns left, spins, and goes on forward."""

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

NAME = "action_sequence_identification"
SPANS = (
    ("curveright", 5, 9),
    ("left", 9, 12),
    ("spin", 12, 15),
    ("forward", 16, 19),
    ("slidestop", 19, 22),
)
OPTIONS = {
    "A": ("left → spin → forward", "left spin forward"),
    "B": ("forward → jump → slide stop", "forward jump slidestop"),
    "C": ("curve right → left → spin", "curveright left spin"),
    "D": ("left → forward → spin", "left forward spin"),
}


CURVE, LEFT, SPIN, FORWARD, STOP = (f"R1/{label}" for label, *_ in SPANS)


def tables() -> dict[str, list[Row]]:
    """Labelled actions of two recordings of 40 s."""
    labelled = [("R1", *span) for span in SPANS] + [("R2", "jump", 5, 8)]
    return {
        "recordings": [recording(uid, "ego", 40.0, scenario="skiing") for uid in ("R1", "R2")],
        "segments": [
            {
                "source": "s",
                "recording_id": uid,
                "segment_id": f"{uid}/{label}",
                "kind": "action",
                "class_name": label,
                "start_s": float(start),
                "end_s": float(end),
            }
            for uid, label, start, end in labelled
        ],
    }


def sequence() -> World:
    rows = (LEFT, SPIN, FORWARD)
    steps = tuple(
        f"The {place} action that the clip shows, in seconds of the recording: {said}."
        for place, said in (
            ("first", "left from 9 s to 12 s"),
            ("second", "spin from 12 s to 15 s"),
            ("last", "forward from 16 s to 19 s"),
        )
    )
    row = question(
        "egocross",
        NAME,
        [option(x, text, x == "A", value=value) for x, (text, value) in OPTIONS.items()],
        [medium("query", "R1", 9.0, 19.0)],
        text="Which sequence of three actions does the person who wears the camera perform in this"
        " video?",
        answer_text="left → spin → forward",
        evidence=[
            {"table": "segments", "key": one, "role": "answer" if one == FORWARD else "before"}
            for one in rows
        ],
        rationale=[
            {"step": n, "text": text, "evidence": [f"segments:{one}"]}
            for n, (text, one) in enumerate(zip(steps, rows, strict=True), 1)
        ],
    )
    row["detailed_answer"] = " ".join(steps)
    return World(
        row,
        tables(),
        frozenset({WORDS, EXPLAINED, STEPS}),
        seen_s=(11.9, 15.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(40.0) for uid in ("R1", "R2")},
    )


WORLDS = {NAME: sequence}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def the_second_action_has_another_label(w: World) -> None:
    w.row("segments", segment_id=SPIN)["class_name"] = "flip"


@fault(NAME, "answer", "wrong_key")
def two_actions_are_performed_the_other_way_round(w: World) -> None:
    w.row("segments", segment_id=SPIN).update(start_s=16.0, end_s=19.0)
    w.row("segments", segment_id=FORWARD).update(start_s=12.0, end_s=15.0)


@fault(NAME, "answer", "wrong_key")
def the_sequence_is_that_of_a_distractor(w: World) -> None:
    w.row("segments", segment_id=LEFT)["class_name"] = "forward"
    w.row("segments", segment_id=SPIN)["class_name"] = "jump"
    w.row("segments", segment_id=FORWARD)["class_name"] = "slidestop"


@fault(NAME, "answer", "wrong_key")
def the_clip_shows_the_three_actions_one_later(w: World) -> None:
    w.query.update(start_s=12.0, end_s=22.0)


@fault(NAME, "answer", "wrong_key")
def the_clip_shows_the_three_actions_one_earlier(w: World) -> None:
    w.query.update(start_s=5.0, end_s=15.0)


@fault(NAME, "distractors", "looks_alike")
def a_distractor_names_the_same_turn_longer(w: World) -> None:
    w.others[0].update(text="curve left → spin → walk", value="curveleft spin walk")


@fault(NAME, "distractors", "looks_alike")
def a_distractor_differs_in_the_pace_alone(w: World) -> None:
    w.others[1].update(text="left → spin → bumpy forward", value="left spin bumpyforward")


@fault(NAME, "consistent", "change_is_not_seen")
def the_turn_goes_on_under_another_label(w: World) -> None:
    w.row("segments", segment_id=SPIN)["class_name"] = "leftright"


@fault(NAME, "consistent", "not_in_a_row")
def nothing_is_labelled_for_long(w: World) -> None:
    w.row("segments", segment_id=SPIN)["end_s"] = 13.5


@fault(NAME, "consistent", "not_in_a_row")
def an_action_begins_before_the_last_one_ends(w: World) -> None:
    w.row("segments", segment_id=SPIN)["end_s"] = 17.0


@fault(NAME, "consistent", "first_is_cut")
def the_clip_shows_a_moment_of_the_first_action(w: World) -> None:
    w.query["start_s"] = 11.5


@fault(NAME, "consistent", "first_is_cut")
def the_clip_begins_before_the_first_action(w: World) -> None:
    w.row("segments", segment_id=CURVE)["end_s"] = 8.0
    w.query["start_s"] = 8.2


@fault(NAME, "consistent", "last_is_cut")
def the_clip_ends_within_the_last_action(w: World) -> None:
    w.query["end_s"] = 18.0


@fault(NAME, "consistent", "clip_length")
def clip_of_a_sequence_is_too_long(w: World) -> None:
    w.row("segments", segment_id=FORWARD)["end_s"] = 26.0
    w.row("segments", segment_id=STOP).update(start_s=26.0, end_s=27.0)
    w.query["end_s"] = 26.0


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_sequence_than_it_reads(w: World) -> None:
    w.others[1]["value"] = "curveleft left spin"


@fault(NAME, "consistent", "text")
def text_asks_about_two_actions(w: World) -> None:
    reword(w, "three actions", "two actions")


@fault(NAME, "consistent", "text")
def text_asks_what_another_person_does(w: World) -> None:
    reword(w, "the person who wears the camera", "the other person")


@fault(NAME, "explanation", "contradicted")
def explanation_names_an_action_of_a_distractor(w: World) -> None:
    explain(w, "spin from", "jump from")


@fault(NAME, "explanation", "contradicted")
def explanation_exchanges_two_actions(w: World) -> None:
    explain(w, "left from", "spin from")
    explain(w, "spin from 12 s", "left from 12 s")


@fault(NAME, "explanation", "contradicted")
def explanation_moves_one_of_the_actions(w: World) -> None:
    explain(w, "spin from 12 s", "spin from 11 s")


@fault(NAME, "explanation", "contradicted")
def explanation_ends_one_of_the_actions_later(w: World) -> None:
    explain(w, "to 15 s", "to 16 s")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_action_between(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["key"] != SPIN]


@fault(NAME, "seen_by_sampling", "not_seen")
def sampling_steps_over_two_of_the_actions(w: World) -> None:
    w.protocols = {"direct/1": "every(20)"}


@fault(NAME, "seen_by_sampling", "not_seen")
def an_action_lies_between_two_frames_that_are_sent(w: World) -> None:
    w.row("segments", segment_id=LEFT)["end_s"] = 13.2
    w.row("segments", segment_id=SPIN).update(start_s=13.2, end_s=14.8)
