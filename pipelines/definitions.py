"""The code location: all assets of the configured sources, benchmarks and runs."""

from collections.abc import Sequence

import dagster as dg

from assets.configuration import check_settings
from assets.dagster import (
    OptionsResource,
    SettingsResource,
    automation,
    stage_assets,
)
from assets.dagster.external_assets import bookkeeping_specs, raw_specs
from assets.dagster.graph import upstream
from assets.dagster.partitions import Partitions, dependencies
from assets.dagster.presentation import group_owner
from assets.frames.stage import STAGE as FRAMES
from assets.keysteps.stage import ORDER as STEP_ORDER
from assets.keysteps.stage import PLACES as STEP_PLACES
from assets.labels.stage import STAGE as LABELS
from assets.leakage.stage import STAGE as SPLIT_OVERLAPS
from assets.navigation.stage import STAGE as NAVIGATION
from assets.options import silent
from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import VECTORS
from assets.predictions.judging.stage import STAGE as JUDGEMENTS
from assets.predictions.judging.stage import TESTS as JUDGE_TESTS
from assets.predictions.stage import STAGE as PREDICTIONS
from assets.question_reviews.stage import STAGE as QUESTION_REVIEWS
from assets.questions.expansion.stage import STAGE as WORDINGS
from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.stage import STAGE as PAGE
from assets.report.stage import page_of
from assets.reviews.stage import STAGE as REVIEWS
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.scores.domain_gap.stage import GAPS as DOMAIN_GAPS
from assets.scores.domain_gap.stage import POINTS as DOMAIN_POINTS
from assets.scores.domain_gap.stage import SORTING
from assets.scores.grounding.stage import STAGE as GROUNDING
from assets.scores.judged.stage import STAGE as JUDGED_SCORES
from assets.scores.parity.stage import STAGE as PARITY
from assets.scores.stage import STAGE as SCORES
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGE as SOURCES
from assets.sources.stage import layout_of
from assets.stage import Stage
from assets.statistics.stage import STAGE as STATISTICS
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.translations.stage import STAGE as TRANSLATIONS
from expectations.checks.keys import asset_key
from pipelines.automation import condition_sensor, source_sensor
from pipelines.checks import quality_checks
from pipelines.jobs import jobs, schedules
from resources.config import Settings, load_settings
from resources.models import may_need_accelerator

STAGES: tuple[Stage, ...] = (
    SOURCES,
    FRAMES,
    TRANSLATIONS,
    LABELS,
    VECTORS,
    PAIRS,
    TASK_SETS,
    SKILL,
    SPLIT_OVERLAPS,
    REVIEWS,
    STATISTICS,
    SCENE_GRAPHS,
    NAVIGATION,
    STEP_ORDER,
    STEP_PLACES,
    WORDINGS,
    QUESTIONS,
    GATES,
    QUESTION_REVIEWS,
    JUDGE_TESTS,
    PREDICTIONS,
    SCORES,
    # After the scores that need no judge: where one cannot be asked, the others are there.
    JUDGEMENTS,
    JUDGED_SCORES,
    GROUNDING,
    PARITY,
    SORTING,
    DOMAIN_GAPS,
    DOMAIN_POINTS,
)
KINDS = {table: stage.partition for stage in STAGES for table in stage.tables}


def page_asset(page: Stage, partitions: Partitions, stages: Sequence[Stage]) -> dg.AssetsDefinition:
    """The report page of each benchmark: files, where other stages write tables."""
    upstreams = upstream(page, page.name, stages)

    @dg.asset(
        key=asset_key(page.name),
        group_name=page.group,
        owners=[group_owner(page.group)],
        kinds={"html"},
        description=page.summary,
        partitions_def=partitions.benchmark,
        automation_condition=automation(upstreams),
        deps=dependencies(upstreams, page.name, page.partition, partitions, stages),
    )
    def write(
        context: dg.AssetExecutionContext, settings: SettingsResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        loaded, benchmark = settings.load(), context.partition_key
        page.refresh(loaded, benchmark, options.options(context.run.tags), silent)
        path = str(page_of(loaded, benchmark))
        return dg.MaterializeResult(metadata={"path": dg.MetadataValue.path(path)})

    return write


def pool_of(stage: Stage, settings: Settings) -> str | None:
    """Pool that keeps two steps from filling one accelerator; None for a stage that loads no model on any.

    Args:
        stage: The stage.
        settings: Configuration.
    """
    models = () if stage.asks is None else stage.asks(settings)
    return "gpu" if any(map(may_need_accelerator, models)) else None


def definitions(settings: Settings, *, expensive_checks: bool = True) -> dg.Definitions:
    """Definitions for one configuration.

    Args:
        settings: Configuration.
        expensive_checks: Whether to include the checks that cost seconds however small a table is.
    """
    check_settings(settings)
    partitions = Partitions.of(settings, STAGES)
    stages = [stage.configured(settings) for stage in STAGES]
    named_jobs = list(jobs(settings))
    return dg.Definitions(
        assets=[
            *raw_specs(
                settings, {name: layout_of(settings, name).title for name in settings.sources}
            ),
            *bookkeeping_specs(partitions),
            *(
                one
                for stage in stages
                for one in stage_assets(stage, partitions, stages, pool_of(stage, settings))
            ),
            page_asset(PAGE.configured(settings), partitions, stages),
        ],
        asset_checks=quality_checks(partitions, KINDS, expensive=expensive_checks),
        jobs=named_jobs,
        schedules=schedules(named_jobs),
        sensors=[source_sensor(STAGES), condition_sensor()],
        # A stage uses all cores by itself: a process per step would only import the same again.
        executor=dg.in_process_executor,
        resources={"settings": SettingsResource(), "options": OptionsResource()},
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Entry point of the code location."""
    return definitions(load_settings())
