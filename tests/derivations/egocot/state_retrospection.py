"""EgoCoT's states at an earlier time of a clip: a cup was in a hand, and a jar was open and still is."""

from __future__ import annotations

from tests.derivations.two_states import NODES, held_and_open_at, lid, move, tables_of
from tests.derivations.world import Fault, World, collect, explain, reword

EDGES = ("C1/jar/has_state/open", "C1/cup/has_state/no longer held")


def was_held_and_open() -> World:
    """A jar is opened and a cup taken. At 9 s both are so; the cup is put down before the clip ends at 11.8 s."""
    return held_and_open_at(
        "state_retrospection",
        tables_of(6.0, 10.0, 14.0),
        "Look back to the moment 7.2 s into the clip. What state are the cup and the jar in?",
        7.2,
        rows=[("graph_edges", edge, f"state_at_end_{n}") for n, edge in enumerate(EDGES, 1)],
        steps=[
            (
                "When the clip ends, at 10.0 s, the cup is no longer held and the jar is open.",
                [f"graph_edges:{edge}" for edge in EDGES],
            ),
            (
                "So at 7.2 s the cup is held and the jar is open.",
                [f"graph_nodes:C1/object/{name}" for name in NODES],
            ),
        ],
    )


WORLDS = {"was_held_and_open": was_held_and_open}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
WORLD = "was_held_and_open"


@fault(WORLD, "answer", "wrong_key")
def cup_was_put_down_before_that_time(w: World) -> None:
    move(w, "put", 7.2, 8.2)


@fault(WORLD, "answer", "wrong_key")
def jar_was_closed_before_that_time(w: World) -> None:
    lid(w, "open", end_s=8.0)
    lid(w, "closed", start_s=8.0)


@fault(WORLD, "consistent", "state_not_known")
def annotator_contradicts_himself_then(w: World) -> None:
    lid(w, "closed", start_s=8.5)


@fault(WORLD, "consistent", "state_not_known")
def nothing_tells_the_state_at_the_end(w: World) -> None:
    lid(w, "open", end_s=11.0)


@fault(WORLD, "consistent", "not_in_clip")
def cup_is_taken_after_that_time(w: World) -> None:
    move(w, "take", 9.2, 9.8)


@fault(WORLD, "consistent", "not_in_clip")
def jar_was_opened_before_the_clip_began(w: World) -> None:
    move(w, "open", 0.2, 1.2)


@fault(WORLD, "consistent", "action_cut")
def clip_begins_while_the_jar_opens(w: World) -> None:
    w.query["start_s"] = 3.4
    reword(w, "7.2", "5.6")


@fault(WORLD, "consistent", "clip_length")
def clip_of_six_seconds(w: World) -> None:
    w.query["start_s"] = 5.8


@fault(WORLD, "consistent", "time_outside_clip")
def time_after_the_end(w: World) -> None:
    reword(w, "7.2", "10.7")


@fault(WORLD, "margin", "earlier")
def last_second_of_the_clip(w: World) -> None:
    reword(w, "7.2", "9.2")


@fault(WORLD, "margin", "settled")
def state_begins_a_second_late(w: World) -> None:
    lid(w, "open", start_s=8.7)
    lid(w, "closed", start_s=0.0, end_s=8.7)


@fault(WORLD, "margin", "settled")
def cup_is_being_put_down(w: World) -> None:
    move(w, "put", 9.2, 10.2)


@fault(WORLD, "margin", "settled")
def jar_is_being_closed_at_the_end(w: World) -> None:
    move(w, "close", 11.5, 12.5)


@fault(WORLD, "consistent", "text")
def text_asks_about_now(w: World) -> None:
    reword(w, "Look back to the moment 7.2 s into the clip", "At 7.2 s of the clip")


@fault(WORLD, "consistent", "text")
def text_asks_about_another_thing(w: World) -> None:
    reword(w, "the jar", "the box")


@fault(WORLD, "consistent", "evidence_role")
def evidence_after_the_observed_end(w: World) -> None:
    w.question["evidence"][0]["key"] = "C1/close/acts_on/jar"


@fault(WORLD, "consistent", "evidence_role")
def state_at_the_end_is_that_from_before(w: World) -> None:
    w.question["evidence"][11]["key"] = "C1/cup/has_state/held"


@fault(WORLD, "consistent", "evidence_left_out")
def evidence_leaves_the_end_out(w: World) -> None:
    del w.question["evidence"][11]


@fault(WORLD, "explanation", "contradicted")
def rationale_keeps_the_cup_in_the_hand(w: World) -> None:
    explain(w, "at 10.0 s, the cup is no longer held", "at 10.0 s, the cup is held")


@fault(WORLD, "explanation", "contradicted")
def rationale_has_a_later_end(w: World) -> None:
    explain(w, "When the clip ends, at 10.0 s", "When the clip ends, at 11.0 s")


@fault(WORLD, "explanation", "contradicted")
def rationale_takes_the_cup_a_second_later(w: World) -> None:
    explain(w, "From 4.2 s to 5.2 s", "From 5.2 s to 6.2 s")


@fault(WORLD, "explanation", "contradicted")
def rationale_looks_back_on_another_state(w: World) -> None:
    explain(w, "So at 7.2 s the cup is held", "So at 7.2 s the cup is no longer held")


@fault(WORLD, "seen_by_sampling", "not_seen")
def frames_miss_what_was_done(w: World) -> None:
    w.query["sampling"] = "every(7)"
