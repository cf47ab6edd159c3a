"""Views that `parallax sql` offers beside the tables: joins that many questions need.

A view is computed when it is asked for and is never stored. Its SQL is DuckDB's; it names tables of
the store only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from expectations.schemas import TABLES
from expectations.schemas.columns import BOOL, FLOAT, INT, SOURCE, TEXT
from expectations.schemas.core import Column
from expectations.schemas.parity import PARITY_ANSWERS
from expectations.schemas.predictions import ANSWERS
from expectations.schemas.questions import BENCHMARK, QUESTION_HASH, QUESTION_ID, RUN
from expectations.schemas.scores import SCORES


@dataclass(frozen=True)
class View:
    """A view over the tables of the store.

    Attributes:
        name: Its name; no table has it.
        row: What one row is.
        columns: Columns in the order the SQL gives them.
        sql: A SELECT over the tables.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    sql: str

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the SQL: the tables it reads are among them."""
        return words(self.sql)


def words(sql: str) -> frozenset[str]:
    """Every word of a piece of SQL in lower case, those in quotes and comments included."""
    return frozenset(re.findall(r"[a-z_][a-z0-9_]*", sql.lower()))


SCORE_ITEMS = View(
    name="score_items",
    row="reply behind a score",
    columns=(
        BENCHMARK,
        RUN,
        SCORES["slice"],
        SCORES["metric"],
        QUESTION_ID,
        QUESTION_HASH,
        Column("source", TEXT, "Source the question is made from.", nullable=True),
        ANSWERS["subtask"],
        ANSWERS["recording_id"],
        ANSWERS["letter"],
        Column("answer", TEXT, "Letter of the right option.", nullable=True),
        ANSWERS["right"],
        ANSWERS["status"],
        ANSWERS["rule"],
        ANSWERS["chance"],
        Column(
            "counted",
            BOOL,
            "Whether it counts: false where the call failed or the answer is withheld.",
        ),
        Column(
            "weight",
            FLOAT,
            "Its share of the score: the score's value is the sum of the weights of right answers."
            " 0 where it does not count; null where the score has no value.",
            nullable=True,
        ),
        ANSWERS["call_key"],
        ANSWERS["attempt"],
        ANSWERS["sample"],
    ),
    sql="""
WITH answered AS (
    SELECT *,
        count(DISTINCT question_id) FILTER (WHERE counted)
            OVER (PARTITION BY benchmark, run, subtask) AS of_subtask,
        count(*) FILTER (WHERE counted)
            OVER (PARTITION BY benchmark, run, question_id) AS of_question
    FROM (SELECT *, status <> 'error' AND "right" IS NOT NULL AS counted FROM answers)
),
items AS (
    SELECT s.slice, s.metric, s.value, len(s.subtasks) AS n_subtasks, a.*,
        count(DISTINCT a.question_id) FILTER (WHERE a.counted)
            OVER (PARTITION BY s.benchmark, s.run, s.slice, s.metric) AS of_slice
    FROM scores AS s
    JOIN answered AS a
        ON a.benchmark = s.benchmark AND a.run = s.run AND list_contains(s.subtasks, a.subtask)
)
SELECT a.benchmark, a.run, a.slice, a.metric, a.question_id, a.question_hash, q.source, a.subtask,
    a.recording_id, a.letter, q.answer, a."right", a.status, a.rule, a.chance, a.counted,
    CASE
        WHEN a.value IS NULL THEN NULL
        WHEN NOT a.counted THEN 0.0
        WHEN a.slice = 'macro' THEN 1.0 / (a.n_subtasks * a.of_subtask * a.of_question)
        ELSE 1.0 / (a.of_slice * a.of_question)
    END::DOUBLE AS weight,
    a.call_key, a.attempt, a.sample
FROM items AS a
LEFT JOIN questions AS q ON q.benchmark = a.benchmark AND q.question_id = a.question_id
""",
)

READING_DIFFERENCES = View(
    name="reading_differences",
    row="reply that another reader reads otherwise than we do",
    columns=(
        BENCHMARK,
        RUN,
        PARITY_ANSWERS["reader"],
        PARITY_ANSWERS["kind"],
        PARITY_ANSWERS["subtask"],
        QUESTION_ID,
        PARITY_ANSWERS["sample"],
        Column("answer", TEXT, "Letter of the right option.", nullable=True),
        PARITY_ANSWERS["ours"],
        PARITY_ANSWERS["theirs"],
        PARITY_ANSWERS["outcome"],
        PARITY_ANSWERS["our_right"],
        PARITY_ANSWERS["right"],
        Column("reply", TEXT, "Reply as it came."),
        Column(
            "effect_on_subtask",
            FLOAT,
            "Accuracy of the subtask by the reader less ours, over all its replies.",
            nullable=True,
        ),
        Column(
            "effect_on_macro",
            FLOAT,
            "The same of the mean over subtasks.",
            nullable=True,
        ),
        PARITY_ANSWERS["call_key"],
    ),
    sql="""
