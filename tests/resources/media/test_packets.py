"""Rules of the frame index on packets written out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from resources.media.packets import Stream, index_frames, packet_array

K = "key"  # key frame
D = "discard"
C = "corrupt"
H = "hidden"


def stream(*packets: tuple, **facts: object) -> Stream:
    """Packets as (pts, dts, *flags)."""
    frame = packet_array(
        {
            "order": list(range(len(packets))),
            "pts": [p[0] for p in packets],
            "dts": [p[1] for p in packets],
            "is_discard": [D in p for p in packets],
            "is_keyframe": [K in p for p in packets],
            "is_corrupt": [C in p for p in packets],
            "is_hidden": [H in p for p in packets],
        }
    )
    base = Stream(frame, 0, (0,), "h264", 640, 480, 0, 1, 1000)
    return replace(base, **facts)


CASES = [
    ("plain", [(0, 0, K), (40, 40), (80, 80)], [0, 40, 80], [0, 1, 2], {}),
    ("irregular", [(0, 0, K), (33, 33), (533, 533)], [0, 33, 533], [0, 1, 2], {}),
    (
        "b-frames",
        [(0, -40, K), (120, 0), (40, 40), (80, 80)],
        [0, 40, 80, 120],
        [0, 2, 3, 1],
        {},
    ),
    ("negative", [(-80, -80, K), (-40, -40), (0, 0)], [-80, -40, 0], [0, 1, 2], {}),
    ("edit list", [(-40, -40, K, D), (0, 0), (40, 40)], [0, 40], [1, 2], {}),
    ("hidden", [(0, 0, K), (39, 39, H), (40, 40)], [0, 40], [0, 2], {}),
    (
        "duplicate keeps the first stored",
        [(0, 0, K), (40, 40), (40, 40), (40, 41)],
        [0, 40],
        [0, 1],
        {"duplicate_stamp": "2 packets, stamps 40, 40"},
    ),
    (
        "stamps fall back",
        [(100, 100, K), (140, 140), (0, 0, K), (40, 40)],
        [0, 40, 100, 140],
        [2, 3, 0, 1],
        {"non_monotone_stamp": "1 packets, stamps 0"},
    ),
    (
        "a missing stamp is the decoding stamp",
        [(0, 0, K), (None, 40), (80, 80)],
        [0, 40, 80],
        [0, 1, 2],
        {"missing_stamp": "1 packets, stamps 40"},
    ),
    (
        "not so where packets are reordered",
        [(0, -40, K), (120, 0), (None, 40), (80, 80)],
        [0, 80, 120],
        [0, 3, 1],
        {"missing_stamp": "1 packets, stamps 40"},
    ),
    ("only decoding stamps", [(None, 0, K), (None, 1)], [0, 1], [0, 1], {"missing_stamp": "2 pac"}),
    ("no stamp at all", [(None, None, K), (None, None)], [], [], {"missing_stamp": "2 packets"}),
    (
        "corrupt stays and warns",
        [(0, 0, K), (40, 40, C)],
        [0, 40],
        [0, 1],
        {"corrupt_packet": "1 packets, stamps 40"},
    ),
    (
        "before the first key frame",
        [(0, 0), (40, 40), (80, 80, K), (120, 120)],
        [80, 120],
        [2, 3],
        {"undecodable_lead": "2 packets, stamps 0, 40"},
    ),
    (
        "leading pictures of a cut open group",
        [(120, None, K), (40, None), (80, 80), (240, 120), (160, 160)],
        [120, 160, 240],
        [0, 4, 3],
        {"open_lead": "2 packets, stamps 40, 80"},
    ),
    ("no key frame", [(0, 0), (40, 40)], [], [], {"undecodable_lead": "2 packets"}),
    ("nothing", [], [], [], {}),
]


@pytest.mark.parametrize(
    ("packets", "pts", "stored", "rules"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_rules(packets: list, pts: list, stored: list, rules: dict[str, str]) -> None:
    index = index_frames(stream(*packets), recording_id="r", file="a.mp4")
    assert index.pts.tolist() == pts
    assert index.pts.dtype == np.int64
    assert index.stored.tolist() == stored
    assert {r["rule"] for r in index.refusals} == rules.keys()
    for row in index.refusals:
        assert row["value"] is not None
        assert row["value"].startswith(rules[row["rule"]])
        assert (row["table"], row["recording_id"], row["file"]) == ("streams", "r", "a.mp4")
        assert row["message"] and row["remedy"]


def test_one_refusal_per_rule_however_many_packets() -> None:
    many = [(0, 0, K), *[(80 - i % 2 * 40, 40 + i) for i in range(500)]]
    index = index_frames(stream(*many))
    assert index.stored.tolist() == [0, 2, 1]
    (row,) = index.refusals
    assert row["value"] == "498 packets, stamps 80, 40, 80, 40, 80 and 493 more"


@pytest.mark.parametrize(
    ("facts", "value"),
    [
        ({"declared_frames": 9}, "2 of 9 packets"),
        ({"fault": "cut"}, "2 of unknown packets"),
    ],
)
def test_a_file_that_ends_early_is_told(facts: dict, value: str) -> None:
    index = index_frames(stream((0, 0, K), (40, 40), **facts))
    assert [(r["rule"], r["value"]) for r in index.refusals] == [("truncated", value)]
    assert len(index.pts) == 2


def test_counts() -> None:
    index = index_frames(
        stream((-40, -40, K, D), (0, 0), (0, 0), (None, 40), (80, 80)),
    )
    assert (index.discarded, index.duplicates, index.unstamped) == (1, 1, 1)
    assert not index.reordered


@pytest.mark.parametrize(
    "facts", [{"rotation_deg": 45}, {"time_base_num": 0}, {"packets": np.zeros(1)}]
)
def test_a_stream_that_cannot_be_is_refused(facts: dict) -> None:
    with pytest.raises(ValueError):
        stream((0, 0, K), **facts)
