"""Prompts that the papers print are rendered in the papers' own words, from questions of the right shape."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.predictions.selection import askable
from assets.protocols.contexts import CONTEXT, add_contexts, read_contexts
from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from resources.models.prompt import Prompt
from resources.models.runs import RunConfig
from tests.assets.protocols.question_rows import VIEWS, frames, medium, question

EGOEXOBENCH = "000_44010915a570cc16.txt"
EGOCROSS = "001_8a25a61c34aff89c.txt"
EGOPROX = "003_a0aa1e8349a2546a.txt"
PROTOCOLS = default_protocols()
FRAMES = frames()
CANDIDATES = "".join(chr(ord("A") + i) for i in range(4))
PREDICTION = question(
    [medium("reference", "exo1"), medium("query", "ego1")],
    ("cut", "wash", "peel", "stir"),
    subtask="action_prediction",
    text="Which option most accurately matches the next action expected to occur in the egocentric video,"
    " according to the sequence established by the exocentric video?",
)
SKILL = question(
    [medium("reference", "exo1"), *(medium(f"option_{x}", "ego1") for x in CANDIDATES)],
    ("one", "two", "three", "four"),
    subtask="skill_evaluation",
    text="Which candidate video performs the task best according to the reference video?",
)
DUPLICATES = question(
    [medium(f"video_{i}", f"ego{i % 3 + 1}") for i in range(1, 6)],
    [f"Video{i}-Video{j}" for i in range(1, 5) for j in range(i + 1, 6)],
    subtask="duplicate_identification",
)


def chain(answer: str) -> dict[str, Any]:
    steps = "\n".join(f"{i}: [Keystep {i} text]" for i in (1, 2, 3, 10))
    text = f"Goal: [Goal text]\nCandidate keysteps (id: description, total = 10):\n{steps}"
    media = [medium("query", "ego1")]
    return question(media, (), subtask="chain_of_actions", text=text, answer_text=answer)


def plain(text: str) -> str:
    """Words as they are, whatever quotes, arrows and breaks a text is set with."""
    for mark, same in (("’", "'"), ("\\rightarrow", "→"), ("\\n", " "), ('"', " ")):
        text = text.replace(mark, same)
    return re.sub(r"\s+", " ", text).strip()


def asked(row: dict[str, Any], protocol: str) -> Prompt:
    return build_prompt(row, PROTOCOLS[protocol], "m", FRAMES, VIEWS)


def lines(prompt: Prompt, *ours: str) -> list[str]:
    """Lines of system and user prompt, less those that begin as ours."""
    both = [plain(line) for line in f"{prompt.system}\n{prompt.text}".splitlines()]
    return [line for line in both if line and not line.startswith(ours)]


@pytest.fixture
def paper(shared: Path) -> Any:
    return lambda name: plain((shared / "papers" / name).read_text(encoding="utf-8"))


CLIP_LINES = tuple(
    f"{name}: " for name in ("Query", "Reference", "Video", *("Option " + x for x in CANDIDATES))
)
OPTION_LINES = (
    "A. ",
    "B. ",
    "C. ",
    "D. ",
    "Reply with",
    "Options:",
    "Candidates:",
    "Video ",
    "Option ",
)


@pytest.mark.parametrize(
    ("row", "protocol"),
    [
        (PREDICTION, "egoexobench_reference"),
        (PREDICTION, "egoexobench_no_reference"),
        (SKILL, "egoexobench_reference"),
        (SKILL, "egoexobench_no_reference"),
        (DUPLICATES, "egoexobench_duplicates"),
    ],
)
def test_egoexobench(paper: Any, row: dict[str, Any], protocol: str) -> None:
    shown = lines(asked(row, protocol), *CLIP_LINES, *OPTION_LINES)
    assert len(shown) >= 2
    for line in shown:
        assert line in paper(EGOEXOBENCH), line


def test_with_and_without_reference_differ_as_printed() -> None:
    with_, without = (asked(PREDICTION, f"egoexobench_{n}reference") for n in ("", "no_"))
    assert [clip.role for clip in with_.clips] == ["reference", "query"]
    assert [clip.role for clip in without.clips] == ["query"]
    assert "exocentric" not in without.text.lower()
    assert "A. cut" in without.text
    skill = asked(SKILL, "egoexobench_no_reference")
    assert "expert" not in skill.text
    assert "A. the video named Option A" in skill.text


def test_five_clips_are_named_as_the_answer_names_them() -> None:
    prompt = asked(DUPLICATES, "egoexobench_duplicates")
    assert [clip.label for clip in prompt.clips] == [f"Video {i}" for i in range(1, 6)]
    assert prompt.text.startswith("You will be provided with 5 videos.")
    # Whoever chooses among options names a pair, as the prompt asks; it shows no letters.
    assert prompt.choices == tuple(option["text"] for option in DUPLICATES["options"])
    assert "Video1-Video2" not in prompt.text
    assert asked(DUPLICATES, "direct").choices == tuple("ABCDEFGHIJ")


@pytest.mark.parametrize("protocol", ["egocross_close", "egocross_open"])
def test_egocross_with_its_rates(paper: Any, protocol: str) -> None:
    texts = () if protocol == "egocross_open" else ("cut", "wash", "peel", "stir")
    row = question([medium("query", "ego1")], texts, text="{question}")
    prompt = asked(row, protocol)
    assert (
        "The original FPS of the video is 10. This image set is obtained by sampling at 0.5 fps."
        in (prompt.text)
    )
    for line in lines(prompt, "A. ", "B. ", "C. ", "D. ", "The original FPS"):
        assert line in paper(EGOCROSS), line


@pytest.mark.parametrize(
    ("layout", "key"),
    [("cholectrack20", "Surgical"), ("enigma51", "Technical"), ("extremesportfpv", "High-speed"), ("egopet", "Animal")],
)  # fmt: skip
def test_egocross_tells_the_domain(paper: Any, layout: str, key: str) -> None:
    row = question([medium("query", "ego1")], ("cut", "wash"))
    table = pl.DataFrame([row], infer_schema_length=None)
    contexts = read_contexts(PROTOCOLS["egocross_domain"])
    known, unknown = add_contexts(table, contexts, {("s", "ego1"): (layout, "scenario")})
    assert unknown == []
    (told,) = known.to_dicts()
    assert told[CONTEXT].startswith(key)
    prompt = asked(told, "egocross_domain")
    for line in lines(prompt, "A. ", "B. ", "What is"):
        # The paper's listing breaks a sentence into two texts of a program.
        assert line.replace(" ", "") in paper(EGOCROSS).replace(" ", ""), line
    assert add_contexts(table, contexts, {("s", "ego1"): ("lemma", "")})[1] == ["q1"]
    released, _ = add_contexts(table, contexts, {("s", "ego1"): ("egocross", "EgoSurgery")})
    assert released[CONTEXT][0].startswith("Surgical")


def test_a_domain_prompt_without_its_domain_is_broken_machinery() -> None:
    with pytest.raises(KeyError, match="context of question q1"):
        asked(question([medium("query", "ego1")]), "egocross_domain")


@pytest.mark.parametrize("protocol", ["egoprox_direct", "egoprox_cot"])
def test_egoprox(paper: Any, protocol: str) -> None:
    prompt = asked(question([medium("query", "ego1")], text="[Question text]"), protocol)
    for line in lines(prompt, "A. ", "B. "):
        assert line in paper(EGOPROX), line


@pytest.mark.parametrize(
    ("answer", "word", "wanted"),
    [
        ('[[8, 7, 3], ["F", "A"]]', "exactly three", "[[k1, k2, k3], [d12, d23]]"),
        ('[[8,7,3,9],["F","A","H"]]', "exactly four", "[[k1, k2, k3, k4], [d12, d23, d34]]"),
        (
            '[[8, 7, 3, 4, 5], ["F", "A", "E", "B"]]',
            "exactly five",
            "[[k1, k2, k3, k4, k5], [d12, d23, d34, d45]]",
        ),
    ],
)
def test_egoprox_chains(paper: Any, answer: str, word: str, wanted: str) -> None:
    prompt = asked(chain(answer), "egoprox_chain")
    assert word in prompt.system
    assert prompt.text.endswith(f"{wanted}.")
    assert answer not in prompt.text
    assert len(lines(prompt)) > 25
    for line in lines(prompt):
        assert line in paper(EGOPROX), line


def test_what_a_protocol_is_written_for_is_all_it_asks() -> None:
    rows = [
        PREDICTION,
        SKILL | {"question_id": "q2"},
        chain("[[1, 2, 3], []]") | {"question_id": "q3"},
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    run = RunConfig("r", "random", "own")

    def ids(protocol: str) -> list[str]:
        return askable(table, run, PROTOCOLS[protocol])["question_id"].to_list()

    assert ids("egoexobench_reference") == ["q1", "q2"]
    assert ids("egoprox_chain") == ["q3"]
    assert ids("egoexobench_duplicates") == []
    assert ids("egoexobench_direct") == ["q1", "q2"]


def test_published_chain_of_thought_says_nothing_of_the_form_of_the_answer() -> None:
    prompt = asked(PREDICTION, "egoexobench_cot_free")
    assert prompt.text.endswith("D. stir\nLet's think step by step.")


def test_egocot_asks_for_an_answer_with_steps() -> None:
    text = asked(question([medium("query", "ego1")]), "egocot_reasoning").text
    assert '"Answer:" and the letter' in text
    assert "one numbered step per line" in text
