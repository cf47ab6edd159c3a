"""Questions in accepted rewordings: read back, judged as in plain words, and refused where the words are others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from assets.benchmarks import folder_of
from assets.questions.expansion.choice import Rewording, in_words
from assets.questions.expansion.templates import plain_texts, read
from assets.questions.model_steps.steps import expanding_step
from expectations.gates import judge
from expectations.schemas.readings import bare_recipe
from tests.derivations.registry import WORLDS, fresh
from tests.derivations.world import World

Row = dict[str, Any]
PLAIN = sorted(
    name
    for name, world in WORLDS.items()
    if expanding_step(world.question["benchmark"]) is not None
    and "_paper@" not in world.question["recipe"]
)


def other_words(template: str) -> str:
    """A template in words that no builder writes, with the same slots in another place of the sentence."""
    return f"This is about what is seen: {template[0].lower()}{template[1:]}"


def reworded(name: str) -> World:
    """A small world whose question is asked in an accepted rewording, beside its row of `wordings`."""
    world = fresh(name)
    benchmark, recipe = world.question["benchmark"], bare_recipe(world.question["recipe"])
    template = next(
        text
        for text in plain_texts(folder_of(benchmark) / f"{recipe}.j2")
        if read(text, world.question["text"]) is not None
    )
    rewording = Rewording("w1", template, other_words(template))
    world.question = in_words(world.question, rewording)
    world.tables["wordings"] = [wording_row(rewording, benchmark, recipe)]
    return world


def wording_row(rewording: Rewording, benchmark: str, recipe: str, place: int = 1) -> Row:
    return {
        "benchmark": benchmark,
        "template_id": "t1",
        "recipes": [recipe],
        "template": rewording.template,
        "place": place,
        "wording_id": rewording.wording_id,
        "wording": rewording.wording,
        "model": "m",
        "call_key": None,
        "status": "usable",
        "rule": None,
        "message": None,
    }


def verdicts(world: World) -> dict[str, tuple[str, str, str]]:
    rows = judge(world.questions(), world.given()).iter_rows(named=True)
    return {row["gate"]: (row["verdict"], row["rule"], row["message"]) for row in rows}


@pytest.mark.parametrize("name", PLAIN)
def test_a_question_in_an_accepted_rewording_is_judged_like_the_plain_one(name: str) -> None:
    plain, other = verdicts(fresh(name)), verdicts(reworded(name))
    assert {gate: said[0] for gate, said in other.items()} == {
        gate: said[0] for gate, said in plain.items()
    }, other
    assert reworded(name).question["question_hash"] != fresh(name).question["question_hash"]
    assert reworded(name).question["question_id"] == fresh(name).question["question_id"]


def of_wording(world: World, **changed: Any) -> None:
    world.tables["wordings"][0] |= changed


def retext(world: World, old: str, new: str) -> None:
    assert old in world.question["text"]
    world.question["text"] = world.question["text"].replace(old, new)
    world.rehash()


def rename(world: World, **changed: Any) -> None:
    (named,) = (e for e in world.question["evidence"] if e["table"] == "wordings")
    named |= changed


def swap_slots(world: World) -> None:
    """A rewording that exchanges who holds the tool and the tool."""
    row = world.tables["wordings"][0]
    swapped = row["wording"].replace("{tool}", "{x}").replace("{operator}", "{tool}")
    row["wording"] = swapped.replace("{x}", "{operator}")


def another_wording(world: World) -> None:
    row = copy.deepcopy(world.tables["wordings"][0])
    world.tables["wordings"].append(row | {"wording_id": "w2", "place": 2})
    world.question["evidence"] = [
        *world.question["evidence"],
        {"table": "wordings", "key": "w2", "role": "wording"},
    ]


FAULTS: dict[str, tuple[Callable[[World], Any], str, str]] = {
    "nobody accepted it": (lambda w: w.tables["wordings"].clear(), "consistent", "wording_not_accepted"),
    "another one is accepted": (lambda w: of_wording(w, wording_id="w2"), "consistent", "wording_not_accepted"),
    "of another recipe": (
        lambda w: of_wording(w, recipes=["object_counting"]), "consistent", "wording_of_another_recipe"),
    "a slot less": (
        lambda w: of_wording(w, wording="Where was the '{tool}' around timestamp {at_s}s?"),
        "consistent", "wording_changes_slots"),
    "a slot more": (
        lambda w: of_wording(w, wording="This is {hand}: " + w.tables["wordings"][0]["wording"]),
        "consistent", "wording_changes_slots"),
    "two rewordings": (another_wording, "consistent", "several_wordings"),
    "a word more": (lambda w: retext(w, "located", "located at last"), "consistent", "wording_differs"),
    "before for around": (lambda w: retext(w, "around", "before"), "consistent", "wording_differs"),
    "a negation": (lambda w: retext(w, "was the", "was not the"), "consistent", "wording_differs"),
    "the plain words": (
        lambda w: retext(w, "This is about what is seen: a", "A"), "consistent", "wording_differs"),
    "not named": (
        lambda w: w.question.update(evidence=[e for e in w.question["evidence"] if e["role"] != "wording"]),
        "consistent", "text"),
    "named in another role": (lambda w: rename(w, role="answer"), "consistent", "evidence_role"),
    "another tool": (lambda w: retext(w, "grasper", "hook"), "consistent", ""),
    "another operator": (
        lambda w: retext(w, "main surgeon left", "assistant surgeon right"), "consistent", ""),
    "another time": (lambda w: retext(w, "7.00s", "2.00s"), "consistent", ""),
    "a time outside the clip": (lambda w: retext(w, "7.00s", "70.00s"), "consistent", "time_outside_clip"),
    "swapped slots": (swap_slots, "consistent", ""),
    "names the answer": (
        lambda w: (of_wording(w, wording=w.tables["wordings"][0]["wording"].replace("seen", "top-left")),
                   retext(w, "seen", "top-left")), "leak", "option_in_wording"),
    "names another option": (
        lambda w: (of_wording(w, wording=w.tables["wordings"][0]["wording"].replace("seen", "bottom-right")),
                   retext(w, "seen", "bottom-right")), "leak", "option_in_wording"),
    "asks for another template": (
        lambda w: of_wording(w, template="In which region of the picture is the '{tool}' of {operator} at {at_s}s?"),
        "consistent", "text"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_rewording_with_a_fault_is_refused_by_the_rule_that_names_it(fault: str) -> None:
    plant, gate, rule = FAULTS[fault]
    world = reworded("object_localisation")
    plant(world)
    said = verdicts(world)
    refused = {name: told for name, told in said.items() if told[0] == "refuse"}
    if rule:
        _, named, message = refused[gate]
        assert rule == named or f"; {rule}: " in message, said
    else:
        assert refused or any(told[0] == "unknown" for told in said.values()), said


def test_a_text_that_can_be_divided_in_two_ways_is_refused() -> None:
    world = reworded("object_localisation")
    said = "Around {at_s}s, in which region of the view was the {tool} of {operator}?"
    of_wording(world, wording=said)
    world.question["text"] = (
        "Around 7.00s, in which region of the view was the grasper of steel of main surgeon left hand?"
    )
    world.rehash()
    assert verdicts(world)["consistent"][1] == "wording_differs"


VALUES = {
    "another thing": ("held_and_open", "the cup", "the pan"),
    "an earlier time": ("was_held_and_open", "7.2 s", "6.2 s"),
    "a longer horizon": ("cup_is_poured", "within 5 s", "within 50 s"),
    "another use": ("follows_a_tool", "uses as a tool", "acts on"),
    "another place for the time": ("was_on_the_table", "3.8 s", "8.3 s"),
    "another one of several": ("three_in_turn", "the plate", "the knife"),
    "another step": ("filling_a_cup", "fill cup", "wash cup"),
    "another state": ("opened_jar", "is open", "is closed"),
    "another end": ("hand_that_opened", "9.0 s", "8.0 s"),
}


@pytest.mark.parametrize("fault", VALUES)
def test_a_thing_time_or_state_that_a_rewording_changes_is_refused(fault: str) -> None:
    name, old, new = VALUES[fault]
    world = reworded(name)
    retext(world, old, new)
    assert "refuse" in {said[0] for said in verdicts(world).values()}
