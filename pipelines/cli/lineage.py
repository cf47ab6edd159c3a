"""From a score or a question back to replies, segments, recordings and file hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from assets.report.rows import named_row, named_rows, place_of
from assets.translations.stage import narrated
from expectations.schemas import TABLES
from resources.config import Settings
from resources.errors import ExpectedError
from resources.masking import mask

SHOWN_QUESTIONS = 3
SHOWN_TEXT = 110
SHOWN_ROWS = 6
DEEPEST = 2


class UnknownKey(ExpectedError, ValueError):
    """Nothing has this key."""


def explain(settings: Settings, key: str) -> str:
    """The walk from a score (`benchmark.run` or `benchmark.run/slice`) or a question id.

    Raises:
        UnknownKey: No score and no question has the key.
    """
    evaluation, _, part = key.partition("/")
    if evaluation in settings.evaluations():
        return "\n".join(_score(settings, evaluation, part or "micro"))
    return "\n".join(_question(settings, _find_question(settings, key)))


def _score(settings: Settings, evaluation: str, part: str) -> Iterator[str]:
    scores = settings.store.read(TABLES["scores"], evaluation).filter(pl.col("slice") == part)
    if scores.is_empty():
        known = settings.store.read(TABLES["scores"], evaluation)["slice"].unique().sort().to_list()
        raise UnknownKey(f"{evaluation} has no slice {part!r}; known: {known}")
    row = scores.row(0, named=True)
    value = "no value" if row["value"] is None else f"{100 * row['value']:.1f} %"
    chance = "" if row["chance"] is None else f", chance {100 * row['chance']:.1f} %"
    reached = row["effective_chance"]
    chance += "" if reached is None else f", effective {100 * reached:.1f} %"
    yield f"score {evaluation}/{part}: {row['metric']} {value}"
    yield (
        f"  n {row['n']}, unparsed {row['n_unparsed']}, failed calls {row['n_errors']}, "
        f"recordings {row['n_clusters']}{chance}"
    )
    answers = settings.store.read(TABLES["answers"], evaluation)
    if part not in ("micro", "macro"):
        answers = answers.filter(pl.col("subtask") == part)
    right, failed = answers.filter("right").height, answers.filter(status="error").height
    wrong = answers.height - right - failed
    yield f"  from {answers.height} questions: {right} right, {wrong} not, {failed} calls failed"
    for status, count in answers.group_by("status").len().sort("status").iter_rows():
        yield f"    {status}: {count}"
    chosen = answers.sort("question_hash").head(SHOWN_QUESTIONS)
    yield f"  {chosen.height} of its questions (`parallax why <question id>` walks any):"
    benchmark = evaluation.partition(".")[0]
    questions = settings.store.read(TABLES["questions"], benchmark)
    for question_id in chosen["question_id"]:
        found = questions.filter(pl.col("question_id") == question_id)
        yield ""
        for line in _question(settings, found.row(0, named=True)):
            yield f"  {line}"


def _find_question(settings: Settings, key: str) -> dict[str, Any]:
    found = (
        settings.store.scan(TABLES["questions"])
        .filter(pl.col("question_id").str.starts_with(key) & (pl.lit(len(key) >= 6)))
        .collect()
    )
    if found.height != 1:
        scores = ", ".join(settings.evaluations())
        raise UnknownKey(
            f"{key!r} names {found.height} questions and no score; give a question id (six or more "
            f"of its first characters) or one of {scores}, with `/<slice>` for a part"
        )
    return found.row(0, named=True)


def _question(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    yield f"question {question['question_id']} ({question['benchmark']}, {question['subtask']})"
    yield f"  shown as {question['question_hash']}: {_cut(question['text'])}"
    yield f"  recipe {question['recipe']}, pool {question['pool']}, split {question['split']}"
    yield f"  answer {question['answer']} of {len(question['options'])} options"
    yield from _replies(settings, question)
    yield from _verdicts(settings, question)
    yield "  media and the rows they rest on:"
    yield from _media(settings, question)
    yield "  evidence:"
    yield from _evidence(settings, question)
    ids = sorted({m["recording_id"] for m in question["media"]})
    yield from _recordings(settings, question["source"], ids)


def _verdicts(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    mine = pl.col("question_id") == question["question_id"]
    rows = (
        settings.store.scan(TABLES["question_gates"], question["benchmark"]).filter(mine).collect()
    )
    yield f"  gates: {rows.height} verdicts"
    for row in rows.sort("gate", "protocol").iter_rows(named=True):
        under = f" under {row['protocol']}" if row["protocol"] else ""
        yield f"    {row['verdict']:<8} {row['gate']}{under} ({row['rule']}): {_cut(row['message'])}"


def _replies(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    keys = [k for k in settings.evaluations() if k.partition(".")[0] == question["benchmark"]]
    yield "  replies:"
    for key in keys:
        mine = pl.col("question_id") == question["question_id"]
        calls = settings.store.scan(TABLES["calls"], key).filter(mine).collect()
        answers = settings.store.scan(TABLES["answers"], key).filter(mine).collect()
        for call in calls.sort("asked_at").iter_rows(named=True):
            stale = "" if call["question_hash"] == question["question_hash"] else " (older wording)"
            yield (
                f"    {call['run']} [{call['model']}, {call['protocol']}] call {call['call_key']} "
                f"attempt {call['attempt']}: {call['status']}, "
                f"{_cut(mask(call['reply'] or call['error'] or ''))}{stale}"
            )
        for answer in answers.iter_rows(named=True):
            said = "right" if answer["right"] else "not right"
            said = "no answer" if answer["status"] == "error" else said
            yield f"      read as {answer['letter']} ({answer['status']}, {answer['rule']}): {said}"


def _media(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    source = question["source"]
    ids = sorted({m["recording_id"] for m in question["media"]})
    rows = narrated(settings, source, ids)
    labels = settings.store.read(TABLES["labels"], source, ids)
    by_id = {r["segment_id"]: r for r in rows.iter_rows(named=True)}
    for medium in question["media"]:
        segment_id = medium["segment_id"]
        row = by_id.get(segment_id)
        if segment_id is None:
            place = "a span of the recording"
        elif row is None:
            place = f"segment {segment_id}, no longer there"
        else:
            place = f"segment {segment_id}, {row['source_file']} row {row['source_key']}"
        mark = " <- answer" if medium["role"] == f"option_{question['answer']}" else ""
        yield (
            f"    {medium['role']:<10} {medium['start_s']:.2f}-{medium['end_s']:.2f} s "
            f"of {medium['recording_id']} ({place}){mark}"
        )
        if row is not None and (medium["role"] == "query" or mark):
            yield f"      narration: {_cut(row['narration'] or '')}"
            said = labels.filter(pl.col("segment_id") == segment_id).sort("kind", "span_start")
            for label in said.iter_rows(named=True):
                yield (
                    f"      {label['kind']} {label['class_id']} {label['class_label']} "
                    f"from {label['term']!r}, {label['body_part']} ({label['rule']})"
                )


def _evidence(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    """Rows the answer rests on, and the rows those were made from."""
    media = {m["segment_id"] for m in question["media"]}
    recordings = list(dict.fromkeys(m["recording_id"] for m in question["media"]))
    for item in question["evidence"]:
        if item["key"] in media:
            continue  # told with the media
        named = (item["table"], item["key"], item["role"])
        yield from _row(settings, question["source"], recordings, *named, 0)


def _row(
    settings: Settings,
    source: str,
    recordings: list[str],
    name: str,
    key: str,
    role: str,
    depth: int,
) -> Iterator[str]:
    indent = "    " + "  " * depth
    table = TABLES.get(name)
    found = None
    if table is not None and "source" in table.schema:
        rows = named_rows(settings.store.scan(table, source), table, [key], recordings)
        found = named_row(rows, key, recordings)
    if table is None or found is None:
        yield f"{indent}{role} {name}:{key} (no longer there)"
        return
    place = place_of(table, key, found)
    yield f"{indent}{role} {name}:{key} ({place.file} {place.row}): {_cut(place.says)}"
    if depth >= DEEPEST:
        return
    below = [str(e).partition(":")[::2] for e in found.get("evidence") or ()]
    if found.get("source_table"):
        below.append((found["source_table"], found["source_row"]))
    for table_below, key_below in below[:SHOWN_ROWS]:
        mine = [found["recording_id"]] if found.get("recording_id") else recordings
        yield from _row(settings, source, mine, table_below, key_below, "from", depth + 1)


def _recordings(settings: Settings, source: str, ids: Iterable[str]) -> Iterator[str]:
    files = {
        r["path"]: r["content"]
        for r in settings.store.read(TABLES["files"], source).iter_rows(named=True)
    }
    yield "  recordings and their files:"
    rows = settings.store.read(TABLES["recordings"], source, ids).sort("recording_id")
    for row in rows.iter_rows(named=True):
        yield f"    {row['recording_id']} ({row['view']}, {row['scenario']}, {row['licence']})"
        if row["media_kind"] == "video":
            for path, content in zip(row["media_paths"], row["media_hashes"], strict=True):
                yield f"      {path} {content}"
        else:
            yield f"      {row['media_kind']} {'+'.join(row['media_hashes'])}"
        stated = row["source_file"]
        yield f"      {stated} {files.get(stated.partition(':')[0], '')}"
    segments = settings.store.read(TABLES["segments"], source, ids, ["source_file"])
    for path in sorted({p.partition(":")[0] for p in segments["source_file"].unique()}):
        yield f"      {path} {files.get(path, '')}"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN_TEXT else flat[: SHOWN_TEXT - 1] + "…"
