"""Small operations written by hand, who uses which tool in which picture, and faults of all questions about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.derivations.world import (
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    recording,
    seconds,
)

# Questions about clips of `VID1` whose pictures were looked at.
LOOKED = "pictures are annotated"
FAULTS: list[Fault] = []
fault = collect(FAULTS)
LENGTH_S = 60
Uses = dict[tuple[str, str | None], Iterable[int]]
Step = tuple[str, list[str]]
# Where tools of operators are in the picture.
PLACES = {"MSLH": (0.2, 0.3), "MSRH": (0.8, 0.3), "ASRH": (0.5, 0.8), None: (0.5, 0.3)}


def box(
    uid: str, t: int, name: str, who: str | None, at: tuple[float, float], **more: object
) -> Row:
    """A box of 0.16 by 0.2 around a place."""
    return {
        "source": "s",
        "recording_id": uid,
        "box_id": box_key(t, name, who, uid),
        "source_frame": 25 * t + 1,
        "t_s": float(t),
        "class_name": name,
        "operator": who,
        "method": "manual",
        **dict(zip(("x_min", "x_max"), (at[0] - 0.08, at[0] + 0.08), strict=True)),
        **dict(zip(("y_min", "y_max"), (at[1] - 0.1, at[1] + 0.1), strict=True)),
        **more,
    }


def box_key(t: int, name: str, who: str | None, uid: str = "VID1") -> str:
    return f"{uid}/{t}/{name}/{who}"


def frame_key(t: int, what: str = "tools", uid: str = "VID1") -> str:
    return f"{uid}/{what}/{25 * t + 1}"


def frames(times: Iterable[int], what: str = "tools", uid: str = "VID1") -> list[Row]:
    """Pictures in which all of something is boxed."""
    shared = {"source": "s", "recording_id": uid, "what": what}
    return [{**shared, "source_frame": 25 * t + 1, "t_s": float(t)} for t in times]


def operation(uses: Uses) -> dict[str, list[Row]]:
    """Tables of `VID1`, where tools of operators are used at some seconds, and of `VID2`, with one box."""
    boxes = [
        box("VID1", t, tool, who, PLACES[who]) for (tool, who), times in uses.items() for t in times
    ]
    uids = ("VID1", "VID2")
    return {
        "recordings": [recording(uid, "ego", float(LENGTH_S)) for uid in uids],
        "boxes": [*boxes, box("VID2", 3, "hook", "MSRH", PLACES["MSRH"])],
        "annotated_frames": [row for uid in uids for row in frames(range(LENGTH_S), uid=uid)],
        "taxonomies": [],
    }


def counts_as(w: World, label: str, refined: str, taxonomy: str = "tool") -> None:
    """Let the reviewed list of the dataset count a class of tools as another."""
    kept = [row for row in w.tables["taxonomies"] if row["label"] != label]
    w.tables["taxonomies"] = [*kept, _counted(label, refined, taxonomy, len(kept))]


def _counted(label: str, refined: str, taxonomy: str, number: int) -> Row:
    row = {"source": "s", "taxonomy": taxonomy, "class_id": number, "terms": [label]}
    return {**row, "label": label, "refined": refined}


# What classes of a workbench count as.
KINDS = {
    "left_red_button": "button",
    "right_green_button": "button",
    "low_voltage_board": "board",
    "high_voltage_board": "board",
}
# Verb, hand, thing and second of a point.
Point = tuple[str, str | None, str | None, float]
BETWEEN_S = 14.5


def bench(seen: Mapping[str, Iterable[int]], points: Iterable[Point] = ()) -> dict[str, list[Row]]:
    """Tables of a workbench: what is boxed in which second, and once between two seconds.

    Args:
        seen: Seconds in which each class is boxed, all in one place.
        points: What hands do.
    """
    tables = operation({(name, None): times for name, times in seen.items()})
    for row in (*tables["boxes"], *tables["annotated_frames"]):
        row.update({"operator": None} if "operator" in row else {"what": "objects"})
    between = {"source_frame": int(25 * BETWEEN_S) + 1, "t_s": BETWEEN_S}
    looked = {"source": "s", "recording_id": "VID1", "what": "objects", **between}
    tables["annotated_frames"].append(looked)
    tables["taxonomies"] = [
        _counted(label, refined, "object", n) for n, (label, refined) in enumerate(KINDS.items())
    ]
    rows = [point_rows(point) for point in points]
    tables["segments"] = [segment for segment, _ in rows]
    tables["relations"] = [relation for _, relation in rows]
    return tables


def between_box(name: str) -> Row:
    """A box in the picture between two seconds."""
    row = box("VID1", 14, name, None, PLACES[None])
    between = {"source_frame": int(25 * BETWEEN_S) + 1, "t_s": BETWEEN_S}
    return {**row, **between, "box_id": f"VID1/{BETWEEN_S}/{name}/None"}


def point_key(point: Point) -> str:
    verb, hand, thing, at_s = point
    return f"VID1/{at_s:g}/{verb}/{hand}/{thing}"


def point_rows(point: Point) -> tuple[Row, Row]:
    """Rows of `segments` and `relations` of a point."""
    verb, hand, thing, at_s = point
    fixed = {"source": "s", "recording_id": "VID1", "segment_id": point_key(point)}
    segment = {"kind": "interaction", "is_point": True, "class_name": verb}
    relation = {"relation": "direct object", "role": "direct", "hand_side": hand, "object": thing}
    return (
        {**fixed, **segment, "start_s": at_s, "end_s": at_s},
        {**fixed, **relation, "relation_id": f"{point_key(point)}/direct"},
    )


def asked(
    subtask: str,
    tables: dict[str, list[Row]],
    groups: Iterable[str],
    *,
    text: str,
    names: Sequence[str],
    answer: str,
    steps: Sequence[Step],
    evidence: Sequence[tuple[str, str, str]],
    seen_s: tuple[float, float],
    start_s: float = 10.0,
    end_s: float = 20.0,
    recipe: str = "",
) -> World:
    """A question about a clip of `VID1`.

    Args:
        subtask: Subtask.
        tables: Its tables.
        groups: Groups of faults that fit it.
        text: Its text.
        names: Texts of the options, in shown order; the value leaves out hyphens.
        answer: Text of the right one.
        steps: Sentences of the explanation with the rows they name.
        evidence: Table, key and role of each row it rests on.
        seen_s: See `World`.
        start_s: Start of the clip.
        end_s: End.
        recipe: Name of the recipe, where it is not the subtask's.
    """
    options = [
        option(letter, name, name == answer, value=name.replace("-", ""))
        for letter, name in zip("ABCD", names, strict=True)
    ]
    row = question(
        "egocross",
        subtask,
        options,
        [medium("query", "VID1", start_s, end_s)],
        text=text,
        answer_text=answer,
        recipe=f"{recipe or subtask}@1",
        evidence=[{"table": table, "key": key, "role": role} for table, key, role in evidence],
        rationale=[
            {"step": n, "text": said, "evidence": rows} for n, (said, rows) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(said for said, _ in steps)
    times = seconds(float(LENGTH_S))
    return World(
        row,
        tables,
        frozenset(groups),
        seen_s=seen_s,
        protocols={"direct/1": "every(2)"},
        frame_times={"VID1": times, "VID2": times},
    )


def _unlooked(w: World, *times: float) -> None:
    rows = w.tables["annotated_frames"]
    w.tables["annotated_frames"] = [
        row for row in rows if row["recording_id"] != "VID1" or row["t_s"] not in times
    ]


@fault(LOOKED, "consistent", "not_annotated")
def nobody_looked_at_a_picture_that_is_sent(w: World) -> None:
    _unlooked(w, 14.0)


@fault(("dominant_object", "object_counting", "object_not_visible"), "consistent", "not_annotated")
def nobody_looked_at_two_pictures_of_ten(w: World) -> None:
    """Neither is sent."""
    _unlooked(w, 13.0, 15.0)


@fault(LOOKED, "consistent", "not_annotated")
def somebody_looked_for_faces_alone(w: World) -> None:
    for row in w.tables["annotated_frames"]:
        if row["t_s"] == 18.0:
            row["what"] = "faces"


@fault(LOOKED, "consistent", "not_annotated")
def clip_between_pictures(w: World) -> None:
    w.query.update(start_s=9.5, end_s=19.5)


@fault(LOOKED, "consistent", "clip_length")
def clip_of_fifteen_seconds(w: World) -> None:
    w.query["end_s"] = 25.0


@fault(LOOKED, "consistent", "clip_length")
def clip_of_six_seconds(w: World) -> None:
    w.query["end_s"] = 16.0


@fault(LOOKED, "consistent", "evidence_left_out")
def evidence_without_one_picture(w: World) -> None:
    evidence = w.question["evidence"]
    last = [e for e in evidence if e["table"] == "annotated_frames"][-1]
    evidence.remove(last)


@fault(LOOKED, "consistent", "evidence_left_out")
def evidence_without_any_picture(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["table"] == "boxes"]


@fault(LOOKED, "consistent", "evidence_left_out")
def evidence_without_the_last_tool(w: World) -> None:
    evidence = w.question["evidence"]
    last = [e for e in evidence if e["table"] == "boxes"][-1]
    evidence.remove(last)


@fault(LOOKED, "consistent", "evidence_role")
def evidence_of_a_later_box(w: World) -> None:
    later = next(
        row for row in w.tables["boxes"] if row["t_s"] > 20 and row["recording_id"] == "VID1"
    )
    for role in ("answer", "context"):
        w.question["evidence"].append({"table": "boxes", "key": later["box_id"], "role": role})


@fault(LOOKED, "consistent", "evidence_role")
def evidence_of_a_later_picture(w: World) -> None:
    role = next(e["role"] for e in w.question["evidence"] if e["table"] == "annotated_frames")
    w.question["evidence"].append({"table": "annotated_frames", "key": frame_key(40), "role": role})


@fault(LOOKED, "explanation", "contradicted")
def explanation_of_another_number_of_pictures(w: World) -> None:
    explain(w, " annotated pictures", "0 annotated pictures")
