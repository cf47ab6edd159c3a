"""Steps that ask a language model, of a real server that answers from the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egoexobench import (
    action_prediction_steps,
    body_part_action_steps,
    checking_steps,
    direction_prediction_steps,
    sequence_alignment_steps,
)
from assets.questions.model_steps.checking import judge_questions
from assets.questions.model_steps.rewriting import reworded
from assets.questions.model_steps.steps import steps_of, writing_step
from assets.questions.model_steps.writing import Written, write_questions
from assets.step_models import StepModel
from expectations.gates import Checked, EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings, load_settings
from tests.derivations.registry import fresh
from tests.derivations.world import World
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

Row = dict[str, Any]
CONFIG = """
store = "tables"
[text_models.writer]
engine = "openai_server"
model = "some-model"
base_url = "{url}"
concurrency = 1
"""
# Nobody was asked without video, and nobody reviewed anything.
NOT_JUDGED = {"reviewed"}
(BODY_PARTS,) = body_part_action_steps.STEPS
(SEQUENCES,) = sequence_alignment_steps.STEPS
NEXT_STEP, NEXT_ACTION = action_prediction_steps.STEPS
(POLISH,) = direction_prediction_steps.STEPS


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def settings(tmp_path: Path, server: ChatServer) -> Settings:
    path = tmp_path / "parallax.toml"
    path.write_text(CONFIG.format(url=server.url), encoding="utf-8")
    return load_settings(path)


def model(settings: Settings) -> StepModel:
    return StepModel(settings, "writer", Options(), silent, "a test asks")


def answers(server: ChatServer, reply: Callable[[str], str]) -> None:
    server.answer = lambda body: Say(body=completion(reply(body["messages"][-1]["content"])))


def prompts(server: ChatServer) -> list[str]:
    return [got.texts()[0] for got in server.got]


def question(world: World) -> Row:
    return world.questions().to_dicts()[0]


def written(step: Any, world: World, settings: Settings) -> Written:
    asked = model(settings)
    tables = world.given().tables
    return write_questions(step, [question(world)], tables, asked.ask, asked.label(step.form))


def verdicts(
    row: Row, world: World, right: dict[str, bool | None] | None = None
) -> dict[str, tuple[str, str]]:
    """Verdict and rule of each gate on a written question, with a model's verdicts on its options."""
    given = world.given()
    checked = {} if right is None else {row["question_hash"]: Checked((), right, "judge")}
    tables = EvidenceTables(given.tables, given.frames, given.protocols, checked=checked)
    made = judge(TABLES["questions"].frame([row]), tables)
    return {r["gate"]: (r["verdict"], r["rule"]) for r in made.iter_rows(named=True)}


# -- questions in the model's words ------------------------------------------------------------------


def told(prompt: str) -> list[str]:
    """The two descriptions that Figure 10's prompt ends with."""
    return re.findall(r"^Video[12]: (.*)$", prompt, re.MULTILINE)


def other_side(words: str) -> str:
    return re.sub("left|right", lambda m: {"left": "right", "right": "left"}[m[0]], words)


def about_parts(prompt: str, **changes: Any) -> str:
    """A question about two descriptions as a good model would write it, or with faults."""
    first, second = told(prompt)
    options = {
        "A": f"In Video 1: {other_side(first)} In Video 2: {second}",
        "B": f"In Video 1: {first} In Video 2: {second}",
        "C": f"In Video 1: {first} In Video 2: {other_side(second)}",
        "D": f"In Video 1: {other_side(first)} In Video 2: {other_side(second)}",
    }
    text = "Which side of the body acts in the two videos?"
    reply = {"Question": text, "Options": options, "Answer": "B"} | changes
    return f"```json\n{json.dumps(reply, indent=2)}\n...\n```"


@pytest.mark.parametrize("name", ["body_part_action_labels", "body_part_action_moments"])
def test_a_sound_reply_becomes_a_question_that_every_gate_passes(
    name: str, server: ChatServer, settings: Settings
) -> None:
    answers(server, about_parts)
    world = fresh(name)
    made = written(BODY_PARTS, world, settings)
    (row,), (outcome,) = made.questions, made.outcomes
    assert "Figure 10" in BODY_PARTS.form.printed
    assert prompts(server)[0].startswith("You will be provided with two text descriptions")
    assert outcome["status"] == "used" and outcome["model"].startswith("writer some-model")
    assert outcome["question_id"] == row["question_id"] != outcome["asked_id"] == "id-1"
    assert row["recipe"] == world.question["recipe"].replace("@", "_written@")
    key = next(o for o in row["options"] if o["letter"] == row["answer"])
    assert key["text"] == "In Video 1: {} In Video 2: {}".format(*told(prompts(server)[0]))
    right = {o["letter"]: o["is_answer"] for o in row["options"]}
    said = verdicts(row, world, right)
    assert {gate for gate, (verdict, _) in said.items() if verdict != "pass"} == NOT_JUDGED, said
    calls = settings.store.read(TABLES["calls"], f"texts.{BODY_PARTS.form.name}.writer")
    assert outcome["call_keys"] == calls["call_key"].to_list()
    # Another day: nothing is asked, and the question is the same.
    again = written(BODY_PARTS, world, settings)
    assert again == made and len(server.got) == 1


