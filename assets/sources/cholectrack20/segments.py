"""Phases and interactions of CholecTrack20: labels of frames, joined into spans.

A span holds consecutive annotated frames (at most one step of 1 s apart) with the same label. It
starts at its first frame and ends one step after its last, since a label stands for the second it
was taken from; it never reaches beyond a video whose length is known. Its borders are therefore
known to 1 s. Frames nobody annotated end a span: nothing is carried over them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assets.sources.cholectrack20.files import (
    FPS,
    SPLITS,
    STEP,
    Document,
    label_of,
    opened,
    operator_of,
    time_of,
    tool_of,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import members_of
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES

_Interaction = tuple[str, str | None, str, str | None]


def read_segments(part: PartFiles) -> Rows:
    """Spans of phases and of tool, hand, verb and target in one recording, with their relations."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("segments")
    document = opened(part, reader)
    if document is None:
        return Rows({}, tuple(reader.refused))
    phases, interactions = _labels(document, uid, reader)
    end_s = part.recording.get("media_duration_s")
    fixed = {
        "source": part.source,
        "recording_id": uid,
        "split": SPLITS[document.file.split("/")[-3]],
        "source_file": document.file,
    }
    limit = float(end_s) if isinstance(end_s, int | float) else None
    segments = [_phase(fixed, document, span, limit) for span in _spans(phases)]
    relations: list[dict] = []
    for span in _spans(interactions):
        row = _interaction(fixed, span, limit)
        segments.append(row)
        relations += _relations(row, span[0])
    tables = {
        "segments": TABLES["segments"].frame(s for s in segments if s["end_s"] > s["start_s"]),
        "relations": TABLES["relations"].frame(relations),
    }
    return Rows(tables, tuple(reader.refused))


def _labels(
    document: Document, uid: str, reader: RowReader
) -> tuple[dict[str, list[int]], dict[_Interaction, list[int]]]:
    """Frames of each phase and of each interaction, ascending."""
    phases: dict[str, list[int]] = defaultdict(list)
    interactions: dict[_Interaction, list[int]] = defaultdict(list)
    for frame in document.frames:
        named: set[str] = set()
        done: set[_Interaction] = set()
        for at, item in enumerate(frame.items):
            row = reader.make(
                document.file,
                f"{frame.number}[{at}]",
                lambda i=item: _read(document, members_of(i, "the annotation")),
                uid,
            )
            if row is None:
                continue
            named |= {row["phase"]} - {None}
            done |= {row["interaction"]} - {None}
        if len(named) > 1:
            reader.reject(
                document.file,
                frame.number,
                "contradicting_phase",
                ", ".join(sorted(named)),
                "annotations of one frame name several phases; the frame has none",
                "correct the phase of the frame",
                uid,
            )
        elif named:
            phases[named.pop()].append(frame.number)
        for one in done:
            interactions[one].append(frame.number)
    return phases, interactions


def _read(document: Document, item: Mapping[str, Any]) -> dict[str, Any]:
    verb, target = _verb_and_target(document, item)
    interaction = None
    if verb is not None:
        interaction = (tool_of(document, item), operator_of(document, item), verb, target)
    return {"phase": label_of(document, "phase", item, "phase"), "interaction": interaction}


def _verb_and_target(document: Document, item: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Labels of what is done, where the file lists them; its bare numbers mean nothing alone."""
    listed = document.classes
    verb = label_of(document, "verb", item, "verb") if listed["verb"] else None
    target = label_of(document, "target", item, "target") if listed["target"] else None
    return verb, target


def _spans(labelled: Mapping[Any, Iterable[int]]) -> Iterator[tuple[Any, int, int]]:
    """Label, first and last frame of each span, by label and time."""
    for label in sorted(labelled, key=str):
        first = last = None
        for number in labelled[label]:
            if first is None or last is None or number - last > STEP:
                if first is not None and last is not None:
                    yield label, first, last
                first = number
            last = number
        if first is not None and last is not None:
            yield label, first, last


def _times(first: int, last: int, limit: float | None) -> dict[str, float]:
    step_s = STEP / FPS
    end_s = time_of(last) + step_s
    return {
        "start_s": time_of(first),
        "end_s": end_s if limit is None else min(end_s, limit),
        "precision_s": step_s,
    }


def _phase(
    fixed: Mapping[str, Any], document: Document, span: tuple[str, int, int], limit: float | None
) -> dict:
    name, first, last = span
    number = next(n for n, label in document.classes["phase"].items() if label == name)
    key = f"phase/{first}"
    return {
        **fixed,
        **_times(first, last, limit),
        "segment_id": f"{fixed['recording_id']}/{key}",
        "kind": "phase",
        "class_id": number,
        "class_name": name,
        "source_key": key,
    }


def _interaction(
    fixed: Mapping[str, Any], span: tuple[_Interaction, int, int], limit: float | None
) -> dict:
    (tool, operator, verb, target), first, last = span
    key = "/".join(("interaction", str(first), operator or "unknown", tool, verb, target or "-"))
    return {
        **fixed,
        **_times(first, last, limit),
        "segment_id": f"{fixed['recording_id']}/{key}",
        "kind": "interaction",
        "actor_id": operator,
        "class_name": ",".join((tool, verb, target or "null_target")),
        "source_key": key,
    }


def _relations(segment: Mapping[str, Any], interaction: _Interaction) -> list[dict]:
    """Hand does verb, verb with tool, verb to target."""
    tool, operator, verb, target = interaction
    found: list[tuple[str, str, str, str | None]] = [(verb, "with", tool, "tool")]
    if operator is not None:
        found.append((operator, "verb", verb, None))
    if target is not None:
        found.append((verb, "direct object", target, "direct"))
    same = ("source", "recording_id", "segment_id", "actor_id", "source_file", "source_key")
    return [
        {
            **{name: segment[name] for name in same},
            "relation_id": f"{segment['segment_id']}/{relation}",
            "subject": subject,
            "relation": relation,
            "object": thing,
            "role": role,
        }
        for subject, relation, thing, role in found
    ]
