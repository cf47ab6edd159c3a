"""Runs the project in processes of their own and tells what entered its pure functions.

Started as `python driver.py`, it loads everything once and then forks one child per command read
from standard input, so that a run can be killed and costs no import. A command is a JSON object:

    config   configuration file
    dagster  whether to go through Dagster (as `parallax run` does) or straight through the stages
    options  keyword arguments of `Options`
    die      {"before_commit": n} or {"after_commit": n} or {"at": "name of a place"}: kill -9 there
    result   file that receives what happened, as JSON

Beside the project's engines there is `by_hash`, for the gate `blind`: see `ByHash`.
"""

from __future__ import annotations

import faulthandler
import functools
import importlib
import json
import os
import resource
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from blake3 import blake3

LONGEST_S = 900
OURS = ("assets.", "expectations.", "pipelines.", "resources.")
# Libraries that a stage imports when it needs them, which takes seconds and starts no thread.
SLOW = (
    "scipy.special",
    "scipy.spatial",
    "scipy.sparse.csgraph",
    "sqlalchemy",
    "alembic.command",
)


def _column(table: str, name: str) -> Callable[[Any], list[str]]:
    return lambda tables: tables[table][name].unique().to_list()


_UNITS_OF = {
    "pool": _column("pairs", "pool"),
    "take": _column("recordings", "take_id"),
    "recording": _column("recordings", "recording_id"),
    "question_set": _column("imported_questions", "question_set"),
    "scenario": _column("recordings", "scenario"),
    "source": lambda _: ["all"],
}


def score_by_hash(model: str, question_hash: str, letter: str) -> float:
    """Score that the engine `by_hash` gives an option."""
    said = f"{model}/{question_hash}/{letter}"
    return float(int.from_bytes(blake3(said.encode()).digest()[:4], "big"))


class ByHash:
    """Scores options by a hash of the run's model, of the question and of the letter.

    Where a letter is asked for, it names the option whose text has the highest score by the same hash, wherever
    that stands. It finds some answers by chance, others for another model. While a file `engine-fails` lies
    beside the configuration, every request fails; what is asked is told as `by_hash` of the record.
    Where a file `paid` lies beside the configuration, the key of every reply is added to it, so that
    what a killed process paid for is known.
    """

    def __init__(self, run: Any, recorder: Recorder, home: Path) -> None:
        from resources.models import Capabilities

        self.capabilities = Capabilities(images=True, option_likelihood=True, ignores_media=True)
        self.model = f"by-hash@{run.model}"
        self._model = run.model
        self._recorder = recorder
        self._home = home

    def ask(self, batch: Any, media: Any) -> list[Any]:
        """One reply per request."""
        from resources.models.base import ask_each

        self._recorder.calls["by_hash"] += len(batch)
        self._recorder.entered["by_hash"].update(r.item for r in batch)
        return ask_each(batch, self._answer)

    def _answer(self, request: Any) -> tuple[str, tuple[float, ...], None]:
        from resources.models.base import best_letter

        if (self._home / "engine-fails").exists():
            raise ValueError("told to fail")
        if (self._home / "paid").exists():
            with (self._home / "paid").open("a", encoding="utf-8") as paid:
                paid.write(f"{request.key}\n")
        said = self._model, request.seed
        if request.likelihood is None:
            words = dict(zip(request.choices, request.choice_texts, strict=True))
            best = max(request.choices, key=lambda x: score_by_hash(*said, words[x]))
            return best, None, None
        scores = tuple(score_by_hash(*said, letter) for letter in request.choices)
        return best_letter(request, scores), scores, None


