"""Small operations written by hand: who uses which tool in which picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.derivations.world import Row, World, medium, option, question, recording, seconds

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
    }


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
