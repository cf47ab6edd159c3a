"""Released questions as a benchmark of their own: as they stand, and scored where the answer is known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.configuration import load_configuration
from assets.options import Options, silent
from assets.predictions.answers import extract_answers
from assets.predictions.selection import select_questions
from assets.predictions.stage import STAGE as PREDICTIONS
from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from assets.questions.egocross.released_form import ITEMS
from assets.questions.released import recordings_of_sets, released_questions
from assets.report.stage import STAGE as PAGE
from assets.report.stage import page_of
from assets.scores.domain_gap.stage import GAPS, POINTS, SORTING
from assets.scores.table import score
from assets.sources.egocross import LAYOUT as EGOCROSS
from assets.sources.hd_epic import LAYOUT as HD_EPIC
from assets.sources.layout import Layout
from assets.stage import Stage
from assets.words.matching import Synonyms
from expectations.gates import EvidenceTables, judge, published
from expectations.schemas import TABLES
from expectations.schemas.readings import RELEASED_RECIPE
from expectations.schemas.sampling import SamplingRule, choose_of_medium, frames_in_order
from expectations.set_checks.questions import check_sets, effective_chances
from pipelines.cli.question_export import export_items
from pipelines.cli.question_status import question_lines
from pipelines.cli.views import score_table
from pipelines.definitions import STAGES
from resources.config import ConfigError, Settings, load_settings
from resources.errors import ExpectedError
from resources.models import embedder
from resources.models.embedder import EmbedderUnavailableError
from resources.models.engines.random_letter import RandomEngine
from resources.models.runs import RunConfig
from resources.worlds.animal import egocross_testbed
from resources.worlds.animal.truth import AnimalSpec
from resources.worlds.flat import FlatSpec, egoschema
from tests.assets.sources.reading_parts import parts_of

CLIP = {"role": "query", "recording_id": "clip", "paths": [], "start_s": None, "end_s": None}


def asked(released_id: str, **change: Any) -> dict[str, Any]:
    """A row of `imported_questions`."""
    row = {
        "source": "s",
        "question_set": "set",
        "released_id": released_id,
        "text": "What does C do?",
        "options": ["eats", "drinks", "None of the others"],
        "options_sorted": False,
        "answer": [1],
        "media": [CLIP],
        "source_file": "q.json",
        "source_key": released_id,
    }
    return {**row, **change}


def tables(
    rows: list[dict[str, Any]], images: int = 0, **recording: Any
) -> dict[str, pl.DataFrame]:
    """Tables of a set whose media are of the recording `clip`."""
    clip = {
        "source": "s",
        "recording_id": "clip",
        "take_id": "t",
        "view": "ego",
        "media_kind": "video",
        "time_base": "pts",
        "duration_s": 180.0,
        "media": "present",
        "media_paths": ["clip.mp4"],
        "media_hashes": ["c0ffee"],
        "licence": "theirs",
        "source_file": "q.json",
        "source_key": "clip",
    }
    pictures = [
        {"source": "s", "recording_id": "clip", "source_frame": 10 * n, "path": f"p/{n}.jpg"}
        for n in range(images)
    ]
    return {
        "imported_questions": TABLES["imported_questions"].frame(rows),
        "recordings": TABLES["recordings"].frame([{**clip, **recording}]),
        "images": TABLES["images"].frame(pictures),
    }


def judged(given: Mapping[str, pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Questions of a set, and the verdicts of all gates on them."""
    questions = released_questions(given, benchmark="b")
    frames = {
        "clip": TABLES["frames"].frame(
            {"recording_id": "clip", "grid": "native", "t_s": float(t), "residual_ms": 0.0}
            | {"part": 0, "source_frame": t, "source_pts": t}
            for t in range(180)
        )
    }
    evidence = EvidenceTables(given, frames, {"direct/2": "midpoints(8)"})
    return questions, judge(questions, evidence)


