"""`parallax sql`: the worked queries of the documentation, the views, and what is printed.

The world below is small enough that every expected number was counted by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from assets.scores.table import score
from expectations.schemas import TABLES
from expectations.schemas.views import VIEWS
from pipelines.cli import app
from pipelines.cli.commands import sql as command
from pipelines.cli.sql_output import converse, csv_lines, describe, json_lines, table_lines
from resources.store.sql import QueryError, Session
from resources.store.tables import TableStore

DOCUMENT = Path(__file__).parents[3] / "docs" / "analytics.md"
QUERIES = dict(
    re.findall(
        r"^### (\d+)\. .*?^```sql\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
)
BENCH, SOURCE = "bench", "s"
# Question: subtask, recording, answer.
QUESTIONS = {
    "q1": ("name", "one", "A"),
    "q2": ("name", "one", "C"),
    "q3": ("name", "two", "B"),
    "q4": ("order", "one", "D"),
    "q5": ("order", "two", "A"),
}
# Letter that each run gives; a blank is an unparsed reply, None a call that failed.
REPLIES: dict[str, dict[str, str | None]] = {
    "first": {"q1": "A", "q2": "B", "q3": "B", "q4": None, "q5": ""},
    "second": {"q1": "B", "q2": "C", "q3": "B", "q4": "D", "q5": "A"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration and a store with two runs over five questions."""
    home = tmp_path_factory.mktemp("analytics")
    (home / "parallax.toml").write_text('store = "tables"\n')
    _fill(TableStore(str(home / "tables")))
    return home


@pytest.fixture(scope="module")
def session(home: Path) -> Iterator[Session]:
    with Session(TableStore(str(home / "tables"))) as session:
        yield session


def _fill(store: TableStore) -> None:
    def put(name: str, partition: str, rows: list[dict[str, Any]] | pl.DataFrame) -> None:
        table = TABLES[name]
        frame = rows if isinstance(rows, pl.DataFrame) else table.frame(rows)
        store.replace(table, partition, frame[table.unit].unique().to_list(), frame)

    put("recordings", SOURCE, [_recording("one", "ego", 1800.0), _recording("two", "ego", 900.0)])
    missing = _recording("three", "exo", 3600.0) | {"media": "missing", "media_paths": []}
    put("recordings", SOURCE, [missing])
    put("files", SOURCE, [_file(p) for p in ("list.csv", "videos/one.mp4", "videos/two.mp4")])
    put("files", SOURCE, [_file("gaze/one.csv") | {"part": "sensors"}])
    put("quarantine", SOURCE, [_refusal(1), _refusal(2), _refusal(3) | {"rule": "end_after_start"}])
    # Written with other words first: the rows that these replace stay on disk.
    put("questions", BENCH, [_question(key, "Older words?") for key in QUESTIONS])
    put("questions", BENCH, [_question(key, "What is it?") for key in QUESTIONS])
    put("question_gates", BENCH, [_verdict("q1", "pass"), _verdict("q8", "refuse")])
    for run, replies in REPLIES.items():
        evaluation = f"{BENCH}.{run}"
        answers = TABLES["answers"].frame([_answer(run, *one) for one in replies.items()])
        put("answers", evaluation, answers)
        put("scores", evaluation, score(answers.with_columns(right=pl.lit(False))))
        put("scores", evaluation, score(answers))
        put("requests", evaluation, [_request(run, key) for key in replies])
        calls = [_call(run, *one) for one in replies.items()]
        calls += [_call(run, "q1", "older") | {"call_key": "older"}]
        store.append(TABLES["calls"], evaluation, TABLES["calls"].frame(calls))


def _recording(name: str, view: str, seconds: float) -> dict[str, Any]:
    video = {"media_paths": [f"videos/{name}.mp4"], "media_hashes": [f"hash of videos/{name}.mp4"]}
    return {
        "source": SOURCE,
        "recording_id": name,
        "view": view,
        "media_kind": "video",
        "media": "present",
        "duration_s": seconds,
        "source_file": "list.csv",
        **video,
    }


