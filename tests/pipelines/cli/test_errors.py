"""Every error that a person meets is one sentence with the remedy, in every command."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import botocore.exceptions
import pytest
from typer.testing import CliRunner, Result

from expectations.schemas import TABLES
from pipelines.cli import app
from pipelines.errors import Defect, defect, sentence
from resources.config import ConfigError
from resources.errors import unknown_name
from resources.models import EngineUnavailableError
from resources.outages import outage
from resources.roots.base import RootError
from resources.store.ledger import IncompleteUpstream
from resources.store.tables import TableStore

SECRET = "sk-never-to-be-shown-987654"
CONFIG = """
store = "tables"
page = "page.html"
[sources.clips]
layout = "videos"
root = "raw"
[benchmarks.egobridge]
sources = ["clips"]
[runs.random]
engine = "random"
protocol = "direct"
limit = 2
[judges.people]
engine = "human"
replies = "marks.csv"
"""
# Every command that reads the configuration, with the words it cannot do without.
COMMANDS = (
    ("run",),
    ("estimate",),
    ("reply-sheet", "random", "--out", "out.csv"),
    ("judge-sheet", "random", "people", "--out", "out.csv"),
    ("doctor",),
    ("open",),
    ("check",),
    ("status",),
    ("plan",),
    ("why", "abcdef"),
    ("digest",),
    ("sql", "select 1"),
    ("gc",),
    ("dev",),
    ("sample",),
    ("sets", "clips", "--set", "planning/paper", "--out", "out"),
    ("score-sets", "clips", "--set", "planning/paper", "--predictions", "p.json"),
    ("association", "clips", "--out", "out"),
    ("export-questions", "random", "--benchmark", "egobridge", "--out", "out"),
    (
        "export-questions",
        "random",
        "--benchmark",
        "egobridge",
        "--form",
        "egocross",
        "--out",
        "out",
    ),
    ("tuning-sets", "random", "--apart-from", "random", "--out", "out"),
    ("review", "queue", "clips", "--out", "out.csv"),
    ("review", "status"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a configuration and nothing else, in which commands work."""
    (tmp_path / "parallax.toml").write_text(CONFIG)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / ".dagster"))
    for name in ("PARALLAX_DAGSTER_HOME", "PARALLAX_STORE"):
        monkeypatch.delenv(name, raising=False)
    # Set, so that what a command sets is undone.
    monkeypatch.setenv("PARALLAX_DEBUG", "0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def one_sentence(result: Result, code: int = 1) -> str:
    """The only line on the error stream, checked."""
    assert result.exit_code == code, (result.output, result.exception)
    (line,) = result.stderr.splitlines()
    assert line.startswith("parallax: ")
    assert "Traceback" not in result.output
    return line


def test_commands_are_all_listed() -> None:
    words = {
        command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        for command in app.registered_commands
    }
    # `init` writes the configuration and needs none.
    assert words - {"init"} | {"review"} == {command[0] for command in COMMANDS}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_broken_configuration_is_one_sentence_in_every_command(words, home) -> None:
    (home / "parallax.toml").write_text('store = "tables"\nsuorces = {}\n')
    assert "suorces" in one_sentence(call(*words))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_absent_configuration_is_one_sentence_in_every_command(words, home) -> None:
    (home / "parallax.toml").unlink()
    assert "no configuration at" in one_sentence(call(*words))


def raising(error: BaseException) -> Any:
    def load(*_: object, **_named: object) -> None:
        raise error

    return load


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (ConfigError("the file says nothing"), "the file says nothing"),
        (EngineUnavailableError("install it"), "install it"),
        (IncompleteUpstream("run again"), "run again"),
        (RootError("two\nlines"), "two lines"),
        (OSError(errno.ENOSPC, "No space left on device", "/d/x"), "no space is left on the disk"),
        (OSError("\x1b[31m↳\x1b[0m No space left on device (os error 28)\n"), "no space is left"),
        (PermissionError(errno.EACCES, "Permission denied", "/d/x"), "/d/x cannot be used"),
        (OSError(errno.EROFS, "Read-only file system", "/d/x"), "Read-only file system"),
        (OSError(errno.EMFILE, "Too many open files", "/d/x"), "ulimit -n"),
        (
            FileNotFoundError(
                "No such file or directory (os error 2): ...ions/partition_key=a/0-1f.parquet (set POLARS)"
            ),
            "a file of a table is gone (partition_key=a/0-1f.parquet): run again if",
        ),
        (sqlite3.OperationalError("database is locked"), "locked by another process"),
        (MemoryError(), "memory ran out"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_expected_errors_are_shown_in_one_line(error, part, home, monkeypatch) -> None:
    monkeypatch.setattr("resources.config.load_settings", raising(error))
    assert part in one_sentence(call("status"))


def s3_refusal(code: str, text: str) -> Exception:
    """What botocore raises where S3 answers with an error."""
    answer: Any = {"Error": {"Code": code, "Message": text}}
    return botocore.exceptions.ClientError(answer, "PutObject")


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (
            OSError(
                "Kernel error -> Generic S3 error\n \x1b[31m↳\x1b[0m Error performing GET "
                "http://127.0.0.1:9/b in 3.0s, after 10 retries - HTTP error\n error sending request"
            ),
            "does not answer: start it, or correct AWS_ENDPOINT_URL",
        ),
        (
            botocore.exceptions.EndpointConnectionError(endpoint_url="http://127.0.0.1:9"),
            "does not answer: start it, or correct AWS_ENDPOINT_URL",
        ),
        (s3_refusal("InvalidAccessKeyId", "The key does not exist"), "refuses the credentials"),
        (s3_refusal("SignatureDoesNotMatch", "differs"), "refuses the credentials"),
        (botocore.exceptions.NoCredentialsError(), "refuses the credentials"),
        (s3_refusal("NoSuchBucket", "The specified bucket does not exist"), "no such bucket"),
        (s3_refusal("InternalError", f"inside, {SECRET}"), "InternalError"),
    ],
)
def test_an_object_store_that_fails_is_told_by_what_helps(error, part, home, monkeypatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setattr("resources.config.load_settings", raising(error))
    line = one_sentence(call("status"))
    assert part in line
    assert SECRET not in line


def test_what_s3fs_makes_of_a_refusal_is_known_by_where_it_came_from() -> None:
    error = PermissionError(errno.EACCES, "Forbidden")
    error.__cause__ = s3_refusal("403", "Forbidden")
    assert "refuses the credentials" in str(outage(error))


def test_an_error_of_no_machinery_is_no_outage() -> None:
    assert outage(KeyError("x")) is None
    assert outage(FileNotFoundError(errno.ENOENT, "No such file or directory", "/x")) is None


def test_a_defect_says_so_and_how_to_see_more(home, monkeypatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    monkeypatch.setattr("resources.config.load_settings", raising(KeyError(f"x {SECRET}")))
    line = one_sentence(call("status"), code=70)
    assert "unexpected error, a defect of Parallax or of a plug-in" in line
    assert "KeyError: 'x ***', at tests/pipelines/cli/test_errors.py:" in line
    assert "--debug" in line


@pytest.mark.parametrize("words", [("--debug", "status"), ("status", "--debug")], ids=" ".join)
def test_debug_shows_the_traceback_without_secrets(words, home, monkeypatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    monkeypatch.setattr("resources.config.load_settings", raising(ConfigError(f"no {SECRET}")))
    result = call(*words)
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert "ConfigError: no ***" in result.stderr
    assert result.stderr.splitlines()[-1] == "parallax: no ***"
    assert SECRET not in result.output


def test_debug_can_be_set_in_the_environment(home, monkeypatch) -> None:
    monkeypatch.setenv("PARALLAX_DEBUG", "1")
    (home / "parallax.toml").unlink()
    assert "Traceback" in call("status").stderr


def test_debug_behind_two_dashes_is_an_argument(home) -> None:
    assert "--debug" in one_sentence(call("why", "--", "--debug"))


def test_ctrl_c_is_one_line_and_its_own_exit_code(home, monkeypatch) -> None:
    left: list[int] = []
    monkeypatch.setattr("pipelines.cli.interrupts.leave", left.append)
    # It would silence the tests too.
    monkeypatch.setattr("pipelines.cli.interrupts._silence", lambda: sys.stderr)
    monkeypatch.setattr("resources.config.load_settings", raising(KeyboardInterrupt()))
    result = call("status")
    assert left == [130]
    assert result.stderr.startswith("parallax: interrupted; ")
    assert "Traceback" not in result.output


def test_an_expected_error_that_dagster_wrapped_is_found() -> None:
    from dagster._core.errors import DagsterUserCodeExecutionError

    try:
        raise RootError("mount it")
    except RootError as error:
        wrapped = DagsterUserCodeExecutionError(
            "step", user_exception=error, original_exc_info=sys.exc_info()
        )
    assert sentence(wrapped) == "mount it"


def test_a_defect_of_another_process_keeps_its_words() -> None:
    assert sentence(Defect("a: KeyError: 'x'")) is None
    assert defect(Defect("a: KeyError: 'x'")) == "a: KeyError: 'x'"


def test_an_unknown_name_names_the_nearest_and_those_there_are() -> None:
    text = str(unknown_name("source", "hous", ["house", "tuin"]))
    assert text == "no source 'hous'; known: house, tuin; did you mean 'house'?"
    assert "did you mean" not in str(unknown_name("source", "zzz", ["house", "tuin"]))
    assert "and 20 more" in str(unknown_name("run", "x", [f"r{n}" for n in range(50)]))
    assert "there are none, make some" in str(unknown_name("set", "x", (), "make some"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("run", "--source", "clip"), "no source 'clip'; known: clips; did you mean 'clips'?"),
        (("run", "--subtask", "asociation_ego2exo"), "did you mean 'association_ego2exo_k5'?"),
        (("run", "--benchmark", "egobrige"), "did you mean 'egobridge'?"),
        (("run", "--run", "randm"), "did you mean 'random'?"),
        (
            ("check", "--of", "nope"),
            "no source, benchmark or evaluation 'nope'; known: clips, egobridge",
        ),
        (("check", "--name", "gate"), "did you mean 'gates'?"),
        (("plan", "--layout", "video"), "did you mean 'videos'?"),
        (("plan", "--benchmark", "egobrigde"), "did you mean 'egobridge'?"),
        (("plan", "--subtask", "intention_relation"), "did you mean 'intention_relative'?"),
        (("why", "egobridge.randm"), "did you mean 'egobridge.random'?"),
        (("digest", "--by", "nope"), "known: partition, table, unit"),
        (("sample", "--layout", "egoexolern"), "did you mean 'egoexolearn'?"),
        (("sample", "--render", "huge"), "no video size 'huge'; known: full, none, small"),
        (("sets", "clip", "--set", "a", "--out", "o"), "did you mean 'clips'?"),
        (("sets", "clips", "--set", "a", "--out", "o"), "`parallax run`"),
        (("association", "clip", "--out", "o"), "did you mean 'clips'?"),
        (("review", "queue", "clip", "--out", "o"), "did you mean 'clips'?"),
        (("review", "queue", "clips", "--what", "label", "--out", "o"), "did you mean 'labels'?"),
        (("review", "queue", "clips", "--format", "cvs", "--out", "o"), "did you mean 'csv'?"),
        (("review", "status", "--source", "clip"), "did you mean 'clips'?"),
        (("review", "interface", "--what", "pair"), "did you mean 'pairs'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_unknown_names_are_refused_with_the_known_and_the_nearest(words, part, home) -> None:
    assert part in one_sentence(call(*words))
    assert not os.path.exists(home / "o")


@pytest.mark.parametrize(
    "words",
    [
        ("review", "queue", "clips", "--out", "absent/o.csv"),
        ("reply-sheet", "random", "--out", "absent/o.csv"),
        ("init", "raw", "--file", "raw", "--force"),
        ("init", "raw", "--file", "parallax.toml/o.toml"),
        ("sql", "select 1", "--out", "absent/o.csv"),
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_written_is_one_sentence(words, home) -> None:
    (home / "raw").mkdir()
    assert "cannot be written: " in one_sentence(call(*words))


@pytest.mark.parametrize(
    "words",
    [
        ("gc", "--keep-hours", "-1"),
        ("gc", "--keep-hours", "nan"),
        ("gc", "--keep-hours", "1e300"),
        ("dev", "--port", "99999"),
        ("sample", "--ego", "-1"),
    ],
    ids=" ".join,
)
def test_numbers_out_of_their_bounds_are_refused(words, home) -> None:
    result = call(*words)
    assert result.exit_code == 2, (result.output, result.exception)
    assert words[1] in result.stderr
    assert not (home / "tables").exists()


def test_names_of_files_cannot_move_the_cursor(home) -> None:
    name = "a\x1b[2J\u202e.txt"
    table = TABLES["files"]
    row = {"source": "clips", "path": name, "is_media": False, "bytes": 1}
    TableStore(str(home / "tables")).replace(table, "clips", [name], table.frame([row]))
    result = call("status")
    assert result.exit_code == 0, result.output
    assert "a\\x1b[2J\\u202e.txt" in result.stdout
    assert name not in result.stdout


def test_errors_cannot_move_the_cursor(home) -> None:
    line = one_sentence(call("sql", 'select "\x1b[2J\x1b]0;x\x07"'))
    assert "\\x1b[2J\\x1b]0;x\\x07" in line


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--recordings", " , "), "--recordings ' , ' names no recording"),
        (("--verify", "--only"), "--verify reads sources and --only leaves them alone"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_choices_that_contradict_each_other_or_choose_nothing_are_refused(words, part, home):
    assert part in one_sentence(call("run", *words))


def test_only_sources_that_a_run_looks_at_are_verified(home, monkeypatch) -> None:
    other = '[sources.other]\nlayout = "videos"\nroot = "raw"\n'
    (home / "parallax.toml").write_text(CONFIG + other)
    verified: list[str] = []
    monkeypatch.setattr(
        "pipelines.cli.source_status.verify_source",
        lambda _settings, name: verified.append(name) or name,
    )
    monkeypatch.setattr("pipelines.run.orchestrate.update", raising(ConfigError("enough")))
    assert "enough" in one_sentence(call("run", "--verify", "--benchmark", "egobridge"))
    assert verified == ["clips"]


def test_a_folder_whose_name_is_no_text_cannot_be_a_root(home) -> None:
    folder = home / os.fsdecode(b"q\xff")
    folder.mkdir()
    assert "is not UTF-8" in one_sentence(call("init", str(folder), "--file", "o.toml"))
    assert not (home / "o.toml").exists()


@pytest.mark.parametrize("words", [("run", "--dry-run"), ("estimate",)], ids=" ".join)
def test_what_only_looks_ahead_refuses_what_a_run_would_refuse(words, home) -> None:
    (home / "parallax.toml").write_text(CONFIG.replace("egobridge", "egobrigde"))
    assert "did you mean `egobridge`?" in one_sentence(call(*words))


@pytest.mark.parametrize("words", [("status",), ("sql", "select 1 from files")], ids=" ".join)
def test_a_damaged_table_is_named_with_the_remedy(words, home) -> None:
    table = TABLES["files"]
    store = TableStore(str(home / "tables"))
    store.replace(table, "clips", ["a"], table.frame([{"source": "clips", "path": "a"}]))
    (log,) = (home / "tables" / "files" / "_delta_log").glob("*1.json")
    log.write_text('{"add":')
    line = one_sentence(call(*words))
    assert f"the log of table files at {home / 'tables' / 'files'} cannot be read" in line
    assert line.endswith("restore the table's folder from a copy")