FAULTS = {
    "invalid_json": lambda p: about_parts(p).replace('"Options"', "Options"),
    "no_json": lambda p: "I cannot write a question about this.",
    "three options": lambda p: about_parts(
        p, Options={x: f"In Video 1 the left hand {x}" for x in "ABC"}
    ),
    "five options": lambda p: about_parts(
        p, Options={x: f"In Video 1 the left hand {x}" for x in "ABCDE"}
    ),
    "letter of no option": lambda p: about_parts(p, Answer="E"),
    "no answer": lambda p: about_parts(p, Answer=None),
    "option that is not a text": lambda p: about_parts(
        p, Options={"A": 1, "B": "left hand", "C": "right hand", "D": "hand"}
    ),
    "equal_options": lambda p: about_parts(
        p, Options=dict.fromkeys("ABC", "The left hand.") | {"D": "the left hand"}
    ),
    "no_body_part": lambda p: about_parts(
        p, Options={x: f"In Video 1 she does {x}." for x in "ABCD"}
    ),
    "another_side": lambda p: about_parts(p, Answer="D"),
    "gives_a_hint": lambda p: about_parts(p, Question=f"What is done here: {told(p)[0]}"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_reply_with_a_fault_is_refused_and_makes_no_question(
    fault: str, server: ChatServer, settings: Settings
) -> None:
    answers(server, FAULTS[fault])
    made = written(BODY_PARTS, fresh("body_part_action_labels"), settings)
    (outcome,) = made.outcomes
    assert made.questions == [] and not made.is_open
    assert outcome["status"] == "refused" and outcome["question_id"] is None
    assert outcome["rule"] == (fault if "_" in fault else "schema")
    assert outcome["message"] and len(outcome["call_keys"]) == 1
    assert TABLES["question_steps"].frame([outcome | {"pool": "p"}]).height == 1


def test_a_failed_call_is_no_refusal_and_is_asked_again(
    server: ChatServer, settings: Settings
) -> None:
    world = fresh("body_part_action_labels")
    server.answer = lambda _: Say(status=400, body={"error": {"message": "no such model"}})
    made = written(BODY_PARTS, world, settings)
    assert made.questions == [] and made.is_open
    assert made.outcomes[0]["status"] == "error" and "no such model" in made.outcomes[0]["message"]
    answers(server, about_parts)
    assert len(written(BODY_PARTS, world, settings).questions) == 1


def test_nobody_is_asked_without_leave(server: ChatServer, settings: Settings) -> None:
    run = replace(settings.text_models["writer"], price_per_million_tokens=1)
    priced = replace(settings, text_models={"writer": run})
    asked = StepModel(priced, "writer", Options(unattended=True), silent, "a test asks")
    world = fresh("body_part_action_labels")
    made = write_questions(BODY_PARTS, [question(world)], world.given().tables, asked.ask, "writer")
    assert server.got == [] and made.is_open
    assert made.questions == [] and made.outcomes[0]["status"] == "not_asked"


def about_steps(prompt: str, **changes: Any) -> str:
    names = re.findall(r"Sequence: \[(.*)\]$", prompt, re.MULTILINE)[0].split(", ")
    right = f'In Video 1 "{names[0]}" comes before "{names[1]}", in Video 2 after it.'
    options = {
        "A": f'In Video 2 "{names[0]}" comes before "{names[1]}", in Video 1 after it.',
        "B": f'Video 1 lacks "{names[0]}".',
        "C": right,
        "D": f"Video 2 lacks {names[1]}.",
    }
    reply = {"Question": "How do the videos differ?", "Options": options, "Answer": "C"} | changes
    return json.dumps(reply)


def test_steps_of_two_takes_become_a_question(server: ChatServer, settings: Settings) -> None:
    answers(server, about_steps)
    world = fresh("sequence_alignment_order")
    (row,) = written(SEQUENCES, world, settings).questions
    (prompt,) = prompts(server)
    first = "Open the kit, Read the leaflet, Swirl the swab, Seal the tube"
    second = "Read the leaflet, Open the kit, Swirl the swab, Seal the tube"
    assert f"Video 1 Action Sequence: [{first}]\nVideo 2 Action Sequence: [{second}]" in prompt
    right = {o["letter"]: o["is_answer"] for o in row["options"]}
    said = verdicts(row, world, right)
    assert {gate for gate, (verdict, _) in said.items() if verdict != "pass"} == NOT_JUDGED, said


@pytest.mark.parametrize(
    ("rule", "option"),
    [("names_no_step", "Video 1 is longer."), ("unknown_step", 'Open the kit, then "Boil eggs".')],
)
def test_statements_about_steps_of_nobody_are_refused(
    rule: str, option: str, server: ChatServer, settings: Settings
) -> None:
    options = {"A": option} | {x: f"Video {x} lacks Open the kit." for x in "BCD"}
    answers(server, lambda p: about_steps(p, Options=options))
    made = written(SEQUENCES, fresh("sequence_alignment_order"), settings)
    assert made.questions == [] and made.outcomes[0]["rule"] == rule


# -- distractors that the model chooses ----------------------------------------------------------------


def listed(prompt: str) -> list[str]:
    return re.findall(r"^Actions: (.*)$", prompt, re.MULTILINE)[0].split(", ")


def test_the_model_names_three_distractors_one_after_the_other(
    server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda p: f'"{listed(p)[-1].capitalize()}."')
    world = fresh("action_prediction_lemma")
    (row,) = written(NEXT_ACTION, world, settings).questions
    rounds = [listed(p) for p in prompts(server)]
    # Neither what is shown nor what comes next may be named.
    assert rounds[0] == [
        "open the door",
        "get the cup",
        "cut the bread",
        "eat the apple",
        "close the lid",
    ]
    assert rounds[1:] == [rounds[0][:-1], rounds[0][:-2]]
    others = {o["value"] for o in row["options"] if not o["is_answer"]}
    assert others == {"T|close lid", "T|eat apple", "T|cut bread"}
    said = verdicts(row, world)
    assert {gate for gate, (verdict, _) in said.items() if verdict != "pass"} == NOT_JUDGED, said
    written(NEXT_ACTION, world, settings)
    assert len(server.got) == 3


def test_an_action_that_was_not_listed_is_refused(server: ChatServer, settings: Settings) -> None:
    answers(server, lambda _: "fill the jar")
    made = written(NEXT_ACTION, fresh("action_prediction_lemma"), settings)
    assert made.questions == [] and made.outcomes[0]["rule"] == "not_listed"
    assert len(server.got) == 1


THREE = '1. "Dry the cup."\n2. "Fill the cup."\n\n3. "Look into the sink."'


def test_the_model_writes_distractors_beside_what_follows(
    server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda _: THREE)
    world = fresh("action_prediction_egome")
    (row,) = written(NEXT_STEP, world, settings).questions
    (prompt,) = prompts(server)
    assert prompt.endswith(
        'Previous Actions: "Open door", "Get cup"\nCurrent Action: "Wash cup"\n'
        'Correct Next Action: "Fill jar"'
    )
    # As the annotated steps, without a dot: form must not tell the answer.
    texts = {o["text"]: o["value"] for o in row["options"]}
    assert texts.pop("Fill jar") == "A_ego/3"
    assert texts == {t: t for t in ("Dry the cup", "Fill the cup", "Look into the sink")}
    right = {o["letter"]: o["is_answer"] for o in row["options"]}
    said = verdicts(row, world, right)
    assert {gate for gate, (verdict, _) in said.items() if verdict != "pass"} == NOT_JUDGED, said
    assert verdicts(row, world)["distractors"][0] == "unknown"


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("Dry the cup.\nFill the cup.", "schema"),
        (f"{THREE}\nSing.", "schema"),
        (THREE.replace("Dry the cup", "fill JAR"), "repeats_a_step"),
        (THREE.replace("Dry the cup", "Wash cup"), "repeats_a_step"),
        (THREE.replace("Dry the cup", "Fill the cup"), "repeats_a_step"),
    ],
)
def test_distractors_that_repeat_a_step_are_refused(
    reply: str, rule: str, server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda _: reply)
    made = written(NEXT_STEP, fresh("action_prediction_egome"), settings)
    assert made.questions == [] and made.outcomes[0]["rule"] == rule


