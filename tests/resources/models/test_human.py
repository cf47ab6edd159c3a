"""People's replies from files: what counts, what does not, and what a faulty file says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from resources.models import EngineUnavailableError, open_engine
from resources.models.engines.given_replies import ReplyFileError, shown_hash
from resources.models.engines.human import HumanEngine, read_replies
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig, read_runs

CLIP = Clip("query", "rec", "content", 0.0, 1.0, ((0, 5, 0.5),))


def prompt(item: str = "q1", text: str = "Which?", **changes: object) -> Prompt:
    base = Prompt(f"key-{item}", (CLIP, text), choices=tuple("AB"), item=item, model="m")
    return replace(base, **changes)


def engine(path: Path, **settings: object) -> HumanEngine:
    return HumanEngine(RunConfig("anna", "human", "own", replies=str(path), **settings))


@pytest.fixture
def sheet(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(text: str, name: str = "anna.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


FORMS = {
    "anna.csv": 'question_id,note,reply\r\nq1,,B\r\nq2,,\r\nq3,sure,"A, I think:\n""a"""\r\n',
    "semicolons.csv": '\ufeffquestion_id;reply\nq1;B\n\nq2;  \nq3;"A, I think:\n""a"""\n',
    "anna.jsonl": "\n".join(
        json.dumps(row)
        for row in (
            {"question_id": "q1", "reply": "B", "minutes": 3},
            {"question_id": "q2", "reply": None},
            {"question_id": "q3", "reply": 'A, I think:\n"a"'},
        )
    ),
}


@pytest.mark.parametrize("name", sorted(FORMS))
def test_replies_are_read_from_every_form(sheet: Callable, name: str) -> None:
    found = read_replies(sheet(FORMS[name], name))
    assert [(r.question_id, r.text) for r in found] == [("q1", "B"), ("q3", 'A, I think:\n"a"')]


def test_a_question_without_a_reply_is_not_asked(sheet: Callable) -> None:
    made = engine(sheet(FORMS["anna.csv"]))
    asked = [prompt("q1"), prompt("q2"), prompt("q9")]
    (group,) = made.replies(asked, no_media)
    assert [(r.call_key, r.status, r.text) for r in group] == [("key-q1", "ok", "B")]
    assert list(made.replies(asked[1:], no_media)) == []
    assert [r.status for r in made.ask(asked, no_media)] == ["ok", "error", "error"]


def test_a_reply_to_another_wording_is_refused(sheet: Callable) -> None:
    shown = prompt()
    text = f"question_id,prompt_hash,reply\nq1,{shown_hash(shown)},B\n"
    made = engine(sheet(text))
    assert made.ask([shown], no_media)[0].text == "B"
    for changed in (
        prompt(text="Which one?"),
        prompt(choices=("B", "A")),
        prompt(system="Look."),
        replace(shown, parts=(replace(CLIP, end_s=2.0), "Which?")),
    ):
        (reply,) = made.ask([changed], no_media)
        assert "anna.csv row 2 replies to q1 as it was worded" in str(reply.error)
    # Neither the model nor the frames of the clip are part of what a person is shown.
    other = replace(shown, model="n", parts=(replace(CLIP, frames=((0, 7, 0.7),)), "Which?"))
    assert made.ask([other], no_media)[0].text == "B"


def test_a_row_may_name_the_prompt_alone(sheet: Callable) -> None:
    text = f"prompt_hash,reply\n{shown_hash(prompt())},B\n"
    assert engine(sheet(text)).ask([prompt()], no_media)[0].text == "B"


def test_replies_to_questions_that_nobody_has_are_refused(sheet: Callable) -> None:
    made = engine(sheet("question_id,reply\nq1,B\n\nq7\x1b,A\nq2,\nq8,C\n"))
    made.check_questions({"q1", "q7\x1b", "q8", "q9"}, ["x"])
    with pytest.raises(ReplyFileError) as caught:
        made.check_questions({"q1", "q2"}, ["egobridge", "egocot"])
    said = str(caught.value)
    assert "anna.csv row 4 replies to q7" in said and "\x1b" not in said
    assert "not a question of egobridge, egocot (and 1 further rows likewise): correct" in said
    # A row that names what was shown alone may belong to any question.
    engine(sheet("prompt_hash,reply\nabc,B\n")).check_questions((), ["x"])


def test_label_follows_replies_and_nothing_else(sheet: Callable) -> None:
    first = engine(sheet("question_id,reply\nq1,B\nq2,A\n", "a.csv")).model
    assert engine(sheet("note,question_id,reply\n,q2,A \n!,q1,B\n", "a.csv")).model == first
    assert engine(sheet("question_id,reply\nq1,B\nq2,C\n", "a.csv")).model != first


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "", r"a\.csv row 1 names the columns none, not `question_id`"),
        ("a.csv", "id,reply\nq1,B\n", "row 1 names the columns id, reply"),
        ("a.csv", "question_id,reply,reply\n", "row 1 names a column twice"),
        ("a.csv", "question_id,reply\nq1,B, I think\n", "row 2 has 3 cells under 2 columns"),
        ("a.csv", 'question_id,reply\nq1,"B\n', "row 2 is not CSV"),
        ("a.csv", "question_id,reply\nq1,B\nq1,C\n", "row 3 replies to q1 as row 2 does: keep one"),
        ("a.csv", "question_id,reply\n,B\n", "row 2 has a reply but neither"),
        ("a.jsonl", '{"question_id": "q1", "reply": "B"}\n[1]\n', "row 2 is not a JSON object"),
        ("a.jsonl", '{"question_id": "q1", "reply": }\n', "row 1 is not JSON"),
        ("a.jsonl", '{"question_id": "q1", "reply": 3}\n', "row 1 has a reply that is not a text"),
        (
            "a.jsonl",
            '{"question_id": "q", "reply": "%s"}' % ("x" * 70_000),
            "over 65536 characters",
        ),
        ("a.xlsx", "question_id,reply\n", "neither .csv nor .jsonl"),
    ],
)
def test_faults_name_file_row_rule_and_remedy(
    sheet: Callable, name: str, text: str, said: str
) -> None:
    with pytest.raises(ReplyFileError, match=said) as caught:
        read_replies(sheet(text, name))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ReplyFileError, match="reply-sheet"):
        read_replies(tmp_path / "absent.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("question_id,reply\nq1,é\n".encode("latin-1"))
    with pytest.raises(ReplyFileError, match="byte 21 is not UTF-8"):
        read_replies(latin)


def test_runs_that_cannot_be_asked(sheet: Callable) -> None:
    with pytest.raises(EngineUnavailableError, match="needs a file"):
        open_engine(RunConfig("anna", "human", "own"))
    with pytest.raises(EngineUnavailableError, match="a file holds one reply to a question"):
        engine(sheet(FORMS["anna.csv"]), samples=3, temperature=1.0)
    with pytest.raises(EngineUnavailableError, match="random does not read replies, which is for"):
        open_engine(RunConfig("r", "random", "own", replies="x.csv"))


def test_paths_start_from_the_folder_of_the_file(tmp_path: Path) -> None:
    table = {"engine": "human", "protocol": "own", "replies": "a.csv"}
    (run,) = read_runs({"anna": table}, home=tmp_path).values()
    assert run.replies == str(tmp_path / "a.csv")
    (run,) = read_runs({"anna": {**table, "replies": "/b.csv"}}, home=tmp_path).values()
    assert run.replies == "/b.csv"


def no_media(recording: str, part: int, pts: list[int]) -> list:
    raise AssertionError("no pixels should be read")
