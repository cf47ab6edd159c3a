"""Call keys of every caller, as they were when replies were bought: no change may move one.

A reply is kept under its key. A key that moves loses what was bought and buys it again, so these
values stay as they are; a protocol or purpose that asks differently counts its version up instead.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import silent
from assets.pairs.comparing import item_of, text_model
from assets.pairs.sentence_match import question_of
from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from assets.questions.guessing import Guesser, _Chosen
from assets.translations.stage import _asked, _Models
from expectations.gates import Guesses
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings, load_settings
from resources.models import BUILT_IN, Capabilities
from resources.models.base import ask_each
from resources.models.calls.call_log import no_media
from resources.models.engines.random_letter import RandomEngine
from resources.models.protocol import Protocol, configured_protocol, with_run
from resources.models.runs import RunConfig

CONFIG = """
store = "tables"
[sources.s]
layout = "egoexolearn"
root = "raw"
sentence_match = "judge"
[benchmarks.b]
sources = ["s"]
blind = "eyeless"
[runs.eyeless]
engine = "constant"
protocol = "option_text"
[text_models.judge]
engine = "constant"
[text_models.translator]
engine = "constant"
[translation]
engine = "translator"
"""


class Constant:
    """Says yes to everything, and prefers later options."""

    capabilities = Capabilities(option_likelihood=True)
    model = "constant@1"

    def ask(self, batch: Any, media: Any) -> list[Any]:
        return ask_each(batch, lambda _: ("yes", (0.0, 1.0, 2.0, 3.0, 4.0), None))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setitem(BUILT_IN, "constant", lambda run: Constant())
    (tmp_path / "parallax.toml").write_text(CONFIG)
    return load_settings(tmp_path / "parallax.toml")


def kept(settings: Settings, partition: str) -> dict[str, Any]:
    """The one row of `calls` in a partition, less what depends on the clock."""
    (row,) = settings.store.read(TABLES["calls"], partition).drop("asked_at", "seconds").to_dicts()
    return row


def test_translation(settings: Settings) -> None:
    original = "右手拿起杯子"
    _asked(_Models(settings).first, [original], lambda _: True, silent(""))
    row = kept(settings, "texts.translation.translator")
    assert row["call_key"] == "0cc6bc0174b9e007f1d26d9bdf9c80c6"
    assert row["question_id"] == digest([original])
    assert (row["protocol"], row["media_recipe"]) == ("translation/1", '{"media":[]}')
    assert row["prompt"].endswith(original)


def test_sentence_match(settings: Settings) -> None:
    asked = question_of("cut the carrot", "slice a carrot")
    model = text_model(settings, "s")
    assert model is not None
    model.ask({item_of(asked): asked}, buy=True)
    row = kept(settings, "texts.sentence_match.judge")
    assert row["call_key"] == "e9b8218fbdcd7d3c7fd0ecbdb7c55da6"
    assert row["question_id"] == item_of(asked)
    assert (row["protocol"], row["media_recipe"]) == ("sentence_match/1", '{"media":[]}')
    assert row["prompt"].endswith(asked)


def question(n_options: int) -> pl.DataFrame:
    letters = "ABCDEFGHIJ"[:n_options]
    row = {
        "benchmark": "b",
        "source": "s",
        "pool": "unit",
        "subtask": "task",
        "recipe": "task/1",
        "question_id": "q1",
        "question_hash": "h1",
        "split": "val",
        "recording_id": "r1",
        "text": "What is done?",
        "options": [
            {"letter": x, "text": f"words of {x}", "segment_id": None, "is_answer": x == "B"}
            for x in letters
        ],
        "media": [],
        "answer": "B",
        "chance": 1 / n_options,
        "media_present": True,
        "evidence": [],
        "licence": "CC BY 4.0",
    }
    return TABLES["questions"].frame([row])


@pytest.mark.parametrize(
    ("n_options", "key"),
    [(5, "6200d7db77ccf26f19bef6fbccf88514"), (10, "f8b54dabd2a1848ba3b60efde4ec3927")],
)
def test_blind_gate(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, n_options: int, key: str
) -> None:
    """With more than five options the engine is asked about the answer and four others."""
    monkeypatch.setattr(Guesser, "_chosen", _Chosen(tokens={"h1": "asked"}))
    known = Guesser(settings, "b", "blind").guesses(question(n_options), buy=True)["h1"]
    row = kept(settings, "b.eyeless")
    assert row["call_key"] == key
    assert (row["question_id"], row["question_hash"], row["protocol"]) == (
        "q1",
        "h1",
        "option_text/1",
    )
    assert isinstance(known, Guesses)
    (scores,) = known.scores
    assert len(scores) == 5
    assert "B" in scores


BOX = {"kind": "box", "label": "1", "colour": "red", "width": 0.02, "t_s": None, "x_min": 0.1, "y_min": 0.2, "x_max": 0.3, "y_max": 0.4}  # fmt: skip
GAZED = pl.DataFrame(
    {
        "t_s": [i / 10 for i in range(60)],
        "part": 0,
        "source_frame": range(60),
        "source_pts": [i * 100 for i in range(60)],
        "gaze_x": [i / 60 for i in range(60)],
        "gaze_y": 0.5,
    }
)


def test_each_reply_of_several_is_a_call_of_its_own_and_the_first_is_the_only_one() -> None:
    direct = default_protocols()["blind"]
    row = question(2).to_dicts()[0]
    plain = build_prompt(row, direct, "model@1")
    prompts = [build_prompt(row, direct, "model@1", sample=n) for n in range(3)]
    assert prompts[0] == plain
    assert len({prompt.key for prompt in prompts}) == 3
    assert [prompt.sampling_seed for prompt in prompts] == [None] * 3
    seeded = with_run(direct, RunConfig("r", "random", "blind", seed=5))
    assert build_prompt(row, seeded, "model@1", sample=2).sampling_seed == 7


def test_the_random_baseline_draws_each_reply_anew() -> None:
    row = question(10).to_dicts()[0]
    prompts = [build_prompt(row, default_protocols()["blind"], "m", sample=n) for n in range(12)]
    letters = [reply.text for reply in RandomEngine("r").ask(prompts, no_media)]
    assert len(set(letters)) > 2


def read_derived(*tables: str) -> list[Protocol]:
    """Protocols of configurations that extend a declared one."""
    found: list[Protocol] = []
    for text in tables:
        table = tomllib.loads(text)
        base = default_protocols()[table.pop("extends")]
        found.append(configured_protocol("mine", table, Path(), base))
    return found


def shown(protocol: str | Protocol, **query: Any) -> str:
    """Key of a question about a clip, its options clips too."""
    medium = {"media_kind": "clip", "start_s": 0.0, "end_s": 4.0, "content": "c", **query}
    media = [
        {"role": role, "recording_id": "r1", "segment_id": role, **medium}
        for role in ("query", "option_A", "option_B")
    ]
    options = [{"letter": x, "text": f"cut {x}", "segment_id": x} for x in "AB"]
    row = question(2).to_dicts()[0] | {"media": media, "options": options}
    rule = default_protocols()[protocol] if isinstance(protocol, str) else protocol
    return build_prompt(row, rule, "model@1", {"r1": GAZED}, {"r1": "ego"}).key


@pytest.mark.parametrize(
    ("protocol", "key"),
    [
        ("direct", "24b5ee9891a272853c8fcf121b963611"),
        ("blind", "48dea3923194368f1b1e9f2cb6153c40"),
        ("option_text", "4cc6df856f70a4d1c62f119a84b17f13"),
        ("egobridge_gaze", "38a69d36475f949b719946bb2997f35d"),
        ("egobridge_centre", "6ab6db4afb28740b55e2238aebb658c2"),
        ("egocot_direct", "4942964c4293efc0f3ddbb210d72acd5"),
        ("egocot_reasoning", "9324718d96211686a1440a7a099c44fa"),
        ("egocross_close", "0f147b57c74c17eb28fdb7379442c712"),
        ("egoexobench_direct", "48350c52adfcec95befd3ea4c18407d8"),
        ("egoexobench_cot", "82a8ee58a970a47e003b80d0564ac3c0"),
        ("egoexobench_cot_free", "c6cbd8f64acd20294969a7ea0174d7f8"),
        ("egoexobench_reference", "a3cdb04697d89d741f35e90b379c6ac0"),
        ("egoprox_direct", "c858bc96612efd6f7f5cdef7af5ed721"),
        ("egoprox_cot", "54f6745724ce93f4f073b350201e4b07"),
    ],
)
def test_protocol(protocol: str, key: str) -> None:
    assert shown(protocol) == key


@pytest.mark.parametrize(
    ("variant", "key"),
    [
        ("question_removed", "6a33ee844f0923a5f26eff49b04192ef"),
        ("query_removed", "5181064d42cb778408a26bfdf833d57c"),
        ("single_frame", "17c34e641354b8d8db8b9878c78ed323"),
        ("shuffled_frames", "cdc8fbdac27ba1b175de430178f5d8f9"),
    ],
)
def test_variant(variant: str, key: str) -> None:
    assert shown(default_protocols()["direct"].with_variants([variant])) == key


UNCHANGED = "24b5ee9891a272853c8fcf121b963611"


def test_what_a_run_sets_as_its_protocol_has_it_moves_no_key() -> None:
    direct = default_protocols()["direct"]
    same = RunConfig("r", "random", "direct", temperature=0, max_tokens=16, system_prompt="")
    assert shown(with_run(direct, same)) == UNCHANGED
    (derived,) = read_derived('extends = "direct"\nmax_tokens = 16')
    assert shown(replace(derived, name="direct", version=2)) == UNCHANGED


def test_what_a_run_sets_otherwise_is_part_of_the_key() -> None:
    direct = default_protocols()["direct"]
    settings: list[dict[str, Any]] = [
        {"temperature": 0.5},
        {"max_tokens": 17},
        {"system_prompt": "Look."},
        {"seed": 0},
        {"seed": 1},
        {"reasoning_tokens": 0},
        {"reasoning_tokens": 100},
    ]
    keys = [shown(with_run(direct, RunConfig("r", "random", "direct", **s))) for s in settings]
    assert len({UNCHANGED, *keys}) == len(settings) + 1


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ({"overlays": [BOX]}, "484ec7c5f0d48e58767370fc2700c970"),
        ({"sampling": "endpoints(2)"}, "af1f06e0f8cce59f356a53a2c284376b"),
        ({"sampling": "given", "times_s": [1.0, 2.0]}, "d215a398f10e1444dc02304d2f2c9a9a"),
    ],
    ids=["marks", "own sampling", "own instants"],
)
def test_medium(query: dict[str, Any], key: str) -> None:
    assert shown("direct", **query) == key
