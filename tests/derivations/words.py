"""Faults of questions whose options are words."""

from __future__ import annotations

from tests.derivations.world import BOXED, WORDS, Fault, World, collect, overlay

FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(WORDS, "well_formed", "option_twice")
def two_options_alike(w: World) -> None:
    w.others[0]["text"] = w.others[1]["text"]


@fault(WORDS, "well_formed", "option_twice")
def two_options_look_alike(w: World) -> None:
    text = w.others[1]["text"]
    w.others[0]["text"] = text[0].upper() + "\u200b" + text[1:].replace("-", "\u2011") + " "


@fault(WORDS, "well_formed", "option_twice")
def two_options_mean_one_thing(w: World) -> None:
    w.others[0]["value"] = w.others[1]["value"]


@fault(WORDS, "well_formed", "option_empty")
def option_of_nothing_visible(w: World) -> None:
    w.others[0]["text"] = "\u200b"


@fault(WORDS, "leak", "answer_in_text")
def answer_told_in_the_text(w: World) -> None:
    w.question["text"] += f" Think of {w.answer['text']}."


@fault(WORDS, "leak", "answer_in_text")
def answer_told_in_disguise(w: World) -> None:
    word = w.answer["text"].upper().replace("-", " \u2013 ")
    w.question["text"] += f" (\u201c{word}\u201d)"


@fault(WORDS, "leak", "option_marked")
def answer_is_marked(w: World) -> None:
    w.answer["text"] += " (correct)"


@fault(WORDS, "leak", "answer_stands_out")
def answer_ends_with_a_dot(w: World) -> None:
    w.answer["text"] += "."


@fault(WORDS, "leak", "answer_stands_out")
def answer_has_a_blank_behind(w: World) -> None:
    w.answer["text"] += " "


@fault(WORDS, "leak", "overlay_tells")
def box_is_labelled_with_the_answer(w: World) -> None:
    w.query["overlays"] = [overlay((0.0, 0.9, 0.05, 0.95), None, w.answer["text"])]


@fault(WORDS, "consistent", "answer_text")
def open_answer_says_something_else(w: World) -> None:
    w.question["answer_text"] = w.others[0]["text"]


@fault(WORDS, "consistent", "value_differs_from_text")
def text_and_value_swapped(w: World) -> None:
    a, b = w.answer, w.others[0]
    a["text"], b["text"] = b["text"], a["text"]


@fault(BOXED, "leak", "overlay_on_answer")
def box_drawn_on_the_answer(w: World) -> None:
    assert w.answer_box is not None
    w.query["overlays"] = [overlay(w.answer_box, None)]
