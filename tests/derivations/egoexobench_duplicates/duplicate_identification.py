"""EgoExoBench's search for duplicates: five videos of 8 s, the second and the fifth of which are one."""

from __future__ import annotations

from itertools import combinations

from tests.derivations.world import (
    EXPLAINED,
    WORDS,
    Fault,
    World,
    collect,
    explain,
    key_to,
    medium,
    option,
    question,
    recording,
    seconds,
)

SHOWN = ("soup", "tea", "salad", "cereal", "tea")
START_S = {"soup": 4.0, "tea": 12.0, "salad": 2.0, "cereal": 20.0}
PAIRS = [(3, 4), (1, 2), (2, 5), (1, 5), (4, 5), (2, 3), (1, 4), (3, 5), (1, 3), (2, 4)]
EXPLANATION = (
    "Videos 2 and 5 both show 12.0 s to 20.0 s of tea. The other videos are of other takes: 1 is of soup,"
    " 3 is of salad, 4 is of cereal."
)


def five_videos() -> World:
    """Parts of four recordings of 30 s, one of them twice."""
    assert {*PAIRS} == {*combinations(range(1, 6), 2)}
    media = [
        medium(f"video_{n}", uid, START_S[uid], START_S[uid] + 8.0)
        for n, uid in enumerate(SHOWN, 1)
    ]
    options = [
        option(letter, f"Video{i}-Video{j}", (i, j) == (2, 5), value=f"{i}-{j}")
        for letter, (i, j) in zip("ABCDEFGHIJ", PAIRS, strict=True)
    ]
    row = question(
        "egoexobench_duplicates",
        "duplicate_identification",
        options,
        media,
        text="Which two of these five videos are identical?",
        answer_text="Video2-Video5",
        detailed_answer=EXPLANATION,
        evidence=[
            {"table": "recordings", "key": uid, "role": role}
            for uid, role in zip(START_S, ("video_1", "answer", "video_3", "video_4"), strict=True)
        ],
    )
    return World(
        row,
        {"recordings": [recording(uid, "ego", 30.0) for uid in (*START_S, "unseen")]},
        frozenset({WORDS, EXPLAINED}),
        frame_times={uid: seconds(30.0) for uid in (*START_S, "unseen")},
        # The middle half of the first video.
        seen_s=(5.9, 10.1),
    )


WORLDS = {"duplicate_identification": five_videos}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "duplicate_identification"


def of(w: World, uid: str) -> dict:
    return w.row("recordings", recording_id=uid)


def show(w: World, video: int, uid: str, start_s: float) -> None:
    """Show a part of a recording as a video, and name the recording where it is named."""
    shown = w.medium(f"video_{video}")
    shown.update(recording_id=uid, content=f"hash-{uid}", start_s=start_s, end_s=start_s + 8.0)
    named = [e for e in w.question["evidence"] if e["role"] == f"video_{video}"]
    for row in named:
        row["key"] = uid


@fault(HERE, "answer", "wrong_key")
def duplicate_begins_a_second_later(w: World) -> None:
    show(w, 5, "tea", 13.0)


@fault(HERE, "answer", "wrong_key")
def duplicate_is_of_another_recording(w: World) -> None:
    w.tables["recordings"].append(recording("late", "ego", 30.0))
    w.frame_times["late"] = seconds(30.0)
    show(w, 5, "late", 12.0)


@fault(HERE, "distractors", "second_right")
def a_third_video_is_the_same(w: World) -> None:
    show(w, 3, "tea", 12.0)


@fault(HERE, "well_formed", "medium_twice")
def a_second_pair_is_the_same(w: World) -> None:
    show(w, 4, "soup", 4.0)


@fault(HERE, "well_formed", "medium_twice")
def the_key_names_another_pair(w: World) -> None:
    key_to(w, "A")


@fault(HERE, "distractors", "second_right")
def another_name_of_the_same_file(w: World) -> None:
    w.tables["recordings"].append(recording("copy", "ego", 30.0, media_hashes=["hash-tea"]))
    w.frame_times["copy"] = seconds(30.0)
    show(w, 3, "copy", 12.0)
    w.medium("video_3")["content"] = "hash-tea"


@fault(HERE, "consistent", "one_take")
def another_part_of_the_same_recording(w: World) -> None:
    show(w, 3, "tea", 20.0)


@fault(HERE, "consistent", "one_take")
def the_same_moment_from_another_side(w: World) -> None:
    of(w, "soup")["take_id"] = "tea"


@fault(HERE, "consistent", "one_take")
def two_others_of_one_take(w: World) -> None:
    of(w, "soup")["take_id"] = of(w, "salad")["take_id"] = "both"


@fault(HERE, "consistent", "mixed_views")
def only_the_duplicates_are_a_wearers(w: World) -> None:
    for uid in ("soup", "salad", "cereal"):
        of(w, uid)["view"] = "exo"


@fault(HERE, "consistent", "mixed_views")
def one_video_of_the_other_view(w: World) -> None:
    of(w, "salad")["view"] = "exo"


@fault(HERE, "consistent", "across_splits")
def one_video_of_another_split(w: World) -> None:
    of(w, "salad")["split"] = "train"


@fault(HERE, "leak", "clip_lengths_differ")
def the_others_are_shorter(w: World) -> None:
    for n in (1, 3, 4):
        w.medium(f"video_{n}")["end_s"] -= 1.0


@fault(HERE, "consistent", "clip_length")
def videos_of_a_second(w: World) -> None:
    for shown in w.question["media"]:
        shown["end_s"] = shown["start_s"] + 1.0
    explain(w, "20.0 s of tea", "13.0 s of tea")


@fault(HERE, "well_formed", "option_count")
def a_pair_is_not_offered(w: World) -> None:
    w.question["options"] = w.options[:-1]
    w.question["chance"] = 1 / 9


@fault(HERE, "consistent", "pairs_missing")
def a_pair_is_offered_the_other_way_round(w: World) -> None:
    w.options[0]["text"] = "Video4-Video3"


@fault(HERE, "consistent", "pairs_missing")
def a_video_that_is_not_shown(w: World) -> None:
    w.options[1]["text"] = "Video1-Video6"


@fault(HERE, "consistent", "value_differs_from_text")
def an_option_stands_for_another_pair(w: World) -> None:
    w.options[0]["value"], w.options[1]["value"] = w.options[1]["value"], w.options[0]["value"]


@fault(HERE, "explanation", "contradicted")
def explanation_names_other_videos(w: World) -> None:
    explain(w, "Videos 2 and 5", "Videos 2 and 4")


@fault(HERE, "explanation", "contradicted")
def explanation_names_another_time(w: World) -> None:
    explain(w, "12.0 s to", "11.0 s to")


@fault(HERE, "explanation", "contradicted")
def explanation_names_a_third_recording(w: World) -> None:
    explain(w, "3 is of salad", "3 is of soup")
