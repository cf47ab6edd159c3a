"""The translation stage on a real store, asked of a real server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.stage import translating
from assets.sources.stage import STAGE as SOURCES
from assets.stage import Batch, Inputs, Stage, Unit
from assets.statistics.stage import STAGE as STATISTICS
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.translations.in_use import in_use, with_translations
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.translations.stage import failed_translations, narrated, wanted
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings, load_settings
from resources.models import EngineUnavailableError
from resources.models.runs import RunConfig
from resources.store.incremental import Output
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

ATTEMPTS = RunConfig("r", "random", "direct").max_attempts
UID = "0b1f6a2c-1111-11ee-88ee-80615f12b59e"
OTHER = "0b1f6a2c-2222-11ee-88ee-80615f12b59e"
NARRATIONS = (
    (UID, "a1", "右手拿起杯子", "Pick up the cup with the right hand."),
    (UID, "a2", "左手放下碗", "The left hand puts down the bowl."),
    (OTHER, "b1", "右手拿起杯子", "Take the cup."),
)
ENGLISH = {
    "右手拿起杯子": "The right hand takes the cup.",
    "左手放下碗": "The left hand places the bowl.",
}
MODEL = """
[text_models.first]
engine = "openai_server"
model = "some-model"
base_url = "{url}"
concurrency = 1
"""
SECOND = """
[text_models.other]
engine = "openai_server"
model = "other-model"
base_url = "{url}"
concurrency = 1
"""
ASKS = '[translation]\nengine = "first"\n'
ASKS_BOTH = ASKS + 'second = "other"\n'


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


def write_narrations(root: Path, narrations: Any = NARRATIONS) -> None:
    """Write raw files of a source with Chinese narrations."""
    (root / "annotations").mkdir(parents=True, exist_ok=True)
    lists = root / "association_benchmark" / "annotations"
    lists.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    out = csv.writer(text)
    out.writerow(
        ("annotation_id", "start_sec", "end_sec", "narration_ch", "narration_en", "verb",
         "noun", "scenario", "video_uid")
    )  # fmt: skip
    for at, (uid, key, original, english) in enumerate(narrations):
        out.writerow((key, at, at + 0.5, original, english, "[0]", "[0]", "kitchen", uid))
    (lists / "exo_train.csv").write_text(text.getvalue(), encoding="utf-8")
    meta = [
        {"video_uid": uid, "num_frames": 250.0, "fps": 25.0, "width": 64.0, "height": 48.0,
         "view": "exo", "scene": "kitchen", "task": "t"}
        for uid in sorted({n[0] for n in narrations})
    ]  # fmt: skip
    (root / "video_meta_downsampled.json").write_text(json.dumps(meta))
    for kind, groups in (("verb", ("take", "place")), ("noun", ("cup", "bowl"))):
        rows = "".join(f"{g},\"['{g}']\"\n" for g in groups)
        (root / "annotations" / f"narration_{kind}_taxonomy.csv").write_text("label,group\n" + rows)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Settings]:
    """Writes a source with Chinese narrations and its configuration."""

    def written(config: str = "", narrations: Any = NARRATIONS) -> Settings:
        write_narrations(tmp_path / "raw", narrations)
        (tmp_path / "parallax.toml").write_text(
            'store = "tables"\n[sources.house]\nlayout = "egoexolearn"\nroot = "raw"\n' + config
        )
        settings = load_settings(tmp_path / "parallax.toml")
        SOURCES.refresh(settings, "house", Options(), silent)
        return settings

    return written


def make(settings: Settings, **options: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Bring translations up to date; rows by annotation and origin."""
    TRANSLATIONS.refresh(settings, "house", Options(**options), silent)
    rows = settings.store.read(TABLES["translations"], "house")
    return {(r["segment_id"].removeprefix("fine:"), r["origin"]): r for r in rows.to_dicts()}


def calls(settings: Settings, run: str = "first") -> pl.DataFrame:
    return settings.store.read(TABLES["calls"], f"texts.translation.{run}")


def cost(settings: Settings, run: str = "first") -> tuple[str, str, int]:
    """Whose calls were summed up, and how many."""
    (row,) = settings.store.read(TABLES["costs"], f"texts.translation.{run}").to_dicts()
    return row["benchmark"], row["run"], row["n_calls"]


