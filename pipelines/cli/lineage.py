"""From a score or a question back to replies, segments, recordings and file hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.report.rows import key_columns
from assets.scores.stage import domains_of, groups_of
from assets.scores.table import MACRO, MICRO, domain_slices
from assets.translations.stage import narrated
from expectations.schemas import TABLES, Table
from pipelines.cli.row_lineage import RowWalk, cut
from resources.config import Settings
from resources.errors import ExpectedError, nearest, unknown_name
from resources.masking import mask

SHOWN_QUESTIONS = 3
SHOWN_MATCHES = 5
SHORTEST_KEY = 6
# Columns by which the media of questions name rows.
_SHOWN = {"segments": "segment_id", "recordings": "recording_id"}


class UnknownKey(ExpectedError, ValueError):
    """Nothing has this key, or several things have."""


def explain(settings: Settings, key: str) -> str:
    """The walk from a score, a question or a row of any table back to files and their content.

    Args:
        settings: Configuration.
        key: A score (`benchmark.run` or `benchmark.run/slice`), a question id or its first
            characters (`benchmark/id` where several benchmarks have it), or a row as `table/key`.

    Raises:
        UnknownKey: Nothing has the key, or several things have.
    """
    first, _, rest = key.partition("/")
    if first in settings.evaluations():
        return "\n".join(_score(settings, first, rest or MICRO))
    if first in TABLES:
        return "\n".join(_row(settings, TABLES[first], rest))
    benchmark = first if rest and first in settings.benchmarks else None
    try:
        question = _find_question(settings, rest if benchmark else key, benchmark)
    except UnknownKey as error:
        near = nearest(first, [*settings.evaluations(), *TABLES])
        if near is None:
            raise
        raise UnknownKey(f"{error}; did you mean {near!r}?") from None
    return "\n".join(_question(settings, question))


def _score(settings: Settings, evaluation: str, part: str) -> Iterator[str]:
    scores = settings.store.read(TABLES["scores"], evaluation).filter(pl.col("slice") == part)
    if scores.is_empty():
        known = settings.store.read(TABLES["scores"], evaluation)["slice"].unique().sort().to_list()
        raise unknown_name(f"slice of {evaluation}", part, known, "run it first (`parallax run`)")
    row = scores.row(0, named=True)
    none = "withheld" if row["n_withheld"] else "no value"
    value = none if row["value"] is None else f"{100 * row['value']:.1f} %"
    chance = "" if row["chance"] is None else f", chance {100 * row['chance']:.1f} %"
    reached = row["effective_chance"]
    chance += "" if reached is None else f", effective {100 * reached:.1f} %"
    yield f"score {evaluation}/{part}: {row['metric']} {value}"
    yield (
        f"  n {row['n']}, unparsed {row['n_unparsed']}, failed calls {row['n_errors']}, "
        f"answer withheld {row['n_withheld'] or 0}, "
        f"recordings {row['n_clusters']}{chance}"
    )
    answers = _answers(settings, evaluation, part)
    right, failed = answers.filter("right").height, answers.filter(status="error").height
    replied = answers.filter(pl.col("status") != "error")
    withheld = replied.filter(pl.col("right").is_null()).height
    wrong = answers.height - right - failed - withheld
    counted = f"{right} right, {wrong} not, {failed} calls failed or could not be read"
    counted += f", {withheld} without a released answer" if withheld else ""
    n_asked = answers["question_id"].n_unique()
    several = f", {answers.height} replies" if n_asked < answers.height else ""
    yield f"  from {n_asked} questions{several}: {counted}"
    for status, count in answers.group_by("status").len().sort("status").iter_rows():
        yield f"    {status}: {count}"
    yield from _first_questions(settings, answers)


def _first_questions(settings: Settings, answers: pl.DataFrame) -> Iterator[str]:
    """The walks from the first questions that were answered, by their hash."""
    answered = answers.sort("sample").unique("question_id", keep="first").sort("question_hash")
    chosen = answered.head(SHOWN_QUESTIONS)
    yield f"  {chosen.height} of its questions (`parallax why <question id>` walks any):"
    for answer in chosen.iter_rows(named=True):
        for line in _question_behind(settings, answer):
            yield f"  {line}" if line else ""


def _questions_counted(settings: Settings, row: Mapping[str, Any]) -> Iterator[str]:
    """The walks from the first questions of those that a row is about, by their hash."""
    # Of a recipe with several subtasks, a row may name the recipe in place of the subtask.
    about = "recipe" if row.get("recipe") else "subtask"
    columns = [name for name in ("source", "pool", about) if row.get(name)]
    questions = settings.store.scan(TABLES["questions"], row["benchmark"])
    same = pl.all_horizontal(pl.lit(True), *(pl.col(name) == row[name] for name in columns))
    if row.get("wording_id"):
        key = pl.element().struct.field("key")
        same &= pl.col("evidence").list.eval(key == row["wording_id"]).list.any()
    found = questions.filter(same).sort("question_hash").collect()
    chosen = found.head(SHOWN_QUESTIONS)
    yield f"  {chosen.height} of its {found.height} questions (`parallax why <question id>` walks any):"
    for question in chosen.iter_rows(named=True):
        yield ""
        for line in _question(settings, question):
            yield f"  {line}" if line else ""


def _answers(settings: Settings, evaluation: str, part: str) -> pl.DataFrame:
    """Answers that a slice of scores is computed from: those of a subtask, a group or a domain, or all."""
    answers = settings.store.read(TABLES["answers"], evaluation)
    if part in (MICRO, MACRO):
        return answers
    benchmark = evaluation.partition(".")[0]
    groups = groups_of(settings, benchmark)
    of_domains = domain_slices(answers, groups, domains_of(settings, benchmark))
    if part in of_domains:
        return of_domains[part].drop("domain")
    return answers.filter(pl.col("subtask").is_in(list(groups.get(part, [part]))))


def _find_question(settings: Settings, key: str, benchmark: str | None) -> dict[str, Any]:
    if len(key) < SHORTEST_KEY:
        raise UnknownKey(
            f"{key!r} is too short for a question id; give {SHORTEST_KEY} or more of its first "
            f"characters, {_other_keys(settings)}"
        )
    questions = (
        settings.store.scan(TABLES["questions"], benchmark)
        .filter(pl.col("question_id").str.starts_with(key))
        .sort("benchmark", "question_id")
        .collect()
    )
    if questions.is_empty():
        raise UnknownKey(
            f"no question has an id that begins with {key!r}; give {SHORTEST_KEY} or more of the "
            f"first characters of one, {_other_keys(settings)}"
        )
    if questions.height > 1:
        named = questions.select(
            pl.concat_str("benchmark", "question_id", separator="/")
        ).to_series()
        raise UnknownKey(
            f"{key!r} begins the ids of {questions.height} questions; give one: {_first_of(named)}"
        )
    return questions.row(0, named=True)


def _other_keys(settings: Settings) -> str:
    scores = ", ".join(settings.evaluations())
    named = f"a score ({scores}; with `/<slice>` for a part), " if scores else ""
    return f"{named}or a row as `table/key`, for example `segments/<segment_id>`"


def _first_of(names: pl.Series) -> str:
    shown = ", ".join(names.head(SHOWN_MATCHES))
    more = len(names) - SHOWN_MATCHES
    return f"{shown} and {more} more" if more > 0 else shown


def _row(settings: Settings, table: Table, key: str) -> Iterator[str]:
    """The walk from a row of any table; `source/` and `recording/` may stand before its key."""
    key, row = _find_row(settings, table, key)
    source, recording = row.get("source"), row.get("recording_id")
    yield f"row of {table.name}" + (f", source {source}" if source else "")
    is_asked = bool(row.get("benchmark") and row.get("question_id"))
    is_of_run = bool(row.get("benchmark") and row.get("run"))
    is_of_questions = bool(row.get("benchmark")) and table.stage != "sources"
    walk = RowWalk(settings, source or "", [recording] if recording else [])
    if source and not is_asked and not is_of_questions:
        yield from walk.loaded_row(table, key, row, "row", 1)
    for name, value in row.items():
        if value is not None and value not in ("", []):
            yield f"    {name}: {cut(mask(_words(value)))}"
    if is_asked:
        yield from _question_behind(settings, row)
    elif is_of_run:
        evaluation, part = f"{row['benchmark']}.{row['run']}", row.get("slice") or MICRO
        yield from _first_questions(settings, _answers(settings, evaluation, part))
    elif is_of_questions:
        yield from _questions_counted(settings, row)
    elif source:
        yield from _questions_on(settings, table, key, row)
        yield "recordings and their files:"
        yield from walk.files()


def _find_row(settings: Settings, table: Table, key: str) -> tuple[str, dict[str, Any]]:
    """The row with a key, and the key as evidence names it.

    Raises:
        UnknownKey: No row has it, or rows of several sources or recordings have.
    """
    # A part of a key may be null, as in rows that hold for all values of a column.
    parts = [pl.col(c).cast(pl.String).fill_null("") for c in key_columns(table)]
    forms = [pl.concat_str(parts, separator="/")]
    before = [
        c for c in ("source", "recording_id") if c in table.key and c not in key_columns(table)
    ]
    for chosen in (before[:1], before[1:], before):
        if chosen:
            forms.append(pl.concat_str(*chosen, forms[0], separator="/"))
    matches = pl.any_horizontal(form == key for form in forms)
    named = {"_key": forms[0], "_full": forms[-1]}
    rows = (
        settings.store.scan(table).filter(matches).with_columns(**named).sort(table.key).collect()
    )
    if rows.is_empty():
        raise UnknownKey(
            f"no row of {table.name} has the key {key!r}; its keys are "
            f"`{'/'.join(key_columns(table))}` (`parallax sql` shows its rows)"
        )
    full = rows["_full"].unique(maintain_order=True)
    if len(full) > 1:
        raise UnknownKey(
            f"{len(full)} rows of {table.name} have the key {key!r}; give one: "
            f"{_first_of(pl.Series([f'{table.name}/{name}' for name in full]))}"
        )
    row = rows.row(0, named=True)
    del row["_full"]
    return row.pop("_key"), row


def _question_behind(settings: Settings, row: Mapping[str, Any]) -> Iterator[str]:
    """The walk from the question that a row is about."""
    questions = settings.store.scan(TABLES["questions"], row["benchmark"])
    match = questions.filter(pl.col("question_id") == row["question_id"]).collect()
    yield ""
    if match.is_empty():
        yield f"question {row['question_id']} (no longer there)"
    else:
        yield from _question(settings, match.row(0, named=True))


def _questions_on(
    settings: Settings, table: Table, key: str, row: Mapping[str, Any]
) -> Iterator[str]:
    """How many questions show a row or name it as evidence, and the first of them."""
    columns = ("benchmark", "question_id", "media", "evidence")
    questions = settings.store.scan(TABLES["questions"]).filter(pl.col("source") == row["source"])
    named = pl.element().struct
    rests = (
        pl.col("evidence")
        .list.eval((named.field("table") == table.name) & (named.field("key") == key))
        .list.any()
    )
    if "recording_id" in table.key and "recording_id" not in key_columns(table):
        shown = pl.col("media").list.eval(named.field("recording_id") == row["recording_id"])
        rests &= shown.list.any()
    if table.name in _SHOWN:
        rests |= pl.col("media").list.eval(named.field(_SHOWN[table.name]) == key).list.any()
    matches = questions.select(columns).filter(rests).sort("benchmark", "question_id").collect()
    ids = matches.select(pl.concat_str("benchmark", "question_id", separator="/")).to_series()
    yield f"  questions that name it: {len(ids)}" + (f" ({_first_of(ids)})" if len(ids) else "")


def _words(value: object) -> str:
    """A value as text; lists and structs as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _question(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    yield f"question {question['question_id']} ({question['benchmark']}, {question['subtask']})"
    yield f"  shown as {question['question_hash']}: {cut(question['text'])}"
    split = f", split {question['split']}" if question["split"] else ""
    yield f"  recipe {question['recipe']}, pool {question['pool']}{split}"
    answer = question["answer"] or question["answer_text"] or "withheld"
    yield f"  answer {answer} of {len(question['options'])} options"
    yield from _replies(settings, question)
    yield from _verdicts(settings, question)
    yield "  media and the rows they rest on:"
    yield from _media(settings, question)
    recordings = list(dict.fromkeys(m["recording_id"] for m in question["media"]))
    walk = RowWalk(settings, question["source"], recordings)
    walk.add_stated("segments")
    yield "  evidence:"
    yield from _evidence(settings, walk, question)
    yield "  recordings and their files:"
    yield from (f"  {line}" for line in walk.files())


def _verdicts(settings: Settings, question: dict[str, Any]) -> Iterator[str]:
    mine = pl.col("question_id") == question["question_id"]
    rows = (
        settings.store.scan(TABLES["question_gates"], question["benchmark"]).filter(mine).collect()
    )
    yield f"  gates: {rows.height} verdicts"
    for row in rows.sort("gate", "protocol").iter_rows(named=True):
        under = f" under {row['protocol']}" if row["protocol"] else ""
        yield f"    {row['verdict']:<8} {row['gate']}{under} ({row['rule']}): {cut(row['message'])}"


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
                f"{cut(mask(call['reply'] or call['error'] or ''))}{stale}"
            )
        for answer in answers.iter_rows(named=True):
            outcome = {True: "right", False: "not right", None: "answer withheld"}[answer["right"]]
            outcome = "no answer" if answer["status"] == "error" else outcome
            letter = answer["letter"] or "no letter"
            yield f"      read as {letter} ({answer['status']}, {answer['rule']}): {outcome}"


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
        times = (medium["start_s"], medium["end_s"])
        mark = " <- answer" if medium["role"] == f"option_{question['answer']}" else ""
        span = "" if None in times else "{:.2f}-{:.2f} s of ".format(*times)
        yield f"    {medium['role']:<10} {span}{medium['recording_id']} ({place}){mark}"
        if row is not None and (medium["role"] == "query" or mark):
            if row["narration"]:
                yield f"      narration: {cut(row['narration'])}"
            own_labels = labels.filter(pl.col("segment_id") == segment_id).sort(
                "kind", "span_start"
            )
            for label in own_labels.iter_rows(named=True):
                number = "of no class:" if label["class_id"] is None else label["class_id"]
                yield (
                    f"      {label['kind']} {number} {label['class_label']} "
                    f"from {label['term']!r}, {label['body_part']} ({label['rule']})"
                )


def _evidence(settings: Settings, walk: RowWalk, question: dict[str, Any]) -> Iterator[str]:
    """Rows the answer rests on, and the rows those were made from."""
    media = {m["segment_id"] for m in question["media"]}
    for item in question["evidence"]:
        if item["key"] in media:
            continue  # shown with the media
        if item["table"] == "wordings":
            yield f"    {item['role']} wordings:{item['key']} ({_rewording(settings, question, item['key'])})"
            continue
        lines = walk.row(item["table"], item["key"], item["role"])
        yield from (f"    {line}" for line in lines)


def _rewording(settings: Settings, question: Mapping[str, Any], key: str) -> str:
    """Whose rewording of which template a question is asked in, and the call it came from."""
    rows = settings.store.read(TABLES["wordings"], question["benchmark"]).filter(wording_id=key)
    if rows.is_empty():
        return "no longer there"
    row = rows.row(0, named=True)
    return cut(f"by {row['model']}, call {row['call_key']}, of the template {row['template']}")
