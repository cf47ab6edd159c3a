"""A cup in a hand and a jar that was opened before: small worlds about states of two things, and their faults."""

from __future__ import annotations

from collections.abc import Sequence

from tests.derivations.scene import (
    Act,
    add_state,
    annotate_state,
    does,
    evidence,
    rationale,
    scene_tables,
)
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
    seconds,
)

# Questions about the states of the cup and the jar.
TWO_STATES = "states of a cup and a jar"
STATES = (
    ("no longer held", "open"),
    ("held", "open"),
    ("held", "closed"),
    ("no longer held", "closed"),
)
NODES = ("cup", "jar")
DONE = (("open", "jar", "left hand", "open"), ("take", "cup", "right hand", "held"))
Step = tuple[str, list[str]]
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def in_words(states: tuple[str, str]) -> str:
    return f"the cup is {states[0]} and the jar is {states[1]}"


def tables_of(takes_s: float, puts_s: float, closes_s: float) -> dict[str, list[Row]]:
    """A jar is opened at 3 s, which an annotator says; a cup is taken and put down; the jar is closed."""
    acts = [
        Act("open", "jar", 3.0, 4.0),
        Act("take", "cup", takes_s, takes_s + 1.0, "right hand"),
        Act("put", "cup", puts_s, puts_s + 1.0, "right hand"),
        Act("close", "jar", closes_s, closes_s + 1.0),
    ]
    tables = scene_tables(acts)
    annotate_state(tables, "jar", "lid", "open", (3.5, closes_s + 0.5))
    annotate_state(tables, "jar", "lid", "closed", (closes_s + 0.5, 20.0))
    add_state(tables, "cup", "held", (takes_s + 1.0, puts_s + 1.0))
    add_state(tables, "cup", "no longer held", (puts_s + 1.0, 20.0))
    return tables


def held_and_open_at(
    subtask: str,
    tables: dict[str, list[Row]],
    text: str,
    at_s: float,
    *,
    rows: Sequence[tuple[str, str, str]] = (),
    steps: Sequence[Step],
) -> World:
    """A question about a clip from 1.8 s to 11.8 s; the cup is held and the jar is open.

    Args:
        subtask: The subtask.
        tables: Its tables.
        text: The question.
        at_s: Seconds of the clip.
        rows: More evidence: table, key and role.
        steps: The last steps of the rationale.
    """
    options = [
        option(
            letter,
            in_words(states),
            letter == "B",
            value=" & ".join(f"C1/object/{n}={s}" for n, s in zip(NODES, states, strict=True)),
        )
        for letter, states in zip("ABCD", STATES, strict=True)
    ]
    row = question(
        "egocot",
        subtask,
        options,
        [medium("query", "C1", 1.8, 11.8, sampling="endpoints(16)")],
        text=text,
        answer_text=in_words(STATES[1]),
        evidence=evidence(
            *(
                part
                for n, (verb, thing, hand, state) in enumerate(DONE, 1)
                for part in (
                    ("graph_edges", f"C1/{verb}/acts_on/{thing}", f"contact_{n}"),
                    ("segments", f"C1/{verb}", f"contact_{n}"),
                    ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{n}"),
                    ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{n}"),
                    ("graph_edges", f"C1/{thing}/has_state/{state}", f"state_{n}"),
                )
            ),
            *rows,
            *(
                ("graph_nodes", f"C1/object/{name}", f"option_{letter}")
                for letter in "ABCD"
                for name in NODES
            ),
        ),
        rationale=rationale(
            *(
                step
                for verb, thing, hand, state in DONE
                for step in _done(tables, verb, thing, hand, state, at_s)
            ),
            *steps,
        ),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED, STEPS, TWO_STATES}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=(2.5, 4.5),
    )


def _done(
    tables: dict[str, list[Row]], verb: str, thing: str, hand: str, state: str, at_s: float
) -> list[Step]:
    segment = next(row for row in tables["segments"] if row["segment_id"] == f"C1/{verb}")
    start, end = segment["start_s"] - 1.8, segment["end_s"] - 1.8
    return [
        (
            f"From {start:.1f} s to {end:.1f} s of the clip, the camera wearer"
            f" {does(verb)} the {thing} with the {hand}.",
            [
                f"graph_edges:C1/{verb}/acts_on/{thing}",
                f"graph_edges:C1/{verb}/does/{verb}",
                f"graph_edges:C1/{verb}/with/{hand}",
            ],
        ),
        (
            f"From {end:.1f} s to {at_s:.1f} s of the clip, the {thing} is {state}.",
            [f"graph_edges:C1/{thing}/has_state/{state}"],
        ),
    ]