SELECT p.benchmark, p.run, p.reader, p.kind, p.subtask, p.question_id, p.sample, q.answer, p.ours, p.theirs,
    p.outcome, p.our_right, p."right", c.reply, s.effect AS effect_on_subtask,
    m.effect AS effect_on_macro, p.call_key
FROM parity_answers AS p
JOIN calls AS c
    ON c.benchmark = p.benchmark AND c.run = p.run AND c.call_key = p.call_key
    AND c.attempt = p.attempt
LEFT JOIN questions AS q ON q.benchmark = p.benchmark AND q.question_id = p.question_id
LEFT JOIN parity_scores AS s
    ON s.benchmark = p.benchmark AND s.run = p.run AND s.reader = p.reader AND s.slice = p.subtask
    AND s.metric = 'accuracy'
LEFT JOIN parity_scores AS m
    ON m.benchmark = p.benchmark AND m.run = p.run AND m.reader = p.reader AND m.slice = 'macro'
    AND m.metric = 'accuracy'
WHERE NOT p.agrees
""",
)

QUESTION_EVIDENCE = View(
    name="question_evidence",
    row="row that a question rests on",
    columns=(
        BENCHMARK,
        SOURCE,
        Column("subtask", TEXT, "Subtask it tests."),
        QUESTION_ID,
        QUESTION_HASH,
        Column(
            "used_for",
            TEXT,
            "What rests on the row: what is shown, the answer, or a step of the reasoning.",
            one_of=("media", "answer", "rationale"),
        ),
        Column("step", INT, "Step of the reasoning; null elsewhere.", nullable=True),
        Column("table_name", TEXT, "Table of the row."),
        Column("row_key", TEXT, "Key of the row within its source, parts joined by `/`."),
        Column(
            "role",
            TEXT,
            "Part the row plays: of the medium, or of the answer; null in the reasoning.",
            nullable=True,
        ),
    ),
    sql="""
SELECT benchmark, source, subtask, question_id, question_hash, 'media' AS used_for,
    NULL::BIGINT AS step,
    CASE WHEN m.segment_id IS NULL THEN 'recordings' ELSE 'segments' END AS table_name,
    coalesce(m.segment_id, m.recording_id) AS row_key, m.role AS role
FROM questions, unnest(media) AS shown(m)
UNION ALL
SELECT benchmark, source, subtask, question_id, question_hash, 'answer', NULL, e."table", e.key, e.role
FROM questions, unnest(evidence) AS rests(e)
UNION ALL
SELECT benchmark, source, subtask, question_id, question_hash, 'rationale', r.step,
    split_part(named, ':', 1), substr(named, strpos(named, ':') + 1), NULL
FROM questions, unnest(rationale) AS steps(r), unnest(r.evidence) AS rests(named)
""",
)


def _file_uses() -> Iterator[str]:
    """One SELECT for each way in which a file is tied to rows."""
    for table in TABLES.values():
        if "source_file" in table.schema:
            recording = "recording_id" if "recording_id" in table.schema else "NULL"
            # Behind a colon stands the member of an archive or a sheet; the file is listed without.
            yield f"""
SELECT source, split_part(source_file, ':', 1) AS path, 'rows' AS used_as, '{table.name}' AS used_by,
    {recording} AS recording_id, count(*) AS n_rows
FROM {table.name} GROUP BY ALL"""  # noqa: S608 - names are declared
    yield """
SELECT source, unnest(media_paths), 'media', 'recordings', recording_id, 1 FROM recordings"""
    yield """
SELECT source, path, 'media', 'images', recording_id, 1 FROM images"""
    yield """
SELECT source, path, 'part', 'sources.' || part, NULL, NULL FROM files
WHERE part IS NOT NULL AND NOT is_media"""


FILE_USES = View(
    name="file_uses",
    row="raw file and what uses it",
    columns=(
        SOURCE,
        Column("path", TEXT, "Path under the source's root."),
        Column(
            "content",
            TEXT,
            "Content identity of the file; null where the listing no longer has it.",
            nullable=True,
        ),
        Column("bytes", INT, "Size.", unit="B", nullable=True),
        Column(
            "used_as",
            TEXT,
            "`rows`: rows name it as the file they stand in. `media`: its pixels belong to a"
            " recording. `part`: a part of the layout reads it; rows of tables without"
            " `source_file` come from such files.",
            one_of=("rows", "media", "part"),
        ),
        Column("used_by", TEXT, "Table of the rows, or part of the layout."),
        Column("recording_id", TEXT, "Recording of the rows, where they have one.", nullable=True),
        Column("n_rows", INT, "Number of rows; null for a part.", nullable=True),
    ),
    sql=f"""
SELECT u.source, u.path, f.content, f.bytes, u.used_as, u.used_by, u.recording_id, u.n_rows
FROM ({" UNION ALL ".join(_file_uses())}) AS u
LEFT JOIN files AS f ON f.source = u.source AND f.path = u.path
""",  # noqa: S608 - declared above
)

VIEWS: dict[str, View] = {
    view.name: view for view in (SCORE_ITEMS, READING_DIFFERENCES, QUESTION_EVIDENCE, FILE_USES)
}
