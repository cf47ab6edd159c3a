"""EgoExoBench's action prediction, answered by the sequence of actions (LEMMA) or steps (EgoMe)."""

from __future__ import annotations

from assets.pairs.sentences import sentence_key
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


def vectors(tables: dict[str, list[Row]]) -> None:
    """A vector for each sentence; different sentences share nothing."""
    sentences = dict.fromkeys(row["narration"] for row in tables["segments"])
    of = {words: [float(i == n) for i in range(32)] for n, words in enumerate(sentences)}
    tables["sentence_vectors"] = [
        {"source": "s", "recording_id": uid, "sentence": sentence_key(words), "model": "by hand"}
        | {"vector": of[words]}
        for uid, words in dict.fromkeys(
            (row["recording_id"], row["narration"]) for row in tables["segments"]
        )
    ]


def by_the_imitation() -> World:
    """Who imitates demonstration A does the steps; B is another imitation, C one in another scene."""
    tables: dict[str, list[Row]] = {
        n: [] for n in ("recordings", "segments", "take_links", "clocks", "relations", "labels")
    }
    for name in "ABC":
        ego, exo = f"{name}_ego", f"{name}_exo"
        for uid, view, length in ((ego, "ego", 60.0), (exo, "exo", 64.0)):
            scene = "garage" if name == "C" else "kitchen"
            tables["recordings"].append(recording(uid, view, length, scene=scene))
        link = {"source": "s", "take_id": ego, "link": "imitates", "other_take_id": exo}
        tables["take_links"].append(link | {"faithful": True})
        for i, words in enumerate(DONE):
            start = 4.0 + 4.0 * i
            row = {"source": "s", "segment_id": f"{ego}/{i}", "recording_id": ego, "kind": "fine"}
            more = {"start_s": start, "end_s": start + 2.0, "narration": words.capitalize()}
            tables["segments"].append(row | more | {"step_order": i + 1})
    vectors(tables)
    media = [
        medium("query", "A_ego", 7.0, 15.0, segment_id="A_ego/2"),
        medium("reference", "A_exo", 0.0, 64.0),
    ]
    shown = {"A": 4, "B": 1, "C": 3, "D": 0}
    options = [
        option(letter, DONE[i].capitalize(), i == 3, value=f"A_ego/{i}")
        for letter, i in shown.items()
    ]
    evidence = [
        {"table": "segments", "key": "A_ego/2", "role": "query"},
        {"table": "segments", "key": "A_ego/3", "role": "answer"},
        {"table": "recordings", "key": "A_exo", "role": "reference"},
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
        recipe="action_prediction_egome@1",
        text=TEXT,
        answer_text="Fill jar",
        evidence=evidence,
        detailed_answer='The egocentric video shows "Wash cup" and ends 1.0 s before the next step,'
        ' "Fill jar" (option C). The exocentric video, A_exo, is the demonstration that the wearer'
        ' imitates. The other options are steps from the same scene: A "Cut bread", B "Get cup",'
        ' D "Open door".',
    )
    lengths = {r["recording_id"]: r["duration_s"] for r in tables["recordings"]}
    return World(
        row,
        tables,
        frozenset({EXPLAINED, WORDS}),
        frame_times={uid: seconds(n) for uid, n in lengths.items()},
        seen_s=(11.95, 14.05),
    )


WORLDS = {
    "action_prediction_egome": by_the_imitation,
    "action_prediction_lemma": by_the_sequence,
}
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


# -- EgoMe ----------------------------------------------------------------------------------------

IMITATED = "action_prediction_egome"


def say(w: World, key: str, words: str) -> None:
    """Narrate a step in other words, which have a vector."""
    w.row("segments", segment_id=key)["narration"] = words
    vectors(w.tables)


def make_alike(w: World, one: str, other: str) -> None:
    """Give two sentences one vector."""
    keys = [sentence_key(words) for words in (one, other)]
    vector = w.row("sentence_vectors", sentence=keys[0])["vector"]
    for row in w.tables["sentence_vectors"]:
        if row["sentence"] == keys[1]:
            row["vector"] = vector


@fault(IMITATED, "consistent", "not_done")
def the_next_step_is_not_done(w: World) -> None:
    narrate(w, w.answer["value"], status="negated")


@fault(IMITATED, "consistent", "not_done")
def the_current_step_is_only_attempted(w: World) -> None:
    narrate(w, w.query["segment_id"], status="attempted")


