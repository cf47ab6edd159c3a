"""Marks drawn on frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from resources.media.overlays import COLOURS, Overlay, colour_of, draw_overlays

BOX = Overlay("box", "", "red", 0.02, None, (0.25, 0.2, 0.75, 0.8))


def grey(height: int, width: int) -> np.ndarray:
    return np.full((height, width, 3), 128, np.uint8)


def drawn(*marks: Overlay, height: int = 101, width: int = 201) -> np.ndarray:
    """Where the picture is changed, as bool [height, width]."""
    return (draw_overlays(grey(height, width), marks) != 128).any(axis=-1)


def test_box_is_an_outline_around_its_place() -> None:
    picture = draw_overlays(grey(101, 201), [BOX])
    changed = (picture != 128).any(axis=-1)
    rows, columns = np.nonzero(changed)
    # 0.2 and 0.8 of rows 0..100, 0.25 and 0.75 of columns 0..200, and the line beyond them.
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (18, 82, 48, 152)
    assert (picture[changed] == COLOURS["red"]).all()
    # 2 % of the height is a line of two pixels.
    assert changed[18:20, 48:153].all()
    assert not changed[20:81, 50:151].any()


@pytest.mark.parametrize(("height", "line_px"), [(20, 1), (100, 2), (200, 4), (400, 8)])
def test_line_scales_with_the_height(height: int, line_px: int) -> None:
    column = drawn(BOX, height=height, width=2 * height)[:, height]
    assert column[: height // 2].sum() == line_px


def test_parts_outside_are_cut_at_the_border() -> None:
    changed = drawn(replace(BOX, box=(-0.5, 0.5, 0.5, 1.5)))
    assert changed[50:, 0].all() and changed[100, :100].all()
    assert not changed[:48].any()


def test_the_later_mark_lies_on_top() -> None:
    over = replace(BOX, colour="blue")
    picture = draw_overlays(grey(50, 50), [BOX, over])
    assert tuple(picture[9, 12]) == COLOURS["blue"]


def test_given_picture_stays_and_drawing_repeats_itself() -> None:
    given = grey(60, 80)
    first = draw_overlays(given, [replace(BOX, label="P1")])
    assert (given == 128).all()
    assert (draw_overlays(given, [replace(BOX, label="P1")]) == first).all()
    assert draw_overlays(given, []) is given


@pytest.mark.parametrize(
    ("box", "rows"),
    [
        pytest.param((0.25, 0.5, 0.75, 0.9), slice(0, 50), id="above the box"),
        pytest.param((0.25, 0.0, 0.75, 0.9), slice(3, 45), id="inside where there is no room"),
    ],
)
def test_label_is_drawn_beside(box: tuple, rows: slice) -> None:
    plain, labelled = (drawn(replace(BOX, box=box, label=text)) for text in ("", "P2"))
    more = labelled & ~plain
    assert more[rows, 45:130].sum() > 50
    assert not more[:, :45].any()


def test_labels_differ_and_stay_inside() -> None:
    pictures = [
        draw_overlays(grey(60, 80), [replace(BOX, label=text, box=(0.9, 0.5, 1.0, 0.9))])
        for text in ("P1", "P2", "a label far too long for the picture it is drawn on")
    ]
    assert (pictures[0] != pictures[1]).any()
    assert all(picture.shape == (60, 80, 3) for picture in pictures)


def _row(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "box",
        "label": None,
        "colour": "blue",
        "width": 0.01,
        "t_s": 2.5,
        "x_min": 0.1,
        "y_min": 0.2,
        "x_max": 0.3,
        "y_max": 0.4,
    } | changes


def test_struct_becomes_an_overlay() -> None:
    assert Overlay.of(_row()) == Overlay("box", "", "blue", 0.01, 2.5, (0.1, 0.2, 0.3, 0.4))
    assert Overlay.of(_row(t_s=None)).t_s is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "circle"}, "kind 'circle'"),
        ({"colour": "mauve"}, "colour 'mauve'"),
        ({"colour": "#12"}, "nor #rrggbb"),
        ({"colour": None}, "colour ''"),
        ({"width": 0.0}, "width 0.0"),
        ({"width": float("nan")}, "width nan"),
        ({"width": 12.0}, "width 12.0"),
        ({"x_max": 0.1}, "empty"),
        ({"y_min": float("nan")}, "not finite"),
        ({"x_min": 1.2, "x_max": 1.4}, "outside"),
        ({"x_min": None}, "lacks a number"),
        ({"t_s": float("inf")}, "instant"),
    ],
)
def test_bad_marks_are_refused(changes: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Overlay.of(_row(**changes))


def test_colours_by_number() -> None:
    assert colour_of("#0a10FF") == (10, 16, 255)
