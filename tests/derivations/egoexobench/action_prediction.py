"""EgoExoBench's action prediction on LEMMA, answered by the sequence of actions."""

from __future__ import annotations

from tests.derivations.egoexobench.action_order import clock, relations, segment
from tests.derivations.egoexobench.action_relation import narrate
from tests.derivations.world import (
    EXPLAINED,
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
    seconds,
)

TEXT = (
    "Which option most accurately matches the next action expected to occur in the egocentric"
    " video, according to the sequence established by the exocentric video?"
)
# What P1 does in take T, 2 s each from 4 s on every 4 s; the current action is `wash cup`.
DONE = ("open door", "get cup", "wash cup", "fill jar", "cut bread", "eat apple", "close lid")
CURRENT = 2
LATE_S = 2.0  # the room's camera started before the wearer's


def by_the_sequence() -> World:
    """The same is done in take R, which the reference shows; take U is elsewhere."""
    tables: dict[str, list[Row]] = {
        n: [] for n in ("recordings", "segments", "clocks", "relations", "labels")
    }
    for take in ("T", "R", "U"):
        for camera, view, length, offset in (
            ("fpv1", "ego", 60.0, 0.0),
            ("master", "exo", 64.0, -LATE_S),
        ):
            uid = f"{take}|{camera}"
            more = {"take_id": take, "scenario": "make breakfast"}
            tables["recordings"].append(recording(uid, view, length, **more))
            tables["clocks"].append(clock(uid, take, offset))
        for i, name in enumerate(DONE):
            key, start = f"{take}|{name}", 4.0 + 4.0 * i
            row = segment(key, f"{take}|fpv1", start, start + 2.0)
            tables["segments"].append(row | {"class_name": name, "narration": name})
            verb, thing = name.split()
            rows = relations(key, verb, {thing: "direct"})
            tables["relations"] += [{**r, "recording_id": f"{take}|fpv1"} for r in rows]
    # `wash cup` lasts from 12 to 14 s, `fill jar` begins at 16 s.
    media = [
        medium("query", "T|fpv1", 7.0, 15.0, segment_id="T|wash cup"),
        medium("reference", "R|master", 0.0, 64.0),
    ]
    shown = ("cut bread", "get cup", "fill jar", "open door")
    options = [
        option(letter, name, name == "fill jar", value=f"T|{name}")
        for letter, name in zip("ABCD", shown, strict=True)
    ]
    evidence = [
        {"table": "segments", "key": "T|wash cup", "role": "query"},
        {"table": "segments", "key": "T|fill jar", "role": "answer"},
        {"table": "recordings", "key": "R|master", "role": "reference"},
        *(
            {"table": "segments", "key": o["value"], "role": f"option_{o['letter']}"}
            for o in options
        ),
    ]
    row = question(
        "egoexobench",
        "action_prediction",
        options,
        media,
        recipe="action_prediction_lemma@1",
        text=TEXT,
        answer_text="fill jar",
        evidence=evidence,
        detailed_answer='The egocentric video shows "wash cup" and ends 1.0 s before the next'
        ' action, "fill jar" (option C). The exocentric video, R|master, shows another performance'
        ' of the task "make breakfast", in which the two actions also follow each other. The other'
        ' options are actions of the same person before or after: A "cut bread", B "get cup",'
        ' D "open door".',
    )
    lengths = {r["recording_id"]: r["duration_s"] for r in tables["recordings"]}
    return World(
        row,
        tables,
        frozenset({EXPLAINED, WORDS}),
        frame_times={uid: seconds(n) for uid, n in lengths.items()},
        seen_s=(11.95, 14.05),
    )


WORLDS = {"action_prediction_lemma": by_the_sequence}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "action_prediction_lemma"


def done(w: World, key: str) -> Row:
    return w.row("segments", segment_id=key)


def name(w: World, key: str, text: str) -> None:
    done(w, key).update(class_name=text, narration=text)


@fault(HERE, "consistent", "not_done")
def the_next_action_is_only_attempted(w: World) -> None:
    narrate(w, w.answer["value"], status="attempted")


@fault(HERE, "consistent", "not_done")
def a_distractor_is_about_to_be_done(w: World) -> None:
    narrate(w, w.others[0]["value"], status="about_to")


@fault(HERE, "margin", "before_next")
def query_ends_when_the_next_action_begins(w: World) -> None:
    w.query["end_s"] = 15.8
    w.query["start_s"] = 8.0