# -- people's words, polished ----------------------------------------------------------------------------


WROTE = "the red ball move slowly to the far corner, past the man's feet"


def polished(**changes: Any) -> Callable[[str], str]:
    reply = {"Question": f"Which candidate view shows {WROTE}?"} | changes
    return lambda _: f"```json\n{json.dumps(reply)}\n```"


def test_what_people_wrote_is_asked_in_polished_words(
    server: ChatServer, settings: Settings
) -> None:
    answers(server, polished())
    world = fresh("direction_prediction_written")
    made = written(POLISH, world, settings)
    (row,), (outcome,) = made.questions, made.outcomes
    before = question(world)
    assert f"Question: {before['text']}" in prompts(server)[0]
    assert row["text"] == f"Which candidate view shows {WROTE}?" != before["text"]
    assert row["recipe"] == "direction_prediction_written@1"
    same = ("options", "answer", "media", "detailed_answer", "evidence")
    assert {n: row[n] for n in same} == {n: before[n] for n in same}
    said = verdicts(row, world)
    assert {gate for gate, (verdict, _) in said.items() if verdict != "pass"} == NOT_JUDGED, said
    calls = settings.store.read(TABLES["calls"], f"texts.{POLISH.form.name}.writer")
    assert outcome["call_keys"] == calls["call_key"].to_list()


