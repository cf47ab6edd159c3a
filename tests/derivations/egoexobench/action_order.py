"""EgoExoBench's action order, answered by the take's clock and the successive actions of the source."""

from __future__ import annotations

from tests.derivations.egoexobench.action_relation import MASTER_LATE_S, narrate
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
    seconds,
)

TEXT = "What is the correct temporal relationship between the actions in these two videos?"
SAYINGS = {
    "2 in 1": "Actions in Video 2 are part of the sequence of actions in Video 1",
    "1 before 2": "Actions in Video 1 occur before actions in Video 2",
    "1 in 2": "Actions in Video 1 are part of the sequence of actions in Video 2",
    "2 before 1": "Actions in Video 2 occur before actions in Video 1",
}
# Five pairs of taking and putting, each thing after the other; the cup is asked about.
THINGS = ("jar", "pan", "cup", "lid", "fork")
ASKED = 2


def by_the_source() -> World:
    """Take T, in which P1 takes and puts five things, and an empty take U."""
    tables: dict[str, list[Row]] = {
        n: [] for n in ("recordings", "segments", "clocks", "relations", "labels")
    }
    for take in ("T", "U"):
        for camera, view, offset in (("fpv1", "ego", 0.0), ("fpv2", "ego", 0.0)):
            tables["recordings"].append(recording(f"{take}|{camera}", view, 70.0, take_id=take))
            tables["clocks"].append(clock(f"{take}|{camera}", take, offset))
        tables["recordings"].append(recording(f"{take}|master", "exo", 72.0, take_id=take))
        tables["clocks"].append(clock(f"{take}|master", take, -MASTER_LATE_S))
    for i, thing in enumerate(THINGS):
        for verb, place, start in (("get", "table", 0.0), ("put", "shelf", 2.5)):
            key = f"{verb} {thing}"
            tables["segments"].append(
                segment(key, "T|fpv1", 12.0 * i + start, 12.0 * i + start + 1.5)
            )
            tables["relations"] += relations(key, verb, {thing: "direct", place: "source"})
    tables["segments"].append(segment("open door", "T|fpv2", 24.0, 25.0))
    tables["segments"].append(segment("elsewhere", "U|fpv1", 4.0, 8.0))
    # Clips of 2 s around actions of 1.5 s: 23.75 to 25.75 s, and 26.25 to 28.25 s.
    start = 12.0 * ASKED - 0.25
    media = [
        medium("video_1", "T|fpv1", start + 2.5, start + 4.5, segment_id="put cup"),
        medium("video_2", "T|master", start + MASTER_LATE_S, start + 2.0 + MASTER_LATE_S),
    ]
    options = [
        option(letter, text, value == "2 before 1", value=value)
        for letter, (value, text) in zip("ABCD", SAYINGS.items(), strict=True)
    ]
    evidence: list[Row] = []
    for role, key, uid in (("video_1", "put cup", "T|fpv1"), ("video_2", "get cup", "T|master")):
        evidence.append({"table": "segments", "key": key, "role": role})
        evidence += [
            {"table": "relations", "key": r["relation_id"], "role": "answer"}
            for r in tables["relations"]
            if r["segment_id"] == key
        ]
        evidence.append({"table": "clocks", "key": uid, "role": role})
    row = question(
        "egoexobench",
        "action_order",
        options,
        media,
        text=TEXT,
        answer_text=SAYINGS["2 before 1"],
        evidence=evidence,
        detailed_answer='Video 2 shows "get cup" and video 1 "put cup" of the same person and take,'
        " 1.0 s later. Actions that follow each other and share a thing in this way come in this"
        " order 5 times in the source, and never in the other.",
    )
    lengths = {r["recording_id"]: r["duration_s"] for r in tables["recordings"]}
    return World(
        row,
        tables,
        frozenset({EXPLAINED}),
        frame_times={uid: seconds(n) for uid, n in lengths.items()},
        seen_s=(26.45, 28.05),
    )


def clock(uid: str, take: str, offset: float) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": take,
        "offset_s": offset,
        "rate": 1.0,
        "method": "same_index",
    }


def segment(key: str, uid: str, start: float, end: float) -> Row:
    return {
        "source": "s",
        "segment_id": key,
        "recording_id": uid,
        "kind": "action",
        "actor_id": uid[-1],
        "start_s": start,
        "end_s": end,
        "class_name": key,
        "narration": key,
    }


def relations(key: str, verb: str, things: dict[str, str]) -> list[Row]:
    common = {"source": "s", "recording_id": "T|fpv1", "segment_id": key}
    return [
        {
            **common,
            "relation_id": f"{key}.{name}",
            "subject": "P1" if role == "verb" else verb,
            "relation": role,
            "object": name,
            "role": None if role == "verb" else role,
        }
        for name, role in ((verb, "verb"), *things.items())
    ]


WORLDS = {"action_order": by_the_source}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "action_order"


def done(w: World, key: str) -> Row:
    return w.row("segments", segment_id=key)