def answer(server: ChatServer, **instead: str) -> None:
    """Makes the server answer by what it is asked."""
    server.script.clear()
    for original in sorted(ENGLISH):
        server.script.append(Say(body=completion(instead.get(original, ENGLISH[original]))))


def asked(server: ChatServer) -> list[str]:
    return [got.texts()[0] for got in server.got]


def test_without_a_model_the_stage_says_so_and_uses_what_is_given(write: Callable) -> None:
    settings = write()
    (report,) = TRANSLATIONS.refresh(settings, "house", Options(), silent)
    assert "no model is configured" in report.sentence()
    rows = settings.store.read(TABLES["translations"], "house")
    assert rows["status"].to_list() == ["given"] * 3
    assert rows["used"].all()
    assert TRANSLATIONS.is_fresh(settings, "house", Options())
    LABELS.refresh(settings, "house", Options(), silent)
    labels = settings.store.read(TABLES["labels"], "house")
    assert set(labels["segment_id"]) == {"fine:a1", "fine:a2", "fine:b1"}


def test_replies_are_bought_once_and_labels_read_them(write: Callable, server: ChatServer) -> None:
    settings = write(MODEL.format(url=server.url) + ASKS)
    answer(server)
    found = make(settings)
    # The same words in two recordings are one call.
    assert sorted(asked(server)) == sorted(ENGLISH)
    assert found["a1", "engine"]["status"] == "translated"
    assert found["a1", "engine"]["text"] == found["b1", "engine"]["text"]
    assert found["a1", "engine"]["used"]
    assert not found["a1", "given"]["used"]
    assert calls(settings).height == 2
    assert cost(settings) == ("texts.translation", "first", 2)
    LABELS.refresh(settings, "house", Options(), silent)
    labels = settings.store.read(TABLES["labels"], "house").filter(pl.col("kind") == "verb")
    said = dict(labels.select("segment_id", "term").iter_rows())
    assert said == {"fine:a1": "takes", "fine:a2": "places", "fine:b1": "takes"}
    assert TRANSLATIONS.is_fresh(settings, "house", Options())
    # Another English in the file asks nothing; another original asks for itself alone.
    edited = [*NARRATIONS[:2], (OTHER, "b1", "左手拿起碗", "Take the bowl.")]
    server.script.append(Say(body=completion("The left hand takes the bowl.")))
    settings = write(MODEL.format(url=server.url) + ASKS, edited)
    found = make(settings)
    assert asked(server)[2:] == ["左手拿起碗"]
    assert cost(settings) == ("texts.translation", "first", 3)
    assert found["b1", "engine"]["text"] == "The left hand takes the bowl."


def test_what_fails_the_check_goes_to_the_second_engine(
    write: Callable, server: ChatServer
) -> None:
    with chat_server() as backup:
        config = MODEL.format(url=server.url) + SECOND.format(url=backup.url) + ASKS_BOTH
        settings = write(config)
        answer(server, 右手拿起杯子="The left hand takes the cup.")
        backup.script.append(Say(body=completion("The right hand grabs the cup.")))
        found = make(settings)
        assert asked(backup) == ["右手拿起杯子"]
        assert found["a1", "engine"]["status"] == "failed_check"
        assert found["a1", "engine"]["rule"] == "hand_lost"
        assert found["a1", "second"]["used"]
        assert ("a2", "second") not in found
        assert calls(settings, "other").height == 1


def test_a_failed_call_is_a_row_and_is_asked_again_a_few_times(
    write: Callable, server: ChatServer
) -> None:
    one = NARRATIONS[:1]
    settings = write(MODEL.format(url=server.url) + ASKS, one)
    refusing = [Say(status=400, body={"error": {"message": "filtered"}}) for _ in range(9)]
    server.script += refusing
    for attempt in range(1, ATTEMPTS + 2):
        found = make(settings)
        assert found["a1", "engine"]["status"] == "error"
        assert "filtered" in found["a1", "engine"]["message"]
        assert found["a1", "given"]["used"]
        assert calls(settings).height == min(attempt, ATTEMPTS)
        assert TRANSLATIONS.is_fresh(settings, "house", Options()) == (attempt >= ATTEMPTS)
    assert len(asked(server)) == ATTEMPTS
    # It has failed too often: it is counted, and asked when a person says so.
    assert failed_translations(settings, "house") == 1
    assert not TRANSLATIONS.is_fresh(settings, "house", Options(retry_errors=True))
    server.script = [Say(body=completion(ENGLISH["右手拿起杯子"]))]
    assert make(settings, retry_errors=True)["a1", "engine"]["used"]
    assert calls(settings).height == ATTEMPTS + 1
    assert failed_translations(settings, "house") == 0
    assert TRANSLATIONS.is_fresh(settings, "house", Options(retry_errors=True))