def _file(path: str) -> dict[str, Any]:
    media = path.endswith(".mp4")
    content = {"bytes": 10, "content": f"hash of {path}", "is_media": media}
    return {"source": SOURCE, "path": path, "part": "recordings", **content}


def _refusal(number: int) -> dict[str, Any]:
    place = {"stage": "sources.segments", "unit": "one", "table": "segments", "file": "list.csv"}
    words = {"rule": "unknown_class", "message": "unknown", "remedy": "mend the list"}
    return {"source": SOURCE, "refusal": str(number), **place, **words}


def _question(key: str, text: str) -> dict[str, Any]:
    subtask, recording, answer = QUESTIONS[key]
    medium = {"role": "query", "recording_id": recording, "segment_id": f"{recording}/1"}
    steps = [{"step": 1, "text": "Look.", "evidence": [f"boxes:{recording}/7", "labels:a:b"]}]
    return {
        "benchmark": BENCH,
        "source": SOURCE,
        "pool": "p",
        "subtask": subtask,
        "question_id": key,
        "question_hash": f"hash of {key}",
        "recording_id": recording,
        "text": text,
        "media": [medium],
        "answer": answer,
        "rationale": steps if key == "q1" else [],
        "evidence": [{"table": "labels", "key": f"{recording}/1", "role": "answer"}],
    }


def _verdict(key: str, verdict: str) -> dict[str, Any]:
    place = {
        "benchmark": BENCH,
        "source": SOURCE,
        "pool": "p",
        "subtask": "name",
        "question_id": key,
    }
    return {
        **place,
        "gate": "leak",
        "protocol": "",
        "verdict": verdict,
        "rule": "seen",
        "message": "m",
    }


def _answer(run: str, key: str, letter: str | None) -> dict[str, Any]:
    subtask, recording, answer = QUESTIONS[key]
    status = "error" if letter is None else "parsed" if letter else "truncated"
    rule = {"parsed": "letter_alone", "truncated": "no_text", "error": "call_failed"}[status]
    where = {"benchmark": BENCH, "run": run, "question_id": key, "question_hash": f"hash of {key}"}
    reply = {"letter": letter or None, "status": status, "rule": rule, "right": letter == answer}
    about = {"subtask": subtask, "recording_id": recording, "chance": 0.25}
    return {**where, **reply, **about, "call_key": f"call of {key}", "attempt": 0}


def _request(run: str, key: str) -> dict[str, Any]:
    return {"benchmark": BENCH, "run": run, "question_id": key, "call_key": f"call of {key}"}


def _call(run: str, key: str, letter: str | None) -> dict[str, Any]:
    failed = letter is None
    outcome = (
        {"status": "error", "error": "no server"} if failed else {"status": "ok", "reply": letter}
    )
    numbers = {"prompt_tokens": 100, "completion_tokens": 1, "seconds": 0.5, "attempt": 0}
    if letter == "":
        outcome |= {"reply": "Let me think about", "finish_reason": "length"}
    return _request(run, key) | outcome | ({"attempt": 0, "seconds": 2.0} if failed else numbers)


