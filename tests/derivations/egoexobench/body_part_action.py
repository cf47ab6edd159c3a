"""EgoExoBench's body part action, answered by narrations that name hands or feet."""

from __future__ import annotations

from tests.derivations.world import (
    EXPLAINED,
    LETTERS,
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

LENGTH_S = 60.0
LATE_S = 2.0  # the observer's camera of take B started so long before the take's time 0


def _question(
    recipe: str,
    kind: str,
    told: tuple[str, str],
    media: list[Row],
    rows: list[tuple[str, str, str]],
) -> Row:
    """The question whose statement C quotes both narrations as they are."""
    mirrored = tuple(
        t.replace("left", "?").replace("right", "left").replace("?", "right") for t in told
    )
    pairs = [(mirrored[0], told[1]), (told[0], mirrored[1]), told, mirrored]
    return question(
        "egoexobench",
        "body_part_action",
        [
            option(
                x,
                f'Video 1: "{a}" Video 2: "{b}"',
                x == "C",
                value="|".join("left" if "left" in words else "right" for words in (a, b)),
            )
            for x, (a, b) in zip(LETTERS, pairs, strict=False)
        ],
        media,
        recipe=recipe,
        text=f"Which statement describes what the person's {kind} do in the two videos?",
        answer_text=f'Video 1: "{told[0]}" Video 2: "{told[1]}"',
        detailed_answer=f'Video 1 is narrated "{told[0]}". Video 2 is narrated "{told[1]}". Statement C keeps'
        " the sides of both narrations; the others exchange left and right in one or both.",
        evidence=[{"table": table, "key": key, "role": role} for role, table, key in rows]
        + [
            {"table": table, "key": key, "role": f"option_{x}"}
            for x in "ABCD"
            for _, table, key in rows
            if table == "segments"
        ],
    )


def by_labels() -> World:
    """An egocentric and an exocentric segment of hands that are labelled."""
    narrations = {
        "E": "The left hand cuts the pear.",
        "X": "Cut the onion with your right hand.",
        "Y": "Wash the pan.",
    }
    tables: dict[str, list[Row]] = {"recordings": [], "segments": [], "labels": [], "clocks": []}
    for uid, words in narrations.items():
        tables["recordings"].append(recording(uid, "ego" if uid == "E" else "exo", LENGTH_S))
        key = f"{uid}|1"
        tables["segments"].append(
            {
                "source": "s",
                "segment_id": key,
                "recording_id": uid,
                "kind": "fine",
                "narration": words,
            }
            | {"start_s": 10.0, "end_s": 14.0, "is_point": False}
        )
        part = "left_hand" if uid == "E" else "right_hand"
        for kind, class_id in (("verb", 3 if uid == "Y" else 1), ("noun", ord(uid))):
            tables["labels"].append(
                {"source": "s", "recording_id": uid, "segment_id": key, "reader": "vocabulary"}
                | {"clause": 0, "kind": kind}
                | {"class_id": class_id, "class_label": "?", "term": "?", "body_part": part}
                | {"span_start": 0, "span_end": 1, "rule": "by hand"}
            )
    told = (narrations["E"], narrations["X"])
    row = _question(
        "body_part_action_egoexolearn@1",
        "hands",
        told,
        [medium("video_1", "E", 10.0, 14.0), medium("video_2", "X", 10.0, 14.0)],
        [
            (f"video_{n}", table, f"{uid}|1")
            for n, uid in enumerate("EX", 1)
            for table in ("segments", "labels")
        ],
    )
    return World(
        row,
        tables,
        frozenset({EXPLAINED}),
        frame_times={uid: seconds(LENGTH_S) for uid in narrations},
        seen_s=(11.2, 12.8),
    )


# Verb, thing and part of the body of each description.
READ = {
    "A": ("kick", "ball", "left_foot"),
    "B": ("stop", "ball", "right_foot"),
    "D": ("jump", "air", "none"),
}


def _parsed(take: str, verb: str, thing: str, part: str) -> list[Row]:
    """Labels of a description, as a parse reads it."""
    shared = {"source": "s", "recording_id": f"{take}|ego", "segment_id": f"{take}|1"}
    shared |= {"reader": "open", "clause": 0, "body_part": part, "status": "done"}
    return [
        shared
        | {"kind": kind, "lemma": lemma, "class_label": lemma, "term": lemma}
        | {"span_start": at, "span_end": at + 4, "rule": "open;by hand"}
        for kind, lemma, at in (("verb", verb, 2), ("noun", thing, 12))
    ]


def by_moments() -> World:
    """A moment in the wearer's view and one of another take in an observer's."""
    told = {
        "A": "C kicks the ball with the left foot.",
        "B": "C stops the ball with the right foot.",
    }
    told["D"] = "C jumps."
    tables: dict[str, list[Row]] = {"recordings": [], "segments": [], "labels": [], "clocks": []}
    for take, words in told.items():
        for camera in ("ego", "exo"):
            uid, late = f"{take}|{camera}", LATE_S if (take, camera) == ("B", "exo") else 0.0
            tables["recordings"].append(recording(uid, camera, LENGTH_S + late, take_id=take))
            tables["clocks"].append(
                {"source": "s", "recording_id": uid, "take_id": take, "offset_s": -late}
                | {"rate": 1.0, "method": "timesync"}
            )
        tables["segments"].append(
            {"source": "s", "segment_id": f"{take}|1", "recording_id": f"{take}|ego"}
            | {"kind": "atomic", "narration": words, "start_s": 20.0, "end_s": 20.0}
            | {"is_point": True, "actor_id": "C", "ego_visible": True}
        )
        tables["labels"] += _parsed(take, *READ[take])
    row = _question(
        "body_part_action_egoexo4d@1",
        "feet",
        (told["A"].replace("C ", "The person "), told["B"].replace("C ", "The person ")),
        [
            medium("video_1", "A|ego", 18.0, 22.0),
            medium("video_2", "B|exo", 18.0 + LATE_S, 22.0 + LATE_S),
        ],
        [
            (f"video_{n}", table, f"{take}|1")
            for n, take in enumerate("AB", 1)
            for table in ("segments", "labels")
        ],
    )
    return World(
        row,
        tables,
        frozenset({EXPLAINED}),
        frame_times={r["recording_id"]: seconds(LENGTH_S + LATE_S) for r in tables["recordings"]},
        seen_s=(19.4, 20.6),
    )


WORLDS = {"body_part_action_labels": by_labels, "body_part_action_moments": by_moments}
BOTH = tuple(WORLDS)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _narrations(w: World) -> list[Row]:
    """Segments of the two videos, in order."""
    return [w.row("segments", segment_id=key) for key in dict.fromkeys(_segments(w))]


def _segments(w: World) -> list[str]:
    return [e["key"] for e in w.question["evidence"] if e["table"] == "segments"]


@fault(BOTH, "consistent", "text")
def asks_for_another_body_part(w: World) -> None:
    reword(w, "hands" if "hands" in w.question["text"] else "feet", "shoulders")


@fault(BOTH, "answer", "wrong_key")
def side_corrected_in_the_first_narration(w: World) -> None:
    row = _narrations(w)[0]
    row["narration"] = row["narration"].replace("left", "right")


@fault(BOTH, "distractors", "second_right")
def side_corrected_in_the_second_narration(w: World) -> None:
    row = _narrations(w)[1]
    row["narration"] = row["narration"].replace("right", "left")


@fault(BOTH, "consistent", "option_text")
def option_changes_the_thing_too(w: World) -> None:
    text = w.others[0]["text"]
    w.others[0]["text"] = text.replace("pear", "carrot").replace("ball", "box")


@fault(BOTH, "consistent", "option_text")
def option_quotes_one_video_only(w: World) -> None:
    w.others[0]["text"] = w.others[0]["text"].partition(" Video 2")[0]


@fault(BOTH, "consistent", "option_value")
def value_of_a_statement_names_other_sides(w: World) -> None:
    w.others[0]["value"] = "both|both"


@fault(BOTH, "consistent", "swapped_view")
def second_video_in_the_wearers_view_too(w: World) -> None:
    w.row("recordings", recording_id=w.medium("video_2")["recording_id"])["view"] = "ego"


@fault(BOTH, "consistent", "another_scenario")
def videos_of_two_activities(w: World) -> None:
    uid = w.medium("video_2")["recording_id"]
    w.row("recordings", recording_id=uid)["scenario"] = "bike repair"


@fault(BOTH, "consistent", "shifted_time")
def second_video_shows_what_comes_five_seconds_later(w: World) -> None:
    shown = w.medium("video_2")
    shown.update(start_s=shown["start_s"] + 5.0, end_s=shown["end_s"] + 5.0)


@fault(BOTH, "consistent", "clip_too_wide")
def first_video_shows_what_comes_before_too(w: World) -> None:
    w.medium("video_1")["start_s"] -= 4.0


@fault(BOTH, "consistent", "another_body_part")
def narrations_of_a_hand_and_a_foot(w: World) -> None:
    row = _narrations(w)[1]
    row["narration"] = (
        row["narration"].replace("hand", "?").replace("foot", "hand").replace("?", "foot")
    )


@fault(BOTH, "distractors", "same_of_both_sides")
def narration_that_says_the_same_of_both_sides(w: World) -> None:
    row = _narrations(w)[0]
    part = "hand" if "hand" in row["narration"] else "foot"
    row["narration"] += f" The right {part} and the left {part} both do it."


@fault(BOTH, "consistent", "across_splits")
def videos_of_two_splits(w: World) -> None:
    w.row("recordings", recording_id=w.medium("video_2")["recording_id"])["split"] = "test"


@fault(BOTH, "explanation", "contradicted")
def explanation_exchanges_the_sides(w: World) -> None:
    words = _narrations(w)[0]["narration"].removeprefix("C ")
    explain(w, words, words.replace("left", "right"))


@fault(BOTH, "explanation", "contradicted")
def explanation_is_of_another_statement(w: World) -> None:
    explain(w, "Statement C", "Statement D")


@fault("body_part_action_labels", "consistent", "shares_nothing")
def narrations_without_a_common_verb_or_thing(w: World) -> None:
    w.row("labels", segment_id="X|1", kind="verb")["class_id"] = 9


@fault("body_part_action_labels", "consistent", "labelled_otherwise")
def label_says_the_other_hand(w: World) -> None:
    w.row("labels", segment_id="X|1", kind="verb")["body_part"] = "left_hand"


@fault("body_part_action_moments", "consistent", "shares_nothing")
def descriptions_without_a_common_word(w: World) -> None:
    w.row("labels", segment_id="B|1", kind="noun")["lemma"] = "box"


@fault("body_part_action_moments", "consistent", "not_done")
def foot_that_does_not_reach_the_ball(w: World) -> None:
    w.row("labels", segment_id="B|1", kind="verb")["status"] = "attempted"


@fault("body_part_action_moments", "consistent", "not_done")
def somebody_else_kicks(w: World) -> None:
    w.row("labels", segment_id="A|1", kind="verb")["actor_id"] = "man"


@fault("body_part_action_moments", "consistent", "labelled_otherwise")
def side_that_is_no_part_of_the_action(w: World) -> None:
    w.row("labels", segment_id="A|1", kind="verb")["body_part"] = "none"


@fault("body_part_action_moments", "consistent", "labelled_otherwise")
def side_that_is_a_direction(w: World) -> None:
    w.row("labels", segment_id="A|1", kind="verb")["direction"] = "left"


@fault("body_part_action_labels", "consistent", "labelled_otherwise")
def readers_that_disagree_on_the_hand(w: World) -> None:
    row = w.row("labels", segment_id="X|1", kind="verb")
    read = {"reader": "open", "class_id": None, "lemma": "cut", "status": "done"}
    w.tables["labels"].append({**row, **read, "contradicts": "hand"})


@fault("body_part_action_labels", "consistent", "several_actors")
def hands_of_two_people(w: World) -> None:
    row = w.row("labels", segment_id="X|1", kind="verb")
    more = {"clause": 1, "span_start": 9, "span_end": 12, "actor_id": "man"}
    w.tables["labels"].append({**row, **more})


@fault("body_part_action_moments", "consistent", "not_visible")
def moment_that_the_wearers_camera_misses(w: World) -> None:
    w.row("segments", segment_id="A|1")["ego_visible"] = False


@fault("body_part_action_moments", "consistent", "another_actor")
def moment_of_somebody_else(w: World) -> None:
    w.row("segments", segment_id="B|1")["actor_id"] = "O"
