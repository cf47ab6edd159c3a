"""Small operations written by hand, as phases that follow each other, and faults of all questions about what comes next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
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

# Questions about what comes after the second of four phases, which lasts from 20 to 60 s.
ENDS = "a phase ends"
FAULTS: list[Fault] = []
fault = collect(FAULTS)
LENGTH_S = 130.0
BORDERS = (0, 20, 60, 80, 120)
NEXT_S = 60.0
Step = tuple[str, list[str]]


def phase_key(start: int, uid: str = "VID1") -> str:
    return f"{uid}/phase/{start}"


NOW, THEN = phase_key(20), phase_key(60)


def phases(labels: Sequence[str], step_s: float, uid: str = "VID1") -> list[Row]:
    """Four phases without a gap, known by pictures some seconds apart."""
    spans = zip(labels, BORDERS, BORDERS[1:], strict=False)
    return [
        {
            "source": "s",
            "recording_id": uid,
            "segment_id": phase_key(start, uid),
            "kind": "phase",
            "class_name": label,
            "start_s": float(start),
            "end_s": float(end),
            "precision_s": step_s,
        }
        for label, start, end in spans
    ]


def next_question(
    subtask: str,
    recipe: str,
    segments: list[Row],
    *,
    text: str,
    options: Iterable[tuple[str, str]],
    answer: str,
    steps: Sequence[Step],
    evidence: Sequence[tuple[str, str]],
    step_s: float,
) -> World:
    """A question about what comes after the phase from 20 s to 60 s.

    Args:
        subtask: Subtask.
        recipe: Recipe.
        segments: Rows of `segments` of `VID1`.
        text: Its text.
        options: Text and value of each option, in shown order.
        answer: Text of the right one.
        steps: Sentences of the explanation with the rows they name.
        evidence: Key and role of each segment it rests on.
        step_s: Time from one picture to the next.
    """
    row = question(
        "egocross",
        subtask,
        [
            option(letter, words, words == answer, value=value)
            for letter, (words, value) in zip("ABCD", options, strict=True)
        ],
        [medium("query", "VID1", NEXT_S - step_s - 28.0, NEXT_S - step_s)],
        recipe=recipe,
        text=text,
        answer_text=answer,
        answer_visible=False,
        evidence=[{"table": "segments", "key": key, "role": role} for key, role in evidence],
        rationale=[
            {"step": n, "text": said, "evidence": rows} for n, (said, rows) in enumerate(steps, 1)
        ],
    )
    row["detailed_answer"] = " ".join(said for said, _ in steps)
    tables = {
        "recordings": [recording(uid, "ego", LENGTH_S) for uid in ("VID1", "VID2")],
        "segments": [*segments, *phases([s["class_name"] for s in segments[:2]], step_s, "VID2")],
    }
    return World(
        row,
        tables,
        frozenset({ENDS, WORDS, EXPLAINED, STEPS}),
        seen_s=(NEXT_S - step_s - 2.1, NEXT_S - step_s + 0.1),
        protocols={"direct/1": "every(2)"},
        frame_times={uid: seconds(LENGTH_S) for uid in ("VID1", "VID2")},
    )


@fault(ENDS, "consistent", "not_annotated")
def pictures_before_the_next_phase_are_not_annotated(w: World) -> None:
    w.row("segments", segment_id=NOW)["end_s"] = 50.0


@fault(ENDS, "consistent", "not_annotated")
def the_next_phase_is_annotated_much_later(w: World) -> None:
    w.row("segments", segment_id=THEN)["start_s"] = 66.0


@fault(ENDS, "leak", "shows_next")
def clip_ends_where_the_next_phase_begins(w: World) -> None:
    """Between the last picture of a phase and the first of the next nobody knows which it is."""
    w.query.update(start_s=32.0, end_s=NEXT_S)


@fault(ENDS, "leak", "shows_next")
def clip_shows_the_next_phase(w: World) -> None:
    w.query.update(start_s=36.0, end_s=64.0)


@fault(ENDS, "consistent", "answer_visible")
def clip_shows_the_next_phase_and_is_said_not_to(w: World) -> None:
    w.query["end_s"] = 66.0


@fault(ENDS, "consistent", "answer_visible")
def clip_is_said_to_show_the_next_phase(w: World) -> None:
    w.question["answer_visible"] = True


@fault(ENDS, "consistent", "answer_visible")
def nothing_says_whether_the_clip_shows_the_next_phase(w: World) -> None:
    w.question["answer_visible"] = None


@fault(ENDS, "consistent", "ends_early")
def clip_ends_ten_seconds_before_the_phase(w: World) -> None:
    w.query.update(start_s=22.0, end_s=50.0)


@fault(ENDS, "consistent", "clip_length")
def clip_of_a_moment(w: World) -> None:
    w.query["start_s"] = 54.0


@fault(ENDS, "consistent", "clip_length")
def clip_of_more_than_half_a_minute(w: World) -> None:
    w.query["start_s"] -= 6.0


@fault(ENDS, "explanation", "contradicted")
def explanation_begins_the_phase_elsewhere(w: World) -> None:
    explain(w, "from 20 s", "from 22 s")


@fault(ENDS, "explanation", "contradicted")
def explanation_ends_the_phase_elsewhere(w: World) -> None:
    explain(w, "to 60 s", "to 58 s")


@fault(ENDS, "explanation", "contradicted")
def explanation_shows_another_phase(w: World) -> None:
    explain(w, 'phase "', 'phase "very late ')


@fault(ENDS, "consistent", "evidence_left_out")
def evidence_without_the_phase_that_ends(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "context"]


@fault(ENDS, "consistent", "evidence_left_out")
def evidence_without_what_comes_next(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != "answer"]


@fault(ENDS, "consistent", "evidence_role")
def evidence_of_the_first_phase(w: World) -> None:
    first = {"table": "segments", "key": phase_key(0), "role": "context"}
    w.question["evidence"].append(first)


@fault(ENDS, "seen_by_sampling", "not_seen")
def sampling_never_shows_the_end_of_the_phase(w: World) -> None:
    w.protocols = {"direct/1": "every(20)"}
