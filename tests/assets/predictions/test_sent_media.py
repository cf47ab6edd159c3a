"""What a medium says of itself: its own frames, its marks, and options in words or in clips."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from assets.protocols.contexts import CONTEXT
from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt, options_are_words
from expectations.schemas.sampling import NoFrameError, SamplingRule, choose_frames, rates_of
from resources.models.prompt import Prompt
from tests.assets.predictions.question_media import medium

PROTOCOLS = default_protocols()
BOX = {
    "kind": "box",
    "label": "P1",
    "colour": "red",
    "width": 0.01,
    "t_s": None,
    "x_min": 0.1,
    "y_min": 0.1,
    "x_max": 0.5,
    "y_max": 0.5,
}


def question(*media: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "question_id": "q",
        "question_hash": "h",
        "source": "s",
        "text": "Where is it?",
        "options": [
            {"letter": x, "text": t, "segment_id": None, "value": t, "is_answer": x == "A"}
            for x, t in zip("ABC", ("left", "right", "front"), strict=True)
        ],
        "media": list(media or [medium()]),
    } | changes


def video(fps: float = 25.0, length_s: float = 20.0) -> pl.DataFrame:
    """Ticks of a constant grid over a video of the same rate."""
    n = round(length_s * 25)
    return pl.DataFrame(
        {
            "grid": "cfr25",
            "t_s": [k / 25 for k in range(n)],
            "part": 0,
            "source_frame": [round(k / 25 * fps) for k in range(n)],
            "source_pts": [round(k / 25 * fps) * 512 for k in range(n)],
            "residual_ms": [(round(k / 25 * fps) / fps - k / 25) * 1000 for k in range(n)],
        }
    )


def images(every_s: float = 1.0, original_fps: int = 25, n: int = 30) -> pl.DataFrame:
    """Images a dataset took from a video, numbered by the video's frames."""
    return pl.DataFrame(
        {
            "grid": "presampled",
            "t_s": [i * every_s for i in range(n)],
            "part": 0,
            "source_frame": range(n),
            "source_pts": [round(i * every_s * original_fps) for i in range(n)],
            "residual_ms": 0.0,
        }
    )


def ask(
    *media: dict[str, Any], protocol: str = "direct", frames: pl.DataFrame | None = None
) -> Prompt:
    shown = video() if frames is None else frames
    return build_prompt(question(*media), PROTOCOLS[protocol], "m", {"v": shown})


# --- sampling -------------------------------------------------------------------------------------


def test_a_mediums_own_rule_overrides_the_protocols() -> None:
    own, theirs = ask(
        medium(sampling="endpoints(3)"),
        medium("reference"),
    ).clips
    assert [round(t, 3) for _, _, t in own.frames] == [2.0, 6.0, 10.0]
    assert own.sampling == "endpoints(3)"
    assert len(theirs.frames) == 8
    assert theirs.sampling == "midpoints(8)"


@pytest.mark.parametrize(
    ("protocol", "sent"),
    [
        ("egocot_reasoning", 16),
        ("egocot_direct", 16),
        ("egoprox_direct", 8),
        ("direct", 8),
        ("egocross_close", 5),  # one every 2 s of 2..10 s, and the last
    ],
)
def test_a_medium_shown_to_its_ends_gets_as_many_frames_as_the_protocol_says(
    protocol: str, sent: int
) -> None:
    (clip,) = ask(medium(sampling="endpoints"), protocol=protocol).clips
    assert clip.sampling == f"endpoints({sent})"
    times = [t for _, _, t in clip.frames]
    assert (len(times), times[0], times[-1]) == (sent, 2.0, pytest.approx(10.0))
    assert [b - a for a, b in pairwise(times)] == pytest.approx(
        [8 / (sent - 1)] * (sent - 1), abs=0.05
    )


def test_no_frame_is_taken_before_its_clip() -> None:
    """Residuals are rounded: a frame may be presented a hair before the clip's first instant."""
    frames = video().with_columns(pl.col("residual_ms") - 0.04)
    request = ask(medium(sampling="endpoints"), protocol="egocot_reasoning", frames=frames)
    assert request.clips[0].frames[0][2] < 2.0
    assert "taken at 0.0, 0.5," in request.text
    assert "-0.0" not in request.text
    assert request.text.startswith("These are 16 frames of one egocentric video")


def test_one_frame_is_spoken_of_as_one() -> None:
    still = medium(media_kind="image", start_s=5.0, end_s=5.0)
    for protocol in ("egocot_direct", "egocot_reasoning"):
        assert ask(still, protocol=protocol).text.startswith("This is one frame of one egocentric")


def test_given_instants_are_sent_in_order() -> None:
    (clip,) = ask(medium(sampling="given", times_s=[7.2, 3.0, 4.04])).clips
    assert [round(t, 3) for _, _, t in clip.frames] == [3.0, 4.04, 7.2]
    assert clip.times_s == (3.0, 4.04, 7.2)


