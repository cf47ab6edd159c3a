"""EgoExoBench's object relation, answered by the take's clock and the objects of actions."""

from __future__ import annotations

from tests.derivations.egoexobench.action_relation import (
    MASTER_LATE_S,
    by_the_takes_clock,
    narrate,
)
from tests.derivations.world import Fault, Row, World, collect, explain, medium, option

TEXT = (
    "Which candidate video most accurately matches the interacted object seen in the query video?"
)
# Action of the person: things by the part they play.
THINGS = {
    "P1|0": {"cup": "direct", "table": "source"},
    "P1|1": {"cup": "direct", "sink": "location"},
    "P1|2": {"cup": "direct", "shelf": "target"},
    "P1|3": {"fridge": "direct"},
    "P1|4": {"bread": "direct", "knife": "tool"},
    "P1|5": {"jug": "source", "milk": "direct"},
    "P2|1": {"door": "direct"},
    "P2|3": {"chair": "direct"},
    "P2|4": {"window": "direct"},
    "P2|5": {"tea": "direct"},
}


def by_objects() -> World:
    """The person washes a cup in the sink; the others open a fridge, cut bread and pour milk."""
    w = by_the_takes_clock()
    row = w.question
    narration = {r["segment_id"]: r["narration"] for r in w.tables["segments"]}
    options, media = [], [w.query]
    for letter, i in zip("ABCD", (3, 1, 5, 4), strict=True):
        key, start = f"T|P1|{i}", 10.0 * i + 3.0 + MASTER_LATE_S
        options.append(option(letter, narration[key], i == 1, segment_id=key))
        media.append(medium(f"option_{letter}", "T|master", start, start + 4.0, segment_id=key))
    evidence = [e for e in row["evidence"] if e["table"] == "clocks"]
    for one in media:
        key, role = one["segment_id"], one["role"]
        evidence.append({"table": "segments", "key": key, "role": role})
        evidence += [
            {"table": "relations", "key": f"{key}.{thing}", "role": role}
            for thing in THINGS[key.removeprefix("T|")]
        ]
    # The faults of every question exchange the first role with the last.
    evidence = [*evidence[2:], *evidence[:2]]
    w.tables["relations"] = [
        relation(f"T|{key}", thing, role)
        for key, things in THINGS.items()
        for thing, role in things.items()
    ]
    row.update(
        subtask="object_relation",
        recipe="object_relation@1",
        pool="s/object_relation@1/unit",
        text=TEXT,
        options=options,
        media=media,
        answer="B",
        evidence=evidence,
        detailed_answer='The query video shows "wash cup" from 13.0 s to 17.0 s of T|fpv1; on the'
        " take's clock this is the time of candidate video B, from 15.0 s to 19.0 s of T|master."
        " What is used is: cup, sink. The other candidates show other times of T|master, when other"
        ' objects are used: A "open fridge", C "pour from jug into cup", D "cut bread using knife".',
    )
    w.rehash()
    return w


def relation(segment: str, thing: str, role: str) -> Row:
    return {
        "source": "s",
        "recording_id": "T|fpv1" if "P1" in segment else "T|fpv2",
        "relation_id": f"{segment}.{thing}",
        "segment_id": segment,
        "subject": "does",
        "relation": "direct object" if role == "direct" else "at",
        "object": thing,
        "role": role,
    }


WORLDS = {"object_relation": by_objects}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "object_relation"


def use(w: World, segment: str, thing: str, role: str = "location") -> None:
    """Another thing in an action."""
    w.tables["relations"].append(relation(f"T|{segment}", thing, role))


@fault(HERE, "distractors", "second_right")
def distractor_uses_the_same_object(w: World) -> None:
    use(w, "P1|3", "Cup", "direct")


@fault(HERE, "distractors", "second_right")
def distractor_uses_it_as_a_place(w: World) -> None:
    use(w, "P1|4", "sink")


@fault(HERE, "distractors", "second_right")
def the_other_person_has_it_meanwhile(w: World) -> None:
    use(w, "P2|3", "cup", "direct")


@fault(HERE, "distractors", "second_right")
def distractor_with_the_object_in_the_other_hand(w: World) -> None:
    """The cup was taken and never put away: it is in hand while the fridge is opened."""
    verb = {"relation": "verb", "object": "get", "role": None, "relation_id": "T|P1|0.verb"}
    w.tables["relations"].append(relation("T|P1|0", "cup", "direct") | verb)


@fault(HERE, "distractors", "second_right")
def distractor_with_the_object_that_was_not_put_away_after_all(w: World) -> None:
    """The cup was taken; putting it away was only attempted."""
    for i, verb in ((0, "get"), (2, "put")):
        row = relation(f"T|P1|{i}", "cup", "direct") | {"relation_id": f"T|P1|{i}.verb"}
        w.tables["relations"].append(row | {"relation": "verb", "object": verb, "role": None})
    narrate(w, "T|P1|2", lemma="put", status="attempted")


@fault(HERE, "distractors", "object_twice")
def two_distractors_with_one_object(w: World) -> None:
    use(w, "P1|4", "fridge", "direct")


@fault(HERE, "leak", "action_in_text")
def object_in_the_text(w: World) -> None:
    w.question["text"] += " (a cup)"


@fault(HERE, "leak", "action_in_text")
def place_in_the_text(w: World) -> None:
    w.question["text"] += " It is used in sinks."


@fault(HERE, "answer", "wrong_key")
def key_at_another_moment(w: World) -> None:
    w.shown(w.answer).update(start_s=25.0, end_s=29.0, segment_id="T|P1|2")
    w.answer["segment_id"] = "T|P1|2"


@fault(HERE, "consistent", "shifted_time")
def clock_of_the_room_forgotten(w: World) -> None:
    for one in w.options:
        w.shown(one)["start_s"] -= MASTER_LATE_S
        w.shown(one)["end_s"] -= MASTER_LATE_S


@fault(HERE, "leak", "clip_lengths_differ")
def answer_alone_as_long_as_the_query(w: World) -> None:
    for one in w.others:
        w.shown(one)["end_s"] -= 0.5


@fault(HERE, "consistent", "another_performance")
def right_clip_of_another_take(w: World) -> None:
    w.shown(w.answer).update(recording_id="U|master", content="hash-U|master")


@fault(HERE, "explanation", "contradicted")
def explanation_names_another_object(w: World) -> None:
    explain(w, "cup, sink", "cup, stove")


@fault(HERE, "explanation", "contradicted")
def explanation_leaves_an_object_out(w: World) -> None:
    explain(w, "cup, sink", "cup")


@fault(HERE, "explanation", "contradicted")
def explanation_of_another_moment(w: World) -> None:
    explain(w, "from 13.0 s", "from 3.0 s")


@fault(HERE, "consistent", "evidence_left_out")
def evidence_names_no_object(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["table"] != "relations"]
