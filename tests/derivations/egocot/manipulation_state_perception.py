"""EgoCoT's states at the end of a clip: a cup in a hand, and a jar that was opened before."""

from __future__ import annotations

from tests.derivations.two_states import NODES, held_and_open_at, lid, move, tables_of
from tests.derivations.world import Fault, World, collect, explain


def held_and_open() -> World:
    """A jar is opened, which an annotator says; a cup is taken and later put down. The clip ends at 11.8 s."""
    return held_and_open_at(
        "manipulation_state_perception",
        tables_of(10.0, 14.0, 16.0),
        "At 10.0 s, the last moment of the clip, what state are the cup and the jar in?",
        10.0,
        steps=[
            (
                "So at 10.0 s the cup is held and the jar is open.",
                [f"graph_nodes:C1/object/{name}" for name in NODES],
            )
        ],
    )


WORLDS = {"held_and_open": held_and_open}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault("held_and_open", "answer", "wrong_key")
def cup_was_put_down_before_the_end(w: World) -> None:
    move(w, "take", 5.0, 6.0)
    move(w, "put", 9.0, 10.0)


@fault("held_and_open", "answer", "wrong_key")
def jar_was_closed_before_the_end(w: World) -> None:
    lid(w, "open", end_s=8.0)
    lid(w, "closed", start_s=8.0)


@fault("held_and_open", "consistent", "state_not_known")
def annotator_contradicts_himself(w: World) -> None:
    lid(w, "closed", start_s=9.0)


@fault("held_and_open", "margin", "settled")
def state_a_second_late(w: World) -> None:
    lid(w, "open", end_s=12.1)
    lid(w, "closed", start_s=12.1)


@fault("held_and_open", "margin", "settled")
def jar_is_being_closed(w: World) -> None:
    move(w, "close", 11.5, 12.5)


@fault("held_and_open", "margin", "settled")
def cup_is_a_target_at_the_end(w: World) -> None:
    w.row("relations", relation_id="C1/close/left hand").update(object="cup", role="target")
    move(w, "close", 11.9, 12.9)


@fault("held_and_open", "consistent", "not_in_clip")
def jar_was_opened_before_the_clip(w: World) -> None:
    move(w, "open", 0.2, 1.2)


@fault("held_and_open", "consistent", "action_cut")
def clip_begins_while_the_jar_is_opened(w: World) -> None:
    w.query["start_s"] = 3.4
    w.question["text"] = w.question["text"].replace("10.0", "8.4")


@fault("held_and_open", "consistent", "clip_length")
def clip_of_seven_seconds(w: World) -> None:
    w.query["start_s"] = 4.8


@fault("held_and_open", "consistent", "evidence_role")
def evidence_of_an_action_after_the_end(w: World) -> None:
    w.question["evidence"][5]["key"] = "C1/put/acts_on/cup"


@fault("held_and_open", "explanation", "contradicted")
def rationale_is_a_second_late(w: World) -> None:
    explain(w, "From 8.2 s to 9.2 s", "From 9.2 s to 10.2 s")


@fault("held_and_open", "explanation", "contradicted")
def rationale_concludes_with_another_state(w: World) -> None:
    explain(w, "So at 10.0 s the cup is held", "So at 10.0 s the cup is no longer held")


@fault("held_and_open", "explanation", "contradicted")
def rationale_leaves_out_that_the_lid_was_closed_for_a_moment(w: World) -> None:
    lid(w, "closed", start_s=4.2, end_s=5.0)
    lid(w, "open", start_s=5.0)


@fault("held_and_open", "seen_by_sampling", "not_seen")
def frames_too_far_apart(w: World) -> None:
    w.query["sampling"] = "every(7)"
