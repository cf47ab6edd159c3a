"""Translations of a source: one unit per recording that holds a narration in another language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

from assets.options import Options, Tell
from assets.sources.reviews.standing import standing
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.sources.stage import reviews_of
from assets.stage import Inputs, OwnRun, Stage
from assets.translations.in_use import TRANSLATED, with_used
from assets.translations.rows import (
    SYSTEM,
    VERSION,
    Attempt,
    Translator,
    automatic_texts,
    in_another_script,
    passes,
    translation_rows,
)
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.models.calls.calls import TextModel
from resources.models.costs.costs import refresh_costs
from resources.models.costs.estimate import PlannedCalls
from resources.models.runs import RunConfig
from resources.store.code_version import code_version
from resources.store.incremental import (
    Output,
    Pending,
    Progress,
    Report,
    StageTables,
    make_plan,
    run_stage,
)
from resources.store.ledger import read_complete

RECORDED = StageTables("translations", (TABLES["translations"],))
_SEGMENTS = TABLES["segments"]
_READ = ("segment_id", "narration", "narration_original")
_AT_ONCE = 50
_MAX_TOKENS = 256


class _Models:
    """The configured translators, opened once per step."""

    def __init__(self, settings: Settings, retry_errors: bool = False) -> None:
        def opened(name: str) -> TextModel | None:
            if not name:
                return None
            run = settings.text_models[name]
            return TextModel(
                settings.store, "translation", run, VERSION, SYSTEM, _MAX_TOKENS, retry_errors
            )

        self.first = opened(settings.translation.engine)
        self.second = opened(settings.translation.second)

    def record_costs(self, settings: Settings) -> None:
        """Sum up what all calls of the translators cost, those for other sources included."""
        for model in filter(None, (self.first, self.second)):
            refresh_costs(settings.store, model.partition, model.run)

    def failed(self, settings: Settings, source: str, *, due: bool = False) -> pl.DataFrame:
        """Segments that a translator failed on: `recording_id`, `original`.

        Args:
            settings: Configuration.
            source: Source.
            due: Only those that this run would ask again.
        """
        columns = ("recording_id", "original", "origin", "status")
        models = (("engine", self.first), ("second", self.second))
        items = {
            origin: model.failed_items(due=due) for origin, model in models if model is not None
        }
        found: list[tuple[str, str]] = []
        if any(items.values()):
            rows = settings.store.scan(TABLES["translations"], source, columns=columns)
            errors = rows.filter(pl.col("status") == "error").collect()
            found = [
                (uid, original)
                for uid, original, origin, _ in errors.iter_rows()
                if digest([original]) in items.get(origin, ())
            ]
        schema = {"recording_id": pl.String, "original": pl.String}
        return pl.DataFrame(found, schema=schema, orient="row")

    @property
    def identity(self) -> list[str]:
        return [model.identity if model else "" for model in (self.first, self.second)]

    @property
    def sentence(self) -> str:
        if self.first is None:
            return (
                "no model is configured ([translation] engine): the English that is given is used"
            )
        second = f", then {self.second.run.name}" if self.second else ""
        return f"translated by {self.first.run.name}{second}"


def wanted(settings: Settings, source: str, models: _Models | None = None) -> dict[str, str]:
    """Recordings with a narration in another language, and what their translations are made from."""
    entries = read_complete(settings.store, SOURCE_STAGES["segments"].name, source)
    written = (
        settings.store.scan(_SEGMENTS, source, columns=("recording_id", "narration_original"))
        .filter(in_another_script())
        .select(pl.col("recording_id").unique().sort())
        .collect()["recording_id"]
        .to_list()
    )
    if not written:
        return {}
    shared = digest([code_version(translation_rows), *(models or _Models(settings)).identity])
    decided = decisions_by_recording(settings, source, "translation")
    followed = code_version(_standing) if decided else ""
    return {
        uid: digest(
            [
                shared,
                entries[uid].inputs("segments", _READ),
                *([decided[uid], followed] if uid in decided else [""]),
            ]
        )
        for uid in written
        if uid in entries
    }


def decisions_by_recording(settings: Settings, source: str, item_kind: str) -> dict[str, str]:
    """Digest of the decisions on each recording's segments; of recordings without any, none."""
    reviews = reviews_of(settings, source, item_kind)
    if reviews.is_empty():
        return {}
    places = (
        settings.store.scan(_SEGMENTS, source, columns=("segment_id", "recording_id"))
        .filter(pl.col("segment_id").is_in(reviews["item_id"].unique().to_list()))
        .collect()
    )
    said = reviews.join(places, left_on="item_id", right_on="segment_id", how="inner")
    return {
        str(uid): digest(group["decision_id"].sort())
        for (uid,), group in said.group_by("recording_id")
    }


def _compute(
    settings: Settings,
    source: str,
    models: _Models,
    may_ask: Callable[[RunConfig], bool],
    told: Progress,
    todo: list[str],
) -> Iterator[Output]:
    reviews = reviews_of(settings, source, "translation")
    for at in range(0, len(todo), _AT_ONCE):
        units = todo[at : at + _AT_ONCE]
        segments = settings.store.read(_SEGMENTS, source, units)
        foreign = segments.filter(in_another_script())
        originals = foreign["narration_original"].unique().sort().to_list()
        first, open_ = _asked(models.first, originals, may_ask, told)
        failed = [o for o in originals if first is None or not passes(o, first.attempts[o])]
        # What was not asked yet may still pass.
        failed = [] if first is None else [o for o in failed if o not in open_]
        second, later = _asked(models.second, failed, may_ask, told)
        rows = translation_rows(segments, first, second)
        # Decisions are about the text that would be used without them.
        held = _standing(rows, reviews)
        rows = translation_rows(segments, first, second, held) if held else rows
        unsettled = rows.filter(pl.col("original").is_in([*open_, *later]))["recording_id"]
        waiting = sorted(set(unsettled))
        done = [uid for uid in units if uid not in set(waiting)]
        for group, lasting in ((done, True), (waiting, False)):
            if group:
                mine = rows.filter(pl.col("recording_id").is_in(group))
                yield Output(group, {"translations": mine}, lasting=lasting)