def test_a_run_that_may_not_buy_says_so_and_the_next_asks(
    write: Callable, server: ChatServer
) -> None:
    priced = MODEL + "price_per_million_tokens = 1\n"
    settings = write(priced.format(url=server.url) + ASKS, NARRATIONS[:1])
    found = make(settings, unattended=True)
    assert not server.got
    assert found["a1", "engine"]["status"] == "not_asked"
    assert found["a1", "given"]["used"]
    assert not TRANSLATIONS.is_fresh(settings, "house", Options())
    server.script.append(Say(body=completion(ENGLISH["右手拿起杯子"])))
    assert make(settings)["a1", "engine"]["used"]


def test_another_model_is_asked_anew_and_old_replies_stay(
    write: Callable, server: ChatServer
) -> None:
    settings = write(MODEL.format(url=server.url) + ASKS, NARRATIONS[:1])
    server.script.append(Say(body=completion(ENGLISH["右手拿起杯子"])))
    make(settings)
    newer = MODEL.format(url=server.url).replace("some-model", "newer-model") + ASKS
    settings = write(newer, NARRATIONS[:1])
    server.script.append(Say(body=completion("The right hand lifts the cup.")))
    assert make(settings)["a1", "engine"]["text"] == "The right hand lifts the cup."
    assert calls(settings).height == 2
    # Back to the first model: its reply is there.
    settings = write(MODEL.format(url=server.url) + ASKS, NARRATIONS[:1])
    assert make(settings)["a1", "engine"]["text"] == ENGLISH["右手拿起杯子"]
    assert len(server.got) == 2


def test_a_server_that_is_not_there_is_broken_machinery(write: Callable) -> None:
    settings = write(MODEL.format(url="http://127.0.0.1:1/v1") + ASKS, NARRATIONS[:1])
    with pytest.raises(EngineUnavailableError, match="cannot be reached"):
        make(settings)
    assert calls(settings).is_empty()