def move(w: World, verb: str, start_s: float, end_s: float) -> None:
    w.row("segments", segment_id=f"C1/{verb}").update(start_s=start_s, end_s=end_s)


def lid(w: World, state: str, **values: object) -> None:
    w.row("object_states", state_id=f"C1/jar/{state}").update(**values)


@fault(TWO_STATES, "answer", "wrong_key")
def annotator_says_closed(w: World) -> None:
    lid(w, "open", value="closed", end_s=20.0)


@fault(TWO_STATES, "answer", "wrong_key")
def another_word_for_closed(w: World) -> None:
    lid(w, "open", attribute="opened", value="no", end_s=20.0)


@fault(TWO_STATES, "answer", "wrong_key")
def verb_with_the_opposite_effect(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["object"] = "drop"
    w.row("relations", relation_id="C1/take/cup")["subject"] = "drop"


@fault(TWO_STATES, "consistent", "state_not_known")
def verb_that_changes_nothing(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["object"] = "touch"
    w.row("relations", relation_id="C1/take/cup")["subject"] = "touch"


@fault(TWO_STATES, "consistent", "not_put_down")
def cup_is_never_put_down(w: World) -> None:
    w.row("relations", relation_id="C1/put/verb")["object"] = "wash"
    w.row("relations", relation_id="C1/put/cup")["subject"] = "wash"


@fault(TWO_STATES, "consistent", "change_missing")
def cup_is_taken_twice(w: World) -> None:
    w.row("relations", relation_id="C1/put/verb")["object"] = "grab"
    w.row("relations", relation_id="C1/put/cup")["subject"] = "grab"


@fault(TWO_STATES, "consistent", "not_in_clip")
def identity_of_the_cup_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/take/cup")["object"] = "bowl"


@fault(TWO_STATES, "consistent", "not_in_clip")
def somebody_else_takes_the_cup(w: World) -> None:
    w.row("relations", relation_id="C1/take/verb")["subject"] = "P2"


@fault(TWO_STATES, "consistent", "name_of_several")
def two_cups(w: World) -> None:
    cup = w.row("graph_nodes", node_id="C1/object/cup")
    w.tables["graph_nodes"].append({**cup, "node_id": "C1/object/cup 2"})


@fault(TWO_STATES, "consistent", "evidence_role")
def evidence_is_a_later_state(w: World) -> None:
    w.question["evidence"][9]["key"] = "C1/cup/has_state/no longer held"


@fault(TWO_STATES, "consistent", "evidence_role")
def link_of_another_hand(w: World) -> None:
    w.question["evidence"][3]["key"] = "C1/take/with/right hand"


@fault(TWO_STATES, "consistent", "evidence_role")
def states_of_the_two_things_exchanged(w: World) -> None:
    rows = w.question["evidence"]
    rows[4]["key"], rows[9]["key"] = rows[9]["key"], rows[4]["key"]


@fault(TWO_STATES, "consistent", "value_differs_from_text")
def option_means_another_state(w: World) -> None:
    w.answer["value"] = "C1/object/cup=held & C1/object/jar=closed"


@fault(TWO_STATES, "consistent", "value_differs_from_text")
def option_names_another_thing(w: World) -> None:
    w.others[0]["text"] = w.others[0]["text"].replace("cup", "bowl")


@fault(TWO_STATES, "well_formed", "value_missing")
def option_means_a_thing_that_is_not(w: World) -> None:
    w.others[0]["value"] = w.others[0]["value"].replace("object/cup", "object/ghost")


@fault(TWO_STATES, "explanation", "contradicted")
def rationale_names_the_opposite_state(w: World) -> None:
    explain(w, "the jar is open. From", "the jar is closed. From")


@fault(TWO_STATES, "explanation", "contradicted")
def rationale_uses_another_hand(w: World) -> None:
    explain(w, "cup with the right hand", "cup with the left hand")


@fault(TWO_STATES, "explanation", "left_out")
def rationale_leaves_a_state_out(w: World) -> None:
    second = w.question["rationale"].pop(1)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(second["text"] + " ", "")
    for n, step in enumerate(w.question["rationale"], 1):
        step["step"] = n
