"""Figures by hand-counted tables, and against a household's own plan."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from assets.statistics.figures import FIGURES, gaze
from assets.statistics.plots import MOST_BARS, plots
from expectations.contracts import check
from expectations.schemas import TABLES

MAKE = {figure.name: figure.make for figure in FIGURES}
TEXT = "{http://www.w3.org/2000/svg}text"


def table(name: str, *rows: dict[str, Any]) -> pl.DataFrame:
    return TABLES[name].frame([{"source": "s", **row} for row in rows])


RECORDINGS = table(
    "recordings",
    {"recording_id": "a", "view": "ego", "scenario": "stew", "media_duration_s": 60.0, "duration_s": 99.0},
    {"recording_id": "b", "view": "ego", "scenario": "stew", "duration_s": 30.0},
    {"recording_id": "c", "view": "exo", "scenario": None},
)  # fmt: skip
SEGMENTS = table(
    "segments",
    {"segment_id": "1", "recording_id": "a", "kind": "fine", "start_s": 0.0, "end_s": 2.0, "narration": "cut the  onion"},
    {"segment_id": "2", "recording_id": "a", "kind": "fine", "start_s": 2.0, "end_s": 6.0, "narration": "put the onion"},
    {"segment_id": "3", "recording_id": "c", "kind": "coarse", "start_s": 0.0, "end_s": 8.0, "narration": None},
    {"segment_id": "4", "recording_id": "c", "kind": "fine", "start_s": 5.0, "end_s": 5.0, "is_point": True, "narration": ""},
)  # fmt: skip


def label(segment: str, hand: str, span: int = 0, noun: int = 7, clause: int = 0) -> dict[str, Any]:
    return {
        "segment_id": segment, "clause": clause, "kind": "noun", "class_id": noun,
        "class_label": f"thing {noun}", "body_part": hand, "span_start": span,
    }  # fmt: skip


def shown(frame: pl.DataFrame, *columns: str) -> list[tuple]:
    assert check(TABLES["statistics"], frame, {}).refused == []
    return frame.select("view", "part", "label", *columns).rows()


def test_recordings_count_though_their_length_is_unknown() -> None:
    made = MAKE["recordings"]({"recordings": RECORDINGS})
    # What the container says goes before what a list states.
    assert shown(made, "n", "seconds") == [
        ("ego", "", "stew", 2, 90.0),
        ("exo", "", "not stated", 1, None),
    ]


def test_segments_and_captions() -> None:
    tables = {"recordings": RECORDINGS, "segments": SEGMENTS}
    assert shown(MAKE["segments"](tables), "n", "seconds", "mean") == [
        ("ego", "", "fine", 2, 6.0, 3.0),
        ("exo", "", "coarse", 1, 8.0, 8.0),
        ("exo", "", "fine", 1, 0.0, 0.0),
    ]
    assert shown(MAKE["captions"](tables), "place", "n") == [
        ("ego", "fine", "3", 3, 2),
        ("exo", "fine", "0", 0, 1),
    ]


def test_words_count_a_segment_once_per_hand_and_class() -> None:
    labels = table(
        "labels",
        label("1", "left_hand"),
        label("1", "left_hand", span=9),
        label("1", "right_hand", span=9, clause=1),
        label("2", "left_hand"),
        label("3", "unspecified_hand", noun=8),
    )
    made = MAKE["nouns"]({"recordings": RECORDINGS, "segments": SEGMENTS, "labels": labels})
    assert shown(made, "place", "n", "seconds") == [
        ("ego", "left_hand", "thing 7", 7, 2, 6.0),
        ("ego", "right_hand", "thing 7", 7, 1, 2.0),
        ("exo", "unspecified_hand", "thing 8", 8, 1, 8.0),
    ]
    assert MAKE["verbs"](
        {"recordings": RECORDINGS, "segments": SEGMENTS, "labels": labels}
    ).is_empty()


def test_classes_of_one_label_are_one() -> None:
    rows = [
        label("1", "left_hand", noun=8),
        label("1", "left_hand", noun=7),
        label("3", "left_hand", noun=8),
    ]
    labels = table("labels", *(row | {"class_label": "pot"} for row in rows))
    made = MAKE["nouns"]({"recordings": RECORDINGS, "segments": SEGMENTS, "labels": labels})
    assert shown(made, "place", "n", "seconds") == [
        ("ego", "left_hand", "pot", 7, 1, 2.0),
        ("exo", "left_hand", "pot", 7, 1, 8.0),
    ]


def test_gaze_tells_shares_and_residuals_of_recordings_that_have_any() -> None:
    def tick(uid: str, n: int, samples: int, valid: int, residual: float | None) -> dict[str, Any]:
        return {
            "recording_id": uid, "grid": "cfr25", "tick": n, "t_s": n / 25, "part": 0,
            "source_frame": n, "source_pts": n, "residual_ms": 0.0, "gaze_valid": valid,
            "gaze_samples": samples, "gaze_residual_ms": residual,
        }  # fmt: skip

    frames = table(
        "frames",
        tick("a", 0, 5, 4, 2.0),
        tick("a", 1, 5, 0, None),
        tick("a", 2, 5, 5, 4.0),
        tick("a", 3, 0, 0, None),
        tick("b", 0, 0, 0, None),
    )
    made = gaze({"recordings": RECORDINGS, "frames": frames})
    assert shown(made, "n", "share", "mean") == [("ego", "", "a", 4, 0.5, 3.0)]
    assert made["unit"].to_list() == ["gaze/a"]


def test_a_recording_has_the_same_figures_alone_and_among_others_in_any_order() -> None:
    rows = [
        {
            "recording_id": uid, "part": 0, "tick": n, "t_s": n / 25,
            "source_frame": n, "source_pts": n, "residual_ms": 0.0, "gaze_valid": n % 3,
            "gaze_samples": 1, "gaze_residual_ms": (n * 7919 % 1748) / 97,
        }
        for uid, ticks in (("a", 1748), ("b", 21))
        for n in range(ticks)
    ]  # fmt: skip
    both = gaze({"recordings": RECORDINGS, "frames": table("frames", *rows[::-1])})
    for uid in ("a", "b"):
        own = table("frames", *(row for row in rows if row["recording_id"] == uid))
        alone = gaze({"recordings": RECORDINGS, "frames": own})
        assert alone.rows() == both.filter(label=uid).rows()
    # Of 21 values the 20th: 95 in a hundred are at most as high.
    told = sorted(row["gaze_residual_ms"] for row in rows if row["recording_id"] == "b")
    assert both.filter(label="b")["high"].item() == pytest.approx(told[19], abs=1e-5)


def test_plots_show_the_longest_bars_and_say_how_many_there_are() -> None:
    rows = [
        {"unit": "verbs", "figure": "verbs", "view": "ego", "part": "left_hand", "label": f"v{i:02d}",
         "n": i, "seconds": 60.0 * i}
        for i in range(1, MOST_BARS + 6)
    ]  # fmt: skip
    rows.append(
        {"unit": "verbs", "figure": "verbs", "view": "ego", "part": "foot", "label": "<b>", "n": 99, "seconds": 0.0}
    )  # fmt: skip
    counted, lasting = plots(table("statistics", *rows))
    assert counted.title == "Verbs: segments by hand (20 of 26)"
    assert lasting.title == "Verbs: minutes by hand (20 of 26)"
    said = [t.text for t in ET.fromstring(counted.svg).iter(TEXT)]
    assert said[:4] == ["<b>", "99", "v25", "25"]
    assert "v06" not in said and "left hand" in said and "other" in said
    assert plots(TABLES["statistics"].empty()) == []


@pytest.mark.parametrize("figure", sorted(MAKE))
def test_a_figure_of_nothing_is_empty(figure: str) -> None:
    needs = next(f for f in FIGURES if f.name == figure).reads
    assert MAKE[figure]({name: TABLES[name].empty() for name in needs}).is_empty()
