"""Worlds of boxed people in pictures without times, and the faults of their questions."""

from __future__ import annotations

from tests.derivations.world import (
    EXPLAINED,
    PEOPLE,
    PICTURES,
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    recording,
)

SIDES = ("x_min", "y_min", "x_max", "y_max")
COUNT = 14
# Pictures are numbered from 1, places in their order from 0.
NUMBERS = range(3, 11)


def camera(uid: str, view: str, wearer: str | None = None) -> Row:
    take = uid.partition("_")[0]
    row = recording(uid, view, 0.0, take_id=take, person_id=wearer, time_base="index_only")
    return {**row, "duration_s": None}


def clock(uid: str) -> Row:
    take = uid.partition("_")[0]
    row = {"source": "s", "recording_id": uid, "take_id": take, "method": "same_index"}
    return {**row, "offset_s": 0.0, "rate": 1.0}


def images(uid: str) -> list[Row]:
    row = {"source": "s", "recording_id": uid}
    return [
        {**row, "source_frame": n, "path": f"{uid}/{n}.jpg", "content": f"{uid}{n}"}
        for n in range(1, COUNT + 1)
    ]


def sides(uid: str, person: int, number: int) -> dict[str, float]:
    """A place of its own for everybody; who walks moves with the number of the picture."""
    left = 0.03 + 0.14 * person + 0.004 * number
    top = 0.3 if uid.endswith(("_hor", "_1")) else 0.55
    return {"x_min": left, "y_min": top, "x_max": left + 0.08, "y_max": top + 0.2}


def boxes(uid: str, people: tuple[int, ...]) -> list[Row]:
    take = uid.partition("_")[0]
    return [
        {
            "source": "s",
            "recording_id": uid,
            "box_id": f"{uid}/{number}/{person}",
            "source_frame": number,
            "class_name": "person",
            "person_id": f"{take}/{person}",
            "image_space": "stored",
            **sides(uid, person, number),
        }
        for number in range(1, COUNT + 1)
        for person in people
    ]


def boxed(role: str, uid: str, person: int | None, colour: str) -> Row:
    """Pictures with a person's box drawn on each; of nobody, the pictures alone."""
    times = [float(n - 1) for n in NUMBERS]
    drawn = [
        {
            "kind": "box",
            "label": "",
            "colour": colour,
            "width": 0.008,
            "t_s": float(n - 1),
            **sides(uid, person, n),
        }
        for n in NUMBERS
        if person is not None
    ]
    more = {"media_kind": "frames", "sampling": "given", "times_s": times, "overlays": drawn}
    return medium(role, uid, times[0], times[-1], **more)


def evidence(uid: str, person: int, role: str) -> list[Row]:
    keys = (f"{uid}/{n}/{person}" for n in NUMBERS)
    return [{"table": "boxes", "key": key, "role": role} for key in keys]


def clocks_named(query: str, options: str) -> list[Row]:
    return [
        {"table": "clocks", "key": query, "role": "query"},
        {"table": "clocks", "key": options, "role": "option"},
    ]


def options_of(right: str) -> list[Row]:
    return [option(x, "the person in the box", x == right) for x in "ABCD"]


def asked(subtask: str, options: list[Row], media: list[Row], **more: object) -> Row:
    return question("egoexobench", subtask, options, media, **more)


def world(row: Row, tables: dict[str, list[Row]], elsewhere: str) -> World:
    groups = frozenset({EXPLAINED, PEOPLE, PICTURES})
    return World(row, tables, groups, elsewhere=elsewhere)


FAULTS: list[Fault] = []
fault = collect(FAULTS)


def box_of(w: World, one: Row, at: int = 0) -> Row:
    """Row of the box that a medium draws on one of its pictures."""
    uid, number = one["recording_id"], NUMBERS[at]
    return next(
        r
        for r in w.tables["boxes"]
        if r["recording_id"] == uid
        and r["source_frame"] == number
        and r["x_min"] == one["overlays"][at]["x_min"]
    )


def shift(one: Row, by: float) -> None:
    """Show pictures further on, with the boxes where they were drawn."""
    one["times_s"] = [t + by for t in one["times_s"]]
    for overlay in one["overlays"]:
        overlay["t_s"] += by
    one["start_s"] += by
    one["end_s"] += by