SCORED = {  # by hand: right of counted, clusters two recordings
    ("first", "name"): (2 / 3, 0),
    ("first", "order"): (0.0, 1),
    ("first", "micro"): (2 / 4, 1),
    ("first", "macro"): ((2 / 3 + 0.0) / 2, 1),
    ("second", "name"): (2 / 3, 0),
    ("second", "order"): (1.0, 0),
    ("second", "micro"): (4 / 5, 0),
    ("second", "macro"): ((2 / 3 + 1.0) / 2, 0),
}
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "2": [("name", "q1", "A", "B", "A")],
    "3": [
        (run, part, round(value, 4), round(value, 4), failed)
        for (run, part), (value, failed) in sorted(SCORED.items())
    ],
    "4": [
        ("first", "A", 1, 1, 2),
        ("first", "B", 2, 1, 1),
        ("second", "A", 1, 1, 2),
        ("second", "B", 2, 1, 1),
        ("second", "C", 1, 1, 1),
        ("second", "D", 1, 1, 1),
    ],
    "5": [
        ("first", "error", "call_failed", None, 1, "no server"),
        ("first", "truncated", "no_text", "length", 1, "Let me think about"),
    ],
    "6": [("first", 6, 1, 1, 500, 5, 4.5), ("second", 6, 0, 1, 600, 6, 3.0)],
    "7": [(BENCH, "name", "leak", "seen", 1, "m")],
    "8": [
        # q3 and q5 show the second video.
        (BENCH, "first", "macro", 2, round(1 / 6 + 1 / 2, 3)),
        (BENCH, "first", "micro", 2, 0.5),
        (BENCH, "first", "name", 1, 0.333),
        (BENCH, "first", "order", 1, 1.0),
        (BENCH, "second", "macro", 2, round(1 / 6 + 1 / 4, 3)),
        (BENCH, "second", "micro", 2, 0.4),
        (BENCH, "second", "name", 1, 0.333),
        (BENCH, "second", "order", 1, 0.5),
    ],
    "9": [
        (SOURCE, "unknown_class", "segments", 2, "list.csv", "mend the list"),
        (SOURCE, "end_after_start", "segments", 1, "list.csv", "mend the list"),
    ],
    "10": [(SOURCE, "ego", 2, 0, 0.75), (SOURCE, "exo", 1, 1, 1.0)],
}


def test_ten_queries_are_documented() -> None:
    assert list(QUERIES) == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("number", EXPECTED)
def test_a_worked_query_counts_what_was_counted_by_hand(session: Session, number: str) -> None:
    assert session.frame(QUERIES[number]).rows() == EXPECTED[number]


def test_the_first_worked_query_shows_accuracy_inside_its_interval(session: Session) -> None:
    rows = session.frame(QUERIES["1"]).rows(named=True)
    shown = {(r["run"], r["subtask"]): (r["accuracy"], r["n"], r["chance"]) for r in rows}
    assert shown == {
        ("first", "name"): (66.7, 3, 25.0),
        ("first", "order"): (0.0, 1, 25.0),
        ("second", "name"): (66.7, 3, 25.0),
        ("second", "order"): (100.0, 2, 25.0),
    }
    assert all(r["low"] <= r["accuracy"] <= r["high"] for r in rows if r["low"] is not None)


def test_replaced_rows_lie_on_disk_and_are_not_counted(home: Path, session: Session) -> None:
    on_disk = pl.read_parquet(home / "tables" / "scores" / "**" / "*.parquet").height
    assert (on_disk, session.frame("FROM scores").height) == (16, 8)
    assert session.frame("SELECT DISTINCT text FROM questions").rows() == [("What is it?",)]


