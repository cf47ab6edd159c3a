"""EgoExoBench's task relation, answered by the task that recordings name."""

from __future__ import annotations

from tests.derivations.world import (
    EXPLAINED,
    Fault,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    recording,
    seconds,
)

TEXT = "Which candidate video most accurately reflects the activities observed in the query video?"
PLACES = {"ego": "k1", "tea": "k2", "soup": "k3", "salad": "k1", "cereal": "k4", "late": "k5"}


def by_task() -> World:
    """Clips of 24 s around the middles of recordings of 24 to 40 s."""
    lengths = {"ego": 30.0, "tea": 24.0, "soup": 40.0, "salad": 28.0, "cereal": 36.0, "late": 30.0}
    tasks = {"ego": "make tea", "tea": "make tea", "late": "make tea"}
    rows = [
        recording(
            uid,
            "ego" if uid == "ego" else "exo",
            lengths[uid],
            scenario=tasks.get(uid, f"make {uid}"),
            scene="kitchen",
            environment_id=PLACES[uid],
        )
        for uid in lengths
    ]

    def clip(role: str, uid: str) -> dict:
        start = lengths[uid] / 2 - 12.0
        return medium(role, uid, start, start + 24.0)

    shown = dict(zip("ABCD", ("soup", "salad", "tea", "cereal"), strict=True))
    media = [clip("query", "ego")]
    media += [clip(f"option_{letter}", uid) for letter, uid in shown.items()]
    options = [option(x, f"make {uid}", uid == "tea") for x, uid in shown.items()]
    evidence = [
        {"table": "recordings", "key": "ego", "role": "query"},
        {"table": "recordings", "key": "tea", "role": "environment_different"},
    ]
    evidence += [
        {"table": "recordings", "key": uid, "role": f"option_{x}"} for x, uid in shown.items()
    ]
    row = question(
        "egoexobench",
        "task_relation",
        options,
        media,
        text=TEXT,
        detailed_answer='The query video, ego, shows the task "make tea", and so does candidate'
        " video C, tea, which was filmed in another place from the other view. The other"
        ' candidates show other tasks: A "make soup", B "make salad", D "make cereal".',
        evidence=evidence,
    )
    return World(
        row,
        {"recordings": rows},
        frozenset({EXPLAINED}),
        frame_times={uid: seconds(n) for uid, n in lengths.items()},
        # The clip begins and ends outside the middle half of the recording.
        seen_s=(7.4, 22.6),
    )


WORLDS = {"task_relation": by_task}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "task_relation"


def of(w: World, uid: str) -> dict:
    return w.row("recordings", recording_id=uid)


@fault(HERE, "distractors", "second_right")
def distractor_shows_the_querys_task(w: World) -> None:
    of(w, "soup")["scenario"] = "Make Tea"


@fault(HERE, "answer", "wrong_key")
def answer_shows_another_task(w: World) -> None:
    of(w, "tea")["scenario"] = "make coffee"


@fault(HERE, "distractors", "task_twice")
def two_distractors_of_one_task(w: World) -> None:
    of(w, "soup")["scenario"] = w.options[0]["text"] = "make salad"


@fault(HERE, "consistent", "several_tasks")
def take_of_two_tasks(w: World) -> None:
    w.tables["recordings"].append({**of(w, "tea"), "recording_id": "b", "scenario": "wash dishes"})


@fault(HERE, "consistent", "several_tasks")
def query_of_two_tasks(w: World) -> None:
    more = {"recording_id": "b", "scenario": "make tea, wash dishes"}
    w.tables["recordings"].append({**of(w, "ego"), **more})


@fault(HERE, "consistent", "environment_same")
def answer_of_the_querys_place(w: World) -> None:
    of(w, "tea")["environment_id"] = "k1"


@fault(HERE, "consistent", "environment_same")
def answer_of_the_querys_take(w: World) -> None:
    of(w, "tea")["take_id"] = "ego"


@fault(HERE, "consistent", "environment_unknown")
def answer_of_an_unknown_place(w: World) -> None:
    of(w, "tea")["environment_id"] = None


@fault(HERE, "consistent", "evidence_role")
def evidence_states_another_place(w: World) -> None:
    w.question["evidence"][1]["role"] = "environment_same"


@fault(HERE, "consistent", "evidence_left_out")
def evidence_is_silent_about_the_place(w: World) -> None:
    del w.question["evidence"][1]


@fault(HERE, "consistent", "another_kind_of_place")
def distractor_of_a_living_room(w: World) -> None:
    of(w, "salad")["scene"] = "living room"


@fault(HERE, "consistent", "swapped_view")
def answer_filmed_by_a_wearer(w: World) -> None:
    of(w, "tea")["view"] = "ego"


@fault(HERE, "consistent", "swapped_view")
def distractor_filmed_by_a_wearer(w: World) -> None:
    of(w, "soup")["view"] = "ego"


@fault(HERE, "consistent", "across_splits")
def answer_of_another_split(w: World) -> None:
    of(w, "tea")["split"] = "test"


@fault(HERE, "leak", "clip_lengths_differ")
def right_clip_alone_is_longer(w: World) -> None:
    for one in w.others:
        w.shown(one)["start_s"] += 1.0
        w.shown(one)["end_s"] -= 1.0


@fault(HERE, "consistent", "shifted_time")
def only_the_beginning_of_a_performance(w: World) -> None:
    shown = w.shown(w.others[0])
    shown.update(start_s=0.0, end_s=24.0)


@fault(HERE, "consistent", "clip_length")
def clips_of_nine_seconds(w: World) -> None:
    for shown in w.question["media"]:
        shown["start_s"] += 7.5
        shown["end_s"] -= 7.5


@fault(HERE, "margin", "share_shown")
def less_than_half_of_a_performance(w: World) -> None:
    for shown in w.question["media"]:
        shown["start_s"] += 3.0
        shown["end_s"] -= 3.0


@fault(HERE, "consistent", "option_text")
def distractor_named_otherwise(w: World) -> None:
    w.others[0]["text"] = "paint the wall"


@fault(HERE, "leak", "answer_stands_out")
def right_recording_sampled_more_densely(w: World) -> None:
    w.shown(w.answer)["sampling"] = "midpoints(16)"


@fault(HERE, "well_formed", "medium_twice")
def two_options_show_one_recording(w: World) -> None:
    a, b = (w.shown(o) for o in w.others[:2])
    b.update({key: a[key] for key in ("recording_id", "start_s", "end_s", "content")})


@fault(HERE, "explanation", "contradicted")
def explanation_names_another_task(w: World) -> None:
    explain(w, 'task "make tea"', 'task "make soup"')


@fault(HERE, "explanation", "contradicted")
def explanation_names_the_querys_place(w: World) -> None:
    explain(w, "another place", "the same place")


@fault(HERE, "explanation", "contradicted")
def explanation_names_a_distractors_letter(w: World) -> None:
    explain(w, "candidate video C", "candidate video B")


@fault(HERE, "well_formed", "option_count")
def three_options(w: World) -> None:
    gone = w.options.pop()
    w.question["media"].remove(w.medium(f"option_{gone['letter']}"))
    w.question["chance"] = 1 / 3
