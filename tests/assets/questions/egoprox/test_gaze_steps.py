"""A vision model that is shown where gaze lands: a server that answers by the pixels within the marker."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.egoprox.gaze_steps import COLOUR, FORM, HALF_SIDE
from assets.questions.gating import STAGE as GATES
from assets.questions.model_steps.forms import Unsound
from assets.questions.stage import STAGE as QUESTIONS
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.media.overlays import COLOURS
from resources.worlds.court.errands import plan_errands
from resources.worlds.court.errands_egoexo4d import write_errands
from resources.worlds.court.ground import SMALL_THINGS
from resources.worlds.court.take import Court
from resources.worlds.court.truth import CourtSpec
from tests.resources.models.chat_server import ChatServer, Got, Say, chat_server, completion

SPEC = CourtSpec(render="small")
# In these two takes a question is asked about what the wearer looks at, and not only touches.
COURT = Court(SPEC, plan_errands(SPEC, takes=4, errands=4).takes[2:])
CONFIG = """
store = "tables"
[sources.court]
layout = "egoexo4d"
root = "raw"
[benchmarks.egoprox]
sources = ["court"]
checker = "{model}"
[text_models.{model}]
engine = "{engine}"
"""
SERVER = 'model = "some-model"\nbase_url = "{url}"\n'
Answer = Callable[[Got], str]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of two takes of errands, without questions."""
    folder = tmp_path_factory.mktemp("court")
    write_errands(COURT, folder / "raw", workers=1)
    settings = settings_of(folder, "first", "random")
    for stage in (SOURCES, LABELS, FRAMES, SCENE_GRAPHS):
        stage.refresh(settings, "court", Options(), silent)
    return folder


def settings_of(home: Path, model: str, engine: str, more: str = "") -> Settings:
    path = home / "parallax.toml"
    path.write_text(CONFIG.format(model=model, engine=engine) + more, encoding="utf-8")
    return load_settings(path)


def judged(settings: Settings) -> pl.DataFrame:
    """Verdicts on questions about intention, with their answers."""
    for stage in (QUESTIONS, GATES):
        stage.refresh(settings, "egoprox", Options(), silent)
    read = settings.store.read
    asked = read(TABLES["questions"], "egoprox").filter(pl.col("subtask").str.starts_with("int"))
    verdicts = read(TABLES["question_gates"], "egoprox").filter(gate="consistent")
    return asked.select("question_id", "text").join(verdicts, on="question_id")


def marked(picture: np.ndarray) -> tuple[slice, slice]:
    """Rows and columns within the magenta marker, as it was sent."""
    away = np.abs(picture.astype(int) - COLOURS[COLOUR]).max(axis=-1)
    rows, columns = np.nonzero(away < 70)
    assert len(rows) > 8, "no marker was sent"
    line = 2
    return (
        slice(rows.min() + line, rows.max() + 1 - line),
        slice(columns.min() + line, columns.max() + 1 - line),
    )


def seen_in_marker(got: Got) -> str:
    """The thing whose hue is within the marker; nothing else on the court is as vivid."""
    (picture,) = got.images()
    hues = _hues(picture[marked(picture)].reshape(-1, 3))
    alike = {
        thing.instance: int((hues @ _hues(np.array([thing.colour]))[0] > 0.95).sum())
        for thing in SMALL_THINGS
    }
    best = max(alike, key=lambda name: (alike[name], name))
    return best if alike[best] else "none"


def _hues(colours: np.ndarray) -> np.ndarray:
    """Direction of each colour from the grey of its brightness; zero where it is nearly grey."""
    away = colours - colours.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(away, axis=-1, keepdims=True)
    return np.where(length > 25, away / np.maximum(length, 1), 0.0)


def answering(server: ChatServer, answer: Answer) -> None:
    """Let a server answer prompts with a picture; of those without, which ask for tools, it names some."""

    def say(body: dict) -> Say:
        got = Got("", {}, body)
        shows = isinstance(body["messages"][-1]["content"], list)
        tools = json.dumps({"tools": ["gaze_parser", "spatial_calculator"]})
        return Say(body=completion(answer(got) if shows else tools))

    server.answer = say


def test_replies_in_another_form_are_refused() -> None:
    for reply in ("the red cup", '{"thing": 3}', '{"thing": "red cup", "sure": true}'):
        with pytest.raises(Unsound):
            FORM.value(reply)


def test_what_the_model_sees_in_the_marker_decides(home: Path) -> None:
    with chat_server() as server:
        answering(server, lambda got: json.dumps({"thing": seen_in_marker(got)}))
        settings = settings_of(home, "seeing", "openai_server", SERVER.format(url=server.url))
        verdicts = judged(settings)
        calls = [got for got in server.got if isinstance(got.body["messages"][-1]["content"], list)]
        # Both subtasks ask about a fixation; it is shown once.
        assert len(calls) >= 2
        sent = settings.store.read(TABLES["calls"], "texts.egoprox_gaze.seeing")
        assert sent.height == len(calls)
        assert all("magenta" in recipe for recipe in sent["media_recipe"])
        for got in calls:
            (picture,) = got.images()
            rows, columns = marked(picture)
            width = 2 * HALF_SIDE * picture.shape[1]
            assert columns.stop - columns.start == pytest.approx(width, abs=4)
            assert rows.stop - rows.start == pytest.approx(width, abs=4)
            offered = [t.instance for t in SMALL_THINGS if t.instance in got.texts()[-1]]
            # Four errands in each take, each with another thing.
            assert len(offered) == 4
        # The world's people look at what they are about to take.
        found = verdicts.filter(pl.col("message").str.contains("gaze is marked"))
        assert found.height >= 4
        assert set(found["verdict"]) == {"pass"}, found["message"].to_list()
        for text, message in found.select("text", "message").iter_rows():
            name = re.search(r"sees the (.+) where", message)
            assert name is not None
            assert name[1] in text
        before = len(server.got)
        GATES.refresh(settings, "egoprox", Options(), silent)
        assert len(server.got) == before


@pytest.mark.parametrize(
    ("model", "answer", "rule", "verdict"),
    [
        ("mistaken", "{other}", "model_sees_another_thing", "refuse"),
        ("empty", "none", "model_sees_another_thing", "refuse"),
        ("inventive", "unicorn", "no_model_verdict", "unknown"),
    ],
)
def test_other_replies_publish_nothing(
    model: str, answer: str, rule: str, verdict: str, home: Path
) -> None:
    names = sorted(thing.instance for thing in SMALL_THINGS)

    def reply(got: Got) -> str:
        seen = seen_in_marker(got)
        other = names[(names.index(seen) + 1) % len(names)] if seen in names else names[0]
        return json.dumps({"thing": answer.format(other=other)})

    with chat_server() as server:
        answering(server, reply)
        settings = settings_of(home, model, "openai_server", SERVER.format(url=server.url))
        found = judged(settings).filter(rule=rule)
    assert found.height >= 4
    assert set(found["verdict"]) == {verdict}


def test_a_model_without_eyes_is_not_asked(home: Path) -> None:
    settings = settings_of(home, "words", "shared_words")
    QUESTIONS.refresh(settings, "egoprox", Options(), silent)
    (report,) = GATES.refresh(settings, "egoprox", Options(), silent)
    assert "words takes no pictures and is not asked egoprox_gaze" in report.note
    assert settings.store.read(TABLES["calls"], "texts.egoprox_gaze.words").is_empty()
