"""Object localisation questions from a few boxes put down by hand."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.object_localisation import BUILDER
from expectations.contracts import check
from expectations.schemas import TABLES

make_questions = BUILDER.make

Tables = dict[str, pl.DataFrame]
LENGTH = 40
# Column and row of the nine cells, in the words of the paper's figure.
NINE = [
    "top-left", "top-center", "top-right",
    "center-left", "center", "center-right",
    "bottom-left", "bottom-center", "bottom-right",
]  # fmt: skip


def recording(**changed: object) -> dict[str, Any]:
    return {
        "source": "s", "recording_id": "VID02", "take_id": "VID02", "view": "ego",
        "split": "train", "media_kind": "image_sequence", "time_base": "nominal_fps",
        "media": "present", "media_paths": [], "media_hashes": ["abc"], "licence": "L",
        "source_file": "f", "source_key": "k", **changed,
    }  # fmt: skip


def box(second: int, x: float, y: float, tool: str = "grasper", operator: str | None = "MSLH"):
    """A box of 0.1 around a centre."""
    number = 25 * second + 1
    return {
        "source": "s", "recording_id": "VID02",
        "box_id": f"VID02/{number}/{tool}/{operator}/{x:g},{y:g}", "source_frame": number,
        "t_s": float(second), "class_name": tool, "operator": operator, "image_space": "stored",
        "x_min": x - 0.05, "y_min": y - 0.05, "x_max": x + 0.05, "y_max": y + 0.05,
        "raw": [0.0] * 4, "raw_form": "xywh_norm", "clipped": False, "method": "manual",
        "source_file": "f", "source_key": f"{number}",
    }  # fmt: skip


def wandering(second: int) -> dict[str, Any]:
    """A grasper that is in another cell every second: the cells in order, again and again."""
    return box(second, (second % 3 + 0.5) / 3, (second // 3 % 3 + 0.5) / 3)


def tables(
    boxes: list[dict[str, Any]], *, pictured: range = range(LENGTH), annotated: range = range(LENGTH),
    **changed: object,
) -> Tables:  # fmt: skip
    frame = {"source": "s", "recording_id": "VID02"}
    images = [
        {
            **frame,
            "source_frame": 25 * s + 1,
            "path": f"{s}.png",
            "content": str(s),
            "t_s": float(s),
        }
        for s in pictured
    ]
    frames = [
        {**frame, "what": "tools", "source_frame": 25 * s + 1, "t_s": float(s)} for s in annotated
    ]
    return {
        "recordings": TABLES["recordings"].frame([recording(**changed)]),
        "images": TABLES["images"].frame(images),
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }


WANDERING = [wandering(s) for s in range(LENGTH)]


def asked(made: pl.DataFrame) -> list[tuple[float, dict[str, Any]]]:
    """Instant in the recording, and the question."""
    found = []
    for q in made.to_dicts():
        at_s = float(q["text"].partition("timestamp ")[2].removesuffix("s?"))
        found.append((q["media"][0]["start_s"] + at_s, q))
    return found


def test_the_wording_is_the_papers() -> None:
    """Figure 13: "... region of the view was the 'grasper' (operated by main surgeon left hand) ..."."""
    t_s, q = asked(make_questions(tables(WANDERING)))[0]
    shown = t_s - q["media"][0]["start_s"]
    assert q["text"] == (
        "Approximately in which region of the view was the 'grasper' (operated by main surgeon left"
        f" hand) located around timestamp {shown:.2f}s?"
    )


def test_a_question_is_whole() -> None:
    made = make_questions(tables(WANDERING))
    assert check(TABLES["questions"], made.with_columns(pool=pl.lit("p")), {}).refused == []
    questions = asked(made)
    assert len(questions) >= 8
    for t_s, q in questions:
        second = round(t_s)
        cell = NINE[second % 9]
        texts = [o["text"] for o in q["options"]]
        assert len(set(texts)) == 4 and set(texts) <= set(NINE)
        assert [o["letter"] for o in q["options"]] == ["A", "B", "C", "D"]
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert (right["text"], right["letter"], q["answer_text"]) == (cell, q["answer"], cell)
        assert right["value"] == cell.replace("-", "_")
        assert f"'{cell}' region" in q["detailed_answer"]
        assert q["chance"] == 0.25 and q["split"] == "train" and q["licence"] == "L"
        key = f"VID02/{25 * second + 1}/grasper/MSLH"
        evidence = {(e["table"], e["role"]): e["key"] for e in q["evidence"]}
        assert evidence["boxes", "answer"].startswith(key)
        assert evidence["annotated_frames", "coverage"] == f"VID02/tools/{25 * second + 1}"
        assert [s["step"] for s in q["rationale"]] == [1, 2, 3]
        assert all(s["evidence"] for s in q["rationale"])


def test_clips_are_of_the_papers_lengths_and_send_the_instant() -> None:
    for t_s, q in asked(make_questions(tables(WANDERING))):
        (medium,) = q["media"]
        start_s, end_s = medium["start_s"], medium["end_s"]
        assert end_s - start_s in (10, 15, 20, 30)
        assert start_s >= 0 and end_s <= LENGTH - 1
        assert (t_s - start_s) % 2 == 0 and start_s <= t_s < end_s
        assert medium["sampling"] is None and medium["content"] == "abc"


def test_other_options_are_where_the_tool_is_at_other_times() -> None:
    for t_s, q in asked(make_questions(tables(WANDERING))):
        start_s, end_s = q["media"][0]["start_s"], q["media"][0]["end_s"]
        sent = range(round(start_s), round(end_s), 2)
        visited = {NINE[s % 9] for s in sent} - {NINE[round(t_s) % 9]}
        wrong = {o["text"] for o in q["options"] if not o["is_answer"]}
        assert len(wrong & visited) == min(3, len(visited))


def test_then_where_other_tools_are() -> None:
    """The tool is in two cells only; the others come from its neighbours in the picture."""
    boxes = [box(s, 0.15 if s // 2 % 2 else 0.85, 0.15) for s in range(LENGTH)]
    boxes += [box(s, 0.5, 0.85, "hook", "MSRH") for s in range(LENGTH)]
    boxes += [box(s, 0.15, 0.85, "irrigator", "ASRH") for s in range(LENGTH)]
    found = [q for _, q in asked(make_questions(tables(boxes))) if "'grasper'" in q["text"]]
    assert found
    expected = {"top-left", "top-right", "bottom-center", "bottom-left"}
    assert all({o["text"] for o in q["options"]} == expected for q in found)


def test_a_tool_that_stays_is_not_asked_about() -> None:
    """Any frame would tell: the instant would not matter."""
    assert make_questions(tables([box(s, 0.15, 0.15) for s in range(LENGTH)])).is_empty()


DOUBT: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "same tool in the same hand": ([box(12, 0.9, 0.9)], {}),
    "same tool in an unknown hand": ([box(12, 0.9, 0.9, operator=None)], {}),
    "nobody annotated": ([], {"annotated": [s for s in range(LENGTH) if s != 12]}),
    "no picture": ([], {"pictured": [s for s in range(LENGTH) if s != 12]}),
}


def _asked_at(made: pl.DataFrame, second: int) -> list[dict[str, Any]]:
    return [q for t_s, q in asked(made) if t_s == second]


def _twelve(extra: list[dict[str, Any]], **changed: Any) -> pl.DataFrame:
    """Second 12 is the only one that may be asked about: the centre lies on a line at all others."""
    boxes = [
        wandering(s) if s == 12 else box(s, 1 / 3 + 0.01 * (-1) ** (s // 2), 0.15)
        for s in range(LENGTH)
    ]
    return make_questions(tables([*boxes, *extra], **changed))


def test_the_margin_keeps_centres_off_the_lines() -> None:
    made = _twelve([])
    assert {t_s for t_s, _ in asked(made)} == {12.0}


@pytest.mark.parametrize("case", DOUBT)
def test_what_is_in_doubt_is_not_asked(case: str) -> None:
    extra, changed = DOUBT[case]
    assert [q for q in _asked_at(_twelve(extra, **changed), 12) if "left hand" in q["text"]] == []


def test_the_same_tool_in_another_hand_is_no_doubt() -> None:
    assert len(_asked_at(_twelve([box(12, 0.9, 0.9, operator="ASRH")]), 12)) >= 1


@pytest.mark.parametrize(
    ("offset", "asks"), [(0.029, False), (0.031, True), (-0.029, False), (-0.031, True)]
)
def test_the_margin_is_three_percent(offset: float, asks: bool) -> None:
    boxes = [box(s, 0.9, 0.9) if s != 12 else box(s, 1 / 3 + offset, 0.5) for s in range(LENGTH)]
    assert bool(_asked_at(make_questions(tables(boxes)), 12)) is asks


def test_without_a_hand_the_tool_alone_is_named() -> None:
    boxes = [{**wandering(s), "operator": None, "class_name": "specimenbag"} for s in range(LENGTH)]
    _, q = asked(make_questions(tables(boxes)))[0]
    assert "was the 'specimen-bag' located around" in q["text"]


def test_an_unknown_hand_among_known_ones_is_said() -> None:
    """As the testbed does: "'specimen-bag' (operated by unknown operator)"."""
    boxes = [{**wandering(s), "operator": None, "class_name": "specimenbag"} for s in range(LENGTH)]
    made = asked(make_questions(tables([*boxes, box(39, 0.5, 0.5, "hook", "MSRH")])))
    assert "was the 'specimen-bag' (operated by unknown operator) located" in made[0][1]["text"]


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    """Its wording with tools, hands and times in place, and its nine names of regions."""
    path = shared / "data/egocross/datasets/egocross_testbed_imgs.json"
    items = json.loads(path.read_text(encoding="utf-8"))
    theirs = [
        i
        for i in items
        if i["dataset"] == "CholecTrack20" and i["question_type"] == "object spatial localization"
    ]
    assert len(theirs) == 40
    blank = re.compile(r"'[a-z-]+'|(?<=operated by )[a-z ]+|[0-9.]+(?=s\?)")
    boxes = [
        {**wandering(s), "operator": o, "class_name": c, "box_id": f"{s}{c}"}
        for s in range(LENGTH)
        for c, o in (("grasper", "ASRH"), ("hook", "MSRH"), ("specimenbag", None))
    ]
    ours = make_questions(tables(boxes))["text"].to_list()
    assert {blank.sub("_", t) for t in ours} == {blank.sub("_", i["question_text"]) for i in theirs}
    named = re.compile(r"'([a-z-]+)' \(operated by ([a-z ]+)\)")
    said = {found for i in theirs for found in named.findall(i["question_text"])}
    assert {found for text in ours for found in named.findall(text)} <= said
    assert {o.partition(": ")[2] for i in theirs for o in i["options"]} == set(NINE)


def test_hands_and_masks_are_no_tools() -> None:
    """Boxes of hands and masks lie beside those of tools in EgoSurgery."""
    before = make_questions(tables(WANDERING))
    more = [
        box(s, 0.9, 0.9, "Own hands left", None) | {"hand_owner": "wearer", "hand_side": "left"}
        for s in range(LENGTH)
    ]
    more += [box(s, 0.1, 0.9, "forceps", None) | {"method": "mask"} for s in range(LENGTH)]
    assert_frame_equal(make_questions(tables([*WANDERING, *more])), before)


def test_few_enough_and_apart() -> None:
    long = 600
    boxes = [
        {**wandering(s), "class_name": tool, "box_id": f"{tool}{s}"}
        for s in range(long)
        for tool in ("grasper", "hook")
    ]
    made = asked(make_questions(tables(boxes, pictured=range(long), annotated=range(long))))
    assert len(made) == 25
    cells = [q["answer_text"] for _, q in made]
    assert max(map(cells.count, cells)) <= 5
    for tool in ("grasper", "hook"):
        times = sorted(t for t, q in made if f"'{tool}'" in q["text"])
        assert min(b - a for a, b in itertools.pairwise(times)) >= 4


def test_a_video_ends_where_its_container_says() -> None:
    changed = {"media_kind": "video", "media_duration_s": 25.0, "media_paths": ["a.mp4"]}
    made = make_questions(tables(WANDERING, pictured=range(0), **changed))
    assert not made.is_empty()
    assert max(q["media"][0]["end_s"] for q in made.to_dicts()) <= 25


def test_missing_media_are_said() -> None:
    made = make_questions(tables(WANDERING, pictured=range(0), media="missing", media_hashes=[]))
    assert not made.is_empty() and not made["media_present"].any()


def test_order_of_rows_means_nothing() -> None:
    given = tables(WANDERING)
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(make_questions(given), make_questions(turned))


def test_a_new_box_elsewhere_moves_no_identity() -> None:
    before = set(make_questions(tables(WANDERING))["question_id"])
    extra = [box(39, 0.5, 0.5, "hook", "MSRH")]
    assert set(make_questions(tables([*WANDERING, *extra]))["question_id"]) == before


def test_the_builder_reads_what_it_says() -> None:
    """Columns that are not declared may hold anything: nothing is made anew for them."""
    given = tables(WANDERING)
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(make_questions(narrowed), make_questions(given))
