"""EgoCoT's causes: a jar that is open at the end of the clip, and four actions of which one opened it."""

from __future__ import annotations

from tests.derivations.scene import (
    Act,
    add_cause,
    annotate_state,
    does,
    evidence,
    rationale,
    scene_tables,
)
from tests.derivations.two_states import lid, move
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
    seconds,
)

ACTS = [
    Act("take", "jar", 2.2, 3.2),
    Act("open", "jar", 4.0, 5.0, "right hand"),
    Act("grab", "cup", 6.5, 7.5),
    Act("wash", "pan", 9.0, 10.0, "right hand"),
    Act("put", "cup", 14.0, 15.0),
]
# Options, in the order of their letters.
SHOWN = ("take", "open", "grab", "wash")
DONE = {act.verb: act for act in ACTS}
START_S = 1.8


def times(verb: str) -> str:
    act = DONE[verb]
    return f"from {act.start_s - START_S:.1f} s to {act.end_s - START_S:.1f} s"


def path(verb: str) -> list[str]:
    act = DONE[verb]
    parts = (f"acts_on/{act.thing}", f"does/{verb}", f"with/{act.hand}")
    return [f"C1/{verb}/{part}" for part in parts]


def opened_jar() -> World:
    """A jar is taken and opened, which an annotator says; then others are acted on. The clip ends at 11.8 s."""
    tables = scene_tables(ACTS)
    annotate_state(tables, "jar", "lid", "closed", (0.0, 4.5))
    annotate_state(tables, "jar", "lid", "open", (4.5, 20.0))
    add_cause(tables, "open", "jar", "open", (4.0, 4.5))
    ordered = ("open", "take", "grab", "wash")
    told = {
        verb: (
            f"{times(verb).capitalize()} of the clip, the camera wearer {does(verb)} the"
            f" {DONE[verb].thing} with the {DONE[verb].hand}.",
            [f"graph_edges:{key}" for key in path(verb)],
        )
        for verb in ordered
    }
    row = question(
        "egocot",
        "local_cause_outcome_inference",
        [
            option(letter, f"the action {times(verb)}", letter == "B", value=f"C1/action/{verb}")
            for letter, verb in zip("ABCD", SHOWN, strict=True)
        ],
        [medium("query", "C1", START_S, 11.8, sampling="endpoints(16)")],
        text=(
            "At 10.0 s, the last moment of the clip, the jar is open. Which action of the camera wearer"
            " caused this?"
        ),
        answer_text=f"the action {times('open')}",
        evidence=evidence(
            *(
                part
                for n, verb in enumerate(ordered, 1)
                for part in (
                    ("graph_edges", path(verb)[0], f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", path(verb)[1], f"action_{n}"),
                    ("graph_edges", path(verb)[2], f"hand_{n}"),
                )
            ),
            ("graph_edges", "C1/jar/has_state/open", "state_1"),
            ("graph_edges", "C1/open/causes/open", "cause"),
            *(
                ("graph_nodes", f"C1/action/{verb}", f"option_{letter}")
                for letter, verb in zip("ABCD", SHOWN, strict=True)
            ),
        ),
        rationale=rationale(
            told["open"],
            (
                "From 3.2 s to 10.0 s of the clip, the jar is open.",
                ["graph_edges:C1/jar/has_state/open"],
            ),
            *(told[verb] for verb in ordered[1:]),
            (
                f"So the jar is open because of the action {times('open')}.",
                ["graph_edges:C1/open/causes/open"],
            ),
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED, STEPS}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(3.5, 5.5),
    )


WORLDS = {"opened_jar": opened_jar}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def name_as_cause(w: World, verb: str) -> None:
    """Let the right option be another action, with everything that follows from it."""
    other = next(o for o in w.others if o["value"] == f"C1/action/{verb}")
    for name in ("text", "value"):
        w.answer[name], other[name] = other[name], w.answer[name]
    w.question["answer_text"] = w.answer["text"]


def rename(w: World, verb: str, new: str) -> None:
    w.row("relations", relation_id=f"C1/{verb}/verb")["object"] = new
    for row in w.tables["relations"]:
        if row["segment_id"] == f"C1/{verb}" and row["subject"] == verb:
            row["subject"] = new


@fault("opened_jar", "consistent", "merely_precedes")
def cause_that_merely_precedes(w: World) -> None:
    name_as_cause(w, "take")


@fault("opened_jar", "answer", "wrong_key")
def key_that_merely_precedes(w: World) -> None:
    name_as_cause(w, "take")


@fault("opened_jar", "consistent", "merely_follows")
def cause_that_merely_follows(w: World) -> None:
    name_as_cause(w, "wash")


@fault("opened_jar", "consistent", "no_cause")
def jar_opens_after_the_action(w: World) -> None:
    lid(w, "closed", end_s=6.0)
    lid(w, "open", start_s=6.0)


@fault("opened_jar", "consistent", "no_cause")
def jar_was_open_before_the_action(w: World) -> None:
    lid(w, "closed", end_s=3.8)
    lid(w, "open", start_s=3.8)


@fault("opened_jar", "consistent", "no_cause")
def jar_was_already_open(w: World) -> None:
    lid(w, "closed", value="open")


@fault("opened_jar", "consistent", "no_cause")
def what_is_lifted_is_not_opened_by_that(w: World) -> None:
    rename(w, "open", "pick_up")


@fault("opened_jar", "consistent", "no_cause")
def identity_of_the_jar_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/open/jar")["object"] = "box"


@fault("opened_jar", "consistent", "no_cause")
def somebody_else_opens_the_jar(w: World) -> None:
    w.row("relations", relation_id="C1/open/verb")["subject"] = "P2"


@fault("opened_jar", "consistent", "no_cause")
def jar_is_washed_afterwards(w: World) -> None:
    w.row("relations", relation_id="C1/wash/pan")["object"] = "jar"


@fault("opened_jar", "consistent", "no_cause")
def question_asks_for_the_opposite(w: World) -> None:
    w.question["text"] = w.question["text"].replace("jar is open", "jar is closed")


@fault("opened_jar", "consistent", "state_not_known")
def annotator_contradicts_himself_about_the_jar(w: World) -> None:
    lid(w, "closed", end_s=20.0)


@fault("opened_jar", "margin", "settled")
def jar_is_being_closed_at_the_end(w: World) -> None:
    w.row("relations", relation_id="C1/put/cup")["object"] = "jar"
    move(w, "put", 12.0, 13.0)


@fault("opened_jar", "consistent", "names_no_action")
def option_at_other_times(w: World) -> None:
    w.others[0]["text"] = "the action from 0.9 s to 1.9 s"


@fault("opened_jar", "consistent", "names_no_action")
def option_of_another_person(w: World) -> None:
    w.row("relations", relation_id="C1/grab/verb")["subject"] = "P2"


@fault("opened_jar", "consistent", "value_differs_from_text")
def option_means_another_action(w: World) -> None:
    w.others[0]["value"] = "C1/action/put"


@fault("opened_jar", "consistent", "done_to_several")
def action_on_two_things(w: World) -> None:
    row = w.row("relations", relation_id="C1/grab/cup")
    w.tables["relations"].append({**row, "relation_id": "C1/grab/plate", "object": "plate"})


@fault("opened_jar", "consistent", "action_cut")
def clip_begins_during_the_first_action(w: World) -> None:
    move(w, "take", 1.2, 3.2)
    w.options[0]["text"] = "the action from -0.6 s to 1.4 s"


@fault("opened_jar", "consistent", "name_of_several")
def two_jars(w: World) -> None:
    jar = w.row("graph_nodes", node_id="C1/object/jar")
    w.tables["graph_nodes"].append({**jar, "node_id": "C1/object/jar 2"})


@fault("opened_jar", "consistent", "evidence_role")
def cause_of_another_recording(w: World) -> None:
    next(e for e in w.question["evidence"] if e["role"] == "cause")["key"] = "C2/open/causes/open"


@fault("opened_jar", "consistent", "evidence_role")
def cause_that_is_no_link_to_the_state(w: World) -> None:
    next(e for e in w.question["evidence"] if e["role"] == "cause")["key"] = path("open")[0]


@fault("opened_jar", "consistent", "evidence_role")
def evidence_is_an_earlier_state(w: World) -> None:
    state = next(e for e in w.question["evidence"] if e["role"] == "state_1")
    state["key"] = "C1/jar/has_state/closed"


@fault("opened_jar", "consistent", "evidence_role")
def evidence_of_a_later_action(w: World) -> None:
    rows = (e for e in w.question["evidence"] if e["role"] == "contact_3")
    next(rows)["key"] = "C1/put/acts_on/cup"


@fault("opened_jar", "explanation", "contradicted")
def rationale_concludes_with_another_action(w: World) -> None:
    explain(w, f"because of the action {times('open')}", f"because of the action {times('take')}")


@fault("opened_jar", "explanation", "contradicted")
def rationale_opens_with_another_hand(w: World) -> None:
    explain(w, "jar with the right hand", "jar with the left hand")


@fault("opened_jar", "explanation", "contradicted")
def rationale_names_another_verb(w: World) -> None:
    explain(w, "wearer grabs", "wearer washes")


@fault("opened_jar", "explanation", "contradicted")
def rationale_says_it_was_closed(w: World) -> None:
    explain(w, "of the clip, the jar is open", "of the clip, the jar is closed")


@fault("opened_jar", "explanation", "left_out")
def rationale_leaves_the_cause_out(w: World) -> None:
    last = w.question["rationale"].pop()
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(" " + last["text"], "")


@fault("opened_jar", "seen_by_sampling", "not_seen")
def frames_four_seconds_apart(w: World) -> None:
    w.query["sampling"] = "every(4)"
