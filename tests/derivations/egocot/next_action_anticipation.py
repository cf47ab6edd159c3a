"""EgoCoT's next action: a cup was taken and is poured a second after the clip."""

from __future__ import annotations

from tests.derivations.scene import Act, does, evidence, rationale, scene_tables
from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    reword,
    seconds,
)

ACTIONS = (("close", "jar"), ("pour", "cup"), ("open", "jar"), ("wipe", "pot"))
PATH = (("take", "cup", "right hand"), ("stir", "pot", "left hand"), ("pour", "cup", "right hand"))


def cup_is_poured() -> World:
    """A jar is opened, a cup taken and a pot stirred; the clip ends at 10.5 s, and from 11.5 s the cup is poured."""
    acts = [
        Act("open", "jar", 2.0, 3.0),
        Act("take", "cup", 5.0, 6.0, "right hand"),
        Act("stir", "pot", 7.0, 8.0),
        Act("pour", "cup", 11.5, 13.0, "right hand"),
        Act("close", "jar", 16.5, 17.5),
        Act("wipe", "pot", 18.0, 19.0),
    ]
    options = [
        option(letter, f"{verb} the {thing}", letter == "B", value=f"{verb}|C1/object/{thing}")
        for letter, (verb, thing) in zip("ABCD", ACTIONS, strict=True)
    ]
    links = [
        [
            f"graph_edges:C1/{verb}/acts_on/{thing}",
            f"graph_edges:C1/{verb}/does/{verb}",
            f"graph_edges:C1/{verb}/with/{hand}",
        ]
        for verb, thing, hand in PATH
    ]
    shown = [
        f"From {start:.1f} s to {start + 1:.1f} s of the clip, the camera wearer"
        f" {does(verb)} the {thing} with the {hand}."
        for start, (verb, thing, hand) in zip((4.5, 6.5), PATH, strict=False)
    ]
    row = question(
        "egocot",
        "next_action_anticipation",
        options,
        [medium("query", "C1", 0.5, 10.5, sampling="endpoints(16)")],
        text="Which action does the camera wearer begin next, within 5 s after the clip ends?",
        answer_text="pour the cup",
        evidence=evidence(
            *(
                part
                for n, (verb, thing, hand) in enumerate(PATH, 1)
                for part in (
                    ("graph_edges", f"C1/{verb}/acts_on/{thing}", f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{n}"),
                    ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{n}"),
                )
            ),
            *(
                ("graph_nodes", f"C1/object/{thing}", f"option_{letter}")
                for letter, (_, thing) in zip("ABCD", ACTIONS, strict=True)
            ),
        ),
        rationale=rationale(
            *zip(shown, links, strict=False),
            (
                "The next action begins 1.0 s after the clip ends: the camera wearer pours the cup with the"
                " right hand.",
                links[2],
            ),
            (
                "No other option begins within 5 s after the clip ends, so the answer is: pour the cup.",
                [f"graph_nodes:C1/object/{thing}" for thing in ("jar", "cup", "pot")],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        scene_tables(acts),
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(4.5, 6.5),
    )


def cup_is_poured_into_something() -> World:
    """The same where annotators write a verb with its preposition."""
    world = cup_is_poured()
    world.groups = frozenset()
    rename(world, "pour", "pour-into")
    row, moved = world.question, "pour the cup into something"
    world.answer.update(text=moved, value="pour into|C1/object/cup")
    row["answer_text"] = moved
    for step in row["rationale"]:
        step["text"] = (
            step["text"]
            .replace("pours the cup", "pours the cup into something")
            .replace("pour the cup", moved)
        )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    world.rehash()
    return world


WORLDS = {"cup_is_poured": cup_is_poured, "cup_is_poured_into": cup_is_poured_into_something}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
WORLD = "cup_is_poured"


def move(w: World, verb: str, start_s: float, end_s: float) -> None:
    w.row("segments", segment_id=f"C1/{verb}").update(start_s=start_s, end_s=end_s)


def rename(w: World, verb: str, name: str) -> None:
    """Call what is done otherwise, in every row of its action."""
    w.row("relations", relation_id=f"C1/{verb}/verb")["object"] = name
    for row in w.tables["relations"]:
        if row["segment_id"] == f"C1/{verb}" and row["subject"] == verb:
            row["subject"] = name


@fault("cup_is_poured_into", "consistent", "value_differs_from_text")
def option_names_another_preposition(w: World) -> None:
    w.answer["text"] = w.question["answer_text"] = "pour the cup onto something"


@fault(WORLD, "answer", "wrong_key")
def something_else_is_done_first(w: World) -> None:
    move(w, "wipe", 11.5, 12.5)
    move(w, "pour", 14.0, 15.0)


@fault(WORLD, "answer", "wrong_key")
def another_action_on_the_cup(w: World) -> None:
    rename(w, "pour", "wash")


@fault(WORLD, "answer", "wrong_key")
def identity_of_the_next_cup_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/pour/cup")["object"] = "bowl"


@fault(WORLD, "answer", "wrong_key")
def somebody_else_pours(w: World) -> None:
    w.row("relations", relation_id="C1/pour/verb")["subject"] = "P2"


@fault(WORLD, "leak", "shows_next_action")
def clip_shows_the_next_action(w: World) -> None:
    w.query["end_s"] = 12.0
    move(w, "pour", 11.4, 13.0)
    w.query["start_s"] = 2.0


@fault(WORLD, "margin", "before_next")
def clip_ends_half_a_second_before(w: World) -> None:
    move(w, "pour", 11.0, 12.5)


@fault(WORLD, "consistent", "next_is_far")
def next_action_is_six_seconds_away(w: World) -> None:
    move(w, "pour", 16.0, 16.4)


@fault(WORLD, "margin", "next_alone")
def two_actions_begin_together(w: World) -> None:
    move(w, "close", 11.8, 12.8)


@fault(WORLD, "margin", "begins_later")
def another_option_is_done_within_the_horizon(w: World) -> None:
    move(w, "close", 14.0, 15.0)


@fault(WORLD, "distractors", "just_done")
def another_option_is_going_on_at_the_end(w: World) -> None:
    move(w, "open", 8.0, 10.0)


@fault(WORLD, "consistent", "just_done")
def the_same_action_ended_the_clip(w: World) -> None:
    rename(w, "stir", "pour")
    w.row("relations", relation_id="C1/stir/pot")["object"] = "cup"
    move(w, "stir", 8.5, 10.0)


@fault(WORLD, "distractors", "second_right")
def another_word_for_what_is_done_next(w: World) -> None:
    w.others[2].update(text="put the pot", value="put|C1/object/pot")
    rename(w, "pour", "place")
    w.row("relations", relation_id="C1/pour/cup")["object"] = "pot"


@fault(WORLD, "consistent", "clip_length")
def clip_of_five_seconds(w: World) -> None:
    w.query["start_s"] = 5.5


@fault(WORLD, "consistent", "nothing_done_next")
def nothing_is_done_after_the_clip(w: World) -> None:
    for row in w.tables["segments"]:
        if row["start_s"] > 10.5:
            row["kind"] = "narration"


@fault(WORLD, "consistent", "text")
def text_asks_within_another_time(w: World) -> None:
    reword(w, "within 5 s", "within 3 s")


@fault(WORLD, "consistent", "text")
def text_asks_what_is_done_now(w: World) -> None:
    reword(w, "begin next, within 5 s after the clip ends", "do when the clip ends")


@fault(WORLD, "consistent", "value_differs_from_text")
def option_means_another_verb(w: World) -> None:
    w.others[0]["value"] = "lift|C1/object/jar"


@fault(WORLD, "consistent", "value_differs_from_text")
def option_means_another_thing(w: World) -> None:
    w.others[0]["value"] = "close|C1/object/pot"


@fault(WORLD, "well_formed", "value_missing")
def option_means_a_thing_that_is_nowhere(w: World) -> None:
    w.others[0]["value"] = "close|C1/object/ghost"


@fault(WORLD, "consistent", "evidence_role")
def evidence_is_of_a_later_action(w: World) -> None:
    w.question["evidence"][8]["key"] = "C1/close/acts_on/jar"


@fault(WORLD, "consistent", "evidence_role")
def evidence_is_of_the_other_hand(w: World) -> None:
    w.question["evidence"][11]["key"] = "C1/stir/with/left hand"


@fault(WORLD, "consistent", "evidence_left_out")
def evidence_leaves_out_what_was_done_before(w: World) -> None:
    del w.question["evidence"][0]


@fault(WORLD, "explanation", "contradicted")
def rationale_begins_it_later(w: World) -> None:
    explain(w, "begins 1.0 s after", "begins 2.0 s after")


@fault(WORLD, "explanation", "contradicted")
def rationale_pours_with_the_left_hand(w: World) -> None:
    explain(w, "cup with the right hand. No", "cup with the left hand. No")


@fault(WORLD, "explanation", "contradicted")
def rationale_takes_the_cup_later(w: World) -> None:
    explain(w, "From 4.5 s to 5.5 s", "From 5.5 s to 6.5 s")


@fault(WORLD, "explanation", "contradicted")
def rationale_concludes_with_another_option(w: World) -> None:
    explain(w, "the answer is: pour the cup", "the answer is: open the jar")


@fault(WORLD, "explanation", "left_out")
def rationale_leaves_the_pot_out(w: World) -> None:
    second = w.question["rationale"].pop(1)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(second["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n


@fault(WORLD, "seen_by_sampling", "not_seen")
def frames_miss_what_was_done_before(w: World) -> None:
    w.query["sampling"] = "every(7)"
