"""EgoCross's animal identification; its faults fit any subtask about the one label of a recording."""

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


def labelled(
    subtask: str,
    column: str,
    labels: tuple[str, ...],
    text: str,
    steps: tuple[str, str],
    end: float,
) -> World:
    """Recordings R0 to R3 with a label each, and R9 without one; the question is about R0.

    Args:
        subtask: Subtask.
        column: Column of the label.
        labels: Labels of R0 to R3.
        text: Question.
        steps: Steps of the rationale: other labels, and the recording's own.
        end: End of the clip, in seconds.
    """
    rows = [recording(f"R{i}", "ego", 24.0, **{column: x}) for i, x in enumerate(labels)]
    rows.insert(1, recording("R9", "ego", 24.0, **{column: None}))
    order = (1, 0, 2, 3)
    options = [
        option(x, labels[i], i == 0, value=labels[i]) for x, i in zip("ABCD", order, strict=True)
    ]
    others = [(x, i) for x, i in zip("ABCD", order, strict=True) if i]
    keys = ([f"recordings:R{i}" for _, i in others], ["recordings:R0"])
    row = question(
        "egocross",
        subtask,
        options,
        [medium("query", "R0", 0.0, end)],
        text=text,
        answer_text=labels[0],
        evidence=[
            {"table": "recordings", "key": "R0", "role": "answer"},
            *(
                {"table": "recordings", "key": f"R{i}", "role": f"option_{letter}"}
                for letter, i in others
            ),
        ],
        rationale=[
            {"step": n, "text": words, "evidence": rows}
            for n, (words, rows) in enumerate(zip(steps, keys, strict=True), 1)
        ],
    )
    row["detailed_answer"] = " ".join(steps)
    tables: dict[str, list[Row]] = {"recordings": rows, "segments": []}
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED, STEPS, "labels of recordings"}),
        seen_s=(0.9, end - 0.9),
        frame_times={r["recording_id"]: seconds(24.0) for r in rows},
    )


def animals() -> World:
    return labelled(
        "animal_identification",
        "species",
        ("cat", "dog", "turtle", "eagle"),
        "Which animal wears the camera that filmed this video?",
        (
            "Animals that wear the camera in other recordings: dog, turtle, eagle.",
            "The animal that wears the camera in this recording: cat.",
        ),
        20.0,
    )


WORLDS = {"animal_identification": animals}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
LABELS = "labels of recordings"
COLUMN = {"animal_identification": "species", "sport_identification": "scenario"}


def relabel(w: World, uid: str, label: str) -> None:
    """Give a recording another label."""
    w.row("recordings", recording_id=uid)[COLUMN[w.question["subtask"]]] = label


@fault(LABELS, "answer", "wrong_key")
def recording_is_labelled_otherwise(w: World) -> None:
    relabel(w, "R0", w.others[0]["value"])


@fault(LABELS, "distractors", "second_right")
def recording_has_the_label_of_a_distractor(w: World) -> None:
    relabel(w, "R0", w.others[1]["value"])


@fault(LABELS, "distractors", "second_right")
def a_distractor_is_the_kind_the_label_belongs_to(w: World) -> None:
    relabel(w, "R0", f"young {w.others[0]['value']}")


@fault(LABELS, "consistent", "label_of_no_recording")
def no_recording_has_the_label_of_an_option(w: World) -> None:
    option = w.others[0]
    option["text"] = option["value"] = "unicorn"


@fault(LABELS, "consistent", "evidence_role")
def an_option_rests_on_a_recording_of_another_label(w: World) -> None:
    w.question["evidence"][1]["key"] = w.question["evidence"][2]["key"]


@fault(LABELS, "consistent", "clip_length")
def clip_of_a_moment(w: World) -> None:
    w.query["end_s"] = 3.0


@fault(LABELS, "consistent", "clip_length")
def clip_of_all_of_a_long_recording(w: World) -> None:
    w.row("recordings", recording_id="R0")["duration_s"] = 90.0
    w.frame_times["R0"] = [t / 10 for t in range(901)]
    w.query["end_s"] = 90.0


@fault(LABELS, "well_formed", "option_count")
def only_three_labels(w: World) -> None:
    letter = w.options[-1]["letter"]
    w.options.pop()
    w.question["chance"] = 1 / 3
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != f"option_{letter}"]


@fault(LABELS, "explanation", "contradicted")
def explanation_names_another_label(w: World) -> None:
    right, other = w.answer["text"], w.others[0]["text"]
    explain(w, f": {right}.", f": {other}.")


@fault(LABELS, "explanation", "contradicted")
def explanation_leaves_out_a_label(w: World) -> None:
    explain(w, f"{w.others[0]['text']}, ", "")


@fault("animal_identification", "consistent", "text")
def asks_in_the_words_of_the_testbed(w: World) -> None:
    w.question["text"] = "What type of animal is featured in this egocentric video segment?"


@fault("animal_identification", "consistent", "text")
def asks_which_animal_is_filmed(w: World) -> None:
    reword(w, "wears the camera that filmed", "is shown in")