def test_a_reply_whose_answer_is_withheld_weighs_nothing(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    rows = [_answer("second", key, letter) for key, letter in REPLIES["second"].items()]
    answers = TABLES["answers"].frame([row | {"run": "blind"} for row in rows])
    # Of q3, nobody outside knows the answer: q2 is right and q1 wrong, of two.
    withheld = pl.when(question_id="q3").then(None).otherwise("right").alias("right")
    answers = answers.with_columns(withheld)
    for name, frame in {"answers": answers, "scores": score(answers)}.items():
        table = TABLES[name]
        store.replace(table, f"{BENCH}.blind", frame[table.unit].unique().to_list(), frame)
    with Session(store) as session:
        found = session.frame(
            "SELECT question_id, weight, counted FROM score_items WHERE slice = 'name' ORDER BY ALL"
        )
        assert found.rows() == [("q1", 0.5, True), ("q2", 0.5, True), ("q3", 0.0, False)]
        assert session.frame(QUERIES["3"]).rows() == [
            ("blind", "macro", 0.75, 0.75, 1),
            ("blind", "micro", 0.75, 0.75, 1),
            ("blind", "name", 0.5, 0.5, 1),
            ("blind", "order", 1.0, 1.0, 0),
        ]


def test_questions_of_a_group_weigh_the_same(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    answers = TABLES["answers"].frame(
        [_answer("second", key, letter) for key, letter in REPLIES["second"].items()]
    )
    subtasks = answers["subtask"].unique().to_list()
    scores = score(answers, groups={"both": subtasks})
    for name, frame in {"answers": answers, "scores": scores}.items():
        table = TABLES[name]
        store.replace(table, f"{BENCH}.second", frame[table.unit].unique().to_list(), frame)
    with Session(store) as session:
        sums = dict(
            session.frame(
                """SELECT slice, sum(weight * "right"::INT) FROM score_items GROUP BY slice"""
            ).iter_rows()
        )
    assert len(subtasks) > 1 and set(sums) == {*subtasks, "both", "micro", "macro"}
    assert sums == pytest.approx(dict(scores.select("slice", "value").iter_rows()))
    assert sums["both"] == sums["micro"]


def test_evidence_is_what_is_shown_what_decides_and_what_explains(session: Session) -> None:
    found = session.frame(
        "SELECT used_for, step, table_name, row_key, role FROM question_evidence "
        "WHERE question_id = 'q1' ORDER BY ALL"
    )
    assert found.rows() == [
        ("answer", None, "labels", "one/1", "answer"),
        ("media", None, "segments", "one/1", "query"),
        ("rationale", 1, "boxes", "one/7", None),
        ("rationale", 1, "labels", "a:b", None),
    ]


def test_files_are_used_as_rows_media_or_by_a_part(session: Session) -> None:
    found = session.frame(
        "SELECT path, content, used_as, used_by, recording_id, n_rows FROM file_uses ORDER BY ALL"
    )
    listed = "hash of list.csv"
    assert found.rows() == [
        ("gaze/one.csv", "hash of gaze/one.csv", "part", "sources.sensors", None, None),
        ("list.csv", listed, "part", "sources.recordings", None, None),
        *(("list.csv", listed, "rows", "recordings", uid, 1) for uid in ("one", "three", "two")),
        ("videos/one.mp4", "hash of videos/one.mp4", "media", "recordings", "one", 1),
        ("videos/two.mp4", "hash of videos/two.mp4", "media", "recordings", "two", 1),
    ]


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_a_view_gives_the_columns_it_declares(session: Session, view: Any) -> None:
    declared = {c.name: c.dtype for c in view.columns}
    assert dict(session.frame(f"FROM {view.name} LIMIT 0").schema) == declared
    assert view.name not in TABLES


# -- the command -----------------------------------------------------------------------------------


def _sql(home: Path, *given: str, typed: str | None = None) -> Any:
    variables = {"PARALLAX_CONFIG": str(home / "parallax.toml"), "PARALLAX_STORE": ""}
    return CliRunner().invoke(app, ["sql", *given], input=typed, env=variables)


def test_a_result_is_printed_or_written_in_four_formats(home: Path, tmp_path: Path) -> None:
    query = "SELECT run, n, low FROM scores WHERE slice = 'order' ORDER BY run"
    expected = [("first", 1), ("second", 2)]
    printed = _sql(home, query).stdout.splitlines()
    assert printed[0].split() == ["run", "n", "low"]
    assert [tuple(line.split()[:2]) for line in printed[2:4]] == [("first", "1"), ("second", "2")]
    assert "None" not in "".join(printed)
    assert [
        (r["run"], r["n"]) for r in json.loads(_sql(home, query, "--format", "json").stdout)
    ] == (expected)
    (tmp_path / "q.sql").write_text(query)
    for name, read in {"r.csv": pl.read_csv, "r.parquet": pl.read_parquet}.items():
        done = _sql(home, "--file", str(tmp_path / "q.sql"), "--out", str(tmp_path / name))
        assert (done.exit_code, done.output) == (0, "")
        assert read(tmp_path / name).select("run", "n").rows() == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["q.sql", "r.csv", "r.parquet"]


def test_a_file_of_ones_own_is_a_table_where_it_is_named(home: Path, tmp_path: Path) -> None:
    mine = tmp_path / "MINE.CSV"
    mine.write_text("question_id,weight\nq1,3\nq9,4\n")
    query = "SELECT sum(m.weight) AS w FROM mine AS m JOIN questions USING (question_id)"
    done = _sql(home, query, "--with", f"mine={mine}", "--format", "csv")
    assert done.stdout == "w\n3\n"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["SELECT * FROM score"], 'Table with name score does not exist; did you mean "scores"?'),
        (["SELECT nope FROM scores"], 'Referenced column "nope" not found in FROM clause; '),
        (["SELEC 1"], 'syntax error at or near "SELEC" (line 1: SELEC 1)'),
        (["SELECT 1; SELECT 2", "--format", "csv"], "2 statements give rows and csv holds one"),
        (["SELECT 1", "--format", "xml"], "unknown format 'xml'; use table, csv, json or parquet"),
        (["SELECT 1", "--format", "parquet"], "parquet is not text: name a file with --out"),
        (["SELECT 1 AS a, 2 AS a", "--format", "json"], "two columns of the result have one name"),
        (["SELECT 1", "--file", "q.sql"], "give the SQL as an argument or with --file, not both"),
        (["--file", "/nowhere/q.sql"], "/nowhere/q.sql cannot be read: No such file or directory"),
        (["SELECT 1", "--out", "/nowhere/r.csv"], "/nowhere/r.csv cannot be written: No such file"),
        (["SELECT 1", "--out", "."], "'.' names no file"),
        (["SELECT 1", "--with", "scores=x.csv"], "'scores' cannot name a further table"),
        (["SELECT 1", "--with", "mine"], "--with 'mine' is not NAME=FILE"),
        (["SELECT 1", "--with", "a=x.csv", "--with", "a=y.csv"], "--with names 'a' twice"),
        (["SELECT 1", "--with", "mine=x.doc"], "x.doc has no ending of .csv"),
        (["SELECT 1", "--with", "mine=/nowhere/x.csv"], "/nowhere/x.csv cannot be read"),
        (
            ["SELECT * FROM read_csv('/etc/passwd')"],
            "SQL reads the tables of the store and no files",
        ),
        (["COPY scores TO 'x.csv'"], "SQL reads the tables of the store and no files"),
        (["DELETE FROM scores"], "the tables of the store are read-only in SQL"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_sentence(home: Path, given: list[str], message: str) -> None:
    done = _sql(home, *given)
    assert done.exit_code == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"parallax: {message}")


def test_a_result_is_not_written_into_the_store(home: Path) -> None:
    place = home / "tables" / "scores" / "mine.csv"
    done = _sql(home, "SELECT 1", "--out", str(place))
    assert "lies in the store" in done.stderr
    assert not place.exists()


def test_every_table_can_be_asked_before_the_first_run(tmp_path: Path) -> None:
    (tmp_path / "parallax.toml").write_text('store = "tables"\n')
    counts = " UNION ALL ".join(f"SELECT count(*) AS n FROM {n}" for n in (*TABLES, *VIEWS))
    done = _sql(
        tmp_path, f"SELECT sum(n) AS n, count(*) AS tables FROM ({counts})", "--format", "csv"
    )
    assert done.stdout == f"n,tables\n0,{len(TABLES) + len(VIEWS)}\n"
    assert not (tmp_path / "tables").exists()


def test_statements_come_through_a_pipe(home: Path) -> None:
    done = _sql(home, typed="CREATE VIEW v AS SELECT 7 AS n; SELECT n FROM v;")
    assert done.stdout == "n\n-\n7\n(1 row)\n"


def test_the_prompt_collects_lines_and_goes_on_after_an_error(session: Session) -> None:
    typed = iter(
        ["SELECT 1 AS", "one;", "", "SELECT nope;", "\\d pairs", "\\d nope", "\\q", "SELECT 2;"]
    )
    prompts: list[str] = []
    shown: list[str] = []
    failed: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt.strip())
        return next(typed)

    converse(session, ask, shown.append, failed.append, 5)
    assert shown[:4] == ["one", "---", "  1", "(1 row)"]
    assert [message[:24] for message in failed] == ['Referenced column "nope"']
    assert shown[4 : 4 + len(TABLES["pairs"].columns) + 1] == list(describe("pairs"))
    assert prompts == ["sql>", "...>", *["sql>"] * 5]
    assert next(typed) == "SELECT 2;"


