"""Variants of protocols: what is left out is gone, what is changed is changed, and nothing leaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.protocols.declared import all_protocols, default_protocols, protocol_of
from assets.protocols.rendering import build_prompt
from assets.protocols.variants import (
    SWAPPED_FROM,
    WITHHELD,
    MeaninglessVariantError,
    declared_variants,
    swap_media,
    vary_questions,
)
from resources.config import ConfigError, load_settings
from resources.models.prompt import Prompt
from resources.models.protocol import VARIANTS, Protocol
from tests.assets.protocols.question_rows import PLACES, VIEWS, box, frames, medium, question

FRAMES = frames()
PROTOCOLS = default_protocols()
ONE_CLIP = question([medium("query", "ego1")])
BOTH_VIEWS = question([medium("query", "ego1"), medium("reference", "exo1")])
CLIP_OPTIONS = question(
    [medium("query", "ego1"), medium("option_A", "exo1"), medium("option_B", "exo2")],
    ("cut the carrot", "wash the pot"),
)


def prompt(row: dict[str, Any], *variants: str, of: str = "direct") -> Prompt:
    protocol = PROTOCOLS[of].with_variants(variants) if variants else PROTOCOLS[of]
    return build_prompt(row, protocol, "m", FRAMES, VIEWS)


def stamps(made: Prompt) -> dict[str, list[int]]:
    """Stamps of the frames sent, by role."""
    return {clip.role: [pts for _, pts, _ in clip.frames] for clip in made.clips}


def test_each_variant_is_declared_and_has_a_key_of_its_own() -> None:
    assert tuple(declared_variants()) == VARIANTS
    row = question([medium("query", "ego1"), medium("reference", "exo1")], swapped_from="q2")
    keys = {prompt(row, name).key for name in VARIANTS}
    assert len({*keys, prompt(row).key}) == len(VARIANTS) + 1


def test_blind_sends_the_same_words_without_media() -> None:
    made = prompt(ONE_CLIP, "blind")
    assert made.clips == ()
    assert json.loads(made.media_recipe)["media"] == []
    for words in ("What is picked up next?", "the pot", "the pan"):
        assert words in made.text
    assert "frame" not in made.text


@pytest.mark.parametrize(
    "name", sorted(n for n, p in PROTOCOLS.items() if p.sends_media and not p.variants)
)
def test_no_protocol_speaks_of_frames_that_blind_does_not_send(name: str) -> None:
    words = PROTOCOLS[name].answer_by == "words"
    row = question([medium("query", "ego1")], () if words else ("the pot", "the pan"))
    row |= {"context": "", "answer_text": '[[8, 7, 3], ["F", "A"]]'}
    assert "0 frames" not in build_prompt(row, PROTOCOLS[name].with_variants(["blind"]), "m").text


def test_options_only_leaves_the_options_alone() -> None:
    made = prompt(ONE_CLIP, "options_only")
    assert made.clips == ()
    assert "picked up" not in made.text
    assert WITHHELD in made.text
    assert "the pot" in made.text


def test_without_its_question_a_model_still_sees_the_video() -> None:
    made = prompt(ONE_CLIP, "question_removed")
    assert stamps(made) == stamps(prompt(ONE_CLIP))
    assert "picked up" not in made.text


def test_without_its_query_the_other_clips_stay() -> None:
    assert list(stamps(prompt(CLIP_OPTIONS, "query_removed"))) == ["option_A", "option_B"]
    assert "ego1" not in prompt(CLIP_OPTIONS, "query_removed").media_recipe
    assert list(stamps(prompt(BOTH_VIEWS, "no_reference"))) == ["query"]


def test_one_view_only() -> None:
    assert list(stamps(prompt(BOTH_VIEWS, "ego_only"))) == ["query"]
    assert list(stamps(prompt(BOTH_VIEWS, "exo_only"))) == ["reference"]
    assert list(stamps(prompt(CLIP_OPTIONS, "exo_only"))) == ["option_A", "option_B"]


@pytest.mark.parametrize(
    ("row", "variant", "why"),
    [
        (ONE_CLIP, "exo_only", "without media"),
        (ONE_CLIP, "ego_only", "none of its media"),
        (ONE_CLIP, "query_removed", "without media"),
        (ONE_CLIP, "no_reference", "none of its media"),
        (CLIP_OPTIONS, "ego_only", "options, which are clips"),
        (CLIP_OPTIONS, "blind", "options, which are clips"),
        (CLIP_OPTIONS, "options_only", "options, which are clips"),
        (question([medium("query", "ego1")], ()), "question_removed", "asks nothing"),
        (
            question([medium("query", "ego1", media_kind="image", end_s=0.0)]),
            "shuffled_frames",
            "several frames",
        ),
        (
            question([medium("query", "ego1", media_kind="image", end_s=0.0)]),
            "single_frame",
            "several frames",
        ),
    ],
)
def test_a_variant_without_meaning_is_not_asked(
    row: dict[str, Any], variant: str, why: str
) -> None:
    """Also no narration stands in for the clips of options: it would give the answer away."""
    with pytest.raises(MeaninglessVariantError, match=why):
        prompt(row, variant)


def test_a_single_frame_is_the_middle_one_or_the_current_observation() -> None:
    assert stamps(prompt(ONE_CLIP, "single_frame")) == {
        "query": [stamps(prompt(ONE_CLIP))["query"][4]]
    }
    last = stamps(prompt(ONE_CLIP, of="egoprox_direct"))["query"][-1]
    assert stamps(prompt(ONE_CLIP, "single_frame", of="egoprox_direct")) == {"query": [last]}


def test_a_single_frame_keeps_its_marks() -> None:
    marked = medium("query", "ego1", sampling="given", times_s=[1.0, 2.0, 3.0])
    one = question([marked | {"overlays": [box(t_s=1.0)]}])
    (clip,) = prompt(one, "single_frame").clips
    assert [t for _, _, t in clip.frames] == [1.0]
    assert [mark.label for mark in clip.overlays[0]] == ["1"]
    two = question([marked | {"overlays": [box("1", 1.0), box("2", 3.0)]}])
    with pytest.raises(MeaninglessVariantError, match="all marks"):
        prompt(two, "single_frame")


def test_shuffled_frames_are_the_same_frames_in_another_order() -> None:
    plain, shuffled = prompt(ONE_CLIP), prompt(ONE_CLIP, "shuffled_frames")
    assert sorted(stamps(shuffled)["query"]) == sorted(stamps(plain)["query"])
    assert stamps(shuffled) != stamps(plain)
    assert shuffled == prompt(ONE_CLIP, "shuffled_frames")
    other = ONE_CLIP | {"question_id": "q7"}
    assert stamps(prompt(other, "shuffled_frames")) != stamps(shuffled)


def test_the_times_of_shuffled_frames_do_not_tell_their_order() -> None:
    plain, shuffled = (
        prompt(ONE_CLIP, *v, of="egocot_reasoning") for v in ((), ("shuffled_frames",))
    )
    assert [t for _, _, t in shuffled.clips[0].frames] == [t for _, _, t in plain.clips[0].frames]
    assert shuffled.text == plain.text


@pytest.mark.parametrize("n", range(30))
def test_two_frames_are_always_exchanged_and_marks_go_with_them(n: int) -> None:
    clip = medium(
        "query", "ego1", sampling="given", times_s=[1.0, 2.0], overlays=[box("x", t_s=1.0)]
    )
    (shown,) = prompt(question([clip], question_id=f"q{n}"), "shuffled_frames").clips
    assert [pts for _, pts, _ in shown.frames] == [20, 10]
    assert [len(marks) for marks in shown.overlays] == [0, 1]


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def asked_of(*recordings: str, **changes: Any) -> list[dict[str, Any]]:
    return [
        question([medium("query", uid)], question_id=f"q{i}-{uid}", **changes)
        for i, uid in enumerate(recordings)
    ]


def test_swapped_media_never_show_the_own_recording_or_take() -> None:
    # Two questions of one recording, one of another camera of its take, three of other takes.
    rows = asked_of("ego1", "ego1", "ego2", "ego2", "ego3", "exo1")
    rows[5]["media"][0]["role"] = "query"
    swapped, lonely = swap_media(table(rows), PLACES)
    assert lonely == ["q5-exo1"], "no other question shows an exocentric clip"
    own = {row["question_id"]: row["media"][0]["recording_id"] for row in rows}
    assert swapped.height == 5
    for key, media, other in swapped.select("question_id", "media", SWAPPED_FROM).iter_rows():
        assert media[0]["recording_id"] == own[other] != own[key]
    protocol = PROTOCOLS["direct"].with_variants(["swapped_video"])
    for row in swapped.iter_rows(named=True):
        made = build_prompt(row, protocol, "m", FRAMES, VIEWS)
        assert own[row["question_id"]] not in made.media_recipe
        assert row["text"] in made.text


def test_media_are_swapped_within_a_subtask_and_among_their_like() -> None:
    rows = [
        *asked_of("ego1", "ego2"),
        *asked_of("ego3", subtask="another"),
        question([medium("query", "ego3"), medium("reference", "exo3")], question_id="pair"),
        question([medium("query", "ego3", overlays=[box()])], question_id="marked"),
    ]
    swapped, lonely = swap_media(table(rows), PLACES)
    partners = dict(swapped.select("question_id", SWAPPED_FROM).iter_rows())
    assert partners == {"q0-ego1": "q1-ego2", "q1-ego2": "q0-ego1"}
    assert lonely == ["q0-ego3", "pair", "marked"]


def test_a_question_more_changes_few_partners_and_the_order_of_rows_none() -> None:
    uids = [f"ego{1 + i % 3}" for i in range(60)]
    rows = asked_of(*uids)

    def partners(some: list[dict[str, Any]]) -> dict[str, str]:
        return dict(
            swap_media(table(some), PLACES)[0].select("question_id", SWAPPED_FROM).iter_rows()
        )

    before = partners(rows[:-1])
    assert partners(rows[:-1][::-1]) == before
    after = partners(rows)
    assert sum(after[key] != other for key, other in before.items()) <= 4


def test_the_own_media_are_not_sent_as_swapped_ones() -> None:
    with pytest.raises(ValueError, match="swap them first"):
        prompt(ONE_CLIP, "swapped_video")


def test_questions_that_are_not_asked_are_counted_with_their_reason() -> None:
    rows = [ONE_CLIP | {"question_id": "plain"}, BOTH_VIEWS | {"question_id": "both"}]
    varied = vary_questions(table(rows), PROTOCOLS["direct"].with_variants(["ego_only"]), PLACES)
    assert varied.asked["question_id"].to_list() == ["both"]
    reason = "ego_only would leave none of its media out"
    assert varied.sentence() == f"1 question is not asked (1: {reason})"


CONFIG = """
store = "tables"
[protocols.calm]
extends = "egoprox_cot"
variants = ["single_frame"]
[benchmarks.egoprox]
sources = []
protocol = "egoprox_direct"
[runs.r]
engine = "random"
protocol = "PROTOCOL"
"""


def configured(folder: Path, protocol: str) -> tuple[Protocol, dict[str, Protocol]]:
    (folder / "parallax.toml").write_text(CONFIG.replace("PROTOCOL", protocol))
    settings = load_settings(folder / "parallax.toml")
    return protocol_of(settings, "egoprox", settings.runs["r"]), all_protocols(settings)


@pytest.mark.parametrize(
    ("named", "label", "judged_as", "variants"),
    [
        ("own+blind", "egoprox_direct+blind/1", "egoprox_direct/1", ("blind",)),
        (
            "direct+swapped_video+single_frame",
            "direct+swapped_video+single_frame/2",
            "direct/2",
            ("swapped_video", "single_frame"),
        ),
        ("calm", "calm/1", "calm/1", ("single_frame",)),
        ("calm+ego_only", "calm+ego_only/1", "calm/1", ("single_frame", "ego_only")),
    ],
)
def test_runs_name_variants(
    tmp_path: Path, named: str, label: str, judged_as: str, variants: tuple[str, ...]
) -> None:
    protocol, declared = configured(tmp_path, named)
    assert (protocol.label, protocol.judged_as, protocol.variants) == (label, judged_as, variants)
    base = declared[named.partition("+")[0].replace("own", "egoprox_direct")]
    assert (protocol.prompt, protocol.system) == (base.prompt, base.system)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("own+blnd", "unknown variant 'blnd'"),
        ("own+blind+single_frame", "would change nothing"),
        ("own+ego_only+exo_only", "cannot be combined"),
        ("own+blind+blind", "a list of different texts"),
        ("option_text+shuffled_frames", "the protocol sends none"),
        ("nothing+blind", "is not a declared protocol"),
    ],
)
def test_a_wrong_variant_is_an_error_of_the_configuration(
    tmp_path: Path, named: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        configured(tmp_path, named)
