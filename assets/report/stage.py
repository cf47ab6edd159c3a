"""The report of each benchmark: what it is made from, and writing it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from assets.benchmarks import about, folder_of
from assets.options import Options, Tell
from assets.pairs.comparing import PURPOSE as COMPARING
from assets.predictions.judging.stage import PURPOSE as JUDGING
from assets.predictions.stage import asked_questions
from assets.protocols.clips import build_clip
from assets.protocols.declared import all_protocols, protocol_of, protocols_in_use
from assets.protocols.variants import declared_variants
from assets.question_reviews.stage import review_progress
from assets.questions.egoprox.planner import Trace, trace
from assets.questions.egoprox.scene import READS as SCENE
from assets.questions.egoprox.scene import Scene
from assets.questions.expansion.stage import expansion_lines
from assets.questions.gating import STAGE as GATES
from assets.questions.model_steps.steps import CheckingStep, Step, steps_of
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.cards import evidence_keys, evidence_of, shown_questions
from assets.report.domain_gap import DomainGap, domain_gap
from assets.report.model import build_page_model, refused_by, runs_of
from assets.report.parts import ClipKey, FrontEntry, Place, Strip, SuitePage
from assets.report.plan_drawing import draw
from assets.report.plan_view import PlanView, has_plan, plan_view
from assets.report.reasons import WeakReason, shown_reasons, weak_reasons
from assets.report.render import file_name, render_front, render_page
from assets.report.reviewed import Review, reviewed
from assets.report.rows import Marks, named_row, named_rows, place_of, strip_of, thinned
from assets.report.suites import written_suites
from assets.report.timelines import timelines
from assets.scores.domain_gap.sorting import read_rules
from assets.scores.parity.stage import PURPOSE as READING
from assets.scores.published import read_published
from assets.sources.stage import may_show, root_of
from assets.stage import Columns, Inputs, OwnRun, Stage, ledger_name
from expectations.gates import published
from expectations.schemas import TABLES, Table
from expectations.schemas.identity import digest
from expectations.schemas.sampling import NoFrameError, frames_in_order
from resources.config import Settings
from resources.masking import mask
from resources.media.reader import MediaReader, to_jpeg
from resources.media.video import VideoError
from resources.models import BASELINES
from resources.store.code_version import code_version
from resources.store.incremental import Pending, Report
from resources.store.ledger import Entry, read_ledger, table_digest, write_entries

PAGE = "page"
_SHOWN_PX = 160
_PER_SUBTASK = 4
# A strip of the query is read closely; twenty options of eight frames would be a page of their own.
_FRAMES_GIVEN, _FRAMES_OPTION, _FRAMES_OF_MANY = 8, 4, 2
_MANY_OPTIONS = 6
# What the browser's pictures may take together; strips beyond it are shown by their times.
_PICTURE_BYTES = 24_000_000
_PROTOCOL = "direct"
_OF_REASON = (
    "question_id",
    "question_hash",
    "subtask",
    "run",
    "sample",
    "judge",
    "kind",
    "mark",
    "reason",
)
_GAP = ("aligned_questions", "domain_gaps", "domain_points")
_JUDGED = ("judged_scores", "judge_agreements", "judgements")
_OF_BENCHMARK = frozenset(
    {
        "questions",
        "question_gates",
        "question_funnels",
        "wordings",
        "wording_reviews",
        "calls",
        "answers",
        "scores",
        "parity_answers",
        "costs",
        "grounding_scores",
        *_GAP,
        *_JUDGED,
    }
)
_SHOWN_OF_SOURCES = frozenset(
    {
        "images",
        "frames",
        "boxes",
        "candidates",
        "candidate_counts",
        "statistics",
        "graph_coverage",
        *SCENE,
    }
)


def _read_of_sources(settings: Settings) -> list[str]:
    """Tables of sources that a page shows; evidence of questions may name what builders and gates read."""
    evidence = {*QUESTIONS.configured(settings).reads, *GATES.configured(settings).reads}
    return sorted(_SHOWN_OF_SOURCES | (evidence - _OF_BENCHMARK))


def page_input_hash(settings: Settings, benchmark: str) -> str:
    """Digest of everything the page shows."""
    store = settings.store
    pages = (render_page, render_front, build_page_model)
    shown_by = (*pages, strip_of, build_clip, timelines, plan_view, draw, trace)
    parts = [code_version(*shown_by)]
    parts += [repr(settings.runs), str(settings.page)]
    parts += [repr(_suites(settings, benchmark))]
    config = settings.benchmarks[benchmark]
    parts.append(repr((config.judges, config.gates_not_applied, config.daily_life)))
    parts += [repr(_protocol_notes(settings)), repr(_narrating_protocols(settings))]
    parts += [repr(_baselines(settings, name)) for name in sorted(settings.benchmarks)]
    parts += [repr(about(name, settings.benchmark_folders)) for name in sorted(settings.benchmarks)]
    parts.append(_published_scores(settings, benchmark).write_csv())
    parts.append(repr(_review(settings, benchmark)))
    parts += expansion_lines(settings, benchmark)
    for stage in (QUESTIONS, GATES):
        shown = [table for table in stage.tables if table in _OF_BENCHMARK]
        parts += [stage.data_version(store, table, benchmark) for table in shown]
    for key in _evaluations(settings, benchmark):
        for name in ("answers", "scores", "parity_answers", "costs", "grounding_scores"):
            parts.append(f"{key} {table_digest(read_ledger(store, ledger_name(name), key), name)}")
        for name in _JUDGED if settings.benchmarks[benchmark].judges else ():
            parts.append(f"{key} {table_digest(read_ledger(store, ledger_name(name), key), name)}")
        calls = store.read(TABLES["calls"], key, columns=("call_key", "attempt", "status"))
        parts.append(f"{key} {digest(repr(row) for row in calls.sort(pl.all()).iter_rows())}")
    if settings.benchmarks[benchmark].daily_life:
        parts += [
            f"{key} {table_digest(read_ledger(store, ledger_name(name), key), name)}"
            for name in _GAP
            for key in (benchmark, *_evaluations(settings, benchmark))
        ]
    for key in _text_costs(settings, benchmark):
        parts.append(
            f"{key} {table_digest(read_ledger(store, ledger_name('costs'), key), 'costs')}"
        )
    shown_tables = _read_of_sources(settings)
    for source in settings.sources_of(benchmark):
        parts.append(f"{source} shown: {may_show(settings, source)}")
        for table in shown_tables:
            held = read_ledger(store, ledger_name(table), source)
            parts.append(f"{source} {table_digest(held, table)}")
        refused = _read_all(settings, TABLES["quarantine"], lambda p, s=source: p.endswith(f".{s}"))
        parts.append(digest(sorted(refused["refusal"])))
    return digest(parts)


def page_of(settings: Settings, benchmark: str) -> Path:
    """Where a benchmark's page lies: in a folder beside the front page, named after it."""
    return _folder(settings) / file_name(benchmark)