def test_the_prompt_ends_with_its_input_and_forgets_a_stopped_line(session: Session) -> None:
    typed: Iterator[str | type[BaseException]] = iter(
        ["SELECT", KeyboardInterrupt, "SELECT 3 AS n;", EOFError]
    )
    shown: list[str] = []

    def ask(_prompt: str) -> str:
        line = next(typed)
        if isinstance(line, str):
            return line
        raise line

    converse(session, ask, shown.append, pytest.fail, 5)
    assert shown == ["", "n", "-", "3", "(1 row)"]


def test_an_error_at_the_prompt_reads_as_everywhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["SELECT * FROM score;", "\\q"])
    monkeypatch.setenv("PARALLAX_CONFIG", str(home / "parallax.toml"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed))
    command.sql(rows=5)
    shown = capsys.readouterr()
    assert shown.out.startswith(f"Tables of {home / 'tables'}, read-only.")
    assert shown.err == 'parallax: Table with name score does not exist; did you mean "scores"?\n'


# -- formats ---------------------------------------------------------------------------------------

VALUES = (None, True, 3, 0.5, 1e-7, float("nan"), "a\n\x1b[31m", "", ["x", None], {"k": 1})


def test_a_table_is_plain_text_whatever_the_cells_hold() -> None:
    names = [chr(ord("a") + i) for i in range(len(VALUES))]
    lines = list(table_lines(names, [VALUES, VALUES, VALUES], 2))
    assert len(lines) == 5
    assert lines[2].split() == (
        [
            "NULL",
            "true",
            "3",
            "0.5",
            "1e-07",
            "nan",
            "a\\n\\x1b[31m",
            '["x",',
            "null]",
            '{"k":',
            "1}",
        ]
    )
    assert lines[-1] == "(2 rows shown, more exist: --rows shows more, --format csv all)"
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e300, "1e+300"),
        (-2.5e15, "-2.5e+15"),
        (123456789012345.0, "123456789012345"),
        (2**127 - 1, str(2**127 - 1)),
        (pa.MonthDayNano([1, 3, 1_500_000_000]), "P1M3DT1.5S"),
    ],
)
def test_huge_numbers_and_intervals_are_short(value: Any, shown: str) -> None:
    assert list(table_lines(["a"], [(value,)], 1))[2].strip() == shown


