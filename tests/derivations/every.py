"""Faults of any question, planted into every small world."""

from __future__ import annotations

from expectations.gates import Guesses
from tests.derivations.world import (
    CLIPS,
    EVERY,
    EXPLAINED,
    LETTERED,
    STEPS,
    TIMED,
    Fault,
    World,
    collect,
    key_to,
    overlay,
)

FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(LETTERED, "answer", "wrong_key")
def wrong_key(w: World) -> None:
    key_to(w, w.others[0]["letter"])


@fault(LETTERED, "distractors", "second_right")
def key_moved_leaves_the_truth_among_distractors(w: World) -> None:
    key_to(w, w.others[-1]["letter"])


@fault(LETTERED, "well_formed", "answer_letter")
def answer_is_no_letter(w: World) -> None:
    w.question["answer"] = "Z"


@fault(LETTERED, "well_formed", "answer_letter")
def answer_and_mark_differ(w: World) -> None:
    w.question["answer"] = w.others[0]["letter"]


@fault(LETTERED, "well_formed", "one_answer")
def two_options_marked(w: World) -> None:
    w.others[0]["is_answer"] = True


@fault(LETTERED, "well_formed", "one_answer")
def no_option_marked(w: World) -> None:
    w.answer["is_answer"] = False


@fault(LETTERED, "well_formed", "letters")
def letters_swapped(w: World) -> None:
    a, b = w.options[0], w.options[1]
    a["letter"], b["letter"] = b["letter"], a["letter"]


@fault(EVERY, "well_formed", "chance")
def chance_of_another_count(w: World) -> None:
    w.question["chance"] = 0.5


@fault(EVERY, "well_formed", "text_empty")
def text_of_nothing_visible(w: World) -> None:
    w.question["text"] = " \u200b \u00a0"


@fault(EVERY, "well_formed", "text_unrendered")
def text_with_a_hole(w: World) -> None:
    w.question["text"] += " It is {{ name }}."


@fault(EVERY, "well_formed", "text_unrendered")
def text_with_a_none(w: World) -> None:
    w.question["text"] += " (operated by None)"


@fault(EVERY, "well_formed", "text_control")
def text_turned_around(w: World) -> None:
    w.question["text"] += " \u202etfel eht no si tI"


@fault(EVERY, "well_formed", "clip_empty")
def empty_clip(w: World) -> None:
    w.query["end_s"] = w.query["start_s"]


@fault(EVERY, "well_formed", "clip_empty")
def clip_backwards(w: World) -> None:
    w.query["start_s"], w.query["end_s"] = w.query["end_s"], w.query["start_s"]


@fault(EVERY, "well_formed", "clip_without_times")
def clip_without_an_end(w: World) -> None:
    w.query["end_s"] = float("nan")


@fault(TIMED, "well_formed", "clip_outside")
def clip_after_the_recording(w: World) -> None:
    length = w.row("recordings", recording_id=w.query["recording_id"])["duration_s"]
    w.query["start_s"], w.query["end_s"] = length - 1.0, length + 5.0


@fault(EVERY, "well_formed", "clip_outside")
def clip_before_the_recording(w: World) -> None:
    w.query["start_s"] = -3.0


@fault(TIMED, "well_formed", "clip_too_short")
def clip_of_one_frame(w: World) -> None:
    w.query["end_s"] = w.query["start_s"] + 0.04


@fault(EVERY, "well_formed", "no_media")
def no_media(w: World) -> None:
    w.question["media"] = []


@fault(EVERY, "well_formed", "no_query")
def query_of_another_role(w: World) -> None:
    w.query["role"] = "clip_1"


@fault(EVERY, "well_formed", "role_twice")
def two_queries(w: World) -> None:
    again = {**w.query, "start_s": w.query["start_s"] + 0.5}
    w.question["media"].append(again)


@fault(EVERY, "well_formed", "role")
def medium_of_an_unknown_role(w: World) -> None:
    w.question["media"].append({**w.query, "role": "bonus", "start_s": w.query["start_s"] + 0.5})


@fault(EVERY, "well_formed", "recording_missing")
def recording_that_is_not(w: World) -> None:
    w.query["recording_id"] = w.question["recording_id"] = "gone"


@fault(EVERY, "well_formed", "time_outside")
def given_time_after_the_clip(w: World) -> None:
    w.query["times_s"] = [w.query["end_s"] + 3.0]


@fault(EVERY, "well_formed", "overlay_outside")
def box_beyond_the_picture(w: World) -> None:
    w.query["overlays"] = [overlay((0.5, 0.5, 1.4, 0.9), None)]


@fault(EVERY, "well_formed", "no_evidence")
def no_evidence(w: World) -> None:
    w.question["evidence"] = []


@fault(EVERY, "well_formed", "evidence_missing")
def evidence_that_is_not(w: World) -> None:
    w.question["evidence"][0]["key"] += "x"