def _folder(settings: Settings) -> Path:
    return settings.page.parent / f"{settings.page.stem}-benchmarks"


def page_is_fresh(settings: Settings, benchmark: str) -> bool:
    """Whether the pages on disk show the tables as they are."""
    entry = read_ledger(settings.store, PAGE, benchmark).get(PAGE)
    same = entry is not None and entry.input_hash == page_input_hash(settings, benchmark)
    return same and settings.page.is_file() and page_of(settings, benchmark).is_file()


def write_page(settings: Settings, benchmark: str) -> Path:
    """Write the page of a benchmark, and the front page anew.

    Returns:
        Where the benchmark's page lies.
    """
    store = settings.store
    input_hash = page_input_hash(settings, benchmark)
    sources = settings.sources_of(benchmark)
    questions = store.read(TABLES["questions"], benchmark)
    gates = store.read(TABLES["question_gates"], benchmark)
    kept = published(questions, gates)["question_id"].to_list() if len(gates) else []
    keys = _evaluations(settings, benchmark)
    answers = _concat(settings, TABLES["answers"], keys)
    weak = _weak_reasons(settings, benchmark, keys, answers)
    shown = shown_questions(questions, _PER_SUBTASK, refused_by(gates, kept), shown_reasons(weak))
    declared = about(benchmark, settings.benchmark_folders)
    other_answers = _concat(settings, TABLES["parity_answers"], keys)
    differing = other_answers.filter(~pl.col("agrees"))
    plans, traces = _rooms(settings, shown)
    model = build_page_model(
        title=f"Parallax: {declared.title}",
        paper=declared.paper or _released_by(settings, benchmark),
        benchmark=benchmark,
        questions=questions,
        gates=gates,
        published=kept,
        gates_not_applied=settings.benchmarks[benchmark].gates_not_applied,
        expansion=expansion_lines(settings, benchmark),
        calls=_without_secrets(
            _concat(settings, TABLES["calls"], keys),
            {*shown["question_id"], *differing["question_id"]},
        ),
        costs=_concat(settings, TABLES["costs"], [*keys, *_text_costs(settings, benchmark)]),
        parity_answers=other_answers,
        answers=answers,
        scores=_concat(settings, TABLES["scores"], keys),
        candidates=pl.concat(
            [
                TABLES["candidates"].empty().select("source", "stage"),
                *(
                    store.read(TABLES["candidates"], s, columns=("source", "stage"))
                    for s in sources
                ),
            ]
        ),
        over_cap=_over_cap(settings, sources),
        statistics=_concat(settings, TABLES["statistics"], sources),
        quarantine=_read_all(
            settings, TABLES["quarantine"], lambda p: p.rpartition(".")[2] in sources
        ),
        recordings=_concat(settings, TABLES["recordings"], sources),
        source_status={s: _status(settings, s) for s in settings.benchmarks[benchmark].sources},
        strips=_strips(settings, benchmark, shown),
        places=_places(settings, shown),
        timelines=timelines(shown, lambda table, *part: store.read(TABLES[table], *part)),
        plans=plans,
        traces=traces,
        others=sorted(settings.benchmarks),
        protocol_notes=_protocol_notes(settings),
        baselines=_baselines(settings, benchmark),
        run_notes=_run_notes(settings, benchmark),
        narrating_protocols=_narrating_protocols(settings),
        suites=_suites(settings, benchmark),
        published_scores=_published_scores(settings, benchmark),
        funnels=store.read(TABLES["question_funnels"], benchmark),
        state=_state(settings, benchmark),
        is_sample=_is_sample(settings, benchmark),
        per_subtask=_PER_SUBTASK,
        groups=tuple(declared.groups),
        domains=tuple(declared.domains),
        weak_reasons=weak,
        gap=_gap(settings, benchmark, keys),
        grounding_scores=_concat(settings, TABLES["grounding_scores"], keys),
        review=_review(settings, benchmark),
        **_judged(settings, benchmark, keys, shown),
    )
    page = page_of(settings, benchmark)
    # One at a time: the front page tells of all benchmarks, whichever was written last.
    with store.lock(PAGE):
        # Withdrawn first: what stands in the ledger is true of the files, wherever a process dies.
        write_entries(store, PAGE, benchmark, [], [PAGE])
        _put(page, render_page(model, settings.page.name))
        entries = [_front_entry(settings, name) for name in sorted(settings.benchmarks)]
        _put(settings.page, render_front("Parallax", _folder(settings).name, entries))
        write_entries(store, PAGE, benchmark, [Entry(PAGE, input_hash, "ok", input_hash, 0, {})])
    return page


