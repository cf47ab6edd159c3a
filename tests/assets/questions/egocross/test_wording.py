"""The 957 released questions of EgoCross are worded as our templates say, byte for byte."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assets.questions.egocross as benchmark
from assets.questions.kit.recipe import template
from assets.questions.kit.wording import Value, Wording, wordings

FOLDER = Path(benchmark.__file__).parent / "released"
TESTBED = "data/egocross/datasets/egocross_testbed_imgs.json"
# Our subtask by the type the testbed names.
SUBTASKS = {
    "interaction identification": "interaction_identification",
    "animal identification": "animal_identification",
    "dominant held-object identification": "dominant_object",
    "object not visible identification": "object_not_visible",
    "action sequence identification": "action_sequence_identification",
    "special action identification": "special_action_identification",
    "sport identification": "sport_identification",
    "action temporal localization": "action_localisation",
    "interaction temporal localization": "interaction_localisation",
    "object spatial localization": "object_localisation",
    "next direction prediction": "next_direction",
    "next interaction prediction": "next_interaction",
    "next action prediction": "next_action",
    "next phase prediction": "next_phase",
    "object counting": "object_counting",
}
LAYOUTS = {
    "CholecTrack20": "cholectrack20",
    "EgoSurgery": "egosurgery",
    "ENIGMA": "enigma51",
    "ExtrameSportFPV": "extremesportfpv",
    "EgoPet": "egopet",
}
# Released texts that no template of ours gives; none is left.
UNLIKE: dict[int, str] = {}


@cache
def released(subtask: str, layout: str) -> tuple[tuple[Wording, ...], tuple[Wording, ...]]:
    """Wordings of the questions and of the options of one source."""
    path = FOLDER / f"{subtask}.j2"
    return wordings(path, f"released_{layout}"), wordings(path, f"option_{layout}")


def read(text: str, known: tuple[Wording, ...]) -> list[tuple[Wording, dict[str, Value]]]:
    """Every wording that a text parses into, with its slots."""
    parsed = ((wording, wording.parse(text)) for wording in known)
    return [(wording, values) for wording, values in parsed if values is not None]


@pytest.fixture(scope="module")
def items(shared: Path) -> list[dict[str, Any]]:
    return json.loads((shared / TESTBED).read_text(encoding="utf-8"))


def test_every_released_text_is_one_of_our_wordings(items: list[dict[str, Any]]) -> None:
    """Each question and each option parses into exactly one wording, which renders it again."""
    assert len(items) == 957
    unlike: dict[int, str] = {}
    used: Counter[tuple[str, str]] = Counter()
    for item in items:
        subtask, layout = SUBTASKS[item["question_type"]], LAYOUTS[item["dataset"]]
        questions, options = released(subtask, layout)
        texts = [(item["question_text"], questions)]
        assert [o[:3] for o in item["options"]] == ["A: ", "B: ", "C: ", "D: "]
        texts += [(option[3:], options) for option in item["options"]]
        for text, known in texts:
            found = read(text, known)
            if len(found) != 1 or found[0][0].render(found[0][1]) != text:
                unlike[item["id"]] = text
            used.update((subtask, wording.name) for wording, _ in found)
    assert unlike == UNLIKE
    # No wording stands in a template that no released text has.
    known = {
        (subtask, wording.name)
        for subtask in SUBTASKS.values()
        for prefix in ("released_", "option_")
        for wording in wordings(FOLDER / f"{subtask}.j2", prefix)
    }
    assert known == used.keys()


def test_templates_give_the_released_texts_as_builders_render_them(
    items: list[dict[str, Any]],
) -> None:
    for item in items:
        subtask, layout = SUBTASKS[item["question_type"]], LAYOUTS[item["dataset"]]
        ((wording, values),) = read(item["question_text"], released(subtask, layout)[0])
        texts = template(str(FOLDER / "x.py"), f"{subtask}.j2")
        context = texts.new_context(dict(values))
        assert "".join(texts.blocks[wording.name](context)).strip() == item["question_text"]


# What slots of released texts hold: classes of the sources' own vocabularies, in refined names.
TOOLS = {"grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimen-bag"}
OPERATORS = {
    "main surgeon left hand",
    "main surgeon right hand",
    "assistant surgeon right hand",
    "unknown operator",
}
PHASES = {
    "preparation",
    "carlot triangle dissection",
    "clipping and cutting",
    "gallbladder dissection",
    "gallbladder packaging",
    "cleaning and coagulation",
    "gallbladder extraction",
}
OPEN_TOOLS = {
    "Bipolar Forceps", "Electric Cautery", "Forceps", "Gauze", "Hook", "Mouth Gag",
    "Needle Holders", "Raspatory", "Retractor", "Scalpel", "Scissors", "Skewer",
    "Suction Cannula", "Syringe", "Tweezers",
}  # fmt: skip
CELLS = {
    f"{row}-{column}".replace("center-center", "center")
    for row in ("top", "center", "bottom")
    for column in ("left", "center", "right")
}
HELD = {
    ("cholectrack20", "tool"): TOOLS,
    ("cholectrack20", "operator"): OPERATORS,
    ("cholectrack20", "phase"): PHASES,
    ("egosurgery", "tool"): OPEN_TOOLS,
    ("egosurgery", "hand"): {"left", "right"},
    ("enigma51", "hand"): {"left", "right"},
    ("enigma51", "ordinal"): {"second", "third"},
    ("enigma51", "verb"): {"contact", "decontact", "take", "release"},
    ("egopet", "animal"): {"cat", "dog", "eagle", "goose", "turtle"},
}
NAMED = {
    ("dominant_object", "cholectrack20"): TOOLS,
    ("object_not_visible", "cholectrack20"): TOOLS,
    ("next_phase", "cholectrack20"): PHASES,
    ("dominant_object", "egosurgery"): OPEN_TOOLS,
    ("object_not_visible", "egosurgery"): OPEN_TOOLS,
}


def test_slots_hold_what_they_are_named_after(items: list[dict[str, Any]]) -> None:
    seen: dict[tuple[str, str], set[Value]] = {key: set() for key in (*HELD, *NAMED)}
    for item in items:
        subtask, layout = SUBTASKS[item["question_type"]], LAYOUTS[item["dataset"]]
        questions, options = released(subtask, layout)
        texts = [(item["question_text"], questions)]
        texts += [(option[3:], options) for option in item["options"]]
        for text, known in texts:
            ((_, values),) = read(text, known)
            for name, value in values.items():
                if name == "cell":
                    assert value in CELLS
                key = (subtask, layout) if name == "name" else (layout, name)
                if key in seen:
                    seen[key].add(value)
    for key, expected in {**HELD, **NAMED}.items():
        assert seen[key] and seen[key] <= expected, (key, seen[key] - expected)


def test_clips_and_times_of_a_question_agree(items: list[dict[str, Any]]) -> None:
    """A span starts before it ends, and a time lies in its span: slots are not swapped."""
    for item in items:
        subtask, layout = SUBTASKS[item["question_type"]], LAYOUTS[item["dataset"]]
        for text, known in (
            (item["question_text"], released(subtask, layout)[0]),
            *((option[3:], released(subtask, layout)[1]) for option in item["options"]),
        ):
            ((_, values),) = read(text, known)
            start, end = float(values.get("start_s", 0)), float(values.get("end_s", 1e9))
            assert start < end and start <= float(values.get("at_s", start)) <= end


NO_NEARER_S = 0.5


def _places(items: list[dict[str, Any]]) -> list[tuple[str, float, list[int]]]:
    """Source, time and numbers of the pictures (in the released file names) of each item about a place."""
    asked = []
    for item in items:
        if item["question_type"] == "object spatial localization":
            layout = LAYOUTS[item["dataset"]]
            ((_, values),) = read(item["question_text"], released("object_localisation", layout)[0])
            numbers = [int(Path(path).stem.rpartition("_")[2]) for path in item["video_path"]]
            asked.append((layout, float(values["at_s"]), numbers))
    return asked


def test_39_of_92_released_places_are_asked_away_from_every_half_frame_per_second(
    items: list[dict[str, Any]],
) -> None:
    """More than half a second from every frame at 0.5 fps, counted from the clip's start."""
    places = _places(items)
    away = Counter(
        layout for layout, at_s, _ in places if abs(at_s - 2 * round(at_s / 2)) > NO_NEARER_S
    )
    assert Counter(layout for layout, _, _ in places) == {
        "cholectrack20": 40,
        "egosurgery": 20,
        "enigma51": 32,
    }
    assert away == {"cholectrack20": 20, "enigma51": 19}
    assert (away.total(), len(places)) == (39, 92)


def test_36_of_92_are_asked_away_from_every_picture_that_is_sent(
    items: list[dict[str, Any]],
) -> None:
    """By the pictures' own numbers: eight items of CholecTrack20 are sent one picture a second.

    `frame_00003` is the fourth of one every 2 s; CholecTrack20's own pictures are numbered at 25 fps;
    EgoSurgery's are 2 s apart, listed in the order of their names (148 before 79), and have gaps.
    """
    away: Counter[str] = Counter()
    for layout, at_s, numbers in _places(items):
        own = layout == "cholectrack20" and numbers[1] - numbers[0] == 25
        step_s = 1 / 25 if own else 2.0
        away[layout] += min(abs(at_s - step_s * (n - min(numbers))) for n in numbers) > NO_NEARER_S
    assert away == {"cholectrack20": 17, "egosurgery": 0, "enigma51": 19}