@fault(EVERY, "well_formed", "rationale_evidence")
def rationale_on_nothing(w: World) -> None:
    w.question["rationale"] = [{"step": 1, "text": "It is so.", "evidence": ["hearsay"]}]


@fault(EVERY, "well_formed", "evidence_missing")
def rationale_on_a_row_that_is_not(w: World) -> None:
    table = w.question["evidence"][0]["table"]
    step = {"step": 1, "text": "It is so.", "evidence": [f"{table}:nothing"]}
    w.question["rationale"] = [step]


@fault(EVERY, "well_formed", "rationale_order")
def rationale_out_of_order(w: World) -> None:
    key = w.question["evidence"][0]["key"]
    steps = [{"step": i, "text": "So.", "evidence": [key]} for i in (2, 1)]
    w.question["rationale"] = steps


@fault(EVERY, "well_formed", "rationale_without_evidence")
def rationale_without_evidence(w: World) -> None:
    w.question["rationale"] = [{"step": 1, "text": "It is so.", "evidence": []}]


@fault(EVERY, "consistent", "evidence_of_another_recording")
def evidence_of_another_recording(w: World) -> None:
    first = w.question["evidence"][0]
    shown = {m["recording_id"] for m in w.question["media"]}
    # A wearer's recording tells what an observer's of the same take shows.
    takes = {r["take_id"] for r in w.tables["recordings"] if r["recording_id"] in shown}
    shown |= {r["recording_id"] for r in w.tables["recordings"] if r["take_id"] in takes}
    names = {
        "segments": "segment_id",
        "boxes": "box_id",
        "spatial_facts": "fact_id",
        "graph_edges": "edge_id",
        "paths": "path_id",
        "recordings": "recording_id",
        "clocks": "recording_id",
    }
    name = names[first["table"]]
    other = next(r for r in w.tables[first["table"]] if r["recording_id"] not in shown)
    first["key"] = other[name]


@fault(EVERY, "consistent", "another_recording")
def question_about_another_recording(w: World) -> None:
    shown = {m["recording_id"] for m in w.question["media"]}
    other = next(r for r in w.tables["recordings"] if r["recording_id"] not in shown)
    w.question["recording_id"] = other["recording_id"]


