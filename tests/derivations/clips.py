"""Faults of questions whose options are clips."""

from __future__ import annotations

from tests.derivations.world import CLIPS, Fault, World, collect, medium, overlay

FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(CLIPS, "well_formed", "medium_twice")
def two_options_show_one_clip(w: World) -> None:
    a, b = w.others[0], w.others[1]
    shown = w.shown(a)
    for key in ("recording_id", "segment_id", "start_s", "end_s", "content"):
        w.shown(b)[key] = shown[key]
    b["segment_id"] = a["segment_id"]


@fault(CLIPS, "well_formed", "medium_twice")
def one_file_under_two_names(w: World) -> None:
    twin = {**w.row("recordings", recording_id=w.shown(w.answer)["recording_id"])}
    twin["recording_id"] = "copy"
    w.tables["recordings"].append(twin)
    answer = w.shown(w.answer)
    same = {"recording_id": "copy", "start_s": answer["start_s"], "end_s": answer["end_s"]}
    w.shown(w.others[0]).update(same)


@fault(CLIPS, "well_formed", "medium_twice")
def query_among_the_options(w: World) -> None:
    for key in ("recording_id", "start_s", "end_s", "content"):
        w.shown(w.others[0])[key] = w.query[key]


@fault(CLIPS, "well_formed", "option_media")
def option_without_a_clip(w: World) -> None:
    w.question["media"].remove(w.shown(w.others[0]))


@fault(CLIPS, "consistent", "swapped_view")
def query_and_answer_swapped(w: World) -> None:
    shown, query = w.shown(w.answer), w.query
    for key in ("recording_id", "segment_id", "start_s", "end_s", "content"):
        shown[key], query[key] = query[key], shown[key]
    w.answer["segment_id"] = shown["segment_id"]
    w.question["recording_id"] = query["recording_id"]


@fault(CLIPS, "consistent", "swapped_view")
def answer_in_the_querys_view(w: World) -> None:
    row = w.row("recordings", recording_id=w.shown(w.answer)["recording_id"])
    row["view"] = w.row("recordings", recording_id=w.query["recording_id"])["view"]


@fault(CLIPS, "consistent", "shifted_time")
def query_shifted_by_two_seconds(w: World) -> None:
    w.query["start_s"] += 2.0
    w.query["end_s"] += 2.0


@fault(CLIPS, "consistent", "shifted_time")
def answer_shifted_by_two_seconds(w: World) -> None:
    w.shown(w.answer)["start_s"] += 2.0
    w.shown(w.answer)["end_s"] += 2.0


@fault(CLIPS, "consistent", "shifted_time")
def distractor_shows_another_time(w: World) -> None:
    shown = w.shown(w.others[0])
    shown["start_s"] += 4.0
    shown["end_s"] += 4.0


@fault(CLIPS, "consistent", "clip_cuts_segment")
def only_a_glimpse_of_the_action(w: World) -> None:
    w.query["end_s"] = w.query["start_s"] + 1.0


@fault(CLIPS, "consistent", "clip_too_wide")
def clip_reaches_far_beyond_its_segment(w: World) -> None:
    w.query["start_s"] -= 2.0
    w.query["end_s"] += 2.0


@fault(CLIPS, "consistent", "option_shows_another_segment")
def option_stands_for_another_segment(w: World) -> None:
    w.others[0]["segment_id"] = w.others[1]["segment_id"]


@fault(CLIPS, "consistent", "option_of_another_recording")
def distractor_of_another_recording(w: World) -> None:
    uid = w.elsewhere
    w.shown(w.others[0]).update(recording_id=uid, content=f"hash-{uid}")


@fault(CLIPS, "consistent", "across_splits")
def options_of_another_split(w: World) -> None:
    w.row("recordings", recording_id=w.shown(w.answer)["recording_id"])["split"] = "test"


@fault(CLIPS, "leak", "action_in_text")
def narration_in_the_text(w: World) -> None:
    narration = w.row("segments", segment_id=w.query["segment_id"])["narration"]
    w.question["text"] += f" (It shows: {narration})"


@fault(CLIPS, "leak", "action_in_text")
def narration_in_other_words(w: World) -> None:
    w.question["text"] += " " + w.retold


@fault(CLIPS, "leak", "reference_shows_answer")
def reference_shows_the_answer(w: World) -> None:
    shown = w.shown(w.answer)
    uid = shown["recording_id"]
    reference = medium("reference", uid, shown["start_s"] - 6.0, shown["start_s"] + 1.0)
    w.question["media"].append(reference)


@fault(CLIPS, "leak", "answer_stands_out")
def box_drawn_on_the_right_clip_alone(w: World) -> None:
    w.shown(w.answer)["overlays"] = [overlay((0.4, 0.4, 0.6, 0.6), None)]


@fault(CLIPS, "leak", "answer_stands_out")
def right_clip_sampled_more_densely(w: World) -> None:
    w.shown(w.answer)["sampling"] = "midpoints(16)"


@fault(CLIPS, "margin", "apart_from")
def distractor_runs_into_the_answer(w: World) -> None:
    answer, other = w.shown(w.answer), w.shown(w.others[0])
    other["start_s"], other["end_s"] = answer["end_s"] - 1.0, answer["end_s"] + 3.0


@fault(CLIPS, "consistent", "option_text")
def distractor_flies_to_the_moon(w: World) -> None:
    w.others[0]["text"] = "flies to the moon"


@fault(CLIPS, "consistent", "option_text")
def answer_flies_to_the_moon(w: World) -> None:
    w.answer["text"] = "flies to the moon"


@fault(CLIPS, "consistent", "option_text")
def option_without_its_narration(w: World) -> None:
    w.answer["text"] = ""


@fault(CLIPS, "well_formed", "option_value")
def clip_has_a_value(w: World) -> None:
    w.others[0]["value"] = "5"


@fault(CLIPS, "consistent", "answer_text")
def clips_have_an_open_answer(w: World) -> None:
    w.question["answer_text"] = w.answer["text"]