def asks(moves: str) -> dict[str, str]:
    return {"Question": f"In which candidate view does {moves}?"}


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        ("another_direction", asks(WROTE.replace("far", "near"))),
        ("another_direction", asks(WROTE.replace("to the far corner", "from the far corner"))),
        ("another_direction", asks(WROTE.replace("to the far", "not to the far"))),
        ("another_direction", asks(WROTE.replace(", past the man's feet", ""))),
        ("another_direction", asks("the red ball move past the man's feet, slowly to the far corner")),
        ("another_mover", asks(WROTE.replace("red", "blue"))),
        ("another_mover", asks(WROTE.replace("the red ball", "it"))),
        ("adds_words", asks(f"{WROTE} on the left")),
        ("adds_words", {"Question": f"Does candidate view C show {WROTE}?"}),
        ("names_a_view", {"Question": f"Does candidate view A show {WROTE}?"}),
        ("not_a_question", {"Question": f"The candidate view shows {WROTE}."}),
        ("schema", {"Question": 3}),
        ("schema", {"Answer": "B"}),
        ("schema", asks(WROTE) | {"Answer": "B"}),
    ],
)  # fmt: skip
def test_a_reply_that_changes_what_people_wrote_is_refused(
    rule: str, reply: dict[str, Any], server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda _: json.dumps(reply))
    made = written(POLISH, fresh("direction_prediction_written"), settings)
    (outcome,) = made.outcomes
    assert made.questions == [] and len(outcome["call_keys"]) == 1
    assert outcome["status"] == "refused"
    assert outcome["rule"] == rule


@pytest.mark.parametrize(
    ("rule", "moves"),
    [
        ("another_direction", WROTE.replace("far", "near")),
        ("another_direction", WROTE.replace("to the far corner", "from the far corner")),
        ("another_mover", WROTE.replace("red", "blue")),
        ("adds_words", f"{WROTE} on the left"),
        ("adds_words", f"not {WROTE}"),
    ],
)
def test_the_derivation_refuses_another_direction_too(rule: str, moves: str) -> None:
    world = fresh("direction_prediction_written")
    row = reworded(question(world), f"In which candidate view does {moves}?")
    assert verdicts(row, world)["consistent"] == ("refuse", rule)
    row = reworded(question(world), f"Does candidate view A show {WROTE}?")
    assert verdicts(row, world)["leak"] == ("refuse", "names_a_view")
    row = reworded(question(world), f"The candidate view shows {WROTE}.")
    assert verdicts(row, world)["consistent"] == ("refuse", "not_a_question")


def test_directions_that_follow_from_poses_are_not_sent(
    server: ChatServer, settings: Settings
) -> None:
    world = fresh("direction_prediction")
    made = written(POLISH, world, settings)
    assert made.questions == [question(world)] and made.outcomes == []
    assert server.got == [] and not made.is_open


# -- verdicts --------------------------------------------------------------------------------------------


def checked(world: World, settings: Settings, row: Row | None = None) -> Checked | None:
    asked = model(settings)
    row = row or question(world)
    judged = judge_questions(checking_steps.STEPS, [row], world.given().tables, asked.ask, "judge")
    return judged.checked.get(row["question_hash"])


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("True", []),
        ("The answer is: False.", [("order_not_needed", "refuse")]),
        ("It depends.", [("no_model_verdict", "unknown")]),
    ],
    ids=["needed", "not needed", "unread"],
)
def test_pairs_in_any_order_are_refused(
    reply: str, said: list[tuple[str, str]], server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda _: reply)
    found = checked(fresh("action_order"), settings)
    assert found is not None
    assert [(f.rule, f.verdict) for f in found.findings] == said
    (prompt,) = prompts(server)
    actions = re.findall(r"^Action[12]: (.*)$", prompt, re.MULTILINE)
    assert actions == ["get the cup", "put the cup"]