class Recorder:
    """What entered the pure functions of the stages, by function."""

    def __init__(self) -> None:
        self.entered: dict[str, set[str]] = defaultdict(set)
        self.calls: dict[str, int] = defaultdict(int)
        self.parsed: set[tuple[str, str]] = set()

    def wrap(self, name: str, function: Callable, units: Callable[..., Iterable[str]]) -> Callable:
        """The function, recorded; its code version stays what it is."""
        if isinstance(function, functools.partial):
            bound = len(function.args)
            inner = self.wrap(name, function.func, lambda *args, **_: units(*args[bound:]))
            return functools.partial(inner, *function.args, **function.keywords)

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            self.entered[name].update(units(*args, **kwargs))
            return function(*args, **kwargs)

        if not isinstance(function, functools.partial):
            return functools.wraps(function)(recorded)

        class Recorded(functools.partial):
            """A partial still: its code version is that of what it binds."""

            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                return recorded(*args, **kwargs)

        return Recorded(function.func, *function.args, **function.keywords)

    def install(self) -> None:
        """Put the wrappers where the stages look their functions up."""
        import av

        import assets.frames.stage as frames
        import assets.labels.stage as labels
        import assets.pairs.stage as pairs
        import assets.predictions.stage as predictions
        import assets.questions.gating as gating
        import assets.questions.stage as questions
        import assets.scene_graphs.stage as scene_graphs
        import assets.scores.stage as scores
        import assets.sources.stage as sources
        import resources.store.code_version as versions

        definition = versions._definition

        def parsed(module: str, name: str) -> Any:
            self.parsed.add((module, name))
            return definition(module, name)

        versions._definition = parsed

        def patch(module: Any, name: str, units: Callable[..., Iterable[str]]) -> None:
            setattr(module, name, self.wrap(name, getattr(module, name), units))

        def column(at: int, name: str) -> Callable[..., Iterable[str]]:
            return lambda *args, **kwargs: args[at][name].unique().to_list()

        patch(frames, "build_frames", lambda row, *rest: [row["recording_id"]])
        patch(frames, "frames_of_images", lambda row, *rest: [row["recording_id"]])
        patch(frames, "read_packets", lambda handle, *rest: [Path(handle.name).name])
        patch(av, "open", lambda file, *rest, **kwargs: [Path(getattr(file, "name", file)).name])
        patch(labels, "parse_labels", column(0, "recording_id"))
        patch(pairs, "find_candidates", column(2, "recording_id"))
        patch(pairs, "make_pairs", column(3, "recording_id"))
        patch(pairs, "vector_rows", column(0, "recording_id"))
        patch(scene_graphs, "measure", lambda source, uid, *rest: [uid])
        patch(scene_graphs, "make_graph", lambda source, uid, *rest: [uid])
        patch(gating, "judge", column(0, "pool"))
        patch(predictions, "build_prompt", lambda question, *rest, **_: [question["question_id"]])
        patch(predictions, "extract_answers", column(0, "question_id"))
        patch(scores, "score", column(0, "run"))
        builders_of = questions.builders_of
        questions.builders_of = lambda *args: {
            recipe: replace(
                b,
                make=self.wrap("make_questions", b.make, _UNITS_OF[b.unit]),
            )
            for recipe, b in builders_of(*args).items()
        }
        layout_named = sources.layout_named
        sources.layout_named = lambda *args: self._layout(layout_named(*args))

    def _layout(self, layout: Any) -> Any:
        def units(given: Any) -> list[str]:
            return [given.recording["recording_id"] if given.recording else "*"]

        parts = tuple(
            replace(p, read=self.wrap(f"read_{p.name}", p.read, units)) for p in layout.parts
        )
        return replace(layout, parts=parts)


class Deaths:
    """Kills this process, without any goodbye, at a chosen commit or place."""

    def __init__(self, where: dict[str, Any]) -> None:
        self.where = where
        self.commits = 0
        self.tables: list[str] = []

    def install(self) -> None:
        """Count the store's commits, and die at the chosen one."""
        import assets.dagster as rim
        from resources.store.tables import TableStore

        commit = TableStore._commit

        def counted(delta: Any, adds: Any, removes: Any, **kwargs: Any) -> None:
            self.commits += 1
            self.tables.append(Path(delta.table_uri).name)
            self._die("before_commit", self.commits)
            commit(delta, adds, removes, **kwargs)
            self._die("after_commit", self.commits)

        TableStore._commit = staticmethod(counted)
        result = rim._result

        def before_event(settings: Any, stage: Any, table: Any, *rest: Any) -> Any:
            self._die("at", f"event:{table.name}")
            return result(settings, stage, table, *rest)

        rim._result = before_event

    def _die(self, kind: str, here: Any) -> None:
        if self.where.get(kind) == here:
            os.kill(os.getpid(), signal.SIGKILL)