def test_a_question_stands_as_it_was_released() -> None:
    (row,) = released_questions(tables([asked("7")]), benchmark="b").to_dicts()
    assert [(o["letter"], o["text"], o["is_answer"]) for o in row["options"]] == [
        ("A", "eats", False),
        ("B", "drinks", True),
        ("C", "None of the others", False),
    ]
    assert (row["answer"], row["answer_text"], row["chance"]) == (
        "B",
        "drinks",
        pytest.approx(1 / 3),
    )
    assert (row["subtask"], row["recipe"], row["licence"]) == ("set", RELEASED_RECIPE, "theirs")
    (medium,) = row["media"]
    assert (medium["media_kind"], medium["start_s"], medium["end_s"]) == ("clip", 0.0, 180.0)
    assert row["evidence"] == [{"table": "imported_questions", "key": "7/set", "role": "released"}]


def test_an_id_stays_under_new_wording_and_a_hash_does_not() -> None:
    first, second = (
        released_questions(tables([asked("7", text=text)]), benchmark="b").to_dicts()[0]
        for text in ("What?", "What, then?")
    )
    assert first["question_id"] == second["question_id"]
    assert first["question_hash"] != second["question_hash"]
    (other,) = released_questions(tables([asked("8", text="What?")]), benchmark="b").to_dicts()
    assert other["question_id"] != first["question_id"]


def test_a_withheld_answer_stays_open_and_is_published() -> None:
    questions, verdicts = judged(tables([asked("7", answer=None), asked("8")]))
    withheld = questions.filter(pl.col("answer").is_null())
    assert [o["is_answer"] for o in withheld["options"][0]] == [None] * 3
    assert published(questions, verdicts).height == 2
    assert set(verdicts["verdict"]) == {"pass"}
    # Gates that go back to annotation rows say that they did not judge.
    assert set(verdicts.filter(rule="released")["gate"]) == {
        "answer",
        "consistent",
        "distractors",
        "explanation",
        "leak",
        "margin",
        "reviewed",
    }


MEDIUM = {**CLIP, "start_s": 10.0, "end_s": 20.0}


@pytest.mark.parametrize(
    ("change", "recording", "rule"),
    [
        ({"options": ["eats", " eats", "drinks"]}, {}, "option_twice"),
        ({"answer": None, "options": ["eats", "eats"]}, {}, "option_twice"),
        ({"options": ["eats", " "]}, {}, "option_empty"),
        ({"answer": [0, 1]}, {}, "one_answer"),
        ({"options": [str(n) for n in range(21)]}, {}, "option_incomplete"),
        ({"media": [{**MEDIUM, "end_s": 200.0}]}, {}, "clip_outside"),
        ({"media": [{**MEDIUM, "end_s": 5.0}]}, {}, "clip_empty"),
        ({"media": [{**MEDIUM, "recording_id": "gone"}]}, {}, "recording_missing"),
        ({"media": [{**CLIP, "recording_id": "gone"}]}, {}, "media_missing"),
        ({}, {"media": "missing", "duration_s": None}, "media_missing"),
        ({"media": []}, {}, "no_media"),
    ],
)
def test_form_is_judged_all_the_same(
    change: dict[str, Any], recording: dict[str, Any], rule: str
) -> None:
    questions, verdicts = judged(tables([asked("7", **change)], **recording))
    (found,) = verdicts.filter(gate="well_formed").to_dicts()
    assert (found["verdict"], found["rule"]) == ("refuse", rule)
    assert published(questions, verdicts).is_empty()


def test_a_question_whose_video_is_elsewhere_is_kept_and_not_asked() -> None:
    questions, verdicts = judged(tables([asked("7")], media="missing"))
    assert published(questions, verdicts).height == 1
    assert questions["media_present"].to_list() == [False]
    (sent,) = verdicts.filter(gate="seen_by_sampling").to_dicts()
    assert (sent["verdict"], sent["rule"]) == ("unknown", "media_missing")


@pytest.mark.parametrize(
    ("named", "present", "places"),
    [(["0.jpg", "1.jpg", "2.jpg"], True, [0, 1, 2]), (["0.jpg", "9.jpg"], False, [0])],
)
def test_pictures_in_an_order_are_all_sent(
    named: list[str], present: bool, places: list[int]
) -> None:
    given = tables(
        [asked("7", media=[{**CLIP, "paths": named}])],
        images=3,
        time_base="index_only",
        media_kind="image_sequence",
        duration_s=None,
    )
    (row,) = released_questions(given, benchmark="b").to_dicts()
    (medium,) = row["media"]
    assert (medium["media_kind"], medium["sampling"], medium["times_s"]) == (
        "frames",
        "given",
        places,
    )
    assert row["media_present"] is present
    if present:
        frames = frames_in_order(given["images"])
        chosen = choose_of_medium(frames, medium, SamplingRule.parse("midpoints(8)"))
        assert chosen["source_pts"].to_list() == [0, 10, 20]


