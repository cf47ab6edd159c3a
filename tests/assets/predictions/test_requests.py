"""Requests: what decides a call's key, and what a model is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from assets.predictions.selection import select_questions
from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from expectations.schemas import TABLES
from expectations.schemas.identity import canonical_json
from expectations.schemas.sampling import NoFrameError, SamplingRule
from resources.models.prompt import Prompt
from resources.models.protocol import read_protocols
from resources.models.reply import Reply, call_row, unasked_prompt
from resources.models.runs import RunConfig, read_runs

PROTOCOLS = default_protocols()
NARRATIONS = {"A": "wash the pot", "B": "cut a carrot"}


def question(**changes: Any) -> dict[str, Any]:
    row = {
        "benchmark": "egobridge",
        "source": "sample",
        "pool": "kitchen",
        "subtask": "association_ego2exo_k5",
        "recipe": "association/1",
        "question_id": "q1",
        "question_hash": "h1",
        "split": "val",
        "recording_id": "ego1",
        "text": "Which clip shows the same action?",
        "options": [
            {"letter": x, "text": t, "segment_id": f"s{x}", "is_answer": x == "B"}
            for x, t in NARRATIONS.items()
        ],
        "media": [
            _medium("query", "ego1", 0.0, 4.0),
            _medium("option_A", "exo1", 0.0, 2.0),
            _medium("option_B", "exo1", 2.0, 4.0),
        ],
        "answer": "B",
        "chance": 0.5,
        "media_present": True,
        "evidence": [],
        "licence": "CC BY 4.0",
    }
    return row | changes


def _medium(role: str, recording: str, start_s: float, end_s: float, content: str = "c") -> dict:
    return {
        "role": role,
        "recording_id": recording,
        "segment_id": f"seg-{role}",
        "media_kind": "clip",
        "start_s": start_s,
        "end_s": end_s,
        "content": content,
    }


def ticks(step_s: float = 0.1, n: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "t_s": [i * step_s for i in range(n)],
            "part": 0,
            "source_frame": range(n),
            "source_pts": [i * 100 for i in range(n)],
        }
    )


FRAMES = {"ego1": ticks(), "exo1": ticks()}


def direct(q: dict[str, Any] | None = None, **changes: Any) -> Prompt:
    protocol = replace(PROTOCOLS["direct"], **changes)
    return build_prompt(q or question(), protocol, "model@1", FRAMES)


def test_same_content_same_key() -> None:
    assert direct() == direct()


@pytest.mark.parametrize(
    ("protocol", "key"),
    [
        ("direct", "1e091845e45d7a0006f860d9239d32c5"),
        ("blind", "b425b3f85401b278953293891f38e794"),
        ("egoexobench_direct", "74a075e1e94e97098e9af94d0cc166c5"),
        ("egoprox_cot", "c7863fad3dcdf82ce55d301d9861d762"),
    ],
)
def test_a_version_keeps_its_keys(protocol: str, key: str) -> None:
    """Replies are kept under them: what changes one loses what was bought; raise the version."""
    assert build_prompt(question(), PROTOCOLS[protocol], "model@1", FRAMES).key == key


def other_content() -> dict[str, Any]:
    media = question()["media"]
    return question(media=[media[0], media[1], media[2] | {"content": "other video"}])


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda: direct(other_content()), id="another video under the same name"),
        pytest.param(lambda: direct(question(text="Which one?")), id="wording"),
        pytest.param(lambda: direct(question(question_hash="h2")), id="question"),
        pytest.param(lambda: direct(sampling=SamplingRule("midpoints", n=4)), id="frames"),
        pytest.param(lambda: direct(version=3), id="protocol version"),
        pytest.param(lambda: direct(short_side_px=112), id="size"),
        pytest.param(lambda: direct(encoding="jpeg-50"), id="encoding"),
        pytest.param(lambda: direct(temperature=0.7), id="temperature"),
        pytest.param(lambda: direct(max_tokens=512), id="reply length"),
        pytest.param(
            lambda: build_prompt(question(), PROTOCOLS["direct"], "model@2", FRAMES), id="revision"
        ),
    ],
)
def test_whatever_a_model_sees_is_in_the_key(changed: Any) -> None:
    assert changed().key != direct().key


def test_recipe_names_the_frames_that_are_sent() -> None:
    recipe = json.loads(direct(sampling=SamplingRule("midpoints", n=2)).media_recipe)
    assert [m["role"] for m in recipe["media"]] == ["query", "option_A", "option_B"]
    # Midpoints of the halves of 0..4 s at 10 frames a second, stamps in 1/1000 s.
    assert recipe["media"][0]["frames"] == [[0, 1000], [0, 3000]]
    assert recipe["media"][2]["frames"] == [[0, 2500], [0, 3500]]
    assert recipe["short_side_px"] == 224


def test_options_of_clips_never_show_their_narration() -> None:
    request = direct()
    assert request.choice_texts == ()
    for text in NARRATIONS.values():
        assert text not in request.text
        assert text not in request.media_recipe
    assert "Options: A, B." in request.text
    assert "Query: 8 frames\n" in request.text
    assert "Option B: 8 frames\n" in request.text


# Those for subtasks or domains of their own are shown in tests/assets/protocols.
MEDIA_PROTOCOLS = sorted(
    n
    for n, p in PROTOCOLS.items()
    if p.sends_media and p.crop == "full" and not (p.subtasks or p.contexts)
)


@pytest.mark.parametrize("protocol", MEDIA_PROTOCOLS)
def test_prompts_do_not_tell_how_long_clips_last(protocol: str) -> None:
    """The right clip lasts about as long as the query: a length would tell it."""
    media = question()["media"]
    longer = [m | {"end_s": m["end_s"] + 0.9} if m["role"] == "option_A" else m for m in media]
    frames = {"ego1": ticks(), "exo1": ticks()}
    rule = replace(PROTOCOLS[protocol], sampling=SamplingRule("midpoints", n=2))
    prompts = [build_prompt(question(media=m), rule, "m", frames).text for m in (media, longer)]
    if "taken at" not in prompts[0]:  # asked of one clip, whose times a rationale names
        assert prompts[0] == prompts[1]


def test_option_text_protocol_sends_no_media() -> None:
    request = build_prompt(question(), PROTOCOLS["option_text"], "model@1")
    assert request.clips == ()
    assert json.loads(request.media_recipe)["media"] == []
    assert request.choice_texts == tuple(NARRATIONS.values())
    assert request.text == "Which clip shows the same action?"


def test_prompt_is_what_the_model_reads_not_markup() -> None:
    assert "it's <here> & {{ there }}" in direct(question(text="it's <here> & {{ there }}")).text


def test_clip_past_the_end_of_the_video_is_no_request() -> None:
    media = question()["media"]
    late = question(media=[media[0] | {"start_s": 60.0, "end_s": 64.0}, *media[1:]])
    with pytest.raises(NoFrameError, match=r"60\.000\.\.64\.000"):
        direct(late)


def test_missing_frame_table_is_broken_machinery() -> None:
    with pytest.raises(KeyError, match="exo1"):
        build_prompt(question(), PROTOCOLS["direct"], "m", {"ego1": ticks()})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_canonical_json_knows_no_non_finite_numbers(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": value})


# --- protocols and runs ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '[x]\nversion=1\nabout=""\nprompt="letter.j2"\nanswer_by="guess"\nreads_option_text=true',
            ValueError,
        ),
        (
            '[x]\nversion=1\nabout=""\nprompt="letter.j2"\nanswer_by="option_likelihood"\nreads_option_text=false',
            ValueError,
        ),
        (
            '[x]\nversion=1\nabout=""\nprompt="letter.j2"\nanswer_by="letter"\nreads_option_text=false\nframes=3',
            TypeError,
        ),
        ("[x]\nversion=1", TypeError),
        (
            '[x]\nversion=1\nabout=""\nprompt="letter.j2"\nanswer_by="letter"\nreads_option_text=false\nsampling="eight"',
            ValueError,
        ),
    ],
)
def test_bad_protocols_are_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_protocols(text)


def test_run_with_unknown_protocol_or_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="protocol 'cot' is not one of"):
        read_runs({"r": {"engine": "random", "protocol": "cot"}}, PROTOCOLS)
    with pytest.raises(TypeError, match="limits"):
        read_runs({"r": {"engine": "random", "protocol": "direct", "limits": 3}}, PROTOCOLS)


def _questions() -> pl.DataFrame:
    rows = [
        question(
            question_id=f"{subtask}{i}",
            question_hash=f"{(i * 7) % 10}{subtask}",
            subtask=subtask,
            media_present=i != 2,
            options=[
                {"letter": x, "text": x, "segment_id": x, "is_answer": x == "B"}
                for x in ("ABCDEFG" if subtask == "k7" else "ABC")
            ],
        )
        for subtask in ("k3", "k7")
        for i in range(6)
    ]
    return TABLES["questions"].frame(rows)


@pytest.mark.parametrize(
    ("protocol", "settings", "expected"),
    [
        # Media runs leave out what has no pixels here.
        ("direct", {"subtasks": ("k3",)}, ["k30", "k31", "k33", "k34", "k35"]),
        ("option_text", {}, [f"k3{i}" for i in range(6)]),
        # Hashes by i: 0, 7, 4, 1, 8, 5 -> lowest first.
        ("option_text", {"limit": 3}, ["k30", "k32", "k33"]),
        # Under a limit the subtasks take turns.
        ("direct", {"limit": 4}, ["k30", "k33", "k70", "k73"]),
    ],
)
def test_select_questions(protocol: str, settings: dict, expected: list[str]) -> None:
    run = RunConfig("r", "random", protocol, **settings)
    chosen = select_questions(_questions(), run, PROTOCOLS[protocol])
    assert chosen["question_id"].to_list() == expected


def test_selection_does_not_depend_on_row_order() -> None:
    run = RunConfig("r", "random", "direct", limit=5)
    forward = select_questions(_questions(), run, PROTOCOLS["direct"])
    backward = select_questions(_questions().reverse(), run, PROTOCOLS["direct"])
    assert forward["question_id"].to_list() == backward["question_id"].to_list()


# --- rows of calls --------------------------------------------------------------------------------


def test_call_rows_fit_the_schema() -> None:
    request = direct()
    ok = call_row("b", "r", request, Reply(request.key, "ok", "B", (0.1, 0.9)), 0, "2026-01-01")
    bad = call_row(
        "b", "r", request, Reply.failed(request, OSError("moov atom not found")), 1, "2026-01-02"
    )
    none = unasked_prompt("q1", "h1", "direct/1", "m")
    unasked = call_row(
        "b", "r", none, Reply.failed(none, NoFrameError("no frame")), 0, "2026-01-01"
    )
    assert unasked["call_key"] == "unasked-h1"
    assert (unasked["prompt"], unasked["media_recipe"]) == ("", "{}")
    calls = TABLES["calls"].frame([ok, bad, unasked])
    assert calls["status"].to_list() == ["ok", "error", "error"]
    assert calls["error"].to_list()[1:] == [
        "OSError: moov atom not found",
        "NoFrameError: no frame",
    ]


def test_reply_to_another_request_is_refused() -> None:
    with pytest.raises(ValueError, match="is not the reply to"):
        call_row("b", "r", direct(), Reply("other", "ok", "B"), 0, "2026-01-01")


@pytest.mark.parametrize(
    "fields", [("error", "B", None, "boom"), ("error", None, None, None), ("ok", "B", None, "boom")]
)
def test_an_error_is_never_an_answer(fields: tuple) -> None:
    with pytest.raises(ValueError, match="an error has a message and no text"):
        Reply("k", *fields)