def run(command: dict[str, Any]) -> dict[str, Any]:
    """Bring everything up to date in this process and tell what was done."""
    os.environ["PARALLAX_CONFIG"] = command["config"]
    home = Path(command["config"]).parent / "dagster"
    os.environ["PARALLAX_DAGSTER_HOME"] = str(home)
    from assets.options import Options, silent
    from pipelines.cli.shell import dagster_home_folder
    from pipelines.cli.views import digest_lines
    from pipelines.run.orchestrate import update
    from pipelines.run.progress import Display
    from pipelines.run.steps import Scope, steps
    from resources.config import load_settings
    from resources.models import BUILT_IN

    recorder = Recorder()
    recorder.install()
    deaths = Deaths(command.get("die") or {})
    deaths.install()
    BUILT_IN["by_hash"] = lambda run: ByHash(run, recorder, home.parent)
    settings = load_settings()
    chosen = {
        k: tuple(v) if isinstance(v, list) else v for k, v in command.get("options", {}).items()
    }
    options = Options(**chosen)
    reports: list[Any] = []
    counts = {}
    before = resource.getrusage(resource.RUSAGE_SELF)
    if command.get("dagster"):
        dagster_home_folder()
        counts = update(settings, Scope(), options, Display()).as_dict()
    else:
        for step in steps(settings, Scope()):
            for stage in step.stages:
                reports += stage.refresh(settings, step.partition, options, silent)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "commits": deaths.commits,
        "committed": deaths.tables,
        "calls": dict(recorder.calls),
        "counts": counts,
        "loaded": sorted(name for name in sys.modules if name.startswith(OURS) or name in SLOW),
        "parsed": sorted(recorder.parsed),
        "entered": {name: sorted(units) for name, units in recorder.entered.items()},
        "reports": {
            f"{r.stage}.{r.partition}": {
                "computed": r.computed,
                "changed": r.changed,
                "deleted": sorted(r.deleted),
                "held_back": sorted(r.held_back),
            }
            for r in reports
        },
        "digests": [line.split(" ") for line in digest_lines(settings, "unit")]
        if command.get("digest", True)
        else [],
    }


def child(command: dict[str, Any]) -> None:
    """Body of a forked process."""
    os.setsid()
    # A run that hangs says where, and ends.
    faulthandler.dump_traceback_later(LONGEST_S, exit=True)
    status = 0
    try:
        told = run(command)
    except BaseException as error:
        told, status = {"error": f"{type(error).__name__}: {error}"}, 1
        import traceback

        told["traceback"] = traceback.format_exc()
    path = Path(command["result"])
    path.with_suffix(".part").write_text(json.dumps(told), encoding="utf-8")
    path.with_suffix(".part").rename(path)
    os._exit(status)


def learn(result: Path) -> None:
    """Load and parse what a child had to, so that the next ones inherit it; starts no thread."""
    import resources.store.code_version as versions

    if not result.exists():
        return
    told = json.loads(result.read_text(encoding="utf-8"))
    for module in told.get("loaded", ()):
        importlib.import_module(module)
    for module, name in told.get("parsed", ()):
        versions._definition(module, name)
    versions._distributions()


def serve() -> None:
    """Load everything, then fork a child per line; tell its process id at once."""

    results: dict[int, Path] = {}
    print("ready", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if "reap" in command:
            _, status = os.waitpid(command["reap"], 0)
            learn(results.pop(command["reap"]))
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            sys.stdin = open(os.devnull)
            out = os.open(command["result"] + ".log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
            os.dup2(out, 1)
            os.dup2(out, 2)
            child(command)
        results[pid] = Path(command["result"])
        print(pid, flush=True)


if __name__ == "__main__":
    serve()