def test_media_are_called_as_the_text_calls_them() -> None:
    media = [{**MEDIUM, "role": "video 1"}, {**MEDIUM, "role": "image 1", "end_s": 10.0}]
    (row,) = released_questions(tables([asked("7", media=media)]), benchmark="b").to_dicts()
    assert [(m["role"], m["media_kind"]) for m in row["media"]] == [
        ("video_1", "clip"),
        ("image_1", "image"),
    ]


def test_a_set_names_the_recordings_it_shows() -> None:
    rows = [
        asked("1", media=[CLIP, {**CLIP, "recording_id": "a"}]),
        asked("2"),
        asked("3", question_set="other", media=[]),
    ]
    table = TABLES["imported_questions"].frame(rows).select("question_set", "media")
    assert dict(recordings_of_sets(table)) == {"set": ["a", "clip"], "other": []}


def replied(questions: pl.DataFrame, letter: str) -> pl.DataFrame:
    """Calls of one run that always names one letter."""
    return TABLES["calls"].frame(
        {
            "benchmark": "b",
            "run": "r",
            "question_id": row["question_id"],
            "question_hash": row["question_hash"],
            "call_key": row["question_id"],
            "attempt": 0,
            "reply": letter,
            "status": "ok",
            "asked_at": "2026-01-01T00:00:00Z",
        }
        for row in questions.iter_rows(named=True)
    )


@pytest.mark.parametrize(
    ("known", "value", "counts"),
    [(0, None, (0, 0, 3, 0)), (1, 1.0, (1, 0, 2, 1)), (3, 1.0, (3, 0, 0, 1))],
)
def test_replies_are_scored_where_the_answer_is_known(
    known: int, value: float | None, counts: tuple[int, ...]
) -> None:
    rows = [asked(str(n), answer=[1] if n < known else None) for n in range(3)]
    questions = released_questions(tables(rows), benchmark="b")
    answers = extract_answers(questions, replied(questions, "B"))
    assert answers["right"].null_count() == 3 - known
    assert set(answers["letter"]) == {"B"}
    for row in score(answers).to_dicts():
        assert row["value"] == value, row["slice"]
        assert (row["n"], row["n_errors"], row["n_withheld"], row["n_clusters"]) == counts


def test_set_checks_leave_withheld_answers_out() -> None:
    rows = [asked(str(n), answer=None) for n in range(40)]
    questions = released_questions(tables(rows), benchmark="b")
    assert check_sets(questions).is_empty() and effective_chances(questions).is_empty()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('released = "yes"', "is not true or false"),
        ('released = true\nreading = "paper"', "released questions are asked as they stand"),
        ('released = true\nblind = "random"', "released questions are asked as they stand"),
    ],
)
def test_a_configuration_that_contradicts_itself_is_refused(
    tmp_path: Path, lines: str, message: str
) -> None:
    (tmp_path / "parallax.toml").write_text(
        f'store = "t"\n[benchmarks.b]\nsources = []\n{lines}\n'
        '[runs.random]\nengine = "random"\nprotocol = "own"\n'
    )
    with pytest.raises(ConfigError, match=message):
        load_settings(tmp_path / "parallax.toml")


# -- without options ------------------------------------------------------------------------------


def open_question(answer: str | None) -> dict[str, Any]:
    """A row of `imported_questions` without options."""
    return asked("7", options=[], answer=None, answer_text=answer)


@pytest.mark.parametrize("answer", ["cup", None])
def test_an_open_question_is_published_and_asked_for_words_alone(answer: str | None) -> None:
    questions, verdicts = judged(tables([open_question(answer), asked("8")]))
    assert published(questions, verdicts).height == 2
    protocols = default_protocols()
    run = RunConfig("r", "random", "own")
    for name, ids in (("open", ["7"]), ("direct", ["8"]), ("blind", ["8"])):
        chosen = select_questions(questions, run, protocols[name])
        keys = [e[0]["key"].partition("/")[0] for e in chosen["evidence"]]
        assert keys == ids, name
    (row,) = select_questions(questions, run, protocols["open"]).to_dicts()
    frames = {"clip": frames_in_order(tables([], images=180)["images"])}
    prompt = build_prompt(row, protocols["open"], "m", frames)
    assert prompt.choices == () and "Options" not in prompt.text
    (reply,) = RandomEngine("r").ask([prompt], lambda *_: [])
    assert reply.text in ("yes", "no")