@fault(PEOPLE, "well_formed", "medium_twice")
def two_options_box_one_person(w: World) -> None:
    a, b = w.others[0], w.others[1]
    w.shown(b)["overlays"] = [dict(o) for o in w.shown(a)["overlays"]]


@fault(PEOPLE, "distractors", "second_right")
def the_answer_is_boxed_under_another_letter_too(w: World) -> None:
    w.shown(w.others[0])["overlays"] = [dict(o) for o in w.shown(w.answer)["overlays"]]


@fault(PEOPLE, "consistent", "mark_changes_person")
def box_jumps_to_another_person(w: World) -> None:
    w.shown(w.answer)["overlays"][3] = dict(w.shown(w.others[0])["overlays"][3])


@fault(PEOPLE, "consistent", "picture_without_box")
def box_missing_on_one_picture(w: World) -> None:
    w.shown(w.others[0])["overlays"].pop()


@fault(PEOPLE, "consistent", "picture_without_box")
def option_without_a_box(w: World) -> None:
    w.shown(w.others[0])["overlays"] = []


@fault(PEOPLE, "consistent", "picture_without_box")
def one_box_for_all_pictures(w: World) -> None:
    shown = w.shown(w.others[0])
    shown["overlays"] = [{**shown["overlays"][0], "t_s": None}]


@fault(PEOPLE, "consistent", "mark_without_evidence")
def box_drawn_beside_the_person(w: World) -> None:
    for overlay in w.shown(w.others[0])["overlays"]:
        overlay["y_min"] -= 0.05
        overlay["y_max"] -= 0.05


@fault(PEOPLE, "consistent", "mark_without_evidence")
def box_of_the_picture_before(w: World) -> None:
    drawn = w.shown(w.answer)["overlays"]
    for later, earlier in zip(reversed(drawn[1:]), reversed(drawn[:-1]), strict=True):
        later.update({side: earlier[side] for side in SIDES})


@fault(PEOPLE, "consistent", "drawn_otherwise")
def box_in_another_colour(w: World) -> None:
    for one in w.options:
        for overlay in w.shown(one)["overlays"]:
            overlay["colour"] = "green"


@fault(PEOPLE, "leak", "answer_stands_out")
def right_box_in_a_colour_of_its_own(w: World) -> None:
    for overlay in w.shown(w.answer)["overlays"]:
        overlay["colour"] = "green"


@fault(PEOPLE, "consistent", "drawn_otherwise")
def right_box_is_drawn_wider(w: World) -> None:
    for overlay in w.shown(w.answer)["overlays"]:
        overlay["width"] = 0.016


@fault(PEOPLE, "consistent", "drawn_otherwise")
def box_with_a_name(w: World) -> None:
    for overlay in w.shown(w.others[0])["overlays"]:
        overlay["label"] = "person 2"


@fault(PEOPLE, "consistent", "shifted_time")
def options_are_later_than_the_query(w: World) -> None:
    uid = w.shown(w.answer)["recording_id"]
    for one in w.options:
        shown = w.shown(one)
        people = [box_of(w, shown, at)["person_id"] for at in range(len(NUMBERS))]
        shift(shown, 2.0)
        for overlay, person, number in zip(shown["overlays"], people, NUMBERS, strict=True):
            where = {"recording_id": uid, "source_frame": number + 2, "person_id": person}
            overlay.update({side: w.row("boxes", **where)[side] for side in SIDES})


@fault(PEOPLE, "consistent", "another_take")
def options_of_another_take(w: World) -> None:
    w.row("clocks", recording_id=w.shown(w.answer)["recording_id"])["take_id"] = "U"


@fault(PEOPLE, "consistent", "another_take")
def numbers_are_no_common_clock(w: World) -> None:
    for row in w.tables["clocks"]:
        row["method"] = "linear"


@fault(PEOPLE, "consistent", "option_of_another_recording")
def one_option_of_another_camera(w: World) -> None:
    uid = w.elsewhere
    shown = w.shown(w.others[0])
    shown.update(recording_id=uid, content=f"hash-{uid}")
    # The other camera has somebody at the same place.
    for at, number in enumerate(NUMBERS):
        drawn = {side: shown["overlays"][at][side] for side in SIDES}
        w.row("boxes", recording_id=uid, source_frame=number).update(drawn)