@fault(HERE, "leak", "shows_next_action")
def query_shows_the_next_action(w: World) -> None:
    w.query.update(start_s=10.0, end_s=17.0)


@fault(HERE, "leak", "reference_of_the_take")
def reference_films_the_same_take(w: World) -> None:
    w.medium("reference").update(recording_id="T|master", content="hash-T|master")


@fault(HERE, "leak", "shows_next_action")
def synchronous_reference_runs_past_the_end(w: World) -> None:
    reference = w.medium("reference")
    reference.update(recording_id="T|master", content="hash-T|master", start_s=8.0, end_s=40.0)


@fault(HERE, "consistent", "done_again")
def current_action_is_done_twice(w: World) -> None:
    name(w, "T|close lid", "wash cup")


@fault(HERE, "consistent", "shifted_time")
def query_before_the_current_action(w: World) -> None:
    w.query.update(start_s=4.0, end_s=12.2)


@fault(HERE, "consistent", "clip_length")
def query_of_twelve_seconds(w: World) -> None:
    w.query["start_s"] = 3.0


@fault(HERE, "consistent", "swapped_view")
def query_by_the_room(w: World) -> None:
    w.row("recordings", recording_id="T|fpv1")["view"] = "exo"


@fault(HERE, "consistent", "swapped_view")
def reference_by_a_wearer(w: World) -> None:
    w.medium("reference").update(recording_id="R|fpv1", content="hash-R|fpv1", end_s=60.0)


@fault(HERE, "consistent", "another_task")
def reference_of_another_task(w: World) -> None:
    w.row("recordings", recording_id="R|master")["scenario"] = "make lunch"


@fault(HERE, "consistent", "another_task")
def reference_of_two_tasks(w: World) -> None:
    for row in w.tables["recordings"]:
        row["scenario"] = "make breakfast, wash dishes"


@fault(HERE, "consistent", "reference_too_short")
def reference_no_longer_than_the_query(w: World) -> None:
    w.medium("reference").update(start_s=14.0, end_s=21.0)


@fault(HERE, "consistent", "reference_without_the_step")
def something_else_follows_in_the_reference(w: World) -> None:
    name(w, "R|fill jar", "wipe table")
    w.tables["relations"] = [r for r in w.tables["relations"] if r["segment_id"] != "R|fill jar"]


@fault(HERE, "consistent", "reference_without_the_step")
def reference_ends_before_the_step(w: World) -> None:
    w.medium("reference")["end_s"] = 18.0


@fault(HERE, "consistent", "no_reference")
def no_demonstration(w: World) -> None:
    w.question["media"].pop()


@fault(HERE, "answer", "wrong_key")
def another_action_comes_between(w: World) -> None:
    w.tables["segments"].append(segment("T|x", "T|fpv1", 14.5, 15.5) | {"class_name": "sit"})


@fault(HERE, "distractors", "second_right")
def distractor_in_other_words(w: World) -> None:
    """`cut bread` becomes filling the jar once more."""
    for row in w.tables["relations"]:
        if row["segment_id"] == "T|cut bread":
            row["object"] = "fill" if row["relation"] == "verb" else "jar"


@fault(HERE, "distractors", "still_going_on")
def distractor_is_the_current_action(w: World) -> None:
    for row in w.tables["relations"]:
        if row["segment_id"] == "T|get cup" and row["relation"] == "verb":
            row["object"] = "wash"


@fault(HERE, "distractors", "not_around")
def distractor_of_another_take(w: World) -> None:
    w.others[0].update(text="eat apple", value="U|eat apple")


@fault(HERE, "distractors", "less_plausible")
def a_likelier_action_left_out(w: World) -> None:
    """Elsewhere a lid is closed after washing."""
    name(w, "U|fill jar", "close pot")
    for row in w.tables["relations"]:
        if row["segment_id"] == "U|fill jar" and row["relation"] == "verb":
            row["object"] = "close"


@fault(HERE, "consistent", "value_differs_from_text")
def option_reads_otherwise_than_its_action(w: World) -> None:
    w.others[0]["text"] = "paint the wall"


@fault(HERE, "explanation", "contradicted")
def explanation_names_another_next_action(w: World) -> None:
    explain(w, '"fill jar" (option', '"cut bread" (option')


@fault(HERE, "explanation", "contradicted")
def explanation_names_another_option(w: World) -> None:
    explain(w, "(option C)", "(option B)")


@fault(HERE, "explanation", "contradicted")
def explanation_of_another_reference(w: World) -> None:
    explain(w, "R|master", "U|master")