@fault(IMITATED, "consistent", "not_done")
def a_distractor_is_done_by_somebody_else(w: World) -> None:
    narrate(w, w.others[0]["value"], actor_id="man")


@fault(IMITATED, "margin", "before_next")
def query_ends_when_the_next_step_begins(w: World) -> None:
    w.query.update(start_s=8.0, end_s=15.8)


@fault(IMITATED, "leak", "shows_next_action")
def query_shows_the_next_step(w: World) -> None:
    w.query.update(start_s=10.0, end_s=17.0)


@fault(IMITATED, "consistent", "done_again")
def current_step_is_done_twice(w: World) -> None:
    say(w, "A_ego/6", "Wash the cup!")
    say(w, "A_ego/2", "Wash the cup")


@fault(IMITATED, "consistent", "shifted_time")
def query_before_the_current_step(w: World) -> None:
    w.query.update(start_s=4.0, end_s=12.2)


@fault(IMITATED, "consistent", "clip_length")
def query_of_twelve_seconds_before_a_step(w: World) -> None:
    w.query["start_s"] = 3.0


@fault(IMITATED, "consistent", "swapped_view")
def query_of_a_demonstration(w: World) -> None:
    w.row("recordings", recording_id="A_ego")["view"] = "exo"


@fault(IMITATED, "consistent", "swapped_view")
def reference_worn_by_somebody(w: World) -> None:
    w.row("recordings", recording_id="A_exo")["view"] = "ego"


@fault(IMITATED, "consistent", "not_imitated")
def reference_is_another_demonstration(w: World) -> None:
    w.medium("reference").update(recording_id="B_exo", content="hash-B_exo")


@fault(IMITATED, "consistent", "not_imitated")
def imitation_is_wrong_on_purpose(w: World) -> None:
    w.row("take_links", take_id="A_ego")["faithful"] = False


@fault(IMITATED, "consistent", "not_imitated")
def demonstration_is_of_the_same_script_only(w: World) -> None:
    w.row("take_links", take_id="A_ego")["link"] = "re_enacts"


@fault(IMITATED, "consistent", "reference_too_short")
def demonstration_no_longer_than_the_query(w: World) -> None:
    w.medium("reference").update(start_s=14.0, end_s=21.0)


@fault(IMITATED, "consistent", "reference_cut")
def demonstration_without_its_end(w: World) -> None:
    w.medium("reference")["end_s"] = 50.0


@fault(IMITATED, "consistent", "no_reference")
def nothing_is_imitated(w: World) -> None:
    w.question["media"].pop()


@fault(IMITATED, "answer", "wrong_key")
def another_step_comes_between(w: World) -> None:
    row = w.row("segments", segment_id="A_ego/3")
    more = {"segment_id": "A_ego/x", "start_s": 14.5, "end_s": 15.5, "narration": "Sit down"}
    w.tables["segments"].append(row | more)
    vectors(w.tables)


@fault(IMITATED, "distractors", "second_right")
def distractor_means_the_next_step(w: World) -> None:
    make_alike(w, "Fill jar", "Cut bread")


@fault(IMITATED, "distractors", "second_right")
def distractor_says_the_next_step(w: World) -> None:
    say(w, "A_ego/4", "Fill: jar")
    w.others[0]["text"] = "Fill: jar"


@fault(IMITATED, "distractors", "still_going_on")
def distractor_means_the_current_step(w: World) -> None:
    make_alike(w, "Wash cup", "Get cup")


@fault(IMITATED, "distractors", "not_of_the_scene")
def distractor_of_another_scene(w: World) -> None:
    w.others[0].update(text="Eat apple", value="C_ego/5")


@fault(IMITATED, "distractors", "not_of_the_scene")
def distractor_that_is_no_step(w: World) -> None:
    w.row("segments", segment_id="A_ego/4")["kind"] = "coarse"


@fault(IMITATED, "distractors", "less_plausible")
def a_step_that_follows_more_often_left_out(w: World) -> None:
    """In the other imitation a lid is closed after washing."""
    say(w, "B_ego/3", "Close lid")


@fault(IMITATED, "consistent", "value_differs_from_text")
def option_reads_otherwise_than_its_step(w: World) -> None:
    w.others[0]["text"] = "Paint the wall"


@fault(IMITATED, "explanation", "contradicted")
def explanation_names_another_next_step(w: World) -> None:
    explain(w, '"Fill jar" (option', '"Cut bread" (option')


@fault(IMITATED, "explanation", "contradicted")
def explanation_names_another_demonstration(w: World) -> None:
    explain(w, "A_exo", "B_exo")
