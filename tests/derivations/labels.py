"""Small worlds and faults of questions whose right clip has the labels of the query clip."""

from __future__ import annotations

from tests.derivations.world import (
    CLIPS,
    LABELS,
    LETTERS,
    Fault,
    Row,
    World,
    collect,
    medium,
    option,
    question,
    recording,
    seconds,
)

VERBS = ["cut", "wash", "peel", "stir", "pour", "open"]


NOUNS = ["carrot", "pan", "egg", "onion", "bowl", "jar"]


def _acts(uid: str, n: int) -> tuple[list[Row], list[Row]]:
    """Segments of 4 s every 10 s; the i-th shows verb i % 6 and noun i // 6, alone in its kind."""
    segments, labels = [], []
    for i in range(n):
        verb, noun = i % len(VERBS), (i // len(VERBS) + i) % len(NOUNS)
        key = f"{uid}.{i:02}"
        segments.append(
            {
                "source": "s",
                "segment_id": key,
                "recording_id": uid,
                "kind": "fine",
                "start_s": 10.0 * i + 2.0,
                "end_s": 10.0 * i + 6.0,
                "narration": f"{VERBS[verb]}s the {NOUNS[noun]}",
            }
        )
        for kind, number, word in (("verb", verb, VERBS[verb]), ("noun", noun, NOUNS[noun])):
            labels.append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "segment_id": key,
                    "clause": 0,
                    "kind": kind,
                    "class_id": number,
                    "class_label": word,
                    "term": word,
                    "span_start": 0,
                }
            )
    return segments, labels


def world_by_labels(
    benchmark: str, subtask: str, views: tuple[str, str], order: list[int], recipe: str, text: str
) -> World:
    """Query is action 1 of recording Q; options are actions of P; another pair beside them.

    Args:
        benchmark: Benchmark of the question.
        subtask: Subtask of the question.
        views: View of the query's recording, and of the options'.
        order: Numbers of the actions that the options show; 1 is the answer.
        recipe: Recipe of the question.
        text: Text of the question.
    """
    length = 10.0 * max(order) + 40.0
    views_of = {"Q": views[0], "P": views[1], "P2": views[1], "Q2": views[0]}
    tables: dict[str, list[Row]] = {
        "recordings": [recording(u, v, length) for u, v in views_of.items()],
        "segments": [],
        "labels": [],
        "clocks": [],
        "relations": [],
    }
    for uid in views_of:
        segments, labels = _acts(uid, max(order) + 3)
        tables["segments"] += segments
        tables["labels"] += labels
    options, media = [], [medium("query", "Q", 12.0, 16.0, segment_id="Q.01")]
    for letter, i in zip(LETTERS, order, strict=False):
        key = f"P.{i:02}"
        narration = next(s["narration"] for s in tables["segments"] if s["segment_id"] == key)
        options.append(option(letter, narration, i == 1, segment_id=key))
        start = 10.0 * i + 2.0
        media.append(medium(f"option_{letter}", "P", start, start + 4.0, segment_id=key))
    evidence = [
        {"table": t, "key": m["segment_id"], "role": m["role"]}
        for m in media
        for t in ("segments", "labels")
    ]
    row = question(
        benchmark,
        subtask,
        options,
        media,
        recipe=recipe,
        text=text,
        evidence=evidence,
    )
    return World(
        row,
        tables,
        frozenset({CLIPS, LABELS}),
        frame_times={u: seconds(length) for u in views_of},
        retold="Pans are washed there.",
        elsewhere="P2",
    )


FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(LABELS, "distractors", "second_right")
def second_right_by_labels(w: World) -> None:
    relabel(w, w.others[0]["segment_id"], like=w.query["segment_id"])


@fault(LABELS, "answer", "wrong_key")
def query_shows_something_else(w: World) -> None:
    for row in w.tables["labels"]:
        if row["segment_id"] == w.query["segment_id"] and row["kind"] == "noun":
            row["class_id"] = 99


@fault(LABELS, "answer", "wrong_key")
def key_shares_the_verb_alone(w: World) -> None:
    for row in w.tables["labels"]:
        if row["segment_id"] == w.answer["segment_id"] and row["kind"] == "noun":
            row["class_id"] = 99


@fault(LABELS, "answer", "wrong_key")
def key_is_said_not_to_be_done(w: World) -> None:
    verbs = [r for r in w.tables["labels"] if r["kind"] == "verb"]
    (verb,) = (r for r in verbs if r["segment_id"] == w.answer["segment_id"])
    w.tables["labels"].append({**verb, "reader": "open", "class_id": None, "status": "attempted"})


@fault(LABELS, "distractors", "second_right")
def distractor_clip_also_shows_the_action(w: World) -> None:
    shown = w.shown(w.others[0])
    uid = shown["recording_id"]
    row = {**w.row("segments", segment_id=shown["segment_id"]), "segment_id": f"{uid}.beside"}
    w.tables["segments"].append(row)
    labels = [r for r in w.tables["labels"] if r["segment_id"] == w.query["segment_id"]]
    more = {"recording_id": uid, "segment_id": f"{uid}.beside"}
    w.tables["labels"] += [{**r, **more} for r in labels]


@fault(LABELS, "distractors", "second_right")
def query_clip_also_shows_a_distractors_action(w: World) -> None:
    uid = w.query["recording_id"]
    row = {**w.row("segments", segment_id=w.query["segment_id"]), "segment_id": f"{uid}.beside"}
    w.tables["segments"].append(row)
    labels = [r for r in w.tables["labels"] if r["segment_id"] == w.others[0]["segment_id"]]
    more = {"recording_id": uid, "segment_id": f"{uid}.beside"}
    w.tables["labels"] += [{**r, **more} for r in labels]


@fault(LABELS, "consistent", "another_scenario")
def answer_from_another_scenario(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["scenario"] = "laboratory"


@fault(LABELS, "well_formed", "option_count")
def one_option_too_few(w: World) -> None:
    last = w.others[-1]
    w.question["media"].remove(w.shown(last))
    w.options.remove(last)
    w.question["chance"] = 1 / len(w.options)


def relabel(w: World, segment_id: str, like: str) -> None:
    model = [r for r in w.tables["labels"] if r["segment_id"] == like]
    kept = [r for r in w.tables["labels"] if r["segment_id"] != segment_id]
    uid = w.row("segments", segment_id=segment_id)["recording_id"]
    more = {"segment_id": segment_id, "recording_id": uid}
    w.tables["labels"] = kept + [{**r, **more} for r in model]