@fault(PEOPLE, "consistent", "gap_in_pictures")
def pictures_with_a_gap(w: World) -> None:
    """The numbers of both cameras jump between two of the pictures shown."""
    for table in ("images", "boxes"):
        for row in w.tables[table]:
            if row["source_frame"] > NUMBERS[5]:
                row["source_frame"] += 20


@fault(PEOPLE, "consistent", "no_picture")
def picture_that_is_not_there(w: World) -> None:
    w.tables["images"] = [r for r in w.tables["images"] if r["source_frame"] <= NUMBERS[4]]


@fault(PEOPLE, "consistent", "no_picture")
def pictures_after_the_last(w: World) -> None:
    shift(w.query, 9.0)


@fault(PEOPLE, "consistent", "no_picture")
def picture_between_two(w: World) -> None:
    shift(w.shown(w.others[0]), 0.4)


@fault(PEOPLE, "consistent", "picture_count")
def query_of_few_pictures(w: World) -> None:
    for name in ("times_s", "overlays"):
        w.query[name] = w.query[name][:4]
    w.query["end_s"] = w.query["times_s"][-1]


@fault(PEOPLE, "consistent", "clip_length")
def clip_longer_than_its_pictures(w: World) -> None:
    w.query["end_s"] += 2.0


@fault(PEOPLE, "consistent", "media_kind")
def pictures_sent_as_a_video(w: World) -> None:
    w.query["media_kind"] = "clip"


@fault(PEOPLE, "consistent", "swapped_view")
def options_in_the_wearers_view(w: World) -> None:
    uid = w.shown(w.answer)["recording_id"]
    w.row("recordings", recording_id=uid)["view"] = "ego"


@fault(PEOPLE, "margin", "box_height")
def person_too_small_to_see(w: World) -> None:
    shown = w.shown(w.others[0])
    row = box_of(w, shown, 2)
    row["y_max"] = row["y_min"] + 0.03
    shown["overlays"][2]["y_max"] = row["y_max"]


@fault(PEOPLE, "margin", "boxes_apart")
def one_candidate_behind_another(w: World) -> None:
    shown, other = w.shown(w.others[0]), w.shown(w.answer)
    row, front = box_of(w, shown, 5), box_of(w, other, 5)
    moved = {"x_min": front["x_min"] + 0.02, "x_max": front["x_max"] + 0.02}
    row.update(moved)
    shown["overlays"][5].update(moved)


@fault(PEOPLE, "consistent", "option_text")
def option_text_names_the_person(w: World) -> None:
    w.answer["text"] = "the person in red"


@fault(PEOPLE, "consistent", "evidence_role")
def evidence_of_another_persons_box(w: World) -> None:
    role = f"option_{w.question['answer']}"
    other = f"option_{w.others[0]['letter']}"
    for row in w.question["evidence"]:
        row["role"] = {role: other, other: role}.get(row["role"], row["role"])


@fault(PEOPLE, "explanation", "contradicted")
def explanation_names_another_boxed_candidate(w: World) -> None:
    letter = w.others[0]["letter"]
    explain(w, f"candidate video {w.question['answer']}", f"candidate video {letter}")


@fault(PEOPLE, "explanation", "contradicted")
def explanation_names_another_recording(w: World) -> None:
    explain(w, f"of {w.shown(w.answer)['recording_id']}", f"of {w.elsewhere}")


@fault(PEOPLE, "explanation", "contradicted")
def explanation_counts_other_pictures(w: World) -> None:
    explain(w, "pictures 3 to 10", "pictures 4 to 11")


@fault(PEOPLE, "explanation", "contradicted")
def explanation_swaps_two_others(w: World) -> None:
    one, two = (box_of(w, w.shown(o))["person_id"] for o in w.others[:2])
    explain(w, one, "?")
    explain(w, two, one)
    explain(w, "?", two)


@fault(PEOPLE, "well_formed", "question_hash", keeps_hash=True)
def boxes_swapped_under_the_old_hash(w: World) -> None:
    a, b = w.shown(w.answer), w.shown(w.others[0])
    a["overlays"], b["overlays"] = b["overlays"], a["overlays"]


@fault(PEOPLE, "well_formed", "question_hash", keeps_hash=True)
def boxes_drawn_wider_under_the_old_hash(w: World) -> None:
    for one in w.options:
        for overlay in w.shown(one)["overlays"]:
            overlay["width"] = 0.012