def _review(settings: Settings, benchmark: str) -> Review | None:
    """How far the review of the questions has come, where they are reviewed in steps."""
    screenings = about(benchmark, settings.benchmark_folders).screenings
    if not screenings:
        return None
    progress = {
        source: review_progress(settings, benchmark, source, screenings)
        for source in settings.sources_of(benchmark)
    }
    return reviewed(
        progress, screenings, accepted_only=settings.benchmarks[benchmark].accepted_only
    )


def _published_scores(settings: Settings, benchmark: str) -> pl.DataFrame:
    return read_published(folder_of(benchmark, settings.benchmark_folders))


def _judged(
    settings: Settings, benchmark: str, keys: list[str], shown: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """What the judges decided that the benchmark names now; empty where it names none.

    Args:
        settings: Configuration.
        benchmark: Benchmark.
        keys: Its evaluations.
        shown: Questions of the browser: of others no single judgement is read.
    """
    names = settings.benchmarks[benchmark].judges
    if not names:
        return {}
    read, ids = settings.store.read, shown["question_id"].to_list()
    table = TABLES["judgements"]
    judgements = pl.concat([table.empty(), *(read(table, key, ids) for key in keys)])
    scores = _concat(settings, TABLES["judged_scores"], keys)
    agreements = _concat(settings, TABLES["judge_agreements"], keys)
    named = pl.col("first_judge").is_in(names) & pl.col("second_judge").is_in(names)
    return {
        "judgements": judgements.filter(pl.col("judge").is_in(names)),
        "judged_scores": scores.filter(pl.col("judge").is_in(names)),
        "agreements": agreements.filter(named),
    }


def _weak_reasons(
    settings: Settings, benchmark: str, keys: list[str], answers: pl.DataFrame
) -> tuple[WeakReason, ...]:
    """Right letters with weak reasons by the judges that the benchmark names now."""
    names = settings.benchmarks[benchmark].judges
    table = TABLES["judgements"]
    marked = [
        settings.store.read(table, key, columns=_OF_REASON).select(_OF_REASON)
        for key in (keys if names else ())
    ]
    rows = pl.concat([table.empty().select(_OF_REASON), *marked])
    return weak_reasons(rows.filter(pl.col("judge").is_in(names)), answers)


def _gap(settings: Settings, benchmark: str, keys: list[str]) -> DomainGap | None:
    """The benchmark's domains beside questions about daily life; None where it names none."""
    compared = settings.benchmarks[benchmark].daily_life
    if not compared:
        return None
    sorted_into, points = (
        settings.store.read(TABLES[name], benchmark)
        for name in ("aligned_questions", "domain_points")
    )
    gaps = _concat(settings, TABLES["domain_gaps"], keys)
    return domain_gap(
        compared,
        read_rules(),
        *(
            rows.filter(pl.col("compared") == compared) if "compared" in rows.columns else rows
            for rows in (sorted_into, gaps, points)
        ),
    )


def _without_secrets(calls: pl.DataFrame, shown: Collection[str]) -> pl.DataFrame:
    """Calls with secrets masked where they are shown: rows of older versions may hold some."""
    is_shown = pl.col("question_id").is_in(sorted(shown))
    masked = calls.filter(is_shown).with_columns(
        pl.col("reply", "error", "prompt").map_elements(mask, pl.String, skip_nulls=True)
    )
    return pl.concat([calls.filter(~is_shown), masked])


def _put(path: Path, text: str) -> None:
    """Write a file beside and rename it: whoever looks meanwhile, or after a kill, sees a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _front_entry(settings: Settings, benchmark: str) -> FrontEntry:
    store = settings.store
    columns = ["benchmark", "question_id", "question_hash", "subtask"]
    questions = store.read(TABLES["questions"], benchmark, columns=columns)
    gates = store.read(TABLES["question_gates"], benchmark)
    keys = _evaluations(settings, benchmark)
    shown = list(_SHOWN_OF_CALLS)
    calls = pl.concat([store.read(TABLES["calls"], key, columns=shown) for key in keys] or [_CALLS])
    return FrontEntry(
        benchmark=benchmark,
        title=about(benchmark, settings.benchmark_folders).title,
        n_questions=len(questions),
        n_published=len(published(questions, gates)) if len(gates) else None,
        subtasks=tuple(sorted(set(questions["subtask"]))),
        runs=runs_of(
            _concat(settings, TABLES["scores"], keys),
            calls,
            _protocol_notes(settings),
            _baselines(settings, benchmark),
            _run_notes(settings, benchmark),
        ),
        is_sample=_is_sample(settings, benchmark),
        written=page_of(settings, benchmark).is_file(),
    )


# The prompt and the reply are most of a call, and no part of the front page.
_SHOWN_OF_CALLS = (
    "run",
    "model",
    "protocol",
    "asked_at",
    "attempt",
    "call_key",
    "status",
    "clips_sent_as",
    "asked_without",
)
# A schema, not a query: what runs at import starts threads that a forked process does not have.
_CALLS = pl.DataFrame(schema={name: TABLES["calls"].schema[name] for name in _SHOWN_OF_CALLS})


def _protocol_notes(settings: Settings) -> dict[str, str]:
    return {label: protocol.about for label, protocol in protocols_in_use(settings).items()}


def _released_by(settings: Settings, benchmark: str) -> str:
    """Where the questions of a benchmark of released questions come from; empty for others."""
    config = settings.benchmarks[benchmark]
    return f"questions as released in {', '.join(config.sources)}" if config.released else ""


def _narrating_protocols(settings: Settings) -> list[str]:
    """Labels of the protocols that send the narrations of options that are clips."""
    protocols = protocols_in_use(settings)
    return [label for label, protocol in protocols.items() if protocol.reads_option_text]


def _run_notes(settings: Settings, benchmark: str) -> dict[str, str]:
    """What runs set otherwise than their protocols, and which questions have no variant to ask."""
    notes = {name: run.note for name, run in settings.runs.items()}
    for key in _evaluations(settings, benchmark):
        name = key.partition(".")[2]
        run = settings.runs[name]
        protocol = protocol_of(settings, benchmark, run)
        if protocol.variants or protocol.contexts:
            left_out = asked_questions(settings, benchmark, run).sentence()
            notes[name] = " ".join(filter(None, (notes[name], f"{left_out}." if left_out else "")))
    return {name: note for name, note in notes.items() if note}


def _baselines(settings: Settings, benchmark: str) -> dict[str, str]:
    """What each configured run that is not a model under test does instead, by run."""
    found: dict[str, str] = {}
    for run in settings.runs.values():
        if run.engine in BASELINES:
            found[run.name] = BASELINES[run.engine]
            continue
        protocol = protocol_of(settings, benchmark, run)
        if protocol.variants:
            about = declared_variants()
            found[run.name] = " ".join(about[name].about for name in protocol.variants)
        elif not protocol.sends_media:
            found[run.name] = "sees no video"
    return found


def _suites(settings: Settings, benchmark: str) -> dict[str, tuple[SuitePage, ...]]:
    """Pages about the suites of a benchmark and of each of its sources."""
    partitions = (benchmark, *settings.sources_of(benchmark))
    return {name: written_suites(settings.page, name) for name in partitions}


def _is_sample(settings: Settings, benchmark: str) -> bool:
    return any(s.startswith("sample") for s in settings.sources_of(benchmark))


def _state(settings: Settings, benchmark: str) -> str:
    return table_digest(read_ledger(settings.store, QUESTIONS.name, benchmark), "questions")


def _evaluations(settings: Settings, benchmark: str) -> list[str]:
    return [key for key in settings.evaluations() if key.partition(".")[0] == benchmark]


def _text_costs(settings: Settings, benchmark: str) -> list[str]:
    """Partitions of `costs` of the text models that are asked for a benchmark; others may share them.

    Its judges and readers; what writes and judges its questions; translators; and what compares sentences of its sources.
    """
    translators = {settings.translation.engine, settings.translation.second} - {""}
    compare = {
        settings.sources[source].sentence_match
        for source in settings.sources_of(benchmark)
        if source in settings.sources
    }
    others = {f"texts.translation.{name}" for name in translators}
    others |= {f"texts.{COMPARING}.{name}" for name in compare & set(settings.text_models)}
    judges = {f"texts.{JUDGING}.{judge.model.name}" for judge in settings.judges_of(benchmark)}
    readers = {f"texts.{READING}.{name}" for name in settings.benchmarks[benchmark].readers}
    steps = {
        f"texts.{step.form.name}.{name}"
        for step in steps_of(benchmark)
        for name in _asked_by(settings, benchmark, step)
    }
    return sorted(judges | readers | steps | others)


def _asked_by(settings: Settings, benchmark: str, step: Step) -> set[str]:
    """Name of the model that a step asks; empty if it asks none."""
    config = settings.benchmarks[benchmark]
    return {config.checker if isinstance(step, CheckingStep) else config.writer} - {""}


def _status(settings: Settings, source: str) -> str:
    if source not in settings.sources:
        return "not configured"
    held = read_ledger(settings.store, ledger_name("recordings"), source)
    return "read" if held else "configured, not read yet"


def _over_cap(settings: Settings, sources: list[str]) -> dict[str, int]:
    """Pairs with the same sets that the cap leaves out, by source."""
    read = settings.store.read
    counts = {s: read(TABLES["candidate_counts"], s, columns=("stage", "n")) for s in sources}
    return {s: int(n.filter(stage="over_cap")["n"].sum()) for s, n in counts.items()}


def _concat(settings: Settings, table: Table, partitions: list[str]) -> pl.DataFrame:
    return pl.concat([table.empty(), *(settings.store.read(table, p) for p in partitions)])


def _read_all(settings: Settings, table: Table, chosen) -> pl.DataFrame:
    return _concat(settings, table, [p for p in settings.store.partitions(table) if chosen(p)])


def _places(settings: Settings, shown: pl.DataFrame) -> dict[tuple[str, str, str], Place]:
    """Origin of the rows that the shown questions name."""
    found: dict[tuple[str, str, str], Place] = {}
    for (source, name), keys in sorted(evidence_keys(shown).items()):
        table = TABLES.get(name)
        if table is None or "source" not in table.schema:
            continue
        asking = shown.filter(pl.col("source") == source).to_dicts()
        recordings = {q["question_id"]: [m["recording_id"] for m in q["media"]] for q in asking}
        every = set().union(*recordings.values())
        rows = named_rows(settings.store.scan(table, source), table, keys, every)
        for question in asking:
            uid = question["question_id"]
            for key in {key for of, key in evidence_of(question) if of == name}:
                row = named_row(rows, key, recordings[uid])
                if row is not None:
                    found[uid, name, key] = place_of(table, key, row, question["media"])
    return found


def _rooms(settings: Settings, shown: pl.DataFrame) -> tuple[dict[str, PlanView], dict[str, Trace]]:
    """Plans, and calls of tools, of the shown questions that are about the wearer's surroundings."""
    plans: dict[str, PlanView] = {}
    traces: dict[str, Trace] = {}
    asking = [row for row in shown.iter_rows(named=True) if has_plan(row)]
    for source, uid in sorted({(row["source"], row["recording_id"]) for row in asking}):
        tables = {
            name: settings.store.read(
                TABLES[name], source, [uid] if TABLES[name].unit == "recording_id" else None
            )
            for name in SCENE
        }
        scene = Scene.of(uid, tables)
        for row in asking:
            if (row["source"], row["recording_id"]) == (source, uid):
                view, calls = plan_view(row, scene), trace(row, scene)
                plans |= {} if view is None else {row["question_id"]: view}
                traces |= {} if calls is None else {row["question_id"]: calls}
    return plans, traces


def _strips(settings: Settings, benchmark: str, shown: pl.DataFrame) -> dict[ClipKey, Strip]:
    """Frames the protocol sends of the shown questions' media, small, with what lies over them."""
    strips: dict[ClipKey, Strip] = {}
    left = _PICTURE_BYTES
    for (source,), part in sorted(shown.partition_by("source", as_dict=True).items()):
        if not may_show(settings, str(source)):
            continue  # the page tells clips by their times, and the licence
        load = _Pictures(settings, benchmark, str(source), part)
        for row in part.filter("media_present").iter_rows(named=True):
            of_option = _FRAMES_OPTION if len(row["options"]) < _MANY_OPTIONS else _FRAMES_OF_MANY
            for medium in row["media"]:
                most = of_option if medium["role"].startswith("option_") else _FRAMES_GIVEN
                strip = load.strip(medium, most) if left > 0 else None
                if strip is not None:
                    strips[row["question_id"], medium["role"]] = strip
                    left -= sum(len(f.jpeg) for f in strip.frames)
    return strips


class _Pictures:
    """Pixels, ticks and boxes of one source's recordings."""

    def __init__(
        self, settings: Settings, benchmark: str, source: str, questions: pl.DataFrame
    ) -> None:
        store = settings.store
        ids = sorted({m["recording_id"] for media in questions["media"] for m in media})
        recordings = store.read(TABLES["recordings"], source, ids)
        images = store.read(TABLES["images"], source, ids)
        self._read = MediaReader.of(root_of(settings, source), recordings, images)
        self._frames = self._by_recording(store.read(TABLES["frames"], source, ids))
        # Pictures without times are shown by their place.
        ordered = recordings.filter(pl.col("time_base") == "index_only")["recording_id"].to_list()
        pictures = self._by_recording(images.filter(pl.col("recording_id").is_in(ordered)))
        self._in_order = {uid: frames_in_order(part) for uid, part in pictures.items()}
        self._boxes = self._by_recording(store.read(TABLES["boxes"], source, ids))
        protocols = all_protocols(settings)
        named = protocols[settings.benchmarks[benchmark].protocol]
        # A protocol without media shows nothing; readers want to see all the same, and whole frames.
        shown = named if named.sends_media else protocols[_PROTOCOL]
        self._protocol = replace(shown, crop="full")
        self._held: dict[tuple[str, int, int], tuple[bytes, float]] = {}
        self._marks: dict[str, Marks] = {}

    @staticmethod
    def _by_recording(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
        return {
            str(uid): part
            for (uid,), part in rows.partition_by("recording_id", as_dict=True).items()
        }

    def strip(self, medium: dict[str, Any], most: int) -> Strip | None:
        """At most so many frames of a medium; None where there are none to show."""
        uid = medium["recording_id"]
        frames = self._in_order.get(uid, self._frames.get(uid))
        if frames is None:
            return None
        try:
            clip = build_clip(medium, self._protocol, frames)
            at = thinned(clip, most)
            self._load(uid, [clip.frames[i][:2] for i in at])
        except (NoFrameError, VideoError):
            # The page shows the clip by its times; the failure is in quarantine, calls or gates.
            return None
        pictures = [self._held[uid, *clip.frames[i][:2]] for i in at]
        return strip_of(clip, at, pictures, self._marks_of(uid))

    def _marks_of(self, uid: str) -> Marks:
        if uid not in self._marks:
            ticks = self._frames.get(uid)
            if uid in self._in_order or ticks is None:
                ticks = TABLES["frames"].empty()
            self._marks[uid] = Marks(ticks, self._boxes.get(uid, TABLES["boxes"].empty()))
        return self._marks[uid]

    def _load(self, uid: str, wanted: list[tuple[int, int]]) -> None:
        """Small JPEGs of frames, each read once, a part's frames in one go."""
        missing = sorted({w for w in wanted if (uid, *w) not in self._held})
        for part in sorted({part for part, _ in missing}):
            stamps = [pts for p, pts in missing if p == part]
            for pts, image in zip(stamps, self._read(uid, part, stamps), strict=True):
                ratio = image.shape[1] / image.shape[0]
                self._held[uid, part, pts] = (to_jpeg(image, _SHOWN_PX), ratio)


def _refresh(inputs: Inputs, options: Options, tell: Tell) -> list[Report]:
    write_page(inputs.settings, inputs.partition)
    return []


def _pending(inputs: Inputs, options: Options) -> Iterator[Pending]:
    settings, benchmark = inputs.settings, inputs.partition
    if page_is_fresh(settings, benchmark):
        yield Pending(PAGE, up_to_date=1)
        return
    is_there = settings.page.is_file() and page_of(settings, benchmark).is_file()
    yield Pending(PAGE, {"what it shows changed" if is_there else "missing": 1})


def _configured_reads(settings: Settings) -> dict[str, Columns]:
    """Tables that hold evidence of the questions of plug-in benchmarks."""
    return dict.fromkeys(_read_of_sources(settings))


# It writes files instead of tables; its reads are declared and guarded as those of any stage.
STAGE = Stage(
    name=PAGE,
    group="report",
    summary="Static page: scores, funnel, refusals and a browser of questions.",
    partition="benchmark",
    tables=(),
    reads=dict.fromkeys(
        sorted(_OF_BENCHMARK | _SHOWN_OF_SOURCES | ({*QUESTIONS.reads, *GATES.reads}))
    ),
    configured_reads=_configured_reads,
    own=OwnRun(_refresh, _pending),
)
