"""Rewordings for people to decide on, each with a tenth of the questions of one domain that it would ask."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assets.predictions.stage import Evaluation, prompts_of
from assets.questions.expansion.choice import rewordings
from assets.questions.expansion.reviews import (
    in_plain_words,
    undecided,
    wording_queue,
    wording_samples,
)
from assets.questions.gating import verdicts
from assets.questions.stage import domains_of
from assets.sources.reviews.forms import QUESTION_QUEUE
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.schemas.readings import bare_recipe
from pipelines.cli.shown_questions import (
    LOOKING,
    ShownQuestion,
    as_looked_at,
    local_files,
    write_frames,
)
from resources.config import Settings


def wordings_of(settings: Settings, benchmark: str, frames: Path | None) -> pl.DataFrame:
    """Queue of the rewordings that nobody has decided on, by domain.

    Args:
        settings: Configuration.
        benchmark: Benchmark.
        frames: Folder for the frames of the sampled questions; None to write none.

    Returns:
        Columns of `QUESTION_QUEUE`.
    """
    read = settings.store.read
    usable = read(TABLES["wordings"], benchmark).filter(status="usable")
    recipes = dict(usable.select("wording_id", "recipes").iter_rows())
    known = {one.wording_id: one for one in rewordings(usable)}
    reviews = read(TABLES["wording_reviews"], benchmark)
    domains = domains_of(settings, benchmark)
    questions = published(read(TABLES["questions"], benchmark), verdicts(settings, benchmark))
    plain = [in_plain_words(row, known) for row in questions.iter_rows(named=True)]
    queues = [pl.DataFrame(schema=QUESTION_QUEUE)]
    for domain in sorted(set(domains.values())):
        mine = [row for row in plain if domains.get(row["source"]) == domain]
        samples = []
        for key, one in sorted(known.items(), key=lambda item: (item[1].template, item[0])):
            of = [row for row in mine if bare_recipe(row["recipe"]) in recipes[key]]
            samples.append((one, wording_samples(of, one, domain)))
        items = undecided(domain, samples, reviews)
        shown = [row for item in items for row in item.sample]
        paths = {}
        if frames is not None and shown:
            paths = _frames(settings, benchmark, shown, frames)
        queues.append(wording_queue(benchmark, domain, items, paths))
    return pl.concat(queues)


def _frames(
    settings: Settings, benchmark: str, rows: list[dict], folder: Path
) -> dict[str, list[str]]:
    """Addresses of the frames that the benchmark's protocol sends of questions whose media are here, by id."""
    settings = as_looked_at(settings, benchmark)
    by_id = {row["question_id"]: row for row in rows if row["media_present"]}
    questions = TABLES["questions"].frame(by_id.values())
    prompts = prompts_of(Evaluation(settings, f"{benchmark}.{LOOKING}"), questions)
    shown = [ShownQuestion(by_id[p.item], p) for p in prompts if p.sample == 0]
    written = write_frames(settings, shown, folder)
    return {key: local_files(folder, paths) for key, paths in written.items()}
