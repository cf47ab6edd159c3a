"""EgoProx's questions as sets that LLaMA-Factory reads."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from assets.questions.egoprox.released_form import AskedSample
from assets.questions.egoprox.tuning_form import drawn_questions, reply_of, tuning_files
from tests.derivations.registry import fresh

PICTURES = ("media/q/query/0000.jpg", "media/q/query/0001.jpg")


def question(subtask: str, number: int, source: str = "adt") -> dict[str, Any]:
    return {
        "question_id": f"{subtask}-{number}",
        "benchmark": "egoprox",
        "subtask": subtask,
        "source": source,
    }


def asked(name: str, text: str = "Where is it?", system: str = "Look.") -> AskedSample:
    return AskedSample(fresh(name).questions().row(0, named=True), system, text, PICTURES, "shown")


def files(*samples: AskedSample, reasons: bool = False) -> dict[str, Any]:
    written = tuning_files({"egoprox_intention": samples}, reasons=reasons)
    return {name: json.loads(text) for name, text in written.items()}


def test_a_chat_has_one_mark_for_its_list_of_frames() -> None:
    (chat,) = files(asked("intention_relative"))["egoprox_intention.json"]
    assert chat["messages"] == [
        {"role": "system", "content": "Look."},
        {"role": "user", "content": "<video>Where is it?"},
        {"role": "assistant", "content": "<C>"},
    ]
    # A list of frames is one video; the trainer counts the marks against the list.
    assert chat["videos"] == [list(PICTURES)]
    (plain,) = files(asked("intention_relative", system=""))["egoprox_intention.json"]
    assert [turn["role"] for turn in plain["messages"]] == ["user", "assistant"]


def test_a_mark_in_a_text_is_no_medium() -> None:
    (chat,) = files(asked("intention_relative", "A <video> and an <image>?"))[
        "egoprox_intention.json"
    ]
    assert chat["messages"][1]["content"] == "<video>A (video) and an (image)?"


def test_replies_are_what_the_prompts_ask_for() -> None:
    row = fresh("intention_relative").questions().row(0, named=True)
    assert reply_of(row, reasons=False) == "<C>"
    assert reply_of(row, reasons=True) == f"{row['detailed_answer']}\nThe correct answer is <C>"
    chain = fresh("chain_of_actions").questions().row(0, named=True)
    assert json.loads(reply_of(chain, reasons=False)) == [[2, 6, 4], ["A", "C"]]


def test_the_sets_are_described_for_the_trainer() -> None:
    written = files(asked("intention_relative"))
    assert written["dataset_info.json"]["egoprox_intention"] == {
        "file_name": "egoprox_intention.json",
        "formatting": "sharegpt",
        "columns": {"messages": "messages", "videos": "videos"},
        "tags": {
            "role_tag": "role",
            "content_tag": "content",
            "user_tag": "user",
            "assistant_tag": "assistant",
            "system_tag": "system",
        },
    }
    settings = written["lora.json"]
    # Section E: rank 8 on all layers, an effective batch of 16, the vision tower frozen.
    assert (settings["lora_rank"], settings["lora_target"]) == (8, "all")
    assert settings["per_device_train_batch_size"] * settings["gradient_accumulation_steps"] == 16
    assert settings["freeze_vision_tower"] and settings["freeze_multi_modal_projector"]
    assert settings["dataset"] == "egoprox_intention"


def test_subtasks_of_a_set_have_the_same_share_as_far_as_they_reach() -> None:
    rows = [question("intention_relative", n) for n in range(50)]
    rows += [question("intention_approximate", n) for n in range(4)]
    rows += [question("exploration_relative", n, "court") for n in range(3)]
    sets = drawn_questions(rows, "category", 10)
    assert list(sets) == ["egoprox_exploration", "egoprox_intention"]
    assert Counter(row["subtask"] for row in sets["egoprox_intention"]) == {
        "intention_relative": 6,
        "intention_approximate": 4,
    }
    by_source = drawn_questions(rows, "source", 1200)
    assert {name: len(found) for name, found in by_source.items()} == {
        "egoprox_adt": 54,
        "egoprox_court": 3,
    }


def test_the_same_questions_are_drawn_whatever_their_order_and_what_else_there_is() -> None:
    rows = [question("intention_relative", n) for n in range(50)]
    drawn = drawn_questions(rows, "category", 10)
    more = [*reversed(rows), question("exploration_relative", 1)]
    assert drawn_questions(more, "category", 10)["egoprox_intention"] == drawn["egoprox_intention"]
