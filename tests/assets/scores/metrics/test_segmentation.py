"""Segmentation metrics: both readings, odd videos, and a slow definition frame by frame."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.scores.metrics import UndefinedMetric
from assets.scores.metrics.frame_runs import Runs, runs_of, runs_of_text, runs_of_words
from assets.scores.metrics.segmentation import (
    count_video,
    prediction_of_file,
    score,
    score_videos,
    truth_of_file,
)

FRAMES = st.lists(st.sampled_from(["0", "1", "2", "17"]), min_size=1, max_size=40)


def pairs(runs: Runs) -> list[tuple[str, int]]:
    return list(zip(runs.labels, runs.lengths.tolist(), strict=True))


@given(FRAMES)
def test_every_form_of_the_same_frames(frames: list[str]) -> None:
    wanted = [(label, len(list(run))) for label, run in groupby(frames)]
    forms = [
        frames,
        [int(label) for label in frames],
        np.array([int(label) for label in frames]),
        np.array(frames),
        wanted,
        [[label, 1] for label in frames],
    ]
    for form in forms:
        assert pairs(runs_of(form)) == wanted
    assert pairs(runs_of_text("\n".join(frames))) == wanted
    assert pairs(runs_of_words(" ".join(frames).encode())) == wanted
    assert pairs(runs_of_words("\t " + "  ".join(frames) + " \n")) == wanted


@pytest.mark.parametrize(
    "frames",
    [
        ["take the knife away", "take the knife away", "cut"],
        ["", "", "a"],
        ["切", "切", "a\nb", "a\nb"],
        ["a\0", "a", "a"],
    ],
)
def test_odd_labels(frames: list[str]) -> None:
    wanted = [(label, len(list(run))) for label, run in groupby(frames)]
    assert pairs(runs_of(frames)) == wanted


def slow_counts(
    predicted: list[str], truth: list[str], overlap: float, background: str
) -> tuple[int, int, int]:
    """By sets of frames: intersection over true union."""

    def segments(frames: list[str]) -> list[tuple[str, set[int]]]:
        at, out = 0, []
        for label, run in groupby(frames):
            n = len(list(run))
            if label != background:
                out.append((label, set(range(at, at + n))))
            at += n
        return out

    mine, true, taken = segments(predicted), segments(truth), set()
    for label, frames in mine:
        ious = [
            len(frames & other) / len(frames | other) if label == name else 0.0
            for name, other in true
        ]
        best = int(np.argmax(ious)) if ious else 0
        if ious and ious[best] >= overlap:
            taken.add(best)
    return len(taken), len(mine) - len(taken), len(true) - len(taken)


@given(st.lists(st.tuples(*[st.sampled_from("0123")] * 2), min_size=1, max_size=40))
def test_paper_equals_the_definition_by_sets(frames: list[tuple[str, str]]) -> None:
    predicted, truth = (list(side) for side in zip(*frames, strict=True))
    found = count_video(predicted, truth)
    for overlap, counts in found.matched.items():
        assert counts == slow_counts(predicted, truth, overlap, "0")
    assert found.correct == sum(a == b for a, b in frames)


@given(st.lists(st.tuples(*[st.sampled_from("123")] * 2), min_size=1, max_size=40))
def test_parity_differs_in_the_last_frame_alone(frames: list[tuple[str, str]]) -> None:
    predicted, truth = (list(side) for side in zip(*frames, strict=True))
    # Two labels of their own at the end: what ends early there is a third of a segment no one shares.
    predicted, truth = [*predicted, "8", "8", "8"], [*truth, "9", "9", "9"]
    parity, paper = count_video(predicted, truth, "parity"), count_video(predicted, truth)
    assert (parity.matched, parity.correct, parity.edit) == (
        paper.matched,
        paper.correct,
        paper.edit,
    )


def test_no_action_is_background_in_the_paper_and_a_class_in_the_release() -> None:
    predicted, truth = [["0", 10], ["4", 10], ["0", 5]], [["4", 20], ["0", 5]]
    paper, parity = count_video(predicted, truth), count_video(predicted, truth, "parity")
    assert (paper.n_predicted, paper.n_true, paper.edit) == (1, 1, 100.0)
    assert (parity.n_predicted, parity.n_true) == (3, 2)
    # One deletion of three labels.
    assert parity.edit == pytest.approx((1 - 1 / 3) * 100)


@pytest.mark.parametrize("background", [[0], ["0"], [0.0], np.array([0])])
def test_background_is_compared_as_text(background: list) -> None:
    found = count_video([["0", 4], ["1", 4]], [["1", 8]], "parity", background)
    assert (found.n_predicted, found.n_true) == (1, 1)


@pytest.mark.parametrize(
    "predicted",
    [[0.0, 1.0, 1.0], np.array([0.0, 1.0, 1.0], np.float32), [[0.0, 1], [1.0, 2]], [0, 1.0, 1]],
)
def test_whole_floats_are_labels_of_integers(predicted: list) -> None:
    found = count_video(predicted, ["0", "1", "1"])
    assert (found.correct, found.n_predicted) == (3, 1)
    assert count_video([0.5, 1.0], ["0.5", "1"]).correct == 2


@pytest.mark.parametrize("text", ["0 1", b"0 1"])
def test_one_text_is_no_list_of_labels(text: str) -> None:
    with pytest.raises(ValueError, match="labels are one text"):
        count_video(text, ["0"])
    with pytest.raises(ValueError, match="labels are one text"):
        count_video(["0"], text)


def test_a_last_frame_of_its_own() -> None:
    frames = [["1", 5], ["2", 1]]
    assert count_video(frames, frames).matched[0.5] == (2, 0, 0)
    assert count_video(frames, frames, "parity").matched[0.5] == (1, 1, 1)
    text = "1\n1\n2"
    assert pairs(truth_of_file(text)) == [("1", 2), ("2", 1)]
    assert pairs(truth_of_file(text, "parity")) == [("1", 2)]
    # With a last newline nothing is lost.
    for mode in ("paper", "parity"):
        assert pairs(truth_of_file(text + "\n", mode)) == [("1", 2), ("2", 1)]
    assert pairs(truth_of_file(b"1\r\n1\r\n2\r\n")) == [("1", 2), ("2", 1)]


def test_a_second_match_is_wrong_and_does_not_look_further() -> None:
    # Both halves choose the one true segment; the first takes it.
    found = count_video([["1", 6], ["2", 1], ["1", 5]], [["1", 12]])
    assert found.matched == {0.1: (1, 2, 0), 0.25: (1, 2, 0), 0.5: (1, 2, 0)}
    # An overlap of exactly the bound is enough, and of equal overlaps the earlier is meant.
    found = count_video([["1", 4], ["3", 4]], [["1", 2], ["2", 1], ["1", 1], ["2", 4]])
    assert found.matched[0.5] == (1, 1, 3)


def test_lengths_that_differ() -> None:
    truth = [["1", 10], ["2", 10]]
    longer, shorter = [["1", 10], ["2", 10], ["3", 4]], [["1", 10], ["2", 8]]
    assert count_video(longer, truth).n_predicted == 2
    assert count_video(longer, truth, "parity").n_predicted == 3
    paper = count_video(shorter, truth)
    assert (paper.correct, paper.total) == (18, 20)
    with pytest.raises(UndefinedMetric) as caught:
        count_video(shorter, truth, "parity")
    assert caught.value.official == "IndexError: list index out of range"


def test_nothing_to_score() -> None:
    nothing = count_video([["0", 4]], [["0", 4]])
    assert nothing.edit is None and nothing.matched[0.1] == (0, 0, 0)
    total = score_videos([nothing])
    assert (total.accuracy, total.edit, total.f1_avg, total.average) == (100.0, None, None, None)
    assert count_video([], [["1", 2]]).matched[0.5] == (0, 0, 1)
    assert count_video([["1", 2]], []).matched[0.5] == (0, 0, 0)
    assert score([]).accuracy is None
    for predicted in ([], [["1", 2]]):
        with pytest.raises(UndefinedMetric):
            count_video(predicted, [], "parity")
    word = [["background", 4]]
    assert np.isnan(count_video(word, word, "parity").edit or 0.0)
    with pytest.raises(UndefinedMetric, match="argmax"):
        count_video([["1", 4]], word, "parity")
    with pytest.raises(UndefinedMetric, match="ZeroDivisionError"):
        score([], "parity")
    with pytest.raises(UndefinedMetric, match="IndexError"):
        prediction_of_file("only a header")


def test_files_of_predictions() -> None:
    assert pairs(prediction_of_file("### Frame level recognition: ###\n0 0 17\n")) == [
        ("0", 2),
        ("17", 1),
    ]
    assert pairs(prediction_of_file(b"head\r\n\r\n1 2")) == []


def test_counts_are_summed_and_edits_averaged() -> None:
    videos = [
        count_video([["1", 10]], [["1", 10]]),
        count_video([["1", 30]], [["2", 30]]),
    ]
    found = score_videos(videos)
    assert (found.accuracy, found.edit) == (25.0, 50.0)
    # One match, one false, one missed.
    assert found.f1 == {0.1: 50.0, 0.25: 50.0, 0.5: 50.0} and found.f1_avg == 50.0
    assert found.average == pytest.approx((25 + 50 + 150) / 5)


@pytest.mark.parametrize("wrong", [{"mode": "both"}, {"overlaps": (0.0, 0.5)}])
def test_what_is_refused(wrong: dict) -> None:
    with pytest.raises(ValueError):
        count_video(["1"], ["1"], **wrong)