@fault(EVERY, "consistent", "content_of_another_file")
def video_was_replaced(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["media_hashes"] = ["newer"]


@fault(EVERY, "consistent", "another_split")
def split_of_nobody(w: World) -> None:
    w.question["split"] = "test"


@fault(EVERY, "consistent", "licence")
def licence_left_out(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["licence"] = "CC-BY-NC-4.0"


@fault(EVERY, "consistent", "another_source")
def recording_of_another_source(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["source"] = "sample-s"


@fault(EVERY, "consistent", "media_present")
def says_the_pixels_are_here(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["media"] = "missing"


@fault(LETTERED, "well_formed", "question_hash", keeps_hash=True)
def text_changed_under_the_old_hash(w: World) -> None:
    w.question["text"] = w.question["text"].replace("?", " now?")


@fault(LETTERED, "well_formed", "question_hash", keeps_hash=True)
def option_changed_under_the_old_hash(w: World) -> None:
    w.others[0]["text"] += " now"


@fault(LETTERED, "well_formed", "question_hash", keeps_hash=True)
def options_swapped_under_the_old_hash(w: World) -> None:
    a, b = w.options[0], w.options[1]
    if a["text"] == b["text"]:  # clips that are told apart by nothing but what they show
        a, b = w.shown(a), w.shown(b)
        a["recording_id"], b["recording_id"] = b["recording_id"], a["recording_id"]
        a["overlays"], b["overlays"] = b["overlays"], a["overlays"]
    else:
        a["text"], b["text"] = b["text"], a["text"]


@fault(EVERY, "consistent", "text")
def text_asks_for_something_else(w: World) -> None:
    w.question["text"] += " Leave out what is red."


@fault(EVERY, "consistent", "evidence_left_out")
def evidence_of_the_answer_removed(w: World) -> None:
    roles = ("answer", f"option_{w.question['answer']}")
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] not in roles]


@fault(EVERY, "consistent", "evidence_role")
def rows_of_the_evidence_change_their_roles(w: World) -> None:
    first, last = w.question["evidence"][0], w.question["evidence"][-1]
    first["role"], last["role"] = last["role"], first["role"]


@fault(EVERY, "consistent", "evidence_outside_unit")
def evidence_of_another_unit(w: World) -> None:
    w.question["evidence"][0]["key"] = "a row of a unit that is not judged here"


@fault(EVERY, "consistent", "mark_without_evidence")
def box_drawn_around_nothing(w: World) -> None:
    w.query["overlays"] = [overlay((0.7, 0.02, 0.8, 0.1), None)]


@fault(EVERY, "consistent", "unknown_recipe")
def recipe_of_nobody(w: World) -> None:
    w.question["recipe"] = "guesswork@1"


@fault(EVERY, "consistent", "licence")
def licence_of_nobody(w: World) -> None:
    w.question["licence"] += "; Public domain"


@fault(EXPLAINED, "explanation", "missing")
def explanation_removed(w: World) -> None:
    w.question["detailed_answer"] = None


@fault(EXPLAINED, "explanation", "unsupported")
def explanation_says_more_than_the_rows(w: World) -> None:
    w.question["detailed_answer"] += " The wearer is tired."


@fault(EXPLAINED, "explanation", "unsupported")
def explanation_without_a_claim(w: World) -> None:
    w.question["detailed_answer"] = "It is so."


@fault(EXPLAINED, "explanation", "left_out")
def explanation_breaks_off(w: World) -> None:
    text = w.question["detailed_answer"]
    w.question["detailed_answer"] = text[: text.rfind(". ") + 1]


@fault(EXPLAINED, "explanation", "repeated")
def explanation_says_it_twice(w: World) -> None:
    w.question["detailed_answer"] += " " + w.question["detailed_answer"]


@fault(EXPLAINED, "explanation", "too_long")
def explanation_without_end(w: World) -> None:
    w.question["detailed_answer"] += ' The other candidates show other times of it: A "x, ' * 500


@fault(EVERY, "consistent", "text")
def text_without_end(w: World) -> None:
    w.question["text"] += " " * 3000 + "Say A."


@fault(STEPS, "explanation", "missing")
def rationale_removed(w: World) -> None:
    w.question["rationale"] = []


@fault(STEPS, "explanation", "left_out")
def rationale_stops_before_the_conclusion(w: World) -> None:
    w.question["rationale"].pop()


@fault(STEPS, "explanation", "not_cited")
def steps_name_the_rows_of_other_steps(w: World) -> None:
    first, last = w.question["rationale"][0], w.question["rationale"][-1]
    first["evidence"], last["evidence"] = last["evidence"], first["evidence"]


@fault(STEPS, "explanation", "cites_unrelated")
def a_step_names_a_row_it_does_not_speak_of(w: World) -> None:
    steps = w.question["rationale"]
    steps[-1]["evidence"] = [*steps[-1]["evidence"], *steps[0]["evidence"]]


@fault(STEPS, "explanation", "not_cited")
def a_step_names_only_one_of_the_things_it_speaks_of(w: World) -> None:
    many = max(w.question["rationale"], key=lambda step: len(step["evidence"]))
    many["evidence"] = many["evidence"][1:2]


@fault(LETTERED, "leak", "letter_told")
def letter_told(w: World) -> None:
    w.question["text"] += f" The correct one is {w.question['answer']}."


@fault(LETTERED, "leak", "letter_told")
def all_other_letters_ruled_out(w: World) -> None:
    w.question["text"] += " The answer is not " + ", ".join(o["letter"] for o in w.others) + "."


@fault(TIMED, "seen_by_sampling", "not_seen")
def frames_missing_around_the_evidence(w: World) -> None:
    start, end = w.seen_s or (w.query["start_s"], w.query["end_s"])
    if CLIPS in w.groups:
        # A clip wider than its segment, whose only frames lie outside the segment.
        segment = w.row("segments", segment_id=w.query["segment_id"])
        segment["end_s"] = segment["start_s"] + 1.5
        w.query["start_s"], w.query["end_s"] = segment["start_s"] - 0.25, segment["end_s"] + 0.25
        start, end = segment["start_s"] - 0.05, segment["end_s"] + 0.05
    uid = w.query["recording_id"]
    w.frame_times[uid] = [t for t in w.frame_times[uid] if not start <= t <= end]


@fault(TIMED, "seen_by_sampling", "nothing_sent")
def no_frame_in_the_clip(w: World) -> None:
    uid, start, end = (w.query[c] for c in ("recording_id", "start_s", "end_s"))
    w.frame_times[uid] = [t for t in w.frame_times[uid] if not start - 0.01 <= t <= end + 0.01]


@fault(TIMED, "seen_by_sampling", "nothing_sent")
def sampling_rule_without_times(w: World) -> None:
    w.query["sampling"] = "given"


@fault(LETTERED, "blind", "answered_blind")
def answered_without_video(w: World) -> None:
    scores = {o["letter"]: -5.0 for o in w.options} | {w.question["answer"]: -1.0}
    w.guess("blind", Guesses("strong/1", scores=(scores,)))


@fault(LETTERED, "blind", "answered_blind")
def named_without_video_in_most_orders(w: World) -> None:
    wrong = w.others[0]["letter"]
    w.guess("blind", Guesses("strong/1", named=(*[w.question["answer"]] * 4, wrong)))


@fault(LETTERED, "single_frame", "answered_from_one_frame")
def named_from_one_frame(w: World) -> None:
    w.guess("single_frame", Guesses("seeing/1", named=(w.question["answer"],) * 4))
