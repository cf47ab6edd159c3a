"""Pictures that give the place away: the engine finds it, and the check refuses the set."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.scores.table import score
from expectations.checks.results import pixel_check
from expectations.schemas import TABLES
from expectations.schemas.identity import stable_hash
from expectations.set_checks.pixels import pixel_shortcut
from resources.config import load_settings
from resources.models import open_engine
from resources.models.engines.pixel_statistics import PixelStatisticsEngine, picture_statistics
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig

PLACES, QUESTIONS = 16, 64
SIDE = 24


@cache
def place(name: str) -> np.ndarray:
    """A wall of a colour and a grain of its own, float [SIDE, SIDE, 3]."""
    random = np.random.default_rng(int(name))
    wall = random.uniform(40, 215, 3) * np.ones((SIDE, SIDE, 3))
    stripes = np.sin(np.arange(SIDE) * random.uniform(0.3, 2.5)) * random.uniform(5, 30)
    across = stripes[:, None, None] if int(name) % 2 else stripes[None, :, None]
    return wall + across


def media(recording: str, _part: int, stamps: list[int]) -> list[np.ndarray]:
    """Frames of a recording `place-anything`: the wall, noise, and somebody who moves in front of it."""
    frames = []
    for stamp in stamps:
        random = np.random.default_rng(int(stable_hash(recording, str(stamp))[:8], 16))
        frame = place(recording.partition("-")[0]) + random.normal(0, 6, (SIDE, SIDE, 3))
        frame[4 : 4 + SIDE // 3, stamp : stamp + 6] = (200, 60, 60)
        frames.append(frame.clip(0, 255).astype(np.uint8))
    return frames


def clip(role: str, recording: str) -> Clip:
    stamps = (0, 4, 8)
    return Clip(role, recording, f"content of {recording}", 0.0, 1.0,
                tuple((0, s, s / 10) for s in stamps), "given", (0.0, 0.4, 0.8))  # fmt: skip


def answers(*, same_place: bool) -> pl.DataFrame:
    """What the engine answers to questions whose right option lies in the query's place, or elsewhere."""
    random = np.random.default_rng(11)
    prompts, right = [], {}
    for n in range(QUESTIONS):
        asked, *others = (str(p) for p in random.permutation(PLACES)[:5])
        options = others[:4]
        letter = "ABCD"[n % 4]
        if same_place:
            options[n % 4] = asked
        parts = [clip("query", f"{asked}-q{n}")]
        parts += [clip(f"option_{x}", f"{p}-o{n}") for x, p in zip("ABCD", options, strict=True)]
        key = f"q{n}"
        right[key] = letter
        prompts.append(
            Prompt(key, tuple(parts), choices=tuple("ABCD"), seed=key, item=key, model="m")
        )
    replies = PixelStatisticsEngine().ask(prompts, media)
    said = {
        p.key: json.loads(r.text or "{}")["answer"] for p, r in zip(prompts, replies, strict=True)
    }
    return TABLES["answers"].frame(
        {
            "benchmark": "b",
            "run": "pixels",
            "question_id": key,
            "subtask": "task_relation",
            "recording_id": f"r{int(key[1:]) % 20}",
            "status": "parsed",
            "letter": said[key],
            "right": said[key] == letter,
            "chance": 0.25,
        }
        for key, letter in right.items()
    )


@pytest.mark.parametrize(("same_place", "verdict"), [(True, "refuse"), (False, "pass")])
def test_only_a_set_whose_answers_share_the_querys_place_is_refused(
    tmp_path: Path, same_place: bool, verdict: str
) -> None:
    scores = score(answers(same_place=same_place))
    (row,) = scores.filter(slice="task_relation").to_dicts()
    out = pixel_shortcut(row)
    assert out.verdict == verdict
    if same_place:
        assert row["value"] > 0.9, "the engine sees the place"
    (tmp_path / "parallax.toml").write_text(
        'store = "t"\n[benchmarks.b]\nsources = []\n'
        '[runs.pixels]\nengine = "pixel_statistics"\nprotocol = "direct"\n'
        '[runs.random]\nengine = "random"\nprotocol = "direct"\n'
    )
    settings = load_settings(tmp_path / "parallax.toml")
    for run in ("pixels", "random"):
        settings.store.replace(
            TABLES["scores"], f"b.{run}", [run], scores.with_columns(run=pl.lit(run))
        )
    assert pixel_check(settings, "b.pixels").passed == (not same_place)
    # Another engine that is right tells nothing about the pictures.
    assert pixel_check(settings, "b.random").passed


def test_few_questions_or_one_recording_say_nothing() -> None:
    row = {"value": 1.0, "low": 0.9, "chance": 0.25, "n": 64, "n_clusters": 9}
    assert pixel_shortcut(row).verdict == "refuse"
    for fewer in ({"n": 29}, {"n_clusters": 1, "low": None}, {"value": None}):
        assert pixel_shortcut(row | fewer).verdict == "unknown"
    assert pixel_shortcut(row | {"low": 0.25}).verdict == "pass"


def test_statistics_are_those_of_whole_pictures_and_the_engine_is_known() -> None:
    grey = np.full((8, 8, 3), 120, np.uint8)
    stripes = grey.copy()
    stripes[:, ::4] = 0
    flat, edged = picture_statistics([grey]), picture_statistics([stripes])
    assert flat.sum() == pytest.approx(1) == edged.sum()
    assert flat[165:].sum() == 0.0 and edged[165:].sum() == pytest.approx(0.5)
    # Upright stripes have gradients along the rows alone.
    assert edged[165 + 3 :].sum() == pytest.approx(0.0)
    engine = open_engine(RunConfig("pixels", "pixel_statistics", "direct"))
    assert engine.model.startswith("pixel-statistics@1")