def test_what_was_had_before_the_server_went_is_kept(
    write: Callable, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = write(MODEL.format(url=server.url) + ASKS)
    first, second = sorted(ENGLISH)
    server.script += [
        Say(body=completion(ENGLISH[first])),
        Say(status=401, body={"error": {"message": "no such key"}}),
    ]
    with pytest.raises(EngineUnavailableError):
        make(settings)
    assert calls(settings)["reply"].to_list() == [ENGLISH[first]]
    server.script.append(Say(body=completion(ENGLISH[second])))
    found = make(settings)
    assert asked(server) == [first, second, second]
    assert all(row["used"] for (_, origin), row in found.items() if origin == "engine")


def test_an_engine_that_cannot_translate_leaves_what_is_given(write: Callable) -> None:
    config = '[text_models.first]\nengine = "random"\n' + ASKS
    settings = write(config)
    found = make(settings)
    assert all(found[key, "given"]["used"] for key in ("a1", "a2", "b1"))
    assert found["a1", "engine"]["status"] in ("error", "failed_check")


def test_sources_without_originals_have_no_rows(write: Callable) -> None:
    settings = write(narrations=[(UID, "a1", "", "Take the cup.")])
    (report,) = TRANSLATIONS.refresh(settings, "house", Options(), silent)
    assert (report.wanted, report.note) == (0, "")
    assert settings.store.read(TABLES["translations"], "house").is_empty()


@pytest.mark.parametrize(
    "config",
    [
        '[translation]\nengine = "nobody"',
        '[translation]\nsecond = "first"\n[text_models.first]\nengine = "random"',
        '[translation]\nmodel = "first"',
        '[text_models.r]\nengine = "random"\n[runs.r]\nengine = "random"\nprotocol = "direct"',
    ],
)
def test_a_translator_must_be_configured(write: Callable, config: str) -> None:
    with pytest.raises(ConfigError):
        write(config)


def test_english_as_it_was_written_is_nothing_to_translate(
    write: Callable, server: ChatServer
) -> None:
    raw = "#C C picks a cup #unsure"
    rows = ((UID, "a1", raw, "C picks a cup"), (UID, "a2", "右手拿起杯子", "Take the cup."),
            (OTHER, "b1", raw, "C picks a cup"))  # fmt: skip
    settings = write(MODEL.format(url=server.url) + ASKS, rows)
    server.script.append(Say(body=completion("The right hand takes the cup.")))
    found = make(settings)
    assert asked(server) == ["右手拿起杯子"]
    assert {key for key, _ in found} == {"a2"}
    assert set(wanted(settings, "house")) == {found["a2", "given"]["recording_id"]}
    told = narrated(settings, "house")
    assert told["narration"].to_list().count("C picks a cup") == 2


READS = with_translations(
    {"segments": ("source", "segment_id", "narration"), "recordings": ("recording_id",)}
)


def shown_units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings, as a stage of questions cuts them."""
    for uid in inputs.units_with_rows("recordings"):
        yield Unit(uid, inputs.keys([uid]), code=translating(inputs, READS, "house", [uid]))


def no_rows(_batch: Batch) -> Iterator[Output]:
    """Compute nothing."""
    yield from ()


SHOWN = Stage(
    name="shown",
    group="questions",
    summary="A stage that reads narrations as questions do.",
    partition="source",
    tables=(),
    reads=READS,
    units=shown_units,
    make=no_rows,
)


def later(settings: Settings) -> dict[str, str]:
    """Units of later stages that read narrations, or might, and the hashes of their inputs."""
    asked_of = {
        f"question of {uid}": input_hash
        for uid, input_hash in SHOWN.input_hashes(settings, "house").items()
    }
    return {
        **asked_of,
        **TASK_SETS.input_hashes(settings, "house"),
        **STATISTICS.input_hashes(settings, "house"),
    }


def test_captions_figures_and_questions_read_what_is_in_use_and_move_alone(
    write: Callable, server: ChatServer
) -> None:
    config = MODEL.format(url=server.url) + SECOND.format(url=server.url)
    settings = write(config + ASKS)
    answer(server)
    make(settings)
    TASK_SETS.refresh(settings, "house", Options(), silent)
    STATISTICS.refresh(settings, "house", Options(), silent)
    items = settings.store.read(TABLES["task_sets"], "house", ["captioning/paper"])
    told = dict(items.select("segment_id", "text").iter_rows())
    assert told == {f"fine:{key}": ENGLISH[original] for _, key, original, _ in NARRATIONS}
    # What is released stays as it is: the English of the file.
    items = settings.store.read(TABLES["task_sets"], "house", ["captioning/parity"])
    assert set(items["text"]) == {english for *_, english in NARRATIONS}
    figures = settings.store.read(TABLES["statistics"], "house").filter(figure="captions")
    assert dict(figures.select("place", "n").iter_rows()) == {6: 3}
    inputs = Inputs(settings, SHOWN, "house")
    (batch,) = inputs.batches([Unit(OTHER, inputs.keys([OTHER]))])
    tables = in_use(batch.of(batch.units[0]))
    assert tables["segments"]["narration"].to_list() == ["The right hand takes the cup."]
    assert tables.keys() == READS.keys() - {"translations"}
    # Another model says one sentence otherwise: of these units only those that show it move.
    before = later(settings)
    settings = write(config + ASKS.replace("first", "other"))
    answer(server, 左手放下碗="The left hand puts the bowl down.")
    make(settings)
    after = later(settings)
    assert before.keys() == after.keys()
    moved = {unit for unit in after if after[unit] != before[unit]}
    assert moved == {f"question of {UID}", "captioning/paper", "captions"}
    STATISTICS.refresh(settings, "house", Options(), silent)
    figures = settings.store.read(TABLES["statistics"], "house").filter(figure="captions")
    assert dict(figures.select("place", "n").iter_rows()) == {6: 2, 7: 1}