@pytest.mark.parametrize(
    ("reply", "answer", "status", "right"),
    [
        ("cup", "cup", "parsed", True),
        ("The answer is: the Cup.", "cup", "parsed", True),
        ("Answer: a cup", "cup", "parsed", True),
        ("cups", "cup", "parsed", False),
        ("cup and plate", "cup", "parsed", False),
        ("no", "not at all", "parsed", False),
        (" .", "cup", "empty", False),
        ("cup", None, "parsed", None),
    ],
)
def test_words_are_right_if_they_are_the_released_ones(
    reply: str, answer: str | None, status: str, right: bool | None
) -> None:
    questions = released_questions(tables([open_question(answer)]), benchmark="b")
    calls = replied(questions, reply)
    (row,) = extract_answers(questions, calls).to_dicts()
    assert (row["letter"], row["status"], row["right"]) == (None, status, right)
    cut = calls.with_columns(finish_reason=pl.lit("length"))
    (row,) = extract_answers(questions, cut).to_dicts()
    # A sentence that ends before the cut says all of its answer.
    ended = reply.startswith("The answer is")
    assert row["status"] == ("parsed" if ended else "truncated")
    assert row["right"] is (None if answer is None else ended)


# -- from files to scores ----------------------------------------------------------------------------

CONFIG = """
store = "tables"
page = "page.html"
[sources.clips]
layout = "egoschema"
root = "clips"
[sources.testbed]
layout = "egocross_testbed"
root = "testbed"
show_media = true
[benchmarks.egoschema]
sources = ["clips"]
released = true
[benchmarks.testbed]
sources = ["testbed"]
released = true
protocol = "egocross_close"
[runs.random]
engine = "random"
protocol = "own"
"""
CLIPS = FlatSpec("lemma", takes=3, seed="asked", render="small")
PATH = AnimalSpec(clips=1, seed="asked", render="small")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two released sets, read, asked of the random baseline, scored and reported."""
    base = tmp_path_factory.mktemp("released")
    egoschema.write_egoschema(CLIPS, base / "clips", workers=1)
    egocross_testbed.write_egocross_testbed(PATH, base / "testbed", workers=1)
    (base / "parallax.toml").write_text(CONFIG)
    settings = load_configuration(base / "parallax.toml")
    partitions = {
        "source": list(settings.sources),
        "benchmark": list(settings.benchmarks),
        "evaluation": settings.evaluations(),
    }
    needed = ("sources", "frames", "questions", "question_gates", "predictions", "scores")
    for stage in (*(s for s in STAGES if s.name in needed), PAGE):
        for partition in partitions[stage.partition]:
            stage.refresh(settings, partition, Options(), silent)
            assert stage.is_fresh(settings, partition, Options()), (stage.name, partition)
    return settings


def test_a_released_set_is_asked_and_scored_where_answers_are_public(run: Settings) -> None:
    planned = {one.uid: one for one in egoschema.asked(CLIPS)}
    questions = run.store.read(TABLES["questions"], "egoschema")
    answers = run.store.read(TABLES["answers"], "egoschema.random")
    assert questions.height == answers.height == len(planned)
    for row in questions.join(answers, on="question_id").iter_rows(named=True):
        one = planned[row["recording_id"]]
        assert [option["text"] for option in row["options"]] == list(one.options)
        key = "ABCDE"[one.right] if one.public else None
        assert row["answer"] == key
        assert row["right"] == (None if key is None else row["letter"] == key)
    public = sum(one.public for one in planned.values())
    (micro,) = run.store.read(TABLES["scores"], "egoschema.random").filter(slice="micro").to_dicts()
    assert (micro["n"], micro["n_withheld"]) == (public, len(planned) - public)
    assert micro["value"] == answers["right"].drop_nulls().mean()


def test_a_set_without_answers_has_replies_and_no_score(run: Settings) -> None:
    # One question's pictures are not all here: it stands, and is not asked.
    planned = egocross_testbed.asked(PATH)
    questions = run.store.read(TABLES["questions"], "testbed")
    calls = run.store.read(TABLES["calls"], "testbed.random")
    assert (questions.height, calls.height) == (len(planned), len(planned) - 1)
    assert set(calls["status"]) == {"ok"}
    asked_times = {q["question_id"]: len(q["media"][0]["times_s"]) for q in questions.to_dicts()}
    for call in calls.iter_rows(named=True):
        (medium,) = json.loads(call["media_recipe"])["media"]
        assert len(medium["frames"]) == asked_times[call["question_id"]]
    scores = run.store.read(TABLES["scores"], "testbed.random")
    assert scores["value"].null_count() == scores.height and set(scores["n"]) == {0}
    assert scores.filter(slice="micro")["n_withheld"].item() == len(planned) - 1


def test_what_is_withheld_or_absent_is_said(run: Settings) -> None:
    lines = score_table(run, run.evaluations()).splitlines()
    assert all("withheld" in line for line in lines if line.startswith("testbed"))
    assert not any("0.0%" in line for line in lines if line.startswith("testbed"))
    n = len(egocross_testbed.asked(PATH))
    (said,) = [line for line in question_lines(run, "testbed") if "released@1" in line]
    assert f"{n} questions, {n} published, 1 without their media here" in said
    html = page_of(run, "testbed").read_text()
    assert "withheld" in html and "questions as released in testbed" in html
    assert "data:image/jpeg" in html and "pictures in an order, without times" in html
    assert ">0.0<" not in html


SCRIPT = """
[runs.script]
engine = "predictions"
protocol = "own"
benchmarks = ["testbed"]
replies = "ego_results.json"
"""


def test_what_the_released_scripts_reply_to_exported_questions_is_read_and_scored(
    run: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    n = len(egocross_testbed.asked(PATH)) - 1
    assert export_items(run, "random", "testbed", out) == (n, 0)
    items = json.loads((out / ITEMS).read_text(encoding="utf-8"))
    questions = {
        row["question_id"]: row for row in run.store.read(TABLES["questions"], "testbed").to_dicts()
    }
    listed = json.loads((run.home / "testbed" / egocross_testbed.LIST).read_text())
    released = {str(one["id"]): one for one in listed}
    for item in items:
        asked = questions[item["question_id"]]
        one = released[asked["evidence"][0]["key"].split("/")[0]]
        assert {key: item[key] for key in one if key not in ("id", "video_path")} == {
            key: one[key] for key in one if key not in ("id", "video_path")
        }
        assert len(item["video_path"]) == len(asked["media"][0]["times_s"])
        for path in item["video_path"]:
            assert (out / path).stat().st_size > 0

    # The file is a testbed again.
    here = [str(path.relative_to(out)) for path in out.rglob("*.jpg")]
    again = parts_of(EGOCROSS, {ITEMS: (out / ITEMS).read_bytes()}, here)
    assert not any(part.refused for part in again.values())
    assert again["questions"].tables["imported_questions"].height == n

    letters = iter("ABCD" * n)
    entries = [
        {key: value for key, value in item.items() if key != "detailed_answer"}
        | {"prediction": next(letters), "reason": "", "success": True}
        for item in items
    ]
    entries[0] |= {"prediction": "[ERROR]", "reason": "Timeout", "success": False}
    (run.home / "ego_results.json").write_text(json.dumps({"summary": {}, "results": entries}))
    (run.home / "script.toml").write_text(CONFIG + SCRIPT)
    settings = load_configuration(run.home / "script.toml")
    PREDICTIONS.refresh(settings, "testbed.script", Options(), silent)
    answers = settings.store.read(TABLES["answers"], "testbed.script")
    assert dict(answers.select("question_id", "letter").iter_rows()) == {
        entry["question_id"]: entry["prediction"] for entry in entries[1:]
    }


def test_the_testbed_is_compared_with_questions_about_daily_life(
    run: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Loading the embedder takes longer than all the rest.
    monkeypatch.setattr(embedder, "find_model", no_model)
    embedder.embedder_name.cache_clear()
    base = tmp_path / "gap"
    shutil.copytree(run.home, base)
    listed = json.loads((base / "testbed" / egocross_testbed.LIST).read_text())
    planned = egocross_testbed.asked(PATH)
    told = [
        {**row, "correct_option_letter": "ABCD"[one.right]}
        for row, one in zip(listed, planned, strict=False)
    ]
    (base / "testbed/datasets/egocross_testbed_answers.json").write_text(json.dumps(told))
    daily = egoschema.asked(CLIPS)
    placed = daily[0]
    (base / "rounds.csv").write_text(
        f"round,change,what,category,reviewer,reason\n1,place_question,{placed.uid},next_action,ann,\n"
    )
    text = CONFIG.replace(
        "[benchmarks.testbed]",
        '[benchmarks.testbed]\ndaily_life = "egoschema"\nsorting_rounds = "rounds.csv"',
    )
    (base / "parallax.toml").write_text(text)
    settings = load_configuration(base / "parallax.toml")
    needed = ("sources", "questions", "question_gates", "predictions", "scores")
    stages = [stage for stage in STAGES if stage.name in needed]
    for stage in (*stages, SORTING, GAPS, POINTS, PAGE):
        partitions = ["testbed"] if stage.partition == "source" else [stage_key(stage)]
        stage.refresh(settings, partitions[0], Options(), silent)
    for stage in (SORTING, GAPS, POINTS):
        assert stage.is_fresh(settings, stage_key(stage), Options())

    sorted_into = settings.store.read(TABLES["aligned_questions"], "testbed")
    assert sorted_into.height == len(daily)
    (row,) = sorted_into.filter(released_id=placed.uid).to_dicts()
    assert (row["subtask"], row["round"], row["keyword"]) == ("next_action", 1, None)
    assert row["is_answered"] == placed.public

    gaps = settings.store.read(TABLES["domain_gaps"], "testbed.random")
    everything = {row["domain"]: row for row in gaps.filter(slice="all").to_dicts()}
    assert everything.keys() == {"all", "animals", "extreme_sports"}
    answers = settings.store.read(TABLES["answers"], "testbed.random")
    assert everything["all"]["n"] == answers.height == len(planned) - 1
    assert everything["all"]["value"] == pytest.approx(answers["right"].mean())
    others = settings.store.read(TABLES["answers"], "egoschema.random")["right"].drop_nulls()
    assert everything["animals"]["daily_n"] == len(others)
    assert everything["animals"]["daily_value"] == pytest.approx(others.mean())
    assert everything["animals"]["n"] == sum(one.dataset == "EgoPet" for one in planned)

    points = settings.store.read(TABLES["domain_points"], "testbed")
    assert points.filter(kind="text").height == len(planned) + len(daily)
    # The question whose pictures are not all here shows nothing.
    assert points.filter(kind="image").height == len(planned) - 1 + len(daily)
    assert set(points["domain"]) == {"egoschema", "animals", "extreme_sports"}
    assert all("stand-in" in name for name in points["encoder"])

    html = page_of(settings, "testbed").read_text()
    assert "Domain gap" in html and "no image encoder" in html and "468 of 500" in html
    assert 'id="domain-gap"' not in page_of(run, "testbed").read_text()


def no_model() -> Path:
    raise EmbedderUnavailableError("embedder: no weights")


def stage_key(stage: Stage) -> str:
    """The partition of a stage that is about the testbed."""
    return "testbed.random" if stage.partition == "evaluation" else "testbed"


def test_a_file_of_rounds_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    text = CONFIG.replace("[benchmarks.testbed]", '[benchmarks.testbed]\ndaily_life = "clips"')
    (tmp_path / "parallax.toml").write_text(text)
    with pytest.raises(ConfigError, match="not another benchmark of released questions"):
        load_settings(tmp_path / "parallax.toml")
    rounds = 'daily_life = "egoschema"\nsorting_rounds = "rounds.csv"'
    text = CONFIG.replace("[benchmarks.testbed]", f"[benchmarks.testbed]\n{rounds}")
    (tmp_path / "parallax.toml").write_text(text)
    (tmp_path / "rounds.csv").write_text("round,change\n")
    with pytest.raises(ExpectedError, match=r"rounds\.csv: row 1: the columns are round, change"):
        SORTING.refresh(load_settings(tmp_path / "parallax.toml"), "testbed", Options(), silent)


# -- real excerpts --------------------------------------------------------------------------------


def _real(layout: Layout, root: Path) -> dict[str, pl.DataFrame]:
    """Questions and recordings of a real excerpt; its media are not here."""
    names = (str(p.relative_to(root)) for p in sorted(root.rglob("*")) if p.is_file())
    claimed = [name for name in names if any(part.claims(name) for part in layout.parts)]
    read = parts_of(layout, {name: (root / name).read_bytes() for name in claimed}).values()
    return {
        name: pl.concat(
            [TABLES[name].empty(), *(part.tables[name] for part in read if name in part.tables)]
        )
        for name in ("imported_questions", "recordings", "images")
    }


@pytest.mark.parametrize(
    ("layout", "folder", "n", "withheld", "judged_subtasks", "refused"),
    [
        (EGOCROSS, "egocross", 957, 957, (), {"option_twice": 3}),
        (HD_EPIC, "hd-epic", 6550, 0, ("fine_grained_how_recognition",), {"option_twice": 2}),
    ],
)
def test_every_question_of_a_real_release_is_one_of_ours(
    layout: Layout,
    folder: str,
    n: int,
    withheld: int,
    judged_subtasks: tuple[str, ...],
    refused: dict[str, int],
    shared: Path,
) -> None:
    """Those with two equal options are refused, the others stand; without media none can be asked."""
    given = _real(layout, shared / "data" / folder)
    questions = released_questions(given, benchmark="b")
    assert questions.height == questions["question_id"].n_unique() == n
    assert questions["answer"].null_count() == withheld
    assert not questions["media_present"].any()
    some = questions.filter(pl.col("subtask").is_in(judged_subtasks) | (not judged_subtasks))
    verdicts = judge(some, EvidenceTables(given)).filter(gate="well_formed")
    found = verdicts.filter(verdict="refuse").group_by("rule").len()
    assert dict(found.iter_rows()) == refused


class Couches:
    """A thesaurus of one pair of words."""

    def same_sense(self, first: str, second: str) -> bool:
        return {first, second} == {"sofa", "couch"}


@pytest.mark.parametrize(
    ("reply", "answer", "match", "with_synonyms"),
    [
        ("couch", "couch", "equal", "equal"),
        ("The couch.", "couch", "normalised", "normalised"),
        ("couches", "couch", "stem", "stem"),
        ("settee", "couch", "none_without_synsets", "class_map"),
        ("sofa", "couch", "none_without_synsets", "synset"),
        ("chair", "couch", "none_without_synsets", "none"),
        (" .", "couch", "none_without_synsets", "none"),
        ("couch", None, None, None),
        ("Video1-Video3", "Video1-Video3", None, None),
    ],
)
def test_a_match_names_its_step_and_makes_nothing_right(
    reply: str, answer: str | None, match: str | None, with_synonyms: str | None
) -> None:
    questions = released_questions(tables([open_question(answer)]), benchmark="b")
    calls = replied(questions, reply)
    synonyms = Synonyms({"couch": "seat", "settee": "seat"}, Couches())
    (row,) = extract_answers(questions, calls).to_dicts()
    (known,) = extract_answers(questions, calls, {questions["source"][0]: synonyms}).to_dicts()
    assert (row["match"], known["match"]) == (match, with_synonyms)
    assert known == row | {"match": with_synonyms}
    if match is not None:
        assert row["right"] is (match in ("equal", "normalised"))


def test_matches_are_scored_beside_the_released_rule() -> None:
    rows = [asked(str(n), options=[], answer=None, answer_text="cup") for n in range(4)]
    questions = released_questions(tables(rows), benchmark="b")
    calls = replied(questions, "cup").with_columns(
        reply=pl.Series(["cup", "cups", "mug", None]),
        status=pl.Series(["ok", "ok", "ok", "error"]),
    )
    scores = {
        (row["slice"], row["metric"]): (row["value"], row["n"], row["n_errors"])
        for row in score(extract_answers(questions, calls)).to_dicts()
    }
    assert scores["micro", "accuracy"] == (1 / 3, 3, 1)
    assert scores["micro", "matched_accuracy"] == (2 / 3, 3, 1)
    letters = released_questions(tables([asked("8")]), benchmark="b")
    found = score(extract_answers(letters, replied(letters, "B")))
    assert set(found["metric"]) == {"accuracy"}