def test_an_image_is_the_frame_at_its_instant() -> None:
    still = medium(media_kind="image", start_s=5.0, end_s=5.0, sampling="given", times_s=[5.0])
    (clip,) = ask(still).clips
    assert clip.frames == ((0, 125 * 512, 5.0),)
    assert clip.sampling_fps is None
    # An image is an instant, whatever the protocol's rule, and without naming it again.
    assert ask(still | {"sampling": None, "times_s": []}).clips == (clip,)
    # Between two ticks: the nearer one.
    (clip,) = ask(still | {"start_s": 5.03, "end_s": 5.03, "times_s": [5.03]}).clips
    assert [round(t, 3) for _, _, t in clip.frames] == [5.04]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sampling": "given", "times_s": []}, "needs times"),
        ({"sampling": "given", "times_s": [99.0]}, "inside the clip"),
        ({"sampling": "eight frames"}, "sampling rule"),
        ({"end_s": 2.0}, "empty"),
        ({"overlays": [BOX | {"colour": "mauve"}]}, "mauve"),
        ({"overlays": [BOX | {"t_s": 9.9}]}, r"mark at 9\.9 s"),
    ],
)
def test_what_cannot_be_sent_is_no_request(changes: dict, said: str) -> None:
    """It becomes the row of one question, and does not stop the others."""
    with pytest.raises(NoFrameError, match=said):
        ask(medium(**changes))


def test_given_instant_without_a_frame_near_it() -> None:
    sparse = images(every_s=4.0)
    rule = SamplingRule("given")
    assert choose_frames(sparse, rule, 0.0, 20.0, [8.3])["t_s"].to_list() == [8.0]
    with pytest.raises(NoFrameError, match=r"within 0\.5 s of the given instant 6\.000"):
        choose_frames(sparse, rule, 0.0, 20.0, [6.0])


def test_images_are_sent_by_the_number_of_their_source() -> None:
    (clip,) = ask(frames=images(), protocol="egocross_close").clips
    # Every 2 s of 2..10 s, end left out; 25 frames of the original per second.
    assert [pts for _, pts, _ in clip.frames] == [50, 100, 150, 200]
    assert (clip.original_fps, clip.presampled_fps, clip.sampling_fps) == (25.0, 1.0, 0.5)


def test_a_rate_beyond_the_images_sends_each_once() -> None:
    (clip,) = ask(medium(sampling="every(0.5)"), frames=images()).clips
    # One image a second: 2 to 9 s, and 10 s, which is nearer to 9.5 s than nothing else.
    assert [pts for _, pts, _ in clip.frames] == sorted({pts for _, pts, _ in clip.frames})
    assert clip.sampling_fps == 1.0


def test_one_grid_of_several_is_read() -> None:
    both = pl.concat([images(), video()], how="vertical_relaxed")
    assert ask(frames=both).clips == ask(frames=video()).clips


@pytest.mark.parametrize(
    ("frames", "original", "presampled"),
    [
        (video(30.0), 30.0, None),
        (video(12.5), 12.5, None),
        (images(2.0, 30), 30.0, 0.5),
        (video().head(1), None, None),
    ],
)
def test_rates(frames: pl.DataFrame, original: float | None, presampled: float | None) -> None:
    rates = rates_of(frames)
    assert rates.presampled_fps == presampled
    assert rates.original_fps == (None if original is None else pytest.approx(original, rel=0.01))


# --- marks ----------------------------------------------------------------------------------------


def test_a_mark_is_on_every_frame_or_on_that_of_its_instant() -> None:
    marks = [BOX, BOX | {"colour": "blue", "t_s": 4.0}]
    (clip,) = ask(medium(sampling="given", times_s=[3.0, 4.0], overlays=marks)).clips
    assert [[m.colour for m in on] for on in clip.overlays] == [["red"], ["red", "blue"]]


def test_a_track_has_one_mark_per_instant() -> None:
    times = [3.0, 4.0, 5.0, 6.0]
    marks = [BOX | {"t_s": t, "x_max": 0.4 + t / 100} for t in times]
    (clip,) = ask(medium(sampling="given", times_s=times, overlays=marks)).clips
    assert [[m.t_s for m in on] for on in clip.overlays] == [[t] for t in times]


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"sampling": "midpoints(4)"}, id="rule"),
        # The same frames by another rule are the same pixels, and another recipe.
        pytest.param({"sampling": "given", "times_s": [2.5 + i for i in range(8)]}, id="times"),
        pytest.param({"overlays": [BOX]}, id="mark"),
        pytest.param({"overlays": [BOX | {"colour": "blue"}]}, id="colour"),
        pytest.param({"overlays": [BOX | {"width": 0.02}]}, id="width"),
        pytest.param({"overlays": [BOX | {"label": ""}]}, id="label"),
        pytest.param({"overlays": [BOX | {"x_min": 0.2}]}, id="place"),
    ],
)
def test_rule_instants_and_marks_are_in_recipe_and_key(changed: dict) -> None:
    plain = ask(medium(overlays=[] if "overlays" not in changed else [BOX | {"y_max": 0.6}]))
    other = ask(medium(**changed))
    assert other.key != plain.key
    assert other.media_recipe != plain.media_recipe


