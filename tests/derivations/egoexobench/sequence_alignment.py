"""EgoExoBench's sequence alignment, answered by the keysteps of two takes."""

from __future__ import annotations

from tests.derivations.world import (
    EXPLAINED,
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

TEXT = (
    "Which of the following statements accurately describes the difference in action sequences between"
    " Video 1 and Video 2?"
)
NAMES = {
    1: "Open the kit",
    2: "Read the leaflet",
    3: "Swirl the swab",
    4: "Seal the tube",
    5: "Wash hands",
}
STEP_S, GAP_S = 6.0, 1.0
LATE_S = 2.0  # the observer's camera of take B started so long before the take's time 0
LENGTH_S = 60.0


def _world(
    kind: str, sequences: dict[str, list[int]], options: dict[str, tuple[str, str]]
) -> World:
    """Take A in the wearer's view as Video 1, take B in an observer's as Video 2.

    Args:
        kind: `order` or `presence`.
        sequences: Steps of each take.
        options: Text and value by letter; the first letter named is right.
    """
    tables: dict[str, list[Row]] = {"recordings": [], "clocks": [], "segments": []}
    for take, steps in sequences.items():
        for camera, view in (("ego", "ego"), ("exo", "exo")):
            uid = f"{take}|{camera}"
            late = LATE_S if uid == "B|exo" else 0.0
            tables["recordings"].append(recording(uid, view, LENGTH_S + late, take_id=take))
            tables["clocks"].append(
                {"source": "s", "recording_id": uid, "take_id": take, "offset_s": -late}
                | {"rate": 1.0, "method": "timesync"}
            )
        for n, step in enumerate(steps):
            start = 1.0 + n * (STEP_S + GAP_S)
            tables["segments"].append(
                {"source": "s", "segment_id": f"{take}|{n}", "recording_id": f"{take}|ego"}
                | {"kind": "keystep", "class_id": step, "class_name": NAMES[step]}
                | {"start_s": start, "end_s": start + STEP_S}
            )
    ends = {take: 1.0 + len(s) * (STEP_S + GAP_S) - GAP_S for take, s in sequences.items()}
    right = next(iter(options))
    row = question(
        "egoexobench",
        "sequence_alignment",
        [option(x, options[x][0], x == right, value=options[x][1]) for x in sorted(options)],
        [
            medium("video_1", "A|ego", 1.0, ends["A"]),
            medium("video_2", "B|exo", 1.0 + LATE_S, ends["B"] + LATE_S),
        ],
        text=TEXT,
        answer_text=options[right][0],
        evidence=[
            {"table": "segments", "key": f"{take}|{n}", "role": f"option_{x}"}
            for x in sorted(options)
            for take in "AB"
            for n, step in enumerate(sequences[take])
            if str(step) in options[x][1].rpartition(":")[2].split("<")
        ],
    )
    uids = [r["recording_id"] for r in tables["recordings"]]
    return World(
        row,
        tables,
        frozenset({EXPLAINED}),
        frame_times={uid: seconds(LENGTH_S + LATE_S) for uid in uids},
        seen_s=(1.0, 1.0 + STEP_S),
    )


def _before(video: int, first: int, second: int) -> tuple[str, str]:
    text = f'Video {video} shows "{NAMES[first]}" before "{NAMES[second]}", while Video {3 - video} shows it after.'
    return text, f"order:{video}:{first}<{second}"


def _has(video: int, step: int) -> tuple[str, str]:
    text = f'Video {video} includes "{NAMES[step]}", while Video {3 - video} does not.'
    return text, f"presence:{video}:{step}"


def by_order() -> World:
    world = _world(
        "order",
        {"A": [1, 2, 3, 4], "B": [2, 1, 3, 4], "C": [1, 3, 4]},
        {
            "C": _before(1, 1, 2),
            "A": _before(2, 1, 2),
            "B": _before(1, 3, 4),
            "D": _before(2, 3, 4),
        },
    )
    world.question["detailed_answer"] = (
        'Video 1 shows "Open the kit" at 0.0 s and "Read the leaflet" at 7.0 s, Video 2 shows them at 7.0 s'
        ' and 0.0 s. "Swirl the swab" begins before "Seal the tube" in both videos. Statement C is therefore'
        " the right one."
    )
    return world


def by_presence() -> World:
    world = _world(
        "presence",
        {"A": [1, 2, 3, 4], "B": [1, 3, 4], "C": [5, 1, 3]},
        {"B": _has(1, 2), "A": _has(2, 2), "C": _has(1, 1), "D": _has(2, 1)},
    )
    world.question["detailed_answer"] = (
        'The step "Read the leaflet" is annotated in Video 1 alone. "Open the kit" is annotated in both'
        " videos. Statement B is therefore the right one."
    )
    return world


WORLDS = {"sequence_alignment_order": by_order, "sequence_alignment_presence": by_presence}
BOTH = tuple(WORLDS)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _add_step(w: World, take: str, step: int, start: float) -> None:
    """Annotate one more step, inside the clip."""
    w.tables["segments"].append(
        {
            "source": "s",
            "segment_id": f"{take}|new",
            "recording_id": f"{take}|ego",
            "kind": "keystep",
        }
        | {"class_id": step, "class_name": NAMES[step], "start_s": start, "end_s": start + 0.5}
    )


@fault(BOTH, "consistent", "text")
def asks_for_what_both_share(w: World) -> None:
    reword(w, "difference", "similarity")


@fault(BOTH, "consistent", "option_text")
def option_states_what_cannot_be_checked(w: World) -> None:
    w.others[0]["text"] = "Video 1 is done with more care than Video 2."


@fault(BOTH, "consistent", "option_value")
def value_of_an_option_means_another_video(w: World) -> None:
    value = w.others[0]["value"]
    w.others[0]["value"] = value.replace(":1:", ":3:").replace(":2:", ":4:")


@fault(BOTH, "consistent", "swapped_view")
def both_videos_in_the_wearers_view(w: World) -> None:
    w.medium("video_2").update(recording_id="B|ego", content="hash-B|ego", start_s=1.0)
    w.medium("video_2")["end_s"] -= LATE_S


@fault(BOTH, "consistent", "same_take")
def both_videos_of_one_take(w: World) -> None:
    w.medium("video_2").update(recording_id="A|exo", content="hash-A|exo", start_s=1.0, end_s=28.0)
    w.question["evidence"] = [e for e in w.question["evidence"] if e["key"].startswith("A")]


@fault(BOTH, "consistent", "another_scenario")
def videos_of_two_scenarios(w: World) -> None:
    w.row("recordings", recording_id="B|exo")["scenario"] = "bike repair"


@fault(BOTH, "consistent", "sequence_cut")
def clock_of_the_observer_forgotten_in_a_sequence(w: World) -> None:
    w.medium("video_2")["start_s"] -= LATE_S
    w.medium("video_2")["end_s"] -= LATE_S


@fault(BOTH, "consistent", "sequence_cut")
def last_step_cut_off(w: World) -> None:
    w.medium("video_1")["end_s"] -= STEP_S


@fault(BOTH, "consistent", "too_little_shared")
def takes_that_share_one_step(w: World) -> None:
    for row in w.tables["segments"]:
        if row["recording_id"] == "B|ego" and row["class_id"] != 1:
            row["class_id"] += 90


@fault(BOTH, "explanation", "contradicted")
def explanation_names_another_statement(w: World) -> None:
    explain(w, f"Statement {w.question['answer']}", f"Statement {w.others[0]['letter']}")


@fault("sequence_alignment_order", "explanation", "contradicted")
def explanation_tells_another_time_of_a_step(w: World) -> None:
    explain(w, "at 7.0 s, Video 2", "at 3.0 s, Video 2")


@fault("sequence_alignment_order", "explanation", "contradicted")
def explanation_exchanges_the_steps(w: World) -> None:
    explain(
        w,
        '"Swirl the swab" begins before "Seal the tube"',
        '"Seal the tube" begins before "Swirl the swab"',
    )


@fault("sequence_alignment_presence", "explanation", "contradicted")
def explanation_gives_the_step_to_the_other_video(w: World) -> None:
    explain(w, "in Video 1 alone", "in Video 2 alone")


@fault("sequence_alignment_order", "answer", "wrong_key")
def steps_in_the_same_order_after_a_correction(w: World) -> None:
    one, two = (w.row("segments", segment_id=f"B|{n}") for n in (0, 1))
    for column in ("class_id", "class_name"):
        one[column], two[column] = two[column], one[column]


@fault("sequence_alignment_order", "distractors", "second_right")
def two_pairs_of_steps_are_exchanged(w: World) -> None:
    one, two = (w.row("segments", segment_id=f"B|{n}") for n in (2, 3))
    for column in ("class_id", "class_name"):
        one[column], two[column] = two[column], one[column]


@fault("sequence_alignment_order", "margin", "steps_apart")
def steps_follow_each_other_within_a_second(w: World) -> None:
    w.row("segments", segment_id="A|0").update(start_s=6.0, end_s=7.0)
    w.row("segments", segment_id="A|1").update(start_s=7.0, end_s=8.0)


@fault("sequence_alignment_presence", "answer", "wrong_key")
def the_step_is_done_in_the_other_video_too(w: World) -> None:
    _add_step(w, "B", 2, 7.2)


@fault("sequence_alignment_presence", "distractors", "second_right")
def a_step_of_both_is_taken_from_one(w: World) -> None:
    w.row("segments", segment_id="B|0").update(class_id=7, class_name="Sit down")


@fault("sequence_alignment_presence", "seen_by_sampling", "not_seen")
def step_too_short_for_the_frames_sent(w: World) -> None:
    w.row("segments", segment_id="A|1").update(start_s=8.1, end_s=8.4)