def test_long_and_wide_texts_keep_the_columns_in_line() -> None:
    head, _, first, second, _ = table_lines(["t", "n"], [("长" * 40, 1), ("b" * 90, 22)], 9)
    assert (head[:2], first[-1], second[-2:]) == ("t ", "1", "22")
    assert second.startswith("b" * 59 + "…")
    assert first.startswith("长" * 29 + "…")


def test_csv_tells_null_from_an_empty_text_and_quotes_what_must_be() -> None:
    rows = [(None, "", 'say "a, b"', ["x"], date(2026, 1, 2), Decimal(3))]
    names = ["n", "e", "q", "l", "d", "s"]
    assert list(csv_lines(names, rows)) == [
        "n,e,q,l,d,s",
        ',"","say ""a, b""","[""x""]",2026-01-02,3',
    ]


def test_json_has_null_where_a_number_is_none() -> None:
    text = "\n".join(json_lines(["a", "b"], [(float("inf"), 1), (0.5, None)]))
    assert json.loads(text) == [{"a": None, "b": 1}, {"a": 0.5, "b": None}]
    assert json.loads("".join(json_lines(["a"], []))) == []


def test_two_columns_of_one_name_are_no_object() -> None:
    with pytest.raises(QueryError, match="two columns"):
        list(json_lines(["a", "a"], [(1, 2)]))