def test_questions_answered_from_their_text_are_refused(
    server: ChatServer, settings: Settings
) -> None:
    world = fresh("action_prediction_lemma")

    def reply(prompt: str) -> str:
        if prompt.startswith("Carefully read"):
            return "C. fill jar"
        return str('does "fill jar".' in prompt.partition("Statement: ")[2])

    answers(server, reply)
    found = checked(world, settings)
    assert found is not None
    assert [(f.gate, f.rule) for f in found.findings] == [("blind", "answered_from_text")]
    assert found.right == {"A": False, "B": False, "C": True, "D": False}
    given = world.given()
    tables = EvidenceTables(
        given.tables,
        given.frames,
        given.protocols,
        checked={question(world)["question_hash"]: found},
    )
    said = judge(world.questions(), tables)
    assert said.filter(pl.col("verdict") != "pass").select("gate", "verdict").rows() == [
        ("blind", "refuse"),
        ("reviewed", "unknown"),
    ]


def test_a_model_that_contradicts_the_key_or_finds_two_right_is_heard(
    server: ChatServer, settings: Settings
) -> None:
    answers(server, lambda p: "D" if p.startswith("Carefully") else str("cut bread" in p))
    found = checked(fresh("action_prediction_lemma"), settings)
    assert found is not None
    assert {(f.gate, f.rule) for f in found.findings} == {
        ("blind", "not_answered_from_text"),
        ("consistent", "model_rejects_key"),
        ("distractors", "model_finds_second_right"),
    }


def test_options_in_a_models_words_need_verdicts(server: ChatServer, settings: Settings) -> None:
    answers(server, about_parts)
    world = fresh("body_part_action_labels")
    (row,) = written(BODY_PARTS, world, settings).questions
    right = {o["letter"]: o["is_answer"] for o in row["options"]}
    wrong = next(x for x, is_answer in right.items() if not is_answer)
    assert verdicts(row, world)["answer"] == ("unknown", "not_derived")
    assert verdicts(row, world, {**right, row["answer"]: False})["answer"] == (
        "refuse",
        "wrong_key",
    )
    two = verdicts(row, world, {**right, wrong: True})
    assert two["distractors"] == ("refuse", "second_right")
    assert verdicts(row, world, {**right, wrong: None})["distractors"][0] == "unknown"


def test_annotations_that_change_after_a_reply_are_noticed(
    server: ChatServer, settings: Settings
) -> None:
    """The derivation reads the tables again, whatever the model wrote."""
    answers(server, about_parts)
    world = fresh("body_part_action_labels")
    (row,) = written(BODY_PARTS, world, settings).questions
    right = {o["letter"]: o["is_answer"] for o in row["options"]}
    segment = world.row("segments", segment_id="E|1")
    segment["narration"] = other_side(segment["narration"])
    said = verdicts(row, world, right)
    assert said["answer"] == ("refuse", "another_side")
    assert said["consistent"] == ("refuse", "labelled_otherwise")
    assert said["explanation"] == ("refuse", "contradicted")


# -- declarations ----------------------------------------------------------------------------------------


def test_every_figure_has_its_step() -> None:
    printed = {step.form.printed for step in steps_of("egoexobench")}
    assert {f"EgoExoBench, Figure {n}" for n in range(10, 16)} <= printed
    assert writing_step("egoexobench", "body_part_action_egoexo4d@1") is BODY_PARTS
    assert writing_step("egoexobench", "action_prediction_lemma_paper@1") is NEXT_ACTION
    assert writing_step("egoexobench", "direction_prediction@1") is POLISH
    assert writing_step("egoexobench", "person_relation@1") is None
    assert steps_of("egobridge") == ()


@pytest.mark.parametrize("key", ["writer", "checker"])
def test_a_model_that_is_not_configured_is_an_error(key: str, tmp_path: Path) -> None:
    path = tmp_path / "parallax.toml"
    path.write_text(f'store = "tables"\n[benchmarks.egoexobench]\nsources = []\n{key} = "nobody"\n')
    with pytest.raises(ConfigError, match=f'{key}.*"nobody" is not the name'):
        load_settings(path)
