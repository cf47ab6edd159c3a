"""Published figures against stored rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets.sources.registry import layouts
from expectations.published import Figure, _checked, compare, figures
from expectations.schemas import TABLES

KNOWN = sorted(name for name, one in layouts().items() if one.text_beside("published.toml"))


def _figures(layout: str) -> tuple[Figure, ...]:
    return figures(layout, layouts()[layout].text_beside("published.toml"))


@pytest.mark.parametrize("layout", KNOWN)
def test_figures_belong_to_a_layout_and_name_what_exists(layout: str) -> None:
    assert _figures(layout)
    assert all(figure.said and figure.value > 0 for figure in _figures(layout))


def test_a_layout_of_which_nothing_is_printed_has_no_figures() -> None:
    assert figures("folder", "") == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"table": "recording"},
        {"measure": "median"},
        {"where": {"side": "ego"}},
        {"measure": "distinct", "column": "nobody"},
    ],
)
def test_a_figure_that_names_nothing_is_an_error(wrong: dict[str, object]) -> None:
    right = {"about": "a", "value": 1, "said": "b", "table": "recordings", "measure": "rows"}
    _checked(Figure(**right), "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names"):
        _checked(Figure(**(right | wrong)), "x")  # type: ignore[arg-type]


def test_counts_hours_and_means_are_compared() -> None:
    """20 videos are published; 5 of them with a phase are here."""
    tables = {name: table.empty().lazy() for name, table in TABLES.items()}
    tables["recordings"] = pl.LazyFrame(
        {
            "view": ["ego"] * 108 + ["exo"] * 315,
            "duration_s": [9650.0 * 3.6 / 108 * 10] * 108 + [1.0] * 315,
        }
    )
    tables["segments"] = pl.LazyFrame(
        {
            "kind": ["fine"] * 3 + ["coarse"] * 4,
            "recording_id": ["a", "a", "b", "c", "d", "d", "e"],
            "start_s": [0.0] * 7,
            "end_s": [4.0, 5.0, 4.8, 90.0, 90.0, 90.0, 90.0],
        }
    )
    found = {f.figure.about: f for f in compare(_figures("egoexolearn"), tables.__getitem__)}
    assert found["egocentric videos"].share == 0.25
    assert not found["egocentric videos"].holds
    assert found["demonstration videos"].holds
    assert found["hours of egocentric video"].found == pytest.approx(96.5)
    assert found["hours of egocentric video"].holds
    assert found["recordings with coarse annotation"].found == 3
    assert found["mean length of a fine segment, seconds"].found == pytest.approx(4.6)
    assert found["verb classes of the released taxonomy"].found == 0


def test_the_guide_lists_every_layout_with_what_is_known_of_it() -> None:
    guide = (Path(__file__).parents[2] / "docs/datasets.md").read_text(encoding="utf-8")
    for name, one in layouts().items():
        assert f"| `{name}` | {one.title} | {one.certainty} | {one.licence} |" in guide
        assert (f"- `{name}`: " in guide) == bool(one.assumed), name
        assert not one.assumed or f"- `{name}`: {one.assumed}.\n" in guide
