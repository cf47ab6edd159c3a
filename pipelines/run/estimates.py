"""What the model calls of a run would cost, as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.run.dry_run import DryRun
from pipelines.run.progress import duration
from resources.config import Settings
from resources.models.costs.estimate import Estimate, PlannedCalls
from resources.models.costs.spending import spent_by
from resources.texts import printable

_HEAD = (
    "calls of",
    "run",
    "questions",
    "calls",
    "from log",
    "frames",
    "read",
    "written",
    "dollars",
)
_UNKNOWN = "?"


def estimate_lines(settings: Settings, found: DryRun) -> Iterator[str]:
    """Calls, tokens, money and time of a run that was planned, and what budgets leave of it.

    Args:
        settings: Configuration.
        found: What the run would do.
    """
    rows = [
        _cells(call, cost)
        for call, cost in zip(found.calls, found.costs, strict=True)
        if call.n_asked
    ]
    known = sum(call.n_from_log for call in found.calls)
    if rows:
        yield from _table([(*_HEAD, "time", "judged by"), *rows])
        yield _total(found)
    else:
        yield "no model call to make" + (" as far as can be told" if found.uncounted else "")
    if known:
        yield f"{known:,} calls are answered from the log and cost nothing"
    waiting = [f"{stage.stage} of {stage.partition}" for stage in found.stages if stage.depends_on]
    if waiting:
        yield (
            f"counted by what is stored: {len(waiting)} stages depend on others that are to be updated"
            " before, and may change it"
        )
    for line in found.uncounted:
        yield printable(f"not counted: {line}")
    for stage in found.stages:
        if stage.problem:
            yield printable(f"{stage.stage} of {stage.partition}: {stage.problem}")
    yield from _budgets(settings, found)


def _cells(call: PlannedCalls, cost: Estimate | None) -> tuple[str, ...]:
    numbers = (call.n_items, call.n_asked, call.n_from_log, call.n_frames)
    return (
        printable(call.purpose),
        printable(call.run.name),
        *(f"{number:,}" for number in numbers),
        *_costs(call, cost),
    )


def _costs(call: PlannedCalls, cost: Estimate | None) -> tuple[str, ...]:
    """Tokens read and written, dollars, time, and where they come from."""
    if cost is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN, _UNKNOWN, "nothing: the model was never asked"
    frames = " + frames" if cost.lacks_frames else ""
    sign, read = "" if cost.same_protocol else "≤ ", _whole(cost.prompt_tokens) + frames
    dollars = "no price" if call.run.prices is None else _UNKNOWN
    if cost.dollars is not None:
        dollars = f"{cost.dollars:,.2f}{frames}"
    if cost.n_past:
        protocol = "this protocol" if cost.same_protocol else "other protocols"
        basis = f"{cost.n_past:,} past calls under {protocol}"
    else:
        basis = "the model's tokenizer" if call.by_tokenizer else "the length of the texts"
    if cost.frames_by == "size":
        basis += " and the size of frames"
    elif cost.same_protocol and cost.frames_by == "other protocols":
        basis += ", and frames under others"
    time = _UNKNOWN
    if cost.seconds is not None:
        time = ("≥ " if cost.seconds_at_least else "") + duration(cost.seconds)
    return read, sign + _whole(cost.completion_tokens), dollars, time, basis


def _whole(number: float | None) -> str:
    return _UNKNOWN if number is None else f"{round(number):,}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows in columns: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    for row in rows:
        yield "  ".join(
            cell.ljust(width) if at < 2 or at == last else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def _total(found: DryRun) -> str:
    asked = sum(call.n_asked for call in found.calls)
    dollars = sum(cost.dollars or 0.0 for cost in found.costs if cost is not None)
    pairs = list(zip(found.calls, found.costs, strict=True))
    open_ = sum(call.n_asked for call, cost in pairs if not _is_priced(call, cost))
    rest = f"; of {open_:,} calls nobody can tell the whole price yet" if open_ else ""
    sized = sum(call.n_asked for call, cost in pairs if _is_sized(call, cost))
    rest += f"; in {sized:,} calls frames are priced by their size alone" if sized else ""
    return f"together {asked:,} calls, ${dollars:,.2f}{rest}"


def _is_priced(call: PlannedCalls, cost: Estimate | None) -> bool:
    """Whether all of some calls is priced."""
    if not call.n_asked:
        return True
    return cost is not None and cost.dollars is not None and not cost.lacks_frames


def _is_sized(call: PlannedCalls, cost: Estimate | None) -> bool:
    """Whether frames are priced by their size: what a model makes of them only past calls tell."""
    return _is_priced(call, cost) and cost is not None and cost.frames_by == "size"


def _budgets(settings: Settings, found: DryRun) -> Iterator[str]:
    """What each run with a budget spent, and whether the rest is enough."""
    planned: dict[str, list[tuple[PlannedCalls, Estimate | None]]] = {}
    for call, cost in zip(found.calls, found.costs, strict=True):
        if call.run.budget is not None:
            planned.setdefault(call.run.name, []).append((call, cost))
    for name, pairs in planned.items():
        run = pairs[0][0].run
        assert run.budget is not None
        spent = spent_by(settings.store, run)
        dollars = sum(cost.dollars or 0.0 for _, cost in pairs if cost is not None)
        dearest = max(call.dearest or 0.0 for call, _ in pairs)
        others = any(cost is not None and cost.frames_by == "other protocols" for _, cost in pairs)
        if spent + dollars > run.budget:
            verdict = "the rest is not enough for this: the run would stop"
        elif not all(_is_priced(call, cost) for call, cost in pairs):
            verdict = "nobody can tell yet whether the rest is enough"
        elif spent + dollars + dearest > run.budget:
            verdict = (
                "the rest may be enough, but the run stops before its last calls: each is made only while up"
                f" to ${dearest:,.2f} for it are left"
            )
        elif any(_is_sized(call, cost) for call, cost in pairs):
            verdict = "the rest is enough for this if frames cost what their size suggests"
        elif others:
            verdict = (
                "the rest is enough for this if frames cost what they do under other protocols"
            )
        else:
            verdict = "the rest is enough for this"
        yield printable(
            f"run {name}: ${spent:,.2f} of its budget of ${run.budget:,.2f} are spent; {verdict}"
        )
