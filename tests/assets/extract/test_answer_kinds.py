"""Rules of the readers of chains, pairs, times, open answers and evidence, one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.extract.chains import read_chain
from assets.extract.directions import as_direction, directions_in
from assets.extract.evidence import read_evidence
from assets.extract.inflection import stem
from assets.extract.open_answers import OpenAnswer, read_open
from assets.extract.pairs import read_pair
from assets.extract.times import Time, read_time
from assets.extract.words import kind_of, matched_by, read_without_options
from assets.words.numerals import figures

CHAIN = ((2, 4, 3), ("H", "C"))


@pytest.mark.parametrize(
    "reply",
    [
        "[[2, 4, 3], [H, C]]",
        '[[2, 4, 3], "HC"]',
        "[[2 4 3], HC]",
        "[[2; 4; 3], [H; C]]",
        "[[2, 4, 3], [back-right, front]]",
        "[[2, 4, 3], [右后, 前]]",
        '{"nodes": [2, 4, 3], "edges": ["H", "C"]}',
        '{"answer": {"steps": "2, 4, 3", "directions": "H, C"}}',
        '[{"id": 2, "move": "H"}, {"id": 4, "move": "C"}, {"id": 3, "move": null}]',
        "2 (H) 4 (C) 3",
        "Steps: 2 -> 4 -> 3\nDirections: H, C",
        "<steps>2, 4, 3</steps><directions>H, C</directions>",
        "The form is [[1, 2], [A]]. Mine: [[2, 4, 3], [H, C]]",
        "[[4, 2, 3], [A, C]] is wrong. So [[2, 4, 3], [H, C]].",
    ],
)
def test_chains(reply: str) -> None:
    assert read_chain(reply).value == CHAIN


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("[[2, 4, 3], [H]]", "ambiguous"),
        ("[[2, 4, 3], [H, C, A]]", "ambiguous"),
        ("[[2, 4, 3], [H, Z]]", "ambiguous"),
        ("[[2, 4, 30], [H, C]]", "ambiguous"),
        ("[[2, 4, 3], [H, C]] or [[4, 2, 3], [A, C]]", "ambiguous"),
        ("[[2, 4,", "truncated"),
        ("I cannot plan the steps without the video.", "refused"),
        ("<think>[[2, 4, 3], [H, C]]</think>", "empty"),
    ],
)
def test_no_chain(reply: str, status: str) -> None:
    assert (
        read_chain(reply, n_candidates=10).value,
        read_chain(reply, n_candidates=10).status,
    ) == (
        None,
        status,
    )


def test_chains_agree_with_the_definition_where_a_chain_is_complete(shared: Path) -> None:
    lines = (shared / "oracles/egoprox_coa/cases.jsonl").read_text(encoding="utf-8").splitlines()
    checked = 0
    for case in map(json.loads, lines):
        found = read_chain(case["response"]).value
        steps, edges = case["parsed"] or ((), ())
        # Names of directions are letters to the definition: the f of "front".
        if case["kind"] == "names" or len(edges) != len(steps) - 1:
            continue
        checked += 1
        assert found == (tuple(steps), tuple(edges)), case
    assert checked > 100


@pytest.mark.parametrize(
    ("reply", "pair"),
    [
        ("Video2-Video5", (2, 5)),
        ("Video 5 is the same as Video 2.", (2, 5)),
        ("clip two and clip five", (2, 5)),
        ("the second and the fifth", (2, 5)),
        ("视频二和视频五", (2, 5)),
        ('{"pair": [2, 5]}', (2, 5)),
        ("Video1-Video2: no. Video2-Video5: yes.", (2, 5)),
        ("1-2: 40 %\n2-5: 99 %\n3-4: 10 %", (2, 5)),
        ("Video1-Video3. Sorry, I mean Video2-Video5.", (2, 5)),
    ],
)
def test_pairs(reply: str, pair: tuple[int, int]) -> None:
    assert read_pair(reply, 5).value == pair


@pytest.mark.parametrize(
    "reply",
    [
        "Video2-Video5 or Video1-Video3",
        "Video1, Video2 and Video3",
        "Video2",
        "Video2-Video9",
        "Video2-Video2",
        "At 2 s and 5 s a cup falls.",
        "Video1 and Video2 differ.",
    ],
)
def test_no_pair(reply: str) -> None:
    assert read_pair(reply, 5).value is None


@pytest.mark.parametrize(
    ("reply", "seconds", "frame", "unit"),
    [
        ("7", 7.0, None, "s"),
        ("7.5 s", 7.5, None, "s"),
        ("7,5 s", 7.5, None, "s"),
        ("seven seconds", 7.0, None, "s"),
        ("1:02:03.5", 3723.5, None, "clock"),
        ("02:03", 123.0, None, "clock"),
        ("2 min 3 s", 123.0, None, "min+s"),
        ("1 h 2 min", 3720.0, None, "min+s"),
        ("1500 ms", 1.5, None, "ms"),
        ("2 minutes", 120.0, None, "min"),
        ("2分3秒", 123.0, None, "min+s"),
        ("frame #45", None, 45, "frame"),
        ("第45帧", None, 45, "frame"),
        ("the 45th frame", None, 45, "frame"),
        ('{"frame_index": 45}', None, 45, "frame"),
        ('{"time": 2, "unit": "min"}', 120.0, None, "min"),
        ("The clip is 30 s long; the touch is at 7 s.", 7.0, None, "s"),
        ("7 s (± 0.5 s)", 7.0, None, "s"),
        ("frame 210 at 30 fps, that is 7 s", 7.0, None, "s"),
        ("Not at 5 s but at 7 s.", 7.0, None, "s"),
    ],
)
def test_times(reply: str, seconds: float | None, frame: int | None, unit: Any) -> None:
    assert read_time(reply).value == Time(seconds, frame, unit)


def test_of_several_times_the_one_that_is_asked_about_counts() -> None:
    reply = (
        "The bread is cut at 9 s. The knife first touches it at 7 s, and it is put away at 12 s."
    )
    assert read_time(reply, "When does the knife first touch the bread?").value == Time(
        7.0, None, "s"
    )
    assert read_time(reply).status == "ambiguous"


@pytest.mark.parametrize(
    "reply", ["4-7 s", "from 0:04 to 0:07", "between 4 and 7 seconds", "4秒到7秒"]
)
def test_ranges_have_no_point(reply: str) -> None:
    assert (read_time(reply).value, read_time(reply).status) == (None, "ambiguous")


def test_frames_become_seconds_only_at_a_known_rate() -> None:
    frame = read_time("frame 46").value
    assert frame is not None
    assert frame.seconds is None
    assert frame.seconds_at(0.5) == 92.0
    assert frame.seconds_at(30, first_frame=1) == 1.5
    assert Time(4.0, None, "s").seconds_at(30) == 4.0


@pytest.mark.parametrize(
    ("reply", "answer", "reason"),
    [
        ('{"prediction": "a whisk", "explanation": "eggs"}', "a whisk", "eggs"),
        ("Answer: a whisk. Reason: eggs.", "a whisk.", "eggs."),
        ("A whisk, because there are eggs.", "A whisk", "there are eggs."),
        ('{"answer": "打蛋器", "reason": "有鸡蛋，要打散。"}', "打蛋器", "有鸡蛋，要打散。"),
        ('{"answer": "a whisk", "reason": "the eggs are st', "a whisk", "the eggs are st"),
        ('{"answer": 3}', "3", None),
        ("**a whisk**", "a whisk", None),
    ],
)
def test_open_answers(reply: str, answer: str, reason: str | None) -> None:
    assert read_open(reply).value == OpenAnswer(answer, reason)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ('{"answer": "I cannot see the video.", "reason": ""}', "refused"),
        ('{"answer": null, "reason": "No video."}', "refused"),
        ('{"answer": "<answer>"}', "ambiguous"),
        ('{"answer": "whi', "truncated"),
        ('{"answer": "a fork"} {"answer": "a comb"}', "ambiguous"),
        ("{}", "empty"),
    ],
)
def test_no_open_answer(reply: str, status: str) -> None:
    assert (read_open(reply).value, read_open(reply).status) == (None, status)


BOX, OTHER = (120, 45, 300, 210), (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("reply", "times", "objects", "boxes"),
    [
        ("At 3.2 s the knife is at [120, 45, 300, 210].", (3.2,), ("knife",), (BOX,)),
        (
            "<time>3.2</time><object>knife</object><box>120, 45, 300, 210</box>",
            (3.2,),
            ("knife",),
            (BOX,),
        ),
        ('<evidence time="3.2" object="knife" box="120,45,300,210"/>', (3.2,), ("knife",), (BOX,)),
        ("3.2 s | knife | 120, 45, 300, 210", (3.2,), ("knife",), (BOX,)),
        ("knife (120,45),(300,210)", (), ("knife",), (BOX,)),
        ("The knife (3.2 s, [120, 45, 300, 210]) is moved.", (3.2,), ("knife",), (BOX,)),
        (
            "box: x1=120, y1=45, x2=300, y2=210; object: knife; time: 3.2 s",
            (3.2,),
            ("knife",),
            (BOX,),
        ),
        ("Objects: knife, board. Times: 3.2 s, 5 s.", (3.2, 5.0), ("knife", "board"), ()),
        ('{"time": "2.0-3.5", "object": "pan"}', (2.0, 3.5), ("pan",), ()),
        ("At 2 s, no: at 3 s, the pan is lifted.", (3.0,), ("pan",), ()),
        ("在第3秒，刀位于[120, 45, 300, 210]。", (3.0,), ("刀",), (BOX,)),
        ('The "pan" stands on the "stove".', (), ("pan", "stove"), ()),
        ("At 3.2 s the 'knife' is in the wearer's hand.", (3.2,), ("knife",), ()),
        ("Answer: B\n1. At 3.2 s he puts the pan somewhere.", (3.2,), ("pan",), ()),
        ("It begins 1.0 s after the clip ends, at 9 s: the 'jar'.", (9.0,), ("jar",), ()),
        (
            '{"time": "-5 s", "object": "pan", "box": ["1", "2", "3", "4"]}',
            (-5.0,),
            ("pan",),
            (OTHER,),
        ),
        (
            '{"t": "250 ms", "box": {"x_min": 1, "y_min": 2, "x_max": 3, "y_max": 4}}',
            (0.25,),
            (),
            (OTHER,),
        ),
        (
            "1. 3.2 s, knife, [120, 45, 300, 210]\n2. 5 s, board, [1, 2, 3, 4]",
            (3.2, 5.0),
            ("knife", "board"),
            (BOX, OTHER),
        ),
    ],
)
def test_evidence(reply: str, times: Any, objects: Any, boxes: Any) -> None:
    found = read_evidence(reply).value
    assert found is not None
    assert (found.times, found.objects, found.boxes) == (times, objects, boxes)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("front-left, then back", ["front-left", "back"]),
        ("to the left and behind", ["back-left"]),
        ("right behind you", ["back"]),
        ("with the right hand he turns left", []),
        ("that's right", []),
        ("右后方", ["back-right"]),
        ("左前", ["front-left"]),
        ("最后", []),
        ("왼쪽 앞", ["front-left"]),
    ],
)
def test_directions(text: str, names: list[str]) -> None:
    assert [found.name for found in directions_in(text)] == names


def test_an_option_is_a_direction_only_as_a_whole() -> None:
    assert as_direction("Back right.") == "back-right"
    assert as_direction("to the left") == "left"
    assert as_direction("the left grasper") is None


@pytest.mark.parametrize(
    ("word", "other"),
    [("opens", "open"), ("cutting", "cut"), ("tries", "try"), ("took", "take"), ("washed", "wash")],
)
def test_endings(word: str, other: str) -> None:
    assert stem(word) == stem(other)


def test_figures() -> None:
    assert figures("twenty-five of twelve") == "25 of 12"
    assert figures("the eighth of 3rd", ordinals=True) == "the 8 of 3"
    assert figures("二十五和九") == "25和9"


@pytest.mark.parametrize(
    ("reply", "answer", "right", "status"),
    [
        ("Video 3 and Video 1", "Video1-Video3", True, "parsed"),
        ("Video2-Video3", "Video1-Video3", False, "parsed"),
        ("I cannot compare videos.", "Video1-Video3", False, "refused"),
        ("[[8, 7, 3], [F, A]]", '[[8, 7, 3], ["F", "A"]]\n[[7, 8, 3], ["B", "A"]]', True, "parsed"),
        ("[[8, 7, 3], [F, B]]", '[[8, 7, 3], ["F", "A"]]', False, "parsed"),
        ("[[8, 7,", '[[8, 7, 3], ["F", "A"]]', False, "truncated"),
        ("the pot", "a pot", True, "parsed"),
        ('{"prediction": "The pot.", "reason": "it boils"}', "pot", True, "parsed"),
        ("the pan", "a pot", False, "parsed"),
        ("the pan", None, False, "parsed"),
        ("", "a pot", False, "empty"),
    ],
)
def test_the_form_of_the_released_answer_chooses_the_reader(
    reply: str, answer: str | None, right: bool, status: str
) -> None:
    read, is_right = read_without_options(reply, answer)
    assert (read.letter, read.status, is_right) == (None, status, right)


@pytest.mark.parametrize(
    ("reply", "answer", "step"),
    [
        ("pot", "pot", "equal"),
        ("Answer: the pot.", "pot", "normalised"),
        ('{"prediction": "The pots.", "reason": "they boil"}', "pot", "stem"),
        ("two", "2", "number"),
        ("-2", "2", None),
        ("the left hand", "the right hand", None),
        ("a pan", "pot", None),
    ],
)
def test_how_an_answer_in_words_matches(reply: str, answer: str, step: str | None) -> None:
    assert matched_by(reply, answer) == step
    # Only what changes no word is right.
    _, right = read_without_options(reply, answer)
    assert right == (step in ("equal", "normalised"))


def test_kinds_of_answers() -> None:
    assert kind_of("Video1-Video3") == "pair"
    assert kind_of('[[8, 7, 3], ["F", "A"]]') == "chain"
    assert [kind_of(answer) for answer in ("[1, 2]", "the pot", "", None, "3")] == ["words"] * 5


def test_a_reply_that_goes_on_behind_the_answer_is_another_answer() -> None:
    _, right = read_without_options("knife", "knife")
    assert right
    _, right = read_without_options(f"knife{'.' * 2_000} or a mug", "knife")
    assert not right