def test_recipe_says_what_is_drawn() -> None:
    recipe = json.loads(ask(medium(sampling="endpoints(2)", overlays=[BOX])).media_recipe)
    drawn = ["box", "P1", "red", 0.01, 0.1, 0.1, 0.5, 0.5]
    assert recipe["media"][0]["overlays"] == [[drawn], [drawn]]
    assert recipe["media"][0]["sampling"] == "endpoints(2)"


# --- words and clips ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "media", "words"),
    [
        pytest.param([("left", None), ("right", None)], [medium()], True, id="words"),
        pytest.param([("cut", "s1"), ("wash", "s2")], [medium()], False, id="segments"),
        pytest.param([("cut", "s1"), ("wash", None)], [medium()], False, id="mixed"),
        pytest.param([("", None), ("", None)], [medium()], False, id="no text"),
        pytest.param(
            [("cut", None), ("wash", None)],
            [medium(), medium("option_A"), medium("option_B")],
            False,
            id="clips that are not segments",
        ),
    ],
)
def test_options_in_words_are_shown_and_clips_are_not_described(
    options: list, media: list, words: bool
) -> None:
    row = question(
        *media,
        options=[
            {"letter": x, "text": text, "segment_id": segment}
            for x, (text, segment) in zip("AB", options, strict=True)
        ],
    )
    assert options_are_words(row) == words
    # What a variant leaves out is the matter of its own tests.
    for name, protocol in PROTOCOLS.items():
        if protocol.variants or protocol.subtasks:
            continue
        request = build_prompt(row | {CONTEXT: ""}, protocol, "m", {"v": video()}, {"v": "exo"})
        shown = words or protocol.reads_option_text
        assert request.choice_texts == (tuple(t for t, _ in options) if shown else ()), name
        if protocol.answer_by == "letter":
            for text, _ in options:
                assert (f". {text}" in request.text if text else True) == (words or not text), name


def test_roles_are_named() -> None:
    clips = ask(medium(), medium("reference"), medium("option_A")).clips
    assert [clip.label for clip in clips] == ["Query", "Reference", "Option A"]


# --- published prompts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "rule", "lines"),
    [
        (
            "egocross_close",
            "every(2)",
            [
                "Please carefully read the question and its options, then select the most appropriate answer. Question: Where is it?",
                "B. right",
                "The original FPS of the video is 25. This image set is obtained by sampling at 0.5 fps.",
                "Respond in JSON format with two fields: 'prediction' (the correct option letter: A, B, or C) and 'reason' (a brief explanation of your choice). Do not include any other content.",
                '  "prediction": "B",',
            ],
        ),
        (
            "egoprox_direct",
            "endpoints(8)",
            [
                "Question: Where is it?",
                "C. front",
                "Choose the most appropriate option. The selected option letter in your answer must be enclosed in angle brackets (<>).",
            ],
        ),
        (
            "egoprox_cot",
            "endpoints(8)",
            ["Think step by step.", "Finally, end your answer with: The correct answer is <>."],
        ),
        ("egoexobench_direct", "midpoints(8)", ["A. left"]),
        ("egoexobench_cot", "midpoints(8)", ["Let's think step by step."]),
        ("egocot_direct", "endpoints(16)", ["A. left"]),
        ("egocot_reasoning", "endpoints(16)", ["A. left"]),
    ],
)
def test_prompts_hold_what_the_papers_print(protocol: str, rule: str, lines: list[str]) -> None:
    assert str(PROTOCOLS[protocol].sampling) == rule
    request = ask(protocol=protocol)
    for line in lines:
        assert line in request.text.split("\n"), request.text
    assert not any(line != line.rstrip() for line in request.text.split("\n"))


def test_egoprox_tells_whose_directions_they_are() -> None:
    request = ask(protocol="egoprox_direct")
    assert "defined in this egocentric viewpoint" in request.system
    assert request.clips[0].frames[-1][2] == pytest.approx(10.0), "the last frame is the present"
    other = build_prompt(
        question(), replace(PROTOCOLS["egoprox_direct"], system=None), "m", {"v": video()}
    )
    assert other.key != request.key


def test_clips_as_options_are_named_in_egoexobench() -> None:
    row = question(
        medium(),
        *(medium(f"option_{x}") for x in "ABC"),
        options=[{"letter": x, "text": f"narration {x}", "segment_id": x} for x in "ABC"],
    )
    request = build_prompt(row, PROTOCOLS["egoexobench_direct"], "m", {"v": video()})
    assert "B. the video named Option B" in request.text
    assert "You are shown 4 videos" in request.text
    assert "narration" not in request.text


def test_every_protocol_says_what_is_its_own() -> None:
    for name in ("egoexobench_direct", "egocot_direct", "egocot_reasoning"):
        assert "ours" in PROTOCOLS[name].about