@fault(HERE, "consistent", "order_unsettled")
def too_few_pairs_in_the_source(w: World) -> None:
    w.tables["segments"].remove(done(w, "put fork"))


@fault(HERE, "consistent", "order_unsettled")
def actions_that_share_nothing(w: World) -> None:
    w.row("relations", relation_id="put cup.cup")["object"] = "plate"


@fault(HERE, "consistent", "order_unsettled")
def actions_that_share_a_place_alone(w: World) -> None:
    """Each thing is taken from the place it is then put to, and another is put."""
    for row in w.tables["relations"]:
        if row["role"] == "direct":
            row["object"] = row["segment_id"]
        elif row["role"] == "source":
            row["object"] = "table"


@fault(HERE, "distractors", "order_reversed")
def the_source_holds_the_other_order_too(w: World) -> None:
    """Another person puts a plate and takes it again at once."""
    for verb, place, start in (("put", "rug", 40.0), ("get", "bench", 42.5)):
        key = f"{verb} plate"
        w.tables["segments"].append(segment(key, "T|fpv2", start, start + 1.5))
        w.tables["relations"] += relations(key, verb, {"plate": "direct", place: "source"})


@fault(HERE, "consistent", "not_done")
def the_later_action_is_only_attempted(w: World) -> None:
    narrate(w, "put cup", status="attempted")


@fault(HERE, "consistent", "order_unsettled")
def one_of_the_pairs_in_the_source_was_not_done(w: World) -> None:
    narrate(w, "put fork", status="stopped")


@fault(HERE, "consistent", "runs_through_both")
def another_person_does_one_thing_all_the_while(w: World) -> None:
    done(w, "open door")["end_s"] = 27.0


@fault(HERE, "consistent", "pause")
def a_long_pause(w: World) -> None:
    done(w, "put cup").update(start_s=28.0, end_s=29.5)
    w.query.update(start_s=27.75, end_s=29.75)


@fault(HERE, "consistent", "not_successive")
def another_action_between(w: World) -> None:
    w.tables["segments"].append(segment("wipe table", "T|fpv1", 25.7, 26.2))


@fault(HERE, "consistent", "swapped_view")
def both_videos_by_the_wearer(w: World) -> None:
    w.medium("video_2").update(
        recording_id="T|fpv1", content="hash-T|fpv1", start_s=23.75, end_s=25.75
    )


@fault(HERE, "consistent", "another_performance")
def second_video_of_another_take(w: World) -> None:
    w.medium("video_2").update(recording_id="U|master", content="hash-U|master")


@fault(HERE, "consistent", "evidence_role")
def clock_of_the_room_forgotten_by_a_pause(w: World) -> None:
    shown = w.medium("video_2")
    shown.update(start_s=shown["start_s"] - 12.0, end_s=shown["end_s"] - 12.0)


@fault(HERE, "consistent", "shifted_time")
def second_video_shifted_by_one_second(w: World) -> None:
    shown = w.medium("video_2")
    shown.update(start_s=shown["start_s"] - 1.0, end_s=shown["end_s"] - 1.0)


@fault(HERE, "margin", "clips_apart")
def videos_overlap(w: World) -> None:
    w.query.update(start_s=25.5, end_s=27.5)


@fault(HERE, "leak", "clip_lengths_differ")
def one_video_is_longer(w: World) -> None:
    w.query["end_s"] -= 1.0


@fault(HERE, "answer", "wrong_key")
def videos_exchanged(w: World) -> None:
    one, two = w.medium("video_1"), w.medium("video_2")
    for key in ("recording_id", "segment_id", "start_s", "end_s", "content"):
        one[key], two[key] = two[key], one[key]
    w.question["recording_id"] = one["recording_id"]


@fault(HERE, "distractors", "second_right")
def one_statement_twice_in_other_letters(w: World) -> None:
    w.options[0]["text"] = SAYINGS["2 before 1"].upper()


@fault(HERE, "consistent", "value_differs_from_text")
def statement_means_another(w: World) -> None:
    w.options[0]["value"], w.options[1]["value"] = w.options[1]["value"], w.options[0]["value"]


@fault(HERE, "consistent", "one_action")
def the_same_is_done_twice(w: World) -> None:
    done(w, "put cup")["class_name"] = "get cup"


@fault(HERE, "explanation", "contradicted")
def explanation_exchanges_the_videos(w: World) -> None:
    explain(w, "Video 2 shows", "Video 1 shows")


@fault(HERE, "explanation", "contradicted")
def explanation_counts_more_pairs(w: World) -> None:
    explain(w, "5 times", "9 times")


@fault(HERE, "explanation", "contradicted")
def explanation_tells_another_pause(w: World) -> None:
    explain(w, "1.0 s later", "2.0 s later")


@fault(HERE, "consistent", "evidence_left_out")
def evidence_without_the_things(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["table"] != "relations"]


@fault(HERE, "consistent", "medium_segment")
def video_of_the_room_stands_for_a_segment(w: World) -> None:
    w.medium("video_2")["segment_id"] = "get cup"