def _asked(
    model: TextModel | None,
    originals: list[str],
    may_ask: Callable[[RunConfig], bool],
    told: Progress,
) -> tuple[Translator | None, set[str]]:
    """What a model made of originals, and those worth asking again later."""
    if model is None:
        return None, set()
    buy = may_ask(model.run)
    replies = model.ask({digest([o]): o for o in originals}, buy=buy, progress=told)
    by_original = {o: replies[digest([o])] for o in originals}
    attempts = {
        o: Attempt(reply.status, reply.text, reply.error, reply.finish_reason, reply.call_key)
        for o, reply in by_original.items()
    }
    open_ = {o for o, reply in by_original.items() if not reply.settled}
    return Translator(model.run.name, model.engine.model, attempts), open_


def _standing(translations: pl.DataFrame, reviews: pl.DataFrame) -> Mapping[str, Mapping[str, Any]]:
    mine = reviews.filter(pl.col("item_id").is_in(translations["segment_id"].implode()))
    if mine.is_empty():
        return {}
    held = standing(mine, automatic_texts(translations)).filter(pl.col("state") == "standing")
    return {row["item_id"]: row for row in held.iter_rows(named=True)}


def _refresh(inputs: Inputs, options: Options, tell: Tell) -> list[Report]:
    """Make the translations whose original, model or decisions changed; buy no reply twice."""
    settings, source = inputs.settings, inputs.partition
    models = _Models(settings, options.retry_errors)
    compute = partial(
        _compute, settings, source, models, options.may_ask, tell("translator is asked")
    )
    report = run_stage(
        settings.store,
        RECORDED,
        source,
        lambda: wanted(settings, source, models),
        compute,
        selection=options.of_recordings(),
        again=_due(settings, source, options, models),
        progress=tell(RECORDED.name),
        code=_code,
    )
    report.note = models.sentence if report.wanted else ""
    if report.computed:
        models.record_costs(settings)
    return [report]


def _pending(inputs: Inputs, options: Options) -> Iterator[Pending]:
    """Translations to make, to ask for again, or to delete."""
    settings, source = inputs.settings, inputs.partition
    models = _Models(settings, options.retry_errors)
    now = wanted(settings, source, models)
    again = _due(settings, source, options, models)
    selection = options.of_recordings()
    plan = make_plan(settings.store, RECORDED, source, now, selection, again=again, code=_code)
    yield Pending.of(RECORDED.name, plan)


def _code(_recording_id: str) -> str:
    return code_version(translation_rows)


def planned_translations(settings: Settings, source: str, options: Options) -> PlannedCalls | None:
    """Calls of the first translator that an update would make; the second is asked for what fails.

    None where no translator is configured.
    """
    models = _Models(settings, options.retry_errors)
    if models.first is None:
        return None
    foreign = settings.store.read(_SEGMENTS, source).filter(in_another_script())
    originals = foreign["narration_original"].unique().sort()
    texts = {digest([original]): original for original in originals}
    return models.first.planned(f"translations of {source}", texts)


def _due(settings: Settings, source: str, options: Options, models: _Models) -> set[str]:
    """Recordings whose translator failed and is to be asked again, though nothing moved."""
    failed = models.failed(settings, source, due=True)["recording_id"]
    return set(options.of_recordings().pick(failed.unique()))


def failed_translations(settings: Settings, source: str) -> int:
    """Texts of a source that a translator failed on."""
    return _Models(settings).failed(settings, source)["original"].n_unique()


def narrated(
    settings: Settings, source: str, recordings: Iterable[str] | None = None
) -> pl.DataFrame:
    """Segments with the narration that later stages read.

    Args:
        settings: Configuration.
        source: Source.
        recordings: Only these; None for all.

    Returns:
        Rows of `segments`; `narration` is the used translation where the narration was written in
        another language (null if none is usable), else as given.
    """
    units = None if recordings is None else list(recordings)
    segments = settings.store.read(_SEGMENTS, source, units)
    made = settings.store.read(TABLES["translations"], source, units, columns=TRANSLATED)
    return segments if made.is_empty() else with_used(segments, made)


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for name in filter(None, (settings.translation.engine, settings.translation.second)):
        yield settings.text_models[name]


STAGE = Stage(
    name="translations",
    group="translations",
    summary="Narrations written in another language, in English: by a model where one is"
    " configured, checked, and as given where none helps.",
    partition="source",
    tables=("translations",),
    reads={"segments": None, "reviews": None},
    own=OwnRun(_refresh, _pending),
    adds_to=("calls", "costs"),
    asks=_asks,
    lineage={
        "translations": {
            "original": [("segments", "narration_original")],
            "text": [
                ("segments", "narration_original"),
                ("segments", "narration"),
                ("reviews", "value"),
            ],
            "used": [("reviews", "verdict")],
        }
    },
)
