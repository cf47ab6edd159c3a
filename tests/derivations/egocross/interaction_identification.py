"""EgoCross's interaction identification: a cat takes up a ball, goes to a person, and comes back to the ball."""

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

SPANS = {"R1": (("ball", 4, 9), ("person", 14, 18), ("ball", 22, 26)), "R2": (("toy", 4, 9),)}


def key(uid: str, thing: str, start: int) -> str:
    return f"{uid}/{thing}/{start}"


def tables() -> dict[str, list[Row]]:
    """Interactions of two recordings of 40 s."""
    return {
        "recordings": [
            recording("R1", "ego", 40.0, species="cat"),
            recording("R2", "ego", 40.0, species="dog"),
        ],
        "segments": [
            {
                "source": "s",
                "recording_id": uid,
                "segment_id": key(uid, thing, start),
                "kind": "interaction",
                "class_name": thing,
                "start_s": float(start),
                "end_s": float(end),
            }
            for uid, spans in SPANS.items()
            for thing, start, end in spans
        ],
    }


def interaction() -> World:
    things = ("person", "ball", "food", "bench")
    options = [option(x, t, t == "ball", value=t) for x, t in zip("ABCD", things, strict=True)]
    steps = (
        ("The animal that wears the camera: cat.", ["recordings:R1"]),
        (
            "From 4 s to 9 s of the recording it interacts with the ball.",
            [f"segments:{key('R1', 'ball', 4)}"],
        ),
    )
    row = question(
        "egocross",
        "interaction_identification",
        options,
        [medium("query", "R1", 4.0, 9.0)],
        text="What does the animal that wears the camera interact with?",
        answer_text="ball",
        evidence=[
            {"table": "segments", "key": key("R1", "ball", 4), "role": "answer"},
            {"table": "recordings", "key": "R1", "role": "context"},
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
        seen_s=(4.9, 8.1),
        frame_times={uid: seconds(40.0) for uid in SPANS},
    )


WORLDS = {"interaction_identification": interaction}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
NAME = "interaction_identification"
BALL, PERSON = key("R1", "ball", 4), key("R1", "person", 14)


@fault(NAME, "answer", "wrong_key")
def another_object_is_annotated(w: World) -> None:
    w.row("segments", segment_id=BALL)["class_name"] = "plant"


@fault(NAME, "answer", "wrong_key")
def clip_of_the_next_interaction(w: World) -> None:
    w.query["start_s"], w.query["end_s"] = 14.0, 18.0


@fault(NAME, "distractors", "second_right")
def two_objects_at_a_time(w: World) -> None:
    w.row("segments", segment_id=PERSON).update(start_s=6.0, end_s=8.0)


@fault(NAME, "margin", "one_object")
def an_object_nobody_offers_is_interacted_with_too(w: World) -> None:
    w.row("segments", segment_id=PERSON).update(class_name="floor", start_s=8.0, end_s=12.0)


@fault(NAME, "distractors", "second_right")
def the_next_object_follows_within_the_rounding_of_times(w: World) -> None:
    w.row("segments", segment_id=PERSON).update(start_s=9.5, end_s=12.0)


@fault(NAME, "consistent", "shifted_time")
def clip_begins_before_the_interaction(w: World) -> None:
    w.query["start_s"] = 2.0


@fault(NAME, "consistent", "clip_length")
def interaction_cut_short(w: World) -> None:
    w.query["end_s"] = 6.0


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_thing_the_animal_meets(w: World) -> None:
    explain(w, "with the ball", "with the person")


@fault(NAME, "explanation", "contradicted")
def explanation_tells_another_start_of_the_interaction(w: World) -> None:
    explain(w, "From 4 s", "From 14 s")


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_animal(w: World) -> None:
    explain(w, "camera: cat", "camera: dog")


@fault(NAME, "consistent", "text")
def text_asks_what_is_in_view(w: World) -> None:
    reword(w, "interact with", "look at")


@fault(NAME, "consistent", "evidence_role")
def evidence_is_another_interaction_of_the_recording(w: World) -> None:
    w.question["evidence"][0]["key"] = PERSON


@fault(NAME, "well_formed", "option_count")
def five_objects(w: World) -> None:
    w.options.append(option("E", "door", False, value="door"))
    w.question["chance"] = 0.2


@fault(NAME, "seen_by_sampling", "not_seen")
def one_frame_at_the_border(w: World) -> None:
    w.frame_times["R1"] = [0.0, 4.2, 20.0]
